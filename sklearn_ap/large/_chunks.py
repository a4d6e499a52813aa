"""Chunks of rows of any source: their checks, and their counts in this process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError
from sklearn_ap._extras import show_progress
from sklearn_ap._inputs.arrays import (
    as_column,
    check_numbers,
    check_same_order,
    drop_weightless_rows,
)
from sklearn_ap._inputs.labels_and_scores import check_labelled_scores, check_weights
from sklearn_ap._inputs.numbers import LOST_DIGITS, loses_digits
from sklearn_ap._types import Label, RowData
from sklearn_ap.large._passes import NO_ROWS, ChunkRows, Pass, Result, count_twice

ROLES = ("y_true", "y_score", "sample_weight")


def count_in_process(
    read: Callable[[], Generator[ChunkRows]], pos_label: Label, n_chunks: int | None = None
) -> ThresholdCounts:
    """Count the chunks of a source that can be read twice, in this process.

    The number of chunks may not be known.
    """

    def run(one_pass: Pass[Result]) -> Result:
        # Closed at once after an error, as an open reader may block its connection.
        with closing(read()) as chunks:
            return one_pass(show_progress(chunks, n_chunks, " chunks"))

    return count_twice(run, pos_label)


def check_rows(place: str, columns: Mapping[str, RowData], pos_label: Label) -> ChunkRows:
    """Check columns by their ROLES, by the rules of arrays in memory; errors name their place.

    The positive label may be absent, and come in another chunk: the passes look at all of them.
    """
    try:
        check_same_order(**columns)
        labels, score = (as_column(role, columns[role]) for role in ("y_true", "y_score"))
        if not labels.size and not score.size:
            return NO_ROWS
        labelled = check_labelled_scores(labels, score, pos_label, is_binary=True)
        positive = labelled.positive
        weight = None
        if "sample_weight" in columns:
            column = as_column("sample_weight", columns["sample_weight"])
            weight = check_numbers("sample_weight", column, "biuf")
            if weight.any() or weight.size != positive.size:  # only all chunks need to have weight
                weight = check_weights(weight, positive.size)
        if score.dtype.kind == "O" and any(map(loses_digits, score.tolist())):
            raise InputError(f"y_score {LOST_DIGITS}.")  # what other chunks have is not known
    except InputError as error:
        raise type(error)(f"{place}: {error}") from error
    # A positive and a negative row have all labels, as there are at most two.
    present = frozenset(labels[[positive.argmax(), positive.argmin()]].tolist())
    score_type = score.dtype if score.dtype.kind in "biuf" else labelled.score.dtype
    positive, score, weight = drop_weightless_rows(weight, positive, labelled.score, weight)
    return ChunkRows(positive, score, weight, present, score_type)
