"""Chunks of rows of any source: their checks, and their counts in this process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import (
    as_column,
    check_same_order,
    check_weights,
    drop_weightless_rows,
)
from sklearn_ap._inputs.labels_and_scores import check_labelled_scores
from sklearn_ap._types import Label, RowData
from sklearn_ap.large._passes import (
    NO_ROWS,
    ChunkRows,
    Pass,
    Result,
    count_cells,
    find_thresholds,
    make_counts,
)
from sklearn_ap.large._progress import progress

ROLES = ("y_true", "y_score", "sample_weight")


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some rows of a source."""

    place: str  # in errors, such as "chunk 3"
    columns: Mapping[str, RowData]  # by ROLES, without those that were not passed


def count_here(
    read: Callable[[], Generator[Chunk]], pos_label: Label, *, show_progress: bool
) -> ThresholdCounts:
    """Count the chunks of a source that can be read twice, in this process."""

    def run_here(one_pass: Pass[Result], title: str, n_rows: int | None = None) -> Result:
        # Closed at once after an error, as an open reader may block its connection.
        with (
            progress(n_rows, title, is_shown=show_progress) as advance,
            closing(read()) as chunks,
        ):
            return one_pass(_check_each(chunks, pos_label, advance))

    thresholds = run_here(find_thresholds, "first pass")
    thresholds.check(pos_label)
    count = partial(count_cells, thresholds=thresholds)
    cell_counts = run_here(count, "second pass", thresholds.checksums["rows"])
    return make_counts(thresholds, cell_counts)


def _check_each(
    chunks: Iterable[Chunk], pos_label: Label, advance: Callable[[int], object]
) -> Iterator[ChunkRows]:
    for chunk in chunks:
        rows = check_rows(chunk, pos_label)
        advance(rows.positive.size)
        yield rows


def check_rows(chunk: Chunk, pos_label: Label) -> ChunkRows:
    """Check a chunk by the rules of arrays in memory.

    The positive label may be absent, and come in another chunk: the passes look at all of them.
    """
    try:
        check_same_order(**chunk.columns)
        labels, score = (as_column(role, chunk.columns[role]) for role in ("y_true", "y_score"))
        if not labels.size and not score.size:
            return NO_ROWS
        labelled = check_labelled_scores(labels, score, pos_label, is_binary=True)
        positive = labelled.positive
        weight = None
        if "sample_weight" in chunk.columns:
            weight = as_column("sample_weight", chunk.columns["sample_weight"])
            if weight.any() or weight.size != positive.size:  # only all chunks need to have weight
                weight = check_weights(weight, positive.size)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{chunk.place}: {error}") from error
    # A positive and a negative row have all labels, as there are at most two.
    first_rows = int(positive.argmax()), int(positive.argmin())
    places = {labels[row : row + 1].tolist()[0]: chunk.place for row in first_rows}
    score_type = score.dtype if score.dtype.kind in "biuf" else labelled.score.dtype
    positive, score, weight = drop_weightless_rows(weight, positive, labelled.score, weight)
    return ChunkRows(positive, score, weight, places, score_type)
