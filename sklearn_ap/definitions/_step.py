"""Step average precision: no interpolation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap.counts import ThresholdCounts, ratio
from sklearn_ap.definitions._base import Ends, Heights, precisions_by_chance
from sklearn_ap.definitions._influence import Influence, precision_influence

Array = NDArray[Any]


def _closed_bias(counts: ThresholdCounts, weight_of_negative: Any) -> Array:
    """The jackknife in closed form.

    A row that is left out stands at or above a threshold, or below it. The rest of its class weighs
    more: others / all of it is 1. What this changes of a precision is written as products, because
    a difference of two sums over many rows would lose the digits of a small bias.
    """
    totals = counts.n_positives, counts.n_negatives, np.asarray(weight_of_negative)
    p, n, one = np.broadcast_arrays(*(total.astype(np.float64) for total in totals))
    others = n / one - 1
    has_both = (p > 1 + RELATIVE_TOLERANCE) & (others > RELATIVE_TOLERANCE)
    heavier = np.where(has_both, n / np.maximum(n - one, TINY), 1.0)
    lighter = (p - 1) / np.maximum(p, 1)
    tp, fp = counts.tps.astype(np.float64), counts.fps
    of_each = map(counts.each, (p, n, one, others, heavier, lighter))
    p_of_each, *of_negatives, lighter_of_each = of_each
    changes = _by_positives(tp, fp, p_of_each, lighter_of_each)
    changes += _by_negatives(tp, fp, *of_negatives)
    return np.where(has_both, ratio(counts.sum(counts.gained * changes), p), np.nan)


def _by_positives(tp: Array, fp: Array, p: Array, lighter: Array) -> Array:
    """What leaving out each positive changes of a precision, added up."""
    others = fp * lighter
    above = others / np.maximum(tp - 1 + others, TINY)
    changes = fp / (tp + fp) * ((p - tp) / p) * np.where(tp < 1, tp, above) / (tp + others)
    return changes + np.maximum(1 - tp, 0.0) * (tp / (tp + fp))


def _by_negatives(
    tp: Array, fp: Array, n: Array, one: Array, others: Array, heavier: Array
) -> Array:
    """What leaving out each negative changes of a precision, added up."""
    n = np.maximum(n, TINY)  # of a ranking without negatives, whose bias is not known
    size, below = tp + fp * heavier, (n - fp) / n
    left = tp + heavier * np.maximum(fp - one, 0.0)
    changes = tp / (tp + fp) * (fp / left) * below * (heavier * one / size)
    lightest = fp / (tp + fp) * (others * (fp / n) - below * (tp / size))
    return np.where(fp < one, lightest, changes)


@dataclass(frozen=True, repr=False)
class Step(Heights):
    r"""Average precision as the area under steps.

    .. math:: \sum_n (R_n - R_{n-1}) P_n

    over the thresholds, highest first, with precision :math:`P_n` and recall :math:`R_n` at the
    n-th. This is scikit-learn's number since 0.19. The value lies within [0, 1]; it is nan for a
    ranking without positives.

    Tied items enter together, at the precision of the whole block, so constant scores give the
    prevalence.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Step
    >>> Step()(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.83333333])
    """

    title = "step AP"
    smooth = True

    def heights(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        return counts.precision

    def sum_by_chance(self, ends: Ends, n_rows: int, n_positives: int) -> float:
        return precisions_by_chance(ends, n_rows, n_positives)

    def influence(self, counts: ThresholdCounts) -> Influence:
        return precision_influence(counts, counts.precision, resting=counts.gained)

    def bias(
        self, counts: ThresholdCounts, weight_of_negative: Array | float = 1.0
    ) -> NDArray[np.float64]:
        return _closed_bias(counts, weight_of_negative)
