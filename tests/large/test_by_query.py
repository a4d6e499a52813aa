"""Counts of queries: equal to those of arrays in memory, in bounded memory, in any order."""

import errno
import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from every import every
from pyarrow import csv, parquet
from recipe import assert_same, mix, rows, weights

from sklearn_ap import large
from sklearn_ap._inputs.request import Request
from sklearn_ap._scoring import counted
from sklearn_ap.definitions import AtK, Step
from sklearn_ap.large import _by_query as by_query
from sklearn_ap.large._checked_batches import Batch, clean

N = 20_000
Y_TRUE, Y_SCORE = rows(0, N, 4)
Y_SCORE = Y_SCORE.astype(np.float64).round(2)
WEIGHT = weights(0, N)
QUERY = mix(np.arange(N, dtype=np.int64) + 99) % 300
NAMES = np.array([f"q{i}" for i in QUERY])
TABLE = pa.table({"y": Y_TRUE, "p": Y_SCORE, "w": WEIGHT, "q": NAMES, "i": QUERY})
COLUMNS = ("y", "p")


def in_memory(y_true=Y_TRUE, y_score=Y_SCORE, queries=NAMES, **options):
    return counted(Step(), Request(y_true, y_score, queries=queries, **options))[1]


@pytest.fixture(params=[10**9, 1000, 40], ids=["at once", "on disk", "queries alone"])
def bounded(request, monkeypatch):
    """How many rows may wait, or be counted at once: all, several queries, or less than one."""
    monkeypatch.setattr(by_query, "MOST_ROWS", request.param)
    monkeypatch.setattr(by_query, "N_PARTS", 3)


@pytest.mark.usefixtures("bounded")
class TestTables:
    @pytest.mark.parametrize("is_sorted", [True, False])
    def test_the_same_digits(self, is_sorted):
        read = TABLE.sort_by("q") if is_sorted else TABLE
        assert_same(large.from_table(read, *COLUMNS, queries="q"), in_memory())

    def test_numbers_as_names_and_weights(self):
        ours = large.from_table(TABLE, *COLUMNS, sample_weight="w", queries="i")
        expected = in_memory(queries=QUERY, sample_weight=WEIGHT)
        assert ours.starts.tolist() == expected.starts.tolist()
        np.testing.assert_allclose(Step()(ours), Step()(expected), atol=1e-12)
        np.testing.assert_allclose(ours.n_positives, expected.n_positives)

    def test_rows_that_were_not_retrieved(self):
        y_score = np.where((np.arange(N) % 3 == 0) | (QUERY < 9), -np.inf, Y_SCORE)
        read = TABLE.set_column(1, "p", pa.array(y_score))
        ours = large.from_table(read, *COLUMNS, queries="q")
        assert_same(ours, in_memory(y_score=y_score))

    def test_queries_of_very_different_sizes(self):
        """One query holds most rows, as many as no part may hold; others have no positive.

        The scores are whole numbers that floats do not tell apart.
        """
        query = np.where(np.arange(N) % 4 > 0, 7, np.arange(N))
        y_score = 2**60 + (100 * Y_SCORE).astype(int)
        read = TABLE.set_column(4, "i", pa.array(query)).set_column(1, "p", pa.array(y_score))
        expected = in_memory(y_score=y_score, queries=query)
        assert_same(large.from_table(read, *COLUMNS, queries="i"), expected)

    def test_scores_of_two_types(self, tmp_path):
        """A query in both files is counted as one array would be, with floats."""
        read = pa.table({"y": [1, 0, 1], "p": [3, 2, 1], "q": ["a", "b", "b"]})
        parquet.write_table(read, tmp_path / "1.parquet")
        parquet.write_table(read.set_column(1, "p", pa.array([2.5, 1.0, 2.0])), tmp_path / "2.pq")
        expected = in_memory([1, 0, 1] * 2, [3, 2, 1, 2.5, 1, 2], queries=[*"abb"] * 2)
        assert_same(large.from_table(tmp_path, *COLUMNS, queries="q"), expected)


class TestSeveralColumns:
    """A query for each pair of names, as for queries that one column names."""

    SOURCE = TABLE.append_column("u", pa.array(QUERY % 40)).append_column("d", pa.array(QUERY % 7))
    TUPLES = (*zip((QUERY % 40).tolist(), (QUERY % 7).tolist(), strict=True),)
    ONE = np.array([1000 * user + day for user, day in TUPLES])

    @pytest.mark.usefixtures("bounded")
    def test_the_digits_and_the_names(self):
        ours = large.from_table(self.SOURCE, *COLUMNS, queries=["u", "d"])
        assert_same(ours, in_memory(queries=self.ONE))
        assert ours.names == tuple(sorted({*self.TUPLES}))

    def test_text_files(self, tmp_path):
        csv.write_csv(self.SOURCE, tmp_path / "rows.csv")
        ours = large.from_table(tmp_path / "rows.csv", *COLUMNS, queries=["u", "d"])
        assert_same(ours, in_memory(queries=self.ONE))
        assert ours.names == tuple(sorted({*self.TUPLES}))

    def test_dask(self):
        dask = pytest.importorskip("dask.dataframe")
        frame = dask.from_pandas(self.SOURCE.to_pandas(), npartitions=5)
        ours = large.from_dask(frame, *COLUMNS, queries=["u", "d"])
        assert_same(ours, in_memory(queries=self.ONE))
        assert ours.names == tuple(sorted({*self.TUPLES}))

    def test_a_missing_name_and_a_missing_column(self):
        read = pa.table({"y": [1, 0], "p": [1, 2], "a": [1, 1], "b": ["x", None]})
        with pytest.raises(ValueError, match="queries 1 contains missing values: 1 of 2"):
            large.from_table(read, *COLUMNS, queries=["a", "b"])
        with pytest.raises(ValueError, match="There is no column 'z'"):
            large.from_table(read, *COLUMNS, queries=["a", "z"])
        with pytest.raises(ValueError, match="queries is an empty list"):
            large.from_table(read, *COLUMNS, queries=[])


def test_a_query_whose_rows_weigh_nothing_is_absent():
    for query in ([*"abb"], [np.nan, 2.0, 2.0]):
        read = pa.table({"y": [1, 0, 1], "p": [3, 2, 1], "q": query, "w": [0, 1, 1]})
        ours = large.from_table(read, *COLUMNS, sample_weight="w", queries="q")
        assert Step()(ours).tolist() == [0.5]


def test_all_parts_are_given_back(monkeypatch, tmp_path):
    monkeypatch.setattr(by_query, "MOST_ROWS", 100)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    large.from_table(TABLE, *COLUMNS, queries="q")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_temporary_folder_is_named(monkeypatch):
    monkeypatch.setattr(by_query, "MOST_ROWS", 100)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Path("/dev/full").open("r+b"))  # noqa: SIM115
    message = rf"{tempfile.gettempdir()}.* MB for [\d,]+ rows.*TMPDIR to a folder .* \d+ bytes"
    with pytest.raises(OSError, match=message) as error:
        large.from_table(TABLE, *COLUMNS, queries="q")
    assert error.value.errno == errno.ENOSPC


@every(
    ("change", "message"),
    [
        ({"q": [None, "b", "b"]}, "queries contains missing values: 1 of 3 values, .* row 0"),
        ({"p": [np.nan, 1, 1]}, "y_score contains NaN or infinity"),
        ({"y": [], "p": [], "q": []}, "y_true and y_score are empty"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    read = pa.table({"y": [1, 0, 1], "p": [3.0, 2.0, 1.0], "q": [*"abb"]} | change)
    with pytest.raises(ValueError, match=message):
        large.from_table(read, *COLUMNS, queries="q")


def batch_of_two_keys(queries, **columns):
    columns = {"y_true": [1, 0], "y_score": [2.0, 1.0]} | columns
    return clean(Batch("a part", columns | dict(zip(KEYS, queries, strict=True))), 1)


KEYS = ("queries 0", "queries 1")


def test_a_row_without_weight_needs_no_name_in_any_column():
    found = batch_of_two_keys((["a", None], [7, 8]), sample_weight=[3, 0])
    assert found.queries.tolist() == [("a", 7)]
    with pytest.raises(ValueError, match="a part: queries 0 contains missing values: 1 of 2"):
        batch_of_two_keys((["a", None], [7, 8]))


def test_columns_of_queries_in_another_order_are_refused():
    one = pd.Series([1, 2], index=["a", "b"])
    with pytest.raises(ValueError, match="queries 0 and queries 1 have indexes"):
        batch_of_two_keys((one, one[::-1]))


def test_names_of_two_types_in_a_folder(tmp_path):
    for name, query in {"a": [7, 8], "b": ["7", "8"], "c": [7.0, 8.0]}.items():
        read = pa.table({"y": [1, 0], "p": [0.9, 0.8], "q": query})
        parquet.write_table(read, tmp_path / f"{name}.parquet")
    both = [str(tmp_path / f"{name}.parquet") for name in "ac"]
    assert large.from_table(both, *COLUMNS, queries="q").n_positives.tolist() == [2, 0]
    with pytest.raises(ValueError, match=r"several types: 8 \(int\), '8' \(str\)"):
        large.from_table(tmp_path, *COLUMNS, queries="q")


def part_of(queries, **columns):
    columns = {"y_true": [1, 0], "y_score": [2.0, 1.0], "queries": queries} | columns
    return by_query.count_by_query([clean(Batch("a part", columns), 1)])


def test_names_of_two_types_in_partitions():
    """Equal numbers of different types may come to different tasks."""
    parts = part_of(np.array([7, 8])) + part_of(np.array([7.0, 9.0]))
    with pytest.raises(ValueError, match=r"one type in some partitions.*: 7 was found twice"):
        parts.in_order(1)
    assert part_of(["8", "7"]).in_order(1).names == ("7", "8")


def test_a_partition_whose_rows_weigh_nothing_adds_nothing():
    nothing, other = part_of([8, 9], sample_weight=[0, 0]), part_of([7, 7])
    for one, two in (nothing, other), (other, nothing):
        assert (one + two).in_order(1).names == (7,)
    with pytest.raises(ValueError, match="sample_weight is zero in every row"):
        (nothing + nothing).in_order(1)


@pytest.mark.engines
class TestDask:
    @pytest.mark.parametrize("name", ["q", "i"])
    def test_the_same_digits(self, cluster, name):
        dd = pytest.importorskip("dask.dataframe")
        frame = dd.from_pandas(TABLE.to_pandas(), npartitions=7)
        ours = large.from_dask(frame["y"], frame["p"], queries=frame[name])
        assert_same(ours, in_memory(queries=NAMES if name == "q" else QUERY))

    def test_weights_and_arrays(self, cluster):
        da = pytest.importorskip("dask.array")
        columns = [da.from_array(array, chunks=3000) for array in (Y_TRUE, Y_SCORE, WEIGHT, QUERY)]
        ours = large.from_dask(*columns[:2], sample_weight=columns[2], queries=columns[3])
        expected = in_memory(sample_weight=WEIGHT, queries=QUERY)
        np.testing.assert_allclose(Step()(ours), Step()(expected), atol=1e-12)

    @pytest.mark.parametrize("column", ["p", "q", "i"])
    def test_a_missing_value_is_said_with_its_partition_and_row(self, cluster, column):
        dd = pytest.importorskip("dask.dataframe")
        whole = TABLE.to_pandas()
        whole[column] = whole[column].where(whole.index != 12_177)
        frame = dd.from_pandas(whole, chunksize=4000)
        with pytest.raises(ValueError, match=r"partition 3: .*: 1 of 4000 .* first in row 177\b"):
            large.from_dask(frame["y"], frame["p"], queries=frame["i" if column == "i" else "q"])


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
class TestSpark:
    @pytest.mark.parametrize("name", ["q", "i"])
    def test_the_same_digits(self, spark, tmp_path, name):
        for i in range(5):
            parquet.write_table(TABLE.slice(i * 4000, 4000), tmp_path / f"{i}.parquet")
        frame = spark.read.parquet(str(tmp_path)).repartition(4)
        expected = in_memory(queries=NAMES if name == "q" else QUERY)
        assert_same(large.from_spark(frame, *COLUMNS, queries=name), expected)

    def test_two_columns(self, spark):
        columns = {"y": Y_TRUE, "p": Y_SCORE, "u": QUERY % 40, "d": QUERY % 7}
        frame = spark.createDataFrame(pd.DataFrame(columns)).repartition(4)
        ours = large.from_spark(frame, *COLUMNS, queries=["u", "d"])
        assert_same(ours, in_memory(queries=1000 * (QUERY % 40) + QUERY % 7))

    def test_faults(self, spark):
        frame = spark.createDataFrame(
            pd.DataFrame({"y": [1, 0], "p": [1.0, 2.0], "q": ["a", None]})
        )
        with pytest.raises(ValueError, match=r"shuffled partition .*queries contains missing"):
            large.from_spark(frame, *COLUMNS, queries="q")
        with pytest.raises(ValueError, match="There is no column 'x'"):
            large.from_spark(frame, *COLUMNS, queries="x")


def test_a_share_is_of_the_rows_of_each_query():
    counts = large.from_table(TABLE, *COLUMNS, queries="q")
    np.testing.assert_array_equal(AtK(0.1)(counts), AtK(0.1)(in_memory()))
