"""Columns of names in files: queries, clusters and segments, some of which are dates."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sklearn_ap._files.sources import DataError
from sklearn_ap._files.tables import LEAVE_OUT, FileRows, read_codes
from sklearn_ap._inputs.dates import Dates, finest_unit, parse_dates, unit_named, unit_starts
from sklearn_ap._types import Array, Index


@dataclass(frozen=True, eq=False)
class NameColumn:
    """A column of names, and the unit that was asked for, if they are dates."""

    name: str
    unit: str | None
    codes: Index
    distinct: Array  # the names in their order: whole numbers, or texts; and None of empty cells
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


def read_names(
    batches: Sequence[FileRows], typed: str, *, may_be_empty: bool = False
) -> NameColumn:
    """Read a column of names, which are numbers if all are whole ones, as they sort then."""
    name, unit = column_and_unit(typed, [*batches[0].columns])
    cells = read_codes(batches, name, None if may_be_empty and not unit else LEAVE_OUT)
    names = np.array(cells.dictionary.to_pylist())
    with suppress(ValueError, OverflowError):
        numbers_of_names = names.astype(int)
        if (numbers_of_names.astype(str) == names).all():
            names = numbers_of_names
    distinct, ranks = np.unique(names, return_inverse=True)
    if cells.null_count:
        ranks = np.append(ranks, distinct.size)
        distinct = np.array([*distinct.tolist(), None], dtype=object)
    codes = cells.indices.fill_null(-1).to_numpy()
    return NameColumn(name, unit, ranks[codes], distinct, batches)
