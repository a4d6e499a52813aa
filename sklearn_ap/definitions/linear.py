"""Linear average precision: straight lines between operating points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts

__all__ = ["linear", "linear_curve"]


def linear(counts: ThresholdCounts) -> NDArray[np.float64]:
    r"""Average precision by the trapezoidal rule, starting at recall 0 and precision 1.

    .. math:: \sum_n (R_n - R_{n-1}) \frac{P_n + P_{n-1}}{2}

    over all thresholds, with :math:`R_0 = 0` and :math:`P_0 = 1`. This is what scikit-learn's
    ``average_precision_score`` was before 0.19, and what
    ``auc(recall, precision)`` of its ``precision_recall_curve`` is.

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings.

    Returns
    -------
    ndarray of shape (n_rankings,)
        Within [0, 1]; nan for a ranking without positives.

    Notes
    -----
    No threshold attains what the lines promise between the points, and the fewer distinct scores
    a model gives, the more they promise [1]_: constant scores give (1 + prevalence) / 2. To
    compare with, not to select by.

    References
    ----------
    .. [1] Dingwall (2017), "Average precision", on oranges and apples.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> definitions.linear(threshold_counts([1] + 9 * [0], 10 * [0.5]))
    array([0.55])
    """
    return counts.integrate((counts.precision_before(1.0) + counts.precision) / 2)


def linear_curve(counts: ThresholdCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision of the line under which the area is ``linear``, for one ranking."""
    return counts.line(counts.precision_before(1.0), counts.precision)
