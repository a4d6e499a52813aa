"""The hit curve: the positives and the negatives at and above each distinct score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.counting import cumulative_counts
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._types import Array, Float, Label


def hit_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
) -> HitCurve:
    r"""Compute the hit curve: how many positives are found as more items are detected.

    An item is detected if its score is at or above the threshold. At each threshold, t is the
    fraction of all items that are detected, and h(t) is the fraction of all items that are
    detected and positive. With the prevalence :math:`\pi`, recall is
    :math:`r(t) = h(t) / \pi` and precision is :math:`p(t) = h(t) / t` [1]_. A positive that was not
    retrieved is an item that is never detected.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        As in ``average_precision_score``, of one ranking.
    pos_label, sample_weight : optional
        As in ``average_precision_score``.

    Returns
    -------
    detected : ndarray of shape (n_thresholds + 1,)
        The fraction t, increasing from 0 to 1. It ends below 1 where rows were not retrieved.
    hits : ndarray of shape (n_thresholds + 1,)
        The fraction h(t), from 0 to the prevalence, not decreasing. It ends below the prevalence
        where positives were not retrieved.
    thresholds : ndarray of shape (n_thresholds + 1,)
        Infinity, at which nothing is detected, then the distinct scores, decreasing.

    See Also
    --------
    precision_at_k_score : With ``k=t``, a share, it is p(t) if t is a whole number of items.
    sklearn.metrics.roc_curve : The same points, as fractions of their own class.

    References
    ----------
    .. [1] Zhu (2004), "Recall, precision and average precision", University of Waterloo.

    Examples
    --------
    >>> from sklearn_ap import hit_curve
    >>> detected, hits, _ = hit_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> detected, hits
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.25, 0.25, 0.5 , 0.5 ]))
    """
    rankings = check_rankings(
        Request(y_true=y_true, y_score=y_score, pos_label=pos_label, sample_weight=sample_weight),
        is_binary=True,
        all_items=True,
    )
    thresholds, tps, fps = cumulative_counts(rankings)
    n_items = tps[-1] + fps[-1]
    is_retrieved = thresholds > -np.inf
    thresholds, tps, fps = thresholds[is_retrieved], tps[is_retrieved], fps[is_retrieved]
    nothing = np.array(np.inf, np.result_type(thresholds, np.float16))  # in the type of scores
    return HitCurve(
        detected=np.append(0.0, (tps + fps) / n_items),
        hits=np.append(0.0, tps / n_items),
        thresholds=np.append(nothing, thresholds),
    )


class HitCurve(NamedTuple):
    """The fraction of the items that is a hit where a fraction of them is detected."""

    detected: Float
    hits: Float
    thresholds: Array
