"""Replicates of a value, for definitions that are not smooth in the weights of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sklearn_ap._certainty.formulas import Spread
from sklearn_ap._certainty.places import Places
from sklearn_ap._scoring import values_of
from sklearn_ap._validation import Rankings
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions.influence import Influence

__all__ = ["Replicates", "replicate_counts", "replicate_items"]

Array = NDArray[Any]
Float = NDArray[np.float64]

CHUNK = 2_000_000  # cells, or units, that are drawn at once
NO_DEGREES = 1e12  # twice the variance of a variance, over its square
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
        middle, variance = _moments(values)
        one = shares is not None and shares.size == 1
        if one:
            middle, variance = middle[0], variance[0]
        # As many degrees of freedom as ``found`` has: none where that has no variance.
        known = np.where(found.variance > 0, found.variance, 1.0)
        grown = np.where(found.variance > 0, found.fourth / known**2, NO_DEGREES)
        fourth = grown * variance * variance
        shown = None if reference is not None else middle
        spread = Spread(variance, fourth, found.cases, None, shown)
        if shares is None or one:
            return spread
        weights = np.where(np.isnan(values), 0, self.n_positives if weighted else shares)
        totals = weights.sum(axis=1)
        sums = (np.nan_to_num(values) * weights).sum(axis=1)
        averages = np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)
        return spread._replace(joint=float(_moments(averages[:, None])[1][0]))


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
    placed: list[tuple[Rankings, Places]],
    units: tuple[Array, int],
    missed: tuple[Float, Float],
    resamples: tuple[int, Any],
) -> list[Replicates]:
    """Draw units anew, the same for all models and rankings, and count again.

    ``units`` are the unit of each item, and how many there are; ``missed`` how many positives of
    each ranking were never scored, and the weight of one; ``resamples`` their number and rng.
    """
    rng, (number, weight) = np.random.default_rng(resamples[1]), missed
    tables, n_units, n_unseen = _tables(placed, *units, definition.depth)
    drawn: list[list[Any]] = [[] for _ in tables]
    for n in _chunks(resamples[0], n_units):
        times = rng.poisson(1.0, (n_units, n))
        never = rng.poisson(number + n_unseen, (n, number.size)) * weight
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
    def of(cls, counts: ThresholdCounts, part: slice, ranking: int, depth: int | None) -> _Cells:
        """As many thresholds of a ranking as replicates will look at."""
        gained, fps, fps_above = (
            values[part] for values in (counts.gained, counts.fps, counts.fps_above)
        )
        if depth is not None:
            n = np.count_nonzero(counts.before[part] < _enough(depth))
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


class _Table(NamedTuple):
    """Which units fill which cells of each ranking: thresholds, and weights (n_cells, n_units).

    A ranking of T thresholds has 3 T + 2 cells: positives, tied, between, and the rest.
    """

    parts: list[tuple[Array, Any]]

    def values(self, definition: Definition, times: Array, missed: Float) -> tuple[Float, Float]:
        """The values of the rankings in which each unit stands so many times."""
        found = []
        for ranking, (thresholds, weights) in enumerate(self.parts):
            cells = (weights @ times).T
            cells[:, -2] += missed[:, ranking].astype(cells.dtype)
            found.append(_value(definition, cells, thresholds))
        values, n_positives = zip(*found, strict=True)
        return np.stack(values, axis=1), np.stack(n_positives, axis=1)


def _tables(
    placed: list[tuple[Rankings, Places]], codes: Array, n_units: int, depth: int | None
) -> tuple[list[_Table], int, int]:
    """Lay out the items of each model; how many units there are, and how many positives beside.

    Rows that stand too low in all models are no units, as replicates see their number alone.
    """
    rankings = placed[0][0]
    plain = rankings.weight is None and rankings.n_rankings == 1 and n_units == codes.size
    if depth is None or not plain:
        cells = [_cells(places) for _, places in placed]
        return _filled(placed, cells, codes, n_units), n_units, 0
    cells = [_cells(places, depth) for _, places in placed]
    is_seen = np.any([cell >= 0 for cell, _ in cells], axis=0)
    n_unseen = int(np.count_nonzero(rankings.positive & ~is_seen))
    codes = np.where(is_seen, np.cumsum(is_seen) - 1, -1)
    n_seen = int(np.count_nonzero(is_seen))
    return _filled(placed, cells, codes, n_seen), n_seen, n_unseen


def _filled(
    placed: list[tuple[Rankings, Places]],
    cells: list[tuple[Array, Array]],
    codes: Array,
    n_units: int,
) -> list[_Table]:
    """The weight of each unit in each cell; items of the unit -1 are left out."""
    tables = []
    for (rankings, places), (cell_of_items, sizes) in zip(placed, cells, strict=True):
        parts, bounds = [], places.bounds
        for r, (start, size) in enumerate(zip(places.counts.starts, sizes, strict=True)):
            items = places.order[bounds[r] : bounds[r + 1]]
            items = items[codes[items] >= 0]
            n_cells, cell = 3 * size + 2, cell_of_items[items]
            weights = np.ones_like(cell) if rankings.weight is None else rankings.weight[items]
            entries = weights, (np.where(cell < 0, cell + n_cells, cell), codes[items])
            table = csr_array(entries, shape=(n_cells, n_units))
            parts.append((places.counts.thresholds[start : start + size], table))
        tables.append(_Table(parts))
    return tables


def _cells(places: Places, depth: int | None = None) -> tuple[NDArray[np.intp], Array]:
    """The cell of each item, and how many thresholds each ranking has as far as ``depth``.

    -2 is the rest of the positives, and -1 the rest of the negatives.
    """
    counts = places.counts
    sizes = counts.ends - counts.starts
    if depth is not None:
        sizes = np.array([np.count_nonzero(counts.before < _enough(depth))])
    size, place = sizes[counts.ranking()], np.arange(counts.thresholds.size)
    place = place - counts.starts[counts.ranking()]
    kept = place < size
    cells = [np.where(kept, place + i * size, -1.0) for i in range(3)]
    cells[0][~kept] = -2
    by_place = Influence(cells[0], cells[1], cells[2], np.empty(0))
    return places.of_items(by_place, below=-1).astype(np.intp), sizes


def _enough(depth: int) -> float:
    """So many rows draw fewer than ``depth`` but once in 1e20."""
    return depth + 10 * np.sqrt(depth) + 50


def _value(definition: Definition, cells: Array, thresholds: Array) -> tuple[Float, Float]:
    """The values and positives of rankings whose cells are laid out in rows."""
    counts = _laid_out(cells, thresholds)
    n_positives = counts.n_positives.astype(np.float64)
    return values_of(definition, counts), n_positives


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


def _moments(values: Float) -> tuple[Float, Float]:
    """Mean and variance of the replicates of each ranking, without those that are nan."""
    known = ~np.isnan(values)
    number = np.maximum(np.count_nonzero(known, axis=0), 1)
    means = np.where(known, values, 0.0).sum(axis=0) / number
    squares = np.where(known, values - means, 0.0) ** 2
    return means, squares.sum(axis=0) / np.maximum(number - 1, 1)
