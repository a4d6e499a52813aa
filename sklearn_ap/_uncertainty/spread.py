"""From moves to variances of scores, and what a small sample cannot show of them.

``docs/certainty.md``, "How is it computed?", says the idea in words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._uncertainty.moves import Moves
from sklearn_ap._uncertainty.units import sum_by_ranking

Float = NDArray[np.float64]

PRIOR = 4.0  # degrees of freedom that the prior variance counts for
TINY = 1e-300  # so that 0 / 0 is 0
ROUNDING = 1e-9  # of the standard deviation of a case, beside the value
SMALLEST = 1e-12  # of A (1 - A), as a perfect ranking is not certain
LARGE_BIAS = 0.25  # standard errors of a mean
FEW_DEGREES = 4  # of freedom of the variance of a difference


class Spread(NamedTuple):
    """How much scores, or differences of scores, vary: what their limits are made of."""

    standard_error: Any  # as the sample shows it
    variance: Any  # with what a small sample cannot show
    degrees_of_freedom: Any  # of Student's t
    case_variance: Any = np.nan  # of one case of a share
    n_deciding: Any = np.inf  # the effective number of cases that the variance comes from
    bias: Any = np.nan  # how much higher each score is expected to be than that of the population
    rests_on_few: bool = False

    @property
    def known_bias(self) -> Float:
        """The bias, 0 where it is not known."""
        return np.where(np.isnan(self.bias), 0.0, self.bias)


ONE_UNIT = Spread(np.nan, np.inf, 1.0, 1.0)  # it says nothing of others


def spread_of(moves: Moves) -> Spread:
    """How much each score varies, drawn towards the variance of a share."""
    one_case = share_variance(moves.score)
    if moves.method == "queries":
        return _of_queries(moves, moves.score, one_case)
    if np.all(moves.units.are_one_cluster):
        return ONE_UNIT
    if moves.replicates is not None:  # the score can be 1 where these are not
        middle = np.ma.masked_invalid(moves.replicates[0]).mean(axis=0).filled(0.0)
        middle = np.atleast_1d(moves.shares @ middle) if moves.is_mean else middle
        one_case = np.maximum(one_case, share_variance(middle))
    variance, degrees = _shown(moves, np.abs(moves.values))
    of_case = np.maximum(share_variance(moves.values), one_case)
    if moves.is_mean:  # where no positive was found, few samples would show more than one
        of_one = share_variance(1 / (np.maximum(moves.cases, 1.0) + 2))
        of_case = np.where(moves.values == 0, np.minimum(of_one, of_case), of_case)
    enlarged, least, shared = _shrunk(moves, variance, degrees, of_case)
    if not moves.is_mean:
        number = _deciding(enlarged, least, degrees, np.maximum(moves.cases - 1, 1.0))
        numbers = np.minimum(number, moves.cases - 1), one_case, number
        return _of_each(moves, np.sqrt(variance), enlarged, *numbers, moves.bias_of_values)
    moved = moves.of_mean(moves.by_positive)
    of_mean = _variance_of(moved, moves, np.abs(moves.score))
    bias = _bias_of_mean(moves, np.sqrt(of_mean))
    over = of_mean, moves.shares, variance, enlarged, moves.cases - 1
    return Spread(np.sqrt(of_mean), *variance_of_average(*over, least, shared), one_case, bias=bias)


def spread_of_difference(moves: Moves, reference: Moves, bias: Any) -> Spread:
    """How much each difference from the score of another model varies.

    ``bias`` is that of the differences. It matters to means only, which vary little.
    """
    difference = moves.minus(reference)
    if moves.method == "queries":
        one_case = 1 / np.maximum(moves.cases, 1.0)
        return _of_queries(difference, np.maximum(moves.score, reference.score), one_case)
    if np.all(moves.units.are_one_cluster):
        return ONE_UNIT
    magnitude = np.maximum(np.abs(moves.values), np.abs(reference.values))
    variance, shown = _shown(difference, magnitude)
    few = (shown < FEW_DEGREES) & (variance > 0) & moves.is_defined
    few &= ~np.asarray(moves.units.are_one_cluster)
    # Many samples show no difference of two alike models: 4 / ((nu + 4) N^2) more.
    cases = np.maximum(moves.cases, 1.0)
    hidden = PRIOR / (shown + PRIOR) / cases / cases
    degrees, rests_on_few = np.minimum(shown + PRIOR, moves.cases - 1), bool(few.any())
    if not moves.is_mean:
        spread = _of_each(moves, np.sqrt(variance), variance + hidden, degrees)
        return spread._replace(rests_on_few=rests_on_few)
    magnitude = np.maximum(np.abs(moves.score), np.abs(reference.score))
    moved = difference.of_mean(moves.by_positive - reference.by_positive)
    of_mean = _variance_of(moved, difference, magnitude)
    over = variance_of_average(of_mean, moves.shares, variance, variance + hidden, degrees)
    return Spread(np.sqrt(of_mean), *over, bias=bias, rests_on_few=rests_on_few)


def _of_each(moves: Moves, *numbers: Any) -> Spread:
    """The spread of scores, where a ranking of a single cluster says nothing of others."""
    is_one = moves.units.are_one_cluster
    pairs = zip(ONE_UNIT, Spread(*numbers)[:-1], strict=False)
    return Spread(*(np.where(is_one, one, each) for one, each in pairs))


def share_variance(share: Float) -> Float:
    """The variance of one case of a share, never 0."""
    return np.maximum(share * (1 - share), SMALLEST)


def _of_queries(moves: Moves, magnitude: Float, one_case: Float) -> Spread:
    """How much a mean of queries varies.

    Values that are all the same are taken for so many cases. Student's t has a degree of freedom
    less than there are queries with a positive.
    """
    if moves.cases[0] < 1 + 1e-9:
        return ONE_UNIT
    moved = moves.by_unit * np.sqrt(moves.small_sample_factor)
    variance = _without_rounding(np.sum(moved * moved, axis=1), moves.cases, magnitude)
    enlarged = np.where(variance > 0, variance, one_case / moves.cases)
    number = np.where(variance > 0, sums_of_squares(moves)[1], np.inf)
    numbers = moves.cases_alone - 1, one_case, number
    return Spread(np.sqrt(variance), enlarged, *numbers, moves.bias_of_values)


def _shown(moves: Moves, magnitude: Float) -> tuple[Float, Float]:
    """The variance of each value as the sample shows it, and its degrees of freedom."""
    variance, degrees = sums_of_squares(moves)
    if moves.replicates is not None:
        variance = np.ma.masked_invalid(moves.replicates[0]).var(axis=0, ddof=1).filled(0.0)
    variance = _without_rounding(variance, moves.cases, magnitude)
    return variance, np.where(variance > 0, degrees, 0.0)


def _bias_of_mean(moves: Moves, standard_error: Float) -> Float:
    """The bias of an average; by the jackknife, where no formula knows it and it matters."""
    jackknife, bias = moves.jackknife, moves.bias_of_values
    is_mean = np.count_nonzero(moves.is_defined) > 1
    if jackknife is not None and is_mean and np.isnan(bias).all():
        # The bias of an envelope is up to three times that of the steps.
        least = moves.mean_of(jackknife.least) * (3 if jackknife.is_rough else 1)
        matters = least > LARGE_BIAS * standard_error
        bias = jackknife.bias if matters else bias
    return moves.mean_of(bias)


def _variance_of(moved: Float, moves: Moves, magnitude: Float) -> Float:
    """The variance of an average over values, where ``moved`` is what each unit moves it by."""
    return _without_rounding(np.sum(moved * moved, keepdims=True), moves.cases.max(), magnitude)


def sums_of_squares(moves: Moves) -> tuple[Float, Float]:
    """The infinitesimal jackknife: moves are squared and added up (Efron 1981).

    The degrees of freedom come from how unequal the squares are (Satterthwaite 1946).
    """
    n_rankings, factor = moves.cases.size, moves.small_sample_factor
    squares = moves.by_unit * moves.by_unit
    summed = squares * moves.n_alike
    variance = sum_by_ranking(summed, moves.units.ranking, n_rankings) * factor
    summed *= squares  # the fourth power takes many times as long
    # The sum of (square - mean of squares)**2
    doubt = sum_by_ranking(summed, moves.units.ranking, n_rankings) * factor * factor
    doubt -= variance * variance / np.maximum(moves.n_units, 1.0)
    return variance, 2 * variance * variance / np.maximum(doubt, TINY)


def _shrunk(
    moves: Moves, variance: Float, degrees: Float, of_case: Float
) -> tuple[Float, Float, Float]:
    """Draw each variance towards that of a share, as a nearly perfect ranking shows too little.

    One false alarm above all N positives costs about ln(N) / N, so the prior grows with ln(N).
    Where negatives weigh much, it is no more than what three false alarms cost, as many as a
    sample that shows none may hide. Gives the variances, what the prior contributes to them,
    and the part of that which comes from heavy negatives.
    """
    trust = degrees / (degrees + PRIOR)
    prior = alone = _prior(moves.cases_alone, of_case)
    if moves.cases is not moves.cases_alone:
        prior = _prior(moves.cases, of_case)
    heavy = np.minimum(prior - alone, (3 * moves.alarm) ** 2)
    if moves.effects is not None:
        # The cases are those that the clusters show. Many in a cluster leave less to be hidden.
        clusters = np.maximum(moves.cases_alone, 1.0)
        more = np.maximum(moves.effects.n_positives / clusters, 1.0)
        alone = _prior(clusters * more, of_case, 1 / np.sqrt(more))
    from_prior, from_heavy = (1 - trust) * (alone + heavy), (1 - trust) * heavy
    return from_prior + trust * variance, from_prior, from_heavy


def _deciding(enlarged: Float, from_prior: Float, degrees: Float, cases: Float) -> Float:
    """The degrees of freedom of an enlarged variance, from those of its parts."""
    shown = enlarged - from_prior
    doubt = shown * shown / np.maximum(degrees, TINY) + from_prior * from_prior / cases
    return enlarged * enlarged / np.maximum(doubt, TINY)


def _prior(cases: Float, of_case: Float, hidden: Any = 1.0) -> Float:
    cases = np.maximum(cases, 1.0)
    return np.maximum(1.0, 0.65 * np.log(cases) * hidden) * of_case / cases


def variance_of_average(
    of_mean: Float,
    shares: Float,
    variance: Float,
    enlarged: Float,
    degrees_of_freedom: Float,
    least: Any = 0.0,
    shared: Any = 0.0,
) -> tuple[Float, Float]:
    """The variance of the average over values, each of which was ``enlarged`` by itself.

    ``of_mean`` is what the sample shows of it. ``least`` is what must remain of each, as columns
    that vary against each other can cancel out. ``shared`` is the part of each that they have in
    common, so it does not cancel out: scores that lack false alarms are all too high. The degrees
    of freedom of Student's t follow from those of each (Satterthwaite 1946).
    """
    weights = shares * shares
    enlarged, least, shared = (
        np.where(weights > 0, each, 0.0) for each in (enlarged, least, shared)
    )
    total = of_mean + weights @ (enlarged - shared - variance)
    total += (shares @ np.sqrt(shared)) ** 2
    parts = weights * enlarged
    doubt = (parts * parts / np.maximum(degrees_of_freedom, 1.0)).sum(keepdims=True)
    degrees = parts.sum() ** 2 / np.maximum(doubt, TINY)
    return np.maximum(total, weights @ least), degrees


def _without_rounding(variance: Any, cases: Any, magnitude: Any) -> Float:
    """A variance that rounding of values of such a magnitude can leave counts as 0."""
    return np.where(np.sqrt(variance * cases) > ROUNDING * magnitude, variance, 0.0)
