"""Frozen answers of other tools, wherever their number is one of our definitions.

Ranked tools give tied items an order, so they are compared on predictions without ties.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from compat_inputs import CASES
from every import every

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    definitions,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
    threshold_counts,
)

ONE_CLASS = {"no_positives", "all_positives"}
BEYOND_0_1 = {"logits", "all_negative_scores"}


@dataclass(frozen=True)
class Peer:
    """Where a tool's function equals a definition, and the cases in which it does not."""

    tool: str
    function: str
    ours: Callable
    params: dict | None = None  # None: any
    ranked: bool = False
    dtype: type = float
    tolerance: float = 1e-9
    but: frozenset | set = frozenset()
    k_within_n: bool = False

    def equals(self, case, record):
        if (record["tool"].split(" ")[0], record["function"]) != (self.tool, self.function):
            return False
        params = {key: value for key, value in record["params"].items() if key not in HANDLED}
        if self.params is not None and params != self.params:
            return False
        scores = np.asarray(case["y_score"], self.dtype)
        if self.ranked and np.unique(scores).size < scores.size:
            return False
        if self.k_within_n and (k_of(record) or 0) > scores.size:
            return False
        return case["id"] not in self.but and not record.get("tie_order_unspecified")


K_NAMES = ("k", "top_k", "top", "K", "eval_at")
HANDLED = (*K_NAMES, "sample_weight")


def k_of(record):
    return next((record["params"][key] for key in K_NAMES if key in record["params"]), None)


def step(y, s, w, k):
    return average_precision_score(y, s, sample_weight=w, zero_division=0.0)


def linear(y, s, w, k):
    return definitions.Linear()(threshold_counts(y, s, sample_weight=w))[0]


def hyperbolic(y, s, w, k):
    return definitions.Hyperbolic()(threshold_counts(y, s, sample_weight=w))[0]


def interpolated(y, s, w, k):
    return interpolated_average_precision_score(y, s, zero_division=0.0)


def eleven_point(y, s, w, k):
    return eleven_point_average_precision_score(y, s, zero_division=0.0)


def coco(y, s, w, k):
    return interpolated_average_precision_score(y, s, recall_levels=101, zero_division=0.0)


def at_k(normalizer):
    def score(y, s, w, k):
        k = len(y) if k is None else k
        return average_precision_at_k_score(y, s, k=k, normalizer=normalizer, zero_division=0.0)

    return score


def precision_at_k(y, s, w, k):
    return precision_at_k_score(y, s, k=k)


single = {"dtype": np.float32, "tolerance": 1e-6}
none = {"no_positives"}
# Levels that a float grid misses although the recall is there: 3/10 >= 0.30000000000000004.
missed = {case["id"] for case in CASES if sum(case["y_true"]) in (5, 10)}

CHAINERCV = (
    "calc_detection_voc_ap (function extracted from the sdist; prec, rec from a stable "
    "descending sort)"
)

PEERS = [
    Peer("scikit-learn", "average_precision_score", step),
    Peer("scikit-learn", "auc(recall, precision) of precision_recall_curve", linear, but=none),
    Peer("scikit-learn", "label_ranking_average_precision_score", step, but=none),
    Peer(
        *("torchmetrics", "BinaryAveragePrecision", step),
        params={"thresholds": None, "dtype": "float64"},
        but=BEYOND_0_1,
        tolerance=1e-6,
    ),
    Peer(
        *("torchmetrics", "BinaryAveragePrecision", step),
        params={"thresholds": None, "dtype": "float32"},
        but=BEYOND_0_1,
        **single,
    ),
    Peer("torchmetrics", "RetrievalMAP", at_k("hits"), {}, True, but=BEYOND_0_1, **single),
    Peer("torchmetrics", "RetrievalPrecision", precision_at_k, {}, True, but=BEYOND_0_1, **single),
    Peer("torcheval", "binary_auprc", step, params={"dtype": "float64"}, tolerance=1e-6),
    Peer("torcheval", "binary_auprc", step, params={"dtype": "float32"}, **single),
    Peer("xgboost", "eval_metric='aucpr'", hyperbolic, but=ONE_CLASS, **single),
    Peer("xgboost", "eval_metric='aucpr' (ranking group)", hyperbolic, but=ONE_CLASS, **single),
    Peer("xgboost", "eval_metric='map@k'", at_k("attainable"), None, True, but=none, **single),
    Peer("lightgbm", "metric='average_precision'", step, but=none | {"weights_zero_top"}),
    Peer("lightgbm", "metric='map'", at_k("attainable"), None, True, but=none),
    Peer("catboost", "utils.eval_metric 'PRAUC'", linear, but=none, **single),
    Peer("catboost", "utils.eval_metric 'MAP:top=k'", at_k("attainable"), None, True, **single),
    Peer(
        *("catboost", "utils.eval_metric 'PrecisionAt:top=k'", precision_at_k, None, True),
        k_within_n=True,
        **single,
    ),
    Peer("catboost", "utils.eval_metric 'MAP'", at_k("positives"), None, True, **single),
    Peer(
        *("catboost", "utils.eval_metric 'AverageGain:top=k'", precision_at_k, None, True),
        k_within_n=True,
        **single,
    ),
    Peer(
        *("xgboost", "eval_metric='pre@k'", precision_at_k, None, True),
        k_within_n=True,
        **single,
    ),
    # Plain 'map' is map@32 there, so the 40 items of recall_grid_10pos are cut.
    Peer(
        *("xgboost", "eval_metric='map'", at_k("positives"), None, True),
        but=none | {"recall_grid_10pos"},
        **single,
    ),
    Peer(
        *("xgboost", "eval_metric='map-'", at_k("positives"), None, True),
        but={"recall_grid_10pos"},
        **single,
    ),
    Peer("pytrec_eval-terrier", "map", at_k("positives"), None, True, **single),
    Peer("pytrec_eval-terrier", "map_cut", at_k("positives"), None, True, **single),
    Peer("pytrec_eval-terrier", "P", precision_at_k, None, True, **single),
    # 0.7 * 3 + 0.9 is 2.9999999999999996, so two of three positives reach 0.7 there.
    Peer(
        *("pytrec_eval-terrier", "11pt_avg", eleven_point, None, True),
        but={"recall_grid_3pos", "ranks_1_2_4_of_10", "all_negative_scores"},
        **single,
    ),
    Peer("ir_measures", "AP", at_k("positives"), None, True, **single),
    Peer("ir_measures", "AP@k", at_k("positives"), None, True, **single),
    Peer("ir_measures", "P@k", precision_at_k, None, True, **single),
    Peer("ranx", "map", at_k("positives"), None, True),
    Peer("ranx", "map@k", at_k("positives"), None, True),
    Peer("ranx", "precision@k", precision_at_k, None, True),
    Peer("rectools", "MAP.calc", at_k("positives"), {"divide_by_k": False}, True, but=none),
    Peer("rectools", "MAP.calc", at_k("k"), {"divide_by_k": True}, True, but=none),
    Peer("recommenders", "map", at_k("positives"), None, True, but=none),
    Peer("recommenders", "map_at_k", at_k("attainable"), None, True, but=none),
    Peer("recommenders", "precision_at_k", precision_at_k, None, True, but=none),
    Peer(
        *("implicit", "evaluation.mean_average_precision_at_k", at_k("attainable"), None, True),
        but=ONE_CLASS,
    ),
    Peer("ml_metrics", "apk", at_k("attainable"), None, True, but=none),
    Peer("ml_metrics", "mapk", at_k("attainable"), None, True, but=none),
    Peer(
        *("recmetrics", "mark (function extracted from the installed file)"),
        *(at_k("positives"), None, True),
    ),
    Peer("cornac", "metrics.MAP().compute (class extracted from the wheel)", step, but=none),
    Peer(
        *("pyspark", "mllib RankingMetrics.meanAveragePrecisionAt", at_k("attainable")),
        ranked=True,
        but=none,
    ),
    Peer("pyspark", "mllib RankingMetrics.precisionAt", precision_at_k, None, True, but=none),
    Peer(
        *("pyspark", "mllib RankingMetrics.meanAveragePrecision", at_k("positives"), None, True),
        but=none,
    ),
    # It starts at (0, first precision): the same without ties, where the first recall is a step up.
    Peer(
        *("pyspark", "mllib BinaryClassificationMetrics.areaUnderPR", linear, {}, True),
        but=none,
    ),
    Peer("PRROC", "pr.curve auc.davis.goadrich", linear, None, True, but=none),
    Peer("PRROC", "pr.curve auc.integral", hyperbolic, but=none, tolerance=1e-9),
    Peer(
        *("pycocotools", "COCOeval precision mean over recThrs (one image per item)", coco),
        ranked=True,
        but=none | {"recall_grid_10pos"},
    ),
    Peer(
        *("faster-coco-eval", "COCOeval_faster (one image per item)", coco, None, True),
        but=none | {"recall_grid_10pos"},
    ),
    Peer(
        *("globox", "COCOEvaluator.ap_50", coco, None, True),
        but=none | BEYOND_0_1 | {"recall_grid_10pos"},
    ),
    Peer(
        *("object-detection-metrics", "podm get_pascal_voc_metrics", interpolated),
        params={"method": "AllPointsInterpolation"},
        ranked=True,
        but=none,
    ),
    Peer(
        *("object-detection-metrics", "podm get_pascal_voc_metrics", eleven_point),
        params={"method": "ElevenPointsInterpolation"},
        ranked=True,
        but=missed,
    ),
    Peer(
        *("mean-average-precision", "map_2d value", interpolated),
        params={"recall_thresholds": None},
        ranked=True,
        tolerance=1e-6,
    ),
    Peer(
        *(
            "chainercv",
            CHAINERCV,
            interpolated,
        ),
        params={"use_07_metric": False},
        ranked=True,
        but=none,
    ),
    Peer(
        *(
            "chainercv",
            CHAINERCV,
            eleven_point,
        ),
        params={"use_07_metric": True},
        ranked=True,
        but=missed,
    ),
]


def compared(peer):
    return [
        (case, record)
        for case in CASES
        if case["id"] != "nan_score"
        for record in case["results"]
        if peer.equals(case, record)
    ]


@every("peer", PEERS, ids=lambda peer: f"{peer.tool} {peer.function[:30]}")
def test_a_definition_equals_what_the_tool_answered(peer):
    pairs = compared(peer)
    assert len(pairs) >= 9
    for case, record in pairs:
        weight = case["sample_weight"] if record["params"].get("sample_weight") else None
        ours = peer.ours(
            np.asarray(case["y_true"]),
            np.asarray(case["y_score"], peer.dtype),
            weight,
            k_of(record),
        )
        assert ours == pytest.approx(record["value"], abs=peer.tolerance), case["id"]


def test_a_float_grid_misses_a_level_that_is_reached():
    """Every VOC 2007 implementation gives 0.579 here, and exactly it is 0.6375."""
    case = next(case for case in CASES if case["id"] == "recall_grid_10pos")
    theirs = [r["value"] for r in case["results"] if r["params"].get("use_07_metric")]
    assert theirs == pytest.approx([0.579279] * 2, abs=1e-6)
    assert eleven_point(case["y_true"], case["y_score"], None, None) == pytest.approx(
        0.637524, abs=1e-6
    )
