"""What type checkers say of right and of wrong calls."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sklearn_ap
from sklearn_ap import compat, definitions, detections, large, retrieval
from sklearn_ap.metrics import RowOptions, ScoreOptions

CALLS = Path(__file__).parents[1] / "helpers" / "typed_calls.py"
ROOT = CALLS.parents[2]


def lines_of_mypy(folder):
    options = ["--config-file", ROOT / "pyproject.toml", "--ignore-missing-imports"]
    command = [sys.executable, "-m", "mypy", *options, "--cache-dir", folder, CALLS]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return re.findall(rf"{CALLS.name}:(\d+): error", run.stdout)


def lines_of_basedpyright(folder):
    """Pyright itself downloads Node.js; this one carries it."""
    config = folder / "config.json"
    options = {"include": [str(CALLS)], "extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    config.write_text(json.dumps(options))
    command = ["-m", "basedpyright", "-p", config, "--pythonpath", sys.executable, "--outputjson"]
    run = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    found = json.loads(run.stdout)["generalDiagnostics"]
    return [each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"]


@pytest.mark.slow
@pytest.mark.parametrize("lines", [lines_of_mypy, lines_of_basedpyright])
def test_exactly_the_wrong_calls_are_refused(lines, tmp_path):
    pytest.importorskip(lines.__name__.removeprefix("lines_of_"))
    code = CALLS.read_text().splitlines()
    wrong = [number for number, line in enumerate(code, 1) if line.endswith("# wrong")]
    assert sorted({*map(int, lines(tmp_path))}) == wrong


@pytest.mark.parametrize("name", [name for name in sklearn_ap.__all__ if name.endswith("_score")])
def test_overloads_have_the_options_of_each_score(name):
    own = inspect.signature(getattr(sklearn_ap, name)).parameters.keys()
    shared = RowOptions if "_at_k_" in name else ScoreOptions
    described = {*shared.__annotations__} | {*RowOptions.__annotations__}
    special = {"y_true", "y_score", "average", "definition", "recall_levels", "k", "normalizer"}
    assert described == {*own} - special


def fields():
    """The fields and properties of each public class, as ``module.Class`` and their names."""
    for module in (sklearn_ap, compat, definitions, detections, large, retrieval):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing):
                own = [*getattr(thing, "__dataclass_fields__", ())]
                own += [key for key, _ in inspect.getmembers(thing, lambda x: type(x) is property)]
                yield f"{module.__name__}.{name}", [key for key in own if not key.startswith("_")]


@pytest.mark.slow
def test_each_field_of_each_result_has_a_type(tmp_path):
    """Other than Any, which no checker looks at."""
    pytest.importorskip("mypy")
    modules = "compat", "definitions", "detections", "large", "retrieval"
    lines, read = [f"import sklearn_ap.{module}" for module in modules], []
    for number, (name, own) in enumerate(fields()):
        lines.append(f"def read_{number}(found: {name}) -> None:")
        lines += [f"    reveal_type(found.{key})" for key in own] or ["    pass"]
        read += [f"{name.rpartition('.')[2]}.{key}" for key in own]
    file = tmp_path / "fields.py"
    file.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, file]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = re.findall(r'Revealed type is "(.*)"$', run.stdout, re.MULTILINE)
    assert len(found) == len(read), run.stdout
    assert [name for name, kind in zip(read, found, strict=True) if kind == "Any"] == []
