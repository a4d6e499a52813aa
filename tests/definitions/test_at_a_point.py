"""What sets precision at a recall apart, and recall at a precision."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score
from sklearn_ap.definitions import PrecisionAtRecall, RecallAtPrecision
from tests.helpers.drawings import Y_SCORE, Y_TRUE


def precision_at(recall, y_true, y_score, **options):
    definition = PrecisionAtRecall(recall)
    return average_precision_score(y_true, y_score, definition=definition, **options)


def recall_at(precision, y_true, y_score, **options):
    definition = RecallAtPrecision(precision)
    return average_precision_score(y_true, y_score, definition=definition, **options)


@pytest.mark.parametrize(
    ("recall", "value"),
    # The precisions are 1, 2/3, 3/4, 2/3 and 1/2 at the recalls .2, .4, .6, .8 and 1.
    [(0, 1), (0.2, 1), (0.21, 3 / 4), (0.6, 3 / 4), (0.8, 2 / 3), (0.81, 1 / 2), (1, 1 / 2)],
)
def test_the_precisions_of_ten_predictions(recall, value):
    assert precision_at(recall, Y_TRUE, Y_SCORE) == value
    assert PrecisionAtRecall() == PrecisionAtRecall(0.8)


def test_artificial_point_at_precision_1_does_not_count():
    assert precision_at(0, [0, 1], [2, 1]) == 0.5


def test_rounded_weight_sums_reach_the_intended_share():
    weight = [0.1] * 10  # 0.1 + 0.1 + 0.1 is more than 0.3, and ten of them are less than 1
    for n_found in range(1, 11):
        rows = [1] * 10, -np.arange(10)
        assert precision_at(n_found / 10, *rows, sample_weight=weight) == pytest.approx(1)
    assert recall_at(0.7, [0, 0, 0, 1], [1] * 4, sample_weight=[0.1, 0.1, 0.1, 0.7]) == 1
    assert PrecisionAtRecall(np.float32(0.8)) == PrecisionAtRecall(0.8)


@pytest.mark.parametrize("weight", [1e-8, 1e-10, 1e-13])
def test_rows_of_tiny_weight_affect_point_scores(weight):
    assert recall_at(1.0, [0, 1], [2, 1], sample_weight=[weight, 1]) == 0
    found = precision_at(1.0, [1, 0, 1], [3, 2, 1], sample_weight=[1, 1, weight])
    assert found == pytest.approx((1 + weight) / (2 + weight), rel=1e-15)


def test_negatives_of_any_weight_prevent_a_precision_of_1():
    for weight in (1e-17, 1e-100):
        assert recall_at(1.0, [1, 0, 1], [3, 2, 1], sample_weight=[1, weight, 1]) == 0.5


@pytest.mark.parametrize(
    ("n", "share"),
    [
        *[(10**3, 0.3), (10**5, 0.1), (10**5, 0.3), (10**5, 1.0)],
        pytest.param(10**6, 0.7, marks=pytest.mark.slow),
    ],
)
def test_sums_of_many_equal_weights_reach_the_intended_share(n, share):
    """Those of 0.1 drift by a relative 1e-11 in a million rows.

    The share of n positives stands in front of all negatives, so one positive more has half of
    the precision.
    """
    first = round(share * n)
    y, s = np.repeat([1, 0, 1], [first, n, n - first]), -np.arange(2 * n)
    weight = np.full(2 * n, 0.1)
    assert precision_at(share, y, s, sample_weight=weight) == 1


@pytest.mark.parametrize(
    ("precision", "value"),
    [(1, 0.2), (0.76, 0.2), (0.75, 0.6), (0.7, 0.6), (2 / 3, 0.8), (0.5, 1), (0, 1)],
)
def test_the_recalls_of_ten_predictions(precision, value):
    assert recall_at(precision, Y_TRUE, Y_SCORE) == value
