"""What sets precision at a recall apart, and recall at a precision."""

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE
from every import every

from sklearn_ap import precision_at_recall_score, recall_at_precision_score, threshold_counts
from sklearn_ap.definitions import PrecisionAtRecall, RecallAtPrecision


@every(
    ("recall", "value"),
    # The precisions are 1, 2/3, 3/4, 2/3 and 1/2 at the recalls .2, .4, .6, .8 and 1.
    [(0, 1), (0.2, 1), (0.21, 3 / 4), (0.6, 3 / 4), (0.8, 2 / 3), (0.81, 1 / 2), (1, 1 / 2)],
)
def test_the_precisions_of_ten_predictions(recall, value):
    assert precision_at_recall_score(Y_TRUE, Y_SCORE, recall=recall) == value
    reached, line = PrecisionAtRecall(recall).line(threshold_counts(Y_TRUE, Y_SCORE))
    assert line[reached.searchsorted(recall - 1e-9)] == value  # the point is on the line
    assert precision_at_recall_score(Y_TRUE, Y_SCORE) == 2 / 3  # the default is four fifths


def test_the_artificial_point_of_precision_1_is_no_threshold():
    assert precision_at_recall_score([0, 1], [2, 1], recall=0) == 0.5


def test_rounded_sums_of_weights_reach_the_share_that_they_mean():
    weight = [0.1] * 10  # 0.1 + 0.1 + 0.1 is more than 0.3, and ten of them are less than 1
    for n_found in range(1, 11):
        options = {"recall": n_found / 10, "sample_weight": weight}
        assert precision_at_recall_score([1] * 10, -np.arange(10), **options) == pytest.approx(1)
    options = {"precision": 0.7, "sample_weight": [0.1, 0.1, 0.1, 0.7]}
    assert recall_at_precision_score([0, 0, 0, 1], [1] * 4, **options) == 1
    assert PrecisionAtRecall(np.float32(0.8)) == PrecisionAtRecall(0.8)


@every(
    ("precision", "value"),
    [(1, 0.2), (0.76, 0.2), (0.75, 0.6), (0.7, 0.6), (2 / 3, 0.8), (0.5, 1), (0, 1)],
)
def test_the_recalls_of_ten_predictions(precision, value):
    assert recall_at_precision_score(Y_TRUE, Y_SCORE, precision=precision) == value


def test_a_point_that_is_not_there_is_not_marked():
    assert RecallAtPrecision()(threshold_counts([0, 1], [2, 1])) == 0
    assert RecallAtPrecision().point(threshold_counts([0, 1], [2, 1])) is None
