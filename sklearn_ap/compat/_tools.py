"""What each tool's function computes, as choices, and what it does with odd input.

"To add a tool" in docs/contributing.md lists the steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import AS_FLOAT32, RELATIVE_TOLERANCE, elsewhere
from sklearn_ap.compat._checked_predictions import CheckedPredictions
from sklearn_ap.compat._choices import OPTIONS, Choices
from sklearn_ap.compat._scores_and_ties import outside_0_and_1
from sklearn_ap.compat._tool_entry import Entry, Refusal


def conventions(tool: str | None = None) -> list[Entry]:
    """The entries of a tool, or those that a name stands for; all for None."""
    return list(ENTRIES) if tool is None else _find(tool)


def get(name: str) -> Entry:
    """The entry of a function.

    The name of a tool stands for its only function, or for the original or default one.
    """
    found = _find(name)
    usual = [entry for entry in found if entry.name in map(USUAL.get, _spellings(_simple(name)))]
    if len(found) == 1 or usual:
        return (usual or found)[0]
    raise ValueError(
        f"{name!r} has several functions: choose from {', '.join(entry.name for entry in found)}."
    )


def _find(name: Any) -> list[Entry]:
    """The entry of a function, or all that a name stands for."""
    if not isinstance(name, str):
        raise TypeError(f"The name of a tool or a function must be a string, got {name!r}.")
    for alike in (str.lower, _simple):  # first as written: MLmetrics is not ml_metrics
        for each in _spellings(alike(name)):
            if found := _by_name(alike).get(each):
                return [*found]
    raise ValueError(f"{name!r} is not a known tool or function. {_what_it_may_be(name)}")


@cache
def _by_name(alike: Callable[[str], str]) -> dict[str, list[Entry]]:
    """The entries that each name stands for, as a function writes names alike."""
    found: dict[str, list[Entry]] = {}
    for entry in ENTRIES:
        for name in {*map(alike, _names(entry))}:
            found.setdefault(name, []).append(entry)
    return found


def _what_it_may_be(name: str) -> str:
    """The functions of a name that has a number in the place of k, or near names."""
    if where := elsewhere(name):
        return where
    stem, at, number = name.rpartition("@")
    if at and number.isdecimal():
        alike = [entry.name for entry in ENTRIES if entry.k != "no" and _is_called(entry, stem)]
        if alike:
            return f"Pass k={number} apart, to {' or '.join(alike)}."
    near = ", ".join(_near(*_spellings(_simple(name.partition("(")[0]))))
    return f"Near it: {near or f'none; {ALL_OF_THEM} lists all'}."


def _is_called(entry: Entry, stem: str) -> bool:
    """Whether a function is called so, apart from its k: "map" is "xgboost.map@k"."""
    names = (_simple(each).removesuffix("@k") for each in _names(entry) if each != entry.tool)
    return _simple(stem) in names


def _spellings(name: str) -> tuple[str, str]:
    """A name, and the same without the modules between: "sklearn.metrics.auc" is "sklearn.auc".

    "tf.keras" is "keras", and arguments that name the only case here are left out.
    """
    name = re.sub(IN_TENSORFLOW, "", re.sub(ONLY_CASE, "", name))
    path = name.split(".")
    return name, f"{path[0]}.{path[-1]}"


def _simple(name: str) -> str:
    """A name without what people spell in several ways: "Hugging Face" is "huggingface"."""
    return name.lower().translate(dict.fromkeys(map(ord, " -_")))


def _names(entry: Entry) -> list[str]:
    """All names by which a function is found: its own, its tool's, and other names of these."""
    others = [name for name, of in ALIASES.items() if {entry.name, entry.tool} & set(of)]
    return [entry.name, entry.function, entry.tool, *others]


def _near(*wanted: str) -> list[str]:
    """Up to three names that are like unknown ones, first those that hold one."""
    shown = {_simple(entry.function): entry.name for entry in ENTRIES}
    shown |= {_simple(name): name for entry in ENTRIES for name in (entry.name, entry.tool)}
    shown |= {_simple(name): name for name in ALIASES}
    near = [known for each in wanted for known in shown if len(each) > 2 and each in known]
    for each in wanted:
        near += get_close_matches(each, shown, n=3, cutoff=0.6)
    return list(dict.fromkeys(shown[known] for known in near))[:3]


def _entry(name: str, **different: Any) -> Entry:
    """Describe a function by how it differs from scikit-learn's average_precision_score."""
    known = (*OPTIONS, *Entry.__slots__[3:])  # all but name, versions and choices
    if unknown := ", ".join(sorted(different.keys() - set(known))):
        raise TypeError(f"{name}: no entry has {unknown}; it may have {', '.join(known)}.")
    over = "top k" if "k" in different else "every recall"
    usual = Choices("as given", "grouped", "step", "irrelevant", over, "positives")
    changed = {choice: different.pop(choice) for choice in OPTIONS if choice in different}
    tool = name.split(".")[0]
    different.setdefault("note", NOTES.get(name, ""))
    different.setdefault("tolerance", AS_FLOAT32 if tool in IN_FLOAT32 else RELATIVE_TOLERANCE)
    versions = VERSIONS.get(name, VERSIONS.get(tool, ""))
    return Entry(name, versions, usual._replace(**changed), **different)


def _outside_0_and_1(predictions: CheckedPredictions) -> NDArray[np.bool_]:
    return outside_0_and_1(predictions.rankings)


def _top_weight_is_0(predictions: CheckedPredictions) -> NDArray[np.bool_]:
    one_class = predictions.without_positives | predictions.without_negatives
    return predictions.weightless_top & ~one_class


ALL_OF_THEM = "compat.compare(..., tools='all')"
# Names may be those of TensorFlow, and may end in what is passed.
IN_TENSORFLOW = r"^(tf|tensorflow)\.(?=keras\.)"
ONLY_CASE = r"""\((curve=['"]pr['"]|task=['"]binary['"])\)$"""

VOC_2007 = (
    "chainercv.calc_detection_voc_ap_07",
    "detectron2.voc_ap_07",
    "mean_average_precision.value_11",
    "mmdet.average_precision_11points",
    "object_detection_metrics.ElevenPoints",
)
# Other names by which people look for tools and functions.
ALIASES = {
    "anomalib.AUPR": ("anomalib",),
    "arrayPRAUC": ("clickhouse.arrayAUCPR",),
    "BEIR": ("pytrec_eval.map_cut", "pytrec_eval.P"),
    "caret": ("MLmetrics",),
    "COCO": (
        *("faster_coco_eval", "fiftyone.evaluate_detections", "globox", "lvis", "pycocotools"),
        "supervision",
        "torchmetrics.MeanAveragePrecision",
    ),
    "deep-image-retrieval": ("sklearn.average_precision_score",),
    "DeepChem": ("sklearn.auc_of_precision_recall_curve",),
    "deepchem.prc_auc_score": ("sklearn.auc_of_precision_recall_curve",),
    "evaluate.trec_eval": ("trectools.get_map",),
    "Hugging Face": ("sentence_transformers", "trectools"),
    "keras.AUC": ("keras.AUC_PR_interpolation", "keras.AUC_PR_majoring", "keras.AUC_PR_minoring"),
    "MLflow": ("sklearn.average_precision_score",),
    "mlflow.precision_recall_auc": ("sklearn.average_precision_score",),
    "MTEB": ("pytrec_eval.map_cut", "pytrec_eval.P"),
    "ogbg-molpcba": ("ogb",),
    "Open Images": ("fiftyone.evaluate_detections_open_images", "tensorflow_models"),
    "Oxford 5k": ("oxford_buildings", "revisitop"),
    "Paris 6k": ("oxford_buildings", "revisitop"),
    "PASCAL VOC": (
        *("chainercv", "detectron2", "mean_average_precision", "mmdet"),
        "object_detection_metrics",
    ),
    "PASCAL VOC 2007": VOC_2007,
    "PyTorch": ("torcheval", "torchmetrics"),
    "R": ("MLmetrics", "PRROC", "ROCR", "yardstick"),
    "scikit-learn": ("sklearn",),
    "torchmetrics.AveragePrecision": (
        "torchmetrics.BinaryAveragePrecision",
        "torchmetrics.MultilabelAveragePrecision",
    ),
    "MLlib": ("pyspark",),
    "Spark": ("pyspark",),
    "TensorFlow": ("keras",),
    "TREC": ("ir_measures", "pytrec_eval", "trec_eval"),
    "trec_eval.map": ("pytrec_eval.map",),
    "trec_eval.map_cut": ("pytrec_eval.map_cut",),
    "trec_eval.P": ("pytrec_eval.P",),
    "VOC 2007": VOC_2007,
    "YOLO": ("ultralytics",),
}
# What a name of several functions stands for, where one is the original or the default.
USUAL = {
    "beir": "pytrec_eval.map_cut",
    "coco": "pycocotools.COCOeval",
    "keras": "keras.AUC_PR_interpolation",
    "keras.auc": "keras.AUC_PR_interpolation",
    "detectron2": "detectron2.voc_ap",
    "fiftyone": "fiftyone.evaluate_detections",
    "kitti": "kitti.AP_R40",
    "mmdet": "mmdet.average_precision",
    "huggingface": "sentence_transformers.map@k",
    "mteb": "pytrec_eval.map_cut",
    "openimages": "tensorflow_models.compute_average_precision",
    "oxford5k": "oxford_buildings.compute_ap",
    "paris6k": "oxford_buildings.compute_ap",
    "pascalvoc2007": "chainercv.calc_detection_voc_ap_07",
    "voc2007": "chainercv.calc_detection_voc_ap_07",
    "torchmetrics.averageprecision": "torchmetrics.BinaryAveragePrecision",
    "tensorflow": "keras.AUC_PR_interpolation",
    "pyspark": "pyspark.areaUnderPR",
    "spark": "pyspark.areaUnderPR",
    "sklearn": "sklearn.average_precision_score",
    "scikitlearn": "sklearn.average_precision_score",
}
# The functions that a comparison of all prints.
MOST_USED = (
    "sklearn.average_precision_score",
    "sklearn.auc_of_precision_recall_curve",
    "torchmetrics.BinaryAveragePrecision",
    "keras.AUC_PR_interpolation",
    "xgboost.aucpr",
    "lightgbm.average_precision",
    "catboost.PRAUC",
    "pytrec_eval.map",
    "chainercv.calc_detection_voc_ap",
    "pycocotools.COCOeval",
)
# The version of each tool that its functions were verified against, or of a function.
VERSIONS = {
    "anomalib": "2.7.0",
    "anomalib.AUPR_before_2.7": "2.6.2",
    "sklearn": "1.9.1",
    "clickhouse": "26.9.0 (chdb)",
    "cell_eval": "0.8.2",
    "ogb": "1.3.6",
    "torchmetrics": "1.9.0",
    "chemprop": "2.3.1",
    "torchrec": "1.9.2",
    "torcheval": "0.0.7",
    "keras": "3.15.1 (PyTorch backend)",
    "metrax": "0.2.4 (JAX)",
    "xgboost": "3.2.0",
    "h2o": "3.46.0.12",
    "lightgbm": "4.7.0",
    "catboost": "1.2.10",
    "pytrec_eval": "0.5.11 (terrier)",
    "trec_eval": "main branch, after 9.0",
    "trectools": "0.0.50",
    "ir_measures": "0.4.3",
    "ranx": "0.3.21",
    "rectools": "0.19.0",
    "recommenders": "1.2.1",
    "implicit": "0.7.3",
    "ml_metrics": "0.1.4",
    "recmetrics": "0.1.5",
    "cornac": "3.0.1",
    "sentence_transformers": "6.2.0",
    "oxford_buildings": "compute_ap.cpp",
    "revisitop": "be39832 (main branch)",
    "market1501": "compute_AP.m",
    "torchreid": "f8cd150 (main branch)",
    "pyspark": "4.3.0",
    "ROCR": "1.0-11",
    "MLmetrics": "1.1.1 (also prSummary of caret)",
    "PRROC": "1.4",
    "pyprg": "0.1.1b7 (with np.alen put back)",
    "calibrated_metrics": "e52f47a (main branch)",
    "yardstick": "development version",
    "weka": "3.7.5 and newer",
    "pycocotools": "2.0.11",
    "lvis": "0.5.3",
    "supervision": "0.31.2",
    "faster_coco_eval": "1.8.0",
    "globox": "2.9.0",
    "object_detection_metrics": "0.4.post1",
    "mean_average_precision": "2024.1.5.0",
    "chainercv": "0.13.1",
    "ultralytics": "8.4.190",
    "detectron2": "197db55 (main branch)",
    "mmdet": "3.3.0",
    "tensorflow_models": "5eba85b (master branch)",
    "fiftyone": "1.22.1",
    "nuscenes": "1.2.0 (nuscenes-devkit)",
    "kitti": "9f385f8 (kitti-object-eval-python)",
}
IN_FLOAT32 = {
    *("anomalib", "chemprop", "keras", "mean_average_precision", "metrax", "mmdet"),
    *("oxford_buildings", "supervision", "torcheval", "torchmetrics", "torchrec", "xgboost"),
}

# What several functions share: choices, answers, and how they are known.
ATTAINABLE = {"divisor": "min(k, positives)"}
PRECISION = {"between": "each hit", "divisor": "k"}
PRECISION_WITHIN_N = {"between": "each hit", "divisor": "min(k, n)"}
FROM_1 = {"between": "straight line", "start": "(0, 1)"}
# Tools that know all positives, also those that are not in a ranking.
KNOW_ALL = {"not_retrieved": "left out; if positive, it counts"}
VOC = KNOW_ALL | {"ties": "input order", "between": "envelope"}
COCO = VOC | {"over": "101 levels", "no_positives": -1.0}
NAN = float("nan")
R_NEEDS_TWO_CLASSES = {
    "no_positives": "R error: Number of classes is not equal to 2",
    "all_positives": "R error: Number of classes is not equal to 2",
    "nan_scores": "R error",
}
COPIED = {"source": "run as a copy"}
SORTED = {"between": "sorted by recall"}
READ_ONLY = {"source": "read", "nan_scores": "not checked"}
FLOAT32 = {"dtype": "float32"}
ANOMALIB = COPIED | {"scores": "sigmoid", "options": FLOAT32}
AT_RECALL_FLOAT32 = {"over": "best at a recall", "options": FLOAT32 | {"min_recall": 0.8}}
AT_PRECISION_FLOAT32 = {"over": "best at a precision", "options": FLOAT32 | {"min_precision": 0.9}}
# Tools that take ranked lists: there are no scores.
LISTS = KNOW_ALL | {"ties": "input order", "nan_scores": "not applicable"}
LISTS_AT_K = LISTS | {"k": "required"}
# What the functions of one tool share.
RETRIEVAL = {
    "scores": "relevant above 0",
    "ties": "unspecified",
    "k": "optional",
    "options": {"empty_target_action": "neg"},
}
KERAS = {
    "scores": "clipped bins",
    "options": {"num_thresholds": 200, "from_logits": False},
    "weights": True,
}
KERAS_AT = {"scores": "clipped bins above 0", "weights": True}
KERAS_AT_RECALL = {"num_thresholds": 200, "min_recall": 0.8}
KERAS_AT_PRECISION = {"num_thresholds": 200, "min_precision": 0.9}
XGBOOST = {"scores": "float32"}
XGBOOST_AUCPR = XGBOOST | {"between": "hyperbola", "no_positives": NAN, "all_positives": NAN}
XGBOOST_MAP = XGBOOST | {"ties": "input order", "over": "top 32", "divisor": "min(32, positives)"}
XGBOOST_AT_K = XGBOOST | {"ties": "input order", "k": "required"}
TREC = KNOW_ALL | {"scores": "float32", "ties": "reverse order"}
RANX = KNOW_ALL | {"ties": "unspecified"}
RECTOOLS = LISTS_AT_K | {"no_positives": NAN}
RECOMMENDERS = LISTS_AT_K | {
    "no_positives": "ColumnTypeMismatchError: no row is relevant",
    "note": "Users without a relevant item are left out of the mean.",
}
NO_COLUMN_LEFT = "RuntimeError: No positively labeled data available"
DIVIDES_BY_0 = {
    "no_positives": "ZeroDivisionError: float division",
    "all_positives": "ZeroDivisionError: float division",
}
RANKED_IMAGES = LISTS | FROM_1
IMPLICIT = LISTS_AT_K | ATTAINABLE | DIVIDES_BY_0
ML_METRICS = LISTS_AT_K | ATTAINABLE | {"no_positives": 1.0}
SPARK_UNTYPED = {"no_positives": "PySparkValueError: [CANNOT_DETERMINE_TYPE]"}
SPARK_LISTS = LISTS | SPARK_UNTYPED
PRROC = {"no_positives": NAN, "nan_scores": "R error"}
MEAN_AP = KNOW_ALL | {"ties": "unspecified", "between": "envelope"}

PADDED = (
    "With k above the number of items, recommendations are padded with item 0, which counts: not "
    "reproduced."
)
TREC_LEVELS = "int(0.7 * 3 + 0.9) is 2: two of three positives reach recall 0.7."
SCORES_OF_DETECTRON2 = "PascalVOCDetectionEvaluator rounds scores to three decimals first."
MEAN_OF_MMDET = "eval_map leaves classes without objects out of its mean."
FEW_OF_KITTI = (
    "With few objects, even a perfect ranking gives less than 1: n of them, up to 40, give "
    "(n - 1)/40 over 40 levels."
)
# What else there is to know of a function.
NOTES = {
    "sklearn.average_precision_score": "Rows of weight 0 are dropped first.",
    "sklearn.auc_of_precision_recall_curve": "What average_precision_score was before 0.19.",
    "sklearn.label_ranking_average_precision_score": "One row; its weights are per row.",
    "ogb.Evaluator": "Its ap, as for ogbg-molpcba: columns without both classes are left out of "
    "the mean. Unknown labels are nan.",
    "cell_eval.compute_pr_auc": "Its metric pr_auc. Its scores are -log10 of p-values.",
    "chemprop.BinaryAUPRC": "All tasks are one ranking.",
    "torchrec.AUPRC": "Over a window; it also gives one of scores in bins.",
    "metrax.AUCPR": "The area of scores above 1 is lost: not reproduced.",
    "trectools.get_map": "k is its depth, 1000 by default. The metric trec_eval of Hugging Face "
    "evaluate calls it with 10,000, after it rounded scores to float32.",
    "nuscenes.calc_ap": "With scores below 0 and an object that was missed, it raises an "
    "AssertionError: not reproduced.",
    "torchmetrics.BinaryAveragePrecision": "A sigmoid in float32 saturates: margins of 36, 38 and "
    "40 become equal. PyTorch's may split ties in the last bit at the end of a vector: not "
    "reproduced.",
    "torchmetrics.MultilabelAveragePrecision": "One label. One score outside [0, 1] sends the "
    "scores of all labels through the sigmoid. The mean over labels counts a label without "
    "positives as 0.",
    "torchmetrics.MeanAveragePrecision": "Its map_50, one image per item.",
    "torchmetrics.RetrievalMAP": "With logits it gives nonsense.",
    "keras.AUC_PR_minoring": "The first group is lost: a single perfect positive gives 0.",
    "keras.PrecisionAtRecall": "Its name for min_recall is recall.",
    "keras.RecallAtPrecision": "Its name for min_precision is precision.",
    "pyprg.calc_auprg": "The area under the precision-recall-gain curve (Flach and Kull 2015).",
    "calibrated_metrics.average_precision": "The code of Siblini et al. (2020). With weights, its "
    "share of positives is still that of the rows: not reproduced.",
    "xgboost.aucpr_ranking": "Weights are per group.",
    "xgboost.map": "Its k = 32 was observed, not confirmed in the source.",
    "xgboost.map_minus": "Its name there is map-; k as for map.",
    "h2o.aucpr": "More than 400 distinct scores are merged into 400 bins: not reproduced.",
    "lightgbm.average_precision": "nan if the group of the highest score has total weight 0.",
    "lightgbm.map": "Its sort promises no order of ties beyond 16 items; a stable one was seen.",
    "pytrec_eval.iprec_at_recall": TREC_LEVELS,
    "pytrec_eval.11pt_avg": TREC_LEVELS,
    "trec_eval.11pt_avg": "Rounds where version 9 rounds up: with 7 positives 1 reaches 0.2.",
    "ranx.map": "Its sort is stable up to 16 items, and promises no order of ties beyond.",
    "implicit.mean_average_precision_at_k": PADDED,
    "implicit.precision_at_k": PADDED,
    "recmetrics.mark": "Called mean average recall.",
    "sentence_transformers.map@k": "What it does without positives was not checked.",
    "torchreid.eval_market1501": "Queries without a match are left out of the mean.",
    "pyspark.areaUnderPR": "Older versions start at (0, 1). Spark's default puts many distinct "
    "scores into 1,000 bins, which is not reproduced: pass numBins=0.",
    "ROCR.aucpr": "Optimistic: a single positive at rank 3 gives 0.667.",
    "MLmetrics.PRAUC": "A perfect ranking of four positives gives 0.750, of one 0.000.",
    "yardstick.average_precision": "What it does without positives was not checked.",
    "mean_average_precision.value_11": "`recall_thresholds=np.arange(0, 1.1, 0.1)`",
    "mean_average_precision.value_101": "`recall_thresholds=np.arange(0, 1.01, 0.01)`",
    "ultralytics.compute_ap": "A perfect ranking gives 0.995.",
    "detectron2.voc_ap": SCORES_OF_DETECTRON2,
    "detectron2.voc_ap_07": SCORES_OF_DETECTRON2,
    "mmdet.average_precision": MEAN_OF_MMDET,
    "mmdet.average_precision_11points": MEAN_OF_MMDET,
    "fiftyone.evaluate_detections": "Its AP at one overlap.",
    "kitti.AP_R11": FEW_OF_KITTI,
    "kitti.AP_R40": FEW_OF_KITTI,
}

ENTRIES = (
    _entry("sklearn.average_precision_score", weights=True, nan_scores="ValueError"),
    _entry(
        "sklearn.auc_of_precision_recall_curve",
        **FROM_1,
        weights=True,
        no_positives=0.5,
        nan_scores="ValueError",
    ),
    _entry(
        "sklearn.label_ranking_average_precision_score", no_positives=1.0, nan_scores="ValueError"
    ),
    _entry("clickhouse.arrayAUCPR", nan_scores="nan"),
    _entry("cell_eval.compute_pr_auc", **READ_ONLY, no_positives=NAN, all_positives=NAN),
    _entry(
        "ogb.Evaluator",
        **COPIED,
        no_positives=NO_COLUMN_LEFT,
        all_positives=NO_COLUMN_LEFT,
        nan_scores="ValueError",
    ),
    _entry("torchmetrics.BinaryAveragePrecision", scores="sigmoid", options=FLOAT32),
    _entry(
        "torchmetrics.BinaryAveragePrecision_thresholds",
        scores="sigmoid, floored",
        options=FLOAT32 | {"thresholds": 200},
    ),
    _entry("torchmetrics.binary_precision_at_fixed_recall", scores="sigmoid", **AT_RECALL_FLOAT32),
    _entry(
        "torchmetrics.binary_recall_at_fixed_precision", scores="sigmoid", **AT_PRECISION_FLOAT32
    ),
    _entry("torchmetrics.MultilabelAveragePrecision", scores="sigmoid", options=FLOAT32),
    _entry(
        "torchmetrics.MeanAveragePrecision",
        **COCO | {"scores": "float32", "over": "101 levels, float32"},
    ),
    _entry("torchmetrics.RetrievalMAP", **RETRIEVAL, divisor="hits"),
    _entry("torchmetrics.RetrievalPrecision", **RETRIEVAL, **PRECISION),
    _entry("torchmetrics.RetrievalPrecision_adaptive_k", **RETRIEVAL, **PRECISION_WITHIN_N),
    _entry(
        "chemprop.BinaryAUPRC",
        **READ_ONLY,
        **FROM_1,
        scores="sigmoid",
        options=FLOAT32,
        no_positives=0.5,
    ),
    _entry("torchrec.AUPRC", **READ_ONLY, scores="float32", weights=True),
    _entry("anomalib.AUPR_since_2.7", **ANOMALIB),
    _entry("anomalib.AUPR_before_2.7", **ANOMALIB | FROM_1 | SORTED, no_positives=0.5),
    _entry("torcheval.binary_auprc", scores="dtype", options=FLOAT32),
    _entry("torcheval.binary_binned_auprc", scores="floored", options=FLOAT32 | {"threshold": 100}),
    _entry("torcheval.binary_recall_at_fixed_precision", scores="dtype", **AT_PRECISION_FLOAT32),
    _entry("keras.AUC_PR_interpolation", **KERAS, between="hyperbola"),
    _entry("keras.AUC_PR_minoring", **KERAS, between="lower"),
    _entry("keras.AUC_PR_majoring", **KERAS, between="upper"),
    _entry("keras.AUC_PRGAIN", **KERAS, over="recall gain, clipped"),
    _entry(
        "metrax.AUCPR",
        scores="thresholds exceeded",
        between="hyperbola",
        options={"num_thresholds": 200},
        weights=True,
    ),
    _entry("keras.PrecisionAtRecall", **KERAS_AT, over="best at a recall", options=KERAS_AT_RECALL),
    _entry(
        "keras.RecallAtPrecision",
        **KERAS_AT,
        over="best at a precision",
        options=KERAS_AT_PRECISION,
    ),
    _entry("xgboost.aucpr", **XGBOOST_AUCPR, weights=True),
    _entry("xgboost.aucpr_ranking", **XGBOOST_AUCPR),
    _entry("xgboost.map", **XGBOOST_MAP, no_positives=1.0),
    _entry("xgboost.map_minus", **XGBOOST_MAP),
    _entry("xgboost.map@k", **XGBOOST_AT_K, **ATTAINABLE, no_positives=1.0),
    _entry("xgboost.pre@k", **XGBOOST_AT_K, **PRECISION_WITHIN_N),
    _entry(
        "h2o.aucpr",
        between="hyperbola",
        weights=True,
        refuses=Refusal(_outside_0_and_1, "H2OResponseError: Predicted probabilities must be"),
    ),
    _entry(
        "lightgbm.average_precision",
        scores="as given, float32 weights",
        weights=True,
        no_positives=1.0,
        all_positives=1.0,
        refuses=Refusal(_top_weight_is_0, NAN),
    ),
    _entry("lightgbm.map", ties="input order", **ATTAINABLE, k="required", no_positives=1.0),
    _entry(
        "catboost.PRAUC",
        **FROM_1,
        scores="tied below 1e-8",
        weights=True,
        no_positives="CatBoostError: No element of a positive class",
    ),
    _entry("catboost.MAP", ties="worst", **ATTAINABLE, k="optional"),
    _entry("catboost.PrecisionAt", ties="worst", **PRECISION_WITHIN_N, k="optional"),
    _entry("catboost.AverageGain", ties="worst", **PRECISION_WITHIN_N, k="required"),
    _entry("pytrec_eval.map", **TREC),
    _entry("pytrec_eval.map_cut", **TREC, k="required"),
    _entry("pytrec_eval.P", **TREC, **PRECISION, k="required"),
    _entry(
        "pytrec_eval.iprec_at_recall",
        **TREC,
        between="envelope",
        over="one level",
        options={"level": 0.0},
    ),
    _entry("pytrec_eval.11pt_avg", **TREC, between="envelope", over="11 levels, int(x R + 0.9)"),
    _entry(
        "trec_eval.11pt_avg",
        **KNOW_ALL,
        ties="reverse order",
        between="envelope",
        over="11 levels, lround(x R)",
        source="read",
    ),
    _entry("trectools.get_map", **KNOW_ALL, ties="reverse order", k="required"),
    _entry("ir_measures.AP", **TREC),
    _entry("ir_measures.AP@k", **TREC, k="required"),
    _entry("ir_measures.P@k", **TREC, **PRECISION, k="required"),
    _entry("ranx.map", **RANX),
    _entry("ranx.map@k", **RANX, k="required"),
    _entry("ranx.precision@k", **RANX, **PRECISION, k="required"),
    _entry("rectools.MAP", **RECTOOLS),
    _entry("rectools.MAP_divide_by_k", **RECTOOLS, divisor="k"),
    _entry("recommenders.map", **RECOMMENDERS),
    _entry("recommenders.map_at_k", **RECOMMENDERS, **ATTAINABLE),
    _entry("recommenders.precision_at_k", **RECOMMENDERS, **PRECISION),
    _entry("implicit.mean_average_precision_at_k", **IMPLICIT),
    _entry("implicit.precision_at_k", **IMPLICIT, between="each hit"),
    _entry("ml_metrics.apk", **ML_METRICS),
    _entry("ml_metrics.mapk", **ML_METRICS),
    _entry("recmetrics.mark", **LISTS_AT_K, **COPIED),
    _entry("cornac.MAP", **COPIED, no_positives=NAN),
    _entry("sentence_transformers.map@k", **LISTS_AT_K, **ATTAINABLE, source="read"),
    _entry("oxford_buildings.compute_ap", **RANKED_IMAGES, **COPIED, no_positives=NAN),
    _entry(
        "revisitop.compute_map",
        **RANKED_IMAGES,
        **COPIED,
        no_positives="ZeroDivisionError: float division by zero",
    ),
    _entry("market1501.compute_AP", **RANKED_IMAGES, source="read", no_positives=NAN),
    _entry(
        "torchreid.eval_market1501",
        **KNOW_ALL,
        **COPIED,
        ties="unspecified",
        no_positives="AssertionError: Error: all query identities do not appear in gallery",
    ),
    _entry(
        "pyspark.areaUnderPR", between="straight line", start="(0, first precision)", weights=True
    ),
    _entry("pyspark.meanAveragePrecision", **SPARK_LISTS),
    _entry("pyspark.meanAveragePrecisionAt", **SPARK_LISTS, **ATTAINABLE, k="required"),
    _entry("pyspark.precisionAt", **SPARK_LISTS, **PRECISION, k="required"),
    _entry("ROCR.aucpr", between="best points", start="(0, 1)", **R_NEEDS_TWO_CLASSES),
    _entry("MLmetrics.PRAUC", between="straight line", start="lost", **R_NEEDS_TWO_CLASSES),
    _entry("PRROC.auc.integral", **PRROC, between="hyperbola", weights=True),
    _entry("PRROC.auc.davis.goadrich", **PRROC, between="hyperbola, sampled"),
    _entry("yardstick.pr_auc", **READ_ONLY, **FROM_1, weights=True, no_positives=NAN),
    _entry("yardstick.average_precision", **READ_ONLY, weights=True, no_positives=None),
    _entry("weka.getPRCArea", **READ_ONLY, weights=True, no_positives=NAN),
    _entry("pyprg.calc_auprg", over="recall gain", no_positives=NAN),
    _entry(
        "calibrated_metrics.average_precision",
        **COPIED,
        scores="as given, at a prevalence",
        options={"pi0": 0.5},
        no_positives=NAN,
        all_positives=0.0,
    ),
    _entry("pycocotools.COCOeval", **COCO),
    _entry("lvis.LVISEval", **COCO),
    _entry("supervision.MeanAveragePrecision", **COCO),
    _entry("faster_coco_eval.COCOeval_faster", **COCO, nan_scores="ValueError"),
    _entry(
        "globox.ap_50",
        **VOC,
        over="101 levels",
        no_positives=NAN,
        refuses=Refusal(_outside_0_and_1, "AssertionError: Confidence should be in [0, 1]."),
        nan_scores="AssertionError",
    ),
    _entry("object_detection_metrics.AllPoints", **VOC, no_positives=NAN),
    _entry("object_detection_metrics.ElevenPoints", **VOC, over="11 levels"),
    _entry("mean_average_precision.value", **MEAN_AP),
    _entry("mean_average_precision.value_11", **MEAN_AP, over="11 levels, arange"),
    _entry("mean_average_precision.value_101", **MEAN_AP, over="101 levels, arange"),
    _entry("chainercv.calc_detection_voc_ap", **VOC, **COPIED, no_positives=NAN),
    _entry("chainercv.calc_detection_voc_ap_07", **VOC, over="11 levels, arange", **COPIED),
    _entry("ultralytics.compute_ap", **VOC, over="101 levels, interpolated", **COPIED),
    _entry("detectron2.voc_ap", **MEAN_AP, **COPIED, no_positives=NAN),
    _entry("detectron2.voc_ap_07", **MEAN_AP, **COPIED, over="11 levels, arange"),
    _entry("mmdet.average_precision", **MEAN_AP, **COPIED),
    _entry("mmdet.average_precision_11points", **MEAN_AP, **COPIED, over="11 levels, arange"),
    _entry("tensorflow_models.compute_average_precision", **MEAN_AP, **COPIED, no_positives=NAN),
    _entry("fiftyone.evaluate_detections", **COCO | {"ties": "best"}, **COPIED),
    _entry("fiftyone.evaluate_detections_open_images", **MEAN_AP, **COPIED, no_positives=-1.0),
    _entry(
        "nuscenes.calc_ap",
        **KNOW_ALL,
        **COPIED,
        ties="reverse order",
        over="101 points above 0.1",
        nan_scores="AssertionError",
    ),
    _entry("kitti.AP_R11", **KNOW_ALL, **COPIED, over="11 of 41 positives"),
    _entry("kitti.AP_R40", **KNOW_ALL, **COPIED, over="40 of 41 positives"),
)
BASELINE = ENTRIES[0]
