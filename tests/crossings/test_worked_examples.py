"""Small cases of faults that stood where two features meet, each with its right answer."""

import numpy as np
import pytest
from cases import modelled
from uncertainty_reference import comparison, interval

from sklearn_ap import average_precision_interval, best_average_precision, compare_average_precision
from sklearn_ap.definitions import Expected, Interpolated

INF = np.inf
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


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


def test_a_large_cluster_among_many_small_ones_is_left_out_as_a_whole():
    """A derivative is wrong for it; the others are enough to be taken by their derivatives."""
    rng, clusters = np.random.default_rng(0), np.repeat(np.arange(1001), [30, *[2] * 1000])
    y_true = ((clusters == 0) | (rng.random(clusters.size) < 0.5)).astype(int)
    y_score = np.round(y_true + rng.normal(size=y_true.size))
    rows = y_true.tolist(), y_score.tolist(), ("Step", {})
    expected = interval(modelled(*rows, clusters=clusters.tolist()))
    found = average_precision_interval(y_true, y_score, clusters=clusters)
    assert found.standard_error == pytest.approx(expected["standard_error"], rel=1e-6)


def test_models_that_differ_in_few_of_the_clusters_have_more_of_a_hidden_variance():
    rng, clusters = np.random.default_rng(0), np.repeat(np.arange(30), 4)
    y_true = (rng.random(120) < 0.5).astype(int)
    a = np.round(y_true + rng.normal(size=120), 1)
    scores = {"a": a, "b": a + np.where(clusters < 5, rng.normal(size=120), 0.0)}
    known = {"clusters": clusters.tolist()}
    models = [modelled(y_true.tolist(), s.tolist(), ("Step", {}), **known) for s in scores.values()]
    found = compare_average_precision(y_true, scores, clusters=clusters)
    assert found.pvalues[1] == pytest.approx(comparison(models)["pvalues"][1], rel=1e-6)
