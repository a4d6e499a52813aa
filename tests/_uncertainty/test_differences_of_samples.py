"""Distances of limits of a difference from those of both scores."""

import pytest

from sklearn_ap._uncertainty.differences_of_samples import mover_distances
from sklearn_ap._uncertainty.hidden_rows import Distances


@pytest.mark.parametrize(
    ("correlation", "down", "up"),
    [(0, 5, 13), (1, 1, 7), (-1, 7, 17), (0.5, 13**0.5, 109**0.5)],
)
def test_a_difference_is_low_where_the_score_is_low_and_the_reference_is_high(
    correlation, down, up
):
    """Equation 28: as the sides of triangles with 3 and 4, and with 12 and 5."""
    found = mover_distances(Distances(3.0, 12.0), Distances(5.0, 4.0), correlation)
    assert found == pytest.approx((down, up))
