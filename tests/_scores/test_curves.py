"""The hit curve; its points are compared with the reference in tests/crossings."""

import numpy as np

from sklearn_ap import hit_curve


def test_hit_curve_ends_at_the_last_retrieved_row():
    detected, hits, thresholds = hit_curve([1, 0, 1, 0], [0.9, 0.8, -np.inf, -np.inf])
    np.testing.assert_allclose(detected, [0, 1 / 4, 1 / 2])
    np.testing.assert_allclose(hits, [0, 1 / 4, 1 / 4])
    np.testing.assert_array_equal(thresholds, [np.inf, 0.9, 0.8])
    assert [len(part) for part in hit_curve([1, 0], [-np.inf] * 2)][:2] == [1, 1]
