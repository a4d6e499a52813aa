"""trec_eval itself on the same files: pytest -m peers. Without pytrec_eval, it is skipped."""

import pytest
from retrieval_files import generated
from trec_reference import measures, rankings

K = 10


@pytest.mark.peers
@pytest.mark.parametrize("run", ["a", "b"])
@pytest.mark.parametrize("ties", [True, False])
def test_trec_reference_agrees_with_pytrec_eval(run, ties):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    texts = generated(ties=ties)
    qrels, found = (texts[name].splitlines() for name in ("qrels", run))
    names = {"map": "map", "recip_rank": "recip_rank"}
    names |= {name: f"{name}_{K}" for name in ("map_cut", "P", "recall")}
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {*names.values()})
    theirs = evaluator.evaluate(pytrec_eval.parse_run(found))
    ours = rankings(texts["qrels"], texts[run])
    assert ours.keys() == theirs.keys()
    for query, ranking in ours.items():
        of_query = {names[name]: value for name, value in measures(*ranking, K).items()}
        assert theirs[query] == pytest.approx(of_query, abs=1e-9)
