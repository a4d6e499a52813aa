"""The table: what each tool's function computes, as choices, and what it does with odd input.

To add a tool is to add an entry here, and its recorded answers to the tests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.compat.choices import Choices
from sklearn_ap.compat.entry import Entry, Refusal
from sklearn_ap.compat.predictions import Predictions

__all__ = ["TABLE"]

NAN = float("nan")


def _outside_0_and_1(predictions: Predictions) -> NDArray[Any]:
    return predictions.count((predictions.score < 0) | (predictions.score > 1)) > 0


def _weightless_top(predictions: Predictions) -> NDArray[np.bool_]:
    one_class = predictions.without_positives | predictions.without_negatives
    return predictions.weightless_top & ~one_class


FLOAT32 = {"dtype": "float32"}
GROUPED = ("as given", "grouped")
TREC = ("float32", "reverse order")
STABLE = ("as given", "input order")
STEP = ("step", "irrelevant", "every recall", "positives")
LISTS = "takes ranked lists; the order of tied items is the caller's"

TABLE = (
    Entry(
        "sklearn.average_precision_score", "1.9.1", Choices(*GROUPED, *STEP),
        weights=True, nan_scores="ValueError",
        note="Rows of weight 0 are dropped first.",
    ),
    Entry(
        "sklearn.auc_of_precision_recall_curve", "1.9.1",
        Choices(*GROUPED, "straight line", "(0, 1)", "every recall", "positives"),
        weights=True, no_positives=0.5, nan_scores="ValueError",
        note="What average_precision_score was before 0.19.",
    ),
    Entry(
        "sklearn.label_ranking_average_precision_score", "1.9.1", Choices(*GROUPED, *STEP),
        no_positives=1.0, nan_scores="ValueError", note="One row; its weights are per row.",
    ),
    Entry(
        "torchmetrics.BinaryAveragePrecision", "1.9.0", Choices("sigmoid", "grouped", *STEP),
        options=FLOAT32, tolerance=1e-6,
        note="A sigmoid in float32 saturates: margins of 36, 38 and 40 become equal. PyTorch's may "
        "split ties in the last bit at the end of a vector: not reproduced.",
    ),
    Entry(
        "torchmetrics.BinaryAveragePrecision_thresholds", "1.9.0",
        Choices("sigmoid, floored", "grouped", *STEP),
        options=FLOAT32 | {"thresholds": 200}, tolerance=1e-6,
    ),
    Entry(
        "torchmetrics.RetrievalMAP", "1.9.0",
        Choices("relevant above 0", "unspecified", "step", "irrelevant", "top k", "hits"),
        k="optional", options={"empty_target_action": "neg"}, tolerance=1e-6,
        note="A positive that scores 0 or less is not relevant: with logits it gives nonsense.",
    ),
    Entry(
        "torchmetrics.RetrievalPrecision", "1.9.0",
        Choices("relevant above 0", "unspecified", "each hit", "irrelevant", "top k", "k"),
        k="optional", options={"empty_target_action": "neg"}, tolerance=1e-6,
        note="A positive that scores 0 or less is not relevant.",
    ),
    Entry(
        "torchmetrics.RetrievalPrecision_adaptive_k", "1.9.0",
        Choices("relevant above 0", "unspecified", "each hit", "irrelevant", "top k", "min(k, n)"),
        k="optional", options={"empty_target_action": "neg"}, tolerance=1e-6,
        note="A positive that scores 0 or less is not relevant.",
    ),
    Entry(
        "torcheval.binary_auprc", "0.0.7", Choices("dtype", "grouped", *STEP),
        options=FLOAT32, tolerance=1e-6,
    ),
    Entry(
        "torcheval.binary_binned_auprc", "0.0.7", Choices("floored", "grouped", *STEP),
        options=FLOAT32 | {"threshold": 100}, tolerance=1e-6,
        note="Positives that score below 0 are dropped, but still counted in recall.",
    ),
    *(
        Entry(
            f"keras.AUC_PR_{method}", "3.15.1 (PyTorch backend)",
            Choices("clipped bins", "grouped", between, "irrelevant", "every recall", "positives"),
            options={"num_thresholds": 200, "from_logits": False}, weights=True, tolerance=1e-6,
            note=note,
        )
        for method, between, note in (
            ("interpolation", "hyperbola", ""),
            ("minoring", "lower", "The first group is lost: a single perfect positive gives 0."),
            ("majoring", "upper", ""),
        )
    ),
    Entry(
        "xgboost.aucpr", "3.2.0",
        Choices("float32", "grouped", "hyperbola", "irrelevant", "every recall", "positives"),
        weights=True, no_positives=NAN, all_positives=NAN, tolerance=1e-6,
    ),
    Entry(
        "xgboost.aucpr_ranking", "3.2.0",
        Choices("float32", "grouped", "hyperbola", "irrelevant", "every recall", "positives"),
        no_positives=NAN, all_positives=NAN, tolerance=1e-6, note="Weights are per group.",
    ),
    Entry(
        "xgboost.map", "3.2.0",
        Choices("float32", "input order", "step", "irrelevant", "top 32", "min(32, positives)"),
        no_positives=1.0, tolerance=1e-6, note="Plain map is map@32; seen, not read.",
    ),
    Entry(
        "xgboost.map_minus", "3.2.0",
        Choices("float32", "input order", "step", "irrelevant", "top 32", "min(32, positives)"),
        tolerance=1e-6, note="Its name there is map-; plain map is map@32; seen, not read.",
    ),
    Entry(
        "xgboost.map@k", "3.2.0",
        Choices("float32", "input order", "step", "irrelevant", "top k", "min(k, positives)"),
        k="required", no_positives=1.0, tolerance=1e-6,
    ),
    Entry(
        "xgboost.pre@k", "3.2.0",
        Choices("float32", "input order", "each hit", "irrelevant", "top k", "min(k, n)"),
        k="required", tolerance=1e-6,
    ),
    Entry(
        "lightgbm.average_precision", "4.7.0",
        Choices("as given, float32 weights", "grouped", *STEP),
        weights=True, no_positives=1.0, all_positives=1.0, refuses=Refusal(_weightless_top, NAN),
        note="nan if the group of the highest score has total weight 0.",
    ),
    Entry(
        "lightgbm.map", "4.7.0",
        Choices(*STABLE, "step", "irrelevant", "top k", "min(k, positives)"),
        k="required", no_positives=1.0,
        note="Its sort promises no order of ties beyond 16 items; a stable one was seen.",
    ),
    Entry(
        "catboost.PRAUC", "1.2.10",
        Choices(
            "tied below 1e-8", "grouped", "straight line", "(0, 1)", "every recall", "positives"
        ),
        weights=True, no_positives="CatBoostError: No element of a positive class",
    ),
    Entry(
        "catboost.MAP", "1.2.10",
        Choices("as given", "worst", "step", "irrelevant", "top k", "min(k, positives)"),
        k="optional",
    ),
    *(
        Entry(
            f"catboost.{name}", "1.2.10",
            Choices("as given", "worst", "each hit", "irrelevant", "top k", "min(k, n)"),
            k=k,
        )
        for name, k in (("PrecisionAt", "optional"), ("AverageGain", "required"))
    ),
    Entry("pytrec_eval.map", "0.5.11 (terrier)", Choices(*TREC, *STEP)),
    Entry(
        "pytrec_eval.map_cut", "0.5.11 (terrier)",
        Choices(*TREC, "step", "irrelevant", "top k", "positives"), k="required",
    ),
    Entry(
        "pytrec_eval.P", "0.5.11 (terrier)",
        Choices(*TREC, "each hit", "irrelevant", "top k", "k"), k="required",
    ),
    Entry(
        "pytrec_eval.iprec_at_recall", "0.5.11 (terrier)",
        Choices(*TREC, "envelope", "irrelevant", "one level", "positives"), options={"level": 0.0},
        note="int(0.7 * 3 + 0.9) is 2: two of three positives reach recall 0.7.",
    ),
    Entry(
        "pytrec_eval.11pt_avg", "0.5.11 (terrier)",
        Choices(*TREC, "envelope", "irrelevant", "11 levels, int(x R + 0.9)", "positives"),
        note="int(0.7 * 3 + 0.9) is 2: two of three positives reach recall 0.7.",
    ),
    Entry(
        "trec_eval.11pt_avg", "main branch, after 9.0",
        Choices("as given", "reverse order", "envelope", "irrelevant", "11 levels, lround(x R)",
         "positives"),
        source="read", note="Rounds where version 9 rounds up: with 7 positives 1 reaches 0.2.",
    ),
    Entry("ir_measures.AP", "0.4.3", Choices(*TREC, *STEP)),
    Entry(
        "ir_measures.AP@k", "0.4.3",
        Choices(*TREC, "step", "irrelevant", "top k", "positives"), k="required",
    ),
    Entry(
        "ir_measures.P@k", "0.4.3",
        Choices(*TREC, "each hit", "irrelevant", "top k", "k"), k="required",
    ),
    Entry(
        "ranx.map", "0.3.21", Choices("as given", "unspecified", *STEP),
        note="Its sort is stable up to 16 items, and promises no order of ties beyond.",
    ),
    Entry(
        "ranx.map@k", "0.3.21",
        Choices("as given", "unspecified", "step", "irrelevant", "top k", "positives"),
        k="required",
    ),
    Entry(
        "ranx.precision@k", "0.3.21",
        Choices("as given", "unspecified", "each hit", "irrelevant", "top k", "k"), k="required",
    ),
    Entry(
        "rectools.MAP", "0.19.0", Choices(*STABLE, "step", "irrelevant", "top k", "positives"),
        k="required", no_positives=NAN, nan_scores="not applicable", note=LISTS,
    ),
    Entry(
        "rectools.MAP_divide_by_k", "0.19.0", Choices(*STABLE, "step", "irrelevant", "top k", "k"),
        k="required", no_positives=NAN, nan_scores="not applicable", note=LISTS,
    ),
    *(
        Entry(
            f"recommenders.{name}", "1.2.1",
            Choices(*STABLE, between, "irrelevant", "top k", divisor),
            k="required", nan_scores="not applicable",
            no_positives="ColumnTypeMismatchError: no row is relevant",
            note="Users without a relevant item are left out of the mean.",
        )
        for name, between, divisor in (
            ("map", "step", "positives"),
            ("map_at_k", "step", "min(k, positives)"),
            ("precision_at_k", "each hit", "k"),
        )
    ),
    *(
        Entry(
            f"implicit.{name}", "0.7.3",
            Choices(*STABLE, between, "irrelevant", "top k", "min(k, positives)"),
            k="required", nan_scores="not applicable",
            no_positives="ZeroDivisionError: float division",
            all_positives="ZeroDivisionError: float division",
            note=note + "With k above the number of items, recommendations are padded with item "
            "0 and the padding is counted: not reproduced.",
        )
        for name, between, note in (
            ("mean_average_precision_at_k", "step", ""),
            ("precision_at_k", "each hit", "Divides by min(k, positives), so it is no precision. "),
        )
    ),
    *(
        Entry(
            f"ml_metrics.{name}", "0.1.4",
            Choices(*STABLE, "step", "irrelevant", "top k", "min(k, positives)"),
            k="required", no_positives=1.0, nan_scores="not applicable", note=LISTS,
        )
        for name in ("apk", "mapk")
    ),
    Entry(
        "recmetrics.mark", "0.1.5", Choices(*STABLE, "step", "irrelevant", "top k", "positives"),
        source="run, lifted out of its package", k="required", nan_scores="not applicable",
        note="Called mean average recall.",
    ),
    Entry(
        "cornac.MAP", "3.0.1", Choices(*GROUPED, *STEP),
        source="run, lifted out of its package", no_positives=NAN,
    ),
    Entry(
        "sentence_transformers.map@k", "6.2.0",
        Choices(*STABLE, "step", "irrelevant", "top k", "min(k, positives)"),
        source="read", k="required", no_positives=0.0, nan_scores="not applicable",
        note="What it does without positives was not checked.",
    ),
    Entry(
        "pyspark.areaUnderPR", "4.3.0",
        Choices(*GROUPED, "straight line", "(0, first precision)", "every recall", "positives"),
        weights=True,
        note="Older versions start at (0, 1). Many distinct scores are down-sampled by numBins: "
        "not reproduced.",
    ),
    Entry(
        "pyspark.meanAveragePrecision", "4.3.0", Choices(*STABLE, *STEP),
        no_positives="PySparkValueError: [CANNOT_DETERMINE_TYPE]", nan_scores="not applicable",
        note=LISTS,
    ),
    Entry(
        "pyspark.meanAveragePrecisionAt", "4.3.0",
        Choices(*STABLE, "step", "irrelevant", "top k", "min(k, positives)"), k="required",
        no_positives="PySparkValueError: [CANNOT_DETERMINE_TYPE]", nan_scores="not applicable",
        note=LISTS,
    ),
    Entry(
        "pyspark.precisionAt", "4.3.0", Choices(*STABLE, "each hit", "irrelevant", "top k", "k"),
        k="required", no_positives="PySparkValueError: [CANNOT_DETERMINE_TYPE]",
        nan_scores="not applicable", note=LISTS,
    ),
    Entry(
        "ROCR.aucpr", "1.0-11",
        Choices(*GROUPED, "best points", "(0, 1)", "every recall", "positives"),
        no_positives="R error: Number of classes is not equal to 2",
        all_positives="R error: Number of classes is not equal to 2", nan_scores="R error",
        note="Optimistic: a single positive at rank 3 gives 0.667.",
    ),
    Entry(
        "MLmetrics.PRAUC", "1.1.1 (also prSummary of caret)",
        Choices(*GROUPED, "straight line", "lost", "every recall", "positives"),
        no_positives="R error: Number of classes is not equal to 2",
        all_positives="R error: Number of classes is not equal to 2", nan_scores="R error",
        note="A perfect ranking of four positives gives 0.750, of one 0.000.",
    ),
    Entry(
        "PRROC.auc.integral", "1.4",
        Choices(*GROUPED, "hyperbola", "irrelevant", "every recall", "positives"),
        weights=True, no_positives=NAN, nan_scores="R error",
    ),
    Entry(
        "PRROC.auc.davis.goadrich", "1.4",
        Choices(*GROUPED, "hyperbola, sampled", "irrelevant", "every recall", "positives"),
        no_positives=NAN, nan_scores="R error",
    ),
    Entry(
        "yardstick.pr_auc", "development version",
        Choices(*GROUPED, "straight line", "(0, 1)", "every recall", "positives"),
        source="read", weights=True, no_positives=NAN, nan_scores="not checked",
        note="Its no-positives answer is NA.",
    ),
    Entry(
        "yardstick.average_precision", "development version", Choices(*GROUPED, *STEP),
        source="read", weights=True, nan_scores="not checked", no_positives=None,
        note="What it does without positives was not checked.",
    ),
    Entry(
        "weka.getPRCArea", "3.7.5 and newer", Choices(*GROUPED, *STEP),
        source="read", weights=True, no_positives=NAN, nan_scores="not checked",
    ),
    Entry(
        "pycocotools.COCOeval", "2.0.11",
        Choices(*STABLE, "envelope", "irrelevant", "101 levels", "positives"), no_positives=-1.0,
        note="One image per item.",
    ),
    Entry(
        "faster_coco_eval.COCOeval_faster", "1.8.0",
        Choices(*STABLE, "envelope", "irrelevant", "101 levels", "positives"), no_positives=-1.0,
        nan_scores="ValueError", note="One image per item.",
    ),
    Entry(
        "globox.ap_50", "2.9.0",
        Choices(*STABLE, "envelope", "irrelevant", "101 levels", "positives"), no_positives=NAN,
        nan_scores="AssertionError", refuses=Refusal(
            _outside_0_and_1, "AssertionError: Confidence should be in [0, 1]."
        ),
        note="Refuses scores outside [0, 1].",
    ),
    Entry(
        "object_detection_metrics.AllPoints", "0.4.post1",
        Choices(*STABLE, "envelope", "irrelevant", "every recall", "positives"), no_positives=NAN,
    ),
    Entry(
        "object_detection_metrics.ElevenPoints", "0.4.post1",
        Choices(*STABLE, "envelope", "irrelevant", "11 levels", "positives"),
    ),
    Entry(
        "mean_average_precision.value", "2024.1.5.0",
        Choices("as given", "unspecified", "envelope", "irrelevant", "every recall", "positives"),
        tolerance=1e-6,
    ),
    Entry(
        "mean_average_precision.value_11", "2024.1.5.0",
        Choices(
            "as given", "unspecified", "envelope", "irrelevant", "11 levels, arange", "positives"
        ),
        tolerance=1e-6, note="recall_thresholds=np.arange(0, 1.1, 0.1)",
    ),
    Entry(
        "mean_average_precision.value_101", "2024.1.5.0",
        Choices(
            "as given", "unspecified", "envelope", "irrelevant", "101 levels, arange", "positives"
        ),
        tolerance=1e-6, note="recall_thresholds=np.arange(0, 1.01, 0.01)",
    ),
    Entry(
        "chainercv.calc_detection_voc_ap", "0.13.1",
        Choices(*STABLE, "envelope", "irrelevant", "every recall", "positives"),
        source="run, lifted out of its package", no_positives=NAN,
    ),
    Entry(
        "chainercv.calc_detection_voc_ap_07", "0.13.1",
        Choices(*STABLE, "envelope", "irrelevant", "11 levels, arange", "positives"),
        source="run, lifted out of its package",
    ),
    Entry(
        "ultralytics.compute_ap", "8.4.190",
        Choices(*STABLE, "envelope", "irrelevant", "101 levels, interpolated", "positives"),
        source="run, lifted out of its package",
        note="A perfect ranking gives 0.995.",
    ),
)  # fmt: skip
