"""Counts of files and tables: the digits of all rows, and errors with file, row and column."""

import json
import os
import re
import sys
import threading
import tracemalloc
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyarrow import csv, feather, parquet
from recipe import assert_same, rows, weights

from sklearn_ap import large, threshold_counts

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
    with pytest.raises(ValueError, match="empty list of paths"):
        large.from_table([], "y", "p")


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


@pytest.mark.parametrize(
    "kind", [pa.float16(), pa.float32(), pa.int8(), pa.uint64(), pa.bool_(), pa.decimal256(40, 2)]
)
@pytest.mark.parametrize("coded", [False, True])
def test_scores_of_any_arrow_type(kind, coded):
    scores = pa.array([0, 1]).cast(kind).take([0, 1, 1, 0])
    numbers = [0.0, 1.0, 1.0, 0.0] if pa.types.is_decimal(kind) else scores.to_numpy(False)
    table = pa.table({"y": [1, 0, 1, 0], "p": scores.dictionary_encode() if coded else scores})
    assert_same(large.from_table(table, "y", "p"), threshold_counts([1, 0, 1, 0], numbers))


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


def test_file_with_only_a_header_has_no_rows(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n")
    (tmp_path / "b.csv").write_text(f"y,p\n1,{2**60 + 1}\n0,{2**60}\n")
    expected = threshold_counts([1, 0], [2**60 + 1, 2**60])
    assert_same(large.from_table(tmp_path, "y", "p"), expected)


def test_names_that_differ_by_a_trailing_nul_are_distinct():
    table = pa.table({"y": [1, 0, 0, 1], "p": [0.9, 0.8, 0.7, 0.6], "q": ["a", "a\0", "a", "a\0"]})
    assert large.from_table(table, "y", "p", queries="q").names == ("a", "a\0")
    assert large.from_table(table, "q", "p", pos_label="a").n_positives == 2


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["1", "1.0"], ("1", "1.0")),
        (["10", "9"], (9, 10)),
        (["10", "2.5"], (2.5, 10)),
        (["10", "09"], ("09", "10")),
        (["1.10", "1.2"], ("1.10", "1.2")),
        ([str(2**63), "9"], ("9", str(2**63))),
    ],
)
def test_query_names_of_text_files_become_numbers_if_all_numeric(tmp_path, texts, names):
    lines = (f"1,2,{text}\n0,1,{text}\n" for text in texts)
    (tmp_path / "a.csv").write_text("y,p,q\n" + "".join(lines))
    assert large.from_table(tmp_path / "a.csv", "y", "p", queries="q").names == names
    typed = pa.table({"y": [1, 0], "p": [2, 1], "q": texts})
    assert large.from_table(typed, "y", "p", queries="q").names == tuple(sorted(texts))


def test_long_name_is_stored_only_once(tmp_path):
    names = ["a" * 20_000 if i == 5 else f"b{i % 2}" for i in range(20_000)]
    lines = "".join(f"{name},{i},{name}\n" for i, name in enumerate(names))
    (tmp_path / "a.csv").write_text("y,p,q\n" + lines)
    tracemalloc.start()
    large.from_table(tmp_path / "a.csv", "y", "p", queries="q", pos_label="b0")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


@pytest.mark.parametrize(
    ("name", "shown"),
    [("0.parquet", " 2.00k/2.00k rows ["), ("1.csv", "B ["), (None, "6.00k/6.00k")],
)
def test_progress_bar_of_each_pass_shows_its_total(folder, capsys, name, shown):
    large.from_table(folder / name if name else TABLE, "y", "p", progress=True)
    printed = capsys.readouterr()
    bars = {bar.partition(":")[0]: bar for bar in re.split(r"[\r\n]", printed.err) if bar.strip()}
    assert (list(bars), printed.out) == (["first pass", "second pass"], "")
    assert all("100%|" in bar and shown in bar for bar in bars.values())


def test_second_progress_bar_takes_the_total_of_the_first_pass(capsys):
    large.from_table(ds.dataset(TABLE), "y", "p", progress=True)
    assert re.search(r"first pass: 6.00k rows \[.*second pass: 100%", capsys.readouterr().err, re.S)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [1, None]}, "y_true contains missing values: 1 of 2 .* 1 .*row 2, column 'y'"),
        ({"p": [1.0, np.inf]}, "NaN or infinity: 1 of 2 .* 1 .*row 2, column 'p'.* -inf"),
        ({"w": [1.0, -1.0]}, r"must not be negative: 1 of 2 .* 1 .*row 2, column 'w'\)\.$"),
        ({"p": ["a", "a"]}, "numbers, got the text 'a': 2 of 2 .* 0 .*row 1, column 'p'"),
    ],
)
def test_error_names_batch_and_file_of_a_wrong_value(tmp_path, columns, message):
    good = {"y": [1, 0], "p": [1.0, 2.0], "w": [1.0, 1.0]}
    parquet.write_table(pa.table(good), tmp_path / "1.parquet")
    feather.write_feather(pa.table(good | columns), str(tmp_path / "2.feather"))
    with pytest.raises(ValueError, match=rf"^batch 1 \(from row 2\): .*{message}"):
        large.from_table(tmp_path, "y", "p", sample_weight="w")


@pytest.mark.parametrize(
    ("name", "write", "row"), [("b.csv", csv.write_csv, 5), ("b.pq", parquet.write_table, 4)]
)
@pytest.mark.parametrize("queries", [None, "q"])
def test_a_third_label_names_file_row_and_column(tmp_path, name, write, row, queries):
    parquet.write_table(pa.table({"y": [0], "p": [0.5], "q": [1]}), tmp_path / "a.parquet")
    wrong = pa.table({"y": [0, 1, 0, 5], "p": [0.1, 0.2, 0.3, 0.4], "q": [1, 1, 2, 2]})
    write(wrong, tmp_path / name)
    with pytest.raises(ValueError, match=rf"label 5 is first in .*{name}: row {row}, column 'y'\."):
        large.from_table([tmp_path / "a.parquet", tmp_path / name], "y", "p", queries=queries)


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes there")
def test_a_pipe_is_refused_for_two_passes(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"pipe' is a pipe, and counting takes two passes"):
        large.from_table(tmp_path / "pipe", "y", "p")
    text = "y,p,q\n1,2,a\n0,1,a\n"  # queries take one pass
    threading.Thread(target=(tmp_path / "pipe").write_text, args=(text,), daemon=True).start()
    assert large.from_table(tmp_path / "pipe", "y", "p", queries="q").names == ("a",)


CODED = pa.DictionaryArray.from_arrays


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": pa.nulls(2)}, "y_true contains missing values"),
        ({"y": CODED([0, 1], [1, None])}, "y_true contains missing values"),
        ({"y": [[1], [0]]}, "y_true holds list<item: int64>, not one value a row"),
        ({"q": [[1], [0]]}, "queries holds list<item: int64>, not one value a row"),
        ({"p": CODED([0, 1], pa.array([[1], [2]]))}, "holds dictionary.*not one value a row"),
        ({"y": CODED([0, -1], ["no", "yes"], safe=False)}, r"is corrupt\..* out of bounds"),
        ({"p": [Decimal(2**70 + 1), Decimal(2**70)]}, "batch 0.*too large for a float of its own"),
    ],
)
def test_faulty_tables_are_refused(columns, message):
    table = pa.table({"y": [1, 0], "p": [2.0, 1.0], "w": [1, 1], "q": [1, 1]} | columns)
    with pytest.raises(ValueError, match=message):
        large.from_table(table, "y", "p", sample_weight="w", queries="q")


@pytest.mark.parametrize("source", [[b"a.csv"], [1], [["a.csv"]], [TABLE], (None, "a.csv")])
def test_lists_of_anything_but_paths_are_refused(source):
    with pytest.raises(TypeError, match="A list as source must hold paths as text, got"):
        large.from_table(source, "y", "p")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y_score": ["p", "w"]}, r"got .'p', 'w'.\. .* loop: for y_score in \['p', 'w'\]:"),
        ({"sample_weight": ("p", "w")}, "sample_weight must be the name of one .* Make one column"),
        ({"y_true": None}, "y_true must be the name of one column, got None. Name a column"),
        ({"queries": [["p"]]}, "queries must be the name of one column, got .'p'.. Make one"),
    ],
)
def test_invalid_column_names_are_refused(columns, message):
    with pytest.raises(TypeError, match=message):
        large.from_table(TABLE, **{"y_true": "y", "y_score": "p"} | columns)


def test_duplicate_columns_and_one_pass_readers_are_refused():
    expected = threshold_counts(Y_TRUE, WEIGHT, sample_weight=WEIGHT)
    assert_same(large.from_table(TABLE, "y", "w", sample_weight="w"), expected)
    twice = pa.Table.from_arrays([pa.array([1, 0]), *[pa.array([2.0, 1.0])] * 2], ["y", "p", "p"])
    with pytest.raises(ValueError, match="There are 2 columns 'p': rename them"):
        large.from_table(twice, "y", "p")
    with pytest.raises(TypeError, match="RecordBatchReader does, cannot be counted"):
        large.from_table(TABLE.to_reader(), "y", "p")


def sources(table):
    yield from (table, table.combine_chunks().to_batches()[0], ds.dataset(table))
    yield pl.from_arrow(table)


def of_engines(table):
    yield pl.from_arrow(table).lazy()
    yield pytest.importorskip("duckdb").from_arrow(table)


@pytest.mark.parametrize("kinds", [sources, pytest.param(of_engines, marks=pytest.mark.engines)])
class TestTables:
    @pytest.mark.parametrize("size", [1_001, 10**6])
    def test_table_types_give_equal_counts_at_any_batch_size(self, kinds, size, monkeypatch):
        monkeypatch.setattr("sklearn_ap.large._on_tables.BATCH_ROWS", size)
        single = TABLE.set_column(2, "p", pa.array(Y_SCORE)).append_column("q", [np.arange(N) % 7])
        for source in kinds(single):
            expected = threshold_counts(Y_TRUE, Y_SCORE, sample_weight=WEIGHT)
            assert_same(large.from_table(source, "y", "p", sample_weight="w"), expected)
            ours = large.from_table(source, "y", "p", queries="q")
            assert (ours.starts.size, ours.n_positives.sum()) == (7, Y_TRUE.sum())

    def test_table_types_support_text_labels_and_quoted_names(self, kinds):
        expected = threshold_counts(["a", "b", "a"], [3.0, 2.0, 1.0], pos_label="a")
        columns = {'a "quoted", name': ["a", "b", "a"], "p.q r": [3.0, 2.0, 1.0]}
        for source in kinds(pa.table(columns)):
            assert_same(large.from_table(source, *columns, pos_label="a"), expected)
            with pytest.raises(ValueError, match="no column 's'; there are 'a \"quoted"):
                large.from_table(source, "s", "p.q r")


@pytest.mark.engines
def test_error_midway_releases_the_duckdb_connection(monkeypatch):
    monkeypatch.setattr("sklearn_ap.large._on_tables.BATCH_ROWS", 2048)
    with pytest.importorskip("duckdb").connect() as connection:
        relation = connection.sql(
            "SELECT i % 7 = 0 AS y, CASE WHEN i = 9000 THEN 'nan'::FLOAT ELSE i::FLOAT END AS p "
            "FROM range(20000) t(i)"
        )
        with pytest.raises(ValueError, match="y_score contains NaN or infinity: 1 of ") as raised:
            large.from_table(relation, "y", "p")
        # The error is still held here, and with it all frames.
        assert connection.sql("SELECT 42").fetchall() == [(42,)]
        assert raised.value


@pytest.mark.parametrize("more", [{}, {"queries": "q"}])
def test_empty_rows_are_left_out_and_counted_once(tmp_path, more):
    """Of all files and passes; a cell of a column that is not read does not keep a row."""
    (tmp_path / "a.csv").write_text("y,p,q,z\n1,.5,7,1\n,,,2\n\n0,.4,7,3\n")
    (tmp_path / "b.jsonl").write_text('{"y": 0, "p": 1, "q": "7"}\n\n')
    paths = [str(tmp_path / name) for name in ("a.csv", "b.jsonl")]
    with pytest.warns(UserWarning, match="^empty rows are left out: 3$") as record:
        counts = large.from_table(paths, "y", "p", **more)
    assert [each.filename for each in record] == [__file__]
    assert (counts.n_positives.sum(), counts.n_negatives.sum()) == (1, 2)
