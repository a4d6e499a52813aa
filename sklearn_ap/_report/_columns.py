"""Columns that users pass, by name, and columns of segments, which may be dates."""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._extras import printable
from sklearn_ap._inputs.arrays import names_of_columns
from sklearn_ap._inputs.dates import are_times, finest_unit, is_date, read_dates, unit_starts
from sklearn_ap._report.calls import UNIT_STARTS, Coded
from sklearn_ap._results.text import name_as_text
from sklearn_ap._types import Argument, Bool, Name

COMPARE = {"==": operator.eq, ">=": operator.ge, "<": operator.lt}


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
        return np.asarray(self.segments.value)

    @cached_property
    def names(self) -> list[Name]:
        """The segments as they sort, which is the order of times."""
        return [*np.unique(self.values)]

    @cached_property
    def are_times(self) -> bool:
        """Whether the segments are dates, or texts that sort as times."""
        return are_times(self.names)

    def text(self, name: Name) -> str:
        """Write the name of a segment. A time at midnight is a date, and a quarter is 2026Q1."""
        text = str(name)
        if self.unit == "quarter":
            return f"{text[:4]}Q{(int(text[5:7]) + 2) // 3}"
        is_midnight = is_date(name) and text[10:19] in (" 00:00:00", "T00:00:00")
        return name_as_text(text[:10] if is_midnight else text)

    def rows(self, sign: str, name: Name) -> Coded:
        """Select the rows of a segment, of a time and all later ones, or of all earlier times."""
        passed = f"np.asarray({self.segments.code})"
        code = repr(name.item() if isinstance(name, np.generic) else name)
        if isinstance(name, np.datetime64):
            code = f"np.datetime64({str(name)!r})"
        elif self.values.dtype == object and not isinstance(name, str):  # as periods
            passed, code = f"{passed}.astype(str)", repr(str(name))
        return Coded(COMPARE[sign](self.values, name), f"{passed} {sign} {code}")


def make_column(
    name: str, segments: Coded, positive: Bool, unit: str | None, taken: Collection[str]
) -> SegmentColumn:
    """Make a column of segments; dates are put into the unit, or into one that is chosen.

    It has the name of the unit then, unless this name is taken.
    """
    passed = np.asarray(segments.value)
    is_ordered = hasattr(getattr(segments.value, "dtype", None), "categories")
    try:
        dates = None if is_ordered else read_dates(passed)
    except ValueError as error:
        remedy = "such as by pandas.to_datetime with dayfirst=True or False"
        raise ValueError(f"{segments.code}: {error}, {remedy}.") from None
    if dates is None:
        return SegmentColumn(name, segments, name)
    unit = unit or finest_unit(dates, positive)
    starts = unit_starts(dates, unit)
    if passed.dtype.kind in "UO" and (starts.astype(str) == passed.astype(str)).all():
        return SegmentColumn(name, segments, name)  # texts as 2026-08, of which no day is known
    days = str(dates.min())[:10], str(dates.max())[:10]
    code = UNIT_STARTS[unit].format(segments.code)
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
