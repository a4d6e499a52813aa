"""Limits and p-values: digits, formulas, and how often the limits hold."""

import warnings

import numpy as np
import pytest
from interval_data import S, Y

from sklearn_ap import UncertaintyWarning, average_precision_interval, compare_average_precision

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize(("n", "low"), [(10, 0.566), (30, 0.764), (100, 0.895)])
def test_a_perfect_ranking_is_not_certain(n, low):
    found = average_precision_interval([1] * n + [0] * 9, [1.0] * n + [0.0] * 9)
    assert found.low == pytest.approx(low, abs=5e-4)
    assert (found.high, found.standard_error) == (1, 0)


@pytest.mark.parametrize("seed", range(3))
def test_a_perfect_ranking_of_weighted_rows_has_no_variance(seed):
    """Two sums of the same weights differ by rounding, which is no positive out of sight."""
    rng = np.random.default_rng(seed)
    y, w = np.repeat([1, 0], 30), rng.lognormal(size=60)
    found = average_precision_interval(y, y + rng.random(60), sample_weight=w)
    assert found.standard_error == 0
    assert found.estimate == pytest.approx(1)


@pytest.mark.parametrize("level", [1e-9, 1 - 1e-16])
def test_any_level_has_limits(level):
    found = average_precision_interval(Y, S, confidence_level=level)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    compared = compare_average_precision(Y, {"a": S, "b": -S}, confidence_level=level)
    assert -1 <= compared.difference_lows[1] <= compared.difference_highs[1] <= 1


def test_what_rounding_leaves_between_two_perfect_rankings_is_no_difference():
    rng = np.random.default_rng(10)
    y = np.array([1] * 12 + [0] * 4)
    weight = np.round(rng.random(16), 2) + 0.01
    models = {name: y + rng.random(16) * 0.5 for name in "ab"}
    options = {"sample_weight": weight, "alternative": "greater"}
    with pytest.warns(UncertaintyWarning, match="A score of 1 shows no variance"):
        found = compare_average_precision(y, models, **options)
    assert 0 < found.differences[1] < 1e-15
    assert found.pvalues[1] == 1


def test_a_large_bias_of_means_is_said_where_models_are_compared():
    rng = np.random.default_rng(0)
    y = (rng.random((400, 30)) < 0.05).astype(int)
    y[0] = 1
    scores = {"a": rng.normal(size=y.shape) + y, "b": rng.normal(size=y.shape) + 2 * y}
    with pytest.warns(UncertaintyWarning, match="A third of such a bias may not be known"):
        compare_average_precision(y, scores)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*of such a bias")
        compare_average_precision(y[:, 0], {"a": scores["a"][:, 0], "b": scores["b"][:, 0]})
        y = (rng.random((5_000, 3)) < 0.2).astype(int)
        compare_average_precision(y, {"a": rng.normal(size=y.shape) + y, "b": y + 0.5})
