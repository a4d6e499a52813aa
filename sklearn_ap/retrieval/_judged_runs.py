"""Runs of several systems beside the judgements of their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from os import PathLike
from typing import Self

import numpy as np

from sklearn_ap._inputs.named_scores import NamedScores
from sklearn_ap._inputs.names import encode_names, list_names
from sklearn_ap._inputs.options import check_count, check_real_number
from sklearn_ap._results.text import count_as_text, counts_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Name
from sklearn_ap.metrics import precision_at_k_score
from sklearn_ap.retrieval._documents import read_grades, warn_of_queries


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedRuns(NamedScores):
    """The documents that systems retrieved, or that were judged, with the score of each system.

    It is a mapping of arguments: ``compare_average_precision(**judged)`` compares all systems, and
    ``average_precision_score(**judged["bm25"])`` scores one. There is a row for each document of a
    query. A document that a system did not retrieve has the score minus infinity there.

    Parameters
    ----------
    y_true : ndarray of shape (n_rows,)
        Whether the document is relevant.
    y_scores : dict of str to ndarray of shape (n_rows,)
        The scores of each system.
    queries : ndarray of shape (n_rows,)
        The name of the query; of sparse matrices, the number of the row. Readers and ``fill`` sort
        rows by query, then by document.
    documents : ndarray of shape (n_rows,)
        The name of the document; of sparse matrices, the number of the column. It is "", or -1, in
        the row of a query of which neither the judgements nor the runs have a document.
    is_judged : ndarray of shape (n_rows,)
        Whether the document has a label.
    relevance_level : float
        The lowest label of a relevant document.
    notes : dict of str to int, default={}
        How many documents without a label are "left_out" or were "filled" by a judge, how many
        the first judge and people "compared", and on how many of these they "agreed".

    See Also
    --------
    from_trec : Makes them from TREC's files.
    from_tables : Makes them from tables and other files.
    from_dicts : Makes them from dicts, and from ranked lists.
    from_sparse : Makes them from sparse matrices of users and items.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> qrels = {"apples": {"d2": 1, "d9": 1}, "geese": {"d5": 1}}
    >>> runs = {
    ...     "bm25": {"apples": ["d7", "d2"], "geese": ["d5", "d6"]},
    ...     "dense": {"apples": ["d9", "d2"], "geese": ["d6", "d5"]},
    ... }
    >>> judged = retrieval.from_dicts(qrels, runs)
    >>> judged
    JudgedRuns: 2 systems, 2 queries, 5 documents, 3 relevant
    query   document  y_true  is_judged  bm25  dense
    apples        d2    True       True     1      1
    apples        d7   False      False     2   -inf
    apples        d9    True       True  -inf      2
    geese         d5    True       True     2      1
    geese         d6   False      False     1      2
    >>> average_precision_score(**judged["dense"])  # MAP
    0.75
    """

    _model = "system"
    _arguments = ("y_true", "y_scores", "queries")
    _row_columns = {  # noqa: RUF012
        "query": "queries",
        "document": "documents",
        "y_true": "y_true",
        "is_judged": "is_judged",
    }

    y_true: Bool
    y_scores: dict[str, Float]
    queries: Array
    documents: Array
    is_judged: Bool
    relevance_level: float
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def query_names(self) -> tuple[Name, ...]:
        """The distinct names, sorted, as ``average=None`` gives the queries."""
        return tuple(list_names(encode_names(self.queries, "queries")[1]))

    def judged_at(self, k: int = 10) -> dict[str, float]:
        """Compute the share of judged documents among the first k of each system.

        Without ties, it is ``Judged@k`` of ir_measures, which counts 0 for a query without any
        document of the system. Documents without a label count as not
        relevant, so a system with a lower share may be better than its score. If judgements name
        relevant documents only, the share is the precision at k, and shows no such thing.

        Parameters
        ----------
        k : int, default=10
            How many documents of each query. A query with fewer is divided by their number.

        Returns
        -------
        dict of str to float
            The mean over the queries for which the system retrieved any document; nan if there are
            none. Tied documents share their places.

        Examples
        --------
        >>> from sklearn_ap import retrieval
        >>> runs = {"bm25": {"apples": ["d2", "d9"]}, "dense": {"apples": ["d9", "d7"]}}
        >>> retrieval.from_dicts({"apples": {"d2": 1, "d9": 1}}, runs).judged_at(2)
        {'bm25': 1.0, 'dense': 0.5}
        """
        k = check_count("k", k)
        query, _ = encode_names(self.queries, "queries")
        shares = {}
        for name, scores in self.y_scores.items():
            precision = precision_at_k_score(
                self.is_judged, scores, k=k, average=None, queries=query, zero_division=0.0
            )
            n_retrieved = np.bincount(query, scores > -np.inf)
            has_any = n_retrieved > 0
            query_shares = precision[has_any] * (k / np.minimum(n_retrieved[has_any], k))
            shares[name] = float(query_shares.mean()) if has_any.any() else np.nan
        return shares

    def fill(
        self,
        grades: Mapping[Name, Mapping[Name, float]] | str | PathLike[str],
        *,
        relevance_level: float | None = None,
    ) -> Self:
        """Take the grades of a judge, such as a language model, where people gave none.

        Where people graded a document, or a judge that filled the runs before, that grade counts.
        Documents that only the judge knows get rows beside those that it fills: relevant ones were
        missed. Comparisons are as good as the judge: their intervals lack its mistakes.

        Parameters
        ----------
        grades : mapping or path
            The grades of the judge, ``{query: {document: grade}}``, None or nan where there is
            none, or a file of judgements as ``from_trec`` reads it. A document that neither people
            nor the judge graded stays without a label. A query that the runs lack is left out, with
            a warning: to count it, make the runs with an empty judgement of it, ``{query: {}}``.
        relevance_level : float, default=None
            The lowest grade of the judge that means relevant; None takes that of the runs. Pass it
            if the judge has other grades, such as 0.5 for probabilities.

        Returns
        -------
        JudgedRuns
            With all labels in ``y_true``. Printed, they say how often people and the first judge
            agree.

        Examples
        --------
        >>> from sklearn_ap import retrieval
        >>> qrels, runs = {"apples": {"d2": 1}}, {"bm25": {"apples": ["d7", "d2"]}}
        >>> judged = retrieval.from_dicts(qrels, runs)
        >>> judged.fill({"apples": {"d2": 0, "d7": 1}}).y_true
        array([ True,  True])
        """
        if self.notes.get("left_out"):
            raise ValueError(
                "grades cannot fill runs whose unjudged documents were left out. Make the runs "
                "with unjudged='negative'."
            )
        level = self.relevance_level if relevance_level is None else check_level(relevance_level)
        grade_of_cell = read_grades(grades)
        if 0 < (highest := max(grade_of_cell.values(), default=0.0)) < level:
            raise ValueError(
                f"relevance_level is {level:g}, and grades are at most {highest:g}: pass the "
                f"lowest grade that means relevant."
            )
        cells = self._cells()
        unlabelled = [cells[row] for row in (~self.is_judged).nonzero()[0]]
        if unlabelled and grade_of_cell.keys().isdisjoint(unlabelled):
            query, document = unlabelled[0]
            raise ValueError(
                f"grades fill nothing: none is of a document without a label, as {document!r} of "
                f"query {query!r} is. Are names written alike?"
            )
        row_of_query = {query: row for row, (query, _) in enumerate(cells)}
        unknown = {query for query, _ in grade_of_cell} - row_of_query.keys()
        warn_of_queries(unknown, "not in the runs: left out")
        missed = [
            (row_of_query[query], document)
            for query, document in grade_of_cell.keys() - {*cells}
            if query not in unknown
        ]
        return self._add_documents(missed)._take_grades(grade_of_cell, level)

    def _cells(self) -> list[tuple[str, str]]:
        """Return the query and the document of each row as text."""
        return [*zip(map(str, self.queries), map(str, self.documents), strict=True)]

    def _add_documents(self, documents: list[tuple[int, str]]) -> Self:
        """Add documents without labels, each beside a row of its query, and sort the rows."""
        names = [name for _, name in documents]
        texts = [name for name in names if not name.isdecimal() or name != str(int(name))]
        if texts and self.documents.dtype.kind in "iu":
            raise ValueError(
                f"grades must number the columns of the sparse matrices, got {min(texts)!r}."
            )
        rows = np.array([row for row, _ in documents], np.intp)
        # The type, but not the length of texts, which would cut longer names.
        new_documents = np.array(names, object).astype(self.documents.dtype.type)
        queries = np.append(self.queries, self.queries[rows])
        all_documents = np.append(self.documents, new_documents)
        order = np.lexsort((all_documents, encode_names(queries, "queries")[0]))
        has_none = np.zeros(rows.size, bool)
        return replace(
            self,
            y_true=np.append(self.y_true, has_none)[order],
            y_scores={
                name: np.append(scores, np.full(rows.size, -np.inf))[order]
                for name, scores in self.y_scores.items()
            },
            queries=queries[order],
            documents=all_documents[order],
            is_judged=np.append(self.is_judged, has_none)[order],
        )

    def _take_grades(self, grade_of_cell: Mapping[tuple[str, str], float], level: float) -> Self:
        """Take grades where a row has no label, and note how often judge and people agree."""
        grades = np.array([grade_of_cell.get(cell, np.nan) for cell in self._cells()])
        is_graded, is_relevant = ~np.isnan(grades), grades >= level
        is_filled, is_compared = is_graded & ~self.is_judged, is_graded & self.is_judged
        n_filled_before = self.notes.get("filled", 0)
        notes = {"filled": n_filled_before + int(is_filled.sum())}
        if not n_filled_before:  # then all labels are those of people
            notes["compared"] = int(is_compared.sum())
            notes["agreed"] = int((is_compared & (is_relevant == self.y_true)).sum())
        return replace(
            self,
            y_true=np.where(is_filled, is_relevant, self.y_true),
            is_judged=self.is_judged | is_filled,
            notes={**self.notes, **notes},
        )

    @property
    def heading(self) -> str:
        numbers = counts_as_text(
            system=len(self.y_scores), query=len(self.query_names), document=self.y_true.size
        )
        parts = [f"JudgedRuns: {numbers}, {np.count_nonzero(self.y_true):,} relevant"]
        if n_left_out := self.notes.get("left_out"):
            parts.append(f"{count_as_text(n_left_out, 'unjudged document')} left out")
        if n_filled := self.notes.get("filled"):
            parts.append(f"{count_as_text(n_filled, 'label')} of a judge")
        if n_compared := self.notes.get("compared"):
            agreed = f"{self.notes['agreed']:,} of {n_compared:,} documents"
            parts.append(f"judge and people agree on {agreed}")
        return "; ".join(parts)


def check_level(relevance_level: Argument) -> float:
    """Check the lowest label that means relevant."""
    level = check_real_number("relevance_level", relevance_level)
    if not isfinite(level):
        raise ValueError(f"relevance_level must be a finite number, got {relevance_level!r:.80}.")
    return level
