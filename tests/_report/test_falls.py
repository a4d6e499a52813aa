"""The times with which a fall may begin, and what shows one."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap._report._falls import is_lower, list_starts


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
    assert is_lower(SimpleNamespace(names=("before", "since"), **numbers), 0.04) == is_shown
