"""The real tools on the same files: pytest -m peers. A tool that is not installed is skipped."""

import numpy as np
import pytest
from retrieval_files import generated

from sklearn_ap import average_precision_interval, compat, retrieval
from sklearn_ap.definitions import AtK, PrecisionAtK, RecallAtK, Step

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

K = 10
OURS = {
    "map": Step(),
    f"map_cut_{K}": AtK(K, normalizer="positives"),
    f"P_{K}": PrecisionAtK(K),
    f"recall_{K}": RecallAtK(K),
}
RANX = dict(zip(OURS, ("map", f"map@{K}", f"precision@{K}", f"recall@{K}"), strict=True))


@pytest.fixture(params=[True, False], ids=["ties", "no ties"])
def files(request, tmp_path):
    for name, text in generated(ties=request.param).items():
        (tmp_path / f"{name}.trec").write_text(text)
    paths = {name: str(tmp_path / f"{name}.trec") for name in ("qrels", "a", "b")}
    return request.param, paths


def ours(paths, run):
    """The score of each query that the run has, by its name."""
    judged = retrieval.from_trec(paths["qrels"], paths[run])
    options = {**judged[run], "average": None, "zero_division": 0.0}
    found = {
        name: average_precision_interval(**options, definition=definition, n_resamples=2).estimate
        for name, definition in OURS.items()
    }
    return judged, found


@pytest.mark.parametrize("run", ["a", "b"])
def test_pytrec_eval(files, run):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    ties, paths = files
    with open(paths["qrels"]) as qrels, open(paths[run]) as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), set(OURS))
        theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
    judged, found = ours(paths, run)
    assert set(judged.query_names) == set(theirs)
    for i, query in enumerate(judged.query_names):
        rows = judged.queries == i
        data = judged.y_true[rows], judged.y_scores[run][rows]
        for name, k in ((f"map_cut_{K}", K), (f"P_{K}", K), ("map", None)):
            reproduced = compat.score(f"pytrec_eval.{name.removesuffix(f'_{K}')}", *data, k=k)
            assert reproduced == pytest.approx(theirs[query][name], abs=1e-9)
        for name in () if ties else OURS:
            assert found[name][i] == pytest.approx(theirs[query][name], abs=1e-9)


@pytest.mark.parametrize("run", ["a", "b"])
def test_ranx(files, run):
    ranx = pytest.importorskip("ranx")
    ties, paths = files
    if ties:
        pytest.skip("ranx promises no order of ties")
    # ranx calls a label of 0 or less not relevant, and takes whole numbers from 0 on.
    qrels = ranx.Qrels.from_file(paths["qrels"], kind="trec")
    evaluated = ranx.Run.from_file(paths[run], kind="trec")
    theirs = ranx.evaluate(
        qrels, evaluated, list(RANX.values()), make_comparable=True, return_mean=False
    )
    judged = retrieval.from_trec(paths["qrels"], paths[run], complete=True)
    for name, measure in RANX.items():
        values = average_precision_interval(
            **judged[run], average=None, definition=OURS[name], n_resamples=2, zero_division=0.0
        ).estimate
        assert np.mean(theirs[measure]) == pytest.approx(np.mean(values), abs=1e-9)
