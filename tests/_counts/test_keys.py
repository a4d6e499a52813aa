"""Keys sort as scores do, the highest first, and give the scores back to the last bit.

So does the order of `sorted_items.py`, whose counts are compared in test_counting.py.
"""

import numpy as np
import pytest

from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts._keys import descending_keys, ordered_integers, padding
from sklearn_ap._counts.sorted_items import sort_items

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=500)

SCORES = {
    "probabilities": RNG.random(500),
    "both signs": NORMAL,
    "near the limits of floats": NORMAL / np.abs(NORMAL).max() * np.finfo(float).max,
    "tiny": NORMAL * 1e-310,
    "the whole range of exponents": np.concatenate((NORMAL * 1e300, NORMAL * 1e-310)),
    "at the size from which scores are scaled": np.array([1.5, np.nextafter(1.5, 0), -1.5, 0.5]),
    "float32": NORMAL.astype(np.float32),
    "float32 near its limits": (NORMAL / np.abs(NORMAL).max() * 3.4e38).astype(np.float32),
    "float32 of all exponents": np.concatenate((NORMAL * 1e37, NORMAL * 1e-40)).astype(np.float32),
    "float32 below 2": np.array([1.5, 1.9999999, -1.9999999, 1.0, -0.0, 0.0], np.float32),
    "integers of 30 bits": np.array([2**29 - 1, 1 - 2**29, 0, 5]),
    "integers of 31 bits": np.array([2**29, -(2**29), 2**31 - 1, -(2**31)], np.int32),
    "float16": NORMAL.astype(np.float16),
    "long double": NORMAL.astype(np.longdouble),
    "infinite": np.array([np.inf, -np.inf, 0.0, -0.0, 1.0]),
    "int8": RNG.integers(-128, 128, 500).astype(np.int8),
    "integers of 62 bits": 2**61 - 1 - np.arange(500),
    "integers of 64 bits, all high": 2**63 - 1 - np.arange(500),
    "integers of 64 bits": np.array([2**63 - 1, -(2**63), 2**61, -(2**61), 0]),
    "unsigned": np.array([2**64 - 1, 2**64 - 2, 0], np.uint64),
    "other byte order": NORMAL.astype(np.dtype(np.float64).newbyteorder()),
    "bool": NORMAL > 0,
    "near each other": 1 + RNG.integers(0, 2000, 3000) * 2.0**-40,
    "chained": 1 + np.arange(3000)[::-1] * 2.0**-52,
    "none": NORMAL[:0],
}


@pytest.mark.parametrize(
    "name", ["float32", "float16", "int8", "float32 near its limits", "integers of 30 bits"]
)
def test_keys_have_32_bits_if_scores_fit(name):
    score = SCORES[name]
    assert descending_keys(score, score > 0)[0].dtype == np.int32


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_integers_and_keys_sort_like_scores_and_convert_back(score):
    before, positive = score.copy(), np.arange(score.size) % 3 == 0
    integers, scores_of = ordered_integers(score)
    ranks = np.unique(score, return_inverse=True)[1]
    np.testing.assert_array_equal(np.unique(integers, return_inverse=True)[1], ranks)
    assert np.abs(integers.astype(float)).max(initial=0) < 2**62
    back = scores_of(integers.copy())
    np.testing.assert_array_equal(back, score, strict=True)
    np.testing.assert_array_equal(score, before)
    keys, scores_of = descending_keys(score, positive)
    np.testing.assert_array_equal(keys & 1, positive)
    np.testing.assert_array_equal(scores_of(keys >> 1), score)
    falling = score[np.argsort(keys, kind="stable")]
    assert (falling[1:] <= falling[:-1]).all()
    assert (keys < padding(keys)).all()
    finite = score[np.isfinite(score)]
    order = sort_items(Rankings(np.arange(finite.size) % 3 == 0, finite)).order
    np.testing.assert_array_equal(finite[order], np.sort(finite)[::-1])
