"""The variance of limits and tests, from what ``variance`` finds that a sample shows of it.

A small sample shows too little of it, so it is shrunken towards that of a proportion, or towards
what rows that it lacks could change.
``docs/methods.md`` has the formulas and their sources. Each record here is small, and
``of_larger`` gives that of a sample of another size, which is how ``sample_size`` plans.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import (
    BOUND_LOG_FACTOR,
    HIDDEN_ROW_SQUARES,
    MANY_CLUSTERS_SHARE,
    PRIOR_DEGREES,
)
from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._uncertainty._hidden_rows import HiddenRows
from sklearn_ap._uncertainty.degrees_of_freedom import (
    degrees_of_larger,
    degrees_with_clusters,
    most_degrees,
    satterthwaite_degrees,
)
from sklearn_ap._uncertainty.sampling_units import sum_by_ranking

# A rate of 3 / n can have shown none of n at a level of 95% (Hanley and Lippman-Hand 1983).
MOST_HIDDEN = 3
SMALLEST = 1e-12  # of A (1 - A), as a perfect ranking is not certain: a choice
ROUNDING = 1e-8  # of the standard deviation of a case, beside the value: half of the 16 digits


class Spread(NamedTuple):
    """A variance that limits are made of, and its degrees of freedom."""

    variance: Float
    degrees_of_freedom: Float


class Uncertainty(NamedTuple):
    """How much scores, or differences of scores, vary: what their limits are made of."""

    standard_error: Any  # as the sample shows it
    variance: Any  # shrunken, with what a small sample cannot show
    degrees_of_freedom: Any  # of Student's t
    binomial_variance: Any = np.nan  # of one case of a proportion
    bias: Any = np.nan  # how much higher each score is expected to be than that of the population
    n_queries: Any = np.inf  # the effective number of those that a mean is over, if they are units
    lowered: Any = 1.0  # what hidden positives may multiply the score by, with few labels
    raised: Any = 0.0  # what is added to the upper limit, with a judge
    of_runs: Any = 0.0  # the part of the variance that training runs add
    # Those of the lower and of the upper limits, in two rows, where each has its own. ``variance``
    # is then the larger one.
    of_limits: Spread | None = None

    @property
    def known_bias(self) -> Float:
        """The bias, 0 where it is not known."""
        return np.where(np.isnan(self.bias), 0.0, self.bias)

    def with_variance_times(self, factor: float) -> Uncertainty:
        """The same with variances that are larger by a factor."""
        larger = self.with_spreads(lambda each: each._replace(variance=each.variance * factor))
        return larger._replace(
            standard_error=self.standard_error * np.sqrt(factor), of_runs=self.of_runs * factor
        )

    def with_runs(self, of_mean: Float, of_degrees: Float) -> Uncertainty:
        """The same with the variance that training runs add, and Satterthwaite's term of it."""

        def change(each: Spread) -> Spread:
            known = np.where(each.variance < np.inf, each.variance, 0.0)
            of_parts = known**2 / np.maximum(each.degrees_of_freedom, TINY) + of_degrees
            degrees = satterthwaite_degrees(known + of_mean, of_parts)
            is_known = (each.variance < np.inf) & (of_parts > 0)
            degrees = np.where(is_known, degrees, each.degrees_of_freedom)
            return Spread(each.variance + of_mean, degrees)

        error = np.sqrt(self.standard_error**2 + of_mean)
        return self.with_spreads(change)._replace(standard_error=error, of_runs=of_mean)

    @property
    def rows_standard_error(self) -> Any:
        """The part of the standard error that comes from rows."""
        return np.sqrt(np.maximum(self.standard_error**2 - self.of_runs, 0.0))

    @property
    def runs_standard_error(self) -> Any:
        """The part that comes from training runs, unknown where that of rows is."""
        return np.where(np.isnan(self.standard_error), np.nan, np.sqrt(self.of_runs))

    def with_spreads(self, change: Callable[[Spread], Spread]) -> Uncertainty:
        """The same with the variance and the degrees of freedom changed, and those of limits."""
        variance, degrees = change(Spread(self.variance, self.degrees_of_freedom))
        of_limits = self.of_limits and change(self.of_limits)
        return self._replace(variance=variance, degrees_of_freedom=degrees, of_limits=of_limits)

    def for_each(self, change: Callable[[Any], Any]) -> Uncertainty:
        """The same with each of its arrays changed alike."""
        numbers = self._asdict()
        of_limits = numbers.pop("of_limits")
        if of_limits is not None:
            of_limits = Spread(*(np.stack([*map(change, rows)]) for rows in of_limits))
        changed = {name: change(number) for name, number in numbers.items()}
        return Uncertainty(**changed, of_limits=of_limits)

    def as_shown(self) -> Uncertainty:
        """The same by the standard error alone, which is taken for exact and for unbiased."""
        variance = np.where(np.isnan(self.standard_error), np.inf, self.standard_error**2)
        return self._replace(variance=variance, degrees_of_freedom=np.inf, bias=np.nan)


ONE_UNIT = Uncertainty(np.nan, np.inf, 1.0, 1.0)  # it says nothing of others


def variance_of_share(share: Float) -> Float:
    """The variance of one case of a proportion, never 0."""
    return np.maximum(share * (1 - share), SMALLEST)


def _relative_variance(n_effective: Any, factor: Any) -> Float:
    """What a variance is multiplied by, if the sample is so many times as large."""
    of_larger = small_sample_factor(factor * n_effective)
    return np.asarray(of_larger / small_sample_factor(n_effective) / factor)


@dataclass(frozen=True, slots=True, eq=False)
class QuerySample:
    """What the queries of a sample show of their mean, or of a difference of means."""

    variance: Float
    n_effective: Float
    n_with_positives: Float  # the effective number of those that have a positive
    binomial_variance: Float  # of one query; alone, if values are all the same
    bias: Any

    def of_larger(self, factor: Any) -> QuerySample:
        """That of a sample which is so many times as large."""
        return replace(
            self,
            variance=self.variance * _relative_variance(self.n_effective, factor),
            n_effective=self.n_effective * factor,
            n_with_positives=self.n_with_positives * factor,
            bias=self.bias / factor,
        )

    def uncertainty(self) -> Uncertainty:
        """Values that are all the same count as so many cases of a proportion.

        Student's t has a degree of freedom less than there are queries with a positive.
        """
        if self.n_effective[0] < 1 + RELATIVE_TOLERANCE:
            return ONE_UNIT
        if_equal = self.binomial_variance / self.n_effective
        return Uncertainty(
            standard_error=np.sqrt(self.variance),
            variance=np.where(self.variance > 0, self.variance, if_equal),
            degrees_of_freedom=most_degrees(self.n_with_positives),
            binomial_variance=self.binomial_variance,
            bias=self.bias,
            n_queries=self.n_effective,
        )


class Prior(NamedTuple):
    """The variance that those of a sample are shrunken towards, of each value."""

    variance: Float
    from_negatives: Any  # the part of it that large weights of negatives add


class MeanSample(NamedTuple):
    """What a sample shows of the average over several values."""

    variance: Float
    degrees_of_freedom: Float
    shares: Float  # the weight of each value


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """What the rows or clusters of a sample show of the variance of each value."""

    variance: Float
    degrees_of_freedom: Float
    n_effective: Float
    bias: Any
    is_one_cluster: Any
    of_mean: MeanSample | None = None
    n_by_rows: Any = None  # the effective number of positives if rows were units, with clusters

    def of_larger(self, factor: Any) -> Any:
        """That of a sample which is so many times as large."""
        relative, mean = _relative_variance(self.n_effective, factor), self.of_mean
        if mean is not None:
            of_mean = mean.variance * (mean.shares @ relative), mean.degrees_of_freedom * factor
            mean = MeanSample(*of_mean, mean.shares)
        return replace(
            self,
            variance=self.variance * relative,
            degrees_of_freedom=degrees_of_larger(self.degrees_of_freedom, factor),
            n_effective=self.n_effective * factor,
            bias=self.bias / factor,
            of_mean=mean,
            n_by_rows=None if self.n_by_rows is None else self.n_by_rows * factor,
        )

    def _unless_one_cluster(self, uncertainty: Uncertainty) -> Uncertainty:
        """What was found, except for rankings of a single cluster, which say nothing of others."""
        if not np.any(self.is_one_cluster):
            return uncertainty
        pairs = zip(ONE_UNIT[:5], uncertainty[:5], strict=True)
        found = Uncertainty(*(np.where(self.is_one_cluster, *pair) for pair in pairs))
        if uncertainty.of_limits is None:
            return found
        of_one_unit = Spread(ONE_UNIT.variance, ONE_UNIT.degrees_of_freedom)
        pairs = zip(of_one_unit, uncertainty.of_limits, strict=True)
        of_limits = Spread(*(np.where(self.is_one_cluster, *pair) for pair in pairs))
        return found._replace(of_limits=of_limits)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreSample(RowSample):
    """What rows or clusters show of scores: each value, or the average over values."""

    values: Float
    binomial_variance: Float  # of one case of the score
    binomial_variances: Float  # of one case of each value
    n_unlimited: Float  # if negatives weighed no more than positives
    false_positive_cost: Any  # of a negative above all, to each value; 0 if none weighs much
    hidden: HiddenRows | None  # None where they tell too little, as of means over columns

    def of_larger(self, factor: Any) -> ScoreSample:
        """That of a sample which is so many times as large."""
        return replace(
            RowSample.of_larger(self, factor),
            n_unlimited=self.n_unlimited * factor,
            false_positive_cost=self.false_positive_cost / factor,
            hidden=self.hidden and self.hidden.of_larger(factor),
        )

    def uncertainty(self) -> Uncertainty:
        """How much each score varies, shrunken towards the variance of a proportion."""
        shown = self.variance if self.of_mean is None else self.of_mean.variance
        of_limits = None
        if self.hidden is None:
            spread = self._spread(self.prior())
        else:
            of_limits = self._spread(self._priors_of_limits(self.hidden))
            (lower, upper), (lower_degrees, upper_degrees) = of_limits
            degrees = np.where(lower > upper, lower_degrees, upper_degrees)
            spread = Spread(np.maximum(lower, upper), degrees)
        uncertainty = Uncertainty(
            standard_error=np.sqrt(shown),
            variance=spread.variance,
            degrees_of_freedom=spread.degrees_of_freedom,
            binomial_variance=self.binomial_variance,
            bias=self.bias,
            of_limits=of_limits,
        )
        return self._unless_one_cluster(uncertainty)

    def _of_one_case(self) -> Float:
        """The variance of one case of each value."""
        if self.of_mean is None:
            return self.binomial_variances
        # Where no positive was found, the next sample may find one: Laplace's (0 + 1) / (N + 2).
        of_one = variance_of_share(1 / (np.maximum(self.n_effective, 1.0) + 2))
        at_most = np.minimum(of_one, self.binomial_variances)
        return np.where(self.values == 0, at_most, self.binomial_variances)

    def _spread(self, prior: Prior) -> Spread:
        """The variance shrunken towards a prior one, and its degrees of freedom."""
        degrees, at_most = self.degrees_of_freedom, most_degrees(self.n_effective)
        shrunken = self._shrink(prior)
        if self.of_mean is not None:
            variance, degrees, shares = self.of_mean
            shrunken, at_most = variance_of_average(
                variance, shares, self.variance, shrunken, degrees_of_freedom=at_most
            )
        effective = shrunken.degrees_of_freedom(degrees, np.maximum(at_most, 1.0))
        return Spread(shrunken.variance, np.minimum(effective, at_most))

    def _shrink(self, prior: Prior) -> Shrunken:
        """Shrink each variance towards a prior one: nearly perfect rankings show too little."""
        weight_of_prior = 1 - self.degrees_of_freedom / (self.degrees_of_freedom + PRIOR_DEGREES)
        from_prior = weight_of_prior * prior.variance
        shrunken = from_prior + (1 - weight_of_prior) * self.variance
        return Shrunken(shrunken, from_prior, weight_of_prior * prior.from_negatives)

    def _priors_of_limits(self, hidden: HiddenRows) -> Prior:
        """The priors of the lower and of the upper limits, in two rows.

        Each is no more than what a few hidden rows could change in the direction of the limit, but
        no less than what the sample shows. The less even the weights of rows are, the less is known
        of hidden ones.
        """
        # A false positive costs ln(N) / N only where precisions are near 1, or it weighs more.
        part_of_log = self.values + (1 - self.values) * hidden.shift
        prior = self.prior(np.array((part_of_log, np.ones_like(part_of_log))))
        squares = HIDDEN_ROW_SQUARES + (MOST_HIDDEN**2 - HIDDEN_ROW_SQUARES) * hidden.shift
        changes = np.array((hidden.loss, hidden.gain))
        at_most = np.maximum(squares * changes * changes, self.variance)
        # A hidden positive stays possible, however certain the variance is: with this prior, the
        # shrunken variance is V + d^2.
        of_one = (1 + self.degrees_of_freedom / PRIOR_DEGREES) * hidden.gain * hidden.gain
        at_most[1] = np.maximum(at_most[1], self.variance + of_one)
        part = np.minimum(at_most / np.maximum(prior.variance, TINY), 1.0)
        if np.ndim(hidden.evenness) == 0 and hidden.evenness == 1:
            return Prior(part * prior.variance, part * prior.from_negatives)
        even, uneven = hidden.evenness * part, 1 - hidden.evenness
        return Prior(*(even * both + uneven * both[1] for both in np.broadcast_arrays(*prior)))

    def prior(self, part_of_log: Any = 1.0) -> Prior:
        """The prior variance of each value, with a part of what errors at the top add.

        Where negatives weigh much, it is no more than what some false positives cost, as many as a
        sample that shows none may hide ("Another prevalence" in ``docs/methods.md``).
        """
        of_one_case, from_negatives = self._of_one_case(), 0.0
        unlimited = _prior(self.n_unlimited, of_one_case, part_of_log)
        if np.any(self.n_effective != self.n_unlimited):
            limited = _prior(self.n_effective, of_one_case, part_of_log)
            at_most = (MOST_HIDDEN * self.false_positive_cost) ** 2
            from_negatives = np.minimum(limited - unlimited, at_most)
        if self.n_by_rows is not None:
            # The effective size is that of the design effect. Many rows in a cluster hide less: the
            # factor of ln(N) falls with the root of their number, a choice.
            n = np.maximum(self.n_unlimited, 1.0)
            in_each = np.maximum(self.n_by_rows / n, 1.0)
            unlimited = _prior(n * in_each, of_one_case, part_of_log / np.sqrt(in_each))
        return Prior(unlimited + from_negatives, from_negatives)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DifferenceSample(RowSample):
    """What rows or clusters show of the difference of two scores."""

    design_effect: Any = 1.0  # of the difference
    rows_in_cluster: Any = 1.0

    def uncertainty(self) -> Uncertainty:
        """How much each difference varies, with what a sample may hide of it."""
        degrees, n = self.degrees_of_freedom, np.maximum(self.n_effective, 1.0)
        at_most = np.minimum(degrees + PRIOR_DEGREES, most_degrees(self.n_effective))
        uncertainty = Uncertainty(
            standard_error=np.sqrt(self.variance),
            variance=self.variance + self._hidden(degrees, n),
            degrees_of_freedom=degrees_with_clusters(at_most, self.rows_in_cluster),
        )
        if self.of_mean is not None:
            of_mean, of_units, shares = self.of_mean
            of_rankings = Shrunken(uncertainty.variance), uncertainty.degrees_of_freedom
            of_average, degrees = variance_of_average(of_mean, shares, self.variance, *of_rankings)
            uncertainty = uncertainty._replace(
                standard_error=np.sqrt(of_mean),
                variance=of_average.variance,
                degrees_of_freedom=np.minimum(degrees, of_units + PRIOR_DEGREES),
                bias=self.bias,
            )
        return self._unless_one_cluster(uncertainty)

    def _hidden(self, degrees: Float, n: Float) -> Float:
        """What a sample may hide of a difference.

        Two nearly equal models show no difference in many samples. One positive that only one of
        them ranks right changes the difference by 1 / N, so the prior variance is 1 / N^2. Two
        models mostly disagree on rows, so with clusters N counts rows, and the prior variance is
        multiplied by the design effect of the difference. Where few clusters determine the
        difference, one model may lose whole clusters, which N then counts. A column hides no more
        than what the larger columns of a mean show of one case.
        """
        weight_of_prior = PRIOR_DEGREES / (degrees + PRIOR_DEGREES)
        of_clusters = weight_of_prior / n / n
        if self.of_mean is not None:
            # The pool of columns that show more than the prior, which counts for as much itself.
            weight = np.maximum(np.minimum(degrees, n - 1) - PRIOR_DEGREES, 0.0)
            of_one_case = weight @ (n * self.variance) + PRIOR_DEGREES / n
            of_columns = weight_of_prior * of_one_case / (weight.sum() + PRIOR_DEGREES) / n
            of_clusters = np.minimum(of_clusters, of_columns)
        if self.n_by_rows is None:
            return of_clusters
        enough = MANY_CLUSTERS_SHARE * np.maximum(n - 1, TINY)
        by_rows = (np.minimum(degrees, enough) / enough) ** 2
        of_disagreements = weight_of_prior * self.design_effect / self.n_by_rows / self.n_by_rows
        hidden = by_rows * of_disagreements + (1 - by_rows) * of_clusters
        return np.minimum(hidden, of_clusters)


class Shrunken(NamedTuple):
    """Variances of values, each shrunken by itself."""

    variance: Float
    from_prior: Any = 0.0  # the part of it that the prior contributes
    from_negatives: Any = 0.0  # the part of that which comes from large weights of negatives

    def degrees_of_freedom(self, degrees: Float, of_prior: Float) -> Float:
        """Those of the sum, from those of the sample and the prior."""
        from_sample = self.variance - self.from_prior
        of_parts = from_sample**2 / np.maximum(degrees, TINY) + self.from_prior**2 / of_prior
        return satterthwaite_degrees(self.variance, of_parts)


def _prior(n_effective: Float, binomial_variances: Float, part_of_log: Any) -> Float:
    """The variance of a proportion of N cases, or more.

    One false positive above all N positives costs (1/2 + 1/3 + ...) / N, about ln(N) / N, and one
    case of a proportion 1 / N. So the variance of errors at the top is ln(N) times as large.
    """
    n_effective = np.maximum(n_effective, 1.0)
    factor = np.maximum(1.0, BOUND_LOG_FACTOR * np.log(n_effective) * part_of_log)
    return factor * binomial_variances / n_effective


def variance_of_average(
    of_mean: Float,
    shares: Float,
    variance: Float,
    shrunken: Shrunken,
    degrees_of_freedom: Float,
) -> tuple[Shrunken, Float]:
    """The variance of the average over values, each of which was ``shrunken`` by itself.

    ``of_mean`` and ``variance`` are those of the sample, of the average and of each value. What the
    prior contributes to each must remain, as columns that vary against each other can cancel out.
    What comes from large weights of negatives does not cancel out: scores that lack false positives
    are all too high. What is added to each varies together as the values do: where scores share an
    effect of the row, the design effect of the average, from 1 to the number of values, multiplies
    it. The degrees of freedom of Student's t follow from those of each. What is added is no
    estimate from the few cases of its column, so it has those of the average column.
    """
    weights = shares * shares
    each, prior, from_negatives = (np.where(weights > 0, part, 0.0) for part in shrunken)
    if_independent = np.maximum(weights @ variance, TINY)
    design_effect = np.clip(of_mean / if_independent, 1.0, np.count_nonzero(weights))
    total = of_mean + design_effect * (weights @ (each - from_negatives - variance))
    # As standard errors, not as variances: what negatives add does not cancel out.
    of_negatives = (shares @ np.sqrt(from_negatives)) ** 2
    total = np.maximum(total + of_negatives, weights @ prior)
    by_prior = design_effect * (weights @ (prior - from_negatives)) + of_negatives
    parts, shown = weights * each, weights * np.minimum(each, variance)
    of_each = np.where(weights > 0, np.maximum(degrees_of_freedom, 1.0), 1.0)
    typical = max(float(shares @ of_each), 1.0)
    of_parts = shown * shown / of_each + (parts * parts - shown * shown) / typical
    degrees = satterthwaite_degrees(parts.sum(), of_parts.sum(keepdims=True))
    return Shrunken(total, np.minimum(by_prior, total)), degrees


def sums_of_squares(
    by_unit: Float,
    factor: Float,
    *,
    n_units: Any,
    multiplicity: Any = 1.0,
    ranking: Any = None,
    of_fourths: Any = None,
) -> tuple[Float, Float]:
    """The infinitesimal jackknife: influence values are squared and added up (Efron 1981).

    ``factor`` corrects for a small sample. ``multiplicity`` says how many squares a value stands
    for, or the sum of squared weights, and ``of_fourths`` that of their fourth powers. The degrees
    of freedom come from how unequal the squares are.
    """
    n_values = factor.size
    squares = by_unit * by_unit
    summed = squares * multiplicity
    variance = sum_by_ranking(summed, ranking, n_values) * factor
    if of_fourths is not None:
        summed = squares * of_fourths
    summed *= squares  # the fourth power takes many times as long
    # The sum of (square - mean of squares)**2 is the variance of the sum of squares.
    variance_of_sum = sum_by_ranking(summed, ranking, n_values) * factor**2
    variance_of_sum -= variance * variance / np.maximum(n_units, 1.0)
    return variance, 2 * satterthwaite_degrees(variance, variance_of_sum)


def small_sample_factor(n_effective: Float) -> Float:
    """N / (N - 1), as for the variance of a mean."""
    return np.maximum(n_effective, 1.0) / np.maximum(n_effective - 1, 1.0)


def variance_of_score(of_score: Float, n_effective: Float, magnitude: Any) -> Float:
    """The variance of one score, or of a difference, as the sample shows it."""
    variance = np.sum(of_score * of_score, keepdims=True)
    return without_rounding(variance, n_effective.max(), magnitude)


def without_rounding(variance: Any, n_effective: Any, magnitude: Any) -> Float:
    """A variance that rounding of values of such a magnitude can leave counts as 0.

    A case is at least one: at a tiny prevalence there are far fewer effective ones.
    """
    of_case = np.sqrt(variance * np.maximum(n_effective, 1.0))
    return np.where(of_case > ROUNDING * magnitude, variance, 0.0)
