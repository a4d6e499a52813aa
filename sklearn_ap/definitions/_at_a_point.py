"""Precision at a recall, and recall at a precision: of the best threshold that reaches it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions._base import Definition, Line, Point, level_line
from sklearn_ap.definitions._option_checks import check_share


class _Highest(Definition):
    """The base of what is the highest number of a threshold."""

    def __call__(self, counts: ThresholdCounts) -> NDArray[np.float64]:
        totals = counts.each(counts.n_positives), counts.each(counts.n_negatives)
        return counts.highest(self.at_threshold(counts.tps, counts.fps, totals))


@dataclass(frozen=True, repr=False)
class PrecisionAtRecall(_Highest):
    r"""The highest precision of a threshold whose recall is at least that given.

    .. math:: \max_{n: R_n \ge r} P_n

    over the distinct scores. The artificial point of scikit-learn's curve (recall 0, precision 1)
    is no threshold. Tied items are found together. The value lies within [0, 1]. It is 0 if no
    threshold reaches the recall, because positives were never scored, and nan for a ranking without
    positives.

    The recall is compared with a relative tolerance of 1e-9, as sums of weights are rounded. There
    is no influence: a row that moves a threshold across the recall makes the value jump.

    Parameters
    ----------
    recall : float, default=0.8
        The recall to be reached, within [0, 1].

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import PrecisionAtRecall
    >>> PrecisionAtRecall(0.5)(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([1.])
    """

    recall: float = 0.8

    def __post_init__(self) -> None:
        object.__setattr__(self, "recall", check_share("recall", self.recall))

    @property
    def title(self) -> str:
        return f"precision at recall {self.recall}"

    def at_threshold(self, tps: Any, fps: Any, totals: Any) -> Any:
        reached = _ratio(tps, totals[0]) >= self.recall * (1 - RELATIVE_TOLERANCE)
        return np.where(reached, _ratio(tps, tps + fps), 0.0)

    def line(self, counts: ThresholdCounts) -> Line:
        return level_line(counts, counts.gained, counts.envelope(counts.precision))

    def point(self, counts: ThresholdCounts) -> Point | None:
        value = self(counts)[0]
        return Point(self.recall, value) if value > 0 else None


@dataclass(frozen=True, repr=False)
class RecallAtPrecision(_Highest):
    r"""The highest recall of a threshold whose precision is at least that given.

    .. math:: \max_{n: P_n \ge p} R_n

    over the distinct scores, or 0 if no threshold is that precise. The artificial point of
    scikit-learn's curve (recall 0, precision 1) is no threshold. Tied items are found together.
    The value lies within [0, 1]; it is nan for a ranking without positives.

    The precision is compared with a relative tolerance of 1e-9, as sums of weights are rounded.
    There is no influence: a row that moves a threshold across the precision makes the value jump.

    Parameters
    ----------
    precision : float, default=0.9
        The precision to be reached, within [0, 1].

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import RecallAtPrecision
    >>> RecallAtPrecision(0.6)(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([1.])
    """

    precision: float = 0.9

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", check_share("precision", self.precision))

    @property
    def title(self) -> str:
        return f"recall at precision {self.precision}"

    def at_threshold(self, tps: Any, fps: Any, totals: Any) -> Any:
        reached = _ratio(tps, tps + fps) >= self.precision * (1 - RELATIVE_TOLERANCE)
        return np.where(reached, _ratio(tps, totals[0]), 0.0)

    line = PrecisionAtRecall.line

    def point(self, counts: ThresholdCounts) -> Point | None:
        value = self(counts)[0]
        return Point(value, self.precision) if value > 0 else None


def _ratio(part: Any, whole: Any) -> Any:
    """A precision or a recall; 0 of nothing."""
    return part / np.where(whole > 0, whole, 1.0)
