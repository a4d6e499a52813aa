"""Cells of simulations are rows of tables, populations have their truths, and sums count right."""

import re
import runpy
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap
from tests.helpers.first_cases import quick

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
EVIDENCE = BENCHMARKS.parent / "docs" / "evidence"
KINDS = {  # one of each question, for a short run
    "intervals": "gaps",
    "comparisons": "many",
    "samples": "segments, weights",
    "few_labels": "rare alarms, random",
    "thresholds": "recall of 50",
    "folds": "stratified patients, 50",
}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.mark.parametrize("question", quick(KINDS, [name for name in KINDS if name != "samples"]))
def test_every_kind_of_cell_is_a_row_of_a_table(script, question):
    asked = script(f"coverage_of_{question}")
    rows = [kinds for table in asked.TABLES.values() for kinds in table.rows.values()]
    assert {cell.kind for cell in asked.cells()} == {kind for kinds in rows for kind in kinds}


@pytest.mark.slow
def test_truths_of_populations_match_scores_of_large_samples(script):
    populations = script("populations")
    weak = populations.normal(1.0)
    step = sklearn_ap.definitions.Step()
    for known, shifts, prevalence in (
        (populations.truth_of_definition(step, 0.1, weak), (1.0,), 0.1),
        (populations.truth_of_scores(0.1, weak), (1.0,), 0.1),
        (populations.binormal(1.0, 0.05), (1.0,), 0.05),
        (populations.binormal_difference((1.0, 1.4), 0.1), (1.0, 1.4), 0.1),
    ):
        scores = populations.alike_in_noise(shifts, 0.5)
        draw = partial(populations.rows, prevalence=prevalence, scores=scores)
        y, s, _ = draw(np.random.default_rng(0), n=40_000)
        found = populations.score(y, s if len(s) > 1 else s[0])
        assert known == pytest.approx(found, abs=0.01)


def test_score_shapes_have_the_requested_average_precision(script):
    populations = script("populations")
    y = np.repeat([1, 0], [40_000, 360_000])
    for shape in ("normal", "easy", "heavy-tailed"):
        drawn = populations.shape_with(shape, 0.6)(np.random.default_rng(0), y)
        found = sklearn_ap.average_precision_score(y, drawn)
        assert found == pytest.approx(0.6, abs=0.01), shape


def test_truths_of_thresholds_match_a_large_sample(script):
    rng, thresholds = np.random.default_rng(0), script("coverage_of_thresholds")
    y_true = (rng.random(400_000) < 0.1) * 1
    for population, share in (
        (thresholds.normal("smooth", 0.7, 0.1, 0.9), 0.7),
        (thresholds.normal("tied", 0.7, 0.1, 0.9, 0.25), None),
        (thresholds.in_bands("too bad", [(0.5, 0.895)], 0.1), 0.0),
    ):
        point = sklearn_ap.operating_point(y_true, population.draw(rng, y_true), recall=0.5)
        for name, truth in population.truth(np.array(point.threshold)).items():
            assert truth == pytest.approx(getattr(point, name).estimate, abs=0.01)
        assert share is None or population.attainable(0.9) == pytest.approx(share, abs=1e-3)


def test_sums_count_coverage_misses_on_each_side_and_width(script):
    low, high = np.array([0.8, 0.9, 1.05, 0.7]), np.array([0.95, 1.2, 1.3, 1.0])
    value = np.array([0.9, 1.1, 1.1, 0.9])
    found = script("simulation").tallied(value, low, high, 1.0)
    assert (found["covers"], found["misses"]) == (50, (25, 25))
    assert found["width"] == pytest.approx(0.275 / (2 * 1.959964 * 0.1), abs=1e-6)


def test_figures_of_comparisons_count_what_limits_and_pvalues_say(script):
    """Two differences, one of them null, in two samples."""
    grid = script("coverage_of_comparisons")
    limits = np.array([[[[-1.0, 0.1], [1.0, 0.3]]] * 4, [[[-1.0, 0.3], [1.0, 0.5]]] * 4])
    made = {"estimates": np.array([[0.0, 0.2], [0.1, 0.4]]), "limits": limits}
    made |= {"p": np.array([[0.5, 0.01], [0.05, 0.2]]), "set": np.array([[True] * 3, [False] * 3])}
    made |= {"winner": np.array([2, 0]), "low": np.array([0.6, 0.6]), "z": made["p"] / 2}
    made["gap_high"] = np.array([[0.0, -0.3, 0.2], [-0.1, 0.0, 0.3]])
    found = grid.figures(made, np.array([[0.5, 0.5, 0.7]] * 2))
    assert found["covers"] == [50.0] * 4  # 0.2 is not within 0.3 and 0.5
    assert (found["false"], found["power"]) == (50.0, 50.0)
    assert (found["false at 1%"], found["power at 1%"]) == (0.0, 50.0)
    assert (found["false by z"], found["power by z"]) == (50.0, 50.0)
    assert found["misses"] == [50.0, 0.0]
    assert (found["set"], found["low"]) == (50.0, 50.0)
    assert (found["each"], found["excluded"]) == (50.0, 50.0)


def test_limits_over_seeds_and_rows_have_the_root_of_both_squares(script):
    found = script("seeds").combined(0.1, (0.07, 0.14), (0.06, 0.13))
    assert found == pytest.approx((0.05, 0.15))


def test_scores_of_seeds_are_those_of_each_column(script):
    rng = np.random.default_rng(0)
    y, table, weight = np.tile([1, 0, 0], 20), rng.normal(size=(60, 4)), rng.random(60)
    found = script("seeds").scores_of(y, table, weight)
    expected = [
        sklearn_ap.average_precision_score(y, score, sample_weight=weight) for score in table.T
    ]
    np.testing.assert_allclose(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize(("question", "kind"), KINDS.items())
def test_a_script_runs_and_prints_its_lowest_cells(script, monkeypatch, capsys, question, kind):
    """Of two samples a cell, its numbers are shares of two, and no table is written."""
    path = script(f"coverage_of_{question}").__file__
    words = ["", "--samples", "2", "--jobs", "1", "--only", kind]
    monkeypatch.setattr("sys.argv", words)
    written = {path: path.read_bytes() for path in EVIDENCE.rglob("*.csv")}
    runpy.run_path(path, run_name="__main__")
    printed = capsys.readouterr().out
    assert re.search(rf"^ *[\d.]+  {kind}", printed, re.M), printed
    assert written == {path: path.read_bytes() for path in EVIDENCE.rglob("*.csv")}


def test_the_page_of_evidence_shows_each_folder_once():
    page = EVIDENCE.with_suffix(".md").read_text()
    shown = re.findall(r"^```\{tables\} (.*)$", page, re.M)
    assert sorted(shown) == sorted(path.name for path in EVIDENCE.iterdir())
