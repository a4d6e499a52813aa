"""Columns of a file that no argument names, and what commands say of them."""

import json

import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(0)
N = 2000
Y = (RNG.random(N) < 0.2).astype(int)
FRAME = pd.DataFrame(
    {
        "label": Y,
        "new": np.round(Y + RNG.normal(size=N), 4),
        "date": np.datetime_as_string(np.datetime64("2026-05-01") + RNG.integers(0, 180, N)),
        "country": RNG.choice(["DE", "FR", "IT"], N),
        "customer": RNG.integers(0, 1000, N),
        "amount": np.round(RNG.lognormal(3, 1, N), 2),
        "id": np.arange(N),
        "one": "same",
        "note": [f"note {i}" for i in range(N)],
    }
)
COLUMNS = "--label", "label", "--score", "new"
N_CUSTOMERS = f"{FRAME.customer.nunique():,}"


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("payments.csv", index=False)
    return "payments.csv"


def told(say, *arguments):
    return " ".join(say(*arguments).split())


def test_a_report_names_columns_with_their_flags(say, path):
    printed = told(say, "report", path, *COLUMNS)
    columns = f"date (days), country (3 names), customer ({N_CUSTOMERS}, repeated)"
    flags = "--segment date --segment country --cluster customer"
    assert f"Distrust: Not looked at: {columns}. Add {flags}. For lack of" in printed


@pytest.mark.parametrize("command", [["score"], ["threshold", "--precision", "0.5"]])
def test_score_and_threshold_name_columns_and_the_command_that_takes_them(say, path, command):
    printed = told(say, command[0], path, *COLUMNS, *command[1:])
    assert (
        "Add --cluster customer. sklearn-ap report takes --segment date --segment country."
        in printed
    )
    printed = told(say, command[0], path, *COLUMNS, *command[1:], "--cluster", "customer")
    assert "Not looked at: date (days), country (3 names). sklearn-ap report takes" in printed


def test_columns_that_are_used_are_not_named(say, path):
    used = ("--segment", "date", "--segment", "country", "--cluster", "customer")
    printed = told(say, "report", path, *COLUMNS, *used)
    assert "Not looked at" not in printed
    assert "nothing is known" not in printed


def test_json_has_them_as_records(say, path):
    facts = json.loads(say("report", path, *COLUMNS, "--format", "json"))["facts"]
    (fact,) = [fact for fact in facts if fact["kind"] == "NotLookedAt"]
    assert fact["columns"][1] == {"name": "country", "looks": "names", "n": 3}
    scores = json.loads(say("score", path, *COLUMNS, "--format", "json"))
    assert "Not looked at" not in str(scores)


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_other_formats_name_the_same_columns(say, path, suffix):
    expected = told(say, "score", path, *COLUMNS)
    writers = {"parquet": FRAME.to_parquet, "jsonl": write_lines}
    writers[suffix](f"payments.{suffix}")
    assert told(say, "score", f"payments.{suffix}", *COLUMNS) == expected


def write_lines(path):
    FRAME.to_json(path, orient="records", lines=True)


def test_a_column_that_stands_twice_or_holds_lists_is_left_out(say, tmp_path):
    path = tmp_path / "p.parquet"
    columns = {"label": [0, 1] * 40, "new": range(80), "tags": [[1]] * 80, "site": [*"abcd"] * 20}
    pd.DataFrame(columns).to_parquet(path)
    assert "Not looked at: site (4 names)." in told(say, "score", str(path), *COLUMNS)
    path = tmp_path / "p.csv"
    path.write_text("label,new,a,a\n" + "".join(f"{i % 2},{i},x{i % 2},y\n" for i in range(80)))
    assert "Not looked at" not in told(say, "score", str(path), *COLUMNS)
