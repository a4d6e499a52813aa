"""Several files, folders, patterns and pipes on the command line."""

import json
import re
import subprocess
import sys

import pyarrow as pa
import pytest
from predictions_file import COLUMNS, HEAD, HINT, ROWS, TEXT, packed, table

from sklearn_ap.__main__ import main
from sklearn_ap._cli.example import Y_SCORE, Y_TRUE

JSON = "".join(json.dumps({"y": y, "p": p, "q": q}) + "\n" for y, p, _, q in ROWS)


@pytest.fixture
def halves(write, tmp_path):
    """The ten predictions in two files of different formats."""
    first = "".join(TEXT.splitlines(keepends=True)[:6])
    rest = packed(table().slice(5))
    return [write(first, "a.csv"), write(rest, "b.parquet")]


@pytest.mark.parametrize("how", ["files", "folder", "pattern"])
def test_halves_in_several_files_are_the_whole(say, halves, tmp_path, how):
    paths = {"files": halves, "folder": [str(tmp_path)], "pattern": [f"{tmp_path}/?.*"]}[how]
    printed = say("explain", "cornac.MAP", *paths, *COLUMNS)
    assert printed.startswith(HEAD)
    assert "0.7167  cornac.MAP" in printed


def test_queries_and_labels_go_together_over_files(say, write):
    """Whole numbers in Parquet are the same names as text."""
    data = {"y": Y_TRUE[5:], "p": Y_SCORE[5:], "q": [2, 1, 2, 1, 2]}
    text = "y,p,q\n" + "".join(
        f"{float(y)},{p},{q}\n" for y, p, q in zip(Y_TRUE[:5], Y_SCORE, "12121", strict=False)
    )
    paths = [write(packed(pa.table(data)), "b"), write(text.replace(".0,", ","), "a")]
    printed = say("score", *paths, *COLUMNS, "--query", "q")
    assert printed.startswith("10 rows, 5 positive (50%), 2 queries. The positive label is '1'.")


@pytest.mark.parametrize(
    "content",
    [
        JSON,
        TEXT.replace(",", "|"),
        TEXT.replace(",", ";").replace(".", ","),
    ],
)
def test_json_lines_and_other_delimiters(say, write, content):
    assert "0.7167  cornac.MAP" in say("explain", "cornac.MAP", write(content), *COLUMNS)


def test_a_decimal_comma_in_a_semicolon_file(say, write):
    path = write("y;p\n1;-0,2073\n0;-1,5\n")
    found = json.loads(say("score", path, *COLUMNS, "--format", "json"))
    assert found["results"][0]["value"] == 1


def test_a_wrong_cell_in_the_second_file_is_named(refuse, write):
    write("y,p\n1,0.5\n", "scores-1.csv")
    second = write("y,p\n1,0.5\n0,x\n", "scores-2.csv")
    pattern = second.replace("scores-2", "scores-*")
    assert refuse("score", pattern, *COLUMNS) == f"{second}: row 3, column 'p': 'x' is not a number"


def test_an_empty_cell_in_a_folder_of_parquet_is_named(refuse, write, tmp_path):
    write(packed(table()), "1.parquet")
    second = write(packed(table(p=[0.5] * 9 + [None])), "2.parquet")
    assert (
        refuse("score", str(tmp_path), *COLUMNS) == f"{second}: row 10, column 'p' is empty" + HINT
    )


def test_a_missing_key_of_json_lines(refuse, write):
    path = write('{"y": 1, "p": 1}\n{"y": 0}\n')
    assert refuse("score", path, *COLUMNS) == "row 2, column 'p' is empty" + HINT


def test_a_short_row_and_a_missing_column_name_their_file(refuse, write):
    first = write("y,p\n1,0.5\n0,0.4\n", "a.csv")
    for content, message in (
        ("y,p\n1\n", "row 2 has only 1 column; the header has 2"),
        ("y,score\n1,2\n", "There is no column 'p'; there are 'y', 'score'."),
        ("y,p\n1,1,1\n", "row 2 has 3 columns; the header has 2"),
        ("", "the file is empty"),
    ):
        second = write(content, "b.csv")
        assert refuse("compare", first, second, *COLUMNS) == f"{second}: {message}"


def test_a_pattern_that_matches_nothing(refuse, tmp_path):
    path = f"{tmp_path}/*.parquet"
    expected = f"There is no file {path!r}, nor one that matches it."
    assert refuse("score", path, *COLUMNS) == expected


def test_empty_rows_of_all_files_are_counted(capsys, write):
    paths = [write("y,p\n1,.5\n\n", "a"), write('\n{"y": 0, "p": 1}\n\n', "b")]
    assert main(["score", *paths, *COLUMNS]) == 0
    assert "sklearn-ap: warning: empty rows are left out: 3\n" in capsys.readouterr().err


@pytest.mark.slow
def test_a_pipe_of_another_program(write):
    write(JSON, "p.jsonl")
    command = f"{sys.executable} -m sklearn_ap explain cornac.MAP - --label y --score p"
    run = subprocess.run(
        f"cat {write(JSON, 'p.jsonl')} | {command}",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"0\.7167  cornac\.MAP", run.stdout)
