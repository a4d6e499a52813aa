"""The variance of limits and tests, from the variance that a sample shows.

A small sample shows too little variance, so it is shrunken towards that of a proportion, or towards
the changes that rows which the sample lacks could make. Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty.former._degrees_of_freedom import (
    degrees_with_clusters,
    most_degrees,
    satterthwaite_degrees,
)
from sklearn_ap._uncertainty.former._hidden_rows import HiddenRows
from sklearn_ap._uncertainty.former._sampling_units import sum_by_ranking
from sklearn_ap._uncertainty.former.tuned_constants import (
    BOUND_LOG_FACTOR,
    HIDDEN_ROW_SQUARES,
    MANY_CLUSTERS_SHARE,
    PRIOR_DEGREES,
)

# At a level of 95%, a sample of n without a case may come from a rate of up to 3 / n (Hanley and
# Lippman-Hand 1983).
MOST_HIDDEN = 3
# The smallest variance A (1 - A), as a perfect ranking is not certain: a choice
SMALLEST_CASE_VARIANCE = 1e-12
# The largest ratio of a standard deviation to its value that rounding makes: half of 16 digits
ROUNDING = 1e-8


class Spread(NamedTuple):
    """A variance from which limits are computed, and its degrees of freedom."""

    variance: Float
    degrees_of_freedom: Float


class Uncertainty(NamedTuple):
    """The variance of scores, or of differences of scores, from which limits are computed."""

    standard_error: FloatOrArray  # the root of V, the variance that the sample shows
    shrunken_variance: Float  # V*, with the variance that a small sample may hide
    degrees_of_freedom: FloatOrArray  # nu*, for Student's t
    binomial_variance: FloatOrArray = np.nan  # A (1 - A), of one case of a proportion
    bias: FloatOrArray = np.nan  # b: the expected score less the score of the population
    # The effective number of queries, if they are the units of a mean
    n_queries: FloatOrArray = np.inf
    # With few labels, hidden positives may multiply the score by this factor.
    hidden_positive_factor: FloatOrArray = 1.0
    judge_allowance: FloatOrArray = 0.0  # added to the upper limit, if there is a judge
    # (2, n_values): the variances of the lower and the upper limits, if they differ. The larger one
    # is then ``shrunken_variance``.
    limit_spreads: Spread | None = None

    @property
    def known_bias(self) -> Float:
        """The bias, 0 where it is not known."""
        return np.where(np.isnan(self.bias), 0.0, self.bias)

    def change_spreads(self, change: Callable[[Spread], Spread]) -> Uncertainty:
        """Change the variances, and their degrees of freedom, of the score and of its limits."""
        degrees = np.asarray(self.degrees_of_freedom)
        spread = change(Spread(self.shrunken_variance, degrees))
        return self._replace(
            shrunken_variance=spread.variance,
            degrees_of_freedom=spread.degrees_of_freedom,
            limit_spreads=self.limit_spreads and change(self.limit_spreads),
        )


# The uncertainty of a sample of one unit, which shows no variance
ONE_UNIT = Uncertainty(
    standard_error=np.nan,
    shrunken_variance=np.array(np.inf),
    degrees_of_freedom=1.0,
    binomial_variance=1.0,
)


def variance_of_share(share: Float) -> Float:
    """Return the variance A (1 - A) of one case of a proportion, or the smallest one allowed."""
    return np.maximum(share * (1 - share), SMALLEST_CASE_VARIANCE)


@dataclass(frozen=True, slots=True, eq=False)
class QuerySample:
    """The variance that queries of a sample show of their mean, or of a difference of means."""

    variance: Float
    n_effective: Float
    n_with_positives: Float  # the effective number of queries that have a positive
    binomial_variance: Float  # the variance of one query, used if all queries have equal values
    bias: FloatOrArray

    def uncertainty(self) -> Uncertainty:
        """Return the variance of the mean; equal values count as cases of a proportion.

        The degrees of freedom are the number of queries with a positive, less 1.
        """
        if self.n_effective[0] < 1 + RELATIVE_TOLERANCE:
            return ONE_UNIT
        variance_if_equal = self.binomial_variance / self.n_effective
        return Uncertainty(
            standard_error=np.sqrt(self.variance),
            shrunken_variance=np.where(self.variance > 0, self.variance, variance_if_equal),
            degrees_of_freedom=most_degrees(self.n_with_positives),
            binomial_variance=self.binomial_variance,
            bias=self.bias,
            n_queries=self.n_effective,
        )


class Prior(NamedTuple):
    """The prior variance V0 of each value, towards which the sample variance is shrunken."""

    variance: Float
    negatives_part: FloatOrArray  # the part of V0 that large weights of negatives add


class MeanSample(NamedTuple):
    """The variance that a sample shows of the average over several values."""

    variance: Float  # V
    degrees_of_freedom: Float
    shares: Float  # s_l: the weight of each value in the average


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """The variance that rows or clusters of a sample show of each value."""

    variance: Float  # V
    degrees_of_freedom: Float  # nu
    n_effective: Float  # N_e
    bias: FloatOrArray
    is_one_cluster: bool | Bool
    mean_sample: MeanSample | None = None
    # With clusters, N_r / D of a score, and R of a difference; None without clusters
    n_positive_rows: Float | None = None

    def _mask_single_clusters(self, uncertainty: Uncertainty) -> Uncertainty:
        """Replace the variance of rankings with a single cluster, which show no variance."""
        if not np.any(self.is_one_cluster):
            return uncertainty

        def mask(unit_value: FloatOrArray, value: FloatOrArray) -> Float:
            return np.where(self.is_one_cluster, unit_value, value)

        spreads = uncertainty.limit_spreads
        if spreads is not None:
            spreads = Spread(
                variance=mask(ONE_UNIT.shrunken_variance, spreads.variance),
                degrees_of_freedom=mask(ONE_UNIT.degrees_of_freedom, spreads.degrees_of_freedom),
            )
        return uncertainty._replace(
            standard_error=mask(ONE_UNIT.standard_error, uncertainty.standard_error),
            shrunken_variance=mask(ONE_UNIT.shrunken_variance, uncertainty.shrunken_variance),
            degrees_of_freedom=mask(ONE_UNIT.degrees_of_freedom, uncertainty.degrees_of_freedom),
            binomial_variance=mask(ONE_UNIT.binomial_variance, uncertainty.binomial_variance),
            bias=mask(ONE_UNIT.bias, uncertainty.bias),
            limit_spreads=spreads,
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreSample(RowSample):
    """The variance that rows or clusters show of scores: of values, or of their average."""

    values: Float  # A
    binomial_variance: Float  # the variance of one case of the score
    binomial_variances: Float  # the variance of one case of each value
    n_kish: Float  # N_e if negatives weighed no more than positives
    # The loss of each value by a negative above all rows; 0 if no negative weighs much
    false_positive_cost: Float
    hidden: HiddenRows | None  # None if they bound too little, as for means over columns

    def uncertainty(self) -> Uncertainty:
        """Shrink the variance of each score towards its prior variance.

        If the two limits have different variances, the score has the larger one.
        """
        mean = self.mean_sample
        sample_variance = self.variance if mean is None else mean.variance
        limit_spreads = None
        if self.hidden is None:
            spread = self._spread(self.prior())
        else:
            limit_spreads = self._spread(self._limit_priors(self.hidden))
            lower, upper = limit_spreads.variance
            lower_degrees, upper_degrees = limit_spreads.degrees_of_freedom
            degrees = np.where(lower > upper, lower_degrees, upper_degrees)
            spread = Spread(np.maximum(lower, upper), degrees)
        uncertainty = Uncertainty(
            standard_error=np.sqrt(sample_variance),
            shrunken_variance=spread.variance,
            degrees_of_freedom=spread.degrees_of_freedom,
            binomial_variance=self.binomial_variance,
            bias=self.bias,
            limit_spreads=limit_spreads,
        )
        return self._mask_single_clusters(uncertainty)

    def _spread(self, prior: Prior) -> Spread:
        """Return the shrunken variance V* and its degrees of freedom nu*, at most N_e - 1.

        Equations B3 and B6; equation B9 for the average over values.
        """
        shrunken = self._shrink(prior)
        degrees = self.degrees_of_freedom
        largest_degrees = most_degrees(self.n_effective)
        if self.mean_sample is not None:
            degrees = self.mean_sample.degrees_of_freedom
            shrunken, largest_degrees = variance_of_average(
                self.mean_sample, self.variance, shrunken, largest_degrees
            )
        effective = shrunken.degrees_of_freedom(degrees, np.maximum(largest_degrees, 1.0))
        return Spread(shrunken.variance, np.minimum(effective, largest_degrees))

    def _shrink(self, prior: Prior) -> Shrunken:
        """Shrink each variance: nearly perfect rankings show too little.

        Equation B3: V* is the mean of V and V0, with the weights nu and PRIOR_DEGREES.
        """
        prior_weight = 1 - self.degrees_of_freedom / (self.degrees_of_freedom + PRIOR_DEGREES)
        prior_part = prior_weight * prior.variance
        variance = prior_part + (1 - prior_weight) * self.variance
        return Shrunken(variance, prior_part, prior_weight * prior.negatives_part)

    def _limit_priors(self, hidden: HiddenRows) -> Prior:
        """Return the priors of the lower and of the upper limits, (2, n_values).

        Equation B3: each is at most the squared change that a few hidden rows could make in the
        direction of the limit, but at least the sample variance. The less even the weights of rows
        are, the less is known of hidden rows.
        """
        # A false positive costs ln(N) / N only if precisions are near 1, or its weight is larger.
        lower_kappa = self.values + (1 - self.values) * hidden.shift
        bound = self.prior(np.array((lower_kappa, np.ones_like(lower_kappa))))
        n_squares = HIDDEN_ROW_SQUARES + (MOST_HIDDEN**2 - HIDDEN_ROW_SQUARES) * hidden.shift
        changes = np.array((hidden.loss, hidden.gain))  # d- and d+
        reach = np.maximum(n_squares * changes * changes, self.variance)
        # The sample may lack a positive, however many degrees of freedom the variance has: with
        # this prior, the shrunken variance is V + d+^2.
        one_positive = (1 + self.degrees_of_freedom / PRIOR_DEGREES) * hidden.gain * hidden.gain
        reach[1] = np.maximum(reach[1], self.variance + one_positive)
        reached_part = np.minimum(reach / np.maximum(bound.variance, TINY), 1.0)
        if np.ndim(hidden.evenness) == 0 and hidden.evenness == 1:
            return Prior(reached_part * bound.variance, reached_part * bound.negatives_part)
        # e and 1 - e are the weights of this prior and of B(1), the bound of the upper limit.
        even_part = hidden.evenness * reached_part
        uneven_part = 1 - hidden.evenness
        variance, negatives = np.broadcast_arrays(bound.variance, bound.negatives_part)
        return Prior(
            variance=even_part * variance + uneven_part * variance[1],
            negatives_part=even_part * negatives + uneven_part * negatives[1],
        )

    def prior(self, kappa: FloatOrArray = 1.0) -> Prior:
        """Return the bound B of the prior variance of each value.

        Equation B4, with the parameter ``kappa``. Equation B14: where negatives weigh much, they
        add at most the cost of ``MOST_HIDDEN`` false positives.
        """
        case_variances = self._case_variances()
        bound = _bound(self.n_kish, case_variances, kappa)
        negatives_part: FloatOrArray = 0.0
        if np.any(self.n_effective != self.n_kish):
            limited_bound = _bound(self.n_effective, case_variances, kappa)
            hidden_cost = (MOST_HIDDEN * self.false_positive_cost) ** 2
            negatives_part = np.minimum(limited_bound - bound, hidden_cost)
        if self.n_positive_rows is not None:
            # r = N_r / (D N_e). Clusters of many rows hide less, so the factor of ln(N) is divided
            # by the root of r: a choice.
            n_clusters = np.maximum(self.n_kish, 1.0)
            r = np.maximum(self.n_positive_rows / n_clusters, 1.0)
            bound = _bound(n_clusters * r, case_variances, kappa / np.sqrt(r))
        return Prior(bound + negatives_part, negatives_part)

    def _case_variances(self) -> Float:
        """Return the variance A (1 - A) of one case of each value."""
        if self.mean_sample is None:
            return self.binomial_variances
        # A score of 0 may rise in the next sample: Laplace's estimate is (0 + 1) / (N + 2).
        laplace = variance_of_share(1 / (np.maximum(self.n_effective, 1.0) + 2))
        smaller = np.minimum(laplace, self.binomial_variances)
        return np.where(self.values == 0, smaller, self.binomial_variances)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DifferenceSample(RowSample):
    """The variance that rows or clusters show of the difference of two scores."""

    design_effect: FloatOrArray = 1.0  # D of the difference
    rows_in_cluster: FloatOrArray = 1.0

    def uncertainty(self) -> Uncertainty:
        """Add the hidden variance of each difference to its sample variance."""
        degrees = self.degrees_of_freedom
        n = np.maximum(self.n_effective, 1.0)
        largest_degrees = np.minimum(degrees + PRIOR_DEGREES, most_degrees(self.n_effective))
        variance = self.variance + self._hidden_variance(degrees, n)
        uncertainty = Uncertainty(
            standard_error=np.sqrt(self.variance),
            shrunken_variance=variance,
            degrees_of_freedom=degrees_with_clusters(largest_degrees, self.rows_in_cluster),
        )
        mean = self.mean_sample
        if mean is not None:
            average, average_degrees = variance_of_average(
                mean, self.variance, Shrunken(variance), np.asarray(uncertainty.degrees_of_freedom)
            )
            uncertainty = uncertainty._replace(
                standard_error=np.sqrt(mean.variance),
                shrunken_variance=average.variance,
                degrees_of_freedom=np.minimum(
                    average_degrees, mean.degrees_of_freedom + PRIOR_DEGREES
                ),
                bias=self.bias,
            )
        return self._mask_single_clusters(uncertainty)

    def _hidden_variance(self, degrees: Float, n: Float) -> Float:
        """Return the variance that a sample may hide of a difference.

        Equation B10, and with clusters equation B11. Two nearly equal models show no difference in
        many samples. One positive that only one of them ranks right changes the difference by
        1 / N, so the prior variance is 1 / N^2. Two models mostly disagree on rows, so with
        clusters N counts rows, and the prior variance is multiplied by the design effect of the
        difference. If few clusters determine the difference, one model may lose whole clusters, and
        N counts clusters. The hidden variance of a column, for one case, is at most the variance
        that the larger columns of a mean show for one case.
        """
        prior_weight = PRIOR_DEGREES / (degrees + PRIOR_DEGREES)
        hidden_clusters = prior_weight / n / n
        if self.mean_sample is not None:
            # N_e V is the variance of one case. Columns pool it by how many more degrees of freedom
            # they have than the prior, which is pooled with them.
            weight = np.maximum(np.minimum(degrees, n - 1) - PRIOR_DEGREES, 0.0)
            pooled_sum = weight @ (n * self.variance) + PRIOR_DEGREES / n
            hidden_pool = prior_weight * pooled_sum / (weight.sum() + PRIOR_DEGREES) / n
            hidden_clusters = np.minimum(hidden_clusters, hidden_pool)
        if self.n_positive_rows is None:
            return hidden_clusters
        many_clusters = MANY_CLUSTERS_SHARE * np.maximum(n - 1, TINY)
        rows_weight = (np.minimum(degrees, many_clusters) / many_clusters) ** 2  # lambda
        n_rows = self.n_positive_rows  # R
        hidden_rows = prior_weight * self.design_effect / n_rows / n_rows
        hidden = rows_weight * hidden_rows + (1 - rows_weight) * hidden_clusters
        return np.minimum(hidden, hidden_clusters)


class Shrunken(NamedTuple):
    """Variances of values, each shrunken by itself."""

    variance: Float  # V*
    prior_part: FloatOrArray = 0.0  # v0: the part of V* that the prior contributes
    negatives_part: FloatOrArray = 0.0  # the part of v0 that comes from large weights of negatives

    def degrees_of_freedom(self, degrees: Float, prior_degrees: Float) -> Float:
        """Combine the degrees of freedom of the sample and of the prior.

        Equation B6: Satterthwaite's approximation for the sum of the two parts.
        """
        sample_part = self.variance - self.prior_part
        sample_term = sample_part**2 / np.maximum(degrees, TINY)
        prior_term = np.asarray(self.prior_part) ** 2 / prior_degrees
        return satterthwaite_degrees(self.variance, sample_term + prior_term)


def _bound(n_effective: Float, binomial_variances: Float, kappa: FloatOrArray) -> Float:
    """Return the bound B: the variance of a proportion of N cases, or more.

    Equation B4. One false positive above all N positives costs (1/2 + 1/3 + ...) / N, about
    ln(N) / N, whereas one case changes a proportion by 1 / N. So the variance of errors at the top
    is ln(N) times as large.
    """
    n_effective = np.maximum(n_effective, 1.0)
    factor = np.maximum(1.0, BOUND_LOG_FACTOR * np.log(n_effective) * kappa)
    return factor * binomial_variances / n_effective


def variance_of_average(
    mean: MeanSample, variance: Float, shrunken: Shrunken, degrees_of_freedom: Float
) -> tuple[Shrunken, Float]:
    """Shrink the variance of the average over values, each of which was shrunken by itself.

    Equation B9. ``mean`` has the sample variance of the average, and ``variance`` that of each
    value. The sum of the prior parts is a lower bound, as the variance of the average can vanish
    if columns vary against each other. The parts from large weights of negatives never cancel:
    scores that lack false positives are all too high. Errors that shrinkage adds are correlated as
    the values are: the design effect of the average, from 1 to the number of values, multiplies
    them.

    Also return the degrees of freedom of the average. The added variance is no estimate from the
    few cases of its column, so it has the degrees of freedom of the average column.
    """
    weights = mean.shares * mean.shares  # s_l^2
    value_variance = np.where(weights > 0, shrunken.variance, 0.0)  # V*_l
    prior_part = np.where(weights > 0, shrunken.prior_part, 0.0)  # v0_l
    negatives_part = np.where(weights > 0, shrunken.negatives_part, 0.0)
    variance_if_independent = np.maximum(weights @ variance, TINY)
    effect = mean.variance / variance_if_independent
    design_effect = np.clip(effect, 1.0, np.count_nonzero(weights))  # E
    added = weights @ (value_variance - negatives_part - variance)
    total = mean.variance + design_effect * added
    # Standard errors are added, not variances: the errors by negatives do not cancel out.
    negatives_variance = (mean.shares @ np.sqrt(negatives_part)) ** 2
    total = np.maximum(total + negatives_variance, weights @ prior_part)
    prior_total = design_effect * (weights @ (prior_part - negatives_part)) + negatives_variance
    degrees = _degrees_of_average(mean.shares, variance, value_variance, degrees_of_freedom)
    return Shrunken(total, np.minimum(prior_total, total)), degrees


def _degrees_of_average(
    shares: Float, variance: Float, shrunken_variance: Float, degrees_of_freedom: Float
) -> Float:
    """Combine the degrees of freedom of values; the added variance has those of the average."""
    weights = shares * shares
    parts = weights * shrunken_variance
    sample_parts = weights * np.minimum(shrunken_variance, variance)
    degrees = np.where(weights > 0, np.maximum(degrees_of_freedom, 1.0), 1.0)
    average_degrees = max(float(shares @ degrees), 1.0)
    sample_squares = sample_parts * sample_parts
    terms = sample_squares / degrees + (parts * parts - sample_squares) / average_degrees
    return satterthwaite_degrees(parts.sum(), terms.sum(keepdims=True))


def sums_of_squares(
    unit_influence: Float,
    factor: Float,
    *,
    n_units: float | np.integer[Any] | Array,
    multiplicity: FloatOrArray = 1.0,
    ranking: Index | None = None,
) -> tuple[Float, Float]:
    """Return the sample variance V of each value, and its degrees of freedom nu.

    Equation B1. The infinitesimal jackknife squares influence values and adds them up (Efron 1981).
    ``factor`` is f, the small-sample correction. ``multiplicity`` is the number of units that share
    an influence value. The more unequal the squares, the fewer degrees of freedom.
    """
    n_values = factor.size
    squares = unit_influence * unit_influence
    terms = squares * multiplicity
    variance = sum_by_ranking(terms, ranking, n_values) * factor
    terms *= squares  # the fourth power takes many times as long
    # The sum of (square - mean of squares)**2 is the variance of the sum of squares.
    variance_of_sum = sum_by_ranking(terms, ranking, n_values) * factor**2
    variance_of_sum -= variance * variance / np.maximum(n_units, 1.0)
    return variance, 2 * satterthwaite_degrees(variance, variance_of_sum)


def small_sample_factor(n_effective: FloatOrArray) -> Float:
    """Return f = N / (N - 1) of equation B1, which is also the factor for a mean."""
    return np.maximum(n_effective, 1.0) / np.maximum(n_effective - 1, 1.0)


def variance_of_score(score_influence: Float, n_effective: Float, magnitude: FloatOrArray) -> Float:
    """Return the variance of one score, or of a difference, as the sample shows it."""
    variance = np.asarray(np.sum(score_influence * score_influence, keepdims=True))
    return drop_rounding(variance, n_effective.max(), magnitude)


def drop_rounding(variance: Float, n_effective: FloatOrArray, magnitude: FloatOrArray) -> Float:
    """Set a variance to 0 if rounding of values of this magnitude could leave it.

    The number of cases counts as at least 1: at a tiny prevalence, the effective number is less.
    """
    case_deviation = np.sqrt(variance * np.maximum(n_effective, 1.0))
    return np.where(case_deviation > ROUNDING * magnitude, variance, 0.0)
