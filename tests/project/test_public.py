"""The shape of the package: its names, signatures, layers and sizes."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import read_more

import sklearn_ap
from sklearn_ap import definitions
from sklearn_ap._inputs.request import Request
from tests.helpers.public_names import public
from tests.helpers.registry import SCORES

PACKAGE = Path(sklearn_ap.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
DEFINITIONS = "sklearn_ap.definitions"
# Options of scores that a function has no use for, by a part of its name.
OF_SEVERAL = "average labels queries n_positives zero_division"
LACKING = {
    "hit_curve|threshold_counts|Display.from_cv": f"{OF_SEVERAL} prevalence clusters",
    "compare_segments|operating_point": OF_SEVERAL,
    "report": "average labels zero_division",
    "Display.from_predictions": "zero_division",
    "Display.from_estimator": f"{OF_SEVERAL} prevalence clusters",  # as **options
    "from_counts": "pos_label labels sample_weight queries n_positives clusters",
    "large.from": "average labels n_positives prevalence zero_division clusters",
    "large.from_groups": "sample_weight pos_label",
    "large.from_(chunks|table|dask|spark)": "queries",
    "compat": "average labels prevalence zero_division",
    "_at_k_score": "prevalence",
}


COUNTS = ["precision", "recall", "at_prevalence", "to_frame"]


def test_api_page_lists_exactly_the_public_names():
    listed = re.findall(r"^   ([\w.]+)$", (DOCS / "api.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(name for name, _ in public())


def test_public_names_are_imported_lazily():
    assert {*sklearn_ap.__all__, "__version__"} == {*dir(sklearn_ap)}
    assert sklearn_ap.compat.score is importlib.import_module("sklearn_ap.compat").score
    with pytest.raises(AttributeError, match="'sklearn_ap' has no attribute 'averge_precision'"):
        sklearn_ap.averge_precision  # noqa: B018
    assert not any(hasattr(sklearn_ap, name) for name in ("metrics.x", "a.b", ".", ""))


@pytest.mark.slow
def test_a_first_score_loads_little():
    code = """
import sys, sklearn.metrics, sklearn_ap
def ours():
    return {name for name in sys.modules if name.startswith("sklearn_ap")}
assert ours() == {"sklearn_ap"}, ours()
before = {*sys.modules}
sklearn_ap.average_precision_score([1, 0, 0], [0.9, 0.8, 0.7])
assert len(ours()) <= 30, sorted(ours())
foreign = {name.partition(".")[0] for name in {*sys.modules} - before - ours()}
assert foreign <= {"__future__"} | sys.stdlib_module_names, foreign
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# Every public class in the folder of the definitions, and the file that it stands in.
WRITTEN = {
    name: path.stem
    for path in sorted((PACKAGE / "definitions").glob("_[a-z]*.py"))
    for name, thing in vars(importlib.import_module(f"{DEFINITIONS}.{path.stem}")).items()
    if inspect.isclass(thing) and issubclass(thing, definitions.Definition)
    if not name.startswith("_") and thing.__module__ == f"{DEFINITIONS}.{path.stem}"
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_definition_is_exported_listed_tested_and_described(name):
    line = f"from {DEFINITIONS}.{WRITTEN[name]} import {name} as {name}"
    assert name in definitions.__all__, f"sklearn_ap/definitions/__init__.py needs {line}"
    kind = getattr(definitions, name)
    if inspect.isabstract(kind):
        return
    path = Path("tests", "definitions", f"test{WRITTEN[name]}.py")
    assert (DOCS.parent / path).exists(), f"{path}: a file is needed with tests of {name}"
    # A definition is known by its own name, or by that of a score that hands on to it.
    scores = [score for score, (behind, _) in SCORES.items() if behind is kind]
    first = [name, *scores][-1]
    known = "|".join([name, *scores])
    assert re.search(rf"({known})\(", (DOCS / "definitions.md").read_text()), (
        f"docs/definitions.md: a section is needed whose example calls {first}(...)"
    )


def test_functions_of_rows_have_all_shared_options_or_are_listed():
    shared = {option.name for option in fields(Request)} - {"y_true", "y_score"}
    methods = ((f"{name}.{key}", each) for name, thing in public() for key, each in members(thing))
    for name, function in (*public(), *methods):
        if inspect.isclass(function) or not callable(function):
            continue
        taken = shared & inspect.signature(function).parameters.keys()
        known = " ".join(lacking for part, lacking in LACKING.items() if re.search(part, name))
        left = shared - taken - {*known.split()} if len(taken) > 1 else set()
        assert not left, f"{name} takes no {left}. If it should not, say so in LACKING"


def members(thing):
    for key, member in inspect.getmembers(thing) if inspect.isclass(thing) else ():
        function = inspect.unwrap(getattr(member, "fget", member))
        ours = str(getattr(function, "__module__", "")).startswith("sklearn_ap")
        if ours and inspect.isroutine(function) and not key.startswith("_"):
            yield key, member


def documented():
    """Every public function and class, and its methods and properties where they are described."""
    for name, thing in public():
        yield f"sklearn_ap.{name}"
        for key, member in members(thing):
            if name == "ThresholdCounts" and key not in COUNTS:  # these are for definitions
                continue
            if member.__doc__ or not inspect.getdoc(member):
                yield f"sklearn_ap.{name}.{key}"


def test_docstrings_follow_numpydoc(subtests):
    validate = pytest.importorskip("numpydoc.validate").validate
    for name in documented():
        with subtests.test(f"numpydoc.validate.validate({name!r})"):
            left_open = {
                "ES01",  # no extended summary where the summary says it
                "GL01",  # the summary starts on the line of the quotes
                "SA01",  # no See Also where nothing is near
                "SS06",  # a summary may fill its line
                "EX01",  # methods are shown where their class is
            }
            errors = [error for error in validate(name)["errors"] if error[0] not in left_open]
            private = "Parameters {'_"
            assert [error for error in errors if not error[1].startswith(private)] == []


def test_api_index_shows_docstring_summaries():
    """Behind numpydoc, a text begins with an empty line."""
    linked = 0
    for name, thing in public():
        first, *rest = inspect.getdoc(thing).splitlines()
        lines = ["", first, *rest]
        read_more.tell(None, None, f"sklearn_ap.{name}", None, None, lines)
        assert lines[1] == first, name
        linked += any(line.startswith("Read more") for line in lines)
    assert linked > 60


def test_the_reference_links_each_name_to_a_page_that_exists():
    for page in (*read_more.PAGES, *read_more.ROOMS.values()):
        assert (DOCS / f"{page}.md").exists(), page
    assert {f"sklearn_ap.{name}" for name, _ in public()} == {*read_more.places()}


def test_type_checkers_know_exactly_the_public_names():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    imported = {alias.asname for each in stub.body for alias in each.names} - {"__version__"}
    assert imported == {*sklearn_ap.__all__}
    for each in stub.body:
        for alias in each.names:
            assert getattr(sklearn_ap, alias.name) is getattr(
                importlib.import_module(each.module), alias.name
            )
