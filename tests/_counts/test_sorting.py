"""Sorted scores beside a stable argsort, on scores whose bits mislead."""

import numpy as np
import pytest

from sklearn_ap._counts import sorting
from sklearn_ap._counts.sorting import SortedKeys, SortedScores, descending_orders

N = 5_000
RNG = np.random.default_rng(0)
SCORES = {
    "normal": RNG.normal(size=N),
    "single precision": RNG.normal(size=N).astype(np.float32),
    "half precision": RNG.normal(size=N).astype(np.float16),
    "grades": RNG.integers(-3, 4, N),
    "large integers": RNG.integers(2**63 - 99, 2**63, N, np.uint64),
    "beyond single precision": RNG.normal(size=N) * 10.0 ** RNG.integers(-320, 300, N),
    "largest": np.r_[RNG.normal(size=N) * 1e307, np.finfo(float).max, -np.finfo(float).max][2:],
    "largest of single precision": (RNG.normal(size=N) * 1e37).astype(np.float32),
    "subnormal": RNG.integers(-9, 9, N) * 5e-324,
    "near one": 1 - 1e-12 * RNG.random(N),
    "infinite": RNG.choice([-np.inf, -1.0, -0.0, 0.0, 5e-324, np.inf], N),
    "equal": np.ones(N),
    "rising": np.arange(N) / 3.0,
    "falling": -np.arange(N) / 3.0,
}


@pytest.mark.parametrize("long", [10, 2 * N])
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_scores_are_in_the_order_of_a_stable_sort(score, long, monkeypatch):
    monkeypatch.setattr(sorting, "LONG", long)
    monkeypatch.setattr(sorting, "RANGE", 700)
    order, sorted_score = SortedScores.of(score)
    np.testing.assert_array_equal(order, score.argsort(kind="stable")[::-1])
    np.testing.assert_array_equal(sorted_score, score[order])
    assert sorted_score.dtype == score.dtype


@pytest.mark.parametrize("long", [10, 2 * N])
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_labels_are_sorted_with_their_scores(score, long, monkeypatch):
    monkeypatch.setattr(sorting, "LONG", long)
    monkeypatch.setattr(sorting, "RANGE", 700)
    before, positive = score.copy(), RNG.random(N) < 0.4
    keys, are_positive, to_scores = SortedKeys.sort(score, positive)
    begins = np.append(True, keys[1:] != keys[:-1])
    found = to_scores(keys.copy())
    np.testing.assert_array_equal(score, before)
    np.testing.assert_array_equal(found, np.sort(score)[::-1])
    assert found.dtype == score.dtype
    np.testing.assert_array_equal(begins, np.append(True, found[1:] != found[:-1]))
    np.testing.assert_array_equal(found[are_positive], np.sort(score[positive])[::-1])


@pytest.mark.parametrize("long", [10, 2 * N])
@pytest.mark.parametrize("n_rows", [1, 2, 50])
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_rows_of_a_table_are_sorted_one_by_one(score, n_rows, long, monkeypatch):
    monkeypatch.setattr(sorting, "LONG", long)
    table = score.reshape(n_rows, -1)
    orders = descending_orders(table)
    for row, order in zip(table, orders, strict=True):
        np.testing.assert_array_equal(np.sort(order), np.arange(row.size))
        np.testing.assert_array_equal(row[order], np.sort(row)[::-1])


@pytest.mark.parametrize("name", ["beyond single precision", "subnormal", "largest"])
def test_scores_are_sorted_where_rounding_errors_raise(name):
    score = SCORES[name]
    with np.errstate(all="raise"):
        order, _ = SortedScores.of(score)
        keys, _, to_scores = SortedKeys.sort(score, score > 0)
        found = to_scores(keys.copy())
    np.testing.assert_array_equal(found, score[order])
