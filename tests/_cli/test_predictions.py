"""Files of new users, wrong files, and dates in units of time."""

import io
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_interval
from tests.helpers.cli_rows import FRAME

Y, OLD = FRAME.y.to_numpy(), FRAME.old.to_numpy()
EXPECTED = average_precision_interval(Y, OLD)
C = "--label y --score old --definition AP --format json"


def german(frame):
    return frame.to_csv(index=False, sep=";", decimal=",")


def estimate(said):
    assert said.status == 0, said.err
    (row,) = said.json["results"][0]["rows"]
    return row["estimate"], row["low"], row["high"]


FILES = {
    "german.csv": (german(FRAME), "--decimal ,"),
    "marked.csv": (FRAME.to_csv(index=False, sep="~"), "--delimiter ~"),
    "words.csv": (FRAME.assign(y=np.where(Y, " True", "False")).to_csv(index=False), ""),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_all_kinds_have_the_same_answer(ask, write, name):
    content, flags = FILES[name]
    said = ask(f"score {write(content, name)} {C} {flags}")
    assert estimate(said) == (EXPECTED.estimate, EXPECTED.low, EXPECTED.high)


@pytest.mark.parametrize("scores", [OLD, OLD > 1])
def test_standard_input_is_read_once(ask, monkeypatch, tmp_path, scores):
    path = tmp_path / "input"
    path.write_bytes(FRAME.assign(old=scores.astype(float)).to_csv(index=False).encode())
    with path.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(file.raw)))
        said = ask(f"score - {C}")
    with warnings.catch_warnings(action="ignore"):
        assert estimate(said)[0] == average_precision_interval(Y, scores).estimate
    assert ("predicted classes" in said.err) == (scores.dtype == bool)


@pytest.mark.parametrize(
    ("content", "flags", "problem"),
    [
        (
            b"y,old,d\n1,2,2026-02-28\n0,1,2026-02-30\n",
            "--query d:day",
            "p.csv: row 3, column 'd': '2026-02-30' is no date that begins with the year, such as",
        ),
        (b"y,old\n1,2\n0,1\n", "--weight old --positive 7", "and not the positive label '7'"),
        (
            b"y;old\n1;0,5\n0;0,4\n",
            "",
            "row 2, column 'old': '0,5' is not a number: pass --decimal ,",
        ),
        (
            b"a,b,c,d,e,f,old,label\n",
            "",
            "no column 'y'; there are 'a', 'b', 'c', 'd', 'e', 'f', 'old'",
        ),
        (b"y,old,w\n1,2,1\n", "--score old", "--score names a column twice"),
        (b"y,old,w\n1,2,1\n0,1,-3\n", "--weight w", "row 3, column 'w': '-3' is below 0"),
        (b"y,old,w\n1,2,0\n0,1,0\n", "--weight w", "--weight 'w' is 0 in every row, so no row"),
    ],
)
def test_a_broken_file_is_one_line_with_status_2(ask, write, content, flags, problem):
    write(content)
    said = ask(f"score p.csv {C} {flags}")
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert problem in said.err


TIMES = pd.Series(pd.date_range("2026-09-14T01:30", periods=300, freq="2h"))
SHARED = {"y": Y[:300], "old": OLD[:300]}


def segments_of(ask, path, segment, flags=""):
    said = ask(f"segments {path} --label y --score old --segment {segment} --format json {flags}")
    assert said.status == 0, said.err
    return [row["name"] for row in said.json["results"][0]["rows"]]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("week", ["2026-09-14", "2026-09-21", "2026-09-28", "2026-10-05"]),
        ("month", ["2026-09", "2026-10"]),
        ("quarter", ["2026Q3", "2026Q4"]),
    ],
)
def test_times_of_any_format_become_segments(ask, write, tmp_path, unit, expected):
    columns = {
        "a.csv": TIMES,
        "b.csv": TIMES.dt.strftime("%Y-%m-%d %H:%M:%S+02:00"),
        "c.parquet": TIMES,
        "d.parquet": TIMES.dt.tz_localize("Europe/Berlin"),
        "e.csv": TIMES.dt.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    }
    for name, times in columns.items():
        frame = pd.DataFrame({**SHARED, "ts": times})
        path = write("", name)
        frame.to_parquet(path) if name.endswith("t") else frame.to_csv(path, index=False)
        flags = f"--reference {expected[-1]}"
        assert segments_of(ask, name, f"ts:{unit}", flags) == expected, name


def test_dates_without_a_unit_take_the_finest_that_can_be_compared(ask, rows):
    said = ask("segments rows.csv --label y --score old --segment day")
    assert "Dates of day are in months (day:UNIT takes another)." in " ".join(said.out.split())
    assert segments_of(ask, rows, "day") == ["2026-07", "2026-08", "2026-09"]


def test_numbers_in_names_are_sorted_as_numbers(ask, write):
    frame = pd.DataFrame({**SHARED, "g": 8 + np.arange(300) % 3})
    assert segments_of(ask, write(frame.to_csv(index=False)), "g") == ["8", "9", "10"]


@pytest.mark.parametrize("command", ["segments", "report"])
def test_a_row_without_the_name_of_its_segment_is_refused(ask, write, command):
    path = write("y,old,g\n1,2,a\n0,1,\n")
    said = ask(f"{command} {path} --label y --score old --segment g")
    assert (said.status, said.out) == (2, "")
    assert "row 3, column 'g' is empty; leave such rows out, unless you know" in said.err
