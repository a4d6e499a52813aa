"""The differences of scores of segments, which share no rows: their limits and p-values."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.tolerances import EQUAL, TINY
from sklearn_ap._uncertainty.confidence_limits import (
    confidence_limits,
    holm_adjusted,
    wilson_limits,
)
from sklearn_ap._uncertainty.influence import RowInfluences
from sklearn_ap._uncertainty.model_influences import influences_of_groups
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, warn_of, warnings_of
from sklearn_ap.definitions import Definition

Float = NDArray[np.float64]
Index = NDArray[np.intp]

SMALLEST_PVALUE = 2.0**-52  # a level of 1 less half of that is 1
N_HALVINGS = 45  # of an interval of logarithms, of 36 at first, and then of 1e-12

# Two clusters are always correlated by 1 or -1, and few show too much of it. Without this, equal
# segments that share 2, 3, 5 and 10 clusters differed in up to 16, 10, 10 and 6 of 100 samples.
N_CORRELATED = 2


class Group(NamedTuple):
    """A group of rows: its score, how much that varies, and the influence of each cluster on it.

    Of several groups, the numbers are arrays.
    """

    score: Any
    uncertainty: Uncertainty
    of_clusters: Float | None = None


def scores_of_segments(
    definition: Definition,
    rankings: Rankings,
    options: Options,
    warnings: Sequence[UncertaintyWarning],
) -> tuple[dict[str, Any], list[Group]]:
    """What is said of each segment alone, nan without positives; and segments as groups."""
    influences = influences_of_groups(definition, rankings, options)
    uncertainty = sample_of_scores(influences).uncertainty()
    warn_of([*warnings, *warnings_of(influences, uncertainty, "segment")])
    low, high = confidence_limits(influences, uncertainty, options.confidence_level)
    weight, n_positives = rankings.weight_of_hits, influences.positives.n_counted
    share = weight / (weight + rankings.weight_of_negatives)
    numbers = {"estimate": influences.values, "low": low, "high": high}
    numbers |= {"n_positives": n_positives, "share": share}
    return numbers, _groups(influences, rankings.clusters)


def rest_of(definition: Definition, rankings: Rankings, place: int, options: Options) -> Group:
    """The rows of all segments but one as a group."""
    kept, clusters = rankings.ranking_of_items != place, rankings.clusters
    of_one = np.zeros(np.count_nonzero(kept), np.intp)
    of_rest = None if clusters is None else clusters[kept]
    rest = rankings.only(kept, ranking=of_one, n_rankings=1, clusters=of_rest)
    return _groups(influences_of_groups(definition, rest, options), clusters)[0]


def _groups(influences: RowInfluences, clusters: Index | None) -> list[Group]:
    """Each group by itself; the clusters of all groups are numbered alike."""
    found, units = sample_of_scores(influences).uncertainty(), influences.units
    shape = influences.values.shape
    columns = [np.broadcast_to(each, shape) for each in found]
    of_clusters: Sequence[Float | None] = [None] * influences.values.size
    if clusters is not None:
        size, unit = int(clusters.max()) + 1, cast(Index, units.unit)
        is_cluster = unit < size  # not the positives that were never scored, of which none are here
        place = (cast(Index, units.ranking) * size + unit)[is_cluster]
        sums = np.bincount(place, influences.by_unit[is_cluster], influences.values.size * size)
        # One cluster shows nothing, and what rounding leaves is no influence.
        is_known = ~np.broadcast_to(units.are_one_cluster, shape) & (found.standard_error > 0)
        of_clusters = [*np.where(is_known[:, None], sums.reshape(-1, size), 0.0)]
    uncertainties = [Uncertainty(*each) for each in zip(*columns, strict=True)]
    return [*map(Group, influences.values, uncertainties, of_clusters)]


def compared(
    segments: list[Group], rests: list[Group], reference: Any, options: Options, are_two: bool
) -> dict[str, Any]:
    """Each segment minus its reference, which is a place, "rest" or "previous"; nan without one.

    If all rows are in one of two segments, each of these is the rest of the other.
    """
    others: list[Group | None] = [*rests]
    if reference == "previous":
        others = [None, *segments[:-1]]
    elif reference != "rest":
        others = [None if i == reference else segments[reference] for i in range(len(rests))]
    rows = [i for i, other in enumerate(others) if other is not None]
    pairs = [segments[i] for i in rows], [other for other in others if other is not None]
    numbers = {}
    is_one = are_two and reference == "rest" and options.alternative == "two-sided"
    for name, found in _differences(*pairs, options, is_one).items():
        numbers[name] = np.full(len(segments), np.nan)
        numbers[name][rows] = found
    of_rests = _differences(segments, rests, options._replace(alternative="two-sided"), are_two)
    return numbers | {"homogeneity_pvalue": float(of_rests["adjusted_pvalue"].min())}


def _differences(
    first: list[Group], second: list[Group], options: Options, is_one: bool
) -> dict[str, Float]:
    """Compare each group of the first with one of the second, which shares no rows with it.

    ``is_one`` says that all are one comparison, which needs no correction.
    """
    one, other = _stacked(first), _stacked(second)
    difference, r = one.score - other.score, np.array([*map(_correlation, first, second)])
    level, alternative = options.confidence_level, options.alternative
    if alternative != "two-sided":  # the side with a limit may err as often as both together
        level = max(2 * level - 1, EQUAL)
    low, high = _lower_limits(one, other, r, level), -_lower_limits(other, one, r, level)
    low = np.full_like(low, -1.0) if alternative == "less" else np.minimum(low, difference)
    high = np.full_like(high, 1.0) if alternative == "greater" else np.maximum(high, difference)
    pvalue = _pvalues(first, second, difference, r)
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


def _stacked(groups: list[Group]) -> Group:
    """The numbers of groups as arrays."""
    columns: Any = map(np.array, zip(*(each.uncertainty for each in groups), strict=True))
    return Group(np.array([each.score for each in groups]), Uncertainty(*columns))


def _lower_limits(one: Group, other: Group, correlation: Float, level: Any) -> Float:
    """MOVER: the squares of the distances of two scores from their own limits are added up.

    Scores are less their bias (Newcombe 1998; for correlated ones Zou and Donner 2008).
    """
    center, of_other = _center(one), _center(other)
    below = center - wilson_limits(one.score, one.uncertainty, level)[0]
    above = wilson_limits(other.score, other.uncertainty, level)[1] - of_other
    square = below * below + above * above - 2 * correlation * below * above
    return center - of_other - np.sqrt(np.maximum(square, 0.0))


def _center(group: Group) -> Float:
    """The score less its bias, which lies within the limits at every level."""
    return np.clip(group.score - group.uncertainty.known_bias, 0.0, 1.0)


def _pvalues(
    first: list[Group], second: list[Group], difference: Float, correlation: Float
) -> Float:
    """One less the level at which the limits touch 0, by bisection; 1 if they always contain it."""
    pairs = [
        (one, other) if is_higher else (other, one)
        for one, other, is_higher in zip(first, second, difference > 0, strict=True)
    ]
    higher, lower = (_stacked([*side]) for side in zip(*pairs, strict=True))
    low, high = np.full(difference.shape, np.log(SMALLEST_PVALUE)), np.zeros(difference.shape)
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        is_beyond = _lower_limits(higher, lower, correlation, 1 - np.exp(middle)) > 0
        low, high = np.where(is_beyond, low, middle), np.where(is_beyond, middle, high)
    return np.where(np.abs(difference) < EQUAL, 1.0, np.exp(high))


def _correlation(one: Group, other: Group) -> float:
    """The correlation of the influences of clusters on two scores; 0 if rows are independent."""
    if one.of_clusters is None or other.of_clusters is None:
        return 0.0
    influences = np.stack((one.of_clusters, other.of_clusters))
    influences /= np.maximum(np.linalg.norm(influences, axis=1, keepdims=True), TINY)
    found, is_seen = float(np.prod(influences, axis=0).sum()), np.abs(influences) > EQUAL
    known = 1 - min(N_CORRELATED / max(int(is_seen.all(axis=0).sum()), 1), 1.0)
    return found * known if found > 0 else found
