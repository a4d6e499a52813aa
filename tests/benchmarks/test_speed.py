"""The benchmark computes its figures rightly, and writes what it says. No test asserts a time."""

import csv
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def speed(script):
    return script("speed")


@pytest.fixture
def without_peers(speed, monkeypatch):
    monkeypatch.setattr(speed.contestants, "installed", lambda peer: False)


def scenarios(calls):
    return [
        *calls.one_ranking((100,)),
        *calls.kinds_of_scores(100),
        *calls.columns((20, 3)),
        *calls.queries((200, 5)),
        *calls.definitions((100,)),
    ]


def number(result):
    """The average precision in what a contestant returns."""
    if isinstance(result, dict):  # pytrec_eval, a query each
        return np.mean([found["map"] for found in result.values()])
    if isinstance(result, list):  # LightGBM
        return result[0][2]
    return float(result)


def check_contestants(speed):
    for name, runs, _ in scenarios(speed.speed_calls):
        compared = {
            contestant: number(run())
            for contestant, run in runs.items()
            if contestant != "np.sort" and contestant != "xgboost" and " / " not in contestant
        }
        if not name.startswith("definitions"):
            np.testing.assert_allclose([*compared.values()], compared["ours"], rtol=1e-5)


def test_contestants_compute_the_same(speed, without_peers):
    check_contestants(speed)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # theirs
def test_peers_compute_the_same(speed):
    check_contestants(speed)


@pytest.mark.slow
def test_figures_are_relative_to_ours_and_to_the_scores(speed):
    def sleeping(seconds):
        return lambda: time.sleep(seconds)

    runs = {
        "ours": sleeping(0.02),
        "np.sort": sleeping(0.01),
        "peer": sleeping(0.06),
        f"{speed.LOOP} / 100": sleeping(0.02),
    }
    row = speed.measure(speed.speed_calls.Scenario("name", runs, 10**6), 0.0)
    # A busy machine may wake a sleeper late.
    assert 20 <= row["milliseconds"] < 2000
    assert row["sorts"] == pytest.approx(2, rel=0.5)
    assert row["ratios"] == pytest.approx({"peer": 3, speed.LOOP: 100}, rel=0.5)
    assert 0 <= row["spread"] < 1
    if sys.platform == "linux":
        assert set(row["memory"]) == {"ours", "np.sort", "peer"}


@pytest.mark.slow
def test_a_quick_run_names_who_is_missing_and_writes_nothing(
    speed, without_peers, monkeypatch, capsys
):
    monkeypatch.setattr(speed, "write", pytest.fail)
    monkeypatch.setattr(speed, "measure", lambda scenario, seconds: ROW | {"scenario": scenario[0]})
    speed.main(["--quick"])
    out = capsys.readouterr().out
    assert "left out: torchmetrics, torcheval, lightgbm, xgboost, pytrec_eval, ranx" in out
    assert "1,000 rows, 2.0% positives" in out


ROW = {
    "scenario": "1,000 rows, 2.0% positives",
    "milliseconds": 2.0,
    "sorts": 1.5,
    "ratios": {"scikit-learn": 12.0},
    "spread": 0.1,
    "memory": {"ours": 2.0, "np.sort": 1.0, "scikit-learn": 9.0},
}


def test_the_pages_show_what_was_measured(speed, script):
    measured = speed.stored()
    found = [speed.summary(measured["rows"]), *speed.all_tables(measured)]
    for path in (ROOT / "docs" / "speed" / "times").glob("*.csv"):
        with path.open() as file:
            assert [*csv.reader(file)] in found
    assert script("tables").in_markdown(found[0]) in (ROOT / "README.md").read_text()
    assert measured["about"][0]["text"] in " ".join(speed.PAGE.read_text().split())


def test_losses_are_ratios_that_became_much_worse(speed):
    before = [ROW | {"ratios": {"scikit-learn": 12.0, "lightgbm": 3.0}}]
    before += [ROW | {"scenario": "interval", "ratios": {"interval": 2.0}}]
    worse = [ROW | {"ratios": {"scikit-learn": 7.0, "lightgbm": 1.0}}]
    worse += [ROW | {"scenario": "interval", "ratios": {"interval": 4.0}}]
    assert speed.losses(before, before) == []
    assert speed.losses([ROW | {"ratios": {"scikit-learn": 9.0}}], before) == []
    assert speed.losses(worse, before) == [
        "1,000 rows, 2.0% positives: scikit-learn 12, now 7",
        "interval: interval 2, now 4",
    ]
