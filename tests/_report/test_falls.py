"""The times with which a fall may begin, and what shows one."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap._report._falls import begins_low, find_latest_time, is_lower, list_starts


@pytest.mark.parametrize(
    ("n_times", "lengths"),
    [
        (1, []),
        (2, [1]),
        (3, [1]),
        (5, [1, 2, 3]),  # two times stay before it
        (8, [1, 2, 3, 4]),
        (12, [1, 2, 3, 4, 6]),
        (20, [1, 2, 3, 4, 6, 8, 10]),
    ],
)
def test_a_fall_lasts_at_most_half_of_all_times_or_four(n_times, lengths):
    column = SimpleNamespace(segments=[*range(n_times)], are_times=True)
    starts = list_starts(column, are_labels_in_doubt=False)
    assert starts == [n_times - length for length in lengths]
    assert list_starts(column, are_labels_in_doubt=True) == starts[:1]
    column.are_times = False
    assert not list_starts(column, are_labels_in_doubt=False)


@pytest.mark.parametrize(
    ("difference", "pvalue", "is_shown"),
    [(-0.1, 0.07, True), (-0.1, 0.09, False), (0.1, 0.001, False)],
)
def test_a_fall_is_tested_on_one_side(difference, pvalue, is_shown):
    numbers = {"difference": np.array([np.nan, difference]), "pvalue": np.array([np.nan, pvalue])}
    is_compared = np.array([False, True])
    assert is_lower(SimpleNamespace(is_compared=is_compared, **numbers), 0.04) == is_shown


@pytest.mark.parametrize(("first", "is_low"), [(0.69, True), (0.71, False)])
def test_a_fall_begins_where_the_first_time_is_nearer_to_it_than_to_the_times_before(first, is_low):
    fall = SimpleNamespace(before=0.8, score=0.6)
    segments = SimpleNamespace(names=("May", "June", "July"), estimate=np.array([0.8, first, 0.5]))
    assert begins_low(fall, "June", segments) == is_low


@pytest.mark.parametrize(("n_latest", "latest"), [(20, 3), (19, 2)])
def test_a_latest_time_with_few_positives_is_joined_with_those_before(n_latest, latest):
    times = np.repeat([1, 2, 3], [50, 50, n_latest])
    column = SimpleNamespace(
        segments=[1, 2, 3], select=lambda _, time: SimpleNamespace(value=times >= time)
    )
    data = SimpleNamespace(positive=np.ones(times.size, bool))
    assert find_latest_time(data, column) == latest
