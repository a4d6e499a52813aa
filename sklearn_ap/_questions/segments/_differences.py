"""The differences of scores of segments, which share no rows: their limits and p-values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Float, Index
from sklearn_ap._base.inputs.arrays import EQUAL, RELATIVE_TOLERANCE, TINY
from sklearn_ap._base.inputs.checks import FEW_POSITIVES
from sklearn_ap._uncertainty.confidence_limits import mover_distance, wilson_limits
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.pvalues import holm_adjusted
from sklearn_ap._uncertainty.shrinkage import Uncertainty

SMALLEST_PVALUE = 2.0**-52  # a level of 1 less half of that is 1
STEP, MOST_STEPS = 1e-13, 45  # of roots of logarithms of p-values, of 6 at most
SMALLEST_ROOT = 1e-5  # of a level of 1e-10, as quantiles near 0 are not known
# Of more segments than that, limits of means of others are computed at so many levels, and between
# them by a polynomial through so many points: p-values below 0.2 are right to 1e-7, others to 1e-4.
N_EXACT, N_LEVELS, N_POINTS = 32, 128, 4

# Two clusters are always correlated by 1 or -1, and few show too much of it. Without this, equal
# segments that share 2, 3, 5 and 10 clusters differed in up to 16, 10, 10 and 6 of 100 samples.
# The number stands again in tests/crossings/uncertainty_reference.py, and changes there, too.
N_CORRELATED = 2


class Differences(NamedTuple):
    """Scores minus those of a reference, their limits and p-values."""

    differences: Float
    difference_lows: Float
    difference_highs: Float
    pvalues: Float
    adjusted_pvalues: Float

    def among(self, n: int, places: Index) -> Differences:
        """The same at these of n places, and nan at all others."""
        columns = np.full((len(self), n), np.nan)
        columns[:, places] = self
        return Differences(*columns)


@dataclass(frozen=True, eq=False)
class Groups:
    """Scores of groups of rows, how much they vary, and the influence of each cluster on each."""

    score: Float
    uncertainty: Uncertainty
    n_positives: Float  # the effective number, by the weights of rows (Kish 1965)
    n_limited: Float  # the same, limited by few negatives that weigh more at the prevalence
    of_clusters: Any = None  # a sparse array of groups by clusters

    def at(self, places: Any) -> Groups:
        """Those groups that stand at these places."""
        uncertainty = self.uncertainty.map_arrays(lambda each: np.asarray(each)[places])
        of_clusters = None if self.of_clusters is None else self.of_clusters[places]
        n_positives, n_limited = self.n_positives[places], self.n_limited[places]
        return Groups(self.score[places], uncertainty, n_positives, n_limited, of_clusters)

    @cached_property
    def center(self) -> Float:
        """Scores less their bias, which lie within the limits at every level."""
        return np.clip(self.score - self.uncertainty.known_bias, 0.0, 1.0)

    def distances(self, level: Any) -> tuple[Float, Float]:
        """How far the lower and the upper limits are from the centers."""
        low, high = wilson_limits(self.score, self.uncertainty, level)
        return self.center - low, high - self.center

    def correlations_with(self, one: Groups) -> Float:
        """Those of the influences of clusters on pairs of scores; 0 if rows are independent."""
        if self.of_clusters is None:
            return np.zeros(self.score.shape)
        products = self.of_clusters.multiply(one.of_clusters).tocsr()
        return known_correlation(
            products.sum(axis=1) / norms(self) / norms(one), n_clusters=np.diff(products.indptr)
        )


@dataclass(frozen=True, eq=False)
class Others:
    """Beside each group at some places, the mean of the scores of the other groups.

    The weight of a group that counts among no others is 0. A sum over others is that over all less
    the own term, so the cost does not grow with the square of the number of groups.
    """

    groups: Groups
    weight: Float
    places: Index

    @property
    def score(self) -> Float:
        return self._mean(self.groups.score)

    @cached_property
    def center(self) -> Float:
        return self._mean(self.groups.center)

    def distances(self, level: Any) -> tuple[Float, Float]:
        """How far the limits of the means are from the centers; at one level, or one for each.

        The squares of those of the groups add up (MOVER).
        """
        if np.ndim(level) == 0:
            return self._distances(level)
        if self.weight.size <= N_EXACT:
            of_each: Any = (each.diagonal() for each in self._distances(level[:, None]))
        else:
            of_each = (_interpolated(each, level) for each in self._at_levels)
        below, above = of_each
        return below, above

    @cached_property
    def _at_levels(self) -> tuple[Float, Float]:
        return self._distances(_LEVELS[:, None])

    def _distances(self, level: Any) -> tuple[Float, Float]:
        below, above = (self._mean(each**2, 2) for each in self.groups.distances(level))
        return np.sqrt(np.maximum(below, 0.0)), np.sqrt(np.maximum(above, 0.0))

    def correlations_with(self, one: Groups) -> Float:
        """Those of each group that stands at the places with the mean beside it."""
        matrix, own, weight = self.groups.of_clusters, one.of_clusters, self.weight[self.places]
        if matrix is None:
            return np.zeros(weight.shape)
        together, squares = self.weight @ matrix, norms(one) ** 2
        product = own @ together - weight * squares
        of_others = together @ together - 2 * weight * product - weight**2 * squares
        correlation = product / np.sqrt(np.maximum(of_others * squares, TINY))
        n_groups = np.bincount(matrix[self.weight > 0].indices, minlength=together.size)
        n_with_one, n_with_two = (own.astype(bool) @ (n_groups >= n).astype(float) for n in (1, 2))
        return known_correlation(correlation, np.where(weight > 0, n_with_two, n_with_one))

    def _mean(self, of_groups: Float, power: int = 1) -> Float:
        """Add up weights, to this power, times numbers of the groups along the last axis."""
        terms = self.weight**power * of_groups
        of_others = terms.sum(axis=-1, keepdims=True) - terms[..., self.places]
        total = self.weight.sum() - self.weight[self.places]
        return of_others / total**power


_SQUARES = np.linspace(0.0, 1.0, N_LEVELS) ** 2
_LEVELS = (
    1 - SMALLEST_PVALUE**_SQUARES
)  # of both normal tails, such quantiles are about equidistant


def _interpolated(distances: Float, level: Float) -> Float:
    """The distances at a level for each column, from those at the levels above.

    These are as smooth in the root of the logarithm of the p-value as quantiles are. Each level has
    a polynomial through the points around it.
    """
    at = np.sqrt(np.log1p(-level) / np.log(SMALLEST_PVALUE)) * (N_LEVELS - 1)
    first = np.clip(at.astype(np.intp) - (N_POINTS // 2 - 1), 0, N_LEVELS - N_POINTS)
    points, columns = np.arange(N_POINTS), np.arange(level.size)
    value = np.zeros(level.shape)
    for i in points:
        others = points[points != i]
        weight = np.prod((at - first - others[:, None]) / (i - others)[:, None], axis=0)
        value += weight * distances[first + i, columns]
    return np.maximum(value, 0.0)


def weights_of_others(segments: Groups) -> Float:
    """The weight of each segment in a mean over segments: its effective positives.

    It is 0 below 10, as scores of few positives are too high, and a mean over many such segments
    looks certain; so do those of few negatives. Of two segments, each is compared with the other,
    whatever its positives.
    """
    counts = segments.n_limited >= FEW_POSITIVES * (1 - RELATIVE_TOLERANCE)
    return np.where(counts | (counts.size == 2), segments.n_positives, 0.0)


def compared(
    segments: Groups, weight: Float, reference: Any, options: Options
) -> tuple[Differences, Differences]:
    """Each segment minus its reference, nan without one; and those with others minus these.

    The reference is a place, "others" or "previous". The second have two-sided p-values.

    If there are two segments, each of these is all others of the other.
    """
    are_two = segments.score.size == 2
    with_others = np.flatnonzero(weight.sum() - weight > 0)
    others = segments.at(1 - with_others) if are_two else Others(segments, weight, with_others)
    two_sided = options._replace(alternative="two-sided")
    of_others = _differences(segments.at(with_others), others, two_sided, are_two)
    rows, differences = with_others, of_others
    if reference == "others" and options.alternative != "two-sided":
        differences = _differences(segments.at(rows), others, options, is_one=False)
    elif reference != "others":
        rows, others_of = _pairs(segments.score.size, reference)
        differences = _differences(segments.at(rows), segments.at(others_of), options, is_one=False)
    return differences.among(segments.score.size, rows), of_others


def _pairs(n_segments: int, reference: Any) -> tuple[Index, Index]:
    """The places of segments that are compared, and of what each is compared with."""
    places = np.arange(n_segments)
    if reference == "previous":
        return places[1:], places[:-1]
    rows = np.delete(places, reference)
    return rows, np.full_like(rows, reference)


def _differences(
    one: Groups, other: Groups | Others, options: Options, is_one: bool
) -> Differences:
    """Compare each group of the first with one of the second, which shares no rows with it.

    ``is_one`` says that all are one comparison, which needs no correction.
    """
    difference, r = one.score - other.score, other.correlations_with(one)
    level, alternative = options.confidence_level, options.alternative
    if alternative != "two-sided":  # the side with a limit may err as often as both together
        level = max(2 * level - 1, EQUAL)
    low, high = _limits(one, other, r, level)
    low = np.full_like(low, -1.0) if alternative == "less" else np.minimum(low, difference)
    high = np.full_like(high, 1.0) if alternative == "greater" else np.maximum(high, difference)
    pvalue = _pvalues(one, other, difference, r)
    if alternative != "two-sided":
        is_found = difference > 0 if alternative == "greater" else difference < 0
        pvalue = np.where(is_found, pvalue / 2, 1 - pvalue / 2)
    return Differences(
        differences=difference,
        difference_lows=np.maximum(low, -1.0),
        difference_highs=np.minimum(high, 1.0),
        pvalues=pvalue,
        adjusted_pvalues=pvalue if is_one else holm_adjusted(pvalue),
    )


def _limits(one: Groups, other: Groups | Others, r: Float, level: Any) -> tuple[Float, Float]:
    """MOVER: the squares of the distances of two scores from their own limits are added up.

    Scores are less their bias (Newcombe 1998; for correlated ones Zou and Donner 2008).
    """
    center, below, above = one.center - other.center, *one.distances(level)
    other_below, other_above = other.distances(level)
    low = center - mover_distance(below, other_above, -r)
    return low, center + mover_distance(above, other_below, -r)


def _pvalues(one: Groups, other: Groups | Others, difference: Float, r: Float) -> Float:
    """One less the level at which the limits touch 0; 1 if they always contain it.

    Limits are nearly straight in the root of -log(p), as quantiles are, so secants find it within a
    bracket. An end that stays has half its value (the Illinois method, Dowell and Jarratt 1971).
    """

    def beyond(root: Float) -> Float:
        low, high = _limits(one, other, r, 1 - np.exp(-root * root))
        return np.where(difference > 0, low, -high)

    inner = root = np.full(difference.shape, SMALLEST_ROOT)
    outer = np.full(difference.shape, np.sqrt(-np.log(SMALLEST_PVALUE)))
    of_inner, of_outer, was_beyond = beyond(inner), beyond(outer), None
    contains, excludes = of_inner <= 0, of_outer > 0  # at every level, at none
    for _ in range(MOST_STEPS):
        last, slope = root, np.where(contains | excludes, 1.0, of_inner - of_outer)
        root = (outer * of_inner - inner * of_outer) / slope
        root = np.where(contains, inner, np.where(excludes, outer, root))
        if np.all(np.abs(root - last) <= STEP * root):
            break
        value = beyond(root)
        is_beyond = value > 0
        if was_beyond is not None:
            of_inner = np.where(is_beyond | was_beyond, of_inner, of_inner / 2)
            of_outer = np.where(is_beyond & was_beyond, of_outer / 2, of_outer)
        inner, of_inner = np.where(is_beyond, root, inner), np.where(is_beyond, value, of_inner)
        outer, of_outer = np.where(is_beyond, outer, root), np.where(is_beyond, of_outer, value)
        was_beyond = is_beyond
    return np.where(contains | (np.abs(difference) < EQUAL), 1.0, np.exp(-root * root))


def norms(groups: Groups) -> Float:
    """The lengths of the vectors of influences of clusters."""
    squares = groups.of_clusters.power(2).sum(axis=1)
    return np.sqrt(np.maximum(squares, TINY))


def known_correlation(correlation: Float, n_clusters: Float) -> Float:
    """Correlations over so many clusters, of which few show too much."""
    known = 1 - np.minimum(N_CORRELATED / np.maximum(n_clusters, 1), 1.0)
    return np.where(correlation > 0, correlation * known, correlation)
