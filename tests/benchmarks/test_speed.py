"""The benchmark computes its figures rightly, and writes what it says. No test asserts a time."""

import csv
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def speed(script):
    return script("speed")


def number(result):
    if isinstance(result, dict):  # pytrec_eval, a query each
        return np.mean([found["map"] for found in result.values()])
    if isinstance(result, list):  # LightGBM
        return result[0][2]
    return float(getattr(result, "estimate", result))


@pytest.mark.parametrize("peers", [False, pytest.param(True, marks=pytest.mark.peers)])
@pytest.mark.filterwarnings("ignore")  # theirs
def test_contestants_compute_the_same(peers, speed, monkeypatch):
    if not peers:
        monkeypatch.setattr(speed.speed_calls, "installed", lambda _: False)
    for name, runs in speed.quick(1_000):
        if name.startswith(("definitions", "shapes", "comparison")):  # different numbers each
            continue
        left_out = ("np.sort", "xgboost", "comparison")
        kept = {peer: run for peer, run in runs.items() if peer not in left_out}
        found = [number(run()) for peer, run in kept.items() if " / " not in peer]
        assert len(found) > 1 or "queries" in name
        np.testing.assert_allclose(found, found[0], rtol=1e-5)


def test_measured_times_are_relative_to_ours(speed, monkeypatch):
    now = [0.0]  # a clock that only the calls move

    def call(seconds):
        now[0] += seconds

    monkeypatch.setattr(speed, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    runs = {"ours": 0.02, "np.sort": 0.01, "peer": 0.06, f"{speed.LOOP} / 100": 0.02}
    calls = {name: partial(call, seconds) for name, seconds in runs.items()}
    row = speed.measure("name", calls, 0.0)
    assert (row["milliseconds"], row["sorts"], row["spread"]) == (20, 2, 0)
    assert row["ratios"] == {"peer": 3, speed.LOOP: 100}


def test_speed_pages_match_the_stored_times(speed, script):
    text, rows = speed.stored()
    found = [speed.summary(rows), *speed.all_tables(rows)]
    for path in (ROOT / "docs" / "speed" / "times").glob("*.csv"):
        with path.open() as file:
            assert [*csv.reader(file)] in found
    assert script("tables").in_markdown(found[0]) in (ROOT / "README.md").read_text()
    assert text in " ".join(speed.PAGE.read_text().split())


def test_losses_report_only_much_worse_ratios(speed):
    def rows(**ratios):
        return [
            {"scenario": "a", "ratios": {name.replace("_", "-"): r for name, r in ratios.items()}}
        ]

    before = rows(scikit_learn=12.0, interval=2.0, lightgbm=3.0)
    assert [*speed.losses(rows(scikit_learn=9.0, interval=2.5), before)] == []
    assert [*speed.losses(rows(scikit_learn=7.0, interval=4.0, lightgbm=1.0), before)] == [
        "a: scikit-learn 12, now 7",
        "a: interval 2, now 4",
    ]
