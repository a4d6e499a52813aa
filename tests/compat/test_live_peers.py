"""The real tools beside their reproductions, on generated predictions: pytest -m peers.

A tool that is not installed is skipped by name.
"""

import warnings
from inspect import signature

import numpy as np
import pytest
from record_peers import RUNNERS, installed

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compat,
    eleven_point_average_precision_score,
    precision_at_k_score,
)
from sklearn_ap.compat._tools import get

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def generated(name):
    """CheckedPredictions with ties where the tool says what it does with them, and without."""
    entry = get(name)
    rng = np.random.default_rng(sum(map(ord, name)))
    # Whole vectors: PyTorch's sigmoid of equal scores may differ in the last bit in a remainder.
    for n, prevalence in ((5, 0.5), (12, 0.3), (32, 0.2), (160, 0.5), (400, 0.05)):
        y = rng.permutation(np.arange(n) < max(1, int(prevalence * n))).astype(int)
        yield y, (rng.permutation(n) + 0.5) / n
        if entry.tool in ("torchmetrics", "torcheval") and entry.choices[1] == "grouped":
            yield y, rng.integers(0, 100, n) / 99  # on the edges of 100 bins, and of 200
            yield y, rng.integers(0, 200, n) / 199
        if entry.choices[1] != "unspecified" and name != "lightgbm.map":
            yield y, rng.integers(1, 9, n) / 10
            yield y, rng.integers(1, 9, n) * 0.6e-8
            if entry.tool not in ("h2o", "keras", "lvis", "metrax", "pycocotools", "supervision"):
                yield y, rng.integers(-40, 41, n) / 8


@pytest.mark.parametrize("name", RUNNERS)
def test_the_tool_gives_the_number_of_its_reproduction(name):
    if not installed(name):
        pytest.skip(f"{name} is not installed")
    entry, run = get(name), RUNNERS[name]
    for y, s in generated(name):
        asked = [{"k": k} for k in (1, 3, 10) if k <= len(y)] if entry.k == "required" else [{}]
        if entry.weights and "sample_weight" in signature(run).parameters:
            asked.append({"sample_weight": np.random.default_rng(0).random(len(y))})
        for options in asked:
            ours = compat.score(name, y, s, **options)
            theirs = run(y, s, **options)
            assert ours == pytest.approx(theirs, abs=entry.tolerance), (len(y), options)


def test_the_mean_of_what_torchmetrics_returns_for_batches_is_another_number():
    """On the predictions of docs/compat.md, which says so."""
    torch = pytest.importorskip("torch")
    classification = pytest.importorskip("torchmetrics.classification")
    rng = np.random.default_rng(0)
    y = rng.random(1000) < 0.1
    p = 1 / (1 + np.exp(2 - 2 * y - 1.2 * rng.normal(size=1000)))
    metric = classification.BinaryAveragePrecision()
    each = [
        metric(torch.tensor(p[i::25]), torch.tensor(y[i::25].astype(int))).item() for i in range(25)
    ]
    assert f"{np.mean(each):.3f}" == "0.670"
    assert f"{metric.compute().item():.3f}" == "0.581"
    assert f"{average_precision_score(y, p):.3f}" == "0.581"


def test_queries_against_trec_eval():
    """Queries of very different sizes, as MAP, MAP at k, precision at k and eleven points."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 300, 200)
    query = np.repeat(np.arange(200), sizes)
    y = (rng.random(query.size) < 0.1).astype(int)
    y[np.cumsum(sizes) - 1] = 1
    s = rng.permutation(query.size) / query.size
    judged, found = {}, {}
    for i, q in enumerate(query):
        judged.setdefault(f"q{q}", {})[f"d{i}"] = int(y[i])
        found.setdefault(f"q{q}", {})[f"d{i}"] = float(s[i])
    asked = {"map", "map_cut.10", "P.10", "11pt_avg"}
    answers = pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(found).values()
    theirs = {key: np.mean([a[key] for a in answers]) for key in next(iter(answers))}
    options = {"k": 10, "normalizer": "positives"}
    ours = {
        "map": average_precision_score(y, s, queries=query),
        "map_cut_10": average_precision_at_k_score(y, s, queries=query, **options),
        "P_10": precision_at_k_score(y, s, k=10, queries=query),
    }
    for key, value in ours.items():
        assert value == pytest.approx(theirs[key], abs=1e-9)
    rows = compat.compare(y, s, queries=query, tools=["pytrec_eval"]).rows()
    eleven = next(row["value"] for row in rows if row["name"] == "pytrec_eval.11pt_avg")
    assert eleven == pytest.approx(theirs["11pt_avg"], abs=1e-6)
    # Exact levels differ where int(x R + 0.9) is one too low.
    exact = eleven_point_average_precision_score(y, s, queries=query)
    assert exact == pytest.approx(theirs["11pt_avg"], abs=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert exact <= theirs["11pt_avg"]
