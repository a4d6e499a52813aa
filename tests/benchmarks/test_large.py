"""The benchmark of large data computes what it says. No test asserts a time."""

import numpy as np
import pytest

from tests.helpers.recipe import KNOWN

pytest.importorskip("pyarrow")


def test_generated_files_score_the_same_in_all_contestants(script, tmp_path, monkeypatch):
    large = script("large")
    monkeypatch.setattr(large, "ROWS_PER_FILE", 60_000)
    large.make(tmp_path, KNOWN[0][0])
    assert len(list(tmp_path.glob("*.parquet"))) == 4
    for name, tolerance in (
        ("from_table, Parquet", 1e-15),
        ("from_chunks", 1e-15),
        ("scikit-learn, in memory", 1e-15),
    ):
        assert large.one(name, tmp_path)["value"] == pytest.approx(KNOWN[0][-1], abs=tolerance)
    assert np.isnan(large.one("reading twice", tmp_path)["value"])
