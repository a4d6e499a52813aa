"""What the table of tools cannot say, and what to write here for a function's number.

docs/compat_page.py prints these, and tests/compat/test_same_number.py runs them.
"""

STEP = "average_precision_score(y_true, y_score)"
AT_PREVALENCE = "average_precision_score(y_true, y_score, prevalence=0.5)"
INTERPOLATED = "interpolated_average_precision_score(y_true, y_score)"
HYPERBOLIC = "average_precision_score(y_true, y_score, definition=Hyperbolic())"
COCO = "interpolated_average_precision_score(y_true, y_score, recall_levels=101)"
RECIPROCAL = "average_precision_score(y_true, y_score, definition=ReciprocalRank({k}))"
AT_RECALL = "average_precision_score(y_true, y_score, definition=PrecisionAtRecall(0.8))"
AT_PRECISION = "average_precision_score(y_true, y_score, definition=RecallAtPrecision(0.9))"
LINEAR = "average_precision_score(y_true, y_score, definition=Linear())"

MATLAB_LEVELS = (
    "MATLAB builds the second half of 0:0.1:1 from its right end ([MathWorks' answer]"
    "(https://www.mathworks.com/matlabcentral/answers/143255-how-does-the-colon-operator-work) on "
    "how the colon operator works), so 0.3 alone lies above 3/10. GNU Octave 7.3, which is not "
    "MATLAB, was run: it counts from the left, and misses 6/10 and 7/10, too, as ports to Python "
    "do."
)
TREC_LEVELS = "int(0.7 * 3 + 0.9) is 2: two of three positives reach recall 0.7."
ONE_IMAGE_EACH = "With one image per item."
VOC_07 = "`use_07_metric=True`"
ENOUGH_BINS = (
    f"With so many `num_thresholds` that each distinct score has its own, it gives `{HYPERBOLIC}`."
)
# By function, or by tool for what holds for all of its functions: what the table does not say.
NOTES = {
    "sklearn.average_precision_score": "What all others are compared with. Rows of weight 0 are "
    "dropped first.",
    "sklearn.auc_of_precision_recall_curve": "`auc(recall, precision)`, which was "
    "average_precision_score before 0.19.",
    "sklearn.label_ranking_average_precision_score": "For one row. Its weights are per row.",
    "calibrated_metrics": "The code of Siblini et al. (2020). With weights, its prevalence is "
    "still that of the rows: not reproduced.",
    "cell_eval": "Its metric pr_auc. Its scores are -log10 of p-values, which are rounded to "
    "float32 first, and tied up to 1e-10: neither is reproduced.",
    "chainercv.calc_detection_voc_ap_07": VOC_07,
    "chemprop": "Its metric `prc`. All tasks are one ranking.",
    "clickhouse": "Write `arrayAUCPR(scores, labels)`.",
    "detectron2": "PascalVOCDetectionEvaluator rounds scores to three decimals first.",
    "detectron2.voc_ap_07": VOC_07,
    "faster_coco_eval": ONE_IMAGE_EACH,
    "fiftyone.evaluate_detections": "Its AP at one overlap.",
    "fiftyone.evaluate_detections_open_images": '`method="open-images"`',
    "globox": f"{ONE_IMAGE_EACH} It refuses scores outside [0, 1].",
    "h2o": "More than 400 distinct scores are merged into 400 bins: not reproduced.",
    "haystack.DocumentMAPEvaluator": "Since 3.1, of August 2026.",
    "implicit": "With k above the number of items, recommendations are padded with item 0, which "
    "counts: not reproduced.",
    "implicit.precision_at_k": "Divided by min(k, positives), so it is no precision.",
    "ir_measures": "It calls trec_eval, which ranks tied items by descending name, and for `RR@k` "
    "a script of MS MARCO, which ranks them by ascending name.",
    "kaggle_hm": "MAP@12 of the competition of H&M on Kaggle, which leaves out users without "
    "purchases. Its rule was taken from descriptions of the competition; k is 12 there.",
    "keras": '`AUC(curve="PR")` puts scores into 200 bins, and has three rules for the curve '
    "between them.",
    "keras.AUC_PR_interpolation": ENOUGH_BINS,
    "keras.AUC_PR_minoring": "The first group is lost: a single perfect positive gives 0.",
    "keras.PrecisionAtRecall": "Its name for min_recall is recall.",
    "keras.RecallAtPrecision": "Its name for min_precision is precision.",
    "kitti": "AP_R11 was used until 2019, and AP_R40 since then. With few objects, even a perfect "
    "ranking gives less than 1: n of them, up to 40, give (n - 1)/40 over 40 levels.",
    "lightgbm.average_precision": "nan if the group of the highest score has total weight 0.",
    "lightgbm.map": "Its sort promises no order of ties beyond 16 items; a stable one was seen.",
    "lvis": ONE_IMAGE_EACH,
    "market1501": "The Matlab code that comes with the data set.",
    "mean_average_precision.value": "`recall_thresholds=None`",
    "mean_average_precision.value_11": "`recall_thresholds=np.arange(0, 1.1, 0.1)`",
    "mean_average_precision.value_101": "`recall_thresholds=np.arange(0, 1.01, 0.01)`",
    "metrax": f"{ENOUGH_BINS} The area of scores above 1 is lost: not reproduced.",
    "ml_metrics": "Kaggle's competition of H&M leaves out users without purchases, who score 1 "
    "here: see kaggle_hm.",
    "MLeval": "Its AUC-PR, rounded to two digits there.",
    "MLmetrics": "A perfect ranking gives 0.750 with four positives, and 0.000 with one.",
    "MLstatkit": '`metric_str="pr_auc"`. With `"average_precision"`, it computes what scikit-learn '
    "computes. The p-value of its Permutation_test is 0 if no permutation differs by as much.",
    "mmdet": "`eval_map` computes in float32, and leaves classes without objects out of its mean.",
    "mmdet.average_precision_11points": "For VOC 2007.",
    "nuscenes": "With scores below 0 and an object that was missed, it raises an AssertionError: "
    "not reproduced.",
    "object_detection_metrics.AllPoints": "`method=MethodAveragePrecision.AllPointsInterpolation`",
    "ogb": "Its ap, as for ogbg-molpcba: columns without both classes are left out of the mean. "
    "Unknown labels are nan.",
    "openood.aupr_in": "Rows in the distribution are positive; the score is the confidence.",
    "openood.aupr_out": "Rows out of the distribution are positive: pass `1 - y_true` and "
    "`-confidence`. The score was 1 - confidence until 2023.",
    "PerfMeas": "A perfect ranking of n positives gives 1 - 1/n.",
    "precrec": "It samples the hyperbola at 1,000 recalls, which changes up to 3e-6: not "
    "reproduced.",
    "PRROC": "Both are results of `pr.curve`.",
    "PRROC.auc.davis.goadrich": "nan if positives and negatives have the same scores, which it "
    "takes for weighted ones.",
    "pycocotools": ONE_IMAGE_EACH,
    "pyprg": "The area under the precision-recall-gain curve (Flach and Kull 2015).",
    "pyspark.areaUnderPR": "Older versions start at (0, 1). Spark's default puts many distinct "
    "scores into 1,000 bins, which is not reproduced: pass numBins=0.",
    "pytorch_metric_learning": "MAP@R; queries without positives are left out of a mean.",
    "pytrec_eval.iprec_at_recall": TREC_LEVELS,
    "pytrec_eval.11pt_avg": TREC_LEVELS,
    "quepid": "k is 5 or 10; only judged documents count as relevant. Without positives its scorer "
    "gives nan, which Quepid counts as 0. Its server rounds to two digits.",
    "ragas": "It divides by the hits in the list, so a passage that was not found costs nothing.",
    "ranx.map": "Its sort is stable up to 16 items, and promises no order of ties beyond.",
    "recbole": "Rounded to four digits there.",
    "recmetrics": "It calls this score mean average recall.",
    "recommenders": "Users without a relevant item are left out of the mean.",
    "ROCR": "Optimistic: a single positive at rank 3 gives 0.667. It inserts the points of three "
    "or more tied positives at indices of a list that has grown before, so some stand at wrong "
    "places.",
    "sentence_transformers": "`map_at_k=[k]`. Tied documents are ranked by name. Queries without "
    "positives are left out of a mean.",
    "supervision": f"Its `map50`. {ONE_IMAGE_EACH}",
    "tensorflow_models": "As Open Images does.",
    "torch_geometric": "A mean over queries leaves out those without positives: not reproduced.",
    "torchmetrics.BinaryAveragePrecision": "A sigmoid in float32 saturates: logits of 36, 38 and "
    "40 become equal. PyTorch's may split ties in the last bit at the end of a vector: not "
    "reproduced.",
    "torchmetrics.MultilabelAveragePrecision": "For one label. One score outside [0, 1] sends the "
    "scores of all labels through the sigmoid. The mean over labels counts a label without "
    "positives as 0.",
    "torchmetrics.MeanAveragePrecision": "Its map_50, one image per item.",
    "torchmetrics.RetrievalMAP": "Do not pass logits: a positive that scores 0 or less counts as a "
    "negative.",
    "torchrec": "It scores a window of rows, and also offers a score of binned scores.",
    "torchreid": "Queries without a match are left out of the mean.",
    "trec_eval": "It rounds the number of positives that a level needs to the nearest integer, "
    "and version 9 rounds it up: 1 of 7 positives reaches recall 0.2 here.",
    "trectools": "k is its depth, 1000 by default. The metric trec_eval of Hugging Face evaluate "
    "calls it with 10,000, after it rounded scores to float32.",
    "ultralytics": "A perfect ranking gives 0.995. ap_per_class, which calls it, leaves classes "
    "without objects out of its mean.",
    "VOCdevkit2007": f"The kit of PASCAL VOC 2007. {MATLAB_LEVELS}",
    "xgboost.aucpr_ranking": "Weights are per group.",
    "xgboost.map": "All rows are one group. k = 32 is the default of its source. "
    "lambdarank_num_pair_per_sample and lambdarank_pair_method did not change it.",
    "xgboost.map_minus": "XGBoost calls it map-. Its k is as for map.",
    "yardstick.average_precision": "What it does without positives was not checked.",
}

AT_K = "average_precision_at_k_score(y_true, y_score, k={k}{normalizer})"
# By divisor of a sum over the top k: what average_precision_at_k_score takes for it, or None.
NORMALIZERS = {
    "min(k, positives)": "",
    "min(32, positives)": "",
    "min(k, n, positives)": "",
    "positives": ', normalizer="positives"',
    "hits": ', normalizer="hits"',
    "k": ', normalizer="k"',
}
ELEVEN = "eleven_point_average_precision_score(y_true, y_score)"
LEVELS = {
    "every recall": INTERPOLATED,
    "11 levels": ELEVEN,
    "11 levels, arange": ELEVEN,
    "11 levels, MATLAB": ELEVEN,
    "11 levels, int(x R + 0.9)": ELEVEN,
    "101 levels": COCO,
    "101 levels, arange": COCO,
    "101 levels, float32": COCO,
}
BEST = {
    "first hit": RECIPROCAL.format(k=""),
    "first hit of the top k": RECIPROCAL.format(k="k=k"),
    "best at a recall": AT_RECALL,
    "best at a precision": AT_PRECISION,
}
LINES = {
    "step": STEP,
    "straight line": LINEAR,
    "hyperbola": HYPERBOLIC,
    "hyperbola, sampled": LINEAR,
}
# What is done to scores, and a word for those in which it changes nothing; no word else.
HARMLESS = {
    "float32": "float32",
    "tied below 1e-8": "1e-8",
    "dtype": "float32",
    "sigmoid": "probabilities, float32",
    "relevant above 0": "above 0, float32",
}
UNTIED = "untied"


def ours(entry):
    """Our call for the number of a tool's function, and for which scores; a call of compat else."""
    choices = entry.choices
    harmless = "" if choices.scores.startswith("as given") else HARMLESS.get(choices.scores)
    call = None if harmless is None or choices.start == "lost" else _call(choices)
    if call is None:
        k = "" if entry.k == "no" else ", k=k"
        return f'compat.score("{entry.name}", y_true, y_score{k})', []
    rounded = "levels" in choices.over and "off levels"
    ordered = choices.ties != "grouped" or choices.start == "(0, first precision)"
    untied = (ordered or choices.between == "hyperbola, sampled") and UNTIED
    return call, [each for each in (untied, harmless, rounded) if each]


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
        normalizer = NORMALIZERS.get(choices.divisor)
        return None if normalizer is None else AT_K.format(k=k, normalizer=normalizer)
    if choices.over == "top R":
        return AT_K.format(k="sum(y_true)", normalizer="")
    if choices.divisor == "hits":
        return AT_K.format(k="len(y_true)", normalizer=NORMALIZERS["hits"])
    if choices.between == "envelope":
        return LEVELS.get(choices.over)
    return LINES.get(choices.between) if choices.over == "every recall" else None
