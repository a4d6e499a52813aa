"""Where positives are rare, most negatives stand away from them, and are counted without a sort."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._tables import taken
from sklearn_ap._threads import map_threads, n_threads
from sklearn_ap._validation import Rankings

__all__ = ["Sieved", "sample_of", "sieved"]

Array = NDArray[Any]
Ranking = NDArray[np.intp] | int  # of each score; 0 if all are in one ranking

FEWEST_ROWS = 2**16  # fewer are sorted as fast
ROWS_PER_RANKING = 16
ROWS_PER_POSITIVE = 16  # with more positives, a sort of all is as fast
CELLS_PER_POSITIVE = 8
MOST_CELLS = 2**20  # 8 MB in each thread
FIRST = 256  # positives, to see whether scores are distinct
MOST_NEAR = 0.5  # of the rows; where there are more, a sort of all is as fast
# Rows to look at, as shares of all: multiples of the golden ratio lie evenly, and follow no period.
SAMPLE = np.arange(4096) * 0.6180339887498949 % 1
CHUNK = 2**17  # rows that the cache holds
STEEPEST = 1e300  # cells per unit of the score
LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True, slots=True)
class Cells:
    """Steps of the score, from the lowest positive of each ranking up to the highest.

    One more cell lies below them, and one above. Rounding may move the limits of a cell, but never
    turns two scores around: scores in a lower cell are lower.
    """

    logs: bool  # whether the steps are those of logarithms, nearly
    low: NDArray[np.float64]  # of each ranking, its lowest positive
    per_unit: NDArray[np.float64]
    begin: NDArray[np.intp]  # the cell of the lowest positive
    top: NDArray[np.float64]  # how many cells above that one the last one is
    occupied: NDArray[np.bool_]  # which cells hold a positive

    def of(self, score: Array, ranking: Ranking) -> NDArray[np.intp]:
        """The cell of each score."""
        # positives [2, 6] and 4 steps: scores [1, 2, 3, 5, 6, 8] -> cells [0, 1, 2, 4, 5, 6]
        with np.errstate(over="ignore"):
            step = np.subtract(_read(score, self.logs), self.low.take(ranking), dtype=np.float64)
            step *= self.per_unit.take(ranking)
        np.clip(step, -1, self.top.take(ranking), out=step)
        cell = step.astype(np.intp)
        cell += self.begin.take(ranking)
        return cell


@dataclass(frozen=True, slots=True)
class Sieved:
    """Rankings without the negatives whose cell holds no positive; what these weigh."""

    near: Rankings
    cells: Cells
    far: Array  # the weight of what is left out, of each cell

    @property
    def left_out(self) -> Array:
        """The weight of what is left out of each ranking."""
        first = self.cells.begin - 1
        return np.add.reduceat(self.far, first[::-1])[::-1]

    def above(self, thresholds: Array, starts: NDArray[np.intp]) -> Array:
        """The weight of what is left out above each threshold."""
        sizes, every = np.diff(starts, append=thresholds.size), np.arange(starts.size)
        cell = self.cells.of(thresholds, np.repeat(every, sizes) if every.size > 1 else 0)
        # Rankings with thresholds in cells [9, 7] and [3], and begin [6, 2]
        # -> edges [9, 7, 5, 3, 1], from each of which up to the one before is summed.
        ends = starts + sizes
        edges = np.insert(cell, ends, self.cells.begin - 1)
        between = np.add.reduceat(self.far, edges[::-1])[::-1]
        return _running(np.delete(between, ends + every), starts, sizes)


def sieved(rankings: Rankings) -> Sieved | None:
    """Leave out what stands away from all positives; None where a sort of all is as fast."""
    score, n, n_rankings = rankings.score, rankings.score.size, rankings.n_rankings
    if n < max(FEWEST_ROWS, ROWS_PER_RANKING * n_rankings):
        return None
    if rankings.several and n >= FEWEST_ROWS * n_rankings:
        return None  # long rankings are counted, and sieved, one by one
    if not 0 < np.count_nonzero(rankings.positive) <= n // ROWS_PER_POSITIVE:
        return None
    hit = rankings.positive.nonzero()[0]
    hits, ranking = score[hit], np.broadcast_to(_ranking_of(rankings, hit), hit.shape)
    if 2 * np.unique(hits[:FIRST]).size < hits[:FIRST].size:
        return None  # few distinct scores, of which a sort is fast
    n_hits = np.bincount(ranking, minlength=n_rankings)
    if 2 * np.count_nonzero(n_hits) < n_rankings:
        return None  # where most rankings have no positives, these are left out anyway
    some = sample_of(n)
    # Probabilities of what is rare crowd near 0, where steps of logarithms are short.
    for logs in (False, True):
        cells = _cells_of(hits, ranking, n_hits, logs)
        if cells is not None:
            near = cells.occupied[cells.of(score[some], _ranking_of(rankings, some))]
            if np.count_nonzero(near) <= MOST_NEAR * near.size:
                return _sift(rankings, cells)
    return None


def sample_of(n_rows: int) -> NDArray[np.intp]:
    """Some rows out of so many."""
    return (SAMPLE * n_rows).astype(np.intp)


def _cells_of(
    hits: Array, ranking: NDArray[np.intp], n_hits: NDArray[np.intp], logs: bool
) -> Cells | None:
    """Cells for these positives; None where float64 cannot hold what the steps need."""
    if hits.dtype.kind not in "iuf" or hits.itemsize > 8:
        return None
    if logs and (hits.dtype.kind != "f" or hits.min() <= 0):
        return None
    values = _read(hits, logs).astype(np.float64)
    low, high = np.full(n_hits.size, LARGEST), np.full(n_hits.size, -LARGEST)
    np.minimum.at(low, ranking, values)
    np.maximum.at(high, ranking, values)
    with np.errstate(over="ignore", invalid="ignore"):
        width = high - low  # below 0 without positives
    if not (width < np.inf).all():
        return None
    each = min(CELLS_PER_POSITIVE, MOST_CELLS / hits.size)
    steps = np.ceil(each * n_hits)
    per_unit = np.full(n_hits.size, STEEPEST)
    with np.errstate(over="ignore"):
        np.divide(steps, width, out=per_unit, where=width > 0)
    np.minimum(per_unit, STEEPEST, out=per_unit)
    # The first ranking has the last cells: so cells rise as thresholds do if read from the end.
    ends = np.cumsum(steps[::-1] + 3)[::-1].astype(np.intp)
    begin = ends - steps.astype(np.intp) - 2
    cells = Cells(logs, low, per_unit, begin, steps + 1, np.zeros(ends[0], dtype=bool))
    cells.occupied[cells.of(hits, ranking)] = True
    return cells


def _sift(rankings: Rankings, cells: Cells) -> Sieved:
    score, weight, n_cells = rankings.score, rankings.weight, cells.occupied.size
    near = np.empty(score.size, dtype=bool)
    size = max(CHUNK, n_cells // 2)
    width = score.size // rankings.n_rankings
    equal = rankings.several and rankings.ranking is None
    if equal:  # a chunk holds whole rankings
        size = max(1, size // width) * width

    def sift(i: int) -> Array:
        here = slice(i, i + size)
        values, ranking = score[here], 0 if rankings.ranking is None else rankings.ranking[here]
        if equal:
            values = values.reshape(-1, width)
            ranking = np.arange(i // width, i // width + len(values))[:, None]
        cell = cells.of(values, ranking).ravel()
        near[here] = cells.occupied.take(cell)
        return np.bincount(cell, None if weight is None else weight[here], n_cells)

    far = reduce(np.add, map_threads(sift, range(0, score.size, size), n_threads(score.size)))
    far[cells.occupied] = 0
    rows = near.nonzero()[0]
    columns = taken((rankings.positive, score, weight), rows)
    ranking = _ranking_of(rankings, rows) if rankings.several else None
    return Sieved(Rankings(*columns, ranking, rankings.n_rankings), cells, far)


def _read(score: Array, logs: bool) -> Array:
    # The bits of a positive float, as an integer: first the exponent, then the digits.
    return score.view(score.dtype.str.replace("f", "i")) if logs else score


def _ranking_of(rankings: Rankings, rows: NDArray[np.intp]) -> Any:
    """The ranking of each row; 0 if all rows are one."""
    if not rankings.several:
        return 0
    if rankings.ranking is not None:
        return rankings.ranking[rows]
    return rows // (rankings.score.size // rankings.n_rankings)


def _running(values: Array, starts: NDArray[np.intp], sizes: NDArray[np.intp]) -> Array:
    """Sums of the first 1, 2, 3, ... values of each ranking, which no other ranking rounds."""
    if starts.size == 1:
        return values.cumsum()
    # Sums of the last 1, 2, 4, ... values: [1, 2, 3, 4] -> [1, 3, 5, 7] -> [1, 3, 6, 10]
    sums, place = values.copy(), np.arange(values.size) - np.repeat(starts, sizes)
    reach = 1
    while reach < sizes.max():
        sums[reach:] += np.where(place[reach:] < reach, 0, sums[:-reach])
        reach *= 2
    return sums
