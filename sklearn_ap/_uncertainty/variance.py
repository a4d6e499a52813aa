"""From moves to variances of scores, and what a small sample cannot show of them.

``docs/certainty.md``, "How is it computed?", says the idea in words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.sampling_units import sum_by_ranking

Float = NDArray[np.float64]

PRIOR = 4.0  # degrees of freedom that the prior variance counts for
TINY = 1e-300  # so that 0 / 0 is 0
ROUNDING = 1e-9  # of the standard deviation of a case, beside the value
SMALLEST = 1e-12  # of A (1 - A), as a perfect ranking is not certain
LARGE_BIAS = 0.25  # standard errors of a mean
FEW_DEGREES = 4  # of freedom of the variance of a difference


class Uncertainty(NamedTuple):
    """How much scores, or differences of scores, vary: what their limits are made of."""

    standard_error: Any  # as the sample shows it
    variance: Any  # with what a small sample cannot show
    degrees_of_freedom: Any  # of Student's t
    binomial_variance: Any = np.nan  # of one case of a share
    effective_degrees: Any = np.inf  # the effective number of cases that the variance comes from
    bias: Any = np.nan  # how much higher each score is expected to be than that of the population
    has_few_degrees: bool = False

    @property
    def known_bias(self) -> Float:
        """The bias, 0 where it is not known."""
        return np.where(np.isnan(self.bias), 0.0, self.bias)


ONE_UNIT = Uncertainty(np.nan, np.inf, 1.0, 1.0)  # it says nothing of others


def estimate_variance(influences: InfluenceValues) -> Uncertainty:
    """How much each score varies, drawn towards the variance of a share."""
    binomial_variance = variance_of_share(influences.score)
    if influences.method == "queries":
        return _of_queries(influences, influences.score, binomial_variance)
    if np.all(influences.units.are_one_cluster):
        return ONE_UNIT
    if influences.replicates is not None:  # the score can be 1 where these are not
        middle = np.ma.masked_invalid(influences.replicates[0]).mean(axis=0).filled(0.0)
        middle = np.atleast_1d(influences.shares @ middle) if influences.is_mean else middle
        binomial_variance = np.maximum(binomial_variance, variance_of_share(middle))
    variance, degrees = _sample_variance(influences, np.abs(influences.values))
    binomial_variances = np.maximum(variance_of_share(influences.values), binomial_variance)
    if influences.is_mean:  # where no positive was found, few samples would show more than one
        of_one = variance_of_share(1 / (np.maximum(influences.n_effective, 1.0) + 2))
        binomial_variances = np.where(
            influences.values == 0, np.minimum(of_one, binomial_variances), binomial_variances
        )
    shrunken, least, shared = _shrink(influences, variance, degrees, binomial_variances)
    if not influences.is_mean:
        number = _satterthwaite_degrees(
            shrunken, least, degrees, np.maximum(influences.n_effective - 1, 1.0)
        )
        numbers = np.minimum(number, influences.n_effective - 1), binomial_variance, number
        return _of_each(
            influences, np.sqrt(variance), shrunken, *numbers, influences.bias_of_values
        )
    moved = influences.of_mean(influences.by_positive)
    of_mean = _variance_of(moved, influences, np.abs(influences.score))
    bias = _bias_of_mean(influences, np.sqrt(of_mean))
    over = of_mean, influences.shares, variance, shrunken, influences.n_effective - 1
    return Uncertainty(
        np.sqrt(of_mean), *variance_of_average(*over, least, shared), binomial_variance, bias=bias
    )


def estimate_variance_of_difference(
    influences: InfluenceValues, reference: InfluenceValues, bias: Any
) -> Uncertainty:
    """How much each difference from the score of another model varies.

    ``bias`` is that of the differences. It matters to means only, which vary little.
    """
    difference = influences.minus(reference)
    if influences.method == "queries":
        binomial_variance = 1 / np.maximum(influences.n_effective, 1.0)
        return _of_queries(
            difference, np.maximum(influences.score, reference.score), binomial_variance
        )
    if np.all(influences.units.are_one_cluster):
        return ONE_UNIT
    magnitude = np.maximum(np.abs(influences.values), np.abs(reference.values))
    variance, shown = _sample_variance(difference, magnitude)
    are_few = (shown < FEW_DEGREES) & (variance > 0) & influences.is_defined
    are_few &= ~np.asarray(influences.units.are_one_cluster)
    # Many samples show no difference of two alike models: 4 / ((nu + 4) N^2) more.
    n_effective = np.maximum(influences.n_effective, 1.0)
    hidden = PRIOR / (shown + PRIOR) / n_effective / n_effective
    degrees, has_few_degrees = (
        np.minimum(shown + PRIOR, influences.n_effective - 1),
        bool(are_few.any()),
    )
    if not influences.is_mean:
        uncertainty = _of_each(influences, np.sqrt(variance), variance + hidden, degrees)
        return uncertainty._replace(has_few_degrees=has_few_degrees)
    magnitude = np.maximum(np.abs(influences.score), np.abs(reference.score))
    moved = difference.of_mean(influences.by_positive - reference.by_positive)
    of_mean = _variance_of(moved, difference, magnitude)
    over = variance_of_average(of_mean, influences.shares, variance, variance + hidden, degrees)
    return Uncertainty(np.sqrt(of_mean), *over, bias=bias, has_few_degrees=has_few_degrees)


def _of_each(influences: InfluenceValues, *numbers: Any) -> Uncertainty:
    """The spread of scores, where a ranking of a single cluster says nothing of others."""
    is_one = influences.units.are_one_cluster
    pairs = zip(ONE_UNIT, Uncertainty(*numbers)[:-1], strict=False)
    return Uncertainty(*(np.where(is_one, one, each) for one, each in pairs))


def variance_of_share(share: Float) -> Float:
    """The variance of one case of a share, never 0."""
    return np.maximum(share * (1 - share), SMALLEST)


def _of_queries(
    influences: InfluenceValues, magnitude: Float, binomial_variance: Float
) -> Uncertainty:
    """How much a mean of queries varies.

    Values that are all the same are taken for so many cases. Student's t has a degree of freedom
    less than there are queries with a positive.
    """
    if influences.n_effective[0] < 1 + 1e-9:
        return ONE_UNIT
    moved = influences.by_unit * np.sqrt(influences.small_sample_factor)
    variance = _without_rounding(np.sum(moved * moved, axis=1), influences.n_effective, magnitude)
    shrunken = np.where(variance > 0, variance, binomial_variance / influences.n_effective)
    number = np.where(variance > 0, sums_of_squares(influences)[1], np.inf)
    numbers = influences.n_effective_positives - 1, binomial_variance, number
    return Uncertainty(np.sqrt(variance), shrunken, *numbers, influences.bias_of_values)


def _sample_variance(influences: InfluenceValues, magnitude: Float) -> tuple[Float, Float]:
    """The variance of each value as the sample shows it, and its degrees of freedom."""
    variance, degrees = sums_of_squares(influences)
    if influences.replicates is not None:
        variance = np.ma.masked_invalid(influences.replicates[0]).var(axis=0, ddof=1).filled(0.0)
    variance = _without_rounding(variance, influences.n_effective, magnitude)
    return variance, np.where(variance > 0, degrees, 0.0)


def _bias_of_mean(influences: InfluenceValues, standard_error: Float) -> Float:
    """The bias of an average; by the jackknife, where no formula knows it and it matters."""
    jackknife, bias = influences.jackknife, influences.bias_of_values
    is_mean = np.count_nonzero(influences.is_defined) > 1
    if jackknife is not None and is_mean and np.isnan(bias).all():
        # The bias of an envelope is up to three times that of the steps.
        least = influences.mean_of(jackknife.least) * (3 if jackknife.is_rough else 1)
        matters = least > LARGE_BIAS * standard_error
        bias = jackknife.bias if matters else bias
    return influences.mean_of(bias)


def _variance_of(moved: Float, influences: InfluenceValues, magnitude: Float) -> Float:
    """The variance of an average over values, where ``moved`` is what each unit moves it by."""
    return _without_rounding(
        np.sum(moved * moved, keepdims=True), influences.n_effective.max(), magnitude
    )


def sums_of_squares(influences: InfluenceValues) -> tuple[Float, Float]:
    """The infinitesimal jackknife: moves are squared and added up (Efron 1981).

    The degrees of freedom come from how unequal the squares are (Satterthwaite 1946).
    """
    n_rankings, factor = influences.n_effective.size, influences.small_sample_factor
    squares = influences.by_unit * influences.by_unit
    summed = squares * influences.multiplicity
    variance = sum_by_ranking(summed, influences.units.ranking, n_rankings) * factor
    summed *= squares  # the fourth power takes many times as long
    # The sum of (square - mean of squares)**2
    doubt = sum_by_ranking(summed, influences.units.ranking, n_rankings) * factor * factor
    doubt -= variance * variance / np.maximum(influences.n_units, 1.0)
    return variance, 2 * variance * variance / np.maximum(doubt, TINY)


def _shrink(
    influences: InfluenceValues, variance: Float, degrees: Float, binomial_variances: Float
) -> tuple[Float, Float, Float]:
    """Draw each variance towards that of a share, as a nearly perfect ranking shows too little.

    One false alarm above all N positives costs about ln(N) / N, so the prior grows with ln(N).
    Where negatives weigh much, it is no more than what three false alarms cost, as many as a
    sample that shows none may hide. Gives the variances, what the prior contributes to them,
    and the part of that which comes from heavy negatives.
    """
    trust = degrees / (degrees + PRIOR)
    prior = alone = _prior(influences.n_effective_positives, binomial_variances)
    if influences.n_effective is not influences.n_effective_positives:
        prior = _prior(influences.n_effective, binomial_variances)
    heavy = np.minimum(prior - alone, (3 * influences.false_positive_cost) ** 2)
    if influences.effective_sizes is not None:
        # The cases are those that the clusters show. Many in a cluster leave less to be hidden.
        clusters = np.maximum(influences.n_effective_positives, 1.0)
        more = np.maximum(influences.effective_sizes.n_positives / clusters, 1.0)
        alone = _prior(clusters * more, binomial_variances, 1 / np.sqrt(more))
    from_prior, from_heavy = (1 - trust) * (alone + heavy), (1 - trust) * heavy
    return from_prior + trust * variance, from_prior, from_heavy


def _satterthwaite_degrees(
    shrunken: Float, from_prior: Float, degrees: Float, n_effective: Float
) -> Float:
    """The degrees of freedom of an enlarged variance, from those of its parts."""
    shown = shrunken - from_prior
    doubt = shown * shown / np.maximum(degrees, TINY) + from_prior * from_prior / n_effective
    return shrunken * shrunken / np.maximum(doubt, TINY)


def _prior(n_effective: Float, binomial_variances: Float, hidden: Any = 1.0) -> Float:
    n_effective = np.maximum(n_effective, 1.0)
    return np.maximum(1.0, 0.65 * np.log(n_effective) * hidden) * binomial_variances / n_effective


def variance_of_average(
    of_mean: Float,
    shares: Float,
    variance: Float,
    shrunken: Float,
    degrees_of_freedom: Float,
    least: Any = 0.0,
    shared: Any = 0.0,
) -> tuple[Float, Float]:
    """The variance of the average over values, each of which was ``shrunken`` by itself.

    ``of_mean`` is what the sample shows of it. ``least`` is what must remain of each, as columns
    that vary against each other can cancel out. ``shared`` is the part of each that they have in
    common, so it does not cancel out: scores that lack false alarms are all too high. The degrees
    of freedom of Student's t follow from those of each (Satterthwaite 1946).
    """
    weights = shares * shares
    shrunken, least, shared = (
        np.where(weights > 0, each, 0.0) for each in (shrunken, least, shared)
    )
    total = of_mean + weights @ (shrunken - shared - variance)
    total += (shares @ np.sqrt(shared)) ** 2
    parts = weights * shrunken
    doubt = (parts * parts / np.maximum(degrees_of_freedom, 1.0)).sum(keepdims=True)
    degrees = parts.sum() ** 2 / np.maximum(doubt, TINY)
    return np.maximum(total, weights @ least), degrees


def _without_rounding(variance: Any, n_effective: Any, magnitude: Any) -> Float:
    """A variance that rounding of values of such a magnitude can leave counts as 0."""
    return np.where(np.sqrt(variance * n_effective) > ROUNDING * magnitude, variance, 0.0)
