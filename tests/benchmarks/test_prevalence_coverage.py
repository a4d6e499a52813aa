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
    monkeypatch.setattr("simulation.N_TRUTH", 50_000)
    monkeypatch.setattr(found, "truth_at", found.truth_at.__wrapped__)  # with fewer rows
    return found


def test_the_truth_is_the_score_of_a_large_sample(coverage):
    known = coverage.truth_at(0.1, coverage.Step(), "good")
    y = np.arange(300_000) < 30_000
    score = sklearn_ap.average_precision_score(
        y, np.random.default_rng(3).normal(size=y.size) + 2 * y
    )
    assert known == pytest.approx(score, abs=0.01)


def test_a_cell_counts_truths_and_warnings(coverage, monkeypatch):
    few, many = (coverage.Cell("kind", "g", "weak", n, 0.5, 0.1, n_samples=20) for n in (40, 1000))
    found = coverage.run(few)
    assert found["warned"] == 100
    assert np.isnan(found["silent"])
    found = coverage.run(many)
    assert found["warned"] == 0
    assert found["silent"] == found["held"] >= 80
    monkeypatch.setattr(coverage, "truth_at", lambda *_: -1.0)
    assert coverage.run(many)["held"] == 0


def test_equal_models_seldom_differ(coverage):
    row = coverage.fight(coverage.Contest("weak", 0.9, 200, 0.5, 0.1, n_samples=20))
    assert row["differs"] <= 20
    assert row["warned"] <= 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prevalences", "definitions", "columns", "case_control"])
def test_every_kind_of_cell_runs(coverage, name):
    cells = list(getattr(coverage, name)(True))
    rows = [coverage.run(replace(each, n_samples=2)) for each in (cells[0], cells[-1])]
    table = coverage.summary(rows)
    assert len(table.splitlines()) == 2 + len({coverage.band_of(row) for row in rows})
