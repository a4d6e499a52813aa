"""What each command prints, and its status."""

import argparse
import warnings
from collections.abc import Callable

import numpy as np

from sklearn_ap import compat, retrieval
from sklearn_ap._cli.arguments import K
from sklearn_ap._cli.example import FILE, example
from sklearn_ap._cli.file_predictions import FilePredictions, read
from sklearn_ap._cli.output import Row, written
from sklearn_ap._cli.scores import beside_chance, of_segments, scores
from sklearn_ap._extras.progress import progress
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._names import conventions, find, measures
from sklearn_ap.scorers import get_scorer_names


def _score(args: argparse.Namespace) -> tuple[str, int]:
    named = _definitions(args).values() or conventions(args.k)
    definitions = {definition.title: definition for definition in named}
    predictions = _read(args)
    return _answer(args, predictions, *scores(predictions, definitions, args.prevalence))


def _trec(args: argparse.Namespace) -> tuple[str, int]:
    named = _definitions(args)
    with progress(None, "", "reading"):
        judged = retrieval.from_trec(
            args.qrels,
            *args.runs,
            relevance_level=args.relevance_level,
            unjudged=args.unjudged.replace("-", " "),
            complete=args.complete,
        )
    level = f"{args.relevance_level:g} or more"
    found = FilePredictions(judged.y_true, judged.y_scores, None, judged.queries, level)
    predictions = _with_defined(args, found)
    return _answer(args, predictions, *scores(predictions, named or measures(args.k)))


def _chance(args: argparse.Namespace) -> tuple[str, int]:
    named = [*_definitions(args).values()] or [Step()]
    predictions = _read(args)
    return _answer(args, predictions, *beside_chance(predictions, named, args.prevalence))


def _segments(args: argparse.Namespace) -> tuple[str, int]:
    named = [*_definitions(args).values()] or [Step()]
    predictions = _read(args)
    found = of_segments(predictions, named, args.reference, args.prevalence)
    return _answer(args, predictions, *found)


def _compare(args: argparse.Namespace) -> tuple[str, int]:
    if len({*args.score}) > 1:
        if args.near is not None:
            raise ValueError("--near asks about one number: pass --score once")
        return _score(args)
    predictions = _read(args)
    with progress(None, "", "comparing"):
        tools = "all" if args.all else None
        found = compat.compare(**predictions.arguments, tools=tools, k=args.k, near=args.near)
    return _answer(args, predictions, found.rows(), str(found))


def _explain(args: argparse.Namespace) -> tuple[str, int]:
    names = {"name": args.tool} | ({} if args.versus is None else {"versus": args.versus})
    k = args.k
    if k is None and any(get(name).k == "required" for name in names.values()):
        k = K
    predictions = _read(args)
    with progress(None, "", "explaining"):
        found = compat.explain(**names, **predictions.arguments, k=k)
    return _answer(args, predictions, found.rows(), str(found), k)


def _definitions(args: argparse.Namespace) -> dict[str, Definition]:
    return {name: find(name, args.k, get_scorer_names()) for name in args.definition or ()}


def _read(args: argparse.Namespace) -> FilePredictions:
    return _with_defined(args, read(args))


def _with_defined(args: argparse.Namespace, predictions: FilePredictions) -> FilePredictions:
    """Leave out queries without positives, if that is asked for."""
    is_left_out = args.without_positives == "left-out"
    return predictions.without_undefined() if is_left_out else predictions


def _answer(
    args: argparse.Namespace,
    predictions: FilePredictions,
    rows: list[Row],
    text: str,
    k: int | None = None,
) -> tuple[str, int]:
    undefined = bool(np.isnan(predictions.zero_division(getattr(args, "prevalence", None))))
    if undefined:
        has_positives = predictions.n_undefined < predictions.n_queries
        lacking = "no ranking has both classes" if has_positives else "no row is positive"
        warnings.warn(f"{lacking}, so average precision is not defined", stacklevel=2)
    return written(predictions, rows, text, args.format, k), int(undefined)


COMMANDS: dict[str | None, Callable[[argparse.Namespace], tuple[str, int]]] = {
    None: lambda _: (example(), 0),
    "example": lambda _: (FILE.rstrip(), 0),
    "score": _score,
    "chance": _chance,
    "segments": _segments,
    "trec": _trec,
    "compare": _compare,
    "explain": _explain,
}
