"""Limits and p-values: digits, formulas, and how often the limits hold."""

import warnings

import numpy as np
import pytest
from interval_data import S, Y, drawn, influences, jackknife, models
from scipy import stats

import sklearn_ap
from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    best_average_precision,
    compare_average_precision,
)
from sklearn_ap._uncertainty.influence import RowInfluences
from sklearn_ap._uncertainty.sampling_units import EffectiveSizes, Positives, SamplingUnits
from sklearn_ap._uncertainty.variance import Shrunken, _shrink, variance_of_average
from sklearn_ap.definitions import Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize(("n", "low"), [(10, 0.566), (30, 0.764), (100, 0.895)])
def test_a_perfect_ranking_is_not_certain(n, low):
    found = average_precision_interval([1] * n + [0] * 9, [1.0] * n + [0.0] * 9)
    assert found.low == pytest.approx(low, abs=5e-4)
    assert (found.high, found.standard_error) == (1, 0)


@pytest.mark.parametrize("seed", range(12))
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


@pytest.mark.parametrize("few", [False, True])
def test_a_known_comparison_by_the_formula(few):
    y, scores = models()
    if few:  # rows decide, and there are few degrees of freedom
        scores["b"] = scores["a"].copy()
        scores["b"][np.flatnonzero(y)[:2]] += [3, -2]
    a, b = (influences(Step(), y, scores[name]) for name in "ab")
    n, moved = y.sum(), b - a
    variance = (moved**2).sum() * n / (n - 1)
    fourth = (moved**4).sum() * (n / (n - 1)) ** 2
    nu = 2 * variance**2 / (fourth - variance**2 / y.size)
    found = compare_average_precision(y, scores)
    t = found.differences[1] / np.sqrt(variance + 4 / ((nu + 4) * n**2))
    p = 2 * stats.t.sf(abs(t), min(nu + 4, n - 1))
    assert found.pvalues[1] == pytest.approx(p)
    assert found.difference_standard_errors[1] == pytest.approx(np.sqrt(variance))


def test_a_macro_average_by_the_formula():
    y, s = drawn(150, 3)
    y[:, 2] &= np.arange(150) % 3 == 0
    level, parts = 0.9, []
    for c in range(3):
        moved, n = influences(Step(), y[:, c], s[:, c]), y[:, c].sum()
        parts.append((moved * np.sqrt(n / (n - 1)), n))
    values = sklearn_ap.average_precision_score(y, s, average=None)
    mean = values.mean()
    joint = ((sum(moved for moved, _ in parts) / 3) ** 2).sum()
    shrunken = []
    for value, (moved, n) in zip(values, parts, strict=True):
        variance = (moved**2).sum()
        nu = 2 * variance**2 / ((moved**4).sum() - variance**2 / 150)
        share = max(value * (1 - value), mean * (1 - mean))
        prior = max(1, 0.65 * np.log(n)) * share / n
        shrunken.append((nu * variance + 4 * prior) / (nu + 4))
        joint += (shrunken[-1] - variance) / 9
    weights = np.array(shrunken) / 9
    degrees = weights.sum() ** 2 / (weights**2 / [n - 1 for _, n in parts]).sum()
    m = mean * (1 - mean) / joint / stats.t.ppf(0.5 + level / 2, degrees) ** 2
    half = np.sqrt(mean * (1 - mean) / m + 1 / (4 * m**2))
    found = average_precision_interval(y, s, confidence_level=level)
    bias = np.mean([jackknife(Step(), y[:, c], s[:, c]) for c in range(3)])
    assert found.bias == pytest.approx(bias)
    assert found.low == pytest.approx((mean + 1 / (2 * m) - half) / (1 + 1 / m) - bias)
    assert found.high == pytest.approx((mean + 1 / (2 * m) + half) / (1 + 1 / m) - bias)


def test_a_difference_of_means_is_shifted_by_that_of_their_biases():
    rng = np.random.default_rng(3)
    y = (rng.random((400, 30)) < 0.05).astype(int)
    y[0] = 1
    scores = {"a": rng.normal(size=y.shape) + y, "b": rng.normal(size=y.shape) + 2 * y}
    biases = [average_precision_interval(y, s).bias for s in scores.values()]
    found = compare_average_precision(y, scores)
    middle = (found.difference_lows[1] + found.difference_highs[1]) / 2
    shifted = found.differences[1] - (biases[1] - biases[0])
    assert middle == pytest.approx(shifted)
    assert abs(middle - found.differences[1]) > 0.3 * found.difference_standard_errors[1]
    each = compare_average_precision(y, scores, average=None)  # a single ranking varies more
    middle = (each.difference_lows[1] + each.difference_highs[1]) / 2
    np.testing.assert_allclose(middle, each.differences[1])
    same = compare_average_precision(y, {"a": scores["a"], "b": scores["a"] + 1})
    assert same.pvalues[1] == 1


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


def test_the_best_of_means_is_looked_for_without_their_biases():
    # Model "b" finds 17% of the positives surely and no others, so its score is hardly biased.
    rng = np.random.default_rng(2)
    y = np.zeros((500, 40), int)
    y[:10] = 1
    a = rng.normal(size=y.shape) + 1.5 * y
    b = rng.random(y.shape) + (y & (rng.random(y.shape) < 0.17))
    found = compare_average_precision(y, {"a": a, "b": b}, alternative="less")
    assert found.pvalues[1] > 0.1
    t = found.differences[1] / found.difference_standard_errors[1]
    assert stats.norm.cdf(t) < 0.03  # with their biases
    assert best_average_precision(y, {"a": a, "b": b}).may_be_best == ("a", "b")


def test_columns_that_vary_against_each_other_keep_what_is_added():
    shown = np.array([0.05]), np.full(2, 0.5), np.ones(2)  # of the mean, shares, of each
    degrees = np.full(2, 9.0)
    added = variance_of_average(*shown, Shrunken(np.full(2, 1.2)), degrees)
    assert added[0] == pytest.approx(0.05 + 2 * 0.25 * 0.2)
    of_each = Shrunken(np.full(2, 0.8), from_prior=np.full(2, 0.3))
    taken = variance_of_average(*shown, of_each, degrees)
    assert taken[0] == pytest.approx(2 * 0.25 * 0.3)


def test_p_values_are_adjusted_as_holm_says():
    y, scores = models()
    found = compare_average_precision(y, scores)
    p = found.pvalues[1:]  # by hand, as SciPy has no Holm
    order = np.argsort(p)
    by_hand = np.maximum.accumulate(p[order] * [3, 2, 1]).clip(max=1)
    np.testing.assert_allclose(found.adjusted_pvalues[1:][order], by_hand)


def test_one_sided_p_values_are_shares_of_the_two_sided():
    y, scores = models()
    two, less, greater = (
        compare_average_precision(y, scores, alternative=name)
        for name in ("two-sided", "less", "greater")
    )
    np.testing.assert_allclose((less.pvalues + greater.pvalues)[1:], 1)
    np.testing.assert_allclose(np.minimum(less.pvalues, greater.pvalues)[1:], two.pvalues[1:] / 2)
    assert (less.difference_lows[1:] == -1).all()
    assert (greater.difference_highs[1:] == 1).all()
    assert (less.difference_highs < two.difference_highs)[1:].all()


@pytest.mark.parametrize(
    ("shift", "n", "prevalence"), [(1.0, 20, 0.1), (5.0, 30, 0.5), (0.0, 20, 0.1)]
)
def test_intervals_hold_the_score_of_the_population(shift, n, prevalence):
    rng = np.random.default_rng(0)

    def sample(size):
        y = (rng.random(size) < prevalence).astype(int)
        return y, rng.normal(size=size) + shift * y

    target, held = sklearn_ap.average_precision_score(*sample(500_000)), []
    for _ in range(200):
        found = average_precision_interval(*sample(round(n / prevalence)))
        held.append(found.low <= target <= found.high)
    assert np.mean(held) >= 0.93


def test_equal_models_seldom_differ():
    rng, found = np.random.default_rng(0), []
    for _ in range(200):
        y = (rng.random(400) < 0.1).astype(int)
        common = rng.normal(size=400) + y
        scores = {name: common + rng.normal(size=400) for name in "ab"}
        found.append(compare_average_precision(y, scores).pvalues[1] < 0.05)
    assert np.mean(found) < 0.08


def influences_of(
    n_effective, n_effective_positives, false_positive_cost=0.0, effective_sizes=None
):
    """Of one ranking that shows nothing else."""
    nothing = np.zeros((1, 1))
    return RowInfluences(
        values=nothing[0],
        is_defined=nothing[0] == 0,
        by_unit=nothing,
        n_effective=n_effective,
        n_effective_positives=n_effective_positives,
        bias_of_values=np.nan,
        multiplicity=1.0,
        units=SamplingUnits(1.0, nothing[0], None),
        positives=Positives(n_effective, n_effective_positives, n_effective_positives),
        is_one_number=True,
        false_positive_cost=false_positive_cost,
        effective_sizes=effective_sizes,
    )


def test_heavy_negatives_add_at_most_what_three_false_alarms_cost():
    """Of 20 effective positives, 100 if all negatives weighed the same."""
    prior, alone = (0.65 * np.log(n) * 0.25 / n for n in (20, 100))
    for false_positive_cost, heavy in ((0.01, 0.0009), (1.0, prior - alone), (0.0, 0.0)):
        variance, degrees, n_effective, n_effective_positives = np.array(
            [[0.002], [4.0], [20.0], [100.0]]
        )
        influences = influences_of(
            n_effective, n_effective_positives, false_positive_cost=np.array([false_positive_cost])
        )
        shrunken, from_prior, from_heavy = _shrink(influences, variance, degrees, np.array([0.25]))
        assert from_heavy == pytest.approx(heavy / 2)  # 4 degrees weigh as much as the prior
        assert from_prior == pytest.approx((alone + heavy) / 2)
        assert shrunken == pytest.approx(0.001 + (alone + heavy) / 2)


def test_many_cases_in_each_cluster_leave_less_to_be_hidden():
    n_effective, degrees, variance = np.array([[20.0], [4.0], [0.002]])
    sizes = EffectiveSizes(np.array([80.0]), n_effective)  # four in each
    influences = influences_of(n_effective, n_effective, effective_sizes=sizes)
    _, from_prior, _ = _shrink(influences, variance, degrees, np.array([0.25]))
    assert from_prior == pytest.approx(0.65 * np.log(80) / 2 * 0.25 / 80 / 2)


def test_what_columns_share_does_not_cancel_out():
    shown = np.array([0.3]), np.full(4, 0.25), np.ones(4)  # of the mean, shares, of each
    shrunken, shared = np.full(4, 1.5), np.full(4, 0.2)
    of_each = Shrunken(shrunken, from_negatives=shared)
    added, _ = variance_of_average(*shown, of_each, np.full(4, 9.0))
    assert added == pytest.approx(0.3 + (1.5 - 0.2 - 1) / 4 + 0.2)
