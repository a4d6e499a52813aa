"""A tool's number on predictions, and what its function must be told."""

import numpy as np
import pytest
from compat_inputs import S, Y

from sklearn_ap import compat
from sklearn_ap.compat._tools import ENTRIES


def test_integer_weights_equal_repeated_rows():
    weight = np.array([1, 2, 3, 1, 1, 2, 1, 3, 1, 1])
    for name in (entry.name for entry in ENTRIES if entry.weights):
        weighted = compat.score(name, Y, S, sample_weight=weight)
        repeated = compat.score(name, np.repeat(Y, weight), np.repeat(S, weight))
        assert weighted == pytest.approx(repeated, abs=1e-12), name


def test_numbers_of_numpy_are_options_too():
    given = {"num_thresholds": np.int64(2), "from_logits": np.True_}
    assert compat.score("keras.AUC_PR_majoring", Y, S, **given) == 0.5  # all are tied


def test_result_row_has_fields_for_refusals_and_notes():
    _, row = compat.compare([0, 0], [1, 2], tools=["catboost.PRAUC"]).results
    assert (row.value, row.k) == (None, None)
    assert row.refusal == "CatBoostError: No element of a positive class"
    assert row.note == f"raises {row.refusal}"
    _, row = compat.compare(Y, S, tools=["cornac"]).results
    assert (row.refusal, row.left_out, row.n_queries, row.note) == (None, 0, 1, "")


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


def test_average_none_gives_a_score_per_class():
    """A hit at rank 1 of 2 known positives, one at rank 2, and no positive."""
    y_true, y_score = [[1, 0, 0], [0, 1, 0]], [[2, 2, 2], [1, 1, 1]]
    each = compat.score("pytrec_eval.map", y_true, y_score, n_positives=[2, 1, 0], average=None)
    assert each.tolist() == [0.5, 0.5, 0]
    of_coco = compat.score("pycocotools.COCOeval", y_true, y_score, average=None)
    assert of_coco.tolist() == pytest.approx([1, 0.5, -1])
    raises = compat.score("catboost.PRAUC", y_true, y_score, average=None)
    assert np.isnan(raises).tolist() == [False, False, True]
    with pytest.raises(ValueError, match="average must be 'macro' or None, got 'micro'"):
        compat.score("pycocotools.COCOeval", y_true, y_score, average="micro")


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("xgboost.aucpr", {"k": 3}, ValueError, "xgboost.aucpr has no k"),
        ("xgboost.map@k", {}, ValueError, "xgboost.map@k needs k"),
        ("xgboost.map@k", {"k": 0.5}, ValueError, "k must be a whole number here"),
        ("torcheval.binary_auprc", {"dtype": "int"}, ValueError, "dtype must be one of float32, "),
        ("keras.AUC_PR_minoring", {"num_thresholds": True}, ValueError, "at least 2, got True"),
        ("keras.AUC_PR_minoring", {"from_logits": 1}, ValueError, "from_logits must be True or"),
        ("pytrec_eval.iprec_at_recall", {"level": 2}, ValueError, r"level must be .* \[0, 1\]"),
        ("ranx.map", {"sample_weight": np.ones(10)}, ValueError, "ranx.map takes no sample_weight"),
        ("xgboost.aucpr", {"bins": 5}, TypeError, "has no option 'bins'; it has none"),
        ("torcheval.binary_binned_auprc", {"treshold": 5}, TypeError, "dtype.* mean 'threshold'"),
        ("ogb.Evaluator", {"near": 5}, TypeError, r"an option of compat\.compare\.$"),
        (
            "torchmetrics.RetrievalMAP",
            {"dtype": "int"},
            TypeError,
            r"of (torchmetrics\.\w+(, )?)+\.$",
        ),
    ],
)
def test_wrong_and_unknown_options_are_refused_with_their_place(name, options, error, message):
    with pytest.raises(error, match=message):
        compat.score(name, Y, S, **options)
    with pytest.raises(TypeError, match=r"no option 'verus'.* Did you mean 'versus'"):
        compat.explain(name, Y, S, verus="ROCR")
