"""Detections, and judged runs, are arguments of every function of labels and scores."""

import inspect

import numpy as np
import pytest

from sklearn_ap import detections, retrieval
from sklearn_ap.definitions import Interpolated
from tests.helpers.coco_tools import data_set, evaluation_of
from tests.helpers.public_names import public

LEVELS = Interpolated(101)
JUDGED = retrieval.from_runs(
    {query: {"a": 1, "b": 0, "c": 1, "d": 0} for query in ("q1", "q2", "q3")},
    {"x": {"q1": ["a", "b", "c", "d"], "q2": ["b", "c", "d"], "q3": ["d", "a"]}},
)


def matched_boxes():
    pytest.importorskip("pycocotools")
    truth, boxes, _ = data_set("bbox")
    return detections.from_coco(evaluation_of("pycocotools", "bbox", truth, boxes), overlap=0.5)


def functions():
    """Every public function and method, by its name."""
    for name, thing in public():
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, inspect.isroutine):
                if hasattr(function, "__wrapped__") and not method.startswith("_"):
                    yield f"{name}.{method}", function
        elif inspect.isfunction(thing):
            yield name, thing


MORE_ARGUMENTS = {
    "compat.score": {"tool": "COCO"},
    "compat.explain": {"tool": "COCO"},
    "average_precision_at_k_score": {"k": 3},
    "precision_at_k_score": {"k": 3},
    "recall_at_k_score": {"k": 3},
}
TAKES_ROWS = {
    name: (function, inspect.signature(function).parameters)
    for name, function in functions()
    if {"y_true", "y_score"} <= {*inspect.signature(function).parameters}
    or {"y_true", "y_scores"} <= {*inspect.signature(function).parameters}
    if not name.startswith("retrieval.")
}
ONE_RANKING = {
    *("hit_curve", "operating_point", "threshold_counts"),
    *("large.from_table", "large.from_dask", "large.from_spark"),
}
ONE_OF_BOTH = {"compare_segments"}  # which takes queries or clusters


def test_every_function_with_queries_also_has_clusters():
    for name, (_, parameters) in TAKES_ROWS.items():
        assert ("queries" in parameters) == (name not in ONE_RANKING), name
        assert "queries" not in parameters or "clusters" in parameters, name


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images, three queries
@pytest.mark.parametrize("name", sorted({*TAKES_ROWS} - ONE_RANKING - ONE_OF_BOTH))
def test_every_function_takes_detections_and_judged_runs(name):
    function, parameters = TAKES_ROWS[name]
    coco = matched_boxes()
    more = MORE_ARGUMENTS.get(name, {})
    found = []
    for source, model in ((coco, "detector"), (JUDGED, "x")):
        rows = dict(source[model])
        if "y_scores" in parameters:
            score = rows.pop("y_score")
            rows["y_scores"] = {"a": score, "b": np.nan_to_num(-score, neginf=-9)}
        mean = {"average": None} if name == "chance_test" and "clusters" in rows else {}
        found.append(function(**rows, **more, **mean))
    if isinstance(found[0], float):
        fewer = {name: each for name, each in coco["detector"].items() if name != "clusters"}
        assert found[0] == function(**fewer, **more)
        with pytest.raises(ValueError, match="y_true, y_score, clusters"):
            function(**fewer, **more, clusters=coco.clusters[1:])
