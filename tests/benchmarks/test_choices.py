"""The benchmarks of the best of many and of sample sizes count rightly. No test asserts a time."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_average_precision

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


def test_shares_are_counted(many):
    found = [
        {"winner": 0, "best": {0, 2}, "this": (0.2, 0.6), "alone": (0.6, 0.8)}
        | {"holm": np.array([False, True]), "max-t": np.array([True, True])},
        {"winner": 2, "best": {0}, "this": (0.4, 0.6), "alone": (0.4, 0.8)}
        | {"holm": np.array([False, False]), "max-t": np.array([False, True])},
    ]
    row = many.counted(found, np.array([0.5, 0.5, 0.7]))
    assert (row["this"], row["alone"]) == (50, 50)
    assert row["this width"] == pytest.approx(0.3)
    assert (row["best"], row["size"]) == (50, 1.5)
    assert (row["holm error"], row["max-t error"]) == (0, 50)
    assert (row["holm power"], row["max-t power"]) == (50, 100)
    # Both 0 and 2 are truly the best: the first set contains both of them, the second one.
    assert many.counted(found, np.array([0.7, 0.5, 0.7]))["best"] == 75


def test_the_largest_of_draws_is_never_above_holm(many):
    rng = np.random.default_rng(0)
    y, scores, _ = many.normals(rng, 50, np.array([1.0, 1.0, 1.6, 1.8]), 0.5)
    made = compare_average_precision(y, dict(zip("abcd", scores, strict=True)))
    adjusted = many.max_t(y, scores, made, {}, many.Step())
    assert np.all(made.pvalues[1:] * 0.9 < adjusted)
    assert np.all(adjusted <= made.adjusted_pvalues[1:])
    assert adjusted[-1] < 0.05 < adjusted[0]


@pytest.mark.slow
def test_every_kind_of_model_runs(many):
    for cell in [*many.cells(quick=False)][13:]:
        assert 0 <= many.run(cell, 1)["this"] <= 100


def test_the_truth_of_a_setting_is_the_score_of_a_large_sample(size):
    setting = size.Setting((1.0, 1.4), 0.5)
    y, scores = setting.draw(np.random.default_rng(1), 40_000)
    found = [average_precision_score(y, scores[name]) for name in "AB"]
    assert setting.truth() == pytest.approx(found, abs=0.01)
