"""Segments of the rows, such as countries or months: their names, in order."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import (
    are_known,
    as_column,
    check_same_order,
    n_dimensions,
    refuse_missing,
)
from sklearn_ap._inputs.codes import encode_names, list_names
from sklearn_ap._inputs.dates import are_times
from sklearn_ap._inputs.labels_and_scores import check_weights
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Argument, Bool, Index, Name
from sklearn_ap._writing.text import names_as_text
from sklearn_ap.inference.folds.fold_predictions import FoldPredictions

# What segments are compared with, or the place of one segment
WORDS = {"others": "all other segments", "previous": "the segment before"}
WordOrPlace: TypeAlias = Literal["others", "previous"] | int

MOST_SEGMENTS = 1_000  # a choice: more names are probably identifiers, or dates of single events


class SegmentedRows(NamedTuple):
    """The segment of each row, and the names of segments, in order."""

    names: Sequence[Name]
    codes: Index  # of the segment of each row: the places of their names
    has_order: bool = False  # whether the user gave it


def read_segments(segments: Argument, request: Request) -> SegmentedRows:
    """Read the segment of each row: ordered categories in their order, others sorted."""
    y_true, y_score = request.y_true, request.y_score
    check_same_order(
        y_true=y_true,
        y_score=y_score,
        X=y_score.X if isinstance(y_score, FoldPredictions) else None,
        sample_weight=request.sample_weight,
        queries=request.queries,
        clusters=request.clusters,
        segments=segments,
    )
    if request.n_columns > 1:
        raise InputError(
            "y_true and y_score must hold one column beside segments. Pass one column at a time."
        )
    named = _read_column(segments, request)
    if len(named.names) > MOST_SEGMENTS:
        raise InputError(
            f"segments holds {len(named.names):,} names for {named.codes.size:,} rows. Pass a name "
            f"that many rows share, such as a country, or the month of a date. If rows of a "
            f"customer depend on each other, pass the customers as clusters."
        )
    names = [", ".join(map(str, name)) if isinstance(name, tuple) else name for name in named.names]
    return named._replace(names=names)


def _read_column(segments: Argument, request: Request) -> SegmentedRows:
    """Read a column of names, in the order of its categories if these have one.

    A row of weight 0 needs no name. It gets any code, as it is in no score.
    """
    # If y_true is no array, other checks refuse it.
    rows = request.y_true if n_dimensions(request.y_true) else segments
    column = as_column("segments", segments, len(cast(Sized, rows)) if n_dimensions(rows) else 1)
    weight = check_weights(request.sample_weight, column.size)
    has_name: Bool | slice = slice(None)
    if weight is not None:
        refuse_missing("segments", column, weight > 0)  # while rows have their numbers
        has_name = are_known(column)
    codes = np.zeros(column.size, np.intp)
    codes[has_name], distinct = encode_names("segments", column[has_name])
    names, dtype = list_names(distinct), getattr(segments, "dtype", None)
    categories = getattr(dtype, "categories", None)  # pandas' Categorical, and polars' Enum
    has_order = getattr(dtype, "ordered", True)  # an Enum always has one
    if categories is None or np.ndim(categories) != 1 or not has_order:
        return SegmentedRows(names, codes)
    rank_of = {name: rank for rank, name in enumerate(categories)}
    order = np.argsort([rank_of[name] for name in names])  # order[new code] = old code
    return SegmentedRows([names[code] for code in order], np.argsort(order)[codes], has_order=True)


def find_reference(reference: Argument, names: Sequence[Name], *, has_order: bool) -> WordOrPlace:
    """Return "others" or "previous", or the place of a name that is printed like it."""
    texts = [*map(str, names)]
    if isinstance(reference, str) and reference in WORDS and reference in texts:
        raise InputError(
            f"{reference!r} is the name of a segment, and as the reference it stands for "
            f"{WORDS[reference]}. Rename the segment, as in np.where(segments == {reference!r}, "
            f"'segment {reference}', segments)."
        )
    if reference is None or (isinstance(reference, str) and reference == "others"):
        return "others"
    if isinstance(reference, str) and reference == "previous":
        if not has_order:
            _refuse_unknown_order([name for name in names if isinstance(name, str)])
        return "previous"
    if str(reference) in texts:
        return texts.index(str(reference))
    raise InputError(
        f"reference must be 'others', 'previous' or the name of a segment "
        f"({names_as_text([*map(repr, texts)])}), got {reference!r:.70}."
    )


def _refuse_unknown_order(texts: Sequence[str]) -> None:
    """Refuse texts whose order is unknown, such as months in words."""
    if len(texts) >= 2 and not are_times(texts):
        raise InputError(
            f"segments holds names whose order is not known, such as {texts[0]!r} and "
            f"{texts[-1]!r}, so reference='previous' would compare the wrong ones. Pass dates, "
            f"names that begin with the year, such as 2024-01, or "
            f"pd.Categorical(segments, categories=[...], ordered=True) with the names in order."
        )
