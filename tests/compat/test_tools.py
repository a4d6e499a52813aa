"""The entries of all functions; they are found by the names of tools and functions."""

import re

import numpy as np
import pytest
from compat_inputs import S, Y, options_of
from tool_sentences import NOTES

from sklearn_ap import compat
from sklearn_ap.compat._tool_entry import SOURCES
from sklearn_ap.compat._tools import ALIASES, CALLERS, ENTRIES, USUAL, find, get

# Precision at hits: 2/3 twice, then 3/5.
LATER = ([1, 0, 1, 0, 1], [3, 3, 3, 2, 1])
# Of 5 in order. The hits have precision 1, 2/3 and 3/5, and the ranks before them 1, 1/2 and 1/2.
IN_TURN = ([1, 0, 1, 0, 1], [5, 4, 3, 2, 1])
EIGHT = ([0, 1, 1, 1, 0, 0, 0, 1], [8, 8, 6, 5, 4, 3, 2, 1])
# Scores of 1e300 are infinite in float32, and ranked in the order of the input.
INFINITE = ([1, 0, 1, 0, 0, 1], [1e300, 1e300, 1e300, 0.5, -1e300, -1e300])
BELOW_0 = ([1, 0, 1, 1], [0.6, 0.5, 0.4, -0.1])
# A miss, 79 hits, 80 misses and a hit: of 80 hits, 1, 2, 4, 6 and so on to 80 are sampled. The best
# precision is that of hit 79, which is not sampled; that of hit 78 is.
EIGHTY = (np.repeat([0, 1, 0, 1], [1, 79, 80, 1]), -np.arange(161))
LACKING, BY_QUERY = ([0, 1, 0, 0], [0.9, 0.5, 0.8, 0.1]), {"queries": ["a", "a", "b", "b"]}
TWO_QUERIES = ([0, 1, 0, 1, 0, 1, 1], [9, 8, 7, 6, 5, 2, 1], {"queries": [0] * 5 + [1] * 2})
KERAS = "keras.PrecisionAtRecall"
TORCH = "torchmetrics.binary_precision_at_fixed_recall"
RECALL = "torcheval.binary_recall_at_fixed_precision"
LEVEL_66 = [0.331658273935318, 0.3291]
EDGES = np.array([75, 14, 73, 82, 74, 67, 42, 51]) / 99
# The function, labels, scores, options, and the number that its source gives, worked by hand, or
# that the tool gave where a first version of ours did not.
WORKED = [
    # Of the tied items the hit comes first. The envelope is 1, 3/4, 3/4, 1/2. lround(4 x) is 0 or 1
    # at 4 levels, 2 or 3 at 5 (1.6 and 2.8 are rounded up), and 4 at 2 (3.6 is rounded up).
    ("trec_eval.11pt_avg", *EIGHT, {}, (4 + 5 * 3 / 4 + 2 / 2) / 11),
    # Three of ten positives reach 0, 0.1 and 0.2, and not the float above 3/10.
    ("VOCdevkit2007.VOCevaldet", [1, 1, 1], [3, 2, 1], {"n_positives": 10}, 3 / 11),
    ("kaggle_hm.map@k", [1, 0, 1, 1, 1], [5, 5, 4, 3, 2], {"k": 3}, (1 + 2 / 3) / 3),
    # Hits at ranks 1 and 3 of the top 3, of 4 positives.
    ("sentence_transformers.map@k", [1, 0, 1, 1, 1], [5, 5, 4, 3, 2], {"k": 3}, (1 + 2 / 3) / 3),
    ("market1501.compute_AP", *IN_TURN, {}, (1 + (1 / 2 + 2 / 3) / 2 + (1 / 2 + 3 / 5) / 2) / 3),
    # From (0, 1) to (2/3, 2/3), down to (2/3, 1/2), and on to (1, 3/5).
    ("yardstick.pr_auc", *LATER, {}, 5 / 6 * 2 / 3 + 11 / 20 / 3),
    # The area left of the first point is lost; a miss before all hits makes a point of precision 0.
    ("PerfMeas.AUPRC", *IN_TURN, {}, ((1 / 2 + 2 / 3) / 2 + (1 / 2 + 3 / 5) / 2) / 3),
    ("PerfMeas.AUPRC", [0, 1, 1], [5, 5, 5], {}, ((0 + 1 / 2) / 2 + (1 / 2 + 2 / 3) / 2) / 2),
    ("MLeval.evalm", [0, 1, 1], [5, 5, 5], {}, 0.0),  # one threshold
    # From 1 of 1 along 2 of 3 to 3 of 5: with x more hits, x more negatives.
    ("precrec.evalmod", [1, 0, 1], [3, 2, 2], {}, 1 / 2 + (1 / 2 + np.log(3) / 4) / 2),
    # Hits at ranks 1 and 3 of the top 3, of 4 judged relevant.
    ("quepid.ap", [1, 0, 1, 1, 1], [5, 4, 3, 2, 1], {"k": 3}, (1 + 2 / 3) / 4),
    # Of three positives two are in the list of three.
    ("lenskit.AveragePrecision", [1, 0, 1, 1], [3, 2, 1, -np.inf], {"k": 2}, 1 / 2),
    ("lenskit.AveragePrecision", [1, 1, 1], [3, 2, -np.inf], {}, 1.0),
    ("haystack.DocumentMAPEvaluator", [1, 0, 1, 1], [3, 2, 1, -np.inf], {}, (1 + 2 / 3) / 3),
    ("haystack.DocumentMAPEvaluator_before_3.1", [1, 0, 1, 1], [3, 2, 1, -np.inf], {}, 5 / 6),
    ("ragas.context_precision", [1, 0, 1, 1], [3, 2, 1, -np.inf], {}, 5 / 6),
    ("yardstick.average_precision", *LATER, {}, 2 / 3 * 2 / 3 + 3 / 5 / 3),
    ("torcheval.binary_auprc", *INFINITE, {}, 0.7222222),
    ("torcheval.binary_auprc", [1, 0], [-1e300, -1e300], {"dtype": "float64"}, 0.5),
    (RECALL, *INFINITE, {}, 1 / 3),
    ("xgboost.aucpr", [1, 0], [2e300, 1e300], {}, 0.5),
    # Of three tied items, trec_eval ranks the last one first, and MS MARCO's script the first one.
    ("trec_eval.recip_rank", [0, 1, 0, 0], [2, 1, 1, 1], {}, 1 / 4),
    ("ir_measures.RR", [0, 1, 0, 0], [2, 1, 1, 1], {}, 1 / 4),
    ("ir_measures.RR@k", [0, 1, 0, 0], [2, 1, 1, 1], {"k": 2}, 1 / 2),
    ("ir_measures.RR@k", [0, 0, 1, 0], [2, 1, 1, 1], {"k": 2}, 0.0),
    # Scores that are equal in float32 are tied for trec_eval alone.
    ("trec_eval.recip_rank", [1, 0], [1 + 1e-9, 1], {}, 1 / 2),
    ("ir_measures.RR@k", [1, 0], [1 + 1e-9, 1], {"k": 2}, 1.0),
    ("ranx.mrr", [0, 1, 1], [3, 2, 1], {}, 1 / 2),
    ("ranx.mrr@k", [0, 0, 1, 1], [4, 3, 2, 1], {"k": 3}, 1 / 3),
    ("ranx.mrr@k", [0, 0, 1, 1], [4, 3, 2, 1], {"k": 2}, 0.0),
    # The second query has two positives that were not retrieved.
    (
        "trec_eval.recip_rank",
        [0, 1, 0],
        [2, 1, 1],
        {"queries": [0, 0, 1], "n_positives": [3, 2]},
        1 / 4,
    ),
    # Levels of PyTorch, on the edges of bins.
    ("torcheval.binary_binned_auprc", [1, 1, 1, 0, 1, 0, 0, 0], EDGES, {}, 0.6041667),
    # Level 66 of 200 is that of the lower half, 3e-8 below the one counted from the top.
    ("torchmetrics.BinaryAveragePrecision_thresholds", [1, 0], LEVEL_66, {}, 1.0),
    # A positive that scores exactly 0 is not relevant.
    ("torchmetrics.RetrievalMAP", [1, 0, 1], [0.5, 0.3, 0.0], {}, 1.0),
    # Neighbours are tied, also in a chain; those 1e-8 apart are not; 1 + 1e-8 is less in floats.
    ("catboost.PRAUC", [0, 1, 1, 0], [5 + 1e-7, 5, 4, 3], {}, 5 / 12),
    ("catboost.PRAUC", [0, 1, 0, 1], [0, 0.6e-8, 1.2e-8, 1.8e-8], {}, 0.75),
    ("catboost.PRAUC", [0, 1], [1e-8, 0], {}, 0.25),
    ("catboost.PRAUC", [0, 1], [1 + 1e-8, 1], {}, 0.75),
    *(
        (f"catboost.{name}", [0, 1], [1.0, 1.000000002], {"k": 1}, 1.0)  # in float64
        for name in ("MAP", "PrecisionAt", "AverageGain")
    ),
    # Nothing that scores 0 is retrieved, but it counts in recall.
    (KERAS, [1, 1], [0.9, 0.0], {"min_recall": 0.5}, 1),
    (KERAS, [1, 1], [0.9, 0.0], {"sample_weight": [1.0, 4.0], "min_recall": 0.3}, 0),
    # With 5 thresholds, .5 does not exceed 1/2, and -.1 exceeds none: it is never retrieved. They
    # exceed 3, 2, 2 and 0. From one of one to two of three, precision along the hyperbola is
    # (1 + log(3) / 2) / 2 on average.
    ("metrax.AUCPR", *BELOW_0, {"num_thresholds": 5}, (1 + (1 + np.log(3) / 2) / 2) / 3),
    # A score of 0 exceeds the first threshold, -1e-5: from one of two to two of three.
    ("metrax.AUCPR", [1, 0, 1], [0.6, 0.5, 0], {"num_thresholds": 5}, 1 - np.log(3 / 2) / 2),
    # In float32, 2/3 is 0.66666667.
    (TORCH, [1, 1, 0, 1], [4, 3, 2, 1], {"min_recall": 0.66666667}, 1.0),
    (RECALL, [1, 0, 1], [3, 2, 1], {"min_precision": 0.66666667}, 1.0),
    # The precisions are 1, 2/3, 3/4, 2/3 and 1/2 at the recalls .2, .4, .6, .8 and 1.
    *((RECALL, Y, S, {"min_precision": x}, y) for x, y in ((0.9, 0.2), (0.75, 0.6), (0.5, 1.0))),
    *((TORCH, Y, S, {"min_recall": x}, y) for x, y in ((0.8, 2 / 3), (0.81, 0.5), (0.3, 0.75))),
    # nuScenes reads straight lines above a tenth. Half of the positives were not retrieved: there
    # is nothing beyond recall 1/2.
    ("nuscenes.calc_ap", [1, 0, 1], [2, 1, -np.inf], {}, (39 * 0.9 + 0.4) / 90 / 0.9),
    ("nuscenes.calc_ap", [1, 1, 0], [3, 2, 1], {"n_positives": 3}, 56 / 90),  # 2/3 is no level
    ("nuscenes.calc_ap", [1, 0], [2, 1], {"n_positives": 10}, 0.0),  # a recall of 0.1 is cut off
    ("kitti.AP_R11", *EIGHTY, {}, (10 * 78 / 79 + 80 / 161) / 11),
    ("kitti.AP_R40", *EIGHTY, {}, (39 * 78 / 79 + 80 / 161) / 40),
    # A curve sorted by recall enters each at its lowest precision: 1/2 at 1/3, and 2/4 at 2/5.
    ("anomalib.AUPR_before_2.7", *TWO_QUERIES, ((1 + 1 / 3) / 2 + (1 / 2 + 2 / 5) / 2) / 4 + 0.5),
    # Of queries without positives.
    *(
        ("torchmetrics.RetrievalMAP", *LACKING, {**BY_QUERY, "empty_target_action": action}, mean)
        for action, mean in (("neg", 0.25), ("pos", 0.75), ("skip", 0.5))
    ),
    (
        "torchmetrics.RetrievalMAP",
        [0, 0],
        [0.9, 0.5],
        {"queries": ["a", "b"], "empty_target_action": "skip"},
        0,
    ),
]


@pytest.mark.parametrize(("name", "y_true", "y_score", "options", "value"), WORKED)
def test_tools_give_numbers_worked_by_hand(name, y_true, y_score, options, value):
    ours = compat.score(name, y_true, y_score, **options)
    assert ours == pytest.approx(value, abs=max(get(name).tolerance, 1e-12), rel=0)


def test_functions_that_were_never_run_have_a_worked_example():
    read = {entry.name for entry in ENTRIES if not entry.source.startswith("run")}
    lacking = read - {name for name, *_ in WORKED}
    assert not lacking, f"tests/compat/test_tools.py: add an example of {lacking} to WORKED"


def test_every_entry_has_a_date_version_and_source():
    dated = r"\d{4}-\d\d-\d\d"
    undated = {entry.tool for entry in ENTRIES if not re.fullmatch(dated, entry.date)}
    assert not undated, f"sklearn_ap/compat/_tools.py: write into DATES when {undated} was run"
    assert all(entry.versions for entry in ENTRIES)
    for name, (_, how) in CALLERS.items():
        assert re.fullmatch(rf".*\w, ({'|'.join(SOURCES)}) {dated}", how), name


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("BinaryAveragePrecision", "torchmetrics.BinaryAveragePrecision"),
        ("torchmetrics.retrieval.RetrievalMAP", "torchmetrics.RetrievalMAP"),
        ("sklearn.metrics.average_precision_score", "sklearn.average_precision_score"),
        ("Market-1501", "market1501.compute_AP"),
        ("hugging face", "sentence_transformers.map@k"),
        ("XGBoost.AUCPR", "xgboost.aucpr"),
        ("torchmetrics.AveragePrecision(task='binary')", "torchmetrics.BinaryAveragePrecision"),
        ("tf.keras.metrics.AUC", "keras.AUC_PR_interpolation"),
        ("keras.metrics.AUC(curve='PR')", "keras.AUC_PR_interpolation"),
        ("keras auc", "keras.AUC_PR_interpolation"),
        ("lightgbm map", "lightgbm.map"),
        ("xgboost map@k", "xgboost.map@k"),
        ("Spark areaUnderPR", "pyspark.areaUnderPR"),
        ("sklearn.metrics.auc", "sklearn.auc_of_precision_recall_curve"),
        ("sklearn auc", "sklearn.auc_of_precision_recall_curve"),
        ("COCO AP50", "pycocotools.COCOeval"),
        ("coco mAP", "pycocotools.COCOeval"),
        ("VOC07", "VOCdevkit2007.VOCevaldet"),
        ("voc 2012", "chainercv.calc_detection_voc_ap"),
        ("caret.prSummary", "MLmetrics.PRAUC"),
        ("H2O pr_auc", "h2o.aucpr"),
        ("scikit learn", "sklearn.average_precision_score"),
        ("tidymodels pr_auc", "yardstick.pr_auc"),
        ("torchmetrics MulticlassAveragePrecision", "torchmetrics.BinaryAveragePrecision"),
        ("YOLO v8", "ultralytics.compute_ap"),
        ("H&M MAP@k", "kaggle_hm.map@k"),
        ("AP50", "pycocotools.COCOeval"),
        ("TREC MAP", "pytrec_eval.map"),
        ("trec_eval.recip_rank", "pytrec_eval.recip_rank"),
        ("ranx mrr", "ranx.mrr"),
        ("RR", "ir_measures.RR"),
    ],
)
def test_function_aliases_are_found(name, full):
    assert get(name).name == full
    options = options_of(get(full))
    assert compat.explain(name, Y, S, **options).name == full
    assert full in [row.name for row in compat.compare(Y, S, tools=[name]).results]


# Hits at ranks 1, 3 and 5 of 3 positives.
@pytest.mark.parametrize(
    ("name", "full", "value"),
    [
        ("trec_eval.P_4", "pytrec_eval.P@4", 2 / 4),
        ("pytrec_eval.map_cut_4", "pytrec_eval.map_cut@4", (1 + 2 / 3) / 3),
        ("xgboost.map@2", "xgboost.map@2", 1 / 2),
        ("xgboost map@2", "xgboost.map@2", 1 / 2),
        ("H&M MAP@2", "kaggle_hm.map@2", 1 / 2),
        ("torchmetrics.RetrievalMAP@4", "torchmetrics.RetrievalMAP@4", (1 + 2 / 3) / 2),
        ("recall@4", "RecallAtK(k=4)", 2 / 3),
        ("ranx.mrr@4", "ranx.mrr@4", 1.0),
        ("ir_measures.RR@4", "ir_measures.RR@4", 1.0),
    ],
)
def test_name_with_at_k_sets_k(name, full, value):
    data = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    for each in (name, full):
        assert compat.score(each, *data) == pytest.approx(value)
        assert compat.explain(each, *data).value == pytest.approx(value)
    (row,) = compat.compare(*data, tools=[name]).results[1:]
    assert (row.name, row.value) == (full, pytest.approx(value))
    with pytest.raises(ValueError, match="no k: leave it out"):
        compat.score(name, *data, k=3)


def test_k_in_one_name_applies_to_the_other_tool():
    data = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    found = compat.explain("recbole.MAP", *data, versus="recommenders.map@4")
    assert (found.start, found.value) == pytest.approx(((1 + 2 / 3) / 3, (1 + 2 / 3) / 3))


def test_kaggle_scores_differ_for_users_without_purchases():
    """Two users found their purchase at ranks 1 and 2; two bought nothing."""
    users = {"queries": [0, 0, 1, 1, 2, 3]}
    data = [1, 0, 0, 1, 0, 0], [2, 1, 2, 1, 1, 1]
    assert compat.score("ml_metrics.mapk", *data, k=12, **users) == (1 + 1 / 2 + 1 + 1) / 4
    assert compat.score("kaggle_hm.map@12", *data, **users) == (1 + 1 / 2) / 2
    found = compat.explain("ml_metrics.mapk", *data, k=12, **users)
    assert found.steps[-1].why == "2 of 4 queries have no positive: each counts as 1."
    found = compat.explain("kaggle_hm.map@12", *data, versus="ml_metrics.mapk", k=12, **users)
    assert [step.why for step in found.steps] == [
        "The first tool treats some queries apart, and its choices do not: 2 of 4 queries have no "
        "positive: each counts as 1.",
        "2 of 4 queries have no positive: each gets nan, and is left out.",
    ]


def test_ambiguous_name_finds_all_functions_and_is_refused():
    assert {entry.tool for entry in find("coco")} >= {"globox", "pycocotools"}
    assert {entry.tool for entry in find("map")} >= {"xgboost", "cornac"}
    for name in ("R", "map", "pytorch", "anomalib", "anomalib.metrics.AUPR"):
        with pytest.raises(ValueError, match=f"'{name}' has several functions: choose from"):
            get(name)


@pytest.mark.parametrize("name", ["PASCAL VOC 2010", "VOC 2012", "pascal voc 2012", "voc2010"])
def test_voc_2010_uses_the_envelope_and_voc_2007_eleven_levels(name):
    """Hits at ranks 1 and 3 of 2 positives, under the envelope 1 and 2/3."""
    assert compat.score(name, [1, 0, 1], [3, 2, 1]) == pytest.approx(5 / 6)
    assert get(name).name == "chainercv.calc_detection_voc_ap"
    eleven = (6 * 1 + 5 * 2 / 3) / 11
    assert compat.score("VOC 2007", [1, 0, 1], [3, 2, 1]) == pytest.approx(eleven)


def test_aliases_lead_to_entries_and_families_to_one_member():
    known = {each for entry in ENTRIES for each in (entry.tool, entry.name)}
    for name, names in ALIASES.items():
        assert set(names) <= known
        assert find(name)
    assert set(NOTES) <= known, "in docs/tool_sentences.py"
    for name, (usual,) in USUAL.items():
        found = [entry.name for entry in find(name)]
        assert len(found) > 1
        assert usual in found


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("xgboost.auc", "'xgboost.auc' is not a known tool .* Near it: .*xgboost.aucpr"),
        ("tensorflw", "Near it: .*TensorFlow"),
        ("BinaryAveragePrecison", "Near it: .*torchmetrics.BinaryAveragePrecision"),
        ("xyz", "Near it: none; compat"),
        ("keras.metrics.AUC(curve='ROC')", "is not a known tool"),
        (
            "map@12",
            r"choose from xgboost.map@12 \(scores float32; ties input order; divisor min\(k, "
            r"positives\); without positives 1\), ranx.map@12 .* AtK\(k=12\) ",
        ),
        ("voc", r"VOCdevkit2007.VOCevaldet \(ties input order; over 11 levels, MATLAB; .*calc_det"),
        ("P@10", r"ir_measures.P@10 .*, pytrec_eval.P@10 .*, PrecisionAtK\(k=10\) "),
        ("MRR", r"pytrec_eval.recip_rank .*, ir_measures.RR .*, ranx.mrr "),
        ("MRR@10", r"ir_measures.RR@10 .*, ranx.mrr@10 .*, ReciprocalRank\(k=10\) "),
        ("mAP50", r"pycocotools.COCOeval .*, ultralytics.compute_ap "),
        (
            "MAP@K Kaggle",
            r"ml_metrics.mapk \(without positives 1\), kaggle_hm.map@k \(without positives nan\)",
        ),
        ("xgboost.map@0", "Near it: xgboost.map@k"),
        ("keras.AUC(curve='PR', summation_method='majoring')", "Near it: .*keras.AUC_PR"),
    ],
)
def test_error_for_an_unknown_name_suggests_alternatives(name, advice):
    with pytest.raises(ValueError, match=advice):
        get(name)
    with pytest.raises(ValueError, match=advice):
        compat.explain("ROCR", Y, S, versus=name)


def test_tool_name_must_be_a_string():
    for call in (get, lambda name: compat.compare(Y, S, tools=[name])):
        with pytest.raises(
            TypeError, match=r"must be a string, or a definition such as AtK\(10\), got 3"
        ):
            call(3)
