"""Columns of files: labels, and names, some of which are dates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from sklearn_ap._files.cells import read_codes, write_label
from sklearn_ap._files.sources import DataError
from sklearn_ap._files.tables import FileRows, place_in
from sklearn_ap._inputs.dates import Dates, parse_dates, time_as_text, unit_starts
from sklearn_ap._inputs.units import unit_named
from sklearn_ap._types import Array, Index
from sklearn_ap._writing.text import names_as_text

USUAL_LABELS = ({"0", "1"}, {"-1", "1"})
USUAL_POSITIVE = "1"  # of these, unless another is named
MOST_LABELS = 1_000  # of which a third is told; a column of scores or names may have millions


class FileLabels(NamedTuple):
    """The positive label, as files write it, and which rows have it: nan where no label is."""

    positive_label: str
    y_true: Array


class LabelReader:
    """Reads a column of two labels, some rows at a time. Spaces around them do not count."""

    def __init__(self, column: str, positive: str | None, *, may_be_missing: bool = False) -> None:
        self._column = column
        self._may_be_missing = may_be_missing
        self._is_named = positive is not None
        self._positive = (
            USUAL_POSITIVE if positive is None else write_label(positive, is_named=True)
        )
        # Of each label: its first text, the cell of this, and the number of its rows
        self._texts: dict[str, str] = {}
        self._places: dict[str, str] = {}
        self._n_rows: Counter[str] = Counter()

    def read(self, rows: FileRows) -> Array:
        """Flag the rows that are positive; nan where no label is."""
        cells = read_codes([rows], self._column, may_be_missing=self._may_be_missing)
        codes = cells.indices.fill_null(-1).to_numpy()
        texts = [text.strip() for text in cells.dictionary.to_pylist()]
        labels = [write_label(text, is_named=self._is_named) for text in texts]
        sizes = np.bincount(codes[codes >= 0], minlength=len(labels)).tolist()
        for code, (label, text) in enumerate(zip(labels, texts, strict=True)):
            if label not in self._texts:
                if len(self._texts) == MOST_LABELS:
                    continue
                row = int(np.argmax(codes == code))
                self._texts[label], self._places[label] = text, rows.place_of(row, self._column)
            self._n_rows[label] += sizes[code]
        y_true = np.array([*(label == self._positive for label in labels), np.nan])[codes]
        return y_true if cells.null_count else y_true.astype(bool)

    def check(self) -> str:
        """Return the positive label, as files write it, if labels are two of which one is it."""
        distinct = [*self._texts]
        if len(distinct) > 2:  # the rarest one is told, as it may be a slip
            first, second, *_, rarest = (label for label, _ in self._n_rows.most_common())
            distinct = [first, second, rarest]
        text_by_label = {label: self._texts[label] for label in distinct}
        is_usual = any(text_by_label.keys() <= pair for pair in USUAL_LABELS)
        positive_label = self._positive if self._is_named or is_usual else ""
        if problem := _problem_of_labels(text_by_label, positive_label):
            raise DataError(f"{self._places[distinct[-1]]}: {problem}")
        return text_by_label.get(positive_label, positive_label)


def read_labels(
    batches: Sequence[FileRows], column: str, positive: str | None, *, may_be_missing: bool = False
) -> FileLabels:
    """Read a column of two labels into memory."""
    reader = LabelReader(column, positive, may_be_missing=may_be_missing)
    y_true = np.concatenate([reader.read(rows) for rows in batches])
    return FileLabels(reader.check(), y_true)


def _problem_of_labels(text_by_label: Mapping[str, str], positive_label: str) -> str:
    """Say why labels are not two of which one is positive; "" if they are."""
    shown = [*map(repr, text_by_label.values())]
    if len(shown) > 2:
        return f"{shown[2]} is a third label, beside {shown[0]} and {shown[1]}: write only two"
    held = f"the column holds {names_as_text(shown)}"
    if not positive_label:
        return f"{held}: name the positive one by --positive"
    if len(shown) == 2 and positive_label not in text_by_label:
        return f"{held}, and not the positive label {positive_label!r}"
    return ""


class NameColumn(NamedTuple):
    """The distinct names of a column in their order, and which of them each row has."""

    distinct: Array  # whole numbers, texts, or starts of a unit of time
    codes: Index
    days: Dates | None = None  # those of dates that were put into a unit

    @property
    def values(self) -> Array:
        """The name of each row."""
        return self.distinct[self.codes]


def column_and_unit(text: str) -> tuple[str, str | None]:
    """Split "ts:day" into the column and its unit; "ts:day:" is the column "ts:day"."""
    column, _, word = text.rpartition(":")
    if column and not word and column_and_unit(column)[1]:
        return column, None
    unit = unit_named(word)
    return (column, unit) if column and unit else (text, None)


def title_of_column(text: str) -> str:
    """Name a column with its unit, and without the colon that says that it has none."""
    column, unit = column_and_unit(text)
    return text if unit else column


def read_names(batches: Sequence[FileRows], text: str) -> NameColumn:
    """Read a column of names, which are numbers if all are whole ones, as they sort then."""
    name, unit = column_and_unit(text)
    cells, days = read_codes(batches, name), None
    names = np.array(cells.dictionary.to_pylist())
    with suppress(ValueError, OverflowError):
        numbers = names.astype(int)
        if (numbers.astype(str) == names).all():
            names = numbers
    if unit:
        texts = names.astype(str).tolist()
        dates = parse_dates(texts)
        if dates is None:
            wrong = next(i for i, each in enumerate(texts) if parse_dates([each]) is None)
            row = int(np.argmax(cells.indices.to_numpy() == wrong))
            raise DataError(
                f"{place_in(batches, name, row)}: {texts[wrong]!r} is no date that begins with the "
                f"year, such as 2026-10-01 or 2026-10-01T12:30: write it so, such as by "
                f"pandas.to_datetime with dayfirst=True or False"
            )
        names, days = times_in_unit(dates, unit), np.unique(dates.astype("M8[D]"))
    distinct, ranks = np.unique(names, return_inverse=True)
    return NameColumn(distinct, ranks[cells.indices.to_numpy()], days)


def times_in_unit(dates: Dates, unit: str) -> Array:
    """Round dates down to the start of their unit of time, of which a quarter is named 2026Q2."""
    starts = unit_starts(dates, unit)
    if unit == "quarter":
        return np.array([time_as_text(start, unit) for start in starts])
    return starts
