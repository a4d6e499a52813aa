"""P-values: those of a paired test, and where the limits touch zero."""

import numpy as np
import pytest
from interval_data import query_data
from pooled import pooled_comparison
from scipy import stats

from sklearn_ap import average_precision_score, compare_average_precision

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_the_pvalue_of_folds_is_where_the_limits_touch_zero():
    rng = np.random.default_rng(1)
    y = (rng.random(300) < 0.3) * 1
    folds, scores = np.arange(300) % 3, {name: y + rng.normal(size=300) for name in "ab"}
    results = {name: {"y_score": each, "folds": folds} for name, each in scores.items()}

    def compared(level=0.95):
        return pooled_comparison(results, None, y, confidence_level=level)

    pvalue = compared().pvalues[1]
    assert 0.05 < pvalue < 0.95
    found = compared(1 - pvalue)
    ends = found.difference_lows[1], found.difference_highs[1]
    assert np.abs(ends).min() == pytest.approx(0, abs=1e-9)
    assert np.abs(ends).max() > 0.01


def test_two_models_over_queries_are_a_paired_t_test():
    y, s, queries = query_data()
    other = s + np.random.default_rng(1).normal(size=s.size)
    scores = {"a": s, "b": other}
    values = [
        average_precision_score(y, score, queries=queries, average=None)
        for score in scores.values()
    ]
    for alternative in ("two-sided", "less", "greater"):
        found = compare_average_precision(y, scores, queries=queries, alternative=alternative)
        known = stats.ttest_rel(values[1], values[0], alternative=alternative)
        assert found.pvalues[1] == pytest.approx(known.pvalue)
        limits = known.confidence_interval()
        low, high = max(limits.low, -1), min(limits.high, 1)
        assert (found.difference_lows[1], found.difference_highs[1]) == pytest.approx((low, high))
