"""What was sampled: the effective number of units, their influences, and sums over rows.

Equations are those of ``docs/methods.md``: 3, 4 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._types import Array, Float, FloatOrArray

MOST_UNSCORED = 1e15  # units of a ranking that are no rows, as integers hold thousands of these

T_co = TypeVar("T_co", covariant=True)


class Sizes(NamedTuple):
    """How large the units of one class are in each ranking.

    Parameters
    ----------
    n_effective : ndarray of shape (n_rankings,)
        The effective number of units (Kish 1965), 0 without any: equation 4.
    typical : ndarray of shape (n_rankings,)
        The typical weight of a unit, sum(w^2) / sum(w); 0 without any.
    """

    n_effective: Float
    typical: Float

    @classmethod
    def of(cls, total: Array, squares: Array) -> Sizes:
        """Compute them from sums of weights, and sums of the squares of these."""
        n_effective = safe_ratio(np.square(total, dtype=np.float64), squares, otherwise=0.0)
        return cls(n_effective, safe_ratio(squares, total, otherwise=0.0))


class ByClass(NamedTuple, Generic[T_co]):
    """A thing of positives, and one of negatives."""

    positive: T_co
    negative: T_co


class ByKind(NamedTuple, Generic[T_co]):
    """A value, or an array of values, for each kind of place.

    Parameters
    ----------
    positive, tied, between
        Of each threshold: positives at it, negatives tied with it, and negatives between it and the
        one above.
    lost, below, unscored
        Of each ranking: positives that were not retrieved, negatives below all thresholds, and
        positives that are no rows.
    """

    positive: T_co
    tied: T_co
    between: T_co
    lost: T_co
    below: T_co
    unscored: T_co


@dataclass(frozen=True, eq=False)
class RowSums:
    """Sums over the rows of rankings, each a unit of its own.

    Parameters
    ----------
    counts : ThresholdCounts
    sizes : ByClass of Sizes
    """

    counts: ThresholdCounts
    sizes: ByClass[Sizes]

    @property
    def typical_weights(self) -> ByClass[Float]:
        """The typical weight of a row of each class in each ranking.

        Where a ranking has no row of a class, it is that of the other class; 1 without any row.
        """
        positive, negative = self.sizes.positive.typical, self.sizes.negative.typical
        positive = np.where(positive > 0, positive, np.where(negative > 0, negative, 1.0))
        return ByClass(positive, np.where(negative > 0, negative, positive))

    @property
    def units_of_rankings(self) -> Float:
        """The number of rows of unweighted counts, and of positives that are no rows."""
        return self.counts.n_rows + unscored_units(self.counts.unscored, 1.0)[0]

    def influence_sums(self, influence: ByKind[Float]) -> tuple[Float, Float]:
        """Return the sums of squares and of fourth powers of influences, times the root of f.

        They are those of the rows of unweighted counts.
        """
        # 1 0 (1 0) 0 -> 2 * (0.1875^2 + 3 * 0.0625^2) = 0.0938, as the last negative has none
        counts = self.counts
        numbers, weight = units_at_places(counts)
        powers = influence._replace(unscored=weight * influence.unscored)
        sums: list[Float] = []
        for _ in range(2):
            powers = ByKind(*map(np.square, powers))
            each = ByKind(*map(np.multiply, numbers, powers))
            at_thresholds = counts.sum(each.positive + each.between + each.tied)
            sums.append(at_thresholds + each.lost + each.unscored + each.below)
        squares, fourth_powers = sums
        factor = variance_factor(self.sizes.positive.n_effective)
        return factor * squares, factor**2 * fourth_powers


def units_at_places(counts: ThresholdCounts) -> tuple[ByKind[Array], Float]:
    """Return the number of units at each kind of place, of unweighted counts.

    Also return the weight of a unit that is no row; rows weigh 1.
    """
    # 1 0 (1 0) 0 -> positives [1, 1], tied [0, 1], between [0, 1], below [1]
    tied, between, missing = counts.tied, counts.between, counts.unscored
    n_unscored, weight = unscored_units(missing, 1.0)
    numbers = ByKind(
        positive=counts.gained,
        tied=tied,
        between=between,
        # Whole numbers, but for the rounding of fractional numbers that were never scored
        lost=np.rint(counts.n_positives - missing - counts.sum(counts.gained)),
        below=np.rint(counts.n_negatives - counts.sum(between + tied)),
        unscored=n_unscored,
    )
    return numbers, weight


def sums_of_counts(counts: ThresholdCounts) -> RowSums:
    """Return the rows of unweighted counts."""
    missing = counts.unscored
    n_unscored, weight = unscored_units(missing, 1.0)
    squares = counts.n_positives - missing + n_unscored * weight**2
    positive = Sizes.of(counts.n_positives, squares)
    return RowSums(counts, ByClass(positive, Sizes.of(counts.n_negatives, counts.n_negatives)))


def safe_ratio(numerator: Array, denominator: Array, otherwise: FloatOrArray) -> Float:
    """Divide where the denominator is positive."""
    safe = np.where(denominator > 0, denominator, 1.0)
    return np.where(denominator > 0, numerator / safe, otherwise)


def share_of_one(n: Float) -> Float:
    """Return what one of n units changes a mean; 1 if there is none."""
    return safe_ratio(np.ones(n.size), n, otherwise=1.0)


def variance_factor(n_effective: FloatOrArray) -> Float:
    """Return f of equation 3."""
    return n_effective / np.maximum(n_effective - 1, 1)


def above_rounding(squares: FloatOrArray, n_effective: Float) -> Float:
    """Return sums of squared influences, 0 for those that are rounding errors."""
    return np.where(squares * n_effective > RELATIVE_TOLERANCE**2, squares, 0.0)


def variance_and_degrees(
    squares: FloatOrArray,
    fourth_powers: FloatOrArray,
    n_effective: Float,
    n_units: FloatOrArray,
) -> tuple[Float, Float]:
    """Return V of equation 3, and nu of equation 9, which is 0 without any influence.

    Powers are added up over the influences of units, each times the root of f.
    """
    variance = above_rounding(squares, n_effective)
    safe = np.where(variance > 0, variance, 1.0)
    excess = fourth_powers / safe**2 - 1 / np.maximum(n_units, 1)
    return variance, np.where(variance > 0, 2 / np.maximum(excess, RELATIVE_TOLERANCE), 0.0)


def unscored_units(missing: Array, typical: FloatOrArray) -> tuple[Float, Float]:
    """Return how many units the positives are that are no rows, and the weight of each.

    Each weighs about as much as those that were scored.
    """
    is_missing = missing > RELATIVE_TOLERANCE * np.asarray(typical)
    n_units = np.where(is_missing, np.clip(np.rint(missing / typical), 1.0, MOST_UNSCORED), 0.0)
    return n_units, np.where(is_missing, missing, 0.0) / np.maximum(n_units, 1.0)
