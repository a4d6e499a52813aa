"""The sorted order: the same counts as without it, and the order itself."""

import numpy as np
from every import every
from hypothesis import given
from hypothesis import strategies as st
from registry import WEIGHTS, predictions

from sklearn_ap._inputs import Rankings
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.counts._sorted_items import sort_items

NAMES = {*ThresholdCounts.__slots__} - {"names", "n_unscored", "_precision"}


@given(
    data=st.lists(predictions(weights=WEIGHTS), min_size=1, max_size=4),
    weighted=st.booleans(),
    equal=st.booleans(),
)
def test_one_sort_of_all_items_gives_the_counts_of_the_heart(data, weighted, equal):
    size = min(len(y) for y, _, _ in data)
    if equal:
        data = [tuple(array[:size] for array in one) for one in data]
    y, s, w = (np.concatenate(arrays) for arrays in zip(*data, strict=True))
    ranking = None
    if not equal:
        ranking = np.repeat(np.arange(len(data)), [len(one[0]) for one in data])
    kept = w > 0 if weighted and not equal else np.ones(y.size, dtype=bool)
    w = np.where(w > 0, w, 0.25)
    if ranking is not None:
        ranking = np.unique(ranking[kept], return_inverse=True)[1]
    n = len(data) if ranking is None else ranking.max() + 1
    rankings = Rankings(y[kept] == 1, s[kept], w[kept] if weighted else None, ranking, n_rankings=n)
    found, expected = sort_items(rankings).counts, count(rankings)
    for name in NAMES:
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)
        if not weighted:
            assert getattr(found, name).dtype.kind == getattr(expected, name).dtype.kind


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
    for name in NAMES:
        np.testing.assert_array_equal(
            getattr(found.counts, name), getattr(count(rankings), name), strict=True
        )
