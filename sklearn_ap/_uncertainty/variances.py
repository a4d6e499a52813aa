"""From influences to variances, and what a small sample cannot show of them.

``docs/certainty.md``, "How is it computed?", says the idea in words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

PRIOR = 4.0  # degrees of freedom that the prior variance counts for
TINY = 1e-300  # so that 0 / 0 is 0
ROUNDING = 1e-9  # of the standard deviation of a case, beside the value
SMALLEST = 1e-12  # of A (1 - A), as a perfect ranking is not certain


class Variance(NamedTuple):
    """The variance of the value of each ranking, as one sample shows it."""

    variance: Float
    degrees_of_freedom: Float  # of the variance; 0 where it is 0
    cases: Float  # the effective number of positives that each value rests on
    cases_alone: Float  # the same if negatives weighed no more than positives
    alarm: Any = 0.0  # what a heavy negative above all would cost each value
    of_mean: Any = None  # the variance of the average over rankings, where there is one

    @property
    def trust(self) -> Float:
        """The weight of the variance beside the prior."""
        return self.degrees_of_freedom / (self.degrees_of_freedom + PRIOR)

    def shrunk(self, case_variance: Float) -> tuple[Float, Float, Float]:
        """Draw each variance towards that of a share, as a nearly perfect ranking shows too little.

        One false alarm above all N positives costs about ln(N) / N, so the prior grows with ln(N).
        Where negatives weigh much, it is no more than what three false alarms cost, as many as a
        sample that shows none may hide. Gives the variances, what the prior contributes to them,
        and the part of that which comes from heavy negatives.
        """
        prior, alone = (
            np.maximum(1.0, 0.65 * np.log(cases)) * case_variance / cases
            for cases in (np.maximum(self.cases, 1.0), np.maximum(self.cases_alone, 1.0))
        )
        heavy = np.minimum(prior - alone, (3 * self.alarm) ** 2)
        from_prior, from_heavy = (1 - self.trust) * (alone + heavy), (1 - self.trust) * heavy
        return from_prior + self.trust * self.variance, from_prior, from_heavy

    def with_hidden_difference(self) -> Float:
        """Enlarge each variance of a difference: many samples show none of two alike models."""
        # 4 / ((nu + 4) N^2), as 1 - trust = 4 / (nu + 4)
        return self.variance + (1 - self.trust) / np.maximum(self.cases, 1.0) ** 2

    def averaged(
        self,
        shares: Float,
        enlarged: Float,
        degrees_of_freedom: Float,
        least: Any = 0.0,
        shared: Any = 0.0,
    ) -> tuple[Float, Float]:
        """The variance of the average over rankings, each of which was ``enlarged`` by itself.

        ``least`` is what must remain of each, as columns that vary against each other can cancel
        out. ``shared`` is the part of each that they have in common, so it does not cancel out:
        scores that lack false alarms are all too high. The degrees of freedom of Student's t follow
        from those of each (Satterthwaite 1946).
        """
        weights = shares * shares
        enlarged, least = (np.where(weights > 0, each, 0.0) for each in (enlarged, least))
        shared = np.where(weights > 0, shared, 0.0)
        variance = self.of_mean + weights @ (enlarged - shared - self.variance)
        variance += (shares @ np.sqrt(shared)) ** 2
        parts = weights * enlarged
        doubt = (parts * parts / np.maximum(degrees_of_freedom, 1.0)).sum(keepdims=True)
        degrees = parts.sum() ** 2 / np.maximum(doubt, TINY)
        return np.maximum(variance, weights @ least), degrees


class ScoreVariance(NamedTuple):
    """How much scores, or differences of scores, vary: what their limits are made of."""

    standard_error: Any  # as the sample shows it
    variance: Any  # with what a small sample cannot show
    degrees_of_freedom: Any  # of Student's t
    case_variance: Any = np.nan  # of one case of a share
    rests_on_few: bool = False


ONE_UNIT = ScoreVariance(np.nan, np.inf, 1.0, 1.0)  # it says nothing of others


@dataclass(frozen=True, slots=True, eq=False)
class Influences:
    """How much each unit that is drawn at random moves the value of each ranking.

    A unit is a row, a cluster of rows, or a positive that was never scored. Where each number is
    for one ranking, ``ranking`` says for which; otherwise the units of all rankings are the same,
    and arrays of numbers of units have the shape (n_rankings, n_units). Where a unit moves several
    rankings, but few of them, ``unit`` says which unit each number is for.
    """

    by_unit: Float  # what one unit moves a value by
    n_alike: Float  # how many units are alike and stand together
    n_units: Float  # of each ranking, in all
    cases: Float  # the effective number of positives that each value rests on
    cases_alone: Float  # the same if negatives weighed no more than positives
    alarm: Float  # what a negative above all would cost each value; 0 if none weighs much
    ranking: NDArray[np.intp] | None = None
    positives: Any = None  # the weight of those of a unit, where averages are weighted by it
    unit: NDArray[np.intp] | None = None

    def minus(self, other: Influences) -> Influences:
        """The influences on the difference from the values of another model of the same units."""
        return replace(self, by_unit=self.by_unit - other.by_unit)

    def variance(self) -> Variance:
        """The infinitesimal jackknife: influences are squared and added up (Efron 1981).

        The degrees of freedom come from how unequal the squares are (Satterthwaite 1946).
        """
        n_rankings, factor = self.cases.size, self._small_sample_factor
        squares = self.by_unit * self.by_unit
        summed = squares * self.n_alike
        total = sum_by_ranking(summed, self.ranking, n_rankings)
        variance = total * factor
        summed *= squares  # influence ** 4 takes many times as long
        doubt = sum_by_ranking(summed, self.ranking, n_rankings) * factor * factor
        doubt -= variance * variance / np.maximum(self.n_units, 1.0)
        degrees = 2 * variance * variance / np.maximum(doubt, TINY)
        return Variance(variance, degrees, self.cases, self.cases_alone, self.alarm)

    def deviations_of_mean(self, shares: Float, moves_by_positive: Float) -> Float:
        """What each unit moves an average by; the sum of the squares is the variance.

        The units of all rankings are the same. ``shares`` are the weights of the rankings.
        ``moves_by_positive`` is what one more positive in each ranking moves the average by through
        the weights, if those are the positives.
        """
        factor = np.sqrt(self._small_sample_factor)
        if self.unit is not None:
            moved = (factor * shares)[self.ranking] * self.by_unit
            if self.positives is not None:
                moved += (factor * moves_by_positive)[self.ranking] * self.positives
            return np.bincount(self.unit, moved * np.sqrt(self.n_alike)).astype(np.float64)
        # Not with @, whose threads take longer to wake up than the sum takes.
        moved = np.einsum("r,ru->u", factor * shares, self.by_unit)
        if self.positives is not None:
            moved += np.einsum("r,ru->u", factor * moves_by_positive, self.positives)
        return moved * np.sqrt(self.n_alike)

    @property
    def _small_sample_factor(self) -> Float:
        """N / (N - 1), as for the variance of a mean."""
        return np.maximum(self.cases, 1.0) / np.maximum(self.cases - 1, 1.0)


def sum_by_ranking(of_units: Float, ranking: NDArray[np.intp] | None, n_rankings: int) -> Float:
    """Add up numbers of units, laid out as ``Influences`` says."""
    if ranking is None:
        return np.add.reduce(of_units, axis=1)
    return np.bincount(ranking, of_units, n_rankings).astype(np.float64)


def without_rounding(variance: Any, cases: Any, magnitude: Any) -> Float:
    """A variance that rounding of values of such a magnitude can leave counts as 0."""
    return np.where(np.sqrt(variance * cases) > ROUNDING * magnitude, variance, 0.0)


def share_variance(share: Float) -> Float:
    """The variance of one case of a share, never 0."""
    return np.maximum(share * (1 - share), SMALLEST)
