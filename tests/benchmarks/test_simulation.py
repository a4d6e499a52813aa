"""What the simulations share: cells that are run and stored, and sections that are written."""

import re
import runpy
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
KEPT = [path for path in sorted(BENCHMARKS.glob("results/*.jsonl")) if path.stem != "speed"]
PAGE = "Before.\n\n<!-- begin: a -->\n\n<!-- end: a -->\n\nAfter.\n"
SCRIPTS = ("certainty_coverage", "prevalence_coverage", "best_of_many", "cross_validation")
SCRIPTS += (
    "band_coverage",
    "chance",
    "segments",
    "sample_size",
    "threshold_coverage",
    "worst_cells",
)


@pytest.fixture
def simulation(script, monkeypatch, tmp_path):
    found = script("simulation")
    monkeypatch.setattr(found, "RESULTS", tmp_path / "results")
    return found


@pytest.fixture
def page(simulation, tmp_path, monkeypatch):
    path = tmp_path / "evidence.md"
    path.write_text(PAGE)
    monkeypatch.setattr(simulation, "EVIDENCE", path)
    return path


def cells_of(simulation, *names):
    def sample(rng, truth):
        return {"length": truth, "is long": truth > 3}

    return [simulation.Cell(name, sample, 3, lambda name=name: len(name)) for name in names]


def sections():
    lines = [["cell", "length"], ["one", "3"]]
    from tables import Section  # the fixture has put benchmarks on the path

    section = Section("All is well.", lines, [[["Bad cells"]]], [lines])
    return {"a": lambda rows: section}


def test_a_section_is_written_into_its_place_and_its_tables_beside_the_page(
    simulation, script, page
):
    tables, (make,) = script("tables"), sections().values()
    for _ in range(2):
        tables.write_section("a", make([]), "Command.", page)
    assert page.read_text() == PAGE.replace(
        "-->\n\n<",
        "-->\n**All is well.**\n\n```{tables} a\n```\n\nBad cells: none. Command.\n<",
    )
    files = sorted(path.name for path in (page.parent / "evidence" / "a").iterdir())
    assert files == ["cell.csv", "summary.csv"]
    with pytest.raises(ValueError, match="no place for a section 'b'"):
        tables.write_section("b", make([]), "", page)


def test_numbers_are_means_and_what_is_so_is_a_percentage(simulation):
    samples = [
        {"size": 2, "is so": True},
        {"size": 4, "is so": np.nan},
        {"size": 3, "is so": False},
    ]
    assert simulation.counted(samples) == {"size": 3, "is so": 50}
    assert np.isnan(simulation.counted([{"is so": np.nan}])["is so"])


def test_limits_are_compared_with_the_truth_and_with_the_true_standard_deviation(simulation):
    limits = {"error": 0.01, "truth": 1.0}
    samples = [
        {"estimate": 0.9, "low": 0.8, "high": 0.95, "warned": True} | limits,
        {"estimate": 1.1, "low": 0.9, "high": 1.2, "warned": False} | limits,
    ]
    row = simulation.counted(samples)
    assert (row["covers"], row["plain"], row["bias"], row["rmse"]) == (50, 0, 0, 0.1)
    assert row["width"] == pytest.approx(0.225 / (3.92 * 0.1), abs=1e-6)
    assert (row["silent"], row["n_silent"], row["n_silent_covers"]) == (100, 1, 1)


def test_a_run_that_was_stopped_goes_on(simulation, capsys):
    asked = simulation.ask(["--jobs", "1"], "About.")
    rows = simulation.simulate("script", cells_of(simulation, "one", "three"), asked)
    assert [row["length"] for row in rows] == [3, 5]
    again = simulation.ask(["--jobs", "1", "--resume"], "About.")
    capsys.readouterr()
    cells = cells_of(simulation, "one", "three", "six")
    assert simulation.simulate("script", cells, again)[:2] == rows
    assert capsys.readouterr().out.count("length") == 1  # the one that was not stored
    stored = simulation.ask(["--stored"], "About.")
    assert len(simulation.simulate("script", cells_of(simulation, "six", "four"), stored)) == 1


@pytest.mark.parametrize("options", [["--quick"], ["--cells", "thr"]])
def test_a_part_of_the_run_leaves_the_page_as_it_is(simulation, options, page):
    options = [*options, "--jobs", "1"]
    make = partial(cells_of, simulation, "one", "three")
    simulation.main("script", "About.", make, sections(), options)
    assert page.read_text() == PAGE
    assert not simulation.RESULTS.exists()


def test_a_whole_run_writes_its_sections(simulation, page):
    make = partial(cells_of, simulation, "one", "three")
    simulation.main("script", "About.", make, sections(), ["--jobs", "1"])
    assert "-->\n**All is well.**" in page.read_text()
    assert ": 3 samples a cell." in page.read_text()


def test_a_whole_run_with_fewer_samples_says_so(simulation, page):
    make = partial(cells_of, simulation, "one", "three")
    options = ["--jobs", "1", "--samples"]
    for asked, n_samples in (("2", 2), ("9", 3)):  # cells have 3
        simulation.main("script", "About.", make, sections(), [*options, asked])
        text = page.read_text()
        assert f"`python benchmarks/script.py --samples {asked}`" in text
        assert f": {n_samples} samples a cell." in text


def test_a_line_of_a_table_joins_cells(script):
    rows = [
        {"kind": "a", "name": "x", "covers": 94.0},
        {"kind": "a", "name": "y", "covers": 96.0},
        {"kind": "b", "name": "z", "covers": 90.0, "width": np.nan},
    ]
    columns = {
        "cells": "{n}",
        "range": "{covers.least:.0f} to {covers.most:.0f}",
        "worst": "{covers.worst}",
        "width": "{width.median:.2f}",
    }
    assert script("tables").table_by("kind", rows, columns) == [
        ["", "cells", "range", "worst"],
        ["a", "2", "94 to 96", "x"],
        ["b", "1", "90", "z"],
    ]


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_the_page_says_what_the_rows_that_are_kept_say(script, path, tmp_path, monkeypatch):
    tables, module, page = script("tables"), script(path.stem), tmp_path / "evidence.md"
    page.write_text(tables.EVIDENCE.read_text())
    command = re.search(rf"benchmarks/{path.stem}.py(?: --samples \d+)?", page.read_text())
    monkeypatch.setattr("sys.argv", ["", "--stored", "--page", str(page), *command[0].split()[1:]])
    with suppress(SystemExit):
        runpy.run_path(module.__file__, run_name="__main__")
    assert page.read_text() == tables.EVIDENCE.read_text()
    for table in tmp_path.glob("evidence/*/*.csv"):
        kept = tables.EVIDENCE.parent / table.relative_to(tmp_path)
        assert table.read_text() == kept.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_runs_in_two_processes_and_writes_its_sections(simulation, name, tmp_path):
    page = tmp_path / "evidence.md"
    page.write_text(simulation.EVIDENCE.read_text())
    options = ["--quick", "--samples", "2", "--jobs", "2", "--page", str(page)]
    command = [sys.executable, f"benchmarks/{name}.py", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    written = " ".join(page.read_text().split())
    assert f"`python benchmarks/{name}.py --samples 2`" in written
    assert page.read_text() != simulation.EVIDENCE.read_text()
