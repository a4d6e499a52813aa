"""Segments of the rows, such as countries or months: their names in order, and each row's place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date
from itertools import pairwise
from numbers import Real
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Argument, Array, Float, Index, Name
from sklearn_ap._base.inputs.checks import list_first
from sklearn_ap._base.inputs.name_codes import check_names, codes_and_names, is_missing
from sklearn_ap._base.inputs.targets import refuse_one_row

REFERENCES = ("others", "previous")  # what a reference may be besides a segment
RESERVED = (*REFERENCES, "rest")  # which has a meaning in an error
# Dates as segments: of more than so many, each must have so many rows in the mean.
MANY_DATES = 50
FEWEST_ROWS_PER_DATE = 10
MOST_SEGMENTS = 10_000  # a choice: more are ids
# "Q1 2026", "01.10.2026", "week 2 2026"
YEAR_LAST = re.compile(
    r"(?:Q[1-4]\W?|\d{1,2}[./-](?:\d{1,2}[./-])?|[^\W\d_]+\W*\d{1,2}\W+)\d{4}", re.IGNORECASE
)
WORD = re.compile(r"[^\W\d_]{2,}")
WHOLE_NUMBER = re.compile(r"([0-9]+)")
DECIMAL = re.compile(r"[0-9][.,][0-9]")

# What a text is sorted by: "0.5" -> ((0.5, ""),), "week 10" -> ((2, "10"),), as a whole number may
# have any number of digits.
SortKey = tuple[tuple[float, str], ...]


class Segments(NamedTuple):
    """The names of segments, and the place among them of each row's."""

    names: Sequence[Name]
    codes: Index  # of the rows: places among the names
    has_order: bool = False  # given by the user
    # Of a trend: dates, or steps of an order; None if the names tell them.
    times: Array | Sequence[np.datetime64] | None = None

    def sort_by_number(self) -> Segments:
        """Put "week 2" before "week 10", if all names say so and the user gave no order."""
        keys = None if self.has_order else sort_keys(self.names)
        if keys is None:
            return self
        order = sorted(range(len(keys)), key=keys.__getitem__)
        reordered = self.reorder([self.names[place] for place in order], is_user_order=False)
        return reordered._replace(has_order=False, times=None)

    def trend_times(self) -> tuple[Float | None, str]:
        """Give the time of each segment, and its unit: "step" for places in an order.

        Categories without rows count, too. Names that are numbers or differ in these are in order.
        The times are None without an order.
        """
        dates = dates_of(self.names if self.times is None else self.times) or dates_of(self.names)
        if dates is not None and (np.diff(dates) > np.timedelta64(0)).all():
            return _times_and_unit(np.array(dates))
        steps = np.arange(len(self.names), dtype=float)
        if self.has_order:
            return (steps if self.times is None else np.asarray(self.times).astype(float)), "step"
        are_numbers = all(isinstance(name, Real) and name == name for name in self.names)
        if are_numbers or _are_sorted_texts(self.names):
            return steps, "step"
        return None, "step"

    def reorder(self, categories: Iterable[Name], is_user_order: bool) -> Segments:
        """Put the segments in the order of categories, of which some may have no rows.

        An order is also the user's if it is not the one that categories are sorted in.
        """
        category_place = {name: place for place, name in enumerate(categories)}
        places = np.array([category_place[name] for name in self.names])
        order = np.argsort(places)  # order[new place] = old code
        new_codes = np.argsort(order)
        return Segments(
            names=[self.names[code] for code in order],
            codes=new_codes[self.codes],
            has_order=is_user_order or bool((np.diff(order) < 0).any()),
            times=places[order],
        )


def name_segments(segments: Argument, y_true: Argument, y_score: Argument) -> Segments:
    """Read the segment of each row: categories in their order, dates by time, others sorted.

    Texts are sorted by their numbers where ``sort_keys`` finds some, or else by letters.
    """
    refuse_one_row(y_true, y_score)
    for name, table in (("y_true", y_true), ("y_score", y_score)):
        if np.ndim(table) == 2 and np.shape(table)[1] > 1:
            raise ValueError(
                f"{name} must hold one column beside segments, got shape {np.shape(table)}. Pass "
                f"one column at a time."
            )
    if not isinstance(segments, Segments):
        segments = _read_segments(segments, y_true)
    if len(segments.names) > MOST_SEGMENTS:
        raise ValueError(
            f"segments holds {len(segments.names):,} names for {segments.codes.size:,} rows, more "
            f"than {MOST_SEGMENTS:,}. Pass a name that many rows share, such as a country. If rows "
            f"of a customer depend on each other, pass the customers as clusters."
        )
    for name in RESERVED:
        if name in map(str, segments.names):
            raise ValueError(
                f"segments must not name one {name!r}, which has a meaning as reference: rename it."
            )
    return segments.sort_by_number()


def _read_segments(segments: Argument, y_true: Argument) -> Segments:
    """Read a column of names, in the order of its categories if it has any."""
    shape = np.shape(y_true if np.ndim(y_true) else segments)  # other checks refuse such a y_true
    column = check_names("segments", segments, shape[0] if shape else 1)
    if column is None:
        raise ValueError("segments must hold the segment of each row, got None.")
    codes, names = codes_and_names(column, "segments")
    if is_many_dates(len(names), codes.size) and dates_of(names) is not None:
        raise ValueError(
            f"segments holds {len(names):,} dates for {codes.size:,} rows. Make longer ones of "
            f"them, such as months: segments.dt.to_period('M') of pandas, or "
            f"segments.astype('M8[M]')."
        )
    sorted_segments = Segments(names, codes)
    dtype = getattr(segments, "dtype", None)
    categories = getattr(dtype, "categories", None)  # of pandas, and of an Enum of polars
    if categories is None or np.ndim(categories) != 1:
        return sorted_segments
    return sorted_segments.reorder(categories, is_user_order=getattr(dtype, "ordered", True))


def sort_keys(names: Sequence[Name]) -> list[SortKey] | None:
    """Give what texts are sorted by: the numbers that they are, or the whole numbers within them.

    None unless all are texts, and either all are numbers, or the words and signs between whole
    numbers are the same in all. Letters sort texts with decimals, such as "0.25-0.5".
    """
    if not all(isinstance(name, str) for name in names):
        return None
    with suppress(ValueError):
        numbers = [*map(float, names)]
        return [((number, ""),) for number in numbers] if np.isfinite(numbers).all() else None
    # "week 010" -> ["week ", "010", ""]: words at even places, numbers at odd ones
    parts = [WHOLE_NUMBER.split(name.casefold()) for name in names]
    if len({tuple(name_parts[::2]) for name_parts in parts}) > 1:
        return None
    if any(map(DECIMAL.search, names)):
        return None
    whole_numbers = [[number.lstrip("0") for number in name_parts[1::2]] for name_parts in parts]
    return [tuple((len(digits), digits) for digits in numbers) for numbers in whole_numbers]


def _are_sorted_texts(names: Sequence[Name]) -> bool:
    """Say if numbers in names rise from each to the next, and no year comes after a month."""
    keys = sort_keys(names)
    if keys is None or not all(key < next_key for key, next_key in pairwise(keys)):
        return False
    return not any(map(YEAR_LAST.fullmatch, names))


def _times_and_unit(dates: Array) -> tuple[Float, str]:
    """Measure dates in the longest of years, quarters, months, weeks and days that all begin."""
    months = dates.astype("M8[M]")
    if (months == dates).all():
        n_months = months.astype(float)
        for length, unit in ((12, "year"), (3, "quarter")):
            if not (n_months % length).any():
                return n_months / length, unit
        return n_months, "month"
    days = (dates - dates[0]) / np.timedelta64(1, "D")
    return (days, "day") if (days % 7).any() else (days / 7, "week")


def is_many_dates(n_dates: int, n_rows: int) -> bool:
    """Say if they are too many to be segments, as those of single events are."""
    return n_dates > MANY_DATES and n_rows < FEWEST_ROWS_PER_DATE * n_dates


def find_reference(reference: Argument, names: Sequence[Name], has_order: bool) -> int | None:
    """Find the place of the segment that all are compared with; None for others and previous."""
    if isinstance(reference, str) and reference == "previous" and not has_order:
        _refuse_words(names)
    if isinstance(reference, str) and reference in REFERENCES:
        return None
    if isinstance(reference, str) and reference == "rest":
        raise ValueError(
            "reference='rest' would rank the rows of all other segments together, where scores of "
            "other levels, as calibrated ones have at other prevalences, look like a difference. "
            "Pass reference='others': the mean of the scores of the other segments."
        )
    texts = [*map(str, names)]
    if not np.ndim(reference) and not is_missing(reference):
        place = _matching_place(reference, names)
        if place is None:
            place = _matching_place(str(reference), texts)
        dates = dates_of([*names, reference]) if place is None else None
        if dates is not None:
            place = _matching_place(dates[-1], dates[:-1])
        if place is not None:
            return place
    raise ValueError(
        f"reference must be 'others', 'previous' or the name of a segment with a score "
        f"({list_first([*map(repr, texts)])}), got {reference!r}."
    )


def _matching_place(reference: Name, names: Sequence[Name]) -> int | None:
    """Find the first name that equals the reference; True is no name for 1."""
    for place, name in enumerate(names):
        if name == reference and _is_bool(name) == _is_bool(reference):
            return place
    return None


def _is_bool(name: Name) -> bool:
    return isinstance(name, bool | np.bool_)


def _refuse_words(names: Sequence[Name]) -> None:
    """Refuse dates and words that are not in order, as the month before April would be another.

    Those that begin with the year, as in "2024-01 Jan", are in order, and so are those that have
    the same words, as in "week 2", or none.
    """
    texts = [name for name in names if isinstance(name, str) and not re.match(r"\d{4}\W?\d", name)]
    has_words = len({tuple(WORD.findall(text.casefold())) for text in texts}) > 1
    if len(texts) > 1 and (has_words or any(map(YEAR_LAST.fullmatch, texts))):
        raise ValueError(
            f"segments holds dates that do not begin with the year, or months or other names in "
            f"words, such as {texts[0]!r} and {texts[1]!r}. Their order is not known, so "
            f"reference='previous' would compare the wrong ones. Pass dates or names that begin "
            f"with the year, such as 2024-01, or "
            f"pd.Categorical(segments, categories=[...], ordered=True) with the words in order."
        )


def dates_of(names: Iterable[Name]) -> list[np.datetime64] | None:
    """Read names as dates of NumPy; None unless all are dates, or periods of pandas."""
    dates = [name.to_timestamp() if hasattr(name, "to_timestamp") else name for name in names]
    if not all(isinstance(day, date | np.datetime64) for day in dates):
        return None
    # By the clock of their zone, which NumPy's dates do not have.
    dates = [day.replace(tzinfo=None) if hasattr(day, "tzinfo") else day for day in dates]
    return [*np.array(dates, dtype="M8[us]")]
