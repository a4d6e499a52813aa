"""Dates as segments: texts that are dates, and their units of time."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._types import Array

Dates = NDArray[np.datetime64]

# A month, or a day with or without a time, and the offset of its zone.
TIME_PATTERN = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
DATE_PATTERN = re.compile(
    rf"(\d{{4}}-\d{{2}}(?:-\d{{2}}(?:{TIME_PATTERN})?)?)(?: ?Z| ?[+-]\d{{2}}:?\d{{2}})?"
)
OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{4}.*")  # 01.08.2026
UNITS = "hour", "day", "week", "month", "quarter", "year"
# The code of each unit, from texts or dates whose first ten letters are the day.
DAYS = "np.asarray({}).astype(str).astype('U10').astype('M8[D]')"
CODES = {
    "hour": "np.asarray({}).astype(str).astype('U13').astype('M8[h]')",
    "day": DAYS,
    "week": f"np.busday_offset({DAYS}, 0, 'backward', 'Mon')",  # NumPy's M8[W] begins on Thursdays
    "month": f"{DAYS}.astype('M8[M]')",
    "quarter": f"({DAYS}.astype('M8[M]').astype(int) // 3 * 3).astype('M8[M]')",
    "year": f"{DAYS}.astype('M8[Y]')",
}
FEWEST = 20  # positives and negatives of a time that can be compared
MOST_PERIODS = 60  # of a unit that is chosen


def unit_named(word: str) -> str | None:
    """Find the unit that "month" or "months" names."""
    return next((unit for unit in UNITS if word in (unit, f"{unit}s")), None)


def parse_dates(texts: Sequence[str]) -> Dates | None:
    """Parse texts as dates, by the clock of their zone; None unless all are dates.

    Dates that do not begin with the year are refused, as 01.08.2026 can be two days.
    """
    if texts and all(map(OTHER_DATE.fullmatch, texts)):
        raise ValueError(
            f"{texts[0]!r} can be two days: write dates as 2026-10-01, such as by "
            f"pandas.to_datetime with dayfirst=True or False"
        )
    matches = [DATE_PATTERN.fullmatch(text) for text in texts]
    dates = [match[1] for match in matches if match]
    if len(dates) < len(matches):
        return None
    try:
        return np.array(dates, dtype="M8[us]")
    except ValueError:  # there is no month 13
        return None


def unit_starts(dates: Dates, unit: str) -> Dates:
    """Round dates down to the start of their unit of time."""
    days, months = dates.astype("M8[D]"), dates.astype("M8[M]")
    if unit == "week":  # on Monday
        return np.busday_offset(days, 0, "backward", "Mon")
    if unit == "quarter":
        return (months.astype(int) // 3 * 3).astype("M8[M]")
    return dates.astype({"hour": "M8[h]", "day": "M8[D]", "month": "M8[M]", "year": "M8[Y]"}[unit])


def finest_unit(dates: Dates, positive: Array) -> str:
    """Find the finest unit, from days on, of which one of the two latest times can be compared.

    The last one may be cut. It has enough rows for 20 positives and 20 negatives at the prevalence
    of all rows. There are at most 60 times. Dates that are all the first of a month are months.
    """
    if (dates == dates.astype("M8[M]")).all():
        return "month"
    prevalence = np.count_nonzero(positive > 0) / positive.size
    for unit in UNITS[1:]:
        times, n_rows = np.unique(unit_starts(dates, unit), return_counts=True)
        n_latest = n_rows[-2:].max()
        if 2 <= times.size <= MOST_PERIODS and n_latest * min(prevalence, 1 - prevalence) >= FEWEST:
            return unit
    return "month" if np.unique(unit_starts(dates, "month")).size <= MOST_PERIODS else "year"
