"""The hit curve, and the number that it integrates to."""

import numpy as np
from hypothesis import given
from registry import WEIGHTS, predictions

from sklearn_ap import hit_curve


@given(data=predictions(weights=WEIGHTS))
def test_the_hit_curve_counts_what_is_at_or_above_each_score(data):
    y_true, y_score, weight = data
    detected, hits, thresholds = hit_curve(y_true, y_score, sample_weight=weight)
    assert thresholds[0] == np.inf
    np.testing.assert_array_equal(thresholds[1:], np.unique(y_score[weight > 0])[::-1])
    above = y_score >= thresholds[:, None]
    np.testing.assert_allclose(detected, above @ weight / weight.sum(), atol=1e-14)
    np.testing.assert_allclose(hits, above @ (weight * y_true) / weight.sum(), atol=1e-14)
