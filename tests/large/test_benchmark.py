"""The benchmark of large data computes what it says. No test asserts a time."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from recipe import KNOWN

pytest.importorskip("pyarrow")


def test_files_hold_the_recipe_and_contestants_count_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
    large = importlib.import_module("large")
    monkeypatch.setattr(large, "ROWS_PER_FILE", 60_000)
    n_rows, *_, expected = KNOWN[0]
    large.make(tmp_path, n_rows)
    assert len(list(tmp_path.glob("*.parquet"))) == 4
    for contestant in (large.parquet_files, large.chunks, large.scikit_learn):
        assert contestant(tmp_path)() == pytest.approx(expected, abs=1e-15)
    assert large.histogram(tmp_path)() == pytest.approx(expected, abs=1e-4)
    assert np.isnan(large.reading_twice(tmp_path)())
