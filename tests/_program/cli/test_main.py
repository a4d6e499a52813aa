"""The command line."""

import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import tqdm
from pages import execute_blocks
from predictions_file import COLUMNS, HEAD, TEXT, ZIPPED, packed, table
from retrieval_files import QRELS, A, B

import sklearn_ap
from sklearn_ap import _extras as extras
from sklearn_ap import compat
from sklearn_ap.__main__ import main
from sklearn_ap._program.cli.commands import COMMANDS, Y_SCORE, Y_TRUE
from sklearn_ap._program.cli.example_file import FILE
from sklearn_ap._program.cli.lines import fold

PAGE = (Path(__file__).parents[3] / "docs" / "command_line.md").read_text()
PROGRAM = [sys.executable, "-m", "sklearn_ap"]
BY_G = ["segments", "--segment", "g"]
NAMES = [name for name in COMMANDS if name]
HELPS = [[], *([name] for name in NAMES)]


class TestTools:
    def test_compare_prints_the_python_comparison(self, say, write):
        printed = say("compare", write(), *COLUMNS, "--all", "--near", "0.73")
        expected = compat.compare(Y_TRUE, Y_SCORE, tools="all", near=0.73)
        assert printed == f"{HEAD}{fold(str(expected), 100)}\n"
        printed = say("compare", write(), *COLUMNS, "--k", "3", "--weight", "w", "--query", "q")
        options = {"k": 3, "sample_weight": np.ones(10), "queries": [*"aaaaabbbbb"]}
        text = str(compat.compare(Y_TRUE, Y_SCORE, **options))
        assert printed.endswith(f"\n\n{text}\n")

    def test_explain_prints_the_python_explanation(self, say, refuse, write):
        chosen = ("--query", "q", "--versus", "pytrec_eval.map", "--k", "3")
        printed = say("explain", "ranx.map@k", write(), *COLUMNS, *chosen)
        options = {"versus": "pytrec_eval.map", "queries": [*"aaaaabbbbb"], "k": 3}
        expected = compat.explain("ranx.map@k", Y_TRUE, Y_SCORE, **options)
        assert printed.endswith(f"\n\n{fold(str(expected), 100)}\n")
        printed = say("explain", "MLmetrics.PRAUC", write(), *COLUMNS, "--format", "markdown")
        assert printed.startswith(f"{HEAD}| name | estimate | difference | why |\n| --- |")
        assert "| start: lost | 0.5444 | -0.2000 |" in printed
        assert "is a file, but the tool comes first" in refuse("explain", write(), "x", *COLUMNS)

    def test_explain_takes_a_default_k_where_a_tool_needs_one(self, say, write):
        assert " k is 10.\n" in say("explain", "ranx.map@k", write(), *COLUMNS)
        arguments = ("explain", "xgboost.aucpr", write(), *COLUMNS)
        found = json.loads(say(*arguments, "--versus", "ranx.map@k", "--format", "json"))
        assert found["k"] == 10
        assert "k is" not in say(*arguments)


@pytest.mark.parametrize("command", HELPS)
def test_the_help_fits_a_terminal_and_its_examples_work(
    capsys, write, monkeypatch, tmp_path, command
):
    files = {"qrels.txt": QRELS, "bm25.run": A, "dense.run": B, "predictions.csv": FILE}
    for name, content in files.items():
        write(content, name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit, match="0"):
        main([*command, "--help"])
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    table = re.findall(r"^\| (\d+) \| (.*) \|$", PAGE, re.MULTILINE)
    assert len(table) == 5
    for status, meaning in table:
        assert re.search(rf"^  {status} +{meaning}$", shown, re.MULTILINE)
    examples = re.findall("^  sklearn-ap (.*)$", shown.replace("\\\n", ""), re.MULTILINE)
    assert examples
    for example in examples:
        assert main(shlex.split(example.removesuffix(" > predictions.csv"))) == 0
        assert capsys.readouterr().out


@pytest.mark.slow
class TestProcess:
    @pytest.mark.parametrize(
        ("command", "status", "message"),
        [
            ("score {no_positives} {columns} 2> /dev/null", 1, ""),
            ("compare - {columns} <&-", 2, "there is no standard input"),
            (
                "compare {file} {columns} > /dev/full",
                2,
                "the answer cannot be written: No space left on device",
            ),
            # The answer cannot be printed, so the status is 2; a bar and warnings need not be.
            ("score {file} {columns} 2>&-", 0, ""),
            ("score {file} {columns} >&-", 2, "the answer cannot be written: Bad file descriptor"),
            ("score {file} {columns} >&- 2>&-", 2, ""),
        ],
    )
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
    def test_closed_and_full_streams_end_without_a_traceback(self, write, command, status, message):
        names = {"file": write(), "no_positives": write("y,p\n0,1\n", "no.csv")}
        command = f"{shlex.join(PROGRAM)} {command.format(columns=shlex.join(COLUMNS), **names)}"
        run = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
        assert run.returncode == status
        errors = run.stderr if status else ""  # warnings are welcome
        assert errors == (f"sklearn-ap: error: {message}\n" if message else "")
        assert "Traceback" not in run.stderr

    @pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
    @pytest.mark.parametrize("command", [["score", "p.csv", *COLUMNS], ["--help"]])
    @pytest.mark.parametrize("closed", [["stdout"], ["stdout", "stderr"]])
    def test_output_to_a_closed_pipe_ends_with_status_0(self, write, command, closed):
        """As in ``2>&1 | head``: no traceback, and no status that means something else."""
        command = [write() if word == "p.csv" else word for word in command]
        reader, writer = os.pipe()
        os.close(reader)
        streams = {"stderr": subprocess.PIPE} | dict.fromkeys(closed, writer)
        run = subprocess.run([*PROGRAM, *command], **streams, check=False)
        os.close(writer)
        assert run.returncode == 0
        assert b"Traceback" not in (run.stderr or b"")

    def test_ctrl_c_is_not_lost_in_a_callback(self):
        code = (
            "import signal\n"
            "from sklearn_ap import __main__\n"
            "class Callback:\n"
            "    def __del__(self):\n"
            "        signal.raise_signal(signal.SIGINT)\n"
            "__main__.main = lambda: [Callback()].clear() or 0\n"
            "__main__.program()"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert (run.returncode, run.stdout, run.stderr) == (130, b"", b"")

    def test_ascii_terminals_and_stripped_docstrings_do_not_break_output(self, write):
        path = write("y,\u03b1,\u03b2\n1,2,1\n0,1,2\n")
        scores = ("--score", "\u03b1", "--score", "\u03b2")
        names = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONOPTIMIZE": "2"}
        for command, shown in (
            (["score", path, "--label", "y", *scores], rb"\u03b1"),
            (["-h"], b""),
        ):
            run = subprocess.run([*PROGRAM, *command], capture_output=True, check=True, env=names)
            assert shown in run.stdout
            assert b"None" not in run.stdout

    def test_help_and_version_import_no_slow_package(self):
        code = (
            "import contextlib, sys\n"
            "from sklearn_ap.__main__ import main\n"
            "for command in (['--version'], ['--help'], ['score', '--help']):\n"
            "    with contextlib.suppress(SystemExit):\n"
            "        main(command)\n"
            "assert not {'numpy', 'scipy', 'sklearn', 'pyarrow'} & {*sys.modules}\n"
        )
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert not run.stderr
        assert (sklearn_ap.__version__ in run.stdout, run.stdout.count("usage: ")) == (True, 2)


NAME = "\u00e9\x1b[31m|\nb"


@pytest.mark.parametrize("how", ["text", "markdown"])
@pytest.mark.parametrize("definition", ["AP", "recall_at_10"])
def test_control_characters_in_names_are_printed_as_escapes(say, write, how, definition):
    rows = [{"y": y, "p": p, NAME: 2 - p} for y, p in ((1, 2), (0, 1))]
    path = write("".join(json.dumps(row) + "\n" for row in rows), "p.jsonl")
    options = ("--score", NAME, "--format", how, "--definition", definition)
    printed = say("score", path, *COLUMNS, *options)
    assert printed.replace("\n", "").isprintable()
    shown = "\u00e9\\x1b[31m| b"
    if how == "markdown":  # in which a bar ends a cell, and a bracket begins a link
        shown = shown.replace("|", "\\|").replace("[", "\\[")
    assert shown in printed


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("command", "content", "title"),
    [
        *((["score"], content, "scoring") for content in (TEXT, packed(table()), ZIPPED)),
        (["segments", "--segment", "q"], TEXT, "comparing"),
    ],
)
def test_terminal_shows_progress_bars(write, monkeypatch, command, content, title):
    ended = {}

    class Bar(tqdm.std.tqdm):
        def close(self):
            ended[self.desc] = self.n / self.total if self.total else 0
            super().close()

    monkeypatch.setattr(extras, "DELAY", 0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(tqdm, "tqdm", Bar)
    assert main([*command, write(content), *COLUMNS]) == 0
    assert (ended["reading"], ended[title]) == (0, 1)  # nobody knows how many rows there are
    shown = sys.stderr.getvalue()
    bars = re.findall(rf"(?:reading|{title}): .*", shown.replace("\r", "\n"))
    assert {bar.partition(":")[0] for bar in bars} == {"reading", title}
    assert max(map(len, bars)) <= 80


@pytest.mark.parametrize("example", re.findall(r"```console\n\$ (.*?)```", PAGE, re.DOTALL))
def test_the_page_shows_what_is_printed(capsys, write, monkeypatch, tmp_path, example):
    write(FILE, "predictions.csv")
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS
    if "holdout.csv" in example:
        flags |= doctest.NORMALIZE_WHITESPACE  # the page folds the last line
        execute_blocks("command_line.md", "Gates in CI")
    command, _, shown = example.replace("\\\n", "").partition("\n")
    with suppress(SystemExit):
        main(shlex.split(command)[1:])
    printed = "".join(capsys.readouterr())
    assert doctest.OutputChecker().check_output(shown, printed, flags), printed


def test_the_page_has_every_command_every_option_and_the_example(capsys):
    assert f"```text\n{FILE}```" in PAGE
    for command in NAMES:
        assert command == "example" or f"## {command.capitalize()}\n" in PAGE
        with suppress(SystemExit):
            main([command, "--help"])
        for option in re.findall(r"--[\w-]+", capsys.readouterr().out):
            assert option == "--help" or re.search(rf"{option}[ `]", PAGE), option


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["score", "--k", "0"], "--k must be at least 1 and below 2**63, got 0."),
        (["score", "--k", "100%"], "--k must be a whole number of ranks, or a share of the rows"),
        (["score", "--k", "x%"], "argument --k: must be a whole number of ranks, such as 10, or"),
        (["score", "--score", "none", "g"], "arguments: g. FILES stand together, and an option t"),
        (["score", "--lab", "y"], "unrecognized arguments: --lab y. Did you mean --label?"),
        (["score", "--clusters", "g"], "arguments: --clusters g. Did you mean --cluster?"),
        (["score", "--groups", "g"], "arguments: --groups g. Did you mean --cluster?"),
        (["compare", "--pos-label", "1"], "--pos-label 1. Did you mean --positive?"),
        (["score", "--prevalence", "2"], "--prevalence is the proportion of positives"),
        (["score", "--prevalence", ".1", "--definition", "AP@5"], "pass --weight in place"),
        (["score", "--weight", "none"], "--weight is zero in every row"),
        (["score", "--definition", "qqq"], "Near it: none; score without --definition lists all."),
        (["compare", "--k", "1%"], "--k must be a whole number here, got 0.01."),
        (
            ["compare", "--inclusion-probability", "equal"],
            "--inclusion-probability is for intervals: use",
        ),
        (["compare", "--score", "none", "--near", ".5"], "--near asks about one number: pass --sc"),
        (["threshold", "--precision", "high%"], "--precision: must be a share, such as 0.05 or 5%"),
        (
            ["threshold", "--k", "3", "--prevalence", ".1"],
            "--prevalence does not go with",
        ),
        (["threshold"], "pass one of --precision, --recall, --k and --cost, or the first two"),
        (
            ["threshold", "--k", "3", "--recall", "0.5"],
            "pass one of --precision, --recall, --k and --cost, or the first two",
        ),
        (["explain", "xgbost.aucpr"], "Near it: xgboost.aucpr"),
        (["explain", "pycocotools.COCOeval", "--weight", "p"], "COCOeval takes no --weight."),
        (
            ["explain", "ranx.map", "--score", "none"],
            "pass --score once: a tool ranks by one column",
        ),
        (
            [*BY_G, "--reference", "c"],
            "--reference must be 'others', 'previous' or the name of",
        ),
        (
            [*BY_G, "--prevalence", "all"],
            "--prevalence: must be a share, such as 0.05 or 5%, overall or",
        ),
        ([*BY_G, "--definition", "AP@5"], "Or pass --prevalence own, which leaves each segment at"),
        ([*BY_G, "--cluster", "g"], "segment, lies in one cluster"),
    ],
)
def test_errors_name_the_options_of_the_command_line(refuse, write, arguments, text):
    file = write("sample_weight,p,none,g\n1,.5,0,a\n0,.4,0,a\n1,.3,0,b\n0,.2,0,b\n")
    command, *rest = arguments
    tool = [rest.pop(0)] if command == "explain" else []
    said = refuse(command, *tool, file, "--label", "sample_weight", "--score", "p", *rest)
    assert text in said
    assert "sample_weight" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["--frobnicate"],
        ["score", "a.csv", "--label", "y", "--score", "p", "--near", "1"],
        ["trec", "qrels.txt", "a.run", "--groups", "g"],  # has no --cluster
    ],
)
def test_an_option_that_a_command_lacks_is_not_guessed(refuse, arguments):
    said = refuse(*arguments)
    assert said.startswith("unrecognized arguments: ")
    assert "mean" not in said


def test_errors_keep_column_and_file_names_unchanged(refuse, write):
    file = write("sample_weight,p\nx,.5\ny,.4\n", "sample_weight.csv")
    numbers = write("sample_weight,p\nx,1\ny,0\n", "numbers.csv")
    for label, score, file_there, said in (
        ("sample_weight", "p", file, "column 'sample_weight' holds 'x' and 'y'"),
        ("p", "sample_weight", numbers, "row 2, column 'sample_weight': 'x' is not a number"),
        ("p", "p", file.removesuffix(".csv"), file.removesuffix(".csv")),
    ):
        assert said in refuse("score", file_there, "--label", label, "--score", score)


def test_memory_errors_exit_with_2_and_ctrl_c_with_130(refuse, write, monkeypatch):
    truth = "sklearn_ap._program.cli._file_predictions.labels"
    for error in (MemoryError("of 8 GiB"), RecursionError("too deep")):  # and not the status 1
        monkeypatch.setattr(truth, Mock(side_effect=error))
        assert refuse("score", write(), *COLUMNS) == f"there is not enough memory. {error}"
    monkeypatch.setattr(truth, Mock(side_effect=KeyboardInterrupt))
    assert main(["score", write(), *COLUMNS]) == 130
