"""Counting many rankings: short ones side by side in tables, long ones one by one."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._base.common.types import Array, Index
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts._keys import descending_keys, padding
from sklearn_ap._counts.blocks import TiedBlocks, begins_block, order_by_ranking
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts, from_columns

TABLE_SIZE = 2**14  # cells; the cache holds such a table and all arrays made from it
LONGEST_ROW = 2048  # longer rankings are counted faster one by one


class RankedCounts(NamedTuple):
    """Counts at thresholds, and the ranking of each threshold."""

    ranking: Index
    thresholds: Array
    tps: Array
    fps: Array
    fps_above: Array


class ClassTotals(NamedTuple):
    """The weight of each class in each ranking."""

    n_positives: Array
    n_negatives: Array


class CountedRankings(NamedTuple):
    """The counts of rankings that were counted together."""

    rankings: Index
    columns: RankedCounts
    totals: ClassTotals | None  # None without weights


def count_many(rankings: Rankings, count_one: Callable[..., ThresholdCounts]) -> ThresholdCounts:
    """Count many rankings; one without positives has no thresholds.

    ``count_one`` counts a ranking that is too long for a table.
    """
    sizes = rankings.sizes
    n_hits = rankings.n_hits
    weight = rankings.weight
    n_positives: Array = n_hits
    n_negatives: Array = sizes - n_hits
    if weight is not None:
        n_positives = n_hits.astype(np.float64)  # sums replace those of the rankings with positives
        n_negatives = np.bincount(rankings.ranking_of_items, weight, n_hits.size)
    no_count = n_positives[:0]
    # The first columns, which are empty, give the types where nothing else is counted.
    column_parts = [RankedCounts(n_hits[:0], rankings.score[:0], no_count, no_count, no_count)]
    for part in _count_parts(rankings, sizes, n_hits, count_one):
        column_parts.append(part.columns)
        if part.totals is not None:
            n_positives[part.rankings] = part.totals.n_positives
            n_negatives[part.rankings] = part.totals.n_negatives
    ranking = np.concatenate([columns.ranking for columns in column_parts])
    order = np.argsort(ranking, kind="stable")

    def sort_column(name: str) -> Array:
        return np.concatenate([getattr(columns, name) for columns in column_parts])[order]

    return from_columns(
        thresholds=sort_column("thresholds"),
        tps=sort_column("tps"),
        fps=sort_column("fps"),
        fps_above=sort_column("fps_above"),
        starts=ranking[order].searchsorted(np.arange(n_hits.size)),
        n_positives=n_positives,
        n_negatives=n_negatives,
        are_whole=rankings.have_whole_weights,
    )


def _count_parts(
    rankings: Rankings, sizes: Index, n_hits: Index, count_one: Callable[..., ThresholdCounts]
) -> Iterator[CountedRankings]:
    """Count short rankings in tables, and long ones one by one."""
    positive = rankings.positive
    score = rankings.score
    weight = rankings.weight
    order, starts = _find_rankings(rankings, sizes)
    tables, long_rankings = _batches(sizes, n_hits.nonzero()[0])
    keys, to_scores = descending_keys(score, positive)

    def count_table(batch: Index) -> CountedRankings:
        # The table has a row for each ranking, (n_rankings, longest size). Padding sorts below all
        # items, and has no weight.
        cell = np.arange(sizes[batch].max())
        is_padding = cell >= sizes[batch][:, None]
        items = starts[batch][:, None] + cell * ~is_padding  # the first item stands in for padding
        items = items if order is None else order[items]
        table = keys[items]
        table[is_padding] = padding(keys)
        table_weight = None if weight is None else np.where(is_padding, 0.0, weight[items])
        columns, totals = _count_table(table, table_weight)
        columns = columns._replace(
            ranking=batch[columns.ranking], thresholds=to_scores(columns.thresholds)
        )
        return CountedRankings(batch, columns, totals)

    # Threads for rankings of some thousand rows would wait for each other more than they count.
    threads = n_threads(sum(int(sizes[batch].sum()) for batch in tables))
    yield from map_threads(count_table, tables, threads)
    for i in long_rankings:
        own = slice(starts[i], starts[i] + sizes[i])
        items = own if order is None else order[own]
        counts = count_one(positive[items], score[items], None if weight is None else weight[items])
        ranking = np.full(counts.tps.size, i)
        columns = RankedCounts(ranking, counts.thresholds, counts.tps, counts.fps, counts.fps_above)
        totals = None if weight is None else ClassTotals(counts.n_positives, counts.n_negatives)
        yield CountedRankings(np.array([i]), columns, totals)


def _find_rankings(rankings: Rankings, sizes: Index) -> tuple[Index | None, Index]:
    """Find an order in which the items of each ranking stand together, and where each begins.

    The order is None if they stand together already.
    """
    starts = np.cumsum(sizes) - sizes
    ranking = rankings.ranking
    if ranking is None:
        return None, starts
    begins = begins_block(ranking).nonzero()[0]
    if begins.size > np.count_nonzero(sizes):  # more runs than rankings
        return order_by_ranking(ranking, sizes.size), starts
    starts[ranking[begins]] = begins
    return None, starts


def _batches(sizes: Index, rankings: Index) -> tuple[list[Index], Index]:
    """Group rankings of 1, 2, 3 to 4, 5 to 8, ... rows into tables of bounded size.

    Also return the rankings that are too long for a table.
    """
    order = rankings[np.argsort(sizes[rankings], kind="stable")]
    widths = [0, *(2**e for e in range(LONGEST_ROW.bit_length()))]
    ends = sizes[order].searchsorted(widths, side="right")
    tables = []
    for width, (begin, end) in zip(widths[1:], pairwise(ends), strict=True):
        n = max(1, TABLE_SIZE // width)
        tables += [order[i : min(i + n, end)] for i in range(begin, end, n)]
    return tables, order[ends[-1] :]


def _count_table(
    keys: NDArray[np.int64], weight: Array | None
) -> tuple[RankedCounts, ClassTotals | None]:
    """Count short rankings, each of them a row of keys; thresholds are keys without their label."""
    n_cells = keys.shape[1]
    if weight is None:
        keys.sort(axis=1)
    else:
        order = keys.argsort(axis=1) + np.arange(len(keys))[:, None] * n_cells
        keys = keys.take(order)
        weight = weight.take(order)
    positive = (keys & 1).astype(bool)
    keys >>= 1
    hit_positions = positive.ravel().nonzero()[0]
    blocks = TiedBlocks.find(begins_block(keys), hit_positions)
    row = blocks.begin // n_cells
    values = keys.ravel()[blocks.begin]
    if weight is None:
        counts = blocks.counts(hit_positions, row * n_cells)
        return RankedCounts(row, values, counts.tps, counts.fps, counts.fps_above), None
    # A row of sums is one cell longer, so an index shifts by the number of rows above.
    tps = _row_sums(weight * positive)
    fps = _row_sums(weight * ~positive)
    begin = blocks.begin + row
    end = blocks.last + row + 1
    columns = RankedCounts(row, values, tps.take(end), fps.take(end), fps.take(begin))
    return columns, ClassTotals(tps[:, -1], fps[:, -1])


def _row_sums(table: Array) -> Array:
    """Add up the first 0, 1, 2, ... cells of each row."""
    return np.pad(np.cumsum(table, axis=1), ((0, 0), (1, 0)))
