"""Small cases of faults that stood where two features meet, each with its right answer."""

import numpy as np
import pytest

from sklearn_ap import average_precision_interval, best_average_precision
from sklearn_ap.definitions import Expected, Interpolated

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_equal_precisions_have_one_standard_error_whatever_the_weights_are_multiplied_by():
    y_true = [0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1]
    y_score = [5, 8, 9, 6, 11, 1, 7, 4, 2, 3, 0, 10]
    weight = np.array([2, 1, 1, 1, 3, 3, 3, 2, 2, 1, 3, 1])
    options = {"definition": Interpolated(), "n_resamples": 99}
    first, second = (
        average_precision_interval(y_true, y_score, sample_weight=weight * unit, **options)
        for unit in (1, 7.3)
    )
    assert first.standard_error == pytest.approx(second.standard_error)


def test_the_best_model_for_each_query_is_refused_for_one_query_too():
    scores = {"a": [3, 2, 1], "b": [1, 2, 3]}
    with pytest.raises(ValueError, match="average must give each model one score"):
        best_average_precision([1, 0, 1], scores, queries=[1, 1, 1], average=None)


@pytest.mark.parametrize("definition", [Expected(), Interpolated()])
def test_one_cluster_says_nothing_of_a_mean_over_columns(definition):
    y_true, y_score = [[1, 0], [0, 1], [1, 1], [0, 0]], [[4, 3], [2, 1], [1, 1], [2, 3]]
    found = average_precision_interval(y_true, y_score, clusters=[7] * 4, definition=definition)
    assert (found.low, found.high) == (0, 1)
