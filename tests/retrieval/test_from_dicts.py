"""Dicts and ranked lists become arrays for every score."""

from fractions import Fraction

import numpy as np
import pytest
import trec_measures
from every import every
from retrieval_files import generated
from trec_reference import lines_of, measures, rankings

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    retrieval,
)

QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"a": 0.9, "x": 0.8, "c": 0.7}, "q2": {"x": 0.5, "d": 0.4}}
NOTHING = {"q1": [], "q2": []}
K = 10


def nested(text, value):
    found = {}
    for line in lines_of(text):
        found.setdefault(line[0], {})[line[2]] = float(line[value])
    return found


def test_a_dict_of_scores_and_a_list_of_the_best_first_are_the_same_run():
    lists = {query: np.array([*found]) for query, found in RUN.items()}
    judged = retrieval.from_dicts(QRELS, {"scores": RUN, "list": lists})
    assert judged.systems == ("scores", "list")
    for system in judged.systems:
        found = average_precision_score(**judged[system], average=None)
        # a and c at 1 and 3 of two relevant ones; d at 2
        assert found == pytest.approx([(1 + 2 / 3) / 2, 1 / 2])
    level = retrieval.from_dicts(QRELS, {"x": RUN}, relevance_level=2)
    assert level.y_true.sum() == 1


def test_all_that_a_list_of_judgements_names_is_relevant():
    bought = {1: {"a", "c"}, 2: [("d", 7)]}  # a name of two parts
    judged = retrieval.from_dicts(bought, {"als": {1: ["a", "x", "c"], 2: ("x", ("d", 7))}})
    assert average_precision_score(**judged["als"]) == pytest.approx((5 / 6 + 1 / 2) / 2)


def test_what_is_listed_is_relevant_at_any_level():
    judged = retrieval.from_dicts({"q": ["a"]}, {"x": {"q": ["x", "a"]}}, relevance_level=4)
    assert average_precision_score(**judged["x"]) == 1 / 2


def test_numbers_of_any_kind():
    labels = {"a": np.True_, "b": False, "c": np.int8(1)}
    run = {"a": Fraction(1, 3), "b": np.float32(0.5), "c": 1}
    judged = retrieval.from_dicts({"q": labels}, {"x": {"q": run}})
    assert average_precision_score(**judged["x"]) == pytest.approx((1 + 2 / 3) / 2)


def test_an_empty_result_scores_0_and_what_nobody_asked_is_left_out():
    qrels = QRELS | {"q3": {"e": 1}}
    with pytest.warns(UserWarning, match=r"1 query judged but in no run: left out \('q3'\)"):
        judged = retrieval.from_dicts(qrels, {"x": RUN | {"q2": {}}})
    assert average_precision_score(**judged["x"], average=None)[1] == 0
    assert judged.query_names == ("q1", "q2")
    arrays = {query: np.array([*found]) for query, found in QRELS.items()}
    assert average_precision_score(**retrieval.from_dicts(arrays, {"x": NOTHING})["x"]) == 0
    with pytest.warns(UserWarning, match="1 query without judgements"):
        retrieval.from_dicts(QRELS, {"x": RUN | {"q4": []}, "y": RUN | {"q4": ["a"]}})


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_tables_name_the_queries():
    judged = retrieval.from_dicts(QRELS, {"x": RUN})
    for call in (average_precision_interval, chance_test):
        rows = call(**judged["x"], average=None).rows()
        assert [row["ranking"] for row in rows] == ["q1", "q2"]


@pytest.mark.filterwarnings("ignore:.*quer")
class TestTiesOfTrecEval:
    @every("relevance_level", [1, 2])
    @every("unjudged", ["negative", "left out"])
    def test_every_measure_is_that_of_trec_eval(self, relevance_level, unjudged):
        files = generated(ties=True)
        runs = {name: nested(files[name], 4) for name in "ab"}
        options = {"relevance_level": relevance_level, "unjudged": unjudged, "ties": "trec_eval"}
        judged = retrieval.from_dicts(nested(files["qrels"], 3), runs, **options)
        for run in runs:
            drop = unjudged == "left out"
            truth = rankings(files["qrels"], files[run], relevance_level, drop)
            for name, definition in trec_measures.at(K).items():
                given = judged[run] | {"definition": definition, "zero_division": 0.0}
                found = average_precision_score(**given, average=None)
                names = np.unique(judged.queries)
                expected = [measures(*truth.get(query, ([], 1)), K)[name] for query in names]
                np.testing.assert_allclose(found, expected, atol=1e-12)

    def test_they_have_intervals_and_comparisons(self):
        files = generated(ties=True)
        qrels, runs = nested(files["qrels"], 3), {name: nested(files[name], 4) for name in "ab"}
        judged = retrieval.from_dicts(qrels, runs, ties="trec_eval")
        options = {"queries": judged.queries, "zero_division": 0.0}
        compared = compare_average_precision(judged.y_true, judged.y_scores, **options)
        found = average_precision_interval(**judged["a"], zero_division=0.0)
        assert compared.estimates[0] == found.estimate
        assert found.low < found.estimate < found.high

    def test_scores_that_float32_does_not_tell_apart_are_tied(self):
        run = {"q": {"a": 1 + 1e-12, "b": 1.0, "c": 0.5}}
        judged = retrieval.from_dicts({"q": {"a": 1}}, {"x": run}, ties="trec_eval")
        assert average_precision_score(**judged["x"]) == 1 / 2
        shared = retrieval.from_dicts({"q": {"a": 1}}, {"x": run})
        assert average_precision_score(**shared["x"]) == 1

    def test_what_was_not_retrieved_stays_so(self):
        judged = retrieval.from_dicts(
            {"q": {"a": 1, "b": 1}}, {"x": {"q": {"a": 1.0, "b": -np.inf}}}, ties="trec_eval"
        )
        assert average_precision_score(**judged["x"]) == 1 / 2


class TestJudgedAtK:
    def test_the_share_of_judged_documents_in_the_top_k(self):
        judged = retrieval.from_dicts(QRELS, {"x": RUN, "y": {"q1": ["b"], "q2": ["d", "x"]}})
        # x: a of a, x; then d of x, d. y: b of b; then d of d, x.
        assert judged.judged_at_k(2) == {"x": (1 / 2 + 1 / 2) / 2, "y": (1 + 1 / 2) / 2}
        assert judged.judged_at_k() == pytest.approx({"x": 7 / 12, "y": 3 / 4})

    def test_tied_documents_share_their_places(self):
        judged = retrieval.from_dicts({"q": {"a": 0}}, {"x": {"q": {"a": 1, "x": 1, "y": 1}}})
        assert judged.judged_at_k(1) == {"x": pytest.approx(1 / 3)}

    def test_queries_without_results_do_not_count_and_left_out_documents_are_gone(self):
        judged = retrieval.from_dicts(QRELS, {"x": RUN | {"q2": []}, "none": NOTHING})
        assert judged.judged_at_k(1)["x"] == 1
        assert np.isnan(judged.judged_at_k(1)["none"])
        left = retrieval.from_dicts(QRELS, {"x": RUN}, unjudged="left out")
        assert left.judged_at_k(3) == {"x": 1}


class TestFaults:
    @every("runs", [RUN, {"q": ["a"]}, ["a"], {"x": {"q": "abc"}}, {"x": {"q": {"a"}}}])
    def test_runs_without_names(self, runs):
        with pytest.raises(TypeError, match=r"runs must map names to runs.*name it: \{'run': run"):
            retrieval.from_dicts(QRELS, runs)

    @every(
        ("qrels", "run", "message"),
        [
            ({"q": {"a": None}}, RUN, "query 'q', document 'a' has the label None, .*not judged"),
            ({"q": {"a": "high"}}, RUN, "document 'a' has the label 'high'"),
            ({"q": 3}, RUN, "qrels: query 'q' must have a dict or a list of documents, got 3"),
            ([3], RUN, "qrels must be a dict"),
            (QRELS, {"q1": {"a": np.nan}}, "x: query 'q1', document 'a' has the score nan"),
            (QRELS, {"q1": {"a": np.inf}}, "x: row 0, column 'score': 'inf' is not finite"),
            (QRELS, {"q1": [*"aba"], "q2": []}, "x: row 2, document 'a' of query 'q1' is there"),
            (QRELS, {}, "x: it holds no rows"),
            (QRELS, {"q1": [None]}, "x: row 0, column 'document' is empty"),
            ({np.nan: ["a"]}, RUN, "qrels: row 0, column 'query' is empty"),
            (QRELS, {"q1": [("a", 0.5)]}, r"one with \('a', 0.5\). Pass dict\(pairs\)"),
            (QRELS, {"q1": np.array([["a", "b"]])}, "one with array.*Pass dict"),
            (QRELS, {"q1": {"a": 2**53 + 1, "b": 0.5}}, "score 9007199254740993, which is too l"),
            (QRELS, {"q1": {"a": 10**400}}, "score 1000.*000, which is too large"),
            ({"q1": ["\ud800"]}, RUN, "qrels: the text is not UTF-8"),
            (
                {1: {"a": 1}, "1": {"b": 0}},
                {1: ["a"]},
                "qrels has queries of one name, such as 1 and '1'",
            ),
        ],
    )
    def test_what_is_no_number_or_is_there_twice(self, qrels, run, message):
        with pytest.raises((TypeError, ValueError), match=message):
            retrieval.from_dicts(qrels, {"x": run})

    def test_the_level_is_checked_before_it_is_a_label(self):
        with pytest.raises(ValueError, match="relevance_level must be a finite number, got 'x'"):
            retrieval.from_dicts({"q1": ["a"]}, {"x": RUN}, relevance_level="x")

    def test_options(self):
        for name, value in (("ties", "names"), ("unjudged", "zero")):
            with pytest.raises(ValueError, match=f"{name} must be one of .* got {value!r}"):
                retrieval.from_dicts(QRELS, {"x": RUN}, **{name: value})
        with pytest.raises(ValueError, match="'1' is given twice"):
            retrieval.from_dicts(QRELS, {1: RUN, "1": RUN})
