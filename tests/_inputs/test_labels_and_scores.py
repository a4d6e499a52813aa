"""Labels of every kind: which are positive, by one rule at every entrance, fast or slow."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    FoldPredictions,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compat,
    operating_point,
)
from sklearn_ap._inputs.labels_and_scores import check_labelled_scores, predicted_class_remark

NAN, INF = np.nan, np.inf
Y, S = np.array([0, 1, 1, 0]), np.array([0.1, 0.4, 0.35, 0.8])
NAMES = np.array(["ok", "fraud"], object)[Y]
TABLE, TWICE = np.column_stack([Y, 1 - Y]), np.column_stack([S, S])


@pytest.mark.parametrize("convert", [np.asarray, list, pd.Series, pl.Series])
@pytest.mark.parametrize("dtype", [float, np.float32, np.float16, int, np.int8, np.uint8, bool])
def test_scores_of_any_type_sort_fast_beside_labels_of_any_type(convert, dtype):
    scores = (10 * S).astype(dtype)
    widened = {bool: np.uint32, np.uint8: np.uint32, np.int8: np.int32, np.float16: np.float32}
    sorts_fast = widened.get(dtype, dtype)
    for labels, label in ((Y, None), (Y == 1, 1), (2.0 * Y - 1, None), (Y + 1, 2), (1 - Y, 0)):
        found = check_labelled_scores(convert(labels), convert(scores), label)
        np.testing.assert_array_equal(found.positive, Y == 1, strict=True)
        np.testing.assert_array_equal(found.score, scores.astype(sorts_fast), strict=True)


TEXTS = (
    *(NAMES, NAMES.tolist(), NAMES.astype(str), NAMES.astype(np.dtypes.StringDType())),
    *(pd.Series(NAMES, dtype=dtype) for dtype in (None, object, "string", "category")),
    *(pl.Series(NAMES.tolist(), dtype=dtype) for dtype in (pl.String, pl.Categorical)),
    pl.Series(NAMES.tolist(), dtype=pl.Enum(["ok", "fraud"])),
)


@pytest.mark.parametrize("labels", TEXTS)
def test_texts_are_labels_in_every_container(labels):
    np.testing.assert_array_equal(check_labelled_scores(labels, S, "fraud").positive, Y == 1)
    assert check_labelled_scores(labels[1:3], S[:2], "ok").positive.tolist() == [False, False]


@pytest.mark.parametrize("pos_label", [Fraction(1), np.bool_(True), 1.0])
def test_a_positive_label_of_another_type_is_the_equal_one(pos_label):
    for labels in (Y, Y == 1, Y.astype(object), Y.astype(np.float16), Y[:, None]):
        np.testing.assert_array_equal(check_labelled_scores(labels, S, pos_label).positive, Y == 1)
    assert not check_labelled_scores(0.0 * Y, S, 10**400).positive.any()


GAP = pd.DataFrame({"y": [0, 1, None, 1]})
# A table of one column is that column.
COLUMNS_WITH_A_GAP = GAP.y, GAP, GAP.astype("Int64"), GAP.y.astype("Int64"), GAP.to_numpy().tolist()


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (Y.astype(complex), "of one type, numbers of at most 64 bits or text, got 0j"),
        ([b"fraud", b"ok"] * 2, "got b'ok' .bytes."),
        ([Fraction(1), 0, 1, 0], r"got Fraction\(1, 1\) .Fraction., 0 .int."),
        ([[1], [0, 1], [1], [1]], r"got \[1\] .list."),
        ([2**53 + 1, 2.0**53] * 2, r"beyond 2\*\*53 that no float holds"),
        ([-INF, 1, 1, 1], "continuous format .* label -inf"),
        ([0.5, 1, 1, 0.5], "continuous format .* label 0.5"),
        *((column, "missing value, first in row 2") for column in COLUMNS_WITH_A_GAP),
        ([["a"], [None], ["b"], ["c"]], "missing value, first in row 1"),
        (np.ma.MaskedArray([*"aabb"], mask=[0, 0, 1, 0]), "missing value, first in row 2"),
        (None, "must be an array .*None"),
    ],
)
def test_what_is_no_label_is_refused(labels, text):
    with pytest.raises(ValueError, match=f"y_true.*{text}"):
        check_labelled_scores(labels, S, None)


@pytest.mark.parametrize("convert", [list, np.array, pd.Series])
def test_label_1_is_positive_beside_0_or_minus_1(convert):
    for labels in (Y, Y == 1, 1.0 * Y, 2 * Y - 1, Y.astype(object), (Y == 1).astype(object)):
        np.testing.assert_array_equal(
            check_labelled_scores(convert(labels), S, None).positive, Y == 1
        )
    for label in (0, 1, -1, True, False):  # one of them is enough
        found = check_labelled_scores(convert([label] * 2), S[:2], None).positive
        assert found.tolist() == [label == 1] * 2


@pytest.mark.parametrize(
    "labels", [NAMES, ["y"] * 4, Y + 1, [2] * 4, -Y], ids=["texts", "y", "1 and 2", "2", "-1 and 0"]
)
def test_labels_other_than_0_and_1_require_pos_label(labels):
    with pytest.raises(ValueError, match="pos_label is not specified"):
        average_precision_score(labels, S)


@pytest.mark.parametrize("label", [[1], b"a", 1j, np.array(1)])
def test_pos_label_is_a_number_a_text_or_a_bool(label):
    with pytest.raises(TypeError, match="pos_label must be a number, a string or a bool"):
        check_labelled_scores(Y, S, label)


@pytest.mark.parametrize(
    ("labels", "columns"),
    [(None, "abc"), (["c", "a", "b"], "cab"), (np.array([*"xacb"]), "xacb")],
)
def test_classes_are_columns_in_the_order_of_names_or_of_labels(labels, columns):
    names = np.array([*"caba"])
    found = check_labelled_scores(names, np.ones((4, len(columns))), None, labels)
    expected = names[:, None] == np.array([*columns])
    np.testing.assert_array_equal(found.positive, expected, strict=True)


GAPS = np.array([[1, NAN], [0, 1], [NAN, NAN], [1, 0]])


@pytest.mark.parametrize(
    "table",
    [
        *(GAPS, 2 * GAPS - 1, np.ma.masked_invalid(GAPS), np.ma.masked_invalid(GAPS).astype(bool)),
        [[None if np.isnan(label) else int(label) for label in row] for row in GAPS],
        pd.DataFrame(GAPS, columns=[*"ab"]).astype("Int64"),
        pl.DataFrame(GAPS, schema=[*"ab"]).fill_nan(None),
    ],
)
def test_cells_without_a_label_are_unknown(table):
    found = check_labelled_scores(table, TWICE, None)
    np.testing.assert_array_equal(found.is_known, ~np.isnan(GAPS))
    np.testing.assert_array_equal(found.positive & found.is_known, GAPS == 1)
    assert check_labelled_scores(TABLE.astype(object), TWICE, None).is_known is None


RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
HITS = X[:, 0] + RNG.normal(size=200) > 1.2
FRAUD = np.where(HITS, "fraud", "ok")
SCORES, SHUFFLED = X[:, 0], RNG.permutation(200)
MODEL = LogisticRegression().fit(X, FRAUD)
CV = cross_validate(
    LogisticRegression(), X, FRAUD, cv=4, return_estimator=True, return_indices=True
)
WARN_OF_CLASSES = {
    "interval": average_precision_interval,
    "comparison": lambda y, s: sklearn_ap.compare_average_precision(y, {"A": s, "B": SCORES}),
    "operating point": lambda y, s: operating_point(y, s, k=150),
    "tools": lambda y, s: compat.compare(y, s, tools=["xgboost.aucpr"]),
    "explanation": lambda y, s: compat.explain(y, s, "xgboost.aucpr"),
}
OF_SCORES = WARN_OF_CLASSES | {
    "score": average_precision_score,
    "counts": sklearn_ap.threshold_counts,
    "display": AveragePrecisionDisplay.from_predictions,
    "tool": lambda y, s: compat.score(y, s, "xgboost.aucpr"),
}
OF_MODELS = {
    "interval": lambda: average_precision_interval(FRAUD, FoldPredictions(CV, X)),
    "comparison": lambda: compare_average_precision(
        FRAUD, dict.fromkeys("AB", FoldPredictions(CV, X))
    ),
    "display": lambda: AveragePrecisionDisplay.from_estimator(MODEL, X, FRAUD),
    "folds": lambda: AveragePrecisionDisplay.from_cv_results(CV, X, FRAUD),
    "scorer": lambda: sklearn_ap.get_scorer("average_precision")(MODEL, X, FRAUD),
}
UNSAID = r"pos_label is not specified.*Pass pos_label='fraud' or pos_label='ok'"


@pytest.mark.parametrize("call", OF_SCORES.values(), ids=OF_SCORES)
def test_text_labels_without_pos_label_and_misordered_rows_are_refused(call):
    with pytest.raises(ValueError, match=r"another order.*Pass y_score\.loc\[y_true\.index\]"):
        call(pd.Series(HITS), pd.Series(SCORES).iloc[SHUFFLED])
    with pytest.raises(ValueError, match=UNSAID):
        call(FRAUD, SCORES)


@pytest.mark.parametrize("call", OF_MODELS.values(), ids=OF_MODELS)
def test_second_class_of_a_model_is_not_assumed_positive(call):
    with pytest.raises(ValueError, match=UNSAID):
        call()


CLASSES = (MODEL.predict(X) == "fraud") * 1.0


@pytest.mark.parametrize("call", WARN_OF_CLASSES.values(), ids=WARN_OF_CLASSES)
def test_predicted_classes_as_scores_raise_a_warning(call):
    match = "^predicted classes: ('A': )?All scores are .* look like predicted classes"
    with pytest.warns(UncertaintyWarning, match=match) as record:
        call(HITS, CLASSES)
    assert record[0].filename == __file__


@pytest.mark.parametrize(
    ("scores", "is_told"),
    [
        *((scores, True) for scores in (CLASSES, CLASSES == 1, np.append([-INF], 2 * CLASSES - 1))),
        *((scores, False) for scores in (CLASSES[:10], np.zeros(99), CLASSES / 2)),
        *((np.append(np.tile([0, 1], 9), other), False) for other in (0.5, 2, -1)),
    ],
)
def test_many_scores_of_two_classes_alone_are_told(scores, is_told):
    assert bool(predicted_class_remark(scores)) == is_told


@pytest.mark.parametrize(
    ("positive", "column"), [({}, 1), ({"pos_label": 0}, 0), ({"pos_label": 1}, 1)]
)
def test_two_columns_are_refused_with_that_of_the_positive_class(positive, column):
    both = np.column_stack([1 - SCORES, SCORES])
    with pytest.raises(ValueError, match=rf"such as y_score\[:, {column}\] of predict_proba"):
        average_precision_score(HITS, both, **positive)


def test_the_column_of_text_labels_is_that_of_the_model():
    model = LogisticRegression().fit(SCORES[:, None], FRAUD)
    both = model.predict_proba(SCORES[:, None])
    with pytest.raises(ValueError, match=r"such as y_score\[:, 0\] of predict_proba"):
        average_precision_score(FRAUD, both, pos_label="fraud")
    assert average_precision_score(FRAUD, both[:, 0], pos_label="fraud") > 0
