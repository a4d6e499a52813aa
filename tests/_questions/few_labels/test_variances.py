"""The variance of a mean over queries, few of which have labels."""

import numpy as np
import pytest
from scipy import stats

from sklearn_ap import average_precision_interval

N = 4000


def half_of_queries(g, left, estimate, chance):
    """Wilson's limits of a mean over queries, from the textbook."""
    n = g.size
    rest = (1 - chance) * left**2 + chance * g**2
    variance = rest.sum() / n / (n - 1)
    part = variance / (np.sum(g**2) / n / (n - 1))
    t, m = stats.t.ppf(0.975, n - 1), estimate * (1 - estimate) / variance
    middle = (estimate + t**2 / 2 / m) / (1 + t**2 / m)
    root = t / (1 + t**2 / m) * np.sqrt(variance + (t / 2 / m) ** 2)
    hidden = 1 - 0.05 ** (part / n)
    low = min(middle - root, estimate * (1 - hidden))
    return (max(middle + root, estimate * (1 - hidden) + hidden) - low) / 2


def test_interval_of_queries_follows_the_documented_formula():
    rng = np.random.default_rng(0)
    truth = rng.random(N) < 0.2
    judge = np.where(rng.random(N) < 0.9, truth, ~truth) * 1.0
    score = truth + rng.normal(size=N)
    query, chance = np.arange(N) // 20, 0.1
    truth[::20] = judge[::20] = True
    seen = np.isin(query, rng.choice(200, 20, replace=False))
    options = {"queries": query, "judge": judge, "inclusion_probability": "equal"}
    found = average_precision_interval(np.where(seen, truth, np.nan), score, **options)

    def of_query(label, i):
        order = np.argsort(-score[query == i])
        hits = label[query == i][order]
        return np.sum(hits * np.cumsum(hits) / np.arange(1, 21)) / hits.sum()

    pairs = [(of_query(truth, i), of_query(judge, i)) for i in np.unique(query[seen])]
    g, h = np.transpose(pairs) - np.mean(pairs, axis=0)[:, None]
    left = g - found.notes["judge_weight"] * h
    half = (found.high - found.low) / 2
    assert half_of_queries(g, left, found.estimate, chance) == pytest.approx(half, rel=1e-6)
