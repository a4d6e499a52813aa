"""Rows in order are recognized, whichever rows are looked at together, and counted as sorted ones.

Counts of rows in order are compared with slow loops in test_counting.py.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts import _known_order as known_order
from sklearn_ap._counts import counting, sorted_items
from sklearn_ap._counts._known_order import CHECKED_FIRST, FEWEST_ROWS_TO_CHECK, falling_rows

N = 2 * FEWEST_ROWS_TO_CHECK
RNG = np.random.default_rng(0)


@pytest.fixture
def no_sort(monkeypatch):
    """Fail where scores are sorted or looked up."""
    for module, name in (
        (counting, "_look_up"),
        (counting, "descending_keys"),
        (sorted_items, "descending_keys"),
        (sorted_items, "ordered_integers"),
    ):
        monkeypatch.setattr(module, name, None)


@given(
    score=st.lists(st.integers(0, 9), min_size=1, max_size=9).flatmap(
        lambda score: st.sampled_from([score, sorted(score), sorted(score, reverse=True)])
    ),
    allow_ties=st.booleans(),
    first=st.integers(1, 4),
    chunk=st.integers(1, 4),
)
def test_rows_are_in_order_if_no_pair_of_neighbours_is_not(score, allow_ties, first, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_order, "FEWEST_ROWS_TO_CHECK", 1)
        patch.setattr(known_order, "CHECKED_FIRST", first)
        patch.setattr(known_order, "CHUNK_ROWS", chunk)
        rows = falling_rows(np.array(score), allow_ties=allow_ties)
    falls = all(b <= a for a, b in pairwise(score))
    rises = all(a <= b if allow_ties else a < b for a, b in pairwise(score))
    if falls or rises:
        assert score[rows] == sorted(score, reverse=True)
    else:
        assert rows is None


@pytest.mark.parametrize("place", [0, 1, CHECKED_FIRST - 1, CHECKED_FIRST, N // 2, N - 2])
@pytest.mark.parametrize("step", [1, -1])
def test_two_rows_that_changed_places_are_seen_everywhere(place, step):
    score = np.arange(N)[::step].copy()
    assert falling_rows(score) == slice(None, None, -step)
    score[[place, place + 1]] = score[[place + 1, place]]
    assert falling_rows(score) is None


@pytest.mark.parametrize("n_positives", [0, 3, N // 2, N])
@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.float16])
def test_rows_in_order_are_counted_without_a_sort(n_positives, step, dtype, request):
    """Ties of all lengths, and both zeros."""
    score = np.sort((30 * RNG.normal(size=N)).round(1).astype(dtype))[::step]
    positive = RNG.permutation(N) < n_positives
    shuffled = RNG.permutation(N)
    expected = counting.count(Rankings(positive[shuffled], score[shuffled]))
    request.getfixturevalue("no_sort")
    before = score.copy()
    counts = counting.count(Rankings(positive, score))
    np.testing.assert_array_equal(score, before)
    for name in ("thresholds", "gained", "tps", "fps", "fps_above", "n_positives", "n_negatives"):
        np.testing.assert_array_equal(getattr(counts, name), getattr(expected, name), strict=True)
    assert not np.signbit(counts.thresholds[counts.thresholds == 0]).any()


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.float16])
def test_curves_of_rows_in_order_need_no_sort(step, dtype, no_sort):
    score = np.sort((30 * RNG.normal(size=N)).round(1).astype(dtype))[::step]
    positive = RNG.random(N) < 0.3
    curve = sorted_items.cumulative_counts(Rankings(positive, score))
    distinct = np.unique(score)[::-1]
    np.testing.assert_array_equal(curve.scores, distinct, strict=True)
    assert not np.signbit(curve.scores[curve.scores == 0]).any()
    for counted, cumulative in ((positive, curve.tps), (~positive, curve.fps)):
        np.testing.assert_array_equal(
            cumulative, [np.count_nonzero(score[counted] >= value) for value in distinct]
        )


def test_weighted_rows_in_order_keep_their_order(no_sort):
    rising = np.sort(RNG.normal(size=N))
    order, score = sorted_items.descending_order(rising)
    np.testing.assert_array_equal(order, np.arange(N)[::-1])
    np.testing.assert_array_equal(score, rising[::-1])
    tied = rising[::-1].round(1)
    order, score = sorted_items.descending_order(tied)
    np.testing.assert_array_equal(order, np.arange(N))
    np.testing.assert_array_equal(score, tied)


def test_tied_rows_that_rise_are_added_in_the_order_of_the_user():
    """The rounding of sums of weights depends on the order."""
    score = np.sort(RNG.normal(size=N)).round(1)
    _, begins = np.unique(-score, return_inverse=True)
    order, _ = sorted_items.descending_order(score)
    np.testing.assert_array_equal(order, np.argsort(begins, kind="stable"))
