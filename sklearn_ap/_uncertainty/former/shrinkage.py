"""The variance of a share, from which its limits are computed."""

from typing import NamedTuple

import numpy as np

from sklearn_ap._types import Float, FloatOrArray

SMALLEST_CASE_VARIANCE = 1e-12


class Uncertainty(NamedTuple):
    """The variance of a share."""

    standard_error: FloatOrArray
    shrunken_variance: Float
    degrees_of_freedom: FloatOrArray  # for Student's t
    binomial_variance: FloatOrArray  # A (1 - A), of one case of a proportion


def variance_of_share(share: Float) -> Float:
    """Return the variance A (1 - A) of one case of a proportion, or the smallest one allowed."""
    return np.maximum(share * (1 - share), SMALLEST_CASE_VARIANCE)
