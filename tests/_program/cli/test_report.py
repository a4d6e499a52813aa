"""The command report."""

import os
import re
import sys

import numpy as np
import pytest
from predictions_file import COLUMNS, TEXT

from sklearn_ap import report
from sklearn_ap.__main__ import main

pytestmark = pytest.mark.filterwarnings("error::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
N = 200
Y = (RNG.random(N) < 0.3).astype(int)
A, B = (np.round(shift * Y + RNG.normal(size=N), 3) for shift in (1, 2))
GROUP, WEIGHT = RNG.integers(0, 20, N), np.round(RNG.random(N) + 0.5, 2)
MONTH = np.array(["2026-01-05", "2026-02-01", "2026-03-09"])[RNG.integers(0, 3, N)]
ROWS = zip(Y, A, B, GROUP, WEIGHT, MONTH, strict=True)
CSV = "y,a,b,g,w,t\n" + "".join(f"{','.join(map(str, row))}\n" for row in ROWS)
SCORES = ["--label", "y", "--score", "a", "--score", "b"]
DAY = 1_790_856_000  # 1 October 2026, at noon
SOURCE = "p.csv of 2026-10-01"


@pytest.fixture
def write(write):
    """Write a file that was changed on a known day."""

    def write_on_that_day(text):
        path = write(text)
        os.utime(path, (DAY, DAY))
        return path

    return write_on_that_day


def typed(page, *words):
    """The report with the command in the place of the call, and a line for each option."""
    command = " ".join(["sklearn-ap", "report", words[0], *SCORES, *words[1:]])
    if len(command) > 88:
        command = re.sub(r" (--?\w)", r" \\\n    \1", command)
    page.call = command
    return page


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (
            ["--segment", "t:month"],
            {"segments": {"month": np.array([text[:7] for text in MONTH], "M8[M]")}},
        ),
        (["--cluster", "g", "--prevalence", "10%"], {"clusters": GROUP, "prevalence": 0.1}),
        (["--precision", "70%"], {"precision": 0.7}),
        (["--query", "g"], {"queries": GROUP}),
        (["--weight", "w"], {"sample_weight": WEIGHT}),
    ],
)
def test_printed_report_equals_the_python_report(say, write, arguments, options):
    path = write(CSV)
    printed = say("report", path, *SCORES, *arguments)
    expected = typed(report(Y, {"a": A, "b": B}, **options, source=SOURCE), path, *arguments)
    assert printed == f"{expected}\n"


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_html_report_equals_the_python_report(say, write, tmp_path, flag):
    path = tmp_path / "report.html"
    data = write(CSV)
    assert say("report", data, *SCORES, flag, str(path)) == f"The report is in {path}\n"
    expected = typed(report(Y, {"a": A, "b": B}, source=SOURCE), data, flag, str(path))
    assert path.read_text() == expected.to_html()


def test_report_names_file_day_command_and_columns(say, write):
    path = write(CSV.replace(",g,", ",customer_id,", 1))
    columns = ("--segment", "t:month", "--segment", "a", "--cluster", "customer_id")
    printed = say("report", path, "--label", "y", "--score", "b", *columns)
    assert "p.csv of 2026-10-01, sklearn_ap " in printed
    assert f"sklearn-ap report {path} " in printed
    assert "    --segment t:month \\\n    --segment a \\\n" in printed
    assert f"Rows: 200, positives: {Y.sum()}, clusters: {len({*GROUP})}, times: month." in printed
    assert re.search(r"\n\d+. By month\n", printed)


def test_a_pdf_is_refused_before_the_file_is_read(refuse):
    said = refuse("report", "no.csv", *SCORES, "-o", "report.pdf")
    assert "Write report.html, open it in a browser, and print it to a PDF" in said


def test_one_column_of_segments_is_not_given_twice(refuse, write):
    columns = ("--segment", "t:month", "--segment", "t:month")
    assert "--segment t:month" in refuse("report", write(CSV), *SCORES, *columns)


def test_report_without_matplotlib_warns_what_to_install(capsys, write, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    missing = "There are no pictures without Matplotlib: pip install matplotlib"
    with monkeypatch.context() as away:
        away.setitem(sys.modules, "matplotlib", None)
        assert main(["report", write(CSV), *SCORES, "-o", str(path)]) == 0
    printed = capsys.readouterr()
    assert printed.out == f"The report is in {path}\n"
    assert f"sklearn-ap: warning: {missing}" in " ".join(printed.err.split())
    page = path.read_text()
    assert (missing in page, "<table>" in page, "<img" in page) == (True, True, False)


def test_an_output_that_is_an_input_is_refused(refuse, write, tmp_path):
    path = write(CSV)
    said = refuse("report", path, *SCORES, "-o", path)
    assert said.startswith(f"--output {path!r} is the file to read, ")
    assert (tmp_path / "p.csv").read_text() == CSV


def test_an_output_that_cannot_be_written_is_an_error(refuse, write, tmp_path):
    said = refuse("report", write(CSV), *SCORES, "-o", str(tmp_path))
    assert "directory" in said


def test_report_without_positives_is_refused(refuse, write):
    text = re.sub("(?m)^1,", "0,", "y,p\n1,3\n0,2\n1,1\n")
    assert "--label must hold rows of both classes" in refuse("report", write(text), *COLUMNS)


def test_the_example_has_a_report(say, write):
    assert "Rows: 10, positives: 5." in say("report", write(TEXT), *COLUMNS)
