"""Places of rows are numbered kind by kind."""

import numpy as np
import pytest

from sklearn_ap._uncertainty._places import IS_POSITIVE, ByKind, Places

SHAPES = [(0, 1), (1, 1), (3, 1), (3, 2), (2, 5), (0, 0)]


@pytest.mark.parametrize("shape", SHAPES)
def test_kinds_follow_each_other_without_gaps(shape):
    places = Places(*shape)
    ends = [begin + size for begin, size in zip(places.begins, places.sizes, strict=True)]
    assert [0, *ends] == [*places.begins, places.total]


@pytest.mark.parametrize("shape", SHAPES)
def test_values_that_are_split_are_joined_again(shape):
    places = Places(*shape)
    values = np.arange(places.total)
    assert np.array_equal(places.join(places.split(values)), values)


def test_the_last_axis_of_a_table_is_split():
    parts = Places(1, 2).split(np.arange(18).reshape(2, 9))
    assert parts.between.tolist() == [[2], [11]]
    assert parts.lost.tolist() == [[3, 4], [12, 13]]


def test_a_number_stands_for_all_places_of_a_kind():
    weights = ByKind(1.0, 1.0, 1.0, 1.0, 2.0, np.array([3.0, 4.0]))
    assert Places(1, 2).join(weights).tolist() == [1, 1, 1, 1, 1, 2, 2, 3, 4]
    is_positive = Places(1, 2).join(IS_POSITIVE)
    assert np.flatnonzero(is_positive).tolist() == [0, 3, 4, 7, 8]


def test_each_place_has_its_ranking():
    # Rankings of 2 and 1 thresholds, with an empty one between
    found = Places(3, 3).ranking(np.array([0, 2, 2]))
    assert found.tolist() == [0, 0, 2] * 3 + [0, 1, 2] * 3
