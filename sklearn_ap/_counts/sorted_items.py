"""Where items stand among the thresholds: by a sort, or by cells where positives are rare."""

from dataclasses import dataclass

import numpy as np

from sklearn_ap._base.common.types import Array, Float, Index
from sklearn_ap._base.inputs.kept_rankings import KeptRankings
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts._keys import descending_keys, ordered_integers
from sklearn_ap._counts._rare_positives import Filtered, without_far_negatives
from sklearn_ap._counts.blocks import (
    TiedBlocks,
    begins_block,
    cumsum_within,
    order_by_ranking,
    segment_sums,
)
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts

FEW_FLOATS = 2**12  # which an argsort orders faster than a sort of integers does


@dataclass(frozen=True, slots=True, eq=False)
class SortedItems:
    """The counts of rankings, and where each of their items stands.

    The sorted items, from the top of the first ranking to the bottom of the last, form runs: those
    between two thresholds, those at a threshold, and in the end of each ranking those below all.
    """

    counts: ThresholdCounts
    order: Index  # items[order] are sorted
    hits: Index  # where the positives stand among the sorted
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
        # Each threshold has two runs, and after those of a ranking comes one more.
        counts, n_rankings = self.counts, self.counts.starts.size
        at = 2 * np.arange(counts.thresholds.size)
        if n_rankings > 1:
            at += counts.ranking()
        last = 2 * counts.ends + np.arange(n_rankings)
        values = np.empty(2 * at.size + n_rankings, between.dtype)
        ends = np.empty(values.size, np.intp)
        ends[at], values[at] = self.blocks.begin, between
        at += 1
        ends[at], values[at] = self.blocks.last + 1, tied
        ends[last], values[last] = self.bounds[1:], below
        sizes = ends.copy()
        sizes[1:] -= ends[:-1]
        in_order = np.repeat(values, sizes)
        in_order[self.hits] = np.repeat(positive, self.blocks.n_hits)
        of_items = np.empty_like(in_order)
        of_items[self.order] = in_order
        return of_items


@dataclass(frozen=True, slots=True, eq=False)
class FilteredItems:
    """The counts of one ranking, and where each item stands.

    Negatives that the filter left out have a cell. Other items, near the positives, were sorted.
    """

    counts: ThresholdCounts
    score: Array
    filtered: Filtered
    near: SortedItems

    def item_values(
        self, positive: Array, tied: Array, between: Array, below: Array | float = 0.0
    ) -> Float:
        """Give each item the value of its run, as ``SortedItems`` does."""
        cells = self.filtered.cells
        # The number of thresholds above a cell is the index of the next threshold below it.
        n_above = np.bincount(cells.of(self.counts.thresholds), minlength=cells.occupied.size)
        n_above = n_above[::-1].cumsum()[::-1]
        of_items = np.append(between, below)[n_above][cells.of(self.score)]
        # Items that share their cell with a threshold were sorted.
        of_items[self.filtered.places] = self.near.item_values(positive, tied, between, below)
        return of_items


PlacedItems = SortedItems | FilteredItems


def place_items(rankings: Rankings) -> PlacedItems:
    """Count the items of all rankings, and find where each of them stands."""
    filtered = None
    if not rankings.several:
        filtered = without_far_negatives(rankings.positive, rankings.score, rankings.weight)
    if filtered is None:
        return sort_items(rankings)
    near = sort_items(Rankings(*filtered.rows_to_sort))
    return FilteredItems(filtered.with_all(near.counts), rankings.score, filtered, near)


def sort_items(rankings: Rankings) -> SortedItems:
    """Sort the items of all rankings; their counts follow."""
    (order, score), sizes, weight = _in_order(rankings), rankings.sizes, rankings.weight
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    first = begins_block(score)
    first[bounds[:-1][sizes > 0]] = True
    hits = rankings.positive.take(order).nonzero()[0]
    blocks = TiedBlocks.of(first, hits)
    thresholds = score[blocks.begin]
    del score, first  # the memory of a long ranking
    # The sorted weights have no name here, so that they are gone when they are added up.
    counts = _counts(thresholds, None if weight is None else weight[order], hits, blocks, bounds)
    return SortedItems(counts, order, hits, blocks, bounds)


def _in_order(rankings: Rankings) -> tuple[Index, Array]:
    """The order of the items, one ranking after the other; and their scores."""
    if not rankings.several:
        return descending_order(rankings.score)
    if rankings.ranking is not None:
        order, score = descending_order(rankings.score)
        together = order_by_ranking(rankings.ranking[order], rankings.n_rankings)
        return order[together], score[together]
    table = rankings.score.reshape(rankings.n_rankings, -1)
    threads = n_threads(rankings.score.size)
    orders, scores = zip(*map_threads(descending_order, table, threads), strict=True)
    order = np.stack(orders)
    order += (np.arange(len(table)) * table.shape[1])[:, None]
    return order.ravel(), np.concatenate(scores)


def descending_order(score: Array) -> tuple[Index, Array]:
    """The order of scores, the highest first, and the sorted scores.

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
    in_order = score.take(order)
    if np.count_nonzero(in_order[1:] > in_order[:-1]):
        upper, _ = ordered_integers(in_order)
        upper >>= n_bits
        first = begins_block(upper)
        unsure = (~(first & np.append(first[1:], True))).nonzero()[0]
        # Blocks of equal upper bits already stand in order, so one sort of all keeps them apart.
        resorted = unsure[np.argsort(in_order[unsure])[::-1]]
        order[unsure], in_order[unsure] = order[resorted], in_order[resorted]
    return order, in_order


def cumulative_counts(ranking: Rankings) -> tuple[Array, Array, Array]:
    """The distinct scores, highest first; the positives and the negatives at or above each."""
    if isinstance(ranking, KeptRankings):
        found: tuple[Array, Array, Array] = ranking.once("cumulated", lambda: _cumulated(ranking))
        return found
    return _cumulated(ranking)


def _cumulated(ranking: Rankings) -> tuple[Array, Array, Array]:
    if ranking.weight is None and np.isfinite(ranking.score).all():
        return _cumulated_rows(ranking)
    order, score = descending_order(ranking.score)
    last = np.append(score[1:] != score[:-1], score.size > 0).nonzero()[0]
    weight = np.ones(order.size, np.int64) if ranking.weight is None else ranking.weight[order]
    positive = ranking.positive[order]
    tps, fps = np.cumsum(weight * positive), np.cumsum(weight * ~positive)
    return score[last], tps[last], fps[last]


def _cumulated_rows(ranking: Rankings) -> tuple[Array, Array, Array]:
    """The same of rows of equal weight, whose keys hold all that is asked, in half the time."""
    keys, scores_of = descending_keys(ranking.score, ranking.positive)
    keys.sort()
    hits = keys.astype(np.uint8) & 1
    keys >>= 1
    last = np.append(keys[1:] != keys[:-1], keys.size > 0).nonzero()[0]
    tps = np.cumsum(hits, dtype=np.int64)[last]
    return scores_of(keys[last]), tps, last + 1 - tps


def _counts(
    thresholds: Array, weight: Array | None, hits: Index, blocks: TiedBlocks, bounds: Index
) -> ThresholdCounts:
    """The counts at blocks of items that are tied with a positive; overwrites the weights."""
    starts, bounds_of_hits = blocks.begin.searchsorted(bounds), hits.searchsorted(bounds)
    top = bounds[:-1]  # of the ranking of each block
    if top.size > 1:
        top = np.repeat(top, np.diff(starts))
    if weight is None:
        gained: Array = blocks.n_hits
        tps, fps, fps_above = blocks.counts(hits, top)
        n_positives = np.diff(bounds_of_hits)
        n_negatives = np.diff(bounds) - n_positives
    else:
        gained = weight[hits]
        weight[hits] = 0.0
        misses, n_negatives = cumsum_within(weight, bounds)
        fps = fps_above = misses[blocks.last]
        if blocks.are_tied:  # a block at the top of its ranking has nothing above it
            fps_above = np.where(blocks.begin > top, misses[blocks.begin - 1], 0.0)
        del weight, misses  # the memory of a long ranking
        tps, n_positives = cumsum_within(gained.copy(), bounds_of_hits)
        if blocks.are_tied:
            last_hit = np.cumsum(blocks.n_hits) - 1
            tps, gained = tps[last_hit], segment_sums(gained, last_hit + 1 - blocks.n_hits)
    totals = n_positives, n_negatives
    return ThresholdCounts(thresholds, gained, tps, fps, fps_above, starts[:-1], *totals)
