"""Dates as segments: texts that are dates, their units of time, and a latest unit that is cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._types import Array

Dates = NDArray[np.datetime64]

# A month, or a day with or without a time, and the offset of its zone.
TIME_PATTERN = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
DATE_PATTERN = re.compile(
    rf"(\d{{4}}-\d{{2}}(?:-\d{{2}}(?:{TIME_PATTERN})?)?)(?: ?Z| ?[+-]\d{{2}}:?\d{{2}})?"
)
UNITS = "hour", "day", "week", "month", "quarter", "year"
# The code of each unit, from texts or dates whose first ten letters are the day.
DAYS = "np.asarray({}).astype(str).astype('U10').astype('M8[D]')"
CODES = {
    "hour": "np.asarray({}).astype(str).astype('U13').astype('M8[h]')",
    "day": DAYS,
    "week": f"({DAYS} + 3).astype('M8[W]').astype('M8[D]') - 3",  # NumPy's begin on Thursdays
    "month": f"{DAYS}.astype('M8[M]')",
    "quarter": f"({DAYS}.astype('M8[M]').astype(int) // 3 * 3).astype('M8[M]')",
    "year": f"{DAYS}.astype('M8[Y]')",
}
FEWEST = 20  # positives and negatives of a latest time that can be compared
MOST_TIMES = 60  # of a unit that is chosen


class Cut(NamedTuple):
    """How many days of the latest unit of time have rows before them, of all of its days."""

    n_days: int
    n_all: int


def unit_named(word: str) -> str | None:
    """Find the unit that "month" or "months" names."""
    return next((unit for unit in UNITS if word in (unit, f"{unit}s")), None)


def parse_dates(texts: Sequence[str]) -> Dates | None:
    """Parse texts as dates, by the clock of their zone; None unless all are dates."""
    matches = [DATE_PATTERN.fullmatch(text) for text in texts]
    dates = [match[1] for match in matches if match]
    if len(dates) < len(matches):
        return None
    try:
        return np.array(dates, dtype="M8[us]")
    except ValueError:  # there is no month 13
        return None


def unit_starts(dates: Dates, unit: str | None) -> Dates:
    """Round dates down to the start of their unit of time; None leaves them as they are."""
    days, months = dates.astype("M8[D]"), dates.astype("M8[M]")
    if unit == "hour":
        return dates.astype("M8[h]")
    if unit == "day":
        return days
    if unit == "week":  # on Monday; NumPy's begin on Thursdays
        return (days + 3).astype("M8[W]").astype("M8[D]") - 3
    if unit == "month":
        return months
    if unit == "quarter":
        return (months.astype(int) // 3 * 3).astype("M8[M]")
    return dates if unit is None else dates.astype("M8[Y]")


def unit_as_text(start: np.datetime64, unit: str | None) -> str:
    """Name a unit of time by its start; a quarter as 2026Q1."""
    if unit != "quarter":
        return str(start)
    year, month = str(start.astype("M8[M]")).split("-")
    return f"{year}Q{(int(month) + 2) // 3}"


def finest_unit(dates: Dates, positive: Array) -> str:
    """Find the finest unit, from days on, whose latest time can be compared.

    It has enough rows for 20 positives and 20 negatives at the prevalence of all rows; if it is
    cut, the time before has. There are at most 60 times. Dates that are all the first of a month
    are months.
    """
    if (dates == dates.astype("M8[M]")).all():
        return "month"
    prevalence = np.count_nonzero(positive > 0) / positive.size
    for unit in UNITS[1:]:
        times, n_rows = np.unique(unit_starts(dates, unit), return_counts=True)
        if not 2 <= times.size <= MOST_TIMES:
            continue
        n_latest = n_rows[-2 if find_cut(dates, unit) else -1]
        if n_latest * min(prevalence, 1 - prevalence) >= FEWEST:
            return unit
    return "month" if np.unique(unit_starts(dates, "month")).size <= MOST_TIMES else "year"


def coarser_units(unit: str) -> Sequence[str]:
    """List a unit of time and all that are longer."""
    return UNITS[UNITS.index(unit) :]


def find_cut(dates: Dates, unit: str | None) -> Cut | None:
    """Find how many days the latest unit has, if the dates end before it does.

    A last day without rows is no cut: nine tenths of the days are enough.
    """
    days = dates.astype("M8[D]")
    if unit in (None, "hour", "day") or (days == days.astype("M8[M]")).all():
        return None
    start = unit_starts(days, unit).max()
    if unit == "week":
        end = start + 7
    else:
        n_months = {"month": 1, "quarter": 3, "year": 12}[str(unit)]
        end = (start.astype("M8[M]") + n_months).astype("M8[D]")
    first = start.astype("M8[D]")
    n_days, n_all = int((days.max() - first).astype(int)) + 1, int((end - first).astype(int))
    return Cut(n_days, n_all) if n_days < 0.9 * n_all else None
