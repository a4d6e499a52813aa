"""Claims in the sentences of the pages, tried."""

import csv
import json
import re

import numpy as np
import pytest
from pages import DOCS, blocks, run_under, tables

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compat,
    interpolated_average_precision_score,
    operating_point,
    rows_to_label,
)
from sklearn_ap.definitions import AtK, PrecisionAtK

RECIPE = re.findall(r"^>>> (rank = .*|np\.where.*)$", (DOCS / "tools.md").read_text(), re.MULTILINE)


def test_recipe_for_input_order_ties_handles_unretrieved_rows():
    rng = np.random.default_rng(0)
    for _ in range(50):
        y_true = rng.permutation(np.arange(12) < 4)
        y_score = rng.choice([0.1, 0.2, 0.3, -np.inf], 12)
        known = {"np": np, "y_score": y_score}
        exec(RECIPE[0], known)
        ranks = eval(RECIPE[1], known)
        ours = average_precision_score(y_true, ranks)
        assert ours == pytest.approx(compat.score("ranx.map", y_true, y_score))


def test_coco_equals_101_levels_if_no_recall_falls_on_a_level():
    """Up to 9 objects, no recall but 0.5 and the like, which are not rounded, is a level."""
    rng, options = np.random.default_rng(0), {"recall_levels": 101}
    for n_objects in range(1, 10):
        y_true = rng.permutation(np.arange(40) < n_objects)
        y_score = rng.permutation(40)
        ours = interpolated_average_precision_score(y_true, y_score, **options)
        assert compat.score("COCO", y_true, y_score) == pytest.approx(ours)


def test_scores_at_10_need_only_the_first_10_passages():
    """The mean of precision at the hits among the first 10, over 10, in loops."""
    text = (DOCS / "judges.md").read_text()
    found = re.search(r"first 10 passages.*?`definition=(.*?)` or `(.*?)`", text, re.DOTALL)
    rng, (n, of_each) = np.random.default_rng(0), (60, 50)
    relevant = (rng.random((n, of_each)) < 0.15).astype(int)
    score = 1.6 * relevant + rng.normal(size=relevant.shape)
    first = -np.sort(-score)[:, [9]]
    is_judged = score >= first
    query = np.repeat(np.arange(n), of_each).reshape(relevant.shape)
    judged = relevant[is_judged], score[is_judged]
    ordered = np.take_along_axis(relevant, np.argsort(-score), axis=1)[:, :10]
    precision = ordered.cumsum(axis=1) / np.arange(1, 11)
    truths = (ordered * precision).sum(axis=1).mean() / 10, ordered.mean()
    for call, truth in zip(found.groups(), truths, strict=True):
        definition = eval(call, {"AtK": AtK, "PrecisionAtK": PrecisionAtK})
        options = {"queries": query[is_judged], "definition": definition}
        ours = average_precision_interval(*judged, **options).estimate
        assert ours == pytest.approx(truth, abs=1e-12)


def voc_2007(is_object, score):
    """The rule of PASCAL VOC 2007's kit, where MATLAB counts the levels from both ends."""
    hits = is_object[np.argsort(-score, kind="stable")]
    recall = hits.cumsum() / hits.sum()
    precision = hits.cumsum() / np.arange(1, hits.size + 1)
    levels = [0, 0.1, 2 * 0.1, 3 * 0.1, 4 * 0.1, 0.5, *(1 - n * 0.1 for n in (4, 3, 2, 1)), 1]
    return np.mean([max(precision[recall >= level], default=0) for level in levels])


def trec_11_points(relevant, score):
    """trec_eval since version 9: level x is reached at hit lround(x R)."""
    hits = relevant[np.argsort(-score, kind="stable")]
    precision = (hits.cumsum() / np.arange(1, hits.size + 1))[hits == 1]
    n_before = np.floor(np.arange(11) / 10 * hits.sum() + 0.5).astype(int) - 1
    return np.mean([precision[max(n, 0) :].max() for n in n_before])


def test_comparison_page_names_adjusted_p_values_correctly():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    found = compare_average_precision(y, {name: y + rng.normal(size=100) for name in "abc"})
    page = (DOCS / "comparison.md").read_text()
    _, head, *_ = repr(found).splitlines()
    (named,) = re.findall(r"the column `([^`]+)`", page)
    assert head.endswith(f"  {named}")
    in_python, in_frames = re.findall(r"`(adjusted_\w+)`", page)
    assert hasattr(found, in_python)
    assert in_frames in found._rows()[0]


@pytest.mark.parametrize(
    ("page", "what", "truth"),
    [
        ("detections.md", "PASCAL VOC 2007", voc_2007),
        ("which.md", "VOC 2007", voc_2007),
        ("which.md", "TREC's eleven points", trec_11_points),
    ],
)
def test_documented_eleven_point_calls_give_the_benchmark_numbers(page, what, truth):
    rows = [row for table in tables((DOCS / page).read_text()) for row in table]
    (cell,) = (last for first, *_, last in rows if what in first)
    calls = re.findall(r"`(compat\.score\(\"[^\"]*\")", cell)
    call = calls[-1 if "TREC" in what else 0]
    rng = np.random.default_rng(0)
    for n_objects in (7, 10, 13, 20, 35):
        y_true = rng.permutation(np.arange(80) < n_objects).astype(int)
        y_score = rng.normal(size=80) + y_true
        given = {"compat": compat, "y_true": y_true, "y_score": y_score}
        ours = eval(f"{call}, y_true, y_score)", given)
        assert ours == pytest.approx(truth(y_true, y_score), abs=1e-12)


def test_documented_two_round_inclusion_probabilities_are_unbiased():
    text = (DOCS / "few_labels.md").read_text()
    (line,) = re.findall(r"^>>> both = (.*)$", text, re.MULTILINE)
    y_score = np.random.default_rng(0).normal(size=120)
    weights = []
    for round_ in range(150):
        first = rows_to_label(y_score, 20, rng=2 * round_)
        has_label = np.isin(np.arange(120), first.rows)
        second = rows_to_label(y_score, 20, exclude=has_label, rng=2 * round_ + 1)
        has_label[second.rows] = True
        known = {"probability": first.inclusion_probability, "second": second}
        weights.append(has_label / eval(line, known))
    assert np.mean(weights) == pytest.approx(1, abs=0.02)


def test_threshold_page_says_which_options_go_together():
    (head, *rows) = next(t for t in tables((DOCS / "threshold.md").read_text()) if not t[0][0])
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.3
    values = {
        "precision": 0.7,
        "recall": 0.8,
        "cost": {"false_positive": 1, "false_negative": 20},
        "k": 100,
        "guarantee": 0.9,
        "prevalence": 0.1,
        "sample_weight": rng.uniform(0.5, 1.5, size=2000),
        "clusters": np.arange(2000) // 10,
    }
    score = y + rng.normal(size=2000) / 2
    for first, *ticks in rows:
        for second, tick in zip(head[1:], ticks, strict=True):
            names = {name.strip("`") for name in (first, second)}
            if tick:
                goal = {} if names & {"precision", "recall", "cost", "k"} else {"recall": 0.8}
                given = goal | {name: values[name] for name in names}
                if tick == "✓":
                    assert operating_point(y, score, **given).threshold < np.inf
                else:
                    with pytest.raises(ValueError, match="does not go with"):
                        operating_point(y, score, **given)


def test_attainable_recall_of_the_threshold_page_is_that_of_the_simulations():
    with (DOCS / "evidence" / "threshold" / "summary.csv").open() as file:
        simulated = {row["scores"]: row for row in csv.DictReader(file)}
    found = {row[0]: row for table in tables((DOCS / "threshold.md").read_text()) for row in table}
    for recall in ("70%", "40%"):
        _, of_200, _, of_1000 = found[recall]
        row = simulated[f"smooth, {recall}"]
        assert [of_200, of_1000] == [f"{row[f'recall with {n}']}%" for n in ("200", "1,000")]


FAILING = {
    "small k": "AP@5, two false alarms, 100 positives",
    "scores with heavy tails": "Cauchy, shifted by 30, 20 positives, prevalence 0.5",
    "80 speakers, of whom the model cannot understand a few": "80 speakers, some far off",
    "100 hospitals; in one, on average, all negatives rank first": (
        "100 hospitals, one of them all wrong"
    ),
    "precision at 10, if a rare cluster of 20 false positives tops the ranking (0.7 per sample "
    "on average)": "precision@10, 0.7 clusters of 20 false alarms",
}


def stored_cells(script):
    lines = (DOCS.parent / "benchmarks" / "results" / f"{script}.jsonl").read_text().splitlines()
    return dict(map(json.loads, lines))


def test_certainty_page_says_how_often_failing_simulations_cover_and_warn():
    cells = stored_cells("certainty_coverage") | stored_cells("worst_cells")
    rows = [row for table in tables((DOCS / "certainty.md").read_text()) for row in table]
    said = {row[0]: row[1:] for row in rows}
    for words, name in FAILING.items():
        (row,) = cells[name]
        warned = f"{row['warned']:.0f}%" if row["warned"] else "none"
        assert said[words] == [f"{row['covers']:.0f}%", warned]


def test_certainty_page_says_how_wide_the_interval_of_a_nearly_perfect_model_is():
    rows = stored_cells("held_out")["near-perfect, half positive"]
    (row,) = (row for row in rows if row["way"] == "this library")
    text = (DOCS / "certainty.md").read_text()
    assert f"it was [{row['width']:.0f} times as wide](evidence.md#held-out-simulations)" in text


def test_new_payments_of_get_started_score_nearer_to_the_pool():
    text = (DOCS / "get_started.md").read_text()
    simulation, *others = "A year of payments", "Choose a model", "How good is it?"
    fold_section = "What do I report from cross-validation?"
    known = run_under("get_started.md", simulation, *others, fold_section)
    told = float(re.search(r"600,000 further\s.*?score (0\.\d+) on average", text, re.S)[1])
    rows, labels = (np.asarray(known[name]) for name in ("X_train", "y_train"))
    labels, tests = labels == "fraud", known["cv"]["indices"]["test"]
    (code,) = blocks("get_started.md", under=simulation)
    lines = re.sub("^(?:>>>|\\.\\.\\.) ", "", code, flags=re.MULTILINE)
    exec(lines.replace("default_rng(2)", "default_rng(99)").replace("6000", "600_000"), known)
    is_fraud = known["y"] == "fraud"
    scores = [model.predict_proba(known["X"])[:, 0] for model in known["cv"]["estimator"]]
    found = np.mean([average_precision_score(is_fraud, score) for score in scores])
    assert told == pytest.approx(found, abs=0.005)
    pool = float(re.search(r"^(0\.\d+) ", text[text.index("pool of") :], re.M)[1])
    of_folds = [
        average_precision_score(labels[tested], model.predict_proba(rows[tested])[:, 0])
        for model, tested in zip(known["cv"]["estimator"], tests, strict=True)
    ]
    mean = np.mean(of_folds)
    assert abs(pool - found) < abs(mean - found)


def test_example_sentences_of_get_started_have_printed_numbers():
    text = (DOCS / "get_started.md").read_text()
    (quoted,) = re.findall(r"(?:^> .*\n)+", text, re.MULTILINE)
    printed = {
        number.replace(",", "")
        for number in re.findall(r"[\d,]*\.?\d+", "".join(blocks("get_started.md")))
    }
    values = {float(each) for each in printed if each.strip(".")}
    for number, percent in re.findall(
        r"(\d[\d,]*(?:\.\d+)?)(%?)", re.sub(r"\b95% CI|> |2025", "", quoted)
    ):
        digits = len(number.partition(".")[2])
        value = float(number.replace(",", ""))
        assert value in {round(each * (100 if percent else 1), digits) for each in values}, number
