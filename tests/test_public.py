"""The shape of the package: its names, signatures, layers and sizes."""

import ast
import importlib
import inspect
import pickle
import re
from pathlib import Path

import pytest
from numpydoc.validate import validate

import sklearn_ap
from sklearn_ap import compat, definitions

PACKAGE = Path(sklearn_ap.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
SCORES = sorted(name for name in sklearn_ap.__all__ if name.endswith("_score"))
SHARED = {
    "average": "macro",
    "pos_label": 1,
    "labels": None,
    "sample_weight": None,
    "groups": None,
    "n_positives": None,
    "zero_division": "warn",
}
OWN = {
    "average_precision_at_k_score": {"k": 10, "normalizer": "attainable", "threshold": None},
    "expected_average_precision_score": {"k": None},
    "interpolated_average_precision_score": {"recall_levels": None},
    "precision_at_k_score": {"k": 10, "threshold": None},
    "recall_at_k_score": {"k": 10, "threshold": None},
}
# Each module may import those before it.
LAYERS = (
    *("_validation", "counts", "definitions", "_averaging", "_scoring", "metrics", "curves"),
    *("_certainty", "intervals", "scorers", "compat", "display", "_cli", "__init__", "__main__"),
)


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_public_names():
    assert sorted(sklearn_ap.__all__) == [
        "AveragePrecisionComparison",
        "AveragePrecisionDisplay",
        "AveragePrecisionInterval",
        "ComparisonDisplay",
        "HitCurveDisplay",
        "ThresholdCounts",
        "UncertaintyWarning",
        "average_precision_at_k_score",
        "average_precision_interval",
        "average_precision_score",
        "compare_average_precision",
        "compat",
        "definitions",
        "eleven_point_average_precision_score",
        "expected_average_precision_score",
        "get_scorer",
        "get_scorer_names",
        "hit_curve",
        "interpolated_average_precision_score",
        "interpolated_precision_recall_curve",
        "make_ranking_scorer",
        "precision_at_k_score",
        "recall_at_k_score",
        "step_average_precision_score",
        "threshold_counts",
    ]
    assert sorted(definitions.__all__) == [
        *("AtK", "Definition", "Expected", "Heights", "Hyperbolic", "Interpolated", "Linear"),
        *("PrecisionAtK", "RecallAtK", "Step"),
    ]


def test_the_name_of_scikit_learn_is_the_step_score():
    assert sklearn_ap.average_precision_score is sklearn_ap.step_average_precision_score


@pytest.mark.parametrize("name", SCORES)
def test_the_signature_of_a_score(name):
    parameters = inspect.signature(getattr(sklearn_ap, name)).parameters
    assert list(parameters)[:2] == ["y_true", "y_score"]
    options = {key: p.default for key, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    expected = SHARED | OWN.get(name, {})
    if name == "expected_average_precision_score":
        del expected["sample_weight"]
    assert options == expected
    assert len(options) == len(parameters) - 2


@pytest.mark.parametrize("name", SCORES)
def test_a_score_can_be_pickled(name):
    function = getattr(sklearn_ap, name)
    assert pickle.loads(pickle.dumps(function)) is function


def rooms(name):
    """The rooms of this package that an import enters."""
    parts = name.split(".")
    if parts[0] == "sklearn_ap":
        yield next((part for part in parts[1:] if part in LAYERS), "__init__")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for name in imports(path):
        for target in rooms(name):
            if target == "__init__":  # for the version, and in the door that is the package
                assert room in ("__init__", "__main__"), f"{path.name} imports {name}"
            elif target != room:
                assert LAYERS.index(target) < LAYERS.index(room), f"{path.name} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_private_name_of_scikit_learn_is_imported(path):
    for name in imports(path):
        if name.split(".")[0] == "sklearn":
            assert not re.search(r"\._", name)


def bodies(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            # An abstract method may be its docstring alone.
            yield node.name, body[-1].end_lineno - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_bodies_are_short(path):
    longest = 15 if path.parent.name == "definitions" else 40
    assert not {name: length for name, length in bodies(path) if length > longest}


def documented():
    for name in sklearn_ap.__all__:
        if name not in ("compat", "definitions"):
            yield f"sklearn_ap.{name}"
        if name.endswith("Display"):
            for method, _ in inspect.getmembers(getattr(sklearn_ap, name), callable):
                if not method.startswith("_"):
                    yield f"sklearn_ap.{name}.{method}"
    for room in (compat, definitions):
        for name in room.__all__:
            if inspect.isfunction(getattr(room, name)):
                yield f"{room.__name__}.{name}"


@pytest.mark.parametrize("name", list(documented()))
def test_docstrings_follow_numpydoc(name):
    left_open = {
        "ES01",  # no extended summary where the summary says it
        "GL01",  # the summary starts on the line of the quotes
        "SA01",  # no See Also where nothing is near
        "SS06",  # a summary may fill its line
        "EX01",  # ThresholdCounts is shown at threshold_counts
    }
    errors = [error for error in validate(name)["errors"] if error[0] not in left_open]
    assert not errors


@pytest.mark.parametrize("name", SCORES)
def test_shared_parameters_are_filled_in(name):
    text = getattr(sklearn_ap, name).__doc__
    assert not re.search(r"<\w+>", text)
    for parameter in inspect.signature(getattr(sklearn_ap, name)).parameters:
        assert f"\n    {parameter} : " in text


def test_the_public_names_of_compat():
    assert sorted(compat.__all__) == [
        *("Choices", "Comparison", "Entry", "Explanation", "ToolError"),
        *("compare", "conventions", "explain", "get", "options", "score"),
    ]


def test_every_module_says_why_it_exists():
    for path in FILES:
        assert ast.get_docstring(ast.parse(path.read_text())), path


def test_every_module_lists_what_it_offers():
    for path in FILES:
        module = "sklearn_ap." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        name = module.removesuffix(".__init__").removesuffix(".")
        assert importlib.import_module(name).__all__
