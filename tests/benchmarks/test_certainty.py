"""The benchmarks of intervals count rightly, and write what they say. No test asserts a time."""

import importlib
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture
def coverage(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("certainty_coverage")


@pytest.fixture
def cost(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("certainty_cost")


def test_a_cell_counts_how_often_the_truth_is_held(coverage):
    draw = partial(coverage.family_sample, family="weak", n=20, prevalence=0.2)
    known, unknown = (
        coverage.interval_cell("name", draw, truth, 40) for truth in (lambda: -1.0, lambda: None)
    )
    (row,) = simulation().run(known)
    assert row["held"] == 0
    (row,) = simulation().run(unknown)
    assert row["held"] >= 85
    assert 0.5 < row["width"] < 2


def simulation():
    return importlib.import_module("simulation")


def test_the_truth_is_the_score_of_a_large_sample(coverage):
    known = coverage.truth(coverage.Step(), "weak", 20, 0.1)
    rng = np.random.default_rng(1)
    y = (rng.random(400_000) < 0.1).astype(int)
    score = sklearn_ap.average_precision_score(y, rng.normal(size=y.size) + y)
    assert known == pytest.approx(score, abs=0.01)


def test_a_contest_counts_how_often_p_is_small(coverage):
    draw = partial(coverage.normal_pair, shifts=(0.0, 3.0), correlation=0.9, n=50)
    (row,) = simulation().run(replace(coverage.contest("apart", draw), n_samples=30))
    assert (row["this"], row["unpaired"], row["bootstrap"]) == (100, 100, 100)


@pytest.mark.slow
def test_every_kind_of_cell_runs(coverage):
    cells = {cell.facts["kind"]: cell for cell in coverage.cells()}
    for cell in cells.values():
        (row,) = simulation().run(replace(cell, n_samples=2))
        assert 0 <= row["this" if "this" in row else "held"] <= 100


def test_contestants_of_the_costs_judge_the_same(cost):
    for name, runs, size in cost.scenarios((300,)):
        first, second = runs.values()
        assert size > 0
        if name.startswith("interval"):
            assert first() == second().estimate
        elif name.startswith("comparison"):
            assert second().estimates.shape == (2,)
