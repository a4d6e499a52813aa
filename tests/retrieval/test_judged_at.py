"""The share of the first k documents of each system that have a label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap import retrieval

QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"d": 1}}
X = {"q1": {"a": 0.9, "x": 0.8, "c": 0.7}, "q2": {"x": 0.5, "d": 0.4}}
Y = {"q1": ["b"], "q2": ["d", "x"]}
BOTH = retrieval.from_dicts(QRELS, {"x": X, "y": Y})


def test_share_is_the_mean_over_queries():
    # x: a of a, x; then d of x, d.
    assert BOTH.judged_at(2)["x"] == (1 / 2 + 1 / 2) / 2


def test_query_with_fewer_documents_is_divided_by_their_number():
    # y: b of b; then d of d, x.
    assert BOTH.judged_at(2)["y"] == (1 + 1 / 2) / 2
    assert BOTH.judged_at(10) == pytest.approx({"x": (2 / 3 + 1 / 2) / 2, "y": (1 + 1 / 2) / 2})


def test_documents_that_the_system_did_not_retrieve_are_not_among_the_first():
    runs = retrieval.from_dicts({"q": [*"abc"]}, {"x": {"q": [*"za"]}, "y": {"q": [*"abc"]}})
    assert runs.judged_at(3) == {"x": 1 / 2, "y": 1}


def test_tied_documents_share_their_places():
    tied = {"x": {"q": {"a": 1, "x": 1, "y": 1}}}
    assert retrieval.from_dicts({"q": {"a": 0}}, tied).judged_at(1) == pytest.approx({"x": 1 / 3})
    by_name = retrieval.from_dicts({"q": {"a": 0}}, tied, ties="trec_eval")
    assert by_name.judged_at(1) == {"x": 0}  # y comes first


def test_queries_without_documents_are_skipped():
    runs = retrieval.from_dicts(QRELS, {"x": X | {"q2": []}, "none": {"q1": [], "q2": []}})
    assert runs.judged_at(1) == {"x": 1, "none": pytest.approx(np.nan, nan_ok=True)}


@pytest.mark.parametrize("ties", ["shared", "trec_eval"])
def test_documents_that_are_left_out_are_counted(ties):
    runs = retrieval.from_dicts(QRELS, {"x": X, "y": Y}, unjudged="left out", ties=ties)
    assert runs.is_judged.all()
    assert runs.judged_at(2) == BOTH.judged_at(2)


def test_labels_of_a_judge_are_labels():
    filled = BOTH.fill({"q1": {"x": 0}})
    assert filled.judged_at(2) == {"x": (1 + 1 / 2) / 2, "y": (1 + 1 / 2) / 2}


@st.composite
def dicts(draw):
    """Judgements of a few queries, and a run with ties, which may find nothing."""
    documents = st.sampled_from(range(8))
    queries = range(draw(st.integers(1, 4)))
    qrels = {query: draw(st.dictionaries(documents, st.integers(0, 1))) for query in queries}
    scores = st.dictionaries(documents, st.integers(-3, 3))
    return qrels, {query: draw(scores) for query in queries}


def plain_share(qrels, run, k):
    """Average over the queries that have documents, by a loop over blocks of ties."""
    shares = []
    for query, scores in run.items():
        n_judged = 0
        rank = 0
        depth = min(k, len(scores))
        for score in sorted({*scores.values()}, reverse=True):
            block = [document for document in scores if scores[document] == score]
            part = min(max(depth - rank, 0), len(block)) / len(block)
            n_judged += part * sum(document in qrels[query] for document in block)
            rank += len(block)
        shares += [n_judged / depth] if scores else []
    return np.mean(shares) if shares else np.nan


@pytest.mark.filterwarnings("ignore:no document of x is judged")
@given(dicts(), st.integers(1, 12))
def test_shares_equal_plain_loops(both, k):
    qrels, run = both
    runs = retrieval.from_dicts(qrels, {"x": run}, complete=True)
    assert runs.judged_at(k) == pytest.approx({"x": plain_share(qrels, run, k)}, nan_ok=True)


@pytest.mark.parametrize("k", [0, 0.5, True, "10"])
def test_k_must_be_a_number_of_documents(k):
    with pytest.raises((TypeError, ValueError), match="k must be"):
        BOTH.judged_at(k)


FOUND = ("old", "abc"), ("new", "axy")


def pooled(n_queries, grades=(1, 0, 0)):
    """Judgements of the first documents of one system, of which another finds others."""
    queries = [f"q{i}" for i in range(n_queries)]
    qrels = {query: dict(zip("abc", grades, strict=True)) for query in queries}
    runs = {name: {query: [*found] for query in queries} for name, found in FOUND}
    return qrels, runs


def test_systems_whose_documents_were_judged_unlike_are_warned_of():
    with pytest.warns(UserWarning, match=r"judged@10: old 1\.00 and new 0\.33\."):
        retrieval.from_dicts(*pooled(10))


@pytest.mark.filterwarnings("error")
def test_few_queries_and_judgements_of_relevant_documents_alone_do_not_tell():
    retrieval.from_dicts(*pooled(9))
    retrieval.from_dicts(*pooled(10, grades=(1, 1, 1)))
    retrieval.from_dicts(*pooled(10), unjudged="left out")
