"""The language of the code: names, and the equations that it computes."""

import ast
import io
import re
import tokenize
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

FEW_LINES = 10  # a function of more needs an example
# Numbers that are no example: of equations, years and defaults.
NO_EXAMPLE = re.compile(
    r"\bequations? \d+(?:(?:, | and )\d+)*|\b(?:18|19|20)\d\d\b|\bdefault=\S+", re.I
)


def bound_names(tree):
    """All names that a file gives to functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def functions_without_example(source):
    """The names of functions of more than ten lines of code without a figure in words or comments.

    Lines of docstrings and comments do not count.
    """
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {each.start[0]: each.string for each in tokens if each.type == tokenize.COMMENT}
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef):
            continue
        docstring = ast.get_docstring(node) or ""
        body = node.body[1:] if docstring else node.body
        inside = range(body[0].lineno, node.end_lineno + 1) if body else ()
        code = [i for i in inside if lines[i - 1].partition("#")[0].strip()]
        words = [docstring, *(comments.get(i, "") for i in range(node.lineno, node.end_lineno + 1))]
        if len(code) > FEW_LINES and not re.search(r"\d", NO_EXAMPLE.sub("", " ".join(words))):
            yield node.name


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


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "_uncertainty").glob("*.py")), ids=lambda path: path.stem
)
def test_long_functions_of_the_engine_show_an_example(path):
    assert [*functions_without_example(path.read_text())] == []


def test_a_number_of_an_equation_is_no_example():
    lines = "    x = 0\n" * 11
    without = f'def f():\n    """Equation 16 (Kish 1965)."""\n{lines}'
    assert [*functions_without_example(without)] == ["f"]
    assert not [*functions_without_example(without + "    x = 1  # [1, 2] -> 3\n")]
