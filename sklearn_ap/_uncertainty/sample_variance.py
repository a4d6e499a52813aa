"""The variance that a sample shows: squared influence values, added up.

A unit is a row, a query or a cluster, whose influence value is the sum of those of its rows. So the
variance over clusters is made in ``sums_of_squares``, too.
"""

from typing import Any

import numpy as np

from sklearn_ap._inputs.arrays import Float
from sklearn_ap._inputs.tolerances import TINY
from sklearn_ap._uncertainty.sampling_units import sum_by_ranking

ROUNDING = 1e-8  # of the standard deviation of a case, beside the value: half of the 16 digits


def sums_of_squares(
    by_unit: Float,
    factor: Float,
    *,
    n_units: Any,
    multiplicity: Any = 1.0,
    ranking: Any = None,
    of_fourths: Any = None,
) -> tuple[Float, Float]:
    """The infinitesimal jackknife: influence values are squared and added up (Efron 1981).

    ``factor`` corrects for a small sample. ``multiplicity`` says how many squares a value stands
    for, or the sum of squared weights, and ``of_fourths`` that of their fourth powers. The degrees
    of freedom come from how unequal the squares are (Satterthwaite 1946).
    """
    n_values = factor.size
    squares = by_unit * by_unit
    summed = squares * multiplicity
    variance = sum_by_ranking(summed, ranking, n_values) * factor
    if of_fourths is not None:
        summed = squares * of_fourths
    summed *= squares  # the fourth power takes many times as long
    # The sum of (square - mean of squares)**2 is the variance of the sum of squares.
    variance_of_sum = sum_by_ranking(summed, ranking, n_values) * factor**2
    variance_of_sum -= variance * variance / np.maximum(n_units, 1.0)
    return variance, 2 * variance * variance / np.maximum(variance_of_sum, TINY)


def small_sample_factor(n_effective: Float) -> Float:
    """N / (N - 1), as for the variance of a mean."""
    return np.maximum(n_effective, 1.0) / np.maximum(n_effective - 1, 1.0)


def variance_of_score(of_score: Float, n_effective: Float, magnitude: Any) -> Float:
    """The variance of one score, or of a difference, as the sample shows it."""
    variance = np.sum(of_score * of_score, keepdims=True)
    return without_rounding(variance, n_effective.max(), magnitude)


def without_rounding(variance: Any, n_effective: Any, magnitude: Any) -> Float:
    """A variance that rounding of values of such a magnitude can leave counts as 0.

    A case is at least one: at a tiny prevalence there are far fewer effective ones.
    """
    of_case = np.sqrt(variance * np.maximum(n_effective, 1.0))
    return np.where(of_case > ROUNDING * magnitude, variance, 0.0)
