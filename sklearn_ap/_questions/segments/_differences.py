"""The differences of scores of segments, which share no rows: their limits and p-values.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, cast

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._counts.averages import FEW_POSITIVES
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._types import Float, FloatOrArray, Index
from sklearn_ap._uncertainty.former.confidence_limits import wilson_limits
from sklearn_ap._uncertainty.former.mover import SMALLEST_PVALUE, mover_test
from sklearn_ap._uncertainty.former.pvalues import holm_adjusted
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.former.tuned_constants import CORRELATION_LOSS
from sklearn_ap._uncertainty.options import Options

# With more segments, limits of means of others are interpolated between the levels of a grid, with
# an error of at most 1e-7 in p-values below 0.2, and of 1e-4 in others.
MOST_EXACT_SEGMENTS = 32
N_GRID_LEVELS = 128
N_POLYNOMIAL_POINTS = 4
# The roots of their p-values are equidistant, and therefore nearly their normal quantiles.
GRID_LEVELS = 1 - SMALLEST_PVALUE ** (np.linspace(0.0, 1.0, N_GRID_LEVELS) ** 2)

# The reference of a segment: the index of another one, all others, or the one before.
Reference = int | Literal["others", "previous"]


class Differences(NamedTuple):
    """Scores minus those of a reference, their limits and p-values."""

    differences: Float
    difference_lows: Float
    difference_highs: Float
    pvalues: Float
    adjusted_pvalues: Float

    def expand(self, indices: Index, n_segments: int) -> Differences:
        """Return arrays with one entry per segment: these differences, and nan elsewhere."""

        def expand_column(values: Float) -> Float:
            column = np.full(n_segments, np.nan)
            column[indices] = values
            return column

        return Differences._make(map(expand_column, self))


@dataclass(frozen=True, eq=False)
class Groups:
    """Scores of groups of rows, their uncertainty, and the influence of each cluster on each."""

    score: Float
    uncertainty: Uncertainty
    n_kish: Float  # effective positives, by the weights of rows alone (Kish 1965)
    n_effective: Float  # n_kish, but limited by few negatives with large weights at the prevalence
    cluster_influence: csr_array | None = None  # (n_groups, n_clusters)

    def take(self, indices: Index) -> Groups:
        """Select some of the groups."""
        influence = self.cluster_influence
        return Groups(
            score=self.score[indices],
            uncertainty=self.uncertainty.map_arrays(lambda values: np.asarray(values)[indices]),
            n_kish=self.n_kish[indices],
            n_effective=self.n_effective[indices],
            cluster_influence=None if influence is None else influence[indices],
        )

    @cached_property
    def center(self) -> Float:
        """The scores minus their bias, A_k, which are within the limits at every level."""
        return np.clip(self.score - self.uncertainty.known_bias, 0.0, 1.0)

    def limit_distances(self, level: FloatOrArray) -> tuple[Float, Float]:
        """Compute how far the lower and the upper limits are from the centers."""
        # A column of levels has a row of limits for each level.
        low, high = wilson_limits(self.score, self.uncertainty, cast(float, level))
        return self.center - low, high - self.center

    def correlations_with(self, groups: Groups) -> Float:
        """Correlate the influences of clusters on pairs of scores; 0 if rows are independent."""
        if self.cluster_influence is None:
            return np.zeros(self.score.shape)
        # (n_groups, n_clusters), with entries only for clusters that the pair shares
        products = self.cluster_influence.multiply(groups.cluster_influence).tocsr()
        correlation = products.sum(axis=1) / influence_norms(self) / influence_norms(groups)
        return shrink_correlation(correlation, n_clusters=np.diff(products.indptr))


@dataclass(frozen=True, eq=False)
class OthersMean:
    """For each of some groups, the weighted mean of the scores of all other groups.

    A group that is not used in means of others has weight 0. The sum over the others is the sum
    over all groups minus the own term, so the cost is linear in the number of groups.
    """

    groups: Groups  # all groups
    weight: Float  # n_j of equation B17: (n_groups,)
    indices: Index  # the groups that have a mean of others: (n_means,)

    @property
    def score(self) -> Float:
        return self._average(self.groups.score)

    @cached_property
    def center(self) -> Float:
        return self._average(self.groups.center)

    def limit_distances(self, level: FloatOrArray) -> tuple[Float, Float]:
        """Compute how far the limits of the means are from their centers.

        ``level`` is one level for all means, or an array with a level for each.
        """
        if not isinstance(level, np.ndarray):
            return self._limit_distances(level)
        if self.weight.size > MOST_EXACT_SEGMENTS:
            below, above = self._grid_distances
            return _interpolate(below, level), _interpolate(above, level)
        # (n_means, n_means): row i has the limits of all means at the level of mean i.
        below, above = self._limit_distances(level[:, None])
        return below.diagonal(), above.diagonal()

    @cached_property
    def _grid_distances(self) -> tuple[Float, Float]:
        """The distances at the levels of the grid, each of shape (n_levels, n_means)."""
        return self._limit_distances(GRID_LEVELS[:, None])

    def _limit_distances(self, level: FloatOrArray) -> tuple[Float, Float]:
        """Compute b of equation B17 on both sides: the squares of distances of groups add up."""
        below, above = self.groups.limit_distances(level)
        squares_below = self._average(below**2, power=2)
        squares_above = self._average(above**2, power=2)
        return np.sqrt(np.maximum(squares_below, 0.0)), np.sqrt(np.maximum(squares_above, 0.0))

    def correlations_with(self, groups: Groups) -> Float:
        """Correlate the influences of clusters on each group with those on the mean of its others.

        ``groups`` are those that have a mean of others.
        """
        influence = self.groups.cluster_influence
        own_weight = self.weight[self.indices]
        if influence is None:
            return np.zeros(own_weight.shape)
        own_influence = cast(csr_array, groups.cluster_influence)
        own_squares = influence_norms(groups) ** 2
        total = self.weight @ influence  # over all groups, the own one included: (n_clusters,)
        # The influence on the mean of the others is total - own_weight * own_influence, which would
        # not be sparse. Its products with own_influence and with itself are expanded.
        product = own_influence @ total - own_weight * own_squares
        others_squares = total @ total - 2 * own_weight * product - own_weight**2 * own_squares
        correlation = product / np.sqrt(np.maximum(others_squares * own_squares, TINY))
        # A cluster is shared if it influences another group with a positive weight.
        n_weighted = np.bincount(influence[self.weight > 0].indices, minlength=total.size)
        has_influence = own_influence.astype(bool)
        n_clusters_in_one = has_influence @ (n_weighted >= 1).astype(float)
        n_clusters_in_two = has_influence @ (n_weighted >= 2).astype(float)
        n_shared = np.where(own_weight > 0, n_clusters_in_two, n_clusters_in_one)
        return shrink_correlation(correlation, n_shared)

    def _average(self, values: Float, power: int = 1) -> Float:
        """Sum the values of the others along the last axis, times a power of their weights."""
        terms = self.weight**power * values
        others_sum = terms.sum(axis=-1, keepdims=True) - terms[..., self.indices]
        others_weight = self.weight.sum() - self.weight[self.indices]
        return others_sum / others_weight**power


def _interpolate(grid_distances: Float, level: Float) -> Float:
    """Interpolate each column, which is known at the levels of the grid, at its own level.

    Distances are smooth functions of the root of the logarithm of the p-value. Around each level,
    they are interpolated by a Lagrange polynomial.
    """
    position = np.sqrt(np.log1p(-level) / np.log(SMALLEST_PVALUE)) * (N_GRID_LEVELS - 1)
    first = position.astype(np.intp) - (N_POLYNOMIAL_POINTS // 2 - 1)
    first = np.clip(first, 0, N_GRID_LEVELS - N_POLYNOMIAL_POINTS)
    points = np.arange(N_POLYNOMIAL_POINTS)
    columns = np.arange(level.size)
    distance = np.zeros(level.shape)
    for point in points:
        other_points = points[points != point]
        factors = (position - first - other_points[:, None]) / (point - other_points)[:, None]
        distance += np.prod(factors, axis=0) * grid_distances[first + point, columns]
    return np.maximum(distance, 0.0)


def weights_of_others(segments: Groups) -> Float:
    """Weigh each segment in means of others by its effective positives: n_j of equation B17.

    The weight is 0 below 10 effective positives, because scores of few positives are too high, and
    a mean over many such segments looks certain. Two segments are always compared with each other.
    """
    has_enough = segments.n_effective >= FEW_POSITIVES * (1 - RELATIVE_TOLERANCE)
    is_pair = has_enough.size == 2
    return np.where(has_enough | is_pair, segments.n_kish, 0.0)


def compare_groups(
    segments: Groups, weight: Float, reference: Reference, options: Options
) -> Differences:
    """Compare segments with their reference; nan for segments without one."""
    n_segments = segments.score.size
    if reference != "others":
        compared, references = _compared_and_references(n_segments, reference)
        differences = _differences(
            segments.take(compared), segments.take(references), options, is_single=False
        )
        return differences.expand(compared, n_segments)
    is_pair = n_segments == 2
    comparable = np.flatnonzero(weight.sum() - weight > 0)
    groups = segments.take(comparable)
    others_mean: Groups | OthersMean = OthersMean(segments, weight, comparable)
    if is_pair:  # each segment is the reference of the other one
        others_mean = segments.take(comparable[::-1])
    is_single = is_pair and options.alternative == "two-sided"
    differences = _differences(groups, others_mean, options, is_single)
    return differences.expand(comparable, n_segments)


def _compared_and_references(n_segments: int, reference: Reference) -> tuple[Index, Index]:
    """Return the indices of the compared segments, and of the reference of each."""
    indices = np.arange(n_segments)
    if isinstance(reference, str):  # "previous"
        return indices[1:], indices[:-1]
    compared = np.delete(indices, reference)
    return compared, np.full_like(compared, reference)


def _differences(
    groups: Groups, references: Groups | OthersMean, options: Options, is_single: bool
) -> Differences:
    """Compare each group with its reference, which shares no rows with it.

    A single comparison needs no correction for several.
    """
    correlation = references.correlations_with(groups)
    test = mover_test(groups, references, correlation, options)
    return Differences(
        differences=test.difference,
        difference_lows=test.low,
        difference_highs=test.high,
        pvalues=test.pvalue,
        adjusted_pvalues=test.pvalue if is_single else holm_adjusted(test.pvalue),
    )


def influence_norms(groups: Groups) -> Float:
    """Compute the lengths of the vectors of influences of clusters."""
    squares = cast(csr_array, groups.cluster_influence).power(2).sum(axis=1)
    return np.sqrt(np.maximum(squares, TINY))


def shrink_correlation(correlation: FloatOrArray, n_clusters: FloatOrArray) -> Float:
    """Shrink positive correlations, because few clusters overstate them."""
    loss = np.minimum(CORRELATION_LOSS / np.maximum(n_clusters, 1), 1.0)
    return np.where(correlation > 0, correlation * (1 - loss), correlation)
