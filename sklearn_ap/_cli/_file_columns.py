"""Columns of files: labels, some rows at a time, and names, some of which are dates."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_ap._files.sources import DataError, name_of
from sklearn_ap._files.tables import WORD_PAIRS, FileRows, read_codes
from sklearn_ap._inputs.dates import Dates, finest_unit, parse_dates, unit_named, unit_starts
from sklearn_ap._results.text import names_as_text
from sklearn_ap._types import Array, ArrowTable, Index

# The negative and the positive label, where nobody says which is positive.
PAIRS = (("0", "1"), ("-1", "1"), *WORD_PAIRS)
KNOWN_WORDS = {word for pair in PAIRS for word in pair}
NAME_THEM = "; give such rows a name, such as unknown, or leave them out"
HINT = "; leave such rows out or, if only some rows could be labelled, pass --inclusion-probability"


class LabelReader:
    """The labels of a column, of which there are two. Spaces around them do not count."""

    def __init__(self, column: str, positive: str | None, *, may_be_missing: bool = False) -> None:
        self._column, self._may_be_missing = column, may_be_missing
        self._named = None if positive is None else _as_word(positive)
        self._seen: dict[str, str] = {}  # as the files write it first, by its word, as true of True
        self._cells: dict[str, object] = {}  # as they are, by their text

    @property
    def positive(self) -> str:
        """The positive label, as the files write it."""
        word = self._positive or ""
        return self._seen.get(word, word)

    @property
    def positive_cells(self) -> list[object]:
        """The distinct cells of positive rows."""
        return [cell for text, cell in self._cells.items() if _as_word(text) == self._positive]

    @property
    def _positive(self) -> str | None:
        """The positive label that is named, or that of a pair, such as no and yes."""
        pairs = (pair[1] for pair in PAIRS if self._seen.keys() <= {*pair})
        return next(pairs, None) if self._named is None else self._named

    def are_positive(self, rows: FileRows) -> Array:
        """Return which rows are positive, nan where no label is and may be."""
        cells = read_codes([rows], self._column, HINT, may_be_missing=self._may_be_missing)
        codes = cells.indices.fill_null(-1).to_numpy()
        self._note(rows, cells)
        positive = self._positive
        if positive is None or (len(self._seen) == 2 and positive not in self._seen):
            shown = names_as_text([*map(repr, self._seen.values())])
            found = f"{name_of(rows.path)}: column {self._column!r} holds {shown}"
            if positive is None:
                raise DataError(f"{found}: name the positive one by --positive")
            raise DataError(f"{found}, and not the positive label {positive!r}")
        words = map(_as_word, cells.dictionary.to_pylist())
        are_positive = np.array([*(word == positive for word in words), np.nan])
        y_true = are_positive[codes]
        return y_true if cells.null_count else y_true.astype(bool)

    def _note(self, rows: FileRows, cells: ArrowTable) -> None:
        """Note the first cell of each label, and refuse a third label."""
        for code, text in enumerate(cells.dictionary.to_pylist()):
            if text in self._cells:
                continue
            row = cells.indices.index(code).as_py()
            self._cells[text] = rows.columns[self._column][row].as_py()
            self._seen.setdefault(_as_word(text), text.strip())
            if len(self._seen) > 2:
                first, second, third = map(repr, self._seen.values())
                raise DataError(
                    f"{rows.cell(row, self._column)}: {third} is a third label, beside {first} and "
                    f"{second}: correct the one that is a typo, or make labels of two kinds"
                )


def _as_word(label: str) -> str:
    """Write True as true, and 1.0 and +1 as 1."""
    word = label.strip().lower().removesuffix(".0").removeprefix("+")
    return word if word in KNOWN_WORDS else label.strip()


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
        dates = self._parse(names)
        if dates is None and self.unit:
            for code, name in enumerate(names):
                if self._parse([name], code) is None:
                    raise DataError(
                        f"{self.place_of(code)}: {name!r} is no date, such as 2026-10-01 or "
                        f"2026-10-01T12:30: correct it, or leave out :{self.unit}"
                    )
        return dates

    def _parse(self, names: Sequence[str], code: int = 0) -> Dates | None:
        """Parse names, of which an error names the cell of the first."""
        try:
            return parse_dates(names)
        except ValueError as error:
            raise DataError(f"{self.place_of(code)}: {error}") from None

    def place_of(self, code: int) -> str:
        """Name the first cell of a name in an error."""
        row = int(np.argmax(self.codes == code))
        for rows in self.batches:
            if row < len(rows):
                return rows.cell(row, self.name)
            row -= len(rows)
        raise IndexError(row)

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
        return unit_starts(self.dates, unit)[self.codes], [] if self.unit else [note]


def column_and_unit(name: str, header: Sequence[str] = ()) -> tuple[str, str | None]:
    """Split "ts:day" into the column and its unit, unless the name is a column."""
    stem, _, word = name.rpartition(":")
    unit = None if name in header else unit_named(word)
    return (stem, unit) if stem and unit else (name, None)


def read_names(batches: Sequence[FileRows], typed: str) -> NameColumn:
    """Read a column of names, which are numbers if all are whole ones, as they sort then."""
    name, unit = column_and_unit(typed, [*batches[0].columns])
    cells = read_codes(batches, name, NAME_THEM)
    names = np.array(cells.dictionary.to_pylist())
    with suppress(ValueError, OverflowError):
        numbers_of_names = names.astype(int)
        if (numbers_of_names.astype(str) == names).all():
            names = numbers_of_names
    distinct, ranks = np.unique(names, return_inverse=True)
    return NameColumn(name, unit, ranks[cells.indices.to_numpy()], distinct, batches)
