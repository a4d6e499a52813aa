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
    rows = speed.of_both_kinds()
    found = [speed.summary(rows), *speed.all_tables(rows)]
    for path in (ROOT / "docs" / "speed" / "times").glob("*.csv"):
        with path.open() as file:
            assert [*csv.reader(file)] in found
    assert script("tables").in_markdown(speed.short(rows)) in (ROOT / "README.md").read_text()
    for kind in speed.STORED:
        assert speed.stored(kind)[0] in " ".join(speed.PAGE.read_text().split())


@pytest.mark.parametrize(
    ("sort", "partition", "kind"),
    [
        (8.6, 15.0, "fast"),  # milliseconds of an AMD EPYC with AVX-512
        (83.6, 14.8, "slow"),  # the same without vector instructions
        (53.0, 15.0, "slow"),  # an older one with AVX-512
        (19.4, 15.0, "fast"),  # one with AVX2
    ],
)
def test_processor_kind_is_decided_by_the_time_of_a_sort(speed, monkeypatch, sort, partition, kind):
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
    assert speed.processor_kind(ratio) == kind
    assert {*scores} == {np.dtype(float), np.dtype(np.longdouble)}


@pytest.mark.parametrize(
    ("ratio", "found", "is_slower"),
    [(0.5, 11.0, False), (0.5, 3.9, True), (3.0, 3.9, False), (3.0, 2.0, True)],
)
def test_check_compares_with_the_kind_of_processor(speed, monkeypatch, ratio, found, is_slower):
    row = {"scenario": "1,000,000 rows, 2.0% positives", "ratios": {"scikit-learn": found}}
    monkeypatch.setattr(speed, "sort_ratio", lambda: ratio)
    monkeypatch.setattr(speed, "shown", lambda _: [row])
    monkeypatch.setattr(speed.speed_calls, "installed", speed.speed_calls.installed)
    if is_slower:
        with pytest.raises(SystemExit, match="slower than on"):
            speed.main(["--check"])
    else:
        speed.main(["--check"])


def test_tables_show_both_kinds_of_processors_side_by_side(speed):
    head, *lines = speed.summary(speed.of_both_kinds())
    place = head.index("scikit-learn")
    assert head[place + 1] == speed.SLOW_COLUMN
    found = {line[0]: line[place : place + 2] for line in lines}
    assert found["1,000,000 rows, 2.0% positives"] == ["11.8", "3.9"]
    assert found["100 rows, 2.0% positives"] == ["14.6", ""]


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
