"""The score of each segment, its limits, and its influences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._base.common.types import Float, Index
from sklearn_ap._base.inputs.arrays import EQUAL
from sklearn_ap._base.inputs.checks import first_of, warn
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._questions.segments._differences import Groups
from sklearn_ap._questions.segments._rows import SegmentRows
from sklearn_ap._uncertainty.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.influence import RowInfluences
from sklearn_ap._uncertainty.model_influences import influences_of_rankings
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    issue_warnings,
    small_sample_warnings,
)
from sklearn_ap.definitions import Definition


class SegmentScores(NamedTuple):
    """What is said of each segment alone."""

    estimates: Float
    lows: Float
    highs: Float
    n_positives: Float
    shares: Float

    def at(self, places: list[int]) -> SegmentScores:
        """Those of the segments that stand at these places."""
        return SegmentScores(*(column[places] for column in self))


class ScoredSegments(NamedTuple):
    """The segments that have a score, and the names of the others."""

    names: tuple[Any, ...]
    left_out: tuple[Any, ...]
    codes: list[int]
    scores: SegmentScores
    groups: Groups


def score_segments(definition: Definition, rows: SegmentRows, options: Options) -> ScoredSegments:
    """Score each segment; at least two must have a score."""
    scores, groups = _scores_and_groups(definition, rows.rankings, options, rows.warnings)
    kept, names = np.flatnonzero(~np.isnan(scores.estimates)).tolist(), rows.segments.names
    codes = [rows.codes[i] for i in kept]
    missing = sorted({*range(len(names))} - {*codes})
    scored = ScoredSegments(
        names=tuple(names[code] for code in codes),
        left_out=tuple(names[code] for code in missing),
        codes=codes,
        scores=scores.at(kept),
        groups=groups.at(kept),
    )
    _refuse_one_segment(scored.names, scored.left_out)
    return scored


def _scores_and_groups(
    definition: Definition,
    rankings: Rankings,
    options: Options,
    warnings: Sequence[UncertaintyWarning],
) -> tuple[SegmentScores, Groups]:
    """What is said of each segment alone, nan without positives; and segments as groups."""
    (influences,) = influences_of_rankings(definition, [rankings], [lambda each: each], options)
    shape = influences.values.shape
    found: Uncertainty = sample_of_scores(influences).uncertainty()
    uncertainty = found.map_arrays(lambda each: np.broadcast_to(each, shape))
    issue_warnings([*warnings, *small_sample_warnings(influences, uncertainty)])
    uncertainty = uncertainty.scale_variance(options.score_factor)
    low, high = confidence_limits(influences, uncertainty, options.confidence_level)
    weight = rankings.weight_of_hits
    scores = SegmentScores(
        estimates=influences.values,
        lows=low,
        highs=high,
        n_positives=influences.positives.n_counted,
        shares=weight / (weight + rankings.weight_of_negatives),
    )
    return scores, _groups(influences, uncertainty, rankings.clusters)


def _groups(influences: RowInfluences, uncertainty: Uncertainty, clusters: Index | None) -> Groups:
    """Each segment by itself; the clusters of all segments are numbered alike."""
    scores = influences.values
    if clusters is None:
        positives = influences.positives
        return Groups(scores, uncertainty, positives.n_unlimited, positives.n_effective)
    units: Any = influences.units
    n_clusters, unit, group = int(clusters.max()) + 1, units.unit, units.ranking
    # Not the positives that were never scored, of which none are here. One cluster shows nothing
    # (its error is nan), and what rounding leaves is no influence.
    known = np.where(uncertainty.standard_error > 0, 1.0, 0.0)[group] * influences.unit_influence
    largest = np.zeros(scores.size)
    np.maximum.at(largest, group, np.abs(known))
    is_cluster = (unit < n_clusters) & (np.abs(known) > EQUAL * largest[group])
    places = group[is_cluster], unit[is_cluster]
    shape = scores.size, n_clusters
    of_clusters = csr_array((known[is_cluster], places), shape=shape)
    return Groups(
        scores, uncertainty, units.n_positive_rows, units.n_limited_positive_rows, of_clusters
    )


def _refuse_one_segment(names: tuple[Any, ...], left_out: tuple[Any, ...]) -> None:
    """Refuse what leaves nothing to compare, and warn of segments without a score."""
    some = first_of([repr(str(name)) for name in left_out])
    why = f" These lack positives, or negatives at a prevalence: {some}." if left_out else ""
    if len(names) < 2:
        raise ValueError(
            f"segments must name at least two segments with a score, got {len(names)}.{why} For "
            f"the score of one segment use average_precision_interval."
        )
    if left_out:
        warn(f"Segments without a score are left out.{why}", UndefinedMetricWarning)
