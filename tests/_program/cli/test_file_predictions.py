"""Predictions in files: labels, scores, several files, and errors that name row and column."""

import json
import os
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from predictions_file import COLUMNS, HEAD, HINT, TEXT, ZIPPED, packed, table
from pyarrow import feather

from sklearn_ap.__main__ import main
from sklearn_ap._program.cli.commands import Y_TRUE


@pytest.mark.parametrize("content", [TEXT.encode(), packed(table()), ZIPPED])
def test_standard_input_is_a_pipe_or_a_file(say, write, monkeypatch, content):
    ours, theirs = os.pipe()
    os.write(theirs, content)
    os.close(theirs)
    for source in (ours, write(content)):
        with open(source) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            assert "to cornac.MAP (0.7167)" in say("explain", "cornac.MAP", "-", *COLUMNS)


@pytest.mark.parametrize("kind", [pa.int64(), pa.decimal128(30, 0)])
def test_numbers_beyond_floats_keep_their_order(say, write, kind):
    scores = pa.array([Decimal(2**60 + 1), Decimal(2**60)], pa.decimal128(30, 0)).cast(kind)
    path = write(packed(pa.table({"y": [1, 0], "p": scores})))
    printed = say("score", path, *COLUMNS, "--format", "json")
    assert json.loads(printed)["results"][0]["value"] == 1


class TestSeveralFiles:
    def test_two_half_files_give_the_score_of_the_whole(self, say, write, tmp_path):
        first = "".join(TEXT.splitlines(keepends=True)[:6])
        halves = [write(first, "a.csv"), write(packed(table().slice(5)), "b.parquet")]
        for paths in (halves, [str(tmp_path)], [f"{tmp_path}/?.*"]):
            printed = say("explain", "cornac.MAP", *paths, *COLUMNS)
            assert printed.startswith(HEAD)
            assert "to cornac.MAP (0.7167)" in printed

    def test_query_names_and_labels_match_across_files(self, say, write):
        """Whole numbers in Parquet are the same names as text."""
        coded = packed(pa.table({"y": [1, 0], "p": [0.5, 0.4], "q": [2, 1]}))
        paths = [write(coded, "b.parquet"), write("y,p,q\n1,.9,1\n0,.8,2\n", "a")]
        printed = say("score", *paths, *COLUMNS, "--query", "q")
        assert printed.startswith(
            "4 rows, 2 positive (50.0%), 2 queries. The positive label is '1'"
        )

    def test_error_names_the_file_at_fault(self, refuse, write, tmp_path):
        write("y,p\n1,0.5\n0,0.4\n", "a.csv")
        for content, name, message in (
            ("y,p\n1,0.5\n0,x\n", "b.csv", "row 3, column 'p': 'x' is not a number"),
            ("", "b.csv", "the file is empty"),
            (
                packed(table(p=[0.5] * 9 + [None])),
                "c.parquet",
                "row 10, column 'p' is empty" + HINT,
            ),
        ):
            (tmp_path / "b.csv").unlink(missing_ok=True)
            second = write(content, name)
            assert refuse("compare", str(tmp_path), *COLUMNS) == f"{second}: {message}"

    def test_a_file_or_a_column_twice_is_an_error(self, refuse, write, monkeypatch):
        path = write()
        for other in (path, path.replace("/p.csv", "/./p.csv"), "-"):
            with open(path) as stdin:
                monkeypatch.setattr(sys, "stdin", stdin)
                assert "would count twice" in refuse("score", path, other, *COLUMNS)
                assert "would count twice" in refuse("score", "-", "-", *COLUMNS)
        for command in ("score", "compare", "segments", "threshold"):
            options = {"segments": ["--segment", "q"], "threshold": ["--recall", "1"]}
            arguments = (command, path, *COLUMNS, "--score", "p", *options.get(command, ()))
            assert refuse(*arguments).startswith("--score p is given twice")
        twice = refuse("segments", path, *COLUMNS, "--segment", "q", "--segment", "y")
        assert "--segment takes one column" in twice

    def test_empty_rows_of_all_files_are_counted(self, capsys, write):
        paths = [write("y,p\n1,.5\n\n", "a"), write('\n{"y": 0, "p": 1}\n\n', "b")]
        assert main(["score", *paths, *COLUMNS]) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("2 rows, ")
        assert "sklearn-ap: warning: empty rows are left out: 3\n" in printed.err

    def test_integer_scores_that_float_files_would_round_are_refused(self, refuse, write):
        for name, p in ("a", [2**53 + 1, 2**53]), ("b", [0.5, 0.25]):
            path = write(packed(pa.table({"y": [1, 0], "p": p})), f"{name}.parquet")
        said = refuse("score", path.replace("b.parquet", "*.parquet"), *COLUMNS)
        assert "is too large for a float of its own" in said


class TestLabels:
    @pytest.mark.parametrize(
        ("labels", "options", "n_positives", "positive"),
        [
            ("yes no", [], 1, "yes"),
            ("True False", [], 1, "True"),
            ("True true true FALSE", [], 3, "True"),
            ("1 -1", [], 1, "1"),
            ("1.0 0.0", [], 1, "1.0"),
            ("plane goose", ["--positive", "plane"], 1, "plane"),
            ("0 1", ["--positive", "0"], 1, "0"),
            ("1", [], 1, "1"),  # one label alone
            ("0", [], 0, "1"),
            ("-1", [], 0, "1"),
            ("yes", [], 1, "yes"),
        ],
    )
    def test_positive_label_is_recognized_or_chosen(
        self, capsys, write, labels, options, n_positives, positive
    ):
        rows = "".join(f"{label},{-i}\n" for i, label in enumerate(labels.split()))
        main(["score", write(f"y,p\n{rows}"), *COLUMNS, *options, "--format", "json"])
        found = json.loads(capsys.readouterr().out)
        assert (found["positives"], found["positive_label"]) == (n_positives, positive)
        assert found["results"][0]["value"] == (1 if n_positives else None)

    def test_whole_float_labels_are_printed_without_a_point(self, say, write):
        path = write(packed(table(y=np.array(Y_TRUE) + 1.0)))
        printed = say("score", path, *COLUMNS, "--positive", "2")
        assert printed.startswith(HEAD.replace("'1'", "'2'"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "q"], "column 'q' holds 'a' and 'b': say which is positive"),
        (["--label", "p"], "row 5, column 'p': '0.7' is a third label, beside "),
        (["--positive", "7"], "column 'y' holds '1' and '0', and not the positive label '7'"),
    ],
)
def test_error_lists_labels_without_a_known_positive(refuse, write, arguments, message):
    assert message in refuse("score", write(), *COLUMNS, *arguments)


def test_missing_files_and_empty_files_are_refused(refuse, write, tmp_path):
    for path in (tmp_path / "nothing.csv", tmp_path):
        assert str(path) in refuse("compare", str(path), *COLUMNS)
    assert refuse("score", write("y,p\n\n\n"), *COLUMNS).endswith("there are no rows")


def test_error_for_a_second_column_advises_to_repeat_the_option(refuse, write):
    said = refuse("score", "--label", "y", "--score", "p", "w", write())
    assert said.startswith("There is no file 'w', nor one that matches it. If it is a column, ")
    assert said.endswith("write its option once more: --score a --score w")


def test_score_works_without_tqdm(say, write, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert say("score", write(), *COLUMNS, "--definition", "AP").startswith(HEAD)


def test_files_without_pyarrow_name_the_missing_package(refuse, write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = refuse("score", write(), *COLUMNS)
    assert said == "Reading files needs pyarrow, which is not installed: pip install pyarrow tqdm."


EXTENSION = pa.ExtensionArray.from_storage
CODED = pa.DictionaryArray.from_arrays
MAPS = pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64()))
READ = {  # in columns y, p, w and q, as 1, 0, 1
    "floats": pa.array([1.0, 0.0, 1.0], pa.float32()),
    "truth values": pa.array([True, False, True]),
    "text": pa.array(["1", "0", "1"]),
    "coded text": pa.array(["1", "0", "1"]).dictionary_encode(),
    "bool8": EXTENSION(pa.bool8(), pa.array([1, 0, 1], pa.int8())),
    "bytes": pa.array([b"1", b"0", b"1"], pa.binary(1)),
    "bytes of polars": pa.array([b"1", b"0", b"1"], pa.binary_view()),
    "text of polars": pa.array(["1", "0", "1"], pa.string_view()),
    "runs": pa.RunEndEncodedArray.from_arrays([1, 2, 3], [1, 0, 1]),
    "coded decimals": CODED([0, 1, 0], pa.array([*map(Decimal, (1, 0))], pa.decimal128(30, 0))),
}
REFUSED = {  # Python cannot hold the first
    "far times": pa.array([10**15, 0, 10**15], pa.timestamp("s")),
    "null": pa.nulls(0),
    "uuid": EXTENSION(pa.uuid(), pa.array([b"a" * 16, b"\xff" * 16, b"a" * 16], pa.binary(16))),
    "dates": pa.array([0, 1, 0], pa.date32()),
    "nanoseconds": pa.array([1, 0, 1], pa.time64("ns")),
    "intervals": pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()),
    "map": MAPS,
    "coded map": CODED([0, 0, 0], MAPS),
}
NAMES = "dates", "nanoseconds", "far times"  # may name queries and clusters
ODD = READ | REFUSED


# By rank, the labels are 1, 0, 1; of two queries, one has the negative alone; and weights can be 0.
RIGHT = {"p": 1, "w": 1, "q": 1 / 2}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("column", ["y", "p", "w", "q", "c"])
def test_columns_of_any_type_give_a_number_or_one_error_line(capsys, write, kind, column):
    values = ODD[kind]
    columns = {"y": [1, 0, 1], "p": [0.3, 0.2, 0.1], "w": [1] * 3, "q": [1] * 3, "c": [1, 2, 3]}
    data = {name: pa.array(cells)[: len(values)] for name, cells in columns.items()}
    path = write(packed(pa.table(data | {column: values}), feather.write_feather))
    grouped = ("--cluster", "c") if column == "c" else ("--weight", "w", "--query", "q")
    options = (*grouped, "--definition", "AP")
    refused = kind in REFUSED and not (column in "qc" and kind in NAMES)
    try:
        status = main(["score", path, *COLUMNS, *options, "--format", "json"])
    except SystemExit as end:
        status = end.code
    assert status == 2 * refused
    printed = capsys.readouterr()
    if refused:
        where = f"column '{column}'" if len(values) else "no rows"
        assert (printed.err.count("\n"), where in printed.err) == (1, True)
    else:
        value = json.loads(printed.out)["results"][0]["value"]
        assert value == pytest.approx(RIGHT.get(column, 5 / 6))
    assert "Arrow" not in printed.err


def test_names_of_queries_may_differ_by_a_space(say, write):
    rows = ("1 ,0.5,b", " 0, 0.4,b", "1,0.3 ,b ", "0,\t0.6,b ", "1,1, b")
    path = write("y,p,q\n" + "\n".join(rows))
    found = json.loads(say("score", path, *COLUMNS, "--query", "q", "--format", "json"))
    assert (found["queries"], found["positive_label"], found["positives"]) == (3, "1", 3)
    assert found["results"][0]["value"] == pytest.approx((1 + 1 / 2 + 1) / 3)
