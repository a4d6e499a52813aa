"""Chunks of arrays: their checks, and their counts in this process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_optional, progress, warn
from sklearn_ap._inputs.arrays import (
    are_known,
    as_column,
    check_numbers,
    check_same_length,
    check_same_order,
    select_rows,
)
from sklearn_ap._inputs.labels import NOT_RETRIEVED, check_scores
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Label, RowData
from sklearn_ap.large._passes import Labels, Pass, Result, Rows, run_passes

Chunks = Iterable[tuple[RowData, ...]]

ROLES = ("y_true", "y_score", "sample_weight")
LEAVE_OUT = "Leave rows without a label out, as by WHERE label IS NOT NULL."


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Some rows of a source.

    Errors say ``place``, such as "chunk 3", and the row of a wrong value: its number in
    ``row_numbers``, which are those from 0 where None.
    """

    place: str
    columns: Mapping[str, RowData]  # by ROLES, without those that were not passed
    row_numbers: range | Index | None = None

    def refuse(self, role: str, problem: str, is_wrong: Bool, hint: str = "") -> None:
        """Raise an error if any value is wrong."""
        if is_wrong.any():
            first = self.row_number(int(is_wrong.argmax()))
            count = f"{np.count_nonzero(is_wrong)} of {is_wrong.size} values"
            raise ValueError(f"{role} {problem}: {count}, the first in row {first}. {hint}".strip())

    def row_number(self, row: int) -> int:
        """Return the number by which the user knows a row."""
        return row if self.row_numbers is None else int(self.row_numbers[row])


def from_chunks(
    chunks: Chunks | Callable[[], Chunks],
    *,
    pos_label: Label | None = None,
    progress: bool = False,
) -> ThresholdCounts:
    """Count chunks of labels and scores, one at a time.

    The counts are those of ``threshold_counts`` on all chunks together, to the last digit. At
    any time memory holds one chunk, a million rows or more, and about 150 bytes for each distinct
    score of the positives.

    Parameters
    ----------
    chunks : iterable of tuple, or callable
        Tuples ``(y_true, y_score)`` or ``(y_true, y_score, sample_weight)`` of arrays. Rows of a
        chunk without weights have weight 1. The iterable is read twice, so pass a list, or an
        object whose ``__iter__`` starts again. A callable returns a new iterator at each call. A
        generator gives its chunks only once and raises an error.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    progress : bool, default=False
        Whether to show a bar for each pass, on standard error, if tqdm is installed.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for definitions, intervals and displays.

    See Also
    --------
    sklearn_ap.threshold_counts : The counts of arrays in memory.
    from_table : Counts of files and tables.

    Examples
    --------
    >>> from sklearn_ap import large
    >>> chunks = [([1, 0], [0.9, 0.8]), ([1, 0], [0.7, 0.1])]
    >>> round(large.from_chunks(chunks).score(), 4)
    0.8333
    """
    if not (callable(chunks) or hasattr(chunks, "__iter__")):
        raise TypeError(
            f"chunks must be an iterable of tuples, or a function that returns one, got {chunks!r}."
        )
    iterate = chunks if callable(chunks) else chunks.__iter__
    if not callable(chunks) and iter(chunks) is chunks:
        raise ValueError(
            "chunks is a generator or another iterator, of which the second pass would see "
            "nothing: pass a list, or a function that returns a new iterator at each call."
        )
    return count_here(lambda: _number_chunks(iterate()), pos_label, show_progress=progress)


def _number_chunks(chunks: Argument) -> Generator[Chunk]:
    if not hasattr(chunks, "__iter__"):
        raise TypeError(f"The function given as chunks must return an iterator, got {chunks!r}.")
    for i, chunk in enumerate(chunks):
        if not isinstance(chunk, tuple | list) or len(chunk) not in (2, 3):
            raise TypeError(
                f"chunk {i} must be a tuple (y_true, y_score) or (y_true, y_score, sample_weight), "
                f"got {type(chunk).__name__}."
            )
        yield Chunk(f"chunk {i}", dict(zip(ROLES, chunk, strict=False)))


def count_here(
    read: Callable[[], Generator[Chunk]], pos_label: Label, *, show_progress: bool
) -> ThresholdCounts:
    """Count the chunks of a source that can be read twice, in this process."""
    if show_progress and import_optional("tqdm") is None:
        warn("progress=True shows nothing without tqdm: pip install tqdm", UserWarning)
    totals: list[int | None] = [None]  # of rows; each pass but the first knows it

    def checked(chunks: Iterable[Chunk]) -> Generator[Rows]:
        title = ("first pass", "second pass")[len(totals) - 1]
        n_rows = 0
        with progress(totals[-1], " rows", title, disable=not show_progress) as bar:
            for chunk in chunks:
                yield check_rows(chunk, pos_label)
                n_rows += (n := len(chunk.columns["y_score"]))
                bar.update(n)
        totals.append(n_rows)

    def run(one_pass: Pass[Result]) -> Result:
        # Closed at once after an error, as an open reader may block its connection.
        with closing(read()) as chunks, closing(checked(chunks)) as rows:
            return one_pass(rows)

    return run_passes(run, pos_label)


def check_rows(chunk: Chunk, pos_label: Label) -> Rows:
    """Check a chunk. Its labels are compared later with those of other chunks."""
    with _place_in_errors(chunk.place):
        check_same_order(**chunk.columns)
        columns = {role: as_column(role, values) for role, values in chunk.columns.items()}
        y_true, y_score = columns["y_true"], columns["y_score"]
        if len({column.size for column in columns.values()}) > 1:
            check_same_length(**columns)
        if not y_true.size:
            return Rows(np.empty(0, bool), np.empty(0), None, {}, None)
        y_true = _check_labels(chunk, y_true)
        score = _check_numbers(chunk, "y_score", y_score)
        if score.dtype.kind == "f" and not np.max(score) < np.inf:  # nan is not
            hint = NOT_RETRIEVED
            chunk.refuse("y_score", "contains NaN or infinity", ~(score < np.inf), hint)
        weight = None
        if "sample_weight" in columns:
            weight = _check_weights(chunk, columns["sample_weight"])
        rows = Rows(
            # The positive label may be absent here, and come in another chunk.
            positive=np.asarray(y_true == (1 if pos_label is None else pos_label), dtype=bool),
            score=check_scores(score),
            weight=weight,
            labels=_first_rows(chunk, y_true),
            score_type=score.dtype,
        )
    if weight is None or weight.all():
        return rows
    positive, score, weight = select_rows(weight > 0, rows.positive, rows.score, weight)
    return replace(rows, positive=positive, score=score, weight=weight)


@contextmanager
def _place_in_errors(place: str) -> Generator[None]:
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{place}: {error}") from error


def _check_labels(chunk: Chunk, y_true: Array) -> Array:
    """Return numbers, or objects that are texts."""
    if y_true.dtype.kind == "b":
        return y_true.view(np.uint8)  # which compares faster
    chunk.refuse("y_true", "contains missing values", ~are_known(y_true), LEAVE_OUT)
    if y_true.dtype.kind in "UT":
        return y_true.astype(object)
    if y_true.dtype.kind == "O":
        is_text = np.fromiter((isinstance(label, str) for label in y_true), bool, y_true.size)
        if is_text.all():
            return y_true
        numbers = (Real, Decimal, Fraction, np.bool_)
        wrong = next((x for x in y_true[~is_text] if not isinstance(x, numbers)), None)
        if wrong is not None:
            raise TypeError(f"y_true must hold numbers, strings or bools, got {wrong!r}.")
        if is_text.any():
            text, number = y_true[is_text][0], y_true[~is_text][0]
            raise ValueError(f"y_true holds strings and numbers: {text!r} and {number!r}.")
        y_true = check_numbers("y_true", y_true, "biuf")
    if y_true.dtype.kind not in "biuf":
        raise TypeError(f"y_true must hold numbers, strings or bools, got {y_true.dtype}.")
    if y_true.dtype.kind == "f":
        is_wrong = ~np.isfinite(y_true) | (y_true != np.trunc(y_true))
        example = y_true[is_wrong.argmax()]
        problem = f"holds {example}, which is no label (is y_true the first argument?)"
        chunk.refuse("y_true", problem, is_wrong)
    return y_true


def _first_rows(chunk: Chunk, y_true: Array) -> Labels:
    """Find the distinct labels, and the places of their first rows, in the order of the rows."""
    if y_true.dtype.kind in "iuf":
        matches = {label: y_true == label for label in (0, 1, -1)}
        if sum(map(np.count_nonzero, matches.values())) == y_true.size:
            first = {label: int(each.argmax()) for label, each in matches.items() if each.any()}
            return _places(chunk, dict(sorted(first.items(), key=lambda item: item[1])))
    first_row: dict[Label, int] = {}
    for row, label in enumerate(y_true.tolist()):
        first_row.setdefault(label, row)
    return _places(chunk, first_row)


def _places(chunk: Chunk, first_rows: Mapping[Label, int]) -> Labels:
    return {
        label: f"{chunk.place}, row {chunk.row_number(row)}" for label, row in first_rows.items()
    }


def _check_numbers(chunk: Chunk, role: str, values: Array) -> Array:
    """Return numbers; refuse texts, dates and missing values."""
    if values.dtype.kind in "OUST":
        chunk.refuse(role, "contains missing values", ~are_known(values), NOT_RETRIEVED)
        is_text = np.array([isinstance(value, str | bytes) for value in values], dtype=bool)
        text = str(values[is_text.argmax()])
        chunk.refuse(role, f"must hold numbers, got the text {text!r}", is_text)
    return check_numbers(role, values, "biuf")


def _check_weights(chunk: Chunk, values: Array) -> Float:
    weight = _check_numbers(chunk, "sample_weight", values).astype(np.float64)
    chunk.refuse("sample_weight", "contains NaN or infinity", ~np.isfinite(weight))
    chunk.refuse("sample_weight", "must not be negative", weight < 0)
    return weight
