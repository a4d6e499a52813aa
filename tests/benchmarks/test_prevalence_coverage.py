"""The benchmark of intervals at another prevalence counts rightly."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap

ROOT = Path(__file__).parents[2]


@pytest.fixture
def coverage(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    found = importlib.import_module("prevalence_coverage")
    monkeypatch.setattr(found, "N_TRUTH", 50_000)
    monkeypatch.setattr(found, "truth", found.truth.__wrapped__)  # with fewer rows
    return found


def test_the_truth_is_the_score_of_a_large_sample(coverage):
    known = coverage.truth("good", 0.1, coverage.Step())
    y = np.arange(300_000) < 30_000
    score = sklearn_ap.average_precision_score(
        y, np.random.default_rng(3).normal(size=y.size) + 2 * y
    )
    assert known == pytest.approx(score, abs=0.01)


def test_a_cell_counts_truths_and_warnings(coverage, monkeypatch):
    few, many = (coverage.Cell("g", "weak", n, 0.5, 0.1) for n in (40, 1000))
    found = coverage.run(few, 20)
    assert found["warned"] == 100
    assert np.isnan(found["silent"])
    found = coverage.run(many, 20)
    assert found["warned"] == 0
    assert found["silent"] == found["held"] >= 80
    monkeypatch.setattr(coverage, "truth", lambda *_: -1.0)
    assert coverage.run(many, 20)["held"] == 0


def test_equal_models_seldom_differ(coverage):
    differs, warned = coverage.fight("weak", 0.9, (200, 0.5, 0.1), 20)
    assert differs <= 20
    assert warned <= 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prevalences", "definitions", "columns", "case_control"])
def test_every_kind_of_cell_runs(coverage, name):
    cells = list(getattr(coverage, name)(True))
    rows = [coverage.run(each, 2) for each in (cells[0], cells[-1])]
    table = coverage.summary(rows, "sample")
    assert len(table.splitlines()) == 2 + len({row["group"] for row in rows})
