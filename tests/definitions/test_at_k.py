"""What sets the scores at k apart."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
)

HITS = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
RANKS = -np.arange(10)


@pytest.mark.parametrize(
    ("normalizer", "values"),
    {
        "hits": (1.0, 1.0, 0.917, 0.783, 0.783),
        "positives": (0.2, 0.4, 0.55, 0.783, 0.783),
        "k": (1.0, 0.667, 0.55, 0.392, 0.261),
        "attainable": (1.0, 0.667, 0.55, 0.783, 0.783),
    }.items(),
)
def test_the_four_normalizers(normalizer, values):
    """The table of denominators that tools disagree on."""
    for k, value in zip((1, 3, 5, 10, 15), values, strict=True):
        ours = average_precision_at_k_score(HITS, RANKS, k=k, normalizer=normalizer)
        assert ours == pytest.approx(value, abs=5e-4)


def test_a_tied_block_contributes_its_share_at_the_precision_of_the_cut():
    """Two positives among four: a cut after three leaves 3/2 hits at precision 1/2."""
    y_true, y_score = [1, 1, 0, 0, 1], [5, 5, 5, 5, 1]
    assert precision_at_k_score(y_true, y_score, k=3) == 0.5
    assert recall_at_k_score(y_true, y_score, k=3) == 0.5
    assert average_precision_at_k_score(y_true, y_score, k=3) == pytest.approx(1.5 * 0.5 / 3)


def test_constant_scores_give_the_squared_prevalence_for_k_up_to_the_positives():
    y_true = [1] * 4 + [0] * 6
    for k in (1, 2, 3, 4):
        assert average_precision_at_k_score(y_true, np.zeros(10), k=k) == pytest.approx(0.4**2)


def test_k_beyond_the_last_item_divides_by_k():
    assert precision_at_k_score([1, 1], [2, 1], k=8) == 0.25


def test_no_hits_over_no_hits_is_0_and_silent():
    assert average_precision_at_k_score([0, 1], [2, 1], k=1, normalizer="hits") == 0.0


@pytest.mark.parametrize("normalizer", ["attainable", "positives", "hits", "k"])
def test_without_positives_it_is_undefined(normalizer):
    options = {"k": 1, "normalizer": normalizer, "zero_division": 1.0}
    assert average_precision_at_k_score([0, 0], [2, 1], **options) == 1.0


def test_precision_at_k_is_0_without_positives_whatever_zero_division_says():
    assert precision_at_k_score([0, 0], [2, 1], zero_division=1.0) == 0.0
    assert precision_at_k_score([0, 0], [2, 1]) == 0.0  # and silent


def test_items_below_the_threshold_are_not_retrieved():
    y_true, y_score = [1, 0, 1, 1], [0.9, 0.8, 0.5, 0.4]
    options = {"k": 4, "threshold": 0.5}
    assert precision_at_k_score(y_true, y_score, **options) == 2 / 4
    assert recall_at_k_score(y_true, y_score, **options) == 2 / 3
    expected = (1 + 2 / 3) / 3
    assert average_precision_at_k_score(y_true, y_score, **options) == pytest.approx(expected)


def test_a_threshold_that_whole_groups_miss():
    values = precision_at_k_score(
        [1, 1, 1], [3, 1, 3], k=1, threshold=2, groups=["a", "b", "c"], average=None
    )
    np.testing.assert_array_equal(values, [1, 0, 1])


def test_a_threshold_is_compared_with_large_integers_exactly():
    scores = np.array([2**53 + 1, 2**53])
    assert precision_at_k_score([0, 1], scores, k=2, threshold=2**53 + 1) == 0.0


def test_attainable_counts_positives_never_scored():
    assert average_precision_at_k_score([1, 1], [2, 1], k=4, n_positives=3) == pytest.approx(2 / 3)
    assert average_precision_at_k_score([1, 1], [2, 1], k=2, n_positives=3) == 1.0


def test_at_n_it_is_step_whatever_the_ties():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 50), rng.integers(0, 9, 50)
    ours = average_precision_at_k_score(y_true, y_score, k=50)
    assert ours == pytest.approx(average_precision_score(y_true, y_score), abs=1e-15)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("kind", [float, np.float64])
@pytest.mark.parametrize(
    ("threshold", "recall"), [(0.1, 1.0), (0.9, 0.5), (0.95, 0.0), (1e300, 0.0)]
)
def test_a_threshold_meets_scores_of_any_precision(dtype, kind, threshold, recall):
    y_score = np.array([0.9, 0.8, 0.1], dtype)
    assert recall_at_k_score([1, 0, 1], y_score, k=3, threshold=kind(threshold)) == recall
