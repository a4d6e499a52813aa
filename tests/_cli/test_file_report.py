"""The report of a file: its numbers, its calls, and how it is written."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest

from sklearn_ap import Report, report
from tests.helpers.cli_rows import FRAME

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
C = "--label y --score old --score new"
Y, MODELS = FRAME.y, {"old": FRAME.old, "new": FRAME.new}


def body(page):
    """The parts of a page as text, without the first lines and the calls."""
    return page[page.index("\n1. ") : page.index("\nCalls\n")]


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ("--segment day:month", {"segments": {"day:month": FRAME.day.str[:7] + "-01"}}),
        pytest.param(
            "--segment place", {"segments": {"place": FRAME.place}}, marks=pytest.mark.slow
        ),
        pytest.param(
            "--cluster g --prevalence 10%",
            {"clusters": FRAME.g, "prevalence": 0.1},
            marks=pytest.mark.slow,
        ),
        ("--precision 70% --weight w", {"precision": 0.7, "sample_weight": FRAME.w}),
        pytest.param("--recall 90%", {"recall": 0.9}, marks=pytest.mark.slow),
        ("--cost 1 20", {"cost": {"false_positive": 1, "false_negative": 20}}),
        ("--query g", {"queries": FRAME.g}),
    ],
)
def test_the_report_of_a_file_is_that_of_its_columns(ask, rows, flags, options):
    printed = ask(f"report {rows} {C} {flags}").out
    assert body(printed) == body(str(report(Y, MODELS, **options)))


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "first"), [("", "2026-07"), (":week", "2026-06-29")])
def test_a_page_puts_dates_into_the_unit_that_was_asked_for(ask, rows, unit, first):
    assert f"\n{first} " in body(ask(f"report {rows} {C} --segment day{unit}").out)


def test_the_page_is_written_to_a_file(ask, rows, tmp_path):
    said = ask(f"report {rows} {C} -o report.html")
    assert said.out.endswith("\n\nThe report is in report.html\n")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!")
    assert "<img" in page
    assert "sklearn-ap report rows.csv --label y --score old" in page
    assert [*tmp_path.glob("report.html.*")] == []


def test_a_fault_replaces_no_page(ask, rows, tmp_path, monkeypatch):
    (tmp_path / "report.html").write_text("old")
    monkeypatch.setattr(Report, "to_dict", lambda page: page.nothing)
    said = ask(f"report {rows} {C} -o report.html")
    assert (said.status, said.out) == (70, "")
    assert (tmp_path / "report.html").read_text() == "old"


def test_a_page_names_its_command_and_the_positive_label(ask, rows):
    words = f"sklearn-ap report {rows} {C}"
    assert f"{words}, positive label '1'" in " ".join(ask(words[11:]).out.split())


def test_an_output_over_an_input_is_refused(ask, rows, tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / rows)
    content = (tmp_path / rows).read_bytes()
    for output in (rows, "link.csv"):
        said = ask(f"report {rows} {C} -o {output}")
        assert (said.status, "is a file to read" in said.err) == (2, True)
    assert (tmp_path / rows).read_bytes() == content


@pytest.mark.parametrize(
    ("output", "remedy"),
    [
        ("page.pdf", "save it as .html, and print that from a browser"),
        ("page.JSON", "pass --format json and > FILE"),
        ("page.md", "pass --format markdown and > FILE"),
        ("page.txt", "pass > FILE"),
        ("page.docx", "name a file that ends in .html"),
    ],
)
def test_an_output_of_another_format_is_refused(ask, rows, tmp_path, output, remedy):
    said = ask(f"report {rows} {C} -o {output}")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert f"--output {output!r}: a page is HTML; for" in said.err or "docx" in output
    assert remedy in said.err
    assert not (tmp_path / output).exists()


@pytest.mark.parametrize("output", ["page.htm", "page", "page.2026-10"])
def test_an_output_of_no_other_format_is_written(ask, rows, tmp_path, output):
    assert ask(f"report {rows} {C} -o {output}").status == 0
    assert (tmp_path / output).read_text().startswith("<!")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_may_have_any_ending(ask, rows, tmp_path):
    os.mkfifo(tmp_path / "page.txt")
    with ThreadPoolExecutor(1) as threads:
        page = threads.submit((tmp_path / "page.txt").read_text)
        assert ask(f"report {rows} {C} -o page.txt").status == 0
        assert page.result(timeout=30).startswith("<!")


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y 12:30"])
def test_dates_that_can_be_two_days_are_refused(ask, write, form):
    frame = FRAME.assign(day=pd.to_datetime(FRAME.day).dt.strftime(form))
    path = write(frame.to_csv(index=False))
    two_days = r"'\d\d\D\d\d\D2026[^']*'"
    no_year = f"'day'.*: {two_days} begins with no year: write"
    no_date = f"p.csv: row 2, column 'day': {two_days} is no date that begins with the year"
    for command, column, problem in (
        ("report", "day", no_year),
        ("segments", "day", no_year),
        ("segments", "day:month", no_date),
    ):
        said = ask(f"{command} {path} --label y --score old --segment {column}")
        assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
        assert re.search(problem, said.err)
