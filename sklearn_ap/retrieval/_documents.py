"""Documents of queries with a number each: judgements, or a run."""

import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from typing import NamedTuple, TypeAlias

import numpy as np

from sklearn_ap._files.columns import read_codes, read_numbers
from sklearn_ap._files.tables import FileRows
from sklearn_ap._types import Argument, Bool, Float, Index, Name

# {document: number}, or documents in a list, in an array or, in judgements, in a set.
Documents: TypeAlias = Mapping[Name, float] | Collection[Name]


class CodedNames(NamedTuple):
    """The name of each row, as its index in a list, which may hold a name several times."""

    indices: Index
    names: Sequence[Name]

    def look_up(self, ranks: Mapping[Name, int]) -> Index:
        """Return the rank of the name of each row, and -1 for a name without a rank."""
        return np.array([ranks.get(name, -1) for name in self.names], np.intp)[self.indices]


class DocumentRows(NamedTuple):
    """Judgements, or a run: the query, the document and the label or score of each row.

    A query that has no documents is one of the names of queries, and has no row.
    """

    name: str
    queries: CodedNames
    documents: CodedNames
    values: Float


def are_numbers(values: Float, *, finite: bool) -> Bool:
    """Whether each is a number. Minus infinity, which is not retrieved, is one of a run alone."""
    return np.isfinite(values) if finite else values < np.inf


def read_columns(
    name: str, batches: Sequence[FileRows], columns: Sequence[str], *, finite: bool
) -> DocumentRows:
    """Read the columns of queries, of documents, and of numbers."""
    query, document, value = columns
    return DocumentRows(
        name,
        _read_names(batches, query),
        _read_names(batches, document),
        read_numbers(batches, value, finite=finite).astype(np.float64),
    )


def _read_names(batches: Sequence[FileRows], column: str) -> CodedNames:
    cells = read_codes(batches, column)
    return CodedNames(cells.indices.to_numpy(), cells.dictionary.to_numpy(zero_copy_only=False))


def read_dict(
    name: str,
    documents_by_query: Mapping[Name, Argument],
    values_of_listed: Callable[[int], Iterable[float]],
    *,
    finite: bool,
) -> DocumentRows:
    """Read a dict of judgements or of a run, of which lists have values for their documents."""
    if not isinstance(documents_by_query, Mapping):
        raise TypeError(
            f"{name} must be a dict, {{query: {{document: number}}}}, or {{query: [document, "
            f"...]}}, got {type(documents_by_query).__name__}."
        )
    queries = [*map(str, documents_by_query)]
    documents: list[str] = []
    values: list[Argument] = []
    n_documents = []
    for query, listed in zip(queries, documents_by_query.values(), strict=True):
        is_ordered = finite or not isinstance(listed, Set)  # a set of judgements needs no order
        if isinstance(listed, str) or not isinstance(listed, Collection) or not is_ordered:
            raise TypeError(
                f"{name}: query {query!r} must have a dict or a list of documents, got "
                f"{listed!r:.80}. Each run has a name: {{name: {{query: {{document: score}}}}}}."
            )
        n_documents.append(len(listed))
        documents += map(str, listed)
        if isinstance(listed, Mapping):
            values += listed.values()
        else:
            values += values_of_listed(len(listed))
    query_indices = np.repeat(np.arange(len(queries)), n_documents)
    try:
        numbers = np.array(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}. Give each document a number.") from error
    is_valid = are_numbers(numbers, finite=finite)
    if not is_valid.all():
        row = is_valid.argmin()
        raise ValueError(
            f"{name}: query {queries[query_indices[row]]!r}, document {documents[row]!r} has "
            f"{reprlib.repr(values[row])}, which is no finite number: leave it out."
        )
    row_documents = CodedNames(np.arange(len(documents)), documents)
    return DocumentRows(name, CodedNames(query_indices, queries), row_documents, numbers)
