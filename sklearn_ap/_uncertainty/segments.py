"""The differences of scores of segments, which share no rows: their limits and p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_ap._inputs.arrays import Float, Index
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.tolerances import EQUAL, TINY
from sklearn_ap._uncertainty.confidence_limits import (
    confidence_limits,
    holm_adjusted,
    mover_distance,
    wilson_limits,
)
from sklearn_ap._uncertainty.influence import RowInfluences
from sklearn_ap._uncertainty.model_influences import influences_of_rankings
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, warn_of, warnings_of
from sklearn_ap.definitions import Definition

SMALLEST_PVALUE = 2.0**-52  # a level of 1 less half of that is 1
N_HALVINGS = 45  # of an interval of logarithms, of 36 at first, and then of 1e-12

# Two clusters are always correlated by 1 or -1, and few show too much of it. Without this, equal
# segments that share 2, 3, 5 and 10 clusters differed in up to 16, 10, 10 and 6 of 100 samples.
N_CORRELATED = 2


class Groups(NamedTuple):
    """Scores of groups of rows, how much they vary, and the influence of each cluster on each."""

    score: Float
    uncertainty: Uncertainty
    of_clusters: Float | None = None

    def at(self, places: Any) -> Groups:
        """Those groups that stand at these places."""
        columns: Any = (np.asarray(column)[places] for column in self.uncertainty)
        of_clusters = None if self.of_clusters is None else self.of_clusters[places]
        return Groups(self.score[places], Uncertainty(*columns), of_clusters)

    @property
    def center(self) -> Float:
        """Scores less their bias, which lie within the limits at every level."""
        return np.clip(self.score - self.uncertainty.known_bias, 0.0, 1.0)


def scores_of_segments(
    definition: Definition,
    rankings: Rankings,
    options: Options,
    warnings: Sequence[UncertaintyWarning],
) -> tuple[dict[str, Any], Groups]:
    """What is said of each segment alone, nan without positives; and segments as groups."""
    influences, groups = _groups(definition, rankings, rankings.clusters, options)
    warn_of([*warnings, *warnings_of(influences, groups.uncertainty, "segment")])
    low, high = confidence_limits(influences, groups.uncertainty, options.confidence_level)
    weight, n_positives = rankings.weight_of_hits, influences.positives.n_counted
    share = weight / (weight + rankings.weight_of_negatives)
    numbers = {"estimate": influences.values, "low": low, "high": high}
    return numbers | {"n_positives": n_positives, "share": share}, groups


def rests_of(
    definition: Definition, rankings: Rankings, places: Sequence[int], options: Options
) -> Groups:
    """For each segment at these places, the rows of all others as a group."""
    found, clusters = [], rankings.clusters
    for place in places:
        kept = rankings.ranking_of_items != place
        of_one = np.zeros(np.count_nonzero(kept), np.intp)
        of_rest = None if clusters is None else clusters[kept]
        rest = rankings.only(kept, ranking=of_one, n_rankings=1, clusters=of_rest)
        found.append(_groups(definition, rest, clusters, options)[1])
    scores, uncertainties, of_clusters = zip(*found, strict=True)
    columns: Any = map(np.concatenate, zip(*uncertainties, strict=True))
    together = None if clusters is None else np.concatenate(of_clusters)
    return Groups(np.concatenate(scores), Uncertainty(*columns), together)


def _groups(
    definition: Definition, groups: Rankings, clusters: Index | None, options: Options
) -> tuple[RowInfluences, Groups]:
    """Each group by itself; the clusters of all groups are numbered alike."""
    (influences,) = influences_of_rankings(definition, [groups], [lambda values: values], options)
    found, units = sample_of_scores(influences).uncertainty(), influences.units
    scores = influences.values
    columns: Any = (np.broadcast_to(each, scores.shape) for each in found)
    uncertainty = Uncertainty(*columns)
    if clusters is None:
        return influences, Groups(scores, uncertainty)
    size, unit = int(clusters.max()) + 1, cast(Index, units.unit)
    is_cluster = unit < size  # not the positives that were never scored, of which none are here
    place = (cast(Index, units.ranking) * size + unit)[is_cluster]
    sums = np.bincount(place, influences.by_unit[is_cluster], scores.size * size)
    # One cluster shows nothing (its error is nan), and what rounding leaves is no influence.
    is_known = uncertainty.standard_error > 0
    return influences, Groups(scores, uncertainty, is_known[:, None] * sums.reshape(-1, size))


def compared(
    segments: Groups, rests: Groups, reference: Any, options: Options, are_two: bool
) -> dict[str, Any]:
    """Each segment minus its reference, which is a place, "rest" or "previous"; nan without one.

    If all rows are in one of two segments, each of these is the rest of the other.
    """
    rows, others = np.arange(segments.score.size), rests
    if reference == "previous":
        rows, others = rows[1:], segments.at(rows[:-1])
    elif reference != "rest":
        rows = rows[rows != reference]
        others = segments.at(np.full_like(rows, reference))
    is_one = are_two and reference == "rest" and options.alternative == "two-sided"
    numbers: dict[str, Any] = {}
    for name, found in _differences(segments.at(rows), others, options, is_one).items():
        numbers[name] = np.full(segments.score.size, np.nan)
        numbers[name][rows] = found
    of_rests = _differences(segments, rests, options._replace(alternative="two-sided"), are_two)
    return numbers | {"homogeneity_pvalue": float(of_rests["adjusted_pvalue"].min())}


def _differences(one: Groups, other: Groups, options: Options, is_one: bool) -> dict[str, Float]:
    """Compare each group of the first with one of the second, which shares no rows with it.

    ``is_one`` says that all are one comparison, which needs no correction.
    """
    difference, r = one.score - other.score, _correlations(one, other)
    level, alternative = options.confidence_level, options.alternative
    if alternative != "two-sided":  # the side with a limit may err as often as both together
        level = max(2 * level - 1, EQUAL)
    low, high = _lower_limits(one, other, r, level), -_lower_limits(other, one, r, level)
    low = np.full_like(low, -1.0) if alternative == "less" else np.minimum(low, difference)
    high = np.full_like(high, 1.0) if alternative == "greater" else np.maximum(high, difference)
    pvalue = _pvalues(one, other, difference, r)
    if alternative != "two-sided":
        is_found = difference > 0 if alternative == "greater" else difference < 0
        pvalue = np.where(is_found, pvalue / 2, 1 - pvalue / 2)
    return {
        "difference": difference,
        "difference_low": np.maximum(low, -1.0),
        "difference_high": np.minimum(high, 1.0),
        "pvalue": pvalue,
        "adjusted_pvalue": pvalue if is_one else holm_adjusted(pvalue),
    }


def _lower_limits(one: Groups, other: Groups, correlation: Float, level: Any) -> Float:
    """MOVER: the squares of the distances of two scores from their own limits are added up.

    Scores are less their bias (Newcombe 1998; for correlated ones Zou and Donner 2008).
    """
    below = one.center - wilson_limits(one.score, one.uncertainty, level)[0]
    above = wilson_limits(other.score, other.uncertainty, level)[1] - other.center
    return one.center - other.center - mover_distance(below, above, -correlation)


def _pvalues(one: Groups, other: Groups, difference: Float, correlation: Float) -> Float:
    """One less the level at which the limits touch 0, by bisection; 1 if they always contain it."""
    low, high = np.full(difference.shape, np.log(SMALLEST_PVALUE)), np.zeros(difference.shape)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        level = 1 - np.exp(middle)
        up = _lower_limits(one, other, correlation, level)
        down = _lower_limits(other, one, correlation, level)
        is_beyond = np.where(difference > 0, up, down) > 0
        low, high = np.where(is_beyond, low, middle), np.where(is_beyond, middle, high)
    return np.where(np.abs(difference) < EQUAL, 1.0, np.exp(high))


def _correlations(one: Groups, other: Groups) -> Float:
    """Those of the influences of clusters on two scores; 0 if rows are independent."""
    if one.of_clusters is None or other.of_clusters is None:
        return np.zeros(one.score.shape)
    return np.array([*map(_correlation, one.of_clusters, other.of_clusters)])


def _correlation(one: Float, other: Float) -> float:
    influences = np.stack((one, other))
    influences /= np.maximum(np.linalg.norm(influences, axis=1, keepdims=True), TINY)
    found, is_seen = float(np.prod(influences, axis=0).sum()), np.abs(influences) > EQUAL
    known = 1 - min(N_CORRELATED / max(int(is_seen.all(axis=0).sum()), 1), 1.0)
    return found * known if found > 0 else found
