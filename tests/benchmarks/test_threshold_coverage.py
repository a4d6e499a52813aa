"""The simulation of thresholds knows its populations, and counts rightly."""

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import operating_point

ROOT = Path(__file__).parents[2]


@pytest.fixture
def coverage(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("threshold_coverage")


@pytest.mark.parametrize("prevalence", [0.5, 0.1])
def test_the_truth_is_that_of_a_large_sample(coverage, prevalence):
    rng = np.random.default_rng(0)
    y_true = (rng.random(400_000) < prevalence) * 1
    for population in coverage.populations(prevalence):
        point = operating_point(y_true, population.draw(rng, y_true), recall=0.5)
        truth = population.truth(np.array(point.threshold))
        assert truth["precision"] == pytest.approx(point.precision, abs=0.01)
        assert truth["recall"] == pytest.approx(point.recall, abs=0.01)
        assert truth["selected"] == pytest.approx(point.selected, abs=0.01)


def test_the_attainable_recall_is_what_the_kind_says(coverage):
    kinds = {each.kind: each.attainable for each in coverage.populations(0.1)}
    assert kinds["smooth, 70%"] == pytest.approx(0.7, abs=1e-3)
    assert kinds["smooth, 40%"] == pytest.approx(0.4, abs=1e-3)
    assert kinds["all just too bad, 0%"] == 0


def test_a_cell_counts_what_holds(coverage):
    cells = {cell.name: cell for cell in coverage.cells()}
    cell = replace(cells["all just too bad, 0% 0.5 100"], n_samples=40)
    row, *intervals = importlib.import_module("simulation").run(cell)
    assert row["by hand"] < 20
    assert row["sure"] > 80
    assert np.isnan(row["reached"])
    assert [each["way"] for each in intervals] == ["precision", "recall", "selected"]
    assert all(each["held"] > 70 for each in intervals)
