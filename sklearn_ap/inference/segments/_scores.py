"""The scores of segments, each of which is a ranking, or a mean over its queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._errors import InputError, UnsuitedDefinitionError
from sklearn_ap._inputs.arrays import drop_weightless_rows
from sklearn_ap._inputs.codes import groups_of_members
from sklearn_ap._inputs.labels_and_scores import check_weights
from sklearn_ap._inputs.options import check_prevalence
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._scoring import warn_of_undefined
from sklearn_ap._types import Argument, Array, Float, Index, Name
from sklearn_ap._uncertainty.estimate import Estimate, join_estimates
from sklearn_ap._uncertainty.means import MeanOfQueries
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap._writing.text import names_as_text
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence
from sklearn_ap.inference.doubts.missing_results import missing_results
from sklearn_ap.inference.folds.pools import Pool
from sklearn_ap.inference.scored_samples import DescribedSample, describe_rankings, have_classes
from sklearn_ap.inference.segments._rows import SegmentedRows, WordOrPlace

# Equation 29 leaves a segment with fewer effective positives out of the others, as scores of few
# positives are too high. With 10 positives of 100 rows, the mean score was 0.525 where the truth is
# 0.478, and of 5 among 50 it was 0.256 where it is 0.164.
FEWEST_POSITIVES_OF_OTHERS = 10


@dataclass(frozen=True, eq=False)
class SegmentScores:
    """The scores of segments that have rows with a weight above 0.

    The weight of a segment in a mean of others is its effective positives by rows, of which few
    heavy negatives are worth fewer, or its queries; it is 0 without a score.
    """

    described: DescribedSample
    estimate: Estimate
    weight: Float
    size: Float  # decides who is among the others: the weight, or the queries with a score
    influences: csr_array | None = None  # of clusters; None if segments share no units

    def reference_weights(self, reference: WordOrPlace) -> Float:
        """Return the weight of each segment in each reference: rows add up to 1, or to 0."""
        is_known = self.estimate.is_defined
        segments = np.flatnonzero(is_known)
        weights = np.zeros((is_known.size, is_known.size))
        if isinstance(reference, int):
            weights[segments, reference] = 1.0
            weights[reference] = 0.0
        elif reference == "previous":
            weights[segments[1:], segments[:-1]] = 1.0
        else:
            second_largest = np.sort(self.size[segments])[-2]
            least_size = min(FEWEST_POSITIVES_OF_OTHERS, second_largest) * (1 - RELATIVE_TOLERANCE)
            is_among = is_known & (self.size >= least_size)
            weights[segments] = np.where(is_among, self.weight, 0.0)
            np.fill_diagonal(weights, 0.0)
            weights = ratio(weights, weights.sum(axis=1, keepdims=True), 0.0)
        return weights


@dataclass(frozen=True, eq=False)
class _GroupedRankings:
    """Rankings that lie in segments: one in each, or a ranking for each query."""

    request: Request
    rankings: Rankings
    segment: Index  # of each ranking
    names: Sequence[Name]
    n_folds: int | None

    def add_up(self, values: Array) -> Float:
        """Return the sum over the rankings of each segment."""
        return np.bincount(self.segment, values, len(self.names)).astype(np.float64)

    @cached_property
    def positives(self) -> Float:
        """The weight of the positives of each segment."""
        return self.add_up(self.rankings.weight_of_positives)

    @cached_property
    def negatives(self) -> Float:
        """The weight of the negatives of each segment."""
        return self.add_up(self.rankings.weight_of_negatives)

    @property
    def share(self) -> float:
        """The share of the weight of all rows that is positive."""
        return float(self.positives.sum() / (self.positives.sum() + self.negatives.sum()))

    def describe(self, definition: Definition, counts: ThresholdCounts) -> DescribedSample:
        """Describe the rows of all segments as those of one sample, and the positives of each."""
        n_positives = self.add_up(self.rankings.n_hits)
        described = describe_rankings(
            definition, self.request.prevalence, self.request, self.rankings, counts, self.n_folds
        )
        sample = replace(
            described.sample,
            n_positives=float(n_positives.sum()),
            weight_share=None if self.request.sample_weight is None else self.share,
        )
        shares = ratio(self.positives, self.positives + self.negatives)
        return DescribedSample(sample, n_positives, shares, tuple(self.names))


def score_segments(
    pool: Pool, segmented: SegmentedRows, definition: Definition, prevalence: Argument
) -> SegmentScores:
    """Score each segment at one prevalence, or at its own."""
    grouped = _group_rankings(pool, segmented)
    target = _target_prevalence(prevalence, grouped)
    grouped = replace(grouped, request=replace(grouped.request, prevalence=target))
    score = _score_means if grouped.rankings.sampling.takes_rankings else _score_rankings
    try:
        return score(grouped, definition)
    except UnsuitedDefinitionError as error:
        if target is None or definition.hangs_on_one_row:
            raise
        # A score at k, say, or one without influence, which also refuses clusters
        leave_out = "" if grouped.request.clusters is None else ", and leave out clusters"
        raise InputError(
            f"Segments cannot be compared by {definition!r} at one prevalence. Pass "
            f"prevalence='own', which leaves each segment at its own{leave_out}."
        ) from error


def _group_rankings(pool: Pool, segmented: SegmentedRows) -> _GroupedRankings:
    """Make a ranking of each segment, or of each query, and find the segment of each ranking."""
    request = pool.request
    codes = segmented.codes[pool.rows]
    are_queries = request.queries is not None
    if are_queries and request.clusters is not None:
        raise InputError(
            "Segments take queries or clusters, not both: with queries, whole queries are sampled. "
            "If segments share no clusters, such as images by day and by night, pass the interval "
            "of each to compare_independent."
        )
    request = replace(request, average="macro") if are_queries else replace(request, queries=codes)
    rankings = check_rankings(request, all_items=True)
    (codes,) = drop_weightless_rows(check_weights(request.sample_weight, codes.size), codes)
    members = rankings.ranking_of_items
    segment, n_elsewhere = groups_of_members(members, codes, rankings.n_rankings)
    if n_elsewhere.any():
        queries = rankings.names or ()
        mixed = [repr(str(queries[each])) for each in np.flatnonzero(n_elsewhere).tolist()]
        raise InputError(
            f"Each query must lie in one segment, but these have rows in several: "
            f"{names_as_text(mixed)}. To rank the rows of each segment together, pass clusters in "
            f"the place of queries."
        )
    present, segment = np.unique(segment, return_inverse=True)
    names = [segmented.names[code] for code in present.tolist()]
    return _GroupedRankings(request, rankings, segment, names, pool.n_folds)


def _target_prevalence(prevalence: Argument, grouped: _GroupedRankings) -> float | None:
    """Return the prevalence of all scores; None if each segment has its own."""
    if not isinstance(prevalence, str | None):
        return check_prevalence(prevalence)
    if prevalence == "own":
        return None
    if prevalence != "overall":
        raise InputError(f"prevalence must be 'overall', 'own' or a number, got {prevalence!r}.")
    if grouped.rankings.sampling.takes_rankings:
        raise InputError(
            "With queries, pass prevalence='own', which leaves each query at its own share of "
            "positives, as mean average precision does, or a number for all queries."
        )
    if not grouped.positives.any() or not grouped.negatives.any():
        raise InputError("segments are compared at a prevalence, so y_true must have both labels.")
    return check_prevalence(grouped.share)


def _score_rankings(grouped: _GroupedRankings, definition: Definition) -> SegmentScores:
    """Score segments that are a ranking each: equations 1 and 19."""
    joint = models_of_rows(definition, grouped.request, [grouped.rankings])
    joint.check_is_tried()
    if grouped.request.clusters is not None and joint.half_influences is not None:
        raise UnsuitedDefinitionError(
            f"{definition!r} has no influence by row, so segments cannot be compared over clusters "
            f"by it. Leave them out, or take another definition, such as step AP."
        )
    estimate = joint.estimate
    influences = None
    if grouped.request.clusters is not None:  # errors of rounding are no influences
        has_variance = (estimate.variance > 0)[:, None]
        influences = csr_array(csr_array(joint.influences.values).multiply(has_variance))
    weight = np.where(estimate.is_defined, 1 / joint.row_change, 0.0)
    return SegmentScores(
        described=grouped.describe(definition, estimate.counts),
        estimate=estimate,
        weight=weight,
        size=weight,
        influences=influences,
    )


def _score_means(grouped: _GroupedRankings, definition: Definition) -> SegmentScores:
    """Score segments that are means over their queries: equation 16."""
    adjusted = at_prevalence(definition, grouped.request.prevalence)
    counts = count(grouped.rankings.select_retrieved())
    values = adjusted.values(counts)
    remedy = "They count as 0. To leave them out of the means, leave out their rows."
    names = grouped.rankings.names
    warn_of_undefined(np.isnan(values), adjusted.prevalence, remedy, "queries", names)
    values = np.nan_to_num(values)
    places = range(len(grouped.names))
    means = [MeanOfQueries(values[grouped.segment == place]) for place in places]
    estimate = join_estimates([mean.estimate(counts, adjusted.prevalence) for mean in means])
    n_defined = grouped.add_up(have_classes(counts, adjusted.prevalence))
    has_score = n_defined > 0
    value = np.where(has_score, estimate.value, np.nan)
    scores, unit = grouped.rankings.score, grouped.rankings.ranking_of_items
    doubts = missing_results([scores], (), grouped.rankings.positive, unit, ("query", "document"))
    return SegmentScores(
        described=grouped.describe(definition, counts)._replace(doubts=(*doubts,)),
        estimate=replace(estimate, value=value, is_defined=has_score),
        weight=np.where(has_score, estimate.n_effective, 0.0),
        size=n_defined,
    )
