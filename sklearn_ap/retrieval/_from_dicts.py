"""Runs and judgements in dicts and ranked lists, as they are in memory."""

import reprlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, repeat
from numbers import Real
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.extras import printable
from sklearn_ap._base.files.cells import FileRows, Names
from sklearn_ap._base.files.columns import Column, NumberColumn, TextColumn, check_utf8
from sklearn_ap._base.files.errors import DataError
from sklearn_ap._base.files.numbers import LARGEST_WHOLE, TOO_LARGE
from sklearn_ap._base.files.reader import name_file_in_errors
from sklearn_ap._base.inputs.name_codes import is_missing
from sklearn_ap.retrieval._judged_runs import (
    NOTHING,
    Columns,
    JudgedRuns,
    Ties,
    Unjudged,
    check_level,
    columns_of_rows,
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
        An empty one is a judgement, too: nothing is relevant, so the query scores 0.
    runs : mapping of str to mapping
        The runs, by name: ``{query: {document: score}}``, or ``{query: [document, ...]}`` with the
        best document first. An empty result scores 0. A query that is in no run is left out, with
        a warning, unless ``complete`` is true.
    relevance_level : float, default=1
        The lowest label of a relevant document, trec_eval's ``-l``.
    unjudged : {"negative", "left out"}, default="negative"
        What a document without a label is. "left out" is trec_eval's ``-J``.
    complete : bool, default=False
        Whether judged queries that are in no run count, trec_eval's ``-c``. They score 0.
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
    if not _are_runs(runs):
        raise TypeError(
            f"runs must map names to runs, as {SHAPES}. If you have one run, name it: "
            f"{{'run': run}}."
        )
    refuse_equal_names([*map(str, runs)])
    check_level(relevance_level)
    labels = _columns("qrels", qrels, level=relevance_level)
    judged = {str(query): next(map(_name, found), NOTHING) for query, found in qrels.items()}
    found = {str(name): _columns(str(name), run, judged) for name, run in runs.items()}
    return judged_runs(labels, found, relevance_level, unjudged, complete, ties)


def _are_runs(runs: Any) -> bool:
    return isinstance(runs, Mapping) and all(map(_is_run, runs.values()))


def _is_run(run: Any) -> bool:
    kinds = Mapping, list, tuple, np.ndarray
    return isinstance(run, Mapping) and all(isinstance(found, kinds) for found in run.values())


def _columns(
    name: str,
    given: Mapping[Any, Any],
    judged: Mapping[str, str | None] | None = None,
    level: float | None = None,
) -> Columns:
    """Rows of query, document and score; or, with the ``level`` of listed documents, label."""
    documents: list[str | None] = []
    values: list[Any] = [np.empty(0)]
    empty: list[str] = []
    value = "score" if level is None else "label"
    if len({*map(str, given)}) < len(given):
        raise ValueError(
            f"{name} has queries of one name, such as 1 and '1': make all of them text."
        )
    for query, found in given.items():
        place = f"{name}: query {query!r}"
        named = _documents(place, found)
        if isinstance(found, Mapping):
            values.append(_numbers(place, found, value))
        else:  # the best stands first
            places = np.arange(len(named), 0, -1)
            values.append(places if level is None else np.full(places.size, level))
        if not named and (judged is None or str(query) in judged):
            if not _name(query):
                raise DataError(f"{printable(name)}: the name of a query is empty, or missing")
            empty.append(str(query))
        documents += named if {*map(type, named)} == {str} else map(_name, named)
    sizes = {query: each.size for query, each in zip(given, values[1:], strict=True) if each.size}
    numbers = np.concatenate(values).astype(np.float64, copy=False)
    place = f"{printable(name)}: "
    queries = [*chain.from_iterable(map(repeat, map(_name, sizes), sizes.values()))]
    columns: dict[str, Column] = {
        "query": TextColumn(queries),
        "document": TextColumn(documents),
        value: NumberColumn(numbers, np.zeros(numbers.size, bool)),
    }
    with name_file_in_errors(name, place):
        check_utf8([*filter(None, map(_name, sizes)), *filter(None, documents), *empty])
    parts = [FileRows(place, 0, columns)] if documents else []
    read = columns_of_rows(place, parts, [*columns], judgements=level is not None)
    return _with_answers(read, {query: (judged or {}).get(query) or NOTHING for query in empty})


def _with_answers(columns: Columns, documents: dict[str, str]) -> Columns:
    """Rows also of queries without any: that nothing is relevant, or was found, is an answer.

    Each gets one document, of minus infinity: it is not relevant, or was not retrieved.
    """
    if not documents:
        return columns
    n, queries = len(documents), [*documents]
    return replace(
        columns,
        queries=[*columns.queries, Names(np.arange(n), queries, TextColumn(queries))],
        documents=[*columns.documents, TextColumn([*documents.values()])],
        values=np.append(columns.values, np.full(n, -np.inf)),
        rows=np.append(columns.rows, np.arange(n)),
        places=[*columns.places, columns.place],
    )


def _documents(place: str, given: Any) -> list[Any]:
    wrong = f"{place} must have a dict or a list of documents, got"
    if isinstance(given, Mapping):
        return [*given]
    if isinstance(given, str) or not isinstance(given, Set | Sequence | np.ndarray):
        raise TypeError(f"{wrong} {given!r}.")
    for each in given:
        if not isinstance(each, str) and _is_pair(each):
            raise TypeError(
                f"{wrong} one with {each!r}. Pass dict(pairs) of documents and their numbers."
            )
    return [*given]


def _is_pair(document: Any) -> bool:
    is_tuple = isinstance(document, tuple) and len(document) == 2
    return isinstance(document, list | np.ndarray) or (is_tuple and isinstance(document[1], float))


def _name(given: Any) -> str | None:
    return None if is_missing(given) else str(given)


def _numbers(place: str, documents: Mapping[Any, Any], value: str) -> Float:
    """Numbers of documents, one by one only where some are odd or large."""
    given = [*documents.values()]
    if all(issubclass(kind, Real | np.bool_) for kind in {*map(type, given)}):
        numbers = np.array(given)
        usual = numbers.dtype.kind in "biuf"
        if usual and (np.abs(numbers.astype(np.float64)) < LARGEST_WHOLE).all():
            return numbers.astype(np.float64)
    return np.array([_number(place, *each, value) for each in documents.items()])


def _number(place: str, document: Any, number: Any, value: str) -> float:
    is_number = isinstance(number, Real | np.bool_) and not is_missing(number)
    if is_number and (isinstance(number, float | np.floating) or abs(int(number)) < LARGEST_WHOLE):
        return float(number)
    left_out = "judged" if value == "label" else "found"
    problem = TOO_LARGE if is_number else f"is no number. Leave out what was not {left_out}"
    wrong = f"{place}, document {document!r} has the {value} {reprlib.repr(number)}"
    raise ValueError(f"{wrong}, which {problem}.")
