"""Step average precision: no interpolation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap.definitions._base import Heights
from sklearn_ap.definitions._chance import Ends, precisions_by_chance
from sklearn_ap.definitions._influence import Influence, precision_influence

Array = NDArray[Any]

BLOCK = 2**13  # thresholds, of which all that is computed stays in the cache


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
    of_each = [counts.each(each) for each in (p, lighter, n, one, others, heavier)]
    changes = np.empty(counts.tps.size)
    for begin in range(0, changes.size, BLOCK):
        at = slice(begin, begin + BLOCK)
        tp, fp = counts.tps[at].astype(np.float64), counts.fps[at].astype(np.float64)
        numbers = [each if each.size == 1 else each[at] for each in of_each]
        changes[at] = _by_positives(tp, fp, *numbers[:2]) + _by_negatives(tp, fp, *numbers[2:])
    return np.where(has_both, ratio(counts.sum(counts.gained * changes), p), np.nan)


def _by_positives(tp: Array, fp: Array, p: Array, lighter: Array) -> Array:
    """What leaving out each positive changes of the precision h = tp / (tp + fp), added up.

    With o = fp (p - 1) / p, as other positives weigh more beside the negatives, this is
    (tp - 1) ((tp - 1) / (tp - 1 + o) - h) + (p - tp) (tp / (tp + o) - h), written as products.
    """
    size, others = tp + fp, fp * lighter
    above = others / np.maximum(tp - 1 + others, TINY)
    is_light = tp < 1  # of a threshold with less than a positive, all of it is left out
    if is_light.any():
        above = np.where(is_light, tp, above)
    changes = fp / size * ((p - tp) / p) * above / (tp + others)
    return changes + np.maximum(1 - tp, 0.0) * (tp / size) if is_light.any() else changes


def _by_negatives(
    tp: Array, fp: Array, n: Array, one: Array, others: Array, heavier: Array
) -> Array:
    """What leaving out each negative changes of the precision h = tp / (tp + fp), added up.

    With w = n / (n - 1), as other negatives weigh more, this is
    (fp (tp / (tp + w (fp - 1)) - h) + (n - fp) (tp / (tp + w fp) - h)) / w, written as products.
    """
    n = np.maximum(n, TINY)  # of a ranking without negatives, whose bias is not known
    size, below = tp + fp * heavier, (n - fp) / n
    left = tp + heavier * np.maximum(fp - one, 0.0)
    changes = tp / (tp + fp) * (fp / left) * below * (heavier * one / size)
    is_light = (fp < one) & (fp > 0)  # without negatives, none changes anything
    if is_light.any():
        lightest = fp / (tp + fp) * (others * (fp / n) - below * (tp / size))
        changes = np.where(is_light, lightest, changes)
    return changes


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
