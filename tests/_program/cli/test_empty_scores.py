"""--empty-scores left-out: rows without a score are as if they were not in the file."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from predictions_file import HINT, packed

from sklearn_ap.__main__ import main

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N = 240
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.4).astype(int)
FRAME = pd.DataFrame(
    {
        "y": Y,
        "p": (Y + RNG.normal(size=N)).round(3),
        "r": (2 * Y + RNG.normal(size=N)).round(3),
        "w": RNG.integers(1, 4, N),
        "g": RNG.integers(0, 12, N),
        "c": RNG.integers(0, 60, N),
    }
)
EMPTY = {"p": [0, 5, 100, N - 1], "r": [5, 6]}
OPTION = "--empty-scores", "left-out"
ONE, TWO = ("--label", "y", "--score", "p"), ("--label", "y", "--score", "p", "--score", "r")
BY_G, WEIGHTED, CLUSTERED = ("--query", "g"), ("--weight", "w"), ("--cluster", "c")
STEP = "--definition", "AP"


def frame(columns=("p",)):
    """The rows, some without a score, and the others alone."""
    whole, lacking = FRAME.astype(dict.fromkeys("pr", object)), set()
    for name in columns:
        whole.loc[EMPTY[name], name] = None
        lacking |= {*EMPTY[name]}
    return whole, FRAME.drop(index=lacking)


def to_csv(table, empty=""):
    return table.to_csv(index=False, na_rep=empty)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", *ONE, *STEP),
        ("score", *ONE, *STEP, *BY_G, *WEIGHTED),
        ("score", *ONE, *STEP, *CLUSTERED, "--prevalence", "0.1"),
        ("score", *ONE, *STEP, "--inclusion-probability", "equal"),
        ("score", *TWO, *STEP, *BY_G),
        ("chance", *ONE, *BY_G),
        ("compare", *ONE, *WEIGHTED),
        ("compare", *TWO, *CLUSTERED),
        ("threshold", *ONE, "--recall", "0.8", *CLUSTERED),
        ("threshold", *TWO, "--precision", "0.6", *WEIGHTED),
        ("segments", *ONE, "--segment", "g", *CLUSTERED),
    ],
)
def test_rows_without_a_score_do_not_change_the_answer(capsys, write, arguments):
    whole, others = frame("pr" if "r" in arguments else "p")
    command, *rest = arguments

    def rows(table, *more, empty=""):
        assert main([command, write(to_csv(table, empty)), *rest, *more, "--format", "json"]) == 0
        printed = capsys.readouterr()
        return json.loads(printed.out), " ".join(printed.err.split())

    expected, nothing = rows(others)
    assert "left out" not in nothing
    assert rows(others, *OPTION) == (expected, nothing)
    for empty in ("", "NA", "nan", "NaN", "  "):
        found, said = rows(whole, *OPTION, empty=empty)
        assert found == expected, empty
        assert f"warning: rows without a score are left out: {N - len(others)}" in said, empty


@pytest.mark.parametrize("text", ["NA", "NaN", "nan"])
def test_error_for_a_spelled_out_missing_score_names_the_option(refuse, write, text):
    said = refuse("score", write(f"y,p\n1,0.5\n0,{text}\n"), *ONE)
    hint = f"{HINT}, or pass --empty-scores left-out"
    assert said == f"row 3, column 'p': '{text}' is not a number{hint}"
    assert refuse("score", write("y,p\n1,0.5\n0,x\n"), *ONE).endswith("'x' is not a number")


@pytest.mark.parametrize("tool", ["xgboost.aucpr", "cornac.MAP"])
def test_explain_leaves_out_rows_without_a_score(capsys, refuse, write, tool):
    whole, others = frame()
    path = write(to_csv(whole))
    said = refuse("explain", tool, path, *ONE)
    assert said == f"row 2, column 'p' is empty{HINT}, or pass --empty-scores left-out"
    assert main(["explain", tool, path, *ONE, *OPTION]) == 0
    found = capsys.readouterr().out
    assert main(["explain", tool, write(to_csv(others)), *ONE]) == 0
    assert found == capsys.readouterr().out


def test_report_leaves_out_rows_without_a_score(capsys, write):
    texts = []
    for table in frame("pr"):
        assert main(["report", write(to_csv(table)), *TWO, "--segment", "g", *OPTION]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_files_of_each_format_may_lack_scores(capsys, write):
    """Integers beyond 2**53 stay as they are, although floats would hold what is missing."""
    huge = [2**53 + 1, None, 2**53, 2**53 - 1]
    files = {
        "a.parquet": packed(pa.table({"y": [1, 0, 0, 1], "p": huge})),
        "b.parquet": packed(pa.table({"y": [1, 0, 0, 1], "p": [0.9, np.nan, 0.8, 0.7]})),
        "c.jsonl": "".join(
            f'{{"y": {y}, "p": {p}}}\n' for y, p in ((1, 0.9), (0, "null"), (0, 0.8), (1, 0.7))
        ),
        "d.csv": "y,p\n1,0.9\n\n0,\n0,0.8\n1,0.7\n",
    }
    for name, content in files.items():
        assert main(["score", write(content, name), *ONE, *STEP, *OPTION]) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("3 rows, 2 positive"), name
        assert "0.833 " in printed.out, name
        assert "rows without a score are left out: 1" in " ".join(printed.err.split()), name


def test_other_faults_are_still_named_with_the_option(refuse, write):
    path = write("y,p\n1,\n0,x\n1,0.5\n")
    said = refuse("score", path, *ONE, *OPTION)
    assert said == "row 3, column 'p': 'x' is not a number"
    path = write("y,p\n1,\n,\n1,NA\n")
    assert refuse("score", path, *ONE, *OPTION) == "no row has a score"
    assert "no column 'q'" in refuse("score", path, "--label", "y", "--score", "q", *OPTION)
