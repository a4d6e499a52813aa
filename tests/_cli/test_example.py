"""What is printed without a command."""

import re
import subprocess
import sys

import pytest

import sklearn_ap
from sklearn_ap import compat, definitions
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

    def test_it_has_the_cutoffs_and_all_tools(self, say):
        printed = say()
        assert "    1    0.9       yes      1.000   0.200\n" in printed
        assert "   10    0.1       yes      0.500   1.000\n" in printed
        for entry in compat.conventions():
            assert entry.name in printed

    def test_the_precision_that_it_explains_is_the_one_that_it_prints(self, say):
        assert "    2    0.8       yes      0.750   0.300\n" in say()
        assert "a precision of .750" in say()

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
