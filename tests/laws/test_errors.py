"""Refusals have a class of their own, and a fault is never told as one, nor as an answer."""

import ast
import importlib
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from sklearn_ap import InputError, InputTypeError, compat, definitions, large, retrieval
from sklearn_ap.__main__ import main
from sklearn_ap._cli.arguments import EXAMPLE_FILE
from tests.helpers.first_cases import quick
from tests.helpers.syntax import nodes_of

PACKAGE = Path(sklearn_ap.__file__).parent
WIDE = {"ValueError", "TypeError", "Exception"}
# Where an error of any kind is caught: the file, the function, and what is called there.
GUARDED = {
    ("__main__.py", "main"): "all commands, whose faults end with a status of their own",
    ("_cli/_labels_and_names.py", "read_names"): "NumPy, of names that are no whole numbers",
    ("_files/formats.py", "_read_record"): "json.loads",
    ("_files/sources.py", "find_files"): "glob, of a pattern such as a**",
    ("_inputs/arrays.py", "_take_rows"): "rows of what a user passes",
    ("_inputs/arrays.py", "as_array"): "numpy.asarray, and readers of other libraries",
    ("_inputs/arrays.py", "check_numbers"): "NumPy, of objects that are no numbers",
    ("_inputs/arrays.py", "device_namespace"): "array_api_compat",
    ("_inputs/arrays.py", "is_missing"): "pandas' NA",
    ("_inputs/arrays.py", "n_dimensions"): "NumPy, of rows of several lengths",
    ("_inputs/arrays.py", "n_rows_of"): "len of what a user passes",
    ("_inputs/codes.py", "_rank_objects"): "hash and order of names",
    ("_cli/_unused_columns.py", "_find_numbers"): "float, of cells that are no numbers",
    ("_inputs/dates.py", "parse_dates"): "NumPy, of a month 13",
    ("_inputs/labels_and_scores.py", "_numbers_or_texts"): "hash of labels",
    ("_inputs/labels_and_scores.py", "check_classes"): "hash of classes",
    ("_inputs/options.py", "make_generator"): "numpy.random.default_rng",
    ("compat/_identify.py", "_ask"): "the function of a user",
    ("compat/_tool_functions.py", "_read_special_case"): "float, of our own table",
    ("compat/_tool_functions.py", "_takes_weights"): "the definition of a user",
    ("definitions/_base.py", "values"): "the definition of a user",
    ("detections/_annotations.py", "errors_of"): "pycocotools, and the JSON that it takes",
    ("scorers.py", "_check_options"): "inspect, of the function of a user",
    ("inference/few_labels/labelled_rows.py", "_retyped"): "NumPy, of rows of several lengths",
    ("retrieval/_sources.py", "read_source"): "pyarrow, of a table that it cannot read",
    ("retrieval/_sources.py", "_read_dict"): "NumPy, of values that are no numbers",
}


def functions(path):
    """Each function of a file, with the nodes that are its own."""
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef):
            inner = [each for each in ast.walk(node) if isinstance(each, ast.FunctionDef)]
            hidden = {id(below) for each in inner[1:] for below in ast.walk(each)}
            yield node.name, [each for each in ast.walk(node) if id(each) not in hidden]


def caught(node):
    """The names of errors that a node catches or suppresses."""
    if isinstance(node, ast.ExceptHandler):
        return (
            {"Exception"} if node.type is None else set(re.findall(r"\w+", ast.unparse(node.type)))
        )
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
        return {ast.unparse(each) for each in node.args}
    return set()


def test_only_foreign_calls_are_guarded_against_errors_of_any_kind():
    found = {
        (str(path.relative_to(PACKAGE)), name)
        for path in PACKAGE.rglob("*.py")
        for name, nodes in functions(path)
        if any(caught(node) & WIDE for node in nodes)
    }
    assert found == GUARDED.keys()


def test_what_is_refused_is_an_input_error():
    plain = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") in {"ValueError", "TypeError"}
    ]
    assert not plain


def test_errors_are_those_that_python_and_scikit_learn_know():
    assert issubclass(InputError, ValueError)
    assert issubclass(InputTypeError, InputError)
    assert issubclass(InputTypeError, TypeError)
    for error in (InputError("a"), InputTypeError("b")):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy)) == (type(error), str(error))


# A function of each room, by its module, and the commands whose way goes through it
INJECTED = {
    "_cli.arguments:parse": "score",
    "_inputs.labels_and_scores:check_labelled_scores": "score threshold segments report tools",
    "_counts.counting:_count_one": "report",
    "definitions._step:influence_of_heights": "score segments report",
    "_uncertainty._half_samples:score_halves": "score",
    "inference.thresholds._shares:shares_with_limits": "threshold report",
    "inference.scored_samples:describe_rankings": "segments report",
    "inference.scored_samples:describe_counts": "score",
    "large._passes:make_counts": "score",
    "_writing.text:estimate_as_text": "score threshold segments report",
    "_files.cells:read_numbers": "score threshold segments report tools explain",
    "_report._top_rows:find_top": "report",
    "compat._answers:_values": "tools explain",
}
COMMANDS = {
    "score": "score",
    "threshold": "threshold --precision 0.7",
    "segments": "segments --segment user",
    "report": "report",
    "tools": "tools",
    "explain": "explain xgboost.aucpr",
}


@pytest.fixture
def inject(monkeypatch):
    """Let a function raise an error, wherever it was imported to."""

    def run(place, error):
        module, _, name = place.partition(":")
        function = getattr(importlib.import_module(f"sklearn_ap.{module}"), name)

        def fail(*args, **options):
            raise error

        for known in [*sys.modules.values()]:
            is_ours = getattr(known, "__name__", "").startswith("sklearn_ap")
            if is_ours and getattr(known, name, None) is function:
                monkeypatch.setattr(known, name, fail)

    return run


FAULTS = [
    ValueError("zip() argument 2 is shorter than argument 1"),
    TypeError("unsupported operand"),
    KeyError("a"),
    ZeroDivisionError("division by zero"),
]


@pytest.mark.parametrize("error", quick(FAULTS, 1), ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", INJECTED)
def test_a_fault_ends_each_command_with_its_traceback_and_no_answer(
    place, error, inject, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(EXAMPLE_FILE)
    importlib.import_module("sklearn_ap._cli.commands")
    inject(place, error)
    for command in INJECTED[place].split():
        name, *options = COMMANDS[command].split()
        tool, options = (options, []) if name == "explain" else ([], options)
        words = [name, *tool, "p.csv", "--label", "y", "--score", "p", *options]
        status = main(words)
        said = capsys.readouterr()
        assert (status, said.out) == (70, ""), words
        assert "Traceback" in said.err
        assert said.err.splitlines()[-1].endswith(
            "please report it, with the lines above, at "
            "https://github.com/sklearn-ap/sklearn-ap/issues"
        )


Y = np.arange(400) % 5 == 0
SCORE = np.random.default_rng(0).normal(size=400) + Y
SEGMENTS = np.arange(400) // 100


@pytest.mark.parametrize("error", quick(FAULTS, 2), ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", [each for each in INJECTED if "report" in INJECTED[each]])
def test_a_fault_passes_through_report(place, error, inject):
    importlib.import_module("sklearn_ap._report.report")
    if place.startswith("_files"):
        pytest.skip("a report of arrays reads no files")
    inject(place, error)
    with pytest.raises(type(error)) as raised:
        sklearn_ap.report(Y, SCORE, segments=SEGMENTS)
    assert raised.value is error


@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
def test_a_fault_passes_through_compare_segments(error, inject):
    inject("_uncertainty.estimate:estimate_of_each", error)
    with pytest.raises(type(error)) as raised:
        sklearn_ap.compare_segments(Y, SCORE, SEGMENTS)
    assert raised.value is error


class Broken(definitions.Definition):
    title = "Broken"

    def heights(self, counts):
        raise ValueError("operands could not be broadcast together")


class TooHigh(definitions.Definition):
    title = "TooHigh"

    def __call__(self, counts):
        return np.full(counts.starts.size, 1.5)


@pytest.mark.parametrize(
    ("definition", "kind", "text"),
    [(Broken(), ValueError, "operands could not"), (TooHigh(), InputError, "gives 1.5")],
)
def test_the_error_of_a_users_definition_is_told_as_it_is(definition, kind, text):
    with pytest.raises(ValueError, match=text) as raised:
        sklearn_ap.compare_segments(Y, SCORE, SEGMENTS, definition=definition)
    assert type(raised.value) is kind
    assert "prevalence" not in str(raised.value)


def test_too_little_memory_is_one_line_that_says_what_to_do(inject, tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text(EXAMPLE_FILE)
    importlib.import_module("sklearn_ap._cli.commands")
    inject("large._passes:make_counts", MemoryError())
    with pytest.raises(SystemExit) as end:
        main(["score", str(path), "--label", "y", "--score", "p"])
    said = capsys.readouterr()
    assert (end.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert "too little memory" in said.err


@pytest.mark.slow
@pytest.mark.parametrize(("package", "status"), [("pyarrow", 2), ("sklearn_ap._files.cells", 70)])
def test_a_missing_extra_is_an_error_and_another_import_error_a_fault(tmp_path, package, status):
    path = tmp_path / "p.csv"
    path.write_text(EXAMPLE_FILE)
    code = (
        "import sys\n"
        f"sys.modules[{package!r}] = None\n"
        "from sklearn_ap.__main__ import program\n"
        "program()"
    )
    words = ["score", str(path), "--label", "y", "--score", "p"]
    run = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (status, ""), run.stderr
    assert ("Traceback" in run.stderr) == (status == 70)


RAGGED = [[1], [2, 3], [1], [1]]
PLAIN = [0, 1, 0, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: sklearn_ap.average_precision_score([1.5, (1, 2)] * 2, PLAIN),
        lambda: sklearn_ap.average_precision_score(RAGGED, PLAIN),
        lambda: sklearn_ap.average_precision_score(PLAIN, RAGGED),
        lambda: sklearn_ap.compare_segments(RAGGED, PLAIN, PLAIN),
        lambda: sklearn_ap.compare_segments(PLAIN, RAGGED, PLAIN),
        lambda: compat.score(PLAIN, RAGGED, "xgboost.aucpr"),
        lambda: compat.compare(PLAIN, RAGGED),
        lambda: sklearn_ap.report(PLAIN, PLAIN, clusters=RAGGED),
        lambda: sklearn_ap.report(PLAIN, PLAIN, sample_weight=RAGGED),
        lambda: sklearn_ap.report(PLAIN, PLAIN, pos_label=RAGGED),
        lambda: sklearn_ap.average_precision_score(
            PLAIN, PLAIN, definition="AtK(" + "-" * 3000 + "1)"
        ),
    ],
)
def test_odd_arguments_are_refused(call):
    with pytest.raises(InputError):
        call()


def test_tables_that_are_none_are_refused():
    column = pd.Series([1, 2])
    with pytest.raises(InputError, match="source must be a table"):
        large.from_table(column, "y", "p")
    mixed = pd.DataFrame({"query": ["a", "a"], "document": ["d1", 2], "label": [1, 0]})
    with pytest.raises(InputError, match="cannot be read as a table"):
        retrieval.from_runs(mixed, {"r": mixed})


@pytest.mark.parametrize("pattern", ["a**", "**b.csv"])
def test_a_pattern_that_is_none_is_refused_in_one_line(pattern, capsys):
    with pytest.raises(SystemExit) as end:
        main(["score", pattern, "--label", "y", "--score", "p"])
    assert end.value.code == 2
    assert "is no pattern" in capsys.readouterr().err
