"""A tool's number on predictions, and what its function must be told."""

import numpy as np
import pytest
from compat_inputs import S, Y, options_of

from sklearn_ap import compat
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._evaluation import Evaluation, result_of
from sklearn_ap.compat._tool_entry import Entry, Refusal
from sklearn_ap.compat._tools import ENTRIES, get


def test_weight_is_repetition_in_tools_that_take_weights():
    weight = np.array([1, 2, 3, 1, 1, 2, 1, 3, 1, 1])
    for entry in ENTRIES:
        if entry.weights:
            weighted = compat.score(entry.name, Y, S, sample_weight=weight)
            repeated = compat.score(entry.name, np.repeat(Y, weight), np.repeat(S, weight))
            assert weighted == pytest.approx(repeated, abs=1e-12), entry.name


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        (
            "xgboost",
            {},
            ValueError,
            "'xgboost' has several functions: choose from xgboost.aucpr",
        ),
        ("xgboost.aucpr", {"k": 3}, ValueError, "xgboost.aucpr has no k"),
        ("xgboost.map@k", {}, ValueError, "xgboost.map@k needs k"),
        ("xgboost.map@k", {"k": 0}, ValueError, "k must be at least 1"),
        (
            "xgboost.aucpr",
            {"bins": 3},
            TypeError,
            "xgboost.aucpr has no option 'bins'; it has none",
        ),
        (
            *("torcheval.binary_binned_auprc", {"thresholds": 3}),
            *(TypeError, "has no option 'thresholds'; it has dtype, threshold"),
        ),
        (
            "torcheval.binary_auprc",
            {"dtype": "int"},
            ValueError,
            "dtype must be one of float32, float64",
        ),
        (
            *("keras.AUC_PR_minoring", {"num_thresholds": True}),
            *(ValueError, "num_thresholds must be a whole number of at least 2, got True"),
        ),
        (
            *("keras.AUC_PR_minoring", {"num_thresholds": 1}),
            *(ValueError, "num_thresholds must be a whole number of at least 2, got 1"),
        ),
        (
            "keras.AUC_PR_minoring",
            {"from_logits": 1},
            ValueError,
            "from_logits must be True or",
        ),
        ("pytrec_eval.iprec_at_recall", {"level": 2}, ValueError, r"level must be .* \[0, 1\]"),
        (
            *("torchmetrics.RetrievalMAP", {"empty_target_action": "x"}),
            *(ValueError, "empty_target_action must be one of neg, pos, skip, error"),
        ),
        (
            "ranx.map",
            {"sample_weight": np.ones(10)},
            ValueError,
            "ranx.map takes no sample_weight",
        ),
    ],
)
def test_bad_input(name, options, error, message):
    with pytest.raises(error, match=message):
        compat.score(name, Y, S, **options)


def test_numbers_of_numpy_are_options_too():
    options = {"num_thresholds": 5, "from_logits": True}
    value = compat.score("keras.AUC_PR_minoring", Y, S, **options)
    given = {"num_thresholds": np.int64(5), "from_logits": np.True_}
    assert compat.score("keras.AUC_PR_minoring", Y, S, **given) == value


def test_a_misspelt_option_gets_a_hint():
    with pytest.raises(TypeError, match=r"no option 'verus'.* Did you mean 'versus'"):
        compat.explain("xgboost.aucpr", Y, S, verus="ROCR")
    with pytest.raises(TypeError, match=r"no option 'treshold'.* Did you mean 'threshold'"):
        compat.score("torcheval.binary_binned_auprc", Y, S, treshold=5)


def test_an_option_of_another_function_is_named():
    with pytest.raises(TypeError, match=r"option of torchmetrics.*_thresholds"):
        compat.score("torchmetrics.BinaryAveragePrecision", Y, S, thresholds=5)
    for option, function in (("versus", "explain"), ("near", "compare"), ("tools", "compare")):
        with pytest.raises(TypeError, match=rf"It is an option of compat\.{function}\.$"):
            compat.score("pytrec_eval.map", Y, S, **{option: "ROCR"})


def test_score_takes_queries_as_explain_and_compare_do():
    queries = {"queries": [0, 0, 0, 1, 1, 2, 2, 2, 2, 2]}
    for row in compat.compare(Y, S, k=3, **queries).results:
        options = options_of(get(row.name)) | queries
        if row.value is None:
            with pytest.raises(compat.ToolError, match=f"^{row.name}: "):
                compat.score(row.name, Y, S, **options)
            continue
        value = compat.score(row.name, Y, S, **options)
        assert value == pytest.approx(row.value, abs=0, nan_ok=True)
        assert value == pytest.approx(compat.explain(row.name, Y, S, **options).value, nan_ok=True)


def test_average_gain_must_be_told_the_top():
    with pytest.raises(ValueError, match="AverageGain needs k"):
        compat.score("catboost.AverageGain", [1, 0, 0, 1], [4, 3, 2, 1])


def test_a_row_says_in_fields_what_it_knows():
    (_,), (row,) = compat.compare([0, 0], [1, 2], tools=["catboost.PRAUC"]).groups
    assert (row.value, row.k) == (None, None)
    assert row.refusal == "CatBoostError: No element of a positive class"
    assert row.note == f"raises {row.refusal}"
    (_, row), *_ = compat.compare(Y, S, tools=["cornac"], queries=[0] * 10).groups
    assert (row.refusal, row.left_out, row.n_queries, row.note) == (None, 0, 1, "")


def test_of_several_special_answers_the_first_counts():
    """A refusal comes before the answer to a query without positives."""
    refusal = Refusal(lambda predictions: np.array([True, False, False]), 0.25)
    choices = ENTRIES[0].choices
    entry = Entry("a.b", "1", choices, no_positives=0.75, refuses=refusal)
    y_true, y_score, query = [0, 0, 1], [3, 2, 1], [0, 1, 2]
    given = check_predictions(y_true, y_score, sample_weight=None, queries=query, pos_label=1)
    row = result_of(entry, Evaluation(given), None, {})
    assert row.value == pytest.approx((0.25 + 0.75 + 1) / 3)


def test_ogb_leaves_out_columns_without_both_known_classes():
    """The first column has AP (1 + 2/3) / 2 without its unknown row; the others have one class."""
    unknown = np.nan
    y_true = [[1, 1, 0], [0, 1, 0], [1, unknown, 0], [unknown, 1, 0]]
    y_score = [[0.9, 0.1, 0.4], [0.8, 0.2, 0.3], [0.7, 0.9, 0.2], [0.95, 0.4, 0.1]]
    assert compat.score("ogb.Evaluator", y_true, y_score) == pytest.approx((1 + 2 / 3) / 2)
    (row,) = compat.compare(y_true, y_score, tools=["ogbg-molpcba"]).results[1:]
    assert (row.left_out, row.n_queries) == (2, 3)
    with pytest.raises(compat.ToolError, match="No positively labeled data"):
        compat.score("ogb.Evaluator", [[1, 0], [unknown, 0]], [[0.9, 0.1], [0.8, 0.2]])


@pytest.mark.parametrize("name", ["revisitop", "oxford_buildings", "Market-1501"])
def test_trapezoids_between_ranks_begin_at_precision_1(name):
    """Hits at ranks 1 and 4: from 1 to 1, and from 1/3 to 2/4. A late first hit starts at 0."""
    expected = (1 + (1 / 3 + 2 / 4) / 2) / 2
    assert compat.score(name, [1, 0, 0, 1], [4, 3, 2, 1]) == pytest.approx(expected, abs=1e-6)
    assert compat.score(name, [0, 0, 1], [3, 2, 1]) == pytest.approx(1 / 3 / 2, abs=1e-6)
    steps = compat.explain(name, [1, 0, 0, 1], [4, 3, 2, 1]).steps
    assert [step.option for step in steps if step.matters] == ["straight line"]
