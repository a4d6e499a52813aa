"""Degrees of freedom of Student's t: of sums of variances, with few clusters, of larger samples."""

from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, TINY

# With clusters: a choice, whose coverage and width are those of "clusters, two models" in
# benchmarks/certainty_coverage.py. It stands again in tests/crossings/uncertainty_reference.py, and
# changes there, too.
FEWEST_DEGREES = 3.0


def satterthwaite_degrees(variance: Any, of_parts: Any) -> Float:
    """The degrees of freedom of a sum of variances (Satterthwaite 1946).

    ``of_parts`` is the sum of the squares of the parts, each over its own degrees of freedom, which
    is half of the variance of the sum.
    """
    return variance * variance / np.maximum(of_parts, TINY)


def most_degrees(n_effective: Any) -> Any:
    """One less than the effective number of positives, or of what else a score rests on."""
    return n_effective - 1


def degrees_with_clusters(degrees: Float, rows_in_cluster: Any) -> Float:
    """Degrees of freedom of a difference, no fewer than some over clusters of several rows."""
    has_several = rows_in_cluster > 1 + RELATIVE_TOLERANCE
    return np.where(has_several, np.maximum(degrees, FEWEST_DEGREES), degrees)


def degrees_of_larger(degrees: Float, factor: Any) -> Float:
    """Degrees of freedom, if the sample is so many times as large.

    One unit that determines everything has 2. What is above it is in proportion to the size, also
    where few units of a small sample happen to determine less than those of a large one do.
    """
    return np.where(degrees >= 2, 2 + factor * (degrees - 2), degrees * factor)
