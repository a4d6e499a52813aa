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
    runs = {}
    several = {"num_labels": y_true.shape[1]} if y_true.ndim == 2 else {}
    if installed("torchmetrics"):
        import torch
        from torchmetrics.functional import classification

        tensors = torch.from_numpy(y_score), torch.from_numpy(y_true)
        kind = "multilabel" if several else "binary"
        metric = getattr(classification, f"{kind}_average_precision")
        runs["torchmetrics"] = partial(metric, *tensors, **several)
    if installed("torcheval"):
        import torch
        from torcheval.metrics import functional

        tensors = torch.from_numpy(y_score), torch.from_numpy(y_true)
        metric = functional.multilabel_auprc if several else functional.binary_auprc
        runs["torcheval"] = partial(metric, *tensors, **several)
    return runs


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
        judged = {f"q{q}": {f"d{i}": int(v) for i, v in enumerate(r)} for q, r in enumerate(y_true)}
        found = {
            f"q{q}": {f"d{i}": float(v) for i, v in enumerate(r)} for q, r in enumerate(y_score)
        }
        return judged, found

    runs = {}
    judged, found = build()
    if installed("pytrec_eval"):
        import pytrec_eval

        evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
        runs["pytrec_eval"] = partial(evaluator.evaluate, found)
        runs["pytrec_eval, from arrays"] = lambda: pytrec_eval.RelevanceEvaluator(
            (inputs := build())[0], {"map"}
        ).evaluate(inputs[1])
    if installed("ranx"):
        import ranx

        qrels, run = ranx.Qrels(judged), ranx.Run(found)
        runs["ranx"] = partial(ranx.evaluate, qrels, run, "map")
        runs["ranx, from arrays"] = lambda: ranx.evaluate(
            ranx.Qrels((inputs := build())[0]), ranx.Run(inputs[1]), "map"
        )
    return runs
