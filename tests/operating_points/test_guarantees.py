"""Exact binomial tests of thresholds."""

import numpy as np
from scipy.stats import beta

from sklearn_ap.operating_points._guarantees import is_hardly_shown


def test_a_precision_is_hardly_shown_if_no_threshold_has_so_many_positives_in_half_of_samples():
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
