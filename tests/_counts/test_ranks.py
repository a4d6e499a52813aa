"""How many ranks a share of the rows is."""

from dataclasses import replace

import numpy as np
import pytest

from sklearn_ap import large, precision_at_k_score, threshold_counts
from sklearn_ap._counts.counting import n_ranks, ranks_of_rows
from sklearn_ap.definitions import PrecisionAtK, RecallAtK


@pytest.mark.parametrize(
    ("k", "n_rows", "expected"),
    [
        (0.01, 1000, 10),
        (0.3, 7, 3),
        (0.07, 100, 7),  # in floats 7.000000000000001
        (0.071, 100, 8),
        (1 / 3, 3, 1),
        (1e-9, 5, 1),
        (0.01, 10**11 + 1, 10**9 + 1),
        (5, 3, 5),
    ],
)
def test_a_share_is_rounded_up_to_a_whole_rank(k, n_rows, expected):
    assert ranks_of_rows(k, n_rows) == expected
    assert np.max(n_ranks(k, counts_of(n_rows))) == expected


def counts_of(n_rows):
    counts = threshold_counts([1], [1.0])
    return replace(counts, n_negatives=counts.n_positives * 0 + n_rows - 1)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ([2, 2, 2, 2], 3),  # 0.3 of 8 rows, rounded up, as all weights are whole
        ([0.5, 0.5, 0.5, 0.5], 0.6),
        ([1, 1, 0.5, 0.5], 0.9),
        ([1e-3, 1, 1, 1], 0.9003),
        ([1e20, 1e20, 1e20, 1e20], 1.2e20),
        ([5e-324, 0, 0, 0], 5e-324),  # 0.3 of it would be 0
    ],
)
def test_the_share_of_weights_is_rounded_only_if_all_are_whole(weight, expected):
    counts = threshold_counts([1, 0, 1, 1], [4, 3, 2, 1], sample_weight=weight)
    assert n_ranks(0.3, counts)[0] == pytest.approx(expected, rel=1e-11)
    hits = min(expected, weight[0])  # the first row is positive, and the second is not
    assert RecallAtK(0.3)(counts)[0] == pytest.approx(hits / counts.n_positives[0])


def test_fractional_weights_with_whole_sums_are_not_rounded():
    y_true, y_score, weight = np.array([1, 0, 0, 0]), np.arange(4.0)[::-1], [1, 0.5, 0.5, 1]
    rows = y_true, y_score
    assert precision_at_k_score(*rows, k=0.5, sample_weight=weight) == pytest.approx(2 / 3)
    counts = threshold_counts(*rows, sample_weight=weight)
    expected = PrecisionAtK(0.5)(counts)
    assert expected == pytest.approx(2 / 3)
    halves = [[array[i::2] for array in (*rows, np.array(weight))] for i in range(2)]
    of_chunks = large.from_chunks(lambda: iter(halves))
    total = large.ScoreHistogram()
    for half in halves:
        total += large.ScoreHistogram()
        total.update(*half)
    for found in (of_chunks, total.counts()):
        assert PrecisionAtK(0.5)(found) == expected
    # Rows that were not retrieved have weights, too.
    missed = [3, -np.inf, -np.inf, 0]
    found = precision_at_k_score(y_true, missed, k=0.5, sample_weight=weight)
    assert found == pytest.approx(2 / 3)
    # Each query has its own weights: those of the second are whole.
    both, queries = np.tile(y_true, 2), np.repeat([0, 1], 4)
    options = {"sample_weight": [*weight, 1, 1, 1, 0], "average": None, "queries": queries}
    found = precision_at_k_score(both, np.tile(y_score, 2), k=0.5, **options)
    np.testing.assert_allclose(found, [2 / 3, 1 / 2])
    made_by_hand = replace(counts, are_whole=None)
    assert PrecisionAtK(0.5)(made_by_hand) == 0.5  # their sums are whole


def test_a_share_of_rows_does_not_count_unscored_positives():
    counts = threshold_counts([1, 0, 1, 0], [0.9, 0.8, -np.inf, -np.inf])
    assert n_ranks(0.5, counts) == 2
    known = replace(counts, n_positives=counts.n_positives + 6, n_unscored=np.array([6]))
    assert n_ranks(0.5, known) == 2
    assert n_ranks(0.5, replace(counts, n_positives=counts.n_positives * 0, n_negatives=0)) == 1


@pytest.mark.parametrize(
    ("y_true", "y_score", "weight"),
    [
        ([1, 1, 0], [3, 2, 1], [0.5, 0.5, 1]),  # of positives
        ([1, 0, 0], [3, 3, 1], [1, 0.5, 0.5]),  # of negatives at or above a threshold
        ([1, 0, 0], [2, 3, 2], [1, 0.5, 0.5]),  # of negatives above it alone
        ([1, 0, 0], [3, 2, 1], [1, 0.5, 0.25]),  # of all
    ],
)
def test_handmade_counts_are_fractional_if_any_sum_is_fractional(y_true, y_score, weight):
    counts = threshold_counts(y_true, y_score, sample_weight=weight)
    assert n_ranks(0.4, replace(counts, are_whole=None))[0] == pytest.approx(0.4 * sum(weight))
