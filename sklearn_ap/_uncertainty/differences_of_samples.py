"""Differences of scores that share no units, such as segments, samples and papers.

Their limits follow from those of both scores (MOVER), and p-values and verdicts from these limits.
Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr, ndtri

from sklearn_ap._types import Alternative, Array, Bool, Float, FloatOrArray
from sklearn_ap._uncertainty.estimate import Limits
from sklearn_ap._uncertainty.hidden_rows import Distances

# P-values are where limits are 0. Limits are computed at these normal quantiles, of which the last
# one has a p-value of 1e-15, where levels end, and then where curves through them cross 0.
QUANTILES = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0])
# So many are enough for nine p-values below 1, as each takes three or four. Of more, as of 300
# segments, the quantiles are spread over all, and p-values were exact to 0.2%.
MOST_QUANTILES = 34
LEAST_MOVE = 1e-9  # of a quantile that is not known yet
N_HALVINGS = 50  # of a step between them


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
    n_tests: int,
    bias: FloatOrArray = 0.0,
) -> Compared:
    """Compute limits of differences, p-values and verdicts, all for several differences at once.

    Parameters
    ----------
    estimate : ndarray of shape (m,)
        The differences; nan where one of both scores has no limits.
    distances : callable
        Gives for a level the distances of two-sided limits from each difference, less its bias. It
        is called at most 34 times, with one level for all differences.
    confidence_level : float
        How often the limits of all differences hold at once, after Bonferroni.
    alternative : {"two-sided", "greater", "less"}
        With the last two, only one limit tells anything: the other one is -1 or 1.
    n_tests : int
        How many tests share the error.
    bias : float or ndarray of shape (m,), default=0
        By how much estimates are too high.
    """
    # 0.1 with a normal error of 0.05 -> 0.002 to 0.198, p = 0.0455, "better"

    @cache
    def limits(quantile: float) -> tuple[Float, Float]:
        down, up = distances(1 - 2 * ndtr(-quantile))
        low = estimate - bias - np.hypot(down, bias)
        high = estimate - bias + np.hypot(up, bias)
        return np.clip(low, -1.0, estimate), np.clip(high, estimate, 1.0)

    sides = 2 if alternative == "two-sided" else 1
    # Whether the difference points the way that is asked; on two sides, either will do
    is_tested = (estimate > 0 if alternative == "greater" else estimate < 0) | (sides == 2)
    is_tested |= np.isnan(estimate)
    errors = np.array([1 - confidence_level, 1.0]) / (sides * n_tests)
    quantiles = np.maximum(-ndtri(errors), 0.0)  # of the limits, and where p-values are 1
    search = _search_zeros(limits, estimate, quantiles, is_tested)
    index = int(search.quantiles.searchsorted(quantiles[0]))
    shown = Limits(search.low[index], search.high[index]).one_sided(alternative)
    pvalue = np.minimum(sides * n_tests * np.where(is_tested, ndtr(-search.last), 1.0), 1.0)
    return Compared(estimate, *shown, pvalue, shown.verdicts())


class _Search(NamedTuple):
    """Limits at rising quantiles, and the last quantile at which each difference excludes 0."""

    quantiles: Float
    low: Float  # of shape (n_quantiles, n_differences), and so are upper limits
    high: Float
    last: Float


def _search_zeros(
    limits: Callable[[float], tuple[Float, Float]], estimate: Float, asked: Float, is_tested: Bool
) -> _Search:
    """Find the quantiles at which limits are 0; none below the last one that is asked for."""
    # Limits at all quantiles, then where curves through these cross 0, until no answer moves
    last = np.full(estimate.size, np.inf)
    quantiles = np.union1d(QUANTILES, asked)
    while True:
        low, high = np.array([limits(each) for each in quantiles.tolist()]).swapaxes(0, 1)
        # Scores that share clusters may have nearer limits at a higher level.
        low, high = np.minimum.accumulate(low), np.maximum.accumulate(high)
        # How far 0 is outside of the limits at each level; below 0 if it is inside.
        before, last = last, _last_that_excludes(quantiles, np.where(estimate > 0, low, -high))
        is_moving = (np.abs(last - before) > LEAST_MOVE) & (last > asked[-1]) & is_tested
        new = np.unique(last[is_moving])
        n_new = min(new.size, MOST_QUANTILES - quantiles.size)
        if not n_new:
            return _Search(quantiles, low, high, last)
        chosen = np.linspace(0, new.size - 1, n_new).astype(np.intp)
        quantiles = np.union1d(quantiles, new[chosen])


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
