"""From the spread of a value to limits: shrinking, Wilson's interval, differences, Holm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

__all__ = [
    "EQUAL",
    "Spread",
    "adjust",
    "difference_limits",
    "limits",
    "nearly",
    "p_value",
    "pooled",
    "share_variance",
    "shrunk",
    "spread",
]

Float = NDArray[np.float64]

PRIOR = 4.0  # degrees of freedom that the prior variance counts for
TINY = 1e-300  # so that 0 / 0 is 0
ROUNDING = 1e-20  # of variance times cases
SMALLEST = 1e-12  # of A (1 - A), as a perfect ranking is not certain
EQUAL = 1e-12  # what rounding may leave between equal values


class Spread(NamedTuple):
    """How much the value of each ranking varies.

    Parameters
    ----------
    variance : ndarray of shape (n_rankings,) or float
        Of the value.
    fourth : ndarray of shape (n_rankings,) or float
        Twice the variance of the variance: ``2 * variance**2 / fourth`` are its degrees of freedom.
    cases : ndarray of shape (n_rankings,) or float
        The (effective) positives that the value rests on.
    joint : float or None
        Variance of the average over several rankings; None where they are not averaged.
    middle : ndarray of shape (n_rankings,), float or None
        Mean of the replicates, where the variance is theirs.
    """

    variance: Any
    fourth: Any
    cases: Any
    joint: Any = None
    middle: Any = None

    @property
    def trust(self) -> Any:
        """The weight of the variance beside the prior: nu / (nu + 4)."""
        square = self.variance * self.variance
        return square / (square + PRIOR / 2 * self.fourth + TINY)

    @property
    def degrees(self) -> Any:
        """Degrees of freedom of the variance, nu; 0 where it is 0."""
        return 2 * self.variance * self.variance / np.maximum(self.fourth, TINY)


def spread(squares: Any, fourths: Any, cases: Any, n_units: Any, *, one: bool) -> Spread:
    """Make a spread of the sums of influence^2 and influence^4 over so many units.

    ``one`` asks for the numbers of a single ranking, which take less time than arrays of one.
    """
    if one:
        squares, fourths, cases, n_units = squares[0], fourths[0], cases[0], n_units[0]
    factor = cases / np.maximum(cases - 1, 1.0)
    # What rounding leaves of nothing, and of central differences, is no variance.
    variance = squares * factor * (squares * cases > ROUNDING)
    fourth = fourths * factor * factor - variance * variance / np.maximum(n_units, 1.0)
    return Spread(variance, np.maximum(fourth, 0.0), cases)


def shrunk(found: Spread, share: Any) -> Any:
    """Draw each variance towards that of a share, as a nearly perfect ranking shows too little."""
    cases = np.maximum(found.cases, 1.0)
    prior = np.maximum(1.0, 0.65 * np.log(cases)) * share / cases
    return prior + found.trust * (found.variance - prior)


def nearly(found: Spread) -> Any:
    """Enlarge each variance of a difference: two alike models show none in many samples."""
    # 4 / ((nu + 4) N^2), as trust = nu / (nu + 4).
    return found.variance + (1 - found.trust) / np.maximum(found.cases, 1.0) ** 2


def pooled(
    found: Spread, enlarged: Float, shares: Float, degrees: Float, least: Any = 0.0
) -> tuple[float, float]:
    """Variance and degrees of freedom of an average over rankings, each enlarged by itself.

    ``least`` is what must remain of each, as columns that vary against each other can cancel out.
    """
    weights = shares * shares
    enlarged = np.where(weights > 0, enlarged, 0.0)
    joint = found.variance @ weights if found.joint is None else found.joint
    variance = max(joint + weights @ (enlarged - found.variance), (weights * least).sum())
    parts = weights * enlarged
    rest = (parts * parts) @ (1 / np.maximum(degrees, 1))
    return float(variance), float(parts.sum() ** 2 / rest) if rest > 0 else 1.0


def limits(values: Any, variance: Any, degrees: Any, level: float, share: Any) -> tuple[Any, Any]:
    """Wilson's interval at the number of cases that a share of this variance would have.

    ``share`` is the variance of one such case.
    """
    # The lower tail, as 0.5 + level / 2 can be 1 where level is not.
    quantile = stdtrit(np.maximum(degrees, 1.0), (1 - level) / 2)
    per_case = variance * quantile * quantile / share  # 1 / m
    middle = values + per_case / 2
    half = np.sqrt(share_variance(values) * per_case + per_case * per_case / 4)
    low, high = (middle - half) / (1 + per_case), (middle + half) / (1 + per_case)
    # Rounding alone, and the smallest share, could leave the estimate outside.
    return np.maximum(np.minimum(low, values), 0.0), np.minimum(np.maximum(high, values), 1.0)


def difference_limits(
    difference: Any, variance: Any, degrees: Any, level: float, alternative: str
) -> tuple[Any, Any]:
    """Student's interval of a difference of two values within [0, 1]."""
    tail = (1 - level) / 2 if alternative == "two-sided" else 1 - level
    half = -stdtrit(np.maximum(degrees, 1.0), tail) * np.sqrt(variance)
    low = -1.0 if alternative == "less" else difference - half
    high = 1.0 if alternative == "greater" else difference + half
    return np.maximum(low + 0 * difference, -1.0), np.minimum(high + 0 * difference, 1.0)


def p_value(difference: Any, variance: Any, degrees: Any, alternative: str) -> Any:
    """Student's test of a difference; 1 where there is none."""
    ratio = difference / np.maximum(np.sqrt(variance), TINY)
    degrees = np.maximum(degrees, 1.0)
    if alternative == "two-sided":
        p = 2 * stdtr(degrees, -np.abs(ratio))
    else:
        p = stdtr(degrees, ratio if alternative == "less" else -ratio)
    return np.where(np.abs(difference) < EQUAL, 1.0, p)


def adjust(pvalues: Float) -> Float:
    """Holm's adjustment along the first axis."""
    if len(pvalues) < 2:
        return pvalues
    # p = [.01, .04, .03] -> sorted times 3, 2, 1 = [.03, .06, .04] -> never falling [.03, .06, .06]
    order = np.argsort(pvalues, axis=0)
    n_left = np.arange(len(pvalues), 0, -1).reshape(-1, *[1] * (pvalues.ndim - 1))
    raised = np.maximum.accumulate(np.take_along_axis(pvalues, order, 0) * n_left, axis=0)
    adjusted = np.empty_like(pvalues)
    np.put_along_axis(adjusted, order, np.minimum(raised, 1.0), 0)
    return adjusted


def share_variance(values: Any) -> Any:
    """Variance of one case of a share, never 0."""
    return np.maximum(values * (1 - values), SMALLEST)
