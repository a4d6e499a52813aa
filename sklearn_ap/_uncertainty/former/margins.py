"""Whether a model is not worse than a reference by a margin.

A sample may lack rare false alarms of the model, so its limit allows for three of them above all
other rows. Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.options import check_real_number
from sklearn_ap._types import Argument, Float
from sklearn_ap._uncertainty.former._false_alarms import losses_by_negatives
from sklearn_ap._uncertainty.former.shrinkage import MOST_HIDDEN
from sklearn_ap.definitions import Definition


def check_difference_above(lowest: float, difference: Argument) -> float:
    """Refuse a true difference of a plan at or below minus the margin, where nothing is shown."""
    number = check_real_number("difference", difference)
    if not lowest < number < 1:
        raise ValueError(
            f"With margin={-lowest:g}, difference is the true difference that the plan assumes: it "
            f"must lie within ({lowest:g}, 1), and is often 0.0, got {difference!r}."
        )
    return number


def cost_of_counts(definition: Definition, counts: ThresholdCounts) -> Float:
    """Return the loss of each value by hidden false alarms, of unweighted counts."""
    n_alarms = np.full(counts.starts.size, MOST_HIDDEN)
    return losses_by_negatives(definition, counts, n_alarms)
