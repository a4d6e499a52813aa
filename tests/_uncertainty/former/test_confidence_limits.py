"""Limits: digits, formulas, and how often they hold."""

import numpy as np
import pytest

from sklearn_ap._uncertainty.former.confidence_limits import limits_of_part

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


# ---- differences and parts


@pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.6])
def test_limit_of_a_share_agrees_with_the_limit_of_a_difference(correlation):
    """Of x and y, p is the lower limit of x / (x + y) where (1 - p) x - p y has the limit 0."""
    one, other = np.array([0.3, 0.25, 0.37]), np.array([0.2, 0.12, 0.29])
    part, low, high = limits_of_part(one, other, correlation)
    assert part == pytest.approx(0.6)
    for (x, y), p in (((one, other), low), ((other, one), 1 - high)):
        below, above = (1 - p) * (x[0] - x[1]), p * (y[2] - y[0])
        square = below**2 + above**2 - 2 * correlation * below * above
        assert (1 - p) * x[0] - p * y[0] == pytest.approx(np.sqrt(square))
