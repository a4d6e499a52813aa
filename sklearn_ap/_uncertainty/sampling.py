"""What was sampled: units, their effective number, and the variance that they show.

Equations are those of ``docs/methods.md``: 3, 4 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index

# Numbers that differ by less are equal. Sums of millions of weights are exact to this.
ROUNDING = RELATIVE_TOLERANCE


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
    """

    ranking: Index
    unit: Index
    repeats: Float
    n_rankings: int
    cell: Index | None = None

    def add_up(self, item_values: Array, unscored: Float | None = None) -> Float:
        """Add up the items of each cell; the cells of positives that are no rows come last."""
        sums = item_values
        if self.cell is not None:
            sums = np.bincount(self.cell, item_values)
        return np.asarray(sums if unscored is None else np.append(sums, unscored), np.float64)

    def by_ranking(self, values: Float) -> Float:
        """Add up the cells of each ranking, of all units."""
        repeated = values * self.repeats[self.unit]
        if self.n_rankings == 1:
            return np.add.reduce(repeated, keepdims=True)
        return np.bincount(self.ranking, repeated, self.n_rankings).astype(np.float64)

    def by_unit(self, factors: Float, values: Float) -> Float:
        """Add up the cells of each unit over rankings, each times the factor of its ranking."""
        weighted = factors[self.ranking] * values
        return np.bincount(self.unit, weighted, self.repeats.size).astype(np.float64)

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


def variance_and_degrees(
    squares: FloatOrArray,
    fourth_powers: FloatOrArray,
    n_units: FloatOrArray,
    n_effective: FloatOrArray,
) -> tuple[Float, Float]:
    """Return V and its degrees of freedom nu, from sums of powers of influences.

    Equations 3 and 9. A variance below rounding is 0, and has no degrees of freedom.
    """
    squares = np.asarray(squares)
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
    repeats = np.concatenate((counts.gained, tied, between, n_unscored, below))
    units = Units(ranking, np.arange(ranking.size), repeats.astype(np.float64), n_rankings)
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
    weight = rankings.weight_of_items
    ranking = rankings.ranking_of_items
    positive = rankings.positive
    hits, misses = weight * positive, weight * ~positive
    row_sums = _RowSums(ranking, rankings.n_rankings)
    hit_total, hit_squares = row_sums(hits), row_sums(hits * weight)
    miss_total, miss_squares = row_sums(misses), row_sums(misses * weight)
    unscored = None
    units = _units_of_items(rankings, ranking)
    if rankings.n_unscored is not None and np.any(rankings.n_unscored > 0):
        typical = _ratio(hit_squares, hit_total, _ratio(row_sums(weight), rankings.sizes, 1.0))
        n_unscored, unscored = _unscored_units(rankings.n_unscored, typical)
        hit_total = hit_total + n_unscored * unscored
        hit_squares = hit_squares + n_unscored * unscored**2
        units = _append_unscored(units, n_unscored)
    none = None if unscored is None else np.zeros(rankings.n_rankings)
    n_cells = np.bincount(units.ranking, minlength=rankings.n_rankings)
    n_items = rankings.sizes + (0 if unscored is None else 1)
    positive_weight = _ratio(hit_squares, hit_total, 1.0)
    negative_weight = _ratio(miss_squares, miss_total, positive_weight)
    return Sample(
        units,
        positives=units.add_up(hits, unscored),
        negatives=units.add_up(misses, none),
        weights=Weights(positive_weight, negative_weight),
        n_row_positives=_kish(hit_total, hit_squares),
        has_clusters=n_cells < n_items,
        unscored_weight=unscored,
    )


@dataclass(frozen=True)
class _RowSums:
    """Sums over the rows of each ranking."""

    ranking: Index
    n_rankings: int

    def __call__(self, values: Float) -> Float:
        return np.bincount(self.ranking, values, self.n_rankings).astype(np.float64)


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


def _units_of_items(rankings: Rankings, ranking: Index) -> Units:
    """Number the cells of rankings and units that have rows."""
    unit = unit_of_items(rankings)
    n_rankings = rankings.n_rankings
    if rankings.clusters is None:  # each item is a cell
        n_units = unit.size if rankings.ranking is not None else unit.size // n_rankings
        return Units(ranking, unit, np.ones(n_units), n_rankings)
    n_units = int(unit.max()) + 1
    if n_rankings == 1:
        is_present = np.bincount(unit) > 0
        zeros = np.zeros(n_units, np.intp)
        return Units(zeros, np.arange(n_units), is_present.astype(np.float64), 1, unit)
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
