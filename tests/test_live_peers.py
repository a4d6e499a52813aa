"""The real tools beside their reproductions, on generated predictions: pytest -m peers.

Each runner takes labels, scores and k, and gives what the tool returns. A tool that is not
installed is skipped by name.
"""

import importlib
import io
import warnings
from contextlib import redirect_stdout

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compat,
    eleven_point_average_precision_score,
    precision_at_k_score,
)

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def sklearn_auc(y, s, k):
    from sklearn.metrics import auc, precision_recall_curve

    precision, recall, _ = precision_recall_curve(y, s)
    return auc(recall, precision)


def sklearn_ap(y, s, k):
    from sklearn.metrics import average_precision_score

    return average_precision_score(y, s)


def torch_pair(y, s):
    import torch

    return torch.tensor(s, dtype=torch.float32), torch.tensor(y)


def torchmetrics_binary(thresholds):
    def run(y, s, k):
        from torchmetrics.classification import BinaryAveragePrecision

        return BinaryAveragePrecision(thresholds=thresholds)(*torch_pair(y, s)).item()

    return run


def torchmetrics_retrieval(name, **options):
    def run(y, s, k):
        import torch
        import torchmetrics.retrieval

        metric = getattr(torchmetrics.retrieval, name)(top_k=k, **options)
        return metric(*torch_pair(y, s), indexes=torch.zeros(len(y), dtype=torch.long)).item()

    return run


def torcheval_auprc(y, s, k):
    from torcheval.metrics.functional import binary_auprc

    return binary_auprc(*torch_pair(y, s)).item()


def torcheval_binned(y, s, k):
    from torcheval.metrics.functional import binary_binned_auprc

    return binary_binned_auprc(*torch_pair(y, s), threshold=100)[0].item()


def xgboost_metric(name, objective):
    def run(y, s, k):
        import xgboost

        data = xgboost.DMatrix(np.zeros((len(y), 1)), label=y, base_margin=s)
        if objective.startswith("rank"):
            data.set_group([len(y)])
        metric = name if k is None else f"{name}@{k}"
        settings = {"objective": objective, "eval_metric": metric, "base_score": 0.5}
        booster = xgboost.train(settings, data, num_boost_round=0)
        return float(booster.eval(data).rpartition(":")[2])

    return run


def lightgbm_metric(name, objective):
    def run(y, s, k):
        import lightgbm

        settings = {
            "objective": objective,
            "metric": name,
            "verbose": -1,
            "learning_rate": 1e-300,
            "min_data_in_leaf": len(y),
            "eval_at": [k or 1],
            "force_row_wise": True,
        }
        group = [len(y)] if objective == "lambdarank" else None
        zeros = np.zeros((len(y), 1))
        data = lightgbm.Dataset(zeros, label=y, init_score=s, group=group)
        found = {}
        lightgbm.train(
            settings,
            data,
            num_boost_round=1,
            valid_sets=[data],
            callbacks=[lightgbm.record_evaluation(found)],
        )
        return next(iter(found["training"].values()))[0]

    return run


def catboost_metric(name):
    def run(y, s, k):
        from catboost.utils import eval_metric

        text = name if k is None else f"{name}:top={k}"
        return eval_metric(y, s, text, group_id=None if name == "PRAUC" else np.zeros(len(y), int))[
            0
        ]

    return run


def documents(y, s):
    return (
        {"q": {f"d{i:06}": int(label) for i, label in enumerate(y)}},
        {"q": {f"d{i:06}": float(score) for i, score in enumerate(s)}},
    )


def pytrec(measure, key):
    def run(y, s, k):
        import pytrec_eval

        judged, found = documents(y, s)
        name = key if k is None else f"{key}_{k}"
        asked = measure if k is None else f"{measure}.{k}"
        return pytrec_eval.RelevanceEvaluator(judged, {asked}).evaluate(found)["q"][name]

    return run


def ir_measure(name):
    def run(y, s, k):
        import ir_measures

        judged, found = documents(y, s)
        measure = getattr(ir_measures, name)
        measure = measure if k is None else measure @ k
        return ir_measures.calc_aggregate([measure], judged, found)[measure]

    return run


def ranx_metric(name):
    def run(y, s, k):
        import ranx

        judged, found = documents(y, s)
        judged["q"] = {name: label for name, label in judged["q"].items() if label}
        metric = name if k is None else f"{name}@{k}"
        return ranx.evaluate(ranx.Qrels(judged), ranx.Run(found), metric)

    return run


def coco_dataset(y, s):
    """One image per item, one object in each positive one, one detection in each."""
    box = {"bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0, "category_id": 1}
    truth = {
        "images": [{"id": i + 1, "width": 20, "height": 20} for i in range(len(y))],
        "categories": [{"id": 1, "name": "object"}],
        "annotations": [box | {"id": i + 1, "image_id": i + 1} for i in np.flatnonzero(y).tolist()],
        "info": {},
    }
    detections = [
        {"image_id": i + 1, "category_id": 1, "bbox": box["bbox"], "score": float(score)}
        for i, score in enumerate(s)
    ]
    return truth, detections


def pycocotools_ap(y, s, k):
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    truth, detections = coco_dataset(y, s)
    with redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = truth
        coco.createIndex()
        run = COCOeval(coco, coco.loadRes(detections), "bbox")
        run.params.iouThrs = np.array([0.5])
        run.evaluate()
        run.accumulate()
    return run.eval["precision"][0, :, 0, 0, -1].mean()


RUNNERS = {
    "sklearn.average_precision_score": ("sklearn", sklearn_ap),
    "sklearn.auc_of_precision_recall_curve": ("sklearn", sklearn_auc),
    "torchmetrics.BinaryAveragePrecision": ("torchmetrics", torchmetrics_binary(None)),
    "torchmetrics.BinaryAveragePrecision_thresholds": ("torchmetrics", torchmetrics_binary(200)),
    "torchmetrics.RetrievalMAP": ("torchmetrics", torchmetrics_retrieval("RetrievalMAP")),
    "torchmetrics.RetrievalPrecision": (
        "torchmetrics",
        torchmetrics_retrieval("RetrievalPrecision"),
    ),
    "torchmetrics.RetrievalPrecision_adaptive_k": (
        "torchmetrics",
        torchmetrics_retrieval("RetrievalPrecision", adaptive_k=True),
    ),
    "torcheval.binary_auprc": ("torcheval", torcheval_auprc),
    "torcheval.binary_binned_auprc": ("torcheval", torcheval_binned),
    "xgboost.aucpr": ("xgboost", xgboost_metric("aucpr", "binary:logitraw")),
    "xgboost.aucpr_ranking": ("xgboost", xgboost_metric("aucpr", "rank:pairwise")),
    "xgboost.map": ("xgboost", xgboost_metric("map", "rank:pairwise")),
    "xgboost.map@k": ("xgboost", xgboost_metric("map", "rank:pairwise")),
    "xgboost.pre@k": ("xgboost", xgboost_metric("pre", "rank:pairwise")),
    "lightgbm.average_precision": ("lightgbm", lightgbm_metric("average_precision", "binary")),
    "lightgbm.map": ("lightgbm", lightgbm_metric("map", "lambdarank")),
    "catboost.PRAUC": ("catboost", catboost_metric("PRAUC")),
    "catboost.MAP": ("catboost", catboost_metric("MAP")),
    "catboost.PrecisionAt": ("catboost", catboost_metric("PrecisionAt")),
    "pytrec_eval.map": ("pytrec_eval", pytrec("map", "map")),
    "pytrec_eval.map_cut": ("pytrec_eval", pytrec("map_cut", "map_cut")),
    "pytrec_eval.P": ("pytrec_eval", pytrec("P", "P")),
    "pytrec_eval.11pt_avg": ("pytrec_eval", pytrec("11pt_avg", "11pt_avg")),
    "ir_measures.AP": ("ir_measures", ir_measure("AP")),
    "ir_measures.AP@k": ("ir_measures", ir_measure("AP")),
    "ir_measures.P@k": ("ir_measures", ir_measure("P")),
    "ranx.map": ("ranx", ranx_metric("map")),
    "ranx.map@k": ("ranx", ranx_metric("map")),
    "ranx.precision@k": ("ranx", ranx_metric("precision")),
    "pycocotools.COCOeval": ("pycocotools", pycocotools_ap),
}


def generated(name):
    """Predictions with ties where the tool says what it does with them, and without."""
    entry = compat.get(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    # Whole vectors: PyTorch's sigmoid of equal scores may differ in the last bit in a remainder.
    for n, prevalence in ((5, 0.5), (12, 0.3), (32, 0.2), (160, 0.5), (400, 0.05)):
        y = rng.permutation(np.arange(n) < max(1, int(prevalence * n))).astype(int)
        yield y, (rng.permutation(n) + 0.5) / n
        if entry.tool in ("torchmetrics", "torcheval") and entry.choices[1] == "grouped":
            yield y, rng.integers(0, 100, n) / 99  # on the edges of 100 bins, and of 200
            yield y, rng.integers(0, 200, n) / 199
        if entry.choices[1] != "unspecified" and name != "lightgbm.map":
            yield y, rng.integers(1, 9, n) / 10
            if entry.tool not in ("keras", "pycocotools"):
                yield y, rng.integers(-40, 41, n) / 8


@pytest.mark.parametrize("name", RUNNERS)
def test_the_tool_gives_the_number_of_its_reproduction(name):
    module, run = RUNNERS[name]
    try:
        importlib.import_module(module)
    except ImportError:
        pytest.skip(f"{module} is not installed")
    entry = compat.get(name)
    for y, s in generated(name):
        for k in (1, 3, 10) if entry.k == "required" else (None,):
            if k is not None and k > len(y):
                continue
            options = {} if k is None else {"k": k}
            theirs = run(y, s, k)
            ours = compat.score(name, y, s, **options)
            assert ours == pytest.approx(theirs, abs=max(entry.tolerance, 1e-6)), (len(y), k)


def test_groups_against_trec_eval():
    """Queries of very different sizes, as MAP, MAP at k, precision at k and eleven points."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 300, 200)
    query = np.repeat(np.arange(200), sizes)
    y = (rng.random(query.size) < 0.1).astype(int)
    y[np.cumsum(sizes) - 1] = 1
    s = rng.permutation(query.size) / query.size
    judged, found = {}, {}
    for i, q in enumerate(query):
        judged.setdefault(f"q{q}", {})[f"d{i}"] = int(y[i])
        found.setdefault(f"q{q}", {})[f"d{i}"] = float(s[i])
    asked = {"map", "map_cut.10", "P.10", "11pt_avg"}
    answers = pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(found).values()
    theirs = {key: np.mean([a[key] for a in answers]) for key in next(iter(answers))}
    options = {"k": 10, "normalizer": "positives"}
    ours = {
        "map": average_precision_score(y, s, groups=query),
        "map_cut_10": average_precision_at_k_score(y, s, groups=query, **options),
        "P_10": precision_at_k_score(y, s, k=10, groups=query),
    }
    for key, value in ours.items():
        assert value == pytest.approx(theirs[key], abs=1e-9)
    rows = compat.compare(y, s, groups=query, tools=["pytrec_eval"]).to_dict()
    eleven = next(row["value"] for row in rows if row["name"] == "pytrec_eval.11pt_avg")
    assert eleven == pytest.approx(theirs["11pt_avg"], abs=1e-6)
    # Exact levels differ where int(x R + 0.9) is one too low.
    exact = eleven_point_average_precision_score(y, s, groups=query)
    assert exact == pytest.approx(theirs["11pt_avg"], abs=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert exact <= theirs["11pt_avg"]
