"""The numbers in tables of the README and of the start page are computed anew and compared.

Numbers in the output of code are compared by doctest, and those of the command line by its own
tests.
"""

import numpy as np
from every import every
from pages import DOCS, tables

import sklearn_ap
from sklearn_ap import definitions, threshold_counts
from sklearn_ap._cli.commands import Y_SCORE, Y_TRUE

COUNTS = threshold_counts(Y_TRUE, Y_SCORE)
README = (DOCS.parent / "README.md").read_text()
TABLES = {" | ".join(head): rows for head, *rows in tables(README)}
START = {head[0]: rows for head, *rows in tables((DOCS / "index.md").read_text())}


@every(("call", "what", "value"), TABLES["function | what it is | value"])
def test_the_definitions_of_the_readme(call, what, value):
    public = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    call = call.strip("`")
    if not call.endswith("(counts)"):
        call = call.replace("(", f"({Y_TRUE}, {Y_SCORE}, ")
    found = float(np.ravel(eval(call, public | {"counts": COUNTS}))[0])
    assert value == f"{found:.3f}", call


def test_the_six_numbers_of_the_start_page():
    meant = {
        "step": definitions.Step(),
        "straight lines": definitions.Linear(),
        "interpolated": definitions.Interpolated(),
        "eleven points": definitions.Interpolated(recall_levels=11),
        "mean over tie orders": definitions.Expected(),
        "at 3": definitions.AtK(k=3),
    }
    found = {name: value for name, value, _ in START["definition"]}
    assert found == {name: f"{definition(COUNTS)[0]:.3f}" for name, definition in meant.items()}


def test_the_predictions_of_the_pages_are_those_of_the_command_line():
    assert f"`y_true = {[*Y_TRUE]}`" in README
    assert f"`y_score = {[*Y_SCORE]}`" in README
    assert START["score"] == [["**label**", *map(str, Y_TRUE)]]
