"""The hit curve, as arrays to plot or to integrate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.text import FIRST_LINES, PrintedArrays, threshold_as_text
from sklearn_ap._counts.counting import cumulative_counts
from sklearn_ap._inputs.request import check_binary
from sklearn_ap._types import Array, Float, Label

__all__ = ["hit_curve"]


class _Points(NamedTuple):
    detected: Float
    hits: Float
    thresholds: Array


class HitCurve(PrintedArrays, _Points):
    """The fraction of the items that is a hit where a fraction of them is detected."""

    __slots__ = ()

    def _columns(self) -> dict[str, Array]:
        return self._asdict()

    def _heading(self) -> str:
        return "Hit curve: fractions of all items"

    def _texts(self) -> dict[str, list[str]]:
        # The digits of a threshold must differ from those of the next one.
        first = np.append(self.thresholds[: FIRST_LINES + 1], -np.inf).tolist()
        texts = [*map(threshold_as_text, first[:-1], first[1:])]
        return {"thresholds": texts[:FIRST_LINES]}


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
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Probabilities or decision values, higher for positives; -inf for rows not retrieved.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight 2 counts a row twice, weight 0 not at all.

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

    Of 10,000 payments, 2% are frauds. This is the part of them among the first 10%:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> is_fraud = rng.random(10_000) < 0.02
    >>> detected, hits, _ = hit_curve(is_fraud, 2 * is_fraud + rng.normal(size=10_000))
    >>> print(round(np.interp(0.1, detected, hits) / hits[-1], 2))
    0.76
    """
    clean = check_binary(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    thresholds, tps, fps = cumulative_counts(clean)
    n_items = clean.weight_of_positives[0] + clean.weight_of_negatives[0]
    return HitCurve(
        detected=np.append(0.0, (tps + fps) / n_items),
        hits=np.append(0.0, tps / n_items),
        thresholds=np.append(np.inf, thresholds),
    )
