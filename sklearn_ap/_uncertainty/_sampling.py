"""What was sampled: rows and their units, the effective number of these, and what they show.

Equations are those of ``docs/methods.md``: 3, 4 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.counting import SortedItems
from sklearn_ap._counts.sums import order_by_ranking, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap.definitions._base import Influence

# Numbers that differ by less are equal. Sums of millions of weights are exact to this.
ROUNDING = RELATIVE_TOLERANCE
# Sizes of larger weights, or smaller ones, are scaled: squares of 1e200 are infinite, of 1e-200 0.
MOST_WEIGHT = 1e100
# Units in memory for the positives of a ranking that are no rows. Fewer and heavier ones instead of
# more of them change a standard error by less than a thousandth of the score.
MOST_UNSCORED = 1_000_000


class Sizes(NamedTuple):
    """The weight of the rows of one class.

    Parameters
    ----------
    cells : ndarray of shape (n_cells,)
        Over the ``scale`` of their ranking.
    total, squares : ndarray of shape (n_rankings,)
        The sum over units, and that of squares.
    scale : ndarray of shape (n_rankings,)
        1 for ordinary weights.
    """

    cells: Float
    total: Float
    squares: Float
    scale: Float

    @property
    def n_effective(self) -> Float:
        """The effective number of units, 0 without any: equation 4."""
        return kish(self.total, self.squares)

    @property
    def typical(self) -> Float:
        """The typical weight of a unit, sum(w^2) / sum(w); 0 without any."""
        return _ratio(self.squares, self.total, 0.0) * self.scale


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows of rankings: where each stands, and to which sampled unit it belongs.

    With T thresholds of R rankings, the places are T of positives at a threshold, T of negatives
    tied with it, T of negatives between it and the one above; then, of each ranking, R of positives
    that were not retrieved, R of negatives below all thresholds, and R of positives that are no
    rows. What one unit has in one ranking is a cell. The rows and the cells of a ranking stand
    together.

    Parameters
    ----------
    place, ranking, unit : ndarray of int of shape (n_rows,)
    is_positive : ndarray of bool of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
    n_units : int
    starts : ndarray of int of shape (n_rankings,)
        The first threshold of each ranking.
    n_thresholds : int
    cell : ndarray of int of shape (n_rows,), default=None
        The cell of each row; None if each has its own.
    repeats : ndarray of shape (n_units,), default=None
        How many units stand behind each one, which is the rows of counts at one place. None for 1.
    """

    place: Index
    ranking: Index
    unit: Index
    is_positive: Bool
    weight: Array
    n_units: int
    starts: Index
    n_thresholds: int
    cell: Index | None = None
    repeats: Float | None = None

    @property
    def n_rankings(self) -> int:
        return self.starts.size

    @cached_property
    def is_unweighted(self) -> bool:
        """Whether each row at or above some threshold counts once."""
        return bool((self.weight[self.place < 3 * self.n_thresholds] == 1).all())

    @cached_property
    def cell_ranking(self) -> Index:
        """The ranking of each cell."""
        return self.ranking if self.cell is None else _cell_values(self.cell, self.ranking)

    @cached_property
    def cell_unit(self) -> Index:
        """The unit of each cell."""
        return self.unit if self.cell is None else _cell_values(self.cell, self.unit)

    @cached_property
    def first_cells(self) -> Index:
        """The first cell of each ranking."""
        return np.searchsorted(self.cell_ranking, np.arange(self.n_rankings))

    @cached_property
    def cell_repeats(self) -> Float | None:
        """How many units are like that of each cell; None for 1."""
        return None if self.repeats is None else self.repeats[self.cell_unit]

    @cached_property
    def positives(self) -> Sizes:
        """The weight of the positives of each cell: p_u."""
        return self._sizes(self.is_positive)

    @cached_property
    def negatives(self) -> Sizes:
        """The weight of the negatives of each cell: m_u."""
        return self._sizes(~self.is_positive)

    def _sizes(self, is_counted: Bool) -> Sizes:
        weight = self.weight * is_counted
        scale = np.ones(self.n_rankings)
        if weight.max(initial=0) > MOST_WEIGHT or self.weight.min(initial=1) * MOST_WEIGHT < 1:
            largest = np.zeros(self.n_rankings)
            np.maximum.at(largest, self.ranking, weight)
            scale = np.ldexp(scale, np.frexp(largest)[1] - 1)  # a power of 2 rounds nothing
            weight = weight / scale[self.ranking]
        cells = self.add_up(weight)
        return Sizes(cells, self.ranking_sums(cells), self.ranking_sums(cells**2), scale)

    def add_up(self, row_values: Array) -> Float:
        """Add up the rows of each cell."""
        sums = row_values if self.cell is None else np.bincount(self.cell, row_values)
        return sums.astype(np.float64, copy=False)

    def ranking_sums(self, cell_values: Array) -> Float:
        """Add up the cells of each ranking, of all units."""
        if self.cell_repeats is not None:
            cell_values = cell_values * self.cell_repeats
        return segment_sums(cell_values, self.first_cells)

    def unit_sums(self, factors: Float, cell_values: Float) -> Float:
        """Add up the cells of each unit over rankings, each times the factor of its ranking."""
        values = factors[self.cell_ranking] * cell_values
        return np.bincount(self.cell_unit, values, self.n_units).astype(np.float64)

    @property
    def units_of_rankings(self) -> Float:
        """The number of units of each ranking."""
        return self.ranking_sums(np.ones(self.cell_unit.size))

    @property
    def has_clusters(self) -> Bool:
        """Whether some unit has several rows of a ranking."""
        n_cells = np.diff(self.first_cells, append=self.cell_ranking.size)
        return n_cells < np.diff(self.rows.first_cells, append=self.ranking.size)

    @cached_property
    def rows(self) -> Sample:
        """The same rows, each a unit of its own."""
        return self if self.cell is None else replace(self, cell=None)

    def n_effective_of_mean(self, shares: Float, sizes: Sizes) -> float:
        """Return the effective number of units of a mean over rankings with these shares.

        Equation 4 with the p_u of equation 15: the shares of a unit in the size of each ranking.
        """
        return effective_number(self.unit_sums(_ratio(shares, sizes.total, 0.0), sizes.cells))

    @cached_property
    def typical_weights(self) -> tuple[Float, Float]:
        """The typical weight of a positive and of a negative row of each ranking.

        Where a ranking has no row of a class, it is that of the other class; 1 without any row.
        """
        positives, negatives = self.rows.positives, self.rows.negatives
        negative = np.where(negatives.total > 0, negatives.typical, 1.0)
        positive = np.where(positives.total > 0, positives.typical, negative)
        return positive, np.where(negatives.total > 0, negative, positive)

    def influences(self, influence: Influence) -> Float:
        """Return the influence of each cell: equation 2, added up over its rows."""
        below = influence.below + np.zeros(self.n_rankings)
        unscored, below = (np.where(np.isnan(x), 0.0, x) for x in (influence.unscored, below))
        threshold_values = influence.positive, influence.tied, influence.between
        place_values = np.concatenate((*threshold_values, unscored, below, unscored))
        return self.add_up(self.weight * place_values[self.place])


def _cell_values(cell: Index, row_values: Index) -> Index:
    """Return what all rows of a cell have in common."""
    values = np.zeros(int(cell.max(initial=-1)) + 1, np.intp)
    values[cell] = row_values
    return values


def _ratio(numerator: Array, denominator: Array, otherwise: FloatOrArray) -> Float:
    """Divide where the denominator is positive."""
    safe = np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, numerator / safe, otherwise)


def kish(total: FloatOrArray, squares: FloatOrArray) -> Float:
    """Return the effective number of Kish (1965), 0 without any size: equation 4."""
    return _ratio(np.square(total), np.asarray(squares), 0.0)


def effective_number(sizes: Float) -> float:
    """Return the effective number of units of these sizes: equation 4."""
    # Not sizes @ sizes, whose threads take longer to wake up than the sum takes.
    return float(kish(np.sum(sizes), np.sum(sizes**2)))


def variance_factor(n_effective: FloatOrArray) -> Float:
    """Return f of equation 3."""
    return n_effective / np.maximum(n_effective - 1, 1)


def variance_and_degrees(
    squares: FloatOrArray,
    fourth_powers: FloatOrArray,
    n_units: FloatOrArray,
    n_effective: FloatOrArray,
) -> tuple[Float, Float]:
    """Return V and its degrees of freedom nu, from sums over the influences of units.

    Equations 3 and 9. A variance below rounding is 0, and has no degrees of freedom.
    """
    is_seen = squares * n_effective > ROUNDING**2
    safe = np.where(is_seen, squares, 1.0)
    excess = fourth_powers / safe**2 - 1 / np.maximum(n_units, 1)
    nu = np.where(is_seen, 2 / np.maximum(excess, ROUNDING), 0.0)
    return np.where(is_seen, squares * variance_factor(n_effective), 0.0), nu


def sample_of_counts(counts: ThresholdCounts) -> Sample:
    """Return the rows of unweighted counts: those at one place are alike."""
    tied = counts.fps - counts.fps_above
    between = counts.fps_above - counts.above(counts.fps)
    unscored = np.zeros(counts.starts.size) if counts.n_unscored is None else counts.n_unscored
    lost = counts.n_positives - counts.sum(counts.gained) - unscored
    below = counts.n_negatives - counts.sum(tied + between)
    n_unscored, unscored_weight = _unscored_units(unscored, 1.0)
    repeats = np.concatenate(
        (counts.gained, tied, between, lost, below, n_unscored), dtype=np.float64
    )
    n_rankings, n_thresholds = counts.starts.size, counts.gained.size
    place = np.flatnonzero(repeats > 0)
    kinds = np.repeat([n_thresholds, n_rankings], 3)
    sizes = np.diff(place.searchsorted(np.cumsum(kinds)), prepend=0)
    weight = np.ones(repeats.size)
    weight[repeats.size - n_rankings :] = unscored_weight
    ranking = np.concatenate([counts.ranking()] * 3 + [np.arange(n_rankings)] * 3)
    return _sort_rows(
        Sample(
            place=place,
            ranking=ranking[place],
            unit=np.arange(place.size),
            is_positive=np.repeat([True, False, False, True, False, True], sizes),
            weight=weight[place],
            n_units=place.size,
            starts=counts.starts,
            n_thresholds=n_thresholds,
            repeats=repeats[place],
        )
    )


def sample_of_items(rankings: Rankings, items: SortedItems) -> Sample:
    """Return the rows of rankings, of which ``items`` are those that were retrieved.

    Their units are rows, or clusters of them.
    """
    n_rankings = rankings.n_rankings
    n_thresholds = items.counts.gained.size
    at = np.arange(n_thresholds)
    lost = 3 * n_thresholds + np.arange(n_rankings)
    below = lost + n_rankings
    found = items.item_values(at, at + n_thresholds, at + 2 * n_thresholds, below)
    ranking = rankings.ranking_of_items
    place: Index = found.astype(np.intp, copy=False)
    if found.size < ranking.size:
        place = np.where(rankings.positive, lost[ranking], below[ranking])
        place[rankings.is_retrieved] = found
    n_copies = n_rankings if rankings.ranking is None else 1  # of the rows of a table
    unit = rankings.clusters
    if unit is None:
        unit = np.arange(ranking.size // n_copies)
    sample = Sample(
        place=place,
        ranking=ranking,
        unit=np.tile(unit, n_copies) if n_copies > 1 else unit,
        is_positive=rankings.positive,
        weight=np.ones(ranking.size, np.int64) if rankings.weight is None else rankings.weight,
        n_units=int(unit.max()) + 1,
        starts=items.counts.starts,
        n_thresholds=n_thresholds,
    )
    if rankings.n_unscored is not None and np.any(rankings.n_unscored > 0):
        sample = _append_unscored(sample, rankings.n_unscored)
    sample = _sort_rows(sample)
    if rankings.clusters is None:
        return sample
    pair = sample.ranking * sample.n_units + sample.unit
    return replace(sample, cell=_number(pair, n_rankings * sample.n_units))


def _sort_rows(sample: Sample) -> Sample:
    """Bring the rows of each ranking together."""
    if sample.n_rankings == 1 or (sample.ranking[1:] >= sample.ranking[:-1]).all():
        return sample
    order = order_by_ranking(sample.ranking, sample.n_rankings)
    return replace(
        sample,
        place=sample.place[order],
        ranking=sample.ranking[order],
        unit=sample.unit[order],
        is_positive=sample.is_positive[order],
        weight=sample.weight[order],
    )


def _number(names: Index, n_possible: int) -> Index:
    """Give each distinct name a number: [5, 2, 5] becomes [1, 0, 1]."""
    if n_possible > 2 * names.size:
        return np.unique(names, return_inverse=True)[1]
    is_present = np.bincount(names, minlength=n_possible) > 0  # a sort would take longer
    return (np.cumsum(is_present) - 1)[names]


def _append_unscored(sample: Sample, missing: Array) -> Sample:
    """Append the positives of each ranking that are no rows, as units that no ranking shares."""
    n_each, each_weight = _unscored_units(missing, sample.typical_weights[0], MOST_UNSCORED)
    ranking = np.repeat(np.arange(sample.n_rankings), n_each.astype(np.intp))
    weight = each_weight[ranking]
    if sample.weight.dtype.kind == "i" and np.array_equal(weight, np.rint(weight)):
        weight = weight.astype(np.int64)
    first_place = 3 * sample.n_thresholds + 2 * sample.n_rankings
    return replace(
        sample,
        place=np.append(sample.place, first_place + ranking),
        ranking=np.append(sample.ranking, ranking),
        unit=np.append(sample.unit, sample.n_units + np.arange(ranking.size)),
        is_positive=np.append(sample.is_positive, np.ones(ranking.size, bool)),
        weight=np.append(sample.weight, weight),
        n_units=sample.n_units + ranking.size,
    )


def _unscored_units(
    missing: Array, typical: FloatOrArray, most: float = np.inf
) -> tuple[Float, Float]:
    """Return how many units the positives are that are no rows, and the weight of each.

    Each weighs about as much as those that were scored.
    """
    is_missing = missing > ROUNDING * np.asarray(typical)
    n_units = np.where(is_missing, np.clip(np.rint(missing / typical), 1.0, most), 0.0)
    return n_units, np.where(is_missing, missing, 0.0) / np.maximum(n_units, 1.0)
