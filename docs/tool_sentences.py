"""How each tool differs, in a sentence, and what gives the same number in both directions.

docs/compat_page.py prints these, and tests/compat/test_same_number.py runs them.
"""

from dataclasses import dataclass, field
from typing import Any

STEP = "average_precision_score(y_true, y_score)"
AT_PREVALENCE = "average_precision_score(y_true, y_score, prevalence=0.5)"
INTERPOLATED = "interpolated_average_precision_score(y_true, y_score)"
HYPERBOLIC = "average_precision_score(y_true, y_score, definition=Hyperbolic())"
COCO = "interpolated_average_precision_score(y_true, y_score, recall_levels=101)"
LINEAR = "average_precision_score(y_true, y_score, definition=Linear())"
ALL = "k = the number of rows"

# By tool: how it differs from scikit-learn.
SENTENCES = {
    "calibrated_metrics": "It computes what scikit-learn computes, at another share of positives.",
    "catboost": "`PRAUC` draws straight lines between operating points, and `MAP` ranks the "
    "negatives first among tied items.",
    "cell_eval": "It computes what scikit-learn computes, which it calls.",
    "chainercv": "It averages the largest precision at this recall or a higher one, and ranks tied "
    "items one by one.",
    "chemprop": "It draws straight lines between operating points, in float32.",
    "clickhouse": "It computes what scikit-learn computes.",
    "cornac": "It computes what scikit-learn computes.",
    "detectron2": "It averages the largest precision at this recall or a higher one, everywhere or "
    "at eleven levels.",
    "faster_coco_eval": "It averages the largest precision at 101 levels of recall, and ranks tied "
    "items one by one.",
    "fiftyone": "It averages the largest precision at 101 levels of recall, with the positives "
    "first among tied items, or everywhere for Open Images.",
    "globox": "It averages the largest precision at 101 levels of recall, and raises an error for "
    "scores outside [0, 1].",
    "h2o": "It assumes that true and false positives grow in proportion between operating points.",
    "implicit": "Its sum over the top k is divided by min(k, positives).",
    "ir_measures": "It ranks tied items by name, as trec_eval does, which it calls.",
    "keras": "It puts scores into 200 bins, and has three rules for the curve between them.",
    "kitti": "It takes precision at up to 41 positives, and averages the largest from each on: of "
    "11 of them until 2019, and of 40 since then.",
    "lightgbm": "`average_precision` is what scikit-learn computes, and `map` looks at the top k.",
    "lvis": "It averages the largest precision at 101 levels of recall, and ranks tied items one "
    "by one.",
    "market1501": "Its Matlab code draws straight lines between ranks, from precision 1 on.",
    "mean_average_precision": "It averages the largest precision at this recall or a higher one, "
    "everywhere or at levels that you give.",
    "metrax": "It counts scores at 200 thresholds, as Keras does, but never retrieves those below "
    "0.",
    "ml_metrics": "It takes lists rather than scores, and divides by min(k, positives).",
    "MLmetrics": "It draws straight lines between operating points, and loses the area left of "
    "the first.",
    "mmdet": "It averages the largest precision at this recall or a higher one, everywhere or at "
    "eleven levels, in float32.",
    "nuscenes": "It reads straight lines between ranks at 101 levels of recall, and counts only "
    "recall and precision above 0.1.",
    "ogb": "It computes what scikit-learn computes, and leaves out columns without both classes.",
    "oxford_buildings": "It draws straight lines between ranks, from precision 1 on.",
    "object_detection_metrics": "It averages the largest precision at this recall or a higher "
    "one, everywhere or at eleven levels.",
    "PRROC": "It assumes that true and false positives grow in proportion between operating "
    "points, exactly or in steps of one positive.",
    "pycocotools": "It averages the largest precision at 101 levels of recall, and ranks tied "
    "items one by one.",
    "pyprg": "It averages precision gain over recall gain, along straight lines.",
    "pyspark": "`areaUnderPR` draws straight lines between operating points, and the others take "
    "lists rather than scores.",
    "pytrec_eval": "It rounds scores to float32, and ranks tied items by descending name.",
    "ranx": "It ranks tied items in an unspecified order.",
    "recmetrics": "It takes lists rather than scores, and divides the sum over the top k by all "
    "positives.",
    "recommenders": "It takes the top k, and divides by all positives (`map`) or by min(k, "
    "positives) (`map_at_k`).",
    "rectools": "It takes the top k, and divides by all positives or by k.",
    "revisitop": "It draws straight lines between ranks, from precision 1 on.",
    "ROCR": "It joins the best point of each recall to the next by straight lines.",
    "sentence_transformers": "It takes the top k, and divides by min(k, positives).",
    "sklearn": "`average_precision_score` is what all others are compared with; "
    "`auc(recall, precision)` draws straight lines.",
    "supervision": "It averages the largest precision at 101 levels of recall, and ranks tied "
    "items one by one.",
    "tensorflow_models": "It averages the largest precision at this recall or a higher one, as "
    "Open Images does.",
    "torcheval": "It computes what scikit-learn computes, in float32, or with scores rounded down "
    "to a grid.",
    "torchmetrics": "It computes what scikit-learn computes, in float32, but sends all scores "
    "through a sigmoid if one lies outside [0, 1].",
    "torchrec": "It computes what scikit-learn computes, in float32.",
    "torchreid": "It computes what scikit-learn computes, but ranks tied items one by one.",
    "trec_eval": "It ranks tied items by name, and reads eleven levels at rounded positions.",
    "trectools": "It takes the top k, divides by all positives, and ranks tied items by descending "
    "name.",
    "ultralytics": "It reads straight lines along the largest precision at 101 levels, and counts "
    "0 at recall 1.",
    "weka": "It computes what scikit-learn computes.",
    "xgboost": "`aucpr` assumes that true and false positives grow in proportion between operating "
    "points, and `map` ranks tied items in the order of the input.",
    "yardstick": "`average_precision` is what scikit-learn computes, and `pr_auc` draws straight "
    "lines.",
}


@dataclass(frozen=True)
class Theirs:
    """What to write in a tool so that it gives a number of ours, and as what it can be checked.

    An option that is ``len`` is the number of rows.
    """

    write: str
    function: str
    ours: str = STEP
    options: dict[str, Any] = field(default_factory=dict)
    ties: bool = False  # whether it holds with tied scores, too


FLOAT64 = {"options": {"dtype": "float64"}, "ties": True}
AT_ALL = {"options": {"k": len}}

# By tool: the call that gives one of our numbers. A tool that is not here has none.
THEIRS = {
    "calibrated_metrics": Theirs(
        "`average_precision(..., pi0=0.5)`",
        "calibrated_metrics.average_precision",
        AT_PREVALENCE,
        ties=True,
    ),
    "catboost": Theirs("`MAP`, without `top`", "catboost.MAP"),
    "cell_eval": Theirs("`pr_auc`", "cell_eval.compute_pr_auc", ties=True),
    "chainercv": Theirs("`use_07_metric=False`", "chainercv.calc_detection_voc_ap", INTERPOLATED),
    "chemprop": Theirs("`prc` of probabilities", "chemprop.BinaryAUPRC", LINEAR, **FLOAT64),
    "clickhouse": Theirs("`arrayAUCPR(scores, labels)`", "clickhouse.arrayAUCPR", ties=True),
    "cornac": Theirs("`MAP()`", "cornac.MAP", ties=True),
    "detectron2": Theirs("`voc_ap(..., use_07_metric=False)`", "detectron2.voc_ap", INTERPOLATED),
    "faster_coco_eval": Theirs(
        "`COCOeval_faster` with one image per item", "faster_coco_eval.COCOeval_faster", COCO
    ),
    "fiftyone": Theirs(
        '`evaluate_detections(..., method="open-images")`',
        "fiftyone.evaluate_detections_open_images",
        INTERPOLATED,
    ),
    "globox": Theirs("`ap_50` with one image per item", "globox.ap_50", COCO),
    "h2o": Theirs("`aucpr()`, with up to 400 distinct scores", "h2o.aucpr", HYPERBOLIC, ties=True),
    "implicit": Theirs(
        f"`mean_average_precision_at_k` with {ALL}",
        "implicit.mean_average_precision_at_k",
        **AT_ALL,
    ),
    "ir_measures": Theirs("`AP`", "ir_measures.AP"),
    "keras": Theirs(
        '`AUC(curve="PR", num_thresholds=n)` with n so large that each distinct score has a bin',
        "keras.AUC_PR_interpolation",
        HYPERBOLIC,
        {"num_thresholds": 10_001},
        ties=True,
    ),
    "lightgbm": Theirs('`metric="average_precision"`', "lightgbm.average_precision", ties=True),
    "lvis": Theirs("`LVISEval` with one image per item", "lvis.LVISEval", COCO),
    "market1501": Theirs("`compute_AP`", "market1501.compute_AP", LINEAR),
    "mean_average_precision": Theirs(
        "`recall_thresholds=None`", "mean_average_precision.value", INTERPOLATED
    ),
    "metrax": Theirs(
        "`AUCPR` with so many `num_thresholds` that each distinct score has its own",
        "metrax.AUCPR",
        HYPERBOLIC,
        {"num_thresholds": 10_001},
        ties=True,
    ),
    "ml_metrics": Theirs(f"`apk` with {ALL}", "ml_metrics.apk", **AT_ALL),
    "mmdet": Theirs(
        "`eval_map` of any dataset but VOC 2007", "mmdet.average_precision", INTERPOLATED
    ),
    "object_detection_metrics": Theirs(
        "`method=MethodAveragePrecision.AllPointsInterpolation`",
        "object_detection_metrics.AllPoints",
        INTERPOLATED,
    ),
    "ogb": Theirs("`Evaluator`", "ogb.Evaluator", ties=True),
    "oxford_buildings": Theirs("`compute_ap`", "oxford_buildings.compute_ap", LINEAR),
    "PRROC": Theirs("`pr.curve(...)$auc.integral`", "PRROC.auc.integral", HYPERBOLIC, ties=True),
    "pycocotools": Theirs("`COCOeval` with one image per item", "pycocotools.COCOeval", COCO),
    "pyspark": Theirs("`RankingMetrics.meanAveragePrecision`", "pyspark.meanAveragePrecision"),
    "pytrec_eval": Theirs("`map`", "pytrec_eval.map"),
    "ranx": Theirs("`map`, without `@k`", "ranx.map"),
    "recmetrics": Theirs(f"`mark` with {ALL}", "recmetrics.mark", **AT_ALL),
    "recommenders": Theirs(f"`map` with {ALL}", "recommenders.map", **AT_ALL),
    "rectools": Theirs(f"`MAP(k)` with {ALL}", "rectools.MAP", **AT_ALL),
    "revisitop": Theirs("`compute_map`", "revisitop.compute_map", LINEAR),
    "sentence_transformers": Theirs(
        f"`map_at_k=[k]` with {ALL}", "sentence_transformers.map@k", **AT_ALL
    ),
    "sklearn": Theirs("`average_precision_score`", "sklearn.average_precision_score", ties=True),
    "supervision": Theirs(
        "`map50` with one image per item", "supervision.MeanAveragePrecision", COCO
    ),
    "tensorflow_models": Theirs(
        "`compute_average_precision`", "tensorflow_models.compute_average_precision", INTERPOLATED
    ),
    "torcheval": Theirs("`binary_auprc` on float64 tensors", "torcheval.binary_auprc", **FLOAT64),
    "torchmetrics": Theirs(
        "`BinaryAveragePrecision()` on probabilities, as float64 tensors",
        "torchmetrics.BinaryAveragePrecision",
        **FLOAT64,
    ),
    "torchrec": Theirs("`AUPRC`", "torchrec.AUPRC", ties=True),
    "torchreid": Theirs("`eval_market1501`", "torchreid.eval_market1501"),
    "trec_eval": Theirs("`map`", "pytrec_eval.map"),
    "trectools": Theirs(
        "`get_map(depth)` with depth = the number of rows", "trectools.get_map", **AT_ALL
    ),
    "weka": Theirs("`getPRCArea`", "weka.getPRCArea", ties=True),
    "xgboost": Theirs(
        f'`eval_metric="map@k"` with {ALL}, all in one group', "xgboost.map@k", **AT_ALL
    ),
    "yardstick": Theirs("`average_precision()`", "yardstick.average_precision", ties=True),
}

AT_K = "average_precision_at_k_score(y_true, y_score, k={k}{normalizer})"
NORMALIZERS = {
    "min(k, positives)": "",
    "min(32, positives)": "",
    "positives": ', normalizer="positives"',
    "hits": ', normalizer="hits"',
    "k": ', normalizer="k"',
}
ELEVEN = "eleven_point_average_precision_score(y_true, y_score)"
LEVELS = {
    "every recall": INTERPOLATED,
    "11 levels": ELEVEN,
    "11 levels, arange": ELEVEN,
    "11 levels, int(x R + 0.9)": ELEVEN,
    "101 levels": COCO,
    "101 levels, arange": COCO,
    "101 levels, float32": COCO,
}
BEST = {
    "best at a recall": "precision_at_recall_score(y_true, y_score, recall=0.8)",
    "best at a precision": "recall_at_precision_score(y_true, y_score, precision=0.9)",
}
LINES = {
    "step": STEP,
    "straight line": LINEAR,
    "hyperbola": HYPERBOLIC,
    "hyperbola, sampled": LINEAR,
}
# What is done to scores, and which scores it changes nothing in.
HARMLESS = {
    "as given": "",
    "float32": "scores that float32 tells apart",
    "as given, float32 weights": "",
    "as given, at a prevalence": "",
    "tied below 1e-8": "scores that differ by 1e-8",
    "dtype": "scores that float32 tells apart",
    "sigmoid": "probabilities that float32 tells apart",
    "relevant above 0": "scores above 0 that float32 tells apart",
}
UNTIED = "no tied scores"


def ours(entry):
    """Our call for the number of a tool's function, and what it takes; a call of compat else."""
    choices = entry.choices
    call = None
    if choices.scores in HARMLESS and choices.start != "lost":
        call = _call(choices)
    if call is None:
        k = "" if entry.k == "no" else ", k=k"
        return f'compat.score("{entry.name}", y_true, y_score{k})', []
    rounded = "levels" in choices.over and "recalls that fall on no level"
    ordered = choices.ties != "grouped" or choices.start == "(0, first precision)"
    untied = (ordered or choices.between == "hyperbola, sampled") and UNTIED
    return call, [each for each in (untied, HARMLESS[choices.scores], rounded) if each]


def _call(choices):
    if choices.scores == "as given, at a prevalence":
        return AT_PREVALENCE
    if choices.over in BEST:
        return BEST[choices.over]
    if choices.between == "each hit":
        k_of_all = choices.divisor in ("k", "min(k, n)")
        return "precision_at_k_score(y_true, y_score, k=k)" if k_of_all else None
    if choices.over in ("top k", "top 32"):
        k = choices.over.removeprefix("top ")
        return AT_K.format(k=k, normalizer=NORMALIZERS[choices.divisor])
    if choices.between == "envelope":
        return LEVELS.get(choices.over)
    return LINES.get(choices.between) if choices.over == "every recall" else None
