"""One row for each document of a query, with its label and the scores of all runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import EllipsisType
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._errors import InputError
from sklearn_ap._types import Array, Bool, Float, Index, Name, Ordered
from sklearn_ap._writing.text import printable
from sklearn_ap.retrieval._judged_runs import JudgedRuns
from sklearn_ap.retrieval._sources import DocumentRows


class PeopleLabels(NamedTuple):
    """The labels of people, who graded some queries."""

    labels: Float  # of each document; nan where nobody graded it
    are_graded: Bool  # of each query


@dataclass(frozen=True, slots=True, eq=False)
class DocumentTable:
    """The documents that have a label or a score, sorted by query, then by document."""

    query_names: Array
    document_names: Array
    no_document: str | int  # the name in the row of a query that has no document
    queries: Index  # of query_names
    documents: Index  # of document_names
    labels: Float  # nan where nobody judged the document
    scores: dict[str, Float]  # by run; minus infinity where it did not retrieve the document
    people: PeopleLabels | None = None  # beside those of a judge

    @property
    def is_judged(self) -> Bool:
        """Whether each document has a label."""
        return ~np.isnan(self.labels)

    def judge(self, relevance_level: float, rows: Bool | EllipsisType = ...) -> JudgedRuns:
        """Say which documents are relevant, and give queries without documents a row."""
        empty = np.setdiff1d(np.arange(self.query_names.size), self.queries[rows])
        places = self.queries[rows].searchsorted(empty)

        def fill(values: Array, filler: ArrayLike) -> Array:
            return np.insert(values[rows], places, filler)

        is_relevant = fill(self.labels >= relevance_level, False)
        y_true, judge = is_relevant, None
        if self.people is not None:
            known = np.where(self.people.are_graded, 0.0, np.nan)  # of each query
            labels = np.where(self.people.labels >= relevance_level, 1.0, known[self.queries])
            y_true, judge = fill(labels, known[empty]), is_relevant
        return JudgedRuns(
            y_true=y_true,
            judge=judge,
            y_scores={run: fill(scores, -np.inf) for run, scores in self.scores.items()},
            queries=self.query_names[fill(self.queries, empty)],
            documents=fill(self.document_names[self.documents], self.no_document),
            is_judged=fill(self.is_judged, False),
        )


def tabulate(
    qrels: DocumentRows,
    runs: Sequence[DocumentRows],
    queries: Iterable[Ordered],
    no_document: str | int = "",
    people: DocumentRows | None = None,
) -> DocumentTable:
    """Put the label and the scores of each document of some queries into one row.

    Names are of the type of ``no_document``: texts, or numbers.
    """
    graders = [qrels] if people is None else [qrels, people]
    for labels in graders:
        labels.refuse(np.isinf(labels.values))
    sources = [*graders, *runs]
    query_ranks = _rank(queries)
    document_ranks = _rank({*chain.from_iterable(source.documents.names for source in sources)})
    cells, values = zip(
        *(_read_cells(source, query_ranks, document_ranks) for source in sources), strict=True
    )
    source = np.repeat(np.arange(len(sources)), [part.size for part in cells])
    distinct, row = np.unique(np.concatenate(cells), return_inverse=True)
    columns = np.full((len(sources), distinct.size), -np.inf)
    columns[: len(graders)] = np.nan
    columns[source, row] = np.concatenate(values)
    name_type = object if isinstance(no_document, str) else np.intp
    row_queries, row_documents = np.divmod(distinct, len(document_ranks))
    table = DocumentTable(
        query_names=np.array([*query_ranks], name_type),
        document_names=np.array([*document_ranks], name_type),
        no_document=no_document,
        queries=row_queries,
        documents=row_documents,
        labels=columns[0],
        scores={
            run.name: scores for run, scores in zip(runs, columns[len(graders) :], strict=True)
        },
    )
    if people is None:
        return table
    are_graded = np.isin(table.query_names, [*people.queries.names])
    labels_of_people = PeopleLabels(columns[1], are_graded)
    _refuse_holes(table, labels_of_people)
    return replace(table, people=labels_of_people)


def _refuse_holes(table: DocumentTable, people: PeopleLabels) -> None:
    """Refuse queries that people graded in part, as they stand for the others."""
    holes = people.are_graded[table.queries] & np.isnan(people.labels)
    if holes.any():
        first = holes.argmax()
        query = table.query_names[table.queries[first]]
        document = table.document_names[table.documents[first]]
        raise InputError(
            f"qrels: query {query!r} has no label of document {document!r}, which a run or the "
            f"judge has. Beside a judge, people grade all documents of a query: add it, with 0 if "
            f"it is not relevant, or leave out the query."
        )


def _rank(names: Iterable[Ordered]) -> dict[Name, int]:
    """Return the sorted names, each with its rank."""
    return {name: rank for rank, name in enumerate(sorted(names))}


def _read_cells(
    source: DocumentRows, query_ranks: Mapping[Name, int], document_ranks: Mapping[Name, int]
) -> tuple[Index, Float]:
    """Return query * n_documents + document of each row, and its value; refuse equal cells.

    Rows of other queries are left out.
    """
    n_documents = len(document_ranks)
    query = source.queries.look_up(query_ranks)
    cells = query * n_documents + source.documents.look_up(document_ranks)
    cells, values = cells[query >= 0], source.values[query >= 0]
    ordered = np.sort(cells)
    is_repeated = ordered[1:] == ordered[:-1]
    if is_repeated.any():
        query_rank, document_rank = divmod(ordered[is_repeated.argmax()], n_documents)
        raise InputError(
            f"{printable(source.name)}: document {[*document_ranks][document_rank]!r} of query "
            f"{[*query_ranks][query_rank]!r} is there twice. Keep one, such as the best of the "
            f"chunks of a document."
        )
    return cells, values
