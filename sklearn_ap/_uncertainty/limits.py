"""Confidence limits of a score at any level, and the records of limits.

Equations are those of ``docs/methods.md``: 7, 8, 16, 28 and 34.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._types import Array, Float, FloatOrArray
from sklearn_ap._uncertainty._hidden import hidden_number
from sklearn_ap._uncertainty.estimate import Estimate

# Student's t needs one degree of freedom; with fewer than two units, limits are 0 and 1 anyway.
LEAST_DEGREES = 1.0
# Labels of chosen rows leave room for units that are right or wrong: as much as four of them.
BELIEVED_UNITS = 4.0
# In a difference, each of two samples leaves room for so much of lambda. Equal strong models whose
# samples may lack rare false alarms then differ in at most 6.8 of 100 at 5%: in 9.2 with two
# thirds, and in 4.3 with all of it, which finds a fall of a strong model half as often.
SHARE_IN_DIFFERENCES = 0.8


class Limits(NamedTuple):
    """The lower and the upper limit of each score."""

    low: Float
    high: Float


class Distances(NamedTuple):
    """How far the lower and the upper limits are from each score, or from each difference."""

    down: Float
    up: Float


class Compared(NamedTuple):
    """Differences with simultaneous limits, and p-values and verdicts that agree with them."""

    estimate: Float
    low: Float
    high: Float
    pvalue: Float
    verdict: Array


def verdicts_of(low: Float, high: Float) -> Array:
    """Return "better", "worse" or "undecided" for limits of differences."""
    return np.select([low > 0, high < 0], ["better", "worse"], "undecided").astype(object)


def limits_of(
    estimate: Estimate, confidence_level: FloatOrArray, hidden_share: float = 1.0
) -> Limits:
    """Return the limits of each score: nan where there is no positive.

    Each is as far from the score as the variance says and as hidden rows would move it, both
    together: equation 8. Of a mean over queries, the farther of both counts: equation 16. Of chosen
    labels, the variance is shrunk: equation 28. One unit tells nothing of others, so its limits are
    0 and 1. There is room for ``hidden_share`` of the rows of equation 5.
    """
    # 10 positives above 10 negatives -> 0.563 to 1 at the level 0.95
    value = estimate.value
    tells = estimate.has_several_units
    rule = estimate.hidden.rule
    n_hidden = hidden_number(np.where(tells, estimate.n_effective, 2.0), confidence_level)
    share = hidden_share if rule == "squares" else 1.0
    down, up = estimate.hidden.changes(share * n_hidden / estimate.n_times)
    if rule == "shrunk":
        wilson = _shrunk_limits(estimate, confidence_level)
    else:
        t = stdtrit(np.maximum(estimate.degrees, LEAST_DEGREES), (1 + confidence_level) / 2)
        wilson = _limits_at_variance(value, estimate.variance, t)
    if rule == "farther":
        low = np.minimum(wilson.low, value - down)
        high = np.maximum(wilson.high, value + up)
    else:
        center = value - estimate.bias
        error = estimate.bias_error
        low = center - np.sqrt((value - wilson.low) ** 2 + down**2 + error**2)
        high = center + np.sqrt((wilson.high - value) ** 2 + up**2 + error**2)
    low = np.where(tells, np.maximum(np.minimum(low, value), 0.0), 0.0)
    high = np.where(tells, np.minimum(np.maximum(high, value), 1.0), 1.0)
    is_defined = estimate.is_defined
    return Limits(np.where(is_defined, low, np.nan), np.where(is_defined, high, np.nan))


def wilson_limits(value: FloatOrArray, m: FloatOrArray) -> Limits:
    """Return Wilson's limits (1927) of a proportion of m t^2 cases: equation 7."""
    center = m * value + 0.5
    half = np.sqrt(m * np.maximum(value * (1 - value), 0.0) + 0.25)
    return Limits((center - half) / (m + 1), (center + half) / (m + 1))


def _limits_at_variance(value: Float, variance: Float, t: FloatOrArray) -> Limits:
    """Return Wilson's limits for any variance; both are the value if it is 0, or that is 0 or 1."""
    case_variance = value * (1 - value)
    spread = variance * t**2
    has_width = (case_variance > 0) & (spread > 0)
    m = np.where(has_width, case_variance, 1.0) / np.where(has_width, spread, 1.0)
    low, high = wilson_limits(value, m)
    return Limits(np.where(has_width, low, value), np.where(has_width, high, value))


def distances_in_differences(estimate: Estimate, confidence_level: FloatOrArray) -> Distances:
    """Return how far limits are from each score minus its bias, for a difference of two samples.

    They are those of the score, with room for fewer hidden rows, as both samples have some.
    """
    low, high = limits_of(estimate, confidence_level, SHARE_IN_DIFFERENCES)
    center = np.clip(estimate.value - estimate.bias, 0.0, 1.0)
    return Distances(center - low, high - center)


def _shrunk_limits(estimate: Estimate, level: FloatOrArray) -> Limits:
    """Return Wilson's limits with the shrunk variance: equation 28.

    A score of 0 or 1 has them, too, as there is a unit that is right or wrong.
    """
    variance, degrees = _shrunk(estimate)
    value = np.clip(estimate.value, RELATIVE_TOLERANCE, 1 - RELATIVE_TOLERANCE)
    return _limits_at_variance(value, variance, stdtrit(degrees, (1 + level) / 2))


def _shrunk(estimate: Estimate) -> tuple[Float, Float]:
    """Return the shrunk variance, and its degrees of freedom after Satterthwaite."""
    n = estimate.n_effective if estimate.n_deciding is None else estimate.n_deciding
    share = BELIEVED_UNITS / (estimate.nu + BELIEVED_UNITS)
    own = (1 - share) * (estimate.variance + np.square(estimate.bias_error))
    believed = share * np.maximum(estimate.value * (1 - estimate.value), RELATIVE_TOLERANCE)
    believed /= np.maximum(n, RELATIVE_TOLERANCE)
    parts = own**2 / np.maximum(estimate.nu, RELATIVE_TOLERANCE) + believed**2 / BELIEVED_UNITS
    degrees = (own + believed) ** 2 / parts
    most = np.maximum(estimate.n_effective - 1, 1.0)
    return own + believed, np.clip(degrees, 1.0, most)
