"""The correlation of scores of groups that share clusters."""

import numpy as np
import pytest

from sklearn_ap._uncertainty.segments import Groups, _correlations
from sklearn_ap._uncertainty.shrinkage import ONE_UNIT


def correlation(one, other):
    groups = (Groups(np.ones(1), ONE_UNIT, each and np.array([each])) for each in (one, other))
    return _correlations(*groups).item()


def test_few_clusters_show_too_much_of_a_positive_correlation():
    """Two clusters always have a correlation of 1 or -1, as their influences add up to 0."""
    assert correlation([1.0, -1.0], [2.0, -2.0]) == 0
    assert correlation([1.0, -1.0], [-2.0, 2.0]) == pytest.approx(-1)
    assert correlation([1.0, -2.0, 1.0], [2.0, -4.0, 2.0]) == pytest.approx(1 / 3)
    # Of the last three clusters, each has rows in one group, or no influence there.
    one, other = [1.0, -1.0, 1.0, -1.0, 3.0, 0.0, 1e-18], [1.0, -1.0, 1.0, -1.0, 0.0, 4.0, 1.0]
    expected = 4 / np.sqrt(13 * 21) * (1 - 2 / 4)
    assert correlation(one, other) == pytest.approx(expected)


def test_groups_without_clusters_or_without_influence_are_not_correlated():
    assert correlation(None, None) == 0
    assert correlation([0.0, 0.0, 0.0], [1.0, -2.0, 1.0]) == 0
