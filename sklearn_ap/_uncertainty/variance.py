"""The variance of scores and of differences: that of the sample, shrunken.

``docs/certainty.md``, "How is it computed?", says in words why ``_shrink`` shrinks it towards that
of a proportion.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.tolerances import RELATIVE_TOLERANCE, TINY
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.sample_variance import (
    small_sample_factor,
    sums_of_squares,
    variance_of_score,
    without_rounding,
)
from sklearn_ap._uncertainty.sampling_units import RowUnits

Float = NDArray[np.float64]

# Degrees of freedom that the prior variance counts for: a choice, whose coverage is that of
# "near-perfect" and "two false alarms" of benchmarks/certainty_coverage.py.
PRIOR = 4.0
# Of ln(N), see _prior: a choice, with the coverage of the same families.
LOG_FACTOR = 0.65
# A rate of 3 / n can have shown none of n at a level of 95% (Hanley and Lippman-Hand 1983).
HIDDEN_FALSE_POSITIVES = 3
# The share of all clusters from which on those that determine a difference are many, and the fewest
# degrees of freedom with clusters: choices, whose coverage and width are those of "clusters, two
# models" in benchmarks/certainty_coverage.py.
ENOUGH_CLUSTERS = 0.25
FEWEST_DEGREES = 3.0
SMALLEST = 1e-12  # of A (1 - A), as a perfect ranking is not certain: a choice


class Uncertainty(NamedTuple):
    """How much scores, or differences of scores, vary: what their limits are made of."""

    standard_error: Any  # as the sample shows it
    variance: Any  # shrunken, with what a small sample cannot show
    degrees_of_freedom: Any  # of Student's t
    binomial_variance: Any = np.nan  # of one case of a proportion
    effective_degrees: Any = np.inf  # of freedom of the variance, from how unequal influences are
    bias: Any = np.nan  # how much higher each score is expected to be than that of the population
    has_few_degrees: bool = False

    @property
    def known_bias(self) -> Float:
        """The bias, 0 where it is not known."""
        return np.where(np.isnan(self.bias), 0.0, self.bias)

    def times(self, factor: float) -> Uncertainty:
        """The same with variances that are larger by a factor."""
        error, variance = self.standard_error * np.sqrt(factor), self.variance * factor
        return self._replace(standard_error=error, variance=variance)


ONE_UNIT = Uncertainty(np.nan, np.inf, 1.0, 1.0)  # it says nothing of others


def estimate_variance(influences: InfluenceValues) -> Uncertainty:
    """How much each score varies, shrunken towards the variance of a proportion."""
    if isinstance(influences, QueryInfluences):
        score = influences.score
        return _of_queries(influences, influences.of_score, score, variance_of_share(score))
    variance, degrees = _sample_variance(influences)
    binomial_variance, binomial_variances = _binomial_variances(influences)
    shrunken = _shrink(influences, variance, degrees, binomial_variances)
    at_most, bias = influences.n_effective - 1, influences.bias_of_values
    if influences.is_mean:
        of_mean, degrees = _of_mean(influences, influences.of_score, influences.score)
        shrunken, at_most = variance_of_average(
            of_mean, influences.shares, variance, shrunken, degrees_of_freedom=at_most
        )
        variance, bias = of_mean, influences.mean_of(bias)
    effective = shrunken.degrees_of_freedom(degrees, np.maximum(at_most, 1.0))
    found = Uncertainty(
        standard_error=np.sqrt(variance),
        variance=shrunken.variance,
        degrees_of_freedom=np.minimum(effective, at_most),
        binomial_variance=binomial_variance,
        effective_degrees=degrees if influences.is_mean else effective,
        bias=bias,
    )
    return _unless_one_cluster(influences, found)


def _of_mean(influences: RowInfluences, influence: Float, magnitude: Float) -> tuple[Float, Float]:
    """The variance of an average as the sample shows it, and its degrees of freedom.

    Few rows may determine all columns, which the degrees of freedom of each do not say.
    """
    if influences.replicates is not None:  # these are no units
        return variance_of_score(influence, influences.n_effective, magnitude), np.full(1, np.inf)
    n_unscored = influences.units.n_unscored
    n_units = influence.size - n_unscored.size + n_unscored.sum()
    return _of_one_score(influence, influences.n_effective, magnitude, n_units)


def _of_one_score(
    influence: Float, n_effective: Float, magnitude: Float, n_units: float
) -> tuple[Float, Float]:
    """The variance of one score as the sample shows it, and its degrees of freedom."""
    variance = variance_of_score(influence, n_effective, magnitude)
    _, degrees = sums_of_squares(influence[None], np.ones(1), n_units=n_units)
    return variance, np.where(variance > 0, degrees, np.inf)


def _binomial_variances(influences: RowInfluences) -> tuple[Float, Float]:
    """The variance of a proportion for the score, and at least as much for each value."""
    of_score = variance_of_share(influences.score)
    if influences.replicates is not None:  # the score can be 1, and the mean of replicates not
        middle = np.ma.masked_invalid(influences.replicates.values).mean(axis=0).filled(0.0)
        middle = np.atleast_1d(influences.shares @ middle) if influences.is_mean else middle
        of_score = np.maximum(of_score, variance_of_share(middle))
    of_values = np.maximum(variance_of_share(influences.values), of_score)
    if influences.is_mean:
        # Where no positive was found, the next sample may find one: Laplace's (0 + 1) / (N + 2).
        of_one = variance_of_share(1 / (np.maximum(influences.n_effective, 1.0) + 2))
        of_values = np.where(influences.values == 0, np.minimum(of_one, of_values), of_values)
    return of_score, of_values


def estimate_variance_of_difference(
    influences: InfluenceValues, reference: InfluenceValues, bias: Any
) -> Uncertainty:
    """How much each difference from the score of another model varies.

    ``bias`` is that of the differences, and is used for means only, which vary little.
    """
    magnitude = np.maximum(influences.score, reference.score)
    if isinstance(influences, QueryInfluences):
        # If all queries differ alike, the variance is 1 / n^2: one query that differs by 1.
        binomial_variance = 1 / np.maximum(influences.n_effective, 1.0)
        of_difference = influences.of_score - reference.of_score
        return _of_queries(influences, of_difference, magnitude, binomial_variance)
    reference = cast(RowInfluences, reference)
    variance, degrees = _sample_variance(influences, reference)
    # With fewer degrees of freedom than the prior has, it weighs more than the sample.
    are_few = (degrees < PRIOR) & (variance > 0) & influences.is_defined
    are_few &= ~np.asarray(influences.units.are_one_cluster)
    hidden, least_degrees = _hidden_differences(influences, reference, variance, degrees)
    degrees = np.minimum(degrees + PRIOR, influences.n_effective - 1)
    found = Uncertainty(
        standard_error=np.sqrt(variance),
        variance=variance + hidden,
        degrees_of_freedom=np.maximum(degrees, least_degrees),
        has_few_degrees=bool(are_few.any()),
    )
    if influences.is_mean:
        of_difference = influences.of_score - reference.of_score
        of_mean, of_units = _of_mean(influences, of_difference, magnitude)
        of_average, degrees = variance_of_average(
            of_mean, influences.shares, variance, Shrunken(found.variance), found.degrees_of_freedom
        )
        found = found._replace(
            standard_error=np.sqrt(of_mean),
            variance=of_average.variance,
            degrees_of_freedom=np.minimum(degrees, of_units + PRIOR),
            bias=bias,
        )
    return _unless_one_cluster(influences, found)


def _hidden_differences(
    influences: RowInfluences, reference: RowInfluences, variance: Float, degrees: Float
) -> tuple[Float, Any]:
    """What a sample may hide of a difference, and the fewest degrees of freedom of Student's t.

    Two nearly equal models show no difference in many samples. One positive that only one of them
    ranks right changes the difference by 1 / N, so the prior variance is 1 / N^2. Two models mostly
    disagree on rows, so with clusters N counts rows, and the prior variance is multiplied by the
    design effect of the difference. Where few clusters determine the difference, one model may lose
    whole clusters, which N then counts.
    """
    n_clusters = np.maximum(influences.n_effective, 1.0)
    weight_of_prior = PRIOR / (degrees + PRIOR)
    of_clusters = weight_of_prior / n_clusters / n_clusters
    if influences.by_row is None or reference.by_row is None:
        return of_clusters, -np.inf
    units = cast(RowUnits, influences.units)
    in_each = np.maximum(units.n_rows / np.maximum(units.positives.n_unlimited, 1.0), 1.0)
    n_rows = n_clusters * in_each
    by_row, n_unscored = influences.by_row - reference.by_row, units.n_unscored
    ranking = units.rankings.ranking
    of_rows, _ = sums_of_squares(
        by_row,
        small_sample_factor(n_rows),
        n_units=1.0,
        multiplicity=np.append(np.ones(by_row.shape[-1] - n_unscored.size), n_unscored),
        ranking=None if ranking is None else np.append(ranking, np.arange(n_unscored.size)),
    )
    design_effect = np.maximum(variance / np.where(of_rows > 0, of_rows, np.inf), 1.0)
    by_rows = np.minimum(degrees / (ENOUGH_CLUSTERS * np.maximum(n_clusters - 1, TINY)), 1.0) ** 2
    of_disagreements = weight_of_prior * design_effect / n_rows / n_rows
    hidden = by_rows * of_disagreements + (1 - by_rows) * of_clusters
    return np.minimum(hidden, of_clusters), np.where(
        in_each > 1 + RELATIVE_TOLERANCE, FEWEST_DEGREES, -np.inf
    )


def _unless_one_cluster(influences: RowInfluences, found: Uncertainty) -> Uncertainty:
    """What was found, except for rankings of a single cluster, which say nothing of others."""
    is_one = influences.units.are_one_cluster
    if not np.any(is_one):
        return found
    pairs = zip(ONE_UNIT[:-1], found[:-1], strict=True)
    of_each = Uncertainty(*(np.where(is_one, *pair) for pair in pairs))
    return of_each._replace(has_few_degrees=found.has_few_degrees)


def variance_of_share(share: Float) -> Float:
    """The variance of one case of a proportion, never 0."""
    return np.maximum(share * (1 - share), SMALLEST)


def _of_queries(
    influences: QueryInfluences, influence: Float, magnitude: Float, binomial_variance: Float
) -> Uncertainty:
    """How much a mean over queries varies, or a difference, from the influence of each query.

    Values that are all the same count as so many cases of a proportion. Student's t has a degree of
    freedom less than there are queries with a positive.
    """
    n_effective = influences.n_effective
    if n_effective[0] < 1 + RELATIVE_TOLERANCE:
        return ONE_UNIT
    variance, degrees = _of_one_score(influence, n_effective, magnitude, influence.size)
    return Uncertainty(
        standard_error=np.sqrt(variance),
        variance=np.where(variance > 0, variance, binomial_variance / n_effective),
        degrees_of_freedom=influences.n_effective_positives - 1,
        binomial_variance=binomial_variance,
        effective_degrees=degrees,
        bias=influences.bias,
    )


def _sample_variance(
    influences: RowInfluences, reference: RowInfluences | None = None
) -> tuple[Float, Float]:
    """The variance of each value as the sample shows it, and its degrees of freedom.

    With a reference, they are those of the difference from its values.
    """
    by_unit, replicates, magnitude = influences.by_unit, influences.replicates, influences.values
    values = None if replicates is None else replicates.values
    if reference is not None:
        by_unit, magnitude = by_unit - reference.by_unit, np.maximum(magnitude, reference.values)
        if values is not None and reference.replicates is not None:
            values = values - reference.replicates.values
    variance, degrees = sums_of_squares(
        by_unit,
        small_sample_factor(influences.n_effective),
        n_units=influences.units.n_units,
        multiplicity=influences.multiplicity,
        ranking=influences.units.ranking,
    )
    if values is not None:
        variance = np.ma.masked_invalid(values).var(axis=0, ddof=1).filled(0.0)
    variance = without_rounding(variance, influences.n_effective, magnitude)
    return variance, np.where(variance > 0, degrees, 0.0)


class Shrunken(NamedTuple):
    """Variances of values, each shrunken by itself."""

    variance: Float
    from_prior: Any = 0.0  # the part of it that the prior contributes
    from_negatives: Any = 0.0  # the part of that which comes from large weights of negatives

    def degrees_of_freedom(self, degrees: Float, of_prior: Float) -> Float:
        """Those of the sum, from those of the sample and the prior (Satterthwaite 1946)."""
        from_sample = self.variance - self.from_prior
        variance_of_sum = from_sample**2 / np.maximum(degrees, TINY) + self.from_prior**2 / of_prior
        return self.variance * self.variance / np.maximum(variance_of_sum, TINY)


def _shrink(
    influences: RowInfluences, variance: Float, degrees: Float, binomial_variances: Float
) -> Shrunken:
    """Shrink each variance towards that of a proportion: a nearly perfect ranking shows too little.

    Where negatives weigh much, the prior is no more than what some false positives cost, as many as
    a sample that shows none may hide.
    """
    weight_of_prior = 1 - degrees / (degrees + PRIOR)
    prior = _prior(influences.n_effective, binomial_variances)
    unlimited = _prior(influences.n_effective_positives, binomial_variances)
    at_most = (HIDDEN_FALSE_POSITIVES * influences.false_positive_cost) ** 2
    from_negatives = np.minimum(prior - unlimited, at_most)
    if influences.effective_sizes is not None:
        # The effective size is that of the design effect. Many rows in a cluster hide less: the
        # factor of ln(N) falls with the root of their number, a choice.
        n_clusters = np.maximum(influences.n_effective_positives, 1.0)
        in_each = np.maximum(influences.effective_sizes.n_positives / n_clusters, 1.0)
        unlimited = _prior(n_clusters * in_each, binomial_variances, 1 / np.sqrt(in_each))
    from_prior = weight_of_prior * (unlimited + from_negatives)
    shrunken = from_prior + (1 - weight_of_prior) * variance
    return Shrunken(shrunken, from_prior, weight_of_prior * from_negatives)


def _prior(n_effective: Float, binomial_variances: Float, hidden: Any = 1.0) -> Float:
    """The variance of a proportion of N cases, or more.

    One false positive above all N positives costs (1/2 + 1/3 + ...) / N, about ln(N) / N, and one
    case of a proportion 1 / N. So the variance of errors at the top is ln(N) times as large.
    """
    n_effective = np.maximum(n_effective, 1.0)
    factor = np.maximum(1.0, LOG_FACTOR * np.log(n_effective) * hidden)
    return factor * binomial_variances / n_effective


def variance_of_average(
    of_mean: Float, shares: Float, variance: Float, shrunken: Shrunken, degrees_of_freedom: Float
) -> tuple[Shrunken, Float]:
    """The variance of the average over values, each of which was ``shrunken`` by itself.

    ``of_mean`` and ``variance`` are those of the sample, of the average and of each value. What the
    prior contributes to each must remain, as columns that vary against each other can cancel out.
    What comes from large weights of negatives does not: scores that lack false positives are all
    too high. What is added to each varies together as the values do: where scores share an effect
    of the row, the design effect of the average, from 1 to the number of values, multiplies it. The
    degrees of freedom of Student's t follow from those of each (Satterthwaite 1946).
    """
    weights = shares * shares
    each, least, shared = (np.where(weights > 0, part, 0.0) for part in shrunken)
    if_independent = np.maximum(weights @ variance, TINY)
    design_effect = np.clip(of_mean / if_independent, 1.0, np.count_nonzero(weights))
    total = of_mean + design_effect * (weights @ (each - shared - variance))
    of_negatives = (shares @ np.sqrt(shared)) ** 2
    total = np.maximum(total + of_negatives, weights @ least)
    from_prior = np.minimum(design_effect * (weights @ (least - shared)) + of_negatives, total)
    parts = weights * each
    of_parts = parts * parts / np.maximum(degrees_of_freedom, 1.0)
    degrees = parts.sum() ** 2 / np.maximum(of_parts.sum(keepdims=True), TINY)
    return Shrunken(total, from_prior), degrees
