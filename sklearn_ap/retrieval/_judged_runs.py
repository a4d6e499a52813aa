"""Runs of several systems beside the judgements of their documents, read from files or tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._base.files.arrow_columns import join_texts
from sklearn_ap._base.files.cells import CodedNames
from sklearn_ap._base.files.columns import Texts
from sklearn_ap._base.files.reader import EXTENSIONS, PACKED_EXTENSIONS, refuse_same_files
from sklearn_ap._base.files.trec import QRELS, RUN
from sklearn_ap._counts.sums import order_by_ranking
from sklearn_ap._extras import printable, warn
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.arrays import begins_block
from sklearn_ap._inputs.options import check_choice, check_k
from sklearn_ap._results.text import (
    PrintedArrays,
    count_as_text,
    counts_as_text,
    names_as_text,
    score_as_text,
)
from sklearn_ap._types import (
    Argument,
    Array,
    Bool,
    Float,
    Index,
    Keywords,
    Name,
    RowData,
)
from sklearn_ap.metrics import precision_at_k_score
from sklearn_ap.retrieval._columns import Columns, RowText, read_table, read_trec
from sklearn_ap.retrieval._grades import (
    grades_of_rows,
    level_of_judge,
    refuse_known_grades,
)

Unjudged = Literal["negative", "left out"]
Ties = Literal["shared", "trec_eval"]

RUN_EXTENSIONS = (".run", ".trec", ".txt", ".res", ".out", *EXTENSIONS)
NO_DOCUMENT = "\0"  # the document of a query that has none: no other may hold NUL
USUAL_K = 10  # at which runs are compared most often
# Shares of judged documents that differ by more make scores of two systems unlike. Of fewer
# queries, they differ by chance. Both are choices.
UNLIKE_SHARES, FEW_QUERIES = 0.1, 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedRuns(PrintedArrays):
    """The documents that systems retrieved, or that were judged, with the score of each system.

    There is a row for each document of a query. A document that a system did not retrieve has the
    score minus infinity there. Rows of a query stand together. Those that any system ties stand in
    the order of their names, so that ``compat`` breaks ties as trec_eval does.

    Parameters
    ----------
    y_true : ndarray of shape (n_rows,)
        Whether the document is relevant.
    y_scores : dict of str to ndarray of shape (n_rows,)
        The scores of each system.
    queries : ndarray of shape (n_rows,)
        The name of the query; of sparse tables, the number of the row.
    query_names : tuple
        The distinct names, sorted, as ``average=None`` gives the queries.
    is_judged : ndarray of shape (n_rows,)
        Whether the document has a label.
    document_codes : ndarray of shape (n_rows,)
        The number of the document; of sparse tables, that of the column.
    document_names : ndarray or None
        The distinct names, by number; None if documents have none.
    relevance_level : float, default=1
        The lowest label of a relevant document, as the runs were read.
    unfiltered : JudgedRuns or None, default=None
        The same runs with the documents that ``unjudged="left out"`` leaves out; None if none are.

    See Also
    --------
    from_trec : Makes them from TREC's files.
    from_tables : Makes them from tables and other files.
    from_dicts : Makes them from dicts, and from ranked lists.
    from_sparse : Makes them from sparse tables of users and items.
    """

    y_true: Bool
    y_scores: dict[str, Float]
    queries: Array
    query_names: tuple[Name, ...]
    is_judged: Bool
    document_codes: Index
    document_names: Array | None
    relevance_level: float = 1
    unfiltered: JudgedRuns | None = None

    @property
    def documents(self) -> Array:
        """The name of the document of each row; of sparse tables, the number of the column.

        It is "" where neither the judgements nor the runs have a document of a query.
        """
        if self.document_names is None:
            return self.document_codes
        is_missing = self.document_names == np.array(NO_DOCUMENT, dtype=object)
        names = np.where(is_missing, "", self.document_names)
        return np.asarray(names[self.document_codes])

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.y_scores)

    def __getitem__(self, system: str) -> Keywords:
        """Return the arguments of a score or an interval, of the system of this name."""
        scores = self.y_scores.get(str(system))
        if scores is None:
            raise KeyError(f"No system is named {system!r}. There are {[*self.systems]}.")
        return {"y_true": self.y_true, "y_score": scores, "queries": self.queries}

    def fill(
        self,
        grades: Mapping[Name, Mapping[Name, float]] | ArrayLike,
        *,
        relevance_level: float | None = None,
    ) -> Self:
        """Take the grades of a judge, such as a language model, where people gave none.

        Where people graded a document, or a judge that filled the runs before, that grade counts.
        Nothing is known of the mistakes that the judge makes elsewhere: comparisons are as good as
        the judge, and their intervals lack its mistakes.

        Parameters
        ----------
        grades : mapping or array-like of shape (n_rows,)
            The grades of the judge, ``{query: {document: grade}}``, or one for each row, nan where
            there is none. A document that neither people nor the judge graded stays without a
            label. Grades that fill nothing are refused.
        relevance_level : float, default=None
            The lowest grade of the judge that means relevant; None takes that of the runs. Pass it
            if the judge has other grades, such as 0.5 for probabilities.

        Returns
        -------
        JudgedRuns
            With all labels in ``y_true``.

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
        apples        d7   False      False     2   -inf
        apples        d9    True       True  -inf      2
        apples        d2    True       True     1      1
        geese         d6   False      False     1      2
        geese         d5    True       True     2      1
        >>> average_precision_score(**judged["dense"])  # MAP
        0.75
        >>> average_precision_score(**judged["dense"], average=None)  # of each query
        array([1. , 0.5])
        """
        if relevance_level is not None:
            check_level(relevance_level)
        if self.unfiltered is not None:
            raise ValueError("No row lacks a label. Read the runs without unjudged='left out'.")
        judge_grades = grades_of_rows(grades, self.queries, self.documents)
        level = level_of_judge(judge_grades, relevance_level, self.relevance_level)
        is_relevant = judge_grades >= level
        refuse_known_grades(~np.isnan(judge_grades), self.is_judged)
        is_by_judge = ~self.is_judged & ~np.isnan(judge_grades)
        return replace(
            self,
            y_true=np.where(is_by_judge, is_relevant, self.y_true),
            is_judged=self.is_judged | is_by_judge,
        )

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
            none. Tied documents share their places. Documents that ``unjudged="left out"`` leaves
            out of the rows are counted.

        Examples
        --------
        >>> from sklearn_ap import retrieval
        >>> runs = {"bm25": {"apples": ["d2", "d9"]}, "dense": {"apples": ["d9", "d7"]}}
        >>> retrieval.from_dicts({"apples": {"d2": 1, "d9": 0}}, runs).judged_at(2)
        {'bm25': 1.0, 'dense': 0.5}
        """
        k = check_k(k)
        runs = self if self.unfiltered is None else self.unfiltered
        query = np.cumsum(begins_block(runs.queries)) - 1
        shares = {}
        for name, scores in runs.y_scores.items():
            precision = precision_at_k_score(
                runs.is_judged, scores, k=k, average=None, queries=query, zero_division=0.0
            )
            n_retrieved = np.bincount(query[scores > -np.inf], minlength=query[-1] + 1)
            has_any = n_retrieved > 0
            query_shares = precision[has_any] * (k / np.minimum(n_retrieved[has_any], k))
            shares[name] = float(query_shares.mean()) if has_any.any() else np.nan
        return shares

    def _columns(self) -> dict[str, Array]:
        columns = {
            "query": self.queries,
            "document": self.documents,
            "y_true": self.y_true,
            "is_judged": self.is_judged,
        }
        return columns | {str(name): scores for name, scores in self.y_scores.items()}

    def _heading(self) -> str:
        numbers = counts_as_text(
            system=len(self.systems), query=len(self.query_names), document=self.y_true.size
        )
        return f"JudgedRuns: {numbers}, {np.count_nonzero(self.y_true):,} relevant"


def from_trec(
    qrels: str | os.PathLike[str],
    *runs: str | os.PathLike[str],
    relevance_level: float = 1,
    unjudged: Unjudged = "negative",
    complete: bool = False,
    ties: Ties = "shared",
) -> JudgedRuns:
    r"""Read judgements and runs from TREC's files.

    A line of judgements holds query, iteration, document and label; a line of a run holds query,
    "Q0", document, rank, score and the name of the run. Spaces or tabs stand between them. Files
    may be compressed (.gz, .bz2, .xz, .zst). As in trec_eval, the score ranks, and the rank is not
    read; lines that begin with "#" are comments; and a line of a run may hold more after the name.

    Parameters
    ----------
    qrels : path
        The judgements.
    *runs : paths
        The runs. Each is called after its file, without ``.run``, ``.txt`` and the like.
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

    Warns
    -----
    UserWarning
        If queries of a run have no judgements, which leaves them out; if queries are in no run; if
        a run lacks queries that another one has, where it scores 0, and trec_eval leaves them out
        of the mean of that run unless told ``-c``; or if no document of a run is judged, as names
        may be written in two ways. If, over 10 queries or more, the shares of judged documents
        among the first 10 differ by more than 0.1 between systems.

    See Also
    --------
    from_tables : The same for tables, JSON lines, CSV and Parquet.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> qrels, run = Path(mkdtemp(), "qrels.txt"), Path(mkdtemp(), "bm25.run")
    >>> _ = qrels.write_text("apples 0 d2 1\napples 0 d9 1\ngeese 0 d5 1")
    >>> _ = run.write_text("apples Q0 d2 1 7 bm25\ngeese Q0 d5 1 9 bm25\ngeese Q0 d6 2 8 bm25")
    >>> judged = retrieval.from_trec(qrels, run)
    >>> average_precision_score(**judged["bm25"])  # MAP
    0.75
    >>> average_precision_score(**judged["bm25"], average=None)  # of each query
    array([0.5, 1. ])
    """
    for path in (qrels, *runs):
        if not isinstance(path, str | os.PathLike):
            raise TypeError(
                f"qrels and runs must be paths, one after the other: from_trec(qrels, *runs), got "
                f"{type(path).__name__}. For tables use from_tables."
            )
    paths = [os.fspath(path) for path in runs]
    stems = [_stem(path) for path in paths]
    names = stems if len(set(stems)) == len(stems) else paths
    refuse_equal_names(names)
    refuse_same_files(paths)
    labels = read_trec(os.fspath(qrels), QRELS)
    scores = {name: read_trec(path, RUN) for name, path in zip(names, paths, strict=True)}
    return judge_runs(labels, scores, relevance_level, unjudged, complete, ties)


def from_tables(
    qrels: str | os.PathLike[str] | RowData,
    runs: Mapping[str, str | os.PathLike[str] | RowData],
    *,
    query: str = "query",
    document: str = "document",
    score: str = "score",
    label: str = "label",
    relevance_level: float = 1,
    unjudged: Unjudged = "negative",
    complete: bool = False,
    ties: Ties = "shared",
) -> JudgedRuns:
    """Read judgements and runs from tables in memory, or from files whose columns have names.

    Parameters
    ----------
    qrels : path or table
        The judgements: a file (CSV, TSV, JSON lines, Parquet or Feather), a folder of files or a
        glob pattern, or a table of pandas, polars, pyarrow or DuckDB.
    runs : mapping of str to path or table
        The runs, by name.
    query : str, default="query"
        The column of queries.
    document : str, default="document"
        The column of documents.
    score : str, default="score"
        The column of scores, in runs.
    label : str, default="label"
        The column of labels, in the judgements.
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
    from_trec : The same for TREC's files.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sklearn_ap import average_precision_score, retrieval
    >>> qrels = pa.table({"query": ["a", "a"], "document": ["x", "y"], "label": [1, 1]})
    >>> run = pa.table({"query": ["a", "a"], "document": ["z", "x"], "score": [0.9, 0.8]})
    >>> judged = retrieval.from_tables(qrels, {"bm25": run})
    >>> average_precision_score(**judged["bm25"])
    0.25
    """
    if not isinstance(runs, Mapping):
        raise TypeError(
            f"runs must map names to paths or tables, as {{'bm25': 'bm25.csv'}}, got "
            f"{type(runs).__name__}. If you have one run, name it: {{'run': run}}."
        )
    refuse_equal_names([*map(str, runs)])
    for argument, name in {"query": query, "document": document, "score": score}.items():
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be the name of one column, got {name!r}.")
    if score.lower() in ("rank", "position"):
        raise ValueError(
            f"score={score!r} would turn the ranking around, as the first rank is the lowest "
            f"number. Name the column of scores, or make one of -{score} and pass its name."
        )
    labels = read_table("qrels", qrels, (query, document, label), judgements=True)
    scores = {
        str(name): read_table(str(name), run, (query, document, score))
        for name, run in runs.items()
    }
    return judge_runs(labels, scores, relevance_level, unjudged, complete, ties)


def _stem(path: str) -> str:
    """Return the name of a file without the extensions of its packing and its format."""
    name = os.path.basename(path)
    for extensions in (PACKED_EXTENSIONS, RUN_EXTENSIONS):
        stem, extension = os.path.splitext(name)
        name = stem if extension.lower() in extensions else name
    return name


def refuse_equal_names(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Each run needs a name of its own: {name!r} is given twice.")


def judge_runs(
    qrels: Columns,
    runs: dict[str, Columns],
    relevance_level: float,
    unjudged: Unjudged,
    complete: bool,
    ties: Ties,
) -> JudgedRuns:
    """Make a row for each document of a query, with its label and the score of each run."""
    _check_options(qrels, runs, relevance_level, unjudged, complete, ties)
    sources = [qrels, *runs.values()]
    names, query_codes = _query_codes(sources)
    is_counted = _counted_queries(qrels.place, names, [*runs], query_codes, complete)
    counted_code = np.cumsum(is_counted) - 1  # the code of a query among those that count
    kept_rows = [is_counted[codes].nonzero()[0] for codes in query_codes]
    pool = Pool.merge(sources, kept_rows, counted_code[np.concatenate(query_codes)])
    judgements, *pooled_runs = map(PooledSource, sources, kept_rows, pool.source_rows)
    n_rows = pool.queries.size
    y_true = np.zeros(n_rows, bool)
    y_true[judgements.pool_rows] = judgements.values >= relevance_level
    is_judged = np.zeros(n_rows, bool)
    is_judged[judgements.pool_rows] = True
    y_scores = {}
    for name, run in zip(runs, pooled_runs, strict=True):
        y_scores[name] = np.full(n_rows, -np.inf)
        y_scores[name][run.pool_rows] = run.values
        if not is_judged[run.pool_rows].any():
            _warn_if_unjudged(name, run, judgements, pool)
    order = pool.sort_ties_by_name(y_scores.values())
    query_names = tuple(name for name, counts in zip(names, is_counted, strict=True) if counts)
    judged = JudgedRuns(
        y_true=y_true[order],
        y_scores={name: scores[order] for name, scores in y_scores.items()},
        queries=np.array(query_names, dtype=object)[pool.queries[order]],
        query_names=query_names,
        is_judged=is_judged[order],
        document_codes=pool.documents[order],
        document_names=np.array(pool.names.to_list(), dtype=object),
        relevance_level=relevance_level,
    )
    judged = break_ties(judged) if ties == "trec_eval" else judged
    if unjudged == "left out":
        return drop_unjudged(judged)
    warn_if_judged_unlike(judged, USUAL_K)
    return judged


def warn_if_judged_unlike(runs: JudgedRuns, k: int) -> None:
    """Warn of systems whose first documents were judged less than those of others.

    Judgements that name relevant documents only do not tell: the share is then the precision.
    """
    is_few = len(runs.systems) < 2 or len(runs.query_names) < FEW_QUERIES
    if is_few or not np.any(runs.is_judged & ~runs.y_true):
        return
    shares = runs.judged_at(k)
    known = [share for share in shares.values() if not np.isnan(share)]
    if max(known, default=0.0) - min(known, default=0.0) > UNLIKE_SHARES:
        listed = names_as_text(
            [f"{printable(name)} {score_as_text(share)}" for name, share in shares.items()]
        )
        warn(
            f"judged@{k}: {listed}. Do not trust differences of scores at {k}: documents that "
            f"nobody judged count as not relevant. Judge those of all systems, or leave out the "
            f"unjudged ones.",
            UserWarning,
        )


def _check_options(
    qrels: Columns,
    runs: dict[str, Columns],
    relevance_level: float,
    unjudged: Unjudged,
    complete: bool,
    ties: Ties,
) -> None:
    if not runs:
        raise ValueError("runs are missing: pass one at least.")
    check_choice("unjudged", unjudged, Unjudged)
    check_choice("ties", ties, Ties)
    if not isinstance(complete, bool | np.bool_):
        raise TypeError(f"complete must be True or False, got {complete!r}.")
    check_level(relevance_level)
    for source in (qrels, *runs.values()):
        if not source.values.size:
            raise DataError(f"{source.place}it holds no rows")


class PooledSource(NamedTuple):
    """The kept rows of the judgements or of a run, and the row of the pool of each of them."""

    columns: Columns
    kept_rows: Index
    pool_rows: Index

    @property
    def values(self) -> Array:
        """The labels or scores of the kept rows."""
        return self.columns.values[self.kept_rows]

    def describe(self, i: int) -> RowText:
        """Describe a kept row in words."""
        return self.columns.describe(self.kept_rows[i])


def _warn_if_unjudged(name: str, run: PooledSource, judgements: PooledSource, pool: Pool) -> None:
    """Warn of a run none of whose documents is judged, unless its queries have no judged document.

    Show one of its documents, and a judged one of the same query.
    """
    run_queries = pool.queries[run.pool_rows]
    # The query of each judgement, but -1 where a query is judged to have no relevant document.
    has_document = judgements.values > -np.inf
    judged_queries = np.where(has_document, pool.queries[judgements.pool_rows], -1)
    is_judged_query = np.isin(run_queries, judged_queries)
    if is_judged_query.any():
        first = int(is_judged_query.argmax())
        judgement = int((judged_queries == run_queries[first]).argmax())
        _warn_of_names(name, run.describe(first), judgements.describe(judgement))


def check_level(relevance_level: Argument) -> None:
    if not isinstance(relevance_level, Real) or not isfinite(relevance_level):
        raise ValueError(f"relevance_level must be a finite number, got {relevance_level!r}.")


def drop_unjudged(judged: JudgedRuns) -> JudgedRuns:
    """Leave out the documents without a label."""
    is_judged = judged.is_judged
    return replace(
        judged,
        y_true=judged.y_true[is_judged],
        y_scores={name: scores[is_judged] for name, scores in judged.y_scores.items()},
        queries=judged.queries[is_judged],
        is_judged=is_judged[is_judged],
        document_codes=judged.document_codes[is_judged],
        unfiltered=judged,
    )


def break_ties(judged: JudgedRuns) -> JudgedRuns:
    """Break ties as trec_eval does: among equal scores, the last name comes first.

    The rows of a query stand in the order of their names wherever a run ties them.
    """
    y_scores = {}
    for name, scores in judged.y_scores.items():
        with np.errstate(over="ignore"):
            order = scores.astype(np.float32).argsort(kind="stable")
        y_scores[name] = np.where(scores == -np.inf, -np.inf, order.argsort())
    return replace(judged, y_scores=y_scores)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The documents of all sources, query by query: a row for each document of a query."""

    queries: Index  # the code of the query
    documents: Index  # the code of the document
    names: Texts  # the names of the documents
    source_rows: list[Index]  # for each source, the row here of each of its kept rows

    @classmethod
    def merge(cls, sources: Sequence[Columns], kept_rows: list[Index], query: Index) -> Self:
        """Pool the kept rows of each source; ``query`` has the query of each row of all sources."""
        sizes = [source.values.size for source in sources]
        starts = np.cumsum(sizes) - sizes
        rows = np.concatenate(
            [source_rows + start for source_rows, start in zip(kept_rows, starts, strict=True)]
        )
        query_order = order_by_ranking(query[rows], int(query.max()) + 1)
        rows = rows[query_order]
        document, names = join_texts(
            [part for source in sources for part in source.documents]
        ).encode()
        # One number for each document of a query.
        pairs = query[rows] * len(names) + document[rows]
        pair_rows, is_last = _find_distinct(pairs)
        queries, documents = np.divmod(pairs[is_last], len(names))
        pool_rows = np.empty(rows.size, np.intp)
        pool_rows[query_order] = pair_rows
        source_rows = np.split(pool_rows, np.cumsum([kept.size for kept in kept_rows])[:-1])
        for source in map(PooledSource, sources, kept_rows, source_rows):
            _refuse_repeated(source, queries.size)
        return cls(queries, documents, names, source_rows)

    def sort_ties_by_name(self, scores: Iterable[Float]) -> Index:
        """Return an order that sorts documents of a query by name if any run ties them.

        As in trec_eval, the scores of a run are rounded to float32, and names sort by their bytes.
        """
        is_tied = np.zeros(self.queries.size, bool)
        _, *run_rows = self.source_rows  # the first source is the judgements
        for rows, score in zip(run_rows, scores, strict=True):
            with np.errstate(over="ignore"):
                rounded = score[rows].astype(np.float32)
            is_tied[rows[_tied_rows(self.queries[rows], rounded)]] = True
        tied = is_tied.nonzero()[0]
        codes, document = np.unique(self.documents[tied], return_inverse=True)
        name_rank = self.names.ranks(codes)[document]
        order = np.arange(is_tied.size)
        order[tied] = tied[np.lexsort((name_rank, self.queries[tied]))]
        return order


def _find_distinct(pairs: Index) -> tuple[Index, Bool]:
    """Return the index of each pair among the distinct ones, and whether it is the last such pair.

    Distinct pairs are in the order of their last ones: [7, 9, 7] -> indices [1, 0, 1], and the
    second and the third are the last ones.
    """
    order = pairs.argsort(kind="stable")
    is_new = begins_block(pairs[order])
    code = np.empty(pairs.size, np.intp)
    code[order] = np.cumsum(is_new) - 1
    # np.roll turns the starts of blocks into their ends; the first start wraps to the last end.
    last = order[np.roll(is_new, -1)]
    is_last = np.zeros(pairs.size, bool)
    is_last[last] = True
    return (np.cumsum(is_last) - 1)[last][code], is_last


def _query_codes(sources: Sequence[Columns]) -> tuple[list[str], list[Index]]:
    """Return the sorted names of all queries, and for each source the code of each row's query."""
    names = sorted({name for source in sources for part in source.queries for name in part.values})
    code = {name: i for i, name in enumerate(names)}

    def part_codes(part: CodedNames) -> Index:
        return np.array([code[name] for name in part.values], np.intp)[part.codes]

    return names, [np.concatenate([*map(part_codes, source.queries)]) for source in sources]


def _counted_queries(
    place: str, names: list[str], runs: list[str], query_codes: list[Index], complete: bool
) -> Bool:
    """Decide which queries count. Warn of queries that do not, and of queries that a run lacks."""
    is_judged, *is_in_run = (np.bincount(codes, minlength=len(names)) > 0 for codes in query_codes)
    is_in_any_run = np.any(is_in_run, axis=0)
    if not (is_judged & is_in_any_run).any():
        raise DataError(
            f"{place}none of its queries is in a run: it has {names[is_judged.argmax()]!r}, and a "
            f"run has {names[is_in_any_run.argmax()]!r}"
        )
    _warn_of_queries(names, is_in_any_run & ~is_judged, "{} without judgements: left out")
    if complete:
        return is_judged
    problem = "{} judged but in no run: left out; complete=True counts 0"
    _warn_of_queries(names, is_judged & ~is_in_any_run, problem)
    for run, is_in_this_run in zip(runs, is_in_run, strict=True):
        problem = f"{{}} not in {printable(run)}, but in another run: 0 there"
        _warn_of_queries(names, is_judged & is_in_any_run & ~is_in_this_run, problem)
    return is_judged & is_in_any_run


def _warn_of_queries(names: list[str], is_concerned: Bool, problem: str) -> None:
    queries = is_concerned.nonzero()[0]
    if queries.size:
        count = count_as_text(queries.size, "query")
        examples = names_as_text([repr(names[i]) for i in queries])
        warn(f"{problem.format(count)} ({examples})", UserWarning)


def _warn_of_names(name: str, *rows: RowText) -> None:
    """Warn of a run without a judged document, and show the names in some rows."""
    examples = "; ".join(f"{row.location}, {row.names}" for row in rows)
    problem = f"no document of {printable(name)} is judged, so it scores 0."
    warn(f"{problem} Are names written alike? {examples}", UserWarning)


def _tied_rows(queries: Index, score: NDArray[np.float32]) -> Index:
    """Find the rows of a run that share their score with another row of the query."""
    # The upper half of a key is the query, the lower one the bits of the score. Adding 0 turns
    # -0.0 into 0.0, as they are equal.
    keys = queries.astype(np.uint64) << 32 | (score + np.float32(0)).view(np.uint32)
    ordered = np.sort(keys)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    return np.isin(keys, repeated).nonzero()[0]


def _refuse_repeated(source: PooledSource, n_pool_rows: int) -> None:
    """Refuse a source that has a document of a query twice."""
    n_rows = np.bincount(source.pool_rows, minlength=n_pool_rows)
    if n_rows.max(initial=0) > 1:
        copies = (source.pool_rows == n_rows.argmax()).nonzero()[0]
        earlier = source.describe(copies[0])
        repeated = source.describe(copies[1])
        earlier_location = earlier.row if earlier.file == repeated.file else earlier.location
        raise DataError(
            f"{repeated.location}, {repeated.names} is there already, in {earlier_location}"
        )
