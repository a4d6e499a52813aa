"""Counting many rankings: short ones side by side in tables, long ones one by one."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._base.common.types import Array, Index
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts._keys import descending_keys, padding
from sklearn_ap._counts.blocks import TiedBlocks, begins_block, order_by_ranking
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts, from_columns

Columns = tuple[Array, ...]  # the ranking of each threshold, thresholds, tps, fps and fps_above

TABLE_SIZE = 2**14  # cells, which the cache holds with all that is made of them
LONGEST_ROW = 2048  # longer rankings cost less alone


def count_many(rankings: Rankings, count_one: Callable[..., ThresholdCounts]) -> ThresholdCounts:
    """Count many rankings; one without positives has no thresholds.

    ``count_one`` counts a ranking that is too long for a table.
    """
    sizes, n_hits, weight = rankings.sizes, rankings.n_hits, rankings.weight
    n_positives, n_negatives = n_hits, sizes - n_hits
    if weight is not None:
        n_positives = n_hits.astype(np.float64)  # of those counted, the sums follow
        n_negatives = np.bincount(rankings.ranking_of_items, weight, n_hits.size)
    counted = [(n_hits[:0], rankings.score[:0], *3 * [n_positives[:0]])]  # these give the dtypes
    for batch, columns, totals in _parts(rankings, sizes, n_hits, count_one):
        counted.append(columns)
        if weight is not None:
            n_positives[batch], n_negatives[batch] = totals
    parts_of_ranking, *parts_of_columns = zip(*counted, strict=True)
    ranking = np.concatenate(parts_of_ranking)
    order = np.argsort(ranking, kind="stable")
    starts = ranking[order].searchsorted(np.arange(n_hits.size))
    # One after the other, as fresh memory costs more than the sorting.
    in_order = (np.concatenate(parts)[order] for parts in parts_of_columns)
    of_all: Any = (*in_order, starts, n_positives, n_negatives)
    return from_columns(*of_all, are_whole=rankings.have_whole_weights)


def _parts(
    rankings: Rankings, sizes: Index, n_hits: Index, count_one: Callable[..., ThresholdCounts]
) -> Iterator[tuple[Any, Columns, Any]]:
    """Yield which rankings were counted together, their counts, and with weights their totals."""
    positive, score, weight = rankings.positive, rankings.score, rankings.weight
    order, starts = _together(rankings, sizes)
    tables, long = _batches(sizes, n_hits.nonzero()[0])
    keys, scores_of = descending_keys(score, positive)

    def count_table(batch: Index) -> tuple[Index, Columns, Any]:
        cell = np.arange(sizes[batch].max())
        is_padding = cell >= sizes[batch][:, None]
        rows = starts[batch][:, None] + cell * ~is_padding  # the first row stands in for padding
        rows = rows if order is None else order[rows]
        table = keys[rows]
        table[is_padding] = padding(keys)
        mass = None if weight is None else np.where(is_padding, 0.0, weight[rows])
        (row, values, *sums), totals = _count_table(table, mass)
        return batch, (batch[row], scores_of(values), *sums), totals

    # Threads for rankings of some thousand rows would wait for each other more than they count.
    threads = n_threads(sum(int(sizes[batch].sum()) for batch in tables))
    yield from map_threads(count_table, tables, threads)
    for i in long:
        here = slice(starts[i], starts[i] + sizes[i])
        rows = here if order is None else order[here]
        counts = count_one(positive[rows], score[rows], None if weight is None else weight[rows])
        columns = counts.thresholds, counts.tps, counts.fps, counts.fps_above
        totals = counts.n_positives[0], counts.n_negatives[0]
        yield i, (np.full(counts.tps.size, i), *columns), totals


def _together(rankings: Rankings, sizes: Index) -> tuple[Index | None, Index]:
    """An order that brings each ranking together, or None if they are; where in it each begins."""
    starts, ranking = np.cumsum(sizes) - sizes, rankings.ranking
    if ranking is None:
        return None, starts
    begins = begins_block(ranking).nonzero()[0]
    if begins.size > np.count_nonzero(sizes):  # more runs than rankings
        return order_by_ranking(ranking, sizes.size), starts
    starts[ranking[begins]] = begins
    return None, starts


def _batches(sizes: Index, with_hits: Index) -> tuple[list[Index], Index]:
    """Rankings of 1, 2, 3 to 4, 5 to 8, ... rows, as many as fill a table; and the long ones."""
    order = with_hits[np.argsort(sizes[with_hits], kind="stable")]
    widths = [0, *(2**e for e in range(LONGEST_ROW.bit_length()))]
    ends = sizes[order].searchsorted(widths, side="right")
    tables = []
    for width, (begin, end) in zip(widths[1:], pairwise(ends), strict=True):
        n = max(1, TABLE_SIZE // width)
        tables += [order[i : min(i + n, end)] for i in range(begin, end, n)]
    return tables, order[ends[-1] :]


def _count_table(keys: NDArray[np.int64], mass: Array | None) -> tuple[Columns, Any]:
    """Count short rankings, each of them a row of keys; thresholds are keys without their label."""
    if mass is None:
        keys.sort(axis=1)
    else:
        order = keys.argsort(axis=1) + np.arange(len(keys))[:, None] * keys.shape[1]
        keys, mass = keys.take(order), mass.take(order)
    positive = (keys & 1).astype(bool)
    keys >>= 1
    hits = positive.ravel().nonzero()[0]
    blocks = TiedBlocks.of(begins_block(keys), hits)
    row = blocks.begin // keys.shape[1]
    values = keys.ravel()[blocks.begin]
    if mass is None:
        return (row, values, *blocks.counts(hits, row * keys.shape[1])), None
    # A row of sums is one cell longer, so places shift by the number of rows above.
    tps, fps = _sums(mass * positive), _sums(mass * ~positive)
    begin, end = blocks.begin + row, blocks.last + row + 1
    return (row, values, tps.take(end), fps.take(end), fps.take(begin)), (tps[:, -1], fps[:, -1])


def _sums(table: Array) -> Array:
    """Sums of the first 0, 1, 2, ... cells of each row."""
    return np.pad(np.cumsum(table, axis=1), ((0, 0), (1, 0)))
