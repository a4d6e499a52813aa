"""What speed.py times: for each question and number of rows, calls of ours and of other libraries.

A peer that is not installed, or takes over a minute or 16 GB for so many rows, is left out.
"""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import numpy as np
from scipy.stats import bootstrap
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap as ap
from sklearn_ap import detections

PEERS = (
    *("torchmetrics", "torcheval", "lightgbm", "xgboost", "catboost", "pytrec_eval", "ranx"),
    *("ir_measures", "stambo", "credible", "mapie", "pycocotools", "hotcoco"),
)
MOST = {"credible": 10**3, "pycocotools": 10**5, "mapie": 10**6}  # rows
MOST_DOCUMENTS = 10**6
N_RESAMPLES = 1_000  # of bootstraps
FLOAT32, DRAWS_ROWS = "scores and sums of 32 bits", "draws rows"
PRECISION, GUARANTEE = 0.5, 0.9
limits = attrgetter("low", "high")


@dataclass
class Call:
    """A contestant: its part of the work, what it finds, and why that differs from ours."""

    name: str
    run: Callable
    number: Callable = float
    why: str = ""
    parts: int = 1  # of the work, of which one is run


def installed(peer):
    return importlib.util.find_spec(peer) is not None


def takes(peer, n):
    return installed(peer) and n <= MOST.get(peer, n)


def versions():
    names = importlib.metadata.packages_distributions()
    return {peer: importlib.metadata.version(names[peer][0]) for peer in PEERS if installed(peer)}


def draw(n, prevalence=0.02):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < prevalence).astype(np.int64)
    y[0] = 1
    return y, y + rng.normal(size=n)


def torch_metrics():
    """Yield functions of tensors of scores and labels, by library; those that are installed."""
    names = {
        "torchmetrics": ("torchmetrics.functional.classification", "binary_average_precision"),
        "torcheval": ("torcheval.metrics.functional", "binary_auprc"),
    }
    for peer, (module, name) in names.items():
        if installed(peer):
            yield peer, getattr(importlib.import_module(module), name)


def boosters(y, s, weight=None):
    """Models without trees, whose predictions are the scores."""
    feature = np.arange(y.size)[:, None]
    if installed("lightgbm"):
        import lightgbm

        data = lightgbm.Dataset(feature, label=y, weight=weight, init_score=s)
        settings = {"objective": "binary", "metric": "average_precision", "verbose": -1}
        run = lightgbm.Booster(settings | {"num_threads": 1}, data).eval_train
        why = "" if weight is None else "weights of 32 bits"
        yield Call("LightGBM", run, lambda found: found[0][2], why)
    if installed("xgboost"):
        import xgboost

        matrix = xgboost.DMatrix(feature, label=y, weight=weight, base_margin=s)
        settings = {"objective": "binary:logitraw", "eval_metric": "aucpr", "base_score": 0.5}
        model = xgboost.train(settings | {"nthread": 1}, matrix, num_boost_round=0)
        why = "interpolates between thresholds"
        yield Call("XGBoost", partial(model.eval, matrix), lambda x: float(x.split(":")[1]), why)


def score(n, prevalence):
    y, s = draw(n, prevalence)
    yield Call("sklearn_ap", partial(ap.average_precision_score, y, s))
    yield Call("scikit-learn", partial(scikit_learn, y, s))
    yield Call("np.sort", partial(np.sort, s), lambda _: [], "sorts the scores, and no more")
    for peer, metric in torch_metrics():
        from torch import from_numpy

        yield Call(peer, partial(metric, from_numpy(s), from_numpy(y)), why=FLOAT32)
    yield from boosters(y, s)
    if takes("catboost", n):
        from catboost.utils import eval_metric

        run = partial(eval_metric, y, s, "PRAUC", thread_count=1)
        yield Call("CatBoost", run, lambda found: found[0], "joins thresholds by lines")


def weighted_score(n):
    y, s = draw(n)
    weight = np.random.default_rng(1).random(n)
    yield Call("sklearn_ap", partial(ap.average_precision_score, y, s, sample_weight=weight))
    yield Call("scikit-learn", partial(scikit_learn, y, s, sample_weight=weight))
    yield from boosters(y, s, weight)


def queries(n):
    """Queries of 100; of more than ten, the loop over scikit-learn runs on a hundredth."""
    y, s = (values.reshape(-1, 100).copy() for values in draw(n, 0.1))
    y[:, 0] = 1
    names, part = np.repeat(np.arange(len(y)), 100), max(10, len(y) // 100)
    run = partial(ap.average_precision_score, y.ravel(), s.ravel(), queries=names)
    yield Call("sklearn_ap", run)
    loop = partial(lambda *rows: [*map(scikit_learn, *rows)], y[:part], s[:part])
    yield Call("loop over scikit-learn", loop, np.mean, parts=len(y) // part)
    if n > MOST_DOCUMENTS:
        return
    judged, found = (
        {f"q{q}": {f"d{i}": v for i, v in enumerate(row)} for q, row in enumerate(rows.tolist())}
        for rows in (y, s)
    )
    if installed("pytrec_eval"):
        from pytrec_eval import RelevanceEvaluator

        run = partial(RelevanceEvaluator(judged, {"map"}).evaluate, found)
        yield Call("pytrec_eval", run, lambda x: np.mean([each["map"] for each in x.values()]))
    if installed("ranx"):
        import ranx

        yield Call("ranx", partial(ranx.evaluate, ranx.Qrels(judged), ranx.Run(found), "map"))
    if installed("ir_measures"):
        import ir_measures

        run = partial(ir_measures.calc_aggregate, [ir_measures.AP], judged, found)
        yield Call("ir_measures", run, lambda means: means[ir_measures.AP])


def interval(n):
    y, s = draw(n)
    yield Call("sklearn_ap", partial(ap.average_precision_interval, y, s), limits)
    yield of_scipy((y, s), scikit_learn)
    if takes("credible", n):
        from credible.metrics import average_precision_score

        why = "joins limits of the precision and recall at each threshold"
        yield Call("credible", partial(average_precision_score, y, s), lambda x: x[1:], why)


def comparison(n):
    y, a = draw(n)
    b = a + 0.3 * np.random.default_rng(1).normal(size=n)
    run = partial(ap.compare_average_precision, y, {"a": a, "b": b})
    yield Call("sklearn_ap", run, lambda x: [x.difference_low[-1], x.difference_high[-1]])
    yield of_scipy((y, a, b), lambda y, a, b: scikit_learn(y, b) - scikit_learn(y, a))
    if takes("stambo", n):
        import stambo

        parts = parts_of_bootstrap(n)
        settings = {"n_bootstrap": N_RESAMPLES // parts, "seed": 0, "silent": True}
        run = partial(stambo.compare_models, y, a, b, (stambo.metrics.AP(),), **settings)
        yield Call("stambo", run, lambda found: found["AP"][2:4], DRAWS_ROWS, parts)


def guarantee(n):
    y, s = draw(n, 0.3)
    probability = 1 / (1 + np.exp(0.5 + np.log(7 / 3) - s))
    settings = {"precision": PRECISION, "guarantee": GUARANTEE}
    run = partial(ap.operating_point, y, probability, **settings)
    yield Call("sklearn_ap", run, lambda found: found.threshold)
    if takes("mapie", n):
        goal = {"target_level": PRECISION, "confidence_level": GUARANTEE}
        run = partial(of_mapie, y, probability, **goal, fwer_method="bonferroni")
        yield Call("MAPIE", run, why="tries 100 thresholds, where we try all scores")


def of_mapie(y, probability, **goal):
    """The threshold of MAPIE for a precision; None if it finds none, of which it warns."""
    from mapie.risk_control import BinaryClassificationController

    controller = BinaryClassificationController(
        lambda x: np.column_stack((1 - x[:, 0], x[:, 0])), risk="precision", **goal
    )
    with contextlib.redirect_stdout(io.StringIO()):
        return controller.calibrate(probability[:, None], y).best_predict_param


def boxes(n):
    """COCO's AP of n boxes in images of 100, from matching on."""
    if not takes("pycocotools", n):
        return
    rng, n_images, numbers = np.random.default_rng(0), max(1, n // 100), np.arange(n).tolist()
    corner, moved = rng.random((n, 2)) * 400, rng.normal(size=(n, 2)) * 6
    shapes = np.column_stack((corner, np.full((n, 2), 50.0))).round(2)
    common = [{"image_id": i // 100 + 1, "category_id": i % 5 + 1} for i in numbers]
    truth = {
        "images": [{"id": i + 1, "height": 480, "width": 640} for i in range(n_images)],
        "categories": [{"id": i + 1, "name": f"class {i}"} for i in range(5)],
        "annotations": [
            common[i] | {"id": i + 1, "bbox": shapes[i].tolist(), "area": 2500.0, "iscrowd": 0}
            for i in numbers[::5]
        ],
    }
    scores = rng.random(n).round(4).tolist()
    shapes[:, :2] += moved.round(2)
    found = [common[i] | {"bbox": shapes[i].tolist(), "score": scores[i]} for i in numbers]
    for peer, module in {"pycocotools": "pycocotools.cocoeval", "hotcoco": "hotcoco"}.items():
        if not takes(peer, n):
            continue
        coco = importlib.import_module("pycocotools.coco" if peer == "pycocotools" else peer).COCO()
        with contextlib.redirect_stdout(io.StringIO()):
            coco.dataset = truth
            coco.createIndex()
            evaluation = importlib.import_module(module).COCOeval(coco, coco.loadRes(found), "bbox")
            evaluation.evaluate()
        if peer == "pycocotools":
            yield Call("sklearn_ap", partial(our_boxes, evaluation))
        why = "all areas and numbers of boxes, where we compute one"
        yield Call(peer, partial(accumulated, evaluation), why=why)


def our_boxes(evaluation):
    matched = detections.from_coco(evaluation, ties="coco")
    return ap.average_precision_score(**matched["detector"], definition=matched.definition)


def accumulated(evaluation):
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.accumulate()
    precision = np.array(evaluation.eval["precision"]).reshape(10, 101, -1, 4, 3)[..., 0, -1]
    return precision[precision > -1].mean()


def of_scipy(rows, statistic):
    parts = parts_of_bootstrap(rows[0].size)
    settings = {"paired": True, "vectorized": False, "method": "percentile", "rng": 0}
    run = partial(bootstrap, rows, statistic, n_resamples=N_RESAMPLES // parts, **settings)
    return Call(
        "scipy.stats.bootstrap", run, lambda x: limits(x.confidence_interval), DRAWS_ROWS, parts
    )


def parts_of_bootstrap(n):
    """Take all resamples of a thousand rows, and 10 or 2 of more."""
    return {10**3: 1, 10**5: 100}.get(n, 500)


QUESTIONS = {
    "Score, 2% positive": partial(score, prevalence=0.02),
    "Score, half positive": partial(score, prevalence=0.5),
    "Score of weighted rows": weighted_score,
    "Mean over queries of 100": queries,
    "Interval": interval,
    "Comparison of two models": comparison,
    "Threshold with a guaranteed precision": guarantee,
    "COCO's AP of matched boxes": boxes,
}
