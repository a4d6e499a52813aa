"""Degrees of freedom of Student's t: for sums of variances, few clusters, and larger samples."""

import numpy as np

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.former.tuned_constants import FEWEST_DEGREES


def satterthwaite_degrees(variance: FloatOrArray, terms: FloatOrArray) -> Float:
    """Return the degrees of freedom of a sum of variances (Satterthwaite 1946).

    ``terms`` is the sum of the squared parts, each over its own degrees of freedom: half of the
    variance of the sum.
    """
    return variance * variance / np.maximum(terms, TINY)


def most_degrees(n_effective: Float) -> Float:
    """Return the effective number of positives, or queries, that a score rests on, less 1."""
    return n_effective - 1


def degrees_with_clusters(degrees: Float, rows_in_cluster: FloatOrArray) -> Float:
    """Raise the degrees of freedom of a difference to at least ``FEWEST_DEGREES``, for clusters."""
    has_several_rows = rows_in_cluster > 1 + RELATIVE_TOLERANCE
    return np.where(has_several_rows, np.maximum(degrees, FEWEST_DEGREES), degrees)
