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
from sklearn_ap._cli.scores import beside_chance, scores
from sklearn_ap._extras.progress import progress
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._names import conventions, find, measures
from sklearn_ap.scorers import get_scorer_names


def _score(asked: argparse.Namespace) -> tuple[str, int]:
    named = _definitions(asked).values() or conventions(asked.k)
    definitions = {definition.title: definition for definition in named}
    predictions = _read(asked)
    return _answer(asked, predictions, *scores(predictions, definitions, asked.prevalence))


def _trec(asked: argparse.Namespace) -> tuple[str, int]:
    named = _definitions(asked)
    with progress(None, "", "reading"):
        judged = retrieval.from_trec(
            asked.qrels,
            *asked.runs,
            relevance_level=asked.relevance_level,
            unjudged=asked.unjudged.replace("-", " "),
            complete=asked.complete,
        )
    level = f"{asked.relevance_level:g} or more"
    found = FilePredictions(judged.y_true, judged.y_scores, None, judged.queries, level)
    predictions = _with_defined(asked, found)
    return _answer(asked, predictions, *scores(predictions, named or measures(asked.k)))


def _chance(asked: argparse.Namespace) -> tuple[str, int]:
    named = [*_definitions(asked).values()] or [Step()]
    predictions = _read(asked)
    return _answer(asked, predictions, *beside_chance(predictions, named, asked.prevalence))


def _compare(asked: argparse.Namespace) -> tuple[str, int]:
    if len({*asked.score}) > 1:
        if asked.near is not None:
            raise ValueError("--near asks about one number: pass --score once")
        return _score(asked)
    predictions = _read(asked)
    with progress(None, "", "comparing"):
        tools = "all" if asked.all else None
        found = compat.compare(**predictions.arguments, tools=tools, k=asked.k, near=asked.near)
    return _answer(asked, predictions, found.rows(), str(found))


def _explain(asked: argparse.Namespace) -> tuple[str, int]:
    names = {"name": asked.tool} | ({} if asked.versus is None else {"versus": asked.versus})
    k = asked.k
    if k is None and any(get(name).k == "required" for name in names.values()):
        k = K
    predictions = _read(asked)
    with progress(None, "", "explaining"):
        found = compat.explain(**names, **predictions.arguments, k=k)
    return _answer(asked, predictions, found.rows(), str(found), k)


def _definitions(asked: argparse.Namespace) -> dict[str, Definition]:
    return {name: find(name, asked.k, get_scorer_names()) for name in asked.definition or ()}


def _read(asked: argparse.Namespace) -> FilePredictions:
    return _with_defined(asked, read(asked))


def _with_defined(asked: argparse.Namespace, predictions: FilePredictions) -> FilePredictions:
    """Leave out queries without positives, if that is asked for."""
    is_left_out = asked.without_positives == "left-out"
    return predictions.without_undefined() if is_left_out else predictions


def _answer(
    asked: argparse.Namespace,
    predictions: FilePredictions,
    rows: list[Row],
    text: str,
    k: int | None = None,
) -> tuple[str, int]:
    undefined = bool(np.isnan(predictions.zero_division(getattr(asked, "prevalence", None))))
    if undefined:
        has_positives = predictions.n_undefined < predictions.n_queries
        lacking = "no ranking has both classes" if has_positives else "no row is positive"
        warnings.warn(f"{lacking}, so average precision is not defined", stacklevel=2)
    return written(predictions, rows, text, asked.format, k), int(undefined)


COMMANDS: dict[str | None, Callable[[argparse.Namespace], tuple[str, int]]] = {
    None: lambda _: (example(), 0),
    "example": lambda _: (FILE.rstrip(), 0),
    "score": _score,
    "chance": _chance,
    "trec": _trec,
    "compare": _compare,
    "explain": _explain,
}
