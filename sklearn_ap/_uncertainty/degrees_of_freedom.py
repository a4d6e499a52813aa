"""Degrees of freedom of Student's t: of sums of variances, with few clusters, of larger samples."""

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEWEST_DEGREES
from sklearn_ap._base.common.types import Float, FloatOrArray
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, TINY


def satterthwaite_degrees(variance: FloatOrArray, terms: FloatOrArray) -> Float:
    """Give the degrees of freedom of a sum of variances (Satterthwaite 1946).

    ``terms`` is the sum of the squares of the parts, each over its own degrees of freedom, which is
    half of the variance of the sum.
    """
    return variance * variance / np.maximum(terms, TINY)


def most_degrees(n_effective: Float) -> Float:
    """Give one less than the effective number of positives, or of what else a score rests on."""
    return n_effective - 1


def degrees_with_clusters(degrees: Float, rows_in_cluster: FloatOrArray) -> Float:
    """Raise degrees of freedom of a difference to the fewest that clusters of several rows have."""
    has_several_rows = rows_in_cluster > 1 + RELATIVE_TOLERANCE
    return np.where(has_several_rows, np.maximum(degrees, FEWEST_DEGREES), degrees)


def enlarged_degrees(degrees: Float, factor: FloatOrArray) -> Float:
    """Give the degrees of freedom of a sample that is so many times as large.

    One unit that determines everything has 2. What is above it is in proportion to the size, also
    where few units of a small sample happen to determine less than those of a large one do.
    """
    return np.where(degrees >= 2, 2 + factor * (degrees - 2), degrees * factor)
