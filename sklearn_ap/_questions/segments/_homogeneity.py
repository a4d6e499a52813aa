"""Are all segments alike? Cochran's Q, in which each score has its own limits.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, ndtr, ndtri

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._questions.segments._differences import Differences, Groups
from sklearn_ap._uncertainty.mover import ROOT_TOLERANCE, SMALLEST_PVALUE

SMALLEST_QUANTILE = 1e-4  # for a level just above 0, where quantiles are not reliable
LARGEST_QUANTILE = -float(ndtri(SMALLEST_PVALUE / 2))
SMALLEST_DISTANCE = 1e-100  # from a score of 0 or 1 to its limit, instead of 0


def homogeneity_pvalue(segments: Groups, weight: Float, others_differences: Differences) -> float:
    """Compute the p-value that all segments are equal; nan if none was compared with others.

    Segments with a weight in means of others are tested. For two segments, the p-value is that of
    their difference. If fewer than two have a weight, or if clusters with rows in several segments
    make scores dependent, it is the smallest p-value of the differences from others, after Holm's
    correction.
    """
    is_tested = (weight > 0) & np.isfinite(segments.uncertainty.shrunken_variance)
    tested = segments.take(np.flatnonzero(is_tested))
    if segments.score.size > 2 and tested.score.size > 1 and not _share_clusters(tested):
        return _cochran_pvalue(tested)
    adjusted = others_differences.adjusted_pvalues
    return float(adjusted.min()) if adjusted.size else np.nan


def _share_clusters(segments: Groups) -> bool:
    """Check whether a cluster has an influence on several scores."""
    if segments.cluster_influence is None:
        return False
    return bool(np.bincount(segments.cluster_influence.indices, minlength=1).max() > 1)


def _cochran_pvalue(segments: Groups) -> float:
    """Compute the p-value of (K - 1) z^2 from chi-square with K - 1 degrees of freedom.

    Equation 28: z is the normal quantile at which the squared distances of the K scores from the
    best common value, relative to the lengths of their limits, sum to K - 1. With two segments, the
    limits of their difference (MOVER) then touch 0.
    """
    segments = segments.take(np.argsort(segments.center))
    degrees = segments.score.size - 1

    def excess(quantile: float) -> float:
        """Compute the ratio of limits to distances, minus 1, which is nearly linear in z."""
        below, above = segments.limit_distances(1 - 2 * float(ndtr(-quantile)))
        least = _least_sum_of_squares(segments.center, below, above)
        return float(np.sqrt(degrees / max(least, TINY))) - 1

    if excess(SMALLEST_QUANTILE) >= 0:
        return 1.0
    quantile = LARGEST_QUANTILE
    if excess(LARGEST_QUANTILE) > 0:
        quantile = brentq(excess, SMALLEST_QUANTILE, LARGEST_QUANTILE, xtol=ROOT_TOLERANCE)
    return max(float(chdtrc(degrees, degrees * quantile**2)), SMALLEST_PVALUE)


def _least_sum_of_squares(center: Float, below: Float, above: Float) -> float:
    """Compute the least sum of squared distances from a common value m: the minimum of equation 28.

    Scores are sorted. Each distance is divided by the length of the limit on the side of m, so the
    sum is convex in m.
    """
    # 1 / d_k^2 if the score is lower than m, and if it is higher
    weight_if_lower = 1 / np.maximum(above, SMALLEST_DISTANCE) ** 2
    weight_if_higher = 1 / np.maximum(below, SMALLEST_DISTANCE) ** 2
    # common_value[n] is the best m if exactly the first n scores are lower than m.
    weight = _leading_sums(weight_if_lower) + _trailing_sums(weight_if_higher)
    lower_sum = _leading_sums(weight_if_lower * center)
    higher_sum = _trailing_sums(weight_if_higher * center)
    common_value = (lower_sum + higher_sum) / weight
    # The best m of all is the first that is not above the next score, center[n].
    best = common_value[np.sum(center < common_value[:-1])]
    weight = np.where(center < best, weight_if_lower, weight_if_higher)
    return float(np.sum(weight * (center - best) ** 2))


def _leading_sums(terms: Float) -> Float:
    """Sum the first n terms, n from 0 to all."""
    return np.append(0.0, np.cumsum(terms))


def _trailing_sums(terms: Float) -> Float:
    """Sum the terms after the first n, n from 0 to all."""
    return _leading_sums(terms[::-1])[::-1]
