"""What sets hyperbolic average precision apart."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score, definitions, threshold_counts


def test_constant_scores_give_the_prevalence():
    assert definitions.Hyperbolic()(threshold_counts([1, 0, 0, 0], np.zeros(4))) == 0.25


def test_it_is_what_random_order_attains_in_a_large_tied_block():
    """Davis and Goadrich interpolate as if the tied items came in proportion."""
    rng = np.random.default_rng(0)
    y_true = rng.permutation(np.repeat([1, 0], [200_000, 600_000]))
    y_score = np.where(rng.random(y_true.size) < 0.2 + 0.5 * y_true, 1, 0)
    broken = average_precision_score(y_true, y_score + rng.random(y_true.size) / 2)
    ours = definitions.Hyperbolic()(threshold_counts(y_true, y_score))[0]
    assert ours == pytest.approx(broken, abs=1e-3)
    assert ours != pytest.approx(average_precision_score(y_true, y_score), abs=1e-2)


def test_a_positive_tied_with_a_negative_below_ten_million_items():
    """The mean of (1 + x) / (n + 2x) over x in [0, 1], by its series: logarithms would cancel."""
    n = 10_000_000
    y_true, y_score = np.zeros(n + 2, int), np.ones(n + 2)
    y_true[[0, -1]], y_score[0], y_score[-2:] = 1, 2, 0
    second = definitions.Hyperbolic()(threshold_counts(y_true, y_score))[0] - 1 / 2
    assert 2 * second == pytest.approx(1.5 / n - 5 / 3 / n**2, rel=1e-6)


def test_without_positives_it_is_nan():
    assert np.isnan(definitions.Hyperbolic()(threshold_counts([0, 0], [1, 2])))
