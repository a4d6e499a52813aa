"""The hit curve, by hand."""

import numpy as np
import pytest

from sklearn_ap import hit_curve

# 1 0 (1 0) 0 -> 1 of 1, 1 of 2, 2 of 4 and 2 of 5
Y_TRUE, Y_SCORE = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.7, 0.1]


@pytest.mark.parametrize(
    ("weight", "detected", "hits"),
    [
        (None, [0, 1, 2, 4, 5], [0, 1, 1, 2, 2]),
        ([1, 2, 3, 4, 5], [0, 1, 3, 10, 15], [0, 1, 1, 4, 4]),
    ],
)
def test_points_are_shares_of_all_rows(weight, detected, hits):
    found = hit_curve(Y_TRUE, Y_SCORE, sample_weight=weight)
    np.testing.assert_allclose(found.detected, np.array(detected) / detected[-1])
    np.testing.assert_allclose(found.hits, np.array(hits) / detected[-1])
    np.testing.assert_array_equal(found.thresholds, [np.inf, 0.9, 0.8, 0.7, 0.1])


def test_rows_that_were_not_retrieved_are_among_all():
    found = hit_curve(Y_TRUE, [0.9, 0.8, -np.inf, -np.inf, 0.1])
    np.testing.assert_allclose(found.detected, [0, 0.2, 0.4, 0.6])
    np.testing.assert_allclose(found.hits, [0, 0.2, 0.2, 0.2])
