"""From variances to limits: Wilson's interval of a score, or its logit's; a difference's."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, logit, stdtrit

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._uncertainty.influence import InfluenceValues
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import Spread, Uncertainty, variance_of_share


class Estimates(NamedTuple):
    """Scores of models, and how much they and their differences from one of them vary."""

    influences: list[InfluenceValues]  # with the scores
    uncertainties: list[Uncertainty]
    of_others: dict[int, Uncertainty]  # of the difference of each other model


def confidence_limits(
    influences: InfluenceValues,
    uncertainty: Uncertainty,
    level: float,
    is_conventional: bool = False,
) -> tuple[Float, Float]:
    """The limits of each score, nan where it has no positive.

    They are those of the score less its bias, where that is known, and contain the score itself.
    Conventional ones are those of the logit.
    """
    limits = logit_limits if is_conventional else limits_of_score
    low, high = limits(influences.score, uncertainty, level)
    return where_defined(influences, low), where_defined(influences, high)


def limits_of_score(score: Float, uncertainty: Uncertainty, level: float) -> tuple[Float, Float]:
    """The same of scores that are known to be defined."""
    low, high = wilson_limits(score, uncertainty, level)
    low = _lowered(score, low, uncertainty.lowered)
    return low, np.minimum(high + uncertainty.raised, 1.0)


def half_of_difference(uncertainty: Uncertainty, options: Options) -> Float:
    """How far the limits of a difference are from it."""
    level = options.confidence_level
    tail = (1 - level) / 2 if options.alternative == "two-sided" else 1 - level
    degrees = np.maximum(uncertainty.degrees_of_freedom, 1.0)
    error = np.sqrt(uncertainty.variance * options.difference_factor)
    # An infinite error gives no limit, also at a level whose quantile is 0.
    return np.where(error < np.inf, -stdtrit(degrees, tail), 1.0) * error


def _lowered(score: Float, low: Float, factor: Any) -> Float:
    """The lower limit of a score that is multiplied by a factor or more (MOVER, on logarithms)."""
    if np.all(factor == 1.0):
        return low
    below = np.log(np.maximum(score, TINY) / np.maximum(low, TINY))
    distance = mover_distance(below, np.log(factor), 0.0)
    return np.where(low > 0, score * np.exp(-distance), 0.0)


def where_defined(influences: InfluenceValues, number: Any) -> Float:
    """A number of each score, nan where it has no positive."""
    return np.where(influences.is_undefined, np.nan, number)


def wilson_limits(share: Float, uncertainty: Uncertainty, level: float) -> tuple[Float, Float]:
    """Wilson's interval of a proportion less its bias (1927), with a quantile of Student's t.

    A proportion of ``binomial_variance / variance`` cases would have this variance. An infinite
    variance gives the limits 0 and 1. Each limit may have a variance of its own.
    """
    of_both = Spread(uncertainty.variance, uncertainty.degrees_of_freedom)
    spread = uncertainty.of_limits or of_both
    if uncertainty.of_limits is not None and np.ndim(level) > 1:  # levels in a column
        spread = Spread(*(rows[:, None] for rows in spread))
    # The lower tail, as 0.5 + level / 2 can be 1 where level is not.
    quantile = stdtrit(np.maximum(spread.degrees_of_freedom, 1.0), (1 - level) / 2)
    # Wilson's formula, multiplied by m: the number of cases over the square of the quantile
    m = uncertainty.binomial_variance / np.maximum(spread.variance * quantile * quantile, TINY)
    half = np.sqrt(variance_of_share(share) * m + 0.25)
    middle, half = (share * m + 0.5) / (m + 1) - uncertainty.known_bias, half / (m + 1)
    low, high = middle - half, middle + half
    if uncertainty.of_limits is not None:
        low, high = low[0], high[1]
    if np.min(uncertainty.n_queries, initial=np.inf) < np.inf:
        # A sample may lack a kind of queries that score 1, or 0, with this proportion: the upper
        # limit of a proportion of which none was seen, about 3 / Q at 95%.
        hidden = 1 - (1 - level) ** (1 / np.maximum(uncertainty.n_queries, 1.0))
        low = np.minimum(low, share * (1 - hidden))
        high = np.maximum(high, share * (1 - hidden) + hidden)
    # The bias, rounding, and the smallest variance of a case could leave the share outside.
    return np.maximum(np.minimum(low, share), 0.0), np.minimum(np.maximum(high, share), 1.0)


def logit_limits(share: Float, uncertainty: Uncertainty, level: float) -> tuple[Float, Float]:
    """The limits of the logit of a score, transformed back (Boyd, Eng and Page 2013).

    The standard error of the logit is that of the score A over A (1 - A). A score that shows no
    error, or is 0 or 1, is its own limit, and an unknown error gives the limits 0 and 1.
    """
    error = uncertainty.standard_error
    quantile = -stdtrit(np.maximum(uncertainty.degrees_of_freedom, 1.0), (1 - level) / 2)
    half = quantile * error / np.maximum(share * (1 - share), TINY)
    low, high = expit(logit(share) - half), expit(logit(share) + half)
    is_own_limit = (half == 0) | (share * (1 - share) == 0)  # rounding would move it
    low, high = (np.where(is_own_limit, share, limit) for limit in (low, high))
    return np.where(np.isnan(error), 0.0, low), np.where(np.isnan(error), 1.0, high)


def limit_of_few(share: Any, n: Any, level: float) -> Any:
    """A lower limit of the share of rare cases, of which Wilson's is too high.

    Of one case of n, Wilson's is 0.18 / n at 95%, too high for 16 of 100 samples if that is about
    the true share. This is the exact limit of one side (Clopper and Pearson 1934), which Brown, Cai
    and DasGupta (2001) use with up to 3 cases. With 10 or more, Wilson's is lower.
    """
    return betaincinv(share * n, (1 - share) * n + 1, 1 - level) if share > 0 else 0.0


def mover_distance(one: Float, other: Float, correlation: Any) -> Float:
    """How far the limit of a sum is from it, where those of its parts are so far from these."""
    square = one * one + other * other + 2 * correlation * one * other
    return np.sqrt(np.maximum(square, 0.0))


def limits_of_sum(one: Float, other: Float, correlation: float) -> Float:
    """The sum of two estimates and its limits, each a triple (MOVER, Zou and Donner 2008)."""
    half = mover_distance(np.abs(one - one[0]), np.abs(other - other[0]), correlation)
    return np.clip(one[0] + other[0] + [0, -1, 1] * half, 0.0, 1.0)


def limits_of_part(one: Float, other: Float, correlation: float) -> Float:
    """One estimate as a part of the sum of two, and its limits (MOVER, Donner and Zou 2012)."""
    part = one[0] / max(one[0] + other[0], TINY)
    low, high = _lowest_part(one, other, correlation), 1 - _lowest_part(other, one, correlation)
    return np.array([part, min(low, part), max(high, part)])


def _lowest_part(one: Float, other: Float, correlation: float) -> Any:
    """The lower limit: x / (x + y) where that of the difference y one - x other is 0."""
    below, above = one[0] - one[1], other[2] - other[0]
    x = one[0] * one[0] - below * below
    middle = one[0] * other[0] - correlation * below * above
    y = middle + np.sqrt(max(middle * middle - (other[0] ** 2 - above * above) * x, 0.0))
    return x / max(x + y, TINY)
