"""From the arguments of a score to rankings: which rows count, and which arguments go together."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_ap import (
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    compare_segments,
    hit_curve,
    threshold_counts,
)
from sklearn_ap._inputs.request import Request, check_binary, check_models, check_rankings

NAN, INF = np.nan, np.inf
Y, S = np.array([0, 1, 1, 0]), np.array([0.1, 0.9, 0.4, 0.3])
COLUMNS = np.column_stack([Y, 1 - Y]), np.column_stack([S, 1 - S])
CLASSES, THREE = np.array([0, 1, 2, 1]), np.arange(12.0).reshape(4, 3) % 5
FRAMES = [pd.DataFrame(columns, columns=[*"ab"]) for columns in COLUMNS]
AABB, KNOWN_BA = [*"aabb"], pd.Series({"b": 4, "a": 4})
UNLISTED = np.array([0, 1, "a"], object)

WRONG = [
    (Y, [NAN, 1, 2, 3], {}, "y_score contains NaN"),
    (Y, [INF, 1, 2, 3], {}, "y_score contains infinity.*not retrieved is -inf.*Leave out rows"),
    (COLUMNS[0], np.full((4, 2), NAN), {}, "y_score contains NaN.*A cell whose label is nan"),
    (Y, S[:3], {}, r"numbers of samples: \[4, 3\] \(y_true, y_score\)"),
    ([], [], {}, "y_true and y_score are empty"),
    (pd.DataFrame(), pd.DataFrame(), {}, "y_true is empty"),
    (Y, np.ones((4, 3)), {}, "if it lacks some classes, .* as labels"),
    (Y, np.empty((4, 0)), {}, r"y_score has shape \(4, 0\) but y_true is binary"),
    (COLUMNS[0], np.ones((4, 3)), {}, r"got shapes \(4, 3\) and \(4, 2\)"),
    (COLUMNS[0], [COLUMNS[1]] * 2, {}, "two dimensions, got 3. Stack the list"),
    (COLUMNS[0] + 1, COLUMNS[1], {}, r"takes value in \{1, 2\}.*ones 0, and unknown ones nan"),
    (S, Y, {}, "continuous format is not supported .is y_true the first argument"),
    (np.column_stack([CLASSES, CLASSES]), THREE[:, :2], {}, "multiclass-multioutput format"),
    ([[1, 0, 1, 0]], S, {}, r"y_true has shape \(1, 4\), one row .* pass np.ravel\(y_true\)"),
    (Y, S[None], {}, r"y_score has shape \(1, 4\), one row .* pass np.ravel\(y_score\)"),
    (CLASSES, S, {}, "`y_score` needs to be of shape .* 3 classes"),
    (CLASSES, THREE[:, :2], {}, "class of every column as labels"),
    (CLASSES, THREE, {"labels": [0, 1, 1]}, "labels must list at least 3 classes, each once"),
    (CLASSES, THREE, {"labels": [[0, 1, 2]]}, "labels must list"),
    (CLASSES, THREE, {"labels": UNLISTED}, r"classes that labels does not list: \[2\]"),
    (CLASSES, THREE, {"labels": [0, 1, 2, 3]}, "`y_score` needs to be of shape"),
    (*COLUMNS, {"labels": [0, 1, 2]}, "labels is for 1-D class labels"),
    (Y, S, {"labels": [0, 1]}, "labels must list at least 3"),
    (Y, S, {"labels": [0, 1], "queries": AABB, "average": "micro"}, "labels must list at least 3"),
    (*COLUMNS, {"pos_label": 0}, "Parameter pos_label is fixed to 1"),
    (CLASSES, THREE, {"pos_label": 0}, r"fixed to 1.*pass y_true == 0"),
    (*COLUMNS, {"queries": AABB}, "queries is for 1-D binary y_true only"),
    (Y, S, {"queries": AABB, "average": "micro"}, "average='micro' does not go with queries"),
    (Y, S, {"queries": AABB, "average": "samples"}, "average='samples' does not go with queries"),
    (*COLUMNS, {"n_positives": pd.Series([9] * 4)}, "one number per ranking, 2 here"),
    (Y, S, {"queries": AABB, "n_positives": KNOWN_BA}, r"in another order.* order \['a', 'b'\]"),
    (*FRAMES, {"n_positives": KNOWN_BA}, "names of the rankings in another order"),
    (FRAMES[0], FRAMES[1][["b", "a"]], {}, r"same columns in another order.*y_score\[y_true\.col"),
    (np.full((2, 2), NAN), COLUMNS[1][:2], {}, "y_true has no known label"),
]


# scikit-learn's type_of_target casts before it looks for NaN
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize(("y_true", "y_score", "options", "text"), WRONG)
def test_error_names_arguments_that_do_not_fit(y_true, y_score, options, text):
    with pytest.raises(ValueError, match=text):
        average_precision_score(y_true, y_score, **options)


def test_known_positives_must_not_be_a_mapping():
    with pytest.raises(ValueError, match="n_positives must be an array"):
        average_precision_score(Y, S, queries=AABB, n_positives={"a": 4, "b": 4})


@pytest.mark.parametrize("name", ["sample_weight", "queries", "clusters", "y_score"])
def test_columns_in_another_order_are_refused(name):
    labels = pd.Series(Y)
    given = {"y_score": S, name: pd.Series([1, 2, 3, 4])[::-1]}
    for check in (lambda request: check_models([request]), check_rankings):
        with pytest.raises(ValueError, match=f"y_true and {name} have indexes"):
            check(Request(y_true=labels, **given))


@pytest.mark.parametrize("function", [threshold_counts, hit_curve])
def test_functions_of_one_ranking_refuse_columns(function):
    with pytest.raises(ValueError, match="multilabel-indicator format is not supported"):
        function(*COLUMNS)
    with pytest.raises(ValueError, match=r"multiclass format.*pass its label as pos_label"):
        function(CLASSES, S)
    assert repr(function(CLASSES, S, pos_label=2)) == repr(function(CLASSES == 2, S))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: compare_average_precision(Y, {"a": S, "b": S[:3]}), r"\[4, 3\].*y_scores\['b'\]"),
        (lambda: best_average_precision(Y, {"a": S, "b": S[:3]}), r"\[4, 3\].*y_scores\['b'\]"),
        (lambda: compare_average_precision(Y, {"a": S, "b": S[None]}), r"has shape \(1, 4\)"),
        (lambda: compare_segments(Y, S[None], AABB), r"y_score has shape \(1, 4\), one row"),
    ],
)
def test_error_names_the_scores_at_fault_among_models_and_segments(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_score_columns_in_another_class_order_are_refused(frame):
    y_true, names = np.array(["low", "mid", "high"] * 2), ["low", "mid", "high"]
    scores = frame({name: (y_true == name) * 1.0 for name in names})
    with pytest.raises(ValueError, match=r"pass labels=\['low', 'mid', 'high'\]"):
        average_precision_score(y_true, scores)
    with pytest.raises(ValueError, match=r"stand for \['high', 'low', 'mid'\]"):
        average_precision_score(y_true, scores, labels=["high", "low", "mid"])
    assert average_precision_score(y_true, scores, labels=names) == 1
    assert average_precision_score(y_true, scores[["high", "low", "mid"]]) == 1


def test_known_positives_of_samples_are_matched_with_rows_not_columns():
    """People who rate each other: a row for each who rates."""
    table = pd.DataFrame(np.eye(2), index=[*"ba"], columns=[*"ab"])
    known = pd.Series([4, 1], index=table.index)
    options = {"n_positives": known, "average": "samples"}
    assert average_precision_score(table, table, **options) == (1 / 4 + 1) / 2


class TestRowsThatCount:
    """Rows with weight and, in a table, a known label; rows not retrieved count in their class."""

    REQUEST = Request(
        y_true=[1, 0, 1, 1],
        y_score=[4, -INF, 2, 1],
        sample_weight=[1, 2, 0, 3],
        queries=[*"baca"],
        n_positives=[5, 3],
    )

    def test_rows_without_weight_leave_with_their_queries(self):
        found = check_rankings(self.REQUEST)
        assert self.REQUEST.all_names == ("a", "b")
        assert found.ranking.tolist() == [1, 0]
        assert found.weight.tolist() == [1, 3]
        assert found.n_positives.tolist() == [5, 3]
        assert found.n_unscored.tolist() == [2, 2]
        assert found.n_negatives.tolist() == [2, 0]

    def test_comparisons_keep_rows_that_were_not_retrieved(self):
        (found,) = check_models([self.REQUEST])
        assert found.score.tolist() == [4, -INF, 1]
        options = {"pos_label": None, "sample_weight": None, "clusters": [*"aabb"]}
        for kept, scores in ((True, [4, 2, 1]), (False, [4, -INF, 2, 1])):
            found = check_binary([1, 0, 1, 1], [4, -INF, 2, 1], select_retrieved=kept, **options)
            assert (found.score.tolist(), found.has_clusters) == (scores, True)

    def test_rows_of_a_table_without_a_known_label_do_not_count(self):
        y_true = [[1, None], [None, None], [0, 1], [1, 0]]
        request = Request(y_true=y_true, y_score=np.ones((4, 2)), sample_weight=[1, 1, 1, 0])
        assert (request.n_rows, request.n_columns, request.has_classes) == (2, 2, False)
        found = check_rankings(request)
        assert found.score.size == 3
        assert Request(y_true=Y, y_score=S).n_rows == 4

    def test_scores_ignore_clusters_that_are_checked_all_the_same(self):
        request = {"y_true": [0, 1], "y_score": [1, 2], "clusters": [0, 1]}
        assert check_rankings(Request(**request)).clusters is None
        assert check_models([Request(**request)])[0].clusters.tolist() == [0, 1]
        with pytest.raises(ValueError, match="clusters must be one-dimensional"):
            check_rankings(Request(**request | {"clusters": np.ones((2, 2))}))


@pytest.mark.parametrize(
    ("given", "names", "columns"),
    [
        ({"y_true": Y, "y_score": S}, None, None),
        ({"y_true": Y, "y_score": S, "queries": [2, 1, 2, 1]}, (1, 2), None),
        ({"y_true": CLASSES, "y_score": THREE}, (0, 1, 2), ["class 0", "class 1", "class 2"]),
        ({"y_true": CLASSES, "y_score": THREE, "labels": [2, 0, 1]}, (2, 0, 1), None),
        ({"y_true": COLUMNS[0], "y_score": COLUMNS[1]}, None, ["label 0", "label 1"]),
        ({"y_true": FRAMES[0], "y_score": COLUMNS[1]}, ("a", "b"), ["a", "b"]),
    ],
)
def test_rankings_have_names_of_queries_classes_or_columns(given, names, columns):
    request = Request(**given)
    each = Request(**given, average=None)
    assert each.all_names == each.ranking_names == request.all_names == names
    assert request.ranking_names is None
    assert request.averaged_names == frozenset([] if "queries" in given else names or [])
    assert each.averaged_names == frozenset()
    assert columns is None or request.column_names() == columns
