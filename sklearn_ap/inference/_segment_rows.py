"""Segments of the rows, such as countries or months: their names in order, and their rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import check_same_order, is_missing
from sklearn_ap._inputs.dates import are_times
from sklearn_ap._inputs.names import check_names, encode_names, groups_of_members, list_names
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._inputs.weights import check_weights, drop_weightless_rows
from sklearn_ap._results.text import names_as_text
from sklearn_ap._types import Argument, Array, Index, Name
from sklearn_ap._uncertainty.sample_warnings import UncertaintyWarning, warnings_of_scores
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.comparison_result import OTHERS, PREVIOUS, refuse_references
from sklearn_ap.inference.folds import FoldPredictions, pool_of

MOST_SEGMENTS = 1_000  # a choice: more names are probably identifiers, or dates of single events


class Segments(NamedTuple):
    """The names of segments, and the code of each row's segment."""

    names: Sequence[Name]
    codes: Index  # index of the name of each row's segment
    has_order: bool = False  # whether the user gave an order

    def reorder(self, categories: Iterable[Name], is_user_order: bool) -> Segments:
        """Put the segments in the order of categories, some of which may have no rows.

        An order that is not the sorted one is also taken for the user's.
        """
        rank_of = {name: rank for rank, name in enumerate(categories)}
        order = np.argsort([rank_of[name] for name in self.names])  # order[new code] = old code
        return Segments(
            names=[self.names[code] for code in order],
            codes=np.argsort(order)[self.codes],
            has_order=is_user_order or bool((np.diff(order) < 0).any()),
        )

    def find(self, reference: Name) -> int | None:
        """Find the segment that is printed like a reference, or equals it."""
        texts = [*map(str, self.names)]
        if str(reference) in texts:
            return texts.index(str(reference))
        are_equal = [bool(np.all(name == reference)) for name in self.names]
        return are_equal.index(True) if any(are_equal) else None

    def refuse_unknown_order(self) -> None:
        """Refuse texts whose order is unknown, such as months in words."""
        texts = [name for name in self.names if isinstance(name, str)]
        if self.has_order or len(texts) < 2 or are_times(texts):
            return
        raise ValueError(
            f"segments holds names whose order is not known, such as {texts[0]!r} and "
            f"{texts[-1]!r}, so reference={PREVIOUS!r} would compare the wrong ones. Pass dates, "
            f"names that begin with the year, such as 2024-01, or "
            f"pd.Categorical(segments, categories=[...], ordered=True) with the names in order."
        )


class SegmentRows(NamedTuple):
    """The rows of segments, each of which is a ranking, or several queries."""

    request: Request
    rankings: Rankings
    definition: Definition
    segments: Segments  # those that have rows with a weight above 0
    query_segment: Index | None  # the segment of each query
    warnings: list[UncertaintyWarning]
    n_folds: int = 0


def read_rows(request: Request, segments: Argument, definition: Definition) -> SegmentRows:
    """Check all rows, and make a ranking of each segment or query; folds are pooled first."""
    check_same_order(
        y_true=request.y_true,
        y_score=request.y_score,
        sample_weight=request.sample_weight,
        queries=request.queries,
        clusters=request.clusters,
        segments=segments,
    )
    if request.queries is not None:
        return _read_queries(request, segments, definition)
    if isinstance(request.y_score, FoldPredictions):
        check_same_order(y_true=request.y_true, X=request.y_score.X, segments=segments)
        named = _read_segments(segments, request.y_true, request.y_true)
        pool = pool_of(replace(request, average="macro"), named.codes)
        named = named._replace(codes=named.codes[pool.rows])
        request = replace(pool.request, average=None)
        warnings, n_folds = pool.warnings, pool.n_folds
    else:
        named = _read_segments(segments, request.y_true, request.y_score)
        warnings, n_folds = [], 0
    warnings = [*warnings_of_scores(request.y_score), *warnings]
    request = replace(request, queries=named.codes)
    rankings = check_rankings(request, all_items=True)
    weight = check_weights(request.sample_weight, named.codes.size)
    (codes,) = drop_weightless_rows(weight, named.codes)
    present = np.flatnonzero(np.bincount(codes)).tolist()
    named = named._replace(names=[named.names[code] for code in present])
    return SegmentRows(request, rankings, definition, named, None, warnings, n_folds)


def _read_queries(request: Request, segments: Argument, definition: Definition) -> SegmentRows:
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
    named = _read_segments(segments, request.y_true, request.y_score)
    names = check_names("queries", request.queries, named.codes.size)
    rankings = check_rankings(replace(request, average="macro"), all_items=True)
    weight = check_weights(request.sample_weight, named.codes.size)
    query_segment = _segments_of_queries(*drop_weightless_rows(weight, names, named.codes))
    codes, query_segment = np.unique(query_segment, return_inverse=True)
    named = named._replace(names=[named.names[code] for code in codes])
    warnings = warnings_of_scores(request.y_score)
    return SegmentRows(request, rankings, definition, named, query_segment, warnings)


def _segments_of_queries(names: Array, segment: Index) -> Index:
    """Return the segment of each query; refuse a query in several segments."""
    codes, distinct = encode_names(names, "queries")
    query_segment, n_elsewhere = groups_of_members(codes, segment, distinct.size)
    mixed = np.flatnonzero(n_elsewhere)
    if mixed.size:
        examples = names_as_text([repr(str(name)) for name in list_names(distinct[mixed])])
        raise ValueError(
            f"Each query must lie in one segment, but these have rows in several: {examples}. To "
            f"rank the rows of each segment together, pass clusters in the place of queries."
        )
    return query_segment


def _read_segments(segments: Argument, y_true: Argument, y_score: Argument) -> Segments:
    """Read the segment of each row: categories in their order, dates by time, others sorted."""
    for name, table in (("y_true", y_true), ("y_score", y_score)):
        if np.ndim(table) == 2 and np.shape(table)[1] > 1:
            raise ValueError(
                f"{name} must hold one column beside segments, got shape {np.shape(table)}. Pass "
                f"one column at a time."
            )
    found = _read_column(segments, y_true)
    if len(found.names) > MOST_SEGMENTS:
        raise ValueError(
            f"segments holds {len(found.names):,} names for {found.codes.size:,} rows, more "
            f"than {MOST_SEGMENTS:,}. Pass a name that many rows share, such as a country, or the "
            f"month of dates: dates.astype('M8[M]'), or dates.dt.to_period('M') in pandas. If rows "
            f"of a customer depend on each other, pass the customers as clusters."
        )
    names = [", ".join(map(str, each)) if isinstance(each, tuple) else each for each in found.names]
    refuse_references("segments", names)
    return found._replace(names=names)


def _read_column(segments: Argument, y_true: Argument) -> Segments:
    """Read a column of names, in the order of its categories if it has any."""
    # If y_true is no array, other checks refuse it.
    shape = np.shape(y_true if np.ndim(y_true) else segments)
    column = check_names("segments", segments, shape[0] if shape else 1)
    if column is None:
        raise ValueError("segments must hold the segment of each row, got None.")
    codes, distinct = encode_names(column, "segments")
    found = Segments(list_names(distinct), codes)
    dtype = getattr(segments, "dtype", None)
    categories = getattr(dtype, "categories", None)  # pandas' Categorical, and polars' Enum
    if categories is not None and np.ndim(categories) == 1:
        found = found.reorder(categories, is_user_order=getattr(dtype, "ordered", True))
    return found


def find_reference(reference: Argument, segments: Segments) -> int | None:
    """Find the index of the reference; None for "others" and "previous"."""
    if isinstance(reference, str) and reference == PREVIOUS:
        segments.refuse_unknown_order()
    if isinstance(reference, str) and reference in (OTHERS, PREVIOUS):
        return None
    is_name = np.ndim(reference) == 0 and not is_missing(reference)
    found = segments.find(reference) if is_name else None
    if found is None:
        names = names_as_text([repr(str(name)) for name in segments.names])
        raise ValueError(
            f"reference must be {OTHERS!r}, {PREVIOUS!r} or the name of a segment ({names}), got "
            f"{reference!r:.70}."
        )
    return found
