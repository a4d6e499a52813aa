"""The command line: one example under every definition, or a file under every tool."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from inspect import isabstract
from typing import Any

import sklearn_ap
from sklearn_ap import compat, definitions, metrics, threshold_counts
from sklearn_ap._files import FileError, Table, read
from sklearn_ap.definitions import Definition

__all__ = ["main"]

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
Y_TRUE = (1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
Y_SCORE = (0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1)

NEXT = """\
Each takes (y_true, y_score) and, but for sample_weight of the expected one, the options of
scikit-learn's average_precision_score, which is the first. counts is what
threshold_counts(y_true, y_score) gives.
To select a model by one of them, use its scorer:

    from sklearn_ap import get_scorer

    GridSearchCV(model, grid, scoring=get_scorer("average_precision_at_10"), error_score="raise")

To see what every tool makes of your own predictions, and why:

    sklearn-ap compare predictions.csv --label y --score p
    sklearn-ap explain xgboost.aucpr predictions.csv --label y --score p\
"""
CUTOFFS = "  top  score  airplane  precision  recall"


def rows() -> Iterator[tuple[str, Definition, float]]:
    """Give each definition's title, the definition, and its value."""
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    for name in definitions.__all__:
        kind = getattr(definitions, name)
        if not isabstract(kind):
            for options in kind.trials.good:
                definition = kind(**options)
                yield definition.title, definition, float(definition(counts)[0])


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; what is wrong with the input ends it with one line and status 2."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    try:
        print(_COMMANDS[asked.command](asked), flush=True)
    except (FileError, ValueError) as error:
        parser.exit(2, f"{parser.prog}: error: {' '.join(str(error).split())}\n")
    except BrokenPipeError:  # whoever reads has seen enough, and is not to be told at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        parser.exit(2, f"{parser.prog}: error: {error.strerror}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sklearn-ap",
        description=sklearn_ap.__doc__,
        epilog="Without a command: an example, under every definition and every tool.",
    )
    parser.add_argument("--version", action="version", version=sklearn_ap.__version__)
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    text = "all tools' numbers for the predictions in a file"
    compare = commands.add_parser("compare", help=text, description=text)
    _add_file(compare)
    compare.add_argument("--group", metavar="COL", help="column of queries, to average over")
    compare.add_argument("--k", type=int, default=10, help="how many ranks (default 10)")
    compare.set_defaults(command="compare")
    text = "why a tool's number differs from scikit-learn's"
    explain = commands.add_parser("explain", help=text, description=text)
    explain.add_argument("tool", metavar="TOOL", help="a function, such as xgboost.aucpr")
    _add_file(explain)
    explain.add_argument("--k", type=int, help="how many ranks, where the tool asks")
    explain.set_defaults(command="explain")
    return parser


def _add_file(parser: argparse.ArgumentParser) -> None:
    """Add what says where the predictions are, and how to print the answer."""
    parser.add_argument("file", metavar="FILE", help="CSV or TSV with a header; - for a pipe")
    parser.add_argument("--label", metavar="COL", required=True, help="column of true labels")
    parser.add_argument("--score", metavar="COL", required=True, help="column of scores")
    parser.add_argument("--weight", metavar="COL", help="column of weights")
    parser.add_argument("--positive", metavar="VALUE", help="the positive label")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")


def _example(_: argparse.Namespace) -> str:
    """Score the embedded example under every definition and every tool."""
    lines = ["Ten images, best score first. Five are airplanes, the others geese:\n"]
    lines += [f"  y_true  = {list(Y_TRUE)}", f"  y_score = {list(Y_SCORE)}", "", CUTOFFS]
    for k, (hit, value) in enumerate(zip(Y_TRUE, Y_SCORE, strict=True), start=1):
        precision = metrics.precision_at_k_score(Y_TRUE, Y_SCORE, k=k)
        recall = metrics.recall_at_k_score(Y_TRUE, Y_SCORE, k=k)
        lines.append(
            f"  {k:>3} {value:>6} {'yes' if hit else '':>9} {precision:>10.3f} {recall:>7.3f}"
        )
    lines.append("\nTheir average precision, by definition:\n")
    lines += [f"  {value:.3f}  {title:<24}  {definition!r}" for title, definition, value in rows()]
    lines.append("\nAnd by tool, with the difference from scikit-learn's:\n")
    lines += [f"  {line}" for line in str(compat.compare(Y_TRUE, Y_SCORE)).splitlines()]
    return "\n".join([*lines, "", NEXT])


def _compare(asked: argparse.Namespace) -> str:
    table = _read(asked)
    comparison = compat.compare(
        table.y_true,
        table.y_score,
        k=asked.k,
        sample_weight=table.weight,
        groups=table.groups,
    )
    return _formatted(comparison, asked.format)


def _explain(asked: argparse.Namespace) -> str:
    table = _read(asked)
    explanation = compat.explain(
        asked.tool, table.y_true, table.y_score, sample_weight=table.weight, k=asked.k
    )
    return _formatted(explanation, asked.format)


def _read(asked: argparse.Namespace) -> Table:
    return read(
        asked.file,
        label=asked.label,
        score=asked.score,
        weight=asked.weight,
        group=getattr(asked, "group", None),
        positive=asked.positive,
    )


def _formatted(report: compat.Comparison | compat.Explanation, how: str) -> str:
    if how == "text":
        return str(report)
    found = report.to_dict()
    return _json(found) if how == "json" else _markdown(found)


def _json(found: list[dict[str, Any]]) -> str:
    """Rows as JSON, which knows no nan."""
    known = [{k: None if v != v else v for k, v in row.items()} for row in found]
    return json.dumps(known, indent=1)


def _markdown(found: list[dict[str, Any]]) -> str:
    """Rows as a table."""
    table = [list(found[0]), ["---"] * len(found[0])]
    table += [
        ["" if v is None else f"{v:.4f}" if isinstance(v, float) else str(v) for v in row.values()]
        for row in found
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in table)


_COMMANDS = {None: _example, "compare": _compare, "explain": _explain}


if __name__ == "__main__":
    main()
