"""The benchmark of large data computes what it says. No test asserts a time."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from recipe import KNOWN

ROOT = Path(__file__).parents[2]
pytest.importorskip("pyarrow")


@pytest.fixture
def large(monkeypatch):
    """The script, without a name of its own that another module may have."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("large")


@pytest.fixture
def folder(large, tmp_path, monkeypatch):
    """The recipe at 200,000 rows in files of 60,000."""
    monkeypatch.setattr(large, "ROWS_PER_FILE", 60_000)
    large.make(tmp_path, KNOWN[0][0])
    return tmp_path


def test_files_hold_the_recipe_and_contestants_count_it(large, folder):
    assert len(list(folder.glob("*.parquet"))) == 4
    for name, tolerance in (
        ("from_table, Parquet", 1e-15),
        ("from_chunks", 1e-15),
        ("scikit-learn, in memory", 1e-15),
        ("ScoreHistogram, one pass", 1e-4),
    ):
        assert large.one(name, folder)["value"] == pytest.approx(KNOWN[0][-1], abs=tolerance)
    assert np.isnan(large.one("reading twice", folder)["value"])
