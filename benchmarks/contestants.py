"""What other libraries are asked to do: functions without arguments, on inputs that are ready.

A library that is not installed contributes nothing.
"""

import importlib.metadata
import importlib.util
from functools import partial

import numpy as np

PEERS = ("torchmetrics", "torcheval", "lightgbm", "xgboost", "pytrec_eval", "ranx")
DISTRIBUTIONS = {"pytrec_eval": "pytrec_eval-terrier"}  # where the name is another one


def installed(peer):
    """Whether a peer is there."""
    return importlib.util.find_spec(peer) is not None


def versions():
    """The peers that are there."""
    there = (peer for peer in PEERS if installed(peer))
    return {peer: importlib.metadata.version(DISTRIBUTIONS.get(peer, peer)) for peer in there}


def missing():
    """The peers that are not there."""
    return [peer for peer in PEERS if not installed(peer)]


def torch_peers(y_true, y_score):
    """TorchMetrics and TorchEval, for one ranking or for several labels."""
    several = {"num_labels": y_true.shape[1]} if y_true.ndim == 2 else {}
    kind, metrics = "multilabel" if several else "binary", {}
    if installed("torchmetrics"):
        from torchmetrics.functional import classification

        metrics["torchmetrics"] = getattr(classification, f"{kind}_average_precision")
    if installed("torcheval"):
        from torcheval.metrics import functional

        metrics["torcheval"] = getattr(functional, f"{kind}_auprc")
    if not metrics:
        return {}
    import torch

    tensors = torch.from_numpy(y_score), torch.from_numpy(y_true)
    return {peer: partial(metric, *tensors, **several) for peer, metric in metrics.items()}


def boosters(y_true, y_score, weight=None):
    """LightGBM's and XGBoost's metrics, through models without trees that start at the scores."""
    runs = {}
    feature = np.arange(y_true.size)[:, None]
    if installed("lightgbm"):
        import lightgbm

        data = lightgbm.Dataset(feature, label=y_true, weight=weight, init_score=y_score)
        settings = {"objective": "binary", "metric": "average_precision", "verbose": -1}
        runs["lightgbm"] = lightgbm.Booster(settings, data).eval_train
    if installed("xgboost"):
        import xgboost

        matrix = xgboost.DMatrix(feature, label=y_true, weight=weight, base_margin=y_score)
        settings = {"objective": "binary:logitraw", "eval_metric": "aucpr", "base_score": 0.5}
        model = xgboost.train(settings, matrix, num_boost_round=0)
        runs["xgboost"] = partial(model.eval, matrix)
    return runs


def retrieval_peers(y_true, y_score):
    """pytrec_eval and ranx, a row a query, with and without the building of their inputs."""

    def build():
        judged, found = (
            {f"q{q}": {f"d{i}": kind(v) for i, v in enumerate(row)} for q, row in enumerate(rows)}
            for kind, rows in ((int, y_true), (float, y_score))
        )
        return judged, found

    runs = {}
    judged, found = build()
    if installed("pytrec_eval"):
        from pytrec_eval import RelevanceEvaluator

        def of_pytrec_eval(judged, found):
            return RelevanceEvaluator(judged, {"map"}).evaluate(found)

        runs["pytrec_eval"] = partial(RelevanceEvaluator(judged, {"map"}).evaluate, found)
        runs["pytrec_eval, from arrays"] = lambda: of_pytrec_eval(*build())
    if installed("ranx"):
        import ranx

        def of_ranx(judged, found):
            return ranx.evaluate(ranx.Qrels(judged), ranx.Run(found), "map")

        runs["ranx"] = partial(ranx.evaluate, ranx.Qrels(judged), ranx.Run(found), "map")
        runs["ranx, from arrays"] = lambda: of_ranx(*build())
    return runs
