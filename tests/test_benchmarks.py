"""The benchmark runs; no test asserts a time."""

import importlib
import time
from pathlib import Path

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
        *speed.definitions(100),
    ]
    rows = [speed.measure(scenario, 0.0) for scenario in scenarios]
    assert [row["scenario"] for row in rows][:3] == [
        f"100 rows, {prevalence} positives" for prevalence in ("0.2%", "2.0%", "50.0%")
    ]
    assert all(row["milliseconds"] > 0 and row["memory"] > 0 for row in rows)
    assert {"scikit-learn"} == set(rows[0]["ratios"])
    assert "loop over scikit-learn" in rows[-2]["ratios"]
    page = speed.page(rows)
    assert all(f"| {row['scenario']} |" in page for row in rows)


def test_turns_start_with_another_contestant_each_time(speed):
    seen = []
    runs = {name: lambda name=name: (seen.append(name), time.sleep(2e-3)) for name in "ab"}
    times = speed.timed(runs, 0.0)
    assert "".join(seen) == "ab" + "ab" + "ba" + "ab"  # one call each to see how many fit a turn
    assert {name: len(taken) for name, taken in times.items()} == {"a": 3, "b": 3}
