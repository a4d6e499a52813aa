"""Columns that users pass, by name, and columns of segments, which may be dates."""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._extras import printable
from sklearn_ap._inputs.arrays import names_of_columns
from sklearn_ap._report.times import CODES, Dates, finest_unit, parse_dates, unit_starts
from sklearn_ap._types import Argument, Bool, Name, RowData

YEAR_FIRST = re.compile(  # texts that sort as times do
    r"\d{4}(-?Q[1-4]|-W\d{2}|(/\d{2}){1,2}|-\d{2}(-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?)?)"
)
COMPARE = {"==": operator.eq, ">=": operator.ge, "<": operator.lt}


class Coded(NamedTuple):
    """A value for each row, and how a user writes it, as "y_scores['new']"."""

    values: RowData
    code: str

    def at(self, rows: SelectedRows | None) -> Coded:
        """Select some of the rows."""
        if rows is None:
            return self
        return Coded(np.asarray(self.values)[rows.values], f"np.asarray({self.code})[rows]")


@dataclass(eq=False)
class SegmentColumn:
    """A column of segments; dates are in a unit of time."""

    name: str
    segments: Coded
    passed_name: str
    unit: str = ""
    days: tuple[str, str] | None = None  # the first and the last

    @cached_property
    def values(self) -> NDArray[Any]:
        return np.asarray(self.segments.values)

    @cached_property
    def names(self) -> list[Name]:
        """The segments as they sort, which is the order of times."""
        return [*np.unique(self.values)]

    @cached_property
    def are_times(self) -> bool:
        """Whether the segments are dates, or texts that begin with the year."""
        return all(
            bool(YEAR_FIRST.fullmatch(name)) if isinstance(name, str) else is_date(name)
            for name in self.names
        )

    def text(self, name: Name) -> str:
        """Write the name of a segment. A time at midnight is a date, and a quarter is 2026Q1."""
        text = str(name)
        if self.unit == "quarter":
            return f"{text[:4]}Q{(int(text[5:7]) + 2) // 3}"
        is_midnight = is_date(name) and text[10:19] in (" 00:00:00", "T00:00:00")
        return printable(text[:10] if is_midnight else text)

    def only(self, name: Name) -> SelectedRows:
        """Select the rows of a segment."""
        return SelectedRows(self, "==", name)

    def since(self, name: Name) -> SelectedRows:
        """Select the rows of a time and of all later ones."""
        return SelectedRows(self, ">=", name)

    def before(self, name: Name) -> SelectedRows:
        """Select the rows of all earlier times."""
        return SelectedRows(self, "<", name)


@dataclass(frozen=True)
class SelectedRows:
    """Rows whose segment is a name, or is not earlier, or is earlier; and ``others``, if any."""

    column: SegmentColumn
    sign: str
    name: Name
    others: SelectedRows | None = None

    @cached_property
    def values(self) -> Bool:
        found: Bool = COMPARE[self.sign](self.column.values, self.name)
        return found if self.others is None else found | self.others.values

    @property
    def code(self) -> str:
        """How a user selects these rows."""
        passed, name = f"np.asarray({self.column.segments.code})", self.name
        if isinstance(name, np.datetime64):
            code = f"{passed} {self.sign} np.datetime64({str(name)!r})"
        elif self.column.values.dtype == object and not isinstance(name, str):  # as periods
            code = f"{passed}.astype(str) {self.sign} {str(name)!r}"
        else:
            name = name.item() if isinstance(name, np.generic) else name
            code = f"{passed} {self.sign} {name!r}"
        return code if self.others is None else f"({code}) | ({self.others.code})"

    @property
    def segments(self) -> Coded:
        """These rows and all others as segments, if these are since a time."""
        code = f"np.where({self.code}, 'since', 'before')"
        return Coded(np.where(self.values, "since", "before"), code)


def is_date(name: Name) -> bool:
    """Check for dates of NumPy, pandas and Python, and periods of pandas."""
    return isinstance(name, np.datetime64) or hasattr(name, "year")


def read_dates(array: NDArray[Any]) -> Dates | None:
    """Read dates of NumPy, pandas and Python, and texts; None if a column holds others.

    Periods of pandas have their own unit.
    """
    if array.ndim != 1 or not array.size or array.dtype.kind not in "MUO":
        return None
    if array.dtype.kind == "M":
        return None if np.isnat(array).any() else array
    if not isinstance(array[0], str) and not hasattr(array[0], "isoformat"):  # which periods lack
        return None
    names, codes = np.unique(array.astype(str), return_inverse=True)
    dates = parse_dates(names.tolist())
    return None if dates is None else dates[codes]


def make_column(
    name: str, segments: Coded, positive: Bool, unit: str | None, taken: Collection[str]
) -> SegmentColumn:
    """Make a column of segments; dates are put into the unit, or into one that is chosen.

    It has the name of the unit then, unless this name is taken.
    """
    passed = np.asarray(segments.values)
    is_ordered = hasattr(getattr(segments.values, "dtype", None), "categories")
    try:
        dates = None if is_ordered else read_dates(passed)
    except ValueError as error:
        raise ValueError(f"{segments.code}: {error}.") from None
    if dates is None:
        return SegmentColumn(name, segments, name)
    unit = unit or finest_unit(dates, positive)
    starts = unit_starts(dates, unit)
    if passed.dtype.kind in "UO" and (starts.astype(str) == passed.astype(str)).all():
        return SegmentColumn(name, segments, name)  # texts as 2026-08, of which no day is known
    days = str(dates.min())[:10], str(dates.max())[:10]
    code = CODES[unit].format(segments.code)
    return SegmentColumn(name if unit in taken else unit, Coded(starts, code), name, unit, days)


def named_columns(argument: str, table: Argument, single_name: str) -> dict[str, Coded]:
    """Read one column, or a mapping or a frame of several, by name."""
    keys = [*table] if isinstance(table, Mapping) else names_of_columns(table)
    if not (keys or isinstance(table, Mapping) or hasattr(table, "columns")):
        name = getattr(table, "name", None)
        return {single_name if name is None else printable(str(name)): Coded(table, argument)}
    names = [printable(str(key)) for key in keys]
    if not keys or len({*names}) < len(keys):
        raise ValueError(
            f"{argument} must hold columns with different names, got {(*map(str, keys),)}."
        )
    codes = (f"{argument}[{key!r}]" for key in keys)
    return {
        name: Coded(table[key], code) for name, key, code in zip(names, keys, codes, strict=True)
    }
