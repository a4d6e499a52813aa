"""Counting rankings: one long one, or many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import check_binary
from sklearn_ap.counts._many_rankings import count_many
from sklearn_ap.counts._one_ranking import count_one, count_top
from sklearn_ap.counts._ranks import ranks_of_rows
from sklearn_ap.counts._thresholds import ThresholdCounts


def threshold_counts(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> ThresholdCounts:
    """Count positives and negatives at and above every score that a positive has.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for what is more likely positive. Equal scores are one threshold. Minus
        infinity says that the row was not retrieved.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight 2 counts a row twice, weight 0 not at all.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for the definitions of ``sklearn_ap.definitions``.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall at every distinct score.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Step
    >>> counts = threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1])
    >>> counts.thresholds, counts.tps, counts.fps
    (array([0.9, 0.8]), array([1, 2]), array([0, 1]))
    >>> Step()(counts)
    array([0.83333333])
    """
    return count(check_binary(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight))


def count(rankings: Rankings, k: float | None = None) -> ThresholdCounts:
    """Count clean predictions; with a rank or a share ``k``, thresholds below may be missing."""
    positive, score, weight = rankings.positive, rankings.score, rankings.weight
    if rankings.several:
        counts = count_many(rankings)
    elif weight is None and k is not None and (rank := _rank(k, rankings)) < score.size // 2:
        counts = count_top(positive, score, rank)
    else:
        n_added = None if weight is None else rankings.n_weights
        counts = count_one(positive, score, weight, rankings.have_whole_weights, n_added)
    return with_known_totals(counts, rankings)


def _rank(k: float, rankings: Rankings) -> int:
    """The rank k; or the last one that a share may see of a ranking and its unscored positives."""
    n_rows: Any = rankings.score.size
    if rankings.n_positives is not None and not isinstance(k, int):
        n_rows = (rankings.n_positives + rankings.weight_of_negatives)[0]
    return ranks_of_rows(k, n_rows)


def with_known_totals(counts: ThresholdCounts, rankings: Rankings) -> ThresholdCounts:
    """Counts with the positives that the user knows of, and the negatives not retrieved."""
    if rankings.weight is not None and counts.n_added is None:
        counts = replace(counts, n_added=rankings.n_weights)
    if rankings.n_positives is None:
        return counts
    n_negatives = counts.n_negatives
    if rankings.n_negatives is not None:
        n_negatives = np.maximum(rankings.n_negatives, n_negatives)
    known, n_unscored = np.maximum(rankings.n_positives, counts.n_positives), rankings.n_unscored
    return replace(counts, n_positives=known, n_negatives=n_negatives, n_unscored=n_unscored)
