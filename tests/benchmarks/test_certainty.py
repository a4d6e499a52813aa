"""The benchmarks of intervals count rightly, and write what they say. No test asserts a time."""

import importlib
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


def cell(coverage, truth, **options):
    draw = partial(coverage.simple, n=20, prevalence=0.2, scores=coverage.FAMILIES["weak"])
    return coverage.Cell("kind", "family", 20, "name", draw, truth, n_samples=40, **options)


def test_a_cell_counts_how_often_the_truth_is_held(coverage):
    assert coverage.run(cell(coverage, -1.0))["this"] == 0
    near = coverage.run(cell(coverage, None, n_resampled=5))
    assert near["this"] >= 85
    assert 0 < near["width"] < 0.8
    assert near["bootstrap"] in (0, 20, 40, 60, 80, 100)


def test_the_truth_is_the_score_of_a_large_sample(coverage):
    known = coverage.truth(coverage.Step(), "weak", 20, 0.1)
    rng = np.random.default_rng(1)
    y = (rng.random(400_000) < 0.1).astype(int)
    score = sklearn_ap.average_precision_score(y, rng.normal(size=y.size) + y)
    assert known == pytest.approx(score, abs=0.01)


def test_a_contest_counts_how_often_p_is_small(coverage):
    def apart(rng):
        y = coverage.labels(rng, 50, 0.2)
        noise = rng.normal(size=y.size)
        return y, noise, noise + 3 * y, {}

    row = coverage.fight(coverage.Contest("kind", "apart", apart, n_samples=10, n_resampled=2))
    assert (row["this"], row["unpaired"], row["bootstrap"]) == (100, 100, 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one_ranking", "definitions", "columns", "queries", "units"])
def test_every_kind_of_cell_runs(coverage, name):
    cells = list(getattr(coverage, name)(True))
    for each in (cells[0], cells[-1]):
        each.n_samples = 2
        row = coverage.run(each)
        assert 0 <= row["this"] <= 100
        assert row["width"] > 0


def test_contestants_of_the_costs_judge_the_same(cost):
    for name, runs, size in cost.scenarios((300,)):
        first, second = runs.values()
        assert size > 0
        if name.startswith("interval"):
            assert first() == second().estimate
        elif name.startswith("comparison"):
            assert second().estimates.shape == (2,)


def test_a_part_of_a_loop_counts_as_the_whole(cost):
    spent = {"ours": partial(sum, range(200_000)), "loop / 50": partial(sum, range(200_000))}
    milliseconds, longer = cost.ratio(spent, 9)
    assert milliseconds > 0
    assert 20 < longer < 125
