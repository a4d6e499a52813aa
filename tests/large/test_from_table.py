"""Counts of files and tables: the digits of all rows, and errors with file, row and column."""

import json
import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import csv, parquet

from sklearn_ap import large, threshold_counts
from tests.helpers.recipe import assert_same, rows, weights

N = 6_000
Y_TRUE, Y_SCORE = rows(0, N)
WEIGHT = weights(0, N)
TABLE = pa.table(
    {"id": np.arange(N), "y": Y_TRUE.astype(int), "p": Y_SCORE.astype(float), "w": WEIGHT}
)


def write_json(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep").mkdir()
    writers = {"0.parquet": parquet.write_table, "1.csv": csv.write_csv, "deep/2.jsonl": write_json}
    for i, (name, write) in enumerate(writers.items()):
        write(TABLE.slice(i * 2_000, 2_000), tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


def test_folders_of_mixed_formats_and_lists_of_paths_are_counted(folder):
    expected = threshold_counts(Y_TRUE, TABLE["p"], sample_weight=WEIGHT)
    assert_same(large.from_table(folder, "y", "p", sample_weight="w"), expected)
    expected = threshold_counts(Y_TRUE[2_000:], Y_SCORE[2_000:].astype(float))
    for kind in (list, tuple):
        paths = kind([str(folder / "*.csv"), folder / "deep"])
        assert_same(large.from_table(paths, "y", "p"), expected)


@pytest.mark.parametrize(
    ("first", "then"),
    [(np.float32, np.float64), (np.int64, np.float64), (np.float64, np.int8)],
)
def test_each_file_keeps_its_own_column_types(first, then, tmp_path):
    """Arrow alone would read all files in the types of the first, and round silently."""
    parts = np.array([1, 0.3, 0.1, 0.7]).astype(first), np.array([0.1, 1, 0.7, 0.3]).astype(then)
    for i, (kind, scores) in enumerate(zip([bool, int], parts, strict=True)):
        y_true = np.array([1, 0, 1, 0], kind)
        parquet.write_table(pa.table({"y": y_true, "p": scores}), tmp_path / f"{i}.parquet")
    expected = threshold_counts([1, 0, 1, 0] * 2, np.concatenate(parts))
    assert_same(large.from_table(tmp_path, "y", "p"), expected)


TEXTS, NUMBERS = pa.array([*"00101"]), pa.array([0, 0, 1, 0, 1])
CODED_LABELS = [TEXTS.dictionary_encode(), NUMBERS.dictionary_encode()]
KINDS = [pa.bool_(), pa.decimal128(20, 1)]


@pytest.mark.parametrize("labels", [TEXTS, *CODED_LABELS, *map(NUMBERS.cast, KINDS)])
@pytest.mark.parametrize("sliced", [False, True])
def test_labels_of_any_arrow_type(labels, sliced):
    table = pa.table({"y": labels, "p": [9.0, 0.1, 0.2, 0.3, 0.4]})
    table = pa.concat_tables([table.slice(1, 2), table.slice(3)]) if sliced else table.slice(1)
    pos_label = "1" if "1" in labels.to_pylist() else None
    expected = threshold_counts([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    assert_same(large.from_table(table, "y", "p", pos_label=pos_label), expected)


def test_text_file_labels_match_the_type_of_pos_label(tmp_path):
    path = tmp_path / "a.csv"
    for text, pos_label, n_positives in (
        ("y,p\n1,3\n2,2\n1,1\n", 1, 2),
        ("y,p\nFalse,3\nTrue,2\n", None, 1),
        ("y,p\nno,3\nyes,2\n", "yes", 1),
        ("y,p\nno,3\nyes,2\n", None, 1),
    ):
        path.write_text(text)
        parquet.write_table(csv.read_csv(path), tmp_path / "a.parquet")
        for file in (path, tmp_path / "a.parquet"):
            assert large.from_table(file, "y", "p", pos_label=pos_label).n_positives == n_positives
    path.write_text("y,p\nok,3\nfraud,2\n")
    with pytest.raises(ValueError, match="pos_label is not specified"):
        large.from_table(path, "y", "p")


def test_labels_are_read_alike_wherever_a_batch_ends(tmp_path):
    labels, paths = ["1", "0", "yes", "No", "1.0"], []
    for i, label in enumerate(labels):
        paths.append(tmp_path / f"{i}.csv")
        paths[-1].write_text(f"y,p\n{label},{i}\n")
    whole = tmp_path / "all.csv"
    whole.write_text("y,p\n" + "".join(f"{label},{i}\n" for i, label in enumerate(labels)))
    expected = threshold_counts([1, 0, 1, 0, 1], np.arange(5))
    for source in (whole, paths):
        assert_same(large.from_table(source, "y", "p"), expected)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [1, None]}, "row 2, column 'y' is empty"),
        ({"w": [1.0, -1.0]}, "row 2, column 'w': '-1.0' is below 0"),
        ({"p": ["1", "a"]}, "column 'p' holds string, not numbers"),
        ({"y": [1, 5]}, r"y_true takes value in \{1, 5\}"),
    ],
)
def test_error_names_the_file_and_the_row_of_a_wrong_value(tmp_path, columns, message):
    good = {"y": [1, 0], "p": [1.0, 2.0], "w": [1.0, 1.0]}
    csv.write_csv(pa.table(good), tmp_path / "1.csv")
    parquet.write_table(pa.table(good | columns), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=rf"2.parquet.*{message}|{message}"):
        large.from_table(tmp_path, "y", "p", sample_weight="w")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("label", "score"), "a.csv from row 2: y_true has 3 labels, .0, 1, 7"),
        (("score", "label"), "a.csv from row 2: .* Are y_true and y_score swapped?"),
    ],
)
def test_error_names_the_file_of_a_third_label(tmp_path, columns, message):
    labels = np.arange(3_000) % 2
    labels[2_500] = 7
    path = tmp_path / "a.csv"
    csv.write_csv(pa.table({"label": labels, "score": labels / 8}), path)
    with pytest.raises(ValueError, match=message):
        large.from_table(path, *columns)


def test_error_names_the_batch_and_the_row_of_a_table():
    p = np.where(np.arange(N) == 5_000, np.nan, Y_SCORE)
    parts = [pa.table({"y": Y_TRUE[i::3], "p": p[i::3]}) for i in range(3)]
    with pytest.raises(ValueError, match=r"^batch 2: row 5666, column 'p'"):
        large.from_table(pa.concat_tables(parts), "y", "p")


@pytest.mark.parametrize(
    ("role", "name"),
    [("y_score", ["p", "w"]), ("y_true", None), ("sample_weight", np.ones(2))],
)
def test_invalid_column_names_are_refused(role, name):
    message = f"{role} must be the name of one column, got .*Count each model by a call of its own"
    with pytest.raises(TypeError, match=message):
        large.from_table(TABLE, **{"y_true": "y", "y_score": "p"} | {role: name})


def test_duplicate_columns_are_refused_if_they_are_asked_for():
    expected = threshold_counts(Y_TRUE, WEIGHT, sample_weight=WEIGHT)
    assert_same(large.from_table(TABLE, "y", "w", sample_weight="w"), expected)
    twice = pa.Table.from_arrays([pa.array([1, 0]), *[pa.array([2.0, 1.0])] * 2], ["y", "p", "p"])
    with pytest.raises(ValueError, match="there are 2 columns 'p': rename them"):
        large.from_table(twice, "y", "p")


@pytest.mark.parametrize("source", [TABLE.to_reader(), [], ["a.csv", None]], ids=type)
def test_one_pass_readers_and_lists_without_paths_are_refused(source):
    with pytest.raises(TypeError, match=r"source must be a path.*RecordBatchReader.*LazyFrame"):
        large.from_table(source, "y", "p")


@pytest.mark.parametrize("scores", [[0.5, "b"], [0.5, 1j], [10**30, 1]])
def test_a_column_that_arrow_cannot_hold_is_refused(scores):
    with pytest.raises(TypeError, match="source has a column that Arrow cannot hold"):
        large.from_table(pd.DataFrame({"y": [1, 0], "p": scores}), "y", "p")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("source", ["pipe", ["-"]])
def test_a_pipe_is_refused_before_it_is_opened(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(ValueError, match="source is a pipe"):
        large.from_table(source, "y", "p")


class OnlyStream:
    """A table that has nothing but Arrow's C stream."""

    def __init__(self, table):
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def sources(table):
    yield from (OnlyStream(table), table, table.combine_chunks().to_batches()[0], ds.dataset(table))
    yield from (pl.from_arrow(table), table.to_pandas())


def test_columns_of_pandas_may_have_any_name():
    """A number is no place, and a column is no attribute of its table."""
    expected = threshold_counts([1, 0, 1], [3.0, 2.0, 1.0])
    numbered = pd.DataFrame({0: [3.0, 2.0, 1.0], 1: [1, 0, 1], 2: [0, 0, 0]})
    for frame in (numbered, numbered.set_index([[7, 5, 6]])):
        assert_same(large.from_table(frame, 1, 0), expected)
    for name in ("project", "select", "columns", "column_names"):
        frame = numbered.rename(columns={0: "p", 1: "y", 2: name})
        assert_same(large.from_table(frame, "y", "p"), expected)


def of_engines(table):
    yield pytest.importorskip("duckdb").from_arrow(table)


@pytest.mark.parametrize("kinds", [sources, pytest.param(of_engines, marks=pytest.mark.engines)])
class TestTables:
    @pytest.mark.parametrize("size", [1_001, 10**6])
    def test_table_types_give_equal_counts_at_any_batch_size(self, kinds, size, monkeypatch):
        monkeypatch.setattr("sklearn_ap.large._batches.BATCH_ROWS", size)
        single = TABLE.set_column(2, "p", pa.array(Y_SCORE))
        for source in kinds(single):
            expected = threshold_counts(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)
            assert_same(large.from_table(source, "y", "p", sample_weight="w"), expected)

    def test_table_types_support_text_labels_and_quoted_names(self, kinds):
        expected = threshold_counts(["a", "b", "a"], [3.0, 2.0, 1.0], pos_label="a")
        columns = {'a "quoted", name': ["a", "b", "a"], "p.q r": [3.0, 2.0, 1.0]}
        for source in kinds(pa.table(columns)):
            assert_same(large.from_table(source, *columns, pos_label="a"), expected)
            with pytest.raises(ValueError, match="no column 's'; there are 'a \"quoted"):
                large.from_table(source, "s", "p.q r")


@pytest.mark.engines
def test_error_midway_releases_the_duckdb_connection(monkeypatch):
    monkeypatch.setattr("sklearn_ap.large._batches.BATCH_ROWS", 2048)
    with pytest.importorskip("duckdb").connect() as connection:
        relation = connection.sql(
            "SELECT i % 7 = 0 AS y, CASE WHEN i = 9000 THEN 'nan'::FLOAT ELSE i::FLOAT END AS p "
            "FROM range(20000) t(i)"
        )
        with pytest.raises(ValueError, match="batch 4: row 9000, column 'p'") as raised:
            large.from_table(relation, "y", "p")
        # The error is still held here, and with it all frames.
        assert connection.sql("SELECT 42").fetchall() == [(42,)]
        assert raised.value
