"""What is drawn of a definition."""

import numpy as np
import pytest

from sklearn_ap import threshold_counts
from sklearn_ap.definitions import Interpolated, Linear, RecallAtPrecision, Step
from sklearn_ap.definitions._for_displays import point, samples, shade
from sklearn_ap.definitions._prevalence import at_prevalence


def test_shade_covers_the_area_between_lines_and_steps():
    """From 1 down to the 1/2 of the tied pair; then from 1/3 up to 1/2, which adds nothing."""
    counts = threshold_counts([1, 0, 0, 1], [2, 2, 1, 0])
    recall, lower, upper = shade(Linear(), counts)[:3]
    assert recall == pytest.approx([0, 1 / 2, 1 / 2, 1])
    assert lower == pytest.approx([1 / 2, 1 / 2, 1 / 2, 1 / 2])
    assert upper == pytest.approx([1, 1 / 2, 1 / 2, 1 / 2])


def test_unreachable_point_is_not_marked():
    assert RecallAtPrecision()(threshold_counts([0, 1], [2, 1])) == 0
    assert point(RecallAtPrecision(), threshold_counts([0, 1], [2, 1])) is None


@pytest.mark.parametrize(
    ("question", "definition"),
    [(samples, Interpolated(11)), (point, RecallAtPrecision(0.2)), (shade, Linear())],
)
def test_definitions_at_a_prevalence_are_drawn_as_what_they_wrap(question, definition):
    counts = threshold_counts([1, 0, 1, 0, 0], [4, 3, 3, 2, 1])
    found = question(at_prevalence(definition, 0.2), counts)
    expected = question(definition, counts.at_prevalence(0.2))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert question(Step(), counts) is None
