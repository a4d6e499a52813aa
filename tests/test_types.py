"""What type checkers say of right and of wrong calls."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = Path(__file__).parent / "helpers" / "typed_calls.py"
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
