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


def test_a_cell_of_the_best_is_a_line_of_the_table(many):
    (cell,) = many.cells(quick=True)
    row = many.run(cell, 3)
    text = many.sections([row])["best of many"]
    assert f"| {cell.kind} | 1 | {row['this']:.1f} | {row['this']:.1f} |" in text


@pytest.mark.slow
def test_every_kind_of_model_runs(many):
    for cell in [*many.cells(quick=False)][13:]:
        assert 0 <= many.run(cell, 1)["this"] <= 100


def test_the_truth_of_a_setting_is_the_score_of_a_large_sample(size):
    setting = size.Setting((1.0, 1.4), 0.5)
    y, scores = setting.draw(np.random.default_rng(1), 40_000)
    found = [average_precision_score(y, scores[name]) for name in "AB"]
    assert setting.truth() == pytest.approx(found, abs=0.01)


def test_settings_without_power_are_named(size):
    row = size.run(size.Setting((1.0, 1.4), 0.95), 3, 2)
    assert row["n"] > 10
    low, right = row | {"power": 70.0, "n": 50}, row | {"power": 79.0, "n": 60}
    text = size.sections([low, right])["sample size"]
    assert "in 1 of 2 settings" in text
    assert (
        f"{row['truth'][1]:.3f}, correlation 0.95, prevalence 0.1, 50 positives: 70.0 for 80"
        in text
    )
    assert "| below 60 | 1 | -10.0 | -10.0 |" in text
    assert "| 60 to 200 | 1 | -1.0 | -1.0 |" in text


def test_cells_of_the_best_of_many_that_fail_are_named(many):
    names = (
        "this width",
        "alone",
        "alone width",
        "size",
        "max-t error",
        "holm power",
        "max-t power",
    )
    row = {"kind": "equal", "name": "20 equal", "this": 96.0, "best": 95.0, "holm error": 4.0}
    row |= dict.fromkeys(names, 50.0)
    assert "errs in more than 8.8: none." in many.sections([row])["best of many"]
    text = many.sections([row, row | {"name": "low", "this": 90.0}])["best of many"]
    assert "- low: interval 90.0, set 95.0, Holm's errors 4.0" in text
    assert "| equal | 2 | 90.0 | 93.0 | 50.0 | 95.0 | 4.0 | 50.0 | 50.0 | 50.0 |" in text
