"""Commands answer alike with and without pyarrow."""

import gzip
import json
import random
import subprocess
import sys

import pytest
from both_ways import without_pyarrow
from retrieval_files import generated

from sklearn_ap.__main__ import main

N = 120
NAMES = ("id", "y", "p", "other", "w", "time", "user", "known")
COMMANDS = {
    "score": ["--query", "user", "--weight", "w", "--definition", "AP"],
    "score ": ["--cluster", "user", "--score", "other", "--definition", "AP"],
    "score  ": ["--query", "time:day", "--cluster", "time:month", "--definition", "precision@2"],
    "compare": [],
    "explain": [],
    "threshold": ["--recall", "0.5"],
    "segments": ["--segment", "time:month"],
    "report": ["--segment", "time:month"],
}


def rows():
    rng = random.Random(0)
    for i in range(N):
        is_positive = rng.random() < 0.4
        scores = [f"{is_positive + rng.gauss(0, 1):.3f}" for _ in range(2)]
        day = f"2026-{1 + i % 3:02}-{1 + i % 28:02}"
        known = str(int(is_positive)) if rng.random() < 0.8 else ""
        user = f"{'übrig, '[: i % 8]}{i % 10}"
        name = f"{'=+-@'[i % 5 : i % 5 + 1]}{i:03}"  # mostly, as a formula begins
        yield (name, ("no", "yes")[is_positive], *scores, f"{1 + i % 4}.5", day, user, known)


def text(mark, table):
    """Cells with quotes where they need them, and empty lines."""
    quoted = ([f'"{cell}"' if mark in cell else cell for cell in row] for row in [NAMES, *table])
    return "\n\n".join(mark.join(row) for row in quoted)


def with_commas(table):
    head, *lines = text(";", table).split("\n")
    return "\n".join([head, *(line.replace(".", ",") for line in lines)])


def lines_of_json(table):
    cells = ([cell or None for cell in row] for row in table)
    return "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in cells)


def files(table):
    return {
        "csv": text(",", table).encode("utf-8-sig"),
        "tsv": text("\t", table).replace("\n", "\r\n").encode(),
        "csv ": with_commas(table).encode(),
        "jsonl": lines_of_json(table).encode(),
        "csv.gz": gzip.compress(text(",", table).encode(), mtime=0),
    }


FORMATS = files([*rows()])


@pytest.fixture
def printed(capsys):
    def run(command):
        assert main(command) == 0
        captured = capsys.readouterr()
        return captured.out, captured.err

    return run


def command_of(name, path):
    tool = ["xgboost.aucpr"] if name == "explain" else []
    return [name.strip(), *tool, str(path), "--label", "y", "--score", "p", *COMMANDS[name]]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_the_same_without_pyarrow(tmp_path, printed, kind, name):
    path = tmp_path / f"predictions.{kind.strip()}"
    path.write_bytes(FORMATS[kind])
    command = command_of(name, path)
    found = printed(command)
    with without_pyarrow():
        assert printed(command) == found
    said = " ".join(found[1].split())
    assert ("empty rows are left out" in said) == (kind != "jsonl")


def test_trec_prints_the_same_without_pyarrow(tmp_path, printed):
    files = [tmp_path / name for name in ("qrels", "run")]
    for file, content in zip(files, generated(n_queries=12).values(), strict=False):
        file.write_text(content)
    command = ["trec", *map(str, files), "--definition", "AP", "--ties", "trec_eval"]
    found = printed(command)
    with without_pyarrow():
        assert printed(command) == found


def test_few_labels_and_report_files_are_the_same_without_pyarrow(tmp_path, printed):
    path, page = tmp_path / "predictions.csv", tmp_path / "report.html"
    path.write_bytes(FORMATS["csv"])
    columns = ["--score", "p", "--inclusion-probability", "equal", "--definition", "AP"]
    command = ["score", str(path), "--label", "known", *columns]
    found = printed(command)
    pages = []
    for _ in range(2):
        printed(["report", str(path), "--label", "y", "--score", "p", "-o", str(page)])
        pages.append(page.read_text())
    with without_pyarrow():
        assert printed(command) == found
        printed(["report", str(path), "--label", "y", "--score", "p", "-o", str(page)])
    assert page.read_text() == pages[0] == pages[1]


@pytest.mark.slow
def test_report_of_a_text_file_needs_no_extra(tmp_path):
    path, page = tmp_path / "predictions.csv", tmp_path / "report.html"
    path.write_bytes(FORMATS["csv"])
    code = (
        "import sys\n"
        "missing = 'pyarrow', 'tqdm', 'matplotlib', 'pandas'\n"
        "sys.modules.update(dict.fromkeys(missing))\n"
        "from sklearn_ap.__main__ import program\n"
        "program()"
    )
    command = [sys.executable, "-c", code, "report", path, "--label", "y", "--score", "p"]
    done = subprocess.run([*command, "-o", page], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "pip install matplotlib" in page.read_text()
