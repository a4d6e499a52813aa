"""Limits: digits, formulas, and how often they hold."""

import warnings

import numpy as np
import pytest
from interval_data import S, Y, assert_same, drawn, numbers
from scipy import stats

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
)
from sklearn_ap._uncertainty import _resampling
from sklearn_ap._uncertainty.confidence_limits import limits_of_part
from sklearn_ap.definitions import AtK, Interpolated, Step

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


def test_envelope_bias_is_estimated_only_if_it_may_be_large():
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


def envelope(y, s, n_levels=None):
    """The best precision at this recall or a higher one, on average over recalls or over levels."""
    hits = y[np.argsort(-s)]
    precision = np.cumsum(hits) / np.arange(1, y.size + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1][hits == 1]
    if n_levels is None:
        return best.mean()
    needed = np.ceil(np.arange(n_levels) * best.size / (n_levels - 1) - 1e-9).astype(int)
    return best[np.maximum(needed, 1) - 1].mean()


@pytest.mark.parametrize("levels", [None, 101])
def test_envelope_bias_is_three_halves_of_the_jackknife_bias(levels):
    """Of 12 images with three classes, each is left out once."""
    rng = np.random.default_rng(0)
    image, category = np.repeat(np.arange(12), 30), np.tile(np.arange(3), 120)
    y = (rng.random(360) < 0.3) * 1
    s = rng.normal(size=360) + y

    def mean(kept, levels=None):
        of_each = (kept & (category == each) for each in range(3))
        return np.mean([envelope(y[rows], s[rows], levels) for rows in of_each])

    whole = mean(image >= 0)
    bias = 1.5 * sum(mean(image != each) - whole for each in range(12))
    options = {"queries": category, "clusters": image, "definition": Interpolated(levels)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncertaintyWarning)
        found = average_precision_interval(y, s, **options)
        few_levels = average_precision_interval(y, s, **options | {"definition": Interpolated(11)})
    assert found.bias == pytest.approx(bias)
    assert found.estimate == pytest.approx(mean(image >= 0, levels))
    assert np.isnan(few_levels.bias)


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


@pytest.mark.parametrize("options", ["weights", "missed"])
def test_clusters_without_rows_of_a_query_do_not_change_it(options, monkeypatch):
    """Also if each image holds this class once, or a single image does."""
    monkeypatch.setattr(_resampling, "N_RESAMPLES", 2999)
    rng = np.random.default_rng(0)
    queries = np.repeat(np.arange(4), [42, 800, 30, 9])
    images = np.r_[np.arange(42) // 7, np.arange(800) // 4, np.arange(30), np.full(9, 3)]
    y = rng.random(queries.size) < 0.4
    s, w = y + rng.normal(size=y.size), rng.exponential(size=y.size)
    missed = 7 + np.bincount(queries, y)

    def of(rows, known, **more):
        more |= {"sample_weight": w[rows]} if options == "weights" else {"n_positives": known}
        more |= {"clusters": images[rows], "definition": AtK(5)}
        return numbers(average_precision_interval(y[rows], s[rows], **more))

    beside = of(slice(None), missed, queries=queries, average=None)
    for i, known in enumerate(missed):
        np.testing.assert_allclose(beside[:, i], of(queries == i, known), rtol=0.1)


# ---- differences and parts


def test_limits_of_a_difference_of_means_are_bias_corrected():
    y, a = drawn(100, 3)
    b = a + np.random.default_rng(1).normal(size=a.shape)
    compared = compare_average_precision(y, {"a": a, "b": b})
    biases = [average_precision_interval(y, each).bias for each in (a, b)]
    middle = (compared.difference_lows[1] + compared.difference_highs[1]) / 2
    assert middle == pytest.approx(compared.differences[1] - (biases[1] - biases[0]))
    assert abs(biases[1] - biases[0]) > 1e-3


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


@pytest.mark.filterwarnings("ignore:The area under the ROC curve")
@pytest.mark.parametrize("kind", ["macro", "weighted", "weighted samples", "samples in clusters"])
def test_equal_queries_count_as_separate_cases_despite_rounding(kind):
    """Once, five of them had limits and six had none, with p < .0001."""
    for n in range(2, 101, 9 if "samples" in kind else 2):
        y, scores, options = alike(n, kind)
        found = compare_average_precision(y, scores, **options)
        alone = average_precision_interval(y, scores["a"], **options)
        t, share = stats.t.ppf(0.975, n - 1), found.estimates[0]
        half = np.sqrt(share * (1 - share) * n + t**2 / 4) * t
        limits = (share * n + t**2 / 2 + np.array([-half, half])) / (n + t**2)
        assert alone.standard_error == found.difference_standard_errors[1] == 0
        np.testing.assert_allclose([alone.low, alone.high], limits, rtol=1e-9)
        difference = found.differences[1]
        assert abs(difference) > 0.05
        assert found.pvalues[1] == pytest.approx(2 * stats.t.sf(abs(difference) * n, n - 1))
        assert found.difference_lows[1] < difference < found.difference_highs[1]


def test_queries_at_another_prevalence_warn_of_few_negatives():
    y = np.tile(np.repeat([1, 0], [15, 35]), 40)
    s = y + np.random.default_rng(0).normal(size=y.size)
    queries = np.repeat(np.arange(100), [50] * 40 + [5] * 60)  # the last have no positive
    y, s = np.append(y, np.zeros(300, int)), np.append(s, np.zeros(300))
    options = {"queries": queries, "prevalence": 0.01, "zero_division": 0.0}
    with pytest.warns(UncertaintyWarning, match=r"negatives for at most 0\.353 positiv"):
        found = average_precision_interval(y, s, **options)
    assert np.isnan(found.bias)
    options["prevalence"] = 0.3
    assert np.isnan(average_precision_interval(y, s, **options).bias)
