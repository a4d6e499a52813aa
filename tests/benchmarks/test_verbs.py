"""The table of all functions has the right ratios, and the page shows what was measured."""

import csv
import json

import pytest


@pytest.fixture
def verbs(script):
    return script("verbs")


def test_table_shows_relative_times_and_growth_exponents(verbs):
    def row(name, n, seconds):
        return {"name": name, "n": n, "prevalence": 0.5, "seconds": seconds, "memory": 2.0}

    rows = [row("score", 10**e, 10.0**-e) for e in (3, 2, 1)]
    rows += [row("interval", 10**e, 3.0) for e in (3, 2)] + [row("interval", 10, 3e-4)]
    assert verbs.table(rows, 0.5) == [
        ["50% positives", "10 rows", "100 rows", "1,000 rows", "exponent", "memory"],
        ["score", "1e+02 ms", "10 ms", "1 ms", "-1.00", "2.0"],
        ["interval", "0.003", "300", "3,000", "2.00", "2.0"],
    ]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_benchmark_calls_run_and_agree(verbs):
    named = {name: call() for name, call in verbs.calls(300, 0.3)}
    assert named["interval"].estimate == named["score"]
    assert named["the same with a judge"].estimate != named["interval, a fifth labelled"].estimate


def test_speed_page_matches_the_stored_times_of_functions(verbs):
    machine, rows = json.loads(verbs.STORED.read_text())
    folder = verbs.speed.PAGE.with_suffix("") / "verbs"
    tables = [verbs.table(rows, prevalence) for prevalence in verbs.PREVALENCES]
    assert {path.name for path in folder.iterdir()} == {"summary.csv", "50-positives.csv"}
    for path in folder.iterdir():
        with path.open() as file:
            assert [*csv.reader(file)] in tables
    assert machine in " ".join(verbs.speed.PAGE.read_text().split())
