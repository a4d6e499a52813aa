"""Orders are drawn alike, and p-values are those of a permutation test."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from every import every
from scipy.stats import chisquare, permutation_test

from sklearn_ap import average_precision_score, chance_test
from sklearn_ap.chance._permutation import sample_ranks


@every(("n_rows", "n_positives"), [(6, 2), (6, 5), (5, 1)])
def test_all_sets_of_ranks_are_equally_likely(n_rows, n_positives):
    ranks = sample_ranks(n_rows, n_positives, 3000, np.random.default_rng(0))
    found = Counter(map(tuple, np.sort(ranks, axis=1).tolist()))
    sets = [*combinations(range(n_rows), n_positives)]
    assert found.keys() == {*sets}
    assert chisquare([found[each] for each in sets]).pvalue > 0.01


def test_the_pvalue_is_that_of_a_permutation_test():
    y, s = np.array([1, 0, 1, 0, 0, 1]), np.arange(6.0)[::-1]
    exact = permutation_test(
        *((y,), lambda labels: average_precision_score(labels, s)),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
    )
    found = chance_test(y, s, n_permutations=20_000)
    assert found.score == pytest.approx(exact.statistic)
    assert found.pvalue == pytest.approx(exact.pvalue, abs=0.02)
    assert found.chance == pytest.approx(exact.null_distribution.mean())
