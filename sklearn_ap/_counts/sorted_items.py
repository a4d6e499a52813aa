"""The places of items among the thresholds: by a sort, or by cells where positives are rare."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.kept_rankings import KeptRankings
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts._keys import descending_keys, ordered_integers
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

MOST_KEPT_ITEMS = 2**24  # of a ranking whose order is kept for the next question, in 200 MB
PIECE_ITEMS = 2**18  # whose places and scores the cache holds
FEW_FLOATS = 2**12  # which an argsort orders faster than a sort of integers does


@dataclass(frozen=True, slots=True, eq=False)
class SortedItems:
    """The counts of rankings, and where each of their items stands.

    The sorted items, from the top of the first ranking to the bottom of the last, form runs: those
    between two thresholds, those at a threshold, and at the end of each ranking those below all.
    """

    counts: ThresholdCounts
    order: Index  # items[order] are sorted
    hits: Index  # where the positives stand among the sorted items
    blocks: TiedBlocks  # the items at each threshold
    bounds: Index  # where rankings begin, and the last one ends

    def item_values(
        self, positive: Array, tied: Array, between: Array, below: Array | float = 0.0
    ) -> Float:
        """Give each item, in the order of the user, the value of its run.

        There is a value for the positives at each threshold, the negatives tied with them, and the
        items between a threshold and the one above; those below all thresholds of their ranking get
        ``below``.
        """
        # Each threshold has two runs, and after those of a ranking comes one more. In a ranking of
        # two thresholds these are: above the first, at it, between both, at the second, below it.
        counts = self.counts
        n_rankings = counts.starts.size
        run = 2 * np.arange(counts.thresholds.size)  # the one above each threshold
        if n_rankings > 1:
            run += counts.ranking()
        last_run = 2 * counts.ends + np.arange(n_rankings)  # of each ranking
        values = np.empty(2 * run.size + n_rankings, between.dtype)  # of each run
        ends = np.empty(values.size, np.intp)  # among the sorted items
        ends[run] = self.blocks.begin
        values[run] = between
        run += 1  # the one at each threshold
        ends[run] = self.blocks.last + 1
        values[run] = tied
        ends[last_run] = self.bounds[1:]
        values[last_run] = below
        sizes = ends.copy()
        sizes[1:] -= ends[:-1]
        sorted_values = np.repeat(values, sizes)
        sorted_values[self.hits] = np.repeat(positive, self.blocks.n_hits)
        item_values = np.empty_like(sorted_values)
        item_values[self.order] = sorted_values
        return item_values


@dataclass(frozen=True, slots=True, eq=False)
class FilteredItems:
    """The counts of one ranking, and where each item stands.

    Negatives that the filter left out have a cell. Other items, near the positives, were sorted.
    """

    counts: ThresholdCounts
    score: Array
    filtered: FilteredRanking
    near: SortedItems

    def item_values(
        self, positive: Array, tied: Array, between: Array, below: Array | float = 0.0
    ) -> Float:
        """Give each item the value of its run, as ``SortedItems`` does."""
        cells = self.filtered.cells
        # The number of thresholds above a cell is the index of the next threshold below it.
        threshold_cells = cells.locate(self.counts.thresholds)
        n_above = np.bincount(threshold_cells, minlength=cells.has_positive.size)
        n_above = n_above[::-1].cumsum()[::-1]
        values = np.append(between, below)[n_above][cells.locate(self.score)]
        # Items that share their cell with a threshold were sorted.
        values[self.filtered.places] = self.near.item_values(positive, tied, between, below)
        return values


PlacedItems = SortedItems | FilteredItems


def place_items(rankings: Rankings) -> PlacedItems:
    """Count the items of all rankings, and find where each of them stands."""
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
    hits = rankings.positive.take(order).nonzero()[0]
    blocks = TiedBlocks.find(begins, hits)
    thresholds = score[blocks.begin]
    del score, begins  # the memory of a long ranking
    # The sorted weights have no name here, so that they are gone when they are added up.
    counts = _counts(thresholds, None if weight is None else weight[order], hits, blocks, bounds)
    return SortedItems(counts, order, hits, blocks, bounds)


def _sort_scores(rankings: Rankings) -> tuple[Index, Array]:
    """Order the items, one ranking after the other; also give the sorted scores."""
    if not rankings.several:
        return descending_order(rankings.score)
    if rankings.ranking is not None:
        order, score = descending_order(rankings.score)
        place = order_by_ranking(rankings.ranking[order], rankings.n_rankings)
        return order[place], score[place]
    table = rankings.score.reshape(rankings.n_rankings, -1)
    threads = n_threads(rankings.score.size)
    orders, scores = zip(*map_threads(descending_order, table, threads), strict=True)
    order = np.stack(orders)
    order += (np.arange(len(table)) * table.shape[1])[:, None]
    return order.ravel(), np.concatenate(scores)


def descending_order(score: Array) -> tuple[Index, Array]:
    """Order scores, the highest first; also give the sorted scores.

    Many floats are sorted as integers, each of which holds the upper bits of a score, and in the
    lower ones the place of its item. That takes half to three quarters of the time of an argsort.
    """
    if score.size <= FEW_FLOATS or score.dtype.kind != "f":
        order = score.argsort()[::-1]
        return order, score.take(order)
    keys, _ = ordered_integers(score)
    np.invert(keys, out=keys)  # turns the order around
    n_bits = score.size.bit_length()
    keys >>= n_bits
    keys <<= n_bits
    keys |= np.arange(score.size)
    keys.sort()
    keys &= (1 << n_bits) - 1  # the places alone
    order = keys.astype(np.intp, copy=False)
    # Scores that differ in their lower bits alone may stand the wrong way round.
    sorted_score = score.take(order)
    if np.count_nonzero(sorted_score[1:] > sorted_score[:-1]):
        upper_bits, _ = ordered_integers(sorted_score)
        upper_bits >>= n_bits
        begins = begins_block(upper_bits)
        del upper_bits  # the memory of a long ranking
        _sort_blocks(order, sorted_score, begins)
    return order, sorted_score


def _sort_blocks(order: Index, score: Array, begins: Bool) -> None:
    """Sort scores within blocks, in place; the blocks themselves already stand in order.

    ``begins`` says which items begin a block.
    """
    is_alone = begins.copy()
    is_alone[:-1] &= begins[1:]
    start = 0
    while start < score.size:
        # Several whole blocks, which the cache holds. One sort of them keeps the blocks apart.
        end = _next_block(begins, start + PIECE_ITEMS)
        unsure = start + (~is_alone[start:end]).nonzero()[0]
        resorted = unsure[np.argsort(score[unsure])[::-1]]
        order[unsure] = order[resorted]
        score[unsure] = score[resorted]
        start = end


def _next_block(begins: Bool, place: int) -> int:
    """Find where the first block at or after a place begins; the end if there is none."""
    rest = begins[place:]
    to_next = int(rest.argmax()) if rest.size else 0
    return place + to_next if rest.size and rest[to_next] else begins.size


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
        return _count_equal_rows(ranking)
    order, score = descending_order(ranking.score)
    last = np.append(score[1:] != score[:-1], score.size > 0).nonzero()[0]
    weight = np.ones(order.size, np.int64) if ranking.weight is None else ranking.weight[order]
    positive = ranking.positive[order]
    tps = np.cumsum(weight * positive)
    fps = np.cumsum(weight * ~positive)
    return CumulativeCounts(score[last], tps[last], fps[last])


def _count_equal_rows(ranking: Rankings) -> CumulativeCounts:
    """Count rows of equal weight by their keys alone, in half the time."""
    keys, to_scores = descending_keys(ranking.score, ranking.positive)
    keys.sort()
    hits = keys.astype(np.uint8) & 1
    keys >>= 1
    last = np.append(keys[1:] != keys[:-1], keys.size > 0).nonzero()[0]
    tps = np.cumsum(hits, dtype=np.int64)[last]
    return CumulativeCounts(to_scores(keys[last]), tps, last + 1 - tps)


def _counts(
    thresholds: Array, weight: Array | None, hits: Index, blocks: TiedBlocks, bounds: Index
) -> ThresholdCounts:
    """Count at blocks of items that are tied with a positive; overwrites the weights."""
    starts = blocks.begin.searchsorted(bounds)
    hit_bounds = hits.searchsorted(bounds)
    top = bounds[:-1]  # the first item of the ranking of each block
    if top.size > 1:
        top = np.repeat(top, np.diff(starts))
    if weight is None:
        gained: Array = blocks.n_hits
        tps, fps, fps_above = blocks.counts(hits, top)
        n_positives = np.diff(hit_bounds)
        n_negatives = np.diff(bounds) - n_positives
    else:
        gained = weight[hits]
        weight[hits] = 0.0
        misses, n_negatives = cumsum_within(weight, bounds)
        fps = fps_above = misses[blocks.last]
        if blocks.are_tied:  # a block at the top of its ranking has nothing above it
            fps_above = np.where(blocks.begin > top, misses[blocks.begin - 1], 0.0)
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
