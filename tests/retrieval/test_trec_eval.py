"""Every query scores as in trec_eval, and the differences are those of the table of queries.md."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compat, retrieval
from tests.helpers import trec_measures
from tests.helpers.first_cases import quick
from tests.helpers.retrieval_files import generated
from tests.helpers.trec_reference import lines_of, measures, rankings

K = 10


def dicts_of(texts):
    """The judgements and the runs of files, as dicts."""
    found = {name: {} for name in texts}
    for name, text in texts.items():
        for query, _, document, *rest in lines_of(text):
            value = float(rest[0]) if name == "qrels" else float(rest[1])
            found[name].setdefault(query, {})[document] = value
    return found.pop("qrels"), found


def average_precision(qrels, run, **options):
    judged = retrieval.from_runs(qrels, {"x": run}, **options)
    return average_precision_score(**judged["x"], zero_division=0.0)


@pytest.mark.filterwarnings("ignore:.*quer")
@pytest.mark.parametrize("relevance_level", quick([1, 1.5], 1))
@pytest.mark.parametrize("unjudged", ["negative", "left out"])
@pytest.mark.parametrize("has_ties", [True, False])
def test_every_query_has_the_trec_eval_measures(relevance_level, unjudged, has_ties):
    texts = generated(ties=has_ties)
    qrels, runs = dicts_of(texts)
    options = {"relevance_level": relevance_level, "unjudged": unjudged}
    shared, by_name = (
        retrieval.from_runs(qrels, runs, **options, ties=ties) for ties in ("shared", "trec_eval")
    )
    for run in runs:
        truth = rankings(texts["qrels"], texts[run], relevance_level, unjudged == "left out")
        assert set(truth) <= set(by_name.query_names)
        expected = [measures(*truth.get(query, ([], 1)), K) for query in by_name.query_names]
        for name, definition in trec_measures.at(K).items():
            for judged in (by_name,) if has_ties else (by_name, shared):
                given = judged[run] | {"definition": definition, "zero_division": 0.0}
                found = average_precision_score(**given, average=None)
                assert found == pytest.approx([each[name] for each in expected], abs=1e-12)


def test_tied_documents_come_by_the_bytes_of_their_names_the_last_first():
    names = ["a", "B", "é", "abcdefgh", "abcdefghi", "abcdefgh" * 3, "\U0001f600", "\uff5e"]
    for n, name in enumerate(sorted(names, key=str.encode, reverse=True), 1):
        run = {"q": dict.fromkeys(names, 0.5)}
        assert average_precision({"q": {name: 1}}, run, ties="trec_eval") == 1 / n


def test_rows_stand_by_name_so_that_compat_ranks_ties_as_trec_eval_does():
    qrels, run = {"q": {"c": 1, "a": 0}}, {"q": {"c": 0.5, "b": 0.5, "a": 0.5}}
    judged = retrieval.from_runs(qrels, {"x": run})
    assert judged.documents.tolist() == ["a", "b", "c"]
    assert (
        compat.score(**judged["x"], tool="pytrec_eval.map") == 1
    )  # "c", the last name, comes first


def test_scores_that_float32_does_not_tell_apart_are_tied():
    run = {"q": {"a": 1 + 1e-12, "b": 1.0}}
    assert average_precision({"q": ["a"]}, run, ties="trec_eval") == 1 / 2
    assert average_precision({"q": ["a"]}, run) == 1


class TestDifferences:
    """The rows of the table."""

    def test_tied_documents_share_their_ranks_in_any_order(self):
        for names in ("ab", "ba"):  # ranx: 1 and 1 / 2
            run = {"q": dict.fromkeys(names, 0.5)}
            assert average_precision({"q": ["a"]}, run) == 1 / 2

    @pytest.mark.filterwarnings("ignore:no document of x is judged")
    def test_minus_infinity_is_not_retrieved_and_trec_eval_ranks_it_last(self):
        run = {"q": {"a": -np.inf, "b": 1.0}}  # trec_eval: 1 / 2
        for ties in ("shared", "trec_eval"):
            assert average_precision({"q": ["a"]}, run, ties=ties) == 0

    def test_a_query_that_only_another_run_has_counts_0(self):
        runs = {"x": {"q": ["a"], "r": ["a"]}, "y": {"q": ["a"]}}
        with pytest.warns(UserWarning, match=r"1 query not in y, but in another run: 0 there"):
            judged = retrieval.from_runs({"q": ["a"], "r": ["a"]}, runs)
        assert average_precision_score(**judged["y"]) == 1 / 2  # trec_eval: 1

    def test_a_grade_of_minus_1_is_a_label_where_unjudged_documents_are_left_out(self):
        qrels = {"q": {"a": 1, "b": -1}}  # trec_eval -J: 1
        assert average_precision(qrels, {"q": ["b", "a"]}, unjudged="left out") == 1 / 2


@pytest.mark.peers
@pytest.mark.parametrize("ties", [True, False])
def test_the_differences_of_other_tools_are_as_the_table_says(ties):
    """With pytrec_eval; ranx, where it is installed, and no scores are tied: pytest -m peers."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    texts = generated(ties=ties)
    qrels, runs = dicts_of(texts)
    qrels = {query: {name: int(n) for name, n in found.items()} for query, found in qrels.items()}
    theirs = {"map": "map", "recip_rank": "recip_rank"}
    theirs |= {name: f"{name}_{K}" for name in ("map_cut", "P", "recall")}
    for run in runs:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {*theirs.values()})
        found = evaluator.evaluate(runs[run])
        for query, ranking in rankings(texts["qrels"], texts[run]).items():
            ours = {theirs[name]: value for name, value in measures(*ranking, K).items()}
            assert found[query] == pytest.approx(ours, abs=1e-9)
    one = {"q": {"a": 1}}
    evaluate = pytrec_eval.RelevanceEvaluator(one, {"map"}).evaluate
    assert evaluate({"q": {"a": -np.inf, "b": 1.0}}) == {"q": {"map": 1 / 2}}
    assert evaluate({}) == {}
    ranx = pytest.importorskip("ranx")
    for names, value in ("ab", 1), ("ba", 1 / 2):
        run = ranx.Run({"q": dict.fromkeys(names, 0.5)})
        assert ranx.evaluate(ranx.Qrels(one), run, "map") == value


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:.*quer")
def test_shares_of_judged_documents_are_those_of_ir_measures():
    ir_measures = pytest.importorskip("ir_measures")
    qrels, runs = dicts_of(generated(ties=False))
    grades = {query: {name: int(n) for name, n in found.items()} for query, found in qrels.items()}
    for name, run in runs.items():
        theirs = [
            each.value
            for each in ir_measures.iter_calc([ir_measures.Judged @ K], grades, run)
            if each.query_id in run
        ]
        ours = retrieval.from_runs(qrels, {name: run}).judged_at(K)
        assert ours == {name: pytest.approx(np.mean(theirs))}
