"""The simulations know their populations, count rightly, and write what their rows say."""

import csv
import re
import runpy
import subprocess
import sys
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from first_cases import first

import sklearn_ap
from sklearn_ap.definitions import Step

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
EVIDENCE = BENCHMARKS.parent / "docs" / "evidence"
KEPT = [path for path in sorted(BENCHMARKS.glob("results/*.jsonl")) if "speed" not in path.stem]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture
def simulation(script, monkeypatch, tmp_path):
    found = script("simulation")
    monkeypatch.setattr(found, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(found, "EVIDENCE", tmp_path / "evidence")
    return found


def test_population_truths_match_scores_of_large_samples(script, monkeypatch):
    populations = script("populations")
    monkeypatch.setattr("populations.N_TRUTH", 50_000)
    normals = partial(populations.normals, correlation=0.5)
    for known, shifts, prevalence in (
        (populations.truth(Step(), "weak", 20, 0.1), (1.0,), 0.1),
        (populations.truth_at.__wrapped__(0.1, Step(), "good"), (2.0,), 0.1),
        (populations.binormal(1.0, 0.05), (1.0,), 0.05),
        (populations.binormal_difference((1.0, 1.4), 0.1), (1.0, 1.4), 0.1),
    ):
        draw = partial(normals, shifts=shifts, prevalence=prevalence)
        found = populations.score_of_many(draw, n_positives=40_000)
        assert known == pytest.approx(found, abs=0.01)


def test_score_shapes_have_the_requested_average_precision(script):
    populations = script("populations")
    y = np.repeat([1, 0], [40_000, 360_000])
    for shape in ("normal", "wide", "narrow", "easy", "heavy-tailed"):
        drawn = populations.shape_with(shape, 0.6)(np.random.default_rng(0), y)
        found = sklearn_ap.average_precision_score(y, drawn)
        assert found == pytest.approx(0.6, abs=0.01), shape


@pytest.mark.parametrize("prevalence", [0.5, 0.1])
def test_threshold_truth_matches_a_large_sample(script, prevalence):
    rng = np.random.default_rng(0)
    y_true = (rng.random(400_000) < prevalence) * 1
    for population in script("coverage_of_thresholds").populations(prevalence):
        point = sklearn_ap.operating_point(y_true, population.draw(rng, y_true), recall=0.5)
        for name, truth in population.truth(np.array(point.threshold)).items():
            assert truth == pytest.approx(getattr(point, name), abs=0.01)
        share = {"smooth, 70%": 0.7, "all just too bad, 0%": 0.0}.get(population.kind)
        assert share is None or population.attainable() == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize("name", ["80 clusters of 1 to 10, distinct", "400 rows, class weights"])
def test_disguised_sample_gives_the_same_numbers(script, name):
    """Orders, names, levels of scores and the unit of weights must not matter."""
    populations = script("populations")
    cell = next(cell for cell in script("coverage_of_samples").of_chance() if cell.name == name)
    *_, found = cell.ask(np.random.default_rng(1), True)
    called = []

    def plain(rng, y, s, options=None):
        called.append(s)
        return y, s, options or {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(populations, "disguised", plain)
        *_, expected = cell.ask(np.random.default_rng(1), True)
    assert called
    assert found == expected


def test_disguised_sample_changes_rows_names_levels_and_weights(script):
    populations, rng = script("populations"), np.random.default_rng(0)
    y, s, options = populations.in_clusters(rng, 30, weighted=True)
    state = rng.bit_generator.state
    other_y, other_s, others = populations.disguised(rng, y, s, options)
    assert rng.bit_generator.state == state
    assert (other_y != y).any()
    assert not set(s) & set(other_s)
    assert not np.array_equal(np.unique(others["clusters"]), np.unique(options["clusters"]))
    assert others["sample_weight"].sum() != pytest.approx(options["sample_weight"].sum())


def test_counted_gives_means_of_numbers_and_percentages_of_flags(simulation):
    samples = [{"size": 2, "is so": True}, {"size": 4, "is so": np.nan}]
    assert simulation.counted([*samples, {"size": 3, "is so": False}]) == {"size": 3, "is so": 50}


def test_counted_gives_coverage_bias_and_relative_width(simulation):
    limits = {"error": 0.01, "truth": 1.0}
    samples = [
        {"estimate": 0.9, "low": 0.8, "high": 0.95, "warned": True} | limits,
        {"estimate": 1.1, "low": 0.9, "high": 1.2, "warned": False} | limits,
    ]
    row = simulation.counted(samples)
    assert (row["covers"], row["plain"], row["bias"], row["rmse"]) == (50, 0, 0, 0.1)
    assert row["width"] == pytest.approx(0.225 / (3.92 * 0.1), abs=1e-6)
    assert (row["silent"], row["n_silent"], row["n_silent_covers"]) == (100, 1, 1)


def test_counted_gives_samples_and_coverage_per_warning(simulation):
    def call():
        warnings.warn(sklearn_ap.UncertaintyWarning("Collect more.", "few clusters"), stacklevel=1)
        warnings.warn("another one", UserWarning, stacklevel=1)

    _, warned = simulation.heard("^few", call)
    _, is_other = simulation.heard("^many", call)
    assert (warned == 1, is_other == 0, warned.names) == (True, True, {"few clusters"})
    samples = [{"covers": covers, "warned": warned} for covers in (True, False, True)]
    row = simulation.counted([*samples, {"covers": False, "warned": False}])
    assert row["kinds"] == {"few clusters": [3, 2]}
    assert (row["warned"], row["covers"], row["n_silent"]) == (75, 50, 1)


def test_risk_ratio_of_a_warning_is_stratified_by_group(script):
    """Greenland and Robins (1985): a table of two strata, by their formulas."""
    kinds = script("warning_kinds")
    rows = [
        {"group": "a", "way": "", "wrong": kinds.MISSES, "n_samples": 100, "covers": 90.0}
        | {"kinds": {"few clusters": [40, 32]}},  # 8 of 40, and 2 of 60 are wrong
        {"group": "b", "way": "", "wrong": kinds.MISSES, "n_samples": 50, "covers": 40.0}
        | {"kinds": {"few clusters": [10, 2]}},  # 8 of 10, and 22 of 40
        {"group": "c", "way": "", "wrong": kinds.MISSES, "n_samples": 50, "covers": 0.0},
        {"group": "b", "way": "", "wrong": kinds.POINTS_AT["hidden positives"], "n_samples": 9}
        | {"covers": 0.0, "kinds": {"few clusters": [9, 0]}},
    ]
    strata = [*kinds.strata_of("few clusters", rows)]
    assert [each.tolist() for each in strata] == [[8, 40, 2, 60], [8, 10, 22, 40]]
    ratio, low, high = kinds.ratio_of_risks(strata)
    one = 8.5 * 61 / 102 + 8.5 * 41 / 52
    other = 2.5 * 41 / 102 + 22.5 * 11 / 52
    assert ratio == pytest.approx(one / other)
    parts = ((11 * 41 * 61 - 8.5 * 2.5 * 102) / 102**2, (31 * 11 * 41 - 8.5 * 22.5 * 52) / 52**2)
    error = np.sqrt(sum(parts) / (one * other))
    assert (low, high) == pytest.approx(
        (ratio / np.exp(1.96 * error), ratio * np.exp(1.96 * error))
    )
    name, wrong, n, share, others, of_others, *_ = kinds.line_of("few clusters", rows)
    assert (name, wrong) == ("few clusters", kinds.MISSES)
    assert (n, share, others, of_others) == ("50", "32.0%", "100", "24.0%")


def cells_of(simulation, *names):
    def sample(rng, truth):
        return {"length": truth, "is long": truth > 3}

    return [simulation.Cell(name, sample, 3, lambda name=name: len(name)) for name in names]


def test_stopped_simulation_run_can_be_resumed(simulation, capsys):
    options = ("--jobs=1", "--resume", "--stored")
    asked, again, stored = (simulation.ask(["--jobs=1", each], "About.") for each in options)
    rows = simulation.simulate("script", cells_of(simulation, "one", "three"), asked)
    assert [row["length"] for row in rows] == [3, 5]
    capsys.readouterr()
    cells = cells_of(simulation, "one", "three", "six")
    assert simulation.simulate("script", cells, again)[:2] == rows
    assert capsys.readouterr().out.count("length") == 1  # the one that was not stored
    assert len(simulation.simulate("script", cells_of(simulation, "six", "four"), stored)) == 1


def test_only_complete_runs_write_their_tables_and_sample_sizes(simulation, script):
    promise = ["All is well", "97 of 100", "95 of 100", "one"]
    section = script("tables").Section([promise], [["cell"], ["one"]], [[["Bad cells"]]])
    make, folder = partial(cells_of, simulation, "one", "three"), simulation.EVIDENCE / "a"
    head = ["promise", "typical", "worst", "where", "measured by"]
    for options, written in (
        (["--quick"], ""),
        (["--cells", "thr"], ""),
        (["--samples", "2"], "`benchmarks/script.py --samples 2`, 2 samples a cell, DATE"),
        ([], "`benchmarks/script.py`, 3 samples a cell, DATE"),
    ):
        given = [*options, "--jobs", "1"]
        simulation.main("script", "About.", make, {"a": lambda _: section}, given)
        assert folder.exists() == bool(written)
        if written:
            text = (folder / "promises.csv").read_text()
            found = [*csv.reader(re.sub(r"\d{4}-\d\d-\d\d", "DATE", text).splitlines())]
            assert found == [head, [*promise, written]]
            assert (folder / "summary.csv").read_text() == "cell\none\n"


def test_promise_states_the_median_and_the_worst_cell_by_name(script):
    promise = script("tables").promise
    rows = [
        {"name": name, "covers": covers, "change": change}
        for name, covers, change in (("a", 90.0, 2.0), ("b", 99.0, -5.0), ("c", 96.0, 3.0))
    ]
    rows.append({"name": "unknown", "covers": np.nan, "change": np.nan})
    assert promise("Covers", rows) == ["Covers", "96 of 100", "90 of 100", "a"]
    assert promise("Errs", rows, "covers", "most") == ["Errs", "96 of 100", "99 of 100", "b"]
    assert promise("Says nothing", rows, "absent") == ["Says nothing", "", "", ""]
    found = promise("Changes", rows, "change", "largest", "{:+.1f} points")
    assert found == ["Changes", "+2.0 points", "-5.0 points", "b"]


@pytest.mark.parametrize("path", first(KEPT, 2), ids=lambda path: path.stem)
def test_evidence_matches_the_stored_rows(script, path, tmp_path, monkeypatch):
    module = script(path.stem)
    promises = "".join(each.read_text() for each in EVIDENCE.glob("*/promises.csv"))
    command = re.search(rf"`benchmarks/{path.stem}.py((?: --samples \d+)?)`", promises)
    options = ["--stored", "--folder", str(tmp_path), *command[1].split()]
    monkeypatch.setattr("sys.argv", ["", *options])
    with suppress(SystemExit):
        runpy.run_path(module.__file__, run_name="__main__")
    written = [*tmp_path.glob("*/*.csv")]
    assert any(table.stem == "promises" for table in written)
    for table in written:
        assert table.read_text() == (EVIDENCE / table.relative_to(tmp_path)).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in KEPT])
def test_each_script_runs_in_two_processes_and_writes_its_tables(name, tmp_path):
    options = ["--quick", "--samples", "1", "--jobs", "2", "--folder", str(tmp_path)]
    command = [sys.executable, f"benchmarks/{name}.py", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    promises = [path.read_text() for path in tmp_path.glob("*/promises.csv")]
    assert promises
    assert all(f"`benchmarks/{name}.py --samples 1`" in text for text in promises)


def test_page_of_evidence_shows_each_folder_once():
    page = EVIDENCE.with_suffix(".md").read_text()
    shown = re.findall(r"^```\{tables\} (.*)$", page, re.M)
    assert sorted(shown) == sorted(path.name for path in EVIDENCE.iterdir())


GRIDS = (
    *("coverage_of_intervals", "coverage_of_comparisons", "coverage_of_samples"),
    "coverage_of_thresholds",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", GRIDS)
def test_grid_prints_a_line_for_each_kind(script, monkeypatch, capsys, name):
    """Of two samples a cell, its numbers are shares of two."""
    grid = script(name)
    monkeypatch.setattr("sys.argv", ["", "--samples", "2", "--jobs", "1", "--only", "weights"])
    runpy.run_path(grid.__file__, run_name="__main__")
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(table) == 3
    assert re.match(r"\| (segments, )?weights \| \d+ \| [\d.na]+ / [\d.na]+ \|", table[2])


def test_figures_of_comparisons_count_what_limits_and_pvalues_say(script):
    """Two differences, one of them null, in two samples."""
    grid = script("coverage_of_comparisons")
    limits = np.array([[[[-1.0, 0.1], [1.0, 0.3]]] * 4, [[[-1.0, 0.3], [1.0, 0.5]]] * 4])
    made = {"estimates": np.array([[0.0, 0.2], [0.1, 0.4]]), "limits": limits}
    made |= {"p": np.array([[0.5, 0.01], [0.05, 0.2]]), "set": np.array([[True] * 3, [False] * 3])}
    made |= {"winner": np.array([2, 0]), "low": np.array([0.6, 0.6])}
    found = grid.figures(made, np.array([[0.5, 0.5, 0.7]] * 2))
    assert found["covers"] == [50.0] * 4  # 0.2 is not within 0.3 and 0.5
    assert (found["false"], found["power"]) == (50.0, 50.0)
    assert (found["set"], found["low"]) == (50.0, 50.0)
