"""Labels and scores as cells of a table of queries and documents, of which most are empty."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import begins_block
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap.retrieval._judged_runs import JudgedRuns


class Grid(NamedTuple):
    """A table with a row for each query and a column for each document.

    A cell is a number, query * n_documents + document. In the last column stands that a query has
    no document.
    """

    query_names: Array  # sorted
    document_names: Array

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
