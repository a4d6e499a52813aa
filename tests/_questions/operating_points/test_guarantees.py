"""Exact binomial tests of thresholds."""

import re

import numpy as np
import pytest
from scipy.stats import beta

from sklearn_ap import operating_point
from sklearn_ap._questions.operating_points._guarantees import is_hardly_shown


def test_hardly_reachable_precision_is_recognized_from_all_thresholds():
    """Each threshold's test is looked at here, and only those near its median there."""
    rng, answers = np.random.default_rng(0), []
    for _ in range(1000):
        is_positive = rng.random(rng.integers(1, 60)) < rng.random()
        size = 1.0 + np.flatnonzero(is_positive)
        tps, rows_of_one = np.arange(1.0, 1 + size.size), rng.choice([0.3, 1, 2.5])
        precision = rng.choice([0.01, 0.05, 0.2, 0.5, 0.8, 0.9, 0.99, 1.0])
        if not size.size:
            continue
        shapes = tps * rows_of_one, (size - tps) * rows_of_one + 1
        expected = bool((beta.cdf(min(precision, 0.5**0.1), *shapes) > 0.5).all())
        assert is_hardly_shown(tps, size, precision, rows_of_one) == expected
        answers.append(expected)
    assert 300 < np.sum(answers) < 700


@pytest.mark.parametrize(
    "goal", [{"precision": 0.8}, {"recall": 0.8}, {"precision": 0.7, "prevalence": 0.05}]
)
def test_suggested_number_of_random_labels_usually_gives_a_threshold(goal):
    def drawn(n, seed):
        rng = np.random.default_rng(seed)
        y = rng.random(n) < 0.1
        y[0] = True
        return y, rng.normal(size=n) + 2.3 * y, rng.random(n)

    y, s, u = drawn(20_000, 0)
    chance = np.where(s > 2, 1.0, 0.1)
    rows, weight = u < chance, 1 / chance[u < chance]
    with pytest.raises(ValueError, match="not go with sample_weight") as raised:
        operating_point(y[rows], s[rows], sample_weight=weight, guarantee=0.9, **goal)
    n = int(re.search(r"About ([\d,]+) would do", str(raised.value))[1].replace(",", ""))
    for size, low, high in ((n, 0.6, 1.0), (n // 10, 0.0, 0.4)):
        points = [operating_point(*drawn(size, i)[:2], guarantee=0.9, **goal) for i in range(40)]
        assert low <= np.mean([point.recall > 0 for point in points]) <= high
