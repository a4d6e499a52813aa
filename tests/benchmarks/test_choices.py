"""The benchmarks of the best of many and of sample sizes count rightly. No test asserts a time."""

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture
def many(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("best_of_many")


@pytest.fixture
def size(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("sample_size")


def test_shares_of_the_truly_best_are_counted(many):
    y, scores, _ = many.normals(np.random.default_rng(0), 50, np.array([1.0, 1.0, 3.0]), 0.5)
    numbers = many.judged_best(y, scores, np.array([0.3, 0.3, 0.8]))
    assert (numbers["winner"], numbers["truth"], numbers["best"]) == (2, 0.8, 100)
    # Both 0 and 2 are truly the best: one of them is named.
    assert many.judged_best(y, scores, np.array([0.8, 0.3, 0.8]))["best"] == 50
    assert numbers["low"] < numbers["estimate"] < numbers["high"]


@pytest.mark.slow
def test_every_kind_of_model_runs(many):
    run = importlib.import_module("simulation").run
    for cell in [*many.cells()][13:]:
        (row,) = run(replace(cell, n_samples=1))
        assert 0 <= row["held"] <= 100


def test_the_truth_of_a_setting_is_the_score_of_a_large_sample(size):
    setting = size.Setting((1.0, 1.4), 0.5)
    found = setting.compare(np.random.default_rng(1), 40_000).estimates
    assert setting.truth() == pytest.approx(found, abs=0.01)
