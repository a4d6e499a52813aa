"""Judged runs are arguments of every function, know which documents were judged, and warn."""

import pickle
import re

import numpy as np
import pytest
from scipy.sparse import csr_array

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    retrieval,
)

QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"d": 1}}
X = {"q1": {"a": 0.9, "x": 0.8, "c": 0.7}, "q2": {"x": 0.5, "d": 0.4}}
Y = {"q1": ["b"], "q2": ["d", "x"]}
BOTH = retrieval.from_dicts(QRELS, {"x": X, "y": Y})


class TestMapping:
    def test_runs_are_the_arguments_of_a_comparison(self):
        found = compare_average_precision(**BOTH, zero_division=0.0)
        assert found.names == tuple(BOTH.y_scores) == ("x", "y")
        assert found.estimate == pytest.approx([(5 / 6 + 1 / 2) / 2, (0 + 1) / 2])

    def test_a_system_is_the_arguments_of_a_score_and_of_an_interval(self):
        assert average_precision_score(**BOTH["x"], average=None) == pytest.approx([5 / 6, 1 / 2])
        found = average_precision_interval(**BOTH["x"], average=None, zero_division=0.0)
        assert found.names == BOTH.query_names == ("q1", "q2")

    def test_rows_and_their_frame(self):
        shown = "JudgedRuns: 2 systems, 2 queries, 6 documents, 3 relevant"
        assert repr(BOTH).splitlines()[0] == shown
        columns = ["query", "document", "y_true", "is_judged", "x", "y"]
        assert [*BOTH.to_frame()] == columns

    def test_runs_can_be_pickled(self):
        assert pickle.loads(pickle.dumps(BOTH)).documents.tolist() == BOTH.documents.tolist()


class TestJudgedAt:
    def test_share_is_the_mean_over_queries(self):
        # x: a of a, x; then d of x, d. y: b of b; then d of d, x.
        assert BOTH.judged_at(2) == {"x": (1 / 2 + 1 / 2) / 2, "y": (1 + 1 / 2) / 2}

    def test_tied_documents_share_the_ranks_that_are_left(self):
        run = {"q": {"a": 2, "b": 1, "u": 1, "v": 1}}
        runs = retrieval.from_dicts({"q": {"a": 1, "b": 0}}, {"x": run})
        for k, share in ((1, 1), (2, (1 + 1 / 3) / 2), (3, (1 + 2 / 3) / 3), (9, 2 / 4)):
            assert runs.judged_at(k) == {"x": pytest.approx(share)}

    def test_queries_without_documents_are_skipped(self):
        runs = retrieval.from_dicts(QRELS, {"x": X | {"q2": []}, "none": {"q1": [], "q2": []}})
        assert runs.judged_at(1) == {"x": 1, "none": pytest.approx(np.nan, nan_ok=True)}

    def test_rows_may_stand_in_any_order(self):
        y_true, queries = np.array([1, 0, 1, 0, 1], bool), np.array(["b", "a", "b", "a", "b"])
        scores, documents = {"s": np.array([3.0, 5, 1, 4, 2])}, np.array([*"cdefg"])
        rows = [y_true, scores, queries, documents, ~y_true]
        order = queries.argsort(kind="stable")
        ordered = [y_true[order], {"s": scores["s"][order]}, queries[order], documents[order]]
        runs = retrieval.JudgedRuns(*rows, 1.0)
        same = retrieval.JudgedRuns(*ordered, ~y_true[order], 1.0)
        assert runs.query_names == same.query_names == ("a", "b")
        assert runs.judged_at(1) == same.judged_at(1) == {"s": 0.5}
        grades = {"a": {"new": 1}, "b": {"c": 1}}
        assert runs.fill(grades).documents.tolist() == same.fill(grades).documents.tolist()

    @pytest.mark.parametrize("k", [0, 0.5, True, "10"])
    def test_k_must_be_a_number_of_documents(self, k):
        with pytest.raises((TypeError, ValueError), match="k must be"):
            BOTH.judged_at(k)


JUDGE = {"q1": {"a": 0, "b": 3, "x": 3}, "q2": {"d": 0, "x": 0, "nowhere": 3}}


class TestFill:
    def labels(self, runs):
        rows = zip(runs.queries, runs.documents, runs.y_true, runs.is_judged, strict=True)
        return {(query, document): (y, judged) for query, document, y, judged in rows}

    def test_judge_grades_only_what_people_did_not(self):
        before = self.labels(BOTH)
        filled = BOTH.fill(JUDGE)
        assert self.labels(filled) == before | {
            ("q1", "x"): (True, True),
            ("q2", "x"): (False, True),
            ("q2", "nowhere"): (True, True),
        }
        assert self.labels(BOTH) == before
        assert filled.judged_at(10) == {"x": 1.0, "y": 1.0}

    def test_filled_runs_equal_those_of_one_file_of_both_grades(self):
        judge = {"b": {"d9": 0, "d1": 1, "d3": 1}, "a": {"d2": 1, "d7": 1}, "c": {"d1": 1}}
        runs = {"r": {"a": ["d1", "d2"], "b": ["d1", "d0"], "c": []}}
        people = {"a": {"d1": 1}, "b": {"d0": 1}, "c": {"d0": 0}}
        filled = retrieval.from_dicts(people, runs).fill(judge)
        whole = retrieval.from_dicts({q: judge[q] | people[q] for q in people}, runs)
        assert self.labels(filled) == self.labels(whole)
        assert filled.query_names == ("a", "b", "c")
        scores = [average_precision_score(**each["r"], average=None) for each in (filled, whole)]
        assert scores[0].tolist() == scores[1].tolist() == [2 / 3, 2 / 3, 0]

    def test_judge_adds_missed_columns_of_sparse_matrices(self):
        matrix = csr_array([[1, 0, 2, 0], [0, 3, 0, 1]])
        filled = retrieval.from_sparse(matrix, {"m": matrix}).fill({1: {2: 1}})
        assert filled.documents.tolist() == [0, 2, 1, 2, 3]
        assert filled.y_scores["m"].tolist() == [1, 2, 3, -np.inf, 1]
        for name in ("new", "03"):
            with pytest.raises(ValueError, match=rf"must number the columns of .* got '{name}'"):
                filled.fill({1: {name: 1}})

    def test_missed_documents_keep_their_names_among_shorter_ones(self):
        rows = [np.array(each) for each in (["q", "q"], ["d1", "d2"], [True, False])]
        runs = retrieval.JudgedRuns(rows[2], {"s": np.array([2.0, 1])}, *rows, 1.0)
        filled = runs.fill({"q": {"d25": 1, "d2": 0}})
        assert self.labels(filled) == {
            ("q", "d1"): (True, True),
            ("q", "d2"): (False, True),
            ("q", "d25"): (True, True),
        }

    def test_judge_has_the_level_of_the_runs_unless_told(self):
        runs = retrieval.from_dicts(QRELS, {"x": X, "y": Y}, relevance_level=2)
        grades = {"q1": {"x": 1}, "q2": {"x": 2}}
        for level, expected in (None, False), (1, True):
            found = self.labels(runs.fill(grades, relevance_level=level))
            assert found["q1", "x"][0] == expected, f"grade 1, {level=}, 2 of the runs"
            assert found["q2", "x"][0], f"grade 2 is not relevant: {level=}, 2 of the runs"
        shares = {"q1": {"x": 0.9}, "q2": {"x": 0.2}}
        found = self.labels(BOTH.fill(shares, relevance_level=0.5))
        assert (found["q1", "x"][0], found["q2", "x"][0]) == (True, False)

    def test_judge_may_be_a_file_and_its_agreement_with_people_is_printed(self, tmp_path):
        pytest.importorskip("pyarrow")
        path = tmp_path / "llm.txt"
        path.write_text("q1 0 a 1\nq1 0 b 1\nq1 0 x 1\nq9 0 z 1\n")
        with pytest.warns(UserWarning, match="1 query not in the runs: left out .'q9'.$"):
            filled = BOTH.fill(path)
        assert self.labels(filled) == self.labels(BOTH.fill({"q1": {"a": 1, "b": 1, "x": 1}}))
        assert "4 relevant; 1 label of a judge; judge and people agree on 1 of 2" in filled.heading

    def test_a_second_judge_grades_what_the_first_did_not(self):
        filled = BOTH.fill({"q1": {"x": 1}, "q2": {"x": None}}).fill(
            {"q1": {"x": 0}, "q2": {"x": 1}}
        )
        for cell in ("q1", "x"), ("q2", "x"):
            is_relevant, is_judged = self.labels(filled)[cell]
            assert is_judged, f"{cell} has no grade after two judges"
            assert is_relevant, f"{cell} has grade 1 of one judge, and is not relevant"

    def test_agreement_is_that_of_people_and_the_first_judge(self):
        runs = retrieval.from_dicts({"a": {"d1": 1}}, {"r": {"a": ["d1", "d2", "d3"]}})
        filled = runs.fill({"a": {"d1": 1, "d2": 1}}).fill({"a": {"d1": 0, "d2": 0, "d3": 1}})
        assert filled.notes == {"filled": 2, "compared": 1, "agreed": 1}

    def test_judge_may_find_nothing_relevant_or_have_nothing_to_fill(self):
        assert self.labels(BOTH.fill({"q1": {"x": 0}}))["q1", "x"] == (False, True)
        whole = retrieval.from_dicts({"q": {"a": 1, "b": 0}, "r": {}}, {"x": {"q": ["b"], "r": []}})
        assert self.labels(whole.fill({"q": {"a": 0}})) == self.labels(whole)

    @pytest.mark.parametrize(
        ("grades", "options", "text"),
        [
            ([1, 2], {}, "grades must be a dict, {query: {document: grade}}, or a file, got [1,"),
            ({"q1": {"a": 1}, "z": {"x": 1}}, {}, "without a label, as 'x' of query 'q1'"),
            ({"q1": {"x": 0.9}}, {}, "relevance_level is 1, and grades are at most 0.9: pass the"),
            ({"q1": {"x": 3}}, {"relevance_level": 4}, "relevance_level is 4, and grades are"),
            ({"q1": {"x": 3}}, {"relevance_level": "2"}, "relevance_level must be a number"),
            ({"q1": {"x": 3}}, {"relevance_level": 10**400}, "relevance_level must be a finite n"),
        ],
    )
    def test_wrong_grades_are_refused(self, grades, options, text):
        with pytest.raises((ValueError, TypeError), match=re.escape(text)):
            BOTH.fill(grades, **options)

    def test_runs_without_their_unjudged_documents_cannot_be_filled(self):
        runs = retrieval.from_dicts(QRELS, {"x": X}, unjudged="left out")
        with pytest.raises(ValueError, match="unjudged documents were left out"):
            runs.fill(JUDGE)


class TestWarnings:
    def test_systems_whose_documents_are_judged_unequally_are_named(self):
        names = [f"q{i}" for i in range(50)]
        qrels = {name: {"a": 1, "b": 0} for name in names}
        runs = {"old": dict.fromkeys(names, ("b", "a")), "new": dict.fromkeys(names, ("a", "x"))}
        text = "unequal judgements: .*100.0% are judged for old, and 50.0% for new, which may be"
        with pytest.warns(UncertaintyWarning, match=text) as caught:
            retrieval.from_dicts(qrels, runs)
        assert "(unjudged='left out', -J) may score new too high." in str(caught[0].message)
        text = "unequal judgements: .*50.0% for new, which may be worse than its score, as"
        with pytest.warns(UncertaintyWarning, match=text):
            judged = retrieval.from_dicts(qrels, runs, unjudged="left out")
        assert judged.heading.endswith("; 50 unjudged documents left out")
        retrieval.from_dicts(dict.fromkeys(names, ("a",)), runs)  # of relevant ones alone
        few = runs["old"] | dict.fromkeys(names[:2], ("a", "x"))
        retrieval.from_dicts(qrels, {"old": runs["old"], "few": few})  # 2% apart

    def test_queries_that_do_not_count_or_that_a_run_lacks_are_named(self):
        qrels = {name: ["a"] for name in "1239"}
        found = {"x": "12567", "b{}\x1b": "13"}
        runs = {name: {query: ["a"] for query in queries} for name, queries in found.items()}
        with pytest.warns(UserWarning, match="quer") as caught:
            judged = retrieval.from_dicts(qrels, runs)
        assert judged.query_names == ("1", "2", "3")
        assert [str(each.message) for each in caught] == [
            "3 queries without judgements: left out ('5', '6' and '7')",
            "1 query judged but in no run: left out; complete=True (-c) counts 0 ('9')",
            "1 query not in x, but in another run: 0 there ('3')",
            "1 query not in b{}\\x1b, but in another run: 0 there ('2')",
        ]
        assert {each.filename for each in caught} == {__file__}

    def test_a_level_above_all_grades_is_told_with_the_highest(self):
        message = "no document is relevant: relevance_level is 3, and the highest grade is 2$"
        with pytest.warns(UserWarning, match=message):
            retrieval.from_dicts({"1": {"a": 2, "b": 0}}, {"x": {"1": ["a"]}}, relevance_level=3)

    def test_equal_scores_in_most_queries_are_told(self):
        qrels = dict.fromkeys("1234", ("a", "b"))
        tied = {"a": 1, "b": 1}
        run = {"1": tied, "2": tied, "3": {"a": 2, "b": 1}, "4": {"a": 1}}
        message = (
            "x: 2 of 3 queries with several documents have only one score, so that documents sh"
        )
        with pytest.warns(UserWarning, match=message):
            retrieval.from_dicts(qrels, {"x": run})
        retrieval.from_dicts(qrels, {"x": run | {"2": run["3"], "4": []}})  # 1 of 3

    def test_complete_counts_judged_queries_that_no_run_has(self):
        judged = retrieval.from_dicts({"1": ["a"], "9": ["a"]}, {"x": {"1": ["a"]}}, complete=True)
        assert average_precision_score(**judged["x"], average=None).tolist() == [1, 0]

    def test_a_run_of_which_nothing_is_judged_is_named_with_names_of_both(self):
        run = {"q1": ["A"], "q2": ["D"]}
        message = "no document of new is judged, .* It has 'A', and the judgements have 'a'"
        with pytest.warns(UserWarning, match=message):
            retrieval.from_dicts(QRELS, {"x": X, "new": run})
