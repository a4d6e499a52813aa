"""The benchmarks compute their figures rightly, and write what they say. No test asserts a time."""

import csv
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def speed(script):
    return script("speed")


def row(n, name, milliseconds, number=(0.5,), why=""):
    found = {"question": "Score", "n": n, "name": name, "milliseconds": milliseconds}
    return found | {"number": [*number], "why": why}


@pytest.mark.parametrize("peers", [False, pytest.param(True, marks=pytest.mark.peers)])
@pytest.mark.filterwarnings("ignore")  # theirs
def test_contestants_compute_the_same_or_say_why_not(peers, speed, monkeypatch):
    if not peers:
        monkeypatch.setattr(speed.speed_calls, "installed", lambda _: False)
        monkeypatch.setattr(speed.speed_calls, "N_RESAMPLES", 10)
    monkeypatch.setattr(speed, "TURNS", 0)
    rows = [*speed.measured(sizes=(1_000,))]
    assert {"Score, half positive", "Interval"} < {row["question"] for row in rows}
    for name, _, *cells, text in speed.table(rows)[1:]:
        if name != "np.sort" and not name.startswith("**"):
            assert text == "the same" or text.partition(": ")[2], cells


def test_times_are_the_least_of_turns_and_of_the_whole_work(speed, monkeypatch):
    now, seconds = [0.0], iter([0.5, 0.2, 0.3, *[1.0] * 9])

    def call():
        now[0] += next(seconds)
        return 0.25

    def question(_):
        return [speed.speed_calls.Call("a", call, parts=10)]

    monkeypatch.setattr(speed, "time", SimpleNamespace(process_time=lambda: now[0]))
    monkeypatch.setattr(speed.speed_calls, "QUESTIONS", {"Score": question})
    (found,) = speed.measured(("Score",), (10,))
    assert found == row(10, "a", 2_000.0, [0.25])


def test_table_says_how_many_times_as_long_and_which_number(speed):
    rows = [row(n, "ours", n / 1_000) for n in (1_000, 2_000)]
    rows += [row(1_000, "a", 0.5), row(2_000, "a", 40.0), row(1_000, "b", 3.0, [0.6], "other")]
    rows += [row(1_000, "c", 3.0, [0.5 + 1e-8], "32 bits")]
    assert speed.table(rows) == [
        ["", "1,000 rows", "2,000 rows", "its number"],
        ["**Score**", "1 ms", "2 ms", "0.5000"],
        ["a", "0.5 †", "20", "the same"],
        ["b", "3", "", "0.6000: other"],
        ["c", "3", "", "to 7 digits: 32 bits"],
    ]


def test_speed_page_matches_the_stored_times(speed):
    machine, rows = json.loads(speed.STORED.read_text())
    with (speed.PAGE.with_suffix("") / "times/summary.csv").open() as file:
        assert [*csv.reader(file)] == speed.table(rows)
    assert machine in " ".join(speed.PAGE.read_text().split())
    assert speed.sentence(rows) in (ROOT / "README.md").read_text()


def test_machine_is_named_by_its_processor(speed, monkeypatch):
    monkeypatch.setattr(speed, "processor", lambda: "AMD EPYC")
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "X86_V4")
    date, _, rest = speed.about().partition(", ")
    assert date.count("-") == 2
    assert rest.startswith("AMD EPYC, NumPy without X86_V4, Python ")
