"""What sets reciprocal ranks apart."""

from fractions import Fraction
from itertools import pairwise, permutations
from math import comb

import numpy as np
import pytest

from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap.definitions import ReciprocalRank


def value(y_true, y_score, k=None):
    return ReciprocalRank(k)(threshold_counts(y_true, y_score))[0]


def inverse_of_first_rank(labels, k):
    """The reciprocal rank of labels in strict order."""
    hits = [Fraction(1, rank) for rank, label in enumerate(labels[:k], start=1) if label]
    return hits[0] if hits else Fraction(0)


def mean_of_orders(y_true, y_score, k=None):
    """The mean over all orders in which no score stands above a higher one."""
    orders = [
        order
        for order in permutations(range(len(y_true)))
        if all(y_score[i] >= y_score[j] for i, j in pairwise(order))
    ]
    total = sum(inverse_of_first_rank([y_true[i] for i in order], k) for order in orders)
    return total / len(orders)


def test_share_of_ranks_is_rounded_up():
    y, s = [0, 0, 1, *7 * [0]], -np.arange(10)
    assert value(y, s, k=0.2) == 0
    assert value(y, s, k=0.21) == 1 / 3


def test_share_of_ranks_beside_half_a_known_positive_is_a_whole_rank():
    rows = [1, 0, 0, 0], [0.5] * 4
    found = average_precision_score(*rows, definition=ReciprocalRank(0.5), n_positives=1.5)
    assert found == value(*rows, k=2)


def test_only_the_first_relevant_row_counts():
    assert value([0, 1, 0, 0], [4, 3, 2, 1]) == value([0, 1, 1, 1], [4, 3, 2, 1]) == 1 / 2


def test_ranking_without_positives_is_nan_and_one_that_found_none_is_0():
    assert np.isnan(value([0, 0], [2, 1]))
    assert value([1, 0], [-np.inf, 1]) == 0


@pytest.mark.parametrize("k", [None, 1, 2, 3, 5])
def test_ties_give_the_mean_over_their_orders(k):
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = int(rng.integers(1, 7))
        y, s = rng.integers(0, 2, n).tolist(), rng.integers(0, 3, n).tolist()
        if any(y):
            assert value(y, s, k) == pytest.approx(float(mean_of_orders(y, s, k)), rel=1e-14)


@pytest.mark.parametrize(
    ("e", "m", "p"), [(0, 900, 1), (5, 700, 3), (900, 300, 299), (40, 2000, 60)]
)
@pytest.mark.parametrize("k", [None, 1, 50, 1000])
def test_large_tied_blocks_follow_the_formula(e, m, p, k):
    y = np.repeat([0, 1, 0], [e, p, m - p])
    s = np.repeat([1, 0], [e, m])
    places = range(1, min(m - p + 1, (k or e + m) - e) + 1)
    exact = sum(Fraction(comb(m - j, p - 1), comb(m, p) * (e + j)) for j in places)
    assert value(y, s, k) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("options", [{"sample_weight": [1.0, 2.0]}, {"prevalence": 0.1}])
def test_weights_and_prevalences_are_refused(options):
    with pytest.raises(ValueError, match=r"^ReciprocalRank\(.* takes unweighted counts"):
        average_precision_score([1, 0], [2, 1], definition=ReciprocalRank(), **options)
