"""Predictions in files of every kind: labels, scores, and errors that name row and column."""

import gzip
import json
import os
import re
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from predictions_file import COLUMNS, HEAD, HINT, ROWS, TEXT, ZIPPED, packed, table
from pyarrow import feather

import sklearn_ap
from sklearn_ap.__main__ import main
from sklearn_ap._cli.example import Y_SCORE, Y_TRUE


class TestFormats:
    """The same predictions in files of every kind."""

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("p.csv", TEXT.encode()),
            ("with-bom.csv", b"\xef\xbb\xbf" + TEXT.encode()),
            ("windows.csv", TEXT.replace("\n", "\r\n").encode()),
            ("without-last-newline.csv", TEXT.rstrip().encode()),
            ("quoted.csv", re.sub(r"[^,\n]+", r'"\g<0>"', TEXT).encode()),
            ("spaces.csv", TEXT.replace(",", ", ").replace(", p, w, q", ",p,w,q").encode()),
            ("p.tsv", TEXT.replace(",", "\t").encode()),
            ("semicolons.csv", TEXT.replace(",", ";").encode()),
            ("p.csv.gz", ZIPPED),
            ("p.tsv.gz", gzip.compress(TEXT.replace(",", "\t").encode(), mtime=0)),
            ("p.parquet", packed(table())),
            ("p.parquet.gz", gzip.compress(packed(table()), mtime=0)),
            ("p.feather", packed(table(), feather.write_feather)),
            ("float32.parquet", packed(table(p=np.array(Y_SCORE, np.float32)))),
            ("bool.parquet", packed(table(y=np.array(Y_TRUE, bool)))),
            ("float_labels.parquet", packed(table(y=np.array(Y_TRUE, float)))),
            ("codes.parquet", packed(table(y=pa.array(map(str, Y_TRUE)).dictionary_encode()))),
            ("bytes.parquet", packed(table(y=[b"%d" % y for y in Y_TRUE]))),
            ("text_scores.parquet", packed(table(p=[*map(str, Y_SCORE)]))),
        ],
    )
    def test_a_file_and_a_pipe(self, say, write, name, content):
        path = write(content, name)
        printed = say("score", path, *COLUMNS, "--query", "q", "--format", "json")
        expected = sklearn_ap.average_precision_score(Y_TRUE, Y_SCORE, queries=[*"aaaaabbbbb"])
        assert json.loads(printed)["results"][0]["value"] == pytest.approx(expected)
        assert json.loads(printed)["rows"] == 10

    @pytest.mark.parametrize("content", [TEXT.encode(), packed(table()), ZIPPED])
    def test_a_pipe(self, say, monkeypatch, content):
        ours, theirs = os.pipe()
        os.write(theirs, content)
        os.close(theirs)
        with os.fdopen(ours) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            assert "0.7167  cornac.MAP" in say("explain", "cornac.MAP", "-", *COLUMNS)

    @pytest.mark.slow
    def test_a_redirected_file(self, write):
        command = [sys.executable, "-m", "sklearn_ap", "explain", "cornac.MAP", "-", *COLUMNS]
        with open(write(packed(table()))) as file:
            run = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
        assert "0.7167  cornac.MAP" in run.stdout

    def test_whole_numbers_beyond_floats_keep_their_order(self, say, write):
        path = write(packed(pa.table({"y": [1, 0], "p": [2**60 + 1, 2**60]})))
        printed = say("score", path, *COLUMNS, "--format", "json")
        assert json.loads(printed)["results"][0]["value"] == 1

    def test_many_rows_come_in_parts(self, say, write):
        rng = np.random.default_rng(0)
        y, p = rng.random(300_000) < 0.1, rng.random(300_000)
        expected = sklearn_ap.average_precision_score(y, p)
        text = "y,p\n" + "".join(f"{a:d},{b!r}\n" for a, b in zip(y, p.tolist(), strict=True))
        printed = json.loads(say("compare", write(text), *COLUMNS, "--format", "json"))
        assert printed["rows"] == 300_000
        assert printed["results"][0]["value"] == pytest.approx(expected, rel=1e-12)

    def test_the_number_of_a_row_far_down(self, refuse, write):
        text = "y,p\n" + 900_000 * "1,0.125\n" + "\n0,x\n"
        message = "row 900003, column 'p': 'x' is not a number"
        assert refuse("score", write(text), *COLUMNS) == message
        whole = pa.table({"y": [1] * 300_000, "p": [0.5] * 299_999 + [None]})
        assert (
            refuse("score", write(packed(whole)), *COLUMNS)
            == "row 300000, column 'p' is empty" + HINT
        )

    def test_empty_rows_are_left_out_with_a_warning(self, capsys, write):
        assert main(["score", write("y,p\n1,.5\n\n0,.4\n\n"), *COLUMNS]) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("2 rows, ")
        assert "sklearn-ap: warning: empty rows are left out: 2\n" in printed.err


class TestLabels:
    """Which label is positive."""

    @pytest.mark.parametrize(
        ("labels", "options", "positive"),
        [
            (("no", "yes"), [], "yes"),
            (("False", "True"), [], "True"),
            (("-1", "1"), [], "1"),
            (("0.0", "1.0"), [], "1.0"),
            (("goose", "plane"), ["--positive", "plane"], "plane"),
            (("1", "0"), ["--positive", "0"], "0"),
        ],
    )
    def test_labels(self, say, write, labels, options, positive):
        text = "".join(f"{labels[y]},{p}\n" for y, p, *_ in ROWS)
        printed = say("explain", "cornac.MAP", write(f"y,p\n{text}"), *COLUMNS, *options)
        assert "0.7167  cornac.MAP" in printed
        assert f"The positive label is {positive!r}." in printed

    def test_whole_labels_of_a_column_of_floats_are_written_without_a_point(self, say, write):
        path = write(packed(table(y=np.array(Y_TRUE) + 1.0)))
        printed = say("score", path, *COLUMNS, "--positive", "2")
        assert printed.startswith(HEAD.replace("'1'", "'2'"))

    def test_one_label_alone(self, capsys, write):
        for label, positives in (("1", 1), ("0", 0), ("yes", 1), ("-1", 0)):
            main(["score", write(f"y,p\n{label},1\n"), *COLUMNS, "--format", "json"])
            assert json.loads(capsys.readouterr().out)["positives"] == positives


class TestErrors:
    """One line each, status 2, and the row and the column where there are some."""

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                ["--label", "x", "--score", "p"],
                "There is no column 'x'; there are 'y', 'p', 'w',",
            ),
            (
                ["--label", "q", "--score", "p"],
                "column 'q' holds 'a' and 'b': say which is positive with --positive",
            ),
            (
                ["--label", "p", "--score", "p"],
                "column 'p' holds 7 labels, not two: '0.1', '0.3', '0.4', '0.6', ...",
            ),
            (["--label", "y", "--score", "q"], "row 2, column 'q': 'a' is not a number"),
            (
                ["--label", "y", "--score", "p", "--positive", "7"],
                "--positive is '7', but column 'y' holds '0' and '1'",
            ),
            (["--label", "y", "--score", "p", "--k", "0"], "--k must be at least 1"),
        ],
    )
    def test_options(self, refuse, write, arguments, message):
        for command in ("score", "compare"):
            assert refuse(command, write(), *arguments).startswith(message)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "the file is empty"),
            ("\n1,0.5\n", "There is no column 'y'; there are none"),
            ("y,p\n", "no rows below the header"),
            ("y,p\n\n\n", "no rows below the header"),
            ("y,p\n1,0.5\n0\n", "row 3 has only 1 column; the header has 2"),
            ("y,p\n1,0.5\n0,1,2\n", "row 3 has 3 columns; the header has 2"),
            ("y,p\n1,0.5\n\n0\n", "row 4 has only 1 column; the header has 2"),
            ("y,p\n1,0.5\n0,\n", "row 3, column 'p' is empty" + HINT),
            ("y,p\n1,0.5\n0,nan\n", "row 3, column 'p': 'nan' is not a number"),
            ("y,p\n1,0.5\n0,inf\n", "row 3, column 'p': 'inf' is not finite"),
            ("y,p\n1,0.5\n0,1e400\n", "row 3, column 'p': '1e400' is too large"),
            ("y,p\n1,0.5\n0,1_0\n", "row 3, column 'p': '1_0' is not a number"),
            ("y,p\n1,0.5\n,0.4\n", "row 3, column 'y' is empty"),
            ("y,p,y\n1,0.5,0\n", "There are 2 columns 'y': rename them."),
            ("y,p\n1,0.5\n\n0,x\n", "row 4, column 'p': 'x' is not a number"),
            (
                f"y,p\n1,{140_000 * '5'}\n",
                "row 2, column 'p': '55555555555555555555...' is too large for a float",
            ),
            (
                ",".join(["y", *map(str, range(30))]),
                "There is no column 'p'; there are 'y', '0',",
            ),
        ],
    )
    def test_text(self, refuse, write, text, message):
        assert refuse("score", write(text), *COLUMNS).startswith(message)

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"p": [0.5] * 9 + [None]}, "row 10, column 'p' is empty" + HINT),
            ({"p": [0.5] * 9 + [np.nan]}, "row 10, column 'p': 'nan' is not a number"),
            ({"p": [0.5] * 9 + [np.inf]}, "row 10, column 'p': 'inf' is not finite"),
            ({"p": [b"0.5"] * 9 + [b"x"]}, "row 10, column 'p': 'x' is not a number"),
            ({"y": [0.0] * 9 + [np.nan]}, "row 10, column 'y' is empty"),
            ({"y": [[0]] * 10}, "column 'y' holds list<element: int64>, not one value a row"),
            ({"p": pa.array([0] * 10, pa.timestamp("s"))}, "column 'p' holds timestamp[ms], not n"),
        ],
    )
    def test_parquet_has_no_header_so_that_its_first_row_is_1(
        self, refuse, write, columns, message
    ):
        assert refuse("score", write(packed(table(**columns))), *COLUMNS).startswith(message)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"y,p\n1,\xff\n", "the text is not UTF-8"),
            (b"\xff\xfey,p", "the text is not UTF-8"),
            (b"y,p\n1," + b"5" * (9 << 20) + b"\n0,1\n", "a row is longer than 4 MB"),
            (ZIPPED[:-9], "Truncated compressed stream"),
            (b"\x1f\x8bno gzip at all", "Unknown compression method"),
            (packed(table())[:-9], "Parquet magic bytes not found"),
            (b"ARROW1 " + 99 * b"no", "not an Arrow file"),
        ],
    )
    def test_broken_files_are_named(self, refuse, write, content, message):
        found = refuse("score", write(content, "broken"), *COLUMNS)
        assert "broken: " in found
        assert message.lower() in found.lower()

    def test_missing_files(self, refuse, tmp_path):
        for path in (tmp_path / "nothing.csv", tmp_path):
            assert str(path) in refuse("compare", str(path), *COLUMNS)

    def test_arguments(self, refuse):
        assert refuse("--nonsense") == "unrecognized arguments: --nonsense"
        assert refuse("score") == "the following arguments are required: FILE, --label, --score"
        assert "invalid choice: 'xml'" in refuse("score", "f", *COLUMNS, "--format", "xml")
        assert "invalid int value: 'x'" in refuse("compare", "f", *COLUMNS, "--k", "x")
        assert "invalid choice: 'scroe'" in refuse("scroe")

    @pytest.mark.parametrize("missing", ["pyarrow", "tqdm"])
    def test_without_the_extra_the_error_names_it(self, refuse, write, monkeypatch, missing):
        monkeypatch.setitem(sys.modules, missing, None)
        assert 'pip install "sklearn-ap[table]"' in refuse("score", write(), *COLUMNS)

    def test_the_extra_comes_before_a_file_that_is_not_there(self, refuse, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        assert 'pip install "sklearn-ap[table]"' in refuse("score", "nothing.csv", *COLUMNS)


EXTENSION = pa.ExtensionArray.from_storage
ODD = {  # in columns y, p, w and q, with labels 1, 0, 1 where these can be told
    "null": pa.nulls(0),
    "bool8": EXTENSION(pa.bool8(), pa.array([1, 0, 1], pa.int8())),
    "uuid": EXTENSION(pa.uuid(), pa.array([b"a" * 16, b"\xff" * 16, b"a" * 16], pa.binary(16))),
    "bytes": pa.array([b"1", b"0", b"1"], pa.binary(1)),
    "many bytes": pa.array([b"1", b"0", b"1"], pa.large_binary()),
    "runs": pa.RunEndEncodedArray.from_arrays([1, 2, 3], [1, 0, 1]),
    "dates": pa.array([0, 1, 0], pa.date32()),
    "intervals": pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()),
    "map": pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
}
DICTIONARY = pa.DictionaryArray.from_arrays
CODED = {
    "list": pa.array([[1], [0]]),
    "struct": pa.array([{"a": 1}, {"a": 0}]),
    "union": pa.UnionArray.from_dense(
        pa.array([0, 0], pa.int8()), pa.array([0, 1], pa.int32()), [pa.array([1, 0])]
    ),
    "decimal": pa.array([*map(Decimal, (1, 0))], pa.decimal128(30, 0)),
    "bytes": pa.array([b"1", b"0"], pa.binary_view()),
    "runs": pa.RunEndEncodedArray.from_arrays([1, 2], [1, 0]),
    "halves": pa.array([1, 0], pa.float16()),
    "text of polars": pa.array(["1", "0"], pa.string_view()),
}
ODD |= {f"coded {kind}": DICTIONARY([0, 1, 0], names) for kind, names in CODED.items()}
ODD["coded map"] = DICTIONARY([0, 0, 0], ODD["map"])
ODD["halves"] = pa.array([1, 0, 1], pa.float16())
ODD["text of polars"] = pa.array(["1", "0", "1"], pa.string_view())
ODD["bytes of polars"] = pa.array([b"1", b"0", b"1"], pa.binary_view())
ODD["nanoseconds"] = pa.array([1, 0, 1], pa.time64("ns"))
ODD["far times"] = pa.array([10**15, 0, 10**15], pa.timestamp("s"))
ODD["far dates"] = pa.array([2**30, 0, 2**30], pa.int32()).view(pa.date32())
ODD["long durations"] = pa.array([2**62, 0, 2**62], pa.int64()).view(pa.duration("s"))
ODD["no zone"] = pa.array([1, 0, 1], pa.timestamp("s", "Nowhere/Zone"))
if hasattr(pa, "decimal32"):
    ODD["decimal32"] = pa.array([*map(Decimal, (1, 0, 1))], pa.decimal32(5, 0))
    ODD["decimal64"] = pa.array([*map(Decimal, (1, 0, 1))], pa.decimal64(5, 0))
if hasattr(pa, "json_"):
    ODD["json"] = EXTENSION(pa.json_(), pa.array(["1", "0", "1"]))
REFUSED = ("null", "uuid", "dates", "intervals", "map", "nanoseconds", "far times", "far dates")
REFUSED += ("long durations", "no zone", *(f"coded {kind}" for kind in ("list", "struct", "union")))
REFUSED += ("coded map",)


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("column", ["y", "p", "w", "q"])
def test_columns_of_any_type_give_a_number_or_one_line(capsys, write, kind, column):
    values = ODD[kind]
    columns = {"y": [1, 0, 1], "p": [0.3, 0.2, 0.1], "w": [1, 1, 1], "q": [1, 1, 1]}
    data = {name: pa.array(cells)[: len(values)] for name, cells in columns.items()}
    path = write(packed(pa.table(data | {column: values}), feather.write_feather))
    options = ("--weight", "w", "--query", "q", "--definition", "AP")
    try:
        status = main(["score", path, *COLUMNS, *options])
    except SystemExit as end:
        status = end.code
    refused = kind in REFUSED and not (column == "q" and kind in ("dates", "nanoseconds"))
    assert status == 2 * refused
    said = capsys.readouterr().err
    where = f"column '{column}'" if len(values) else "no rows"
    assert not refused or (said.count("\n") == 1 and where in said)
    assert "Arrow" not in said


@pytest.mark.parametrize("kind", ["far times", "far dates", "long durations", "no zone"])
def test_clusters_that_python_cannot_hold_are_refused_in_one_line(refuse, write, kind):
    content = pa.table({"y": [1, 0, 1], "p": [3, 2, 1], "c": ODD[kind]})
    path = write(packed(content, feather.write_feather))
    assert "column 'c' holds" in refuse("score", path, *COLUMNS, "--cluster", "c")


def test_words_that_differ_in_case_alone_are_one_label(say, write):
    printed = say("score", write("y,p\nTrue,.9\ntrue,.8\ntrue,.7\nFALSE,.1\n"), *COLUMNS)
    assert printed.startswith("4 rows, 3 positive (75%). The positive label is 'True'.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([2**53 + 1, 2**53], [0.5, 0.25]),
        ([2**53 + 1], [2.0**53]),
        (np.array([2**63 + 1], np.uint64), [2**62 + 1, 2**62]),
        ([Decimal(2**70 + 1), Decimal(2**70)], [0.5, 0.25]),
    ],
)
def test_scores_that_would_become_one_float_beside_those_of_another_file_are_refused(
    refuse, write, one, other
):
    tables = ({"y": [1, *[0] * (len(scores) - 1)], "p": scores} for scores in (one, other))
    paths = [write(packed(pa.table(each)), f"{i}.parquet") for i, each in enumerate(tables)]
    assert "is too large for a float of its own" in refuse("score", *paths, *COLUMNS)


def test_decimals_beyond_floats_keep_their_order(say, write):
    scores = pa.array([Decimal(2**60 + 1), Decimal(2**60)], pa.decimal128(30, 0))
    path = write(packed(pa.table({"y": [1, 0], "p": scores})))
    printed = say("score", path, *COLUMNS, "--format", "json")
    assert json.loads(printed)["results"][0]["value"] == 1
