"""The definitions of average precision: ThresholdCounts in, one value per ranking out.

Each is nan, silently, for a ranking without positives, except precision at k, which is 0. Like
all inner rooms they trust their arguments: the scores are what checks them.
"""

from sklearn_ap.definitions.at_k import at_k, precision_at_k, recall_at_k
from sklearn_ap.definitions.expected import expected
from sklearn_ap.definitions.hyperbolic import hyperbolic
from sklearn_ap.definitions.interpolated import interpolated
from sklearn_ap.definitions.linear import linear
from sklearn_ap.definitions.step import step

__all__ = [
    "at_k",
    "expected",
    "hyperbolic",
    "interpolated",
    "linear",
    "precision_at_k",
    "recall_at_k",
    "step",
]
