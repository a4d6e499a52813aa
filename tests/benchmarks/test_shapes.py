"""The table of shapes measures every shape, beside one ranking of the same rows."""

import importlib
import time
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def shapes(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    return importlib.import_module("shapes")


def test_every_shape_is_scored_with_and_without_weights(shapes):
    for name, runs in shapes.shapes(2000, 0.5).items():
        values = [run() for run in runs if run is not None]
        assert np.isfinite(values).all(), name
        assert len(values) == (1 if "labels" in name or "the top" in name else 2)


def test_every_shape_is_a_row_of_times_and_ratios(shapes):
    table = shapes.measure(2000, 0.5, 0.0)
    assert len(table) == len(shapes.shapes(2000, 0.5)) - 1  # the one ranking is what they divide by
    name, *cells = table[0]
    assert name == "queries of 2, 50.0%"
    assert all(float(cell) > 0 for cell in cells)


def test_the_fastest_turn_counts(shapes):
    naps = iter([0.03, 0.01, 0.02])
    (taken,) = shapes.fastest([lambda: time.sleep(next(naps))], 0.0)
    assert 0.01 <= taken < 0.02
