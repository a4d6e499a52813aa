"""Runs and judgements in dicts and ranked lists, as they are in memory."""

import reprlib
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Real
from typing import Any

import numpy as np

from sklearn_ap._files.cells import LARGEST_WHOLE, TOO_LARGE
from sklearn_ap._inputs.name_codes import is_missing
from sklearn_ap.retrieval._judged_runs import (
    Columns,
    JudgedRuns,
    Ties,
    Unjudged,
    check_level,
    columns_of_arrow,
    judged_runs,
    refuse_equal_names,
)

SHAPES = "{'bm25': {query: {document: score}}} or {'bm25': {query: [document, ...]}}"


def from_dicts(
    qrels: Mapping[Any, Any],
    runs: Mapping[str, Mapping[Any, Any]],
    *,
    relevance_level: float = 1,
    unjudged: Unjudged = "negative",
    complete: bool = False,
    ties: Ties = "shared",
) -> JudgedRuns:
    """Take judgements and runs from dicts, or from ranked lists.

    Parameters
    ----------
    qrels : mapping
        The judgements, ``{query: {document: label}}``. Where all that are named are relevant, as
        the items that a user bought, ``{query: [document, ...]}``, or a set in place of the list.
    runs : mapping of str to mapping
        The runs, by name: ``{query: {document: score}}``, or ``{query: [document, ...]}`` with the
        best document first. An empty result scores 0.
    relevance_level : float, default=1
        The lowest label of a relevant document, trec_eval's ``-l``.
    unjudged : {"negative", "left out"}, default="negative"
        What a document without a label is. "left out" is trec_eval's ``-J``.
    complete : bool, default=False
        Whether queries of which no run has a document count, trec_eval's ``-c``. They score 0.
    ties : {"shared", "trec_eval"}, default="shared"
        What documents with equal scores do. "trec_eval" ranks them by name, the later first, as
        trec_eval does, which rounds scores to float32. The scores are then ranks of documents.

    Returns
    -------
    JudgedRuns
        Arrays for every score, by the name of the run.

    See Also
    --------
    from_sparse : The same for sparse tables of users and items.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> qrels = {"a": {"x": 1, "y": 1}}
    >>> judged = retrieval.from_dicts(qrels, {"bm25": {"a": {"z": 0.9, "x": 0.8}}})
    >>> average_precision_score(**judged["bm25"])
    0.25
    """
    if not isinstance(qrels, Mapping):
        raise TypeError(
            f"qrels must be a dict, {{query: {{document: label}}}}, got {type(qrels).__name__}."
        )
    if not isinstance(runs, Mapping) or not all(map(_is_run, runs.values())):
        raise TypeError(
            f"runs must map names to runs, as {SHAPES}. If you have one run, name it: "
            f"{{'run': run}}."
        )
    refuse_equal_names([*map(str, runs)])
    check_level(relevance_level)
    judged = {str(query): found for query, found in qrels.items()}
    labels = _columns("qrels", qrels, judged, level=relevance_level)
    found = {str(name): _columns(str(name), run, judged) for name, run in runs.items()}
    return judged_runs(labels, found, relevance_level, unjudged, complete, ties)


def _is_run(run: Any) -> bool:
    kinds = Mapping, list, tuple, np.ndarray
    return isinstance(run, Mapping) and all(isinstance(found, kinds) for found in run.values())


def _columns(
    name: str, given: Mapping[Any, Any], judged: dict[str, Any], level: float | None = None
) -> Columns:
    """A row for each document: query, document, and score; or label, of listed ones ``level``."""
    rows: list[tuple[Any, Any, float]] = []
    for query, found in given.items():
        place = f"{name}: query {query!r}"
        if isinstance(found, Mapping):
            value = "score" if level is None else "label"
            rows += [(query, each, _number(place, each, value, n)) for each, n in found.items()]
        elif isinstance(found, str) or not isinstance(found, Set | Sequence | np.ndarray):
            raise TypeError(f"{place} must have a dict or a list of documents, got {found!r}.")
        elif pairs := [*filter(_is_pair, found)]:
            raise TypeError(
                f"{place} must have a dict or a list of documents, got a list with {pairs[0]!r}. "
                f"Pass dict(pairs) of documents and their numbers."
            )
        elif level is None:  # the best is first
            rows += [(query, each, len(found) - i) for i, each in enumerate(found)]
        else:
            rows += [(query, each, level) for each in found]
        if level is None and not len(found) and judged.get(str(query)):
            # That nothing was retrieved is an answer.
            rows.append((query, next(iter(judged[str(query)])), -np.inf))
    queries, documents, numbers = zip(*rows, strict=True) if rows else ((), (), ())
    columns = {
        "query": _names(queries),
        "document": _names(documents),
        "score" if level is None else "label": np.array(numbers, np.float64),
    }
    return columns_of_arrow(name, columns, [*columns], judgements=level is not None)


def _is_pair(document: Any) -> bool:
    is_tuple = isinstance(document, tuple) and len(document) == 2
    return isinstance(document, list | np.ndarray) or (is_tuple and isinstance(document[1], float))


def _names(given: Iterable[Any]) -> list[str | None]:
    return [None if is_missing(name) else str(name) for name in given]


def _number(place: str, document: Any, value: str, number: Any) -> float:
    problem = ""
    is_number = isinstance(number, Real | np.bool_)
    if is_missing(number) or not is_number:
        left_out = "judged" if value == "label" else "found"
        problem = f"which is no number. Leave out what was not {left_out}"
    elif not isinstance(number, float | np.floating) and abs(int(number)) > LARGEST_WHOLE:
        problem = f"which {TOO_LARGE}"
    if problem:
        raise ValueError(
            f"{place}, document {document!r} has the {value} {reprlib.repr(number)}, {problem}."
        )
    return float(number)
