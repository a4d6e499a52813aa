"""Dicts and ranked lists become arrays for every score."""

import pickle
import sys
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

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
            {"q": {"a": Fraction(1, 3), "b": np.float32(0.5), "c": 1}},
            1,
            [5 / 6],
        ),
    ],
)
def test_dicts_of_any_numbers_and_ranked_lists_are_accepted(qrels, run, level, expected):
    judged = retrieval.from_dicts(qrels, {"x": run}, relevance_level=level)
    assert judged.systems == ("x",)
    found = average_precision_score(**judged["x"], average=None)
    assert found == pytest.approx(expected)


def test_judged_runs_keep_document_names():
    judged = retrieval.from_dicts({"q1": {"a": 1}, 2: []}, {"x": {"q1": ["b", "a"], 2: []}})
    rows = zip(judged.queries, judged.documents, judged.is_judged, strict=True)
    assert [*rows] == [("2", "", True), ("q1", "b", False), ("q1", "a", True)]
    assert pickle.loads(pickle.dumps(judged)).documents.tolist() == judged.documents.tolist()


def test_empty_result_scores_0_and_queries_without_runs_are_left_out():
    qrels = QRELS | {"q3": {"e": 1}}
    with pytest.warns(
        UserWarning, match=r"1 query judged but in no run: left out; complete=True .*\('q3'\)"
    ):
        judged = retrieval.from_dicts(qrels, {"x": RUN | {"q2": {}}})
    assert average_precision_score(**judged["x"], average=None)[1] == 0
    assert judged.query_names == ("q1", "q2")
    judged = retrieval.from_dicts({1: ["a"], 2: ["b"]}, {"x": {1: ["a"], 2: []}})
    assert average_precision_score(**judged["x"]) == 0.5
    with pytest.warns(UserWarning, match="1 query without judgements"):
        retrieval.from_dicts(QRELS, {"x": RUN | {"q4": []}, "y": RUN | {"q4": ["a"]}})


def users(sets):
    """Items that users have, as sets and as a matrix; None is a user without a list."""
    matrix = np.array([[item in (found or "") for item in "abc"] for found in sets], float)
    named = {f"u{i}": [*found] for i, found in enumerate(sets) if found is not None}
    return named, csr_array(matrix)


@pytest.mark.parametrize("bought", [("ab", "", "c"), ("", "b", ""), ("", "", "")])
@pytest.mark.parametrize(
    "found", [("ba", "ac", ""), ("c", "", "ca"), ("", "a", None), (None, None, "b")]
)
@pytest.mark.parametrize("unjudged", ["negative", "left out"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:no document of x is judged")
def test_a_user_without_purchases_or_list_counts_0(monkeypatch, bought, found, unjudged):
    (qrels, matrix), (run, retrieved) = users(bought), users(found)
    judged = retrieval.from_dicts(qrels, {"x": run}, complete=True, unjudged=unjudged)
    expected = retrieval.from_sparse(matrix, {"x": retrieved}).queries
    assert judged.query_names == ("u0", "u1", "u2")
    assert [*np.unique(judged.queries)] == [f"u{row}" for row in np.unique(expected)]
    values = average_precision_score(**judged["x"], average=None)
    for value, hits, ranked in zip(values, bought, found, strict=True):
        ranked = [item for item in ranked or "" if unjudged == "negative" or item in hits]
        at = [i for i, item in enumerate(ranked, 1) if item in hits]
        right = sum(j / i for j, i in enumerate(at, 1)) / max(len(hits), 1)
        assert value == pytest.approx(right)
    if None in found:
        with pytest.warns(UserWarning, match=r"in no run: left out; complete=True counts 0"):
            few = retrieval.from_dicts(qrels, {"x": run}).query_names
        assert len(few) == len(run)
    table_of = {"query": [], "document": [], "label": []}
    for query, items in qrels.items():  # in tables, a label of 0 says the same
        for item in items or ["z"]:
            row = query, item, int(item in items)
            for column, cell in zip(table_of.values(), row, strict=True):
                column.append(cell)
    run = pa.table({"query": ["u0"], "document": ["q"], "score": [1]})
    with monkeypatch.context() as with_pyarrow:
        with_pyarrow.setitem(sys.modules, "pyarrow", pa)
        names = retrieval.from_tables(pa.table(table_of), {"x": run}, complete=True).query_names
    assert names == judged.query_names


def test_an_empty_judgement_judges_no_document():
    judged = retrieval.from_dicts({"q": [], "r": ["a"]}, {"x": {"q": ["b"], "r": ["a"]}})
    assert judged.judged_at(1) == {"x": 0.5}
    with pytest.raises(ValueError, match="qrels: the text is not UTF-8"):
        retrieval.from_dicts({"\ud800": []}, {"x": RUN})
    ignored = retrieval.from_dicts({"q": ["a"]}, {"x": {"q": ["a"], "\ud800": []}})
    assert ignored.query_names == ("q",)


def test_scores_that_float32_does_not_tell_apart_are_tied_in_trec_eval():
    run = {"q": {"a": 1 + 1e-12, "b": 1.0, "c": -np.inf}}
    for options, expected in ({"ties": "trec_eval"}, 1 / 4), ({}, 1 / 2):  # c was not retrieved
        judged = retrieval.from_dicts({"q": {"a": 1, "c": 1}}, {"x": run}, **options)
        assert average_precision_score(**judged["x"]) == expected


class TestFaults:
    @pytest.mark.parametrize(
        "runs", [RUN, {"q": ["a"]}, ["a"], {"x": {"q": "abc"}}, {"x": {"q": {"a"}}}]
    )
    def test_runs_without_names_are_refused(self, runs):
        with pytest.raises(TypeError, match=r"runs must map names to runs.*name it: \{'run': run"):
            retrieval.from_dicts(QRELS, runs)

    @pytest.mark.parametrize(
        ("qrels", "run", "message"),
        [
            ({"q": {"a": None}}, RUN, "query 'q', document 'a' has the label None, .*not judged"),
            *(
                ({name: [], "q1": ["a"]}, RUN, "qrels: the name of a query is empty, or missing")
                for name in (None, np.nan, "")
            ),
            ({"q": 3}, RUN, "qrels: query 'q' must have a dict or a list of documents, got 3"),
            ([3], RUN, "qrels must be a dict"),
            (QRELS, {"q1": {"a": np.nan}}, "x: query 'q1', document 'a' has the score nan"),
            (QRELS, {"q1": {"a": np.inf}}, "x: row 0, column 'score': 'inf' is not finite"),
            (QRELS, {"q1": [*"aba"], "q2": []}, "x: row 2, document 'a' of query 'q1' is there"),
            (QRELS, {"q1": [None]}, "x: row 0, column 'document' is empty"),
            (QRELS, {"q1": [("a", 0.5)]}, r"one with \('a', 0.5\). Pass dict\(pairs\)"),
            (QRELS, {"q1": {"a": 2**53 + 1, "b": 0.5}}, "score 9007199254740993, which is too l"),
            (QRELS, {"q1": {"a": 10**400}}, "score 1000.*000, which is too large"),
            ({"q1": ["\ud800"]}, RUN, "qrels: the text is not UTF-8"),
            ({1: {"a": 1}, "1": {"b": 0}}, {1: ["a"]}, "qrels has queries of one name, such as"),
        ],
    )
    def test_invalid_scores_and_duplicate_names_are_refused(self, qrels, run, message):
        with pytest.raises((TypeError, ValueError), match=message):
            retrieval.from_dicts(qrels, {"x": run})

    @pytest.mark.parametrize(
        ("option", "value"), [("relevance_level", "x"), ("ties", "names"), ("unjudged", "zero")]
    )
    def test_invalid_options_of_from_dicts_are_refused(self, option, value):
        with pytest.raises(ValueError, match=f"{option} must be .* got {value!r}"):
            retrieval.from_dicts({"q1": ["a"]}, {"x": RUN}, **{option: value})

    def test_duplicate_system_names_are_refused(self):
        with pytest.raises(ValueError, match="'1' is given twice"):
            retrieval.from_dicts(QRELS, {1: RUN, "1": RUN})
