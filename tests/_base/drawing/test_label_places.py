"""Places of labels beside what they name."""

import numpy as np
import pytest

from sklearn_ap._base.drawing.label_places import Boxes, nearest_free_place, spread

ONES = np.ones(4)


@pytest.mark.parametrize(
    "centers", [[5, 5, 5, 5], [0, 0, 50, 99], [98, 99, 99, 100], [-30, 140, 3, 4]]
)
def test_spread_labels_do_not_overlap_and_stay_inside(centers):
    sizes = np.array([10.0, 20.0, 10.0, 30.0])
    places = spread(np.array(centers, dtype=float), sizes, ONES, 0.0, 100.0)
    order = np.argsort(places)
    lows, highs = (places - sizes / 2)[order], (places + sizes / 2)[order]
    assert lows[0] >= -1e-9
    assert highs[-1] <= 100 + 1e-9
    assert (highs[:-1] <= lows[1:] + 1e-9).all()


def test_labels_that_have_room_stay_in_their_places():
    centers = np.array([70.0, 20.0, 45.0])
    places = spread(centers, np.full(3, 20.0), np.ones(3), 0.0, 100.0)
    np.testing.assert_allclose(places, centers)


def test_two_labels_at_one_place_move_by_half_of_a_label_or_by_their_weights():
    centers, sizes = np.array([50.0, 50.0]), np.array([10.0, 10.0])
    np.testing.assert_allclose(spread(centers, sizes, np.ones(2), 0.0, 100.0), [45, 55])
    np.testing.assert_allclose(spread(centers, sizes, np.array([4.0, 1.0]), 0, 100), [48, 58])


def boxes(*rows):
    return Boxes(*np.array(rows, dtype=float).T)


def test_the_nearest_free_place_is_beside_the_middle_of_a_point_if_nothing_stands_there():
    point, size, room = (50, 50, 50, 50), (20, 10), (100, 100)
    assert nearest_free_place(point, size, 4, room, boxes((20, 0, 48, 100))) == (54, 45)
    assert nearest_free_place(point, size, 4, room, boxes((52, 0, 100, 100))) == (26, 45)


def test_the_nearest_free_place_is_beside_a_point_or_a_line():
    point, line, nothing = (50, 50, 50, 50), (0, 50, 100, 50), boxes((-2, -2, -1, -1))
    left, bottom = nearest_free_place(point, (20, 10), 4, (100, 100), nothing)
    distance = np.hypot(max(left - 50, 30 - left, 0), max(bottom - 50, 40 - bottom, 0))
    assert 4 <= distance < 5
    _, bottom = nearest_free_place(line, (20, 10), 4, (100, 100), nothing)
    assert bottom in (54, 36)


def test_the_nearest_free_place_covers_nothing_and_may_not_exist():
    point, size, room = (50, 50, 50, 50), (20, 10), (100, 100)
    middle = boxes((20, 30, 80, 70))
    left, bottom = nearest_free_place(point, size, 4, room, middle)
    assert left >= 80 or left + 20 <= 20 or bottom >= 70 or bottom + 10 <= 30
    assert nearest_free_place(point, size, 4, room, middle, 15) is None
    assert nearest_free_place(point, (101, 10), 4, room, middle) is None
