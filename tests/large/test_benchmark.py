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
    for contestant in (large.parquet_files, large.chunks, large.scikit_learn):
        assert contestant(folder)() == pytest.approx(KNOWN[0][-1], abs=1e-15)
    assert large.histogram(folder)() == pytest.approx(KNOWN[0][-1], abs=1e-4)
    assert np.isnan(large.reading_twice(folder)())


@pytest.mark.slow
def test_a_contestant_in_a_process_of_its_own_gives_its_figures(large, folder, capsys):
    pytest.importorskip("psutil")
    row = large.measure("from_chunks", folder, 1)
    assert row["value"] == pytest.approx(KNOWN[0][-1], abs=1e-15)
    assert (row["seconds"] > 0, row["megabytes"] >= 0) == (True, True)
    assert large.measure("scikit-learn, in memory", folder / "none", 1) is None
    assert "scikit-learn, in memory: left out" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep memory that is freed")
def test_memory_is_what_is_held_beyond_the_start(large):
    pytest.importorskip("psutil")
    watch = large.Watch()
    watch.start()
    held = np.ones(5_000_000)
    watch.peak = max(watch.peak, watch.now())
    assert held.nbytes / 1e6 - 1 < watch.stop() < held.nbytes / 1e6 + 10
