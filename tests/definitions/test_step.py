"""What sets step average precision apart."""

import numpy as np
import pytest

from sklearn_ap import ThresholdCounts, definitions


def test_the_bias_keeps_its_digits_where_one_of_two_rankings_has_very_many_negatives():
    """Where precision is low, twice as many negatives halve the value, and so the bias."""
    each, size = np.array([10**6, 10**11]), np.array([20, 20])
    tps, fps = np.tile(np.arange(1, 21), 2), np.outer(each, np.arange(1, 21) ** 2).ravel()
    columns = -np.tile(np.arange(20.0), 2), np.ones(40, int), tps, fps, fps
    counts = ThresholdCounts(*columns, np.array([0, 20]), size, 400 * each)
    few, many = definitions.Step().bias(counts) * each
    assert few == pytest.approx(many, rel=1e-5)
