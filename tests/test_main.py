"""The command line."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap.__main__ import Y_SCORE, Y_TRUE, main, rows


def test_it_prints_every_definition_with_its_value(capsys):
    main([])
    printed = capsys.readouterr().out
    assert str(list(Y_TRUE)) in printed
    assert str(list(Y_SCORE)) in printed
    for text, call, value in rows():
        assert f"{value:.3f}  {text:<24}  {call}\n" in printed


def test_the_calls_that_it_prints_give_the_values_that_it_prints():
    for _, call, value in rows():
        if not call.startswith("definitions."):
            call = call.replace("(", "(y_true, y_score, ")
        counts = sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE)
        names = {"y_true": Y_TRUE, "y_score": Y_SCORE, "counts": counts}
        assert float(np.ravel(eval(call, vars(sklearn_ap) | names))[0]) == value


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "sklearn_ap"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "step_average_precision_score" in run.stdout
    assert not run.stderr


def test_what_it_does_not_know_is_an_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--format", "text"])
    assert stop.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


def test_the_table_of_the_readme_has_the_same_definitions_and_values():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    assert f"`y_true = {list(Y_TRUE)}`" in readme
    assert f"`y_score = {list(Y_SCORE)}`" in readme
    table = re.findall(r"^\| `(.+)` \| .* \| (\d\.\d{3}) \|$", readme, re.MULTILINE)
    assert table == [(call, f"{value:.3f}") for _, call, value in rows()]
