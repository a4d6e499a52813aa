"""The command report."""

import io
import json
import os
import re
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from predictions_file import COLUMNS, TEXT

import sklearn_ap
from sklearn_ap import definitions, report
from sklearn_ap.__main__ import main
from sklearn_ap._program.cli import commands
from sklearn_ap._program.cli._file_predictions import read
from sklearn_ap._program.cli._reading_code import reading_code
from sklearn_ap._program.cli.arguments import parser
from sklearn_ap._report._advice import gather

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


def body(page):
    """The parts of a page as text, without the first lines and the calls."""
    return page[page.index("\n1. Data") : page.index("\nCalls\n")]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--segment", "t:month"], {"segments": {"t": MONTH}}),
        (["--cluster", "g", "--prevalence", "10%"], {"clusters": GROUP, "prevalence": 0.1}),
        (["--precision", "70%"], {"precision": 0.7}),
        (["--query", "g"], {"queries": GROUP}),
        (["--weight", "w"], {"sample_weight": WEIGHT}),
    ],
)
def test_printed_report_equals_the_python_report(say, write, arguments, options):
    printed = say("report", write(CSV), *SCORES, *arguments)
    expected = str(report(Y, {"a": A, "b": B}, **options, source=SOURCE))
    assert body(printed) == body(expected)


@pytest.mark.parametrize("flag", ["-o", "--output"])
def test_html_report_equals_the_python_report(say, write, tmp_path, flag):
    path = tmp_path / "report.html"
    data = write(CSV)
    assert say("report", data, *SCORES, flag, str(path)) == f"The report is in {path}\n"
    expected = report(Y, {"a": A, "b": B}, source=SOURCE).to_html()
    sections = [page[page.index("<section>") :] for page in (path.read_text(), expected)]
    assert len({page.partition("The calls that give")[0] for page in sections}) == 1


def test_report_names_file_day_command_and_columns(say, write):
    path = write(CSV.replace(",g,", ",customer_id,", 1))
    columns = ("--segment", "t:months", "--segment", "a", "--cluster", "customer_id")
    printed = say("report", path, "--label", "y", "--score", "b", *columns)
    assert "p.csv of 2026-10-01, sklearn_ap " in printed
    assert f"# sklearn-ap report {path} " in printed
    assert "#     --segment t:months \\\n#     --segment a \\\n" in printed
    told = " ".join(printed.split())
    counts = f"Rows: 200, positives: {Y.sum()}, clusters: {len({*GROUP})}."
    assert f"{SOURCE}. {counts} t: 2026-01-05 to 2026-03-09, in months." in told
    assert re.search(r"\n\d+. By month\n", printed)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_the_calls_of_a_page_run_as_they_stand(say, tmp_path, monkeypatch, suffix):
    frame = pd.read_csv(io.StringIO(CSV))
    frame["y"] = np.where(Y, "fraud", "ok")
    writers = {
        ".csv": lambda path: frame.to_csv(path, index=False),
        ".tsv": lambda path: frame.to_csv(path, index=False, sep="\t"),
        ".jsonl": lambda path: frame.to_json(path, orient="records", lines=True),
        ".parquet": frame.to_parquet,
    }
    monkeypatch.chdir(tmp_path)
    writers[suffix](f"p{suffix}")
    options = ("--positive", "fraud", "--segment", "t", "--cluster", "g", "--weight", "w")
    printed = say("report", f"p{suffix}", *SCORES, *options)
    code = printed.partition("\nCalls\n")[2].partition("\n")[2].rpartition("\n\n")[0]
    assert code.count("pos_label='fraud'") > 9
    known = {}
    with warnings.catch_warnings(action="ignore"):  # of few clusters
        exec(code, known)
    assert known["positive"].sum() == Y.sum()


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({"g": GROUP % 3}, ("--segment", "g", "--cluster", "t:week")),
        ({"g": np.where(GROUP < 7, "NA", "003")}, ("--segment", "g", "--segment", "t:month")),
        ({"g": GROUP < 7}, ("--segment", "g", "--query", "t:week")),
        (
            {"y": np.where(Y, 2, 1)},
            ("--positive", "2", "--segment", "t:month", "--segment", "t:week"),
        ),
        ({"y": Y == 1}, ("--positive", "True")),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "semicolons.csv", "parquet"])
def test_the_numbers_of_calls_are_those_of_the_page(tmp_path, monkeypatch, suffix, change, options):
    """Of odd names of segments, units of time of other columns, and odd labels."""
    frame = pd.read_csv(io.StringIO(CSV)).assign(**change)
    monkeypatch.chdir(tmp_path)
    path = f"p.{suffix}"
    writers = {
        "csv": lambda: frame.to_csv(path, index=False),
        "semicolons.csv": lambda: frame.to_csv(path, index=False, sep=";"),
        "parquet": lambda: frame.to_parquet(path),
    }
    writers[suffix]()
    args = parser("", "").parse_args(["report", path, *SCORES, *options])
    args.words = []
    with warnings.catch_warnings(action="ignore"):
        predictions = read(args)
        data = commands._report_data(args, predictions)
        gather(data)
        known = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
        known |= {"np": np, "pd": pd, **vars(definitions)}
        exec(reading_code(args, predictions.segments.values()), known)
        for call, (result, _) in data._answers.items():
            *lines, last = call.splitlines()
            exec("\n".join(lines), known)
            found = eval(last, known)
            for name in ("estimate", "difference", "precision", "pvalue"):
                expected = np.asarray(getattr(result, name, np.nan), float)
                got = np.asarray(getattr(found, name, np.nan), float)
                assert got == pytest.approx(expected, abs=1e-12, nan_ok=True), call


def test_positives_are_called_by_their_label(say, write):
    path = write(CSV.replace("\n1,", "\nfraud,").replace("\n0,", "\nok,"))
    printed = say("report", path, *SCORES, "--positive", "fraud")
    assert f"fraud rows: {Y.sum()}" in printed
    assert "positives" not in printed.partition("\nCalls\n")[0]


def test_formats_have_the_facts_and_the_parts(say, write):
    path = write(CSV)
    arguments = ("report", path, *SCORES, "--segment", "t")
    facts = json.loads(say(*arguments, "--format", "json"))["facts"]
    found = report(Y, {"a": A, "b": B}, segments={"t": MONTH})
    kinds = [each["kind"] for each in facts if each["kind"] != "NotLookedAt"]
    assert kinds == [type(fact).__name__ for fact in found.facts]
    assert facts[0]["score"] == found.facts[0].to_dict()["score"]
    printed = say(*arguments, "--format", "markdown")
    assert printed.count("\n| ") > 20
    assert "\n## By month\n" in printed


def test_other_formats_are_not_written_to_html(refuse, write):
    said = refuse("report", write(CSV), *SCORES, "-o", "x.html", "--format", "json")
    assert "-o writes HTML" in said


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
