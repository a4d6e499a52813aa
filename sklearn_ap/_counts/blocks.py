"""Runs of equal values, and sums inside each ranking: each idiom once."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from sklearn_ap._base.common.types import Array, Bool, Float, Index

MANY_POSITIVES = 2**13  # positives, whose column of ones takes memory


def begins_block(values: Array) -> Bool:
    """Which values differ from the one before them, along the last axis; the first ones do."""
    # [1, 2, 2, 3] -> [True, True, False, True]
    first = np.empty(values.shape, dtype=bool)
    first[..., :1] = True
    np.not_equal(values[..., 1:], values[..., :-1], out=first[..., 1:])
    return first


def ranges(sizes: Index) -> Index:
    """Ranges from 0 on of these sizes, one after the other."""
    # [1, 3] -> [0, 0, 1, 2]
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


class TiedBlocks(NamedTuple):
    """Blocks of tied items that hold a positive: first and last item, and how many positives."""

    begin: Index
    last: Index
    n_hits: Index
    are_tied: bool = True  # False if each positive stands alone

    @classmethod
    def of(cls, first: Bool, hits: Index) -> Self:
        """Find them; ``first`` says which items begin a block, ``hits`` where positives stand.

        ``first`` may be a table, whose cells count row by row.
        """
        # scores [3, 2, 2, 1] and hits [1, 2] -> begin [1], last [2], n_hits [2]
        # mode="wrap": the item after the last one is item 0, which begins a block.
        if first.take(hits).all() and first.take(hits + 1, mode="wrap").all():  # no ties
            ones = np.ones(hits.size, np.intp)
            if hits.size > MANY_POSITIVES:
                ones = np.broadcast_to(np.intp(1), hits.shape)  # takes no memory, but some time
            return cls(hits, hits, ones, are_tied=False)
        edges = np.append(first, True).nonzero()[0]
        block = np.cumsum(first, dtype=np.int32 if first.size < 2**31 else np.int64)[hits] - 1
        of_block = begins_block(block).nonzero()[0]
        block = block[of_block]
        return cls(edges[block], edges[block + 1] - 1, np.diff(of_block, append=hits.size))

    def counts(self, hits: Index, ranking_begin: Any = None) -> tuple[Index, Index, Index]:
        """Give tps, fps and fps_above; the ranking of a block begins at ``ranking_begin``, or 0."""
        tps = self.n_hits.cumsum() if self.are_tied else np.arange(1, hits.size + 1)
        begin, last = self.begin, self.last
        if ranking_begin is not None:
            tps -= hits.searchsorted(ranking_begin)
            begin, last = begin - ranking_begin, last - ranking_begin
        fps = last - tps
        fps += 1
        return tps, fps, begin - (tps - self.n_hits) if self.are_tied else fps


def segment_sums(values: Array, starts: Index) -> Float:
    """Add up consecutive segments, some of them empty, with pairwise summation."""
    if starts.size == 1:
        return np.add.reduce(values, keepdims=True, dtype=np.float64)
    # np.add.reduceat would give an empty segment its neighbour's value.
    filled = np.flatnonzero(np.diff(starts, append=values.size))
    sums = np.zeros(starts.size)
    sums[filled] = np.add.reduceat(values, starts[filled])
    return sums


def cumsum_within(values: Array, bounds: Index) -> tuple[Array, Array]:
    """Add up values in place, from the beginning of each ranking; and the last sum of each.

    ``bounds`` also holds the end of the last ranking. One sum over all rankings would lose the
    digits of rankings with small weights in the weight of others.
    """
    # [1, 2, 3] and bounds [0, 2, 2, 3] -> [1, 3, 3] and [3, 0, 3]
    totals = np.zeros(bounds.size - 1, values.dtype)
    for i, (begin, end) in enumerate(pairwise(bounds.tolist())):
        if begin < end:
            totals[i] = values[begin:end].cumsum(out=values[begin:end])[-1]
    return values, totals


def order_by_ranking(ranking: Index, n_rankings: int) -> Index:
    """Order items by ranking; within a ranking they keep their order."""
    # SciPy brings the columns of a sparse matrix together by counting, twice as fast as a stable
    # sort. There is one entry for each item, and its column is the ranking.
    index = np.int32 if ranking.size < 2**31 else np.int64
    rows = np.arange(ranking.size + 1, dtype=index)
    entries = np.empty(ranking.size, np.bool_), ranking.astype(index), rows
    table = sparse.csr_array(entries, shape=(ranking.size, n_rankings))
    return table.tocsc().indices.astype(np.intp, copy=False)


class ClusterSums(NamedTuple):
    """Sums over the rows of each cluster."""

    definition: Any  # whose influence values these are
    influence: Array  # of the rows
    negative_influence: Array  # the same of the negatives alone
    positives: Array  # weight
    negatives: Array


@dataclass(frozen=True, slots=True, eq=False)
class CellSums:
    """Sums over the rows of one ranking at each place: a row for positives, another for negatives.

    Place 0 is below the lowest threshold, 1 at it, 2 between it and the next, and so on.
    """

    squares: Array  # of the weights
    fourths: Array  # their fourth powers
    n_rows: Array  # of positives, and of negatives
    clusters: ClusterSums | None = None


def influence_table(influence: Any) -> Float:
    """The influence values of positives and of negatives, laid out as the sums are."""
    table = np.zeros((2, 2 * influence.positive.size + 1))
    table[0, 0], table[0, 1::2] = np.ravel(influence.unscored)[0], influence.positive[::-1]
    table[1, 0], table[1, 1::2] = np.ravel(influence.below)[0], influence.tied[::-1]
    table[1, 2::2] = influence.between[::-1]
    return np.nan_to_num(table)  # values without positives have no influence
