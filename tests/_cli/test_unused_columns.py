"""Which columns of a file are named because no flag names them, and with which flags."""

import os
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest

N = 2000
RNG = np.random.default_rng(0)
Y = np.arange(N) % 4 == 0
DAYS = np.datetime_as_string(np.datetime64("2026-01-01") + np.arange(N) // 20)
FRAME = pd.DataFrame(
    {
        "y": Y.astype(int),
        "p": (Y + RNG.normal(size=N)).round(3),
        "paid_on": DAYS,
        "land": np.array(["AT", "DE", "FR"])[np.arange(N) % 3],
        "client": RNG.integers(0, 700, N),
        # None of these is named
        "amount": RNG.gamma(2, 50, N).round(2),
        "id": np.arange(N),
        "is_fraud": np.where(Y, "yes", "no"),
        "one": "x",
    }
)
TEXT = FRAME.to_csv(index=False)
COLUMNS = "--label y --score p"
N_CLIENTS = FRAME.client.nunique()
NAMED = f"paid_on (dates), land (3 values), client ({N_CLIENTS}, repeated)"
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning"),
    pytest.mark.usefixtures("few_halves"),
]


def told(said):
    """What is printed, in one line."""
    return " ".join(said.out.split())


@pytest.fixture
def path(write):
    return write(TEXT)


@pytest.mark.parametrize("command", ["score", "threshold --precision 0.3"])
def test_a_command_names_its_flags_and_those_of_a_report(ask, path, command):
    name, *flags = command.split(" ", 1)
    printed = told(ask(f"{name} {path} {COLUMNS}", *flags))
    assert f"Columns not used: {NAMED}. Add --cluster client. " in printed
    assert "sklearn-ap report takes --segment paid_on --segment land." in printed


def test_a_page_names_columns_until_a_flag_names_them(ask, path):
    flags = "--segment paid_on --segment land --cluster client"
    said = ask(f"report {path} {COLUMNS}")
    assert f"Distrust: Columns not used: {NAMED}. Add {flags}. Without " in told(said)
    said = ask(f"report {path} {COLUMNS} --segment paid_on:month --segment land --cluster client")
    assert "Columns not used" not in said.out


def test_few_numbers_are_segments_only_if_they_are_names(ask, write):
    """They may be the grades of a reader, folds or counts."""
    frame = FRAME.drop(columns=["client", "paid_on"]).assign(reader=np.arange(N) % 5 + 1)
    said = told(ask(f"report {write(frame.to_csv(index=False))} {COLUMNS}"))
    flags = "Add --segment land, and --segment reader if the numbers are names. Without "
    assert f"Columns not used: land (3 values), reader (5 numbers). {flags}" in said
    path = write(frame.drop(columns="land").to_csv(index=False))
    flags = "sklearn-ap report takes --segment reader if the numbers are names."
    assert f"reader (5 numbers). {flags}" in told(ask(f"score {path} {COLUMNS}"))


def test_json_has_records_of_the_columns(ask, path):
    said = ask(f"report {path} {COLUMNS} --segment land --format json")
    expected = [
        {"name": "paid_on", "kind": "dates", "n_values": 100},
        {"name": "client", "kind": "clusters", "n_values": N_CLIENTS},
    ]
    assert said.json["input"]["not_used"] == expected
    (fact,) = [each for each in said.json["results"][0]["facts"] if each["kind"] == "NotUsed"]
    assert fact["columns"] == expected


@pytest.mark.slow
def test_rows_have_one_column_of_clusters(ask, write):
    path = write(FRAME.assign(device=FRAME.client.to_numpy() // 2).to_csv(index=False))
    assert f"client ({N_CLIENTS}, repeated). Add" in told(ask(f"score {path} {COLUMNS}"))
    assert "repeated" not in ask(f"score {path} {COLUMNS} --cluster device").out


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "decimal comma"])
def test_other_formats_name_the_same_columns(ask, write, path, kind):
    more = ""
    if kind == "parquet":
        FRAME.assign(paid_on=pd.to_datetime(FRAME.paid_on)).to_parquet(path := "p.parquet")
    elif kind == "jsonl":
        FRAME.to_json(path := "p.jsonl", orient="records", lines=True)
    else:
        path, more = write(FRAME.to_csv(index=False, sep=";", decimal=",")), "--decimal ,"
    assert f"Columns not used: {NAMED}." in told(ask(f"score {path} {COLUMNS} {more}"))


def test_the_first_rows_of_several_files_are_said(ask, write, path):
    """Of one day in the first file, there may be others."""
    path = write(FRAME[:20].to_csv(index=False), "one.csv")
    rest = write(FRAME[20:].to_csv(index=False), "rest.csv")
    printed = told(ask(f"score {path} {rest} {COLUMNS} --definition AP"))
    assert "Columns not used (by the first 20 rows): paid_on (dates). sklearn-ap" in printed
    assert "Columns not used" not in ask(f"score {path} {COLUMNS} --definition AP").out


def test_columns_that_stand_twice_or_hold_lists_are_not_named(ask, write):
    lines = (f'{{"y": {i % 2}, "p": {i}, "tags": [{i}], "site": "s{i % 3}"}}' for i in range(90))
    path = write("\n".join(lines), "p.jsonl")
    assert "Columns not used" not in ask(f"score {path} {COLUMNS}").out
    path = write("y,p,a,a\n" + "".join(f"{i % 2},{i},x{i % 3},z\n" for i in range(90)))
    assert "Columns not used" not in ask(f"score {path} {COLUMNS}").out


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_columns_are_those_of_the_first_file_with_rows(ask, write, kind):
    write(FRAME.to_csv(index=False), "b.csv")
    write(FRAME[:0].to_csv(index=False), "a.csv")
    FRAME[:0].to_parquet("a.parquet")
    said = ask(f"score a.{kind} b.csv {COLUMNS}")
    assert (said.status, said.err) == (0, "")
    assert f"Columns not used: {NAMED}. " in told(said)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
@pytest.mark.parametrize("command", ["score", "threshold --k 5"])
def test_a_named_pipe_is_read_once(ask, write, command):
    """It would wait for ever for somebody who writes again."""
    rows = FRAME.to_csv(index=False)
    write("")  # into the folder of the pipe
    os.mkfifo("pipe")
    os.symlink("pipe", "link")
    name, *flags = command.split(" ", 1)
    writer = Thread(target=Path("pipe").write_text, args=[rows], daemon=True)
    writer.start()
    said = ask(f"{name} link {COLUMNS}", *flags)
    assert said.status == 0
    assert "Columns not used" not in said.out
