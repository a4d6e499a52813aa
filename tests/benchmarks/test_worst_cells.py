"""The short grid of every week breaks where intervals hold too rarely, and by nothing else."""

import importlib
from dataclasses import replace

import numpy as np
import pytest

import sklearn_ap


@pytest.fixture
def worst(monkeypatch):
    monkeypatch.syspath_prepend("benchmarks")
    return importlib.import_module("worst_cells")


def cell_of(worst, share, warned=0.0, promised=93):
    def sample(rng, truth):
        return {"warned": bool(rng.random() < warned), "held": bool(rng.random() < share)}

    facts = {"promised": promised, "kind": "kind"}
    return worst.Cell(f"{share} {warned}", sample, 1_000, facts=facts)


def row_of(cell):
    (row,) = importlib.import_module("simulation").run(cell)
    return row


@pytest.mark.parametrize(
    ("share", "warned", "promised", "verdict"),
    [
        (0.95, 0.0, 93, "holds"),
        (0.85, 0.0, 93, "broken"),
        (0.85, 0.5, 93, "broken"),
        (0.85, 0.9, 93, "warns"),
        (0.85, 0.0, 85, "holds"),
    ],
)
def test_a_cell_is_broken_by_samples_without_a_warning(worst, share, warned, promised, verdict):
    row = row_of(cell_of(worst, share, warned, promised))
    assert worst.verdict(row) == verdict


def test_chance_seldom_breaks_a_cell(worst):
    row = {"n_silent": 1_000, "promised": 93}
    assert worst.fewest(row) == 904  # as the head of the script says
    assert worst.binom.cdf(worst.fewest(row) - 1, 1_000, 0.93) < worst.CHANCE
    assert worst.binom.cdf(worst.fewest(row) - 1, 1_000, 0.88) > 0.99
    assert worst.fewest(row | {"n_silent": 300}) == 264


@pytest.mark.parametrize(("share", "code"), [(0.96, 0), (0.5, 1)])
def test_the_exit_code_says_whether_a_cell_is_broken(worst, share, code, monkeypatch, capsys):
    monkeypatch.setattr(worst, "GRID", [lambda: iter([cell_of(worst, share)])])
    assert worst.is_broken(["--samples", "300", "--jobs", "1"]) == code
    assert f"{1 - code} of 1 cells hold" in capsys.readouterr().out


def test_the_average_precision_of_normal_scores_is_that_of_a_large_sample(worst):
    rng = np.random.default_rng(0)
    y = (np.arange(400_000) < 20_000) * 1
    score = sklearn_ap.average_precision_score(y, rng.normal(size=y.size) + y)
    assert worst.binormal(1.0, 0.05) == pytest.approx(score, abs=0.005)


@pytest.mark.slow
def test_every_cell_runs_and_has_a_name_of_its_own(worst):
    cells = [*worst.cells()]
    assert len({cell.name for cell in cells}) == len(cells)
    for cell in cells:
        assert row_of(replace(cell, n_samples=1))["held"] in (0, 100)
