"""Documents of queries with a number each: judgements, a run, or the grades of a judge."""

import reprlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from numbers import Real
from os import PathLike, fspath
from typing import NamedTuple, TypeAlias

import numpy as np

from sklearn_ap._files.columns import read_codes, read_numbers
from sklearn_ap._files.tables import FileRows, arrow_to_numpy, pc
from sklearn_ap._files.trec import read_qrels, read_run
from sklearn_ap._inputs.arrays import is_missing
from sklearn_ap._results.text import count_as_text, names_as_text, printable
from sklearn_ap._results.uncertainty_warnings import warn
from sklearn_ap._types import Argument, Bool, Float, Index, Name

# {document: number}, or documents in a list, in an array or, in judgements, in a set.
Documents: TypeAlias = Mapping[Name, float] | Collection[Name]


class CodedNames(NamedTuple):
    """The name of each row, as its index in a list, which may hold a name several times."""

    indices: Index
    names: Sequence[Name]

    def row_names(self) -> list[Name]:
        """List the name of each row."""
        return [self.names[index] for index in self.indices]

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
    is_first_rank: Bool | None = None  # where a file has ranks


class ValueKind(NamedTuple):
    """Labels or scores, as errors name them."""

    name: str
    verb: str
    are_valid: Callable[[Float], Bool]


LABEL_KIND = ValueKind("label", "judged", np.isfinite)
SCORE_KIND = ValueKind("score", "found", lambda scores: scores < np.inf)  # -inf: not retrieved


def warn_of_queries(names: Collection[str], problem: str) -> None:
    """Warn of queries that have a problem, if any has."""
    if names:
        examples = names_as_text([repr(name) for name in sorted(names)])
        warn(f"{count_as_text(len(names), 'query')} {problem} ({examples})", UserWarning)


def read_judgements(path: str) -> DocumentRows:
    """Read a file of judgements."""
    return read_columns(path, read_qrels(path), ("query", "document", "grade"), finite=True)


def read_trec_run(name: str, path: str) -> DocumentRows:
    """Read a run of TREC, and where its rank is the first, which is 0 or 1."""
    batches = read_run(path)
    rows = read_columns(name, batches, ("query", "document", "score"), finite=False)
    is_zero, is_one = (
        np.concatenate([arrow_to_numpy(pc.equal(batch.columns["rank"], rank)) for batch in batches])
        for rank in ("0", "1")
    )
    return rows._replace(is_first_rank=is_zero if is_zero.any() else is_one)


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


def read_grades(grades: Argument) -> dict[tuple[str, str], float]:
    """Read the grades of a judge by query and document, without missing ones."""
    if isinstance(grades, str | PathLike):
        rows = read_judgements(fspath(grades))
    elif isinstance(grades, Mapping) and all(isinstance(x, Mapping) for x in grades.values()):
        known_grades = {
            query: {name: grade for name, grade in query_grades.items() if not is_missing(grade)}
            for query, query_grades in grades.items()
        }
        rows = take_judgements("grades", known_grades)
    else:
        raise TypeError(
            f"grades must be a dict, {{query: {{document: grade}}}}, or a file, got {grades!r:.80}."
        )
    queries, documents = rows.queries.row_names(), rows.documents.row_names()
    return dict(zip(zip(queries, documents, strict=True), rows.values.tolist(), strict=True))


def take_judgements(
    name: str, judgements: Mapping[Name, Documents], label_of_listed: float = 1.0
) -> DocumentRows:
    """Read judgements in a dict; documents that are only listed have one label."""
    return _read_dict(name, judgements, LABEL_KIND, lambda n: [label_of_listed] * n)


def take_run(name: str, run: Mapping[Name, Documents]) -> DocumentRows:
    """Read a run in a dict; the first of listed documents is the best."""
    return _read_dict(name, run, SCORE_KIND, lambda n: range(n, 0, -1))


def _read_dict(
    name: str,
    documents_by_query: Mapping[Name, Documents],
    kind: ValueKind,
    values_of_listed: Callable[[int], Iterable[float]],
) -> DocumentRows:
    queries = [_name_as_text(f"{name}: a query", query) for query in documents_by_query]
    if len({*queries}) < len(queries):
        raise ValueError(
            f"{name} has queries of one name, such as 1 and '1': make all of them text."
        )
    documents: list[str] = []
    values: list[Argument] = []
    n_documents = []
    for query, query_documents in zip(queries, documents_by_query.values(), strict=True):
        listed = _list_documents(f"{name}: query {query!r}", query_documents)
        n_documents.append(len(listed))
        documents += listed
        if isinstance(query_documents, Mapping):
            values += query_documents.values()
        else:
            values += values_of_listed(len(listed))
    query_indices = np.repeat(np.arange(len(queries)), n_documents)
    numbers = np.array([*map(_as_number, values)], np.float64)
    is_valid = kind.are_valid(numbers)
    if not is_valid.all():
        row = is_valid.argmin()
        raise ValueError(
            f"{name}: query {queries[query_indices[row]]!r}, document {documents[row]!r} has the "
            f"{kind.name} {reprlib.repr(values[row])}, which is no finite number. Leave out what "
            f"was not {kind.verb}."
        )
    row_documents = CodedNames(np.arange(len(documents)), documents)
    return DocumentRows(name, CodedNames(query_indices, queries), row_documents, numbers)


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


def _as_number(value: Argument) -> float:
    """Convert a number to a float, and anything else to nan."""
    try:  # floats first, as a check of abstract types takes longer
        return float(value) if isinstance(value, float | Real | np.bool_) else np.nan
    except OverflowError:
        return np.nan
