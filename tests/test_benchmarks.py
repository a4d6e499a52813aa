"""The benchmark runs; no test asserts a time."""

import importlib
import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def speed(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    return importlib.import_module("speed")


def test_every_kind_of_scenario_is_measured(speed, monkeypatch):
    monkeypatch.setattr(speed, "PEERS", ())
    monkeypatch.setattr(speed, "installed", lambda peer: False)
    scenarios = [
        *speed.one_ranking((100,)),
        *speed.kinds_of_scores(100),
        *speed.columns(((20, 3),)),
        *speed.queries(((200, 5),)),
        *speed.definitions((100,)),
    ]
    rows = [speed.measure(scenario, 0.0) for scenario in scenarios]
    assert [row["scenario"] for row in rows][:3] == [
        f"100 rows, {prevalence} positives" for prevalence in ("0.2%", "2.0%", "50.0%")
    ]
    assert all(row["milliseconds"] > 0 for row in rows)
    assert {"scikit-learn"} == set(rows[0]["ratios"])
    assert "loop over scikit-learn" in rows[-2]["ratios"]
    figures, summary = speed.figures(rows), speed.summary(rows)
    assert all(f"| {row['scenario']} |" in figures for row in rows)
    assert "| 100 rows, 2.0% positives |" in summary


def test_the_pages_show_what_was_measured(speed):
    measured = json.loads((speed.ROOT / "benchmarks" / "speed.json").read_text())
    page = speed.PAGE.format(about=measured["about"], figures=speed.figures(measured["rows"]))
    assert (speed.ROOT / "docs" / "speed.md").read_text() == page
    assert (
        speed.summary(measured["rows"]).join(speed.MARKS) in (speed.ROOT / "README.md").read_text()
    )


def test_turns_start_with_another_contestant_each_time(speed):
    seen = []
    runs = {name: lambda name=name: (seen.append(name), time.sleep(6e-3)) for name in "ab"}
    times = speed.timed(runs, 0.0)
    assert (
        "".join(seen) == "aaabbb" + "ab" + "ba" + "ab"
    )  # three calls each to see how many fit a turn
    assert {name: len(taken) for name, taken in times.items()} == {"a": 3, "b": 3}


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_peak_memory_is_what_a_call_takes_beyond_what_was_there(speed):
    peak = speed.peak_memory(lambda: np.ones(2_000_000).sum())
    assert 15e6 < peak < 18e6
