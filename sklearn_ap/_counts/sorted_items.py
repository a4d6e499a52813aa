"""The positions of items among the thresholds: by a sort, or by cells where positives are rare.

A cell is a step of the score (see ``_rare_positives.Cells``).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.kept_rankings import KeptRankings
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts._keys import descending_keys, ordered_integers
from sklearn_ap._counts._known_order import falling_rows
from sklearn_ap._counts._rare_positives import FilteredRanking, leave_out_far_negatives
from sklearn_ap._counts.blocks import (
    TiedBlocks,
    begins_block,
    cumsum_within,
    order_by_ranking,
    segment_sums,
)
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts

MOST_KEPT_ITEMS = 2**24  # the order of so long a ranking is kept for the next question, in 200 MB
PIECE_ITEMS = 2**18  # the cache holds the order and the scores of this many items
FEW_FLOATS = 2**12  # an argsort orders this many faster than a sort of integers does


@dataclass(frozen=True, slots=True, eq=False)
class SortedItems:
    """The counts of rankings, and the position of each item.

    The sorted items, from the top of the first ranking to the bottom of the last, form runs: the
    items between two thresholds, the items at a threshold, and at the end of each ranking the items
    below all thresholds.
    """

    counts: ThresholdCounts
    order: Index  # items[order] are sorted
    hit_positions: Index  # the indices of positives among the sorted items
    blocks: TiedBlocks  # the items at each threshold
    bounds: Index  # the first item of each ranking, and the end of the last ranking

    def item_values(
        self, positive: Array, tied: Array, between: Array, below: Array | float = 0.0
    ) -> Float:
        """Return for each item, in the order of the user, the value of its run.

        There is a value for the positives at each threshold, the negatives tied with them, and the
        items between a threshold and the one above. Items below all thresholds of their ranking get
        ``below``.
        """
        # Each threshold has two runs, and each ranking ends with one more. In a ranking of two
        # thresholds, the runs are: above the first, at it, between both, at the second, below it.
        counts = self.counts
        n_rankings = counts.starts.size
        run_above = 2 * np.arange(counts.thresholds.size)  # the run above each threshold
        if n_rankings > 1:
            run_above += counts.ranking()
        run_at = run_above + 1  # the run at each threshold
        last_run = 2 * counts.ends + np.arange(n_rankings)  # the last run of each ranking
        values = np.empty(2 * run_at.size + n_rankings, between.dtype)  # (n_runs,)
        ends = np.empty(values.size, np.intp)  # the end of each run among the sorted items
        ends[run_above] = self.blocks.begin
        values[run_above] = between
        ends[run_at] = self.blocks.last + 1
        values[run_at] = tied
        ends[last_run] = self.bounds[1:]
        values[last_run] = below
        sizes = ends.copy()
        sizes[1:] -= ends[:-1]
        sorted_values = np.repeat(values, sizes)
        sorted_values[self.hit_positions] = np.repeat(positive, self.blocks.n_hits)
        item_values = np.empty_like(sorted_values)
        item_values[self.order] = sorted_values
        return item_values


@dataclass(frozen=True, slots=True, eq=False)
class FilteredItems:
    """The counts of one ranking, and the position of each item.

    Negatives that the filter left out have a cell, a step of the score. Other items, near the
    positives, were sorted.
    """

    counts: ThresholdCounts
    score: Array
    filtered: FilteredRanking
    near: SortedItems

    def item_values(
        self, positive: Array, tied: Array, between: Array, below: Array | float = 0.0
    ) -> Float:
        """Return for each item the value of its run, as ``SortedItems`` does."""
        cells = self.filtered.cells
        # The number of thresholds above a cell is the index of the next threshold below it.
        threshold_cells = cells.locate(self.counts.thresholds)
        n_above = np.bincount(threshold_cells, minlength=cells.has_positive.size)
        n_above = n_above[::-1].cumsum()[::-1]
        values = np.append(between, below)[n_above][cells.locate(self.score)]
        # Items that share their cell with a threshold were sorted.
        values[self.filtered.sorted_rows] = self.near.item_values(positive, tied, between, below)
        return values


PlacedItems = SortedItems | FilteredItems


def place_items(rankings: Rankings) -> PlacedItems:
    """Count the items of all rankings, and find the position of each."""
    if isinstance(rankings, KeptRankings) and rankings.score.size <= MOST_KEPT_ITEMS:
        return rankings.compute_once("placed items", lambda: _place_items(rankings))
    return _place_items(rankings)


def _place_items(rankings: Rankings) -> PlacedItems:
    filtered = None
    if not rankings.several:
        filtered = leave_out_far_negatives(rankings.positive, rankings.score, rankings.weight)
    if filtered is None:
        return sort_items(rankings)
    rows = filtered.rows_to_sort
    near = sort_items(Rankings(rows.positive, rows.score, rows.weight))
    return FilteredItems(filtered.add_left_out(near.counts), rankings.score, filtered, near)


def sort_items(rankings: Rankings) -> SortedItems:
    """Sort the items of all rankings; their counts follow."""
    order, score = _sort_scores(rankings)
    sizes = rankings.sizes
    weight = rankings.weight
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    begins = begins_block(score)
    begins[bounds[:-1][sizes > 0]] = True
    hit_positions = rankings.positive.take(order).nonzero()[0]
    blocks = TiedBlocks.find(begins, hit_positions)
    thresholds = score[blocks.begin]
    del score, begins  # the memory of a long ranking
    # The sorted weights are unnamed, so that NumPy may free them as soon as they are added up.
    counts = _counts(
        thresholds, None if weight is None else weight[order], hit_positions, blocks, bounds
    )
    return SortedItems(counts, order, hit_positions, blocks, bounds)


def _sort_scores(rankings: Rankings) -> tuple[Index, Array]:
    """Order the items, one ranking after the other; also return the sorted scores."""
    if not rankings.several:
        return descending_order(rankings.score)
    if rankings.ranking is not None:
        order, score = descending_order(rankings.score)
        # A stable order by ranking keeps the order by score within each ranking.
        stable = order_by_ranking(rankings.ranking[order], rankings.n_rankings)
        return order[stable], score[stable]
    table = rankings.score.reshape(rankings.n_rankings, -1)
    threads = n_threads(rankings.score.size)
    orders, scores = zip(*map_threads(descending_order, table, threads), strict=True)
    order = np.stack(orders)
    order += (np.arange(len(table)) * table.shape[1])[:, None]
    return order.ravel(), np.concatenate(scores)


def descending_order(score: Array) -> tuple[Index, Array]:
    """Order scores, the highest first; also return the sorted scores.

    Many floats are sorted as integers, each of which holds the upper bits of a score, and in the
    lower bits the index of its item. That takes half to three quarters of the time of an argsort.
    """
    if score.size <= FEW_FLOATS or score.dtype.kind != "f":
        order = score.argsort()[::-1]
        return order, score.take(order)
    rows = falling_rows(score, allow_ties=False)
    if rows is not None:
        return np.arange(score.size)[rows], score[rows]
    keys, _ = ordered_integers(score)
    np.invert(keys, out=keys)  # turns the order around
    n_bits = score.size.bit_length()  # the lower bits that hold an index
    keys >>= n_bits
    keys <<= n_bits
    keys |= np.arange(score.size)
    keys.sort()
    keys &= (1 << n_bits) - 1  # the indices alone
    order = keys.astype(np.intp, copy=False)
    # The indices took the place of lower bits, so scores that differ in these alone may stand the
    # wrong way round.
    sorted_score = score.take(order)
    if np.count_nonzero(sorted_score[1:] > sorted_score[:-1]):
        upper_bits, _ = ordered_integers(sorted_score)
        upper_bits >>= n_bits
        begins = begins_block(upper_bits)
        del upper_bits  # the memory of a long ranking
        _sort_blocks(order, sorted_score, begins)
    return order, sorted_score


def _sort_blocks(order: Index, score: Array, begins: Bool) -> None:
    """Sort scores within blocks, in place; the blocks themselves are already in order.

    ``begins`` says which items begin a block.
    """
    is_alone = begins.copy()
    is_alone[:-1] &= begins[1:]
    start = 0
    while start < score.size:
        # Sort several whole blocks together, as many as the cache holds. As all scores of a block
        # are above all scores of the next one, this mixes no blocks.
        end = _next_block(begins, start + PIECE_ITEMS)
        shared = start + (~is_alone[start:end]).nonzero()[0]  # items in blocks of several
        resorted = shared[np.argsort(score[shared])[::-1]]
        order[shared] = order[resorted]
        score[shared] = score[resorted]
        start = end


def _next_block(begins: Bool, index: int) -> int:
    """Find the beginning of the first block at or after an index; the end if there is none."""
    rest = begins[index:]
    n_skipped = int(rest.argmax()) if rest.size else 0
    return index + n_skipped if rest.size and rest[n_skipped] else begins.size


class CumulativeCounts(NamedTuple):
    """The positives and the negatives at or above each distinct score, the highest first."""

    scores: Array
    tps: Array
    fps: Array


def cumulative_counts(ranking: Rankings) -> CumulativeCounts:
    """Count the positives and the negatives at or above each distinct score of one ranking."""
    if isinstance(ranking, KeptRankings):
        return ranking.compute_once("cumulative counts", lambda: _cumulative_counts(ranking))
    return _cumulative_counts(ranking)


def _cumulative_counts(ranking: Rankings) -> CumulativeCounts:
    if ranking.weight is None and np.isfinite(ranking.score).all():
        return _cumulate_unweighted(ranking)
    order, score = descending_order(ranking.score)
    last = np.append(score[1:] != score[:-1], score.size > 0).nonzero()[0]
    weight = np.ones(order.size, np.int64) if ranking.weight is None else ranking.weight[order]
    positive = ranking.positive[order]
    tps = np.cumsum(weight * positive)
    fps = np.cumsum(weight * ~positive)
    return CumulativeCounts(score[last], tps[last], fps[last])


def _cumulate_unweighted(ranking: Rankings) -> CumulativeCounts:
    """Count rows of equal weight by their keys alone, in half the time."""
    rows = falling_rows(ranking.score)
    if rows is not None:
        score = ranking.score[rows]
        scores, tps, fps = _cumulate_blocks(score, ranking.positive[rows])
        return CumulativeCounts(scores + 0, tps, fps)  # as in keys, -0.0 becomes 0.0
    keys, to_scores = descending_keys(ranking.score, ranking.positive)
    keys.sort()
    is_positive = keys.astype(np.uint8) & 1
    keys >>= 1  # the scores alone
    values, tps, fps = _cumulate_blocks(keys, is_positive)
    return CumulativeCounts(to_scores(values), tps, fps)


def _cumulate_blocks(sorted_values: Array, is_positive: Array) -> CumulativeCounts:
    """Count rows of equal weight at and above each distinct value."""
    last = np.append(sorted_values[1:] != sorted_values[:-1], sorted_values.size > 0).nonzero()[0]
    tps = np.cumsum(is_positive, dtype=np.int64)[last]
    return CumulativeCounts(sorted_values[last], tps, last + 1 - tps)


def _counts(
    thresholds: Array, weight: Array | None, hit_positions: Index, blocks: TiedBlocks, bounds: Index
) -> ThresholdCounts:
    """Count at blocks of items that are tied with a positive; overwrites the weights."""
    starts = blocks.begin.searchsorted(bounds)
    hit_bounds = hit_positions.searchsorted(bounds)
    ranking_begin = bounds[:-1]
    if ranking_begin.size > 1:  # for each block, the first item of its ranking
        ranking_begin = np.repeat(ranking_begin, np.diff(starts))
    if weight is None:
        gained: Array = blocks.n_hits
        tps, fps, fps_above = blocks.counts(hit_positions, ranking_begin)
        n_positives = np.diff(hit_bounds)
        n_negatives = np.diff(bounds) - n_positives
    else:
        gained = weight[hit_positions]
        weight[hit_positions] = 0.0
        misses, n_negatives = cumsum_within(weight, bounds)
        fps = fps_above = misses[blocks.last]
        if blocks.are_tied:  # a block at the top of its ranking has nothing above it
            fps_above = np.where(blocks.begin > ranking_begin, misses[blocks.begin - 1], 0.0)
        del weight, misses  # the memory of a long ranking
        tps, n_positives = cumsum_within(gained.copy(), hit_bounds)
        if blocks.are_tied:
            last_hit = np.cumsum(blocks.n_hits) - 1
            tps = tps[last_hit]
            gained = segment_sums(gained, last_hit + 1 - blocks.n_hits)
    return ThresholdCounts(
        thresholds=thresholds,
        gained=gained,
        tps=tps,
        fps=fps,
        fps_above=fps_above,
        starts=starts[:-1],
        n_positives=n_positives,
        n_negatives=n_negatives,
    )
