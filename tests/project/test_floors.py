"""The floors of the package: which folder imports which, and which files are doors to others."""

import ast
import importlib
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap
from tests.helpers.pages import tables
from tests.helpers.syntax import nodes_of, tree_of

PACKAGE = Path(sklearn_ap.__file__).parent
FILES = {path: path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))}
MODULES = {
    ".".join(place.with_suffix("").parts).removesuffix("__init__").rstrip("."): path
    for path, place in FILES.items()
}
# The entry to all others: what users import, and the program.
ENTRANCE = {"__init__.py", "__main__.py"}
# From the ground: no import goes up.
FLOORS = (
    {"_version.py", "_errors.py", "_types.py", "_extras.py", "_arithmetic.py"},
    {"_writing"},
    {"_results"},
    {"_inputs"},
    {"_counts"},
    {"definitions"},
    {"_scoring.py", "_reversed.py"},
    {"_uncertainty"},
    {"inference"},
    {"metrics.py", "scorers.py", "displays"},
    {"compat"},
    {"_files"},
    {"retrieval", "detections", "large"},
    {"_report"},
    {"_cli"},
    ENTRANCE,
)
# A file without an underscore that is not public: its names live in it, but users import them from
# the package.
NO_ADDRESS = {"displays", "inference", "metrics.py", "scorers.py"}
# What other folders import from files with an underscore. A public folder has no other files, and
# its __init__ holds names of users alone.
BEHIND_A_PUBLIC_FOLDER = {
    "definitions._at_k.Normalizer",
    "definitions._at_k.share_within",
    "definitions._base.Influence",
    "definitions._interpolated.levels_gained",
    "definitions._conventions.USUAL_K",
    "definitions._conventions.conventions",
    "definitions._conventions.definition_name",
    "definitions._spellings.find_definition",
    "definitions._spellings.is_area",
    "definitions._mistaken_names.near_names",
    "definitions._spellings.read_definition",
    "definitions._prevalence.at_prevalence",
}

# Attributes that other rooms read: of tuples with names, and of Python.
PRIVATE_OF_OTHERS = {"_asdict", "_fields", "_replace", "_exit", "_getframe"}


@cache
def imports(path):
    """All that a file imports, inside functions, too."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@cache
def inner_imports():
    """Every file, the file of ours that it imports from, and the name that it imports."""
    found = []
    for path in FILES:
        for name in imports(path):
            package, _, inner = name.partition(".")
            if package == "sklearn_ap":
                module = inner if inner in MODULES else inner.rpartition(".")[0]
                found.append((path, MODULES[module], inner))
    return found


def arrows(room_of):
    """Which rooms each room imports."""
    below = defaultdict(set)
    for path, target, _ in inner_imports():
        if room_of(path) != room_of(target):
            below[room_of(path)].add(room_of(target))
    return below


def entry(path):
    """What ``ls sklearn_ap`` shows."""
    return FILES[path].parts[0]


def folder(path):
    """The folder of a file; a file that is in none is its own."""
    return str(FILES[path] if len(FILES[path].parts) == 1 else FILES[path].parent)


@pytest.mark.parametrize("room_of", [entry, folder])
def test_folders_do_not_import_each_other_in_a_circle(room_of):
    *_, top = TopologicalSorter(arrows(room_of)).static_order()  # a CycleError names the circle
    assert top in ("__main__.py", "_cli")


def test_no_import_goes_up():
    floor_of = {name: floor for floor, names in enumerate(FLOORS) for name in names}
    up = [
        f"{FILES[path]} imports {name}"
        for path, target, name in inner_imports()
        if entry(target) not in ENTRANCE and floor_of[entry(target)] > floor_of[entry(path)]
    ]
    assert not up


def test_the_design_page_shows_the_floors():
    page = (PACKAGE.parent / "docs" / "design.md").read_text().partition("| folder |")[2]
    rows = re.findall(r"^\| (`[^|]*`) \|", page, re.MULTILINE)
    shown = [{name.rstrip("/") for name in re.findall(r"`([^`]*)`", row)} for row in rows]
    assert shown == [*FLOORS]


def test_a_private_attribute_is_read_only_in_the_room_that_defines_it():
    own, read = set(), set()
    for path in FILES:
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef):
                own.add((entry(path), node.name))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add((entry(path), node.id))
            elif isinstance(node, ast.Attribute) and re.match("_(?!_)", node.attr):
                is_inherited = ast.unparse(node.value) in ("self", "cls", "super()")
                (own if is_inherited else read).add((entry(path), node.attr))
    assert {name for _, name in read - own} == PRIVATE_OF_OTHERS


def test_top_level_names_without_underscore_are_public():
    shown = {entry(path) for path in FILES if not entry(path).startswith("_")}
    modules = {name for name in sklearn_ap.__all__ if name in MODULES}
    assert shown == modules | NO_ADDRESS
    for path, place in FILES.items():
        if entry(path) in modules:
            assert place.name.startswith("_"), f"{place}: no other folder may import from it"


def test_files_with_an_underscore_are_imported_only_within_their_folder():
    found = {
        name
        for path, target, name in inner_imports()
        if folder(path) != folder(target) != target.name and re.match("_(?!_)", target.name)
    }
    assert found == BEHIND_A_PUBLIC_FOLDER


@pytest.mark.parametrize("name", sorted(NO_ADDRESS))
def test_a_public_name_that_is_no_address_says_so(name):
    module = importlib.import_module(f"sklearn_ap.{name.removesuffix('.py')}")
    assert "Import from ``sklearn_ap``, not from here." in " ".join(module.__doc__.split())


def test_files_without_an_underscore_are_imported_by_other_folders():
    used = {target for path, target, _ in inner_imports() if folder(path) != folder(target)}
    used |= {MODULES[module] for module in sklearn_ap._MODULES.values()}
    for path, place in FILES.items():
        if not place.name.startswith("_"):
            assert path in used, f"{place}: begin its name with _, as only its folder imports it"


def test_private_folders_reexport_no_names():
    """Each name is imported from the file that defines it."""
    for path, place in FILES.items():
        if place.name == "__init__.py" and entry(path).startswith("_") and place.parent.name:
            (docstring,) = tree_of(path).body
            assert isinstance(docstring, ast.Expr), f"{place} holds more than a docstring"


def test_files_have_no_circular_imports():
    *_, top = TopologicalSorter(arrows(FILES.get)).static_order()
    assert top


@pytest.mark.slow
def test_any_folder_may_be_imported_first():
    anew = """
import importlib, sys
for name in sys.argv[1:]:
    for known in [each for each in sys.modules if each.partition(".")[0] == "sklearn_ap"]:
        del sys.modules[known]
    importlib.import_module(name)
"""
    a_file_of_each = {folder(path): name for name, path in MODULES.items()}
    names = [f"sklearn_ap.{name}".rstrip(".") for name in a_file_of_each.values()]
    subprocess.run([sys.executable, "-c", anew, *names], check=True)
    for code in (
        "from sklearn_ap import *; average_precision_score",
        "import sklearn_ap; sklearn_ap.definitions.Step",
    ):
        subprocess.run([sys.executable, "-c", code], check=True)


def test_a_class_a_public_function_and_a_constant_have_names_of_their_own():
    places = defaultdict(set)
    for path, place in FILES.items():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names = {node.name}
            else:
                named = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
                names = {each.id for each in named if isinstance(each.ctx, ast.Store)}
                names = {name for name in names if name.isupper()}
            for name in names:
                places[name].add(str(place))
    twice = {name for name, each in places.items() if len(each) > 1}
    # Scorers of scikit-learn, and of other tools; private functions may have short names.
    assert {name for name in twice if not re.match("_+[a-z]", name)} == {"get_scorer"}


def test_no_private_name_of_scikit_learn_is_imported():
    for path, place in FILES.items():
        private = [each for each in imports(path) if re.match(r"sklearn\..*\._", each)]
        assert not private, f"{place} imports {private}"


def test_each_module_is_tested_by_the_file_of_its_name_or_by_that_of_the_table():
    """The table on the page of contributing has no module of whose name there is a file."""
    tests = Path(__file__).parents[1]
    text = (tests.parent / "docs" / "contributing.md").read_text()
    (table,) = (body for head, *body in tables(text) if head[0] == "tests")
    listed = defaultdict(list)
    for file, modules in table:
        assert (tests.parent / file.strip("`")).exists(), file
        for module in re.findall(r"`([^`]+)`", modules):
            listed[module].append(file)
    assert {*listed} <= {*map(str, FILES.values())}
    for place in map(str, FILES.values()):
        folder, _, name = place.rpartition("/")
        own = tests / folder / f"test_{name.removesuffix('.py').lstrip('_')}.py"
        n_expected = 0 if own.exists() or name == "__init__.py" else 1
        assert len(listed[place]) == n_expected, place


Y = np.tile([1, 0, 0, 0, 0], 40)
SCORES = {name: np.random.default_rng(seed).normal(size=200) + Y for seed, name in enumerate("ab")}
# The call, and how many files and functions of the package it may go through
CALLS = {
    "a score": (lambda: sklearn_ap.average_precision_score(Y, SCORES["a"]), 10, 37),
    "an interval": (lambda: sklearn_ap.average_precision_interval(Y, SCORES["a"]), 18, 120),
    "a comparison": (lambda: sklearn_ap.compare_average_precision(Y, SCORES), 25, 200),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_goes_through_few_files_and_functions(name):
    call, most_files, most_functions = CALLS[name]
    call()  # the first one also imports
    codes = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, *_: codes.add(frame.f_code))
    try:
        call()
    finally:
        sys.setprofile(before)
    codes = {code for code in codes if Path(code.co_filename).is_relative_to(PACKAGE)}
    assert len({code.co_filename for code in codes}) <= most_files
    # Comprehensions, which have code of their own before Python 3.12, do not count.
    assert sum(not code.co_name.startswith("<") for code in codes) <= most_functions
