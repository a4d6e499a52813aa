"""Runs of several systems beside the judgements of their documents, read from files or tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.extras import import_extra, printable
from sklearn_ap._base.files import cells
from sklearn_ap._base.files.arrow_columns import joined_texts, read_columns
from sklearn_ap._base.files.cells import Names
from sklearn_ap._base.files.columns import Texts
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.reader import (
    EXTENSIONS,
    PACKED_EXTENSIONS,
    FileReader,
    errors_named,
    find_files,
    refuse_same_files,
)
from sklearn_ap._base.files.trec import QRELS, RUN, columns_read, trec_rows
from sklearn_ap._base.inputs.checks import first_of, warn
from sklearn_ap._base.inputs.option_checks import check_choice, check_ranks
from sklearn_ap._base.text import Arrays, counts_in_words
from sklearn_ap._counts.blocks import begins_block, bring_together
from sklearn_ap._questions.judged import Judged, RunScores

Unjudged = Literal["negative", "left out"]
Ties = Literal["shared", "trec_eval"]

RUN_EXTENSIONS = (".run", ".trec", ".txt", ".res", ".out", *EXTENSIONS)
MOST_QUERIES = 3  # queries that a warning names
NOTHING = "\0"  # the document of a query that has none: no other may hold NUL


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedRuns(Arrays):
    """The documents that systems retrieved, or that were judged, with the score of each system.

    There is a row for each document of a query. A document that a system did not retrieve has the
    score minus infinity there. Rows of a query stand together. Those that any system ties stand in
    the order of their names, so that ``compat`` breaks ties as trec_eval does.

    Parameters
    ----------
    y_true : ndarray of shape (n_rows,)
        Whether the document is relevant.
    y_scores : dict of str to ndarray of shape (n_rows,)
        The scores of each system. It knows what was judged, so that comparisons show judged@k.
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
    query_names: tuple[Any, ...]
    is_judged: Bool
    document_codes: Index
    document_names: Any

    def __post_init__(self) -> None:
        given = self.y_scores
        if not (isinstance(given, RunScores) and given.is_judged is self.is_judged):
            judged = Judged(self.is_judged, self.queries, {**given})
            object.__setattr__(self, "y_scores", RunScores(given, judged))

    @property
    def documents(self) -> Array:
        """The name of the document of each row; of sparse tables, the number of the column.

        It is "" where neither the judgements nor the runs have a document of a query.
        """
        if self.document_names is None:
            return self.document_codes
        is_nothing = self.document_names == np.array(NOTHING, dtype=object)
        names = np.where(is_nothing, "", self.document_names)
        return np.asarray(names[self.document_codes])

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.y_scores)

    def __getitem__(self, system: str) -> dict[str, Any]:
        """The arguments of a score or an interval, of the system of this name."""
        scores = self.y_scores.get(str(system))
        if scores is None:
            raise KeyError(f"No system is named {system!r}. There are {[*self.systems]}.")
        return {"y_true": self.y_true, "y_score": scores, "queries": self.queries}

    def judged_at_k(self, k: float = 10) -> dict[str, float]:
        """Compute the proportion of judged documents among the first k (Judged@k), by system.

        Tied documents share their places. The mean is over the queries for which the system
        retrieved any document, and a query with fewer than k is divided by these. Documents that
        ``unjudged="left out"`` leaves out of the rows are counted here.

        Parameters
        ----------
        k : int or float, default=10
            How many documents of each query, or which proportion of them, such as 0.1.

        Returns
        -------
        dict of str to float
            1 if all are judged. Two systems with unlike shares are not comparable. If judgements
            name relevant documents only, it is the precision at k, and says nothing.
        """
        return cast(RunScores, self.y_scores).shares(check_ranks(k))

    def _columns(self) -> dict[str, Any]:
        labels = {"query": self.queries, "document": self.documents}
        labels |= {"y_true": self.y_true, "is_judged": self.is_judged}
        return labels | {str(name): scores for name, scores in self.y_scores.items()}

    def _heading(self) -> str:
        systems, queries = len(self.systems), len(self.query_names)
        numbers = counts_in_words(system=systems, query=queries, document=self.y_true.size)
        return f"JudgedRuns: {numbers}, {np.count_nonzero(self.y_true):,} relevant"


def from_trec(
    qrels: str | os.PathLike[str],
    *runs: str | os.PathLike[str],
    relevance_level: float = 1,
    unjudged: Unjudged = "negative",
    complete: bool = False,
    ties: Ties = "shared",
) -> JudgedRuns:
    """Read judgements and runs from TREC's files.

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
        may be written in two ways.

    See Also
    --------
    from_tables : The same for tables, JSON lines, CSV and Parquet.

    Examples
    --------
    >>> from sklearn_ap import average_precision_score, compare_average_precision, retrieval
    >>> judged = retrieval.from_trec("qrels.txt", "bm25.run", "dense.run")  # doctest: +SKIP
    >>> average_precision_score(**judged["bm25"])  # doctest: +SKIP
    >>> compare_average_precision(
    ...     judged.y_true, judged.y_scores, queries=judged.queries
    ... )  # doctest: +SKIP
    """
    for path in (qrels, *runs):
        if not isinstance(path, str | os.PathLike):
            raise TypeError(
                f"qrels and runs must be paths, one after the other: from_trec(qrels, *runs), got "
                f"{type(path).__name__}. For tables use from_tables."
            )
    paths = [os.fspath(path) for path in runs]
    called = [_name(path) for path in paths]
    names = called if len(set(called)) == len(called) else paths
    refuse_equal_names(names)
    refuse_same_files(paths)
    labels = _trec(os.fspath(qrels), QRELS)
    columns_of_runs = {name: _trec(path, RUN) for name, path in zip(names, paths, strict=True)}
    return judged_runs(labels, columns_of_runs, relevance_level, unjudged, complete, ties)


def from_tables(
    qrels: Any,
    runs: Mapping[str, Any],
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
    labels = columns_of_table("qrels", qrels, (query, document, label), judgements=True)
    columns_of_runs = {
        str(name): columns_of_table(str(name), run, (query, document, score))
        for name, run in runs.items()
    }
    return judged_runs(labels, columns_of_runs, relevance_level, unjudged, complete, ties)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Queries and documents, in parts; and a number for each row."""

    queries: list[Names]
    documents: list[Texts]
    values: Array  # labels or scores
    rows: Index  # their numbers in the file
    places: list[str]  # what errors about a part begin with
    place: str  # and about all of them

    def row(self, i: int) -> tuple[str, str]:
        """Where a row stands, and what it is about."""
        part, at = 0, i
        while at >= len(self.documents[part]):
            at -= len(self.documents[part])
            part += 1
        queries, document = self.queries[part], self.documents[part].text_of(at)
        query = queries.values[queries.codes[at]]
        return f"{self.places[part]}row {self.rows[i]}", f"document {document!r} of query {query!r}"


def columns_of_rows(
    place: str, parts: Iterable[cells.FileRows], names: Sequence[str], *, judgements: bool
) -> Columns:
    """Read the columns of these names: query, document, and labels or scores."""
    read = cells.finite_numbers if judgements else cells.scores
    query, document, value = names
    queries, documents, values, rows, places = [], [], [np.empty(0)], [np.empty(0, np.intp)], []
    for part in parts:
        queries.append(cells.names(part, query).as_text())
        documents.append(_documents(part, document))
        values.append(read(part, value))
        rows.append(part.numbers)
        places.append(part.place)
    numbers = cells.joined(values, f"{place}column {value!r}")
    return Columns(queries, documents, numbers, np.concatenate(rows), places, place)


def columns_of_table(
    name: str, source: Any, names: Sequence[str], *, judgements: bool = False
) -> Columns:
    """Read the columns of files, or of a table of pandas, polars, pyarrow or DuckDB."""
    if isinstance(source, str | os.PathLike):
        reader = FileReader(find_files(source), [*names])
        place = f"{printable(os.fspath(source))}: "
        return columns_of_rows(place, reader, names, judgements=judgements)
    if not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(
            f"{name} must be a path, or a table of pandas, polars, pyarrow or DuckDB, got "
            f"{type(source).__name__}."
        )
    pa = import_extra("pyarrow", "Reading tables", "table")
    place = f"{printable(name)}: "
    with errors_named(name, place):
        table = pa.table(source)
        cells.check_columns(names, table.column_names)
        part = cells.FileRows(place, 0, read_columns(table, names))
    parts = [part] if table.num_rows else []
    return columns_of_rows(place, parts, names, judgements=judgements)


def _documents(part: cells.FileRows, name: str) -> Texts:
    """Names, none of which holds NUL, which ends a name in trec_eval."""
    names = cells.texts(part, name)
    has_nul = names.holding("\0")
    if has_nul.any():
        row = int(has_nul.argmax())
        raise DataError(f"{part.cell(row, name)}: {shown(names.text_of(row))} holds NUL")
    return names


def _trec(path: str, columns: tuple[str, ...]) -> Columns:
    rows, names = trec_rows(path, columns), columns_read(columns)
    return columns_of_rows(f"{printable(path)}: ", rows, names, judgements=columns == QRELS)


def _name(path: str) -> str:
    """The name of a file without what says how it is packed and what it holds."""
    name = os.path.basename(path)
    for known in (PACKED_EXTENSIONS, RUN_EXTENSIONS):
        stem, extension = os.path.splitext(name)
        name = stem if extension.lower() in known else name
    return name


def refuse_equal_names(names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Each run needs a name of its own: {name!r} is given twice.")


def judged_runs(
    qrels: Columns,
    runs: dict[str, Columns],
    relevance_level: float,
    unjudged: Unjudged,
    complete: bool,
    ties: Ties,
) -> JudgedRuns:
    """Give each document of a query a row, and each file the places of its rows among them."""
    if not runs:
        raise ValueError("runs are missing: pass one at least.")
    check_choice("unjudged", unjudged, Unjudged)
    check_choice("ties", ties, Ties)
    if not isinstance(complete, bool | np.bool_):
        raise TypeError(f"complete must be True or False, got {complete!r}.")
    check_level(relevance_level)
    sources = [qrels, *runs.values()]
    for source in sources:
        if not source.values.size:
            raise DataError(f"{source.place}it holds no rows")
    names, queries = _query_codes(sources)
    chosen = _chosen(qrels.place, names, [*runs], queries, complete)
    kept = [chosen[codes].nonzero()[0] for codes in queries]
    pool = Pool.of(sources, kept, (np.cumsum(chosen) - 1)[np.concatenate(queries)])
    n_rows = pool.queries.size
    y_true, is_judged = np.zeros(n_rows, bool), np.zeros(n_rows, bool)
    y_true[pool.places[0]] = qrels.values[kept[0]] >= relevance_level
    is_judged[pool.places[0]] = True
    y_scores = {name: np.full(n_rows, -np.inf) for name in runs}
    for (name, run), rows, places in zip(runs.items(), kept[1:], pool.places[1:], strict=True):
        y_scores[name][places] = run.values[rows]
        if not is_judged[places].any():
            judged_of = np.where(qrels.values[kept[0]] > -np.inf, pool.queries[pool.places[0]], -1)
            compared = np.isin(pool.queries[places], judged_of)
            if compared.any():  # not where all judgements are empty
                first = int(compared.argmax())
                of_query = judged_of == pool.queries[places[first]]
                _warn_of_names(name, run.row(rows[first]), qrels.row(kept[0][of_query.argmax()]))
    order = pool.order_of_names(y_scores.values())
    query_names = [name for name, is_chosen in zip(names, chosen, strict=True) if is_chosen]
    judged = JudgedRuns(
        y_true[order],
        {name: scores[order] for name, scores in y_scores.items()},
        np.array(query_names, dtype=object)[pool.queries[order]],
        tuple(query_names),
        is_judged[order],
        pool.documents[order],
        np.array(pool.names.to_list(), dtype=object),
    )
    judged = break_ties(judged) if ties == "trec_eval" else judged
    return only_judged(judged) if unjudged == "left out" else judged


def check_level(relevance_level: Any) -> None:
    if not isinstance(relevance_level, Real) or not isfinite(relevance_level):
        raise ValueError(f"relevance_level must be a finite number, got {relevance_level!r}.")


def only_judged(judged: JudgedRuns) -> JudgedRuns:
    """Leave out the documents that have no label; judged@k stays that of all documents."""
    kept = judged.is_judged
    y_scores = cast(RunScores, judged.y_scores).only(kept, are_left_out=True)
    return replace(
        judged,
        y_true=judged.y_true[kept],
        y_scores=y_scores,
        queries=judged.queries[kept],
        is_judged=y_scores.is_judged,
        document_codes=judged.document_codes[kept],
    )


def break_ties(judged: JudgedRuns) -> JudgedRuns:
    """Break ties as trec_eval does: equal documents stand by name here, and the last is first."""
    y_scores = {}
    for name, scores in judged.y_scores.items():
        with np.errstate(over="ignore"):
            order = scores.astype(np.float32).argsort(kind="stable")
        y_scores[name] = np.where(scores == -np.inf, -np.inf, order.argsort())
    return replace(judged, y_scores=y_scores)


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Documents by query, the queries one after the other."""

    queries: Index  # the number of the query
    documents: Index  # the number of the document
    names: Texts  # of the documents
    places: list[Index]  # of the rows of each file

    @classmethod
    def of(cls, sources: Sequence[Columns], kept: list[Index], query: Index) -> Self:
        """Pool the rows that are ``kept`` of each source; ``query`` is that of all rows."""
        sizes = [source.values.size for source in sources]
        begins = np.cumsum(sizes) - sizes
        rows = np.concatenate([rows + begin for rows, begin in zip(kept, begins, strict=True)])
        n_queries = int(query.max()) + 1
        together = bring_together(query[rows], n_queries)
        rows, query = rows[together], query[rows][together]
        parts = [part for source in sources for part in source.documents]
        document, names = joined_texts(parts).coded()
        document = document[rows]
        # One number for a document of a query. It stands where its last row does.
        pairs = query * len(names) + document
        order = pairs.argsort(kind="stable")
        is_new = begins_block(pairs[order])
        code = np.empty(rows.size, np.intp)
        code[order] = np.cumsum(is_new) - 1
        last = order[np.roll(is_new, -1)]  # the first one is new, and so the last is a last one
        is_last = np.zeros(rows.size, bool)
        is_last[last] = True
        queries, documents = np.divmod(pairs[is_last], len(names))
        place = np.empty(rows.size, np.intp)
        place[together] = (np.cumsum(is_last) - 1)[last][code]
        places = np.split(place, np.cumsum([rows.size for rows in kept])[:-1])
        for source, rows_of_source, here in zip(sources, kept, places, strict=True):
            _refuse_twice(source, rows_of_source, here, queries.size)
        return cls(queries, documents, names, places)

    def order_of_names(self, scores: Iterable[Float]) -> Index:
        """An order in which documents of a query that any run ties stand by name.

        As in trec_eval, the scores of a run are rounded to float32, and names sort by their bytes.
        """
        is_tied = np.zeros(self.queries.size, bool)
        for places, score in zip(self.places[1:], scores, strict=True):
            with np.errstate(over="ignore"):
                rounded = score[places].astype(np.float32)
            is_tied[places[_tied(self.queries[places], rounded)]] = True
        tied, order = is_tied.nonzero()[0], np.arange(is_tied.size)
        used, document = np.unique(self.documents[tied], return_inverse=True)
        rank = self.names.ranks(used)
        order[tied] = tied[np.lexsort((rank[document], self.queries[tied]))]
        return order


def _query_codes(sources: Sequence[Columns]) -> tuple[list[str], list[Index]]:
    """The sorted names of all queries, and for the rows of each source the place among them."""
    names = sorted({name for source in sources for part in source.queries for name in part.values})
    code = {name: i for i, name in enumerate(names)}

    def codes(part: Names) -> Index:
        return np.array([code[name] for name in part.values], np.intp)[part.codes]

    return names, [np.concatenate([*map(codes, source.queries)]) for source in sources]


def _chosen(
    place: str, names: list[str], runs: list[str], queries: list[Index], complete: bool
) -> Bool:
    """Which queries count; a warning names those that do not, and those that a run lacks."""
    judged, *in_runs = (np.bincount(codes, minlength=len(names)) > 0 for codes in queries)
    in_any = np.any(in_runs, axis=0)
    if not (judged & in_any).any():
        raise DataError(
            f"{place}none of its queries is in a run: it has {names[judged.argmax()]!r}, and a run "
            f"has {names[in_any.argmax()]!r}"
        )
    _warn(names, in_any & ~judged, "{} without judgements: left out")
    if complete:
        return judged
    _warn(names, judged & ~in_any, "{} judged but in no run: left out; complete=True counts 0")
    for run, in_run in zip(runs, in_runs, strict=True):
        problem = f"{{}} not in {printable(run)}, but in another run: 0 there"
        _warn(names, judged & in_any & ~in_run, problem)
    return judged & in_any


def _warn(names: list[str], which: Bool, problem: str) -> None:
    some = which.nonzero()[0]
    if some.size:
        count = f"{some.size:,} {'query' if some.size == 1 else 'queries'}"
        shown = first_of([repr(names[i]) for i in some[: MOST_QUERIES + 1]], MOST_QUERIES)
        warn(f"{problem.format(count)} ({shown})", UserWarning)


def _warn_of_names(name: str, *rows: tuple[str, str]) -> None:
    """Warn of a run of which no document is judged, with a name of its own and a judged one."""
    shown = "; ".join(map(", ".join, rows))
    problem = f"no document of {printable(name)} is judged, so it scores 0."
    warn(f"{problem} Are names written alike? {shown}", UserWarning)


def _tied(queries: Index, score: NDArray[np.float32]) -> Index:
    """The rows of a run that share their score with another one of the query."""
    # The query in the upper half, and the bits of the score; -0.0 and 0.0 are equal.
    keys = queries.astype(np.uint64) << 32 | (score + np.float32(0)).view(np.uint32)
    in_order = np.sort(keys)
    several = in_order[1:][in_order[1:] == in_order[:-1]]
    return np.isin(keys, several).nonzero()[0]


def _refuse_twice(source: Columns, rows: Index, places: Index, n_places: int) -> None:
    times = np.bincount(places, minlength=n_places)
    if times.max(initial=0) > 1:
        first, second = (places == times.argmax()).nonzero()[0][:2]
        (where, what), (before, _) = source.row(rows[second]), source.row(rows[first])
        place = where[: where.rindex("row ")]
        raise DataError(f"{where}, {what} is there already, in {before.removeprefix(place)}")
