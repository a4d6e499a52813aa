"""Judged runs are arguments of every function, know which documents were judged, and warn."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compare_segments,
    retrieval,
)

QRELS = {"q1": {"a": 3, "b": 0, "c": 1}, "q2": {"d": 1}}
X = {"q1": {"a": 0.9, "x": 0.8, "c": 0.7}, "q2": {"x": 0.5, "d": 0.4}}
Y = {"q1": ["b"], "q2": ["d", "x"]}
BOTH = retrieval.from_runs(QRELS, {"x": X, "y": Y})


def test_rows_and_their_frame():
    shown = "JudgedRuns: 2 systems, 2 queries, 6 documents, 3 relevant"
    assert repr(BOTH).splitlines()[0] == shown
    assert [*BOTH.to_frame()] == ["query", "document", "y_true", "is_judged", "x", "y"]


class TestJudgedAt:
    def test_share_is_the_mean_over_queries(self):
        # x: a of a, x; then d of x, d. y: b of b; then d of d, x.
        assert BOTH.judged_at(2) == {"x": (1 / 2 + 1 / 2) / 2, "y": (1 + 1 / 2) / 2}

    def test_tied_documents_share_the_ranks_that_are_left(self):
        run = {"q": {"a": 2, "b": 1, "u": 1, "v": 1}}
        runs = retrieval.from_runs({"q": {"a": 1, "b": 0}}, {"x": run})
        for k, share in ((1, 1), (2, (1 + 1 / 3) / 2), (3, (1 + 2 / 3) / 3), (9, 2 / 4)):
            assert runs.judged_at(k) == {"x": pytest.approx(share)}

    def test_queries_without_documents_are_skipped(self):
        runs = retrieval.from_runs(QRELS, {"x": X | {"q2": []}, "none": {"q1": [], "q2": []}})
        assert runs.judged_at(1) == {"x": 1, "none": pytest.approx(np.nan, nan_ok=True)}

    def test_documents_that_were_left_out_are_told(self):
        runs = retrieval.from_runs(QRELS, {"x": X, "y": Y}, unjudged="left out")
        with pytest.warns(UserWarning, match="Unjudged documents were left out, so all that are"):
            assert runs.judged_at(2) == {"x": 1, "y": 1}

    def test_rows_may_stand_in_any_order(self):
        y_true, queries = np.array([1, 0, 1, 0, 1], bool), np.array(["b", "a", "b", "a", "b"])
        scores, documents = {"s": np.array([3.0, 5, 1, 4, 2])}, np.array([*"cdefg"])
        rows = [y_true, scores, queries, documents, ~y_true]
        order = queries.argsort(kind="stable")
        ordered = [y_true[order], {"s": scores["s"][order]}, queries[order], documents[order]]
        runs = retrieval.JudgedRuns(*rows)
        same = retrieval.JudgedRuns(*ordered, ~y_true[order])
        assert runs.query_names == same.query_names == ("a", "b")
        assert runs.judged_at(1) == same.judged_at(1) == {"s": 0.5}

    @pytest.mark.parametrize("k", [0, 0.5, True, "10"])
    def test_k_must_be_a_number_of_documents(self, k):
        with pytest.raises((TypeError, ValueError), match="k must be"):
            BOTH.judged_at(k)


class TestWarnings:
    def test_systems_whose_documents_are_judged_unequally_are_named(self):
        names = [f"q{i}" for i in range(50)]
        qrels = {name: {"a": 1, "b": 0} for name in names}
        runs = {"old": dict.fromkeys(names, ("b", "a")), "new": dict.fromkeys(names, ("a", "x"))}
        text = "unequal judgements: .*100.0% are judged for old, and 50.0% for new. The score"
        for unjudged in ("negative", "left out"):
            with pytest.warns(UncertaintyWarning, match=text):
                retrieval.from_runs(qrels, runs, unjudged=unjudged)
        runs["new"] = {"q0": ("a", "x")} | dict.fromkeys(names[1:], ("x", "y"))
        retrieval.from_runs(dict.fromkeys(names, ("a",)), runs)  # of relevant ones alone
        few = runs["old"] | dict.fromkeys(names[:2], ("a", "x"))
        retrieval.from_runs(qrels, {"old": runs["old"], "few": few})  # 2% apart

    def test_unequal_judgements_overturn_the_verdict_on_the_two_systems(self):
        """Also under other names, alone, in some of the queries, and after pickling."""
        names = [f"q{i}" for i in range(50)]
        qrels = {name: {"a": 1, "b": 0, "c": 0} for name in names}
        runs = {
            "old": dict.fromkeys(names, ("a", "b")),
            "flat": dict.fromkeys(names, ("b", "a")),
            "new": dict.fromkeys(names, ("x", "a")),
        }
        with pytest.warns(UncertaintyWarning, match="unequal judgements"):
            judged = retrieval.from_runs(qrels, runs)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = compare_average_precision(**judged)
        assert found.verdict.tolist() == ["reference", "worse", "worse"]
        assert found.is_overturned.tolist() == [False, False, True]
        assert "flat is worse than old" in found.sentences[0]
        assert found.sentences[1].startswith("new scores lower than old: -0.5")
        reason = "but 50.0% of its first 10 documents are judged, and 100.0% of the other "
        assert reason in found.sentences[1]
        assert [each.name for each in found.doubts] == ["unequal judgements"]
        options = {"y_true": judged.y_true, "queries": judged.queries}
        renamed = {"a": judged.y_scores["old"], "b": judged.y_scores["new"]}
        assert compare_average_precision(y_scores=renamed, **options).is_overturned[1]
        rows = judged.queries != "q1"
        part = {name: scores[rows] for name, scores in renamed.items()}
        options = {name: values[rows] for name, values in options.items()}
        assert compare_average_precision(y_scores=part, **options).is_overturned[1]
        again = pickle.loads(pickle.dumps(judged))
        assert compare_average_precision(**again).is_overturned.tolist() == [False, False, True]
        assert not average_precision_interval(**judged["new"]).doubts

    @pytest.mark.parametrize(("n_found", "is_doubted"), [(38, True), (39, False)])
    @pytest.mark.parametrize("complete", [False, True])
    def test_a_system_that_lacks_more_than_a_quarter_of_the_queries_is_doubted(
        self, n_found, is_doubted, complete
    ):
        """As long as these are among the rows, and in frames of scores, too."""
        names = [f"q{i}" for i in range(52)]
        qrels = {name: ["a"] for name in names}
        runs = {"old": dict(qrels), "new": {name: ["a"] for name in names[:n_found]}}
        with warnings.catch_warnings(action="ignore"):
            judged = retrieval.from_runs(qrels, runs, complete=complete)
            found = compare_average_precision(**judged)
            frame = pd.DataFrame(judged.y_scores)
            of_frame = compare_average_precision(judged.y_true, frame, queries=judged.queries)
            alone = average_precision_interval(**judged["new"]).doubts
        assert found.is_overturned[1] == of_frame.is_overturned[1] == is_doubted
        assert [each.name for each in alone] == ["missing results"] * is_doubted
        assert not average_precision_interval(**judged["old"]).doubts
        if is_doubted:
            reason = "but 14 of 52 queries with positives have no document (new): run the model on"
            assert reason in found.sentences[0]
        rows = np.isin(judged.queries, names[:n_found])
        scores = {name: each[rows] for name, each in judged.y_scores.items()}
        assert not compare_average_precision(
            judged.y_true[rows], scores, queries=judged.queries[rows]
        ).doubts

    @pytest.mark.parametrize(("n_queries", "is_doubted"), [(9, False), (10, True)])
    def test_few_queries_without_results_are_not_doubted(self, n_queries, is_doubted):
        """A system that finds nothing for half of them may have no answer."""
        queries = np.repeat(np.arange(n_queries), 2)
        scores = np.where(queries % 2, -np.inf, np.tile([1.0, 0.0], n_queries))
        y_true = np.tile([1, 0], n_queries)
        with warnings.catch_warnings(action="ignore"):
            doubts = average_precision_interval(y_true, scores, queries=queries).doubts
        assert ("missing results" in [each.name for each in doubts]) == is_doubted

    def test_segments_are_doubted_whose_queries_lack_results(self):
        names = [f"q{i}" for i in range(50)]
        qrels = {name: {"a": 1, "b": 0} for name in names}
        run = {name: ["a", "b"] for name in names[:30]}
        judged = retrieval.from_runs(qrels, {"old": run}, complete=True)
        segments = np.where(np.isin(judged.queries, names[25:]), "FR", "EN")
        with pytest.warns(UncertaintyWarning, match="missing results: 20 of 50 queries"):
            found = compare_segments(**judged["old"], segments=segments, prevalence="own")
        assert found.is_overturned.all()

    def test_scores_are_plain_numbers_in_sums_and_maxima(self):
        scores = BOTH.y_scores["x"]
        assert (type(scores.max()), type(scores[0])) == (np.float64, np.float64)
        assert round(np.max(scores), 1) == 0.9
        assert type(scores + 1) is type(scores[1:])

    def test_rows_of_several_queries_in_one_ranking_are_doubted(self):
        """Beside a judge, too; scores of one query, and other arrays, are of one ranking."""
        options = {"y_true": BOTH.y_true}
        with pytest.warns(UncertaintyWarning, match="forgotten queries: .* Pass queries"):
            found = average_precision_interval(**options, y_score=BOTH.y_scores["x"])
        assert found.doubts[0].overturns
        people = np.where(BOTH.queries == "q1", BOTH.y_true, np.nan)
        with pytest.warns(UncertaintyWarning, match="forgotten queries"):
            average_precision_interval(people, BOTH.y_scores["x"], judge=BOTH.y_true)
        with pytest.warns(UncertaintyWarning, match="forgotten queries"):
            compare_average_precision(**options, y_scores=BOTH.y_scores)
        average_precision_interval(**options, y_score=np.array(BOTH.y_scores["x"]))
        one = retrieval.from_runs({"q1": QRELS["q1"]}, {"x": {"q1": X["q1"]}})
        average_precision_interval(one.y_true, one.y_scores["x"])

    def test_a_run_in_the_place_of_judgements_is_refused_or_asked_about(self):
        rng = np.random.default_rng(0)
        run = {f"q{i}": {f"d{j}": rng.normal(5) for j in range(12)} for i in range(9)}
        labels = {q: {d: int(score > 5) for d, score in found.items()} for q, found in run.items()}
        with pytest.raises(ValueError, match=r"relevant, beside a run of whole .* Are these sc"):
            retrieval.from_runs(run, {"a": labels})
        with pytest.warns(UserWarning, match=r"relevant, beside a run of whole .* Are these sc"):
            retrieval.from_runs(run, {"a": labels}, relevance_level=5)
        one = {q: {min(found): 1} for q, found in run.items()}  # judgements of one document
        whole = {q: {d: 12 - i for i, d in enumerate(found)} for q, found in run.items()}
        ranks = {q: {d: min(11 - i, 10) for i, d in enumerate(found)} for q, found in run.items()}
        retrieval.from_runs(run, {"a": ranks}, relevance_level=5)  # of which hardly two are equal
        for scores in (run, whole):
            with pytest.warns(UserWarning, match=r"beside a run of whole .* Are these scores"):
                retrieval.from_runs(scores, {"a": one}, relevance_level=5)
        with pytest.warns(UserWarning, match=r"such as 1, 100.0% of them relevant, have fractions"):
            retrieval.from_runs({"q": {"a": 1, "b": 1, "c": 1.5}}, {"a": {"q": ["a"]}})
        with pytest.warns(UserWarning, match=r"have fractions\. Are these scores"):
            retrieval.from_runs(run, {"a": run}, relevance_level=0.1)
        judge = {q: {d: round(rng.random(), 1) for d in found} for q, found in run.items()}
        ranked = {q: [*found] for q, found in run.items()}
        for runs in ({"a": run}, {"a": ranked}):  # probabilities of a judge
            retrieval.from_runs(judge, runs, relevance_level=0.5)

    @pytest.mark.parametrize(("level", "is_told"), [({}, True), ({"relevance_level": 0.5}, False)])
    def test_grades_between_0_and_1_are_asked_about(self, level, is_told):
        qrels = {"q": {"a": 1, "b": 2 / 3, "c": 0, "d": 0}}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            retrieval.from_runs(qrels, {"x": {"q": ["b", "a"]}}, **level)
        said = "25.0% of the labels are fractions below relevance_level=1, such as 0.667"
        assert [said in str(each.message) for each in caught] == [True] * is_told

    def test_queries_that_do_not_count_or_that_a_run_lacks_are_named(self):
        qrels = {name: ["a"] for name in "1239"}
        found = {"x": "12567", "b{}\x1b": "13"}
        runs = {name: {query: ["a"] for query in queries} for name, queries in found.items()}
        with pytest.warns(UserWarning, match="quer") as caught:
            judged = retrieval.from_runs(qrels, runs)
        assert judged.query_names == ("1", "2", "3")
        assert [str(each.message) for each in caught] == [
            "3 queries without judgements: left out ('5', '6' and '7')",
            "1 query judged but in no run: left out; complete=True counts 0 ('9')",
            "1 query not in x, but in another run: 0 there ('3')",
            "1 query not in b{}\\x1b, but in another run: 0 there ('2')",
        ]
        assert {each.filename for each in caught} == {__file__}

    @pytest.mark.parametrize("listed", [["A"], [("a", 0.9)]])
    def test_a_run_of_which_nothing_is_judged_is_named(self, listed):
        runs = {"x": {"q": ["a"]}, "new": {"q": listed}}
        with pytest.warns(UserWarning, match="no document of new is judged, .* have 'a'"):
            retrieval.from_runs({"no document": [], "q": ["a"]}, runs, complete=True)

    def test_labels_that_are_all_below_the_level_are_warned_of(self):
        qrels, runs = {"q": {"a": 0.95, "b": 0}}, {"x": {"q": ["a"]}}
        sparse = csr_array([[0.95, 0.5]])
        for unjudged in ("negative", "left out"):
            with pytest.warns(UserWarning, match="no label reaches relevance_level=1: .* 0.95$"):
                retrieval.from_runs(qrels, runs, unjudged=unjudged)
        with pytest.warns(UserWarning, match="no label reaches relevance_level=1: .* 0.95$"):
            retrieval.from_sparse(sparse, {"x": sparse})
        retrieval.from_runs({"q": []}, runs)  # which says that nothing is relevant

    def test_complete_counts_judged_queries_that_no_run_has(self):
        judged = retrieval.from_runs({"1": ["a"], "9": ["a"]}, {"x": {"1": ["a"]}}, complete=True)
        assert average_precision_score(**judged["x"], average=None).tolist() == [1, 0]


class TestJudge:
    people = {"q1": {"a": 3, "b": 0, "c": 1, "x": 0}}  # noqa: RUF012
    judge = {"q1": {"a": 2, "b": 1, "x": 0}, "q2": {"x": 0, "d": 2}, "q3": {}}  # noqa: RUF012
    runs = {"x": X | {"q3": []}, "y": Y}  # noqa: RUF012
    missing = pytest.mark.filterwarnings("ignore:1 query not in y:UserWarning")

    @missing
    def test_rows_hold_labels_of_people_beside_those_of_the_judge(self):
        """A document that only people know is not relevant to the judge."""
        both = retrieval.from_runs(self.people, self.runs, judge=self.judge, relevance_level=2)
        assert both.keys() == (*both,) == ("y_true", "y_scores", "queries", "judge")
        assert {*both["x"]} == {"y_score", "y_true", "queries", "judge"}
        labels = {None: "", True: 1, False: 0}
        rows = zip(both.queries, both.documents, both.y_true, both.judge, strict=True)
        found = [(q, d, labels.get(y) if y == y else None, bool(j)) for q, d, y, j in rows]
        assert found == [
            ("q1", "a", 1, True),
            ("q1", "b", 0, False),
            ("q1", "c", 0, False),
            ("q1", "x", 0, False),
            ("q2", "d", None, True),
            ("q2", "x", None, False),
            ("q3", "", None, False),
        ]
        assert both.judged_at(1) == {"x": 1, "y": 1}
        heading = "2 systems, 3 queries, 7 documents, 2 relevant by the judge, 1 query graded by "
        assert heading in both.heading
        assert [*both.to_frame()][:5] == ["query", "document", "y_true", "is_judged", "judge"]

    def test_a_query_of_which_people_found_nothing_relevant_is_labelled(self):
        people, judge = {"q1": {"a": 1}, "q2": {}}, {"q1": ["a"], "q2": []}
        both = retrieval.from_runs(people, {"x": {"q1": ["a"], "q2": []}}, judge=judge)
        assert both.y_true.tolist() == [1, 0]
        assert (both.judge.tolist(), both.is_judged.tolist()) == ([True, False], [True, False])

    @pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
    def test_one_call_corrects_the_judge_as_columns_written_by_hand_do(self):
        rng = np.random.default_rng(0)
        names, documents = [f"q{i:02}" for i in range(40)], [f"d{i}" for i in range(12)]
        truth = {q: {d: int(d == "d0" or rng.random() < 0.3) for d in documents} for q in names}
        judge = {q: {d: y ^ int(rng.random() < 0.1) for d, y in truth[q].items()} for q in names}
        people = {q: truth[q] for q in names[::2]}
        runs = {
            system: {q: {d: y + rng.normal() for d, y in truth[q].items()} for q in names}
            for system in ("x", "y")
        }
        both = retrieval.from_runs(people, runs, judge=judge)
        rows = retrieval.from_runs(judge, runs)
        keys = zip(rows.queries, rows.documents, strict=True)
        human = [people[q][d] if q in people else np.nan for q, d in keys]
        options = {"queries": rows.queries, "judge": rows.y_true}
        expected = compare_average_precision(human, rows.y_scores, **options)
        assert compare_average_precision(**both).to_dict() == expected.to_dict()
        expected = average_precision_interval(human, rows.y_scores["y"], **options)
        assert average_precision_interval(**both["y"]).to_dict() == expected.to_dict()
        again = pickle.loads(pickle.dumps(both))
        assert compare_average_precision(**again).to_dict()["rows"]

    @missing
    def test_queries_that_people_graded_in_part_are_refused(self):
        people = {"q1": {"a": 3, "b": 0}}
        text = "qrels: query 'q1' has no label of document 'c', which a run or the judge has"
        with pytest.raises(ValueError, match=text):
            retrieval.from_runs(people, self.runs, judge=self.judge)

    @missing
    def test_queries_that_the_judge_lacks_are_told(self):
        """Each once: q9 is in no run, and q8 in one."""
        people = self.people | {"q8": {"a": 1}, "q9": {"a": 1}}
        runs = {name: run | {"q8": ["a"]} for name, run in self.runs.items()}
        with pytest.warns(UserWarning, match="1 query") as caught:
            retrieval.from_runs(people, runs, judge=self.judge)
        assert [str(each.message) for each in caught] == [
            "1 query without judgements of the judge: left out ('q8')",
            "1 query not in y, but in another run: 0 there ('q3')",
            "1 query graded by people, but not by the judge, and in no run: left out ('q9')",
        ]

    @missing
    def test_people_who_grade_on_a_lower_scale_are_told(self):
        people = {"q1": dict.fromkeys("abcx", 1)}
        with pytest.warns(UserWarning, match="no label of people reaches relevance_level=2: the "):
            retrieval.from_runs(people, self.runs, judge=self.judge, relevance_level=2)

    def test_people_who_graded_no_query_of_the_judge_are_refused(self):
        with pytest.raises(ValueError, match="qrels: people graded none of the queries"):
            retrieval.from_runs({"q": {"a": 1}}, {"x": X}, judge=QRELS)

    def test_a_judge_on_a_lower_scale_is_told(self):
        low = {"judge": {"q1": {"a": 1, "b": 0}}, "relevance_level": 9}
        with pytest.warns(UserWarning, match="no label of the judge reaches relevance_level=9"):
            retrieval.from_runs({"q1": {"a": 9, "b": 0}}, {"x": {"q1": ["a", "b"]}}, **low)

    def test_documents_cannot_be_left_out_beside_a_judge(self):
        with pytest.raises(ValueError, match=r"does not go with judge.*Leave it out"):
            retrieval.from_runs(QRELS, {"x": X}, judge=self.judge, unjudged="left out")
        with pytest.raises(KeyError, match="No system is named 'judge'"):
            BOTH["judge"]


def test_ties_of_trec_eval_rank_the_last_name_first_and_only_what_was_retrieved():
    judged = retrieval.from_runs(
        {"q": {"a": 1, "b": 0, "c": 1}}, {"run": {"q": {"a": 0.5, "b": 0.5}}}, ties="trec_eval"
    )
    found = dict(zip(judged.documents, judged.y_scores["run"], strict=True))
    assert found == {"a": 0, "b": 1, "c": -np.inf}
