"""The rows of rankings: the place of each, the sampled unit to which it belongs, and their sums.

Rows at one place of a ranking are alike. Equations are those of ``docs/methods.md``: 4, and the
sums over units of 2 and 14.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._arithmetic import (
    RELATIVE_TOLERANCE,
    effective_number,
    order_by_ranking,
    segment_sums,
)
from sklearn_ap._counts.counting import SortedItems
from sklearn_ap._counts.thresholds import ThresholdCounts, kish_number, ratio
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap.definitions._base import Influence

MOST_UNSCORED = 1e15  # units of a ranking that are no rows, as integers hold thousands of these

T_co = TypeVar("T_co", covariant=True)


class ByClass(NamedTuple):
    """A number of the positives of each ranking, and one of its negatives."""

    positive: Float
    negative: Float


class ByKind(NamedTuple, Generic[T_co]):
    """A value, or an array of them, for each kind of place: three of thresholds and of rankings."""

    positive: T_co  # positives at a threshold
    tied: T_co  # negatives tied with it
    between: T_co  # negatives between it and the one above
    lost: T_co  # positives of a ranking that were not retrieved
    below: T_co  # negatives below all its thresholds
    unscored: T_co  # positives that are no rows


IS_POSITIVE = ByKind(True, False, False, True, False, True)


class Places(NamedTuple):
    """How places are numbered: kind by kind, and in each kind by threshold, or by ranking.

    With 3 thresholds of 2 rankings, these places are 0 to 8 of thresholds and 9 to 14 of rankings.
    """

    starts: Index  # the first threshold of each ranking
    n_thresholds: int

    @property
    def n_rankings(self) -> int:
        return self.starts.size

    @property
    def sizes(self) -> ByKind[int]:
        """The number of places of each kind."""
        return ByKind(*[self.n_thresholds] * 3, *[self.n_rankings] * 3)

    @property
    def total(self) -> int:
        """The number of all places."""
        return sum(self.sizes)

    @property
    def begins(self) -> ByKind[int]:
        """The first place of each kind: 0, 3, 6, 9, 11, 13 of 3 thresholds in 2 rankings."""
        return ByKind(*(np.cumsum(self.sizes) - self.sizes).tolist())

    def split(self, values: Array) -> ByKind[Array]:
        """Cut the last axis, which has a value of each place, into kinds."""
        return ByKind(*np.split(values, np.cumsum(self.sizes)[:-1], axis=-1))

    def join(self, values: ByKind[float | Array]) -> Array:
        """Return a value of each place, where one number stands for all places of a kind."""
        parts = zip(values, self.sizes, strict=True)
        return np.concatenate([np.broadcast_to(each, size) for each, size in parts])

    @property
    def threshold_ranking(self) -> Index:
        """The ranking of each threshold."""
        n_each = np.diff(self.starts, append=self.n_thresholds)
        return np.repeat(np.arange(self.n_rankings), n_each)

    @property
    def ranking(self) -> Index:
        """The ranking of each place."""
        each, rankings = self.threshold_ranking, np.arange(self.n_rankings)
        return self.join(ByKind(each, each, each, rankings, rankings, rankings))


@dataclass(frozen=True, eq=False)
class PlacedRows:
    """The rows of rankings: where each stands, and to which sampled unit it belongs.

    What one unit has in one ranking is a cell. The rows and the cells of a ranking stand together.
    A unit may stand for several that are alike: the rows of counts at one place, or all positives
    of a ranking that are no rows.
    """

    place: Index  # of each row: the number that ``Places`` gives it
    unit: Index  # of each row
    weight: Array  # of each row
    n_units: int
    places: Places  # all places at which rows may stand
    cell: Index | None = None  # of each row; None, which takes less time, if each has its own
    repeats: FloatOrArray = 1.0  # how many units each one stands for

    @cached_property
    def ranking(self) -> Index:
        """The ranking of each row."""
        return self.places.ranking[self.place]

    @cached_property
    def is_positive(self) -> Bool:
        """Whether each row is a positive."""
        return self.places.join(IS_POSITIVE)[self.place]

    @property
    def n_sampled(self) -> float:
        """The number of units, of which each counts as often as it repeats."""
        return float(np.broadcast_to(self.repeats, self.n_units).sum())

    @cached_property
    def cell_ranking(self) -> Index:
        """The ranking of each cell."""
        return self.ranking if self.cell is None else _cell_values(self.cell, self.ranking)

    @cached_property
    def cell_unit(self) -> Index:
        """The unit of each cell."""
        return self.unit if self.cell is None else _cell_values(self.cell, self.unit)

    @cached_property
    def cell_repeats(self) -> FloatOrArray:
        """How many units the unit of each cell stands for."""
        repeats = self.repeats
        return repeats[self.cell_unit] if isinstance(repeats, np.ndarray) else repeats

    @cached_property
    def first_cells(self) -> Index:
        """The first cell of each ranking."""
        return np.searchsorted(self.cell_ranking, np.arange(self.places.n_rankings))

    @cached_property
    def positives(self) -> Float:
        """The weight of the positives of each cell: p_u."""
        return self.add_up(self.weight * self.is_positive)

    @cached_property
    def negatives(self) -> Float:
        """The weight of the negatives of each cell: m_u."""
        return self.add_up(self.weight * ~self.is_positive)

    @cached_property
    def n_effective(self) -> Float:
        """The effective number of units of each ranking, by positives: equation 4."""
        return self.effective_number(self.positives)

    def effective_number(self, cell_weights: Float) -> Float:
        """Return the effective number of units of each ranking by what each of its cells weighs."""
        sums, squares = self.ranking_sums(cell_weights), self.ranking_sums(cell_weights**2)
        return kish_number(sums, squares)

    @property
    def row_by_row(self) -> PlacedRows:
        """The same rows, each of which is a unit."""
        return self if self.cell is None else replace(self, cell=None)

    @property
    def typical_weights(self) -> ByClass:
        """The typical weight of a row of each class in each ranking: sum(w^2) / sum(w).

        Where a ranking has no row of a class, it is that of the other class; 1 without any row.
        """
        return self.row_by_row._typical_weights_of_cells()

    def hidden_weights(self, phi: Influence) -> ByClass:
        """Return the weight of a hidden unit of each class in each ranking.

        Of clusters, it is that of so many rows as clusters make the sum of squared influences
        larger, at most that of a typical cluster, which it is without any influence.
        """
        row, rows = self.typical_weights, self.row_by_row
        if self.cell is None:
            return row
        together = self.ranking_sums(self.influences(phi) ** 2)
        apart = rows.ranking_sums(rows.influences(phi) ** 2)
        is_known = together * self.n_effective > RELATIVE_TOLERANCE**2  # no rounding
        times = ratio(together, np.where(is_known, apart, 0.0), otherwise=np.inf)
        most = self._typical_weights_of_cells()
        pairs = zip(row, most, strict=True)
        return ByClass(*(np.minimum(times * one_row, one_unit) for one_row, one_unit in pairs))

    def _typical_weights_of_cells(self) -> ByClass:
        sums = ByClass(self.ranking_sums(self.positives), self.ranking_sums(self.negatives))
        squares = self.ranking_sums(self.positives**2), self.ranking_sums(self.negatives**2)
        return _typical_weights(sums, ByClass(*squares))

    def add_up(self, row_values: Array) -> Float:
        """Add up the rows of each cell."""
        sums = row_values if self.cell is None else np.bincount(self.cell, row_values)
        return sums.astype(np.float64, copy=False)

    def ranking_sums(self, cell_values: Array) -> Float:
        """Add up the cells of each ranking, of all units that stand behind them."""
        repeats = self.cell_repeats
        # A product with 1 would be a copy.
        values = cell_values * repeats if isinstance(repeats, np.ndarray) else cell_values
        if self.places.n_rankings == 1:
            return np.sum(values, keepdims=True, dtype=np.float64)
        return segment_sums(values, self.first_cells)

    def unit_sums(self, factors: Float, cell_values: Float) -> Float:
        """Add up the cells of each unit over rankings, each times the factor of its ranking."""
        values = factors[self.cell_ranking] * cell_values
        return np.bincount(self.cell_unit, values, self.n_units).astype(np.float64)

    @property
    def units_of_rankings(self) -> Float:
        """The number of units of each ranking."""
        return self.ranking_sums(np.ones_like(self.positives))

    @property
    def has_clusters(self) -> Bool:
        """Whether some unit has several rows of a ranking."""
        if self.cell is None:
            return np.zeros(self.places.n_rankings, bool)
        n_cells = np.diff(self.first_cells, append=self.cell_ranking.size)
        return n_cells < np.bincount(self.ranking, minlength=self.places.n_rankings)

    def n_effective_of_mean(self, shares: Float, cell_weights: Float) -> float:
        """Return the effective number of units of a mean over rankings with these shares.

        Equation 4 with the p_u of equation 14: the shares of a unit in the size of each ranking.
        """
        factors = ratio(shares, self.ranking_sums(cell_weights), otherwise=0.0)
        return effective_number(self.unit_sums(factors, cell_weights), self.repeats)

    def influences(self, phi: Influence) -> Float:
        """Return the influence of each cell: equation 2, added up over its rows."""
        unscored, below = np.nan_to_num(phi.unscored), np.nan_to_num(phi.below)
        kinds = ByKind(phi.positive, phi.tied, phi.between, unscored, below, unscored)
        values = self.places.join(kinds)[self.place]
        values *= self.weight  # in place, as memory takes longer than the product
        return self.add_up(values)

    def table(self, cell_values: Float) -> csr_array:
        """Return the values of units in each ranking: (n_rankings, n_units)."""
        places = self.cell_ranking, self.cell_unit
        return csr_array((cell_values, places), shape=(self.places.n_rankings, self.n_units))


def _cell_values(cell: Index, row_values: Index) -> Index:
    """Return what all rows of a cell have in common."""
    values = np.zeros(int(cell.max(initial=-1)) + 1, np.intp)
    values[cell] = row_values
    return values


def rows_of_counts(counts: ThresholdCounts) -> PlacedRows:
    """Return the rows of unweighted counts: those at one place are alike."""
    # 1 0 (1 0) 0 -> places [0, 1, 3, 5, 7]
    tied, between, missing = counts.fps_tied, counts.fps_between, counts.unscored
    n_unscored, unscored_weight = _unscored_units(missing, np.ones(missing.size))
    places = Places(counts.starts, counts.gained.size)
    numbers = ByKind(
        positive=counts.gained,
        tied=tied,
        between=between,
        # Whole numbers, but for the rounding of fractional numbers that were never scored
        lost=np.rint(counts.n_positives - missing - counts.sum(counts.gained)),
        below=np.rint(counts.n_negatives - counts.sum(between + tied)),
        unscored=n_unscored,
    )
    repeats = places.join(numbers)
    weight = places.join(ByKind(1.0, 1.0, 1.0, 1.0, 1.0, unscored_weight))
    place = np.flatnonzero(repeats > 0)
    return _sort_rows(
        PlacedRows(
            place=place,
            unit=np.arange(place.size),
            weight=weight[place],
            n_units=place.size,
            places=places,
            repeats=repeats[place],
        )
    )


def rows_of_items(rankings: Rankings, items: SortedItems, n_models: int = 1) -> PlacedRows:
    """Return the rows of rankings, of which ``items`` are those that were retrieved.

    Their units are rows, or clusters of them, which the rankings of models share.
    """
    # 1 0 (1 0) 0 -> places [0, 5, 1, 3, 7], in the order of the rows
    n_rankings = rankings.n_rankings
    places = Places(items.counts.starts, items.counts.gained.size)
    numbers = places.split(np.arange(places.total))
    lost, below = numbers.lost, numbers.below
    retrieved_places = items.item_values(numbers.positive, numbers.tied, numbers.between, below)
    n_items = rankings.score.size
    place: Index = retrieved_places.astype(np.intp, copy=False)
    if retrieved_places.size < n_items:
        ranking = rankings.ranking_of_items
        place = np.where(rankings.positive, lost[ranking], below[ranking])
        place[rankings.is_retrieved] = retrieved_places
    n_copies = n_rankings if rankings.ranking is None else 1  # of the rows of a table
    unit = rankings.sampling.clusters
    if unit is None:
        unit = np.arange(n_items // n_copies)
    # One in memory for all rows
    weight = np.broadcast_to(np.int64(1), n_items)
    rows = PlacedRows(
        place=place,
        unit=np.tile(unit, n_copies) if n_copies > 1 else unit,
        weight=weight if rankings.weight is None else rankings.weight,
        n_units=int(unit.max()) + 1,
        places=places,
    )
    if rankings.n_unscored is not None:
        rows = _append_unscored(rows, rankings, n_models)
    rows = _sort_rows(rows)
    if rankings.sampling.clusters is None:
        return rows
    pair = rows.unit if n_rankings == 1 else rows.ranking * rows.n_units + rows.unit
    return replace(rows, cell=_number_pairs(pair, n_rankings * rows.n_units))


def _sort_rows(rows: PlacedRows) -> PlacedRows:
    """Bring the rows of each ranking together."""
    # Rankings [0, 1, 0] -> rows [0, 2, 1]
    if rows.places.n_rankings == 1 or (rows.ranking[1:] >= rows.ranking[:-1]).all():
        return rows
    order = order_by_ranking(rows.ranking, rows.places.n_rankings)
    return replace(rows, place=rows.place[order], unit=rows.unit[order], weight=rows.weight[order])


def _number_pairs(pair: Index, n_possible: int) -> Index:
    """Give each distinct pair a number: [5, 2, 5] becomes [1, 0, 1]."""
    if n_possible > 2 * pair.size:
        return np.unique(pair, return_inverse=True)[1]
    is_present = np.bincount(pair, minlength=n_possible) > 0  # a sort would take longer
    if is_present.all():
        return pair
    return (np.cumsum(is_present) - 1)[pair]


def unscored_units(rankings: Rankings) -> tuple[Float, Float]:
    """Return how many units the positives of rankings are that are no rows, and their weights.

    Each weighs about as much as the positives that are rows, or as negatives without any of these.
    """
    # Weights 10, 1 and 1 of positives, and 52 that were never scored -> 6 units
    rows = replace(rankings, n_negatives=None)
    squares = replace(rows, weight=np.square(rows.weight_of_items))
    typical = _typical_weights(
        ByClass(rows.weight_of_hits, rows.weight_of_negatives),
        ByClass(squares.weight_of_hits, squares.weight_of_negatives),
    ).positive
    missing = np.zeros(typical.size) if rankings.n_unscored is None else rankings.n_unscored
    return _unscored_units(missing, typical)


def _typical_weights(sums: ByClass, squares: ByClass) -> ByClass:
    """Return the typical weight of a row of each class from sums of weights, and of squares."""
    positive, negative = (
        ratio(each, total, otherwise=0.0) for total, each in zip(sums, squares, strict=True)
    )
    positive = np.where(positive > 0, positive, np.where(negative > 0, negative, 1.0))
    return ByClass(positive, np.where(negative > 0, negative, positive))


def _unscored_units(missing: Array, typical: Float) -> tuple[Float, Float]:
    """Return how many units of a typical weight these positives are, and the weight of each."""
    is_missing = missing > RELATIVE_TOLERANCE * typical
    n_units = np.where(is_missing, np.clip(np.rint(missing / typical), 1.0, MOST_UNSCORED), 0.0)
    return n_units, np.where(is_missing, missing, 0.0) / np.maximum(n_units, 1.0)


def _append_unscored(rows: PlacedRows, rankings: Rankings, n_models: int) -> PlacedRows:
    """Append the positives that are no rows: units that no rankings share but those of models."""
    # Two more positives of 1 0 (1 0) 0 -> unit 5 at place 8, which stands for 2
    n_each, each_weight = unscored_units(rankings)
    ranking = np.flatnonzero(n_each)
    weight = each_weight[ranking]
    n_more = ranking.size // n_models  # models lack the same positives
    if rows.weight.dtype.kind == "i" and np.array_equal(weight, np.rint(weight)):
        weight = weight.astype(np.int64)
    return replace(
        rows,
        place=np.append(rows.place, rows.places.begins.unscored + ranking),
        unit=np.append(rows.unit, rows.n_units + np.tile(np.arange(n_more), n_models)),
        weight=np.append(rows.weight, weight),
        n_units=rows.n_units + n_more,
        repeats=np.append(np.ones(rows.n_units), n_each[ranking[:n_more]]),
    )
