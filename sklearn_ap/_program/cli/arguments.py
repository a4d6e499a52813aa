"""The commands, their arguments and their help."""

import argparse
import re
from difflib import get_close_matches
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from sklearn_ap._program.cli.lines import TERMINAL_WIDTH, fold, line

if TYPE_CHECKING:
    from sklearn_ap._types import Argument

DEFAULT_CONFIDENCE_LEVEL = 0.95
BETTER = "better"
NOT_WORSE = "not-worse"
NONE_WORSE, LATEST_NOT_WORSE = "none-worse", "latest-not-worse"  # claims about segments
DEFAULT_K = 10  # the rank of definitions and tools at k, unless --k says otherwise

COLUMNS = "predictions.csv --label y --score p"
FILES_HELP = "CSV, TSV, JSON lines, Parquet or Feather; a folder or a pattern; - for a pipe"

TRY = f"""\
  sklearn-ap example > predictions.csv
  sklearn-ap score {COLUMNS} --k 3
  sklearn-ap compare {COLUMNS}
  sklearn-ap explain xgboost.aucpr {COLUMNS}"""
STATUS = """\
status:
  0    the answer is printed
  1    no row is positive, so average precision is not defined
  2    something is wrong with the files or the arguments
  3    what --require asks for is not shown
  130  stopped by Ctrl-C"""
TOOLS_HINT = f"""\
To list the tools, with their numbers:
  sklearn-ap compare {COLUMNS}"""
TREC_EXAMPLES = """\
examples:
  sklearn-ap trec qrels.txt bm25.run
  sklearn-ap trec qrels.txt bm25.run dense.run --k 5
  sklearn-ap trec qrels.txt bm25.run dense.run --definition map_cut_10
A line of qrels.txt is "q1 0 doc7 1", one of bm25.run "q1 Q0 doc7 1 12.5 bm25"."""


UNITS_HELP = "of dates, with a unit, such as time:month (hour, day, week, month, quarter or year)"
CHOSEN_HELP = "dates without a unit take the finest whose latest time can be compared"
QUERY_HELP = f"column of queries, to average over; {UNITS_HELP}"
SEGMENT_HELP = f"column of segments, which are compared; {UNITS_HELP}; {CHOSEN_HELP}"
# What people call options elsewhere, without the s of a plural.
OTHER_NAMES = {
    "group": "--cluster",
    **dict.fromkeys(("pos-label", "pos_label"), "--positive"),
    **dict.fromkeys(("target", "y-true", "y_true"), "--label"),
}
# The missing arguments of commands that take one ranking, and labels of all rows.
SINGLE_RANKING = {
    **dict.fromkeys(("query", "inclusion_probability")),
    "without_positives": "zero",
}


class Requirement(NamedTuple):
    """What ``--require`` asks for: a claim about models, or a score with its least value."""

    text: str
    score: str | None = None
    least_value: float = 0.0
    typed_value: str = ""


def requirement(text: str) -> Requirement:
    """Read better, not-worse, or "ap >= 0.4"."""
    if text in (BETTER, NOT_WORSE):
        return Requirement(text)
    score, sign, value = map(str.strip, text.rpartition(">="))
    if not (score and sign and value):
        reason = f"must be {BETTER}, {NOT_WORSE}, or in quotes a score and its least value, such as"
        raise argparse.ArgumentTypeError(f'{reason} "ap >= 0.4", got {text!r}')
    least_value = share(value)
    if not 0 < least_value < 1:
        raise argparse.ArgumentTypeError(f"the least value must lie within (0, 1), got {text!r}")
    return Requirement(text, score, least_value, value)


def segment_requirement(text: str) -> str:
    """Read none-worse, or latest-not-worse."""
    if text not in (NONE_WORSE, LATEST_NOT_WORSE):
        raise argparse.ArgumentTypeError(
            f"must be {NONE_WORSE} or {LATEST_NOT_WORSE}, got {text!r}"
        )
    return text


def n_tries(text: str) -> int:
    """Read a whole number of at least 1."""
    if not (text.isdecimal() and int(text) > 0):
        reason = "must be a whole number of tries, at least 1"
        raise argparse.ArgumentTypeError(f"{reason}, got {text!r}")
    return int(text)


def ranks(text: str) -> float:
    """Read 10, or 1%; imported at the first use, as definitions take long."""
    from sklearn_ap.definitions._spellings import read_rank

    try:
        return read_rank(text)
    except ValueError:
        reason = "must be a whole number of ranks, such as 10, or a share of the rows, such as 1%"
        raise argparse.ArgumentTypeError(f"{reason}, got {text!r}") from None


def share(text: str) -> float:
    """Read 0.05, or 5%."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        reason = "must be a share, such as 0.05 or 5%"
        raise argparse.ArgumentTypeError(f"{reason}, got {text!r}") from None


def open_share(text: str) -> float:
    """Read a share above 0 and below 1."""
    number = share(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"must lie within (0, 1), got {text!r}")
    return number


def share_or_word(text: str) -> float | str:
    """Read 0.05, 5%, overall or own."""
    if text in ("overall", "own"):
        return text
    try:
        return share(text)
    except argparse.ArgumentTypeError as error:
        reason = str(error).replace("such as 0.05 or 5%", "such as 0.05 or 5%, overall or own")
        raise argparse.ArgumentTypeError(reason) from None


def _examples(command: str, *options: str) -> str:
    lines = (f"  sklearn-ap {command} {COLUMNS} {words}".rstrip() for words in options)
    return "\n".join(('examples, for the file that "sklearn-ap example" prints:', *lines))


class Once(argparse.Action):
    """An option that would be overwritten if it were given twice."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: "Argument",
        option_string: str | None = None,
    ) -> None:
        """Keep the value, or refuse a second one."""
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} takes one column: ask once for each")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help fits into 80 columns."""

    def __init__(self, *, examples: str, description: str, **options: "Argument") -> None:
        super().__init__(
            **options,
            allow_abbrev=False,
            description=fold(description),
            epilog=f"{examples}\n\n{STATUS}",
            formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=TERMINAL_WIDTH - 1),
        )

    def add_commands(self) -> "argparse._SubParsersAction[Parser]":
        self.commands = self.add_subparsers(title="commands", metavar="COMMAND", dest="command")
        return self.commands

    def parse_args(self, args: "Argument" = None, namespace: "Argument" = None) -> "Argument":
        """Parse the arguments, and suggest others for unknown ones."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = self.commands.choices[parsed.command] if parsed.command else self
            options = re.findall("--[a-z-]+", command.format_usage())
            message = f"unrecognized arguments: {' '.join(unknown)}"
            self.error(message + _suggestion(unknown[0], options))
        return parsed

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(2, line("error", message))


def _suggestion(unknown: str, options: list[str]) -> str:
    """Suggest an option for an argument that a command does not know."""
    if not unknown.startswith("-"):
        return (
            ". FILES stand together, and an option takes one column: write --score a --score b for "
            "two"
        )
    word = unknown.lstrip("-")
    suggestion = OTHER_NAMES.get(word.removesuffix("s"))
    if suggestion is None:
        matches = get_close_matches(word, (option[2:] for option in options), n=1)
        suggestion = f"--{matches[0]}" if matches else ""
    return f". Did you mean {suggestion}?" if suggestion in options else ""


@cache
def parser(description: str, version: str) -> Parser:
    """Make the parser of the arguments, which takes 7 ms."""
    program = Parser(
        prog="sklearn-ap",
        description=f"{description} A command and --help says more.",
        examples=f"examples:\n{TRY}\n\n{TOOLS_HINT}",
    )
    program.add_argument("--version", action="version", version=version)
    commands = program.add_commands()

    def add(name: str, text: str, examples: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, examples=examples)

    text = "the predictions in files under every definition, of one model or of several"
    examples = _examples("score", "--query user", "--definition AP@5", "--format json")
    score = add("score", text, examples)
    _add_predictions(score)
    _add_definition(score, "all")
    _add_prevalence(score)
    _add_level(score)
    _add_gate(score)
    text = "judgements and runs in TREC's files: each run, and its difference from the first"
    _add_runs(add("trec", text, TREC_EXAMPLES))
    text = "the threshold for a precision, a recall, a number of rows, or of the least cost"
    examples = _examples("threshold", "--precision 0.7", "--cost 1 20")
    _add_threshold(add("threshold", text, examples))
    text = "the score of each segment of the rows, such as countries or months, beside others"
    examples = _examples("segments", "--segment user", "--segment user \\\n    --reference ann")
    segments = add("segments", text, examples)
    _add_segments(segments)
    text = "the usual questions about predictions: answers as text, or one HTML file with pictures"
    _add_report(add("report", text, _examples("report", "", "-o report.html")))
    text = "one column of predictions under every other tool, or several with each other"
    _add_compare(add("compare", text, _examples("compare", "", "--near 0.73")))
    text = "why a tool's number differs from that of scikit-learn or of another tool"
    examples = f"{_examples('explain ranx.map@k', '', '--k 3')}\n\n{TOOLS_HINT}"
    _add_explain(add("explain", text, examples))
    text = "print a file of ten predictions, to try the other commands"
    add("example", text, f"examples:\n{TRY}")
    return program


def _add_compare(parser: argparse.ArgumentParser) -> None:
    text = "a number that you have: the nearest come first"
    parser.add_argument("--near", metavar="VALUE", type=float, help=text)
    text = "print all tools, and not ten well-known functions, or the nearest"
    parser.add_argument("--all", action="store_true", help=text)
    _add_predictions(parser)
    _add_gate(parser)
    # With several columns, it does what score does.
    parser.set_defaults(definition=None, prevalence=None, confidence_level=DEFAULT_CONFIDENCE_LEVEL)


def _add_explain(parser: argparse.ArgumentParser) -> None:
    text = "a function that compare lists, such as xgboost.aucpr"
    parser.add_argument("tool", metavar="TOOL", help=text)
    text = "the other function (default: scikit-learn's)"
    parser.add_argument("--versus", metavar="TOOL", help=text)
    _add_predictions(parser, k=None)


def _add_threshold(parser: argparse.ArgumentParser) -> None:
    _add_columns(parser)
    text = "the precision to be reached, with the highest recall"
    parser.add_argument("--precision", metavar="P", type=share, help=text)
    text = "the recall to be reached, with the highest precision; with --precision, both"
    parser.add_argument("--recall", metavar="R", type=share, help=text)
    text = "how many rows may be selected, or which share, such as 1%%, rounded up to a row"
    parser.add_argument("--k", type=ranks, help=text)
    text = "what a false positive costs, and a false negative: the least expected cost"
    parser.add_argument("--cost", metavar=("FP", "FN"), nargs=2, type=float, help=text)
    text = "how often the threshold should truly have the precision or recall, such as 0.9"
    parser.add_argument("--guarantee", metavar="SHARE", type=share, help=text)
    text = "end with status 3 unless a threshold with the guarantee is found"
    parser.add_argument("--require", action="store_true", help=text)
    _add_tries(parser)
    _add_prevalence(parser)
    _add_level(parser)
    _add_format(parser)
    parser.set_defaults(**SINGLE_RANKING)


def _add_level(parser: argparse.ArgumentParser) -> None:
    text = "the level of intervals, such as 99%% (default 95%%)"
    default = DEFAULT_CONFIDENCE_LEVEL
    parser.add_argument(
        "--confidence-level", metavar="SHARE", type=share, default=default, help=text
    )


def _add_margin(parser: argparse.ArgumentParser) -> None:
    text = "with several models, test whether each is not worse than the first by this or more"
    parser.add_argument("--margin", metavar="LOSS", type=open_share, help=text)


def _add_gate(parser: argparse.ArgumentParser) -> None:
    text = "end with status 3 unless this is shown: that every model but the first is better, or"
    text += ' not-worse by --margin; or the lower limit of a score, such as "ap >= 0.4". Once more'
    text += " for each requirement"
    parser.add_argument(
        "--require", metavar="CLAIM", type=requirement, action="append", default=[], help=text
    )
    _add_margin(parser)
    _add_tries(parser)


def _add_tries(parser: argparse.ArgumentParser) -> None:
    text = "how many models you will try with --require, until one passes: divides the error"
    parser.add_argument("--tries", metavar="M", type=n_tries, help=text)


def _add_predictions(parser: argparse.ArgumentParser, k: int | None = DEFAULT_K) -> None:
    _add_columns(parser)
    parser.add_argument("--query", metavar="COL", action=Once, help=QUERY_HELP)
    text = "column of each row's probability of being labelled; equal for a random sample"
    parser.add_argument("--inclusion-probability", metavar="COL", help=text)
    _add_answer(parser, k)


def _add_columns(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="+", help=FILES_HELP)
    parser.add_argument("--label", metavar="COL", required=True, help="column of true labels")
    text = "column of scores (high: positive); once more for each model to compare"
    parser.add_argument("--score", metavar="COL", action="append", required=True, help=text)
    parser.add_argument("--weight", metavar="COL", action=Once, help="column of weights")
    text = "column of clusters of rows, such as patients, images or time:day, for intervals"
    parser.add_argument("--cluster", metavar="COL", action=Once, help=text)
    text = "the positive label (default: 1, true or yes)"
    parser.add_argument("--positive", metavar="VALUE", help=text)


def _add_prevalence(parser: argparse.ArgumentParser) -> None:
    text = "the proportion of positives where you deploy, such as 0.01"
    parser.add_argument("--prevalence", metavar="SHARE", type=share, help=text)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(**SINGLE_RANKING)
    _add_columns(parser)
    text = f"{SEGMENT_HELP}; once more for each column"
    parser.add_argument("--segment", metavar="COL", action="append", help=text)
    parser.add_argument("--query", metavar="COL", action=Once, help=QUERY_HELP)
    _add_prevalence(parser)
    text = "the precision that you need, such as 0.95, for the threshold of the first lines"
    parser.add_argument("--precision", metavar="P", type=share, help=text)
    _add_level(parser)
    text = "HTML file to write, with pictures (default: print text)"
    parser.add_argument("-o", "--output", metavar="HTML", help=text)
    _add_format(parser)


def _add_segments(parser: argparse.ArgumentParser) -> None:
    _add_columns(parser)
    _add_format(parser)
    parser.set_defaults(**SINGLE_RANKING, k=DEFAULT_K)
    parser.add_argument("--segment", metavar="COL", required=True, action=Once, help=SEGMENT_HELP)
    text = f"column of queries, each in one segment; {UNITS_HELP}"
    parser.add_argument("--query", metavar="COL", action=Once, help=text)
    text = "compare with the mean of the others (others, the default), with the segment before"
    text += " (previous), or with one segment (its name)"
    parser.add_argument("--reference", metavar="NAME", default="others", help=text)
    text = "end with status 3 if any segment is shown to be worse (none-worse), or the last one,"
    text += " such as the latest month (latest-not-worse). Once more for each requirement"
    parser.add_argument(
        "--require",
        metavar="CLAIM",
        type=segment_requirement,
        action="append",
        default=[],
        help=text,
    )
    _add_definition(parser, "step AP")
    _add_level(parser)
    text = "the proportion of positives at which segments are compared, such as 0.01; overall (that"
    text += " of all rows, the default), or own (that of each, or of each query)"
    parser.add_argument(
        "--prevalence", metavar="SHARE", type=share_or_word, default="overall", help=text
    )


def _add_definition(parser: argparse.ArgumentParser, default: str) -> None:
    text = f"one definition, such as AP@5 or recall_at_10; once more for each (default: {default})"
    parser.add_argument("--definition", metavar="NAME", action="append", help=text)


def _add_runs(parser: argparse.ArgumentParser) -> None:
    text = "judgements: query, iteration, document, label"
    parser.add_argument("qrels", metavar="QRELS", help=text)
    text = "runs: query, Q0, document, rank, score, name"
    parser.add_argument("runs", metavar="RUN", nargs="+", help=text)
    _add_definition(parser, "map, map_cut, P and recall")
    text = "the lowest label of a relevant document (default 1), -l of trec_eval"
    parser.add_argument("--relevance-level", metavar="L", type=float, default=1, help=text)
    text = "what documents without a label are: negative (the default), or left-out (-J)"
    choices = ("negative", "left-out")
    parser.add_argument("--unjudged", choices=choices, default="negative", help=text)
    text = "count queries of which no run has a document, too (-c)"
    parser.add_argument("--complete", action="store_true", help=text)
    text = "what documents with equal scores do: share their places (the default), or stand by name"
    text += ", the later first, as in trec_eval"
    parser.add_argument("--ties", choices=("shared", "trec_eval"), default="shared", help=text)
    _add_level(parser)
    _add_gate(parser)
    _add_answer(parser, DEFAULT_K)


def _add_answer(parser: argparse.ArgumentParser, k: int | None) -> None:
    condition = "" if k else " for a tool that needs it"
    text = f"how many ranks, or which share, such as 1%% (default {DEFAULT_K}{condition})"
    parser.add_argument("--k", type=ranks, default=k, help=text)
    text = "queries without positives count 0 (the default), or are left out"
    choices = ("zero", "left-out")
    parser.add_argument("--without-positives", choices=choices, default="zero", help=text)
    _add_format(parser)


def _add_format(parser: argparse.ArgumentParser) -> None:
    formats = ("text", "markdown", "json")
    parser.add_argument("--format", choices=formats, default="text", help="how to print the answer")
