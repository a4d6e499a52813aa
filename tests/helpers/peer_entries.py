"""What was verified against what: a recorded answer's keys, as arguments of compat.score."""

# Where tool and function were not recorded under the name of the entry.
FUNCTIONS = {
    ("scikit-learn", "average_precision_score"): "sklearn.average_precision_score",
    (
        "scikit-learn",
        "auc(recall, precision) of precision_recall_curve",
    ): "sklearn.auc_of_precision_recall_curve",
    (
        "scikit-learn",
        "label_ranking_average_precision_score",
    ): "sklearn.label_ranking_average_precision_score",
    ("xgboost", "eval_metric='aucpr'"): "xgboost.aucpr",
    ("xgboost", "eval_metric='aucpr' (ranking group)"): "xgboost.aucpr_ranking",
    ("xgboost", "eval_metric='map'"): "xgboost.map",
    ("xgboost", "eval_metric='map-'"): "xgboost.map_minus",
    ("xgboost", "eval_metric='map@k'"): "xgboost.map@k",
    ("xgboost", "eval_metric='pre@k'"): "xgboost.pre@k",
    ("lightgbm", "metric='average_precision'"): "lightgbm.average_precision",
    ("lightgbm", "metric='map'"): "lightgbm.map",
    ("catboost", "utils.eval_metric 'PRAUC'"): "catboost.PRAUC",
    ("catboost", "utils.eval_metric 'MAP'"): "catboost.MAP",
    ("catboost", "utils.eval_metric 'MAP:top=k'"): "catboost.MAP",
    ("catboost", "utils.eval_metric 'PrecisionAt:top=k'"): "catboost.PrecisionAt",
    ("catboost", "utils.eval_metric 'AverageGain:top=k'"): "catboost.AverageGain",
    ("pytrec_eval-terrier", "map"): "pytrec_eval.map",
    ("pytrec_eval-terrier", "map_cut"): "pytrec_eval.map_cut",
    ("pytrec_eval-terrier", "P"): "pytrec_eval.P",
    ("pytrec_eval-terrier", "iprec_at_recall"): "pytrec_eval.iprec_at_recall",
    ("pytrec_eval-terrier", "11pt_avg"): "pytrec_eval.11pt_avg",
    (
        "implicit",
        "evaluation.mean_average_precision_at_k",
    ): "implicit.mean_average_precision_at_k",
    ("implicit", "evaluation.precision_at_k"): "implicit.precision_at_k",
    ("cornac", "metrics.MAP().compute"): "cornac.MAP",
    ("pycocotools", "COCOeval precision mean over recThrs"): "pycocotools.COCOeval",
    ("faster-coco-eval", "COCOeval_faster"): "faster_coco_eval.COCOeval_faster",
    ("globox", "COCOEvaluator.ap_50"): "globox.ap_50",
    ("pyspark", "mllib BinaryClassificationMetrics.areaUnderPR"): "pyspark.areaUnderPR",
    ("pyspark", "mllib RankingMetrics.meanAveragePrecision"): "pyspark.meanAveragePrecision",
    ("pyspark", "mllib RankingMetrics.meanAveragePrecisionAt"): "pyspark.meanAveragePrecisionAt",
    ("pyspark", "mllib RankingMetrics.precisionAt"): "pyspark.precisionAt",
    ("ROCR", "performance(pred, 'aucpr')"): "ROCR.aucpr",
    ("PRROC", "pr.curve auc.integral"): "PRROC.auc.integral",
    ("PRROC", "pr.curve auc.davis.goadrich"): "PRROC.auc.davis.goadrich",
}
RECALL_THRESHOLDS = {
    None: "mean_average_precision.value",
    "np.arange(0., 1.1, 0.1)": "mean_average_precision.value_11",
    "np.arange(0., 1.01, 0.01)": "mean_average_precision.value_101",
}
K_NAMES = ("k", "K", "top_k", "top", "eval_at")
OPTIONS = {
    "dtype": "dtype",
    "thresholds": "thresholds",
    "threshold": "threshold",
    "num_thresholds": "num_thresholds",
    "from_logits": "from_logits",
    "empty_target_action": "empty_target_action",
    "recall": "level",
    "pi0": "pi0",
}


def entry_for(tool, function, params):
    """(name, options) for ``compat.score``."""
    function = function.split(" (function ")[0].split(" (class ")[0].split(" (one image ")[0]
    name = FUNCTIONS.get((tool, function), f"{tool}.{function}")
    options = {OPTIONS[key]: value for key, value in params.items() if key in OPTIONS}
    k = next((params[key] for key in K_NAMES if params.get(key) is not None), None)
    if k is not None:
        options["k"] = k
    if tool.startswith("keras") and "summation_method" in params:
        name = f"keras.AUC_PR_{params['summation_method']}"
    elif tool == "rectools":
        name = "rectools.MAP_divide_by_k" if params["divide_by_k"] else "rectools.MAP"
    elif tool == "object-detection-metrics":
        method = params["method"].removesuffix("Interpolation")
        name = f"object_detection_metrics.{method}"
    elif tool == "mean-average-precision":
        name = RECALL_THRESHOLDS[params["recall_thresholds"]]
    elif tool in ("chainercv", "detectron2"):
        name += "_07" if params["use_07_metric"] else ""
    elif params.get("mode") == "11points":
        name += "_11points"
    elif tool == "torchmetrics" and params.get("adaptive_k"):
        name = "torchmetrics.RetrievalPrecision_adaptive_k"
    elif tool == "torchmetrics" and options.get("thresholds", 0) is None:
        del options["thresholds"]
    elif tool == "torchmetrics" and "thresholds" in options:
        name = "torchmetrics.BinaryAveragePrecision_thresholds"
    return name, options


def asked(case, record):
    """(name, options) for ``compat.score``, with the weights of the case where they were used."""
    name, options = entry_for(record["tool"], record["function"], record["params"])
    if record["params"].get("sample_weight"):
        options["sample_weight"] = case["sample_weight"]
    return name, options
