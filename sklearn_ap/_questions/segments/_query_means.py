"""Segments of whole queries: the score of each is the mean over its queries, which are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._extras import warn
from sklearn_ap._inputs.names import encode_names, list_names
from sklearn_ap._inputs.options import list_first
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.weights import drop_weightless_rows
from sklearn_ap._questions.segments._differences import Groups
from sklearn_ap._types import Array, Bool, Float, Index, Keywords
from sklearn_ap._uncertainty.former.confidence_limits import confidence_limits
from sklearn_ap._uncertainty.former.model_influences import influences_of_rankings, undefined_fills
from sklearn_ap._uncertainty.former.options import Options
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.former.small_samples import small_sample_warnings
from sklearn_ap._uncertainty.former.variance import sample_of_scores
from sklearn_ap._uncertainty.warnings import issue_warnings
from sklearn_ap.definitions import Definition


class QueryMeans(NamedTuple):
    """The mean over the queries of each segment, nan if none of them has a score."""

    groups: Groups
    lows: Float
    highs: Float
    n_positives: Float
    shares: Float
    n_queries: Float


def segments_of_queries(queries: Array, row_segment: Index, weight: Float | None) -> Index:
    """Return the segment of each query that has weight; refuse a query in several segments."""
    names, segment = drop_weightless_rows(weight, queries, row_segment)
    codes, distinct = encode_names(names, "queries")
    query_segment = np.zeros(distinct.size, dtype=np.intp)
    query_segment[codes] = segment
    mixed = np.unique(codes[query_segment[codes] != segment])
    if mixed.size:
        examples = list_first([repr(str(name)) for name in list_names(distinct[mixed])])
        raise ValueError(
            f"Each query must lie in one segment, but these have rows in several: {examples}. To "
            f"rank the rows of each segment together, pass clusters= in the place of queries=."
        )
    return query_segment


def mean_over_all(definition: Definition, rankings: Rankings, options: Options) -> float:
    """Return the mean over all queries, and warn of those without positives, which count as 0.

    Also warn of few negatives at a prevalence, once for all segments.
    """
    lacking = "No positive" if definition.prevalence is None else "No positive or no negative"

    def fill(values: Float) -> Float:
        is_undefined = np.isnan(values)
        if is_undefined.any():
            warn(
                f"{lacking} class found in y_true, for {is_undefined.sum()} of {values.size} "
                f"queries, which count as 0. To leave them out of the means, leave out their rows.",
                UndefinedMetricWarning,
            )
        return np.where(is_undefined, 0.0, values)

    (influences,) = influences_of_rankings(definition, [rankings], [fill], options)
    issue_warnings(small_sample_warnings(influences))
    return float(influences.score[0])


def means_of_segments(
    definition: Definition,
    rankings: Rankings,
    query_segment: Index,
    n_segments: int,
    options: Options,
) -> QueryMeans:
    """Return the mean of each segment."""
    _, fill = undefined_fills("warn", definition.prevalence)
    parts = [_select_queries(rankings, query_segment == code) for code in range(n_segments)]
    influences = [influences_of_rankings(definition, [part], [fill], options)[0] for part in parts]
    uncertainties = [sample_of_scores(each).uncertainty() for each in influences]
    limits = [
        confidence_limits(*each, options.confidence_level)
        for each in zip(influences, uncertainties, strict=True)
    ]
    lows, highs = np.concatenate(limits, axis=1)
    weights = np.array([part.weight_of_hits.sum() for part in parts], dtype=np.float64)
    negatives = np.array([part.weight_of_negatives.sum() for part in parts], dtype=np.float64)
    score = np.concatenate([each.score for each in influences])
    has_score = [_has_score(definition, part) for part in parts]
    groups = Groups(
        score=np.where(has_score, score, np.nan),
        uncertainty=_join(uncertainties),
        n_kish=np.concatenate([each.n_effective for each in influences]),
        n_effective=np.concatenate([each.n_with_positives for each in influences]),
    )
    return QueryMeans(
        groups=groups,
        lows=lows,
        highs=highs,
        n_positives=np.array([each.positives.n_counted.sum() for each in influences]),
        shares=weights / (weights + negatives),
        n_queries=np.bincount(query_segment, minlength=n_segments).astype(np.float64),
    )


def _select_queries(rankings: Rankings, is_selected: Bool) -> Rankings:
    """Leave out all other queries."""
    ranking = rankings.ranking_of_items
    is_item_selected = is_selected[ranking]
    numbers = np.cumsum(is_selected) - 1
    return replace(
        rankings.select_items(is_item_selected),
        ranking=numbers[ranking[is_item_selected]],
        n_rankings=int(np.count_nonzero(is_selected)),
    )


def _has_score(definition: Definition, rankings: Rankings) -> bool:
    """Check whether some query has a positive, and at a prevalence a negative beside it."""
    has_score = rankings.weight_of_hits > 0
    if definition.prevalence is not None:
        has_score &= rankings.weight_of_negatives > 0
    return bool(has_score.any())


def _join(uncertainties: Sequence[Uncertainty]) -> Uncertainty:
    """Join the uncertainties of single means, both of whose limits have the same variance."""
    numbers = [each._asdict() for each in uncertainties]
    joined: Keywords = {
        name: np.concatenate([np.atleast_1d(each[name]) for each in numbers])
        for name in Uncertainty._fields
        if name != "limit_spreads"
    }
    return Uncertainty(**joined)
