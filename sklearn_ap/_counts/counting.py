"""Count rankings at the thresholds of their positives.

One ranking without weights looks up its positives among its negatives if they are few, grades are
counted by value, and many positives are sorted with the others. All other rankings, and those of
intervals, which ask where each item stands, are sorted by ``sort_items``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._arithmetic import LONG, order_by_ranking, running_sums, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, ranks_of_rows
from sklearn_ap._inputs.arrays import begins_block, device_namespace
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._types import Array, Bool, DeviceArray, Float, Index, Label

# With any of these, labels and scores on another device are counted in main memory.
COUNTED_IN_MEMORY = "labels", "sample_weight", "queries", "clusters", "n_positives"
# Of maxima that bound the k-th score: so many, so many for each rank, and of so many rows each.
FEWEST_MAXIMA, MAXIMA_PER_RANK, LEAST_LENGTH = 256, 4, 8
# Whole scores are counted by value if so many rows have as few different ones.
FEWEST_GRADED, ROWS_PER_VALUE = 4_096, 8
# With so many rows, and a positive in each eight of them, to sort all rows takes less time than to
# look up each positive.
FEWEST_SORTED, ROWS_PER_HIT = 4_000, 8
SAMPLED = 1_024  # of the scores, which shows whether most are tied


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
    request = Request(
        y_true=y_true, y_score=y_score, pos_label=pos_label, sample_weight=sample_weight
    )
    counts = count_on_device(request)
    return count(check_rankings(request, is_binary=True)) if counts is None else counts


def count_on_device(request: Request) -> ThresholdCounts | None:
    """Count rows on the device where they are; None for those in main memory, or sent there."""
    if type(request.y_score) is np.ndarray or any(
        getattr(request, name) is not None for name in COUNTED_IN_MEMORY
    ):
        return None
    xp = device_namespace(request.y_true, request.y_score)
    if xp is None:
        return None
    from sklearn_ap._counts._on_device import count_plain_rows

    y_true, y_score = cast(DeviceArray, request.y_true), cast(DeviceArray, request.y_score)
    return count_plain_rows(xp, y_true, y_score, request.pos_label)


def count(rankings: Rankings) -> ThresholdCounts:
    """Count clean predictions, without the names of queries."""
    if rankings.n_rankings > 1 or rankings.weight is not None:
        counts = sort_items(rankings).counts
    else:
        counts = _count_one(rankings.positive, rankings.score)
    return add_known_totals(counts, rankings)


def count_top(rankings: Rankings, k: float) -> ThresholdCounts:
    """Count clean predictions down to rank k, and all totals, where this is faster.

    Without a sort of all rows: the k-th of many maxima, each of every so many rows, bounds the k-th
    score from below, and few rows are above it.
    """
    # scores 5 1 4 2 3 0 and k = 2 -> maxima 5 2 4 of rows 0 and 3, 1 and 4, 2 and 5; bound 4
    score, positive = rankings.score, rankings.positive
    n_rows = score.size
    if rankings.n_rankings > 1 or rankings.weight is not None or rankings.n_unscored is not None:
        return count(rankings)
    n_all = rankings.weight_of_positives + rankings.weight_of_negatives
    rank = max(int(ranks_of_rows(k, n_all)[0]), 1)
    n_maxima = max(FEWEST_MAXIMA, MAXIMA_PER_RANK * rank)
    if n_rows < LEAST_LENGTH * n_maxima:
        return count(rankings)
    table = score[: n_rows // n_maxima * n_maxima].reshape(-1, n_maxima)
    maxima = np.partition(table.max(axis=0), n_maxima - rank)
    rows = np.flatnonzero(score >= maxima[n_maxima - rank])
    bound = np.partition(score[rows], rows.size - rank)[rows.size - rank]
    rows = rows[score[rows] >= bound]
    top = _count_one(positive[rows], score[rows])
    n_positives = np.array((np.count_nonzero(positive),))
    counts = replace(top, n_positives=n_positives, n_negatives=n_rows - n_positives)
    return add_known_totals(counts, rankings)


def add_known_totals(counts: ThresholdCounts, rankings: Rankings) -> ThresholdCounts:
    """Add the positives that the user knows of, and the negatives not retrieved."""
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


def _count_one(positive: Bool, score: Array) -> ThresholdCounts:
    """Count one ranking without weights: look up its positives among the others if they are few."""
    # hits [3, 5, 3] and misses [4] -> thresholds [3, 5], n_below [0, 1]
    if score.dtype.kind in "iu" and score.size >= FEWEST_GRADED:
        low, high = int(score.min()), int(score.max())
        if high - low < score.size // ROWS_PER_VALUE:
            return _count_values(positive, score, low, high)
    if score.size >= FEWEST_SORTED and np.count_nonzero(positive) * ROWS_PER_HIT >= score.size:
        sample = score[:: -(-score.size // SAMPLED)]
        if 2 * np.unique(sample).size > sample.size:  # few thresholds are looked up at once
            return _count_keys(positive, score)
    hits, misses = score.compress(positive), score.compress(~positive)
    n_hits, n_misses = hits.size, misses.size
    parts = [misses]
    if score.size >= LONG:
        from sklearn_ap._counts._threads import map_threads, n_threads

        parts = np.array_split(misses, n_threads())
        map_threads(np.ndarray.sort, [hits, *parts])
    else:
        hits.sort()  # in place: fresh memory costs more than the sort
        misses.sort()
    first = begins_block(hits).nonzero()[0]  # the first hit of each threshold
    thresholds = hits[first]
    tps = n_hits - first
    gained = tps.copy()  # np.diff with append takes six times as long for few rows
    gained[:-1] -= tps[1:]
    del hits, misses, first  # the memory of a long ranking
    if len(parts) == 1:
        n_below, n_not_above = _count_below(thresholds, *parts)
    else:
        n_below, n_not_above = np.sum(map_threads(partial(_count_below, thresholds), parts), axis=0)
    return ThresholdCounts(
        thresholds=thresholds[::-1],
        gained=gained[::-1],
        tps=tps[::-1],
        fps=(n_misses - n_below)[::-1],
        fps_above=(n_misses - n_not_above)[::-1],
        starts=np.zeros(1, np.intp),
        n_positives=np.array((n_hits,)),
        n_negatives=np.array((n_misses,)),
    )


def _count_keys(positive: Bool, score: Array) -> ThresholdCounts:
    """Count one ranking of many positives, which are sorted with the others."""
    from sklearn_ap._counts.sorting import SortedKeys

    keys, are_positive, to_scores = SortedKeys.sort(score, positive)
    hit_positions = are_positive.nonzero()[0]
    blocks = TiedBlocks.find(begins_block(keys), hit_positions)
    thresholds = to_scores(keys[blocks.begin])
    del keys, are_positive  # the memory of a long ranking
    return _count_items(thresholds, hit_positions, blocks, np.array((0, score.size)))


def _count_values(positive: Bool, score: Array, low: int, high: int) -> ThresholdCounts:
    """Count one ranking whose scores are few whole numbers, such as grades, value by value."""
    # scores 3 5 4 3 of 1 1 0 1 -> misses and hits of the values 5, 4 and 3: 0 1, 1 0 and 0 2
    code = (score - score.dtype.type(low)).astype(np.intp)
    code *= 2
    code += positive
    numbers = np.bincount(code, minlength=2 * (high - low + 1)).reshape(-1, 2)[::-1]
    places = numbers[:, 1].nonzero()[0]
    misses, hits = numbers.T
    n_misses, n_hits = np.cumsum(misses), np.cumsum(hits)
    fps = n_misses[places]
    return ThresholdCounts(
        thresholds=score.dtype.type(high) - places.astype(score.dtype),
        gained=hits[places],
        tps=n_hits[places],
        fps=fps,
        fps_above=fps - misses[places],
        starts=np.zeros(1, np.intp),
        n_positives=n_hits[-1:],
        n_negatives=n_misses[-1:],
    )


def _count_below(thresholds: Array, misses: Array) -> tuple[Index, Index]:
    """Count the sorted misses below each threshold, and those below it or tied with it."""
    n_below = misses.searchsorted(thresholds)
    n_not_above = n_below.copy()
    if misses.size:
        is_tied = misses.take(n_below, mode="clip") == thresholds
        n_not_above[is_tied] = misses.searchsorted(thresholds[is_tied], side="right")
    return n_below, n_not_above


@dataclass(frozen=True, slots=True, eq=False)
class SortedItems:
    """The counts of rankings, and the position of each item."""

    counts: ThresholdCounts
    order: Index  # items[order] are sorted: the best of the first ranking is the first
    hit_positions: Index  # the indices of positives among the sorted items
    blocks: TiedBlocks
    bounds: Index  # the first item of each ranking, and the end of the last one

    def item_values(
        self, positive: Array, tied: Array, between: Array, below: Array | float = 0.0
    ) -> Float:
        """Return a value for each item, in the order of the user.

        There is a value for the positives at each threshold, the negatives tied with them, and the
        items between a threshold and the one above. Items below all thresholds of their ranking get
        ``below``.
        """
        values = np.insert(np.column_stack((between, tied)).ravel(), 2 * self.counts.ends, below)
        edges = self.blocks.edges(self.counts.starts, self.bounds[:-1])
        sorted_values = np.repeat(values, np.diff(edges, append=self.order.size))
        sorted_values[self.hit_positions] = np.repeat(positive, self.blocks.n_hits)
        item_values = np.empty_like(sorted_values)
        item_values[self.order] = sorted_values
        return item_values


class TiedBlocks(NamedTuple):
    """Blocks of tied items that hold a positive: a block for each threshold."""

    begin: Index  # the first item of each block
    size: Index | int  # the number of its items
    n_hits: Index  # the number of its positives
    are_tied: bool  # False if each positive stands alone

    @classmethod
    def alone(cls, hit_positions: Index) -> Self:
        """Make blocks of one positive each."""
        ones = np.broadcast_to(np.intp(1), hit_positions.shape)  # which takes no memory
        return cls(hit_positions, 1, ones, are_tied=False)

    @classmethod
    def find(cls, begins: Bool, hit_positions: Index) -> Self:
        """Find the blocks; ``begins`` flags the first item of each block of tied items."""
        # scores [3, 2, 2, 1] and hits [1, 2] -> begin [1], size [2], n_hits [2]
        is_alone = begins.take(hit_positions)
        is_alone &= begins.take(hit_positions + 1, mode="wrap")  # item 0 begins a block
        if is_alone.all():
            return cls.alone(hit_positions)
        edges = np.append(begins, True).nonzero()[0]
        if edges.size < hit_positions.size:  # many hits in each block
            n_hits = np.diff(hit_positions.searchsorted(edges))
            block = n_hits.nonzero()[0]
            begin = edges[block]
            return cls(begin, edges[block + 1] - begin, n_hits[block], are_tied=True)
        block = np.cumsum(begins).take(hit_positions) - 1
        first_hit = begins_block(block).nonzero()[0]
        block = block[first_hit]
        n_hits = np.diff(first_hit, append=hit_positions.size)
        begin = edges[block]
        return cls(begin, edges[block + 1] - begin, n_hits, are_tied=True)

    def edges(self, starts: Index, first_items: Index) -> Index:
        """Return where items above a threshold begin, items at it, and those below all of them.

        ``starts`` are the first thresholds of rankings, and ``first_items`` their first items.
        """
        return np.insert(
            np.column_stack((self.begin, self.begin + self.size)).ravel(), 2 * starts, first_items
        )


def sort_items(rankings: Rankings) -> SortedItems:
    """Sort the items of all rankings; their counts follow."""
    sizes = rankings.sizes
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    order, score = _sort_scores(rankings, sizes, bounds)
    hit_positions = rankings.positive.take(order).nonzero()[0]
    begins = begins_block(score)
    begins[bounds[:-1][sizes > 0]] = True
    blocks = TiedBlocks.find(begins, hit_positions)
    thresholds = score[blocks.begin]
    del score, begins  # the memory of a long ranking
    if rankings.weight is None:
        counts = _count_items(thresholds, hit_positions, blocks, bounds)
    else:
        # The sorted weights have no name here, so that their memory is free once they are added up.
        counts = _add_up_weights(
            thresholds, rankings.weight.take(order), hit_positions, blocks, bounds
        )
    return SortedItems(counts, order, hit_positions, blocks, bounds)


def _count_items(
    thresholds: Array, hit_positions: Index, blocks: TiedBlocks, bounds: Index
) -> ThresholdCounts:
    """Count sorted items at and above each threshold by their positions."""
    threshold_bounds = blocks.begin.searchsorted(bounds)
    hits_before = hit_positions.searchsorted(bounds)  # each ranking, and the end
    first_item: Array = bounds[:-1]  # of the ranking of each threshold
    first_hit: Array = hits_before[:-1]
    if first_item.size > 1:
        first_item = np.repeat(first_item, np.diff(threshold_bounds))
        first_hit = np.repeat(first_hit, np.diff(threshold_bounds))
    tps = np.arange(1, hit_positions.size + 1)
    if blocks.are_tied:
        tps = np.cumsum(blocks.n_hits)
    tps -= first_hit
    n_above = blocks.begin - first_item
    fps = n_above + blocks.size if blocks.are_tied else np.add(n_above, 1, out=n_above)
    fps -= tps
    fps_above = n_above - (tps - blocks.n_hits) if blocks.are_tied else fps
    n_positives = np.diff(hits_before)
    return ThresholdCounts(
        thresholds=thresholds,
        gained=blocks.n_hits,
        tps=tps,
        fps=fps,
        fps_above=fps_above,
        starts=threshold_bounds[:-1],
        n_positives=n_positives,
        n_negatives=np.diff(bounds) - n_positives,
    )


def _add_up_weights(
    thresholds: Array, weight: Float, hit_positions: Index, blocks: TiedBlocks, bounds: Index
) -> ThresholdCounts:
    """Add up the weights of sorted items at and above each threshold; overwrites the weights."""
    threshold_bounds = blocks.begin.searchsorted(bounds)
    starts, first_items = threshold_bounds[:-1], bounds[:-1]
    gained = weight[hit_positions]
    weight[hit_positions] = 0.0
    # A ranking has one segment of misses for each threshold, or two where some are tied with it,
    # and then one for the misses below all thresholds. Two for all would take twice the memory.
    segments_per_threshold = 1
    edges = np.insert(blocks.begin + blocks.size, starts, first_items)
    if blocks.are_tied:
        segments_per_threshold = 2
        edges = blocks.edges(starts, first_items)
        gained = segment_sums(gained, np.cumsum(blocks.n_hits) - blocks.n_hits)
    misses = segment_sums(weight, edges)
    del weight, edges
    last_segments = segments_per_threshold * threshold_bounds[1:] + np.arange(bounds.size - 1)
    below = misses[last_segments]
    between, tied = np.delete(misses, last_segments), None
    del misses
    if blocks.are_tied:
        between, tied = between.reshape(-1, 2).T
    return accumulate(thresholds, gained, tied, between, below, starts)


def accumulate(
    thresholds: Array,
    gained: Array,
    tied: Array | None,
    between: Array,
    below: Array,
    starts: Index,
) -> ThresholdCounts:
    """Add up the weights of items from the highest score on.

    There are the positives at each threshold, the negatives tied with them if any are, and the
    negatives between each threshold and the one above. Below are the negatives below all thresholds
    of each ranking; ``starts`` are the first thresholds of rankings.
    """
    tps = running_sums(gained, starts)
    fps = running_sums(between if tied is None else between + tied, starts)
    ends = np.append(starts[1:], thresholds.size)
    has_thresholds = ends > starts
    lowest_threshold = ends[has_thresholds] - 1
    n_positives = np.zeros(starts.size, tps.dtype)
    n_positives[has_thresholds] = tps[lowest_threshold]
    n_negatives = np.array(below)
    n_negatives[has_thresholds] += fps[lowest_threshold]
    counts = ThresholdCounts(
        thresholds=thresholds,
        gained=gained,
        tps=tps,
        fps=fps,
        fps_above=fps,
        starts=starts,
        n_positives=n_positives,
        n_negatives=n_negatives,
    )
    if tied is None:
        return counts
    # Not fps - tied: a small sum would not survive being subtracted from a large one.
    return replace(counts, fps_above=counts.value_above(fps) + between)


def _sort_scores(rankings: Rankings, sizes: Index, bounds: Index) -> tuple[Index, Array]:
    """Sort the items, one ranking after the other, the highest score of each first."""
    # Few rows do without this file
    from sklearn_ap._counts.sorting import SortedScores, cached_parts, descending_orders

    score = rankings.score
    ranking = rankings.ranking
    if rankings.n_rankings == 1:
        return SortedScores.of(score)
    if ranking is None:
        table = score.reshape(rankings.n_rankings, -1)
        order = descending_orders(table)
        order += table.shape[1] * np.arange(len(table))[:, None]
        return order.ravel(), score.take(order.ravel())
    items = None  # the items of each ranking together; None if they are together already
    if (ranking[1:] < ranking[:-1]).any():
        items = order_by_ranking(ranking, rankings.n_rankings)
        score = score.take(items)
    order = np.empty(score.size, np.intp)
    # Rankings of the same size are sorted side by side, as rows of a table.
    size_order = sizes.argsort(kind="stable")
    for group in np.split(size_order, begins_block(sizes[size_order]).nonzero()[0][1:]):
        size = int(sizes[group[0]])
        for rows in cached_parts(group.size, size):
            places = bounds[group[rows]][:, None] + np.arange(size)
            descending = descending_orders(score[places])
            order[places] = np.take_along_axis(places, descending, axis=1)
    return order if items is None else items.take(order), score.take(order)


def cumulative_counts(ranking: Rankings) -> tuple[Array, Array, Array]:
    """Return each distinct score of a ranking, and the positives and negatives at or above it."""
    # hits [3, 5, 3] and score [5, 4, 3, 3] -> scores [5, 4, 3], tps [1, 1, 3], fps [0, 1, 1]
    from sklearn_ap._counts.sorting import SortedScores

    order, score = SortedScores.of(ranking.score)
    positive = ranking.positive.take(order)
    weight = 1 if ranking.weight is None else ranking.weight.take(order)
    last = np.append(score[1:] != score[:-1], score.size > 0).nonzero()[0]
    tps, fps = (np.cumsum(weight * flags)[last] for flags in (positive, ~positive))
    return score[last], tps, fps
