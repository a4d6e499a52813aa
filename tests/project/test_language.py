"""Pages about the code name its equations, files and names."""

import ast
import re
from pathlib import Path

import pytest

import sklearn_ap
from tests.helpers.syntax import tree_of

PACKAGE = Path(sklearn_ap.__file__).parent
ROOT = PACKAGE.parent
TREES = {path: tree_of(path) for path in sorted(PACKAGE.rglob("*.py"))}
METHODS = (ROOT / "docs" / "methods.md").read_text()
# The first of two in a line has no tag.
ENGINE = re.findall(r"\\tag\{(\d+)\}|\\quad \((\d+)\)", METHODS)
EQUATIONS = [*map("".join, ENGINE)]


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


def test_equations_are_numbered_by_place():
    assert [*map(str, range(1, len(EQUATIONS) + 1))] == EQUATIONS


def test_docstrings_name_no_equation_that_the_page_lacks():
    assert named_equations() <= set(EQUATIONS)


@pytest.fixture(scope="module")
def code():
    """The paths of all files, and what those hold that have names."""
    folders = (ROOT / name for name in ("sklearn_ap", "tests", "benchmarks", "docs", ".ci"))
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    read = [ROOT / "pyproject.toml", *(path for path in files if path.suffix in (".py", ".tsv"))]
    return "\n".join([*map(str, files), *(path.read_text() for path in read)])


@pytest.mark.parametrize("page", ["contributing", "design", "extending", "methods"])
def test_each_name_of_code_exists(page, code):
    """A file to be written has "name" for its name, and methods.md says ``_u`` for a folder."""
    text = (ROOT / "docs" / f"{page}.md").read_text().replace("_u/", "_uncertainty/")
    names = re.findall(r"`([\w./]+)`", re.sub(r"(?ms)^ *```.*?^ *```$", "", text))
    chosen = re.compile(r"(?i).*(/|_)name\.|v?\d")  # by who writes the file, and by a release
    names = {name for name in names if not chosen.match(name)}
    # A pattern that begins with its letters is searched faster than one that looks behind first.
    patterns = {name: rf"{re.escape(name)}(?<!\w{re.escape(name)})" for name in names}
    assert not [name for name, pattern in patterns.items() if not re.search(pattern, code)]
