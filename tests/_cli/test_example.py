"""What is printed without a command."""

import json
import re
import subprocess
import sys

import pytest

import sklearn_ap
from sklearn_ap import definitions
from sklearn_ap._cli.example import Y_SCORE, Y_TRUE, rows


class TestExample:
    """What is printed without a command."""

    def test_it_prints_every_definition_with_its_value(self, say):
        printed = say()
        assert str(list(Y_TRUE)) in printed
        assert str(list(Y_SCORE)) in printed
        for title, definition, value in rows():
            line = rf"  {value:.3f}  {re.escape(title)} +{re.escape(repr(definition))}\n"
            assert re.search(line, printed)

    def test_the_calls_that_it_prints_give_the_values_that_it_prints(self):
        counts = sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE)
        for _, definition, value in rows():
            assert eval(repr(definition), vars(definitions))(counts)[0] == value

    def test_every_definition_is_there_and_the_first_is_that_of_scikit_learn(self):
        kinds = [type(definition).__name__ for _, definition, _ in rows()]
        assert {*kinds} == {*definitions.__all__} - {"Definition", "Heights"}
        assert kinds[0] == "Step"

    def test_it_is_short(self, say):
        assert len(say().splitlines()) <= 35

    def test_its_file_holds_the_same_predictions_and_gives_the_same_values(self, say, write):
        (score,) = (line for line in say().splitlines() if "sklearn-ap score" in line)
        path = write(say("example"), "predictions.csv")
        arguments = [path if word == "predictions.csv" else word for word in score.split()[1:]]
        found = json.loads(say(*arguments, "--format", "json"))
        values = {row["definition"]: row["value"] for row in found["results"]}
        assert values == {repr(each): pytest.approx(value) for _, each, value in rows()}

    def test_it_fits_a_terminal(self, say):
        assert max(map(len, say().splitlines())) <= 80

    @pytest.mark.slow
    def test_it_runs_as_a_module(self):
        run = subprocess.run(
            [sys.executable, "-m", "sklearn_ap"], capture_output=True, text=True, check=True
        )
        assert "step AP" in run.stdout
        assert not run.stderr

    @pytest.mark.slow
    def test_it_needs_no_extra(self):
        code = (
            "import sys; sys.modules.update(dict.fromkeys(('pyarrow', 'tqdm', 'matplotlib')))\n"
            "from sklearn_ap.__main__ import main; main([])"
        )
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert "step AP" in run.stdout
