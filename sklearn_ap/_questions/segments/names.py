"""Segments of the rows, such as countries or months: their names in order, and each row's place."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Index
from sklearn_ap._base.inputs.checks import list_first
from sklearn_ap._base.inputs.name_codes import check_names, codes_and_names, is_missing
from sklearn_ap._base.inputs.targets import refuse_one_row

REFERENCES = ("others", "previous")  # what a reference may be besides a segment
RESERVED = (*REFERENCES, "rest")  # which has a meaning in an error
# Dates as segments: of more than so many, each must have so many rows in the mean.
MANY_DATES, FEWEST_ROWS = 50, 10
MOST_SEGMENTS = 10_000  # a choice: more are ids
# "Q1 2026", "01.10.2026", "week 2 2026"
YEAR_LAST = re.compile(
    r"(?:Q[1-4]\W?|\d{1,2}[./-](?:\d{1,2}[./-])?|[^\W\d_]+\W*\d{1,2}\W+)\d{4}", re.IGNORECASE
)
WORD = re.compile(r"[^\W\d_]{2,}")
WHOLE_NUMBER, DECIMAL = re.compile(r"([0-9]+)"), re.compile(r"[0-9][.,][0-9]")


class Segments(NamedTuple):
    """The names of segments, and the place among them of each row's."""

    names: Sequence[Any]
    codes: Index
    has_order: bool = False  # whether the user gave them one
    places: Any = None  # of a trend: numbers, or dates; None for the places of the names

    def by_their_numbers(self) -> "Segments":
        """The same with "week 2" before "week 10", if all names say so and the user nothing."""
        keys = None if self.has_order else numbers_in(self.names)
        if keys is None:
            return self
        order = sorted(range(len(keys)), key=keys.__getitem__)
        in_order = self.ordered([self.names[i] for i in order], is_said=False)
        return in_order._replace(has_order=False, places=None)

    def in_steps(self) -> tuple[Any, str]:
        """Where each stands, in a unit of time or in steps of the order; None without an order.

        Categories without rows count, too. Names that are numbers or differ in these are in order.
        """
        dates = dates_of(self.names if self.places is None else self.places)
        dates = dates or dates_of(self.names)
        if dates is not None and (np.diff(dates) > np.timedelta64(0)).all():
            return _in_units_of_time(np.array(dates))
        if self.has_order:
            places = np.arange(len(self.names)) if self.places is None else self.places
            return places.astype(float), "step"
        are_numbers = all(isinstance(each, Real) and each == each for each in self.names)
        keys = numbers_in(self.names) or []
        differ = all(one < other for one, other in pairwise(keys)) and keys
        if are_numbers or (differ and not any(map(YEAR_LAST.fullmatch, self.names))):
            return np.arange(len(self.names), dtype=float), "step"
        return None, "step"

    def ordered(self, categories: Iterable[Any], is_said: bool) -> "Segments":
        """The same in the order of categories, of which some may have no rows.

        It is the user's if that is said, or if it is not the one that they are sorted in.
        """
        place = {name: i for i, name in enumerate(categories)}
        places = np.array([place[name] for name in self.names])
        order = np.argsort(places)
        has_order = is_said or bool((np.diff(order) < 0).any())
        names = [self.names[i] for i in order]
        return Segments(names, np.argsort(order)[self.codes], has_order, places[order])


def name_segments(segments: Any, y_true: Any, y_score: Any) -> Segments:
    """Read the segment of each row: categories in their order, dates by time, others sorted.

    Texts are sorted by their numbers where ``numbers_in`` finds some, or else by letters.
    """
    refuse_one_row(y_true, y_score)
    for name, table in (("y_true", y_true), ("y_score", y_score)):
        if np.ndim(table) == 2 and np.shape(table)[1] > 1:
            raise ValueError(
                f"{name} must hold one column beside segments, got shape {np.shape(table)}. Pass "
                f"one column at a time."
            )
    if not isinstance(segments, Segments):
        segments = _in_order(segments, y_true)
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
    return segments.by_their_numbers()


def _in_order(segments: Any, y_true: Any) -> Segments:
    shape = np.shape(y_true if np.ndim(y_true) else segments)  # other checks refuse such a y_true
    given = check_names("segments", segments, shape[0] if shape else 1)
    if given is None:
        raise ValueError("segments must hold the segment of each row, got None.")
    codes, names = codes_and_names(given, "segments")
    if is_many_dates(len(names), codes.size) and dates_of(names) is not None:
        raise ValueError(
            f"segments holds {len(names):,} dates for {codes.size:,} rows. Make longer ones of "
            f"them, such as months: segments.dt.to_period('M') of pandas, or "
            f"segments.astype('M8[M]')."
        )
    named, kind = Segments(names, codes), getattr(segments, "dtype", None)
    categories: Any = getattr(kind, "categories", None)  # of pandas, and of an Enum of polars
    if np.ndim(categories) != 1:
        return named
    return named.ordered(categories, is_said=getattr(kind, "ordered", True))


def numbers_in(names: Sequence[Any]) -> list[Any] | None:
    """What texts are sorted by: the numbers that they are, or the whole numbers within them.

    None unless all are texts, and either all are numbers, or the words and signs between whole
    numbers are the same in all. Letters sort texts with decimals, such as "0.25-0.5".
    """
    if not all(isinstance(name, str) for name in names):
        return None
    with suppress(ValueError):
        numbers = [*map(float, names)]
        return numbers if np.isfinite(numbers).all() else None
    parts = [WHOLE_NUMBER.split(name.casefold()) for name in names]
    if len({tuple(each[::2]) for each in parts}) > 1 or any(map(DECIMAL.search, names)):
        return None
    # As texts, since there is no limit to the digits: "010" -> (2, "10")
    digits = [[number.lstrip("0") for number in each[1::2]] for each in parts]
    return [[(len(number), number) for number in each] for each in digits]


def _in_units_of_time(dates: Array) -> tuple[Any, str]:
    """How many years, quarters, months, weeks or days: the longest unit that all begin."""
    months = dates.astype("M8[M]")
    if (months == dates).all():
        number = months.astype(float)
        size, unit = next(
            each
            for each in ((12, "year"), (3, "quarter"), (1, "month"))
            if not (number % each[0]).any()
        )
        return number / size, unit
    days = (dates - dates[0]) / np.timedelta64(1, "D")
    return (days, "day") if (days % 7).any() else (days / 7, "week")


def is_many_dates(n_dates: int, n_rows: int) -> bool:
    """Whether they are too many to be segments, as those of single events are."""
    return n_dates > MANY_DATES and n_rows < FEWEST_ROWS * n_dates


def place_of_reference(reference: Any, names: Sequence[Any], has_order: bool) -> int | None:
    """The place of the segment that all are compared with; None for others and previous."""
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
        alike: Any = [*names, reference], [*texts, str(reference)], dates_of([*names, reference])
        for *known, wanted in filter(None, alike):
            for place, name in enumerate(known):  # True is no name for 1
                if name == wanted and _is_bool(name) == _is_bool(wanted):
                    return place
    raise ValueError(
        f"reference must be 'others', 'previous' or the name of a segment with a score "
        f"({list_first([*map(repr, texts)])}), got {reference!r}."
    )


def _is_bool(name: Any) -> bool:
    return isinstance(name, bool | np.bool_)


def _refuse_words(names: Sequence[Any]) -> None:
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


def dates_of(names: Sequence[Any]) -> list[np.datetime64] | None:
    """The names as dates of NumPy; None unless all are dates, or periods of pandas."""
    starts = [each.to_timestamp() if hasattr(each, "to_timestamp") else each for each in names]
    if not all(isinstance(each, date | np.datetime64) for each in starts):
        return None
    # By the clock of their zone, which NumPy's dates do not have.
    starts = [each.replace(tzinfo=None) if hasattr(each, "tzinfo") else each for each in starts]
    return [*np.array(starts, dtype="M8[us]")]
