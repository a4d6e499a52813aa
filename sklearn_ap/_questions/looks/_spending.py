"""Boundaries of the z-values of several looks, so that all looks together err rarely.

Estimates by influences have nearly independent increments, so sums of influences are a Brownian
motion W. Its times t are shares of the information, and the z-value of a look is W(t) / sqrt(t).
The distribution of the sums that crossed no boundary is carried from look to look by numerical
integration (Armitage, McPherson and Rowe 1969). Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.special import lambertw, ndtr, ndtri

from sklearn_ap._base.common.types import Float

Spending = Literal["obrien-fleming", "pocock", "repeated", "unlimited"]
# Gauss-Legendre quadrature of parts of a range that are at most two standard deviations wide. The
# boundaries have errors below 1e-7.
NODES, WEIGHTS = leggauss(6)
FARTHEST_Z = 39.0  # larger values have probabilities below the smallest float


class Sums(NamedTuple):
    """The distribution of the sums W(t) that crossed no boundary so far."""

    points: Float
    masses: Float  # the probability of each point

    def probability_above(self, bound: float, step: float) -> float:
        """Compute the probability that the next sum is above a bound.

        ``step`` is the standard deviation of the next increment.
        """
        return float(self.masses @ ndtr((self.points - bound) / step))

    def continue_within(self, low: float, high: float, step: float, next_step: float) -> Sums:
        """Return the distribution of the next sums that lie between two boundaries."""
        n_parts = int(np.ceil((high - low) / (2 * min(step, next_step))))
        width = (high - low) / n_parts
        starts = low + width * np.arange(n_parts)
        points = np.add.outer(starts, width * (NODES + 1) / 2).ravel()
        # The density at each new point is a mixture over old ones, (n_points, n_old_points).
        z = np.subtract.outer(points, self.points) / step
        density = np.exp(-z * z / 2) @ self.masses / (step * np.sqrt(2 * np.pi))
        return Sums(points, np.tile(WEIGHTS * width / 2, n_parts) * density)


START = Sums(np.zeros(1), np.ones(1))


def boundaries(times: Float, spending: Spending, alpha: float) -> Float:
    """Compute the boundary of the absolute z-value at each look.

    Equation 32, with the spending functions of O'Brien and Fleming or of Pocock. "repeated" has one
    boundary for all looks, and "unlimited" the boundary of Robbins (1970).
    """
    if spending == "unlimited":  # a mixture of normal drifts, narrowest at the first look
        rho = -times[0] / (1 + lambertw(-alpha * alpha / np.e, -1).real)
        return np.asarray(np.sqrt((1 + rho / times) * np.log((1 + times / rho) / alpha**2)))
    if spending == "repeated":
        return _constant_boundary(times, alpha)
    if spending == "pocock":
        spent = alpha * np.log1p(np.expm1(1.0) * times)
    else:
        spent = 4 * ndtr(ndtri(alpha / 4) / np.sqrt(times))
    return np.array([*_spend(times, np.diff(spent, prepend=0.0) / 2)])


def _constant_boundary(times: Float, alpha: float) -> Float:
    ones = np.ones(times.size)
    highest = 1 - ndtri(alpha / 2 / times.size)  # above the boundary of Bonferroni

    def excess(z: float) -> float:
        return crossing_probability(times, -z * ones, z * ones) - alpha / 2

    return brentq(excess, highest / 1e3, highest) * ones


def _spend(times: Float, errors: Float) -> Iterator[float]:
    """Yield the boundaries whose first crossing has these probabilities, on each side."""
    sums = START
    steps = _steps(times)
    for time, error, step, next_step in zip(times, errors, steps[:-1], steps[1:], strict=True):
        root = np.sqrt(time)
        z = brentq(_excess, 0.0, FARTHEST_Z, (sums, root, step, error))
        yield z
        sums = sums.continue_within(-z * root, z * root, step, next_step)


def _excess(z: float, sums: Sums, root: float, step: float, error: float) -> float:
    return sums.probability_above(z * root, step) - error


def _steps(times: Float) -> Float:
    """Return the standard deviation of each increment, and of one more after the last look."""
    return np.sqrt(np.diff(times, prepend=0.0, append=2.0))


def crossing_probability(times: Float, lower: Float, upper: Float, drift: float = 0.0) -> float:
    """Compute the probability that z crosses an upper boundary, and no lower one before."""
    probability = 0.0
    sums = START
    steps = _steps(times)
    bounds = np.clip([lower, upper], -FARTHEST_Z, FARTHEST_Z) * np.sqrt(times)
    for low, high, step, next_step in zip(*bounds, steps[:-1], steps[1:], strict=True):
        sums = Sums(sums.points + drift * step**2, sums.masses)  # a step's variance is its time
        probability += sums.probability_above(high, step)
        sums = sums.continue_within(low, high, step, next_step)
    return probability
