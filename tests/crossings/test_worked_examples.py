"""Small cases of faults that stood where two features meet, each with its right answer."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
)
from sklearn_ap.definitions import AtK, Expected, Interpolated, PrecisionAtK

INF = np.inf
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def ranked(n, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < 0.2).astype(int)
    return y_true, rng.normal(size=n) + 1.5 * y_true


@pytest.mark.parametrize("definition", [None, Interpolated(), Interpolated(11)])
def test_a_comparison_does_not_follow_the_order_of_models_that_retrieve_other_rows(definition):
    y_true, y_score = ranked(500)
    scores = {"all": y_score, "some": np.where(y_score < 0.5, -INF, y_score)}
    turned = dict(reversed(scores.items()))
    options = {"prevalence": 0.02} | ({"definition": definition} if definition else {})
    first = compare_average_precision(y_true, scores, reference="all", **options)
    second = compare_average_precision(y_true, turned, reference="all", **options)
    assert first.pvalues[1] == pytest.approx(second.pvalues[0], rel=1e-9)
    assert first.n_effective == pytest.approx(second.n_effective, rel=1e-12)


@pytest.mark.parametrize("definition", [AtK(3), PrecisionAtK(3), Expected(), Interpolated()])
def test_a_ranking_without_positives_that_retrieved_nothing_is_a_ranking(definition):
    y_true, y_score = np.array([[1, 0], [1, 0], [0, 0]]), np.array([[3.0, -INF]] * 3)
    options = {"definition": definition, "average": None, "zero_division": 0.0}
    low = np.where(y_score == -INF, -5, y_score)
    scores = average_precision_score(y_true, low, **options)
    found = average_precision_interval(y_true, y_score, **options)
    assert found.estimate == pytest.approx(scores)
    assert found.n_positives[1] == 0


def test_equal_precisions_have_one_standard_error_whatever_the_weights_are_multiplied_by():
    y_true = [0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 1]
    y_score = [5, 8, 9, 6, 11, 1, 7, 4, 2, 3, 0, 10]
    weight = np.array([2, 1, 1, 1, 3, 3, 3, 2, 2, 1, 3, 1])
    errors = [
        average_precision_interval(
            y_true, y_score, definition=Interpolated(), sample_weight=weight * unit
        ).standard_error
        for unit in (1, 7.3)
    ]
    assert errors[0] == pytest.approx(errors[1])


def test_the_best_model_for_each_query_is_refused_for_one_query_too():
    scores = {"a": [3, 2, 1], "b": [1, 2, 3]}
    with pytest.raises(ValueError, match="average must give each model one score"):
        best_average_precision([1, 0, 1], scores, queries=[1, 1, 1], average=None)


@pytest.mark.parametrize("definition", [Expected(), Interpolated()])
def test_one_cluster_says_nothing_of_a_mean_over_columns(definition):
    y_true, y_score = [[1, 0], [0, 1], [1, 1], [0, 0]], [[4, 3], [2, 1], [1, 1], [2, 3]]
    found = average_precision_interval(y_true, y_score, clusters=[7] * 4, definition=definition)
    assert (found.low, found.high) == (0, 1)
