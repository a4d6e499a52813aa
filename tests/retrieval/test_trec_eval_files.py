"""trec_eval's own test files: pytest -m peers.

They are the folder ``test`` of https://github.com/usnistgov/trec_eval, which the environment
variable TREC_EVAL_TESTS names. Each file of answers holds what one command of its Makefile prints.
"""

import math
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compat,
    precision_at_k_score,
    precision_at_recall_score,
    recall_at_k_score,
    retrieval,
)

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

PRINTED = 0.5e-4 + 1e-9  # four digits are printed
# By answers: judgements, run, options of from_trec, and how many documents count (trec_eval's -M).
COMMANDS = {
    "out.test": ("qrels.test", "results.test", {}, None),
    "out.test, comments": ("qrels.test.with-comments", "results.test", {}, None),
    "out.comment.test": ("qrels.comment.test", "results.comment.test", {}, None),
    "out.test.a": ("qrels.test", "results.test", {}, None),
    "out.test.aq": ("qrels.test", "results.test", {}, None),
    "out.test.aqc": ("qrels.test", "results.trunc", {"complete": True}, None),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"complete": True}, 100),
    "out.test.aql": ("qrels.rel_level", "results.test", {"relevance_level": 2}, None),
    "out.test.meas_params": ("qrels.test", "results.test", {}, None),
}


def ranked(score, most=None):
    """The scores without ties: float32, and then the order of names, as compat and trec_eval do."""
    order = np.lexsort((np.arange(score.size), score.astype(np.float32)))
    rank = np.empty(score.size)
    rank[order] = np.arange(score.size)
    retrieved = np.isfinite(score)
    first = score.size - min(np.count_nonzero(retrieved), most or score.size)
    return np.where(retrieved & (rank >= first), rank, -np.inf)


def answers(path):
    """What trec_eval printed, by measure and by query."""
    found = defaultdict(dict)
    for line in path.read_text().splitlines():
        name, query, value = line.split()
        found[name][query] = value
    return found


def at_recall(y, score, level):
    """Precision where lround(x R) of R relevant documents are found."""
    n_relevant = np.count_nonzero(y)
    enough = math.floor(level * n_relevant + 0.5)
    return precision_at_recall_score(
        y, score, recall=max(enough - 0.5, 0) / max(n_relevant, 1), zero_division=0.0
    )


def by_definition(measure, option, y, score):
    """Our number for a measure of trec_eval."""
    if measure == "iprec_at_recall":
        return at_recall(y, score, float(option))
    if measure == "11pt":
        return np.mean([at_recall(y, score, level / 10) for level in range(11)])
    if measure == "Rprec":
        return precision_at_k_score(y, score, k=max(int(y.sum()), 1), zero_division=0.0)
    function, options = {
        "map": (average_precision_score, {}),
        "P": (precision_at_k_score, {}),
        "recall": (recall_at_k_score, {}),
        "map_cut": (average_precision_at_k_score, {"normalizer": "positives"}),
    }[measure]
    return function(y, score, **options | ({"k": int(option)} if option else {}), zero_division=0.0)


def by_compat(measure, option, y, score):
    """The number of compat's function, from the scores as they are."""
    if measure == "11pt":
        return compat.score("trec_eval.11pt_avg", y, score)
    return compat.score(f"pytrec_eval.{measure}", y, score, k=int(option) if option else None)


MEASURES = {
    by_definition: {"map", "Rprec", "iprec_at_recall", "11pt", "P", "recall", "map_cut"},
    by_compat: {"map", "11pt", "P", "map_cut"},
}


@pytest.fixture(scope="module")
def folder():
    found = os.environ.get("TREC_EVAL_TESTS")
    if not found:
        pytest.skip("TREC_EVAL_TESTS names no folder with the test files of trec_eval")
    return Path(found)


@pytest.mark.parametrize("way", [by_definition, by_compat])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_query_and_the_means(folder, command, way):
    qrels, run, options, most = COMMANDS[command]
    judged = retrieval.from_trec(folder / qrels, folder / run, **options)
    (scores,) = judged.y_scores.values()
    queries = {}
    for i, query in enumerate(judged.query_names):
        rows = judged.queries == i
        score = scores[rows]
        if way is by_definition or most:
            score = ranked(score, most)
        queries[query] = judged.y_true[rows], score
    compared = set()
    for name, expected in answers(folder / command.split(",")[0]).items():
        if name == "num_q":
            assert int(expected["all"]) == len(queries)
        # P_10 is P at 10; map has no option
        measure, _, option = name.rpartition("_") if "_" in name else (name, "", "")
        if measure in MEASURES[way]:
            compared.add(measure)
            found = {query: way(measure, option, *data) for query, data in queries.items()}
            found["all"] = np.mean([*found.values()])
            for query, value in expected.items():
                assert found[query] == pytest.approx(float(value), abs=PRINTED), (name, query)
    in_file = {
        "out.test": {"map", "Rprec", "iprec_at_recall", "P"},
        "out.comment.test": {"map", "Rprec", "iprec_at_recall", "P"},
        "out.test.meas_params": {"iprec_at_recall", "P", "recall"},
    }
    assert compared == MEASURES[way] & in_file.get(command.split(",")[0], MEASURES[by_definition])
