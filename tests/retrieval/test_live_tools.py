"""trec_eval itself on the same files: pytest -m peers. Without pytrec_eval, it is skipped."""

import pytest
import trec_measures
from retrieval_files import generated

from sklearn_ap import average_precision_score, compat, retrieval

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

K = 10
OURS = {
    name if name == "map" else f"{name}_{K}": each for name, each in trec_measures.at(K).items()
}


@pytest.mark.parametrize("run", ["a", "b"])
@pytest.mark.parametrize("ties", [True, False])
def test_pytrec_eval(tmp_path, run, ties):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for name, text in generated(ties=ties).items():
        (tmp_path / name).write_text(text)
    with open(tmp_path / "qrels") as qrels, open(tmp_path / run) as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), set(OURS))
        theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
    judged = retrieval.from_trec(tmp_path / "qrels", tmp_path / run)
    assert set(judged.query_names) == set(theirs)
    for query in judged.query_names:
        rows = judged.queries == query
        data = judged.y_true[rows], judged.y_scores[run][rows]
        for name, k in ((f"map_cut_{K}", K), (f"P_{K}", K), ("map", None)):
            reproduced = compat.score(f"pytrec_eval.{name.removesuffix(f'_{K}')}", *data, k=k)
            assert reproduced == pytest.approx(theirs[query][name], abs=1e-9)
        for name, definition in () if ties else OURS.items():
            found = average_precision_score(*data, definition=definition, zero_division=0.0)
            assert found == pytest.approx(theirs[query][name], abs=1e-9)
