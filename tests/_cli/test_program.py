"""The program: statuses, streams, the help, the schema of JSON, and its page."""

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_ap import __version__
from sklearn_ap.__main__ import main
from sklearn_ap._cli.arguments import COMMANDS, EXAMPLE_FILE
from tests.helpers.first_cases import quick
from tests.helpers.pages import blocks, execute_blocks

PAGE, GATES = (
    (Path(__file__).parents[2] / "docs" / f"{name}.md").read_text()
    for name in ("command_line", "gates")
)
PROGRAM = [sys.executable, "-m", "sklearn_ap"]
HEADER = "y,p,q,s,w\n"
FILES = {
    "both.csv": "1,.9,a,x,1\n0,.8,a,x,1\n1,.7,b,y,1\n0,.6,b,y,1\n",
    "none.csv": "0,.9,a,x,1\n0,.8,a,x,1\n0,.7,b,y,1\n0,.6,b,y,1\n",
    "all.csv": "1,.9,a,x,1\n1,.8,a,x,1\n1,.7,b,y,1\n1,.6,b,y,1\n",
    "apart.csv": "1,.9,a,x,1\n1,.8,a,x,1\n0,.7,b,y,1\n0,.6,b,y,1\n",
    "light.csv": "1,.9,a,x,0\n0,.8,a,x,1\n1,.7,b,y,0\n0,.6,b,y,1\n",
}
FILES = {name: HEADER + rows for name, rows in FILES.items()}
FILES |= {"q.txt": "1 0 a 1\n2 0 a 1\n", "q0.txt": "1 0 a 0\n2 0 a 0\n"}
FILES |= {"r.run": "1 Q0 a 1 .9 x\n2 Q0 b 1 .8 x\n", "predictions.csv": EXAMPLE_FILE}
C = "--label y --score p"
# What each command needs beside the columns.
NEEDED = {
    "score": "",
    "threshold": "--precision .5",
    "segments": "--segment s",
    "report": "",
    "tools": "",
}
STATUSES = {
    0: [
        *("", "example", "--version", "--help", "score --help", "trec q.txt r.run"),
        *(f"score {f}.csv {C} {q}" for f in ("both", "all", "apart") for q in ("", "--query q")),
        *(f"{command} both.csv {C} {needed}" for command, needed in NEEDED.items()),
        f"explain xgboost.aucpr both.csv {C}",
        f"threshold all.csv {C} --k 2",
        f"threshold both.csv {C} --threshold -.5",
        f"score all.csv {C} --prevalence .1",
    ],
    1: [
        *(f"{command} none.csv {C} {needed}" for command, needed in NEEDED.items()),
        *(f"{command} light.csv --weight w {C} {more}" for command, more in NEEDED.items()),
        f"explain xgboost.aucpr none.csv {C}",
        *(f"score none.csv {C} {o}" for o in ("--query q", "--require AP>=.1", "--score w")),
        *("trec q0.txt r.run", "trec q.txt r.run -l 2 --without-positives left-out"),
    ],
    3: [
        f"score both.csv {C} --require AP>=.9",
        f"score both.csv {C} --score w --require better",
        f"threshold both.csv {C} --precision .5 --guarantee .9 --require guarantee",
        "trec q.txt r.run --require map>=.9",
    ],
    2: [
        *("nothing", "score", "example x", "score --nothing", "explain", "trec q.txt"),
        *(f"{command} no.csv {C} {needed}" for command, needed in NEEDED.items()),
        *(f"segments {f}.csv {C} --segment s" for f in ("all", "apart")),
        f"explain nothing both.csv {C}",
        f"explain both.csv xgboost.aucpr {C}",
        *(f"trec {files}" for files in ("q.txt no.run", "q.txt q.txt")),
    ],
}


@pytest.fixture
def files(write):
    for name, content in FILES.items():
        write(content, name)


@pytest.mark.parametrize(
    ("status", "words"), [(status, each) for status, every in STATUSES.items() for each in every]
)
@pytest.mark.usefixtures("few_halves")
@pytest.mark.filterwarnings("ignore")
def test_each_command_has_the_statuses_of_the_page(ask, files, status, words):
    said = ask(words)
    assert said.status == status
    assert bool(said.out) == (status != 2)
    assert ("so average precision is not defined" in said.err) == (status == 1)
    if status == 2:
        assert re.fullmatch("sklearn-ap: error: .*\n", said.err)
    elif " --help" not in words:  # a line each
        assert re.fullmatch("(sklearn-ap: warning: .*\n)*", said.err)


def test_a_file_in_the_place_of_a_function_is_named(ask, files):
    said = ask(f"explain both.csv xgboost.aucpr {C}")
    assert "'both.csv' is a file: write TOOL before FILE" in said.err


KEYS = ["command", "version", "input", "results", "required", "shown", "warnings"]
INPUT = [
    "models",
    "rows",
    "positives",
    "positive_label",
    "labelled",
    "queries",
    "left_out_without_positives",
    "not_used",
]


WITH_JSON = [
    each for s in (0, 1, 3) for each in STATUSES[s] if " " in each and "--help" not in each
]


@pytest.mark.parametrize(
    "words",
    quick(WITH_JSON, WITH_JSON[::2]),
)
@pytest.mark.usefixtures("few_halves")
@pytest.mark.filterwarnings("ignore")
def test_json_has_one_schema(ask, files, words):
    said = ask(f"{words} --format json")
    found = said.json
    assert [*found] == KEYS
    assert (found["command"], found["version"]) == (words.split()[0], __version__)
    assert [*found["input"]] == INPUT
    for result in found["results"]:
        if found["command"] == "report":
            assert {"title", "advice", "facts"} <= result.keys()
        else:
            assert {"heading", "rows", "sentences", "notes"} <= result.keys()
            assert all("name" in row for row in result["rows"])
    for each in found["required"]:
        assert [*each] == ["requirement", "shown", "reason"]
    shown = [each["shown"] for each in found["required"]]
    assert found["shown"] == (all(shown) if shown else None)
    for each in found["warnings"]:
        assert [*each] == ["name", "text"]
        assert each["text"] in said.err


@pytest.mark.parametrize("name", [None, *COMMANDS])
@pytest.mark.filterwarnings("ignore")
def test_the_help_fits_a_terminal_and_its_examples_work(ask, files, write, name):
    shown = ask.words(*filter(None, [name]), "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    statuses = {int(each) for each in re.findall(r"^  (\d+) ", shown, re.M)}
    examples = re.findall("^  sklearn-ap (.*)$", shown, re.M)
    assert statuses == (set() if name else {*STATUSES, 70, 130})
    assert len(examples) == (0 if name else len(COMMANDS) - 1)
    for example in examples:
        said = ask(example.removesuffix(" > predictions.csv"))
        assert (said.status, bool(said.out)) == (0, True), said.err


# Calls to which each default matters, and what passes one, by the words of the help.
GRADED = {
    "graded.csv": "y,p,q,s\n1,.9,a,x\n0,.9,a,x\n1,.7,a,x\n0,.6,a,y\n0,.5,b,y\n0,.4,b,y\n1,.3,c,y\n",
    "graded.txt": "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n",
    "tied.run": "1 Q0 a 1 .9 x\n1 Q0 b 2 .9 x\n1 Q0 c 3 .5 x\n2 Q0 b 1 .8 x\n2 Q0 a 2 .7 x\n",
}
ASKED = {
    "score": f"score graded.csv {C} --query q --definition AP",
    "trec": "trec graded.txt tied.run --definition AP",
    "segments": f"segments graded.csv {C} --segment s",
    "explain": f"explain catboost.PRAUC graded.csv {C}",
}
TYPED = {
    "1, true or yes": "1",
    "scikit-learn's": "sklearn.average_precision_score",
    "equal scores share their ranks": "shared",
    "queries without positives count as 0": "zero",
}
DEFAULTS = {  # by the help of a flag
    each.settings["help"]: (command, each.names[-1], "".join(said).strip().replace("%%", "%"))
    for command in ASKED
    for each in COMMANDS[command].flags
    for said in re.findall(r"\(default:? (.*?)\)|([^:,]*) \(the default\)", each.settings["help"])
}


@pytest.mark.parametrize(("command", "flag", "default"), DEFAULTS.values())
@pytest.mark.filterwarnings("ignore")
def test_a_default_of_the_help_is_what_is_taken(ask, write, command, flag, default):
    for name, content in GRADED.items():
        write(content, name)
    usual = ask(ASKED[command])
    typed = ask.words(*ASKED[command].split(), flag, TYPED.get(default, default))
    assert usual == typed
    assert usual.status == 0


def test_each_help_with_the_word_default_is_tried():
    helps = {each.settings["help"] for asked in COMMANDS.values() for each in asked.flags}
    assert {text for text in helps if "default" in text} == {*DEFAULTS}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (
            "score both.csv --score w s",
            "arguments: s; name files together, and repeat an option, as --score, for each",
        ),
        ("score both.csv --query q --query s", "--query is given twice"),
        ("score both.csv -mAP --k 5", "--k 5 is for definitions such as AP@k, not for AP"),
        ("score both.csv --queries q --query s", "--query is given twice"),
        ("score both.csv --cluster S", "there is no column 'S'; there are 'y', 'p', 'q', 's'"),
        ("score both.csv --score p,w", "'w'; repeat an option, as --score, for each of its"),
        ("report both.csv --segment s,q", "'w'; repeat an option, as --score, for each of its"),
        ("threshold both.csv", "Pass one of precision, recall, k, cost and threshold, got none"),
        ("score both.csv --without-positives zero", "--without-positives needs --query"),
        (
            "score both.csv --query q --inclusion-probability equal --without-positives zero",
            "--without-positives needs --query, and no --inclusion-probability",
        ),
        ("score both.csv --delimiter ;;", "--delimiter must be one letter, such as ; or |"),
        ("score both.csv --prevalence high", "--prevalence: 'high' is not a number"),
        ("threshold both.csv --k 1/0", "--k: '1/0' is not a number"),
        ("tools both.csv --cost 1 2 -o x", "unrecognized arguments: --cost 1 2 -o x"),
        ("segments both.csv --segment s --score w", "given twice, and segments takes one"),
        ("segments both.csv --segment q:mont", "'w'; units of dates are hour, day, week, "),
        ("threshold both.csv --recall .5 --require guarantee", "guarantee needs --guarantee"),
        (
            "threshold both.csv --recall .5 --require recall>=.4",
            "needs --threshold, a threshold cho",
        ),
        ("threshold both.csv --threshold 1 --require ap>=.4", "one of precision, recall, "),
        ("report both.csv -o no/p.html", "no/p.html: No such file or directory"),
    ],
)
def test_wrong_arguments_are_one_line_that_names_flags(ask, files, words, problem):
    said = ask(f"{words} {C}")
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert problem in said.err


@pytest.mark.parametrize("example", re.findall(r"```console\n\$ (.*?)```", PAGE + GATES, re.S))
def test_the_page_shows_what_is_printed(ask, files, tmp_path, example):
    if "holdout.csv" in example:
        execute_blocks("gates.md", "")
    for code in blocks("command_line.md", "Trec", "sh") if "qrels" in example else ():
        subprocess.run(code, shell=True, check=True)
    command, _, shown = example.replace("\\\n", "").partition("\n")
    said = ask.words(*shlex.split(command)[1:])
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE  # the page folds lines
    printed = said.out + said.err
    assert doctest.OutputChecker().check_output(shown, printed, flags), printed


def test_the_page_has_every_command_and_the_example():
    assert f"```text\n{EXAMPLE_FILE}```" in PAGE
    assert all(f"## {name.capitalize()}\n" in PAGE for name in COMMANDS if name != "example")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.parametrize("words", quick(["--help", f"tools both.csv {C}"], 1))
def test_a_reader_that_needs_no_more_ends_the_program_without_a_word(files, words):
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([*PROGRAM, *words.split()], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (run.returncode, run.stderr) == (-signal.SIGPIPE, b"")


@pytest.mark.slow
class TestProcess:
    @pytest.mark.parametrize(
        ("command", "status", "message"),
        [
            (f"score none.csv {C} 2> /dev/null", 1, ""),
            (f"tools - {C} <&-", 2, "there is no standard input"),
            (f"tools both.csv {C} > /dev/full", 2, "No space left"),
            (f"tools both.csv {C} 2>&-", 0, ""),
            (f"tools both.csv {C} >&-", 0, ""),
        ],
    )
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
    def test_closed_and_full_streams_end_without_a_traceback(self, files, command, status, message):
        run = subprocess.run(
            f"{shlex.join(PROGRAM)} {command}", shell=True, capture_output=True, text=True
        )
        assert run.returncode == status
        assert run.stderr.startswith(f"sklearn-ap: error: {message}" if message else "")
        assert run.stderr.count("\n") <= 1

    def check_ctrl_c_ends(self, code):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert (run.returncode, run.stdout, run.stderr) == (130, b"", b"")

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
        self.check_ctrl_c_ends(code)

    def test_ctrl_c_while_modules_are_imported_is_no_traceback(self):
        code = (
            "import signal, sys\n"
            "class Finder:\n"
            "    def find_spec(name, path=None, target=None):\n"
            "        if name == 'argparse':\n"
            "            signal.raise_signal(signal.SIGINT)\n"
            "sys.meta_path.insert(0, Finder)\n"
            "from sklearn_ap.__main__ import program\n"
            "program()"
        )
        self.check_ctrl_c_ends(code)

    def test_ascii_terminals_do_not_break_output(self, write):
        path = write("y,\u03b1,\u03b2\n1,2,1\n0,1,2\n")
        words = f"score {path} --label y --score \u03b1 --score \u03b2 --definition AP".split()
        names = os.environ | {"PYTHONIOENCODING": "ascii"}
        run = subprocess.run([*PROGRAM, *words], capture_output=True, check=True, env=names)
        assert rb"\u03b1" in run.stdout

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
        assert (__version__ in run.stdout, run.stdout.count("usage: ")) == (True, 2)


def test_a_flag_without_a_value_is_named(ask):
    for words in (["report", "p.csv", "-o", ""], ["report", "p.csv", "-o="]):
        assert ask.words(*words) == (2, "", "sklearn-ap: error: -o is empty\n")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("score x.csv --label y --scores p", "--scores is unknown, and --score is required"),
        ("score x.csv --lable=y --score p", "--lable is unknown, and --label is required"),
    ],
)
def test_a_flag_that_is_misspelled_is_told_before_the_one_that_is_missing(arguments, text, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments.split())
    assert (end.value.code, capsys.readouterr().err) == (2, f"sklearn-ap: error: {text}\n")
