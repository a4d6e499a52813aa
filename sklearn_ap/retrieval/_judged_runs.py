"""Runs of several systems beside the judgements of their documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._inputs.codes import encode_names, list_names
from sklearn_ap._inputs.options import check_count
from sklearn_ap._inputs.rows_of_models import RowsOfModels
from sklearn_ap._types import Array, Bool, Float, Name
from sklearn_ap._writing.text import count_as_text, counts_as_text
from sklearn_ap._writing.warning import warn
from sklearn_ap.inference.doubts.score_doubts import source_of
from sklearn_ap.metrics import precision_at_k_score


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedRuns(RowsOfModels):
    """The documents that systems retrieved, or that were judged, with the score of each system.

    It is a mapping of arguments: ``compare_average_precision(**judged)`` compares all systems, and
    ``average_precision_score(**judged["bm25"])`` scores one. There is a row for each document of a
    query. A document that a system did not retrieve has the score minus infinity there.

    With a judge, such as a language model, it holds labels of people for some queries, and those of
    the judge for all: ``average_precision_interval(**judged["bm25"])`` corrects the judge.

    Parameters
    ----------
    y_true : ndarray of shape (n_rows,)
        Whether the document is relevant. With a judge, nan in queries that people did not grade.
    y_scores : dict of str to ndarray of shape (n_rows,)
        The scores of each system.
    queries : ndarray of shape (n_rows,)
        The name of the query; of sparse matrices, the number of the row. Readers sort rows by
        query, then by document.
    documents : ndarray of shape (n_rows,)
        The name of the document; of sparse matrices, the number of the column. It is "", or -1, in
        the row of a query of which neither the judgements nor the runs have a document.
    is_judged : ndarray of shape (n_rows,)
        Whether the document has a label, from the judge if there is one.
    judge : ndarray of shape (n_rows,), default=None
        Whether the judge takes the document for relevant.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> qrels = {"apples": {"d2": 1, "d9": 1}, "geese": {"d5": 1}}
    >>> runs = {
    ...     "bm25": {"apples": ["d7", "d2"], "geese": ["d5", "d6"]},
    ...     "dense": {"apples": ["d9", "d2"], "geese": ["d6", "d5"]},
    ... }
    >>> judged = retrieval.from_runs(qrels, runs)
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
    _arguments = ("y_true", "y_scores", "queries", "judge")
    _row_columns = {  # noqa: RUF012
        "query": "queries",
        "document": "documents",
        "y_true": "y_true",
        "is_judged": "is_judged",
        "judge": "judge",
    }

    y_true: Bool | Float
    y_scores: dict[str, Float]
    queries: Array
    documents: Array
    is_judged: Bool
    judge: Bool | None = None

    @property
    def query_names(self) -> tuple[Name, ...]:
        """The distinct names, sorted, as ``average=None`` gives the queries."""
        return tuple(list_names(encode_names("queries", self.queries)[1]))

    def judged_at(self, k: int = 10) -> dict[str, float]:
        """Compute the share of judged documents among the first k of each system.

        Without ties, it is ``Judged@k`` of ir_measures, which counts 0 for a query without any
        document of the system. Documents without a label count as not relevant, so a system with a
        lower share may be better than its score. If judgements name relevant documents only, the
        share is the precision at k, and shows no such thing.

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
        >>> retrieval.from_runs({"apples": {"d2": 1, "d9": 1}}, runs).judged_at(2)
        {'bm25': 1.0, 'dense': 0.5}
        """
        k = check_count("k", k)
        shares_of_all = [source_of(scores).judged_share for scores in self.y_scores.values()]
        if self.is_judged.all() and np.less(shares_of_all, 1).any():
            warn(
                "Unjudged documents were left out, so all that are here are judged. Ask the runs "
                "of from_runs without unjudged='left out'.",
                UserWarning,
            )
        query, _ = encode_names("queries", self.queries)
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

    @property
    def heading(self) -> str:
        numbers = counts_as_text(
            system=len(self.y_scores), query=len(self.query_names), document=self.y_true.size
        )
        if self.judge is None:
            return f"JudgedRuns: {numbers}, {np.count_nonzero(self.y_true):,} relevant"
        n_graded = np.unique(self.queries[~np.isnan(self.y_true)]).size
        n_relevant = np.count_nonzero(self.judge)
        return (
            f"JudgedRuns: {numbers}, {n_relevant:,} relevant by the judge, "
            f"{count_as_text(n_graded, 'query')} graded by people"
        )
