"""Count rankings: one by a sort, or for few positives by their positions among sorted scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._base.common.types import Array, Bool, Float, Index, Label
from sklearn_ap._base.inputs.arrays import widen
from sklearn_ap._base.inputs.kept_rankings import KeptRankings
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._base.inputs.request import check_binary
from sklearn_ap._counts._keys import descending_keys
from sklearn_ap._counts._known_order import falling_rows
from sklearn_ap._counts._many_rankings import count_many
from sklearn_ap._counts._rare_positives import ROWS_PER_POSITIVE
from sklearn_ap._counts.blocks import TiedBlocks, begins_block
from sklearn_ap._counts.ranks import ranks_of_rows
from sklearn_ap._counts.sorted_items import place_items
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts, from_columns

MOST_LOOKED_UP = 2**11  # this many positives are looked up faster than sorted with the others
FEWEST_OF_16_BITS = 200_000  # with fewer rows, a sort is faster than to count 65,536 values


def threshold_counts(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label = None,
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
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
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
    """Count clean predictions; with a rank or share ``k``, thresholds below it may be missing."""
    if isinstance(rankings, KeptRankings):
        return rankings.compute_once("counts", lambda: _count(rankings))
    return _count(rankings, k)


def _count(rankings: Rankings, k: float | None = None) -> ThresholdCounts:
    positive = rankings.positive
    score = rankings.score
    weight = rankings.weight
    rank = None
    if k is not None and weight is None and not rankings.several:
        rank = _rank(k, rankings)
    if rankings.several:
        counts = count_many(rankings, _count_one)
    elif rank is not None and rank < score.size // 2:
        counts = _count_top(positive, score, rank)
    else:
        n_added = None if weight is None else rankings.n_weights
        counts = _count_one(positive, score, weight, rankings.have_whole_weights, n_added)
    return add_known_totals(counts, rankings)


def _rank(k: float, rankings: Rankings) -> int:
    """Return the rank k, or the last rank of the share k of all rows and unscored positives."""
    n_rows: float = rankings.score.size
    if rankings.n_positives is not None and not isinstance(k, int):
        n_rows = (rankings.n_positives + rankings.weight_of_negatives)[0]
    return ranks_of_rows(k, n_rows)


def add_known_totals(counts: ThresholdCounts, rankings: Rankings) -> ThresholdCounts:
    """Add the positives that the user knows of, and the negatives not retrieved."""
    if rankings.weight is not None and counts.n_added is None:
        counts = replace(counts, n_added=rankings.n_weights)
    if rankings.n_positives is None:
        return counts
    n_negatives = counts.n_negatives
    if rankings.n_negatives is not None:
        n_negatives = np.maximum(rankings.n_negatives, n_negatives)
    return replace(
        counts,
        n_positives=np.maximum(rankings.n_positives, counts.n_positives),
        n_negatives=n_negatives,
        n_unscored=rankings.n_unscored,
    )


def _count_one(
    positive: Bool,
    score: Array,
    weight: Float | None,
    are_whole: Bool | None = None,
    n_added: Index | None = None,
) -> ThresholdCounts:
    """Count one ranking, with weights or without."""
    if weight is None:
        return _count_unweighted(positive, score)
    counts = place_items(Rankings(positive, score, weight)).counts
    return from_columns(
        thresholds=counts.thresholds,
        tps=counts.tps,
        fps=counts.fps,
        fps_above=counts.fps_above,
        starts=counts.starts,
        n_positives=counts.n_positives,
        n_negatives=counts.n_negatives,
        are_whole=are_whole,
        n_added=n_added,
    )


def _count_top(positive: Bool, score: Array, k: int) -> ThresholdCounts:
    """Count down to rank k, and all totals: a partition takes a fifth of the time of a sort."""
    n_below = score.size - k
    is_at_top = score >= np.partition(score, n_below)[n_below]
    counts = _count_unweighted(positive.compress(is_at_top), score.compress(is_at_top))
    n_positives = np.array((np.count_nonzero(positive),))
    return replace(counts, n_positives=n_positives, n_negatives=score.size - n_positives)


def _count_unweighted(positive: Bool, score: Array) -> ThresholdCounts:
    """Count rows of equal weight."""
    if score.itemsize == 1 or (score.itemsize == 2 and score.size >= FEWEST_OF_16_BITS):
        return _count_values(positive, score)
    rows = falling_rows(score)
    if rows is not None:
        return _count_falling(positive[rows], score[rows])
    if np.count_nonzero(positive) <= max(MOST_LOOKED_UP, score.size // ROWS_PER_POSITIVE):
        return _look_up(score.compress(positive), score)
    keys, to_scores = descending_keys(widen(score), positive)
    _sort(keys)
    blocks = _find_blocks(keys)
    del keys  # the memory of a long ranking
    return _count_blocks(blocks, to_scores, score)


def _count_falling(positive: Bool, score: Array) -> ThresholdCounts:
    """Count rows of equal weight whose scores fall."""
    hit_positions = positive.nonzero()[0]
    blocks = TiedBlocks.find(begins_block(score), hit_positions)
    # As in keys, -0.0 becomes 0.0.
    sorted_blocks = SortedBlocks(hit_positions, score[blocks.begin] + 0, blocks)
    return _count_blocks(sorted_blocks, np.asarray, score)


def count_without_groups(
    positive: Bool, score: Array, group: Index, n_groups: int
) -> Iterator[ThresholdCounts]:
    """Count rows of equal weight, leaving out each group in turn: one sort is enough for all."""
    keys, to_scores = descending_keys(widen(score), positive)
    order = keys.argsort()
    keys = keys[order]
    group = group[order]
    for i in range(n_groups):
        is_kept = group != i
        yield _count_blocks(_find_blocks(keys[is_kept]), to_scores, score[is_kept])


class SortedBlocks(NamedTuple):
    """The blocks of sorted keys that hold a positive."""

    hit_positions: Index  # the indices of positives among the keys
    values: Array  # the key of each block, without its label
    blocks: TiedBlocks


def _find_blocks(keys: Array) -> SortedBlocks:
    """Find the blocks of sorted keys; overwrites the keys."""
    # Bytes hold the labels as well as integers do, in an eighth of the memory.
    hit_positions = (keys.astype(np.uint8) & 1).view(np.bool_).nonzero()[0]
    keys >>= 1  # the scores alone
    blocks = TiedBlocks.find(begins_block(keys), hit_positions)
    return SortedBlocks(hit_positions, keys[blocks.begin], blocks)


def _count_blocks(
    sorted_blocks: SortedBlocks, to_scores: Callable[[Array], Array], score: Array
) -> ThresholdCounts:
    """Count one ranking, whose unsorted scores are ``score``, at its blocks."""
    n_hits = sorted_blocks.hit_positions.size
    counts = sorted_blocks.blocks.counts(sorted_blocks.hit_positions)
    return ThresholdCounts(
        thresholds=to_scores(sorted_blocks.values).astype(score.dtype, copy=False),
        gained=sorted_blocks.blocks.n_hits,
        tps=counts.tps,
        fps=counts.fps,
        fps_above=counts.fps_above,
        starts=np.zeros(1, np.intp),
        n_positives=np.array((n_hits,)),
        n_negatives=np.array((score.size - n_hits,)),
    )


def _count_values(positive: Bool, score: Array) -> ThresholdCounts:
    """Count scores of 8 or 16 bits value by value, which no sort does as fast."""
    n_values = 2 ** (8 * score.itemsize)
    half = n_values // 2
    bits = np.dtype(f"u{score.itemsize}")
    code = score.view(bits).astype(np.intp)
    code += positive * np.intp(n_values)
    n_rows = np.bincount(code, minlength=2 * n_values).reshape(2, n_values)
    # The bits of all values, the largest value first. With two bits: 3, 2, 1, 0 for unsigned
    # integers; 1, 0, 3, 2 for signed ones, which are 1, 0, -1, -2; and 1, 0, 2, 3 for floats.
    descending_bits = np.arange(n_values, dtype=bits)[::-1]
    if score.dtype.kind != "u":  # the upper half of the bits are negative numbers
        descending_bits = np.concatenate((descending_bits[half:], descending_bits[:half]))
    if score.dtype.kind == "f":  # the bits of negative floats rise as the floats fall
        descending_bits[half:] = descending_bits[half:][::-1].copy()
        n_rows[:, 0] += n_rows[:, half]  # 0.0 and -0.0
        n_rows[:, half] = 0
    n_misses, n_hits = n_rows[:, descending_bits]
    thresholds = n_hits.nonzero()[0]  # the indices of thresholds among all values
    fps = n_misses.cumsum()[thresholds]
    return ThresholdCounts(
        thresholds=descending_bits[thresholds].view(score.dtype),
        gained=n_hits[thresholds],
        tps=n_hits.cumsum()[thresholds],
        fps=fps,
        fps_above=fps - n_misses[thresholds],
        starts=np.zeros(1, np.intp),
        n_positives=n_hits.sum(keepdims=True),
        n_negatives=n_misses.sum(keepdims=True),
    )


def _look_up(hit_scores: Array, score: Array) -> ThresholdCounts:
    """Look up the scores of positives among all scores, and count."""
    # hit_scores [3, 5, 3] and score [3, 5, 4, 3, 3] -> thresholds [5, 3], tps [1, 3], fps [0, 2]
    hit_scores = np.sort(hit_scores)
    n = score.size
    n_hits = hit_scores.size
    begin = begins_block(hit_scores).nonzero()[0]
    thresholds = hit_scores[begin]

    threads = n_threads(n)
    if threads == 1:
        n_below, n_not_above = _count_below(thresholds, score)
    else:
        # The numbers of parts add up, so each part can be sorted in a thread of its own.
        parts = np.array_split(score, threads)
        counted = map_threads(partial(_count_below, thresholds), parts, threads)
        n_below, n_not_above = np.sum([*counted], axis=0)
    tps = n_hits - begin[::-1]
    gained = tps.copy()
    gained[1:] -= tps[:-1]
    fps = n - n_below[::-1] - tps
    fps_above = n - n_not_above[::-1] - (tps - gained)
    return ThresholdCounts(
        thresholds=thresholds[::-1],
        gained=gained,
        tps=tps,
        fps=fps,
        fps_above=fps_above,
        starts=np.zeros(1, np.intp),
        n_positives=np.array((n_hits,)),
        n_negatives=np.array((n - n_hits,)),
    )


def _count_below(thresholds: Array, score: Array) -> tuple[Index, Index]:
    """Count the scores below each threshold, and the scores at or below it."""
    score = np.sort(widen(score))
    return score.searchsorted(thresholds), score.searchsorted(thresholds, side="right")


def _sort(keys: NDArray[np.int64]) -> None:
    """Sort keys in place; many keys are sorted in parts, one in each thread."""
    threads = n_threads(keys.size)
    if threads == 1:
        keys.sort()
        return
    for _ in map_threads(np.ndarray.sort, _partition(keys, threads), threads):
        pass  # consuming the iterator waits for the sorts


def _partition(keys: Array, n_parts: int) -> list[Array]:
    """Part keys in place: no key is above a key of the next part."""
    if n_parts == 1 or keys.size < 2:
        return [keys]
    # NumPy parts keys at one place many times as fast as at several.
    n_lower_parts = n_parts // 2
    middle = keys.size * n_lower_parts // n_parts
    keys.partition(middle)
    lower_parts = _partition(keys[:middle], n_lower_parts)
    return lower_parts + _partition(keys[middle:], n_parts - n_lower_parts)
