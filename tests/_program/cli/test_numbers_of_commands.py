"""Numbers that the page on the command line prints, beside scikit-learn and loops on its file."""

import io
import json

import numpy as np
import pytest
from pages import blocks, numbers_in
from sklearn.metrics import average_precision_score as true_ap

from sklearn_ap.__main__ import main

PAGE = "command_line.md"


@pytest.fixture
def rows():
    (text, *_) = blocks(PAGE, under="Input files", language="text")
    users, y, p = np.genfromtxt(io.StringIO(text), delimiter=",", skip_header=1, dtype=str).T
    return users, y.astype(int), p.astype(float)


def test_segments_score_at_the_prevalence_of_the_file(rows):
    users, y, p = rows
    truth = []
    for name in ("ann", "bob"):
        of = users == name
        share = y[of].mean()
        weight = np.where(y[of], y.mean() / share, (1 - y.mean()) / (1 - share))
        truth.append(true_ap(y[of], p[of], sample_weight=weight))
    said = numbers_in(PAGE, r" p-value ann ([\d.]+) \([^)]*\) 3 \(60\.0%\) .*? bob ([\d.]+)")
    np.testing.assert_allclose(said, truth, atol=5.1e-3)


def test_threshold_shares_equal_a_direct_count(rows):
    _, y, p = rows
    reached = [t for t in np.unique(p) if y[p >= t].mean() >= 0.7]
    best = max(reached, key=lambda t: (y[p >= t].sum(), t))
    selected = p >= best
    said = numbers_in(
        PAGE,
        r"estimate precision ([\d.]+) \([^)]*\) recall ([\d.]+) \([^)]*\) "
        r"selected ([\d.]+) \([^)]*\) Select the rows that score ([\d.]+) or more \((\d+) rows",
    )
    shares = y[selected].mean(), y[selected].sum() / y.sum(), selected.mean()
    np.testing.assert_allclose(said, [*shares, best, selected.sum()])


def test_tool_values_equal_independent_loops_and_scikit_learn(rows):
    _, y, p = rows
    (step, coco, more) = numbers_in(
        PAGE, r"average_precision_score (0\.7167) 0 pycocotools\S+ ([\d.]+) \+([\d.]+)"
    )
    assert step == round(true_ap(y, p), 4)
    hits = y[np.argsort(-p, kind="stable")]
    precision = np.cumsum(hits) / np.arange(1, 11)
    recall = np.cumsum(hits) / 5
    levels = [precision[recall >= level - 1e-12].max() for level in np.linspace(0, 1, 101)]
    assert coco == pytest.approx(np.mean(levels), abs=0.003)  # COCO rounds some levels up
    assert more == pytest.approx(coco - step, abs=1e-4)
    (hyperbola,) = numbers_in(PAGE, r"to xgboost\.aucpr \(([\d.]+)\)")
    assert hyperbola == round(_area_of_hyperbolas(y, p), 4)


def _area_of_hyperbolas(y, p):
    """Precision where true and false positives grow in proportion between thresholds."""
    area, tp, fp = 0.0, 0, 0
    for threshold in np.unique(p)[::-1]:
        block = y[p == threshold]
        share = np.linspace(0, 1, 20_001)[1:] - 1 / 40_000
        found = tp + share * block.sum()
        area += block.sum() * np.mean(found / (found + fp + share * (1 - block).sum()))
        tp, fp = tp + block.sum(), fp + (1 - block).sum()
    return area / y.sum()


QRELS = "a 0 d1 1\na 0 d2 0\na 0 d3 1\nb 0 d1 1\nb 0 d2 0\nmissing 0 d1 1\n"
RUN = "a Q0 d1 1 3 r\na Q0 d0 2 3 r\na Q0 d2 3 2 r\na Q0 d3 4 1 r\nb Q0 d2 1 2 r\nb Q0 d1 2 1 r\n"


def _of_run(*, keeps_unjudged=True, counts_missing=False, by_name=False):
    """MAP of the run in a loop: a tie shares its ranks, or the later name is first."""
    qrels, run = {}, {}
    for query, _, document, label in map(str.split, QRELS.splitlines()):
        qrels.setdefault(query, {})[document] = int(label)
    for query, _, document, _, score, _ in map(str.split, RUN.splitlines()):
        if keeps_unjudged or document in qrels[query]:
            run.setdefault(query, {})[document] = float(score)
    values = [0.0] * (counts_missing * len(set(qrels) - set(run)))
    for query, scores in run.items():
        first = sorted(scores, key=lambda name: (scores[name], name), reverse=True)
        total = 0.0
        for rank, document in enumerate(first, 1):
            label = qrels[query].get(document, 0)
            above = first[:rank] if by_name else [n for n in first if scores[n] >= scores[document]]
            total += label * sum(qrels[query].get(n, 0) for n in above) / len(above)
        values.append(total / sum(qrels[query].values()))
    return np.mean(values)


@pytest.mark.parametrize(
    ("options", "case"),
    [
        ([], {}),
        (["--unjudged", "left-out"], {"keeps_unjudged": False}),
        (["--complete"], {"counts_missing": True}),
        (["--ties", "trec_eval"], {"by_name": True}),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_trec_special_cases_equal_a_plain_loop(options, case, tmp_path, capsys):
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "r.run").write_text(RUN)
    files = [str(tmp_path / "q.txt"), str(tmp_path / "r.run")]
    main(["trec", *options, "--definition", "map", "--format", "json", *files])
    (row, *_) = json.loads(capsys.readouterr().out)["results"]
    assert row["value"] == pytest.approx(_of_run(**case), abs=1e-12)
