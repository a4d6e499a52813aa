"""Limits: digits, formulas, and how often they hold."""

import numpy as np
import pytest
from interval_data import S, Y

from sklearn_ap import (
    compare_average_precision,
)
from sklearn_ap._uncertainty.former.confidence_limits import limits_of_part

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize("level", [1e-9, 1 - 1e-16])
def test_any_level_has_limits(level):
    compared = compare_average_precision(Y, {"a": S, "b": -S}, confidence_level=level)
    assert -1 <= compared.difference_lows[1] <= compared.difference_highs[1] <= 1


def test_rounding_between_perfect_rankings_is_not_a_significant_difference():
    rng = np.random.default_rng(10)
    y = np.array([1] * 12 + [0] * 4)
    weight = np.round(rng.random(16), 2) + 0.01
    models = {name: y + rng.random(16) * 0.5 for name in "ab"}
    options = {"sample_weight": weight, "alternative": "greater"}
    found = compare_average_precision(y, models, **options)
    assert 0 < found.differences[1] < 1e-15
    assert found.pvalues[1] == 1


def test_infinite_standard_error_gives_limits_of_minus_1_and_1():
    """One cluster, at a level whose quantile is 0."""
    options = {"clusters": 0 * Y, "alternative": "greater", "confidence_level": 0.5}
    compared = compare_average_precision(Y, {"a": S, "b": -S}, **options)
    assert (compared.difference_lows[1], compared.difference_highs[1]) == (-1, 1)


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
