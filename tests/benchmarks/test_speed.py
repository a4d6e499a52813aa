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
    machine, rows = speed.stored()
    found = [speed.summary(rows), *speed.all_tables(rows)]
    for path in (ROOT / "docs" / "speed" / "times").glob("*.csv"):
        with path.open() as file:
            assert [*csv.reader(file)] in found
    assert speed.sentence(rows) in (ROOT / "README.md").read_text()
    assert machine in " ".join(speed.PAGE.read_text().split())


def test_machine_is_named_by_its_processor(speed, monkeypatch):
    monkeypatch.setattr(speed, "processor", lambda: "AMD EPYC")
    date, _, rest = speed.about().partition(", ")
    assert date.count("-") == 2
    assert rest.startswith("AMD EPYC with ")
    assert ", this library on one core of " in rest


def test_processor_has_a_name_without_the_files_of_linux(speed, monkeypatch):
    monkeypatch.setattr(speed.Path, "exists", lambda _: False)
    monkeypatch.setattr(speed.platform, "processor", lambda: "arm")
    assert speed.processor() == "arm"


@pytest.mark.parametrize(
    ("sort", "partition", "is_slow"),
    [
        (8.6, 15.0, False),  # milliseconds of an AMD EPYC with AVX-512
        (83.6, 14.8, True),  # the same without vector instructions
        (53.0, 15.0, True),  # an older one with AVX-512
        (19.4, 15.0, False),  # one with AVX2
    ],
)
def test_slow_sorts_are_told_by_their_time(speed, monkeypatch, sort, partition, is_slow):
    now = [0.0]  # a clock that only sorts and partitions move
    scores = []

    def moves_clock(seconds, kept, *_):
        now[0] += seconds
        scores.append(kept.dtype)

    monkeypatch.setattr(speed, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(speed.np, "sort", partial(moves_clock, sort))
    monkeypatch.setattr(speed.np, "partition", partial(moves_clock, partition))
    ratio = speed.sort_ratio(10)
    assert ratio == pytest.approx(sort / partition)
    assert (ratio > speed.SLOW) == is_slow
    assert {*scores} == {np.dtype(float), np.dtype(np.longdouble)}


@pytest.fixture
def check(speed, monkeypatch):
    """What --check does where sorts take so long, and scikit-learn so many times as long as we."""

    def run(sort_ratio, found):
        name = "1,000,000 rows, 2.0% positives"
        stored = [{"scenario": name, "ratios": {"scikit-learn": 12.0}}]
        rows = [{"scenario": name, "ratios": {"scikit-learn": found}}]
        monkeypatch.setattr(speed, "sort_ratio", lambda: sort_ratio)
        monkeypatch.setattr(speed, "stored", lambda: ("", stored))
        monkeypatch.setattr(speed, "shown", lambda _: rows)
        monkeypatch.setattr(speed.speed_calls, "installed", speed.speed_calls.installed)
        speed.main(["--check"])

    return run


def test_check_raises_an_error_only_if_scores_became_slower(check):
    check(sort_ratio=0.5, found=11.0)
    with pytest.raises(SystemExit, match=r"scikit-learn 12, now 3\.9"):
        check(sort_ratio=0.5, found=3.9)


def test_check_compares_nothing_where_sorts_are_slow(check, capsys):
    check(sort_ratio=3.0, found=3.9)
    assert "NumPy's sort is slow here" in capsys.readouterr().out


def test_table_of_other_processors_has_each_row_with_fewer_vectors(speed, monkeypatch):
    def measured(features):
        milliseconds = 1.0 + len(features.split())
        row = {"milliseconds": milliseconds, "sorts": 1.0, "ratios": {"lightgbm": 2.0}}
        return [row | {"scenario": name} for name in ("a", "b")]

    monkeypatch.setattr(speed, "measured_without", measured)
    assert speed.with_fewer_vectors() == [
        ["", "milliseconds", "lightgbm"],
        ["a", "1", "2"],
        ["a, without AVX-512", "2", "2"],
        ["a, without vector instructions", "3", "2"],
        ["b", "1", "2"],
        ["b, without AVX-512", "2", "2"],
        ["b, without vector instructions", "3", "2"],
    ]


def test_losses_report_only_much_worse_ratios(speed):
    def rows(**ratios):
        return [
            {"scenario": "a", "ratios": {name.replace("_", "-"): r for name, r in ratios.items()}}
        ]

    before = rows(scikit_learn=12.0, interval=2.0, lightgbm=3.0)
    assert [*speed.losses(rows(scikit_learn=9.0, interval=3.9), before)] == []
    assert [*speed.losses(rows(scikit_learn=7.0, interval=4.1, lightgbm=1.0), before)] == [
        "a: scikit-learn 12, now 7",
        "a: interval 2, now 4.1",
    ]
