"""One row for each document of a query, from judgements and runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import begins_block
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._results.text import printable, share_as_text
from sklearn_ap._results.uncertainty_warnings import UncertaintyWarning, warn
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap.retrieval._documents import DocumentRows, check_level, join_names, warn_of_queries
from sklearn_ap.retrieval._judged_runs import JudgedRuns

Unjudged = Literal["negative", "left out"]
TieRule = Literal["shared", "trec_eval"]

# Two equal systems of n queries whose shares of judged documents, in the top 10, are 0.4 / sqrt(n)
# apart get a verdict in 6 to 16 of 100 simulations (9 to 25 at 0.6), where 5 are due. By chance,
# documents that are judged at random are so far apart in 3 of 100.
UNEQUAL_SHARES = 0.4
NO_DOCUMENT = ""  # stands in the row of a query that has no document


@dataclass(frozen=True, eq=False)
class Grid:
    """A table with a row for each query and a column for each document.

    A cell is a number, query * n_documents + document. In the last column stands that a query has
    no document.
    """

    query_names: Array  # sorted
    document_names: Array  # sorted, but for the last

    @property
    def n_documents(self) -> int:
        """The number of columns."""
        return self.document_names.size

    def query(self, cells: Index) -> Index:
        """Return the row of each cell."""
        return cells // self.n_documents

    def document(self, cells: Index) -> Index:
        """Return the column of each cell."""
        return cells % self.n_documents

    def names_of(self, cells: Index) -> tuple[Array, Array]:
        """Return the names of the query and of the document of each cell, or of one."""
        return self.query_names[self.query(cells)], self.document_names[self.document(cells)]


class KnownCells(NamedTuple):
    """The cells that have a label or a score, in order and without copies."""

    cells: Index
    values: Float

    @property
    def are_found(self) -> Bool:
        """Whether each is retrieved: of scores, minus infinity is not."""
        return self.values > -np.inf

    def select(self, is_kept: Bool) -> "KnownCells":
        """Keep some of them."""
        return KnownCells(self.cells[is_kept], self.values[is_kept])

    def have(self, wanted: Index) -> Bool:
        """Check which of some cells are among these."""
        places = self.cells.searchsorted(wanted)
        return np.append(self.cells, -1)[places] == wanted

    def look_up(self, wanted: Index, otherwise: float) -> Float:
        """Return the values of sorted cells that include all of these."""
        values = np.full(wanted.size, otherwise)
        values[np.searchsorted(wanted, self.cells)] = self.values
        return values


def judge_cells(
    labels: KnownCells, scores: Mapping[str, KnownCells], grid: Grid, relevance_level: float
) -> JudgedRuns:
    """Make a row for each cell that has a label or a score, and one for each query without any."""
    parts = [known.cells for known in (labels, *scores.values())]
    has_document = np.zeros(grid.query_names.size, bool)
    for part in parts:
        has_document[grid.query(part)] = True
    no_document = ((~has_document).nonzero()[0] + 1) * grid.n_documents - 1
    cells = np.sort(np.concatenate((*parts, no_document)))
    cells = cells[begins_block(cells)]
    grades = labels.look_up(cells, np.nan)
    queries, documents = grid.names_of(cells)
    return JudgedRuns(
        y_true=grades >= relevance_level,
        y_scores={name: known.look_up(cells, -np.inf) for name, known in scores.items()},
        queries=queries,
        documents=documents,
        is_judged=~np.isnan(grades) | (grid.document(cells) == grid.n_documents - 1),
        relevance_level=relevance_level,
    )


@dataclass(frozen=True)
class Options:
    """What labels, and missing ones, mean."""

    relevance_level: float
    unjudged: Unjudged
    complete: bool
    ties: TieRule

    def __post_init__(self) -> None:
        check_level(self.relevance_level)
        check_choice("unjudged", self.unjudged, Unjudged)
        check_choice("ties", self.ties, TieRule)
        if not isinstance(self.complete, bool | np.bool_):
            raise TypeError(f"complete must be True or False, got {self.complete!r:.80}.")


def judge_runs(qrels: DocumentRows, runs: Sequence[DocumentRows], options: Options) -> JudgedRuns:
    """Make a row for each document of a query, with its label and the score of each run."""
    sources = (qrels, *runs)
    for source in sources:
        if not len(source.queries.names):
            raise ValueError(f"{printable(source.name)}: there are no rows")
    queries, query_names = join_names([source.queries for source in sources])
    documents, document_names = join_names([source.documents for source in sources])
    has_query = [np.isin(np.arange(query_names.size), places) for places in queries]
    is_counted = _counted_queries(sources, query_names, has_query, complete=options.complete)
    # The row of the grid, -1 of queries that do not count
    row = np.where(is_counted, is_counted.cumsum() - 1, -1)
    grid = Grid(query_names[is_counted], np.append(document_names, NO_DOCUMENT))
    labels, *cells_of_runs = (
        _cells_of(source, grid, row[query], column)
        for source, query, column in zip(sources, queries, documents, strict=True)
    )
    _warn_of_swapped(qrels, runs)
    _warn_of_level(labels, options.relevance_level)
    scores, left_out = {}, [np.empty(0, np.intp)]
    for run, cells in zip(runs, cells_of_runs, strict=True):
        _warn_of_unjudged_run(run.name, cells, labels, grid)
        ranked = _break_ties(cells, grid) if options.ties == "trec_eval" else cells
        if options.unjudged == "left out":
            is_judged = labels.have(ranked.cells)
            left_out.append(ranked.cells[~is_judged & ranked.are_found])
            ranked = ranked.select(is_judged & ranked.are_found)
        scores[run.name] = ranked
    judged = judge_cells(labels, scores, grid, options.relevance_level)
    if n_left_out := np.unique(np.concatenate(left_out)).size:
        judged = replace(judged, notes={"left_out": n_left_out})
    # Judgements of relevant documents alone do not tell which others were judged.
    if options.unjudged == "negative" and np.any(labels.values < options.relevance_level):
        _warn_of_unequal_judgements(judged)
    return judged


def _cells_of(
    source: DocumentRows, grid: Grid, row_of_query: Index, column_of_document: Index
) -> KnownCells:
    """Return the cells of queries that count; refuse a document that is there twice."""
    row = row_of_query[source.queries.codes]
    kept = (row >= 0).nonzero()[0]
    cells = row[kept] * grid.n_documents + column_of_document[source.documents.codes[kept]]
    order = cells.argsort()
    known = KnownCells(cells[order], source.values[kept[order]])
    is_repeated = ~begins_block(known.cells)
    if is_repeated.any():
        name, twice = grid.names_of(known.cells[is_repeated.argmax()])
        problem = f"document {twice!r} of query {name!r} is there twice"
        raise ValueError(f"{printable(source.name)}: {problem}")
    return known


def _break_ties(run: KnownCells, grid: Grid) -> KnownCells:
    """Rank as trec_eval does: of scores that are equal in float32, the last name comes first."""
    found = run.select(run.are_found)
    with np.errstate(over="ignore"):
        rounded = found.values.astype(np.float32)
    ranks = np.empty(found.cells.size)
    ranks[np.lexsort((grid.document(found.cells), rounded))] = np.arange(ranks.size)
    values = run.values.copy()
    values[run.are_found] = ranks
    return run._replace(values=values)


def _counted_queries(
    sources: Sequence[DocumentRows], names: Array, has_query: Sequence[Bool], *, complete: bool
) -> Bool:
    """Flag the queries that count. Warn of others, and of queries that a run lacks."""
    is_judged, *is_in_run = has_query
    is_in_any_run = np.any(is_in_run, axis=0)
    is_counted = is_judged & is_in_any_run
    qrels, *runs = (printable(source.name) for source in sources)
    if not is_counted.any():
        raise ValueError(
            f"{qrels}: none of its queries is in a run: it has {names[is_judged.argmax()]!r}, and "
            f"a run has {names[is_in_any_run.argmax()]!r}"
        )
    warn_of_queries(names[is_in_any_run & ~is_judged], "without judgements: left out")
    if complete:
        return is_judged
    problem = "judged but in no run: left out; complete=True (-c) counts 0"
    warn_of_queries(names[is_judged & ~is_in_any_run], problem)
    for run, is_in_this_run in zip(runs, is_in_run, strict=True):
        problem = f"not in {run}, but in another run: 0 there"
        warn_of_queries(names[is_counted & ~is_in_this_run], problem)
    return is_counted


def _warn_of_swapped(qrels: DocumentRows, runs: Sequence[DocumentRows]) -> None:
    """Warn of fractions as grades, beside scores that look like grades: whole numbers, 0 included.

    Ranked lists have whole numbers, too, but no 0.
    """
    is_fraction = qrels.values % 1 != 0
    if is_fraction.any() and all(
        0 in run.values and not np.any(run.values % 1 != 0) for run in runs
    ):
        warn(
            f"judgements have fractions, such as {qrels.values[is_fraction.argmax()]:g}, and all "
            f"scores are whole numbers, 0 included: are judgements and runs swapped?",
            UserWarning,
        )


def _warn_of_level(labels: KnownCells, relevance_level: float) -> None:
    """Warn of a level above all grades, if any is above 0: then somebody graded relevance."""
    highest = labels.values.max(initial=0.0)
    if 0 < highest < relevance_level:
        warn(
            f"no document is relevant: relevance_level is {relevance_level:g}, and the highest "
            f"grade is {highest:g}",
            UserWarning,
        )


def _warn_of_unequal_judgements(judged: JudgedRuns) -> None:
    """Warn of a system of whose first documents a smaller share is judged than of another's."""
    shares = {run: share for run, share in judged.judged_at().items() if share > 0}
    if not shares:
        return
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    if (shares[most] - shares[least]) * len(judged.query_names) ** 0.5 > UNEQUAL_SHARES:
        text = (
            f"Of the first 10 documents, {share_as_text(shares[most])} are judged for "
            f"{printable(most)}, and {share_as_text(shares[least])} for {printable(least)}, which "
            f"may be better than its score, as the others count as not relevant. Judge more, leave "
            f"unjudged documents out (unjudged='left out', -J), or, in Python, fill the gaps by a "
            f"judge."
        )
        warn(UncertaintyWarning(text, "unequal judgements"), UncertaintyWarning)


def _warn_of_unjudged_run(name: str, run: KnownCells, labels: KnownCells, grid: Grid) -> None:
    """Warn of a run none of whose documents is judged, unless its queries have no judged one."""
    found = run.cells[run.are_found]
    found = found[np.isin(grid.query(found), grid.query(labels.cells))]
    if found.size and not labels.have(found).any():
        _, (document, judged) = grid.names_of(np.array([found[0], labels.cells[0]]))
        warn(
            f"no document of {printable(name)} is judged, so it scores 0. It has {document!r}, and "
            f"the judgements have {judged!r}. Are names written alike?",
            UserWarning,
        )
