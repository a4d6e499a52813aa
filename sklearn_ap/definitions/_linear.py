"""Linear average precision: straight lines between operating points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._types import Float
from sklearn_ap.definitions._base import (
    Definition,
    Influence,
    Line,
    Slopes,
    influence_of_heights,
    precision_slopes,
)


@dataclass(frozen=True, repr=False)
class Linear(Definition):
    r"""Average precision by the trapezoidal rule, starting at recall 0 and precision 1.

    .. math:: \sum_n (R_n - R_{n-1}) \frac{P_n + P_{n-1}}{2}

    over all thresholds, with :math:`R_0 = 0` and :math:`P_0 = 1`. This is what scikit-learn's
    ``average_precision_score`` was before 0.19, and what ``auc(recall, precision)`` of its
    ``precision_recall_curve`` is. The value lies within [0, 1]; it is nan for a ranking without
    positives. Tied items are one threshold, and weights take the place of counts.

    For comparison only. No threshold attains the precision that the lines show between two
    operating points, and a model with few distinct scores gains most from these lines [1]_:
    constant scores give (1 + prevalence) / 2.

    Notes
    -----
    All distinct scores are thresholds here. :math:`R_n` rises only where positives stand, so
    :math:`P_{n-1}` is the precision T / S of the T positives among all S items above such a score.
    Both precisions change by (1 - P) / S with a positive that they count, and by -P / S with a
    negative. The influence of a row takes half of each.

    References
    ----------
    .. [1] Dingwall (2016), "Stepping away from linear interpolation".

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Linear
    >>> Linear()(threshold_counts([1] + 9 * [0], 10 * [0.5]))
    array([0.55])
    """

    title = "linear AP"

    def heights(self, counts: ThresholdCounts) -> Float:
        return (counts.precision_above(1.0) + counts.precision) / 2

    def line(self, counts: ThresholdCounts) -> Line:
        # Each line runs from just before a threshold to the threshold.
        recall = np.column_stack((counts.tps_above, counts.tps)) / counts.n_positives
        precision = np.column_stack((counts.precision_above(1.0), counts.precision))
        return recall.ravel(), precision.ravel()

    def influence(self, counts: ThresholdCounts) -> Influence:
        half = Slopes(*(slope / 2 for slope in precision_slopes(counts)))
        # Rows above also change the precision before, unless they weigh next to nothing.
        before = counts.n_above
        size = counts.tps + counts.fps
        is_heavy = before > size * 1e-200
        growth = np.divide(size, before, out=np.zeros(size.shape), where=is_heavy)
        miss_share = counts.fps_above / np.maximum(before, TINY)
        above = Slopes(
            half.positive + growth * miss_share / 2,
            half.negative - growth * counts.precision_above(1.0) / 2,
        )
        return influence_of_heights(counts, self.heights(counts), counts.gained, half, above)
