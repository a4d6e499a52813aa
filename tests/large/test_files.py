"""from_table on files of every format: the digits of all rows, errors with file, row and column."""

import contextlib
import json
import os
import sys
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from predictions_file import HINT
from pyarrow import csv, feather, parquet
from recipe import assert_same, rows, weights

from sklearn_ap import large, threshold_counts
from sklearn_ap.large._checked_batches import HINTS

N = 6_000
Y_TRUE, Y_SCORE = rows(0, N)
SCORE = Y_SCORE.astype(float)
WEIGHT = weights(0, N)


def table(start, stop):
    part = slice(start, stop)
    return pa.table({"y": Y_TRUE[part].astype(int), "p": SCORE[part], "w": WEIGHT[part]})


def write_json(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def write_semicolons(table, path):
    lines = (f"{row['y']};{row['p']!r};{row['w']}\n".replace(".", ",") for row in table.to_pylist())
    path.write_text("y;p;w\n" + "".join(lines))


@pytest.fixture
def folder(tmp_path):
    """The rows in a folder, a sixth in each format."""
    writers = {
        "0.parquet": parquet.write_table,
        "1.csv": csv.write_csv,
        "2.jsonl": write_json,
        "3.feather": feather.write_feather,
        "4.csv": write_semicolons,
        "deep/5.ndjson": write_json,
    }
    for i, (name, write) in enumerate(writers.items()):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write(table(i * 1_000, (i + 1) * 1_000), tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


@pytest.mark.parametrize("weighted", [False, True])
def test_a_folder_of_all_formats(folder, weighted):
    expected = threshold_counts(Y_TRUE, SCORE, sample_weight=WEIGHT if weighted else None)
    name = "w" if weighted else None
    assert_same(large.from_table(folder, "y", "p", sample_weight=name), expected)


@pytest.mark.parametrize("kind", [list, tuple])
def test_several_paths(folder, kind):
    paths = kind([folder / "*.csv", str(folder / "2.jsonl"), folder / "deep"])
    kept = np.repeat([0, 1, 1, 0, 1, 1], 1_000) > 0
    expected = threshold_counts(Y_TRUE[kept], SCORE[kept])
    assert_same(large.from_table(paths, "y", "p"), expected)
    with pytest.raises(ValueError, match="empty list of paths"):
        large.from_table(kind(), "y", "p")


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("b.csv", "y,p,w\n1,0.5,1\n0,x,1\n", "row 3, column 'p': 'x' is not a number"),
        ("b.csv", "y,p,w\n1,0.5,1\n0,,1\n", "row 3, column 'p' is empty" + HINT),
        ("b.csv", "y,p,w\n1,0.5,1\n0,1,-1\n", "row 3, column 'w': '-1' is negative"),
        ("b.csv", "y,p,w\n1,0.5,1\n\nNA,1,1\n", "row 4, column 'y': 'NA' is not a number"),
        (
            "b.jsonl",
            '{"y": 1, "p": 1, "w": 1}\n{"y": 0, "w": 1}\n',
            "row 2, column 'p' is empty" + HINT,
        ),
    ],
)
def test_a_wrong_cell_in_the_second_file_is_named(tmp_path, name, content, place):
    (tmp_path / "a.csv").write_text("y,p,w\n1,0.5,1\n0,0.4,1\n")
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        large.from_table(tmp_path, "y", "p", sample_weight="w")
    assert str(raised.value) == f"{tmp_path / name}: {place}"


@pytest.mark.parametrize(
    ("columns", "problem", "column"),
    [
        ({"y": [1, None]}, "y_true contains missing values", "y"),
        ({"p": [1.0, None]}, "y_score contains missing values", "p"),
        ({"p": [1.0, np.inf]}, "y_score contains NaN or infinity", "p"),
        ({"y": [1.0, np.nan]}, "y_true contains missing values", "y"),
        ({"w": [1.0, np.nan]}, "sample_weight contains NaN or infinity", "w"),
        ({"w": [1.0, -1.0]}, "sample_weight must not be negative", "w"),
    ],
)
@pytest.mark.parametrize("save", [parquet.write_table, feather.write_feather])
def test_a_wrong_value_in_a_folder_of_typed_files_is_named(
    tmp_path, columns, problem, column, save
):
    good = {"y": [1, 0], "p": [1.0, 2.0], "w": [1.0, 1.0]}
    save(pa.table(good), str(tmp_path / "1.parquet"))
    save(pa.table(good | columns), str(tmp_path / "2.parquet"))
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        large.from_table(tmp_path, "y", "p", sample_weight="w")
    assert str(raised.value) == (
        f"batch 1 (from row 2): {problem}: 1 of 2 values, the first in row 1 "
        f"({tmp_path / '2.parquet'}: row 2, column '{column}')."
        f"{HINTS.get(problem.split()[0], '')}"
    )


def test_labels_in_text_are_what_pos_label_is(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p\n1,3\n2,2\n1,1\n")
    expected = threshold_counts([1, 2, 1], [3, 2, 1], pos_label=1)
    assert_same(large.from_table(path, "y", "p", pos_label=1), expected)
    assert_same(large.from_table(path, "y", "p", pos_label="1"), expected)
    path.write_text("y,p\nFalse,3\nTrue,2\n")
    assert large.from_table(path, "y", "p").n_positives == 1
    path.write_text("y,p\nno,3\nyes,2\n")
    assert large.from_table(path, "y", "p", pos_label="yes").n_positives == 1
    assert large.from_table(path, "y", "p").n_positives == 1
    path.write_text("y,p\nok,3\nfraud,2\n")
    with pytest.raises(ValueError, match="pos_label is not specified"):
        large.from_table(path, "y", "p")


def test_whole_numbers_in_text_beyond_floats_keep_their_order(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"y,p\n1,{2**60 + 1}\n0,{2**60}\n")
    assert_same(large.from_table(path, "y", "p"), threshold_counts([1, 0], [2**60 + 1, 2**60]))


def test_a_header_alone_is_a_file_without_rows(tmp_path):
    (tmp_path / "a.csv").write_text("y,p\n")
    (tmp_path / "b.csv").write_text("y,p\n1,2\n0,1\n")
    assert large.from_table(tmp_path, "y", "p").n_positives == 1


class TestProgress:
    """A bar for each pass, which knows its total."""

    def bars(self, capsys):
        shown = capsys.readouterr().err.replace("\n", "\r").split("\r")
        last = {line.partition(":")[0]: line for line in shown if line.strip()}
        assert list(last) == ["first pass", "second pass"]
        return last.values()

    def test_rows_of_parquet(self, tmp_path, capsys):
        parquet.write_table(table(0, N), tmp_path / "a.parquet")
        large.from_table(tmp_path, "y", "p", progress=True)
        assert all("100%|" in bar and " 6.00k/6.00k rows [" in bar for bar in self.bars(capsys))

    def test_bytes_of_text(self, folder, capsys):
        large.from_table(folder / "1.csv", "y", "p", progress=True)
        assert all("100%|" in bar and "B [" in bar for bar in self.bars(capsys))

    def test_rows_of_a_table(self, capsys):
        large.from_table(table(0, N), "y", "p", progress=True)
        assert all(" 6.00k/6.00k rows [" in bar for bar in self.bars(capsys))

    def test_the_second_pass_knows_what_the_first_counted(self, capsys):
        large.from_chunks([(Y_TRUE, SCORE)] * 2, progress=True)
        first, second = self.bars(capsys)
        assert " 12.0k rows [" in first
        assert " 12.0k/12.0k rows [" in second


def test_a_third_label_names_file_row_and_column(folder):
    wrong = pa.table({"y": [0, 1, 0, 5], "p": [0.1, 0.2, 0.3, 0.4], "q": [1, 1, 2, 2]})
    for name, write, row in (("b.csv", csv.write_csv, 5), ("b.parquet", parquet.write_table, 4)):
        write(wrong, folder / name)
        message = rf"The label 5 is first in .*{name}: row {row}, column 'y'\."
        with pytest.raises(ValueError, match=message):
            large.from_table([folder / "0.parquet", folder / name], "y", "p")
        with pytest.raises(ValueError, match=message):
            large.from_table(folder / name, "y", "p", queries="q")


def test_text_in_the_place_of_numbers_names_file_row_and_column(tmp_path):
    texts = pa.table({"y": [0, 1], "p": [0.1, 0.2], "t": ["a", "b"]})
    parquet.write_table(texts, tmp_path / "a.parquet")
    place = r"must hold numbers, got the text 'a': .*a\.parquet: row 1, column 't'"
    with pytest.raises(ValueError, match=f"y_score {place}"):
        large.from_table(tmp_path, "y", "t")
    with pytest.raises(ValueError, match=f"sample_weight {place}"):
        large.from_table(tmp_path, "y", "p", sample_weight="t")
    with pytest.raises(ValueError, match=r"y_true holds 0.1, .*a\.parquet: row 1, column 'p'"):
        large.from_table(tmp_path, "p", "y")


def test_a_note_in_a_folder_is_left_out(folder):
    (folder / "readme.txt").write_text("Scores of May.")
    assert_same(large.from_table(folder, "y", "p"), threshold_counts(Y_TRUE, SCORE))
    with pytest.raises(ValueError, match=r"must end in \.parquet"):
        large.from_table(folder / "readme.txt", "y", "p")


def test_names_that_differ_in_nul_at_their_ends_are_two_queries():
    table = pa.table({"y": [1, 0, 0, 1], "p": [0.9, 0.8, 0.7, 0.6], "q": ["a", "a\0", "a", "a\0"]})
    assert large.from_table(table, "y", "p", queries="q").names == ("a", "a\0")


def test_labels_that_differ_in_nul_at_their_ends_are_two_labels():
    table = pa.table({"y": ["a", "a\0", "a"], "p": [0.9, 0.8, 0.7]})
    assert large.from_table(table, "y", "p", pos_label="a").n_positives == 2


@pytest.mark.parametrize("index", [-1, 2])
def test_an_index_that_is_not_in_the_dictionary_is_refused(index):
    labels = pa.DictionaryArray.from_arrays([0, index], ["no", "yes"], safe=False)
    with pytest.raises(
        ValueError, match=r"batch 0 \(from row 0\): it is corrupt\..* out of bounds"
    ):
        large.from_table(pa.table({"y": labels, "p": [1.0, 2.0]}), "y", "p", pos_label="yes")


@pytest.mark.parametrize("column", ["y", "q"])
def test_a_long_name_takes_its_memory_once(column, tmp_path):
    names = ["a" * 20_000 if i == 5 else f"b{i % 2}" for i in range(20_000)]
    lines = (f"{name if column == 'y' else i % 2},{i},{name}\n" for i, name in enumerate(names))
    (tmp_path / "a.csv").write_text("y,p,q\n" + "".join(lines))
    tracemalloc.start()
    with contextlib.suppress(ValueError):  # there are three labels
        large.from_table(tmp_path / "a.csv", "y", "p", queries="q", pos_label="b0")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes there")
def test_a_pipe_is_refused_for_two_passes(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"pipe' is a pipe, and counting takes two passes"):
        large.from_table(tmp_path / "pipe", "y", "p")


@pytest.mark.parametrize("column", ["y", "p", "w", "q"])
def test_cells_of_several_values_are_refused(column):
    columns = {"y": [1, 0], "p": [2.0, 1.0], "w": [1, 1], "q": [1, 1]} | {column: [[1], [0]]}
    with pytest.raises(ValueError, match="holds list<item: int64>, not one value a row"):
        large.from_table(pa.table(columns), "y", "p", sample_weight="w", queries="q")
