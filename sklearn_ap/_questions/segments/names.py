"""Segments of the rows, such as countries or months: their names in order, and each row's code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date
from itertools import pairwise
from numbers import Real
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import is_missing
from sklearn_ap._inputs.labels import refuse_one_row
from sklearn_ap._inputs.names import check_names, encode_names, list_names
from sklearn_ap._inputs.options import list_first
from sklearn_ap._types import Argument, Index, Name

REFERENCES = ("others", "previous")  # references other than a segment
RESERVED = (*REFERENCES, "rest")  # "rest" is refused as a reference
# More dates than this are segments only if they have this many rows each, on average.
MANY_DATES = 50
FEWEST_ROWS_PER_DATE = 10
MOST_SEGMENTS = 10_000  # a choice: more names are probably identifiers
# "Q1 2026", "01.10.2026", "week 2 2026"
YEAR_LAST = re.compile(
    r"(?:Q[1-4]\W?|\d{1,2}[./-](?:\d{1,2}[./-])?|[^\W\d_]+\W*\d{1,2}\W+)\d{4}", re.IGNORECASE
)
WORD = re.compile(r"[^\W\d_]{2,}")
WHOLE_NUMBER = re.compile(r"([0-9]+)")
DECIMAL = re.compile(r"[0-9][.,][0-9]")

# The sort key of a text: "0.5" -> ((0.5, ""),), "week 10" -> ((2, "10"),). Whole numbers are sorted
# by their number of digits first, so they may have any number of digits.
SortKey = tuple[tuple[float, str], ...]


class Segments(NamedTuple):
    """The names of segments, and the code of each row's segment."""

    names: Sequence[Name]
    codes: Index  # index of the name of each row's segment
    has_order: bool = False  # whether the user gave an order

    def sort_by_number(self) -> Segments:
        """Put "week 2" before "week 10", if all names have numbers and the user gave no order."""
        keys = None if self.has_order else sort_keys(self.names)
        if keys is None:
            return self
        order = sorted(range(len(keys)), key=keys.__getitem__)
        reordered = self.reorder([self.names[code] for code in order], is_user_order=False)
        return reordered._replace(has_order=False)

    def are_ordered(self) -> bool:
        """Check whether the segments are in an order: the user's, or that of dates or numbers."""
        dates = dates_of(self.names)
        are_dates = dates is not None and bool((np.diff(dates) > np.timedelta64(0)).all())
        are_numbers = all(isinstance(name, Real) and name == name for name in self.names)
        return self.has_order or are_dates or are_numbers or _are_sorted_texts(self.names)

    def reorder(self, categories: Iterable[Name], is_user_order: bool) -> Segments:
        """Put the segments in the order of categories, some of which may have no rows.

        An order that is not the sorted one is also taken for the user's.
        """
        category_ranks = {name: rank for rank, name in enumerate(categories)}
        ranks = np.array([category_ranks[name] for name in self.names])
        order = np.argsort(ranks)  # order[new code] = old code
        new_codes = np.argsort(order)
        return Segments(
            names=[self.names[code] for code in order],
            codes=new_codes[self.codes],
            has_order=is_user_order or bool((np.diff(order) < 0).any()),
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
    # If y_true is no array, other checks refuse it.
    shape = np.shape(y_true if np.ndim(y_true) else segments)
    column = check_names("segments", segments, shape[0] if shape else 1)
    if column is None:
        raise ValueError("segments must hold the segment of each row, got None.")
    codes, distinct = encode_names(column, "segments")
    names = list_names(distinct)
    if is_many_dates(len(names), codes.size) and dates_of(names) is not None:
        raise ValueError(
            f"segments holds {len(names):,} dates for {codes.size:,} rows. Make longer ones of "
            f"them, such as months: segments.dt.to_period('M') of pandas, or "
            f"segments.astype('M8[M]')."
        )
    sorted_segments = Segments(names, codes)
    dtype = getattr(segments, "dtype", None)
    categories = getattr(dtype, "categories", None)  # pandas' Categorical, and polars' Enum
    if categories is None or np.ndim(categories) != 1:
        return sorted_segments
    return sorted_segments.reorder(categories, is_user_order=getattr(dtype, "ordered", True))


def sort_keys(names: Sequence[Name]) -> list[SortKey] | None:
    """Return the sort keys of texts: the numbers that they are, or the whole numbers within them.

    None unless all are texts, and either all are numbers, or the words and signs between whole
    numbers are the same in all. None for texts with decimals, such as "0.25-0.5".
    """
    if not all(isinstance(name, str) for name in names):
        return None
    with suppress(ValueError):
        numbers = [*map(float, names)]
        return [((number, ""),) for number in numbers] if np.isfinite(numbers).all() else None
    # "week 010" -> ["week ", "010", ""]: words at even indices, numbers at odd ones
    parts = [WHOLE_NUMBER.split(name.casefold()) for name in names]
    if len({tuple(name_parts[::2]) for name_parts in parts}) > 1:
        return None
    if any(map(DECIMAL.search, names)):
        return None
    whole_numbers = [[number.lstrip("0") for number in name_parts[1::2]] for name_parts in parts]
    return [tuple((len(digits), digits) for digits in numbers) for numbers in whole_numbers]


def _are_sorted_texts(names: Sequence[Name]) -> bool:
    """Check whether numbers in names rise from each to the next, and years are not last."""
    keys = sort_keys(names)
    if keys is None or not all(key < next_key for key, next_key in pairwise(keys)):
        return False
    return not any(map(YEAR_LAST.fullmatch, names))


def is_many_dates(n_dates: int, n_rows: int) -> bool:
    """Check whether dates are too many to be segments, because they are dates of single events."""
    return n_dates > MANY_DATES and n_rows < FEWEST_ROWS_PER_DATE * n_dates


def find_reference(reference: Argument, names: Sequence[Name], has_order: bool) -> int | None:
    """Find the index of the reference segment; None for "others" and "previous"."""
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
        index = _matching_index(reference, names)
        if index is None:
            index = _matching_index(str(reference), texts)
        dates = dates_of([*names, reference]) if index is None else None
        if dates is not None:
            index = _matching_index(dates[-1], dates[:-1])
        if index is not None:
            return index
    raise ValueError(
        f"reference must be 'others', 'previous' or the name of a segment with a score "
        f"({list_first([*map(repr, texts)])}), got {reference!r}."
    )


def _matching_index(reference: Name, names: Sequence[Name]) -> int | None:
    """Find the first name that equals the reference; True does not match 1."""
    for index, name in enumerate(names):
        if name == reference and _is_bool(name) == _is_bool(reference):
            return index
    return None


def _is_bool(name: Name) -> bool:
    return isinstance(name, bool | np.bool_)


def _refuse_words(names: Sequence[Name]) -> None:
    """Refuse names whose order is unknown: months in words, and dates with the year at the end.

    Names that begin with the year, as in "2024-01 Jan", have a known order, as have names with the
    same words, as in "week 2", or without words.
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
    # Local times, because NumPy's dates have no time zone
    dates = [day.replace(tzinfo=None) if hasattr(day, "tzinfo") else day for day in dates]
    return [*np.array(dates, dtype="M8[us]")]
