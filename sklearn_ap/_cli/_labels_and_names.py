"""Columns of files: labels, and names, some of which are dates."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_ap._files.cells import read_codes, write_label
from sklearn_ap._files.sources import DataError
from sklearn_ap._files.tables import FileRows, place_in
from sklearn_ap._inputs.dates import (
    Dates,
    finest_unit,
    parse_dates,
    time_as_text,
    unit_named,
    unit_starts,
)
from sklearn_ap._results.text import names_as_text
from sklearn_ap._types import Array, Index

USUAL_LABELS = ({"0", "1"}, {"-1", "1"})  # of which 1 is positive, unless another is named
NAME_THEM = "; give such rows a name, such as unknown, or leave them out"
HINT = "; leave such rows out, or pass --inclusion-probability to score if only some have labels"


class FileLabels(NamedTuple):
    """The positive label, as files write it, and which rows have it: nan where no label is."""

    positive_label: str
    y_true: Array


def read_labels(
    batches: Sequence[FileRows], column: str, positive: str | None, *, may_be_missing: bool = False
) -> FileLabels:
    """Read a column of two labels. Spaces around them do not count."""
    cells = read_codes(batches, column, HINT, may_be_missing=may_be_missing)
    codes = cells.indices.fill_null(-1).to_numpy()
    texts = [text.strip() for text in cells.dictionary.to_pylist()]
    labels = [write_label(text, is_named=positive is not None) for text in texts]
    text_by_label = {label: texts[labels.index(label)] for label in [*dict.fromkeys(labels)][:3]}
    if positive is None:
        positive_label = "1" if any(text_by_label.keys() <= pair for pair in USUAL_LABELS) else ""
    else:
        positive_label = write_label(positive, is_named=True)
    if problem := _problem_of_labels(text_by_label, positive_label):
        row = int(np.argmax(codes == labels.index([*text_by_label][-1])))
        raise DataError(f"{place_in(batches, column, row)}: {problem}")
    y_true = np.array([*(label == positive_label for label in labels), np.nan])[codes]
    y_true = y_true if cells.null_count else y_true.astype(bool)
    return FileLabels(text_by_label.get(positive_label, positive_label), y_true)


def _problem_of_labels(text_by_label: Mapping[str, str], positive_label: str) -> str:
    """Say why labels are not two of which one is positive; "" if they are."""
    shown = [*map(repr, text_by_label.values())]
    if len(shown) > 2:
        return (
            f"{shown[2]} is a third label, beside {shown[0]} and {shown[1]}: correct the one that "
            f"is a typo, or make labels of two kinds"
        )
    held = f"the column holds {names_as_text(shown)}"
    if not positive_label:
        return f"{held}: name the positive one by --positive"
    if len(shown) == 2 and positive_label not in text_by_label:
        return f"{held}, and not the positive label {positive_label!r}"
    return ""


@dataclass(frozen=True, eq=False)
class NameColumn:
    """A column of names, and the unit that was asked for, if they are dates."""

    name: str
    unit: str | None
    codes: Index
    distinct: Array  # the names in their order: whole numbers, or texts
    batches: Sequence[FileRows]  # in which errors name a cell

    @property
    def values(self) -> Array:
        """The name of each row."""
        return self.distinct[self.codes]

    @cached_property
    def dates(self) -> Dates | None:
        """The distinct names as dates; None if they are others, and no unit was asked for."""
        names = self.distinct.astype(str).tolist()
        try:
            dates = parse_dates(names)
        except ValueError as error:
            raise DataError(f"{self.place_of_first(0)}: {error}") from None
        if dates is None and self.unit:
            code = next(code for code, name in enumerate(names) if parse_dates([name]) is None)
            raise DataError(
                f"{self.place_of_first(code)}: {names[code]!r} is no date, such as 2026-10-01 or "
                f"2026-10-01T12:30: correct it, or leave out :{self.unit}"
            )
        return dates

    def place_of_first(self, code: int) -> str:
        """Name the first cell of a name in an error."""
        return place_in(self.batches, self.name, int(np.argmax(self.codes == code)))

    @property
    def groups(self) -> Array:
        """The group of each row: the start of its unit of time, or the code of its name."""
        if self.unit is None or self.dates is None:
            return self.codes
        return unit_starts(self.dates, self.unit)[self.codes]

    def as_segments(self, y_true: Array) -> tuple[Array, list[str]]:
        """Return segments, and notes; dates without a unit are in the finest to be compared."""
        if self.dates is None:
            return self.values, []
        unit = self.unit or finest_unit(self.dates[self.codes], y_true)
        note = f"Dates of {self.name} are in {unit}s ({self.name}:UNIT takes another)."
        times = unit_starts(self.dates, unit)
        if unit == "quarter":
            times = np.array([time_as_text(time, unit) for time in times])
        return times[self.codes], [] if self.unit else [note]


def column_and_unit(text: str) -> tuple[str, str | None]:
    """Split "ts:day" into the column and its unit."""
    column, _, word = text.rpartition(":")
    unit = unit_named(word)
    return (column, unit) if column and unit else (text, None)


def read_names(batches: Sequence[FileRows], text: str) -> NameColumn:
    """Read a column of names, which are numbers if all are whole ones, as they sort then."""
    name, unit = column_and_unit(text)
    cells = read_codes(batches, name, NAME_THEM)
    names = np.array(cells.dictionary.to_pylist())
    with suppress(ValueError, OverflowError):
        numbers = names.astype(int)
        if (numbers.astype(str) == names).all():
            names = numbers
    distinct, ranks = np.unique(names, return_inverse=True)
    return NameColumn(name, unit, ranks[cells.indices.to_numpy()], distinct, batches)
