"""Dicts and ranked lists become arguments of every function, without pyarrow."""

import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_score, retrieval

QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"a": 0.9, "x": 0.8, "c": 0.7}, "q2": {"x": 0.5, "d": 0.4}}


@pytest.fixture(autouse=True)
def pyarrow_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)


@pytest.mark.parametrize(
    ("qrels", "run", "level", "expected"),
    [
        (QRELS, RUN, 1, [5 / 6, 1 / 2]),  # a and c at 1 and 3 of two relevant ones; d at 2
        (QRELS, {query: np.array([*found]) for query, found in RUN.items()}, 1, [5 / 6, 1 / 2]),
        (QRELS | {"q2": {"d": 2}}, RUN, 2, [1, 1 / 2]),
        # all that is listed is relevant, at any level; and a name may have two parts
        ({1: {"a", "c"}, 2: [("d", 7)]}, {1: [*"axc"], 2: ("x", ("d", 7))}, 4, [5 / 6, 1 / 2]),
        (
            {"q": {"a": np.True_, "b": False, "c": np.int8(1)}},
            {"q": {"a": Fraction(1, 3), "b": np.float32(0.5), "c": 1, "not judged": 0}},
            Fraction(1, 2),
            [5 / 6],
        ),
    ],
)
def test_numbers_of_any_type_and_ranked_lists_are_read(qrels, run, level, expected):
    judged = retrieval.from_runs(qrels, {"x": run}, relevance_level=level)
    assert average_precision_score(**judged["x"], average=None) == pytest.approx(expected)


def test_empty_results_and_empty_judgements_score_0():
    judged = retrieval.from_runs({1: ["a"], 2: [], 3: ["b"]}, {"x": {1: ["a"], 2: ["a"], 3: []}})
    found = average_precision_score(**judged["x"], average=None, zero_division=0.0)
    assert found.tolist() == [1, 0, 0]


@pytest.mark.parametrize("run", [{"q1": ["a"], "q2": []}, {"q1": ["a"], "q2": ["z"]}])
def test_a_query_that_has_no_document_keeps_a_row(run):
    judged = retrieval.from_runs({"q1": ["a"], "q2": []}, {"x": run}, unjudged="left out")
    rows = zip(judged.queries, judged.documents, judged.y_true, judged.is_judged, strict=True)
    assert [*rows] == [("q1", "a", True, True), ("q2", "", False, False)]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([RUN], r"runs must map the name of each system .*got list"),
        ({"q": ["a"]}, "q must be a dict, .* got list"),
        (RUN, "q1: query .* must have a dict or a list of documents, got 0.9. Each run has a name"),
        ({"x": {"q": "abc"}}, "x: query 'q' must have a dict or a list of documents, got 'abc'"),
        ({"x": {"q": {"a"}}}, "x: query 'q' must have a dict or a list of documents, got {'a'}"),
    ],
)
def test_runs_without_names_or_without_an_order_are_refused(runs, message):
    with pytest.raises(TypeError, match=message):
        retrieval.from_runs(QRELS, runs)


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({"q": {"a": None}}, RUN, "query 'q', document 'a' has nan: leave out what is not known"),
        ({"q": {"a": "yes"}}, RUN, "qrels: could not convert .*'yes'. Give each document a number"),
        ({"q": {"a": 10**400}}, RUN, "qrels: int too large.* Give each document a number"),
        ({"q": {"a": np.ones(2)}}, RUN, "qrels: .* Give each document a number"),
        ({"q": pd.Series({"a": 1})}, RUN, "query 'q' must have a dict or a list of documents"),
        (QRELS, {"q1": np.array([["a", "b"]])}, "x: query 'q1' must have a dict or a list"),
        ({"q": 3}, RUN, "qrels: query 'q' must have a dict or a list of documents, got 3"),
        ([3], RUN, "qrels must be a dict"),
        (pd.Series([["a"]], ["q1"]), RUN, "qrels must be a dict.* got Series"),
        ({}, RUN, "qrels: there are no rows"),
        (QRELS, {}, "x: there are no rows"),
        ({"z": ["a"]}, RUN, "qrels: none of its queries is in a run: it has 'z'"),
        ({"q1": {"a": -np.inf}, "q2": []}, RUN, "qrels: query 'q1', document 'a' has -inf"),
        (QRELS, {"q1": {"a": np.nan}}, "x: query 'q1', document 'a' has nan"),
        (QRELS, {"q1": [1, "1"], "q2": []}, "x: document '1' of query 'q1' is there twice"),
    ],
)
def test_invalid_scores_and_duplicate_names_are_refused(qrels, run, message):
    with pytest.raises((TypeError, ValueError), match=message):
        retrieval.from_runs(qrels, {"x": run})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("relevance_level", "x"),
        ("relevance_level", np.nan),
        ("ties", "names"),
        ("unjudged", "zero"),
    ],
)
def test_invalid_options_are_refused(option, value):
    with pytest.raises((TypeError, ValueError), match=f"{option} must be .* got {value!r}"):
        retrieval.from_runs({"q1": ["a"]}, {"x": RUN}, **{option: value})
