"""Short rankings side by side: which stand in one table, and what stands at their positives."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._groups import begins_run
from sklearn_ap._validation import Rankings

__all__ = ["Rows", "batches", "sizes_of", "sliced", "table", "taken", "together"]

Array = NDArray[Any]
Rows = tuple[NDArray[np.bool_], Array, Array | None]  # positive, score, weight

CELLS = 2**14  # of a table, which the cache holds with all that is made of it
LONGEST_ROW = 2048  # longer rankings cost less alone


def sizes_of(rankings: Rankings) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """How many positives, and how many rows, each ranking has."""
    n, ranking = rankings.n_rankings, rankings.ranking
    hit = rankings.positive.nonzero()[0]
    if ranking is not None:
        return np.bincount(ranking[hit], minlength=n), np.bincount(ranking, minlength=n)
    size = rankings.score.size // n
    return np.bincount(hit // size, minlength=n), np.full(n, size)


def together(
    rankings: Rankings, n_hits: NDArray[np.intp], sizes: NDArray[np.intp]
) -> tuple[Array | None, NDArray[np.intp]]:
    """An order of the rows that brings each ranking together; where in it each begins.

    None if rankings are together as they are. Those without positives may be left out.
    """
    ranking = rankings.ranking
    if ranking is None:
        return None, np.cumsum(sizes) - sizes
    is_first = begins_run(ranking)
    if np.count_nonzero(is_first) == np.count_nonzero(sizes):
        begins = is_first.nonzero()[0]
        starts = np.zeros_like(sizes)
        starts[ranking[begins]] = begins
        return None, starts
    counted = None
    if sizes[n_hits > 0].sum() < ranking.size // 2:
        counted = (n_hits > 0)[ranking].nonzero()[0]
        ranking = ranking[counted]
    # One entry per row, its column the ranking: SciPy brings columns together by counting, twice
    # as fast as a radix sort. Nothing is asked of the entries but where they are.
    index = np.int32 if ranking.size < 2**31 else np.int64
    every = np.arange(ranking.size + 1, dtype=index)
    entries = rankings.positive[: ranking.size], ranking.astype(index), every
    columns = sparse.csr_array(entries, shape=(ranking.size, sizes.size)).tocsc()
    order = columns.indices if counted is None else counted[columns.indices]
    return order, columns.indptr[:-1].astype(np.intp)


def batches(
    sizes: NDArray[np.intp], scored: NDArray[np.intp]
) -> tuple[list[NDArray[np.intp]], NDArray[np.intp]]:
    """Rankings of 1, 2, 3 to 4, 5 to 8, ... rows, as many as fill a table; and the long ones."""
    short = np.minimum(sizes[scored], LONGEST_ROW + 1).astype(np.uint16)
    order = scored[np.argsort(short, kind="stable")]
    widths = [0, *(2**e for e in range(LONGEST_ROW.bit_length()))]
    ends = sizes[order].searchsorted(widths, side="right")
    tables = []
    for width, (begin, end) in zip(widths[1:], pairwise(ends), strict=True):
        n = max(1, CELLS // width)
        tables += [order[i : min(i + n, end)] for i in range(begin, end, n)]
    return tables, order[ends[-1] :]


def table(
    rows: Rows,
    order: Array | None,
    starts: NDArray[np.intp],
    sizes: NDArray[np.intp],
    n_hits: NDArray[np.intp],
) -> tuple[Array, ...]:
    """Count short rankings, each of them a row of a table: what stands at each of their positives.

    The totals of each ranking follow, if there are weights.
    """
    width, ranking = sizes.max(), np.arange(sizes.size)
    cell = np.arange(width)
    real = cell < sizes[:, None]
    source = starts[:, None] + cell * real
    positive, score, weight = taken(rows, source if order is None else order.take(source))
    if sizes.min() < width:  # a shorter ranking is filled up, at its lower end
        positive &= real
        score[~real] = -np.inf if score.dtype.kind == "f" else np.iinfo(score.dtype).min
    from_top = score.argsort(axis=1)[:, ::-1] + ranking[:, None] * width
    positive, score = positive.take(from_top), score.take(from_top)
    hit = positive.ravel().nonzero()[0]
    begin, end = _blocks(score, hit)
    row = np.repeat(ranking, n_hits)
    if weight is not None:
        mass = (weight * real).take(from_top)
        tps, fps = _sums(mass * positive), _sums(mass * ~positive)
        begin, end = begin + row, end + row  # sums have a cell more in each row
        columns = tps.take(end), fps.take(end), fps.take(begin)
        return score.take(hit), *columns, tps[:, -1], fps[:, -1]
    # As integers, all rows can be counted as one, from where each of them starts.
    starts, n_above = row * width, (np.cumsum(n_hits) - n_hits)[row]
    reached = _sums(positive.reshape(1, -1)).ravel()
    tps = reached[end] - n_above
    fps = np.minimum(end - starts, sizes[row]) - tps
    fps_above = fps if begin is hit else begin - starts - (reached[begin] - n_above)
    return score.take(hit), tps, fps, fps_above


def sliced(rows: Rows, where: slice) -> Rows:
    """The rows of a slice, not copied."""
    positive, score, weight = rows
    return positive[where], score[where], None if weight is None else weight[where]


def taken(rows: Rows, where: Array) -> Rows:
    """The rows at such places."""
    positive, score, weight = rows
    return positive.take(where), score.take(where), None if weight is None else weight.take(where)


def _blocks(score: Array, cells: Array) -> tuple[Array, Array]:
    """Where in the table the cells that are tied with each of some begin, and where they end."""
    # scores [3, 2, 2, 1] and cells [2, 3] -> [1, 3] and [3, 4]
    is_first = begins_run(score)
    if np.count_nonzero(is_first) == is_first.size:
        return cells, cells + 1
    edges = np.append(is_first.ravel().nonzero()[0], is_first.size)
    block = np.cumsum(is_first)[cells]
    return edges[block - 1], edges[block]


def _sums(table: Array) -> Array:
    """Sums of the first 0, 1, 2, ... cells of each row."""
    sums = np.zeros((table.shape[0], table.shape[1] + 1), np.result_type(table, np.intp))
    np.cumsum(table, axis=1, out=sums[:, 1:])
    return sums
