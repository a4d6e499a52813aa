"""What was verified against what: a recorded answer's keys, as arguments of compat.score."""

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
    ("torchmetrics", "BinaryAveragePrecision"): "torchmetrics.BinaryAveragePrecision",
    ("torchmetrics", "RetrievalMAP"): "torchmetrics.RetrievalMAP",
    ("torchmetrics", "RetrievalPrecision"): "torchmetrics.RetrievalPrecision",
    ("torcheval", "binary_auprc"): "torcheval.binary_auprc",
    ("torcheval", "binary_binned_auprc"): "torcheval.binary_binned_auprc",
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
    ("ir_measures", "AP"): "ir_measures.AP",
    ("ir_measures", "AP@k"): "ir_measures.AP@k",
    ("ir_measures", "P@k"): "ir_measures.P@k",
    ("ranx", "map"): "ranx.map",
    ("ranx", "map@k"): "ranx.map@k",
    ("ranx", "precision@k"): "ranx.precision@k",
    ("recommenders", "map"): "recommenders.map",
    ("recommenders", "map_at_k"): "recommenders.map_at_k",
    ("recommenders", "precision_at_k"): "recommenders.precision_at_k",
    (
        "implicit",
        "evaluation.mean_average_precision_at_k",
    ): "implicit.mean_average_precision_at_k",
    ("implicit", "evaluation.precision_at_k"): "implicit.precision_at_k",
    ("ml_metrics", "apk"): "ml_metrics.apk",
    ("ml_metrics", "mapk"): "ml_metrics.mapk",
    ("recmetrics", "mark"): "recmetrics.mark",
    ("cornac", "metrics.MAP().compute"): "cornac.MAP",
    ("pycocotools", "COCOeval precision mean over recThrs"): "pycocotools.COCOeval",
    ("faster-coco-eval", "COCOeval_faster"): "faster_coco_eval.COCOeval_faster",
    ("globox", "COCOEvaluator.ap_50"): "globox.ap_50",
    ("ultralytics", "compute_ap"): "ultralytics.compute_ap",
    ("pyspark", "mllib BinaryClassificationMetrics.areaUnderPR"): "pyspark.areaUnderPR",
    ("pyspark", "mllib RankingMetrics.meanAveragePrecision"): "pyspark.meanAveragePrecision",
    ("pyspark", "mllib RankingMetrics.meanAveragePrecisionAt"): "pyspark.meanAveragePrecisionAt",
    ("pyspark", "mllib RankingMetrics.precisionAt"): "pyspark.precisionAt",
    ("ROCR", "performance(pred, 'aucpr')"): "ROCR.aucpr",
    ("MLmetrics", "PRAUC"): "MLmetrics.PRAUC",
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
}


def entry_for(tool, function, params):
    """(name, options) for ``compat.score``; None for a quantity that is no average precision."""
    function = function.split(" (function ")[0].split(" (class ")[0].split(" (one image ")[0]
    name = FUNCTIONS.get((tool.split(" ")[0], function))
    options = {OPTIONS[key]: value for key, value in params.items() if key in OPTIONS}
    k = next((params[key] for key in K_NAMES if params.get(key) is not None), None)
    if k is not None:
        options["k"] = k
    if tool.startswith("keras"):
        name = f"keras.AUC_PR_{params['summation_method']}"
    elif tool == "rectools":
        name = "rectools.MAP_divide_by_k" if params["divide_by_k"] else "rectools.MAP"
    elif tool == "object-detection-metrics":
        method = params["method"].removesuffix("Interpolation")
        name = f"object_detection_metrics.{method}"
    elif tool == "mean-average-precision":
        name = RECALL_THRESHOLDS[params["recall_thresholds"]]
    elif tool == "chainercv":
        name = "chainercv.calc_detection_voc_ap" + ("_07" if params["use_07_metric"] else "")
    elif tool == "torchmetrics" and params.get("adaptive_k"):
        name = "torchmetrics.RetrievalPrecision_adaptive_k"
    elif tool == "torchmetrics" and options.get("thresholds", 0) is None:
        del options["thresholds"]
    elif tool == "torchmetrics" and "thresholds" in options:
        name = "torchmetrics.BinaryAveragePrecision_thresholds"
    return None if name is None else (name, options)
