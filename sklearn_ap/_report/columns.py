"""Columns that users pass, by name, and columns of segments, which may be dates."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._extras import printable
from sklearn_ap._inputs.arrays import names_of_columns
from sklearn_ap._report.times import (
    CODES,
    Dates,
    parse_dates,
    unit_as_text,
    unit_starts,
)
from sklearn_ap._types import Argument, Bool, Name, RowData

YEAR_FIRST = re.compile(  # texts that sort as times do
    r"\d{4}(-?Q[1-4]|-W\d{2}|(/\d{2}){1,2}|-\d{2}(-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?)?)"
)


class Coded(NamedTuple):
    """A value for each row, and how a user writes it, as "y_scores['new']"."""

    values: RowData
    code: str

    def at(self, rows: SelectedRows | None) -> Coded:
        """Select some of the rows."""
        if rows is None:
            return self
        return Coded(np.asarray(self.values)[rows.values], f"np.asarray({self.code})[rows]")


class UnusedColumn(NamedTuple):
    """A column of a file that was not used: months, days or times; names; or identifiers."""

    name: str
    looks: str
    n: int = 0  # of names or identifiers


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
        """Write the name of a segment. A time at midnight is a date."""
        if self.unit == "quarter":
            return unit_as_text(name, self.unit)
        text = str(name)
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

    def compared_code(self, sign: str, name: Name) -> str:
        """Write how a user compares the segments with one of them."""
        code = self.segments.code
        if isinstance(name, np.datetime64):
            return f"({code}) {sign} np.datetime64({str(name)!r})"
        if self.values.dtype == object and not isinstance(name, str):  # such as pandas' periods
            return f"np.asarray({code}).astype(str) {sign} {str(name)!r}"
        name = name.item() if isinstance(name, np.generic) else name
        return f"np.asarray({code}) {sign} {name!r}"


@dataclass(frozen=True)
class SelectedRows:
    """Rows whose segment is a name, or is not earlier, or is earlier; and ``others``, if any."""

    column: SegmentColumn
    sign: str
    name: Name
    others: SelectedRows | None = None

    @cached_property
    def values(self) -> Bool:
        compare = {"==": operator.eq, ">=": operator.ge, "<": operator.lt}[self.sign]
        found: Bool = compare(self.column.values, self.name)
        return found if self.others is None else found | self.others.values

    @property
    def code(self) -> str:
        """How a user selects these rows."""
        code = self.column.compared_code(self.sign, self.name)
        return code if self.others is None else f"({code}) | ({self.others.code})"

    @property
    def segments(self) -> Coded:
        """These rows and all others as segments, if these are since a time."""
        code = f"np.where({self.code}, 'since', 'before')"
        return Coded(np.where(self.values, "since", "before"), code)


def is_date(name: Name) -> bool:
    """Check for dates of NumPy, pandas and Python, and periods of pandas."""
    return isinstance(name, np.datetime64) or hasattr(name, "year")


def read_dates(values: RowData) -> Dates | None:
    """Read dates of NumPy, pandas and Python, and texts; None if a column holds others.

    Periods of pandas have their own unit.
    """
    array = np.asarray(values)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "MUO":
        return None
    if array.dtype.kind == "M":
        return None if np.isnat(array).any() else array
    if array.dtype.kind == "O" and not isinstance(array[0], str):
        if not hasattr(array[0], "isoformat"):  # which periods lack
            return None
        return read_dates(array.astype(str))
    names, codes = np.unique(array.astype(str), return_inverse=True)
    dates = parse_dates(names.tolist())
    return None if dates is None else dates[codes]


def make_times(name: str, segments: Coded, dates: Dates, unit: str) -> SegmentColumn:
    """Make a column of units of time; texts that are their names stay as they are."""
    days = str(dates.min())[:10], str(dates.max())[:10]
    starts = unit_starts(dates, unit)
    if np.asarray(segments.values).dtype.kind in "UO" and _are_names_of(starts, segments.values):
        return SegmentColumn(name, segments, name)  # such as 2026-08, of which days are not known
    coded = Coded(starts, CODES[unit].format(segments.code))
    return SegmentColumn(name, coded, name, unit, days)


def name_by_units(columns: Sequence[SegmentColumn]) -> None:
    """Name a column of times by its unit; of several, by their names, too."""
    n_times = sum(bool(column.unit) for column in columns)
    taken = {column.passed_name for column in columns if not column.unit}
    for column in columns:
        column.name = column.unit or column.name
        if column.unit and (n_times > 1 or column.name in taken):
            column.name = " ".join(dict.fromkeys([column.passed_name, column.unit]))


def _are_names_of(starts: Dates, values: RowData) -> bool:
    """Check whether texts are the names of units already, such as 2026-08."""
    return bool((starts.astype(str) == np.asarray(values).astype(str)).all())


def named_columns(argument: str, table: Argument, single_name: str) -> dict[str, Coded]:
    """Read one column, or a mapping or a frame of several, by name."""
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        name = getattr(table, "name", None)
        if isinstance(table, Coded):
            return {single_name: table}
        return {single_name if name is None else printable(str(name)): Coded(table, argument)}
    keys = [*table] if isinstance(table, Mapping) else names_of_columns(table)
    if not keys or len({printable(str(key)) for key in keys}) < len(keys):
        raise ValueError(
            f"{argument} must hold columns with different names, got {(*map(str, keys),)}."
        )
    columns = {key: table[key] for key in keys}
    return {
        printable(str(key)): each
        if isinstance(each, Coded)
        else Coded(each, f"{argument}[{key!r}]")
        for key, each in columns.items()
    }
