"""Small cases of faults that stood where two features meet, each with its right answer."""

import numpy as np
import pyarrow as pa
import pytest

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    large,
    operating_point,
    precision_at_k_score,
)
from sklearn_ap.definitions import AtK, Expected, Interpolated, PrecisionAtK

INF = np.inf
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize(
    ("y_true", "y_score", "at", "value"),
    [
        ([1, 0, 0, 0, 0, 0], [0.9, 0.95, -INF, -INF, -INF, -INF], 1 / 6, 0.5),
        ([1, 0, 1, 0], [0.9, -INF, 0.5, -INF], 0.5, 1.0),
        ([1, 0], [0.625, -INF], 0.01, 1.0),
    ],
)
def test_prevalence_counts_negatives_that_were_not_retrieved(y_true, y_score, at, value):
    assert average_precision_score(y_true, y_score, prevalence=at) == pytest.approx(value)
    counts = large.from_chunks([(y_true, y_score)])
    assert counts.score(prevalence=at) == pytest.approx(value)


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


@pytest.mark.parametrize("options", [{}, {"prevalence": 0.02}])
def test_the_interval_of_a_model_does_not_depend_on_what_another_model_retrieved(options):
    y_true, y_score = ranked(300)
    cut = np.where(y_score < 0.5, -INF, y_score)
    alone = average_precision_interval(y_true, cut, **options)
    beside = compare_average_precision(y_true, {"cut": cut, "all": y_score}, **options)
    assert (beside.lows[0], beside.highs[0]) == pytest.approx((alone.low, alone.high), rel=1e-9)


def test_the_bias_counts_negatives_that_were_not_retrieved():
    y_true, scores = [1, 0, 1, 0, 1, 0, 0, 0], np.array([8, 7, 6, 5, 4, -INF, -INF, -INF])
    found = average_precision_interval(y_true, scores)
    last = average_precision_interval(y_true, np.where(scores == -INF, 0, scores))
    assert found.bias == pytest.approx(last.bias) == pytest.approx(0.0526, abs=1e-4)


@pytest.mark.parametrize("definition", [AtK(3), PrecisionAtK(3), Expected(), Interpolated()])
def test_a_ranking_without_positives_that_retrieved_nothing_is_a_ranking(definition):
    y_true, y_score = np.array([[1, 0], [1, 0], [0, 0]]), np.array([[3.0, -INF]] * 3)
    options = {"definition": definition, "average": None, "zero_division": 0.0}
    low = np.where(y_score == -INF, -5, y_score)
    scores = average_precision_score(y_true, low, **options)
    found = average_precision_interval(y_true, y_score, **options)
    assert found.estimate == pytest.approx(scores)
    assert found.n_positives[1] == 0


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_what_queries_rest_on_has_no_unit_of_weight(average):
    y_true, y_score = ranked(200)
    queries, weight = np.arange(200) // 10, np.random.default_rng(1).random(200)
    options = {"queries": queries, "average": average, "zero_division": 0.0, "prevalence": 0.1}
    one, other = (
        average_precision_interval(y_true, y_score, sample_weight=weight * unit, **options)
        for unit in (1, 1000)
    )
    assert one.n_effective == pytest.approx(other.n_effective)
    assert one.n_effective < y_true.sum()


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


@pytest.mark.parametrize("queries", [[1, 1, 2, 3], [1, 1, 2, 2]])
def test_weights_go_with_queries_of_which_the_last_retrieved_nothing(queries):
    y_score = [2, 1, 1, -INF] if queries[-1] == 3 else [2, 1, -INF, -INF]
    options = {"k": 1, "queries": queries, "average": None, "sample_weight": [1.0] * 4}
    found = precision_at_k_score([1, 0, 1, 0], y_score, **options)
    assert list(found) == ([1, 1, 0] if queries[-1] == 3 else [1, 0])


def test_a_class_without_negatives_at_a_prevalence_has_a_best_model():
    y_true = np.ones(6, int)
    scores = {"a": np.arange(6.0), "b": np.full(6, -INF), "c": np.array([1, -INF] * 3)}
    options = {"prevalence": 0.5, "zero_division": 0.0}
    assert list(best_average_precision(y_true, scores, **options).estimates) == [0, 0, 0]


def test_the_best_model_for_each_query_is_refused_for_one_query_too():
    scores = {"a": [3, 2, 1], "b": [1, 2, 3]}
    with pytest.raises(ValueError, match="average must give each model one score"):
        best_average_precision([1, 0, 1], scores, queries=[1, 1, 1], average=None)


def test_weighted_counts_of_queries_keep_their_weights_at_a_prevalence():
    columns = {"y": [1, 0, 1, 1], "s": [2, 1, 2, 1], "q": [1, 1, 2, 2]}
    options = {"average": "weighted", "prevalence": 0.3, "zero_division": 0.0}
    expected = average_precision_score(*list(columns.values())[:2], queries=columns["q"], **options)
    counts = large.from_table(pa.table(columns), "y", "s", queries="q")
    assert counts.score(**options) == pytest.approx(expected) == pytest.approx(1 / 3)


def test_weights_far_apart_have_limits_of_an_operating_point():
    found = operating_point([0, 0, 1], [3, 2, 1], recall=0.8, sample_weight=[1, 1e-300, 1e-300])
    assert 0 <= found.recall_interval[0] <= found.recall_interval[1] == 1


def test_missed_positives_beside_clusters_are_as_rows_that_were_not_retrieved():
    y_true, y_score = ranked(60)
    clusters = np.arange(60) // 2
    known = y_true.sum() + 10
    found = average_precision_interval(y_true, y_score, clusters=clusters, n_positives=known)
    rows = average_precision_interval(
        np.append(y_true, np.ones(10, int)),
        np.append(y_score, np.full(10, -INF)),
        clusters=np.append(clusters, np.arange(30, 40)),
    )
    assert found.estimate == pytest.approx(rows.estimate)
    assert found.bias == pytest.approx(rows.bias, abs=0.005)
    assert (found.low, found.high) == pytest.approx((rows.low, rows.high), abs=0.02)


@pytest.mark.parametrize("definition", [Expected(), Interpolated()])
def test_one_cluster_says_nothing_of_a_mean_over_columns(definition):
    y_true, y_score = [[1, 0], [0, 1], [1, 1], [0, 0]], [[4, 3], [2, 1], [1, 1], [2, 3]]
    found = average_precision_interval(y_true, y_score, clusters=[7] * 4, definition=definition)
    assert (found.low, found.high) == (0, 1)
