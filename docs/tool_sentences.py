"""How each tool differs, in a sentence, notes, and what to write here for a function's number.

docs/compat_page.py prints these, and tests/compat/test_same_number.py runs them.
"""

STEP = "average_precision_score(y_true, y_score)"
AT_PREVALENCE = "average_precision_score(y_true, y_score, prevalence=0.5)"
INTERPOLATED = "interpolated_average_precision_score(y_true, y_score)"
HYPERBOLIC = "average_precision_score(y_true, y_score, definition=Hyperbolic())"
COCO = "interpolated_average_precision_score(y_true, y_score, recall_levels=101)"
RECIPROCAL = "average_precision_score(y_true, y_score, definition=ReciprocalRank({k}))"
LINEAR = "average_precision_score(y_true, y_score, definition=Linear())"

LARGEST = "averages the largest precision at this recall or a higher one"
VOC = f"It {LARGEST}, or at eleven levels with `use_07_metric=True`."
AT_101 = "averages the largest precision at 101 levels of recall"
ONE_IMAGE_EACH = f"With one image per item, it {AT_101}."
IN_PROPORTION = "assumes that true and false positives grow in proportion between operating points"
BETWEEN_RANKS = "draws straight lines between ranks, from precision 1 on."
AS_LISTED = "It takes ranked lists."
ENOUGH_BINS = "With so many `num_thresholds` that each distinct score has its own,"

# By tool: how it differs from scikit-learn, and what to write there. A tool that computes what
# scikit-learn computes needs none.
SENTENCES = {
    "anomalib": "It computes what scikit-learn computes since version 2.7. Before, it sorted the "
    "points of the curve by recall and joined them by straight lines.",
    "calibrated_metrics": "It computes what scikit-learn computes, at another prevalence.",
    "catboost": "`PRAUC` draws straight lines between operating points, and `MAP` ranks the "
    "negatives first among tied items.",
    "cell_eval": "It computes what scikit-learn computes, in float32.",
    "chainercv": VOC,
    "chemprop": "`prc` draws straight lines between operating points, in float32.",
    "clickhouse": "Write `arrayAUCPR(scores, labels)`.",
    "copairs": AS_LISTED,
    "detectron2": VOC,
    "faster_coco_eval": ONE_IMAGE_EACH,
    "fiftyone": f'It {AT_101}, or everywhere with `method="open-images"`.',
    "globox": f"With one image per item, it {AT_101}, and refuses scores outside [0, 1].",
    "h2o": f"It {IN_PROPORTION}.",
    "haystack": "Since 3.1, it divides by all relevant documents. Before, it divided by the hits "
    "in the list.",
    "implicit": "It divides by min(k, positives), so `precision_at_k` is no precision.",
    "ir_measures": "It calls trec_eval, which ranks tied items by descending name, and for `RR@k` "
    "a script of MS MARCO, which ranks them by ascending name.",
    "kaggle_hm": "MAP@12 of the competition of H&M on Kaggle: it divides by min(k, positives), and "
    "leaves out users without purchases.",
    "keras": '`AUC(curve="PR")` puts scores into 200 bins, and has three rules for the curve '
    f"between them. {ENOUGH_BINS} `AUC_PR_interpolation` gives `{HYPERBOLIC}`.",
    "kitti": "It takes precision at up to 41 positives, and replaces each by the largest from "
    "there on. It averaged 11 of these until 2019, and averages 40 since then.",
    "lenskit": "It divides by min(k, items in the list, positives).",
    "lightgbm": "`average_precision` is what scikit-learn computes, and `map` looks at the top k.",
    "llama_index": "It divides by all relevant documents.",
    "lvis": ONE_IMAGE_EACH,
    "market1501": f"Its Matlab code {BETWEEN_RANKS}",
    "mean_average_precision": f"It {LARGEST}, everywhere with `recall_thresholds=None`, or at the "
    "levels that you give.",
    "metrax": "It counts scores at 200 thresholds, as Keras does, but never retrieves those below "
    f"0. {ENOUGH_BINS} it gives `{HYPERBOLIC}`.",
    "ml_metrics": "It divides by min(k, positives), and users without purchases score 1. Kaggle's "
    "competition of H&M leaves these users out: see kaggle_hm.",
    "MLmetrics": "It draws straight lines between operating points, and loses the area left of "
    "the first.",
    "MLstatkit": '`metric_str="pr_auc"` draws straight lines between operating points, and '
    '`"average_precision"` is what scikit-learn computes.',
    "MLeval": "It draws straight lines between operating points, and loses the area left of the "
    "first.",
    "mmdet": f"`eval_map` {LARGEST}, for VOC 2007 at eleven levels, in float32.",
    "nuscenes": "It reads straight lines between ranks at 101 levels of recall, and counts only "
    "recall and precision above 0.1.",
    "openood": "It draws straight lines between operating points. AUPR-in has other positives than "
    "AUPR-out: for the latter, pass `1 - y_true` and `-confidence`.",
    "oxford_buildings": f"It {BETWEEN_RANKS}",
    "object_detection_metrics": f"It {LARGEST}, everywhere with "
    "`method=MethodAveragePrecision.AllPointsInterpolation`, or at eleven levels.",
    "PerfMeas": "It draws straight lines between ranks, and loses the area left of the first.",
    "precrec": f"It {IN_PROPORTION}.",
    "PRROC": f"`pr.curve` {IN_PROPORTION}, exactly or in steps of one positive.",
    "pycocotools": ONE_IMAGE_EACH,
    "pyprg": "It averages precision gain over recall gain, along straight lines.",
    "pyspark": "`areaUnderPR` draws straight lines between operating points, and "
    "`RankingMetrics` takes ranked lists.",
    "pytorch_metric_learning": "It looks at as many items as there are positives (MAP@R).",
    "pytrec_eval": "It rounds scores to float32, and ranks tied items by descending name.",
    "quepid": "It divides by all documents that are judged relevant.",
    "ragas": "It divides by the hits in the list, so a passage that was not found costs nothing.",
    "ranx": "It ranks tied items in an unspecified order.",
    "recbole": "It divides by min(k, positives).",
    "recmetrics": "It divides the sum over the top k by all positives.",
    "recommenders": "It divides by all positives (`map`) or by min(k, positives) (`map_at_k`).",
    "rectools": "It divides by all positives or by k.",
    "revisitop": f"It {BETWEEN_RANKS}",
    "ROCR": "It joins the best point of each recall to the next by straight lines.",
    "sentence_transformers": "`map_at_k=[k]` divides by min(k, positives).",
    "sklearn": "`average_precision_score` is what all others are compared with; "
    "`auc(recall, precision)` draws straight lines.",
    "supervision": f"With one image per item, `map50` {AT_101}.",
    "tensorflow_models": f"It {LARGEST}, as Open Images does.",
    "torch_geometric": "`LinkPredMAP` divides by min(k, positives).",
    "torcheval": "It computes what scikit-learn computes, in float32, or with scores rounded down "
    "to a grid.",
    "torchmetrics": "It computes what scikit-learn computes, in float32, but sends all scores "
    "through a sigmoid if one lies outside [0, 1].",
    "torchrec": "It computes what scikit-learn computes, in float32.",
    "torchreid": "It computes what scikit-learn computes, but ranks tied items one by one.",
    "trec_eval": "It ranks tied items by name, and reads eleven levels at rounded positions.",
    "trectools": "It divides by all positives, and ranks tied items by descending name.",
    "ultralytics": "It reads straight lines along the largest precision at 101 levels, and counts "
    "0 at recall 1.",
    "VOCdevkit2007": f"The kit of PASCAL VOC 2007, in MATLAB, {LARGEST}, at eleven levels.",
    "xgboost": f"`aucpr` {IN_PROPORTION}, and `map`, of rows in one group, ranks tied items in the "
    "order of the input.",
    "yardstick": "`average_precision` is what scikit-learn computes, and `pr_auc` draws straight "
    "lines.",
}

MATLAB_LEVELS = (
    "MATLAB builds the second half of 0:0.1:1 from its right end ([MathWorks' answer]"
    "(https://www.mathworks.com/matlabcentral/answers/143255-how-does-the-colon-operator-work) on "
    "how the colon operator works), so 0.3 alone lies above 3/10. GNU Octave 7.3, which is not "
    "MATLAB, was run: it counts from the left, and misses 6/10 and 7/10, too, as ports to Python "
    "do."
)
TREC_LEVELS = "int(0.7 * 3 + 0.9) is 2: two of three positives reach recall 0.7."
# By function, or by tool for all of its functions: what else there is to know.
NOTES = {
    "VOCdevkit2007.VOCevaldet": MATLAB_LEVELS,
    "sklearn.average_precision_score": "Rows of weight 0 are dropped first.",
    "sklearn.auc_of_precision_recall_curve": "What average_precision_score was before 0.19.",
    "sklearn.label_ranking_average_precision_score": "One row; its weights are per row.",
    "ogb.Evaluator": "Its ap, as for ogbg-molpcba: columns without both classes are left out of "
    "the mean. Unknown labels are nan.",
    "cell_eval.compute_pr_auc": "Its metric pr_auc. Its scores are -log10 of p-values, which are "
    "rounded to float32 first, and tied up to 1e-10: neither is reproduced.",
    "MLstatkit.pr_auc": "The p-value of its Permutation_test is 0 if no permutation differs by as "
    "much.",
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
    "prevalence is still that of the rows: not reproduced.",
    "xgboost.aucpr_ranking": "Weights are per group.",
    "xgboost.map": "k = 32 is the default of its source. lambdarank_num_pair_per_sample and "
    "lambdarank_pair_method did not change it.",
    "xgboost.map_minus": "Its name there is map-; k as for map.",
    "h2o.aucpr": "More than 400 distinct scores are merged into 400 bins: not reproduced.",
    "lightgbm.average_precision": "nan if the group of the highest score has total weight 0.",
    "lightgbm.map": "Its sort promises no order of ties beyond 16 items; a stable one was seen.",
    "pytrec_eval.iprec_at_recall": TREC_LEVELS,
    "pytrec_eval.11pt_avg": TREC_LEVELS,
    "trec_eval.11pt_avg": "Rounds where version 9 rounds up: with 7 positives 1 reaches 0.2.",
    "ranx.map": "Its sort is stable up to 16 items, and promises no order of ties beyond.",
    "recmetrics.mark": "Called mean average recall.",
    "sentence_transformers.map@k": "Tied documents are ranked by name. Queries without positives "
    "are left out of a mean.",
    "torchreid.eval_market1501": "Queries without a match are left out of the mean.",
    "pyspark.areaUnderPR": "Older versions start at (0, 1). Spark's default puts many distinct "
    "scores into 1,000 bins, which is not reproduced: pass numBins=0.",
    "ROCR.aucpr": "Optimistic: a single positive at rank 3 gives 0.667. It inserts the points of "
    "three or more tied positives at indices of a list that has grown before, so some stand at "
    "wrong places.",
    "PRROC.auc.davis.goadrich": "nan if positives and negatives have the same scores, which it "
    "takes for weighted ones.",
    "MLmetrics.PRAUC": "A perfect ranking of four positives gives 0.750, of one 0.000.",
    "yardstick.average_precision": "What it does without positives was not checked.",
    "kaggle_hm.map@k": "Its rule was taken from descriptions of the competition; k is 12 there.",
    "haystack.DocumentMAPEvaluator": "Since 3.1, of August 2026.",
    "torch_geometric.LinkPredMAP": "A mean over queries leaves out those without positives: not "
    "reproduced.",
    "pytorch_metric_learning.map_at_r": "MAP@R; queries without positives are left out of a mean.",
    "recbole.MAP": "Rounded to four digits there.",
    "openood.aupr_in": "Rows in the distribution are positive; the score is the confidence.",
    "openood.aupr_out": "Rows out of the distribution are positive; the score is -confidence, and "
    "was 1 - confidence until 2023.",
    "quepid.ap": "k is 5 or 10; only judged documents count as relevant. Without positives its "
    "scorer gives nan, which Quepid counts as 0. Its server rounds to two digits.",
    "precrec.evalmod": "It samples the hyperbola at 1,000 recalls, which changes up to 3e-6: not "
    "reproduced.",
    "PerfMeas.AUPRC": "A perfect ranking of n positives gives 1 - 1/n.",
    "MLeval.evalm": "Its AUC-PR, rounded to two digits there.",
    "mean_average_precision.value_11": "`recall_thresholds=np.arange(0, 1.1, 0.1)`",
    "mean_average_precision.value_101": "`recall_thresholds=np.arange(0, 1.01, 0.01)`",
    "ultralytics.compute_ap": "A perfect ranking gives 0.995. ap_per_class, which calls it, leaves "
    "classes without objects out of its mean.",
    "fiftyone.evaluate_detections": "Its AP at one overlap.",
    "recommenders": "Users without a relevant item are left out of the mean.",
    "implicit": "With k above the number of items, recommendations are padded with item 0, which "
    "counts: not reproduced.",
    "detectron2": "PascalVOCDetectionEvaluator rounds scores to three decimals first.",
    "mmdet": "eval_map leaves classes without objects out of its mean.",
    "kitti": "With few objects, even a perfect ranking gives less than 1: n of them, up to 40, "
    "give (n - 1)/40 over 40 levels.",
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
    "best at a recall": "precision_at_recall_score(y_true, y_score, recall=0.8)",
    "best at a precision": "recall_at_precision_score(y_true, y_score, precision=0.9)",
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
