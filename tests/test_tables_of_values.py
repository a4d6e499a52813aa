"""The numbers in tables of the README are computed anew and compared.

Numbers in the output of code are compared by doctest, and those of the command line by its own
tests.
"""

import re

import pytest
from pages import DOCS, blocks, tables
from registry import SCORES

import sklearn_ap
from sklearn_ap._program.cli.commands import Y_SCORE, Y_TRUE

README = (DOCS.parent / "README.md").read_text()
TABLES = {" | ".join(head): rows for head, *rows in tables(README)}
REASONS = "with `sklearn.metrics` alone | with `sklearn_ap`"
WHY = "why_not_sklearn.md"
SCORES_OF_README = TABLES["score | value | why it differs"]


@pytest.mark.parametrize(("call", "value", "reason"), SCORES_OF_README)
def test_the_scores_of_the_readme(call, value, reason):
    public = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    found = eval(call.strip("`").replace("(", f"({Y_TRUE}, {Y_SCORE}, "), public)
    assert value == f"{found:.3f}", call


def test_the_readme_has_a_row_for_each_score():
    named = {call.strip("`").partition("(")[0] for call, *_ in SCORES_OF_README}
    assert named == {*SCORES} - {"step_average_precision_score"}


def test_readme_and_command_line_use_the_same_predictions():
    assert f">>> y_true = {[*Y_TRUE]}" in README
    assert f">>> y_score = {[*Y_SCORE]}" in README


def test_readme_and_start_page_give_the_same_reasons():
    start = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", (DOCS / "index.md").read_text())
    (reasons,) = (rows for head, *rows in tables(start) if " | ".join(head) == REASONS)
    assert reasons == TABLES[REASONS]


def numbers(text):
    return {float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)}


def test_numbers_of_the_start_page_are_printed_where_their_links_lead():
    printed = {}
    for heading in re.findall(r"^## (.*)$", (DOCS / WHY).read_text(), re.MULTILINE):
        anchor = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        code = "".join(blocks(WHY, heading))
        printed[anchor] = numbers(re.sub(r"^(>>>|\.\.\.) .*$", "", code, flags=re.MULTILINE))
    links = re.findall(rf"\[([^]]*)\]\({WHY}#(.*?)\)", (DOCS / "index.md").read_text())
    assert len(links) == 6
    for text, anchor in links:
        assert numbers(text) <= printed[anchor], text
