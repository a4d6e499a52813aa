"""The command line: the predictions in a file under every definition and every tool."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from typing import Any, NoReturn

import sklearn_ap
from sklearn_ap import compat
from sklearn_ap._cli import WIDTH, FileError, Table, example, fold, read, scores, written

__all__ = ["main"]

FORMATS = ("text", "markdown", "json")
NO_POSITIVES = "no row is positive, so average precision is not defined"


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
    except (FileError, ValueError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever reads has seen enough, and is not to be told at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        parser.error(str(error.strerror))
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        sys.stderr.write(fold(_line("warning", message)) + "\n")
    return status


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
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    text = "the predictions in a file under every definition"
    score = commands.add_parser("score", help=text, description=text)
    _add_file(score)
    score.add_argument("--k", type=int, default=10, help="how many ranks (default 10)")
    score.set_defaults(command="score")
    text = "the predictions in a file under every other tool"
    compare = commands.add_parser("compare", help=text, description=text)
    _add_file(compare)
    compare.add_argument("--k", type=int, default=10, help="how many ranks (default 10)")
    compare.set_defaults(command="compare")
    text = "why a tool's number differs from that of scikit-learn or of another tool"
    explain = commands.add_parser("explain", help=text, description=text)
    named = "a function that compare lists, such as xgboost.aucpr"
    explain.add_argument("tool", metavar="TOOL", help=named)
    _add_file(explain)
    other = "the other function (default: scikit-learn's)"
    explain.add_argument("--versus", metavar="TOOL", help=other)
    explain.add_argument("--k", type=int, help="how many ranks, for a tool that needs it")
    explain.set_defaults(command="explain")
    return parser


def _add_file(parser: argparse.ArgumentParser) -> None:
    """Add what says where the predictions are, and how to print the answer."""
    parser.add_argument("file", metavar="FILE", help="CSV, TSV, Parquet, Feather; - for a pipe")
    parser.add_argument("--label", metavar="COL", required=True, help="column of true labels")
    parser.add_argument(
        "--score", metavar="COL", required=True, help="column of scores (high: positive)"
    )
    parser.add_argument("--weight", metavar="COL", help="column of weights")
    parser.add_argument("--group", metavar="COL", help="column of queries, to average over")
    positive = "the positive label (default: 1, true or yes)"
    parser.add_argument("--positive", metavar="VALUE", help=positive)
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to print the answer")


def _example(_: argparse.Namespace) -> tuple[str, int]:
    return fold(example()), 0


def _score(asked: argparse.Namespace) -> tuple[str, int]:
    table = _read(asked)
    if 0 < table.n_undefined < table.n_queries:
        several = f"{table.n_undefined:,} of {table.n_queries:,}"
        warnings.warn(f"queries without positives are left out: {several}", stacklevel=2)
    return _answer(asked, table, *scores(table, asked.k))


def _compare(asked: argparse.Namespace) -> tuple[str, int]:
    table = _read(asked)
    found = compat.compare(
        table.y_true, table.y_score, k=asked.k, sample_weight=table.weight, groups=table.groups
    )
    return _answer(asked, table, found.to_dict(), str(found))


def _explain(asked: argparse.Namespace) -> tuple[str, int]:
    table = _read(asked)
    versus = {} if asked.versus is None else {"versus": asked.versus}
    found = compat.explain(
        asked.tool,
        table.y_true,
        table.y_score,
        k=asked.k,
        sample_weight=table.weight,
        groups=table.groups,
        **versus,
    )
    return _answer(asked, table, found.to_dict(), str(found))


def _read(asked: argparse.Namespace) -> Table:
    return read(
        asked.file,
        label=asked.label,
        score=asked.score,
        weight=asked.weight,
        group=asked.group,
        positive=asked.positive,
    )


def _answer(
    asked: argparse.Namespace, table: Table, rows: list[dict[str, Any]], text: str
) -> tuple[str, int]:
    """What to print, and the status."""
    undefined = table.n_undefined == table.n_queries
    if undefined:
        warnings.warn(NO_POSITIVES, stacklevel=2)
    return written(table, rows, text, asked.format), int(undefined)


_COMMANDS = {None: _example, "score": _score, "compare": _compare, "explain": _explain}


if __name__ == "__main__":
    sys.exit(main())
