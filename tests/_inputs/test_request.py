"""Every bad input gets an error that names the argument and says what was wrong."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    compare_segments,
    hit_curve,
    precision_at_k_score,
    threshold_counts,
)
from sklearn_ap._inputs.rankings import check_n_positives

Y = np.array([0, 1, 1, 0])
S = np.array([0.1, 0.9, 0.4, 0.3])
COLUMNS = np.column_stack([Y, 1 - Y]), np.column_stack([S, 1 - S])
CLASSES = np.array([0, 1, 2, 1])
THREE = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3]])
TYPO = ["ham", "Spam", "ham", "spam"]
NAMED = r"\['Spam', 'ham', 'spam'\].*rarest is 'Spam', in 1 of"

BAD_PREDICTIONS = {
    "nan score": ((Y, [np.nan, 1, 2, 3]), "y_score contains NaN"),
    "infinite score": ((Y, [np.inf, 1, 2, 3]), "y_score contains infinity"),
    "missing score": ((Y, pd.Series([1, 2, 3, None], dtype="Float64")), "y_score contains NaN"),
    "other length": ((Y, S[:3]), r"numbers of samples: \[4, 3\] \(y_true, y_score\)"),
    "nothing": (([], []), "y_true and y_score are empty"),
    "a fold that lacks a class": ((Y, np.ones((4, 3))), "if it lacks some classes, .* as labels"),
    "other shape": ((COLUMNS[0], np.ones((4, 3))), r"got shapes \(4, 3\) and \(4, 2\)"),
    "one number": ((Y, 0.5), "y_score must be an array, got 0.5"),
    "a list of arrays": ((COLUMNS[0], [COLUMNS[1]] * 2), "two dimensions, got 3. Stack the list"),
    "complex scores": ((Y, [1j, 2, 3, 4]), r"y_score must hold numbers, got \[1j, 2, 3, 4\]"),
    "scores without columns": ((Y, np.empty((4, 0))), r"y_score has shape \(4, 0\) but y_true is"),
    "scores beyond floats": ((Y, [10**400, 1, 2, 3]), "y_score must hold one number .* 1.8e308"),
    "ragged scores": ((Y, [1, [2, 3], 4, 5]), r"y_score must hold one number in each place"),
    "a set of scores": ((Y, {1, 2, 3, 4}), r"y_score must be an array, got \{1, 2, 3, 4\}"),
    "text for labels": (("0110", S), "y_true must be an array, got '0110'"),
    "swapped": ((S, Y), "continuous format is not supported .is y_true the first argument"),
    "missing label": ((pd.Series([0, 1, 1, None], dtype="Int64"), S), "y_true contains NaN"),
    "classes and one column": ((CLASSES, S), r"`y_score` needs to be of shape .* 3 classes"),
    "classes and too few columns": ((CLASSES, THREE[:, :2]), "class of every column as labels"),
    "tables without rows": ((pd.DataFrame(), pd.DataFrame()), "y_true is empty"),
    "class lists": ((np.column_stack([CLASSES, CLASSES]), THREE), "multiclass-multioutput format"),
    "several models": ((Y, {"A": S, "B": S}), "compare_average_precision"),
    "a typo": ((TYPO, S), NAMED),
    "no label": ((pd.Series(["ok", "x", np.nan], dtype=object), S[:3]), r"value, in row 2\b"),
    "label None": (([0, 1, None], S[:3]), r"missing value, in row 2: (None|nan)\b"),
    "label None of an array": ((np.array([0, 1, None]), S[:3]), r"missing value, in row 2: "),
    "a text": (([1, 0, 1], ["0.3", "x", "0.1"]), r"the text '0.3' in row 0\. predict_proba "),
    "one text": (([1, 0], np.array([0.3, "0.2"], object)), r"the text '0.2' in row 1\."),
    "a column of texts": (([1, 0], pl.Series(["0.3", "0.2"])), r"the text '0.3' in row 0\."),
    "a text in a table": ((Y[:2], np.array([[0, 1], [2, "x"]], object)), r"'x' in row \(1, 1\)\."),
}


# scikit-learn's type_of_target casts before it looks for NaN
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
@pytest.mark.parametrize(("arguments", "message"), BAD_PREDICTIONS.values(), ids=BAD_PREDICTIONS)
def test_error_names_the_fault_of_bad_predictions(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        average_precision_score(*arguments)


ANOTHER_ORDER = pd.Series({"b": 4, "a": 4})
AABB = {"queries": [*"aabb"]}
WRONG_TYPES = {
    r"average has to be one of .* got \['macro'\]": {"average": ["macro"]},
    "pos_label must be a number, a string": {"pos_label": [1]},
    "zero_division must be": {"zero_division": None},
    "n_positives must hold numbers": {"n_positives": "10"},
    "one per query in the order of np.unique": AABB | {"n_positives": {"a": 4, "b": 4}},
}
WRONG_VALUES = {
    "average has to be one of .* got 'mean'": {"average": "mean"},
    "average='micro' does not go with queries": AABB | {"average": "micro"},
    "pos_label=2 is not a valid label": {"pos_label": 2},
    "zero_division must be .* got 0.5": {"zero_division": 0.5},
    "y_true contains classes that labels does not list": {"labels": [None, "a", 2.5]},
    "labels must list at least 3": {"labels": [0, 1]},
    r"types: 1 \(int\), 'a' \(str\)\. Give them one\.": {"queries": [1, "a", 1, "a"]},
    r"cannot be sorted: 2j \(complex\)\. Use strings or num": {"queries": [1j, 2j, 1j, 2j]},
    "unhashable type: 'dict'": {"queries": [{}, {}, 1, 1]},
    r"\[4, 4, 3\] \(y_true, y_score, queries": {"queries": [1, 2, 3]},
    r"queries must be .* shape \(4, 2\)\. Join the columns": {"queries": np.ones((4, 2))},
    "n_positives must be finite and .* It is 1 where y_true holds 2": {"n_positives": 1},
    "n_positives must be finite and .* It is nan": {"n_positives": np.nan},
    "n_positives .* one number per ranking, 1 here": {"n_positives": [3, 3]},
    "one number per ranking, 2 here, got a single number": AABB | {"n_positives": 9},
    r"in another order.* the order \['a', 'b'\]": AABB | {"n_positives": ANOTHER_ORDER},
    "sample_weight must not be negative, got -1": {"sample_weight": [1, 1, -1, 1]},
    "sample_weight contains NaN": {"sample_weight": [1, 1, np.nan, 1]},
    "sample_weight contains NaN or infinity": {"sample_weight": [1, 1, np.inf, 1]},
    "sample_weight .* adds up to infinity": {"sample_weight": [1e308] * 4},
    r"shape \(4, 2\).* unknown, write nan": {"sample_weight": np.ones((4, 2))},
    "sample_weight must hold numbers, got the text '1'": {"sample_weight": [*"1234"]},
    "sample_weight must be an array, got <list_it": {"sample_weight": iter([1, 1, 1, 1])},
    "sample_weight is zero in every row": {"sample_weight": np.zeros(4)},
    r"\[4, 4, 2\] \(y_true, y_score, sample_weight\)": {"sample_weight": [1, 1]},
}


@pytest.mark.parametrize(("error", "wrong"), [(TypeError, WRONG_TYPES), (ValueError, WRONG_VALUES)])
def test_error_names_a_wrong_option(error, wrong):
    for message, options in wrong.items():
        with pytest.raises(error, match=message):
            average_precision_score(Y, S, **options)


OF_CLASSES = CLASSES, THREE
UNLISTED = np.array([0, 1, "a"], object)
OF_COLUMNS = [
    (*OF_CLASSES, {"labels": [0, 1, 1]}, "each once"),
    (*OF_CLASSES, {"labels": [[0, 1, 2]]}, "labels must list"),
    (*OF_CLASSES, {"labels": UNLISTED}, r"classes that labels does not list: \[2\]"),
    (*OF_CLASSES, {"labels": [0, 1, 2, 3]}, "`y_score` needs to be of shape"),
    (*COLUMNS, {"labels": [0, 1, 2]}, "labels is for 1-D class labels"),
    *(
        (*data, {name: value}, message)
        for data in (COLUMNS, OF_CLASSES)
        for name, value, message in [
            ("pos_label", 0, "Parameter pos_label is fixed to 1"),
            ("queries", [1, 1, 2, 2], "queries is for 1-D binary y_true only"),
            ("n_positives", pd.Series([9] * 4), "one number per ranking"),
        ]
    ),
    (TYPO, S, {"pos_label": "spam"}, f"fixed to 1 .*{NAMED}"),
    (
        np.array([*"abca"]),
        np.eye(4)[:, :3],
        {"pos_label": "a"},
        "pass y_true == 'a' and its column of y_score",
    ),
    (
        pd.DataFrame(COLUMNS[0], columns=[*"ab"]),
        pd.DataFrame(COLUMNS[1], columns=[*"ab"]),
        {"n_positives": ANOTHER_ORDER},
        "names of the rankings in another order",
    ),
]


@pytest.mark.parametrize(("y_true", "y_score", "options", "message"), OF_COLUMNS)
def test_error_names_a_wrong_option_for_several_columns(y_true, y_score, options, message):
    with pytest.raises(ValueError, match=message):
        average_precision_score(y_true, y_score, **options)


def test_weights_of_all_cells_must_not_add_up_to_infinity():
    y_true, y_score = np.eye(4, 3, dtype=int), np.arange(12).reshape(4, 3)
    weight = np.full(4, 4e307)  # a column has 1.6e308, and all three have 4.8e308
    assert average_precision_score(y_true, y_score, sample_weight=weight) > 0
    with pytest.raises(ValueError, match=r"sample_weight .* adds up to infinity"):
        average_precision_score(y_true, y_score, sample_weight=weight, average="micro")


def test_n_positives_tolerates_rounding_below_the_sum_of_weights():
    """It is then that sum: recall does not exceed 1."""
    found = np.array([0.2])
    known = check_n_positives(0.2 * (1 - 1e-10), found, several=False)
    np.testing.assert_array_equal(known, found)
    with pytest.raises(ValueError, match="n_positives must be finite and at least"):
        check_n_positives(0.2 * (1 - 1e-8), found, several=False)


BAD_OF_ONE = "nan score", "other length", "nothing", "swapped", "scores without columns", "a typo"


@pytest.mark.parametrize("function", [threshold_counts, hit_curve])
def test_functions_of_one_ranking_refuse_columns_and_bad_predictions(function):
    columns = (COLUMNS, "multilabel-indicator format is not supported")
    for arguments, message in (*(BAD_PREDICTIONS[name] for name in BAD_OF_ONE), columns):
        with pytest.raises(ValueError, match=message):
            function(*arguments)
    with pytest.raises(ValueError, match="pos_label=9 is not a valid label"):
        function(CLASSES, S, pos_label=9)
    for pos_label in ([1], b"a", 1j, np.array(1)):
        with pytest.raises(TypeError, match="pos_label must be a number, a string or a bool"):
            function(Y, S, pos_label=pos_label)
    one_of_three, two = function(CLASSES, S, pos_label=2), function(CLASSES == 2, S)
    assert repr(one_of_three) == repr(two)


def test_k_beyond_the_total_weight_raises_a_warning():
    for k, weight, queries in ((3, [0.25] * 4, None), (2, [1, 1, 0.5, 0.5], [1, 1, 2, 2])):
        options = {"k": k, "sample_weight": weight, "queries": queries}
        for score in (average_precision_at_k_score, precision_at_k_score):
            match = f"k={k} exceeds the total of sample_weight"
            with pytest.warns(UserWarning, match=match) as record:
                score(Y, S, **options)
            assert record[0].filename == __file__
    for k, weight in ((5, 0.25), (3, 1.0), (1, 0.25), (4, 1 - 1e-12)):  # silently
        precision_at_k_score(Y, S, k=k, sample_weight=np.full(4, weight))


def test_bools_are_weights_and_numpy_strings_are_labels():
    kept = np.array([True, False, True, True])
    for weight in (kept.tolist(), kept.astype(object)):
        found = average_precision_score(Y, S, sample_weight=weight)
        assert found == average_precision_score(Y[kept], S[kept])
    strings = np.array(["no", "yes"])[Y].astype(np.dtypes.StringDType())
    found = average_precision_score(strings, S, pos_label="yes")
    assert found == average_precision_score(Y, S)


def test_index_of_n_positives_must_match_queries_with_weight():
    queries, y_true = np.array([*"abc"] * 2), [1, 1, 1, 0, 0, 0]
    known = pd.Series([9, 2], index=["c", "b"])
    weight = (queries != "a") * 1.0
    with pytest.raises(ValueError, match=r"in another order.*order \['b', 'c'\]"):
        average_precision_score(
            y_true, np.arange(6.0), queries=queries, sample_weight=weight, n_positives=known
        )


def test_n_positives_of_samples_are_matched_with_rows_not_columns():
    """People who rate each other: a row for each who rates."""
    table = pd.DataFrame(np.eye(2), index=[*"ba"], columns=[*"ab"])
    known = pd.Series([4, 1], index=table.index)
    options = {"n_positives": known, "average": "samples"}
    assert average_precision_score(table, table, **options) == (1 / 4 + 1) / 2


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


WRONG = {
    "one row of labels": (
        lambda: average_precision_score([[1, 0, 1, 0]], [4, 3, 2, 1]),
        r"y_true has shape \(1, 4\), one row of 4 columns, .* pass np.ravel\(y_true\)",
    ),
    "one row of scores": (
        lambda: average_precision_score([1, 0, 1, 0], np.array([[4.0, 3, 2, 1]])),
        r"y_score has shape \(1, 4\), one row of 4 columns, .* pass np.ravel\(y_score\)",
    ),
    "one row of a model": (
        lambda: compare_average_precision([1, 0, 1], {"a": [3, 2, 1], "b": np.ones((1, 3))}),
        r"y_score has shape \(1, 3\)",
    ),
    "one row of scores beside segments": (
        lambda: compare_segments([1, 0, 1], np.ones((1, 3)), [1, 1, 2]),
        r"y_score has shape \(1, 3\), one row of 3 columns, .* pass np.ravel\(y_score\)",
    ),
    "labels of mixed types": (
        lambda: average_precision_score(pd.Series([1, "a", 0, 2.0]), [4, 3, 2, 1]),
        r"of several types: 0 \(int\), 'a' \(str\), 2.0 \(float\). Bring them to one type",
    ),
    "fewer scores of one model": (
        lambda: compare_average_precision([1, 0, 1], {"a": [3, 2, 1], "b": [2, 1]}),
        r"inconsistent numbers of samples: \[3, 2\] \(y_true, y_scores\['b'\]\)",
    ),
    "fewer scores of one of many": (
        lambda: best_average_precision([1, 0, 1], {"a": [3, 2, 1], "b": [2, 1]}),
        r"\[3, 2\] \(y_true, y_scores\['b'\]\)",
    ),
    "sizes of groups": (
        lambda: average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], queries=[3, 1]),
        r"queries must name the query of each row, .* np.repeat\(np.arange\(len\(g\)\), g\)",
    ),
    "other numbers of queries": (
        lambda: average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], queries=[3, 2]),
        r"inconsistent numbers of samples: \[4, 4, 2\] \(y_true, y_score, queries\)",
    ),
    "complex labels": (
        lambda: average_precision_score(np.array([1, 0, 1j]), [3, 2, 1]),
        r"^y_true must hold labels, got the complex number .* pass y_true.real",
    ),
    "masked scores": (
        lambda: average_precision_score([1, 0, 1], np.ma.masked_array([3.0, 2, 1], [0, 1, 0])),
        "y_score contains NaN",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_error_states_the_wrong_input_and_the_remedy(name):
    call, text = WRONG[name]
    with pytest.raises(ValueError, match=text):
        call()
