"""Files of every format, some rows at a time, with pyarrow and without it where it can be."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import re
import sys
import zipfile
from contextlib import nullcontext
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from both_ways import both_ways, without_pyarrow
from predictions_file import HINT, packed
from pyarrow import feather, parquet

from sklearn_ap._base.files.cells import labels, read_names, scores
from sklearn_ap._base.files.errors import DataError
from sklearn_ap._base.files.reader import FileReader
from sklearn_ap._base.files.trec import QRELS, trec_rows

Y, P = [1, 0, 1], [0.5, -0.25, 1e-3]
LINES = [*zip(Y, P, strict=True)]
CSV = "y,p\n" + "".join(f"{y},{p}\n" for y, p in LINES)
JSON = "".join(json.dumps({"id": [7], "y": y, "p": p}) + "\n" for y, p in LINES)


def zstd(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


EXCEL, ARRAY = io.BytesIO(), io.BytesIO()
zipfile.ZipFile(EXCEL, "w").writestr("xl/workbook.xml", "<workbook/>")
np.save(ARRAY, P)


def typed(save=parquet.write_table, **columns):
    return packed(pa.table({"y": Y, "p": P, "q": ["a"] * 3} | columns), save)


@pytest.fixture
def read(tmp_path):
    """Row numbers, labels and scores of a file with this content."""

    def run(content, name="predictions"):
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return both_ways(partial(rows_of, [str(tmp_path / name)]))

    return run


def rows_of(files):
    parts = FileReader(files, ["y", "p"], brief=True)
    columns = [(part.numbers, labels(part, "y"), scores(part, "p")) for part in parts]
    return [np.concatenate(column).tolist() for column in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    ("content", "first"),
    [
        (CSV, 2),
        (CSV.replace(",", "\t"), 2),
        (CSV.replace(",", ";").replace(".", ","), 2),
        ("\ufeff" + CSV, 2),
        (re.sub(r"[^,\n]+", r'"\g<0>"', CSV), 2),
        (CSV.replace(",", ", ").replace("y, p", "y,p"), 2),
        (JSON, 1),
        ("\ufeff" + JSON, 1),
        (JSON.replace("0.5", '"0.5"'), 1),
        (typed(), 1),
        (typed(feather.write_feather), 1),
    ],
)
def test_every_format_and_compression_is_read(subtests, read, content, first):
    content = content if isinstance(content, bytes) else content.encode()
    for pack in [bytes, gzip.compress, bz2.compress, lzma.compress, zstd]:
        with subtests.test(f"{pack.__module__}.{pack.__name__}"):
            assert read(pack(content)) == [[first, first + 1, first + 2], Y, P]


@pytest.mark.parametrize(
    ("cells", "point", "comma"),
    [
        # 1.000 beside 0,9 may be one, or a thousand
        ("1;0,9\n0;1.000\n", "row 3, column 'p': '1.000'", "row 2, column 'p': '0,9'"),
        ("1;0.95\n0;1,000\n", "row 2, column 'p': '0.95'", "row 3, column 'p': '1,000'"),
        ("1.000;0,9\n0;1\n", "row 2, column 'y': '1.000'", "row 2, column 'p': '0,9'"),
        ("1;0,9\n" * 600 + "0;2.5\n", "row 602, column 'p': '2.5'", "row 2, column 'p'"),
        ("1;2.5\n" * 600 + "0;0,9\n", "row 2, column 'p': '2.5'", "row 602, column 'p'"),
    ],
    ids=["thousand", "thousand with a comma", "other column", "later", "before"],
)
def test_two_decimal_marks_in_a_file_are_refused(read, monkeypatch, cells, point, comma):
    monkeypatch.setattr("sklearn_ap._base.files.formats.BLOCK", 1000)
    with pytest.raises(DataError) as caught:
        read(f"y;p\n{cells}")
    text = re.sub(r"\S*/\S+: ", "", str(caught.value))  # the name of the file
    assert text.startswith(f"{point} has a point, but {comma}")
    assert text.endswith("with one decimal mark, and none between thousands")


@pytest.mark.parametrize(
    "cells", ["1;0.9\n0;1.000\n", "1;0,9\n0;1,000\n", "1;0,9\n0;1\n", "a.b;0,9\nc;1\n"]
)
def test_one_decimal_mark_is_read_even_if_names_contain_the_other(read, cells):
    assert read(f"y;p\n{cells}")[2] == [0.9, 1]


@pytest.mark.parametrize(
    ("cells", "labels", "scores"),
    [
        ("1;1152921504606846977\n", [1], [2**60 + 1]),
        ("1;18446744073709551615\n0;18446744073709551614\n", [1, 0], [2**64 - 1, 2**64 - 2]),
        ("1.0;+0.5\n0.5;1\n", [1.0, 0.5], [0.5, 1]),  # +0.5, which only Python reads
        ("1,0;1\n0,5;1\n", [1.0, 0.5], [1, 1]),
        ("true;1\nFalse;1\n", [True, False], [1, 1]),
        ("fraud;1\nok;1\n", ["fraud", "ok"], [1, 1]),
        (f'{{"y": 1, "p": {2**64 - 1}}}', [1], [2**64 - 1]),
        ('{"a": {"p": 2, "p": 3}, "b": 0, "b": 0, "y": 1, "p": 1}\n', [1], [1]),
        ('{"y": 1, "id": "9e999", "p": -Infinity}\n', [1], [-np.inf]),  # not retrieved
    ],
)
def test_numbers_keep_all_digits_and_numeric_labels_become_numbers(read, cells, labels, scores):
    assert read(cells if cells[0] == "{" else f"y;p\n{cells}")[1:] == [labels, scores]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("begin", ['{"y": "', "y,p\n", 'y,p\n"'])
def test_line_longer_than_4_mb_is_refused(tmp_path, begin, pack):
    (tmp_path / "a").write_bytes(pack((begin + "1" * 30_000_000).encode()))
    for reader in (nullcontext, without_pyarrow):
        with reader(), pytest.raises(DataError, match="longer than 4 MB"):
            rows_of([str(tmp_path / "a")])


def test_an_endless_pipe_that_must_be_read_whole_is_refused(read, monkeypatch):
    monkeypatch.setattr("sklearn_ap._base.files.formats.BLOCK", 1000)
    monkeypatch.setattr("sklearn_ap._base.files.formats.MOST_BYTES", 5000)
    with pytest.raises(DataError, match="store it in a file, unpacked"):
        read(gzip.compress(b"PAR1" + bytes(6000)))


def test_quoted_line_break_does_not_end_a_row_at_block_boundaries(read, monkeypatch):
    monkeypatch.setattr("sklearn_ap._base.files.formats.BLOCK", 1000)
    found = read("y,p\n" + '"a\nb",1\n"c",2\n' * 500)
    assert found[1:] == [["a\nb", "c"] * 500, [1, 2] * 500]


def test_error_names_a_row_with_missing_cells_in_a_later_block(read, monkeypatch):
    monkeypatch.setattr("sklearn_ap._base.files.formats.BLOCK", 1000)
    with pytest.raises(DataError, match="row 502 has only 1 column; the header has 2"):
        read("y,p\n" + "1,0.5\n" * 500 + "1\n")


def test_trec_lines_keep_their_line_numbers_in_later_blocks(tmp_path, monkeypatch):
    """Also behind empty lines and comments, which are left out."""
    for size in ("LINES", "BLOCK"):
        monkeypatch.setattr(f"sklearn_ap._base.files.trec.{size}", 64)
    path = tmp_path / "qrels"
    path.write_text("\n# no row\nq1 0 d1 1\n" * 30)
    parts = both_ways(lambda: [rows.numbers.tolist() for rows in trec_rows(str(path), QRELS)])
    assert len(parts) > 3
    assert np.concatenate(parts).tolist() == [*range(3, 91, 3)]


def test_a_header_of_any_length_is_read(read):
    names = [f"column number {i}" for i in range(10_000)]
    header, row = ",".join(["y", *names, "p"]), ",".join(["1", *["0"] * 10_000, "0.5"])
    assert read(f"{header}\n{row}\n") == [[2], [1], [0.5]]


def test_a_corrupt_offset_is_refused(read):
    sink = pa.BufferOutputStream()
    table = pa.table({"y": ["yes", "none"], "p": [1.0, 2.0]})
    feather.write_feather(table, sink, compression="uncompressed")
    content, right, wrong = sink.getvalue().to_pybytes(), np.int32([0, 3, 7]), np.int32([0, 3, 9])
    assert read(content)[1] == ["yes", "none"]
    with pytest.raises(DataError, match="it is corrupt"):
        read(content.replace(right.tobytes(), wrong.tobytes()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        (",".join(["y", *map(str, range(30))]), "no column 'p'; there are 'y', '0', '1', '2', "),
        ("y,p,y\n1,0.5,0\n", "There are 2 columns 'y': rename them."),
        ("y,p\n1,0.5\n\n0\n", "row 4 has only 1 column; the header has 2"),
        ("y,p\n1,0.5\n\n0,\n", "row 4, column 'p' is empty" + HINT),
        ("y,p\n1,0.5\n0,1_0\n", "row 3, column 'p': '1_0' is not a number"),
        ("y\tp\n1\t0.5\n0\t1,234\n", "row 3, column 'p': '1,234' is not a number"),
        (f"y,p\n1,{99 * '5'}7\n", "column 'p': '55555555555555555555...' is too large for a float"),
        (typed(y=[1, 0, np.nan]), "row 3, column 'y' is empty"),
        (typed()[:-9], "Parquet magic bytes not found"),
        (b"ARROW1 " + 99 * b"no", "not an Arrow file"),
        (gzip.compress(CSV.encode())[:-9], "ended before the end-of-stream marker"),
        (b"y,p\n1,\xff\n", "the text is not UTF-8"),
        ('{"y": 1, "p": 1}\n\n{"y": 1, "p": null}', "row 3, column 'p' is empty" + HINT),
        ('{"y": 1, "p": 1}\n{"y": 1,', "row 2 is not a JSON object on a line of its own"),
        ("y,p\n1,0.5\n0,-1e999\n", "row 3, column 'p': '-1e999' is too large"),
        ('{"y": 1, "p": -1e999}', "row 1, column 'p': the number is too large"),
        (f"y,p\n1,{2**53 + 1}\n0,{2**53}\n0,0.5\n", "row 2, column 'p': '9007199254740993' is"),
        (f"y,p\n1,-{2**53 + 1}\n0,0.5\n", "row 2, column 'p': '-9007199254740993' is"),
        (f"y,p\n1,{2**53}.0\n0,{2**53 + 1}.0\n", "row 3, column 'p': '9007199254740993.0' is"),
        (f'{{"y": 1, "p": {2**53 + 1}}}\n{{"y": 0, "p": {2**53}}}\n{{"y": 0, "p": 0.5}}', "row 1"),
        ('{"y": 1, "p": 1}\n{"y": 1, "p": 0.5, "p": 0.5}', "row 2 has the key 'p' twice"),
        ('{"y": "\\ud800", "p": 1}', "the text is not UTF-8"),
        ('{"y": 1, "p": 1}\n{"y": [1], "p": 1}', "row 2, column 'y': '[1]' is not one value"),
        (lzma.compress(CSV.encode())[:-9], "ended before the end-of-stream marker"),
        (lzma.compress(CSV.encode())[:30] + bytes(99), "Corrupt input data"),
        *(
            (
                begin + '{"y": 1, "p": 1}]',
                "it is a JSON array, not JSON lines. In Python, write pd.",
            )
            for begin in ("[", "[\n ", " [ ")
        ),
        (
            EXCEL.getvalue(),
            "it is an Excel file or another zip archive, which is not read here. ",
        ),
        (pickle.dumps(Y), "a pickle of Python, which is not read here. In Python, write pd.DataF"),
        (ARRAY.getvalue(), "an array of NumPy, which is not read here. In Python, write pd.DataF"),
        (gzip.compress(pickle.dumps(Y)), "a pickle of Python"),
        (b"\x89HDF\r\n\x1a\n", "it is HDF5"),
        ("y" * 140_000 + "\n1\n", "the header has a name of more than 131,072 characters: is the"),
        ("y,p\r1,0.5\r0,0.4\r", "its lines end in a carriage return alone"),
    ],
)
def test_error_names_the_fault_of_an_unreadable_file(read, content, message):
    if isinstance(content, str):
        content = content.encode("latin-1")
    with pytest.raises(DataError) as raised:
        read(content)
    assert message.lower() in str(raised.value).lower()


@pytest.mark.skipif(sys.platform == "win32", reason="names are text there")
def test_file_name_outside_utf_8_is_read_and_printed(tmp_path):
    path = os.path.join(str(tmp_path), os.fsdecode(b"\xff\x1b\n.csv"))
    with open(path, "w") as file:
        file.write("y,p\n1,x\n")
    reader = FileReader([path], ["y", "p"])
    assert reader.size() == (8, "B")
    with pytest.raises(DataError, match=r"/\\udcff\\x1b\\n\.csv: row 2, column 'p': 'x'"):
        [scores(rows, "p") for rows in reader]


IN_ONE_BATCH = partial(feather.write_feather, chunksize=10**6)


@pytest.mark.filterwarnings("ignore:empty rows are left out:UserWarning")
@pytest.mark.parametrize(
    "line", ["1,0.5\n", '{"y": 1, "p": 0.5}\n', parquet.write_table, IN_ONE_BATCH]
)
def test_long_file_is_read_in_parts_of_a_few_megabytes(tmp_path, line):
    path, is_text = tmp_path / "long", isinstance(line, str)
    start = {"1": "y,p\n\n", "{": "\n"}[line[0]] if is_text else ""  # an empty row is left out
    n = 5_000_000 // (len(line) if is_text else 14)
    if is_text:
        path.write_text(start + n * line)
    else:
        line(pa.table({"y": np.ones(n), "p": np.ones(n)}), str(path))
    parts = [*FileReader([str(path)], ["y", "p"])]
    assert len(parts) == 2
    rows = np.concatenate([part.numbers for part in parts])
    np.testing.assert_array_equal(rows, np.arange(n) + 1 + start.count("\n"))
    n_bytes = sum(part.amount("B") for part in parts)
    assert n_bytes == pytest.approx(path.stat().st_size, abs=len(parts))


SPACED = [("b", 1, 0.5), ("b ", 0, 0.4), (" b", 1, 0.3)]


@pytest.mark.filterwarnings("ignore:empty rows are left out:UserWarning")
@pytest.mark.parametrize("name", ["q", " q", "q "])
@pytest.mark.parametrize("kind", ["csv", "quoted csv", "jsonl", "parquet"])
def test_spaces_belong_to_names_and_headers_but_not_to_numbers(tmp_path, name, kind):
    path = tmp_path / f"a.{kind.removeprefix('quoted ')}"
    if kind == "parquet":
        columns = zip((name, "y", "p"), map(list, zip(*SPACED, strict=True)), strict=True)
        parquet.write_table(pa.table(dict(columns)), path)
    elif kind == "jsonl":
        rows = ({name: q, "y": f" {y}", "p": f"{p} "} for q, y, p in SPACED)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        mark = '"' if kind == "quoted" else ""
        rows = (f"{mark}{q}{mark}, {y} ,\t{p} \n" for q, y, p in SPACED)
        path.write_text(f"{name},y,p\n{''.join(rows)} ,  , \n")
    (rows,) = FileReader([str(path)], [name, "y", "p"])
    assert read_names(rows, name).to_numpy().tolist() == ["b", "b ", " b"]
    assert labels(rows, "y").tolist() == [1, 0, 1]
    assert scores(rows, "p").tolist() == [0.5, 0.4, 0.3]
    with pytest.raises(DataError, match="There is no column 'q  '"):
        [*FileReader([str(path)], ["q  "])]


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
@pytest.mark.parametrize("wrong", [["label", "p"], ["label", "score"]])
def test_missing_column_error_lists_the_columns_of_the_file(tmp_path, mark, wrong):
    """The names beside it are told apart, whatever stands between them."""
    path = tmp_path / "a.csv"
    path.write_text(f"y{mark}p\n1{mark}2\n")
    error = "There is no column 'label'; there are 'y' and 'p'."

    def read():
        with pytest.raises(DataError, match=error):
            [*FileReader([str(path)], wrong)]

    both_ways(read)


def test_spaces_are_part_of_text_labels(read):
    assert read("y,p\nok,1\nok ,2\n")[1] == ["ok", "ok "]
    with pytest.raises(DataError, match="row 3, column 'y' is empty"):
        read("y,p\n1,1\n  ,2\n")
