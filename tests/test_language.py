"""The language of the code: names, the equations that it computes, and constants of simulations."""

import ast
import inspect
import re
from collections import Counter
from pathlib import Path

import pytest

import sklearn_ap
from sklearn_ap._uncertainty.former import tuned_constants

PACKAGE = Path(sklearn_ap.__file__).parent
ROOT = PACKAGE.parent
TREES = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
METHODS = (ROOT / "docs" / "methods.md").read_text()
# Those of the former engine, and all others. The first of two in a line has no tag.
FORMER = re.findall(r"\\tag\{(B\d+)\}", METHODS)
ENGINE = re.findall(r"\\tag\{(\d+)\}|\\quad \((\d+)\)|by negatives \((\d+)\)", METHODS)
EQUATIONS = [*map("".join, ENGINE), *FORMER]
PREPOSITION = re.compile(r"_?(of|by|in|if|at|with|without|on|per|for)_")
# Names that users know, or that English has.
ENGLISH = {
    "at_prevalence",
    "at_start",
    "at_threshold",
    "by_chance",
    "by_query",
    "of_class",
    "without_effect",
}
CONSTANTS = [name for name in vars(tuned_constants) if name.isupper()]


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
    """The numbers of equations that a docstring names, as "Equation 5" or "Equations B5 and B6"."""
    pattern = r"\bequations? (B?\d+(?:(?:, | and )B?\d+(?![.\d]\d))*)"
    lists = re.findall(pattern, docstring or "", re.IGNORECASE)
    return [number for each in lists for number in re.findall(r"B?\d+", each)]


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
    assert len(set(FORMER)) == len(FORMER)  # with gaps, as rooms leave the former engine
    numbers = sorted(int(number) for number in EQUATIONS if number not in FORMER)
    assert [*range(1, len(numbers) + 1)] == numbers


def test_docstrings_name_every_equation_and_no_other():
    assert named_equations() == set(EQUATIONS)


@pytest.mark.parametrize("name", CONSTANTS)
def test_tuned_constant_has_its_reason_and_its_command(name):
    source = inspect.getsource(tuned_constants)
    blocks = source.partition(f"\n{name} = ")[0].split("\n\n")
    assert blocks[-1].startswith("# "), "no reason"
    section = next(block for block in reversed(blocks) if "(sklearn_ap." in block)
    comments = f"{section}\n{blocks[-1]}".replace("\n# ", " ")
    scripts = re.findall(r"(?:benchmarks|tests/helpers)/\w+\.py", comments)
    assert scripts or "There is no script" in comments
    assert all((ROOT / script).exists() for script in scripts)


def test_tuned_constants_have_one_value_in_the_package():
    assigned = Counter(
        target.id
        for path, tree in TREES.items()
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    )
    assert [name for name in CONSTANTS if assigned[name] > 1] == []
