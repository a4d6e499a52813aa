"""Step average precision: no interpolation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts

__all__ = ["step", "step_curve"]


def step(counts: ThresholdCounts) -> NDArray[np.float64]:
    r"""Average precision as the area under steps.

    .. math:: \sum_n (R_n - R_{n-1}) P_n

    over the thresholds, highest first, with precision :math:`P_n` and recall :math:`R_n` at the
    n-th. This is scikit-learn's number since 0.19.

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
    Tied items enter together, at the precision of the whole block, so constant scores give the
    prevalence.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> definitions.step(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.83333333])
    """
    return counts.integrate(counts.precision)


def step_curve(counts: ThresholdCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision of the line under which the area is ``step``, for one ranking."""
    return counts.line(counts.precision, counts.precision)
