"""Replicates of a value, for definitions that are not smooth in the weights of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sklearn_ap._places import Places
from sklearn_ap._validation import Rankings
from sklearn_ap._variance import Spread
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions.influence import Influence

__all__ = ["Replicates", "Table", "replicate_counts", "replicate_items"]

Array = NDArray[Any]
Float = NDArray[np.float64]

CHUNK = 2_000_000  # cells, or units, that are drawn at once
FEW_ROWS = 100  # below this the number of rows is kept


class Replicates(NamedTuple):
    """Values of many samples drawn anew, and their positives: (n_resamples, n_rankings).

    A ranking that drew no positive is nan.
    """

    values: Float
    n_positives: Float

    def spread(
        self, reference: Replicates | None, found: Spread, shares: Float | None, *, weighted: bool
    ) -> Spread:
        """The variance of replicates, or of differences, with the degrees of freedom ``found``."""
        values = self.values if reference is None else self.values - reference.values
        variance = _variance(values)
        grown = np.divide(
            variance, found.variance, out=np.zeros_like(variance), where=found.variance > 0
        )
        spread = Spread(variance, found.fourth * grown * grown, found.cases)
        if shares is None:
            return spread
        if shares.size == 1:
            return spread._replace(joint=float(variance[0]))
        weights = np.where(np.isnan(values), 0, self.n_positives if weighted else shares)
        totals = weights.sum(axis=1)
        sums = (np.nan_to_num(values) * weights).sum(axis=1)
        averages = np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)
        return spread._replace(joint=float(_variance(averages[:, None])[0]))


def replicate_counts(
    definition: Definition, counts: ThresholdCounts, n_resamples: int, rng: Any
) -> Replicates:
    """Draw the cells of unweighted counts anew: the positives and negatives at each place."""
    rng = np.random.default_rng(rng)
    ends = counts.ends
    columns = []
    for ranking, (start, end) in enumerate(zip(counts.starts, ends, strict=True)):
        part = _Cells.of(counts, slice(start, end), ranking, definition.depth)
        parts = [
            _value(definition, part.draw(n, rng), part.thresholds)
            for n in _chunks(n_resamples, part.sizes.size)
        ]
        columns.append([np.concatenate(pieces) for pieces in zip(*parts, strict=True)])
    return Replicates(*(np.stack(column, axis=1) for column in zip(*columns, strict=True)))


def replicate_items(
    definition: Definition,
    tables: list[Table],
    missed: tuple[Float, Float],
    n_resamples: int,
    rng: Any,
) -> list[Replicates]:
    """Draw units anew, the same for all models and rankings, and count again.

    ``missed`` is how many positives of each ranking were never scored, and the weight of one.
    """
    rng = np.random.default_rng(rng)
    drawn: list[list[Any]] = [[] for _ in tables]
    number, weight = missed
    for n in _chunks(n_resamples, tables[0].n_units):
        times = rng.poisson(1.0, (tables[0].n_units, n))
        never = rng.poisson(number, (n, number.size)) * weight
        for pieces, table in zip(drawn, tables, strict=True):
            pieces.append(table.values(definition, times, never))
    return [
        Replicates(*(np.concatenate(part) for part in zip(*pieces, strict=True)))
        for pieces in drawn
    ]


def _chunks(n_resamples: int, n_cells: int) -> Iterator[int]:
    """How many replicates to draw at once."""
    size = max(1, CHUNK // max(n_cells, 1))
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


class _Cells(NamedTuple):
    """The cells of one ranking: positives, tied negatives, negatives between, and the rest."""

    thresholds: Array
    sizes: Array  # n of each of the three, then positives and negatives elsewhere

    @classmethod
    def of(
        cls, counts: ThresholdCounts, part: slice, ranking: int, depth: int | None
    ) -> _Cells:
        """As many thresholds of a ranking as replicates will look at."""
        gained, fps, fps_above = (
            values[part] for values in (counts.gained, counts.fps, counts.fps_above)
        )
        if depth is not None:
            # So many rows draw at least ``depth`` but once in 1e20.
            enough = depth + 10 * np.sqrt(depth) + 50
            n = np.count_nonzero(counts.before[part] < enough)
            gained, fps, fps_above = gained[:n], fps[:n], fps_above[:n]
        between = fps_above - np.concatenate(([0], fps[:-1]))
        rest = (
            counts.n_positives[ranking] - gained.sum(),
            counts.n_negatives[ranking] - (fps[-1] if fps.size else 0),
        )
        cells = np.concatenate((gained, fps - fps_above, between, rest))
        return cls(counts.thresholds[part][: gained.size], cells)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """The sizes of the cells in each of n samples."""
        total = self.sizes.sum()
        if total < FEW_ROWS and total == np.floor(total):
            return rng.multinomial(int(total), self.sizes / total, n)
        return rng.poisson(self.sizes, (n, self.sizes.size))


class Table(NamedTuple):
    """Which units fill which cells of each ranking of a model."""

    n_units: int
    parts: list[tuple[Array, Any]]  # thresholds, and weights (n_cells, n_units) of each ranking

    @classmethod
    def of(cls, rankings: Rankings, places: Places, codes: Array | None) -> Table:
        """Lay out rankings of the same rows; ``codes`` is the unit of each."""
        counts = places.counts
        size = rankings.score.size // rankings.n_rankings
        codes = np.arange(size) if codes is None else codes
        weights = np.ones(rankings.score.size, int) if rankings.weight is None else rankings.weight
        n_units, parts = int(codes.max()) + 1, []
        cells = _cells(places).reshape(-1, size)
        for r, (start, end) in enumerate(zip(counts.starts, counts.ends, strict=True)):
            n_cells = 3 * (end - start) + 2
            cell = np.where(cells[r] < 0, n_cells - 1, cells[r])
            entries = weights[r * size : (r + 1) * size], (cell, codes)
            table = csr_array(entries, shape=(n_cells, n_units))
            parts.append((counts.thresholds[start:end], table))
        return cls(n_units, parts)

    def values(self, definition: Definition, times: Array, missed: Float) -> tuple[Float, Float]:
        """The values of the rankings in which each unit stands so many times."""
        found = []
        for ranking, (thresholds, weights) in enumerate(self.parts):
            cells = (weights @ times).T
            cells[:, -2] = missed[:, ranking]
            found.append(_value(definition, cells, thresholds))
        values, n_positives = zip(*found, strict=True)
        return np.stack(values, axis=1), np.stack(n_positives, axis=1)


def _cells(places: Places) -> NDArray[np.intp]:
    """The cell of each item: positives, tied, between; -1 below the last threshold."""
    counts = places.counts
    n_thresholds = (counts.ends - counts.starts)[counts.ranking()]
    place = np.arange(counts.thresholds.size) - counts.starts[counts.ranking()]
    by_place = Influence(place, place + n_thresholds, place + 2 * n_thresholds, place[:0])
    return places.of_items(by_place, below=-1).astype(np.intp)


def _value(definition: Definition, cells: Array, thresholds: Array) -> tuple[Float, Float]:
    """The values and positives of rankings whose cells are laid out in rows."""
    counts = _laid_out(cells, thresholds)
    n_positives = counts.n_positives.astype(np.float64)
    return np.minimum(definition(counts), 1.0), n_positives


def _laid_out(cells: Array, thresholds: Array) -> ThresholdCounts:
    """Rankings whose cells are positives, tied, between, and the rest; one in each row."""
    n, size = len(cells), thresholds.size
    gained, tied, between = cells[:, : 3 * size].reshape(n, 3, size).transpose(1, 0, 2)
    tps, fps = np.cumsum(gained, axis=1), np.cumsum(tied + between, axis=1)
    kept = gained > 0  # a threshold at which nothing is gained is none
    scores = np.broadcast_to(thresholds, kept.shape)[kept]
    n_kept = np.count_nonzero(kept, axis=1)
    last = np.cumsum(n_kept)
    n_positives, n_negatives = gained.sum(axis=1) + cells[:, -2], cells[:, -1]
    if size:
        n_negatives = n_negatives + fps[:, -1]
    return ThresholdCounts(
        scores,
        gained[kept],
        tps[kept],
        fps[kept],
        (fps - tied)[kept],
        last - n_kept,
        n_positives,
        n_negatives,
    )


def _variance(values: Float) -> Float:
    """The variance of the replicates of each ranking, without those that are nan."""
    known = ~np.isnan(values)
    number = np.count_nonzero(known, axis=0)
    means = np.divide(
        np.where(known, values, 0.0).sum(axis=0), number, out=np.zeros(number.size), where=number > 0
    )
    squares = np.where(known, values - means, 0.0) ** 2
    return squares.sum(axis=0) / np.maximum(number - 1, 1)
