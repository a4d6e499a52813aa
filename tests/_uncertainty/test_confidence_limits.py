"""Limits and p-values: digits, formulas, and how often the limits hold."""

import warnings

import numpy as np
import pytest
from interval_data import S, Y, drawn

from sklearn_ap import UncertaintyWarning, average_precision_interval, compare_average_precision
from sklearn_ap.definitions import Interpolated, Step

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
    """It is 1.5 standard errors of the smallest difference, and 0.45 of the other."""
    y, s = drawn(300, 8)
    rng = np.random.default_rng(1)
    scores = {"a": s, "near": s + 0.3 * rng.normal(size=s.shape), "far": rng.normal(size=s.shape)}
    text = r"unknown bias: .* by up to 0\.0091, where the standard error of a difference is 0\.0060"
    with pytest.warns(UncertaintyWarning, match=text):
        compare_average_precision(y, scores)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "unknown bias")
        compare_average_precision(y, {name: scores[name] for name in ("a", "far")})
        compare_average_precision(y[:, 0], {name: each[:, 0] for name, each in scores.items()})


def test_an_infinite_error_gives_no_limit_at_any_level():
    """One cluster, at a level whose quantile is 0."""
    options = {"clusters": 0 * Y, "alternative": "greater", "confidence_level": 0.5}
    compared = compare_average_precision(Y, {"a": S, "b": -S}, **options)
    assert (compared.difference_lows[1], compared.difference_highs[1]) == (-1, 1)


def test_the_bias_of_an_envelope_is_looked_for_where_that_of_the_steps_is_a_third_of_much():
    """Here it is a fifth of a standard error of the mean, less than a quarter."""
    y, s = drawn(100, 3)
    found, steps = (
        average_precision_interval(y, s, definition=d) for d in (Interpolated(), Step())
    )
    assert 0.15 < steps.bias / found.standard_error < 0.25
    assert found.bias > 0
    # A better model has no bias that is looked for, so that of the difference is not known.
    found = compare_average_precision(y, {"a": s, "b": s + 3 * y}, definition=Interpolated())
    limits = found.difference_lows[1], found.difference_highs[1]
    assert np.mean(limits) == pytest.approx(found.differences[1])
