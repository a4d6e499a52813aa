"""Store scores, definitions and scorers: ``python tests/helpers/record_pickles.py 0.6.0``.

It writes a pickle for each kind of object into ``tests/data/pickles/0.6.0``, and what they score.
Run it before a release, with the version that will be released. The files of a released version
stay as they are: tests/test_pickles.py loads them in all later versions.
"""

import inspect
import json
import pickle
import sys
from pathlib import Path

import numpy as np
import sklearn
from registry import DEFINITIONS, SCORES
from sklearn.base import BaseEstimator, ClassifierMixin

import sklearn_ap
from sklearn_ap import definitions, get_scorer, make_ranking_scorer

WRITTEN = Path(__file__).parents[1] / "data" / "pickles"
KINDS = ("scores", "definitions", "scorers")
PROTOCOL = 4

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0])
S = np.array([11, 10, 9, 9, 8, 7, 5, 5, 4, 3, 2, 1]) / 16
WEIGHT = np.array([1, 2, 1, 3, 1, 1, 2, 1, 2, 1, 1, 3]) / 4
QUERY = np.arange(len(Y)) // 6


class Model(ClassifierMixin, BaseEstimator):
    """It scores a row by its only column."""

    classes_ = np.array([0, 1])

    def decision_function(self, X):
        return X[:, 0]

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])


def scorers():
    """Each way to make a scorer, and requests of what is routed to it."""
    with sklearn.config_context(enable_metadata_routing=True):
        query_scorer = get_scorer("average_precision", by_query=True, zero_division=0.0)
        return {
            "by name": get_scorer("average_precision"),
            "k in the name": get_scorer("precision_at_5"),
            "options": make_ranking_scorer(
                sklearn_ap.recall_at_precision_score,
                precision=0.8,
                pos_label=0,
                response_method="predict_proba",
            ),
            "definition": get_scorer(definitions.AtK(5, normalizer="k")),
            "prevalence": get_scorer("average_precision", prevalence=0.01),
            "weights": get_scorer("AP").set_score_request(sample_weight="weight"),
            "by query": get_scorer("expected_average_precision", by_query=True),
            "by query with weights": query_scorer.set_score_request(
                queries="groups", sample_weight=True
            ),
        }


def saved():
    """What is stored, by kind and name."""
    scores = {name: getattr(sklearn_ap, name) for name in SCORES}
    definitions_by_name = {repr(definition): definition for definition in DEFINITIONS}
    return {"scores": scores, "definitions": definitions_by_name, "scorers": scorers()}


def value(kind, thing):
    """What an object scores on the predictions above."""
    if kind == "definitions":
        return sklearn_ap.average_precision_score(Y, S, definition=thing)
    if kind == "scores":
        options = {"k": 3} if "k" in inspect.signature(thing).parameters else {}
        return thing(Y, S, **options)
    with sklearn.config_context(enable_metadata_routing=True):
        requests = thing.get_metadata_routing().score.requests
        rows = {"queries": QUERY, "sample_weight": WEIGHT}
        asked = {name: of_rows for name, of_rows in rows.items() if requests.get(name)}
        return thing(Model(), S[:, None], Y, **asked)


def record(version):
    folder, values = WRITTEN / version, {}
    folder.mkdir(parents=True, exist_ok=True)
    for kind, things in saved().items():
        (folder / f"{kind}.pickle").write_bytes(pickle.dumps(things, PROTOCOL))
        values[kind] = {name: float(value(kind, thing)) for name, thing in things.items()}
    (folder / "values.json").write_text(json.dumps(values, indent=1) + "\n")


if __name__ == "__main__":
    record(sys.argv[1])
