"""Differences of scores that share no units, such as segments, samples and papers.

Their limits follow from those of both scores (MOVER), and p-values and verdicts from these limits.
Equations are those of ``docs/methods.md``: 28, and after it the p-values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr, ndtri

from sklearn_ap._arithmetic import zero_rounding
from sklearn_ap._types import Alternative, Bool, Float, FloatOrArray
from sklearn_ap._uncertainty.estimate import Compared, Limits
from sklearn_ap._uncertainty.hidden_rows import Distances

# P-values are where limits are 0. Limits are computed at these normal quantiles, of which the last
# one has a p-value of 1e-15, where levels end, and curves through them cross 0. In 275
# comparisons, p-values above 0.0001 were exact to 0.6%, and those of scores that jump to 4%.
QUANTILES = np.append(np.arange(0.0, 4.0, 0.25), np.arange(4.0, 9.0))
N_HALVINGS = 50  # of a step between them
LEVELS_INSIDE = 2  # whose limits contain 0: no later one changes the curve where it crosses 0


def mover_distances(
    score: Distances, reference: Distances, correlation: FloatOrArray = 0.0
) -> Distances:
    """Return how far the limits of score minus reference are from it: equation 28.

    A difference is low if the score is low and the reference is high (Newcombe 1998; with a
    correlation of both, Zou and Donner 2008).
    """
    return Distances(
        mover_distance(score.down, reference.up, correlation),
        mover_distance(score.up, reference.down, correlation),
    )


def mover_distance(
    one: FloatOrArray, other: FloatOrArray, correlation: FloatOrArray = 0.0
) -> Float:
    """Return how far a limit of a difference is from it, from the distances of two limits."""
    square = one**2 + other**2 - 2 * correlation * one * other
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def compare_by_limits(
    estimate: Float,
    distances: Callable[[float], Distances],
    *,
    confidence_level: float,
    alternative: Alternative,
    can_differ: Bool,
    n_reversed: int = 0,
    bias: FloatOrArray = 0.0,
) -> Compared:
    """Compute limits of differences, p-values and verdicts, all for several differences at once.

    ``estimate`` are the differences, nan where one of both scores has no limits, and ``distances``
    gives for a level how far two-sided limits are from them, less their ``bias``. All limits hold
    at once, after Bonferroni. ``can_differ`` says whether both scores have several units: one has
    the limits 0 and 1 at each level, so that its differences can never be shown, and take no share
    of the error (Tarone 1990). ``n_reversed`` of the differences are another one turned around,
    which is one test on two sides.
    """
    # 0.1 with a normal error of 0.05, alone on two sides -> 0.002 to 0.198, p = 0.0455, "better"
    n_limits = max(int(np.count_nonzero(can_differ & ~np.isnan(estimate))), 1)
    if alternative == "two-sided":
        n_limits = 2 * (n_limits - n_reversed)
    asked = max(float(-ndtri((1 - confidence_level) / n_limits)), 0.0)
    quantiles = np.union1d(QUANTILES, asked)
    levels = (1 - 2 * ndtr(-quantiles)).tolist()
    sides, n_inside = [], 0  # limits at each level, and at how many of them all contain 0
    for quantile, level in zip(quantiles.tolist(), levels, strict=True):
        down, up = distances(level)
        low = np.clip(estimate - bias - np.hypot(down, bias), -1.0, estimate)
        high = np.clip(estimate - bias + np.hypot(up, bias), estimate, 1.0)
        sides.append((low, high))
        n_inside += not np.any((low > 0) | (high < 0))
        if n_inside >= LEVELS_INSIDE and quantile >= asked:
            break
    low, high = np.array(sides).swapaxes(0, 1)
    # Scores that share clusters may have nearer limits at a higher level.
    low, high = np.minimum.accumulate(low), np.maximum.accumulate(high)
    # How far 0 is outside of the limits at each level; below 0 if it is inside
    quantiles = quantiles[: len(sides)]
    last = _last_that_excludes(quantiles, np.where(estimate > 0, low, -high))
    pvalue = np.minimum(n_limits * ndtr(-last), 1.0)
    if alternative != "two-sided":
        points_away = estimate <= 0 if alternative == "greater" else estimate >= 0
        pvalue[points_away] = 1.0
    shown = Limits(*(ends[quantiles.searchsorted(asked)] for ends in (low, high)))
    shown = Limits(*map(zero_rounding, shown.one_sided(alternative)))
    return Compared(estimate, *shown, pvalue, shown.verdicts())


def _last_that_excludes(quantiles: Float, excess: Float) -> Float:
    """Return the largest quantile whose limits exclude 0, for each difference; nan for nan.

    The excess falls with the quantile. It is 0 for the answer, unless limits exclude 0 at none of
    the quantiles, or at all of them.
    """
    # Excess [2, 1, 0, -1] at the quantiles [0, 1, 2, 3] -> 2
    is_known = ~np.isnan(excess[0])
    last = np.where(is_known, 0.0, np.nan)
    n_excluding = np.cumprod(excess > 0, axis=0).sum(axis=0)
    last[n_excluding == quantiles.size] = quantiles[-1]
    (crossing,) = np.nonzero(is_known & (n_excluding > 0) & (n_excluding < quantiles.size))
    if not crossing.size:
        return last
    start = n_excluding[crossing] - 1
    curve = PchipInterpolator(quantiles, excess[:, crossing])
    # Its own method roots() misses one that is a knot.
    piece = curve.c[:, start, np.arange(crossing.size)]  # a cubic polynomial of each
    inside, outside = np.zeros(crossing.size), np.diff(quantiles)[start]
    for _ in range(N_HALVINGS):
        middle = (inside + outside) / 2
        excludes = np.polyval(piece, middle) > 0
        inside, outside = np.where(excludes, middle, inside), np.where(excludes, outside, middle)
    last[crossing] = quantiles[start] + inside
    return last
