"""Rows that wait to be counted: to search all thresholds costs as much for few rows as for many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._kernel import spread
from sklearn_ap.large.batches import CleanBatch

__all__ = ["Block"]

Array = NDArray[Any]

FEWEST_ROWS = 2**22
BYTES_OF_THRESHOLD = 64  # 16 scores of 4 bytes, or 8 of 8 bytes


class Block:
    """Memory for rows, used again and again: negatives stand at its start, positives at its end."""

    def __init__(self, thresholds: Array) -> None:
        per_threshold = BYTES_OF_THRESHOLD // thresholds.itemsize
        self.size = max(FEWEST_ROWS, per_threshold * thresholds.size)
        self.thresholds = thresholds
        self.score = np.empty(self.size, thresholds.dtype)
        self.weight: NDArray[np.float64] | None = None  # until there are weights
        self.n_negatives = self.n_positives = 0

    def most(self, *, weighted: bool) -> int:
        """How many rows it takes: fewer with weights, which sorting moves about."""
        return self.size // 4 if weighted or self.weight is not None else self.size

    @property
    def room(self) -> int:
        """How many rows it still takes."""
        return self.most(weighted=False) - self.n_negatives - self.n_positives

    def add(self, rows: CleanBatch) -> None:
        """Copy rows, for which there must be room."""
        if rows.weight is not None and self.weight is None:
            self.weight = np.empty(self.size)  # not ones: a block that is not filled costs nothing
            self.weight[: self.n_negatives] = self.weight[self.size - self.n_positives :] = 1
        columns = [(self.score, rows.score)]
        if self.weight is not None:
            columns.append((self.weight, rows.weights))
        negative = ~rows.positive
        begin, end = self.n_negatives, self.size - self.n_positives
        self.n_negatives += int(np.count_nonzero(negative))
        self.n_positives += int(np.count_nonzero(rows.positive))
        for column, values in columns:
            column[begin : self.n_negatives] = values[negative]
            column[self.size - self.n_positives : end] = values[rows.positive]

    def count(self, cells: Array) -> Array:
        """Add the rows to the cells, in place unless weights make them floats, and make room."""
        if self.weight is not None:
            cells = cells.astype(np.float64, copy=False)
        hits, misses = slice(self.size - self.n_positives, None), slice(self.n_negatives)
        for rows, total in zip((hits, misses), cells, strict=True):
            weight = None if self.weight is None else self.weight[rows]
            spread(self.score[rows], weight, self.thresholds, total)
        self.n_negatives = self.n_positives = 0
        return cells
