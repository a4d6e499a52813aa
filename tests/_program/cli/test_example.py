"""What is printed without a command."""

import json
import re
import subprocess
import sys

import pytest

from sklearn_ap import definitions
from sklearn_ap._program.cli.commands import Y_SCORE, Y_TRUE, rows


def test_example_prints_every_definition_with_its_value_on_short_lines(say):
    printed = say()
    assert all(str([*each]) in printed for each in (Y_TRUE, Y_SCORE))
    lines = [rf"  {v:.3f}  {re.escape(t)} +{re.escape(repr(d))}\n" for t, d, v in rows()]
    assert re.search(".*".join(lines), printed, re.DOTALL)
    kinds = [type(definition).__name__ for _, definition, _ in rows()]
    assert {*kinds} == {*definitions.__all__} - {"Definition", "ReciprocalRank"}
    assert max(map(len, printed.splitlines())) <= 80


def test_printed_command_on_the_example_file_gives_the_same_values(say, write):
    (score,) = (line for line in say().splitlines() if "sklearn-ap score" in line)
    path = write(say("example"), "predictions.csv")
    arguments = [path if word == "predictions.csv" else word for word in score.split()[1:]]
    found = json.loads(say(*arguments, "--format", "json"))
    values = {row["definition"]: row["value"] for row in found["results"]}
    assert values == {repr(each): pytest.approx(value) for _, each, value in rows()}


@pytest.mark.slow
def test_example_runs_as_a_module_without_extras():
    code = (
        "import runpy, sys\n"
        "sys.modules.update(dict.fromkeys(('pyarrow', 'tqdm', 'matplotlib')))\n"
        "runpy.run_module('sklearn_ap', run_name='__main__')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ("step AP" in run.stdout, run.stderr) == (True, "")
