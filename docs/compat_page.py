"""Writes compat.md from the table, so that the page cannot disagree with it.

python docs/compat_page.py
"""

from math import isnan
from pathlib import Path

from sklearn_ap import compat

PAGE = Path(__file__).parent / "compat.md"

ROUNDED = (
    [1, 1, 0, 1, 0, 1, 0, 0, 0, 1],
    [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1],
)
MARGINS = ([1, 0, 1, 0, 1, 0, 0, 1], [41.0, 40.0, 39.0, 1.5, 0.2, -0.7, -1.4, -3.0])
TEN = ([1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], [*range(20, 0, -1)])
LATE = ([0, 0, 1, 1, 0, 1, 0, 0], [8, 7, 6, 5, 4, 3, 2, 1])

# What people compare as if it were the same: a title, what to know, the predictions, functions.
CONFUSED = (
    (
        "scikit-learn before and after 0.19",
        "Until 0.18, `average_precision_score` joined operating points by straight lines, as "
        "`auc(recall, precision)` still does. The fewer distinct scores, the more that adds.",
        ROUNDED,
        ("sklearn.average_precision_score", "sklearn.auc_of_precision_recall_curve"),
    ),
    (
        "VOC 2007 and VOC 2010",
        "VOC 2007 averages the envelope at eleven levels of recall, VOC from 2010 everywhere. "
        "The levels are floats: 3 of 10 positives do not reach 0.30000000000000004.",
        TEN,
        ("chainercv.calc_detection_voc_ap_07", "chainercv.calc_detection_voc_ap"),
    ),
    (
        "VOC and COCO",
        "COCO averages the same envelope at 101 levels, and over several overlaps besides, which "
        "is not about average precision.",
        TEN,
        ("chainercv.calc_detection_voc_ap", "pycocotools.COCOeval", "ultralytics.compute_ap"),
    ),
    (
        "TREC and VOC 2007",
        "Both take eleven levels. trec_eval asks which positive reaches a level, rounding x R + "
        "0.9 down in version 9 and x R to the nearest later; VOC compares floats. Its `map` is no "
        "interpolation at all.",
        TEN,
        (
            "pytrec_eval.map",
            "pytrec_eval.11pt_avg",
            "trec_eval.11pt_avg",
            "object_detection_metrics.ElevenPoints",
        ),
    ),
    (
        "Keras and TensorFlow",
        "`AUC(curve='PR')` clips scores to [0, 1] and counts them in 200 bins. Margins need "
        "`from_logits=True`; without it, all above 1 are tied.",
        MARGINS,
        ("keras.AUC_PR_interpolation", "keras.AUC_PR_minoring", "keras.AUC_PR_majoring"),
    ),
    (
        "TorchMetrics and TorchEval",
        "Both are steps, in the dtype of their tensors. But TorchMetrics sends all scores through "
        "a sigmoid if one lies outside [0, 1], and large margins become equal; its retrieval "
        "metrics take a score of 0 or less for not relevant.",
        MARGINS,
        (
            "torchmetrics.BinaryAveragePrecision",
            "torchmetrics.RetrievalMAP",
            "torcheval.binary_auprc",
            "torcheval.binary_binned_auprc",
        ),
    ),
    (
        "XGBoost, LightGBM and CatBoost",
        "`aucpr` is a hyperbola, `average_precision` a step, `PRAUC` a straight line from (0, 1). "
        "Without positives they give nan, 1 and an exception.",
        ROUNDED,
        ("xgboost.aucpr", "lightgbm.average_precision", "catboost.PRAUC"),
    ),
    (
        "Ties in MAP",
        "XGBoost ranks tied items as they came, CatBoost the negatives first, trec_eval by name.",
        ROUNDED,
        ("xgboost.map", "catboost.MAP", "pytrec_eval.map"),
    ),
    (
        "Spark",
        "`areaUnderPR` joins points by straight lines from (0, first precision); older versions "
        "started at (0, 1), as scikit-learn's `auc` does.",
        ROUNDED,
        ("pyspark.areaUnderPR", "sklearn.auc_of_precision_recall_curve"),
    ),
    (
        "R: PRROC, ROCR, yardstick and MLmetrics",
        "PRROC draws the hyperbola, yardstick's `pr_auc` a straight line from (0, 1), ROCR a "
        "straight line through the best points, and MLmetrics (caret's `prSummary`) loses "
        "everything left of the first point.",
        LATE,
        (
            "PRROC.auc.integral",
            "PRROC.auc.davis.goadrich",
            "yardstick.pr_auc",
            "yardstick.average_precision",
            "ROCR.aucpr",
            "MLmetrics.PRAUC",
        ),
    ),
    (
        "Recommender libraries, at k = 3",
        "The sum over the top k is divided by all positives, by min(k, positives), by the hits, or "
        "by k.",
        TEN,
        (
            "recommenders.map",
            "recommenders.map_at_k",
            "implicit.mean_average_precision_at_k",
            "ml_metrics.apk",
            "recmetrics.mark",
            "rectools.MAP",
            "rectools.MAP_divide_by_k",
            "torchmetrics.RetrievalMAP",
        ),
    ),
)
K = 3


def confused(title, text, predictions, names):
    """One pair, or more, of what is confused: what to know, and the numbers."""
    y_true, y_score = predictions
    baseline = compat.score("sklearn.average_precision_score", *predictions)
    lines = [f"### {title}", "", text, ""]
    lines += ["| function | value | from scikit-learn's |", "|---|---|---|"]
    for name in names:
        entry = compat.get(name)
        asks = entry.k == "required" or ("k = 3" in title and entry.k == "optional")
        options = {"k": K} if asks else {}
        value = compat.score(name, *predictions, **options)
        lines.append(f"| `{name}` | {value:.4f} | {value - baseline:+.4f} |")
    lines += ["", f"y_true = {y_true}, y_score = {y_score}", ""]
    return lines


def outcome(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "nan" if isnan(value) else f"{value:g}"


def row(entry):
    options = ", ".join(f"{name}={value!r}" for name, value in entry.options.items())
    cells = [
        f"`{entry.name}`",
        entry.versions,
        *entry.choices,
        {"no": "", "optional": "may", "required": "must"}[entry.k],
        options,
        outcome(entry.no_positives),
        outcome(entry.all_positives),
        entry.nan_scores,
        "yes" if entry.weights else "no",
        entry.source,
        entry.note,
    ]
    return "| " + " | ".join(cells) + " |"


def worst():
    """The largest and smallest average precision on the rounded example."""
    rows = compat.compare(*ROUNDED, k=K).to_dict()
    known = [
        r
        for r in rows
        if r["value"] is not None
        and "each hit" not in compat.get(r["name"]).choices
        and "one level" not in compat.get(r["name"]).choices
    ]
    low, high = (pick(known, key=lambda r: r["value"]) for pick in (min, max))
    return (
        f"From {low['value']:.3f} (`{low['name']}`) to {high['value']:.3f} (`{high['name']}`), "
        f"both called average precision or the area under the curve."
    )


def page():
    """Assemble the page."""
    head = (
        "function | versions | scores | ties | between | start | over | divisor | k | options | no "
        "positives | only positives | nan score | weights | source | note"
    )
    entries = compat.conventions()
    tools = {entry.tool for entry in entries}
    lines = [
        "# What other tools compute",
        "",
        "This page is written by `docs/compat_page.py` from the table in `sklearn_ap.compat`.",
        "",
        f"{len(entries)} functions of {len(tools)} tools, each described by six choices, and "
        "reproduced by `compat.score` with its faults, but for what the notes except. "
        "`compat.explain` says which choice makes the difference to scikit-learn's number on your "
        "own predictions, `compat.compare` gives all numbers at once, and "
        "`sklearn-ap compare FILE` does so for a file. With queries, each function runs on each of "
        "them, which takes about 2 ms a query. Results on NaN scores are noted but not "
        "reproduced: these functions refuse NaN.",
        "",
        "```python",
        ">>> from sklearn_ap import compat",
        f">>> y_true, y_score = {ROUNDED[0]}, {ROUNDED[1]}",
        '>>> compat.explain("MLmetrics.PRAUC", y_true, y_score)',
        str(compat.explain("MLmetrics.PRAUC", *ROUNDED)),
        "",
        "```",
        "",
        "## The worst disagreement on one set of predictions",
        "",
        worst(),
        "",
        "```text",
        str(compat.compare(*ROUNDED, k=K)),
        "```",
        "",
        "## What is confused with what",
        "",
    ]
    for pair in CONFUSED:
        lines += confused(*pair)
    lines += ["## The table", "", "The options of a choice are explained below it.", ""]
    lines += [f"| {head} |", "|" + 16 * "---|", *map(row, entries), ""]
    lines += ["## The options", ""]
    for choice, options in compat.options().items():
        lines += [f"**{choice}**", "", *(f"- {name}: {why}" for name, why in options.items()), ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
