"""Several columns of scores, counted in the same two passes: each as by a call of its own."""

import re
import tracemalloc

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from recipe import assert_same, rows, weights

from sklearn_ap import large, threshold_counts
from sklearn_ap.large import _two_passes

N = 6_000
Y_TRUE, Y_SCORE = rows(0, N)
SCORES = {
    "a": Y_SCORE.astype(float),
    "b": np.where(np.arange(N) % 7 == 0, -np.inf, -Y_SCORE).astype(np.float32),
    "c": np.round(5 * Y_SCORE).astype(np.int64),
}
LABELS = np.where(Y_TRUE, "fraud", "ok")
TABLE = pa.table({"y": Y_TRUE.astype(int), "kind": LABELS, "w": weights(0, N)} | SCORES)


@pytest.fixture
def sources(tmp_path):
    """The rows as a table, and in two files of each format."""
    for name, write in {"parquet": parquet.write_table, "csv": csv.write_csv}.items():
        (tmp_path / name).mkdir()
        for i in range(2):
            write(TABLE.slice(3_000 * i, 3_000), tmp_path / name / f"{i}.{name}")
    return [TABLE, pl.from_arrow(TABLE).lazy(), tmp_path / "parquet", tmp_path / "csv"]


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(("label", "pos_label"), [("y", None), ("kind", "fraud")])
def test_the_counts_are_those_of_a_call_for_each(sources, weight, label, pos_label):
    options = {"sample_weight": weight, "pos_label": pos_label}
    for source in sources:
        found = large.from_table(source, label, ["c", "a", "b"], **options)
        assert [*found] == ["c", "a", "b"]
        for name, counts in found.items():
            assert_same(counts, large.from_table(source, label, name, **options))
            if source is TABLE:
                given = None if weight is None else TABLE["w"]
                assert_same(counts, threshold_counts(Y_TRUE, SCORES[name], sample_weight=given))


def test_a_tuple_and_a_single_column_give_a_dict():
    for names in (("a", "b"), ["a"]):
        assert tuple(large.from_table(TABLE, "y", names)) == tuple(names)


def test_the_source_is_read_twice_for_all_columns(capsys, monkeypatch):
    monkeypatch.setattr(_two_passes, "FEW_THRESHOLDS", 100)
    monkeypatch.setattr(_two_passes, "FEWEST_ROWS", 200)
    monkeypatch.setattr(_two_passes, "BYTES_OF_THRESHOLD", 1)
    found = large.from_table(TABLE, "y", [*SCORES], progress=True)
    for name, counts in found.items():
        assert_same(counts, threshold_counts(Y_TRUE, SCORES[name]))
    bars = re.findall(r"(\w+ pass): 100%", capsys.readouterr().err)
    assert list(dict.fromkeys(bars)) == ["first pass", "second pass"]


def test_rows_that_wait_for_several_columns_take_the_memory_of_one():
    n = 2_000_000
    rng = np.random.default_rng(0)
    scores = {f"s{i}": rng.integers(0, 50, n).astype(np.int16) for i in range(4)}
    table = pa.table({"y": rng.integers(0, 2, n)} | scores)
    peaks = []
    for names in (["s0"], [*scores]):
        tracemalloc.start()
        large.from_table(table, "y", names)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        ([], {}, "^y_score is an empty list: name a column"),
        (["a", "b", "a"], {}, r"^y_score names a column twice, got \['a', 'b', 'a'\]"),
        (["a", "z"], {}, "'z'"),
        (["a", "b"], {"queries": "w"}, "^queries do not go with several .* call from_table once"),
        (["a", "b"], {"clusters": "w"}, "^clusters do not go with several .* for each column"),
        (["a", "kind"], {}, "^column 'kind': batch 0 .* numbers, got the text"),
    ],
)
def test_what_does_not_go_with_several_columns_says_what_does(names, options, message):
    with pytest.raises(ValueError, match=message):
        large.from_table(TABLE, "y", names, **options)


def test_errors_name_the_column_of_scores_if_it_is_wrong(tmp_path):
    wrong = pa.table({"y": [1, 0], "a": [1.0, 2.0], "b": [1.0, np.nan], "c": [2**60, 1]})
    with pytest.raises(ValueError, match=r"^column 'b': batch 0 .*y_score contains NaN"):
        large.from_table(wrong, "y", ["a", "b"])
    parquet.write_table(wrong, tmp_path / "0.parquet")
    with pytest.raises(ValueError, match=r"0.parquet: row 2, column 'b'\)"):
        large.from_table(tmp_path, "y", ["a", "b"])
    parquet.write_table(wrong.set_column(3, "c", [[0.5, 0.25]]), tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"^column 'c': y_score holds whole numbers of 2\*\*53"):
        large.from_table(tmp_path, "y", ["a", "c"])
    odd = pa.table({"y": [1, 5], "a": [1.0, 2.0], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"^y_true .*label") as info:
        large.from_table(odd, "y", ["a", "b"])
    assert "column" not in str(info.value)
    with pytest.raises(TypeError, match=r"^y_score must be the name of one column, got \['b'\]"):
        large.from_table(TABLE, "y", ["a", ["b"]])


def test_chunks_and_dask_say_that_each_column_needs_a_call():
    with pytest.raises(
        ValueError, match=r"y_score .*shape \(2, 2\)\. Count the scores of each model"
    ):
        large.from_chunks([([1, 0], np.ones((2, 2)))])
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match=r"y_score .*got 2 dimensions\. Count the scores of each"):
        large.from_dask(da.from_array([1, 0]), da.from_array(np.ones((2, 2))))
