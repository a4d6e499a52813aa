"""Are all segments alike? Cochran's Q, in which each score has its own limits."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, ndtr, ndtri

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._questions.segments._differences import SMALLEST_PVALUE, STEP, Differences, Groups

# Of a level that is hardly above 0, as quantiles near 0 are not known, and of one less the
# smallest p-value.
SMALLEST_QUANTILE, LARGEST_QUANTILE = 1e-4, -float(ndtri(SMALLEST_PVALUE / 2))
SMALLEST_DISTANCE = 1e-100  # of the limit of a score of 0 or 1 beyond which there is none


def homogeneity_pvalue(segments: Groups, weight: Float, from_others: Differences) -> float:
    """The p-value that all segments are equal; nan if none was compared with others.

    Segments that count among others are tested. Of two segments, it is that of their difference.
    Where fewer than two count, or clusters with rows in several make scores depend on each other,
    it is the smallest p-value of the differences from others, after Holm's correction.
    """
    tested = segments.at(
        np.flatnonzero((weight > 0) & np.isfinite(segments.uncertainty.shrunken_variance))
    )
    if segments.score.size > 2 and tested.score.size > 1 and not _share_clusters(tested):
        return _pvalue_of_q(tested)
    adjusted = from_others.adjusted_pvalues
    return float(adjusted.min()) if adjusted.size else np.nan


def _share_clusters(segments: Groups) -> bool:
    """Whether a cluster has an influence on several scores."""
    if segments.of_clusters is None:
        return False
    return bool(np.bincount(segments.of_clusters.indices, minlength=1).max() > 1)


def _pvalue_of_q(segments: Groups) -> float:
    """That of K - 1 times z squared: chi-square has K - 1 degrees, of K segments.

    At z, with the limits of a normal quantile of z, the squared distances of scores from a common
    value, in lengths of their limits, add up to K - 1. Of two segments, the limits of their
    difference (MOVER) then touch 0.
    """
    segments = segments.at(np.argsort(segments.center))
    degrees = segments.score.size - 1

    def excess(quantile: float) -> float:
        """How much longer limits are than the distances: about straight, as limits are."""
        distances = segments.distances(1 - 2 * float(ndtr(-quantile)))
        least = _least_sum_of_squares(segments.center, *distances)
        return float(np.sqrt(degrees / max(least, TINY))) - 1

    if excess(SMALLEST_QUANTILE) >= 0:
        return 1.0
    quantile = LARGEST_QUANTILE
    if excess(LARGEST_QUANTILE) > 0:
        quantile = brentq(excess, SMALLEST_QUANTILE, LARGEST_QUANTILE, xtol=STEP)
    return max(float(chdtrc(degrees, degrees * quantile**2)), SMALLEST_PVALUE)


def _least_sum_of_squares(center: Float, below: Float, above: Float) -> float:
    """The least sum, over all common values, of squared distances of scores, which are sorted.

    They are in lengths of the limit on that side, so the sum is convex in the value.
    """
    of_lower, of_higher = (1 / np.maximum(each, SMALLEST_DISTANCE) ** 2 for each in (above, below))
    # The best value if the first n scores are below it, n from 0 to all.
    weight = _before(of_lower) + _before(of_higher[::-1])[::-1]
    value = (_before(of_lower * center) + _before((of_higher * center)[::-1])[::-1]) / weight
    # It is higher than the next score as long as more of them are below the best of all.
    best = value[np.sum(center < value[:-1])]
    weight = np.where(center < best, of_lower, of_higher)
    return float(np.sum(weight * (center - best) ** 2))


def _before(terms: Float) -> Float:
    """The sums of the first n terms, n from 0 to all."""
    return np.append(0.0, np.cumsum(terms))
