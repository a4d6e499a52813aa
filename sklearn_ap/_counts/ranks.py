"""The number of ranks that count; k may be a share of the rows of each ranking."""

import numpy as np

from sklearn_ap._base.common.types import Array, Float, Numeric
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._base.inputs.checks import are_whole_numbers
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.blocks import begins_block, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts


def ranks_of_rows(k: float, n_rows: float) -> int:
    """Return the rank k, or the share k of ``n_rows`` rows, rounded up: 0.3 of 7 rows are 3."""
    if isinstance(k, int):
        return k
    # 0.07 * 100 is 7.000000000000001, and means 7.
    return int(np.ceil(k * n_rows * (1 - ABSOLUTE_TOLERANCE)))


def n_ranks(k: float, counts: ThresholdCounts) -> Numeric:
    """Return the rank k, or the share k of the rows of each ranking, in units of weight.

    It is rounded up, unless weights are fractional. A ranking without rows has one rank.
    """
    if isinstance(k, int):
        return k
    n_unscored = 0 if counts.n_unscored is None else counts.n_unscored
    n_rows = counts.n_positives - n_unscored + counts.n_negatives
    share = k * n_rows
    rounded = np.maximum(np.ceil(share * (1 - ABSOLUTE_TOLERANCE)), 1)
    if counts.gained.dtype.kind != "f":
        return rounded.astype(np.int64)
    share = np.where(share > 0, share, n_rows)  # the share of 5e-324 is 0
    is_whole = counts.are_whole
    if is_whole is None:  # weights count as whole if all of their sums are
        is_whole = are_whole_numbers(n_rows)
        for sums in counts.tps, counts.fps, counts.fps_above:
            is_whole &= counts.sum(~are_whole_numbers(sums)) == 0
    return np.where(is_whole, rounded, share)


def ranks_at_thresholds(k: float, counts: ThresholdCounts) -> Numeric:
    """Return the rank k, or the ranks of a share k in the ranking of each threshold."""
    n = n_ranks(k, counts)
    return n if isinstance(k, int) else counts.each(n)


def shares_within_ranks(rankings: Rankings, n_ranks: int | Array) -> Float:
    """Compute the share of each item that stands within the first ranks of its ranking.

    The items of a tied block have the same share. Items not retrieved have the share 0.
    """
    ranking = rankings.ranking_of_items
    score = rankings.score
    order = np.lexsort((score, ranking))[::-1]
    begins_ranking = begins_block(ranking[order])
    # For each tied block: its start, its weight, the weight before it, and the first block of its
    # ranking.
    starts = np.flatnonzero(begins_ranking | begins_block(score[order]))
    size = segment_sums(rankings.weight_of_items[order], starts)
    before = np.cumsum(size) - size
    first = np.maximum.accumulate(np.where(begins_ranking[starts], np.arange(starts.size), 0))
    limit = np.broadcast_to(n_ranks, rankings.n_rankings)[ranking[order[starts]]]
    block_share = np.minimum(np.maximum(limit - (before - before[first]), 0), size) / size
    share = np.empty(order.size)
    share[order] = np.repeat(block_share, np.diff(starts, append=order.size))
    return np.where(rankings.is_retrieved, share, 0.0)
