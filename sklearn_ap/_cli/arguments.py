"""The commands, their flags and their help. It imports no NumPy, as --help is printed without."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from sklearn_ap._cli.statuses import FAULT, NOT_SHOWN, STOPPED, UNDEFINED, WRONG
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.units import UNITS
from sklearn_ap._version import __version__

if TYPE_CHECKING:
    from sklearn_ap._types import Keywords

BETTER, NOT_WORSE = "better", "not-worse"  # claims about models
NONE_WORSE, LATEST_NOT_WORSE = "none-worse", "latest-not-worse"  # claims about segments
GUARANTEE = "guarantee"  # a claim about thresholds

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
EXAMPLE_FILE = """\
user,y,p
ann,1,0.9
ann,1,0.8
ann,0,0.8
ann,1,0.7
ann,0,0.6
bob,1,0.6
bob,0,0.4
bob,0,0.3
bob,0,0.3
bob,1,0.1
"""
COLUMNS = "predictions.csv --label y --score p"
EXAMPLES_AND_STATUS = f"""\
examples:
  sklearn-ap example > predictions.csv
  sklearn-ap score {COLUMNS} --query user
  sklearn-ap threshold {COLUMNS} --precision 0.7
  sklearn-ap segments {COLUMNS} --segment user
  sklearn-ap report {COLUMNS} -o report.html
  sklearn-ap tools {COLUMNS} --near 0.73
  sklearn-ap explain xgboost.aucpr {COLUMNS}

status:
  0    the answer is printed
  {UNDEFINED}    no row is positive, so average precision is not defined
  {WRONG}    something is wrong with the files or the arguments
  {NOT_SHOWN}    what --require asks for is not shown
  {FAULT}   the program has a fault, which its last lines ask to report
  {STOPPED}  stopped by Ctrl-C"""
PERIODS = ", ".join(UNITS)
UNITS_HELP = (
    f"add a unit to dates, as in time:month ({PERIODS}), and a colon to a name such as time:day"
)


def number(text: str) -> float:
    """Read 10, 0.05, 5% or 1/20."""
    from sklearn_ap._inputs.numbers import read_share  # which imports NumPy

    try:
        return read_share(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None


def named_before_files(text: str) -> str:
    """Refuse a file in the place of a function."""
    if os.path.isfile(text):
        raise argparse.ArgumentTypeError(f"{text!r} is a file: write TOOL before FILE")
    return text


def shared_prevalence(text: str) -> float | str:
    """Read a number, or which prevalence segments have."""
    return text if text in ("overall", "own") else number(text)


def one_line(message: str) -> str:
    """Write errors and warnings without line breaks, and letters that cannot be printed."""
    from sklearn_ap._writing.text import printable  # which imports NumPy

    return printable(" ".join(message.split()))


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(WRONG, f"sklearn-ap: error: {one_line(message)}\n")


class Once(argparse.Action):
    """Store a value, and refuse a second one, as a second column must not win without a word."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        if getattr(namespace, self.dest) != self.default:
            command = parser.prog.split()[-1]
            parser.error(f"{self.option_strings[0]} is given twice, and {command} takes one")
        setattr(namespace, self.dest, values)


class Flag(NamedTuple):
    """The names of a flag, and the settings that argparse takes."""

    names: Sequence[str]
    settings: Keywords


def flag(names: str, metavar: str | tuple[str, ...] | None, text: str, **settings: object) -> Flag:
    """Describe a flag, which stands once if no other action is set, or an argument without one."""
    return Flag(names.split("/"), {"metavar": metavar, "help": text, "action": Once, **settings})


def number_flag(names: str, metavar: str | tuple[str, ...], text: str, **settings: object) -> Flag:
    """Describe a flag of a number, or of several."""
    return flag(names, metavar, text, type=number, **settings)


def switch(names: str, text: str) -> Flag:
    """Describe a flag without a value."""
    return Flag(names.split("/"), {"help": text, "action": "store_true"})


SEVERAL: Keywords = {"action": "append", "default": []}
ONE: Keywords = {"nargs": 1, "required": True, "default": []}  # in a list, as several are

# ---- what is read, also by the names that errors of public functions have
FILES = flag(
    "file", "FILE", "CSV, JSON lines, Parquet, Feather; folder; pattern; - for a pipe", nargs="+"
)
LABEL = flag("--label/--y-true", "COL", "column of true labels", required=True)
SCORE = "column of scores, higher for positives"
LAYOUT = (
    flag("--weight/--sample-weight", "COL", "column of weights"),
    flag("--positive/--pos-label", "VALUE", "the positive label (default: 1, true or yes)"),
    flag("--delimiter", "MARK", "the mark between the cells of CSV"),
    flag("--decimal", None, "the decimal mark of CSV (default .)", choices=(".", ",")),
)
MODEL = (FILES, LABEL, flag("--score/--y-score", "COL", SCORE, **ONE), *LAYOUT)
EACH_SCORE = flag(
    "--score/--y-score", "COL", f"{SCORE}; repeat it for more models", required=True, **SEVERAL
)
MODELS = (FILES, LABEL, EACH_SCORE, *LAYOUT)
CLUSTER = flag("--cluster/--clusters", "COL", "column of clusters, such as patients")
QUERY = flag("--query/--queries", "COL", f"column of queries, to average over; {UNITS_HELP}")
GROUPS = (CLUSTER, QUERY)
SEGMENT = (
    flag("--segment/--segments", "COL", f"column of segments; {UNITS_HELP}", **ONE),
    flag("--reference", "NAME", "others (the default), previous, or one segment"),
)
SEGMENTS = flag(
    "--segment/--segments",
    "COL",
    f"column of segments; repeat it for more columns; {UNITS_HELP}",
    **SEVERAL,
)
RUNS = (
    flag("qrels", "QRELS", "judgements: query, iteration, document, label"),
    flag("runs", "RUN", "runs: query, Q0, document, rank, score, tag", nargs="+"),
    number_flag("-l/--relevance-level", "L", "the lowest relevant label (default 1)"),
    switch("-J/--judged-only", "leave out unjudged documents"),
    switch("-c/--complete", "count queries of which no run has a document as 0"),
    flag(
        "--ties",
        None,
        "equal scores share their ranks (the default), or stand by name as in trec_eval",
        choices=("shared", "trec_eval"),
    ),
)
WITHOUT_POSITIVES = flag(
    "--without-positives",
    None,
    "queries without positives count as 0 (the default), or are left out",
    choices=("zero", "left-out"),
)

# ---- what is asked
K = number_flag("--k", "K", "how many of the first rows, or a share (rounded up), such as 1%%")
TOOL_K = number_flag("--k", "K", "how many of the first rows")
DEFINITIONS = (
    flag("-m/--definition", "NAME", "a definition, such as AP@5; repeat it for more", **SEVERAL),
    K,
)
PREVALENCE = number_flag("--prevalence", "SHARE", "the prevalence where you deploy, such as 0.01")
POSITIVES = (
    number_flag("--n-positives", "N", "how many positives there are, if some have no row"),
    WITHOUT_POSITIVES,
    PREVALENCE,
    flag(
        "--inclusion-probability",
        "COL",
        "column of the probability with which each row was labelled, empty in other rows; or equal",
    ),
)
CONFIDENCE = number_flag(
    "--confidence-level", "SHARE", "confidence level of intervals (default 95%%)"
)
GOAL = (
    number_flag("--precision", "P", "the precision that you need"),
    number_flag("--recall/--sensitivity", "R", "the recall (sensitivity) that you need"),
    K,
    number_flag(
        "--cost",
        ("FP", "FN"),
        "the cost of each error; the threshold of least cost is taken",
        nargs=2,
    ),
    number_flag("--threshold", "T", "a threshold that was chosen before, on other rows"),
)
PREVALENCES = flag(
    "--prevalence",
    "SHARE",
    "the prevalence of all segments: a number, overall (the default) or own",
    type=shared_prevalence,
)
TOOL = flag(
    "tool", "TOOL", "a function that tools lists, such as xgboost.aucpr", type=named_before_files
)
VERSUS = flag("--versus", "TOOL", "the other function (default: scikit-learn's)")
NEAR = flag("--near", "NUMBER", "a number that you have; the nearest functions come first")
ALL = switch("--all", "all functions, not only ten well-known ones")

# ---- what must be shown, and how it is answered
TIME = flag(
    "--time",
    "COL",
    f"column of times: claims about models must hold in the latest time, too; {UNITS_HELP}",
)
LATEST = flag("--latest", "DAY", "the day, or the month, that the latest rows must have")
GATE = (
    flag(
        "--require",
        "CLAIM",
        "status 3 unless this is shown: that every model but the first is better, or not-worse by "
        '--margin; or a lower limit, such as "ap >= 0.4". Repeat it for more',
        **SEVERAL,
    ),
    number_flag("--margin", "LOSS", "the loss that does not matter to you, such as 0.02"),
)
GUARANTEED = number_flag("--guarantee", "SHARE", "how often the goal must truly be reached, as 0.9")
THRESHOLD_GATE = (
    GUARANTEED,
    flag(
        "--require",
        "CLAIM",
        "status 3 unless a threshold with the guarantee is found (guarantee); or, with "
        '--threshold, unless a lower limit is shown, such as "recall >= 0.8". Repeat it for more',
        **SEVERAL,
    ),
)
SEGMENT_GATE = flag(
    "--require",
    "CLAIM",
    "status 3 if any segment is shown to be worse (none-worse), or the last one, such as the "
    "latest month (latest-not-worse). Repeat it for both",
    choices=(NONE_WORSE, LATEST_NOT_WORSE),
    **SEVERAL,
)
REPORT_GATE = (
    flag(
        "--require",
        "CLAIM",
        "status 3 unless this is shown, as in score, threshold and segments: better, "
        "not-worse, guarantee, none-worse, latest-not-worse or a lower limit. Repeat it for more",
        **SEVERAL,
    ),
    *GATE[1:],
    GUARANTEED,
    LATEST,
)
OUTPUT = flag("-o/--output", "HTML", "file to write, with pictures")
FORMAT = flag("--format", None, "how to print the answer", choices=("text", "markdown", "json"))


class Command(NamedTuple):
    """What a command answers, by the function of its name in ``commands``, and its flags."""

    text: str
    flags: Sequence[Flag]


COMMANDS = {
    "score": Command(
        "each definition with its interval; of several models, their differences from the first",
        (*MODELS, *GROUPS, *DEFINITIONS, *POSITIVES, CONFIDENCE, *GATE, TIME, LATEST, FORMAT),
    ),
    "trec": Command(
        "the same for judgements and runs in TREC's files",
        (*RUNS, *DEFINITIONS, WITHOUT_POSITIVES, CONFIDENCE, *GATE, FORMAT),
    ),
    "threshold": Command(
        "the threshold for a precision, a recall, a number of rows or the least cost, or one given",
        (*MODELS, CLUSTER, *GOAL, *THRESHOLD_GATE, TIME, LATEST, PREVALENCE, CONFIDENCE, FORMAT),
    ),
    "segments": Command(
        "the score of each segment of the rows, such as countries or months, beside others",
        (
            *MODEL,
            *GROUPS,
            *SEGMENT,
            *DEFINITIONS,
            PREVALENCES,
            CONFIDENCE,
            SEGMENT_GATE,
            LATEST,
            FORMAT,
        ),
    ),
    "report": Command(
        "the usual questions on one page: as text, or as an HTML file with pictures",
        (*MODELS, *GROUPS, SEGMENTS, *GOAL, PREVALENCE, CONFIDENCE, *REPORT_GATE, OUTPUT, FORMAT),
    ),
    "tools": Command(
        "what other tools compute from the same predictions",
        (*MODEL, QUERY, NEAR, ALL, TOOL_K, FORMAT),
    ),
    "explain": Command(
        "why the number of a tool differs from scikit-learn's, or from another tool's",
        (TOOL, *MODEL, QUERY, VERSUS, TOOL_K, FORMAT),
    ),
    "example": Command("print a file of ten predictions, to try the other commands", ()),
}


@cache
def parser() -> Parser:
    """Make the parser of the arguments."""
    program = Parser(
        prog="sklearn-ap",
        description="Average precision of predictions in files. COMMAND --help says more.",
        epilog=EXAMPLES_AND_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    program.add_argument("--version", action="version", version=__version__)
    commands = program.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        added = commands.add_parser(
            name, help=command.text, description=command.text, allow_abbrev=False
        )
        for each in command.flags:
            action = added.add_argument(*each.names, **each.settings)
            program.set_defaults(**{action.dest: action.default})  # of commands without it
    return program


def _refuse_unknown_flags(arguments: Sequence[str]) -> None:
    """Refuse a flag that a command lacks before one that is missing, which it may stand for."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    if command is None:
        return
    typed = {word.partition("=")[0] for word in arguments}
    lacking = [
        name
        for each in command.flags
        if each.settings.get("required") and typed.isdisjoint(each.names)
        for name in each.names
    ]
    if not lacking or not typed.isdisjoint(("-h", "--help")):
        return
    known = {"--help", *(name for each in command.flags for name in each.names)}
    for name in (word.partition("=")[0] for word in arguments):
        if name.startswith("--") and name not in known and name != "--":
            near = get_close_matches(name, lacking, 1) or lacking
            parser().error(f"{name} is unknown, and {near[0]} is required")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse arguments, which are kept as they were typed; without any, show the help."""
    for before, word in pairwise(["", *arguments]):
        name, _, value = word.partition("=")
        if not word:
            parser().error(f"{before if before.startswith('-') else 'an argument'} is empty")
        if name.startswith("-") and "=" in word and value in ("", "--"):
            parser().error(f"{name} is empty")
    _refuse_unknown_flags(arguments)
    args, unknown = parser().parse_known_args(arguments or ["--help"])
    if unknown:
        are_values = not any(word.startswith("-") for word in unknown)
        remedy = "; name files together, and repeat an option, as --score, for each of its values"
        words = " ".join(unknown)
        parser().error(f"unrecognized arguments: {words}{remedy if are_values else ''}")
    args.words = arguments
    if args.cost:  # as functions take it
        args.cost = dict(zip(("false_positive", "false_negative"), args.cost, strict=True))
    return args
