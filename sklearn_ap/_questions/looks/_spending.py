"""How far an estimate may be from its truth at each look, so that all looks together err rarely.

Estimates by influences have nearly independent increments, so sums of influences are a Brownian
motion, whose times are shares of the information. The distribution of the sums that crossed no
boundary goes from look to look by numerical integration (Armitage, McPherson and Rowe 1969).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import brentq
from scipy.special import lambertw, ndtr, ndtri

from sklearn_ap._base.common.types import Float

# Of each part of a range, two standard deviations wide or less: boundaries are right to 1e-7.
NODES, WEIGHTS = leggauss(6)
FARTHEST = 39.0  # standard deviations: no float is as small as the probability of more


class Sums(NamedTuple):
    """The sums that crossed no boundary so far: points, and how probable each is."""

    points: Float
    masses: Float

    def above(self, bound: float, step: float) -> float:
        """How probable it is that the next sum is higher, if steps have this deviation."""
        return float(self.masses @ ndtr((self.points - bound) / step))

    def within(self, low: float, high: float, step: float, next_step: float) -> Sums:
        """The next sums that lie between two boundaries."""
        n_parts = int(np.ceil((high - low) / (2 * min(step, next_step))))
        width = (high - low) / n_parts
        points = np.add.outer(low + width * np.arange(n_parts), width * (NODES + 1) / 2).ravel()
        z = np.subtract.outer(points, self.points) / step
        density = np.exp(-z * z / 2) @ self.masses / (step * np.sqrt(2 * np.pi))
        return Sums(points, np.tile(WEIGHTS * width / 2, n_parts) * density)


START = Sums(np.zeros(1), np.ones(1))


def boundaries(times: Float, spending: str, alpha: float) -> Float:
    """The boundary of the absolute value of z at each look."""
    if spending == "unlimited":  # a mixture of normal drifts, narrowest at the first (Robbins 1970)
        rho = -times[0] / (1 + lambertw(-alpha * alpha / np.e, -1).real)
        return np.asarray(np.sqrt((1 + rho / times) * np.log((1 + times / rho) / alpha**2)))
    if spending == "repeated":
        one, most = np.ones(times.size), 1 - ndtri(alpha / 2 / times.size)  # above Bonferroni's
        z = brentq(lambda z: crossed(times, -z * one, z * one) - alpha / 2, most / 1e3, most)
        return z * one
    spent = alpha * np.log1p(np.expm1(1.0) * times)
    if spending == "obrien-fleming":
        spent = 4 * ndtr(ndtri(alpha / 4) / np.sqrt(times))
    return np.array([*_spending(times, np.diff(spent, prepend=0.0) / 2)])


def _spending(times: Float, shares: Float) -> Iterator[float]:
    """The boundaries that are crossed for the first time so often, on each side."""
    sums, steps = START, _steps(times)
    for root, share, *of_steps in zip(np.sqrt(times), shares, steps, steps[1:], strict=False):
        z = brentq(_excess, 0.0, FARTHEST, (sums, root, of_steps[0], share))
        yield z
        sums = sums.within(-z * root, z * root, *of_steps)


def _excess(z: float, sums: Sums, root: float, step: float, share: float) -> float:
    return sums.above(z * root, step) - share


def _steps(times: Float) -> Float:
    """The standard deviation of what each look adds, and of a step after the last."""
    return np.sqrt(np.diff(times, prepend=0.0, append=2.0))


def crossed(times: Float, lower: Float, upper: Float, drift: float = 0.0) -> float:
    """How probable it is that z, with this drift, is above a boundary, and below none before."""
    probability, sums, steps = 0.0, START, _steps(times)
    bounds = np.clip([lower, upper], -FARTHEST, FARTHEST) * np.sqrt(times)
    for low, high, *of_steps in zip(*bounds, steps, steps[1:], strict=False):
        sums = Sums(sums.points + drift * of_steps[0] ** 2, sums.masses)
        probability += sums.above(high, of_steps[0])
        sums = sums.within(low, high, *of_steps)
    return probability
