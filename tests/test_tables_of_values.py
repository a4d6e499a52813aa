"""The numbers in tables of the README are computed anew and compared.

Numbers in the output of code are compared by doctest, and those of the command line by its own
tests.
"""

import numpy as np
from every import every
from pages import DOCS, tables

import sklearn_ap
from sklearn_ap import threshold_counts
from sklearn_ap._cli.commands import Y_SCORE, Y_TRUE

COUNTS = threshold_counts(Y_TRUE, Y_SCORE)
README = (DOCS.parent / "README.md").read_text()
TABLES = {" | ".join(head): rows for head, *rows in tables(README)}


@every(("call", "what", "value"), TABLES["function | what it is | value"])
def test_the_definitions_of_the_readme(call, what, value):
    public = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    call = call.strip("`")
    if not call.endswith("(counts)"):
        call = call.replace("(", f"({Y_TRUE}, {Y_SCORE}, ")
    found = float(np.ravel(eval(call, public | {"counts": COUNTS}))[0])
    assert value == f"{found:.3f}", call


def test_the_predictions_of_the_pages_are_those_of_the_command_line():
    assert f"`y_true = {[*Y_TRUE]}`" in README
    assert f"`y_score = {[*Y_SCORE]}`" in README
    start = (DOCS / "index.md").read_text()
    assert f"images = {[*Y_TRUE]}" in start
    assert f"score = {[*Y_SCORE]}" in start
