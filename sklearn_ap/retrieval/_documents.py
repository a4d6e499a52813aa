"""Documents of queries with a number each: judgements, a run, or the grades of a judge."""

import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from itertools import chain
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_ap._files.columns import read_codes, read_numbers
from sklearn_ap._files.tables import FileRows
from sklearn_ap._files.trec import read_qrels
from sklearn_ap._inputs.arrays import is_missing
from sklearn_ap._inputs.options import check_real_number
from sklearn_ap._results.text import count_as_text, names_as_text, printable
from sklearn_ap._results.uncertainty_warnings import warn
from sklearn_ap._types import Argument, Array, Float, Index, Name

# {document: number}, or documents in a list, in an array or, in judgements, in a set.
Documents: TypeAlias = Any


class CodedNames(NamedTuple):
    """A name for each row, as a code; several codes may stand for one name."""

    codes: Index
    names: Sequence[str]  # by code


class DocumentRows(NamedTuple):
    """Judgements, or a run: the query, the document and the label or score of each row.

    A query that has no documents is one of the names of queries, and has no row.
    """

    name: str
    queries: CodedNames
    documents: CodedNames
    values: Float


def encode(names: Iterable[str]) -> CodedNames:
    """Give each distinct name a code, as they come."""
    code: dict[str, int] = {}
    codes = np.array([code.setdefault(name, len(code)) for name in names], np.intp)
    return CodedNames(codes, [*code])


def join_names(parts: Sequence[CodedNames]) -> tuple[list[Index], Array]:
    """Return the place of each name of each part among all distinct ones, sorted, and these."""
    joined = encode(chain.from_iterable(part.names for part in parts))
    order = sorted(range(len(joined.names)), key=joined.names.__getitem__)
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    ends = np.cumsum([len(part.names) for part in parts])
    names = np.array(joined.names, dtype=object)[order]
    return np.split(place[joined.codes], ends[:-1]), names


def check_level(relevance_level: Argument) -> float:
    """Check the lowest label that means relevant."""
    level = check_real_number("relevance_level", relevance_level)
    if not isfinite(level):
        raise ValueError(f"relevance_level must be a finite number, got {relevance_level!r:.80}.")
    return level


def warn_of_queries(names: Collection[str], problem: str) -> None:
    """Warn of queries that have a problem, if any has."""
    if len(names):
        examples = names_as_text([repr(name) for name in sorted(names)])
        warn(f"{count_as_text(len(names), 'query')} {problem} ({examples})", UserWarning)


def read_judgements(path: str) -> DocumentRows:
    """Read a file of judgements."""
    return read_columns(path, read_qrels(path), ("query", "document", "grade"), finite=True)


def read_columns(
    name: str, batches: Sequence[FileRows], columns: Sequence[str], *, finite: bool
) -> DocumentRows:
    """Read the columns of queries, of documents, and of numbers."""
    *names, value = columns
    cells = [read_codes(batches, column) for column in names]
    query, document = (
        CodedNames(each.indices.to_numpy(), each.dictionary.to_numpy(zero_copy_only=False))
        for each in cells
    )
    return DocumentRows(
        name, query, document, read_numbers(batches, value, finite=finite).astype(np.float64)
    )


def read_dict(
    name: str, documents_by_query: Mapping[Name, Documents], level: float | None = None
) -> DocumentRows:
    """Read judgements, whose listed documents have the label ``level``, or a run.

    The first of the listed documents of a run is the best.
    """
    queries = [_name_as_text(f"{name}: a query", query) for query in documents_by_query]
    if len({*queries}) < len(queries):
        raise ValueError(
            f"{name} has queries of one name, such as 1 and '1': make all of them text."
        )
    documents: list[str] = []
    values = [np.empty(0)]
    n_documents = []
    for query, found in zip(queries, documents_by_query.values(), strict=True):
        subject = f"{name}: query {query!r}"
        listed = _list_documents(subject, found)
        documents += listed
        n_documents.append(len(listed))
        if isinstance(found, Mapping):
            values.append(_read_values(subject, found, is_label=level is not None))
        elif level is None:
            values.append(np.arange(len(listed), 0, -1.0))
        else:
            values.append(np.full(len(listed), float(level)))
    row_queries = CodedNames(np.repeat(np.arange(len(queries)), n_documents), queries)
    return DocumentRows(name, row_queries, encode(documents), np.concatenate(values))


def _name_as_text(subject: str, name: Name) -> str:
    if is_missing(name) or not str(name):
        raise ValueError(f"{printable(subject)} has no name: got {name!r}")
    return str(name)


def _list_documents(subject: str, documents: Documents) -> list[str]:
    """Return the names of documents as text."""
    kinds = Mapping, Set, Sequence, np.ndarray
    is_number = getattr(documents, "shape", None) == ()  # in an array
    if isinstance(documents, str) or is_number or not isinstance(documents, kinds):
        raise TypeError(
            f"{subject} must have a dict or a list of documents, got {documents!r:.80}."
        )
    if {*map(type, documents)} == {str} and "" not in documents:
        return [*documents]
    return [_name_as_text(f"{subject}: a document", document) for document in documents]


def _read_values(subject: str, documents: Mapping[Name, Argument], *, is_label: bool) -> Float:
    """Read the labels of documents, or their scores, of which minus infinity is one."""
    values = np.array([*documents.values()])
    if values.dtype.kind not in "biuf":
        values = np.array([_read_value(value) for value in documents.values()])
    values = values.astype(np.float64)
    is_valid = np.isfinite(values) if is_label else values < np.inf
    if not is_valid.all():
        document, value = [*documents.items()][is_valid.argmin()]
        kind, verb = ("label", "judged") if is_label else ("score", "found")
        raise ValueError(
            f"{subject}, document {document!r} has the {kind} {reprlib.repr(value)}, which is no "
            f"finite number. Leave out what was not {verb}."
        )
    return values


def _read_value(value: Argument) -> float:
    """Return a number as a float, and nan for anything else."""
    with suppress(OverflowError):
        if isinstance(value, Real | np.bool_) and not is_missing(value):
            return float(value)
    return np.nan
