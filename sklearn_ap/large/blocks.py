"""Rows that wait to be counted: to search all thresholds costs as much for few rows as for many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import spread
from sklearn_ap.large.batches import CleanBatch

__all__ = ["Block", "blocks"]

Array = NDArray[Any]

FEWEST_ROWS = 2**22
BYTES_OF_THRESHOLD = 64  # 16 scores of 4 bytes, or 8 of 8 bytes


class Block:
    """Memory for rows that wait: negatives stand at its start, positives at its end."""

    def __init__(self, size: int, dtype: np.dtype[Any]) -> None:
        self.score = np.empty(size, dtype)
        self.weight: NDArray[np.float64] | None = None  # once there are weights
        self.empty()

    def empty(self) -> None:
        """Make room."""
        self.n_negatives, self.n_positives = 0, 0

    @property
    def room(self) -> int:
        """How many rows it can take."""
        return self.score.size - self.n_negatives - self.n_positives

    def add(self, rows: CleanBatch) -> None:
        """Copy rows for which there is room."""
        if rows.weight is not None and self.weight is None:
            self.weight = np.ones(self.score.size)
        begin, end = self.n_negatives, self.score.size - self.n_positives
        self.n_positives += np.count_nonzero(rows.positive)
        self.n_negatives += rows.score.size - np.count_nonzero(rows.positive)
        columns = [(self.score, rows.score)]
        if self.weight is not None:
            columns += [(self.weight, rows.weights)]
        for column, values in columns:
            column[begin : self.n_negatives] = values[~rows.positive]
            column[column.size - self.n_positives : end] = values[rows.positive]

    def count(self, cells: Array, thresholds: Array) -> Array:
        """Add what stands in the cells, in place unless weights turn them into floats."""
        if self.weight is not None:
            cells = cells.astype(np.float64, copy=False)
        hits, misses = slice(self.score.size - self.n_positives, None), slice(self.n_negatives)
        for rows, total in zip((hits, misses), cells, strict=True):
            weight = None if self.weight is None else self.weight[rows]
            spread(self.score[rows], weight, thresholds, total)
        return cells


def blocks(batches: Iterable[CleanBatch], thresholds: Array) -> Iterator[Block]:
    """Blocks that are at least half full, but for the last."""
    size = max(FEWEST_ROWS, BYTES_OF_THRESHOLD // thresholds.itemsize * thresholds.size)
    block = Block(size, thresholds.dtype)
    for rows in batches:
        for part in rows.parts(size):
            if part.score.size > block.room:
                yield block
                block.empty()
            block.add(part)
    yield block
