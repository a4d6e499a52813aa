"""From the arguments of a score to rankings: which rows count, and which arguments go together."""

import ast
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap._inputs.request import Request, check_rankings
from tests.helpers import reference
from tests.helpers.registry import WEIGHTS, predictions
from tests.helpers.syntax import nodes_of

NAN, INF = np.nan, np.inf


def exact_values(rankings, missed=0):
    """The exact value of each ranking of labels, scores and weights, and its positives."""
    values, totals = [], []
    for rows in rankings:
        rows = np.array(rows)[:, ~np.isnan(rows[0])]  # with a known label
        totals.append(rows[2] @ rows[0] + missed)
        rows = [*map(np.ndarray.tolist, rows[:, rows[1] > -INF])]
        exact = reference.step(*rows, n_positives=totals[-1]) if totals[-1] else NAN
        values.append(float(exact))
    return np.array(values), np.array(totals)


def make_rankings(average, y_true, y_score, weight):
    """The rankings of a table: its columns, its rows, or all cells."""
    table = np.stack([y_true, y_score, np.broadcast_to(weight[:, None], y_true.shape)])
    if average == "samples":
        return [(*row[:2], np.ones_like(row[2])) for row in table.transpose(1, 0, 2)]
    return [table.reshape(3, -1)] if average == "micro" else table.transpose(2, 0, 1)


@pytest.mark.filterwarnings("ignore:only positives:sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("average", ["macro", "weighted", "samples", "micro"])
@given(data=predictions(max_size=12, weights=WEIGHTS), gap=st.integers(2, 13))
def test_a_table_has_the_mean_of_its_rankings(average, data, gap):
    """With rows of weight 0, cells that were not retrieved, and cells without a label."""
    y_true, y_score, weight = data
    weight[0] += 1
    y_true, y_score = (np.stack([each, each[::-1]], axis=1) * 1.0 for each in (y_true, y_score))
    y_score[y_score == y_score.min()] = -INF
    y_true[1::gap, 0] = y_true[3::gap, 1] = NAN
    values, totals = exact_values(make_rankings(average, y_true, y_score, weight))
    weights = {"weighted": totals, "samples": weight}.get(average, np.ones(values.size))
    weights = np.where(np.isnan(values), 0, weights)
    expected = np.average(np.nan_to_num(values), weights=weights) if weights.any() else NAN
    options = {"average": average, "sample_weight": weight, "zero_division": NAN}
    found = average_precision_score(y_true, y_score, **options)
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@given(data=predictions(max_size=12, weights=WEIGHTS), missed=st.integers(0, 2))
def test_queries_have_the_values_of_their_rows_with_weight(data, missed):
    y_true, y_score, weight = data
    y_score = np.where(y_score == y_score.min(), -INF, y_score)
    names = np.array([*"dbca"])[(7 * np.arange(y_true.size) + 3) % 4]
    parts = [names == name for name in np.unique(names[weight > 0])]
    rankings = [np.stack([y_true, y_score, weight])[:, part] for part in parts]
    values, totals = exact_values(rankings, missed)
    options = {"queries": names, "n_positives": totals, "average": None, "zero_division": NAN}
    found = average_precision_score(y_true, y_score, sample_weight=weight, **options)
    np.testing.assert_allclose(found, values, rtol=1e-12)


Y, S = np.array([0, 1, 1, 0]), np.array([0.1, 0.9, 0.4, 0.3])
COLUMNS = np.column_stack([Y, 1 - Y]), np.column_stack([S, 1 - S])
CLASSES, THREE = np.array([0, 1, 2, 1]), np.arange(12.0).reshape(4, 3) % 5
FRAMES = [pd.DataFrame(columns, columns=[*"ab"]) for columns in COLUMNS]
AABB, KNOWN_BA = [*"aabb"], pd.Series({"b": 4, "a": 4})
WRONG = [
    (Y, [INF, 1, NAN, NAN], {}, r"y_score contains NaN, first in row 2\."),
    (
        Y,
        [INF, 1, 2, 3],
        {},
        "y_score contains infinity.*Leave out .* -inf if it was not",
    ),
    (COLUMNS[0], np.full((4, 2), NAN), {}, r"NaN, first in row 0, column 0\. .*by the label nan"),
    (FRAMES[0], FRAMES[1].replace(0.4, INF), {}, "infinity, first in row 2, column 'a'"),
    (Y, np.ma.masked_array(S, S > 0.5), {}, "y_score contains NaN"),
    (Y, [10**400, 1, 2, 3], {}, "y_score must hold numbers, got 1000"),
    (Y, [1j, 2, 3, 4], {}, "y_score must hold numbers, got 1j in row 0"),
    (["a", "b"] * 2, ["b"] * 4, {"pos_label": "b"}, "'b': predicted classes .* place of make_sco"),
    (Y, ["0.3", 1, 2, 3], {}, r"y_score must hold numbers, got '0\.3' in row 0"),
    (Y, S[:3], {}, r"numbers of samples: \[4, 3\] \(y_true, y_score\)"),
    ([], [], {}, "y_true is empty"),
    (pd.DataFrame(), pd.DataFrame(), {}, "y_true is empty"),
    (Y, np.ones((4, 3)), {}, "if y_true lacks classes, .* as labels"),
    (Y, np.ones((4, 3)), {}, r"are seeds, repeat y_true: np\.column_stack\(\[y_true\] \* 3\)"),
    (["ok"] * 4, np.ones((4, 3)), {}, "all classes if StratifiedKFold"),  # sorted labels
    (COLUMNS[0], np.ones((4, 3)), {}, r"got shapes \(4, 3\) and \(4, 2\)"),
    (COLUMNS[0], [COLUMNS[1]] * 2, {}, "two dimensions, got 3. Stack the list"),
    (COLUMNS[0], [np.ones((4, 2)), np.ones((4, 3))], {}, "y_score must hold numbers, got array"),
    (COLUMNS[0] + 1, COLUMNS[1], {}, r"table has the labels \[1, 2\]"),
    (S, Y, {}, "continuous format is not supported, .* Are y_true and y_score swapped"),
    (np.column_stack([CLASSES, CLASSES]), THREE[:, :2], {}, r"table has the labels \[0, 1, 2\]"),
    (FRAMES[0].assign(a="CCO"), FRAMES[1], {}, "one type, .* got 'CCO' .str., "),
    ([[1, 0], [0, -1]], np.eye(2), {}, r"table has the labels \[-1, 0, 1\]"),
    ([["no", "yes"]] * 2, np.eye(2), {}, r"table has the labels \['no', 'yes'\]"),
    (CLASSES, S, {}, r"y_true has 3 labels, \[0, 1, 2\]\. For one .* y_true >= level for grades"),
    (CLASSES, THREE[:, :2], {}, "class of each column as labels"),
    (CLASSES, THREE, {"labels": [0, 1, 1]}, "labels must list at least 3 classes, each once"),
    (CLASSES, THREE, {"labels": [0, 1, 5]}, r"classes that labels does not list: \[2\]"),
    (CLASSES, THREE, {"labels": [0, 1, 2, 3]}, "`y_score` needs to be of shape"),
    (*COLUMNS, {"labels": [0, 1, 2]}, r"one column, got shape \(4, 2\): labels is for classes"),
    (*COLUMNS, {"pos_label": 0}, "Parameter pos_label is fixed to 1"),
    (CLASSES, THREE, {"pos_label": 0}, "average=None. For one .* Neither goes with a search"),
    (*COLUMNS, {"queries": AABB}, "queries and segments take one column"),
    (Y, S, {"queries": AABB, "average": "micro"}, "average='micro' does not go with queries"),
    (*COLUMNS, {"n_positives": pd.Series([9] * 4)}, "one number per ranking, 2 here"),
    (Y, S, {"queries": AABB, "n_positives": KNOWN_BA}, r"in another order.* order \['a', 'b'\]"),
    (*FRAMES, {"n_positives": KNOWN_BA}, "n_positives and the rankings .* in another order"),
    (FRAMES[0], FRAMES[1][["b", "a"]], {}, r"same names in another order.*y_score\[y_true\.col"),
    (Y, S, {"queries": AABB, "n_positives": {"a": 4, "b": 4}}, "n_positives must be an array"),
    (np.full((2, 2), NAN), COLUMNS[1][:2], {}, "y_true has no known label"),
]


# scikit-learn's type_of_target casts before it looks for NaN
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize(("y_true", "y_score", "options", "text"), WRONG)
def test_error_names_arguments_that_do_not_fit(y_true, y_score, options, text):
    with pytest.raises(ValueError, match=text):
        average_precision_score(y_true, y_score, **options)


def test_known_positives_of_samples_are_matched_with_rows_not_columns():
    """People who rate each other: a row for each who rates."""
    table = pd.DataFrame(np.eye(2), index=[*"ba"], columns=[*"ab"])
    known = pd.Series([4, 1], index=table.index)
    found = average_precision_score(table, table, n_positives=known, average="samples")
    assert found == (1 / 4 + 1) / 2


@pytest.mark.parametrize("name", ["sample_weight", "queries", "clusters", "y_score"])
def test_columns_in_another_order_are_refused(name):
    given = {"y_true": pd.Series(Y), "y_score": S, name: pd.Series([1, 2, 3, 4])[::-1]}
    with pytest.raises(ValueError, match=f"indexes of y_true and {name} have"):
        check_rankings(Request(**given))


def test_functions_of_one_ranking_refuse_columns():
    with pytest.raises(ValueError, match=r"y_true must have one column, got shape \(4, 2\)"):
        threshold_counts(*COLUMNS)


@pytest.mark.parametrize("argument", ["queries", "clusters"])
def test_a_missing_name_is_in_a_row_of_all_rows(argument):
    request = Request(y_true=Y, y_score=S, sample_weight=[0, 1, 1, 1], **{argument: [*"aab", None]})
    with pytest.raises(ValueError, match=f"{argument} contains NaN .*, first in row 3"):
        check_rankings(request, all_items=True)
    counted = replace(request, sample_weight=[1, 1, 1, 0])
    assert check_rankings(counted, all_items=True).score.size == 3


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_score_columns_in_another_class_order_are_refused(frame):
    y_true, names = np.array(["low", "mid", "high"] * 2), ["low", "mid", "high"]
    scores = frame({name: (y_true == name) * 1.0 for name in names})
    with pytest.raises(ValueError, match=r"Pass labels=\['low', 'mid', 'high'\]"):
        average_precision_score(y_true, scores)
    assert average_precision_score(y_true, scores, labels=names) == 1
    assert average_precision_score(y_true, scores[["high", "low", "mid"]]) == 1


def test_rows_that_were_not_retrieved_remain_in_comparisons_alone():
    rows = {"y_true": [1, 0, 1, 1], "y_score": [4, -INF, 2, 1], "sample_weight": [1, 2, 0, 3]}
    request = Request(**rows, queries=[*"baca"], n_positives=[5, 3])
    found = check_rankings(request, all_items=True)
    assert (found.names, found.score.tolist()) == (["a", "b"], [4, -INF, 1])
    found = check_rankings(request)
    assert found.score.tolist() == [4, 1]
    assert [*found.n_positives, *found.n_unscored, *found.n_negatives] == [5, 3, 2, 2, 2, 0]
    for kept, scores in ((True, [4, 1]), (False, [4, -INF, 1])):
        request = Request(**rows, clusters=[*"aabb"])
        found = check_rankings(request, is_binary=True, all_items=not kept)
        assert (found.score.tolist(), found.sampling.row_clusters is None) == (scores, kept)


def test_rows_that_count_have_weight_and_a_known_label():
    y_true = [[1, None], [None, None], [0, 1], [1, 0]]
    request = Request(y_true=y_true, y_score=np.ones((4, 2)), sample_weight=[1, 1, 1, 0])
    assert check_rankings(request).sampling.n_rows == 2
    assert check_rankings(replace(request, average="samples")).n_rankings == 2


def test_scores_ignore_clusters_that_are_checked_all_the_same():
    request = Request(y_true=[0, 1], y_score=[1, 2], clusters=[5, 4])
    assert check_rankings(request).sampling.row_clusters is None
    assert check_rankings(request, all_items=True).sampling.row_clusters.tolist() == [1, 0]
    with pytest.raises(ValueError, match="clusters must be one-dimensional"):
        check_rankings(replace(request, clusters=np.ones((2, 2))))


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"y_true": Y, "y_score": S}, None),
        ({"y_true": Y, "y_score": S, "queries": [2, 1, 2, 1]}, [1, 2]),
        ({"y_true": CLASSES, "y_score": THREE}, [0, 1, 2]),
        ({"y_true": CLASSES, "y_score": THREE, "labels": [2, 0, 1]}, [2, 0, 1]),
        ({"y_true": COLUMNS[0], "y_score": COLUMNS[1]}, None),
        ({"y_true": FRAMES[0], "y_score": COLUMNS[1]}, ["a", "b"]),
        ({"y_true": FRAMES[0], "y_score": COLUMNS[1], "average": "samples"}, None),
    ],
)
def test_rankings_have_names_of_queries_classes_or_columns(given, names):
    assert check_rankings(Request(**given)).names == names


def test_functions_hand_on_each_argument_under_its_name():
    """None is forgotten, and none takes the place of another."""
    known, n_functions = {field.name for field in fields(Request)}, 0
    for path in Path(sklearn_ap.__file__).parent.rglob("*.py"):
        for function in nodes_of(path):
            if not isinstance(function, ast.FunctionDef):
                continue
            taken = {each.arg for each in function.args.args + function.args.kwonlyargs} & known
            if function.name == "compare_segments":  # which brings segments to one
                taken -= {"prevalence"}
            for call in ast.walk(function):
                if (
                    "y_true" in taken
                    and getattr(getattr(call, "func", None), "id", "") == "Request"
                ):
                    passed = {each.arg: ast.unparse(each.value) for each in call.keywords}
                    assert {name: passed.get(name) for name in taken} == dict(
                        zip(taken, taken, strict=True)
                    )
                    n_functions += 1
    assert n_functions > 15
