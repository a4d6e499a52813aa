"""What sets expected average precision apart."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    definitions,
    expected_average_precision_score,
    threshold_counts,
)


def test_without_ties_it_is_step():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 100), rng.permutation(100)
    assert expected_average_precision_score(y_true, y_score) == pytest.approx(
        average_precision_score(y_true, y_score), abs=1e-15
    )
    assert expected_average_precision_score(y_true, y_score, k=7) == pytest.approx(
        average_precision_at_k_score(y_true, y_score, k=7), abs=1e-15
    )


def test_it_is_the_mean_over_random_orders():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 40), rng.integers(0, 4, 40)
    drawn = [average_precision_score(y_true, y_score + rng.random(40) / 2) for _ in range(4000)]
    error = 4 * np.std(drawn) / np.sqrt(len(drawn))
    assert expected_average_precision_score(y_true, y_score) == pytest.approx(
        np.mean(drawn), abs=error
    )


def test_one_positive_tied_with_all_is_a_mean_of_reciprocal_ranks():
    n = 1000
    y_true = np.arange(n) == 0
    assert expected_average_precision_score(y_true, np.zeros(n)) == pytest.approx(
        np.mean(1 / np.arange(1, n + 1))
    )


def test_it_is_exact_at_rank_ten_million():
    """Two items tied below ten million negatives; harmonic differences lose this."""
    n = 10_000_000
    y_true, y_score = np.zeros(n + 2, int), np.ones(n + 2)
    y_true[-1], y_score[-2:] = 1, 0
    assert expected_average_precision_score(y_true, y_score) == pytest.approx(
        (1 / (n + 1) + 1 / (n + 2)) / 2, rel=1e-14
    )


def test_without_positives_it_is_nan():
    assert np.isnan(definitions.Expected()(threshold_counts([0, 0], [1, 1])))


def test_weighted_counts_are_refused():
    with pytest.raises(ValueError, match="takes unweighted counts"):
        definitions.Expected()(threshold_counts([0, 1], [1, 1], sample_weight=[1, 1]))


def test_the_top_is_shaded_where_there_is_a_k():
    counts = threshold_counts([1, 0, 1], [3, 2, 2])
    assert definitions.Expected().shade(counts) is None
    recall, lower, upper = definitions.Expected(2).shade(counts)[:3]
    np.testing.assert_array_equal((recall, upper), definitions.Expected(2).line(counts))
    assert lower == 0
