"""Counts of queries: equal to those of arrays in memory, in bounded memory, in any order."""

import errno
import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from recipe import assert_same, mix, rows, weights

from sklearn_ap import large
from sklearn_ap._counts.counting import count
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap.definitions import Step
from sklearn_ap.large import _by_query as by_query
from sklearn_ap.large._checked_batches import Batch, clean

N = 20_000
Y_TRUE, Y_SCORE = rows(0, N, 4)
Y_SCORE = Y_SCORE.astype(np.float64).round(2)
QUERY = mix(np.arange(N, dtype=np.int64) + 99) % 300
NAMES = np.array([f"q{i}" for i in QUERY])
COLUMNS = {"y": Y_TRUE, "p": Y_SCORE, "w": weights(0, N), "q": NAMES, "i": QUERY}
COLUMNS |= {"user": QUERY % 40, "day": QUERY % 7}
TABLE = pa.table(COLUMNS)
PAIRS = [*zip((QUERY % 40).tolist(), (QUERY % 7).tolist(), strict=True)]
OF_PAIRS = 1000 * (QUERY % 40) + QUERY % 7


def in_memory(y_true=Y_TRUE, y_score=Y_SCORE, queries=NAMES, **options):
    request = Request(y_true=y_true, y_score=y_score, queries=queries, **options)
    return count(check_rankings(request))


@pytest.fixture(params=[10**9, 1000, 40], ids=["at once", "on disk", "queries alone"])
def bounded(request, monkeypatch):
    """How many rows may wait, or be counted at once: all, several queries, or less than one."""
    monkeypatch.setattr(by_query, "MOST_ROWS_IN_MEMORY", request.param)
    monkeypatch.setattr(by_query, "N_PARTS", 3)


@pytest.mark.parametrize(
    ("y_score", "queries"),
    [
        (Y_SCORE, NAMES),
        (np.where((np.arange(N) % 3 == 0) | (QUERY < 9), -np.inf, Y_SCORE), QUERY),
        # Most rows are of one query, and floats do not tell the scores apart.
        (2**60 + (100 * Y_SCORE).astype(int), np.where(np.arange(N) % 4 > 0, 7, np.arange(N))),
    ],
    ids=["names", "not retrieved", "one large query"],
)
@pytest.mark.parametrize("weight", [None, "w"])
def test_query_counts_equal_those_of_rows_in_memory(bounded, y_score, queries, weight):
    read = pa.table(COLUMNS | {"p": y_score, "q": queries})
    ours = large.from_table(read, "y", "p", sample_weight=weight, queries="q")
    weight = COLUMNS[weight] if weight else None
    assert_same(ours, in_memory(y_score=y_score, queries=queries, sample_weight=weight))


def test_files_with_different_score_types_are_counted_together(bounded, tmp_path):
    for i, scores in enumerate(([3, 2, 1], [2.5, 1.0, 2.0])):
        read = pa.table({"y": [1, 0, 1], "p": scores, "q": [*"abb"]})
        parquet.write_table(read, tmp_path / f"{i}.parquet")
    expected = in_memory([1, 0, 1] * 2, [3, 2, 1, 2.5, 1, 2], queries=[*"abb"] * 2)
    assert_same(large.from_table(tmp_path, "y", "p", queries="q"), expected)


def test_two_columns_make_a_query_of_each_pair_of_names(bounded, tmp_path):
    csv.write_csv(TABLE, tmp_path / "rows.csv")
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(TABLE.to_pandas(), npartitions=5)
    options = {"queries": ["user", "day"]}
    for ours in (
        large.from_table(TABLE, "y", "p", **options),
        large.from_table(tmp_path / "rows.csv", "y", "p", **options),
        large.from_dask(frame, "y", "p", **options),
    ):
        assert_same(ours, in_memory(queries=OF_PAIRS))
        assert ours.names == tuple(sorted({*PAIRS}))


def test_rows_of_weight_0_make_no_query():
    columns = {"y": [1, 0, 1], "p": [3, 2, 1], "q": [np.nan, 2, 2], "a": [7, 8, 8], "w": [0, 1, 1]}
    for queries in ("q", "a", ["a", "q"]):
        ours = large.from_table(pa.table(columns), "y", "p", sample_weight="w", queries=queries)
        assert Step()(ours).tolist() == [0.5]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_error_names_a_full_temporary_folder(monkeypatch):
    monkeypatch.setattr(by_query, "MOST_ROWS_IN_MEMORY", 100)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Path("/dev/full").open("r+b"))  # noqa: SIM115
    message = rf"{tempfile.gettempdir()}.* MB for [\d,]+ rows.*TMPDIR to a folder .* \d+ bytes"
    with pytest.raises(OSError, match=message) as error:
        large.from_table(TABLE, "y", "p", queries="q")
    assert error.value.errno == errno.ENOSPC


@pytest.mark.parametrize(
    ("change", "queries", "message"),
    [
        ({"q": [None, "b", "b"]}, "q", "queries contains missing values: 1 of 3 values, .* row 0"),
        ({"a": [1, 2, None]}, ["q", "a"], "queries 1 contains missing values: 1 of 3"),
        ({"p": [np.nan, 1, 1]}, "q", "y_score contains NaN or infinity"),
        ({"y": [], "p": [], "q": []}, "q", "y_true and y_score are empty"),
        ({}, ["q", "z"], "There is no column 'z'"),
        ({}, [], "queries is an empty list"),
    ],
)
def test_error_names_wrong_query_columns(change, queries, message):
    read = pa.table({"y": [1, 0, 1], "p": [3.0, 2.0, 1.0], "q": [*"abb"]} | change)
    with pytest.raises(ValueError, match=message):
        large.from_table(read, "y", "p", queries=queries)


def test_query_names_of_two_types_in_a_folder_are_refused(tmp_path):
    for name, query in {"a": [7, 8], "b": ["7", "8"], "c": [7.0, 8.0]}.items():
        read = pa.table({"y": [1, 0], "p": [0.9, 0.8], "q": query})
        parquet.write_table(read, tmp_path / f"{name}.parquet")
    both = [str(tmp_path / f"{name}.parquet") for name in "ac"]
    assert large.from_table(both, "y", "p", queries="q").n_positives.tolist() == [2, 0]
    with pytest.raises(ValueError, match=r"several types: 8 \(int\), '8' \(str\)"):
        large.from_table(tmp_path, "y", "p", queries="q")


def part_of(queries, **columns):
    columns = {"y_true": [1, 0], "y_score": [2.0, 1.0], "queries": queries} | columns
    return by_query.count_by_query([clean(Batch("a part", columns), 1)])


def test_partitions_must_have_query_names_of_one_type():
    """Equal numbers of different types may come to different tasks."""
    parts = part_of(np.array([7, 8])) + part_of(np.array([7.0, 9.0]))
    with pytest.raises(ValueError, match=r"one type in some partitions.*: 7 was found twice"):
        parts.sort_by_name(1)
    nothing, other = part_of(["8", "9"], sample_weight=[0, 0]), part_of(["8", "7"])
    for one, two in (nothing, other), (other, nothing):
        assert (one + two).sort_by_name(1).names == ("7", "8")
    with pytest.raises(ValueError, match="sample_weight is zero in every row"):
        (nothing + nothing).sort_by_name(1)


@pytest.mark.engines
@pytest.mark.parametrize("name", ["q", "i"])
def test_dask_counts_queries_and_names_partitions_with_missing_names(cluster, name):
    dd = pytest.importorskip("dask.dataframe")
    whole = TABLE.to_pandas()
    frame = dd.from_pandas(whole, chunksize=4000)
    ours = large.from_dask(frame, "y", "p", sample_weight="w", queries=name)
    assert_same(ours, in_memory(sample_weight=COLUMNS["w"], queries=COLUMNS[name]))
    whole[name] = whole[name].where(whole.index != 12_177)
    frame = dd.from_pandas(whole, chunksize=4000)
    with pytest.raises(ValueError, match=r"partition 3: .*: 1 of 4000 .* first in row 177\b"):
        large.from_dask(frame["y"], frame["p"], queries=frame[name])


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_spark_counts_queries_and_refuses_missing_names(spark, tmp_path):
    for i in range(5):
        parquet.write_table(TABLE.slice(i * 4000, 4000), tmp_path / f"{i}.parquet")
    frame = spark.read.parquet(str(tmp_path)).repartition(4)
    for queries, expected in (("q", NAMES), ("i", QUERY), (["user", "day"], OF_PAIRS)):
        ours = large.from_spark(frame, "y", "p", queries=queries)
        assert_same(ours, in_memory(queries=expected))
    frame = frame.selectExpr("y", "p", "IF(i = 7, NULL, q) AS q")
    with pytest.raises(ValueError, match=r"shuffled partition .*queries contains missing"):
        large.from_spark(frame, "y", "p", queries="q")
