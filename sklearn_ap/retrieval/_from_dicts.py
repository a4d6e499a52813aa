"""Runs and judgements in dicts and ranked lists, as they are in memory."""

import reprlib
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from sklearn_ap._base.files.cells import CodedNames, FileRows
from sklearn_ap._base.files.columns import Column, NumberColumn, TextColumn, check_utf8
from sklearn_ap._base.files.numbers import LARGEST_WHOLE, TOO_LARGE
from sklearn_ap._base.files.reader import name_file_in_errors
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.arrays import is_missing
from sklearn_ap._types import Argument, Array, Float, Name
from sklearn_ap.retrieval._columns import Columns, join_parts
from sklearn_ap.retrieval._judged_runs import (
    NO_DOCUMENT,
    JudgedRuns,
    Ties,
    Unjudged,
    check_level,
    judge_runs,
    refuse_equal_names,
)

# {document: number}, or documents in a list, in an array or, in judgements, in a set.
Documents: TypeAlias = Any

RUN_SHAPES = "{'bm25': {query: {document: score}}} or {'bm25': {query: [document, ...]}}"


def from_dicts(
    qrels: Mapping[Name, Documents],
    runs: Mapping[str, Mapping[Name, Documents]],
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
            f"runs must map names to runs, as {RUN_SHAPES}. If you have one run, name it: "
            f"{{'run': run}}."
        )
    refuse_equal_names([*map(str, runs)])
    check_level(relevance_level)
    labels = _judgement_columns(qrels, relevance_level)
    # The first document of each judged query.
    first_documents = {
        str(query): next(map(_as_text, documents), NO_DOCUMENT)
        for query, documents in qrels.items()
    }
    scores = {
        str(name): _run_columns(str(name), run, first_documents) for name, run in runs.items()
    }
    return judge_runs(labels, scores, relevance_level, unjudged, complete, ties)


def _are_runs(runs: object) -> bool:
    return isinstance(runs, Mapping) and all(map(_is_run, runs.values()))


def _is_run(run: object) -> bool:
    kinds = Mapping, list, tuple, np.ndarray
    return isinstance(run, Mapping) and all(isinstance(value, kinds) for value in run.values())


def _judgement_columns(qrels: Mapping[Name, Documents], level: float) -> Columns:
    """Make rows of query, document and label. Listed documents have the label ``level``."""
    return _make_columns(
        "qrels",
        qrels,
        "label",
        value_list=lambda n: np.full(n, level),
        find_document=lambda _: NO_DOCUMENT,
    )


def _run_columns(
    name: str, run: Mapping[Name, Documents], first_documents: Mapping[str, str | None]
) -> Columns:
    """Make rows of query, document and score. The first of the listed documents is the best.

    ``first_documents`` has a document of each judged query. Empty results of other queries are
    left out.
    """
    return _make_columns(
        name,
        run,
        "score",
        value_list=lambda n: np.arange(n, 0, -1),
        find_document=first_documents.get,
    )


def _make_columns(
    name: str,
    documents_by_query: Mapping[Name, Documents],
    value: str,
    *,
    value_list: Callable[[int], Array],
    find_document: Callable[[str], str | None],
) -> Columns:
    """Make rows of query, document and ``value``, which is a label or a score.

    ``value_list`` makes the values of n listed documents. ``find_document`` finds the document of
    the row that stands for an empty query; None leaves the query out.
    """
    if len({*map(str, documents_by_query)}) < len(documents_by_query):
        raise ValueError(
            f"{name} has queries of one name, such as 1 and '1': make all of them text."
        )
    documents: list[str | None] = []
    values: list[Array] = [np.empty(0)]
    queries: list[str | None] = []
    query_names: list[str | None] = []
    empty_queries: dict[str, str] = {}  # with a document of each
    for query, query_documents in documents_by_query.items():
        subject = f"{name}: query {query!r}"
        document_names = _document_names(subject, query_documents)
        if isinstance(query_documents, Mapping):
            values.append(_numbers(subject, query_documents, value))
        else:
            values.append(value_list(len(document_names)))
        if document_names:
            query_names.append(_as_text(query))
            queries += [_as_text(query)] * len(document_names)
        elif document := find_document(str(query)):
            if not _as_text(query):
                raise DataError(f"{printable(name)}: the name of a query is empty, or missing")
            empty_queries[str(query)] = document
        is_text = {*map(type, document_names)} == {str}
        documents += document_names if is_text else map(_as_text, document_names)
    numbers = np.concatenate(values).astype(np.float64, copy=False)
    place = f"{printable(name)}: "
    columns: dict[str, Column] = {
        "query": TextColumn(queries),
        "document": TextColumn(documents),
        value: NumberColumn(numbers, np.zeros(numbers.size, bool)),
    }
    with name_file_in_errors(name, place):
        check_utf8([*filter(None, query_names), *filter(None, documents), *empty_queries])
    parts = [FileRows(place, 0, columns)] if documents else []
    rows = join_parts(place, parts, [*columns], judgements=value == "label")
    return _add_empty_queries(rows, empty_queries)


def _add_empty_queries(columns: Columns, documents: dict[str, str]) -> Columns:
    """Add a row for each query without rows, in which nothing is relevant, or was retrieved.

    The value of its document is minus infinity: it is not relevant, or was not retrieved.
    """
    if not documents:
        return columns
    queries = [*documents]
    n_queries = len(queries)
    return replace(
        columns,
        queries=[*columns.queries, CodedNames(np.arange(n_queries), queries, TextColumn(queries))],
        documents=[*columns.documents, TextColumn([*documents.values()])],
        values=np.append(columns.values, np.full(n_queries, -np.inf)),
        rows=np.append(columns.rows, np.arange(n_queries)),
        places=[*columns.places, columns.place],
    )


def _document_names(subject: str, documents: Documents) -> list[Name]:
    problem = f"{subject} must have a dict or a list of documents, got"
    if isinstance(documents, Mapping):
        return [*documents]
    if isinstance(documents, str) or not isinstance(documents, Set | Sequence | np.ndarray):
        raise TypeError(f"{problem} {documents!r}.")
    for document in documents:
        if not isinstance(document, str) and _is_pair(document):
            raise TypeError(
                f"{problem} one with {document!r}. Pass dict(pairs) of documents and their numbers."
            )
    return [*documents]


def _is_pair(document: Name) -> bool:
    is_tuple = isinstance(document, tuple) and len(document) == 2
    return isinstance(document, list | np.ndarray) or (is_tuple and isinstance(document[1], float))


def _as_text(name: Name) -> str | None:
    return None if is_missing(name) else str(name)


def _numbers(subject: str, documents: Mapping[Name, Argument], value: str) -> Float:
    """Read the numbers of documents; one by one if an array could not hold all of them exactly."""
    values = [*documents.values()]
    if all(issubclass(kind, Real | np.bool_) for kind in {*map(type, values)}):
        numbers = np.array(values)
        is_numeric = numbers.dtype.kind in "biuf"
        if is_numeric and (np.abs(numbers.astype(np.float64)) < LARGEST_WHOLE).all():
            return numbers.astype(np.float64)
    return np.array(
        [_number(subject, document, number, value) for document, number in documents.items()]
    )


def _number(subject: str, document: Name, number: Argument, value: str) -> float:
    is_number = isinstance(number, Real | np.bool_) and not is_missing(number)
    if is_number and (isinstance(number, float | np.floating) or abs(int(number)) < LARGEST_WHOLE):
        return float(number)
    verb = "judged" if value == "label" else "found"
    problem = TOO_LARGE if is_number else f"is no number. Leave out what was not {verb}"
    raise ValueError(
        f"{subject}, document {document!r} has the {value} {reprlib.repr(number)}, which {problem}."
    )
