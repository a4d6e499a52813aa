"""Linear average precision: straight lines between operating points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Float
from sklearn_ap.definitions._base import Heights, Line, Shade, step_line


@dataclass(frozen=True, repr=False)
class Linear(Heights):
    r"""Average precision by the trapezoidal rule, starting at recall 0 and precision 1.

    .. math:: \sum_n (R_n - R_{n-1}) \frac{P_n + P_{n-1}}{2}

    over all thresholds, with :math:`R_0 = 0` and :math:`P_0 = 1`. This is what scikit-learn's
    ``average_precision_score`` was before 0.19, and what ``auc(recall, precision)`` of its
    ``precision_recall_curve`` is. The value lies within [0, 1]; it is nan for a ranking without
    positives.

    For comparison only. No threshold attains the precision that the lines show between two
    operating points, and a model with few distinct scores gains most from these lines [1]_:
    constant scores give (1 + prevalence) / 2.

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
    smooth = True

    def heights(self, counts: ThresholdCounts) -> Float:
        return (counts.precision_before(1.0) + counts.precision) / 2

    def line(self, counts: ThresholdCounts) -> Line:
        # Each line runs from just before a threshold to the threshold.
        recall = np.column_stack((counts.tps_above, counts.tps)) / counts.n_positives
        precision = np.column_stack((counts.precision_before(1.0), counts.precision))
        return recall.ravel(), precision.ravel()

    def shade(self, counts: ThresholdCounts) -> Shade:
        recall, line = self.line(counts)
        _, steps = step_line(counts)
        return Shade(recall, steps, np.maximum(line, steps), "overestimated")
