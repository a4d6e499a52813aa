"""Limits of shares that operating points have, and of their sums and parts."""

import numpy as np
from scipy.special import betaincinv, stdtrit

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._types import Array, Float, FloatOrArray
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty, variance_of_share


def wilson_limits(share: Float, uncertainty: Uncertainty, level: float) -> tuple[Float, Float]:
    """Return Wilson's interval (1927) of a proportion, with Student's t.

    A proportion of ``binomial_variance / shrunken_variance`` cases would have this variance.
    """
    degrees = np.maximum(uncertainty.degrees_of_freedom, 1.0)
    # The lower tail, as 0.5 + level / 2 can be 1 where level is not.
    t = np.minimum(stdtrit(degrees, (1 - level) / 2), -TINY)
    # m: the number of cases over the square of the quantile
    m = uncertainty.binomial_variance / np.maximum(uncertainty.shrunken_variance * t * t, TINY)
    root = np.sqrt(variance_of_share(share) * m + 0.25)
    middle, half_width = (share * m + 0.5) / (m + 1), root / (m + 1)
    low, high = middle - half_width, middle + half_width
    return np.maximum(np.minimum(low, share), 0.0), np.minimum(np.maximum(high, share), 1.0)


def rare_share_limit(share: float | Array, n: float | Array, level: float) -> float:
    """Return a lower limit of the share of rare cases, for which Wilson's limit is too high.

    For one case of n, Wilson's limit is 0.18 / n at 95%. If the true share is about that, 16 of 100
    samples have a case, and a limit that is too high. This is the exact one-sided limit (Clopper
    and Pearson 1934), which Brown, Cai and DasGupta (2001) use with up to 3 cases. With 10 or more
    cases, Wilson's limit is lower.
    """
    return betaincinv(share * n, (1 - share) * n + 1, 1 - level) if share > 0 else 0.0


def mover_distance(first: Float, second: Float, correlation: FloatOrArray) -> Float:
    """Return the distance of the limit of a sum from it, from these distances of its terms."""
    square = first * first + second * second + 2 * correlation * first * second
    return np.sqrt(np.maximum(square, 0.0))


def limits_of_sum(first: Float, second: Float, correlation: float) -> Float:
    """Return the sum of two estimates and its limits (MOVER, Zou and Donner 2008).

    Each array holds an estimate, its lower limit and its upper limit.
    """
    first_distance = np.abs(first - first[0])
    second_distance = np.abs(second - second[0])
    distance = mover_distance(first_distance, second_distance, correlation)
    return np.clip(first[0] + second[0] + [0, -1, 1] * distance, 0.0, 1.0)


def limits_of_part(first: Float, second: Float, correlation: float) -> Float:
    """Return the part x / (x + y) of two estimates, and its limits (MOVER, Donner and Zou 2012).

    Each array holds an estimate, its lower limit and its upper limit.
    """
    part = first[0] / max(first[0] + second[0], TINY)
    low = _lowest_part(first, second, correlation)
    high = 1 - _lowest_part(second, first, correlation)
    return np.array([part, min(low, part), max(high, part)])


def _lowest_part(first: Float, second: Float, correlation: float) -> float:
    """Return the lower limit x / (x + y): the lower limit of y * first - x * second is 0 there."""
    first_estimate, first_low, _ = first
    second_estimate, _, second_high = second
    distance_down = first_estimate - first_low
    distance_up = second_high - second_estimate
    x = first_estimate * first_estimate - distance_down * distance_down
    middle = first_estimate * second_estimate - correlation * distance_down * distance_up
    square = middle * middle - (second_estimate**2 - distance_up * distance_up) * x
    y = middle + np.sqrt(max(square, 0.0))
    return float(x / max(x + y, TINY))
