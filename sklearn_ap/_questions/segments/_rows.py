"""The rows of segments, checked, and those of folds."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.text import Cases, cases_of_rows
from sklearn_ap._inputs.arrays import check_same_order
from sklearn_ap._inputs.names import check_names
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_models
from sklearn_ap._inputs.weights import check_weights
from sklearn_ap._questions.segments._query_means import segments_of_queries
from sklearn_ap._questions.segments.names import Segments, name_segments
from sklearn_ap._types import Argument, Index
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, warnings_of_scores
from sklearn_ap.inference.folds import FoldPredictions, Pool, pool_of


class SegmentRows(NamedTuple):
    """The rows of segments, each of which is a ranking, or several queries."""

    segments: Segments
    weighted_codes: list[int]  # codes of the segments that have rows with a weight above 0
    rankings: Rankings
    cases: Cases
    warnings: list[UncertaintyWarning]
    query_segment: Index | None = None  # the place of its segment in ``weighted_codes``


def rows_of_segments(request: Request, segments: Argument) -> SegmentRows:
    """Check all rows, and make a ranking of each segment or query; folds are pooled first."""
    if request.queries is not None:
        return _rows_of_queries(request, segments)
    pool, y_true = None, request.y_true
    if isinstance(request.y_score, FoldPredictions):
        predictions = request.y_score
        y_true = predictions.y if y_true is None else y_true
        pool = pool_of(replace(request, average="macro"))
        check_same_order(y_true=y_true, X=predictions.X, segments=segments)
        request = pool.request
    else:
        _check_order(request, segments)
    named_segments = name_segments(segments, y_true, request.y_score)
    row_segment = named_segments.codes
    warnings = warnings_of_scores(request.y_score)
    if pool is not None:
        row_segment = row_segment[pool.rows]  # some rows may be in no fold's test rows
        warnings += _warnings_of_folds(pool, row_segment)
    (rankings,) = check_models([replace(request, average=None, queries=row_segment)])
    cases = cases_of_rows(rankings)
    if pool is not None:
        cases = cases._replace(folds=f"pool of {pool.n_folds} folds")
    weighted_codes = _weighted_codes(row_segment, request.sample_weight)
    return SegmentRows(named_segments, weighted_codes, rankings, cases, warnings)


def _check_order(request: Request, segments: Argument) -> None:
    """Refuse columns whose rows have the same names in another order."""
    check_same_order(
        y_true=request.y_true,
        y_score=request.y_score,
        sample_weight=request.sample_weight,
        queries=request.queries,
        clusters=request.clusters,
        segments=segments,
    )


def _rows_of_queries(request: Request, segments: Argument) -> SegmentRows:
    """Check all rows, and make a ranking of each query, which lies in one segment."""
    if isinstance(request.y_score, FoldPredictions):
        raise ValueError(
            "Segments of queries take scores, not FoldPredictions: cross-validated scores of "
            "queries are compared as they are, so pass these scores as y_score."
        )
    if request.clusters is not None:
        raise ValueError(
            "Segments take queries or clusters, not both: with queries, these are sampled as a "
            "whole. Without queries, the rows of each segment are one ranking."
        )
    _check_order(request, segments)
    named_segments = name_segments(segments, request.y_true, request.y_score)
    queries = check_names("queries", request.queries, named_segments.codes.size)
    (rankings,) = check_models([replace(request, average="macro")])
    weight = check_weights(request.sample_weight, named_segments.codes.size)
    query_segment = segments_of_queries(queries, named_segments.codes, weight)
    weighted_codes = np.unique(query_segment)
    cases = cases_of_rows(rankings)._replace(unit="query", n_units=rankings.n_rankings)
    return SegmentRows(
        named_segments,
        weighted_codes.tolist(),
        rankings,
        cases,
        warnings_of_scores(request.y_score),
        np.searchsorted(weighted_codes, query_segment),
    )


def _weighted_codes(row_segment: Index, sample_weight: Argument) -> list[int]:
    """List the codes of segments that have rows with a weight above 0."""
    weight = check_weights(sample_weight, row_segment.size)
    has_weight = None if weight is None else weight > 0
    return np.flatnonzero(np.bincount(row_segment, has_weight)).tolist()


def _warnings_of_folds(pool: Pool, row_segment: Index) -> list[UncertaintyWarning]:
    """Return the warnings of a pool, unless each segment lies in one fold, and clusters in one."""
    pairs = np.column_stack((row_segment, pool.fold))
    is_mixed = len(np.unique(pairs, axis=0)) > np.unique(row_segment).size
    return [each for each in pool.warnings if is_mixed or each.name != "unequal prevalence"]
