"""Segments that are times: months, days, quarters and weeks, also as texts."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import date

import numpy as np

from sklearn_ap._base.common.types import Array, Name
from sklearn_ap._questions.segments.names import Segments

TIMES = "hour", "day", "week", "month", "quarter", "year"  # columns whose steps have a name
DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")
QUARTER = re.compile(r"\d{4}-?Q[1-4]")
WEEK = re.compile(r"\d{4}-?W[0-5]?\d")


def are_times(segments: Segments, name: str) -> bool:
    """Check whether the last segment is the latest, by the names of segments and of the column."""
    times, unit = segments.trend_times()
    if times is None:
        return False
    names = segments.names
    return unit != "step" or name.casefold() in TIMES or _are_sorted_times(names)


def _are_sorted_times(names: Sequence[Name]) -> bool:
    """Check whether names are months, days, quarters or weeks as texts, such as "2026-Q1"."""
    return dates_of_texts(names) is not None and [*names] == sorted(names)


def dates_of_texts(names: Sequence[object]) -> Array | None:
    """Read months, days, quarters and weeks as texts, such as "2026-01"; None for others.

    A quarter is its first day, and a week its Monday.
    """
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < len(names):
        return None
    for pattern, read in ((DATE, np.datetime64), (QUARTER, _quarter_start), (WEEK, _monday)):
        if all(map(pattern.fullmatch, texts)):
            with suppress(ValueError):  # no date, such as "2026-99"
                return np.array([*map(read, texts)], dtype="datetime64[D]")
    return None


def _quarter_start(name: str) -> np.datetime64:
    return np.datetime64(f"{name[:4]}-{3 * int(name[-1]) - 2:02d}")


def _monday(name: str) -> np.datetime64:
    year, _, week = name.partition("W")
    return np.datetime64(date.fromisocalendar(int(year[:4]), int(week), 1))
