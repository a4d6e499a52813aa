"""Judgements, or a run: documents of queries, with a number each, of any source."""

import os
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._extras import import_extra
from sklearn_ap._files.cells import read_codes, read_numbers
from sklearn_ap._files.formats import find_columns
from sklearn_ap._files.sources import DataError, NoColumnError
from sklearn_ap._files.tables import FileRows
from sklearn_ap._inputs.numbers import LOST_DIGITS, lose_digits, refuse_lost_digits
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Name, Ordered
from sklearn_ap._writing.text import names_as_text, printable
from sklearn_ap.retrieval._trec_files import QRELS, RUN, read_trec_rows


class CodedNames(NamedTuple):
    """The name of each row, as its index in a list, which may hold a name several times."""

    indices: Index
    names: Sequence[Ordered] | Array

    def look_up(self, ranks: Mapping[Name, int]) -> Index:
        """Return the rank of the name of each row, and -1 for a name without a rank."""
        return np.array([ranks.get(name, -1) for name in self.names], np.intp)[self.indices]


@dataclass(frozen=True, slots=True, eq=False)
class DocumentRows:
    """Judgements, or a run: the query, the document and the label or score of each row.

    A query that has no documents is one of the names of queries, and has no row.
    """

    name: str
    queries: CodedNames
    documents: CodedNames
    values: Float

    def __post_init__(self) -> None:
        if not len(self.queries.names):
            raise InputError(f"{printable(self.name)}: there are no rows")
        self.refuse(~(self.values < np.inf))  # nan is

    def refuse(self, is_wrong: Bool) -> None:
        """Raise an error that names the first wrong value."""
        if is_wrong.any():
            row = is_wrong.argmax()
            query = self.queries.names[self.queries.indices[row]]
            document = self.documents.names[self.documents.indices[row]]
            raise InputError(
                f"{printable(self.name)}: query {query!r}, document {document!r} has "
                f"{self.values[row]}: leave out what is not known or was not retrieved."
            )


def read_source(
    name: str, source: Argument, columns: Sequence[str], listed_label: float | None = None
) -> DocumentRows:
    """Read a dict, a table in memory or a file of TREC, each by what it is.

    Judgements in a list have ``listed_label``. A run has None, and its lists are ranked.
    """
    are_judgements = listed_label is not None
    if isinstance(source, Mapping):
        return _read_dict(name, source, listed_label)
    if isinstance(source, str | os.PathLike):
        batches = read_trec_rows(os.fspath(source), QRELS if are_judgements else RUN)
        columns = [*batches[0].columns]
    elif hasattr(source, "__arrow_c_stream__") and not hasattr(source, "dtype"):  # of a Series
        pyarrow = import_extra("pyarrow", "Reading tables", "table")
        try:
            table = pyarrow.table(source)
        except (pyarrow.ArrowException, OverflowError, ValueError) as error:
            raise InputError(f"{printable(name)} cannot be read as a table: {error}.") from error
        try:
            find_columns(columns, table.column_names)
        except NoColumnError as error:
            options = ("query", "document", "label" if are_judgements else "score")
            named = zip(options, columns, strict=True)
            missing = [f"{option}=" for option, each in named if each not in table.column_names]
            raise NoColumnError(
                f"{printable(name)}: {error}. Pass the names of columns as "
                f"{names_as_text(missing)}, or rename them."
            ) from error
        except DataError as error:
            raise DataError(f"{printable(name)}: {error}") from error
        batches = [FileRows(printable(name), 0, {column: table[column] for column in columns})]
    else:
        raise InputTypeError(
            f"{name} must be a dict, {{query: {{document: number}}}}, a table of pandas, polars, "
            f"pyarrow or DuckDB, or the path of a file of TREC, got {type(source).__name__}."
        )
    query, document, value = columns
    numbers = read_numbers(batches, value, finite=are_judgements)
    if lose_digits(numbers):
        raise DataError(f"{printable(name)}: column {value!r} {LOST_DIGITS}")
    return DocumentRows(
        name,
        _read_names(batches, query),
        _read_names(batches, document),
        numbers.astype(np.float64, copy=False),
    )


def _read_names(batches: Sequence[FileRows], column: str) -> CodedNames:
    cells = read_codes(batches, column)
    return CodedNames(cells.indices.to_numpy(), cells.dictionary.to_numpy(zero_copy_only=False))


def _read_dict(
    name: str, documents_by_query: Mapping[Name, Argument], listed_label: float | None
) -> DocumentRows:
    are_judgements = listed_label is not None
    queries = [*map(str, documents_by_query)]
    documents: list[str] = []
    values: list[Argument] = []
    n_documents = []
    for query, given in zip(queries, documents_by_query.values(), strict=True):
        listed = _check_documents(name, query, given, are_judgements=are_judgements)
        n_documents.append(len(listed))
        documents += map(str, listed)
        if isinstance(listed, Mapping):
            values += listed.values()
        elif are_judgements:
            values += [listed_label] * len(listed)
        else:
            values += range(len(listed), 0, -1)  # the first is the best
    query_indices = np.repeat(np.arange(len(queries)), n_documents)
    try:
        numbers = np.array(values, np.float64).reshape(len(values))
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(f"{name}: {error}. Give each document a number.") from error
    refuse_lost_digits(name, values, numbers)
    row_documents = CodedNames(np.arange(len(documents)), documents)
    return DocumentRows(name, CodedNames(query_indices, queries), row_documents, numbers)


def _check_documents(
    name: str, query: str, given: Argument, *, are_judgements: bool
) -> Collection[object]:
    """Return a dict or a list of documents; a set of them has no order, which a run needs."""
    lacks_order = isinstance(given, Set) and not are_judgements
    # An index of pandas would be lost; that of a list is a method.
    has_index = not callable(getattr(given, "index", len))
    is_listed = not (lacks_order or has_index or isinstance(given, str))
    if is_listed and isinstance(given, Collection) and getattr(given, "ndim", 1) == 1:
        return given
    named = "Each run has a name: {name: {query: {document: score}}}."
    raise InputTypeError(
        f"{name}: query {query!r} must have a dict or a list of documents, got "
        f"{given!r:.80}. {'' if are_judgements else named}".rstrip()
    )
