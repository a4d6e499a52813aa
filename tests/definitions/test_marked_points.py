"""The points that displays mark, which make the value of a definition."""

import numpy as np
import pytest

from sklearn_ap import threshold_counts
from sklearn_ap.definitions import Interpolated, RecallAtPrecision, Step
from sklearn_ap.definitions._prevalence import at_prevalence


@pytest.mark.parametrize("definition", [Interpolated(11), RecallAtPrecision(0.2)])
def test_definitions_at_a_prevalence_are_drawn_as_what_they_wrap(definition):
    counts = threshold_counts([1, 0, 1, 0, 0], [4, 3, 3, 2, 1])
    found = at_prevalence(definition, 0.2).marked_points(counts)
    np.testing.assert_array_equal(found, definition.marked_points(counts.at_prevalence(0.2)))
    assert Step().marked_points(counts) is None
