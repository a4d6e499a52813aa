"""The sorted order; its counts are compared in test_counting.py."""

import numpy as np
from every import every

from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap.counts import count
from sklearn_ap.counts._sorted_items import sort_items


@every("dtype", [np.float64, np.float32, np.int64, np.uint8])
@every("kind", ["normal", "near each other", "chained", "zeros", "huge"])
def test_scores_that_share_their_upper_bits_are_in_order(kind, dtype):
    rng = np.random.default_rng(0)
    base = rng.normal(size=3000)
    score = {
        "normal": base,
        "near each other": 1 + rng.integers(0, 2000, 3000) * 2.0**-40,
        "chained": 1 + np.arange(3000)[::-1] * 2.0**-52,
        "zeros": np.where(rng.random(3000) < 0.5, 0.0, -0.0) * base,
        "huge": base * 1e300,
    }[kind]
    with np.errstate(all="ignore"):
        score = score.astype(dtype)
    score = score[np.isfinite(score)]
    rankings = Rankings(rng.random(score.size) < 0.3, score)
    found = sort_items(rankings)
    np.testing.assert_array_equal(score[found.order], np.sort(score)[::-1])
    np.testing.assert_array_equal(found.counts.fps, count(rankings).fps)
