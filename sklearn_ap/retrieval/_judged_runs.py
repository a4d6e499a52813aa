"""Runs of several systems beside the judgements of their documents."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np

from sklearn_ap._extras import printable, warn
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.arrays import begins_block, is_missing
from sklearn_ap._inputs.options import check_choice, check_k
from sklearn_ap._results.text import (
    PrintedArrays,
    count_as_text,
    counts_as_text,
    names_as_text,
    score_as_text,
)
from sklearn_ap._types import Argument, Array, ArrowTable, Bool, Float, Index, Name
from sklearn_ap.metrics import precision_at_k_score

Unjudged = Literal["negative", "left out"]
Ties = Literal["shared", "trec_eval"]
Names: TypeAlias = list[str | None] | ArrowTable

ARGUMENTS = ("y_true", "y_scores", "queries")  # of functions that compare systems
ROW_COLUMNS = ("query", "document", "is_judged")  # the others of the table beside y_true
USUAL_K = 10  # at which runs are compared most often
# Shares of judged documents that differ by more make scores of two systems unlike. Of fewer
# queries, they differ by chance. Both are choices.
UNLIKE_SHARES, FEW_QUERIES = 0.1, 10
NO_DOCUMENT = ""  # stands in the row of a query that has no document


class RowPairs(NamedTuple):
    """The query and the document of each row, as codes of names."""

    pairs: Index  # query * n_documents + document, in order
    document_names: Array  # by code; the last one stands where a query has no document
    unfiltered: JudgedRuns | None = None  # the runs with the documents that were left out


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedRuns(PrintedArrays):
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

    y_true: Bool
    y_scores: dict[str, Float]
    queries: Array
    query_names: tuple[Name, ...]
    is_judged: Bool
    relevance_level: float
    _source: RowPairs

    def keys(self) -> tuple[str, ...]:
        """Return the names of the arguments of functions that compare systems.

        Returns
        -------
        tuple of str
            "y_true", "y_scores" and "queries", so that ``**judged`` passes all systems.
        """
        return ARGUMENTS

    def __iter__(self) -> Iterator[str]:
        return iter(ARGUMENTS)

    def __getitem__(self, name: str) -> Argument:
        """Return the arguments of a score of the system of this name, or one of ``keys()``."""
        if name in ARGUMENTS:
            return getattr(self, name)
        if str(name) not in self.y_scores:
            raise KeyError(f"No system is named {name!r}. There are {[*self.systems]}.")
        y_score = self.y_scores[str(name)]
        return {"y_true": self.y_true, "y_score": y_score, "queries": self.queries}

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.y_scores)

    @property
    def documents(self) -> Array:
        """The name of the document of each row; of sparse matrices, the number of the column.

        It is "", or -1, where neither the judgements nor the runs have a document of a query.
        """
        return np.asarray(
            self._source.document_names[self._source.pairs % self._source.document_names.size]
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
        runs = self._source.unfiltered or self
        query = runs._source.pairs // runs._source.document_names.size
        shares = {}
        for name, scores in runs.y_scores.items():
            precision = precision_at_k_score(
                runs.is_judged, scores, k=k, average=None, queries=query, zero_division=0.0
            )
            n_retrieved = np.bincount(query[scores > -np.inf], minlength=len(runs.query_names))
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
        >>> judged = retrieval.from_dicts({"apples": {"d2": 1}}, {"bm25": {"apples": ["d7", "d2"]}})
        >>> judged.fill({"apples": {"d2": 0, "d7": 1}}).y_true
        array([ True,  True])
        """
        if self._source.unfiltered is not None:
            raise ValueError("No row lacks a label. Read the runs without unjudged='left out'.")
        found = _flatten(grades)
        rows = self._find_rows([*found])
        grade = np.array([*found.values()])
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

    def _find_rows(self, names: Sequence[tuple[str, str]]) -> Index:
        """Find the row of each query and document, -1 where there is none."""
        query_code = {str(name): code for code, name in enumerate(self.query_names)}
        document_code = {
            str(name): code for code, name in enumerate(self._source.document_names[:-1])
        }
        pairs = np.array(
            [
                query_code[query] * self._source.document_names.size + document_code[document]
                if query in query_code and document in document_code
                else -1
                for query, document in names
            ],
            dtype=np.int64,
        )
        rows = np.searchsorted(self._source.pairs, pairs).clip(max=self._source.pairs.size - 1)
        return np.where(self._source.pairs[rows] == pairs, rows, -1)

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

    def _columns(self) -> dict[str, Array]:
        columns = {"query": self.queries, "document": self.documents}
        return columns | {"y_true": self.y_true, "is_judged": self.is_judged} | self.y_scores

    def _heading(self) -> str:
        numbers = counts_as_text(
            system=len(self.systems), query=len(self.query_names), document=self.y_true.size
        )
        return f"JudgedRuns: {numbers}, {np.count_nonzero(self.y_true):,} relevant"


def _flatten(grades: Argument) -> dict[tuple[str, str], float]:
    """Return the grade of each query and document that has one."""
    if not isinstance(grades, Mapping) or not all(
        isinstance(query_grades, Mapping) for query_grades in grades.values()
    ):
        raise TypeError(
            f"grades must be a dict, {{query: {{document: grade}}}}, got {grades!r:.80}."
        )
    found = {}
    for query, query_grades in grades.items():
        for document, grade in query_grades.items():
            if is_missing(grade):
                continue
            if not isinstance(grade, Real | np.bool_):
                raise ValueError(
                    f"grades: document {document!r} of query {query!r} has the grade "
                    f"{reprlib.repr(grade)}, which is no "
                    f"number. Leave out what the judge did not grade."
                )
            found[str(query), str(document)] = float(grade)
    return found


def _check_level(relevance_level: Argument) -> float:
    if not isinstance(relevance_level, Real) or not isfinite(relevance_level):
        raise ValueError(f"relevance_level must be a finite number, got {relevance_level!r}.")
    return float(relevance_level)


class Source(NamedTuple):
    """Judgements, or a run: the query, the document and the label or score of each row.

    Names are in lists, or texts of pyarrow. A row of the document None has a query alone.
    """

    name: str
    queries: Names
    documents: Names
    values: Float
    find_place: Callable[[int], str] | None = None  # the file of a row, and its number there

    def describe(self, row: int) -> str:
        """Name the place, the document and the query of a row in an error."""
        place = self.find_place(row) if self.find_place else printable(self.name)
        document, query = str(self.documents[row]), str(self.queries[row])
        return f"{place}: document {document!r} of query {query!r}"


class Cells(NamedTuple):
    """The cells of a table of queries and documents that have a label or a score.

    ``pairs`` are query * n_documents + document, in order and without copies.
    """

    pairs: Index
    values: Float

    def look_up(self, wanted: Index, otherwise: float) -> Float:
        """Return the values of sorted pairs that include all of these."""
        values = np.full(wanted.size, otherwise)
        values[np.searchsorted(wanted, self.pairs)] = self.values
        return values

    def select(self, is_kept: Bool) -> Cells:
        """Return some of the cells."""
        return Cells(self.pairs[is_kept], self.values[is_kept])


class Options(NamedTuple):
    """What labels, and missing ones, mean."""

    relevance_level: float
    unjudged: Unjudged
    complete: bool
    ties: Ties

    def check(self) -> Self:
        """Return the options; refuse unknown ones."""
        check_level(self.relevance_level)
        check_choice("unjudged", self.unjudged, Unjudged)
        check_choice("ties", self.ties, Ties)
        if not isinstance(self.complete, bool | np.bool_):
            raise TypeError(f"complete must be True or False, got {self.complete!r}.")
        return self


def check_level(relevance_level: Argument) -> float:
    """Check the lowest label that means relevant."""
    if not isinstance(relevance_level, Real) or not isfinite(relevance_level):
        raise ValueError(f"relevance_level must be a finite number, got {relevance_level!r}.")
    return float(relevance_level)


def check_system_names(names: Iterable[Name]) -> list[str]:
    """Return names as text. Refuse equal ones, and those of arguments and of columns."""
    texts = [*map(str, names)]
    if not texts:
        raise ValueError("runs are missing: pass one at least.")
    for name in texts:
        if texts.count(name) > 1:
            raise ValueError(f"Each run needs a name of its own: {name!r} is given twice.")
        if name in (*ARGUMENTS, *ROW_COLUMNS):
            raise ValueError(f"{name!r} is the name of an argument or of a column: rename the run.")
    return texts


def judge_runs(qrels: Source, runs: Sequence[Source], options: Options) -> JudgedRuns:
    """Make a row for each document of a query, with its label and the score of each run."""
    sources = (qrels, *runs)
    for source in sources:
        if not source.values.size:
            raise DataError(f"{printable(source.name)}: there are no rows")
    queries, all_names = _encode([source.queries for source in sources])
    documents, document_names = _encode([source.documents for source in sources])
    has_query = [np.bincount(codes, minlength=all_names.size) > 0 for codes in queries]
    is_counted = _counted_queries(sources, all_names, has_query, complete=options.complete)
    name_order = np.array(sorted(is_counted.nonzero()[0], key=all_names.__getitem__))
    place = np.full(all_names.size, -1)
    place[name_order] = np.arange(name_order.size)
    labels, *scores = (
        _cells_of(source, place[query], document, document_names.size + 1)
        for source, query, document in zip(sources, queries, documents, strict=True)
    )
    cells_of_runs = dict(zip([run.name for run in runs], scores, strict=True))
    names = {
        "query_names": all_names[name_order],
        "document_names": np.append(document_names, NO_DOCUMENT),
    }
    judged = join_cells(labels, cells_of_runs, **names, relevance_level=options.relevance_level)
    _warn_of_unjudged_runs(judged)
    judged = break_ties(judged) if options.ties == "trec_eval" else judged
    if options.unjudged == "negative":
        warn_if_judged_unlike(judged, USUAL_K)
        return judged
    judged_cells = {
        name: Cells(judged._source.pairs, scores).select(judged.is_judged & (scores > -np.inf))
        for name, scores in judged.y_scores.items()
    }
    few = join_cells(labels, judged_cells, **names, relevance_level=options.relevance_level)
    return replace(few, _source=few._source._replace(unfiltered=judged))


def join_cells(
    labels: Cells,
    scores: Mapping[str, Cells],
    *,
    query_names: Array,
    document_names: Array,
    relevance_level: float,
) -> JudgedRuns:
    """Make a row for each cell that has a label or a score, and one for each query without any.

    The last of the names of documents is that of no document.
    """
    n_documents = document_names.size
    pairs = np.sort(np.concatenate([cells.pairs for cells in (labels, *scores.values())]))
    pairs = pairs[begins_block(pairs)]
    is_empty = np.ones(query_names.size, bool)
    is_empty[pairs // n_documents] = False
    no_document = is_empty.nonzero()[0] * n_documents + n_documents - 1
    if no_document.size:
        pairs = np.sort(np.concatenate((pairs, no_document)))
    grades = labels.look_up(pairs, np.nan)
    return JudgedRuns(
        y_true=grades >= relevance_level,
        y_scores={name: cells.look_up(pairs, -np.inf) for name, cells in scores.items()},
        queries=query_names[pairs // n_documents],
        query_names=tuple(query_names.tolist()),
        is_judged=~np.isnan(grades) | (pairs % n_documents == n_documents - 1),
        relevance_level=relevance_level,
        _source=RowPairs(pairs, document_names),
    )


def break_ties(judged: JudgedRuns) -> JudgedRuns:
    """Break ties as trec_eval does: of equal scores in float32, the last name comes first."""
    names = judged._source.document_names
    if nul_names := [name for name in names if "\0" in name]:
        raise DataError(f"document {nul_names[0]!r} holds NUL, which ends a name in trec_eval")
    rank = np.empty(names.size, np.intp)
    rank[sorted(range(names.size), key=names.tolist().__getitem__)] = np.arange(names.size)
    query, document = np.divmod(judged._source.pairs, names.size)
    name_order = (query * names.size + rank[document]).argsort()
    y_scores = {}
    for name, scores in judged.y_scores.items():
        with np.errstate(over="ignore"):
            rounded = scores.astype(np.float32)[name_order]
        order = name_order[rounded.argsort(kind="stable")]
        y_scores[name] = np.empty(scores.size)
        y_scores[name][order] = np.arange(scores.size)
        y_scores[name][scores == -np.inf] = -np.inf
    return replace(judged, y_scores=y_scores)


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


def _encode(parts: Sequence[Names]) -> tuple[list[Index], Array]:
    """Return the code of each name in each part, -1 for None; and the names in order of codes."""
    if not hasattr(parts[0], "dictionary_encode"):
        code: dict[str | None, int] = {None: -1}
        codes = [
            np.array([code.setdefault(name, len(code) - 1) for name in part], np.intp)
            for part in parts
        ]
        return codes, np.array([*code][1:], dtype=object)
    import pyarrow as pa

    chunks = [chunk for part in parts for chunk in getattr(part, "chunks", [])]
    joined = pa.chunked_array(chunks, pa.string())
    encoded = joined.dictionary_encode().combine_chunks()
    ends = np.cumsum([len(part) for part in parts])
    names = encoded.dictionary.to_numpy(zero_copy_only=False)
    return np.split(encoded.indices.to_numpy(), ends[:-1]), names


def _cells_of(source: Source, query: Index, document: Index, n_documents: int) -> Cells:
    """Return the cells of queries that count, which have no -1; refuse a document that is twice."""
    rows = ((query >= 0) & (document >= 0)).nonzero()[0]
    pairs = query[rows] * n_documents + document[rows]
    order = pairs.argsort()
    cells = Cells(pairs[order], source.values[rows[order]])
    is_repeated = ~begins_block(cells.pairs)
    if is_repeated.any():
        first, second, *_ = rows[pairs == cells.pairs[is_repeated.argmax()]].tolist()
        where = f", and in {source.find_place(first)}" if source.find_place else ""
        raise DataError(f"{source.describe(second)} is there twice{where}")
    return cells


def _counted_queries(
    sources: Sequence[Source], names: Array, has_query: Sequence[Bool], *, complete: bool
) -> Bool:
    """Flag the queries that count. Warn of others, and of queries that a run lacks."""
    is_judged, *is_in_run = has_query
    is_in_any_run = np.any(is_in_run, axis=0)
    is_counted = is_judged & is_in_any_run
    qrels, *runs = (printable(source.name) for source in sources)
    if not is_counted.any():
        raise DataError(
            f"{qrels}: none of its queries is in a run: it has {names[is_judged.argmax()]!r}, and "
            f"a run has {names[is_in_any_run.argmax()]!r}"
        )
    _warn_of_queries(names[is_in_any_run & ~is_judged], "{} without judgements: left out")
    if complete:
        return is_judged
    problem = "{} judged but in no run: left out; complete=True counts 0"
    _warn_of_queries(names[is_judged & ~is_in_any_run], problem)
    for run, is_in_this_run in zip(runs, is_in_run, strict=True):
        problem = f"{{}} not in {run}, but in another run: 0 there"
        _warn_of_queries(names[is_counted & ~is_in_this_run], problem)
    return is_counted


def _warn_of_queries(names: Array, problem: str) -> None:
    if names.size:
        examples = names_as_text([repr(name) for name in sorted(names)])
        warn(f"{problem.format(count_as_text(names.size, 'query'))} ({examples})", UserWarning)


def _warn_of_unjudged_runs(judged: JudgedRuns) -> None:
    """Warn of a run none of whose documents is judged, unless its queries have no judged one."""
    query, document = np.divmod(judged._source.pairs, judged._source.document_names.size)
    has_label = judged.is_judged & (document < judged._source.document_names.size - 1)
    for name, scores in judged.y_scores.items():
        is_found = scores > -np.inf
        if np.any(is_found & has_label):
            continue
        is_judged_query = np.bincount(query[has_label], minlength=len(judged.query_names)) > 0
        rows = (is_found & is_judged_query[query]).nonzero()[0]
        if rows.size:
            first = rows[0]
            label = (has_label & (query == query[first])).argmax()
            warn(
                f"no document of {printable(name)} is judged, so it scores 0. For query "
                f"{judged.queries[first]!r}, it has {judged.documents[first]!r}, and the "
                f"judgements have {judged.documents[label]!r}. Are names written alike?",
                UserWarning,
            )
