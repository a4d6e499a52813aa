"""Limits: digits, formulas, and how often they hold."""

import numpy as np
import pytest
from interval_data import S, Y, assert_same, drawn

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
)
from sklearn_ap._uncertainty.former.confidence_limits import limits_of_part
from sklearn_ap.definitions import AtK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


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


def envelope(y, s, n_levels=None):
    """The best precision at this recall or a higher one, on average over recalls or over levels."""
    hits = y[np.argsort(-s)]
    precision = np.cumsum(hits) / np.arange(1, y.size + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1][hits == 1]
    if n_levels is None:
        return best.mean()
    needed = np.ceil(np.arange(n_levels) * best.size / (n_levels - 1) - 1e-9).astype(int)
    return best[np.maximum(needed, 1) - 1].mean()


# ---- weights of rows of any size, and the weights that a prevalence gives to the classes


def test_scaling_weights_and_k_together_changes_nothing():
    y, s = drawn(3000)
    first, second = (
        average_precision_interval(
            y, s, definition=AtK(2000 * i), sample_weight=i * np.where(y, 1.0, 6.0)
        )
        for i in (1, 8)
    )
    assert_same(first, second)


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


# ---- means over queries


def alike(n, kind):
    """Queries that all score 8 / 15 in one system and 11 / 18 in another, with rows shuffled."""
    rows = [0, 1, 0, 1, 1], [5.0, 4, 3, 2, 1], [4.0, 5, 2, 1, 1]
    y, a, b = (np.tile(row, (n, 1)) for row in rows)
    if kind == "weighted samples":
        return y, {"a": a, "b": b}, {"average": "samples", "sample_weight": np.full(n, 0.1)}
    if kind == "samples in clusters":
        rows = np.repeat(np.arange(n), 3)
        return y[rows], {"a": a[rows], "b": b[rows]}, {"average": "samples", "clusters": rows}
    order, queries = np.random.default_rng(n).permutation(5 * n), np.repeat(np.arange(n), 5)
    options = {"queries": queries[order], "average": kind}
    return y.ravel()[order], {"a": a.ravel()[order], "b": b.ravel()[order]}, options
