"""From variances to limits: Wilson's interval of a score, and limits of a difference.

Equations are those of ``docs/methods.md``.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.former.influence import InfluenceValues
from sklearn_ap._uncertainty.former.shrinkage import Spread, Uncertainty, variance_of_share


class Estimates(NamedTuple):
    """Scores of models, with the uncertainty of each and of its difference from a reference."""

    influences: list[InfluenceValues]  # which contain the scores
    uncertainties: list[Uncertainty]
    difference_uncertainties: dict[int, Uncertainty]  # by the number of the model


def confidence_limits(
    influences: InfluenceValues, uncertainty: Uncertainty, level: float
) -> tuple[Float, Float]:
    """Return the limits of each score, nan where it has no positive.

    They are limits of the score less its bias, if the bias is known, and contain the score itself.
    """
    low, high = limits_of_score(influences.score, uncertainty, level)
    return mask_undefined(influences, low), mask_undefined(influences, high)


def limits_of_score(
    score: Float, uncertainty: Uncertainty, level: FloatOrArray
) -> tuple[Float, Float]:
    """Return the limits of defined scores, widened for hidden positives and mistakes of a judge."""
    low, high = wilson_limits(score, uncertainty, level)
    low = _allow_for_factor(score, low, uncertainty.hidden_positive_factor)
    return low, np.minimum(high + uncertainty.judge_allowance, 1.0)


def _allow_for_factor(score: Float, low: Float, factor: FloatOrArray) -> Float:
    """Lower the limit of a score that hidden positives multiply (MOVER, on logarithms)."""
    if np.all(factor == 1.0):
        return low
    log_distance = np.log(np.maximum(score, TINY) / np.maximum(low, TINY))
    distance = mover_distance(log_distance, np.log(factor), 0.0)
    return np.where(low > 0, score * np.exp(-distance), 0.0)


def mask_undefined(influences: InfluenceValues, number: FloatOrArray) -> Float:
    """Set the number of each score that has no positive to nan."""
    return np.where(influences.is_undefined, np.nan, number)


def wilson_limits(
    share: Float, uncertainty: Uncertainty, level: FloatOrArray
) -> tuple[Float, Float]:
    """Return Wilson's interval (1927) of a proportion less its bias, with Student's t.

    Equation B7. A proportion of ``binomial_variance / shrunken_variance`` cases would have this
    variance. For an infinite variance, the limits are 0 and 1. The variances of the two limits may
    differ.
    """
    degrees = np.asarray(uncertainty.degrees_of_freedom)
    spread = Spread(uncertainty.shrunken_variance, degrees)
    limit_spreads = uncertainty.limit_spreads
    if limit_spreads is not None:
        spread = limit_spreads
        if np.ndim(level) > 1:  # levels in a column: (2, 1, n_values)
            spread = Spread(spread.variance[:, None], spread.degrees_of_freedom[:, None])
    # The lower tail, as 0.5 + level / 2 can be 1 where level is not.
    # Below 0, as an infinite variance is one at level 0, too.
    t = np.minimum(stdtrit(np.maximum(spread.degrees_of_freedom, 1.0), (1 - level) / 2), -TINY)
    # m: the number of cases over the square of the quantile
    m = uncertainty.binomial_variance / np.maximum(spread.variance * t * t, TINY)
    root = np.sqrt(variance_of_share(share) * m + 0.25)
    middle = (share * m + 0.5) / (m + 1) - uncertainty.known_bias
    half_width = root / (m + 1)
    low = middle - half_width
    high = middle + half_width
    if limit_spreads is not None:
        low = low[0]
        high = high[1]
    if np.min(uncertainty.n_queries, initial=np.inf) < np.inf:
        # A sample of Q queries may lack all queries of a kind that score 1, or 0. Their proportion
        # is at most h: the upper limit for 0 of Q, about 3 / Q at 95%.
        h = 1 - (1 - level) ** (1 / np.maximum(uncertainty.n_queries, 1.0))
        low = np.minimum(low, share * (1 - h))
        high = np.maximum(high, share * (1 - h) + h)
    # By its bias, rounding, or the smallest variance of a case, the share could be outside.
    return np.maximum(np.minimum(low, share), 0.0), np.minimum(np.maximum(high, share), 1.0)


def mover_distance(first: Float, second: Float, correlation: FloatOrArray) -> Float:
    """Return the distance of the limit of a sum from it, from these distances of its terms."""
    square = first * first + second * second + 2 * correlation * first * second
    return np.sqrt(np.maximum(square, 0.0))
