"""The commands, their flags and their help. It imports no NumPy, as --help is printed without."""

import argparse
import textwrap
from difflib import get_close_matches
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from sklearn_ap._types import Argument

WIDTH = 79  # letters of a line of help
BETTER, NOT_WORSE = "better", "not-worse"  # claims about models
NONE_WORSE, LATEST_NOT_WORSE = "none-worse", "latest-not-worse"  # claims about segments
SEVERAL_SCORES = ("score", "threshold", "report")

COLUMNS = "predictions.csv --label y --score p"
TRY = f"""\
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
TREC_EXAMPLES = """\
examples:
  sklearn-ap trec qrels.txt bm25.run
  sklearn-ap trec qrels.txt bm25.run dense.run --k 5
  sklearn-ap trec qrels.txt bm25.run dense.run --definition map_cut_10
A line of qrels.txt is "q1 0 doc7 1", one of bm25.run "q1 Q0 doc7 1 12.5 bm25"."""
UNITS = "of dates also with a unit, as time:month (hour, day, week, month, quarter, year)"


class Requirement(NamedTuple):
    """What ``--require`` asks for: a claim about models, or a score with its least value."""

    text: str
    score: str = ""
    least: float = 0.0
    typed: str = ""


def requirement(text: str) -> Requirement:
    """Read better, not-worse, or "ap >= 0.4"."""
    if text in (BETTER, NOT_WORSE):
        return Requirement(text)
    score, sign, typed = map(str.strip, text.rpartition(">="))
    if not (score and sign and typed):
        raise argparse.ArgumentTypeError(
            f"must be {BETTER}, {NOT_WORSE}, or in quotes a score and its least value, such as "
            f'"ap >= 0.4", got {text!r}'
        )
    return Requirement(text, score, share_within(typed), typed)


def share(text: str) -> float:
    """Read 0.05, or 5%."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a share, such as 0.05 or 5%, got {text!r}"
        ) from None


def share_within(text: str) -> float:
    """Read a share above 0 and below 1."""
    number = share(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"must lie within (0, 1), got {text!r}")
    return number


def share_or_word(text: str) -> float | str:
    """Read 0.05, 5%, overall or own."""
    return text if text in ("overall", "own") else share(text)


def ranks(text: str) -> float:
    """Read 10, or 1%; imported at the first use, as definitions take long."""
    from sklearn_ap.definitions._spellings import read_rank

    try:
        return read_rank(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a whole number of ranks, such as 10, or a share of the rows, such as 1%, got "
            f"{text!r}"
        ) from None


def n_tries(text: str) -> int:
    """Read a whole number of at least 1."""
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help fits into 80 columns."""

    def __init__(self, *, description: str, examples: str, prog: str, **_: object) -> None:
        super().__init__(
            prog=prog,
            allow_abbrev=False,
            description=textwrap.fill(description, WIDTH),
            epilog=f"{examples}\n\n{STATUS}",
            formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=WIDTH),
        )

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(2, f"sklearn-ap: error: {' '.join(message.split())}\n")


class Command(NamedTuple):
    """What a command answers, the flags of its examples, and its own flags."""

    text: str
    examples: tuple[str, ...]
    flags: str


class Flag(NamedTuple):
    """A flag: what stands for its value in the help, and how argparse reads it."""

    metavar: str | tuple[str, ...] | None
    text: str
    options: dict[str, object]


def flag(metavar: str | tuple[str, ...] | None, text: str, **options: object) -> Flag:
    """Describe a flag."""
    return Flag(metavar, text, options)


class Once(argparse.Action):
    """A flag of one column, of which a second one would win without a word."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, *given: "Argument"
    ) -> None:
        """Keep the column, or refuse a second one."""
        column, name = given
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{name} takes one column")
        setattr(namespace, self.dest, column)


def column(text: str, **options: object) -> Flag:
    """Describe a flag of a column."""
    return flag("COL", text, **{"action": Once, **options})


def switch(text: str) -> Flag:
    """Describe a flag without a value."""
    return flag(None, text, action="store_true")


TABLE = "FILE --label --score --weight --positive --delimiter --decimal"
GATE = "--require --margin --tries"
COMMANDS = {
    "score": Command(
        "each definition with its interval; of several models, their differences from the first",
        ("--query user", "--definition AP@5", "--format json"),
        f"{TABLE} --cluster --query --definition --k --n-positives --without-positives "
        f"--prevalence --inclusion-probability --confidence-level {GATE} --format",
    ),
    "trec": Command(
        "the same for judgements and runs in TREC's files",
        (),
        "QRELS RUN -l/--relevance-level -J/--judged-only -c/--complete --ties --definition --k "
        f"--without-positives --confidence-level {GATE} --format",
    ),
    "threshold": Command(
        "the threshold for a precision, a recall, a number of rows, or of the least cost",
        ("--precision 0.7", "--cost 1 20"),
        f"{TABLE} --cluster --precision --recall --k(threshold) --cost --guarantee "
        "--require(threshold) --tries --prevalence --confidence-level --format",
    ),
    "segments": Command(
        "the score of each segment of the rows, such as countries or months, beside others",
        ("--segment user", "--segment user \\\n    --reference ann"),
        f"{TABLE} --cluster --query --segment --reference --definition --k --prevalence(segments) "
        "--confidence-level --require(segments) --tries --format",
    ),
    "report": Command(
        "the usual questions on one page: as text, or as an HTML file with pictures",
        ("", "-o report.html"),
        f"{TABLE} --cluster --query --segment(report) --precision --prevalence --confidence-level "
        "-o/--output --format",
    ),
    "tools": Command(
        "what other tools compute from the same predictions",
        ("", "--near 0.73"),
        f"{TABLE} --query --near --all --k --format",
    ),
    "explain": Command(
        "why the number of a tool differs from scikit-learn's, or from another tool's",
        ("--k 3", "--k 3 \\\n    --versus pytrec_eval.map"),
        f"TOOL {TABLE} --query --versus --k(explain) --format",
    ),
    "example": Command("print a file of ten predictions, to try the other commands", (), ""),
}
# By the names of flags; a command in brackets has its own.
FLAGS = {
    "FILE": flag(
        "FILE", "CSV, JSON lines, Parquet, Feather; a folder; a pattern; - for a pipe", nargs="+"
    ),
    "TOOL": flag("TOOL", "a function that tools lists, such as xgboost.aucpr"),
    "QRELS": flag("QRELS", "judgements: query, iteration, document, label"),
    "RUN": flag("RUN", "runs: query, Q0, document, rank, score, name", nargs="+"),
    "--label": column("column of true labels", required=True),
    "--score": column("column of scores, higher for positives", required=True, action="append"),
    "--weight": column("column of weights"),
    "--positive": flag("VALUE", "the positive label (default: 1, true or yes)"),
    "--delimiter": flag("MARK", "what stands between the cells of CSV"),
    "--decimal": flag(None, "the decimal mark of CSV (default .)", choices=(".", ","), default="."),
    "--cluster": column("column of clusters, such as patients, sampled as a whole"),
    "--query": column(f"column of queries, to average over; {UNITS}"),
    "--definition": flag(
        "NAME", "a definition, such as AP@5; once more for each", action="append", default=[]
    ),
    "--k": flag("K", "how many ranks, or a share, as 1%% (default 10)", type=ranks, default=10),
    "--k(explain)": flag("K", "how many ranks, for a tool that takes them", type=ranks),
    "--k(threshold)": flag("K", "how many rows may be selected, or a share, as 1%%", type=ranks),
    "--n-positives": flag("N", "how many positives there are, if some have no row", type=float),
    "--without-positives": flag(
        None,
        "queries without positives count 0 (the default), or are left out",
        choices=("zero", "left-out"),
        default="zero",
    ),
    "--prevalence": flag("SHARE", "the share of positives where you deploy, as 0.01", type=share),
    "--prevalence(segments)": flag(
        "SHARE",
        "at which share of positives: a number, overall (the default), or own",
        type=share_or_word,
        default="overall",
    ),
    "--inclusion-probability": column(
        "column of the probability with which a row was labelled, or equal; others are empty"
    ),
    "--confidence-level": flag("SHARE", "of intervals (default 95%%)", type=share, default=0.95),
    "--require": flag(
        "CLAIM",
        "status 3 unless this is shown: that every model but the first is better, or not-worse by "
        '--margin; or a lower limit, as "ap >= 0.4". Once more for each',
        type=requirement,
        action="append",
        default=[],
    ),
    "--require(threshold)": flag(
        None,
        "status 3 unless a threshold with the guarantee is found",
        action="store_const",
        const=["the guarantee"],
        default=[],
    ),
    "--require(segments)": flag(
        "CLAIM",
        "status 3 if any segment is shown to be worse (none-worse), or the last one, such as the "
        "latest month (latest-not-worse). Once more for each",
        choices=(NONE_WORSE, LATEST_NOT_WORSE),
        action="append",
        default=[],
    ),
    "--margin": flag("LOSS", "the loss that does not matter to you, as 0.02", type=share_within),
    "--tries": flag("M", "how many models you will try, which divides the error", type=n_tries),
    "-l/--relevance-level": flag(
        "L", "the lowest label of a relevant document (default 1)", type=float, default=1
    ),
    "-J/--judged-only": switch("leave out unjudged documents"),
    "-c/--complete": switch("count queries of which no run has a document as 0"),
    "--ties": flag(
        None,
        "equal scores share their ranks (the default), or stand by name as in trec_eval",
        choices=("shared", "trec_eval"),
        default="shared",
    ),
    "--precision": flag("P", "the precision that you need", type=share),
    "--recall": flag("R", "the recall that you need; beside --precision, both", type=share),
    "--cost": flag(("FP", "FN"), "of each error: the least is taken", nargs=2, type=float),
    "--guarantee": flag("SHARE", "how often the goal must truly be reached, as 0.9", type=share),
    "--segment": column(f"column of segments; {UNITS}", required=True),
    "--segment(report)": column(
        f"column of segments, once more for each; {UNITS}", action="append", default=[]
    ),
    "--reference": flag("NAME", "others (the default), previous, or one segment", default="others"),
    "-o/--output": flag("HTML", "file to write, with pictures"),
    "--near": flag("NUMBER", "a number that you have: the nearest come first", type=float),
    "--all": switch("all functions, and not ten well-known ones"),
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
        examples=f"examples:\n{TRY}",
    )
    program.add_argument("--version", action="version", version=version)
    commands = program.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", parser_class=Parser
    )
    for name, command in COMMANDS.items():
        added = commands.add_parser(
            name, help=command.text, description=command.text, examples=_examples(name, command)
        )
        for key in command.flags.split():
            metavar, text, options = FLAGS[key]
            named = {} if metavar is None else {"metavar": metavar}
            added.add_argument(*names_of(key), help=text, **named, **options)  # type: ignore[arg-type]
    return program


def _examples(name: str, command: Command) -> str:
    if name == "trec":
        return TREC_EXAMPLES
    if not command.examples:
        return f"examples:\n{TRY}"
    tool = " ranx.map@k" if name == "explain" else ""
    lines = (f"  sklearn-ap {name}{tool} {COLUMNS} {flags}".rstrip() for flags in command.examples)
    return "\n".join(['examples, for the file that "sklearn-ap example" prints:', *lines])


def parse(program: Parser, arguments: list[str] | None) -> argparse.Namespace:
    """Parse and check arguments; an error suggests a flag for an unknown one."""
    args, unknown = program.parse_known_args(arguments)
    if unknown:
        keys = COMMANDS[args.command].flags.split() if args.command else []
        known = [name for key in keys for name in names_of(key)]
        near = get_close_matches(unknown[0], known, n=1, cutoff=0.75)
        hint = f". Did you mean {near[0]}?" if near else ""
        if not unknown[0].startswith("-"):
            hint = ". A flag takes one column: write --score a --score b for two"
        program.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    if problem := next(filter(None, (check(args) for check in CHECKS)), ""):
        program.error(problem)
    return args


def names_of(key: str) -> list[str]:
    """Return the names of a flag, or that of an argument without one."""
    names = key.partition("(")[0].split("/")
    is_plural = key == "RUN"
    return names if key.startswith("-") else [f"{key.lower()}{'s' * is_plural}"]


def _check_columns(args: argparse.Namespace) -> str:
    """Refuse a column that is given twice, and several scores where one is taken."""
    for flag in ("score", "segment"):
        names = getattr(args, flag, None) or []
        twice = [name for name in names if names.count(name) > 1]
        if isinstance(names, list) and twice:
            return f"--{flag} {twice[0]} is given twice: pass each column once"
    if len(getattr(args, "score", [])) > 1 and args.command not in SEVERAL_SCORES:
        return f"{args.command} takes one --score: call it once for each"
    return ""


def _check_queries(args: argparse.Namespace) -> str:
    if getattr(args, "n_positives", None) is not None and args.query is not None:
        return "--n-positives is a number for one ranking: leave out it, or --query"
    is_partly_labelled = getattr(args, "inclusion_probability", None) is not None
    if is_partly_labelled and args.without_positives == "left-out":
        return "--without-positives left-out needs the labels of all rows"
    return ""


def _check_gate(args: argparse.Namespace) -> str:
    """Refuse claims about one model, and a margin that no claim is about, or that is missing."""
    required = getattr(args, "require", [])
    if getattr(args, "tries", None) is not None and not required:
        return "--tries divides the error of --require: pass --require, too"
    if "margin" not in args:
        return ""
    claims = [each.text for each in required if not each.score]
    n_models = len(args.runs if args.command == "trec" else args.score)
    if n_models == 1 and (claims or args.margin is not None):
        what = f"--require {claims[0]}" if claims else "--margin"
        return f"{what} compares models: name the present model first, and then the new one"
    if args.margin is not None and required and NOT_WORSE not in claims:
        return "--margin goes with --require not-worse: pass it, or leave out --margin"
    if args.margin is None and NOT_WORSE in claims:
        return "--require not-worse needs --margin, the loss that does not matter, such as 0.02"
    return ""


def _check_goal(args: argparse.Namespace) -> str:
    if args.command != "threshold":
        return ""
    goals = {
        name for name in ("precision", "recall", "k", "cost") if getattr(args, name) is not None
    }
    if len(goals) != 1 and goals != {"precision", "recall"}:
        return "pass one of --precision, --recall, --k and --cost, or the first two"
    if args.require and args.guarantee is None:
        return (
            "--require needs --guarantee, such as --guarantee 0.95: without one, the goal is "
            "reached in this sample only, which shows little of other rows"
        )
    return ""


def _check_output(args: argparse.Namespace) -> str:
    output = getattr(args, "output", None)
    if output is not None and args.format != "text":
        return "-o writes HTML: leave out --format, or -o"
    if output is not None and output.lower().endswith(".pdf"):
        return f"-o writes HTML, not PDF: name {output[:-4]}.html, and print it in a browser"
    if args.command == "explain" and Path(args.tool).is_file() and Path(args.tool).suffix:
        return f"{args.tool!r} is a file, but the tool comes first: explain TOOL FILE"
    return ""


CHECKS = (_check_columns, _check_queries, _check_gate, _check_goal, _check_output)
