"""Methods by several training runs: sklearn-ap score and compare with --runs."""

import json

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_interval, compare_average_precision

Y = (np.arange(200) < 30).astype(int)
LABEL = ("--label", "y")


def frame(n_runs=5):
    rng, columns = np.random.default_rng(0), {"y": Y}
    of_rows = rng.normal(size=200)
    for name, d in {"a": 1.5, "b": 2.0}.items():
        for k in range(n_runs):
            score = (d + 0.2 * rng.normal()) * Y + of_rows + 0.3 * rng.normal(size=200)
            columns[f"{name}_{k}"] = score.round(4)
    return pd.DataFrame(columns)


RUNS = {name: [f"{name}_{k}" for k in range(5)] for name in "ab"}


@pytest.fixture
def path(tmp_path):
    frame().to_csv(tmp_path / "runs.csv", index=False)
    return str(tmp_path / "runs.csv")


@pytest.mark.parametrize("command", ["score", "compare"])
@pytest.mark.parametrize(
    "said",
    [
        ["--runs", "a_*", "--runs", "b_*"],
        ["--runs", "a=a_0,a_1,a_2,a_3,a_4", "--runs", "b=b_*"],
        ["--runs", "a_[0-2],a_3,a_4", "--runs", "b_0,b_1,b_2,b_[34]"],
    ],
)
def test_runs_given_by_name_or_pattern_are_compared(say, path, command, said):
    more = ["--definition", "AP"] if command == "score" else []
    printed = say(command, path, *LABEL, *said, *more)
    assert str(compare_average_precision(Y, frame(), runs=RUNS)) in printed


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "feather"])
def test_runs_are_found_in_files_of_any_format(say, tmp_path, kind):
    pytest.importorskip("pyarrow")
    path, table = tmp_path / f"runs.{kind}", frame()
    if kind == "jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        getattr(table, f"to_{kind}")(path)
    said = ["--runs", "A=a_*", "--definition", "AP", "--format", "json"]
    (row,) = json.loads(say("score", str(path), *LABEL, *said))["results"]
    found = average_precision_interval(Y, table, runs=RUNS["a"])
    assert (row["value"], row["low"], row["high"]) == (found.estimate, found.low, found.high)
    assert row["runs_standard_error"] == found.runs_standard_error
    assert row["n_runs"] == 5


def test_score_of_one_method_prints_row_and_run_errors(say, path):
    printed = say("score", path, *LABEL, "--runs", "a_*", "--definition", "AP")
    found = average_precision_interval(Y, frame(), runs=RUNS["a"])
    parts = f"{found.rows_standard_error:.3f} of rows, {found.runs_standard_error:.3f} of 5 runs"
    assert f"step AP, std. error {parts}" in printed


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ([], "pass --score or --runs"),
        (["--runs", "a_*", "--score", "a_0"], "pass --score or --runs, not both"),
        (["--runs", "c_*"], "no column is like c_*. There are 'y', 'a_0'"),
        (["--runs", "a_0,a_1"], "two runs say too little of other runs"),
        (["--runs", "A=a_0"], "one run says too little of other runs"),
        (["--runs", "A="], "names no column"),
        (["--runs", "a_*", "--runs", "a_*"], "two methods are called 'a'"),
        (["--runs", "a_*", "--runs", "B=a_0,a_1,b_2"], "column 'a_0' is a run twice"),
    ],
)
@pytest.mark.parametrize("command", ["score", "compare"])
def test_wrong_runs_are_refused(refuse, path, command, said, text):
    assert text in refuse(command, path, *LABEL, *said)


def test_column_patterns_are_refused_for_a_pipe(refuse):
    assert "a pipe is read once" in refuse("score", "-", *LABEL, "--runs", "a_*")


def test_near_is_refused_with_runs(refuse, path):
    said = ["--runs", "a_*", "--near", "0.5"]
    assert "--near asks about one number" in refuse("compare", path, *LABEL, *said)
