"""The report of a file: its numbers, its calls, unused columns, and how it is written."""

import os
import re
import sys
import warnings
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from cli_rows import FRAME

import sklearn_ap
from sklearn_ap import definitions, report
from sklearn_ap._cli import _file_report
from sklearn_ap._cli._output import write_whole
from sklearn_ap._cli._predictions import read
from sklearn_ap._cli.arguments import parse, parser
from sklearn_ap._report._advice import gather

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
C = "--label y --score old --score new"
Y, MODELS = FRAME.y, {"old": FRAME.old, "new": FRAME.new}
DAY = 1_790_856_000  # 1 October 2026, at noon
SOURCE = "rows.csv of 2026-10-01"


@pytest.fixture
def path(rows):
    """A file that was changed on a known day."""
    os.utime(rows, (DAY, DAY))
    return rows


def body(page):
    """The parts of a page as text, without the first lines and the calls."""
    return page[page.index("\n1. Data") : page.index("\nCalls\n")]


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        ("--segment day:month", {"segments": {"day": FRAME.day.str[:7] + "-01"}}),
        ("--segment place", {"segments": {"place": FRAME.place}}),
        ("--cluster g --prevalence 10%", {"clusters": FRAME.g, "prevalence": 0.1}),
        ("--precision 70% --weight w", {"precision": 0.7, "sample_weight": FRAME.w}),
        ("--query g", {"queries": FRAME.g}),
    ],
)
def test_the_report_of_a_file_is_that_of_its_columns(ask, path, flags, options):
    printed = ask(f"report {path} {C} {flags}").out
    expected = str(report(Y, MODELS, **options, source=SOURCE))
    lines = [
        [line for line in body(page).splitlines() if "2026-0" not in line]  # days of the data
        for page in (printed, expected)
    ]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("unit", ["", ":week"])
def test_a_page_puts_dates_into_the_unit_that_was_asked_for(ask, path, unit):
    page = body(ask(f"report {path} {C} --segment day{unit}").out)
    assert f", in {unit[1:] or 'month'}s." in " ".join(page.split())


def test_the_page_is_written_to_a_file(ask, path, tmp_path):
    said = ask(f"report {path} {C} -o report.html")
    assert said.out.endswith("\n\nThe report is in report.html\n")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!")
    assert "<img" in page
    assert "# sklearn-ap report rows.csv --label y --score old" in page
    assert [*tmp_path.glob("report.html.*")] == []


def test_the_day_of_a_page_is_that_of_the_last_change(ask, path, write):
    write(FRAME.to_csv(index=False), "old.csv")
    os.utime("old.csv", (DAY - 10**6, DAY - 10**6))
    assert f"old.csv and {SOURCE}" in ask(f"report old.csv {path} {C}").out


def test_an_output_over_an_input_is_refused(ask, path, tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / path)
    content = (tmp_path / path).read_bytes()
    for output in (path, "link.csv"):
        said = ask(f"report {path} {C} -o {output}")
        assert (said.status, "is a file to read" in said.err) == (2, True)
    assert (tmp_path / path).read_bytes() == content


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path, link = tmp_path / "page.html", tmp_path / "link.html"
    path.write_text("old")
    link.symlink_to(path)
    write_whole(str(link), "new")
    assert (path.read_text(), link.is_symlink()) == ("new", True)
    monkeypatch.setattr(os, "replace", Mock(side_effect=OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        write_whole(str(path), "newer")
    assert path.read_text() == "new"
    assert {*tmp_path.iterdir()} == {path, link}


def test_beside_a_file_the_page_is_printed_in_other_formats(ask, path, tmp_path):
    said = ask(f"report {path} {C} -o report.html --format json")
    assert "advice" in said.json["results"][0]
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("output", [".", "no/page.html"])
def test_an_output_that_cannot_be_written_is_one_line(ask, path, output):
    said = ask(f"report {path} {C} -o {output}")
    assert (said.status, said.err.count("\n")) == (2, 1)


def test_without_matplotlib_the_page_says_what_to_install(ask, path, tmp_path, monkeypatch):
    with monkeypatch.context() as away:
        away.setitem(sys.modules, "matplotlib", None)
        said = ask(f"report {path} {C} -o report.html")
    assert "There are no pictures without Matplotlib: pip install matplotlib" in said.err
    assert "<img" not in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("change", "flags"),
    [
        ({"g": FRAME.g % 3}, "--segment g --cluster day:week"),
        ({"g": np.where(FRAME.g < 7, "NA", "003")}, "--segment g --segment day:month"),
        ({"g": FRAME.g < 7}, "--segment g --query day:week"),
        ({"y": Y + 1}, "--positive 2 --segment day:month --segment day:week"),
        ({"y": np.where(Y, "fraud", "ok")}, "--positive fraud --weight w"),
    ],
)
def test_the_calls_of_a_page_give_its_numbers(rows, monkeypatch, change, flags):
    frame = FRAME.assign(**change)
    frame.to_csv(rows, index=False)
    args = parse(parser("", ""), ["report", rows, *C.split(), *flags.split()])
    asked = []
    monkeypatch.setattr(_file_report, "make_report", lambda *made: asked.append(made))
    with warnings.catch_warnings(action="ignore"):
        _file_report.make_page(args, read(args))
        ((data, _, reading),) = asked
        gather(data)
        known = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
        known |= {"np": np, "pd": pd, "frame": frame, **vars(definitions)}
        exec(reading, known)
        for result, call in data._answers.values():
            *lines, last = call.splitlines()
            exec("\n".join(lines), known)
            found = eval(last, known)
            for name in ("estimate", "difference", "precision", "pvalue"):
                expected = np.asarray(getattr(result, name, np.nan), float)
                got = np.asarray(getattr(found, name, np.nan), float)
                assert got == pytest.approx(expected, abs=1e-12, nan_ok=True), call


# ---- columns that no flag names

N = 2000
RNG = np.random.default_rng(0)
PAYMENTS = pd.DataFrame(
    {
        "y": (RNG.random(N) < 0.2).astype(int),
        "new": np.round(RNG.normal(size=N), 4),
        "date": np.datetime_as_string(np.datetime64("2026-05-01") + RNG.integers(0, 180, N)),
        "country": RNG.choice(["DE", "FR", "IT"], N),
        "customer": RNG.integers(0, 1000, N),
        "amount": np.round(RNG.lognormal(3, 1, N), 2),
        "id": np.arange(N),
        "one": "same",
        "note": [f"note {i}" for i in range(N)],
    }
)
PAYMENTS["outcome"] = np.where(PAYMENTS.y, "fraud", "ok")  # says the label in words
UNUSED = f"date (days), country (3 names), customer ({PAYMENTS.customer.nunique():,}, repeated)"
OF_PAYMENTS = "--label y --score new"


@pytest.fixture
def payments(write):
    return write(PAYMENTS.to_csv(index=False), "payments.csv")


def told(said):
    return " ".join(said.out.split())


def test_a_report_names_unused_columns_with_their_flags(ask, payments):
    printed = told(ask(f"report {payments} {OF_PAYMENTS}"))
    flags = "--segment date --segment country --cluster customer"
    assert f"Distrust: Not looked at: {UNUSED}. Add {flags}. For lack of" in printed
    for unit in ("", ":month"):
        passed = flags.replace("date", f"date{unit}")
        assert "Not looked at" not in told(ask(f"report {payments} {OF_PAYMENTS} {passed}"))


@pytest.mark.parametrize("command", ["score", "threshold --precision 0.3"])
def test_score_and_threshold_name_unused_columns(ask, payments, command):
    name, *flags = command.split(" ", 1)
    words = f"{name} {payments} {OF_PAYMENTS} {' '.join(flags)}"
    others = "sklearn-ap report takes --segment date --segment country."
    assert f"Not looked at: {UNUSED}. Add --cluster customer. {others}" in told(ask(words))
    with_cluster = told(ask(f"{words} --cluster customer"))
    assert f"Not looked at: date (days), country (3 names). {others}" in with_cluster


def test_segments_name_unused_columns(ask, payments):
    printed = told(ask(f"segments {payments} {OF_PAYMENTS} --segment country"))
    assert "Not looked at: date (days), customer (" in printed
    assert "Add --cluster customer. sklearn-ap report takes --segment date." in printed


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_other_formats_name_the_same_columns(ask, payments, suffix):
    if suffix == "jsonl":
        PAYMENTS.to_json("payments.jsonl", orient="records", lines=True)
    else:
        PAYMENTS.to_parquet("payments.parquet")
    assert f"Not looked at: {UNUSED}." in told(ask(f"score payments.{suffix} {OF_PAYMENTS}"))


def test_of_two_columns_of_identifiers_the_first_is_the_cluster(ask, write):
    path = write(PAYMENTS.assign(card=PAYMENTS.customer + 1).to_csv(index=False))
    assert f"Not looked at: {UNUSED}. Add --cluster customer." in told(
        ask(f"score {path} {OF_PAYMENTS}")
    )


def test_numbers_with_decimal_commas_are_no_names(ask, write):
    path = write(PAYMENTS.to_csv(index=False, sep=";", decimal=","))
    assert f"Not looked at: {UNUSED}." in told(ask(f"score {path} {OF_PAYMENTS} --decimal ,"))


def test_columns_that_stand_twice_or_hold_lists_are_not_named(ask, write):
    lines = (f'{{"y": {i % 2}, "new": {i}, "tags": [{i}], "site": "{i % 4}"}}' for i in range(80))
    path = write("\n".join(lines), "p.jsonl")
    assert "Not looked at: site (4 names)." in told(ask(f"score {path} {OF_PAYMENTS}"))
    path = write("y,new,a,a\n" + "".join(f"{i % 2},{i},x{i % 2},y\n" for i in range(80)))
    assert not re.search("Not looked at", ask(f"score {path} {OF_PAYMENTS}").out)
