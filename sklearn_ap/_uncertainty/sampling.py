"""What was sampled: units, their effective number, and the variance that they show.

Equations are those of ``docs/methods.md``: 3, 4 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index

# Numbers that differ by less are equal. Sums of millions of weights are exact to this.
ROUNDING = RELATIVE_TOLERANCE


class Powers(NamedTuple):
    """The sums of the squares of influences, and of their fourth powers."""

    squares: Float
    fourth_powers: Float


@dataclass(frozen=True, eq=False)
class Units:
    """The units that were sampled, such as rows or patients, and the cells of each ranking.

    A cell is what one unit has in one ranking: the sum over its rows there. Units that are alike
    share their cells, and are counted: positives that are no rows, and the rows of counts. So an
    array has one number for each cell, and the sums below have one for each ranking or unit.

    Parameters
    ----------
    ranking, unit : ndarray of int of shape (n_cells,)
        Where each cell belongs.
    repeats : ndarray of shape (n_units,)
        How many units stand behind each one.
    n_rankings : int
    cell : ndarray of int of shape (n_items,), default=None
        The cell of each item. None if each has its own, or if the items are not known.
    is_table : bool, default=False
        Whether every ranking has a cell for every unit, in their order, as the columns of a table.
    """

    ranking: Index
    unit: Index
    repeats: Float
    n_rankings: int
    cell: Index | None = None
    is_table: bool = False

    def add_up(self, item_values: Array, unscored: Float | None = None) -> Float:
        """Add up the items of each cell; the cells of positives that are no rows come last."""
        sums = item_values
        if self.cell is not None:
            sums = np.bincount(self.cell, item_values)
        return np.asarray(sums if unscored is None else np.append(sums, unscored), np.float64)

    def by_ranking(self, values: Float) -> Float:
        """Add up the cells of each ranking, of all units."""
        if self.is_table:
            return np.einsum("ru,u->r", self._as_table(values), self.repeats)
        repeated = values * self.repeats[self.unit]
        return np.bincount(self.ranking, repeated, self.n_rankings).astype(np.float64)

    def by_unit(self, factors: Float, values: Float) -> Float:
        """Add up the cells of each unit over rankings, each times the factor of its ranking."""
        if self.is_table:  # not with @, whose threads take longer to wake up than the sum takes
            return np.einsum("r,ru->u", factors, self._as_table(values))
        weighted = factors[self.ranking] * values
        return np.bincount(self.unit, weighted, self.repeats.size).astype(np.float64)

    def _as_table(self, values: Float) -> Float:
        return values.reshape(self.n_rankings, -1)

    def powers_by_ranking(self, phi: Float) -> Powers:
        """Return the sums over the units of each ranking."""
        squares = phi * phi
        return Powers(self.by_ranking(squares), self.by_ranking(squares * squares))

    @property
    def n_units(self) -> Float:
        """The number of units of each ranking."""
        return self.by_ranking(np.ones(self.unit.size))

    def effective_numbers(self, sizes: Float) -> Float:
        """Return the effective number of units of each ranking by the sizes of their cells.

        Equation 4.
        """
        return _kish(self.by_ranking(sizes), self.by_ranking(sizes**2))

    def effective_number_of_mean(self, shares: Float, sizes: Float) -> float:
        """Return the effective number of units of a mean over rankings with these shares.

        Equation 4 with the p_u of equation 15: the shares of a unit in the size of each ranking.
        """
        totals = self.by_ranking(sizes)
        factors = np.divide(shares, totals, out=np.zeros(totals.size), where=totals > 0)
        size = self.by_unit(factors, sizes)
        return float(_kish(self.repeats @ size, self.repeats @ size**2))


def _kish(total: FloatOrArray, squares: FloatOrArray) -> Float:
    """Return the effective number of Kish (1965), 0 without any size."""
    return np.asarray(total) ** 2 / np.where(np.asarray(squares) > 0, squares, 1.0)


def effective_number(sizes: Float) -> float:
    """Return the effective number of units of these sizes: equation 4."""
    return float(_kish(sizes.sum(), sizes @ sizes))


def variance_factor(n_effective: FloatOrArray) -> Float:
    """Return f of equation 3."""
    return n_effective / np.maximum(n_effective - 1, 1)


def powers(phi: Float, repeats: Float) -> Powers:
    """Return the sums over all units."""
    squares = phi * phi
    repeated = squares * repeats
    return Powers(repeated.sum(keepdims=True), (repeated * squares).sum(keepdims=True))


def variance_and_degrees(
    powers: Powers, n_units: FloatOrArray, n_effective: FloatOrArray
) -> tuple[Float, Float]:
    """Return V and its degrees of freedom nu, from the influences of units.

    Equations 3 and 9. A variance below rounding is 0, and has no degrees of freedom.
    """
    squares, fourth_powers = powers
    is_seen = squares * n_effective > ROUNDING**2
    safe = np.where(is_seen, squares, 1.0)
    excess = fourth_powers / safe**2 - 1 / np.maximum(n_units, 1)
    nu = np.where(is_seen, 2 / np.maximum(excess, ROUNDING), 0.0)
    return np.where(is_seen, squares * variance_factor(n_effective), 0.0), nu


@dataclass(frozen=True, eq=False)
class Weights:
    """The typical weight of a row of each class, sum(w^2) / sum(w), for each ranking.

    Where a ranking has no row of a class, it is that of the other class; 1 without any row.
    """

    positive: Float
    negative: Float


@dataclass(frozen=True, eq=False)
class Sample:
    """The units of rankings, and how much of each class they hold.

    Parameters
    ----------
    units : Units
    positives, negatives : ndarray of shape (n_cells,)
        The weight of each class in each cell: p_u and m_u.
    weights : Weights
    n_row_positives : ndarray of shape (n_rankings,)
        The effective number of positives if rows were the units: R.
    has_clusters : ndarray of bool of shape (n_rankings,)
        Whether some unit has several rows of a ranking.
    unscored_weight : ndarray of shape (n_rankings,), default=None
        The weight of each positive that is no row. None if there are none.
    """

    units: Units
    positives: Float
    negatives: Float
    weights: Weights
    n_row_positives: Float
    has_clusters: Bool
    unscored_weight: Float | None = None


def sample_of_counts(counts: ThresholdCounts) -> Sample:
    """Return the rows of unweighted counts, which are alike where their influence is.

    There are five kinds of cells: at each threshold positives, tied negatives, and negatives
    between it and the one above; and for each ranking positives without a score, and negatives
    below all thresholds.
    """
    n_rankings = counts.starts.size
    at_thresholds = counts.ranking()
    ranking = np.concatenate((*[at_thresholds] * 3, *[np.arange(n_rankings)] * 2))
    tied = counts.fps - counts.fps_above
    between = counts.fps_above - counts.above(counts.fps)
    below = counts.n_negatives - counts.sum(tied + between)
    n_unscored, weight = _unscored_units(counts.n_positives - counts.sum(counts.gained), 1.0)
    repeats = np.concatenate((counts.gained, tied, between, n_unscored, below), dtype=np.float64)
    units = Units(ranking, np.arange(ranking.size), repeats, n_rankings, is_table=n_rankings == 1)
    n = at_thresholds.size
    positives = np.zeros(ranking.size)
    positives[:n] = 1.0
    positives[3 * n : 3 * n + n_rankings] = weight
    negatives = np.ones(ranking.size)
    negatives[:n] = negatives[3 * n : 3 * n + n_rankings] = 0.0
    ones = np.ones(n_rankings)
    n_positives = units.effective_numbers(positives)
    has_clusters = np.zeros(n_rankings, bool)
    return Sample(
        units, positives, negatives, Weights(ones, ones), n_positives, has_clusters, weight
    )


def sample_of_rankings(rankings: Rankings) -> Sample:
    """Return the rows of rankings, or clusters of them, as units."""
    positive = rankings.positive
    hits = _class_sums(rankings, positive)
    misses = _class_sums(rankings, ~positive)
    units = _units_of_items(rankings)
    n_items = rankings.sizes
    unscored = None
    if rankings.n_unscored is not None and np.any(rankings.n_unscored > 0):
        mean_weight = _ratio(hits.total + misses.total, rankings.sizes, 1.0)
        typical = _ratio(hits.squares, hits.total, mean_weight)
        n_unscored, unscored = _unscored_units(rankings.n_unscored, typical)
        hits = _ClassSums(
            hits.total + n_unscored * unscored, hits.squares + n_unscored * unscored**2
        )
        units = _append_unscored(units, n_unscored)
        n_items = n_items + 1
    none = None if unscored is None else np.zeros(rankings.n_rankings)
    positive_weight = _ratio(hits.squares, hits.total, 1.0)
    negative_weight = _ratio(misses.squares, misses.total, positive_weight)
    weight = rankings.weight_of_items
    return Sample(
        units,
        positives=units.add_up(weight * positive, unscored),
        negatives=units.add_up(weight * ~positive, none),
        weights=Weights(positive_weight, negative_weight),
        n_row_positives=_kish(hits.total, hits.squares),
        has_clusters=np.bincount(units.ranking, minlength=rankings.n_rankings) < n_items,
        unscored_weight=unscored,
    )


class _ClassSums(NamedTuple):
    """The sum of the weights of a class in each ranking, and that of their squares."""

    total: Float
    squares: Float


def _class_sums(rankings: Rankings, is_counted: Bool) -> _ClassSums:
    """Add up the weights of a class, and their squares, over the rows of each ranking."""
    one_class = replace(rankings, positive=is_counted)
    if rankings.weight is None:
        n = one_class.n_hits.astype(np.float64)
        return _ClassSums(n, n)
    squared = replace(one_class, weight=rankings.weight**2)
    return _ClassSums(one_class.weight_of_hits, squared.weight_of_hits)


def _ratio(numerator: Array, denominator: Array, otherwise: FloatOrArray) -> Float:
    """Divide where the denominator is positive."""
    safe = np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, numerator / safe, otherwise)


def unit_of_items(rankings: Rankings) -> Index:
    """Return the number of the unit of each item: of its row, or of its cluster."""
    n_items = rankings.score.size
    n_copies = 1 if rankings.ranking is not None else rankings.n_rankings
    unit = rankings.clusters
    return np.tile(np.arange(n_items // n_copies) if unit is None else unit, n_copies)


def _units_of_items(rankings: Rankings) -> Units:
    """Number the cells of rankings and units that have rows."""
    ranking = rankings.ranking_of_items
    unit = unit_of_items(rankings)
    n_rankings = rankings.n_rankings
    if rankings.clusters is None:  # each item is a cell
        n_units = unit.size if rankings.ranking is not None else unit.size // n_rankings
        is_table = rankings.ranking is None
        return Units(ranking, unit, np.ones(n_units), n_rankings, is_table=is_table)
    n_units = int(unit.max()) + 1
    if n_rankings == 1:
        is_present = np.bincount(unit) > 0
        zeros = np.zeros(n_units, np.intp)
        repeats = is_present.astype(np.float64)
        return Units(zeros, np.arange(n_units), repeats, 1, unit, is_table=True)
    pairs, cell = np.unique(ranking * n_units + unit, return_inverse=True)
    cell_ranking, cell_unit = np.divmod(pairs, n_units)
    is_present = np.bincount(cell_unit, minlength=n_units) > 0
    return Units(cell_ranking, cell_unit, is_present.astype(np.float64), n_rankings, cell)


def _append_unscored(units: Units, n_unscored: Float) -> Units:
    """Append a cell for the positives of each ranking that are no rows; no ranking shares them."""
    new = np.arange(n_unscored.size)
    return replace(
        units,
        ranking=np.append(units.ranking, new),
        unit=np.append(units.unit, units.repeats.size + new),
        repeats=np.append(units.repeats, n_unscored),
        is_table=units.is_table and units.n_rankings == 1,
    )


def _unscored_units(missing: Array, typical: FloatOrArray) -> tuple[Float, Float]:
    """Return how many units the positives are that are no rows, and the weight of each.

    Each weighs about as much as those that were scored.
    """
    is_missing = missing > ROUNDING * np.asarray(typical)
    n_units = np.where(is_missing, np.maximum(np.rint(missing / typical), 1.0), 0.0)
    return n_units, np.where(is_missing, missing, 0.0) / np.maximum(n_units, 1.0)


def scale_weights(rankings: Rankings) -> Rankings:
    """Scale weights to be near 1, as the squares of tiny and huge weights are 0 and infinite.

    They are multiplied by a power of 2, which rounds nothing.
    """
    weight = rankings.weight
    if weight is None:
        return rankings
    exponents = np.frexp((weight.min(), weight.max()))[1]
    power = (-int(exponents.sum())) // 2

    def scale(total: Array | None) -> Array | None:
        return None if total is None else np.ldexp(total.astype(np.float64), power)

    return replace(
        rankings,
        weight=np.ldexp(weight, power),
        n_positives=scale(rankings.n_positives),
        n_negatives=scale(rankings.n_negatives),
        n_unscored=scale(rankings.n_unscored),
    )
