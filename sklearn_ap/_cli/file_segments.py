"""Segments of rows as files name them: categories in their order, dates, and other names."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._files.cells import DataError, shown
from sklearn_ap._inputs.name_codes import codes_and_names
from sklearn_ap.segments._names import Segments, is_many_dates

# A month, or a day with or without a time, and the offset of its zone.
TIME = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
DATE = re.compile(rf"(\d{{4}}-\d{{2}}(?:-\d{{2}}(?:{TIME})?)?)(?: ?Z| ?[+-]\d{{2}}:?\d{{2}})?")
UNITS = {"hour": "h", "day": "D", "week": "D", "month": "M", "quarter": "M", "year": "Y"}
MONDAY = np.datetime64("1970-01-05")


def stem_and_unit(name: str) -> tuple[str, str | None]:
    """The column and the unit of "ts:day"; a name without a unit is a column."""
    stem, _, unit = name.rpartition(":")
    return (stem, unit) if stem and unit in UNITS else (name, None)


def segments_of(
    name: str, unit: str | None, named: Segments, orders: Sequence[list[str]]
) -> Segments:
    """The segments of a column, from its distinct texts and each row's place among them.

    Categories have their order if all files have the same; dates are put into units of time.
    """
    categories = orders[0]
    if unit is None and categories and all(each == categories for each in orders):
        return named.ordered(categories, is_said=True)
    dates = _dates_of(named.names)
    if dates is None:
        if unit is None:
            return named
        wrong = next(text for text in named.names if _dates_of([text]) is None)
        problem = f"holds no dates, such as 2026-10-01 or 2026-10-01T12:30, but {shown(wrong)}"
        raise DataError(f"column {name!r} {problem}: leave out :{unit}")
    code, texts = _in_units(dates, unit)
    if is_many_dates(len(texts), named.codes.size):
        held = f"column {name!r} holds {len(texts):,} dates{f' as {unit}s' if unit else ''}"
        longer = ", ".join(UNITS)
        raise DataError(
            f"{held} for {named.codes.size:,} rows: write --segment {name}:month, or another of "
            f"{longer}"
        )
    return Segments(texts, code[named.codes], has_order=True)


def _dates_of(texts: Sequence[str]) -> NDArray[np.datetime64] | None:
    """The dates that texts are, by the clock of their zone; None unless all are dates."""
    found = []
    for text in texts:
        match = DATE.fullmatch(text)
        if match is None:
            return None
        found.append(match[1])
    try:
        return np.array(found, dtype="M8[us]")
    except ValueError:  # there is no month 13
        return None


def _in_units(dates: NDArray[Any], unit: str | None) -> tuple[NDArray[np.intp], list[str]]:
    """The code of each date, and the distinct ones as text, in the order of time."""
    if unit is not None:
        dates = dates.astype(f"M8[{UNITS[unit]}]")
    if unit == "week":
        dates = dates - (dates - MONDAY) % np.timedelta64(7, "D")
    if unit == "quarter":
        dates = dates - dates.astype(np.intp) % 3
    code, names = codes_and_names(dates, "segments")
    if unit == "week":
        names = [name.astype("M8[D]") for name in names]
    if unit == "hour":
        names = [name.astype("M8[h]") for name in names]
    if unit == "quarter":
        months = [str(name.astype("M8[M]")).split("-") for name in names]
        return code, [f"{year}Q{(int(month) + 2) // 3}" for year, month in months]
    return code, [*map(str, names)]
