"""Count rankings: one by a sort, or for few positives by their places among sorted scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.arrays import widened
from sklearn_ap._base.inputs.kept_rankings import KeptRankings
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._base.inputs.request import check_binary
from sklearn_ap._counts._keys import descending_keys
from sklearn_ap._counts._many_rankings import count_many
from sklearn_ap._counts._rare_positives import ROWS_PER_POSITIVE
from sklearn_ap._counts.blocks import TiedBlocks, begins_block
from sklearn_ap._counts.ranks import ranks_of_rows
from sklearn_ap._counts.sorted_items import place_items
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts, from_columns

MOST_LOOKED_UP = 2**11  # which are looked up faster than sorted with the others
FEWEST_OF_16_BITS = 200_000  # rows, as there are 65,536 such values


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
    if isinstance(rankings, KeptRankings):
        counts: ThresholdCounts = rankings.once("counts", lambda: _count(rankings))
        return counts
    return _count(rankings, k)


def _count(rankings: Rankings, k: float | None = None) -> ThresholdCounts:
    positive, score, weight = rankings.positive, rankings.score, rankings.weight
    if rankings.several:
        counts = count_many(rankings, _count_one)
    elif weight is None and k is not None and (rank := _rank(k, rankings)) < score.size // 2:
        counts = _count_top(positive, score, rank)
    else:
        n_added = None if weight is None else rankings.n_weights
        counts = _count_one(positive, score, weight, rankings.have_whole_weights, n_added)
    return add_known_totals(counts, rankings)


def _rank(k: float, rankings: Rankings) -> int:
    """The rank k; or the last one that a share may see of a ranking and its unscored positives."""
    n_rows: Any = rankings.score.size
    if rankings.n_positives is not None and not isinstance(k, int):
        n_rows = (rankings.n_positives + rankings.weight_of_negatives)[0]
    return ranks_of_rows(k, n_rows)


def add_known_totals(counts: ThresholdCounts, rankings: Rankings) -> ThresholdCounts:
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


def _count_one(
    positive: Bool,
    score: Array,
    weight: Float | None,
    are_whole: Bool | None = None,
    n_added: Index | None = None,
) -> ThresholdCounts:
    """Count one ranking, with weights or without."""
    if weight is None:
        return _count_equal(positive, score)
    counts = place_items(Rankings(positive, score, weight)).counts
    columns = counts.thresholds, counts.tps, counts.fps, counts.fps_above, counts.starts
    totals = counts.n_positives, counts.n_negatives
    return from_columns(*columns, *totals, are_whole=are_whole, n_added=n_added)


def _count_top(positive: Bool, score: Array, k: int) -> ThresholdCounts:
    """Count one ranking as far as rank k sees, and its totals: a partition is a fifth of a sort."""
    n_below = score.size - k
    seen = score >= np.partition(score, n_below)[n_below]
    counts = _count_equal(positive.compress(seen), score.compress(seen))
    n_positives = np.array((np.count_nonzero(positive),))
    return replace(counts, n_positives=n_positives, n_negatives=score.size - n_positives)


def _count_equal(positive: Bool, score: Array) -> ThresholdCounts:
    """Count rows of equal weight."""
    if score.itemsize == 1 or (score.itemsize == 2 and score.size >= FEWEST_OF_16_BITS):
        return _count_values(positive, score)
    if np.count_nonzero(positive) <= max(MOST_LOOKED_UP, score.size // ROWS_PER_POSITIVE):
        return _look_up(score.compress(positive), score)
    keys, scores_of = descending_keys(widened(score), positive)
    _sort(keys)
    blocks = _blocks_of_sorted(keys)
    del keys  # the memory of a long ranking
    return _counts_of_blocks(*blocks, scores_of, score)


def count_without_groups(
    positive: Bool, score: Array, group: Index, n_groups: int
) -> Iterator[ThresholdCounts]:
    """Count rows of equal weight without each group in turn: one sort is enough for all."""
    keys, scores_of = descending_keys(widened(score), positive)
    order = keys.argsort()
    keys, group = keys[order], group[order]
    for i in range(n_groups):
        kept = group != i
        yield _counts_of_blocks(*_blocks_of_sorted(keys[kept]), scores_of, score[kept])


def _blocks_of_sorted(keys: Array) -> tuple[Index, Array, TiedBlocks]:
    """Where positives stand among sorted keys, the thresholds, and the blocks; overwrites keys."""
    # Bytes hold the labels as well as integers do, in an eighth of the memory.
    hits = (keys.astype(np.uint8) & 1).view(np.bool_).nonzero()[0]
    keys >>= 1  # the scores alone
    blocks = TiedBlocks.of(begins_block(keys), hits)
    return hits, keys[blocks.begin], blocks


def _counts_of_blocks(
    hits: Index,
    values: Array,
    blocks: TiedBlocks,
    scores_of: Callable[[Array], Array],
    score: Array,
) -> ThresholdCounts:
    thresholds = scores_of(values).astype(score.dtype, copy=False)
    columns = thresholds, blocks.n_hits, *blocks.counts(hits)
    totals = np.array((hits.size,)), np.array((score.size - hits.size,))
    return ThresholdCounts(*columns, np.zeros(1, np.intp), *totals)


def _count_values(positive: Bool, score: Array) -> ThresholdCounts:
    """Count scores of 8 or 16 bits value by value, which no sort does as fast."""
    n_values, bits = 2 ** (8 * score.itemsize), np.dtype(f"u{score.itemsize}")
    code = score.view(bits).astype(np.intp)
    code += positive * np.intp(n_values)
    n_rows = np.bincount(code, minlength=2 * n_values).reshape(2, n_values)
    falling, half = np.arange(n_values, dtype=bits)[::-1], n_values // 2
    if score.dtype.kind != "u":  # the upper half are negative numbers
        falling = np.concatenate((falling[half:], falling[:half]))
    if score.dtype.kind == "f":  # whose sizes these have
        falling[half:] = falling[half:][::-1].copy()
        n_rows[:, 0] += n_rows[:, half]  # 0.0 and -0.0
        n_rows[:, half] = 0
    misses, hits = n_rows[:, falling]
    at = hits.nonzero()[0]
    gained, tps, fps = hits[at], hits.cumsum()[at], misses.cumsum()[at]
    thresholds = falling[at].view(score.dtype)
    totals = hits.sum(keepdims=True), misses.sum(keepdims=True)
    columns = thresholds, gained, tps, fps, fps - misses[at], np.zeros(1, np.intp)
    return ThresholdCounts(*columns, *totals)


def _look_up(hit_scores: Array, score: Array) -> ThresholdCounts:
    """Count by the places of the scores of positives among all scores."""
    # hit_scores [3, 5, 3] and score [3, 5, 4, 3, 3] -> thresholds [5, 3], tps [1, 3], fps [0, 2]
    hit_scores, score = np.sort(hit_scores), np.sort(widened(score))
    n, n_hits = score.size, hit_scores.size
    begin = begins_block(hit_scores).nonzero()[0]
    thresholds = hit_scores[begin]
    tps = n_hits - begin[::-1]
    gained = tps.copy()
    gained[1:] -= tps[:-1]
    fps = n - score.searchsorted(thresholds)[::-1] - tps
    fps_above = n - score.searchsorted(thresholds, side="right")[::-1] - (tps - gained)
    start, totals = np.zeros(1, np.intp), (np.array((n_hits,)), np.array((n - n_hits,)))
    return ThresholdCounts(thresholds[::-1], gained, tps, fps, fps_above, start, *totals)


def _sort(keys: NDArray[np.int64]) -> None:
    """Sort keys in place, in parts over threads where there are many."""
    threads = n_threads(keys.size)
    if threads == 1:
        keys.sort()
        return
    bounds = [keys.size * i // threads for i in range(threads + 1)]
    keys.partition(bounds[1:-1])
    parts = [keys[begin:end] for begin, end in pairwise(bounds)]
    for _ in map_threads(np.ndarray.sort, parts, threads):
        pass  # a part is sorted when its result is asked for
