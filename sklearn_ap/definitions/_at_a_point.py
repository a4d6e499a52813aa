"""Precision at a recall, and recall at a precision, at the best threshold that reaches it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._arithmetic import reach, reach_precision
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.options import check_share
from sklearn_ap._types import Float
from sklearn_ap.definitions._base import Definition


@dataclass(frozen=True, repr=False)
class PrecisionAtRecall(Definition, trusted=True):
    r"""The highest precision of a threshold whose recall is at least ``recall``.

    .. math:: \max_{n: R_n \ge r} P_n

    over the distinct scores. The artificial point of scikit-learn's curve (recall 0, precision 1)
    is no threshold. Tied items are found together. The value lies within [0, 1]. It is 0 if no
    threshold reaches the recall, because positives were never scored, and nan for a ranking without
    positives.

    A threshold reaches the recall if it does so up to ``ThresholdCounts.rounding``, as sums of
    weights are rounded. There is no influence: a row that moves a threshold across the recall makes
    the value jump.

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

    def __call__(self, counts: ThresholdCounts) -> Float:
        rounding = counts.per_threshold(counts.rounding)
        is_reached = reach(counts.recall, self.recall, rounding)
        return counts.highest(np.where(is_reached, counts.precision, 0.0))


@dataclass(frozen=True, repr=False)
class RecallAtPrecision(Definition, trusted=True):
    r"""The highest recall of a threshold whose precision is at least ``precision``.

    .. math:: \max_{n: P_n \ge p} R_n

    over the distinct scores, or 0 if no threshold is that precise. The artificial point of
    scikit-learn's curve (recall 0, precision 1) is no threshold. Tied items are found together.
    The value lies within [0, 1]; it is nan for a ranking without positives.

    A threshold reaches the precision if it does so up to ``ThresholdCounts.rounding``, as sums of
    weights are rounded. Only thresholds above all negatives reach a precision of 1. There is no
    influence: a row that moves a threshold across the precision makes the value jump.

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

    hangs_on_one_row = True

    precision: float = 0.9

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", check_share("precision", self.precision))

    @property
    def title(self) -> str:
        return f"recall at precision {self.precision}"

    def __call__(self, counts: ThresholdCounts) -> Float:
        rounding = counts.per_threshold(counts.rounding)
        is_reached = reach_precision(counts.precision, counts.fps, self.precision, rounding)
        return counts.highest(np.where(is_reached, counts.recall, 0.0))
