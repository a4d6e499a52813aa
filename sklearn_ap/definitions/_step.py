"""Step average precision: no interpolation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.tolerances import RELATIVE_TOLERANCE, TINY
from sklearn_ap.counts import ThresholdCounts, ratio
from sklearn_ap.definitions._base import Heights
from sklearn_ap.definitions._by_chance import Ends, precisions_by_chance
from sklearn_ap.definitions._influence import MANY, Influence, precision_influence

Array = NDArray[Any]


def _without_one(above: Array, below: Array, size: Array, lost: Any, least: Any) -> Array:
    """``tp * tp / size`` at each threshold, added up over the rows of a class to leave out.

    A row below a threshold changes nothing there; one above it, or at it, takes ``lost`` of the
    size, but leaves at least the other class. Overwrites what it is given: fresh memory costs more.
    """
    below /= size
    size -= lost
    above /= np.maximum(size, least, out=size)
    above += below
    return above


def _closed_bias(counts: ThresholdCounts, weight_of_negative: Any, value: Array) -> Array:
    """The jackknife in closed form.

    A row that is left out stands at or above a threshold, or below it. The rest of its class weighs
    more: others / all of it is 1.
    """
    tp, fp, gained = counts.tps.astype(np.float64), counts.fps, counts.gained
    totals = counts.n_positives, counts.n_negatives, np.asarray(weight_of_negative)
    p, n, one = (counts.each(total) if total.ndim else total for total in totals)
    lighter, heavier = (p - 1) / np.maximum(p, 1), n / np.maximum(n - one, TINY)
    rest = tp - 1
    rest *= np.maximum(rest, 0.0, out=rest)
    left = _without_one(rest, (p - tp) * tp, tp + fp * lighter, 1, TINY)
    without_positive = counts.sum(gained * left)
    left = _without_one(fp * tp, (n - fp) * tp, tp + fp * heavier, heavier * one, tp)
    without_negative = counts.sum(gained * left)
    p, n, one = totals
    others = n / one - 1
    has_both = (p > 1 + RELATIVE_TOLERANCE) & (others > RELATIVE_TOLERANCE)
    mean = ratio(without_positive + ratio(without_negative * others, n), p)
    return np.where(has_both, mean - (p - 1 + others) * value, np.nan)


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
        if max(counts.n_positives.max(), counts.n_negatives.max()) > MANY:
            return super().bias(counts, weight_of_negative)
        return _closed_bias(counts, weight_of_negative, self(counts))
