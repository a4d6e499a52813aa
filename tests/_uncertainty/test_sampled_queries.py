"""Means over queries."""

import numpy as np
import pytest
from interval_data import S, Y, assert_same, drawn, query_data
from scipy import stats

import sklearn_ap
from sklearn_ap import average_precision_interval, compare_average_precision

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_a_mean_over_queries_has_the_error_of_a_mean():
    y, s, queries = query_data()
    values = sklearn_ap.average_precision_score(y, s, queries=queries, average=None)
    found = average_precision_interval(y, s, queries=queries)
    assert found.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(values.size))


def test_two_models_over_queries_are_a_paired_t_test():
    y, s, queries = query_data()
    other = s + np.random.default_rng(1).normal(size=s.size)
    scores = {"a": s, "b": other}
    values = [
        sklearn_ap.average_precision_score(y, score, queries=queries, average=None)
        for score in scores.values()
    ]
    for alternative in ("two-sided", "less", "greater"):
        found = compare_average_precision(y, scores, queries=queries, alternative=alternative)
        known = stats.ttest_rel(values[1], values[0], alternative=alternative)
        assert found.pvalues[1] == pytest.approx(known.pvalue)
        limits = known.confidence_interval()
        low, high = max(limits.low, -1), min(limits.high, 1)
        assert (found.difference_lows[1], found.difference_highs[1]) == pytest.approx((low, high))


def test_queries_of_equal_size_need_no_weights():
    y, s = drawn(60, 8)
    y[:, 0] = 1
    y[:, 1:3] = [1, 0]
    y[:, 3:] = 0
    flat = y.ravel(), s.ravel()
    queries = np.repeat(np.arange(60), 8)
    assert_same(
        average_precision_interval(*flat, queries=queries),
        average_precision_interval(*flat, queries=queries, average="weighted"),
    )


def test_one_query_says_nothing_of_others():
    found = average_precision_interval(Y, S, queries=np.zeros(10))
    assert (found.low, found.high, found.method) == (0, 1, "queries")
    assert np.isnan(found.standard_error)
    compared = compare_average_precision(Y, {"a": S, "b": -S}, queries=np.zeros(10))
    assert (compared.difference_lows[1], compared.difference_highs[1]) == (-1, 1)
    assert compared.pvalues[1] == 1


def test_samples_is_a_mean_over_queries():
    y, s = drawn(80, 6)
    samples = average_precision_interval(y, s, average="samples", zero_division=0.0)
    rows = np.repeat(np.arange(80), 6)
    assert_same(
        samples,
        average_precision_interval(y.ravel(), s.ravel(), queries=rows, zero_division=0.0),
    )
    assert samples.method == "queries"


def alike(n_queries, seed=0):
    """Queries that all score 8 / 15 in one system and 11 / 18 in another, with rows shuffled."""
    y = np.tile([0, 1, 0, 1, 1], (n_queries, 1))
    a, b = (np.tile(s, (n_queries, 1)) for s in ([5.0, 4, 3, 2, 1], [4.0, 5, 2, 1, 1]))
    order = np.random.default_rng(seed).permutation(5 * n_queries)
    queries = np.repeat(np.arange(n_queries), 5)
    flat = y.ravel()[order], {"a": a.ravel()[order], "b": b.ravel()[order]}
    return {
        "queries": (*flat, {"queries": queries[order]}),
        "weighted": (*flat, {"queries": queries[order], "average": "weighted"}),
        "samples": (y, {"a": a, "b": b}, {"average": "samples"}),
        "weighted samples": (
            y,
            {"a": a, "b": b},
            {"average": "samples", "sample_weight": np.full(n_queries, 0.1)},
        ),
        "clusters": (
            np.repeat(y, 3, axis=0),
            {name: np.repeat(s, 3, axis=0) for name, s in (("a", a), ("b", b))},
            {"average": "samples", "clusters": np.repeat(np.arange(n_queries), 3)},
        ),
    }


@pytest.mark.parametrize("kind", alike(1))
def test_queries_that_all_score_the_same_are_as_many_cases_whatever_rounding_leaves(kind):
    """Once, five of them had limits and six had none, with p < .0001."""
    for n in range(2, 101):
        y, scores, options = alike(n, seed=n)[kind]
        found = compare_average_precision(y, scores, **options)
        alone = average_precision_interval(y, scores["a"], **options)
        t = stats.t.ppf(0.975, n - 1)
        share = found.estimates[0]
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
    options = {"queries": np.repeat(np.arange(40), 50), "prevalence": 0.01}
    with pytest.warns(sklearn_ap.UncertaintyWarning, match=r"negatives for at most 0\.353 positiv"):
        found = sklearn_ap.average_precision_interval(y, s, **options)
    assert np.isnan(found.bias)
    options["prevalence"] = 0.3
    assert np.isnan(sklearn_ap.average_precision_interval(y, s, **options).bias)
