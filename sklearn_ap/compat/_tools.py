"""The function of each tool, as choices, with its answers to unusual input.

"Add a tool" in docs/extending.md lists the steps.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache

import numpy as np

from sklearn_ap._inputs.options import near_names
from sklearn_ap._types import Argument, Bool, Keywords
from sklearn_ap.compat._checked_predictions import CheckedPredictions
from sklearn_ap.compat._choices import OPTIONS, SCIKIT_LEARN
from sklearn_ap.compat._our_entries import DEFAULT_K, OUR_ENTRIES, make_entry
from sklearn_ap.compat._scores_and_ties import has_score_outside_0_1
from sklearn_ap.compat._tool_entry import Entry, Refusal, short_answer
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._names import find_definition


def get(name: str | Definition) -> Entry:
    """Get the entry of a function, or of a definition.

    The name of a tool stands for its only function, or for the original or default one.
    """
    entries = find(name)
    if not isinstance(name, str):
        return entries[0]
    usual_names = [
        usual for spelling in _spellings(_simple(name)) for usual in USUAL.get(spelling, [])
    ]
    usual = [entry for entry in entries if entry.name in usual_names]
    if len(entries) == 1 or usual:
        return (usual or entries)[0]
    texts = ", ".join(_contrast(entries))
    raise ValueError(f"{name!r} has several functions: choose from {texts}.")


def _contrast(entries: list[Entry]) -> list[str]:
    """Write each entry with the facts in which it differs from the others."""
    differing_choices = [
        choice
        for choice in OPTIONS
        if len({getattr(entry.choices, choice) for entry in entries}) > 1
    ]
    differ_without_positives = len({str(entry.no_positives) for entry in entries}) > 1
    texts = []
    for entry in entries:
        facts = [f"{choice} {getattr(entry.choices, choice)}" for choice in differing_choices]
        if differ_without_positives:
            facts.append(f"without positives {short_answer(entry.no_positives)}")
        texts.append(f"{entry.name} ({'; '.join(facts)})" if facts else entry.name)
    return texts


def find(name: Argument) -> list[Entry]:
    """Find the entry of a function or a definition, or all that a name stands for."""
    if isinstance(name, Definition):
        return [make_entry(name)]
    if isinstance(name, type) and issubclass(name, Definition):
        raise TypeError(f"Pass a definition with its options, such as {name.__name__}().")
    if not isinstance(name, str):
        raise TypeError(
            f"The name of a tool or a function must be a string, or a definition such as AtK(10), "
            f"got {name!r}."
        )
    if entries := _find_named(name) or _find_at_rank(name):
        return entries
    with suppress(ValueError):
        return [make_entry(find_definition(re.sub(OUR_MODULES, "", name), DEFAULT_K))]
    raise ValueError(f"{name!r} is not a known tool or function. {_suggestion(name)}")


def _find_named(name: str) -> list[Entry]:
    """Find the entries of a name without a number of ranks."""
    for normalize in (str.lower, _simple, _bare):  # first as written: MLmetrics is not ml_metrics
        for spelling in _spellings(normalize(name)):
            if entries := _entries_by_name(normalize).get(spelling):
                return [*entries]
    return []


@cache
def _entries_by_name(normalize: Callable[[str], str]) -> dict[str, list[Entry]]:
    """Return the entries that each name stands for, by its normalized form."""
    entries: dict[str, list[Entry]] = {}
    for entry in ALL_ENTRIES:
        for name in {*map(normalize, _names(entry))}:
            entries.setdefault(name, []).append(entry)
    return entries


def _suggestion(name: str) -> str:
    """Suggest near names."""
    suggestions = {_simple(entry.function): entry.name for entry in ALL_ENTRIES}
    names = [known for entry in ALL_ENTRIES for known in (entry.name, entry.tool)]
    suggestions |= {_simple(known): known for known in (*names, *ALIASES)}
    return near_names(suggestions, ALL_TOOLS_CALL, *_spellings(_simple(name.partition("(")[0])))


def _find_at_rank(name: str) -> list[Entry]:
    """Find the functions and definitions of a name that ends in a number: map@10, P_10."""
    parts = re.fullmatch(r"(.+?)(@|[_.])0*([1-9][0-9]{0,17})( +[A-Za-z&]+)?", name.strip())
    if parts is None:
        return []
    stem, separator, digits, ending = parts.groups("")
    stems = (f"{stem}@k{ending}",) if ending else (f"{stem}@k", stem)
    entries = dict.fromkeys(
        entry for stem in stems for entry in _find_named(stem) if entry.k != "no"
    )
    ours: list[Entry] = []
    if separator == "@":
        with suppress(ValueError):
            ours = [make_entry(find_definition(re.sub(OUR_MODULES, "", name), DEFAULT_K))]
    tools = [entry.fix_rank(int(digits)) for entry in entries if entry.definition is None]
    return [*tools, *ours]


def _spellings(name: str) -> tuple[str, str]:
    """Return a name, and the name without inner modules: "sklearn.metrics.auc" is "sklearn.auc".

    "tf.keras" is "keras". Arguments are dropped if they name the only case that is described here.
    """
    name = re.sub(IN_TENSORFLOW, "", re.sub(ONLY_CASE, "", name))
    path = name.split(".")
    return name, f"{path[0]}.{path[-1]}"


def _simple(name: str) -> str:
    """Drop case, spaces, hyphens and underscores: "Hugging Face" is "huggingface"."""
    return name.lower().translate(dict.fromkeys(map(ord, " -_")))


def _bare(name: str) -> str:
    """Drop dots as well: "xgboost map" is "xgboost.map"."""
    return _simple(name).replace(".", "")


def _split_names(table: dict[str, str]) -> dict[str, list[str]]:
    """Split names: {"BEIR, MTEB": "a, b"} is {"BEIR": ["a", "b"], "MTEB": ["a", "b"]}."""
    return {
        name: functions.split(", ")
        for names, functions in table.items()
        for name in names.split(", ")
    }


def _names(entry: Entry) -> list[str]:
    """Return all names by which a function is found: its own, its tool's, and their aliases."""
    aliases = [name for name, names in ALIASES.items() if {entry.name, entry.tool} & set(names)]
    return [entry.name, entry.function, entry.tool, *aliases]


def _entry(name: str, *facts: Facts | str, **fields: Argument) -> Entry:
    """Describe a function by its differences from scikit-learn's average_precision_score.

    Later facts replace earlier ones. A string among them is the version.
    """
    for fact in reversed(facts):
        fields = ({"versions": fact} if isinstance(fact, str) else fact) | fields
    choices = SCIKIT_LEARN._replace(over="top k") if "k" in fields else SCIKIT_LEARN
    changes = {choice: fields.pop(choice) for choice in OPTIONS if choice in fields}
    fields.setdefault("date", DATES.get(name.partition(".")[0], ""))
    return Entry(name, choices=choices._replace(**changes), **fields)


def _outside_0_and_1(predictions: CheckedPredictions) -> Bool:
    return has_score_outside_0_1(predictions.rankings)


def _top_weight_is_0(predictions: CheckedPredictions) -> Bool:
    one_class = predictions.lacks_positives | predictions.lacks_negatives
    return predictions.weightless_top & ~one_class


def _one_row_without_positives(predictions: CheckedPredictions) -> Bool:
    return predictions.lacks_positives & (predictions.rankings.sizes == 1)


def _same_scores_in_both_classes(predictions: CheckedPredictions) -> Bool:
    rankings = predictions.rankings
    is_even = 2 * rankings.n_hits == rankings.sizes
    if not is_even.any():  # the usual case needs no sort
        return is_even
    _, score = np.unique(rankings.score, return_inverse=True)
    n_scores = score.max(initial=0) + 1
    # One key for each score of a query.
    keys, key_index = np.unique(rankings.ranking_of_items * n_scores + score, return_inverse=True)
    surplus = np.bincount(key_index, np.where(rankings.positive, 1, -1))  # positives over negatives
    unequal_queries = keys[surplus != 0] // n_scores
    return np.bincount(unequal_queries, minlength=rankings.n_rankings) == 0


ALL_TOOLS_CALL = "compat.compare(..., tools='all')"
OUR_MODULES = r"^(sklearn_ap\.)?(definitions\.)?"
# Names may be those of TensorFlow, and may end in arguments.
IN_TENSORFLOW = r"^(tf|tensorflow)\.(?=keras\.)"
ONLY_CASE = r"""\((curve=['"]pr['"]|task=['"]binary['"])\)$"""

# Other names of functions and of tools here.
SPELLINGS = _split_names(
    {
        "anomalib.AUPR": "anomalib",
        "arrayPRAUC": "clickhouse.arrayAUCPR",
        "keras.AUC": "keras.AUC_PR_interpolation, keras.AUC_PR_majoring, keras.AUC_PR_minoring",
        "h2o.pr_auc": "h2o.aucpr",
        "MAP@R": "pytorch_metric_learning",
        "MLlib, Spark": "pyspark",
        "ogbg-molpcba": "ogb",
        "PyG, PyTorch Geometric": "torch_geometric",
        "scikit-learn, scikit learn": "sklearn",
        "sklearn.auc": "sklearn.auc_of_precision_recall_curve",
        "Spark.areaUnderPR": "pyspark.areaUnderPR",
        "TensorFlow": "keras",
        "torchmetrics.AveragePrecision": "torchmetrics.BinaryAveragePrecision, "
        "torchmetrics.MultilabelAveragePrecision",
        "VOCdevkit2007.VOCevalcls": "VOCdevkit2007.VOCevaldet",
        "torchmetrics.MulticlassAveragePrecision": "torchmetrics.BinaryAveragePrecision",
    }
)
# Names of tasks that several tools have.
FAMILIES = _split_names(
    {
        # With one overlap, its average precision has the same rule.
        "COCO, COCO AP, COCO mAP, COCO AP50, COCO AP75": "faster_coco_eval, "
        "fiftyone.evaluate_detections, globox, lvis, pycocotools, supervision, "
        "torchmetrics.MeanAveragePrecision",
        "Open Images": "fiftyone.evaluate_detections_open_images, tensorflow_models",
        "Oxford 5k, Paris 6k": "oxford_buildings, revisitop",
        "PASCAL VOC": "VOCdevkit2007, chainercv, detectron2, mean_average_precision, mmdet, "
        "object_detection_metrics",
        # The rule of 2010 holds since then.
        **dict.fromkeys(
            ("PASCAL VOC 2010, VOC 2010, VOC10", "PASCAL VOC 2012, VOC 2012, VOC12"),
            "chainercv.calc_detection_voc_ap, detectron2.voc_ap, mean_average_precision.value, "
            "mmdet.average_precision, object_detection_metrics.AllPoints",
        ),
        "PASCAL VOC 2007, VOC 2007, VOC07": "VOCdevkit2007.VOCevaldet, "
        "chainercv.calc_detection_voc_ap_07, detectron2.voc_ap_07, "
        "mean_average_precision.value_11, mmdet.average_precision_11points, "
        "object_detection_metrics.ElevenPoints",
        "PyTorch": "torcheval, torchmetrics",
        "VOC": "VOCdevkit2007, chainercv, detectron2, mean_average_precision, mmdet, "
        "object_detection_metrics",
        "R": "MLeval, MLmetrics, PerfMeas, precrec, PRROC, ROCR, yardstick",
        "Kaggle, Kaggle MAP@k, MAP@k Kaggle": "ml_metrics.mapk, kaggle_hm.map@k",
        "H&M, H&M MAP@k, Kaggle H&M": "kaggle_hm",
        "AP50, AP75, AP@50, AP@75": "pycocotools.COCOeval",
        "mAP50, mAP@50": "pycocotools.COCOeval, ultralytics.compute_ap",
        "TREC MAP": "pytrec_eval.map",
        "MRR, mean reciprocal rank": "ir_measures.RR, pytrec_eval.recip_rank, ranx.mrr",
        "MRR@k": "ir_measures.RR@k, ranx.mrr@k",
        "TREC P@k": "pytrec_eval.P",
        "Hugging Face": "sentence_transformers, trectools",
        "TREC": "ir_measures, pytrec_eval, trec_eval",
        "tidymodels, tidymodels pr_auc": "yardstick.pr_auc",
        "YOLO, YOLO mAP, YOLO mAP50, YOLOv8, YOLO11, ultralytics mAP50": "ultralytics",
    }
)
STEP = "sklearn.average_precision_score"
STRAIGHT = "sklearn.auc_of_precision_recall_curve"
BY_PYTREC_EVAL = "by pytrec_eval 0.5.11, run 2026-11-27"
# Other tools: which functions here give their numbers, and how that is known.
CALLERS = {
    name: (functions.split(", "), how)
    for names, functions, how in (
        ("BEELINE", STRAIGHT, "b29aac5, read 2026-11-23"),
        ("BEELINE 1.0", "PRROC.auc.davis.goadrich", "1067bcf, read 2026-11-23"),
        ("BEIR", "pytrec_eval.map_cut, pytrec_eval.P", "2.2.0, read 2026-11-23"),
        ("MTEB", "pytrec_eval.map_cut, pytrec_eval.P", "2.26.24, read 2026-11-23"),
        ("caret, caret.prSummary", "MLmetrics", "05728c4, read 2026-11-23"),
        ("deep-image-retrieval", STEP, "1e7de62, read 2026-11-23"),
        ("DeepChem, deepchem.prc_auc_score", STRAIGHT, "2.8.0, read 2026-11-23"),
        ("evaluate.trec_eval", "trectools.get_map", "08eb01a, read 2026-11-23"),
        ("MLflow, mlflow.precision_recall_auc", STEP, "3.17.2, read 2026-11-23"),
        ("MLstatkit.average_precision", STEP, "0.1.91, run 2026-11-26"),
        ("trec_eval.map", "pytrec_eval.map", BY_PYTREC_EVAL),
        ("trec_eval.map_cut", "pytrec_eval.map_cut", BY_PYTREC_EVAL),
        ("trec_eval.P", "pytrec_eval.P", BY_PYTREC_EVAL),
        ("trec_eval.recip_rank", "pytrec_eval.recip_rank", BY_PYTREC_EVAL),
    )
    for name in names.split(", ")
}
ALIASES = SPELLINGS | FAMILIES | {name: functions for name, (functions, _) in CALLERS.items()}
# Which function is the original or the default, where a name stands for several.
USUAL = _split_names(
    {
        "pascalvoc2007, voc2007, voc07": "VOCdevkit2007.VOCevaldet",
        "pascalvoc2010, pascalvoc2012, voc2010, voc2012, voc10, voc12": "chainercv.calc_detection_"
        "voc_ap",
        "detectron2": "detectron2.voc_ap",
        "fiftyone": "fiftyone.evaluate_detections",
        "keras, keras.auc, kerasauc, tensorflow": "keras.AUC_PR_interpolation",
        "kitti": "kitti.AP_R40",
        "mmdet": "mmdet.average_precision",
        "oxford5k, paris6k": "oxford_buildings.compute_ap",
        "coco, cocoap, cocomap, cocoap50, cocoap75": "pycocotools.COCOeval",
        "pyspark, spark": "pyspark.areaUnderPR",
        "beir, mteb": "pytrec_eval.map_cut",
        "haystack": "haystack.DocumentMAPEvaluator",
        "huggingface": "sentence_transformers.map@k",
        "sklearn, scikitlearn, averageprecisionscore": "sklearn.average_precision_score",
        "sklearnap": "sklearn_ap.average_precision_score",
        "openimages": "tensorflow_models.compute_average_precision",
        "torchmetrics.averageprecision": "torchmetrics.BinaryAveragePrecision",
    }
)
# The functions that a comparison of all prints.
WELL_KNOWN = (
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

# When each tool was run, or its source read.
DATES = {
    tool: date
    for date, tools in {
        "2026-11-20": "chainercv, yardstick",
        "2026-11-21": "calibrated_metrics",
        "2026-11-22": "detectron2, fiftyone, kitti, market1501, mmdet, oxford_buildings, "
        "revisitop, tensorflow_models",
        "2026-11-23": "openood, quepid, ragas, torchrec, torchreid, trec_eval",
        "2026-11-26": "VOCdevkit2007, kaggle_hm, lenskit, MLstatkit",
        "2026-11-27": "ir_measures, pytrec_eval, ranx",
        "2026-11-25": "anomalib, catboost, cell_eval, chemprop, clickhouse, copairs, cornac, "
        "faster_coco_eval, globox, h2o, haystack, implicit, keras, "
        "lightgbm, llama_index, lvis, "
        "mean_average_precision, metrax, ml_metrics, MLeval, MLmetrics, nuscenes, "
        "object_detection_metrics, ogb, PerfMeas, polars_ds, precrec, PRROC, pycocotools, "
        "pyprg, pyspark, pytorch_metric_learning, recbole, recmetrics, "
        "recommenders, rectools, ROCR, sentence_transformers, sklearn, "
        "supervision, torch_geometric, torcheval, torchmetrics, trectools, "
        "ultralytics, weka, xgboost",
    }.items()
    for tool in tools.split(", ")
}

# What functions of several tools share: choices, answers, and how they are known.
Facts = Keywords
NAN = float("nan")
ONE_CLASS = ("no_positives", "all_positives")
# The absolute error of numbers that a tool computes in float32.
FLOAT32_TOLERANCE = 1e-6
IN_FLOAT32: Facts = {"tolerance": FLOAT32_TOLERANCE}
COPIED: Facts = {"source": "run as a copy"}
READ_ONLY: Facts = {"source": "read", "nan_scores": "not checked"}
REFUSES_NAN = {"nan_scores": "ValueError"}
UNDEFINED: Facts = dict.fromkeys(ONE_CLASS, NAN)
DIVIDES_BY_0 = {"no_positives": "ZeroDivisionError: float division by zero"}
ATTAINABLE = {"divisor": "min(k, positives)"}
PRECISION = {"between": "each hit", "divisor": "k"}
PRECISION_WITHIN_N = {"between": "each hit", "divisor": "min(k, n)"}
HYPERBOLA = {"between": "hyperbola"}
FROM_1 = {"between": "straight line", "start": "(0, 1)"}
AUC_FROM_1 = FROM_1 | {"no_positives": 0.5}
AT_RECALL = {"over": "best at a recall"}
AT_PRECISION = {"over": "best at a precision"}
FIRST_HIT = {"over": "first hit"}
FIRST_HIT_OF_TOP: Facts = {"over": "first hit of the top k", "k": "required"}
# Tools that know all positives, also those that are not in a ranking.
KNOW_ALL: Facts = {"not_retrieved": "left out; if positive, it counts"}
TREC = KNOW_ALL | {"scores": "float32", "ties": "reverse order"}
MEAN_AP = KNOW_ALL | {"ties": "unspecified", "between": "envelope"}
VOC = MEAN_AP | {"ties": "input order"}
COCO = VOC | {"over": "101 levels", "no_positives": -1.0}
# Tools that take ranked lists: there are no scores.
LISTS = KNOW_ALL | {"ties": "input order", "nan_scores": "not applicable"}
LISTS_AT_K = LISTS | {"k": "required"}
RANKED_IMAGES = LISTS | FROM_1 | COPIED

# The facts that the functions of one tool share.
SKLEARN = REFUSES_NAN | {"versions": "1.9.1"}
TORCHMETRICS = IN_FLOAT32 | {"versions": "1.9.0", "scores": "sigmoid"}
RETRIEVAL = TORCHMETRICS | {
    "scores": "relevant above 0",
    "ties": "unspecified",
    "k": "optional",
    "other_options": ("empty_target_action",),
}
OPENOOD = COPIED | REFUSES_NAN | {"versions": "3c35632 (main branch)"}
ANOMALIB = IN_FLOAT32 | {"scores": "sigmoid"}
TORCHEVAL = IN_FLOAT32 | {"versions": "0.0.7"}
KERAS = IN_FLOAT32 | {"versions": "3.15.1 (PyTorch backend)", "weights": True}
KERAS_AUC = KERAS | {"scores": "clipped bins"}
KERAS_AT = KERAS | {"scores": "clipped bins above 0"}
XGBOOST = IN_FLOAT32 | {"versions": "3.2.0", "scores": "float32"}
XGBOOST_AUCPR = XGBOOST | HYPERBOLA | UNDEFINED
XGBOOST_AT_K = XGBOOST | {"ties": "input order", "k": "required"}
XGBOOST_MAP = XGBOOST | {"ties": "input order", "over": "top 32", "divisor": "min(32, positives)"}
LIGHTGBM: Facts = {"versions": "4.7.0", "no_positives": 1.0}
CATBOOST: Facts = {"versions": "1.2.10"}
PYTREC_EVAL = TREC | {"versions": "0.5.11 (terrier)"}
IR_MEASURES = TREC | {"versions": "0.4.3"}
RANX = KNOW_ALL | {"versions": "0.3.21", "ties": "unspecified"}
RECTOOLS = LISTS_AT_K | {"versions": "0.19.0", "no_positives": NAN}
RECOMMENDERS = LISTS_AT_K | {
    "versions": "1.2.1",
    "no_positives": "ColumnTypeMismatchError: no row is relevant",
}
IMPLICIT = dict(
    LISTS_AT_K | ATTAINABLE | dict.fromkeys(ONE_CLASS, "ZeroDivisionError: float division"),
    versions="0.7.3",
)
ML_METRICS = LISTS_AT_K | ATTAINABLE | {"versions": "0.1.4", "no_positives": 1.0}
SPARK: Facts = {"versions": "4.3.0"}
SPARK_LISTS = LISTS | SPARK | {"no_positives": "PySparkValueError: [CANNOT_DETERMINE_TYPE]"}
R_ERROR: Facts = {"nan_scores": "R error"}
TWO_CLASSES_IN_R = R_ERROR | dict.fromkeys(
    ONE_CLASS, "R error: Number of classes is not equal to 2"
)
PRROC = R_ERROR | {"versions": "1.4", "no_positives": NAN}
YARDSTICK = READ_ONLY | {"versions": "development version", "weights": True}
OBJECT_DETECTION_METRICS = VOC | {"versions": "0.4.post1"}
MEAN_AVERAGE_PRECISION = MEAN_AP | IN_FLOAT32 | {"versions": "2024.1.5.0"}
CHAINERCV = VOC | COPIED | {"versions": "0.13.1"}
DETECTRON2 = MEAN_AP | COPIED | {"versions": "197db55 (main branch)"}
MMDET = MEAN_AP | COPIED | IN_FLOAT32 | {"versions": "3.3.0"}
FIFTYONE = COPIED | {"versions": "1.22.1"}
KITTI = KNOW_ALL | COPIED | {"versions": "9f385f8 (kitti-object-eval-python)"}

ENTRIES = (
    _entry("sklearn.average_precision_score", SKLEARN, weights=True),
    _entry("sklearn.auc_of_precision_recall_curve", SKLEARN, AUC_FROM_1, weights=True),
    _entry("MLstatkit.pr_auc", "0.1.91", REFUSES_NAN, AUC_FROM_1),
    _entry("sklearn.label_ranking_average_precision_score", SKLEARN, no_positives=1.0),
    _entry("polars_ds.query_binary_metrics", "0.13.0", nan_scores="not checked", no_positives=NAN),
    _entry("openood.aupr_in", OPENOOD, AUC_FROM_1),
    _entry("openood.aupr_out", OPENOOD, AUC_FROM_1),
    _entry("clickhouse.arrayAUCPR", "26.9.0 (chdb)", nan_scores="nan"),
    _entry("cell_eval.compute_pr_auc", "0.8.2", REFUSES_NAN, UNDEFINED, scores="float32"),
    _entry(
        "ogb.Evaluator",
        "1.3.6",
        REFUSES_NAN,
        dict.fromkeys(ONE_CLASS, "RuntimeError: No positively labeled data available"),
    ),
    _entry("torchmetrics.BinaryAveragePrecision", TORCHMETRICS),
    _entry(
        "torchmetrics.BinaryAveragePrecision_thresholds", TORCHMETRICS, scores="sigmoid, floored"
    ),
    _entry("torchmetrics.binary_precision_at_fixed_recall", TORCHMETRICS, AT_RECALL),
    _entry("torchmetrics.binary_recall_at_fixed_precision", TORCHMETRICS, AT_PRECISION),
    _entry("torchmetrics.MultilabelAveragePrecision", TORCHMETRICS),
    _entry(
        "torchmetrics.MeanAveragePrecision",
        TORCHMETRICS,
        COCO,
        scores="float32",
        over="101 levels, float32",
    ),
    _entry("torchmetrics.RetrievalMAP", RETRIEVAL, divisor="hits"),
    _entry("torchmetrics.RetrievalPrecision", RETRIEVAL, PRECISION),
    _entry("torchmetrics.RetrievalPrecision_adaptive_k", RETRIEVAL, PRECISION_WITHIN_N),
    _entry("chemprop.BinaryAUPRC", "2.3.1", AUC_FROM_1, IN_FLOAT32, scores="sigmoid"),
    _entry("torchrec.AUPRC", "1.9.2", COPIED, IN_FLOAT32, scores="float32", weights=True),
    _entry("anomalib.AUPR_since_2.7", "2.7.0", ANOMALIB),
    _entry("anomalib.AUPR_before_2.7", "2.6.2", ANOMALIB, AUC_FROM_1, between="sorted by recall"),
    _entry("torcheval.binary_auprc", TORCHEVAL, scores="dtype"),
    _entry("torcheval.binary_binned_auprc", TORCHEVAL, scores="floored"),
    _entry("torcheval.binary_recall_at_fixed_precision", TORCHEVAL, AT_PRECISION, scores="dtype"),
    _entry("keras.AUC_PR_interpolation", KERAS_AUC, HYPERBOLA),
    _entry("keras.AUC_PR_minoring", KERAS_AUC, between="lower"),
    _entry("keras.AUC_PR_majoring", KERAS_AUC, between="upper"),
    _entry("keras.AUC_PRGAIN", KERAS_AUC, over="recall gain, clipped"),
    _entry(
        "metrax.AUCPR",
        "0.2.4 (JAX)",
        IN_FLOAT32,
        HYPERBOLA,
        scores="thresholds exceeded",
        weights=True,
    ),
    _entry("keras.PrecisionAtRecall", KERAS_AT, AT_RECALL),
    _entry("keras.RecallAtPrecision", KERAS_AT, AT_PRECISION),
    _entry("xgboost.aucpr", XGBOOST_AUCPR, weights=True),
    _entry("xgboost.aucpr_ranking", XGBOOST_AUCPR),
    _entry("xgboost.map", XGBOOST_MAP, no_positives=1.0),
    _entry("xgboost.map_minus", XGBOOST_MAP),
    _entry("xgboost.map@k", XGBOOST_AT_K, ATTAINABLE, no_positives=1.0),
    _entry("xgboost.pre@k", XGBOOST_AT_K, PRECISION_WITHIN_N),
    _entry(
        "h2o.aucpr",
        "3.46.0.12",
        HYPERBOLA,
        weights=True,
        refuses=Refusal(_outside_0_and_1, "H2OResponseError: Predicted probabilities must be"),
    ),
    _entry(
        "lightgbm.average_precision",
        LIGHTGBM,
        scores="as given, float32 weights",
        weights=True,
        all_positives=1.0,
        refuses=Refusal(_top_weight_is_0, NAN),
    ),
    _entry("lightgbm.map", LIGHTGBM, ATTAINABLE, ties="input order", k="required"),
    _entry(
        "catboost.PRAUC",
        CATBOOST,
        FROM_1,
        scores="tied below 1e-8",
        weights=True,
        no_positives="CatBoostError: No element of a positive class",
    ),
    _entry("catboost.MAP", CATBOOST, ATTAINABLE, ties="worst", k="optional"),
    _entry("catboost.PrecisionAt", CATBOOST, PRECISION_WITHIN_N, ties="worst", k="optional"),
    _entry("catboost.AverageGain", CATBOOST, PRECISION_WITHIN_N, ties="worst", k="required"),
    _entry("pytrec_eval.map", PYTREC_EVAL),
    _entry("pytrec_eval.map_cut", PYTREC_EVAL, k="required"),
    _entry("pytrec_eval.P", PYTREC_EVAL, PRECISION, k="required"),
    _entry("pytrec_eval.recip_rank", PYTREC_EVAL, FIRST_HIT),
    _entry("pytrec_eval.iprec_at_recall", PYTREC_EVAL, between="envelope", over="one level"),
    _entry(
        "pytrec_eval.11pt_avg", PYTREC_EVAL, between="envelope", over="11 levels, int(x R + 0.9)"
    ),
    _entry(
        "trec_eval.11pt_avg",
        "f425365 (main branch, 10.0-rc3)",
        TREC,
        scores="as given",
        between="envelope",
        over="11 levels, lround(x R)",
    ),
    _entry("trectools.get_map", "0.0.50", KNOW_ALL, ties="reverse order", k="required"),
    _entry("ir_measures.AP", IR_MEASURES),
    _entry("ir_measures.AP@k", IR_MEASURES, k="required"),
    _entry("ir_measures.P@k", IR_MEASURES, PRECISION, k="required"),
    _entry("ir_measures.RR", IR_MEASURES, FIRST_HIT),
    # For this one it calls a script of MS MARCO, not trec_eval.
    _entry(
        "ir_measures.RR@k", IR_MEASURES, FIRST_HIT_OF_TOP, scores="as given", ties="input order"
    ),
    _entry("ranx.map", RANX),
    _entry("ranx.map@k", RANX, k="required"),
    _entry("ranx.precision@k", RANX, PRECISION, k="required"),
    _entry("ranx.mrr", RANX, FIRST_HIT),
    _entry("ranx.mrr@k", RANX, FIRST_HIT_OF_TOP),
    _entry("rectools.MAP", RECTOOLS),
    _entry("rectools.MAP_divide_by_k", RECTOOLS, divisor="k"),
    _entry("recommenders.map", RECOMMENDERS),
    _entry("recommenders.map_at_k", RECOMMENDERS, ATTAINABLE),
    _entry("recommenders.precision_at_k", RECOMMENDERS, PRECISION),
    _entry("implicit.mean_average_precision_at_k", IMPLICIT),
    _entry("implicit.precision_at_k", IMPLICIT, between="each hit"),
    _entry("ml_metrics.apk", ML_METRICS),
    _entry("ml_metrics.mapk", ML_METRICS),
    _entry(
        "kaggle_hm.map@k",
        "H&M Personalized Fashion Recommendations (2022)",
        LISTS_AT_K,
        ATTAINABLE,
        source="documented",
        no_positives=NAN,
    ),
    _entry("recmetrics.mark", "0.1.5", LISTS_AT_K),
    _entry("haystack.DocumentMAPEvaluator", "3.4.0", LISTS),
    _entry("haystack.DocumentMAPEvaluator_before_3.1", "3.0.0", LISTS, divisor="hits"),
    _entry("ragas.context_precision", "0.4.3", LISTS, divisor="hits"),
    _entry(
        "llama_index.AveragePrecision",
        "0.14.25",
        LISTS,
        no_positives="ValueError: Retrieved ids and expected ids must be provided",
    ),
    _entry(
        "lenskit.AveragePrecision",
        "2026.4.0 (as 2025.8.1)",
        LISTS,
        DIVIDES_BY_0,
        k="optional",
        divisor="min(k, n, positives)",
    ),
    _entry("torch_geometric.LinkPredMAP", "2.8.1", LISTS_AT_K, ATTAINABLE, IN_FLOAT32),
    _entry("pytorch_metric_learning.map_at_r", "2.9.0", LISTS, over="top R", no_positives=NAN),
    _entry("recbole.MAP", "1.2.1 (with np.float put back)", LISTS_AT_K, ATTAINABLE),
    _entry("copairs.average_precision", "0.5.5", LISTS, no_positives=NAN),
    _entry("quepid.ap", "f80322f (main branch)", COPIED, LISTS_AT_K),
    _entry("cornac.MAP", "3.0.1", no_positives=NAN, nan_scores="nan"),
    _entry(
        "sentence_transformers.map@k",
        "6.2.0",
        LISTS_AT_K,
        ATTAINABLE,
        no_positives="ZeroDivisionError: division by zero",
    ),
    _entry(
        "oxford_buildings.compute_ap", "compute_ap.cpp", RANKED_IMAGES, IN_FLOAT32, no_positives=NAN
    ),
    _entry("revisitop.compute_map", "be39832 (main branch)", RANKED_IMAGES, DIVIDES_BY_0),
    _entry("market1501.compute_AP", "compute_AP.m", RANKED_IMAGES, source="read", no_positives=NAN),
    _entry(
        "torchreid.eval_market1501",
        "f8cd150 (main branch)",
        KNOW_ALL,
        COPIED,
        ties="unspecified",
        no_positives="AssertionError: Error: all query identities do not appear in gallery",
    ),
    _entry("pyspark.areaUnderPR", SPARK, FROM_1, start="(0, first precision)", weights=True),
    _entry("pyspark.meanAveragePrecision", SPARK_LISTS),
    _entry("pyspark.meanAveragePrecisionAt", SPARK_LISTS, ATTAINABLE, k="required"),
    _entry("pyspark.precisionAt", SPARK_LISTS, PRECISION, k="required"),
    _entry("ROCR.aucpr", "1.0-11", FROM_1, TWO_CLASSES_IN_R, between="best points"),
    _entry("MLmetrics.PRAUC", "1.1.1", FROM_1, TWO_CLASSES_IN_R, start="lost"),
    _entry(
        "precrec.evalmod",
        "0.14.4",
        HYPERBOLA,
        dict.fromkeys(ONE_CLASS, "R error: Curves cannot be calculated"),
        tolerance=1e-5,
    ),
    _entry(
        "PerfMeas.AUPRC",
        "1.2.5",
        FROM_1,
        ties="input order",
        start="lost",
        no_positives="R error: trap.rule.integral: length of x and y vectors must match",
        refuses=Refusal(_one_row_without_positives, 0.0),
    ),
    _entry(
        "MLeval.evalm",
        "0.3",
        FROM_1,
        R_ERROR,
        dict.fromkeys(ONE_CLASS, "R error: 'names' attribute must be the same length"),
        start="lost",
        tolerance=0.0051,  # it rounds to two digits
    ),
    _entry("PRROC.auc.integral", PRROC, HYPERBOLA, weights=True),
    _entry(
        "PRROC.auc.davis.goadrich",
        PRROC,
        between="hyperbola, sampled",
        refuses=Refusal(_same_scores_in_both_classes, NAN),
    ),
    _entry("yardstick.pr_auc", YARDSTICK, FROM_1, no_positives=NAN),
    _entry("yardstick.average_precision", YARDSTICK, no_positives=None),
    _entry("weka.getPRCArea", "3.9.7 (as since 3.7.5)", weights=True, no_positives=NAN),
    _entry(
        "pyprg.calc_auprg", "0.1.1b7 (with np.alen put back)", over="recall gain", no_positives=NAN
    ),
    _entry(
        "calibrated_metrics.average_precision",
        "e52f47a (main branch)",
        COPIED,
        scores="as given, at a prevalence",
        no_positives=NAN,
        all_positives=0.0,
    ),
    _entry("pycocotools.COCOeval", "2.0.11", COCO),
    _entry("lvis.LVISEval", "0.5.3", COCO),
    _entry("supervision.MeanAveragePrecision", "0.31.2", COCO, IN_FLOAT32),
    _entry("faster_coco_eval.COCOeval_faster", "1.8.0", COCO, nan_scores="ValueError"),
    _entry(
        "globox.ap_50",
        "2.9.0",
        COCO,
        no_positives=NAN,
        nan_scores="AssertionError",
        refuses=Refusal(_outside_0_and_1, "AssertionError: Confidence should be in [0, 1]."),
    ),
    _entry(
        "VOCdevkit2007.VOCevaldet",
        "of 2007, MATLAB's 0:0.1:1",
        VOC,
        source="documented",
        over="11 levels, MATLAB",
        nan_scores="not checked",
    ),
    _entry("object_detection_metrics.AllPoints", OBJECT_DETECTION_METRICS, no_positives=NAN),
    _entry("object_detection_metrics.ElevenPoints", OBJECT_DETECTION_METRICS, over="11 levels"),
    _entry("mean_average_precision.value", MEAN_AVERAGE_PRECISION),
    _entry("mean_average_precision.value_11", MEAN_AVERAGE_PRECISION, over="11 levels, arange"),
    _entry("mean_average_precision.value_101", MEAN_AVERAGE_PRECISION, over="101 levels, arange"),
    _entry("chainercv.calc_detection_voc_ap", CHAINERCV, no_positives=NAN),
    _entry("chainercv.calc_detection_voc_ap_07", CHAINERCV, over="11 levels, arange"),
    _entry("ultralytics.compute_ap", "8.4.190", MEAN_AP, over="101 levels, interpolated"),
    _entry("detectron2.voc_ap", DETECTRON2, no_positives=NAN),
    _entry("detectron2.voc_ap_07", DETECTRON2, over="11 levels, arange"),
    _entry("mmdet.average_precision", MMDET),
    _entry("mmdet.average_precision_11points", MMDET, over="11 levels, arange"),
    _entry(
        "tensorflow_models.compute_average_precision",
        "5eba85b (master branch)",
        MEAN_AP,
        COPIED,
        no_positives=NAN,
    ),
    _entry("fiftyone.evaluate_detections", COCO, FIFTYONE, ties="best"),
    _entry("fiftyone.evaluate_detections_open_images", MEAN_AP, FIFTYONE, no_positives=-1.0),
    _entry(
        "nuscenes.calc_ap",
        "1.2.0 (nuscenes-devkit)",
        KNOW_ALL,
        ties="reverse order",
        over="101 points above 0.1",
        nan_scores="AssertionError",
    ),
    _entry("kitti.AP_R11", KITTI, over="11 of 41 positives"),
    _entry("kitti.AP_R40", KITTI, over="40 of 41 positives"),
)
BASELINE = ENTRIES[0]
ALL_ENTRIES = (*ENTRIES, *OUR_ENTRIES)
