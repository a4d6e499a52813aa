"""The command line: the predictions in a file under every definition and every tool."""

import argparse
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import sklearn_ap
from sklearn_ap import compat, retrieval
from sklearn_ap._cli import (
    WIDTH,
    Predictions,
    conventions,
    example,
    fold,
    measures,
    read,
    scores,
    written,
)

__all__ = ["main"]


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, and fits its help into 80 columns."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **options,
            allow_abbrev=False,
            formatter_class=lambda prog: argparse.HelpFormatter(prog, width=WIDTH - 1),
        )

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(2, _line("error", message))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line, and return its status.

    1 means that no row is positive. What is wrong with the input or the arguments ends the program
    with one line and status 2.
    """
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            text, status = _COMMANDS[asked.command](asked)
        print(text, flush=True)
    except ImportError as error:  # terminals of Windows know double quotes only
        parser.error(str(error).replace("'", '"'))
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever reads has seen enough, and is not to be told at exit either
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        parser.error(str(error.strerror))
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        sys.stderr.write(fold(_line("warning", message)) + "\n")
    return status


def _drop_output() -> None:
    """Send what is still to be printed nowhere, as Python would try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _line(kind: str, message: str) -> str:
    return f"sklearn-ap: {kind}: {' '.join(message.split())}\n"


def _parser() -> Parser:
    parser = Parser(
        prog="sklearn-ap",
        description=sklearn_ap.__doc__,
        epilog="Without a command: an example, under every definition and every tool.",
    )
    parser.add_argument("--version", action="version", version=sklearn_ap.__version__)
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    text = "the predictions in files under every definition, of one model or of several"
    score = commands.add_parser("score", help=text, description=text)
    _add_predictions(score)
    share = "the share of positives where you deploy, such as 0.01"
    score.add_argument("--prevalence", metavar="SHARE", type=float, help=share)
    text = "judgements and runs in TREC's files: each run, and its difference from the first"
    _add_runs(commands.add_parser("trec", help=text, description=text))
    text = "the predictions in files under every other tool"
    compare = commands.add_parser("compare", help=text, description=text)
    near = "a number that you have: the tools that give the nearest come first"
    compare.add_argument("--near", metavar="VALUE", type=float, help=near)
    _add_predictions(compare)
    text = "why a tool's number differs from that of scikit-learn or of another tool"
    explain = commands.add_parser("explain", help=text, description=text)
    named = "a function that compare lists, such as xgboost.aucpr"
    explain.add_argument("tool", metavar="TOOL", help=named)
    other = "the other function (default: scikit-learn's)"
    explain.add_argument("--versus", metavar="TOOL", help=other)
    _add_predictions(explain, k=None)
    return parser


def _add_predictions(parser: argparse.ArgumentParser, k: int | None = 10) -> None:
    files = "CSV, TSV, JSON lines, Parquet or Feather; a folder or a pattern; - for a pipe"
    parser.add_argument("file", metavar="FILE", nargs="+", help=files)
    parser.add_argument("--label", metavar="COL", required=True, help="column of true labels")
    text = "column of scores (high: positive); once more for each model that score compares"
    parser.add_argument("--score", metavar="COL", required=True, action="append", help=text)
    parser.add_argument("--weight", metavar="COL", help="column of weights")
    parser.add_argument("--group", metavar="COL", help="column of queries, to average over")
    positive = "the positive label (default: 1, true or yes)"
    parser.add_argument("--positive", metavar="VALUE", help=positive)
    _add_answer(parser, k)


def _add_runs(parser: argparse.ArgumentParser) -> None:
    text = "judgements: query, iteration, document, label"
    parser.add_argument("qrels", metavar="QRELS", help=text)
    text = "runs: query, Q0, document, rank, score, name"
    parser.add_argument("runs", metavar="RUN", nargs="+", help=text)
    text = "the lowest label of a relevant document (default 1), -l of trec_eval"
    parser.add_argument("--relevance-level", metavar="L", type=float, default=1, help=text)
    text = "what documents without a label are: negative (the default), or left-out (-J)"
    choices = ("negative", "left-out")
    parser.add_argument("--unjudged", choices=choices, default="negative", help=text)
    text = "count queries of which no run has a document, too (-c)"
    parser.add_argument("--complete", action="store_true", help=text)
    _add_answer(parser, 10)


def _add_answer(parser: argparse.ArgumentParser, k: int | None) -> None:
    ranks = "how many ranks (default 10)" if k else "how many ranks, for a tool that needs it"
    parser.add_argument("--k", type=int, default=k, help=ranks)
    text = "queries without positives count 0 (the default), or are left out"
    choices = ("zero", "left-out")
    parser.add_argument("--without-positives", choices=choices, default="zero", help=text)
    formats = ("text", "markdown", "json")
    parser.add_argument("--format", choices=formats, default="text", help="how to print the answer")


def _example(_: argparse.Namespace) -> tuple[str, int]:
    return fold(example()), 0


def _score(asked: argparse.Namespace) -> tuple[str, int]:
    predictions = _read(asked)
    definitions = {definition.title: definition for definition in conventions(asked.k)}
    return _answer(asked, predictions, *scores(predictions, definitions, asked.prevalence))


def _trec(asked: argparse.Namespace) -> tuple[str, int]:
    with _files_named():
        judged = retrieval.from_trec(
            asked.qrels,
            *asked.runs,
            relevance_level=asked.relevance_level,
            unjudged=asked.unjudged.replace("-", " "),
            complete=asked.complete,
        )
    level = f"{asked.relevance_level:g} or more"
    predictions = Predictions(judged.y_true, judged.y_scores, None, judged.groups, level)
    if asked.without_positives == "left-out":
        predictions = predictions.without_undefined()
    return _answer(asked, predictions, *scores(predictions, measures(asked.k)))


def _compare(asked: argparse.Namespace) -> tuple[str, int]:
    predictions = _read(asked)
    found = compat.compare(**predictions.arguments, k=asked.k, near=asked.near)
    return _answer(asked, predictions, found.to_dict(), str(found))


def _explain(asked: argparse.Namespace) -> tuple[str, int]:
    predictions = _read(asked)
    versus = {} if asked.versus is None else {"versus": asked.versus}
    found = compat.explain(asked.tool, **predictions.arguments, k=asked.k, **versus)
    return _answer(asked, predictions, found.to_dict(), str(found))


def _read(asked: argparse.Namespace) -> Predictions:
    columns = {name: getattr(asked, name) for name in ("label", "weight", "group", "positive")}
    with _files_named():
        predictions = read(asked.file, scores=list(dict.fromkeys(asked.score)), **columns)
    is_left_out = asked.without_positives == "left-out"
    return predictions.without_undefined() if is_left_out else predictions


@contextmanager
def _files_named() -> Iterator[None]:
    """Say in one line which file cannot be read."""
    try:
        yield
    except OSError as error:
        file = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        raise ValueError(file) from error


def _answer(
    asked: argparse.Namespace, predictions: Predictions, rows: list[dict[str, Any]], text: str
) -> tuple[str, int]:
    undefined = predictions.n_undefined == predictions.n_queries
    if undefined:
        warnings.warn("no row is positive, so average precision is not defined", stacklevel=2)
    return written(predictions, rows, text, asked.format), int(undefined)


_COMMANDS = {
    None: _example,
    "score": _score,
    "trec": _trec,
    "compare": _compare,
    "explain": _explain,
}


if __name__ == "__main__":
    sys.exit(main())
