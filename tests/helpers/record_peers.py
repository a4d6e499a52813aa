"""Records what the real tools answer: python -m tests.helpers.record_peers [TOOL ...].

Runs the tools that are installed on the cases of data/peers.json and on those of
data/probe_answers.json, and writes their answers there; those of the others stay. Each runner takes
what compat.score takes, and gives what the tool gives.
"""

import importlib
import io
import json
import math
import os
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from functools import cache, partial
from importlib.metadata import packages_distributions, version
from pathlib import Path

import numpy as np
from sklearn import metrics

from sklearn_ap.compat._tool_names import get_function
from tests.helpers.java_tools import weka_area, weka_version
from tests.helpers.list_tools import LIST_RUNNERS
from tests.helpers.probe_rankings import NOT_ASKED
from tests.helpers.probe_rankings import read as read_probes
from tests.helpers.probe_rankings import write as write_probes
from tests.helpers.r_tools import R_CALLS, r_function, r_version

DATA = Path(__file__).parents[1] / "data" / "peers.json"
OF_VERSIONS = {"haystack.DocumentMAPEvaluator_before_3.1": "3.0"}  # is asked of these alone
NEW_KS = (1, 3, 5)
HARD_K = 7
UNSTABLE = {"lightgbm.map"}  # its sort promises no order beyond 16 items
SLOW = {"pyspark"}  # seconds a call, so it is asked every seventh ranking, which has all kinds
READS_BEYOND = {"implicit"}  # with k above the items, it reads beyond its list: any number
TORCHEVAL = "torcheval.metrics.functional"
TORCHMETRICS = "torchmetrics.functional.classification"
CATBOOST = "PRAUC", "MAP", "PrecisionAt", "AverageGain"
PYTREC_EVAL = "map", "map_cut", "P", "11pt_avg", "iprec_at_recall", "recip_rank"
IR_MEASURES = "AP", "AP@k", "P@k", "RR", "RR@k"
RANX = "map", "map@k", "precision@k", "mrr", "mrr@k"
MODULES = {
    "clickhouse": "chdb",
    "object_detection_metrics": "podm",
}  # where it is not the name of the tool
os.environ.setdefault("KERAS_BACKEND", "torch")


def imported(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def sklearn_auc(y, s, sample_weight=None):
    precision, recall, _ = metrics.precision_recall_curve(y, s, sample_weight=sample_weight)
    return metrics.auc(recall, precision)


def mlstatkit_pr_auc(y, s):
    return imported("MLstatkit.get_metric_fn")("pr_auc")(y, s)


def sklearn_lrap(y, s):
    return metrics.label_ranking_average_precision_score([y], [s])


def torch_pair(y, s, dtype="float32"):
    import torch

    return torch.tensor(s, dtype=getattr(torch, dtype)), torch.tensor(y)


def torch_function(path, **defaults):
    """A function of scores and labels, some of which give the value and more."""

    def run(y, s, dtype="float32", **options):
        found = imported(path)(*torch_pair(y, s, dtype), **(defaults | options))
        return (found[0] if isinstance(found, tuple) else found).item()

    return run


def torchmetrics_binary(y, s, dtype="float32", thresholds=None):
    metric = imported("torchmetrics.classification.BinaryAveragePrecision")(thresholds=thresholds)
    return metric(*torch_pair(y, s, dtype)).item()


def torchmetrics_multilabel(y, s, dtype="float32"):
    """A label among two that are the same."""
    from torchmetrics.classification import MultilabelAveragePrecision

    scores, labels = torch_pair(y, s, dtype)
    metric = MultilabelAveragePrecision(num_labels=2, average="none")
    return metric(scores.tile(2, 1).T, labels.tile(2, 1).T)[0].item()


def torchmetrics_detection(y, s):
    """One image per item, one object in each positive one, one detection in each."""
    import torch
    from torchmetrics.detection import MeanAveragePrecision

    box, scores = torch.tensor([[0.0, 0.0, 10.0, 10.0]]), torch_pair(y, s)[0]
    found = [{"boxes": box, "scores": score[None], "labels": torch.tensor([1])} for score in scores]
    truth = [{"boxes": box[:hit], "labels": torch.tensor([1])[:hit]} for hit in np.asarray(y, int)]
    metric = MeanAveragePrecision()
    metric.update(found, truth)
    return metric.compute()["map_50"].item()


def torchmetrics_retrieval(name, **given):
    def run(y, s, k=None):
        scores, labels = torch_pair(y, s)
        metric = imported(f"torchmetrics.retrieval.{name}")(top_k=k, **given)
        return metric(scores, labels, indexes=labels * 0).item()

    return run


def keras_metric(name, **given):
    def run(y, s, sample_weight=None, **options):
        import keras

        metric = getattr(keras.metrics, name)(**given | options)
        metric.update_state(y, s, sample_weight=sample_weight)
        return float(metric.result())

    return run


def xgboost_metric(name, objective="rank:pairwise"):
    def run(y, s, k=None, sample_weight=None):
        import xgboost

        data = xgboost.DMatrix(np.zeros((len(y), 1)), label=y, base_margin=s, weight=sample_weight)
        if objective.startswith("rank"):
            data.set_group([len(y)])
        metric = name if k is None else f"{name}@{k}"
        settings = {"objective": objective, "eval_metric": metric, "base_score": 0.5}
        booster = xgboost.train(settings, data, num_boost_round=0)
        return float(booster.eval(data).rpartition(":")[2])

    return run


@cache
def h2o_started():
    import h2o

    h2o.init(nthreads=1, strict_version_check=False, verbose=False)
    h2o.no_progress()
    return h2o


def h2o_aucpr(y, s, sample_weight=None):
    h2o = h2o_started()
    columns = {"y": y, "p": s} | ({} if sample_weight is None else {"w": sample_weight})
    frame = h2o.H2OFrame({name: np.asarray(values).tolist() for name, values in columns.items()})
    weights = {} if sample_weight is None else {"weights": frame["w"]}
    truth = frame["y"].asfactor()
    return h2o.make_metrics(frame["p"], truth, domain=["0", "1"], **weights).aucpr()


def lightgbm_metric(name, objective):
    def run(y, s, k=None, sample_weight=None):
        import lightgbm

        settings = {"objective": objective, "metric": name, "eval_at": [k or 1], "verbose": -1}
        settings |= {"learning_rate": 1e-300, "min_data_in_leaf": len(y), "force_row_wise": True}
        group = [len(y)] if objective == "lambdarank" else None
        zeros = np.zeros((len(y), 1))
        data = lightgbm.Dataset(zeros, label=y, init_score=s, group=group, weight=sample_weight)
        found = {}
        noted = {"valid_sets": [data], "callbacks": [lightgbm.record_evaluation(found)]}
        lightgbm.train(settings, data, num_boost_round=1, **noted)
        return next(iter(found["training"].values()))[0]

    return run


def catboost_metric(name):
    def run(y, s, k=None, sample_weight=None):
        from catboost.utils import eval_metric

        text = name if k is None else f"{name}:top={k}"
        group = None if name == "PRAUC" else np.zeros(len(y), int)
        return eval_metric(y, s, text, weight=sample_weight, group_id=group)[0]

    return run


def documents(y, s):
    return (
        {"q": {f"d{i:06}": int(label) for i, label in enumerate(y)}},
        {"q": {f"d{i:06}": float(score) for i, score in enumerate(s)}},
    )


def pytrec(measure):
    def run(y, s, k=None, level=0.0):
        import pytrec_eval

        judged, found = documents(y, s)
        option = level if measure == "iprec_at_recall" else k
        asked = measure if option is None else f"{measure}.{option}"
        (value,) = pytrec_eval.RelevanceEvaluator(judged, {asked}).evaluate(found)["q"].values()
        return value

    return run


def ir_measure(name):
    def run(y, s, k=None):
        import ir_measures

        judged, found = documents(y, s)
        measure = getattr(ir_measures, name)
        measure = measure if k is None else measure @ k
        return ir_measures.calc_aggregate([measure], judged, found)[measure]

    return run


def ranx_metric(name):
    def run(y, s, k=None):
        import ranx

        judged, found = documents(y, s)
        judged["q"] = {name: 1 for name, label in judged["q"].items() if label} or judged["q"]
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


def coco_ap(dataset, evaluator):
    def run(y, s):
        truth, detections = coco_dataset(y, s)
        with redirect_stdout(io.StringIO()):
            coco = imported(dataset)()
            coco.dataset = truth
            coco.createIndex()
            run = imported(evaluator)(coco, coco.loadRes(detections), "bbox")
            run.params.iouThrs = np.array([0.5])
            run.evaluate()
            run.accumulate()
        return run.eval["precision"][0, :, 0, 0, -1].mean()

    return run


def lvis_ap(y, s):
    vars(np)["float"] = float  # which NumPy has no longer
    from lvis import LVIS, LVISEval, LVISResults

    truth, detections = coco_dataset(y, s)
    for image in truth["images"]:  # category 1 is there, or known not to be
        image |= {"neg_category_ids": [1], "not_exhaustive_category_ids": []}
    truth["categories"][0]["frequency"] = "f"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "truth.json"
        path.write_text(json.dumps(truth))
        known = LVIS(str(path))
    run = LVISEval(known, LVISResults(known, detections), "bbox")
    run.params.iou_thrs = np.array([0.5])
    run.evaluate()
    run.accumulate()
    return run.eval["precision"][0, :, 0, 0].mean()


def supervision_ap(y, s):
    """One image per item, one object in each positive one, one detection in each."""
    from supervision import Detections
    from supervision.metrics import MeanAveragePrecision

    box, label = np.array([[0.0, 0.0, 10.0, 10.0]]), np.array([0])
    found = [
        Detections(xyxy=box, confidence=np.array([score]), class_id=label) for score in s.tolist()
    ]
    truth = [Detections(xyxy=box[:hit], class_id=label[:hit]) for hit in y.tolist()]
    return MeanAveragePrecision().update(found, truth).compute().map50


def globox_ap(y, s):
    """One image per item, one object in each positive one, one detection in each."""
    from globox import Annotation, AnnotationSet, BoundingBox, COCOEvaluator

    def image(item, **confidence):
        box = BoundingBox(label="object", xmin=0, ymin=0, xmax=10, ymax=10, **confidence)
        return Annotation(f"{item:06}", boxes=[box])  # it sorts images by name

    found = AnnotationSet(image(item, confidence=score) for item, score in enumerate(s.tolist()))
    truth = AnnotationSet(map(image, np.flatnonzero(y)))
    return COCOEvaluator(ground_truths=truth, predictions=found).ap_50()


def mean_average_precision_at(levels=None):
    """One image per item, one object in each positive one, one detection in each."""

    def run(y, s):
        from mean_average_precision import MetricBuilder

        metric = MetricBuilder.build_evaluation_metric("map_2d", num_classes=1)
        truth = np.array([[0, 0, 10, 10, 0, 0, 0]])
        for hit, score in zip(y, s, strict=True):
            metric.add(np.array([[0, 0, 10, 10, 0, score]]), truth[:hit])
        return metric.value(iou_thresholds=0.5, recall_thresholds=levels)["mAP"]

    return run


def podm_ap(method):
    """One image per item, one object in each positive one, one detection in each."""

    def run(y, s):
        from podm import metrics as podm

        def box(item, score=None):
            return podm.BoundingBox.of_bbox(f"{item:06}", "object", 0, 0, 10, 10, score)

        found, truth = [*map(box, range(len(y)), s)], [*map(box, np.flatnonzero(y))]
        how = getattr(podm.MethodAveragePrecision, method)
        return podm.get_pascal_voc_metrics(truth, found, 0.5, how)["object"].ap

    return run


def ultralytics_ap(y, s):
    ap_per_class = imported("ultralytics.utils.metrics.ap_per_class")
    hits, labels = np.asarray(y, bool)[:, None], np.zeros(int(np.sum(y)))
    found = ap_per_class(hits, np.asarray(s), np.zeros(len(y)), labels)[5]
    return found[0, 0] if len(found) else 0.0


def ogb_ap(y, s):
    evaluator = imported("ogb.graphproppred.Evaluator")("ogbg-molpcba")
    return evaluator.eval({"y_true": np.tile(y, (128, 1)).T, "y_pred": np.tile(s, (128, 1)).T})[
        "ap"
    ]


def polars_ds_ap(y, s):
    import polars as pl
    import polars_ds as pds

    metrics = pl.DataFrame({"y": y, "s": s}).select(pds.query_binary_metrics("y", "s")).item()
    return metrics["avg_precision"] if isinstance(metrics, dict) else metrics  # nan alone


def cornac_map(y, s):
    items = np.arange(len(y))
    return imported("cornac.metrics.MAP")().compute(items, s, np.flatnonzero(y))


def clickhouse_aucpr(y, s):
    import chdb

    asked = f"SELECT arrayAUCPR({np.asarray(s, float).tolist()}, {np.asarray(y, int).tolist()})"
    return float(str(chdb.query(asked)))


def trectools_map(y, s, k=1000):
    import pandas as pd
    from trectools import TrecEval, TrecQrel, TrecRun

    names = [f"d{i:06}" for i in range(len(y))]
    found, judged = TrecRun(), TrecQrel()
    found.filename = judged.filename = "not read"
    scored = {"docid": names, "rank": 0, "score": np.asarray(s, float), "system": "t"}
    found.run_data = pd.DataFrame({"query": 1, "q0": "q0"} | scored)
    judged.qrels_data = pd.DataFrame({"query": 1, "q0": "q0", "docid": names, "rel": y})
    return TrecEval(found, judged).get_map(depth=k)


# By the name of the entry: labels, scores and the options of compat.score in, a number out.
RUNNERS = {
    "sklearn.average_precision_score": metrics.average_precision_score,
    "sklearn.auc_of_precision_recall_curve": sklearn_auc,
    "sklearn.label_ranking_average_precision_score": sklearn_lrap,
    "MLstatkit.pr_auc": mlstatkit_pr_auc,
    "torchmetrics.BinaryAveragePrecision": torchmetrics_binary,
    "torchmetrics.BinaryAveragePrecision_thresholds": partial(torchmetrics_binary, thresholds=200),
    "torchmetrics.MultilabelAveragePrecision": torchmetrics_multilabel,
    "torchmetrics.MeanAveragePrecision": torchmetrics_detection,
    "torchmetrics.RetrievalMAP": torchmetrics_retrieval("RetrievalMAP"),
    "torchmetrics.RetrievalPrecision": torchmetrics_retrieval("RetrievalPrecision"),
    "torchmetrics.RetrievalPrecision_adaptive_k": torchmetrics_retrieval(
        "RetrievalPrecision", adaptive_k=True
    ),
    **{
        f"{module.partition('.')[0]}.{name}": torch_function(f"{module}.{name}", **given)
        for module, name, given in (
            (TORCHEVAL, "binary_auprc", {}),
            (TORCHEVAL, "binary_binned_auprc", {"threshold": 100}),
            (TORCHEVAL, "binary_recall_at_fixed_precision", {"min_precision": 0.9}),
            (TORCHMETRICS, "binary_recall_at_fixed_precision", {"min_precision": 0.9}),
            (TORCHMETRICS, "binary_precision_at_fixed_recall", {"min_recall": 0.8}),
        )
    },
    "h2o.aucpr": h2o_aucpr,
    **{
        f"keras.AUC_PR_{how}": keras_metric("AUC", curve="PR", summation_method=how)
        for how in ("interpolation", "majoring", "minoring")
    },
    "keras.PrecisionAtRecall": keras_metric("PrecisionAtRecall", recall=0.8),
    "keras.RecallAtPrecision": keras_metric("RecallAtPrecision", precision=0.9),
    "xgboost.aucpr": xgboost_metric("aucpr", "binary:logitraw"),
    "xgboost.aucpr_ranking": xgboost_metric("aucpr"),
    "xgboost.map": xgboost_metric("map"),
    "xgboost.map@k": xgboost_metric("map"),
    "xgboost.map_minus": xgboost_metric("map-"),
    "xgboost.pre@k": xgboost_metric("pre"),
    "lightgbm.average_precision": lightgbm_metric("average_precision", "binary"),
    "lightgbm.map": lightgbm_metric("map", "lambdarank"),
    **{f"catboost.{name}": catboost_metric(name) for name in CATBOOST},
    **{f"pytrec_eval.{name}": pytrec(name) for name in PYTREC_EVAL},
    **{f"ir_measures.{name}": ir_measure(name.partition("@")[0]) for name in IR_MEASURES},
    **{f"ranx.{name}": ranx_metric(name.partition("@")[0]) for name in RANX},
    "trectools.get_map": trectools_map,
    "pycocotools.COCOeval": coco_ap("pycocotools.coco.COCO", "pycocotools.cocoeval.COCOeval"),
    "faster_coco_eval.COCOeval_faster": coco_ap(
        "faster_coco_eval.COCO", "faster_coco_eval.COCOeval_faster"
    ),
    "globox.COCOEvaluator": globox_ap,
    "mean_average_precision.value": mean_average_precision_at(),
    "mean_average_precision.value_11": mean_average_precision_at(np.arange(0, 1.1, 0.1)),
    "mean_average_precision.value_101": mean_average_precision_at(np.arange(0, 1.01, 0.01)),
    "lvis.LVISEval": lvis_ap,
    "supervision.MeanAveragePrecision": supervision_ap,
    "object_detection_metrics.AllPoints": podm_ap("AllPointsInterpolation"),
    "object_detection_metrics.ElevenPoints": podm_ap("ElevenPointsInterpolation"),
    "ultralytics.compute_ap": ultralytics_ap,
    "ogb.Evaluator": ogb_ap,
    "polars_ds.query_binary_metrics": polars_ds_ap,
    "cornac.MAP": cornac_map,
    "clickhouse.arrayAUCPR": clickhouse_aucpr,
    "weka.getPRCArea": weka_area,
    **LIST_RUNNERS,
    **{name: r_function(name) for name in R_CALLS},
}


def installed(name):
    if name in R_CALLS:
        return r_version(get_function(name).tool) is not None
    try:
        importlib.import_module(MODULES.get(get_function(name).tool, get_function(name).tool))
    except ImportError:
        return False
    return is_of_version(name)


def is_of_version(name):
    """Whether the installed version is the one that the name stands for."""
    tool = get_function(name).tool
    asked = {
        other
        for other, start in OF_VERSIONS.items()
        if get_function(other).tool == tool and tool_version(tool).startswith(start)
    }
    return name in (asked or {name} - OF_VERSIONS.keys())


@cache
def tool_version(tool):
    if any(name.startswith(f"{tool}.") for name in R_CALLS):
        return r_version(tool)
    if tool == "weka":
        return weka_version()
    return version(packages_distributions()[MODULES.get(tool, tool)][0])


def answered(name, case, options):
    record = {"name": name, "version": tool_version(get_function(name).tool), "options": options}
    given = options | (
        {"sample_weight": case["sample_weight"]} if "sample_weight" in options else {}
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y_true, y_score = np.array(case["y_true"]), np.array(case["y_score"])
            value = float(RUNNERS[name](y_true, y_score, **given))
    except Exception as error:
        return record | {"exception": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
    return record | ({"value": None, "nan": True} if math.isnan(value) else {"value": value})


def recorded(case, fresh, known):
    for record in case["results"]:
        if record["name"] not in fresh or None in case["y_score"]:
            yield record
        else:
            yield record | answered(record["name"], case, record["options"])
    for name in sorted(fresh - known) if None not in case["y_score"] else ():
        entry = get_function(name)
        is_tied = len(set(case["y_score"])) < len(case["y_score"])
        noted = is_tied and is_unspecified(name)
        for k in (*[None] * (not entry.needs_k), *NEW_KS * entry.takes_k):
            record = answered(name, case, {} if k is None else {"k": k})
            yield record | ({"tie_order_unspecified": True} if noted else {})


def probe_answers(name, rankings, options):
    """What a function answers to each hard ranking: a number, nan as None, or an exception.

    Where its order of tied items is not promised, only rankings without ties are asked. Short
    rankings are not asked where k beyond them has no meaning. Slow tools are asked a seventh.
    """
    values, shortest = [], HARD_K if get_function(name).tool in READS_BEYOND else 0
    for number, (y, s, w) in enumerate(rankings):
        is_tied, is_slow = (
            len({*s.tolist()}) < len(s),
            get_function(name).tool in SLOW and number % 7,
        )
        if len(s) < shortest or is_slow or (is_tied and (name in UNSTABLE or is_unspecified(name))):
            values.append(NOT_ASKED)
            continue
        case = {"y_true": y, "y_score": s, "sample_weight": w}
        found = answered(name, case, options)
        values.append(found.get("exception", found.get("value")))
        if isinstance(values[-1], float):
            values[-1] = float(f"{values[-1]:.12g}")
    version = tool_version(get_function(name).tool)
    return {"name": name, "version": version, "options": options, "values": values}


def updated_probe_answers(fresh, rankings, answers):
    yield from (row for row in answers if row["name"] not in fresh)
    for name in sorted(fresh):
        entry = get_function(name)
        asked = [{"k": HARD_K} if entry.needs_k else {}]
        asked += [asked[0] | {"sample_weight": None}] if entry.takes_weights else []
        for options in asked:
            print(name, options)
            yield probe_answers(name, rankings, options)


def is_unspecified(name):
    return get_function(name).choices["ties"].name == "unspecified"


def written(cases):
    """The text of the file: one line per record, so that a change is seen as one."""
    texts = []
    for case in cases:
        head = json.dumps({key: value for key, value in case.items() if key != "results"})
        records = ",\n".join("  " + json.dumps(record) for record in case["results"])
        texts.append(f'{head[:-1]}, "results": [\n{records}\n]}}')
    return "[\n" + ",\n".join(texts) + "\n]\n"


if __name__ == "__main__":
    cases, tools = json.loads(DATA.read_text()), sys.argv[1:]
    known = {record["name"] for case in cases for record in case["results"]}
    fresh = {name for name in RUNNERS if not tools or get_function(name).tool in tools}
    fresh = {name for name in fresh if installed(name)}
    for case in cases:
        before = case["results"]
        case["results"] = [*recorded(case, fresh, known)]
        for record in case["results"]:
            if record not in before:
                print(case["id"], json.dumps(record))
    DATA.write_text(written(cases))
    rankings, answers = read_probes()
    write_probes([*updated_probe_answers(fresh, rankings, answers)])
