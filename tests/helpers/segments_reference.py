"""Equation 29 of docs/methods.md, computed slowly; imports nothing of ours.

Scores, influences and limits of a score alone are those of the other references. A p-value is found
as the error at which a limit is 0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from tests.helpers import comparison_reference as comparisons
from tests.helpers import engine_reference as engine

STEP = ("step",)


@dataclass
class Segment:
    """A score, how far its limits are at a level, and what clusters add to it."""

    theta: float
    distances: Any
    n: float  # its weight among the others
    phi: Any = None  # of each unit


def of_rows(rows):
    """The limits of equation 8, with four fifths of the hidden rows of equation 6."""
    found, alone = comparisons.of_rows(STEP, [[rows]]), engine.one_ranking(STEP, rows)
    root = np.sqrt(engine.factor(found.n))
    phi = {unit: root * each for unit, each in engine.influences(STEP, rows).items()}
    theta = found.theta[0]

    def distances(level):
        low, high = alone.limits(level, share=0.8)
        return theta - low, high - theta

    return Segment(theta, distances, 1 / found.one_row, phi)


def of_queries(values):
    """Equation 16."""
    values, shares = np.asarray(values), np.full(len(values), 1 / len(values))
    users = range(len(values))

    def distances(level):
        mean, low, high = engine.limits_over_queries(values, shares, users, level)
        return mean - low, high - mean

    return Segment(values.mean(), distances, float(len(values)))


def difference(segment, others, level):
    """Equation 29: the difference from the mean of others, its limits and its p-value."""
    shares = np.array([each.n for each in others]) / sum(each.n for each in others)
    delta = segment.theta - shares @ [each.theta for each in others]
    rho = _correlation(segment, others, shares) if segment.phi else 0.0

    def reach(level, side):
        a = segment.distances(level)[side]
        far = np.array([each.distances(level)[1 - side] for each in others])
        g = np.sqrt((shares * far) @ (shares * far))
        return np.sqrt(max(a * a + g * g - 2 * rho * a * g, 0.0))

    limits = max(delta - reach(level, 0), -1), min(delta + reach(level, 1), 1)
    side = int(delta < 0)
    beyond = [reach(each, side) - abs(delta) for each in (1e-4, 1 - 1e-12)]
    if beyond[0] >= 0:
        return delta, *limits, 1.0
    root = (
        brentq(lambda z: reach(1 - 10.0**-z, side) - abs(delta), 5e-5, 12) if beyond[1] > 0 else 12
    )
    return delta, *limits, 10.0**-root


def _correlation(segment, others, shares):
    units = {unit for each in (segment, *others) for unit in each.phi}
    own = np.array([segment.phi.get(unit, 0.0) for unit in units])
    mean = shares @ [[each.phi.get(unit, 0.0) for unit in units] for each in others]
    rho = own @ mean / np.sqrt((own @ own) * (mean @ mean))
    n_shared = np.count_nonzero((np.abs(own) > 1e-12) & (np.abs(mean) > 1e-12))
    return rho * (1 - 2 / max(n_shared, 2)) if rho > 0 else rho
