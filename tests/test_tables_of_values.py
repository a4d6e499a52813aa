"""Every number in a table of the README and of the pages is computed anew and compared.

A table with decimal numbers that no reader below knows is a failure, and so is a row that its
reader does not understand. Numbers in the output of code are compared by doctest, and those of the
command line by its own tests.
"""

import re

import numpy as np
import pytest
from pages import DOCS, tables

import sklearn_ap
from sklearn_ap import definitions, threshold_counts
from sklearn_ap._cli.example import Y_SCORE, Y_TRUE

COUNTS = threshold_counts(Y_TRUE, Y_SCORE)
PAGES = {path.name: path.read_text() for path in (DOCS.parent / "README.md", *DOCS.glob("*.md"))}
# Scripts write these pages. Of compat.md and speed.md a test compares the whole page; the others
# hold what was measured in minutes or hours.
WRITTEN = {"compat.md", "evidence.md", "large_speed.md", "speed.md", "tools.md"}
DECIMAL = re.compile(r"[-+]?\d*\.\d+%?")


def value_of(call):
    """The value of a call as the README writes it: the predictions or the counts are left out."""
    public = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    known = public | {"counts": COUNTS}
    if not call.endswith("(counts)"):
        call = call.replace("(", f"({Y_TRUE}, {Y_SCORE}, ")
    return float(np.ravel(eval(call, known))[0])


def check_scores(rows):
    """The definitions of the README."""
    for call, _, value in rows:
        assert re.fullmatch("`.+`", call), (
            f"the first cell of a row is a call in backticks, got {call}"
        )
        assert value == f"{value_of(call.strip('`')):.3f}", call


def check_definitions(rows):
    """The six numbers of the start page."""
    meant = {
        "step": definitions.Step(),
        "straight lines": definitions.Linear(),
        "interpolated": definitions.Interpolated(),
        "eleven points": definitions.Interpolated(recall_levels=11),
        "mean over tie orders": definitions.Expected(),
        "at 3": definitions.AtK(k=3),
    }
    found = {name: value for name, value, _ in rows}
    assert found == {name: f"{definition(COUNTS)[0]:.3f}" for name, definition in meant.items()}


def check_predictions(rows):
    """Ten predictions; their scores are the head of the table."""
    scores, labels = rows
    assert scores == ["score", *map(str, Y_SCORE)]
    assert labels == ["**label**", *map(str, Y_TRUE)]


# By page and head of the table. One whose head has numbers is known by its first cell.
READERS = {
    ("README.md", "function | what it is | value"): check_scores,
    ("index.md", "score"): check_predictions,
    ("index.md", "definition | AP | used by"): check_definitions,
}


def tables_of_values(page):
    """What each table with a decimal number is known by, and its rows."""
    # Benchmarks write tables of what they measured.
    text = re.sub("<!-- written by .*?<!-- until here -->", "", PAGES[page], flags=re.DOTALL)
    for head, *rows in tables(text):
        if any(map(DECIMAL.fullmatch, head)):
            yield (page, head[0]), [head, *rows]
        elif any(DECIMAL.fullmatch(cell) for row in rows for cell in row):
            yield (page, " | ".join(head)), rows


FOUND = dict(table for page in PAGES if page not in WRITTEN for table in tables_of_values(page))


def test_every_table_of_values_has_a_reader_and_every_reader_a_table():
    unread = set(FOUND) - set(READERS)
    assert not unread, f"no reader in READERS for {unread}"
    assert set(FOUND) == set(READERS)


@pytest.mark.parametrize("table", READERS, ids=" ".join)
def test_every_number_of_a_table_is_right(table):
    READERS[table](FOUND[table])


def test_the_predictions_of_the_readme_are_those_of_the_command_line():
    assert f"`y_true = {[*Y_TRUE]}`" in PAGES["README.md"]
    assert f"`y_score = {[*Y_SCORE]}`" in PAGES["README.md"]
