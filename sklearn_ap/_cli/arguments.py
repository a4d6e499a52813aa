"""The commands, their flags and their help. It imports no NumPy, as --help is printed without."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from sklearn_ap._types import Keywords

HELP_WIDTH = 79  # letters of a line of help
BETTER, NOT_WORSE = "better", "not-worse"  # claims about models
NONE_WORSE, LATEST_NOT_WORSE = "none-worse", "latest-not-worse"  # claims about segments
USUAL_K = 10  # of scores at k
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
EXAMPLES = f"""\
  sklearn-ap example > predictions.csv
  sklearn-ap score {COLUMNS} --k 3
  sklearn-ap tools {COLUMNS}
  sklearn-ap explain xgboost.aucpr {COLUMNS}"""
STATUS = """\
status:
  0    the answer is printed
  1    no row is positive, so average precision is not defined
  2    something is wrong with the files or the arguments
  3    what --require asks for is not shown
  130  stopped by Ctrl-C"""
UNITS_HELP = "of dates also with a unit, as time:month (hour, day, week, month, quarter, year)"


class Requirement(NamedTuple):
    """What ``--require`` asks for: a claim about models, or a score with its least value."""

    text: str
    score: str = ""
    least: float = 0.0


def requirement(text: str) -> Requirement:
    """Read better, not-worse, or "ap >= 0.4"."""
    if text in (BETTER, NOT_WORSE):
        return Requirement(text)
    score, _, typed = map(str.strip, text.rpartition(">="))
    least = number(typed) if score else 0.0
    if not 0 < least < 1:
        raise argparse.ArgumentTypeError(
            f"must be {BETTER}, {NOT_WORSE}, or in quotes a score and its least value between 0 "
            f'and 1, such as "ap >= 0.4", got {text!r}'
        )
    return Requirement(text, score, least)


def number(text: str) -> float:
    """Read 10, 0.05 or 5%."""
    from sklearn_ap.definitions._spellings import read_rank  # which takes long

    try:
        return read_rank(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None


def shared_prevalence(text: str) -> float | str:
    """Read a number, or which prevalence segments have."""
    return text if text in ("overall", "own") else number(text)


def mark(text: str) -> str:
    """Read one letter. A tab may be typed as the two letters that stand for it in code."""
    found = "\t" if text == r"\t" else text
    if len(found) != 1:
        raise argparse.ArgumentTypeError(rf"must be one letter, such as ; or \t, got {text!r}")
    return found


def one_line(message: str) -> str:
    """Write errors and warnings without line breaks, and letters that cannot be printed."""
    from sklearn_ap._results.text import printable  # which imports NumPy

    return printable(" ".join(message.split()))


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help fits into 80 columns."""

    def __init__(self, *, description: str, examples: str, prog: str, **_: object) -> None:
        super().__init__(
            prog=prog,
            allow_abbrev=False,
            description=textwrap.fill(description, HELP_WIDTH),
            epilog=f"examples:\n{examples}\n\n{STATUS}",
            formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=HELP_WIDTH),
        )
        # -1e-3, -5% and all other numbers are values: argparse of Python 3.11 knows -0.001 alone.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(2, f"sklearn-ap: error: {one_line(message)}\n")


class Once(argparse.Action):
    """Store a value, and refuse a second one, as a second column must not win without a word."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,  # noqa: ARG002
    ) -> None:
        stored = vars(namespace).setdefault("stored_once", set())
        if self.dest in stored:
            parser.error(f"{self.option_strings[0]} is given twice")
        stored.add(self.dest)
        setattr(namespace, self.dest, values)


class Command(NamedTuple):
    """What a command answers, its flags, examples, and flags that mean something else here."""

    text: str
    flags: str
    examples: tuple[str, ...]
    own: Mapping[str, Keywords] = MappingProxyType({})


def flag(metavar: str | tuple[str, ...] | None, text: str, **options: object) -> Keywords:
    """Describe a flag to argparse."""
    return {"metavar": metavar, "help": text, "action": Once, **options}


def column(text: str, **options: object) -> Keywords:
    """Describe a flag of a column; without an action that collects several, it has one."""
    return flag("COL", text, **options)


def switch(text: str, **options: object) -> Keywords:
    """Describe a flag without a value."""
    return {"help": text, "action": "store_true", **options}


SEVERAL: Keywords = {"action": "append", "default": []}
SCORE_COLUMNS = {
    "--score": column(
        "column of scores, higher for positives; once more for each model", required=True, **SEVERAL
    )
}
TABLE = "FILE --label --score --weight/--sample-weight --positive/--pos-label --delimiter --decimal"
GATE = "--require --margin"
GOAL = "--precision --recall --k --cost --threshold"  # what a threshold is for
# What does not go with --guarantee, and why.
NOT_GUARANTEED = {
    **dict.fromkeys(("--k", "--cost", "--threshold"), "it is for a precision or a recall"),
    "--cluster": "it counts rows, so pass one row of each cluster",
    "--weight": "it counts rows, so pass rows drawn with equal chances",
}
COMMANDS = {
    "score": Command(
        "each definition with its interval; of several models, their differences from the first",
        f"{TABLE} --cluster --query -m/--definition --k --n-positives --without-positives "
        f"--prevalence --inclusion-probability --confidence-level {GATE} --format",
        (f"{COLUMNS} --query user", f"{COLUMNS} --definition AP@5", f"{COLUMNS} --format json"),
        SCORE_COLUMNS,
    ),
    "trec": Command(
        "the same for judgements and runs in TREC's files",
        "QRELS RUN -l/--relevance-level -J/--judged-only -c/--complete --ties -m/--definition --k "
        f"--without-positives --confidence-level {GATE} --format",
        ("qrels.txt bm25.run", "qrels.txt bm25.run dense.run --definition map_cut_10"),
    ),
    "threshold": Command(
        "the threshold for a precision, a recall, a number of rows or the least cost, or one given",
        f"{TABLE} --cluster {GOAL} --guarantee --require --prevalence --confidence-level --format",
        (f"{COLUMNS} --precision 0.7", f"{COLUMNS} --cost 1 20"),
        {
            **SCORE_COLUMNS,
            "--require": flag(
                "CLAIM",
                "status 3 unless a threshold with the guarantee is found (guarantee)",
                choices=(GUARANTEE,),
                **SEVERAL,
            ),
        },
    ),
    "segments": Command(
        "the score of each segment of the rows, such as countries or months, beside others",
        f"{TABLE} --cluster --query --segment --reference -m/--definition --k --prevalence "
        "--confidence-level --require --format",
        (f"{COLUMNS} --segment user", f"{COLUMNS} --segment user \\\n    --reference ann"),
        {
            "--segment": column(f"column of segments; {UNITS_HELP}", nargs=1, required=True),
            "--prevalence": flag(
                "SHARE",
                "that of all segments, as 0.01, overall (the default) or own",
                type=shared_prevalence,
            ),
            "--require": flag(
                "CLAIM",
                "status 3 if any segment is shown to be worse (none-worse), or the last one, such "
                "as the latest month (latest-not-worse). Once more for each",
                choices=(NONE_WORSE, LATEST_NOT_WORSE),
                **SEVERAL,
            ),
        },
    ),
    "report": Command(
        "the usual questions on one page: as text, or as an HTML file with pictures",
        f"{TABLE} --cluster --query --segment {GOAL} --prevalence "
        "--confidence-level -o/--output --format",
        (COLUMNS, f"{COLUMNS} -o report.html"),
        SCORE_COLUMNS,
    ),
    "tools": Command(
        "what other tools compute from the same predictions",
        f"{TABLE} --query --near --all --k --format",
        (COLUMNS, f"{COLUMNS} --near 0.73"),
    ),
    "explain": Command(
        "why the number of a tool differs from scikit-learn's, or from another tool's",
        f"TOOL {TABLE} --query --versus --k --format",
        (
            f"ranx.map@k {COLUMNS} --k 3",
            f"ranx.map@k {COLUMNS} --k 3 \\\n    --versus pytrec_eval.map",
        ),
    ),
    "example": Command(
        "print a file of ten predictions, to try the other commands", "", ("> predictions.csv",)
    ),
}
# A flag that has the name of an option of a public function is passed to it.
FLAGS = {
    "FILE": flag(
        "FILE", "CSV, JSON lines, Parquet, Feather; a folder; a pattern; - for a pipe", nargs="+"
    ),
    "TOOL": flag("TOOL", "a function that tools lists, such as xgboost.aucpr"),
    "QRELS": flag("QRELS", "judgements: query, iteration, document, label"),
    "RUN": flag("RUN", "runs: query, Q0, document, rank, score, name", nargs="+"),
    "--label": column("column of true labels", required=True),
    "--score": column("column of scores, higher for positives", nargs=1, required=True),
    "--weight/--sample-weight": column("column of weights"),
    "--positive/--pos-label": flag("VALUE", "the positive label (default: 1, true or yes)"),
    "--delimiter": flag("MARK", "what stands between the cells of CSV", type=mark),
    "--decimal": flag(None, "the decimal mark of CSV (default .)", choices=(".", ","), default="."),
    "--cluster": column("column of clusters, such as patients, sampled as a whole"),
    "--query": column(f"column of queries, to average over; {UNITS_HELP}"),
    "-m/--definition": flag("NAME", "a definition, such as AP@5; once more for each", **SEVERAL),
    "--k": flag(
        "K", f"how many of the first rows, or a share, as 1%% (of scores {USUAL_K})", type=number
    ),
    "--n-positives": flag("N", "how many positives there are, if some have no row", type=number),
    "--without-positives": flag(
        None,
        "queries without positives count 0 (the default), or are left out",
        choices=("zero", "left-out"),
        default="zero",
    ),
    "--prevalence": flag("SHARE", "that where you deploy, as 0.01", type=number),
    "--inclusion-probability": column(
        "column of the probability with which a row was labelled, or equal; others are empty"
    ),
    "--confidence-level": flag("SHARE", "of intervals (default 95%%)", type=number),
    "--require": flag(
        "CLAIM",
        "status 3 unless this is shown: that every model but the first is better, or not-worse by "
        '--margin; or a lower limit, as "ap >= 0.4". Once more for each',
        type=requirement,
        **SEVERAL,
    ),
    "--margin": flag("LOSS", "the loss that does not matter to you, as 0.02", type=number),
    "-l/--relevance-level": flag(
        "L", "the lowest label of a relevant document (default 1)", type=number, default=1
    ),
    "-J/--judged-only": switch("leave out unjudged documents"),
    "-c/--complete": switch("count queries of which no run has a document as 0"),
    "--ties": flag(
        None,
        "equal scores share their ranks (the default), or stand by name as in trec_eval",
        choices=("shared", "trec_eval"),
        default="shared",
    ),
    "--precision": flag("P", "the precision that you need", type=number),
    "--recall": flag("R", "the recall that you need; beside --precision, both", type=number),
    "--cost": flag(("FP", "FN"), "of each error: the least is taken", nargs=2, type=number),
    "--threshold": flag("T", "one that was chosen before, on other rows", type=number),
    "--guarantee": flag("SHARE", "how often the goal must truly be reached, as 0.9", type=number),
    "--segment": column(f"column of segments, each once more; {UNITS_HELP}", **SEVERAL),
    "--reference": flag("NAME", "others (the default), previous, or one segment"),
    "-o/--output": flag("HTML", "file to write, with pictures"),
    "--near": flag("NUMBER", "a number that you have: the nearest come first"),
    "--all": switch(
        "all functions, and not ten well-known ones",
        action="store_const",
        const="all",
        dest="tools",
    ),
    "--versus": flag("TOOL", "the other function (default: scikit-learn's)"),
    "--format": flag(
        None, "how to print the answer", choices=("text", "markdown", "json"), default="text"
    ),
}


@cache
def parser(description: str, version: str) -> Parser:
    """Make the parser of the arguments."""
    program = Parser(
        prog="sklearn-ap",
        description=f"{description} A command and --help says more.",
        examples=EXAMPLES,
    )
    program.add_argument("--version", action="version", version=version)
    commands = program.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", parser_class=Parser
    )
    for name, command in COMMANDS.items():
        added = commands.add_parser(
            name,
            help=command.text,
            description=command.text,
            examples="\n".join(f"  sklearn-ap {name} {each}" for each in command.examples),
        )
        for key in command.flags.split():
            added.add_argument(*_names_of(key), **{**FLAGS, **command.own}[key])
    return program


def _names_of(key: str) -> list[str]:
    """Return the names of a flag, or that of an argument without one."""
    return key.split("/") if key.startswith("-") else [{"RUN": "runs"}.get(key, key.lower())]


def parse(program: Parser, arguments: list[str]) -> argparse.Namespace:
    """Parse and check arguments, which are kept as they were typed; without any, show the help."""
    args = program.parse_args(arguments or ["--help"])
    args.typed = arguments
    if getattr(args, "cost", None):  # as functions take it
        args.cost = dict(zip(("false_positive", "false_negative"), args.cost, strict=True))
    if problem := _wrong_flags(args):
        program.error(problem)
    return args


def _wrong_flags(args: argparse.Namespace) -> str:
    """Say which flags do not go together, and which flags or claims lack what they need."""
    scores = getattr(args, "score", [])
    if len({*scores}) < len(scores):
        return f"--score names a column twice: {', '.join(scores)}"
    given = {
        f"--{name.replace('_', '-')}" for name, value in vars(args).items() if value is not None
    }
    goals = [each for each in GOAL.split() if each in given]
    if len(goals) > 1 and goals != ["--precision", "--recall"]:
        return f"name one goal, or --precision and --recall, got {' and '.join(goals)}"
    if args.command == "threshold" and not goals:
        return f"threshold needs one of {', '.join(GOAL.split())}"
    for other, reason in NOT_GUARANTEED.items():
        if {"--guarantee", other} <= given:
            return f"--guarantee does not go with {other}: {reason}"
    if "--inclusion-probability" in given and args.without_positives == "left-out":
        return "--without-positives left-out needs the labels of all rows"
    required = getattr(args, "require", [])
    if args.command == "threshold" and args.guarantee is None and required:
        return "--require guarantee needs --guarantee, such as --guarantee 0.95"
    if "margin" not in args:
        return ""
    claims = [each.text for each in required if not each.score]
    n_models = len(args.runs if args.command == "trec" else args.score)
    if n_models == 1 and (claims or args.margin is not None):
        what = f"--require {claims[0]}" if claims else "--margin"
        return f"{what} compares models: name the present model first, and then the new one"
    if args.margin is None and NOT_WORSE in claims:
        return "--require not-worse needs --margin, the loss that does not matter, such as 0.02"
    return ""
