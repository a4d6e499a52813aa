"""Chunks of rows of any source: their checks, and their counts in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_extra
from sklearn_ap._inputs.arrays import (
    as_column,
    check_same_order,
    check_weights,
    drop_weightless_rows,
)
from sklearn_ap._inputs.labels_and_scores import check_labelled_scores
from sklearn_ap._types import Label, RowData
from sklearn_ap.large._passes import NO_ROWS, ChunkRows, Pass, Result, count_twice

ROLES = ("y_true", "y_score", "sample_weight")
DELAY = 0.5  # seconds before a progress bar shows


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some rows of a source."""

    place: str  # in errors, such as "chunk 3"
    columns: Mapping[str, RowData]  # by ROLES, without those that were not passed


def count_in_process(
    read: Callable[[], Generator[Chunk]], pos_label: Label, *, show_progress: bool
) -> ThresholdCounts:
    """Count the chunks of a source that can be read twice, in this process."""
    n_rows: int | None = None  # which the first pass finds

    def run(one_pass: Pass[Result]) -> Result:
        nonlocal n_rows
        # Closed at once after an error, as an open reader may block its connection.
        with progress(n_rows, is_shown=show_progress) as advance, closing(read()) as chunks:
            result = one_pass(_check_each(chunks, pos_label, advance))
        n_rows = result.checksums["rows"]
        return result

    return count_twice(run, pos_label)


@contextmanager
def progress(n_rows: int | None, *, is_shown: bool) -> Iterator[Callable[[int], object]]:
    """Yield a function that adds rows to a bar of tqdm on standard error, if it is shown.

    The first pass does not know the number of rows.
    """
    if not is_shown or sys.stderr is None:  # closed: tqdm would raise an error
        yield lambda _: None
        return
    tqdm = import_extra("tqdm", "progress=True", "table")
    title = "first pass" if n_rows is None else "second pass"
    kind: Any = type("Bar", (tqdm.tqdm,), {})
    kind.set_lock(RLock())  # tqdm's is for processes, too, and Python 3.14 tells of one left
    with kind(total=n_rows, unit=" rows", unit_scale=True, desc=title, delay=DELAY) as bar:
        yield bar.update


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
