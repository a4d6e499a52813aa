"""Where a textbook has a formula, the test of a difference is its own."""

import numpy as np
import pytest
from scipy.stats import t, ttest_rel

from sklearn_ap import (
    average_precision_score,
    compare_average_precision,
)

RNG = np.random.default_rng(0)
QUERIES = np.repeat(np.arange(40), 6)
Y = RNG.integers(0, 2, QUERIES.size)
Y[::6] = 1  # each query has a positive
SCORES = {name: 0.5 * Y + RNG.normal(size=Y.size) for name in "ab"}
A, B = (average_precision_score(Y, s, queries=QUERIES, average=None) for s in SCORES.values())


def test_a_difference_over_queries_has_students_paired_test():
    found = compare_average_precision(Y, SCORES, queries=QUERIES)
    error = np.std(B - A, ddof=1) / np.sqrt(A.size)
    assert found.difference_standard_errors[1] == pytest.approx(error, rel=1e-9)
    assert found.pvalues[1] == pytest.approx(ttest_rel(B, A).pvalue, rel=1e-6)
    low = np.mean(B - A) - t.ppf(0.975, A.size - 1) * error
    assert found.difference_lows[1] == pytest.approx(low, rel=1e-6)
