"""Which names are times, and units of time: their starts, and the finest that is taken."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._inputs.dates import (
    are_times,
    finest_unit,
    parse_dates,
    unit_starts,
)
from sklearn_ap._inputs.units import UNITS, unit_named

DAYS = np.array("2026-01-01", "M8[D]") + np.arange(300)


def start_of(day, unit):
    """The first day of the unit, by the calendar of Python."""
    if unit == "week":
        return day - timedelta(day.weekday())
    months = {"month": day.month, "quarter": 3 * ((day.month - 1) // 3) + 1, "year": 1}
    return day if unit == "day" else date(day.year, months[unit], 1)


@given(st.dates(), st.sampled_from([*UNITS][1:]))
def test_starts_are_those_of_the_calendar(day, unit):
    (found,) = unit_starts(np.array([day], "M8[D]"), unit)
    assert found.astype("M8[D]") == np.datetime64(start_of(day, unit))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["2026-08", "2026-09"], True),
        (["2026Q1", "2026Q2"], True),
        (["2026-W02", "2026-W10"], True),
        (["2026/08/01", "2026/08/02"], True),
        ([np.datetime64("2026-08"), np.datetime64("2026-09")], True),
        (["2026-W10", "2026-W2"], False),
        (["20260801", "20260802"], False),
        (["1234-a", "1235-b"], False),  # codes of products
        ([2025, 2026], False),  # which may be any numbers
    ],
)
def test_names_are_times_if_their_order_is_known(names, expected):
    assert are_times(names) == expected


def test_units_have_names():
    assert [unit_named(word) for word in ("month", "months", "moon")] == ["month", "month", None]


@pytest.mark.parametrize(
    ("texts", "are_dates"),
    [
        (["2026-10", "2026-10-01 12:30Z"], True),
        (["2026-10-01T12:30:15.5+02:00"], True),
        (["2026-13-01"], False),
        (["2026-10-01", "later"], False),
        (["2026-10-0830"], False),
        (["2026-10Z"], False),
    ],
)
def test_texts_are_dates_or_not(texts, are_dates):
    assert (parse_dates(texts) is not None) == are_dates


@pytest.mark.parametrize(
    ("per_day", "n_days", "unit"),
    [
        (50, 40, "day"),
        (50, 300, "week"),
        (4, 300, "week"),
        (1, 300, "month"),
        (0.3, 300, "quarter"),
    ],
)
def test_the_finest_unit_has_enough_rows_of_both_classes(per_day, n_days, unit):
    rng = np.random.default_rng(0)
    dates = DAYS[rng.integers(0, n_days, int(2 * per_day * n_days))]
    positive = np.arange(dates.size) % 2 == 0
    assert finest_unit(dates, positive) == unit


def test_a_latest_month_that_is_cut_or_lacks_labels_does_not_change_the_unit():
    dates = np.repeat(DAYS[: 31 + 28 + 2], 4)
    positive = np.arange(dates.size) % 4 == 0
    assert finest_unit(dates, positive) == "month"
    positive[dates >= DAYS[31]] = False
    assert finest_unit(dates, positive) == "month"


def test_months_stay_months():
    months = np.repeat(np.arange("2026-01", "2026-07", dtype="M8[M]"), 3)
    assert finest_unit(months.astype("M8[us]"), np.arange(18) % 2 == 0) == "month"
