"""The command report."""

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


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--segment", "t:month"], {"segments": np.array([text[:7] for text in MONTH], "M8[M]")}),
        (["--cluster", "g", "--prevalence", "10%"], {"clusters": GROUP, "prevalence": 0.1}),
        (["--query", "g"], {"queries": GROUP}),
        (["--weight", "w"], {"sample_weight": WEIGHT}),
    ],
)
def test_printed_report_equals_the_python_report(say, write, arguments, options):
    printed = say("report", write(CSV), *SCORES, *arguments)
    assert printed == f"{report(Y, {'a': A, 'b': B}, **options)}\n"


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_html_report_equals_the_python_report(say, write, tmp_path, flag):
    path = tmp_path / "report.html"
    assert say("report", write(CSV), *SCORES, flag, str(path)) == f"The report is in {path}\n"
    assert path.read_text() == report(Y, {"a": A, "b": B}).to_html()


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


def test_report_without_positives_exits_with_status_1(capsys, write):
    text = re.sub("(?m)^1,", "0,", "y,p\n1,3\n0,2\n1,1\n")
    assert main(["report", write(text), *COLUMNS]) == 1
    assert "No row is positive" in capsys.readouterr().out


def test_the_example_has_a_report(say, write):
    assert "10 rows, 5 positive (50%)" in say("report", write(TEXT), *COLUMNS)
