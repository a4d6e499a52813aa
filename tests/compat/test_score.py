"""The numbers of tools, worked by hand, and what their functions must be told."""

import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from sklearn_ap import average_precision_score, compat
from sklearn_ap.compat._tool_functions import other_functions
from sklearn_ap.definitions import AtK, Expected, Linear, Step
from tests.helpers.compat_inputs import IN_TURN, LINES, NAMES, S, Y, options_of, tolerance_of

# Precision at hits: 2/3 twice, then 3/5.
LATER = ([1, 0, 1, 0, 1], [3, 3, 3, 2, 1])
# The first query has a hit at rank 2, and the other none.
LACKING = ([0, 1, 0, 0], [0.9, 0.5, 0.8, 0.1])
KERAS = "keras.PrecisionAtRecall"
TORCH = "torchmetrics.binary_precision_at_fixed_recall"
RECALL = "torcheval.binary_recall_at_fixed_precision"
LEVEL_66 = [0.331658273935318, 0.3291]
EDGES = np.array([75, 14, 73, 82, 74, 67, 42, 51]) / 99
# The function, labels, scores, options, and the number that its source gives, worked by hand, or
# that the tool gave where a first version of ours did not.
WORKED = [
    # Three of ten positives reach 0, 0.1 and 0.2, and not the float above 3/10.
    ("VOCdevkit2007.VOCevaldet", [1, 1, 1], [3, 2, 1], {"n_positives": 10}, 3 / 11),
    # At recall 1/2 and beyond, precision is 0: half of the first of 100 trapezoids is lost.
    ("ultralytics.compute_ap", [1], [1], {"n_positives": 2}, 0.495),
    ("kaggle_hm.map@k", [1, 0, 1, 1, 1], [5, 5, 4, 3, 2], {"k": 3}, (1 + 2 / 3) / 3),
    # Before the hits, precision is 1, 1/2 and 1/2.
    ("market1501.compute_AP", *IN_TURN, {}, (1 + (1 / 2 + 2 / 3) / 2 + (1 / 2 + 3 / 5) / 2) / 3),
    # From (0, 1) to (2/3, 2/3), down to (2/3, 1/2), and on to (1, 3/5).
    ("yardstick.pr_auc", *LATER, {}, 5 / 6 * 2 / 3 + 11 / 20 / 3),
    ("yardstick.average_precision", *LATER, {}, 2 / 3 * 2 / 3 + 3 / 5 / 3),
    # Of three positives two are in the list of three.
    ("lenskit.AveragePrecision", [1, 0, 1, 1], [3, 2, 1, -np.inf], {"k": 2}, 1 / 2),
    ("lenskit.AveragePrecision", [1, 1, 1], [3, 2, -np.inf], {}, 1.0),
    ("haystack.DocumentMAPEvaluator", [1, 0, 1, 1], [3, 2, 1, -np.inf], {}, (1 + 2 / 3) / 3),
    ("ragas.context_precision", [1, 0, 1, 1], [3, 2, 1, -np.inf], {}, 5 / 6),
    ("torcheval.binary_auprc", [1, 0], [-1e300, -1e300], {"dtype": "float64"}, 0.5),
    ("xgboost.aucpr", [1, 0], [2e300, 1e300], {}, 0.5),
    # Scores that are equal in float32 are tied for trec_eval alone.
    ("trec_eval.recip_rank", [1, 0], [1 + 1e-9, 1], {}, 1 / 2),
    ("ir_measures.RR@k", [1, 0], [1 + 1e-9, 1], {"k": 2}, 1.0),
    # The second query has two positives that were not retrieved.
    ("ranx.mrr", [0, 1, 0], [2, 1, 1], {"queries": [0, 0, 1], "n_positives": [3, 2]}, 1 / 4),
    # Levels of PyTorch, on the edges of bins.
    ("torcheval.binary_binned_auprc", [1, 1, 1, 0, 1, 0, 0, 0], EDGES, {}, 0.6041667),
    # Level 66 of 200 is that of the lower half, 3e-8 below the one counted from the top.
    ("torchmetrics.BinaryAveragePrecision_thresholds", [1, 0], LEVEL_66, {}, 1.0),
    # The scores of the first query alone go through the sigmoid; 0.9 and 0.2 share no cell.
    (
        "torchmetrics.BinaryAveragePrecision_thresholds",
        [1, 0, 1, 0],
        [5, -5, 0.9, 0.2],
        {"queries": [0, 0, 1, 1], "thresholds": 3},
        1.0,
    ),
    # A positive that scores exactly 0 is not relevant.
    ("torchmetrics.RetrievalMAP", [1, 0, 1], [0.5, 0.3, 0.0], {}, 1.0),
    # Neighbours are tied, also in a chain; those 1e-8 apart are not; 1 + 1e-8 is less in floats.
    ("catboost.PRAUC", [0, 1, 1, 0], [5 + 1e-7, 5, 4, 3], {}, 5 / 12),
    ("catboost.PRAUC", [0, 1, 0, 1], [0, 0.6e-8, 1.2e-8, 1.8e-8], {}, 0.75),
    ("catboost.PRAUC", [0, 1], [1e-8, 0], {}, 0.25),
    ("catboost.PRAUC", [0, 1], [1 + 1e-8, 1], {}, 0.75),
    # Scores of the other query lie between these.
    ("catboost.PRAUC", [0, 1, 0, 1], [12e-9, 0, 18e-9, 6e-9], {"queries": [0, 0, 1, 1]}, 0.25),
    # Nothing that scores 0 is retrieved, but it counts in recall.
    (KERAS, [1, 1], [0.9, 0.0], {"min_recall": 0.5}, 1),
    (KERAS, [1, 1], [0.9, 0.0], {"sample_weight": [1.0, 4.0], "min_recall": 0.3}, 0),
    ("keras.AUC_PR_majoring", Y, S, {"num_thresholds": np.int64(2), "from_logits": True}, 0.5),
    # In float32, 2/3 is 0.66666667.
    (TORCH, [1, 1, 0, 1], [4, 3, 2, 1], {"min_recall": 0.66666667}, 1.0),
    (RECALL, [1, 0, 1], [3, 2, 1], {"min_precision": 0.66666667}, 1.0),
    # The precisions are 1, 2/3, 3/4, 2/3 and 1/2 at the recalls .2, .4, .6, .8 and 1.
    *((RECALL, Y, S, {"min_precision": x}, y) for x, y in ((0.9, 0.2), (0.75, 0.6), (0.5, 1.0))),
    *((TORCH, Y, S, {"min_recall": x}, y) for x, y in ((0.8, 2 / 3), (0.81, 0.5), (0.3, 0.75))),
    ("torchmetrics.RetrievalMAP", *LACKING, {"queries": [*"aabb"]}, 0.25),
    # Spark counts a query without positives as 0. PyG leaves it out.
    ("pyspark.meanAveragePrecision", *LACKING, {"queries": [*"aabb"]}, 0.25),
    ("torch_geometric.LinkPredMAP", *LACKING, {"queries": [*"aabb"], "k": 2}, 0.5),
    # Two users found their purchase at ranks 1 and 2; two bought nothing.
    *(
        (
            name,
            [1, 0, 0, 1, 0, 0],
            [2, 1, 2, 1, 1, 1],
            {"k": 12, "queries": [0, 0, 1, 1, 2, 3]},
            mean,
        )
        for name, mean in (("ml_metrics.mapk", 3.5 / 4), ("kaggle_hm.map@k", 1.5 / 2))
    ),
]


@pytest.mark.parametrize(("name", "y_true", "y_score", "options", "value"), WORKED)
def test_tools_give_numbers_worked_by_hand(name, y_true, y_score, options, value):
    ours = compat.score(y_true, y_score, name, **options)
    tolerance = max(tolerance_of(name), 1e-12)
    assert ours == pytest.approx(value, abs=tolerance, rel=0)


def test_scores_of_tools_warn_as_ours_do():
    classes, labels = 29 * [0, 1] + [1, 0], 30 * [0, 1]
    reversed_scores = np.arange(80), np.arange(80) < 20
    ours = average_precision_score, compat.compare
    theirs = (partial(each, tool="catboost.PRAUC") for each in (compat.score, compat.explain))
    for score in (*ours, *theirs):
        with pytest.warns(UserWarning, match="All scores are 0 or 1"):
            score(labels, classes)
        with pytest.warns(UserWarning, match="below that of random scores"):
            score(*reversed_scores[::-1])
    average_precision_score(labels, np.array(classes, float))  # a tree gives such probabilities
    with pytest.warns(UserWarning, match="All scores are 0 or 1"):
        compat.compare(labels, np.array(classes, float))  # why a number differs


def test_value_of_a_definition_is_checked_as_in_scores():
    number = type("Number", (Step,), {"__call__": lambda _, counts: counts.precision.max()})()
    with pytest.raises(ValueError, match="must give an array of one value for each ranking"):
        compat.score(Y, S, number)


def test_functions_that_were_never_run_have_a_worked_example():
    read = {name for name, line in LINES.items() if not line["known"].startswith("run")}
    assert read <= {name for name, *_ in WORKED}


def test_integer_weights_equal_repeated_rows(subtests):
    weight = np.array([1, 2, 3, 1, 1, 2, 1, 3, 1, 1])
    for name in (function.name for function in other_functions() if function.takes_weights):
        with subtests.test(name):
            weighted = compat.score(Y, S, name, sample_weight=weight)
            repeated = compat.score(np.repeat(Y, weight), np.repeat(S, weight), name)
            assert weighted == pytest.approx(repeated, abs=1e-12)


def test_weights_rounded_to_float32_are_summed_in_float64():
    """As LightGBM and CatBoost do; float32 sums would be off by 1e-8."""
    rng = np.random.default_rng(0)
    weight, rows = rng.random(300), (np.arange(300) % 2, rng.permutation(300))
    rounded = weight.astype(np.float32).astype(np.float64)
    for name, definition in (("lightgbm.average_precision", Step()), ("catboost.PRAUC", Linear())):
        ours = compat.score(*rows, name, sample_weight=weight)
        theirs = average_precision_score(*rows, definition=definition, sample_weight=rounded)
        assert ours == pytest.approx(theirs, abs=1e-12)
    assert np.isnan(compat.score(*rows, "lightgbm.average_precision", sample_weight=1e39 * weight))


def test_ogb_leaves_out_columns_without_both_known_classes():
    """The first column has AP (1 + 2/3) / 2 without its unknown row; the others have one class."""
    unknown = np.nan
    y_true = [[1, 1, 0], [0, 1, 0], [1, unknown, 0], [unknown, 1, 0]]
    y_score = [[0.9, 0.1, 0.4], [0.8, 0.2, 0.3], [0.7, 0.9, 0.2], [0.95, 0.4, 0.1]]
    assert compat.score(y_true, y_score, "ogb.Evaluator") == pytest.approx((1 + 2 / 3) / 2)
    with pytest.raises(ValueError, match="No positively labeled data"):
        compat.score([[1, 0], [unknown, 0]], [[0.9, 0.1], [0.8, 0.2]], "ogb.Evaluator")


def test_refused_scores_come_before_the_answer_without_positives():
    assert compat.score([0, 0], [0.9, 0.1], "h2o.aucpr") == 0
    with pytest.raises(ValueError, match="Predicted probabilities must be"):
        compat.score([0, 0], [5, -5], "h2o.aucpr")


def test_average_none_gives_a_score_per_class():
    """A hit at rank 1 of 2 known positives, one at rank 2, and no positive."""
    y_true, y_score = [[1, 0, 0], [0, 1, 0]], [[2, 2, 2], [1, 1, 1]]
    each = compat.score(y_true, y_score, "pytrec_eval.map", n_positives=[2, 1, 0], average=None)
    assert each.tolist() == [0.5, 0.5, 0]
    coco = compat.score(y_true, y_score, "pycocotools.COCOeval", average=None)
    assert coco.tolist() == pytest.approx([1, 0.5, -1])
    assert compat.score(y_true, y_score, "pycocotools.COCOeval") == pytest.approx(0.75)
    raises = compat.score(y_true, y_score, "catboost.PRAUC", average=None)
    assert np.isnan(raises).tolist() == [False, False, True]


@pytest.mark.parametrize("average", ["micro", "foo"])
def test_other_averages_are_refused(average):
    with pytest.raises(ValueError, match=f"average must be 'macro' or None, got '{average}'"):
        compat.score(np.eye(2, dtype=int), np.eye(2), "pycocotools.COCOeval", average=average)


def test_step_is_scikit_learns_number_on_rows_that_were_not_retrieved():
    """An entirely unretrieved ranking has no number, and no negative either."""
    nothing = [0, 0], [-np.inf, -np.inf]
    assert compat.score(*nothing, Step()) == compat.score([1, 0], [-np.inf] * 2, "cornac") == 0
    y_true, y_score = [1, 1, 0], [0.9, -np.inf, 0.2]
    expected = average_precision_score(y_true, y_score)
    assert compat.score(y_true, y_score, "sklearn") == compat.score(y_true, y_score, Step())
    assert compat.score(y_true, y_score, Step()) == expected


def test_rows_that_were_not_retrieved_count_as_positives_alone(subtests):
    y_true = np.array([1, 0, 1, 1, 0, 1, 0, 1, 0])
    y_score = np.array([0.9, 0.8, 0.8, 0.7, 0.3, 0.2, *[-np.inf] * 3])
    for name in NAMES:
        with subtests.test(name):
            found = compat.score(y_true, y_score, name, **options_of(name))
            retrieved = {"n_positives": 5, **options_of(name)}
            assert found == compat.score(y_true[:6], y_score[:6], name, **retrieved)


@pytest.mark.parametrize(
    ("name", "options", "error", "message"),
    [
        ("xgboost.aucpr", {"k": 3}, ValueError, "k is no argument of xgboost.aucpr: leave it"),
        (AtK(3), {"k": 2}, ValueError, r"k is no argument of AP@3: leave it"),
        ("xgboost.map@k", {}, ValueError, "xgboost.map@k needs k"),
        ("xgboost.map@k", {"k": 0.5}, TypeError, "k must be a whole number"),
        ("torcheval.binary_auprc", {"dtype": "int"}, ValueError, "dtype must be one of .*float32"),
        ("keras.AUC_PR_minoring", {"num_thresholds": 1}, ValueError, "at least 2, got 1"),
        ("keras.AUC_PR_minoring", {"from_logits": 1}, TypeError, "from_logits must be True or"),
        ("pytrec_eval.iprec_at_recall", {"level": 2}, ValueError, r"level must .* \[0, 1\]"),
        ("ranx.map", {"sample_weight": np.ones(10)}, ValueError, "ranx.map takes no sample_weight"),
        (Expected(), {"sample_weight": np.ones(10)}, ValueError, "takes no sample_weight"),
        ("xgboost.aucpr", {"bins": 5}, TypeError, r"'bins' is no argument of .*: none\. Some"),
        ("mmdet.average_precision", {"mode": "11points"}, TypeError, "mmdet.*11points.$"),
        ("h2o.aucpr", {"bins": 5}, TypeError, r"'bins' is no argument of .*: none\.$"),
        ("h2o.aucpr", {"thresholds": 5}, TypeError, r": none\.$"),  # which another tool takes
        (
            "torchmetrics.BinaryAveragePrecision",
            {"thresholds": 5},
            TypeError,
            r"of rows: dtype\. It is one of torchmetrics\.BinaryAveragePrecision_thresholds\.$",
        ),
        ("torcheval.binary_binned_auprc", {"treshold": 5}, TypeError, "of rows: dtype, threshold"),
    ],
)
def test_wrong_and_unknown_options_are_refused_by_name(name, options, error, message):
    with pytest.raises(error, match=message):
        compat.score(Y, S, name, **options)


class Model(ClassifierMixin, BaseEstimator):
    """Its decision is the first column."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


X = np.array([[5.0], [4], [3], [2], [1]])


@pytest.mark.parametrize(
    ("name", "options", "value"),
    [
        ("trec_eval.P_4", {}, Fraction(2, 4)),
        ("xgboost.map@k", {"k": 2}, Fraction(1, 2)),
        ("voc2007", {}, Fraction(4 + 2, 11) + Fraction(4 * 3, 55)),
        ("average_precision_at_4_score", {}, Fraction(5, 9)),
        (AtK(2), {}, Fraction(1, 2)),
    ],
)
def test_scorer_gives_the_number_by_hand(name, options, value):
    scorer = compat.get_scorer(name, **options)
    model = Model().fit(X, IN_TURN[0])
    for each in (scorer, pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert each(model, X, IN_TURN[0]) == pytest.approx(float(value))


def test_scorer_by_query_averages_queries():
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = compat.get_scorer("ranx.map", by_query=True)
        model = Model().fit(X, IN_TURN[0])
        value = scorer(model, X, IN_TURN[0], queries=[0, 0, 0, 1, 1])
    assert value == pytest.approx(((1 + 2 / 3) / 2 + 1 / 2) / 2)
