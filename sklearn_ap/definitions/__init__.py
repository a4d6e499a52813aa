"""The definitions of average precision: ThresholdCounts in, one value per ranking out.

Each class is one definition; its fields are the options. ``Step()(counts)`` gives the values, nan
for a ranking without positives (precision at k gives 0 there).
"""

from sklearn_ap.definitions._at_a_point import PrecisionAtRecall as PrecisionAtRecall
from sklearn_ap.definitions._at_a_point import RecallAtPrecision as RecallAtPrecision
from sklearn_ap.definitions._at_k import AtK as AtK
from sklearn_ap.definitions._at_k import PrecisionAtK as PrecisionAtK
from sklearn_ap.definitions._at_k import RecallAtK as RecallAtK
from sklearn_ap.definitions._base import Definition as Definition
from sklearn_ap.definitions._curves import Hyperbolic as Hyperbolic
from sklearn_ap.definitions._curves import Linear as Linear
from sklearn_ap.definitions._interpolated import Interpolated as Interpolated
from sklearn_ap.definitions._mean_over_orders import Expected as Expected
from sklearn_ap.definitions._mean_over_orders import ReciprocalRank as ReciprocalRank
from sklearn_ap.definitions._step import Step as Step

# The classes above, so that a new definition is one line here.
__all__ = sorted(name for name, value in list(globals().items()) if isinstance(value, type))
