"""Runs of equal values, and sums inside each ranking: each idiom once."""

from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from scipy import sparse

from sklearn_ap._base.common.types import Array, Bool, Float, Index

MANY_POSITIVES = 2**13  # with more, a column of ones takes too much memory


def begins_block(values: Array) -> Bool:
    """Flag the values that differ from the one before, along the last axis, and the first ones."""
    # [1, 2, 2, 3] -> [True, True, False, True]
    begins = np.empty(values.shape, dtype=bool)
    begins[..., :1] = True
    np.not_equal(values[..., 1:], values[..., :-1], out=begins[..., 1:])
    return begins


def ranges(sizes: Index) -> Index:
    """Make consecutive ranges of these sizes, each from 0 on."""
    # [1, 3] -> [0, 0, 1, 2]
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


class BlockCounts(NamedTuple):
    """Counts at each block of tied items that hold a positive."""

    tps: Index
    fps: Index
    fps_above: Index


class TiedBlocks(NamedTuple):
    """Blocks of tied items that hold a positive."""

    begin: Index  # the first item of each block
    last: Index  # the last item of each block
    n_hits: Index  # the number of positives in each block
    are_tied: bool = True  # False if each positive stands alone

    @classmethod
    def find(cls, begins: Bool, hit_positions: Index) -> Self:
        """Find the blocks of items.

        ``begins`` flags the first item of each block, and ``hit_positions`` are the indices of
        positives. ``begins`` may be a table, whose cells count row by row.
        """
        # scores [3, 2, 2, 1] and hits [1, 2] -> begin [1], last [2], n_hits [2]
        # Without ties, each positive begins a block, and so does the item after it. With
        # mode="wrap", item 0, which begins a block, comes after the last.
        begin_blocks = begins.take(hit_positions).all()
        if begin_blocks and begins.take(hit_positions + 1, mode="wrap").all():
            ones = np.ones(hit_positions.size, np.intp)
            if hit_positions.size > MANY_POSITIVES:
                ones = np.broadcast_to(np.intp(1), hit_positions.shape)  # no memory, but some time
            return cls(hit_positions, hit_positions, ones, are_tied=False)
        edges = np.append(begins, True).nonzero()[0]
        block = (
            np.cumsum(begins, dtype=np.int32 if begins.size < 2**31 else np.int64)[hit_positions]
            - 1
        )
        first_hit = begins_block(block).nonzero()[0]  # the first hit of each block
        block = block[first_hit]
        return cls(
            edges[block], edges[block + 1] - 1, np.diff(first_hit, append=hit_positions.size)
        )

    def counts(self, hit_positions: Index, ranking_begin: Index | None = None) -> BlockCounts:
        """Count the items of each block and above it in its ranking.

        ``ranking_begin`` is the first item of the ranking of each block, 0 by default.
        """
        tps = self.n_hits.cumsum() if self.are_tied else np.arange(1, hit_positions.size + 1)
        begin = self.begin
        last = self.last
        if ranking_begin is not None:
            tps -= hit_positions.searchsorted(ranking_begin)
            begin = begin - ranking_begin
            last = last - ranking_begin
        fps = last - tps
        fps += 1
        return BlockCounts(tps, fps, begin - (tps - self.n_hits) if self.are_tied else fps)


def segment_sums(values: Array, starts: Index) -> Float:
    """Add up consecutive segments, some of them empty, with pairwise summation."""
    if starts.size == 1:
        return np.add.reduce(values, keepdims=True, dtype=np.float64)
    # np.add.reduceat would give an empty segment its neighbour's value.
    has_values = np.flatnonzero(np.diff(starts, append=values.size))
    sums = np.zeros(starts.size)
    sums[has_values] = np.add.reduceat(values, starts[has_values])
    return sums


def cumsum_within(values: Array, bounds: Index) -> tuple[Array, Array]:
    """Add up values in place, from the beginning of each ranking; also return the last sum of each.

    ``bounds`` also holds the end of the last ranking. One sum over all rankings would lose the
    digits of rankings whose weights are small beside the weights of others.
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
