"""What speed.py times: names, and calls by contestant, of which "X / 100" is a part of X."""

import importlib.metadata
import importlib.util
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap as ap
from sklearn_ap.definitions import Expected

LOOP = "loop over scikit-learn"
PEERS = {  # and their names on PyPI
    **{name: name for name in ("torchmetrics", "torcheval", "lightgbm", "xgboost", "ranx")},
    "pytrec_eval": "pytrec_eval-terrier",
}
TORCH = {
    "torchmetrics": ("torchmetrics.functional.classification", "average_precision"),
    "torcheval": ("torcheval.metrics.functional", "auprc"),
}
score = ap.average_precision_score


def installed(peer):
    return importlib.util.find_spec(peer) is not None


def versions():
    return {peer: importlib.metadata.version(PEERS[peer]) for peer in PEERS if installed(peer)}


def torch_peers(y_true, y_score):
    several = {"num_labels": y_true.shape[1]} if y_true.ndim == 2 else {}
    kind, runs = "multilabel" if several else "binary", {}
    for peer, (module, metric) in TORCH.items():
        if installed(peer):
            from torch import from_numpy

            metric = getattr(importlib.import_module(module), f"{kind}_{metric}")
            runs[peer] = partial(metric, from_numpy(y_score), from_numpy(y_true), **several)
    return runs


def boosters(y_true, y_score, weight):
    runs, feature = {}, np.arange(y_true.size)[:, None]
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
    runs = {}
    judged, found = (
        {f"q{q}": {f"d{i}": kind(v) for i, v in enumerate(row)} for q, row in enumerate(rows)}
        for kind, rows in ((int, y_true), (float, y_score))
    )
    if installed("pytrec_eval"):
        from pytrec_eval import RelevanceEvaluator

        runs["pytrec_eval"] = partial(RelevanceEvaluator(judged, {"map"}).evaluate, found)
    if installed("ranx"):
        import ranx

        runs["ranx"] = partial(ranx.evaluate, ranx.Qrels(judged), ranx.Run(found), "map")
    return runs


def draw(n, prevalence):
    rng = np.random.default_rng(0)
    y_true = (rng.random(n) < prevalence).astype(np.int64)
    y_true[0] = 1
    return y_true, rng.random(n)


def ranking(n, prevalence=0.02, kind=""):
    y, s = draw(n, prevalence)
    kinds = {"float32": s.astype(np.float32), "rounded": s.round(2), "constant": s * 0 + 0.5}
    s = kinds.get(kind, s)
    weight = np.random.default_rng(1).random(n) if kind == "weighted" else None
    calls = {
        "ours": partial(score, y, s, sample_weight=weight),
        "np.sort": partial(np.sort, s),
        "scikit-learn": partial(scikit_learn, y, s, sample_weight=weight),
        **(torch_peers(y, s) if weight is None else {}),
        **boosters(y, s, weight),
    }
    return f"{n:,} rows, {prevalence:.1%} positives{', ' * bool(kind)}{kind}", calls


def columns(n_rows, n_labels):
    y, s = np.random.default_rng(0).random((2, n_rows, n_labels))
    y = (y < 0.02).astype(np.int64)
    y[0] = 1
    calls = {"ours": partial(score, y, s), "scikit-learn": partial(scikit_learn, y, s)}
    return f"{n_rows:,} rows x {n_labels:,} labels", calls | torch_peers(y, s)


def queries(n_groups, size):
    """Groups; the loop over scikit-learn runs on a hundredth of them, and is scaled."""
    rng = np.random.default_rng(0)
    y = (rng.random((n_groups, size)) < 0.1).astype(np.int64)
    y[:, 0] = 1
    s, part = rng.random((n_groups, size)), max(1, n_groups // 100)
    names = np.repeat(np.arange(n_groups), size)
    calls = {
        "ours": partial(score, y.ravel(), s.ravel(), queries=names),
        f"{LOOP} / {n_groups // part}": lambda: [*map(scikit_learn, y[:part], s[:part])],
    }
    return f"{n_groups:,} queries of {size}", calls | retrieval_peers(y, s)


def definitions(n):
    y, s = draw(n, 0.02)
    calls = {
        "ours": partial(ap.step_average_precision_score, y, s),
        "interpolated": partial(ap.interpolated_average_precision_score, y, s),
        "eleven-point": partial(ap.eleven_point_average_precision_score, y, s),
        "at 10": partial(ap.average_precision_at_k_score, y, s, k=10),
        "expected": partial(score, y, s, definition=Expected()),
    }
    return f"definitions, {n:,} rows", calls


def shapes(n, prevalence):
    y, s = draw(n, prevalence)
    row, shuffled = np.arange(n), np.random.default_rng(1).permutation(n)
    names = {
        "queries of 2": row // 2,
        "queries of 5": row // 5,
        "queries of 1,001": row // 1_001,
        "queries of 5, shuffled": shuffled // 5,
        "queries of 100, shuffled": shuffled // 100,
        "strings": (row // 100).astype(str),
        "strings, shuffled": (shuffled // 100).astype(str),
    }
    call = partial(score, zero_division=0.0)
    calls = {"ours": partial(call, y, s)}
    calls |= {name: partial(call, y, s, queries=queries) for name, queries in names.items()}
    calls["1,000 labels"] = partial(call, y.reshape(-1, 1_000), s.reshape(-1, 1_000))
    return f"shapes of {n:,} rows, {prevalence:.1%} of them positive", calls


def interval(n, prevalence):
    y, _ = draw(n, prevalence)
    a, b = y + np.random.default_rng(1).normal(size=(2, n))
    name = f"{n:,} rows, {prevalence:.0%} positives"
    of_one = partial(ap.average_precision_interval, y, a)
    yield f"interval, {name}", {"ours": partial(score, y, a), "interval": of_one}
    of_two = partial(ap.compare_average_precision, y, {"A": a, "B": b})
    calls = {"ours": lambda: [score(y, a), score(y, b)], "comparison": of_two}
    yield f"comparison of two models, {name}", calls
