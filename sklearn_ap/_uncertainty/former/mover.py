"""Differences of scores from their own limits (MOVER), for scores of samples that share no rows.

Equations are those of docs/methods.md.
"""

from typing import NamedTuple, Protocol

import numpy as np

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.former.confidence_limits import mover_distance
from sklearn_ap._uncertainty.former.options import Options

SMALLEST_PVALUE = 2.0**-52  # 1 minus half of it is 1
# P-values are searched by their root r = sqrt(-log(p)), in which limits are nearly linear. The
# smallest one is for a confidence level of 1e-10, below which quantiles are not reliable.
SMALLEST_ROOT = 1e-5
ROOT_TOLERANCE = 1e-13
MOST_ITERATIONS = 45


class LimitedScores(Protocol):
    """Scores that have limits at every level."""

    @property
    def score(self) -> Float:
        """The scores."""

    @property
    def center(self) -> Float:
        """The scores minus their bias, which are within the limits at every level."""

    def limit_distances(self, level: FloatOrArray) -> tuple[Float, Float]:
        """Compute how far the lower and the upper limits are from the centers."""


class MoverTest(NamedTuple):
    """Differences of scores, with their limits and p-values."""

    difference: Float
    low: Float
    high: Float
    pvalue: Float


def mover_test(
    scores: LimitedScores, references: LimitedScores, correlation: FloatOrArray, options: Options
) -> MoverTest:
    """Compare each score with its reference by the limits of both; a p-value agrees with them."""
    difference = scores.score - references.score
    level = options.confidence_level
    alternative = options.alternative
    if alternative != "two-sided":  # one limit has the error rate of both two-sided ones
        level = max(2 * level - 1, ABSOLUTE_TOLERANCE)
    low, high = _mover_limits(scores, references, correlation, level)
    low = np.full_like(low, -1.0) if alternative == "less" else np.minimum(low, difference)
    high = np.full_like(high, 1.0) if alternative == "greater" else np.maximum(high, difference)
    pvalue = _pvalues(scores, references, difference, correlation)
    if alternative != "two-sided":
        is_alternative = difference > 0 if alternative == "greater" else difference < 0
        pvalue = np.where(is_alternative, pvalue / 2, 1 - pvalue / 2)
    return MoverTest(difference, np.maximum(low, -1.0), np.minimum(high, 1.0), pvalue)


def _mover_limits(
    scores: LimitedScores, references: LimitedScores, correlation: FloatOrArray, level: FloatOrArray
) -> tuple[Float, Float]:
    """Compute the limits of differences by MOVER, from the distances of scores to their limits.

    Equation B17, with scores minus their bias (Newcombe 1998; for correlated scores Zou and Donner
    2008).
    """
    center = scores.center - references.center
    below, above = scores.limit_distances(level)
    reference_below, reference_above = references.limit_distances(level)
    low = center - mover_distance(below, reference_above, -correlation)
    high = center + mover_distance(above, reference_below, -correlation)
    return low, high


def _pvalues(
    scores: LimitedScores, references: LimitedScores, difference: Float, correlation: FloatOrArray
) -> Float:
    """Find the p-value: 1 minus the level at which the limits touch 0; 1 if they always contain it.

    Limits are nearly linear in the root of -log(p), so the search is by secants within a bracket,
    for all differences at once. The excess at an end that is kept twice is halved (the Illinois
    method, Dowell and Jarratt 1971).
    """

    def excess(root: Float) -> Float:
        """Compute the signed distance of the nearer limit from 0: positive if 0 is excluded."""
        low, high = _mover_limits(scores, references, correlation, 1 - np.exp(-root * root))
        return np.where(difference > 0, low, -high)

    # The bracket: limits exclude 0 at the inner root, and contain it at the outer one.
    inner = np.full(difference.shape, SMALLEST_ROOT)
    outer = np.full(difference.shape, np.sqrt(-np.log(SMALLEST_PVALUE)))
    inner_excess = excess(inner)
    outer_excess = excess(outer)
    always_contained = inner_excess <= 0  # at every level
    never_contained = outer_excess > 0
    root = inner
    was_excluded = None
    for _ in range(MOST_ITERATIONS):
        previous_root = root
        slope = np.where(always_contained | never_contained, 1.0, inner_excess - outer_excess)
        root = (outer * inner_excess - inner * outer_excess) / slope
        root = np.where(always_contained, inner, np.where(never_contained, outer, root))
        if np.all(np.abs(root - previous_root) <= ROOT_TOLERANCE * root):
            break
        root_excess = excess(root)
        is_excluded = root_excess > 0
        if was_excluded is not None:
            inner_stays = ~is_excluded & ~was_excluded
            outer_stays = is_excluded & was_excluded
            inner_excess = np.where(inner_stays, inner_excess / 2, inner_excess)
            outer_excess = np.where(outer_stays, outer_excess / 2, outer_excess)
        inner = np.where(is_excluded, root, inner)
        inner_excess = np.where(is_excluded, root_excess, inner_excess)
        outer = np.where(is_excluded, outer, root)
        outer_excess = np.where(is_excluded, outer_excess, root_excess)
        was_excluded = is_excluded
    return np.where(
        always_contained | (np.abs(difference) < ABSOLUTE_TOLERANCE), 1.0, np.exp(-root * root)
    )
