"""The table of tools, and the names by which functions are found."""

import re

import numpy as np
import pytest

from sklearn_ap import compat
from sklearn_ap.compat._tool_formulas import CONDITIONS, FORMULAS
from sklearn_ap.compat._tool_functions import all_options, other_functions, read_table, split_cell
from sklearn_ap.compat._tool_names import find_functions, get_function
from sklearn_ap.definitions import AtK, ReciprocalRank, Step
from tests.helpers.compat_inputs import LINES, NAMES, S, Y, options_of


def test_every_line_of_the_table_is_complete():
    assert len({*NAMES}) == len(NAMES)
    for function in other_functions():
        assert re.fullmatch(r"[\w]+\.[\w.@]+", function.name)
        line = LINES[function.name]
        assert line["version"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", line["checked"]), function.name
        assert line["known"] in ("run", "run as a copy", "read", "documented"), function.name
        assert function.takes_k or function.k is None or function.k > 0, function.name
        assert {case.condition for case in function.special_cases} <= {*CONDITIONS}, function.name
        assert 0 < float(line["tolerance"]) <= 1e-5, function.name
        has_start = function.choices["between"].name == "straight line"
        assert has_start == (function.choices["start"].name != "irrelevant"), function.name


def test_every_option_is_made_and_used_by_a_function():
    """Those of definitions are used by ours."""
    used = {
        (choice, option.name)
        for function in other_functions()
        for choice, option in function.choices.items()
    }
    ours = {"every order", "exact levels", "its own value"}
    assert used == {pair for pair in all_options() if pair[1] not in ours}
    made = {(choice, option) for choice, formulas in FORMULAS.items() for option in formulas}
    assert made == {*all_options()}


def test_other_names_are_of_functions_of_the_table():
    rows = [*read_table("tool_names.tsv")]
    spellings = [name for row in rows for name in split_cell(row["names"])]
    assert len({*spellings}) == len(spellings)
    assert {name for row in rows for name in split_cell(row["others"])} <= {*NAMES}


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("BinaryAveragePrecision", "torchmetrics.BinaryAveragePrecision"),
        ("sklearn.metrics.average_precision_score", "sklearn.average_precision_score"),
        ("Market-1501", "market1501.compute_AP"),
        ("hugging face", "sentence_transformers.map@k"),
        ("torchmetrics.AveragePrecision(task='binary')", "torchmetrics.BinaryAveragePrecision"),
        ("tf.keras.metrics.AUC", "keras.AUC_PR_interpolation"),
        ("xgboost map@k", "xgboost.map@k"),
        ("Spark areaUnderPR", "pyspark.areaUnderPR"),
        ("VOC07", "VOCdevkit2007.VOCevaldet"),
        ("auc", "sklearn.auc_of_precision_recall_curve"),
        ("PASCAL VOC 2012", "chainercv.calc_detection_voc_ap"),
        ("YOLO v8", "ultralytics.compute_ap"),
        ("H&M MAP@k", "kaggle_hm.map@k"),
        ("yardstick::pr_auc", "yardstick.pr_auc"),
        ("trec_eval.11pt_avg", "pytrec_eval.11pt_avg"),
        ("TREC MAP", "pytrec_eval.map"),
        ("AP@k", "ir_measures.AP@k"),
    ],
)
def test_functions_are_found_by_the_names_that_people_type(name, full):
    assert get_function(name).name == full
    assert compat.explain(Y, S, name, **options_of(full)).last.name == full


# Hits at ranks 1, 3 and 5 of 3 positives.
@pytest.mark.parametrize(
    ("name", "full", "value"),
    [
        ("trec_eval.P_4", "pytrec_eval.P@4", 2 / 4),
        ("pytrec_eval.map_cut_4", "pytrec_eval.map_cut@4", (1 + 2 / 3) / 3),
        ("xgboost map@2", "xgboost.map@2", 1 / 2),
        ("H&M MAP@2", "kaggle_hm.map@2", 1 / 2),
        ("torchmetrics.RetrievalMAP@4", "torchmetrics.RetrievalMAP@4", (1 + 2 / 3) / 2),
        ("recall@4", "recall@4", 2 / 3),
        ("ir_measures.RR@4", "ir_measures.RR@4", 1.0),
    ],
)
def test_name_with_a_number_sets_k(name, full, value):
    data = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    for each in (name, full):
        assert get_function(each).name == full
        assert compat.score(*data, each) == pytest.approx(value)
    with pytest.raises(ValueError, match="leave it out"):
        compat.score(*data, name, k=3)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("sklearn_ap.average_precision_score", Step()),
        ("sklearn_ap.definitions.Step", Step()),
        ("AP", Step()),
        ("AP@50", AtK(50)),
        ("MRR", ReciprocalRank()),
        ("map_cut_1%", AtK(0.01, "positives")),
    ],
)
def test_our_scores_and_definitions_are_found_by_their_names(name, definition):
    assert get_function(name).definition == get_function(definition).definition == definition


def test_ambiguous_name_finds_all_functions():
    assert {function.tool for function in find_functions("coco")} >= {"globox", "pycocotools"}
    assert {function.tool for function in find_functions("map")} >= {"xgboost", "cornac"}


@pytest.mark.parametrize("name", ["R", "map@k", "pytorch", "Kaggle", "MAP@5 Kaggle", "VOCdevkit"])
def test_ambiguous_name_is_refused(name):
    with pytest.raises(ValueError, match=f"'{name}' has several functions: choose from"):
        get_function(name)


def test_the_k_of_an_ambiguous_name_is_offered_with_each_function():
    with pytest.raises(ValueError, match=r"choose from ml_metrics.mapk@12, kaggle_hm.map@12\."):
        get_function("MAP@12 Kaggle")


@pytest.mark.parametrize(
    ("name", "functions"),
    [
        ("aucpr", "xgboost.aucpr, h2o.aucpr"),
        ("AUPRC", "torchrec.AUPRC, chemprop.BinaryAUPRC, torcheval.binary_auprc"),
        ("areaUnderPR", "pyspark.areaUnderPR"),
    ],
)
@pytest.mark.parametrize(
    "call", [get_function, compat.get_scorer, lambda name: compat.score(Y, S, name)]
)
def test_a_word_for_areas_of_several_kinds_is_refused_with_their_functions(name, functions, call):
    areas = "sklearn.average_precision_score, sklearn.auc_of_precision_recall_curve"
    with pytest.raises(ValueError, match=f"choose from {areas}, {functions}"):
        call(name)
    assert len(compat.compare(Y, S, tools=[name]).answers) == 3 + functions.count(",")


@pytest.mark.parametrize("name", ["AP50", "AP_50", "mAP50", "COCO AP75"])
@pytest.mark.parametrize("call", [get_function, find_functions, compat.get_scorer])
def test_name_that_may_say_an_overlap_of_boxes_is_not_read_as_k(name, call):
    with pytest.raises(ValueError, match=r"is not a known tool|may be at an overlap"):
        call(name)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("xgboost.auc", "xgboost.aucpr"),
        ("tensorflw", "keras.AUC_PR_interpolation"),
        ("BinaryAveragePrecison", "torchmetrics.BinaryAveragePrecision"),
        ("keras.metrics.AUC(curve='ROC')", "keras.AUC_PR_interpolation"),
        ("hyperbolik", "hyperbolic AP"),
    ],
)
def test_unknown_name_gets_the_nearest(name, near):
    with pytest.raises(ValueError, match="is not a known tool or function") as error:
        compat.explain(Y, S, "lightgbm", versus=name)
    named = str(error.value).partition("Near it: ")[2].removesuffix(".").split(", ")
    assert len(named) <= 3
    assert near in named


@pytest.mark.parametrize("name", ["BEDROC", "accuracy", "sklearn.roc_auc_score", "", "-"])
def test_name_unlike_all_others_is_offered_none(name):
    with pytest.raises(ValueError, match=r"Near it: none; compat\.compare with tools="):
        get_function(name)


@pytest.mark.parametrize("name", [3, AtK, np.arange(9)])
def test_name_of_a_tool_must_be_a_string(name):
    with pytest.raises(TypeError, match=r"such as AtK\(10\), got \w+\. .* see compat\.identify"):
        get_function(name)


@pytest.mark.parametrize("name", ["faster-coco-eval", "precrec"])
def test_a_package_of_one_function_is_that_function(name):
    assert get_function(name).tool == name.replace("-", "_")
