"""Means over queries."""

import numpy as np
import pytest
from every import every
from interval_data import query_data
from scipy import stats

import sklearn_ap
from sklearn_ap import average_precision_interval, compare_average_precision

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


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


@every("kind", ["macro", "weighted", "weighted samples", "samples in clusters"])
def test_queries_that_all_score_the_same_are_as_many_cases_whatever_rounding_leaves(kind):
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
    with pytest.warns(sklearn_ap.UncertaintyWarning, match=r"negatives for at most 0\.353 positiv"):
        found = sklearn_ap.average_precision_interval(y, s, **options)
    assert np.isnan(found.bias)
    options["prevalence"] = 0.3
    assert np.isnan(sklearn_ap.average_precision_interval(y, s, **options).bias)
