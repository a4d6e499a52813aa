"""The language of the code: names, and the equations that it computes."""

import ast
import re
from pathlib import Path

import pytest

import sklearn_ap

PACKAGE = Path(sklearn_ap.__file__).parent
ROOT = PACKAGE.parent
TREES = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
METHODS = (ROOT / "docs" / "methods.md").read_text()
# The first of two in a line has no tag.
ENGINE = re.findall(r"\\tag\{(\d+)\}|\\quad \((\d+)\)|by negatives \((\d+)\)", METHODS)
EQUATIONS = [*map("".join, ENGINE)]
PREPOSITION = re.compile(r"_?(of|by|in|if|at|with|without|on|per|for)_")
# Names that users know, or that English has.
ENGLISH = {
    "at_prevalence",
    "at_start",
    "at_threshold",
    "by_chance",
    "by_query",
    "of_class",
}


def bound_names(tree):
    """All names that a file gives to functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def equations_of(docstring):
    """The numbers of equations that a docstring names, as "Equation 5" or "Equations 5 and 6"."""
    pattern = r"\bequations? (\d+(?:(?:, | and )\d+(?![.\d]\d))*)"
    lists = re.findall(pattern, docstring or "", re.IGNORECASE)
    return [number for each in lists for number in re.findall(r"\d+", each)]


def named_equations():
    """The numbers of all equations that docstrings of functions and classes name."""
    return {
        number
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        for number in equations_of(ast.get_docstring(node))
    }


@pytest.mark.parametrize("path", TREES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_names_do_not_begin_with_a_preposition(path):
    names = {name for name in bound_names(TREES[path]) if PREPOSITION.match(name)}
    assert names <= ENGLISH


def test_each_equation_has_a_number():
    numbers = sorted(map(int, EQUATIONS))
    assert [*range(1, len(numbers) + 1)] == numbers


def test_docstrings_name_every_equation_and_no_other():
    assert named_equations() == set(EQUATIONS)
