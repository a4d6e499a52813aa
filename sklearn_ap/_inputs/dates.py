"""Times as names: which names are times, dates as users write them, and their units of time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.units import UNITS
from sklearn_ap._types import Array, Name

Dates = NDArray[np.datetime64]

YEAR_FIRST, WHOLE_NUMBER = re.compile(r"(19|20)\d{2}(?!\d)"), re.compile(r"\d+")
# A month, or a day with or without a time, which may have the offset of its zone.
TIME_PATTERN = r"([T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)"
DATE_PATTERN = re.compile(
    rf"(\d{{4}}-\d{{2}}(?:-\d{{2}}(?:{TIME_PATTERN})?)?)(?(2)(?: ?Z| ?[+-]\d{{2}}:?\d{{2}})?)"
)
OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{4}.*")  # 01.08.2026
FEWEST_OF_CLASS = 20  # rows of either class in a time that can be compared
MOST_PERIODS = 60  # of a unit that is chosen


class DatesInUnit(NamedTuple):
    """Dates, and the unit of time in which they are compared."""

    dates: Dates
    unit: str


def _is_date(name: Name) -> bool:
    """Check for dates of NumPy, pandas and Python, and periods of pandas."""
    return isinstance(name, np.datetime64) or hasattr(name, "year")


def are_times(names: Sequence[Name]) -> bool:
    """Check for dates, and for texts that are sorted and whose order is that of their times.

    Such texts begin with the year, and sort as their numbers do: 2026-08, 2026-W32 and 2026Q3 are
    times, and 2026-W10 before 2026-W2 are none.
    """
    others = [name for name in names if not _is_date(name)]
    texts = [name for name in others if isinstance(name, str) and YEAR_FIRST.match(name)]
    if len(texts) < len(others):
        return False
    numbers = [[int(each) for each in WHOLE_NUMBER.findall(text)] for text in texts]
    return numbers == sorted(numbers)


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


def read_dates(array: Array, place: str) -> Dates | None:
    """Read dates of NumPy, pandas and Python, and texts; None if a column holds others.

    Periods of pandas have their own unit. Dates that do not begin with the year are refused, as
    01.08.2026 can be two days.
    """
    if array.ndim != 1 or not array.size or array.dtype.kind not in "MUO":
        return None
    if array.dtype.kind == "M":
        return None if np.isnat(array).any() else array
    if not isinstance(array[0], str) and not hasattr(array[0], "isoformat"):  # which periods lack
        return None
    names, codes = np.unique(array.astype(str), return_inverse=True)
    texts = names.tolist()
    if all(map(OTHER_DATE.fullmatch, texts)):
        raise InputError(
            f"{place}: {texts[0]!r:.30} begins with no year: write dates as 2026-10-01, such as by "
            f"pandas.to_datetime with dayfirst=True or False."
        )
    dates = parse_dates(texts)
    return None if dates is None else dates[codes]


def unit_starts(dates: Dates, unit: str) -> Dates:
    """Round dates down to the start of their unit of time."""
    step, base, shift = UNITS[unit]
    shifted: Dates = dates.astype(f"M8[{base}]") + shift
    return shifted.astype(f"M8[{step}]").astype(f"M8[{base}]") - shift


def time_as_text(time: Name, unit: str | None) -> str:
    """Name a time. One at midnight is a date, and a quarter is 2026Q2."""
    text = str(time)
    if unit == "quarter":
        return f"{text[:4]}Q{(int(text[5:7]) + 2) // 3}"
    is_midnight = _is_date(time) and text[10:19] in (" 00:00:00", "T00:00:00")
    return text[:10] if is_midnight else text


def finest_unit(dates: Dates, positive: Array) -> str:
    """Find the finest unit, from days on, of which one of the two latest times can be compared.

    The last one may be cut. It has enough rows for 20 positives and 20 negatives at the prevalence
    of all rows. There are at most 60, except of years, and of months if all dates are first days.
    """
    if (dates == dates.astype("M8[M]")).all():
        return "month"
    prevalence = np.count_nonzero(positive > 0) / positive.size
    rarer_share = min(prevalence, 1 - prevalence)
    for unit in [*UNITS][1:]:
        times, n_rows = np.unique(unit_starts(dates, unit), return_counts=True)
        n_latest = n_rows[-2:].max()
        if 2 <= times.size <= MOST_PERIODS and n_latest * rarer_share >= FEWEST_OF_CLASS:
            return unit
    return "month" if np.unique(unit_starts(dates, "month")).size <= MOST_PERIODS else "year"


def choose_unit(
    values: Array, place: str, positive: Array, unit: str | None = None
) -> DatesInUnit | None:
    """Read dates, which are compared in a unit or in the finest; None if a column holds others."""
    dates = read_dates(values, place)
    return None if dates is None else DatesInUnit(dates, unit or finest_unit(dates, positive))
