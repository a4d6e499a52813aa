"""What sets step average precision apart."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from sklearn_ap import ThresholdCounts, definitions, threshold_counts


def test_it_is_the_number_of_scikit_learn():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 500), rng.integers(0, 50, 500)
    ours = definitions.Step()(threshold_counts(y_true, y_score))[0]
    assert ours == pytest.approx(average_precision_score(y_true, y_score), abs=1e-12)


def test_the_bias_keeps_its_digits_where_one_of_two_rankings_has_very_many_negatives():
    """Where precision is low, twice as many negatives halve the value, and so the bias."""
    each, size = np.array([10**6, 10**11]), np.array([20, 20])
    tps, fps = np.tile(np.arange(1, 21), 2), np.outer(each, np.arange(1, 21) ** 2).ravel()
    columns = -np.tile(np.arange(20.0), 2), np.ones(40, int), tps, fps, fps
    counts = ThresholdCounts(*columns, np.array([0, 20]), size, 400 * each)
    few, many = definitions.Step().bias(counts) * each
    assert few == pytest.approx(many, rel=1e-5)
