"""Grades of a judge where people gave none."""

import re

import numpy as np
import pytest
from pooled_runs import pooled_runs, precision_at_k

from sklearn_ap import average_precision_score, compare_average_precision, retrieval
from sklearn_ap.definitions import PrecisionAtK

QRELS = {"q": {"a": 1, "b": 0}, "p": {"d": 2}}
RUNS = {"x": {"q": ["c", "a", "b"], "p": ["e", "d"]}, "y": {"q": ["b", "a"], "p": ["d"]}}
JUDGE = {"q": {"a": 0, "c": 3, "b": 3}, "p": {"e": 0, "d": 0}}


def small(**options):
    return retrieval.from_dicts(QRELS, RUNS, **options)


def labels(runs):
    rows = zip(runs.queries, runs.documents, runs.y_true, strict=True)
    return {(query, document): float(y) for query, document, y in rows}


# ---- pooled labels


def test_judge_grades_only_what_people_did_not():
    expected = {("q", "a"): 1, ("q", "b"): 0, ("q", "c"): 1, ("p", "d"): 1, ("p", "e"): 0}
    assert labels(small().fill(JUDGE)) == expected
    assert labels(small().fill(JUDGE, relevance_level=4))["q", "c"] == 0


def test_array_of_grades_equals_a_dict():
    runs = small()
    rows = zip(runs.queries, runs.documents, strict=True)
    grades = np.array([JUDGE[query][document] for query, document in rows])
    assert labels(runs.fill(grades)) == labels(runs.fill(JUDGE))


def test_judge_has_the_level_of_the_runs_unless_told():
    runs = small(relevance_level=2)
    grades = {"q": {"c": 1}, "p": {"e": 2}}
    assert labels(runs.fill(grades))["q", "c"] == 0
    assert labels(runs.fill(grades))["p", "e"] == 1
    assert labels(runs.fill(grades, relevance_level=1))["q", "c"] == 1
    assert labels(small().fill(grades))["q", "c"] == 1


def test_probabilities_of_a_judge_take_a_level():
    filled = small().fill({"q": {"c": 0.9}, "p": {"e": 0.2}}, relevance_level=0.5)
    assert labels(filled)["q", "c"] == 1
    assert labels(filled)["p", "e"] == 0


def test_a_second_judge_grades_only_what_the_first_did_not():
    filled = small().fill({"q": {"c": 1}}).fill({"q": {"c": 0}, "p": {"e": 1}})
    assert labels(filled)["q", "c"] == 1
    assert labels(filled)["p", "e"] == 1
    with pytest.raises(ValueError, match="grades fill nothing: 1 of them"):
        small().fill({"q": {"c": 1}}).fill({"q": {"c": 0}})


def test_judge_may_find_nothing_relevant_or_grade_runs_that_people_judged_all():
    assert labels(small().fill({"q": {"c": 0}}))["q", "c"] == 0
    whole = retrieval.from_dicts({"q": {"a": 1, "b": 0}}, {"x": {"q": ["b", "a"]}})
    assert labels(whole.fill({"q": {"a": 0}})) == labels(whole)


def test_all_documents_of_filled_runs_are_judged():
    filled = small().fill(JUDGE)
    assert filled.is_judged.all()
    assert filled.judged_at(10) == {"x": 1.0, "y": 1.0}


def test_documents_that_nobody_graded_are_not_relevant():
    filled = small().fill({"q": {"c": 1}})
    assert labels(filled)["p", "e"] == 0
    assert filled.is_judged.sum() == filled.is_judged.size - 1


@pytest.mark.filterwarnings("ignore:judged@10")
def test_fill_corrects_unequal_pooling():
    data = pooled_runs()
    runs = retrieval.from_dicts(data.people, data.runs).fill(data.judge())
    asked = {"queries": runs.queries, "definition": PrecisionAtK(10)}
    found = compare_average_precision(runs.y_true, runs.y_scores, **asked)
    truth = {name: precision_at_k(data.truth, run) for name, run in data.runs.items()}
    assert found.estimate == pytest.approx([*truth.values()], abs=0.012)
    assert found.difference[-1] > 0.03


# ---- what is refused


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda runs: runs.fill([1, 2]), "grades must have 5 numbers, one for each row, got 2"),
        (lambda runs: runs.fill({}), "None of the 0 documents in grades is in the runs"),
        (
            lambda runs: runs.fill({"zzz": {"c": 1}}),
            "None of the 1 documents in grades, such as 'c' of query 'zzz', is in the runs, which "
            "have 'e' of query 'p'",
        ),
        (
            lambda runs: runs.fill({"q": {"a": 1, "c ": 1}}),
            "grades have document 'c ' of query 'q', and the runs have 'c' of 'q'",
        ),
        (lambda runs: runs.fill({" q": {"c": 1}}), "Remove the spaces around names"),
        (
            lambda runs: runs.fill({"q": {"a": 1, "c": None}}),
            "grades fill nothing: 1 of them are numbers for documents of the runs, all of which "
            "have a label, and 2 documents have none",
        ),
        (lambda runs: runs.fill({"q": {"c": None}}), "grades fill nothing: 0 of them are numbers"),
        (lambda runs: runs.fill(np.full(5, np.nan)), "grades fill nothing"),
        (
            lambda runs: runs.fill({"q": {"c": "yes"}}),
            "document 'c' of query 'q' has the grade 'yes', which is no number",
        ),
        (
            lambda runs: runs.fill({"q": {"c": 0.9}, "p": {"e": 0.2}}),
            "grades are between 0 and 1, and relevance_level=1 means that the judge finds no "
            "relevant documents. Pass the lowest of its grades that means relevant, such as "
            "relevance_level=0.5",
        ),
        (lambda runs: runs.fill({"q": {"c": 0.9}, "p": {"e": 1.0}}), "few or no relevant"),
        (lambda runs: runs.fill({"q": {"c": 0.9}}, relevance_level=1), "such as relevance_level=0"),
        (
            lambda _: small(relevance_level=2).fill({"q": {"c": 1}}),
            "grades are at most 1, and relevance_level=2 means",
        ),
        (lambda runs: runs.fill("x"), "grades must be a dict"),
        (lambda runs: runs.fill({"q": 3}), "grades must be a dict"),
        (lambda runs: runs.fill(JUDGE, relevance_level="2"), "relevance_level must be a finite"),
        (
            lambda _: small(unjudged="left out").fill(JUDGE),
            "Read the runs without unjudged='left out'",
        ),
    ],
)
def test_wrong_grades_are_refused(call, text):
    with pytest.raises((ValueError, TypeError), match=re.escape(text)):
        call(small())


def test_scores_of_filled_runs_need_no_options():
    assert average_precision_score(**small().fill(JUDGE)["x"]) == pytest.approx(3 / 4)
