"""What sets recall at a precision apart."""

import pytest

from sklearn_ap import recall_at_precision_score, threshold_counts
from sklearn_ap.definitions import RecallAtPrecision

Y_TRUE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
Y_SCORE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]


@pytest.mark.parametrize(
    ("precision", "value"),
    # The precisions are 1, 2/3, 3/4, 2/3 and 1/2 at the recalls .2, .4, .6, .8 and 1.
    [(1, 0.2), (0.76, 0.2), (0.75, 0.6), (0.7, 0.6), (2 / 3, 0.8), (0.5, 1), (0, 1)],
)
def test_the_ten_predictions(precision, value):
    assert recall_at_precision_score(Y_TRUE, Y_SCORE, precision=precision) == value


def test_a_precision_that_no_threshold_has_gives_0():
    assert recall_at_precision_score([0, 1], [2, 1], precision=0.6) == 0


def test_a_later_threshold_counts_even_if_precision_fell_below_in_between():
    """The precisions are 1, 1/2, 2/3 and 3/4."""
    assert recall_at_precision_score([1, 0, 1, 1], [4, 3, 2, 1], precision=0.7) == 1


def test_positives_that_were_never_scored_are_not_found():
    assert recall_at_precision_score([1, 1], [2, 1], n_positives=5) == 2 / 5


def test_rounded_sums_of_weights_reach_the_precision_that_they_mean():
    """Three weights of 0.1 sum to more than 0.3."""
    weight = [0.1, 0.1, 0.1, 0.7]
    score = recall_at_precision_score([0, 0, 0, 1], [1] * 4, precision=0.7, sample_weight=weight)
    assert score == 1


def test_a_point_that_is_not_there_is_not_marked():
    assert RecallAtPrecision()(threshold_counts([0, 1], [2, 1])) == 0
    assert RecallAtPrecision().point(threshold_counts([0, 1], [2, 1])) is None
