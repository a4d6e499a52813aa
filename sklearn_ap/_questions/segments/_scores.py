"""The score of each segment, its limits, and its influences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._extras import warn
from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._inputs.options import list_first
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._questions.segments._differences import Groups
from sklearn_ap._questions.segments._query_means import means_of_segments
from sklearn_ap._questions.segments._rows import SegmentRows
from sklearn_ap._types import Float, Index, Name
from sklearn_ap._uncertainty.former.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.former.influence import RowInfluences
from sklearn_ap._uncertainty.former.model_influences import influences_of_rankings
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap._uncertainty.former.sampling_units import RowUnits
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.former.small_samples import have_few_clusters, small_sample_warnings
from sklearn_ap._uncertainty.former.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    add_name,
    issue_warnings,
    some_names,
)
from sklearn_ap.definitions import Definition


class SegmentScores(NamedTuple):
    """The score of each segment alone, its limits, and its positives."""

    estimates: Float
    lows: Float
    highs: Float
    n_positives: Float
    shares: Float
    n_queries: Float | None = None

    def take(self, indices: Index) -> SegmentScores:
        """Select some of the segments."""
        return SegmentScores._make(None if column is None else column[indices] for column in self)


class ScoredSegments(NamedTuple):
    """The segments that have a score, and the names of the others."""

    names: tuple[Name, ...]
    left_out: tuple[Name, ...]
    few_clusters: tuple[Name, ...]  # segments whose intervals rest on few of them
    scores: SegmentScores
    groups: Groups


def score_segments(definition: Definition, rows: SegmentRows, options: Options) -> ScoredSegments:
    """Score each segment; at least two must have a score."""
    names = rows.segments.names
    weighted_names = [names[code] for code in rows.weighted_codes]
    few_clusters: tuple[Name, ...] = ()
    if rows.query_segment is None:
        scores, groups, few_clusters = _scores_and_groups(
            definition, rows.rankings, options, rows.warnings, weighted_names
        )
    else:
        means = means_of_segments(
            definition, rows.rankings, rows.query_segment, len(weighted_names), options
        )
        issue_warnings(rows.warnings)
        groups = means.groups
        scores = SegmentScores(
            groups.score,
            means.lows,
            means.highs,
            means.n_positives,
            means.shares,
            means.n_queries,
        )
    has_score = ~np.isnan(scores.estimates)
    scored_indices = np.flatnonzero(has_score)
    codes = [rows.weighted_codes[index] for index in scored_indices]
    missing_codes = sorted({*range(len(names))} - {*codes})
    scored = ScoredSegments(
        names=tuple(names[code] for code in codes),
        left_out=tuple(names[code] for code in missing_codes),
        few_clusters=few_clusters,
        scores=scores.take(scored_indices),
        groups=groups.take(scored_indices),
    )
    _refuse_one_segment(scored.names, scored.left_out)
    return scored


def _scores_and_groups(
    definition: Definition,
    rankings: Rankings,
    options: Options,
    warnings: Sequence[UncertaintyWarning],
    names: Sequence[Name],
) -> tuple[SegmentScores, Groups, tuple[Name, ...]]:
    """Score each segment alone, nan without positives.

    Return scores, groups to compare, and the names of segments that have few clusters.
    """

    def keep_undefined(values: Float) -> Float:
        return values

    (influences,) = influences_of_rankings(definition, [rankings], [keep_undefined], options)
    shape = influences.values.shape
    uncertainty: Uncertainty = sample_of_scores(influences).uncertainty()
    uncertainty = uncertainty.map_arrays(lambda values: np.broadcast_to(values, shape))
    are_few = have_few_clusters(influences)
    few_clusters = tuple(name for name, is_few in zip(names, are_few, strict=True) if is_few)
    segment_warnings = small_sample_warnings(influences)
    segment_warnings = [_name_segments(warning, few_clusters) for warning in segment_warnings]
    issue_warnings([*warnings, *segment_warnings])
    uncertainty = uncertainty.scale_variance(options.score_factor)
    low, high = confidence_limits(influences, uncertainty, options.confidence_level)
    positive_weight = rankings.weight_of_hits
    scores = SegmentScores(
        estimates=influences.values,
        lows=low,
        highs=high,
        n_positives=influences.positives.n_counted,
        shares=positive_weight / (positive_weight + rankings.weight_of_negatives),
    )
    return scores, _groups(influences, uncertainty, rankings.clusters), few_clusters


def _name_segments(warning: UncertaintyWarning, few_clusters: Sequence[Name]) -> UncertaintyWarning:
    """Put the names of the segments that have few clusters before the warning of these."""
    if warning.name != "few clusters":
        return warning
    return add_name(some_names([repr(str(name)) for name in few_clusters], "segments"), warning)


def _groups(influences: RowInfluences, uncertainty: Uncertainty, clusters: Index | None) -> Groups:
    """Make a group of each segment; a cluster has the same code in all segments."""
    scores = influences.values
    if clusters is None:
        positives = influences.positives
        return Groups(
            score=scores,
            uncertainty=uncertainty,
            n_kish=positives.n_kish,
            n_effective=positives.n_effective,
        )
    units = cast(RowUnits, influences.units)
    # The group and the cluster of each influence value
    group = cast(Index, units.ranking)
    cluster = cast(Index, units.unit)
    n_clusters = int(clusters.max()) + 1
    # A single cluster has no known error (nan), and no influence.
    shows_error = uncertainty.standard_error > 0
    influence = np.where(shows_error, 1.0, 0.0)[group] * influences.unit_influence
    largest = np.zeros(scores.size)
    np.maximum.at(largest, group, np.abs(influence))
    # Rounding errors are no influences, and codes from n_clusters on are of unscored positives.
    is_rounding = np.abs(influence) <= ABSOLUTE_TOLERANCE * largest[group]
    has_influence = (cluster < n_clusters) & ~is_rounding
    cluster_influence = csr_array(
        (influence[has_influence], (group[has_influence], cluster[has_influence])),
        shape=(scores.size, n_clusters),
    )
    return Groups(
        score=scores,
        uncertainty=uncertainty,
        n_kish=units.n_positive_rows,
        n_effective=units.n_limited_positive_rows,
        cluster_influence=cluster_influence,
    )


def _refuse_one_segment(names: tuple[Name, ...], left_out: tuple[Name, ...]) -> None:
    """Refuse fewer than two segments with a score, and warn of segments without one."""
    examples = list_first([repr(str(name)) for name in left_out])
    why = f" These lack positives, or negatives at a prevalence: {examples}." if left_out else ""
    if len(names) < 2:
        raise ValueError(
            f"segments must name at least two segments with a score, got {len(names)}.{why} For "
            f"the score of one segment use average_precision_interval."
        )
    if left_out:
        warn(f"Segments without a score are left out.{why}", UndefinedMetricWarning)
