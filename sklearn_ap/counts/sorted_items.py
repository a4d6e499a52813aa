"""The sorted order of items with their places kept: for weights, and for what each item moves."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Rankings
from sklearn_ap.counts.keys import ordered_integers
from sklearn_ap.counts.runs import (
    TiedBlocks,
    begins_run,
    bring_together,
    cumsum_within,
    segment_sums,
)
from sklearn_ap.counts.thresholds import ThresholdCounts

__all__ = ["SortedItems", "counts_of_sorted", "descending_order", "sort_items"]

Array = NDArray[Any]
Index = NDArray[np.intp]


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

    def value_of_items(
        self, positive: Array, tied: Array, between: Array, below: float = 0.0
    ) -> NDArray[np.float64]:
        """Give each item, in the order of the user, the value of its run.

        There is a value for the positives at each threshold, the negatives tied with them, and the
        items between a threshold and the one above; those below all thresholds get ``below``.
        """
        edges = np.column_stack((self.blocks.begin, self.blocks.end)).ravel()
        values = np.column_stack((between, tied)).ravel()
        # Each threshold has two runs, and after those of a ranking comes one more.
        last = 2 * self.counts.ends
        edges = np.insert(edges, last, self.bounds[1:])
        in_order = np.repeat(np.insert(values, last, below), np.diff(edges, prepend=0))
        in_order[self.hits] = np.repeat(positive, self.blocks.n_hits)
        of_items = np.empty_like(in_order)
        of_items[self.order] = in_order
        return of_items


def sort_items(rankings: Rankings) -> SortedItems:
    """Sort the items of all rankings; their counts follow."""
    order, score = descending_order(rankings.score)
    sizes = rankings.sizes
    if rankings.several:
        together = bring_together(rankings.ranking_of_items[order], rankings.n_rankings)
        order, score = order[together], score[together]
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    first = begins_run(score)
    first[bounds[:-1][sizes > 0]] = True
    hits = rankings.positive.take(order).nonzero()[0]
    blocks = TiedBlocks.of(first, hits)
    weight = None if rankings.weight is None else rankings.weight[order]
    counts = counts_of_sorted(score[blocks.begin], weight, hits, blocks, bounds)
    return SortedItems(counts, order, hits, blocks, bounds)


def descending_order(score: Array) -> tuple[Index, Array]:
    """The order of scores, the highest first, from one sort of integers; and the sorted scores.

    Each integer holds the upper bits of a score, and in the lower ones the place of its item. That
    takes a third of the time of an argsort.
    """
    keys, _ = ordered_integers(score)
    np.invert(keys, out=keys)  # turns the order around
    n_bits = int(score.size).bit_length()
    keys >>= n_bits
    keys <<= n_bits
    keys |= np.arange(score.size)
    keys.sort()
    order = (keys & ((1 << n_bits) - 1)).astype(np.intp, copy=False)
    # Scores that differ in their lower bits alone may stand the wrong way round.
    in_order = score.take(order)
    if np.count_nonzero(in_order[1:] > in_order[:-1]):
        keys >>= n_bits
        first = begins_run(keys)
        unsure = (~(first & np.append(first[1:], True))).nonzero()[0]
        # Blocks of equal upper bits already stand in order, so one sort of all keeps them apart.
        mended = unsure[np.argsort(in_order[unsure])[::-1]]
        order[unsure], in_order[unsure] = order[mended], in_order[mended]
    return order, in_order


def counts_of_sorted(
    thresholds: Array,
    weight: Array | None,
    hits: Index,
    blocks: TiedBlocks,
    bounds: Index,
) -> ThresholdCounts:
    """The counts at blocks of items that are tied with a positive."""
    starts = blocks.begin.searchsorted(bounds)
    top = np.repeat(bounds[:-1], np.diff(starts))  # of the ranking of each block
    if weight is None:
        gained: Array = blocks.n_hits
        tps, fps, fps_above = blocks.counts(hits, top)
        n_positives = np.diff(hits.searchsorted(bounds))
        n_negatives = np.diff(bounds) - n_positives
    else:
        gained = weight[hits]
        mass = np.zeros(weight.size)
        mass[hits] = gained
        if blocks.are_tied:
            gained = segment_sums(gained, np.cumsum(blocks.n_hits) - blocks.n_hits)
        tps, n_positives = _sums(mass, bounds, top, blocks.end)
        np.subtract(weight, mass, out=mass)  # from now on, of the negatives
        fps, fps_above, n_negatives = _sums(mass, bounds, top, blocks.end, blocks.begin)
    totals = n_positives, n_negatives
    return ThresholdCounts(thresholds, gained, tps, fps, fps_above, starts[:-1], *totals)


def _sums(mass: Array, bounds: Index, tops: Index, *edges: Index) -> list[Array]:
    """The weight between each edge and the top of its ranking; at last, that of each ranking."""
    sums = cumsum_within(mass, bounds) if mass.size else np.zeros(1)
    pairs = [*((tops, edge) for edge in edges), (bounds[:-1], bounds[1:])]
    # An edge at the top of its ranking has nothing above it.
    return [np.where(edge > top, sums.take(edge - 1, mode="clip"), 0.0) for top, edge in pairs]
