"""Differences of scores that share no units, such as segments, samples and papers.

Their limits follow from those of both scores (MOVER), and p-values and verdicts from these limits.
Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr, ndtri

from sklearn_ap._types import Array, Float, FloatOrArray
from sklearn_ap._uncertainty.options import Alternative

# Limits are computed at these normal quantiles, and p-values are read between them. The last one
# has a p-value of 1e-15, where levels end.
QUANTILES = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
# Three times, limits are computed at the quantiles of the five smallest p-values, too, that are not
# exact yet, as distances have a bend where another one of two limits is the nearer. P-values of up
# to a dozen differences are then exact to 4e-5 of themselves; of 300 differences those below 0.2
# are to 0.1%, and others to 5%.
N_STEPS, N_REFINED = 3, 5
EXACT = 1e-4  # of a quantile
N_HALVINGS = 25  # of a step between them


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


def mover_distances(
    score: Distances, reference: Distances, correlation: FloatOrArray = 0.0
) -> Distances:
    """Return how far the limits of score minus reference are from it: equation 29.

    A difference is low if the score is low and the reference is high (Newcombe 1998; with a
    correlation of both, Zou and Donner 2008).
    """
    return Distances(
        _distance(score.down, reference.up, correlation),
        _distance(score.up, reference.down, correlation),
    )


def _distance(one: Float, other: Float, correlation: FloatOrArray) -> Float:
    square = one**2 + other**2 - 2 * correlation * one * other
    return np.sqrt(np.maximum(square, 0.0))


def compare_by_limits(
    estimate: Float,
    distances: Callable[[float], Distances],
    *,
    confidence_level: float,
    alternative: Alternative = "two-sided",
    bias: FloatOrArray = 0.0,
    n_tests: int | None = None,
) -> Compared:
    """Compute limits of differences, p-values and verdicts, all for several differences at once.

    Parameters
    ----------
    estimate : ndarray of shape (m,)
        The differences; nan where one of both scores has no limits.
    distances : callable
        Gives for a level the distances of two-sided limits from each difference, less its bias. It
        is called at most 23 times, with one level for all differences.
    confidence_level : float
        How often the limits of all differences hold at once, after Bonferroni.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        With the last two, only one limit tells anything: the other one is -1 or 1.
    bias : float or ndarray of shape (m,), default=0
        By how much estimates are too high.
    n_tests : int, default=None
        How many tests share the error; None for the number of differences that are known.
    """

    def limits(level: float) -> tuple[Float, Float]:
        down, up = distances(level)
        low = estimate - bias - np.hypot(down, bias)
        high = estimate - bias + np.hypot(up, bias)
        return np.clip(low, -1.0, estimate), np.clip(high, estimate, 1.0)

    m = n_tests or max(int(np.count_nonzero(~np.isnan(estimate))), 1)
    sides = 2 if alternative == "two-sided" else 1
    asked = max(-float(ndtri((1 - confidence_level) / (sides * m))), 0.0)
    table: dict[float, tuple[Float, Float]] = {}
    steps = np.append(QUANTILES, asked)
    for _ in range(1 + N_STEPS):
        table |= {each: limits(1 - 2 * ndtr(-each)) for each in steps.tolist() if each not in table}
        quantiles = np.sort([*table])
        lows, highs = np.array([table[each] for each in quantiles.tolist()]).swapaxes(0, 1)
        # Scores that share clusters may have nearer limits at a higher level.
        lows, highs = np.minimum.accumulate(lows), np.maximum.accumulate(highs)
        # How far 0 is outside of the limits at each level; below 0 if it is inside.
        excess = np.where(estimate > 0, lows, -highs)
        last = _last_that_excludes(quantiles, excess)
        wanted = np.unique(np.round(last[~np.isnan(last)], 6))
        is_exact = np.abs(wanted[:, None] - quantiles).min(axis=1, initial=np.inf) <= EXACT
        steps = wanted[~is_exact][-N_REFINED:]
    place = int(quantiles.searchsorted(asked))
    low, high = lows[place], highs[place]
    tail = ndtr(-last)
    if alternative == "greater":
        high, tail = np.where(np.isnan(estimate), np.nan, 1.0), np.where(estimate > 0, tail, 1.0)
    if alternative == "less":
        low, tail = np.where(np.isnan(estimate), np.nan, -1.0), np.where(estimate < 0, tail, 1.0)
    verdict = np.select([low > 0, high < 0], ["better", "worse"], "undecided").astype(object)
    return Compared(estimate, low, high, np.minimum(sides * m * tail, 1.0), verdict)


def _last_that_excludes(quantiles: Float, excess: Float) -> Float:
    """Return the largest quantile whose limits exclude 0, for each difference; nan for nan.

    The excess falls with the quantile. It is 0 for the answer, unless limits exclude 0 at none of
    the quantiles, or at all of them.
    """
    is_known = ~np.isnan(excess[0])
    found = np.where(is_known, 0.0, np.nan)
    n_excluding = np.cumprod(excess > 0, axis=0).sum(axis=0)
    found[n_excluding == quantiles.size] = quantiles[-1]
    (crossing,) = np.nonzero(is_known & (n_excluding > 0) & (n_excluding < quantiles.size))
    if not crossing.size:
        return found
    start = n_excluding[crossing] - 1
    curve = PchipInterpolator(quantiles, excess[:, crossing])
    piece = curve.c[:, start, np.arange(crossing.size)]  # a cubic polynomial of each
    inside, outside = np.zeros(crossing.size), np.diff(quantiles)[start]
    for _ in range(N_HALVINGS):
        middle = (inside + outside) / 2
        excludes = np.polyval(piece, middle) > 0
        inside, outside = np.where(excludes, middle, inside), np.where(excludes, outside, middle)
    found[crossing] = quantiles[start] + inside
    return found
