"""Runs of several systems beside the judgements of their documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from sklearn_ap._inputs.arrays import begins_block, is_missing
from sklearn_ap._inputs.options import check_count
from sklearn_ap._results.named_scores import NamedScores
from sklearn_ap._results.text import counts_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Name
from sklearn_ap.metrics import precision_at_k_score
from sklearn_ap.retrieval._documents import DocumentRows, Names, check_level, source_of_dict


class RowPairs(NamedTuple):
    """The query and the document of each row, as codes of names."""

    pairs: Index  # query * n_documents + document, in order
    document_names: Array  # by code; the last one stands where a query has no document

    @property
    def query(self) -> Index:
        """The code of the query of each row, in order."""
        return self.pairs // self.document_names.size

    @property
    def document(self) -> Index:
        """The code of the document of each row."""
        return self.pairs % self.document_names.size

    @property
    def has_document(self) -> Bool:
        """Whether the row is a document, and not a query that has none."""
        return self.document < self.document_names.size - 1


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
        The name of the query; of sparse matrices, the number of the row. Rows of a query stand
        together.
    query_names : tuple
        The distinct names, sorted, as ``average=None`` gives the queries.
    is_judged : ndarray of shape (n_rows,)
        Whether the document has a label.
    relevance_level : float
        The lowest label of a relevant document.

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
    apples        d9    True       True  -inf      2
    apples        d7   False      False     2   -inf
    geese         d5    True       True     2      1
    geese         d6   False      False     1      2
    >>> average_precision_score(**judged["dense"])  # MAP
    0.75
    >>> average_precision_score(**judged["dense"], average=None)  # of each query
    array([1. , 0.5])
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
    query_names: tuple[Name, ...]
    is_judged: Bool
    relevance_level: float
    _source: RowPairs

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.y_scores)

    @property
    def documents(self) -> Array:
        """The name of the document of each row; of sparse matrices, the number of the column.

        It is "", or -1, where neither the judgements nor the runs have a document of a query.
        """
        return np.asarray(self._source.document_names[self._source.document])

    def judged_at(self, k: int) -> dict[str, float]:
        """Compute the share of judged documents among the first k of each system (judged@k).

        Documents without a label count as not relevant, so of two systems with unlike shares, the
        one with the lower share may be better than its score. If judgements name relevant documents
        only, the share is the precision at k, and does not show which system was favoured.

        Parameters
        ----------
        k : int
            How many documents of each query. A query with fewer is divided by their number.

        Returns
        -------
        dict of str to float
            The mean over the queries for which the system retrieved any document; nan if there are
            none. Tied documents share their places. It is 1 if ``unjudged="left out"`` left out all
            others.

        Examples
        --------
        >>> from sklearn_ap import retrieval
        >>> runs = {"bm25": {"apples": ["d2", "d9"]}, "dense": {"apples": ["d9", "d7"]}}
        >>> retrieval.from_dicts({"apples": {"d2": 1, "d9": 0}}, runs).judged_at(2)
        {'bm25': 1.0, 'dense': 0.5}
        """
        k = check_count("k", k)
        query = self._source.query
        shares = {}
        for name, scores in self.y_scores.items():
            precision = precision_at_k_score(
                self.is_judged, scores, k=k, average=None, queries=query, zero_division=0.0
            )
            n_retrieved = np.bincount(query[scores > -np.inf], minlength=len(self.query_names))
            has_any = n_retrieved > 0
            query_shares = precision[has_any] * (k / np.minimum(n_retrieved[has_any], k))
            shares[name] = float(query_shares.mean()) if has_any.any() else np.nan
        return shares

    def fill(
        self,
        grades: Mapping[Name, Mapping[Name, float]],
        *,
        relevance_level: float | None = None,
    ) -> Self:
        """Take the grades of a judge, such as a language model, where people gave none.

        Where people graded a document, or a judge that filled the runs before, that grade counts.
        Nothing is known of the mistakes that the judge makes elsewhere: comparisons are as good as
        the judge, and their intervals lack its mistakes.

        Parameters
        ----------
        grades : mapping
            The grades of the judge, ``{query: {document: grade}}``, None or nan where there is
            none. A document that neither people nor the judge graded stays without a label.
        relevance_level : float, default=None
            The lowest grade of the judge that means relevant; None takes that of the runs. Pass it
            if the judge has other grades, such as 0.5 for probabilities.

        Returns
        -------
        JudgedRuns
            With all labels in ``y_true``.

        Examples
        --------
        >>> from sklearn_ap import retrieval
        >>> qrels, runs = {"apples": {"d2": 1}}, {"bm25": {"apples": ["d7", "d2"]}}
        >>> judged = retrieval.from_dicts(qrels, runs)
        >>> judged.fill({"apples": {"d2": 0, "d7": 1}}).y_true
        array([ True,  True])
        """
        judge = _read_grades(grades)
        grade, rows = judge.values, self._find_rows(judge)
        level = self._level_of_judge(grade, relevance_level)
        is_new = (rows >= 0) & ~self.is_judged[rows]
        if not is_new.any() and not self.is_judged.all():
            unjudged_row = int(self.is_judged.argmin())
            raise ValueError(
                f"grades fill nothing: {np.count_nonzero(rows >= 0):,} of {rows.size:,} are of "
                f"documents of the runs, and all of these have a label. The runs have "
                f"{self.documents[unjudged_row]!r} of query {self.queries[unjudged_row]!r} without "
                f"one. Are names written alike?"
            )
        y_true, is_judged = self.y_true.copy(), self.is_judged.copy()
        y_true[rows[is_new]] = grade[is_new] >= level
        is_judged[rows[is_new]] = True
        return replace(self, y_true=y_true, is_judged=is_judged)

    def _find_rows(self, judge: DocumentRows) -> Index:
        """Find the row of each query and document, -1 where there is none."""
        *document_names, _ = self._source.document_names
        query = _codes_of(judge.queries, self.query_names)
        document = _codes_of(judge.documents, document_names)
        pairs = query * self._source.document_names.size + document
        rows = np.searchsorted(self._source.pairs, pairs).clip(max=self._source.pairs.size - 1)
        is_found = (query >= 0) & (document >= 0) & (self._source.pairs[rows] == pairs)
        return np.where(is_found, rows, -1)

    def _level_of_judge(self, grades: Float, level: float | None) -> float:
        """Return the lowest grade that means relevant; refuse one that no grade reaches."""
        lowest = self.relevance_level if level is None else check_level(level)
        highest = grades.max(initial=0.0)
        are_shares = highest <= 1 and bool(np.any((grades > 0) & (grades < 1)))
        if 0 < highest < lowest or (are_shares and level is None):
            remedy = 0.5 if are_shares else highest
            raise ValueError(
                f"relevance_level is {lowest:g}, and grades "
                f"{'lie between 0 and 1' if are_shares else f'are at most {highest:g}'}: pass the "
                f"lowest grade that means relevant, such as relevance_level={remedy:g}."
            )
        return lowest

    def _heading(self) -> str:
        numbers = counts_as_text(
            system=len(self.systems), query=len(self.query_names), document=self.y_true.size
        )
        return f"JudgedRuns: {numbers}, {np.count_nonzero(self.y_true):,} relevant"


def _codes_of(names: Names, known: Sequence[Name]) -> Index:
    """Return the place of each name among those that are known, -1 if it is none of them."""
    code = {str(name): place for place, name in enumerate(known)}
    return np.array([code.get(str(name), -1) for name in names], np.intp)


def _read_grades(grades: Argument) -> DocumentRows:
    """Read the grades of a judge, without missing ones."""
    if not isinstance(grades, Mapping) or not all(
        isinstance(query_grades, Mapping) for query_grades in grades.values()
    ):
        raise TypeError(
            f"grades must be a dict, {{query: {{document: grade}}}}, got {grades!r:.80}."
        )
    given = {
        query: {name: grade for name, grade in query_grades.items() if not is_missing(grade)}
        for query, query_grades in grades.items()
    }
    return source_of_dict("grades", {query: each for query, each in given.items() if each}, level=0)


def break_ties(judged: JudgedRuns) -> JudgedRuns:
    """Break ties as trec_eval does: of equal scores in float32, the last name comes first."""
    query, document = judged._source.query, judged._source.document
    y_scores = {}
    for name, scores in judged.y_scores.items():
        found = (scores > -np.inf).nonzero()[0]
        with np.errstate(over="ignore"):
            rounded = scores[found].astype(np.float32)
        ranked = rounded.argsort(kind="stable")  # tied rows of a query stand together
        order = found[ranked]
        is_first = begins_block(rounded[ranked]) | begins_block(query[order])
        is_tied = ~is_first
        is_tied[:-1] |= ~is_first[1:]
        tied = order[is_tied]
        block = is_first.cumsum()[is_tied]
        name_rank = _ranks_of_names(judged._source.document_names, document[tied])
        # One sort of integers, by block and then by name, is faster than a sort for each.
        order[is_tied] = tied[(block * judged._source.document_names.size + name_rank).argsort()]
        y_scores[name] = np.full(scores.size, -np.inf)
        y_scores[name][order] = np.arange(order.size)
    return replace(judged, y_scores=y_scores)


def _ranks_of_names(names: Array, codes: Index) -> Index:
    """Rank the names of codes, which are distinct, by their letters."""
    is_used = np.zeros(names.size, bool)
    is_used[codes] = True
    used = sorted(is_used.nonzero()[0].tolist(), key=names.tolist().__getitem__)
    rank = np.empty(names.size, np.intp)
    rank[used] = np.arange(len(used))
    return rank[codes]
