"""The benchmark of intervals at another prevalence counts rightly."""

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap

ROOT = Path(__file__).parents[2]


@pytest.fixture
def coverage(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    found = importlib.import_module("prevalence_coverage")
    monkeypatch.setattr("populations.N_TRUTH", 50_000)
    monkeypatch.setattr(found, "truth_at", found.truth_at.__wrapped__)  # with fewer rows
    return found


def test_the_truth_is_the_score_of_a_large_sample(coverage):
    known = coverage.truth_at(0.1, coverage.Step(), "good")
    y = np.arange(300_000) < 30_000
    score = sklearn_ap.average_precision_score(
        y, np.random.default_rng(3).normal(size=y.size) + 2 * y
    )
    assert known == pytest.approx(score, abs=0.01)


def row_of(cell, n_samples):
    (row,) = importlib.import_module("simulation").run(replace(cell, n_samples=n_samples))
    return row


def test_a_cell_counts_truths_and_warnings(coverage, monkeypatch):
    few, many = ([*coverage.of_families("kind", "g", n, 0.5, 0.1)][1] for n in (20, 500))
    found = row_of(few, 20)
    assert found["warned"] == 100
    assert np.isnan(found["silent"])
    found = row_of(many, 20)
    assert found["warned"] == 0
    assert found["silent"] == found["held"] >= 80
    assert row_of(replace(many, truth=lambda: -1.0), 20)["held"] == 0


def test_equal_models_seldom_differ(coverage):
    row = row_of(next(coverage.contests()), 20)
    assert row["differs"] <= 20
    assert row["warned"] <= 20


@pytest.mark.slow
def test_every_kind_of_cell_runs(coverage):
    cells = {cell.facts["kind"]: cell for cell in coverage.cells()}
    rows = [row_of(cell, 2) for cell in cells.values()]
    lines = coverage.summary([row for row in rows if "held" in row]).splitlines()
    assert len(lines) == 2 + len(cells) - 1
