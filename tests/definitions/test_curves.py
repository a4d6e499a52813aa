"""What sets linear and hyperbolic average precision apart."""

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve

from sklearn_ap import definitions, threshold_counts


def test_linear_equals_the_trapezoid_area_of_scikit_learn():
    rng = np.random.default_rng(0)
    for n_scores in (1, 3, 1000):
        y_true, y_score = rng.integers(0, 2, 300), rng.integers(0, n_scores, 300)
        precision, recall, _ = precision_recall_curve(y_true, y_score)
        ours = definitions.Linear()(threshold_counts(y_true, y_score))[0]
        assert ours == pytest.approx(auc(recall, precision), abs=1e-12)


@pytest.mark.slow
def test_a_positive_tied_with_a_negative_below_ten_million_items():
    """The mean of (1 + x) / (n + 2x) over x in [0, 1], by its series: logarithms would cancel."""
    n = 10_000_000
    y_true, y_score = np.zeros(n + 2, int), np.ones(n + 2)
    y_true[[0, -1]], y_score[0], y_score[-2:] = 1, 2, 0
    second = definitions.Hyperbolic()(threshold_counts(y_true, y_score))[0] - 1 / 2
    assert 2 * second == pytest.approx(1.5 / n - 5 / 3 / n**2, rel=1e-6)


def test_negligible_weights_do_not_change_the_value():
    for weight in (1e-100, 1e-50):
        counts = threshold_counts([0, 1, 0], [2, 1, 1], sample_weight=[weight, 1, 1])
        assert definitions.Hyperbolic()(counts) == 0.5


def test_value_of_a_negligible_positive_is_not_negative():
    for weight in (0.59375, *np.arange(1, 300) / 10):  # each rounds in its own way
        counts = threshold_counts([0, 1], [2, 1], sample_weight=[weight, 1.92246466e-98])
        assert 0 <= definitions.Hyperbolic()(counts) <= 1e-15
