"""Functions that take a ranked list, most of them of recommender systems: ``LIST_RUNNERS``.

Each runner takes labels, scores and k, and ranks tied items in the order of the input.
"""

from functools import cache
from types import SimpleNamespace

import numpy as np


def ranked(y, s):
    """The items, best first, and those that are relevant."""
    return np.argsort(-np.asarray(s), kind="stable").tolist(), np.flatnonzero(y).tolist()


def relevance(y, s):
    return np.asarray(y)[ranked(y, s)[0]]


def implicit_metric(name):
    def run(y, s, k):
        from implicit import evaluation
        from scipy.sparse import csr_matrix

        def recommend(users, user_items, N, **options):
            items = np.array([ranked(y, s)[0][:N]] * len(users), np.int32)
            return items, np.zeros(items.shape, np.float32)

        truth = csr_matrix(np.atleast_2d(y).astype(float))
        model, none = SimpleNamespace(recommend=recommend), csr_matrix(truth.shape)
        return getattr(evaluation, name)(model, none, truth, K=k, show_progress=False)

    return run


def ml_metrics_apk(y, s, k):
    from ml_metrics import apk

    found, relevant = ranked(y, s)
    return apk(relevant, found, k)


def ml_metrics_mapk(y, s, k):
    from ml_metrics import mapk

    found, relevant = ranked(y, s)
    return mapk([relevant], [found], k)


def recmetrics_mark(y, s, k):
    from recmetrics import mark

    found, relevant = ranked(y, s)
    return mark([relevant], [found], k)


def rectools_map(**given):
    def run(y, s, k):
        import pandas as pd
        from rectools.metrics import MAP

        found, relevant = ranked(y, s)
        rank = range(1, len(found) + 1)
        reco = pd.DataFrame({"user_id": 0, "item_id": found, "rank": rank})
        truth = pd.DataFrame({"user_id": 0, "item_id": relevant})
        return MAP(k=k, **given).calc(reco, truth)

    return run


def recommenders_metric(name):
    def run(y, s, k):
        import pandas as pd
        from recommenders.evaluation import python_evaluation

        found, relevant = ranked(y, s)
        score = -np.arange(len(found), dtype=float)
        truth = pd.DataFrame({"userID": 0, "itemID": relevant, "rating": 1.0})
        reco = pd.DataFrame({"userID": 0, "itemID": found, "prediction": score})
        return getattr(python_evaluation, name)(truth, reco, k=k)

    return run


def recbole_map(y, s, k):
    vars(np)["float"] = float  # which NumPy has no longer
    from recbole.evaluator.metrics import MAP

    metric = MAP({"metric_decimal_place": 4, "topk": [k]})
    hits = np.zeros((1, k), bool)  # its lists have k items
    hits[0, : len(y)] = relevance(y, s)[:k]
    return metric.metric_info(hits, np.array([np.sum(y)]))[0, k - 1]


def sentence_transformers_map(y, s, k):
    from sentence_transformers.evaluation import InformationRetrievalEvaluator

    names = [f"{item:06}" for item in range(len(y))]
    evaluator = InformationRetrievalEvaluator({"q": ""}, dict.fromkeys(names, ""), {"q": {""}})
    evaluator.relevant_docs = {"q": {names[item] for item in np.flatnonzero(y)}}
    evaluator.map_at_k = [k]
    found = [{"corpus_id": name, "score": score} for name, score in zip(names, s, strict=True)]
    return evaluator.compute_metrics([found])["map@k"][k]


def torch_geometric_map(y, s, k):
    import torch
    from torch_geometric.metrics import LinkPredMAP

    found, relevant = ranked(y, s)
    metric = LinkPredMAP(k)
    metric.update(torch.tensor([found]), torch.tensor([[0] * len(relevant), relevant]).long())
    return metric.compute().item()


def map_at_r(y, s):
    import torch
    from pytorch_metric_learning.utils.accuracy_calculator import EQUALITY, mean_average_precision

    labels, known = torch.tensor(relevance(y, s)), torch.tensor([1])
    counts = known, torch.tensor([int(np.sum(y))])
    given = False, counts, False, False, EQUALITY
    return mean_average_precision(labels[None], known[:, None], *given, at_r=True)


def copairs_ap(y, s):
    from copairs.compute import ap_contiguous

    return ap_contiguous(relevance(y, s).astype(np.uint32), np.array([len(y)]))[0][0]


def lenskit_ap(y, s, k=None):
    from lenskit.data import ItemList
    from lenskit.metrics.ranking import AveragePrecision

    found, relevant = ranked(y, s)
    lists = ItemList(found, ordered=True), ItemList(relevant)
    return AveragePrecision(k).measure_list(*lists)


def haystack_map(y, s):
    from haystack import Document
    from haystack.components.evaluators import DocumentMAPEvaluator

    found, relevant = ([Document(content=str(i)) for i in items] for items in ranked(y, s))
    return DocumentMAPEvaluator().run([relevant], [found])["score"]


def llama_index_ap(y, s):
    from llama_index.core.evaluation.retrieval.metrics import AveragePrecision

    found, relevant = ([str(i) for i in items] for items in ranked(y, s))
    return AveragePrecision().compute("", relevant, found).score


def ragas_precision(y, s):
    from ragas.metrics import LLMContextPrecisionWithReference

    verdicts = [SimpleNamespace(verdict=hit) for hit in relevance(y, s).tolist()]
    return LLMContextPrecisionWithReference()._calculate_average_precision(verdicts)


@cache
def spark_session():
    """One task for each step: a ranking is small, and each task takes time to begin."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]")
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1"}
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def spark_area(y, s, sample_weight=None):
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    weights = np.ones(len(y)) if sample_weight is None else sample_weight
    rows = np.column_stack([s, y, weights]).tolist()
    frame = spark_session().createDataFrame(rows, "rawPrediction double, label double, w double")
    weight = {} if sample_weight is None else {"weightCol": "w"}
    return BinaryClassificationEvaluator(metricName="areaUnderPR", **weight).evaluate(frame)


def spark_of_lists(metric):
    """Lists in a frame with types, as Spark cannot infer that of an empty one."""

    def run(y, s, k=None):
        from pyspark.ml.evaluation import RankingEvaluator

        found, relevant = (list(map(float, each)) for each in ranked(y, s))
        columns = "prediction array<double>, label array<double>"
        frame = spark_session().createDataFrame([(found, relevant)], columns)
        options = {} if k is None else {"k": k}
        return RankingEvaluator(metricName=metric, **options).evaluate(frame)

    return run


LIST_RUNNERS = {
    **{
        f"implicit.{name}": implicit_metric(name)
        for name in ("mean_average_precision_at_k", "precision_at_k")
    },
    "ml_metrics.apk": ml_metrics_apk,
    "ml_metrics.mapk": ml_metrics_mapk,
    "recmetrics.mark": recmetrics_mark,
    "rectools.MAP": rectools_map(),
    "rectools.MAP_divide_by_k": rectools_map(divide_by_k=True),
    **{
        f"recommenders.{name}": recommenders_metric(name)
        for name in ("map", "map_at_k", "precision_at_k")
    },
    "recbole.MAP": recbole_map,
    "sentence_transformers.map@k": sentence_transformers_map,
    "torch_geometric.LinkPredMAP": torch_geometric_map,
    "pytorch_metric_learning.map_at_r": map_at_r,
    "copairs.average_precision": copairs_ap,
    "lenskit.AveragePrecision": lenskit_ap,
    **dict.fromkeys(
        ("haystack.DocumentMAPEvaluator", "haystack.DocumentMAPEvaluator_before_3.1"), haystack_map
    ),
    "llama_index.AveragePrecision": llama_index_ap,
    "ragas.context_precision": ragas_precision,
    "pyspark.areaUnderPR": spark_area,
    "pyspark.meanAveragePrecision": spark_of_lists("meanAveragePrecision"),
    "pyspark.meanAveragePrecisionAt": spark_of_lists("meanAveragePrecisionAtK"),
    "pyspark.precisionAt": spark_of_lists("precisionAtK"),
}
