"""What the simulations share: cells that are run and stored, and sections that are written."""

import importlib
import subprocess
import sys
from dataclasses import dataclass

import pytest

PAGE = "Before.\n\n<!-- begin: a -->\n\n<!-- end: a -->\n\nAfter.\n"
SCRIPTS = ("certainty_coverage", "prevalence_coverage", "best_of_many", "best_of_folds")
SCRIPTS += ("chance", "sample_size", "threshold_coverage", "worst_cells")


@pytest.fixture
def simulation(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend("benchmarks")
    found = importlib.import_module("simulation")
    monkeypatch.setattr(found, "RESULTS", tmp_path / "results")
    return found


@dataclass
class Cell:
    name: str


def row_of(cell):
    return {"name": cell.name, "length": len(cell.name)}


def test_a_section_is_written_into_its_place_and_again(simulation, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    for text in ("one", "two"):
        simulation.write_section("a", text, page)
    assert page.read_text() == PAGE.replace("-->\n\n<", "-->\ntwo\n<")
    with pytest.raises(ValueError, match="no place for a section 'b'"):
        simulation.write_section("b", "text", page)


def test_a_run_that_was_stopped_goes_on(simulation, capsys):
    cells = [Cell("one"), Cell("three")]
    asked = simulation.ask(["--jobs", "1"], "About.")
    rows = simulation.simulate("script", cells, row_of, asked)
    assert [row["length"] for row in rows] == [3, 5]
    again = simulation.ask(["--jobs", "1", "--resume"], "About.")
    capsys.readouterr()
    assert simulation.simulate("script", [*cells, Cell("six")], row_of, again)[:2] == rows
    assert capsys.readouterr().out.count("length") == 1  # the one that was not stored


@pytest.mark.parametrize("options", [["--quick"], ["--samples", "3"], ["--cells", "thr"]])
def test_a_part_of_the_run_leaves_the_page_as_it_is(simulation, options, tmp_path, monkeypatch):
    page = tmp_path / "evidence.md"
    page.write_text(PAGE)
    monkeypatch.setattr(simulation, "EVIDENCE", page)
    asked = simulation.ask([*options, "--jobs", "1"], "About.")
    rows = simulation.simulate("script", [Cell("one"), Cell("three")], row_of, asked)
    assert len(rows) == 2 - bool(asked.cells)
    simulation.publish(lambda rows: {"a": "text"}, rows, asked)
    assert page.read_text() == PAGE
    assert not simulation.RESULTS.exists()


def test_a_whole_run_writes_its_sections(simulation, tmp_path, monkeypatch):
    page = tmp_path / "evidence.md"
    page.write_text(PAGE)
    monkeypatch.setattr(simulation, "EVIDENCE", page)
    simulation.publish(lambda rows: {"a": "text"}, [], simulation.ask([], "About."))
    assert "-->\ntext\n<!--" in page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_each_script_runs_in_two_processes_and_writes_its_sections(simulation, script, tmp_path):
    page = tmp_path / "evidence.md"
    page.write_text(simulation.EVIDENCE.read_text())
    options = ["--quick", "--samples", "2", "--jobs", "2", "--page", str(page)]
    command = [sys.executable, f"benchmarks/{script}.py", *options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert f"`python benchmarks/{script}.py`" in page.read_text()
    assert page.read_text() != simulation.EVIDENCE.read_text()
