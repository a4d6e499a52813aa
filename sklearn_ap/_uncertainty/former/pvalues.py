"""From variances to p-values: Student's test of a difference, and Holm's correction of several."""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, TINY
from sklearn_ap._types import Float
from sklearn_ap._uncertainty.former.confidence_limits import difference_half_width, mask_undefined
from sklearn_ap._uncertainty.former.influence import InfluenceValues
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty


class DifferenceTest(NamedTuple):
    """The interval and the p-value of the difference of each score from that of a reference."""

    low: Float
    high: Float
    standard_error: Float
    pvalue: Float


def difference_test(
    influences: InfluenceValues,
    reference: InfluenceValues,
    uncertainty: Uncertainty | None,
    options: Options,
) -> DifferenceTest:
    """Return Student's interval of the difference of each score from a reference, and its p-value.

    Both are for the difference less its bias, but the interval contains the difference. The p-value
    of a difference of 0 is 1.
    """
    difference = influences.score - reference.score
    if uncertainty is None:  # the reference itself
        return DifferenceTest(difference, difference, difference + np.nan, difference + 1)
    alternative = options.alternative
    half_width = difference_half_width(uncertainty, options)
    degrees = np.maximum(uncertainty.degrees_of_freedom, 1.0)
    error = np.sqrt(uncertainty.shrunken_variance * options.difference_factor)
    unbiased = difference - uncertainty.known_bias
    low = np.full_like(difference, -1.0) if alternative == "less" else unbiased - half_width
    high = np.full_like(difference, 1.0) if alternative == "greater" else unbiased + half_width
    t = unbiased / np.maximum(error, TINY)
    if alternative == "two-sided":
        pvalue = 2 * stdtr(degrees, -np.abs(t))
    else:
        pvalue = stdtr(degrees, t if alternative == "less" else -t)
    low = np.maximum(np.minimum(low, difference), -1.0)
    high = np.minimum(np.maximum(high, difference), 1.0)
    standard_error = uncertainty.standard_error * np.sqrt(options.difference_factor)
    pvalue = np.where(np.abs(difference) < ABSOLUTE_TOLERANCE, 1.0, pvalue)
    return DifferenceTest(
        low=mask_undefined(influences, low),
        high=mask_undefined(influences, high),
        standard_error=mask_undefined(influences, standard_error),
        pvalue=mask_undefined(influences, pvalue),
    )


def holm_adjusted_to(reference: int, pvalues: Float) -> Float:
    """Adjust the p-values of all models, and all rankings, against a reference for their number.

    The reference has no p-value, and nan stands for none.
    """
    adjusted = pvalues.copy()
    is_tested = ~np.isnan(pvalues)
    is_tested[reference] = False
    adjusted[is_tested] = holm_adjusted(adjusted[is_tested])
    return adjusted


def holm_adjusted(pvalues: Float) -> Float:
    """Adjust p-values along the first axis for their number (Holm 1979)."""
    if len(pvalues) < 2:
        return pvalues
    # p = [.01, .04, .03] -> sorted, times 3, 2, 1: [.03, .06, .04] -> cumulative: [.03, .06, .06]
    order = np.argsort(pvalues, axis=0)
    n_left = np.arange(len(pvalues), 0, -1).reshape(-1, *[1] * (pvalues.ndim - 1))
    scaled = np.maximum.accumulate(np.take_along_axis(pvalues, order, 0) * n_left, axis=0)
    adjusted = np.empty_like(pvalues)
    np.put_along_axis(adjusted, order, np.minimum(scaled, 1.0), 0)
    return adjusted
