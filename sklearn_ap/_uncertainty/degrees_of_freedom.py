"""Degrees of freedom of Student's t: of a sum of variances, and of a larger sample."""

from typing import Any

import numpy as np

from sklearn_ap._base.inputs.arrays import TINY, Float


def satterthwaite_degrees(variance: Any, of_parts: Any) -> Float:
    """The degrees of freedom of a sum of variances (Satterthwaite 1946).

    ``of_parts`` is the sum of the squares of the parts, each over its own degrees of freedom, which
    is half of the variance of the sum.
    """
    return variance * variance / np.maximum(of_parts, TINY)


def degrees_of_larger(degrees: Float, factor: Any) -> Float:
    """Degrees of freedom, if the sample is so many times as large.

    One unit that determines everything has 2. What is above it is in proportion to the size, also
    where few units of a small sample happen to determine less than those of a large one do.
    """
    return np.where(degrees >= 2, 2 + factor * (degrees - 2), degrees * factor)
