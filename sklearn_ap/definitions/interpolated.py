"""Interpolated average precision: the largest precision at this recall or a higher one."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._validation import RELATIVE_TOLERANCE
from sklearn_ap.counts import ThresholdCounts, ratio

__all__ = ["interpolated", "interpolated_curve", "precision_at_levels"]


def interpolated(
    counts: ThresholdCounts, recall_levels: int | ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Average precision under the envelope of the curve.

    .. math::

        \sum_n (R_n - R_{n-1}) \max_{m \ge n} P_m
        \qquad\text{or}\qquad
        \frac{1}{|L|} \sum_{l \in L} \max_{n: R_n \ge l} P_n

    everywhere (PASCAL VOC since 2010; Manning, Raghavan and Schuetze 2008, section 8.4), or at
    recall levels L (11: VOC 2007, TREC; 101: COCO).

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings.
    recall_levels : int, array-like of shape (n_levels,) or None, default=None
        None: everywhere. An int m >= 2: the m levels 0, 1/(m-1), ..., 1, compared exactly for
        unweighted counts. An array: those levels, compared with a relative tolerance of 1e-9.

    Returns
    -------
    ndarray of shape (n_rankings,)
        Within [0, 1] and, everywhere, at least the step average precision; nan for a ranking
        without positives.

    Notes
    -----
    Precision beyond the last recall reached is 0. scikit-learn's artificial point (recall 0,
    precision 1) is no part of the curve.

    Examples
    --------
    >>> from sklearn_ap import definitions, threshold_counts
    >>> counts = threshold_counts([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> definitions.interpolated(counts), definitions.interpolated(counts, 11)
    (array([0.66666667]), array([0.66666667]))
    """
    if recall_levels is None:
        return counts.integrate(counts.envelope(counts.precision))
    heights = precision_at_levels(counts, recall_levels)
    n_levels = heights.shape[1] * (counts.n_positives > 0)
    return ratio(np.add.reduce(heights, axis=1), n_levels)


def interpolated_curve(counts: ThresholdCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision of the line over the area ``interpolated``, for one ranking."""
    envelope = counts.envelope(counts.precision)
    return counts.line(envelope, envelope)


def precision_at_levels(
    counts: ThresholdCounts, recall_levels: int | ArrayLike
) -> NDArray[np.float64]:
    """Give the envelope at each level, by ranking and level; 0 where no recall reaches it."""
    first = _first_reaching(counts, _required(counts.n_positives, recall_levels))
    heights = np.concatenate((counts.envelope(counts.precision), (0.0,)))
    return heights[np.where(first < counts.ends[:, None], first, -1)]


def _required(n_positives: NDArray[Any], recall_levels: int | ArrayLike) -> NDArray[Any]:
    """Give the smallest tps that reaches each level, by ranking and level."""
    n_positives = n_positives[:, None]
    if not isinstance(recall_levels, Integral):
        return n_positives * np.asarray(recall_levels) * (1 - RELATIVE_TOLERANCE)
    j, last = np.arange(int(recall_levels)), int(recall_levels) - 1
    if n_positives.dtype.kind == "f":
        return n_positives * (j / last) * (1 - RELATIVE_TOLERANCE)
    # The ceiling of j * n / last, in integers: in floats 3/10 misses the level 0.3.
    return j * (n_positives // last) - (-j * (n_positives % last) // last)


def _first_reaching(counts: ThresholdCounts, required: NDArray[Any]) -> NDArray[np.intp]:
    """Find the first threshold of each ranking with that many tps; beyond its end if none."""
    if counts.starts.size == 1:
        return np.searchsorted(counts.tps, required)
    # Complex numbers compare by their real parts first: one search for all rankings.
    ranking = np.arange(counts.starts.size)[:, None]
    return np.searchsorted(counts.ranking() + 1j * counts.tps, ranking + 1j * required)
