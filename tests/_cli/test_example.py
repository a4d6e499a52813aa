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
    def test_it_prints_every_definition_with_its_value_in_few_short_lines(self, say):
        printed = say()
        assert str(list(Y_TRUE)) in printed
        assert str(list(Y_SCORE)) in printed
        counts, places = sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE), []
        for title, definition, value in rows():
            line = rf"  {value:.3f}  {re.escape(title)} +{re.escape(repr(definition))}\n"
            places.append(re.search(line, printed).start())
            assert eval(repr(definition), vars(definitions))(counts)[0] == value
        assert places == sorted(places)
        kinds = [type(definition).__name__ for _, definition, _ in rows()]
        assert {*kinds} == {*definitions.__all__} - {"Definition", "Heights"}
        assert kinds[0] == "Step"  # that of scikit-learn
        assert len(printed.splitlines()) <= 35
        assert max(map(len, printed.splitlines())) <= 80

    def test_its_file_holds_the_same_predictions_and_gives_the_same_values(self, say, write):
        (score,) = (line for line in say().splitlines() if "sklearn-ap score" in line)
        path = write(say("example"), "predictions.csv")
        arguments = [path if word == "predictions.csv" else word for word in score.split()[1:]]
        found = json.loads(say(*arguments, "--format", "json"))
        values = {row["definition"]: row["value"] for row in found["results"]}
        assert values == {repr(each): pytest.approx(value) for _, each, value in rows()}

    @pytest.mark.slow
    def test_it_runs_as_a_module_and_needs_no_extra(self):
        code = (
            "import runpy, sys\n"
            "sys.modules.update(dict.fromkeys(('pyarrow', 'tqdm', 'matplotlib')))\n"
            "runpy.run_module('sklearn_ap', run_name='__main__')"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert ("step AP" in run.stdout, run.stderr) == (True, "")
