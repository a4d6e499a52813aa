"""Rows that wait to be counted: to search all thresholds costs as much for few rows as for many."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts._blocks import segment_sums
from sklearn_ap.large._checked_batches import CleanBatch

Array = NDArray[Any]
Part = tuple[Array, Array | None]  # scores, weights

FEWEST_ROWS = 2**22
BYTES_OF_THRESHOLD = 64  # 16 scores of 4 bytes, or 8 of 8 bytes


class WaitingRows:
    """Rows that wait, and the cells at and between thresholds in which the others were counted.

    Of the two rows of cells, the first is for positives and the second for negatives.
    """

    def __init__(self, thresholds: Array) -> None:
        per_threshold = BYTES_OF_THRESHOLD // thresholds.itemsize
        self.size = max(FEWEST_ROWS, per_threshold * thresholds.size)
        self.thresholds = thresholds
        self.cells: Array = np.zeros((2, 2 * thresholds.size + 1), dtype=np.int64)
        self._clear()

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and count where too many wait."""
        # Sorting moves weights about, so fewer rows wait with weights.
        size = self.size if rows.weight is None else self.size // 4
        for part in rows.parts(size):
            if self._n_waiting + part.score.size > size:
                self.count()
            self._n_waiting += part.score.size
            for kind, kept in enumerate((part.positive.nonzero()[0], ~part.positive)):
                weight = None if part.weight is None else part.weight[kept]
                self._waiting[kind].append((part.score[kept], weight))

    def count(self) -> Array:
        """Count the rows that wait, and give the cells."""
        for kind, waiting in enumerate(self._waiting):
            if not waiting:
                continue
            # A source that changes between the passes may have other types, and is refused later.
            score = np.concatenate(
                [part for part, _ in waiting], dtype=self.thresholds.dtype, casting="unsafe"
            )
            weight = None
            if any(weights is not None for _, weights in waiting):
                weight = np.concatenate(
                    [np.ones(part.size) if w is None else w for part, w in waiting]
                )
                self.cells = self.cells.astype(np.float64, copy=False)
            waiting.clear()  # they would take as much memory again
            count_into(self.cells[kind], self.thresholds, score, weight)
        self._clear()
        return self.cells

    def _clear(self) -> None:
        self._waiting: tuple[list[Part], list[Part]] = ([], [])
        self._n_waiting = 0


def count_into(cells: Array, thresholds: Array, score: Array, weight: Array | None) -> None:
    """Add rows to the cells at and between thresholds.

    Cell 0 lies below the lowest threshold, cell 1 at it, cell 2 between it and the next, and so
    on up to cell ``2 * thresholds.size`` above the highest. Without weights, this sorts the scores.
    """
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> cells [0, 0, 1, 2, 0, 0, 1]
    if weight is None:
        score.sort()
    else:
        order = np.argsort(score)
        score, weight = score[order], weight[order]
    if thresholds.size < score.size:
        starts = np.zeros(cells.size + 1, np.intp)
        starts[1:-1:2] = begin = score.searchsorted(thresholds, side="left")
        begin += score.take(begin, mode="clip") == thresholds
        several = (score.take(begin, mode="clip") == thresholds).nonzero()[0]
        begin[several] = score.searchsorted(thresholds[several], side="right")
        starts[2::2], starts[-1] = begin, score.size
        cells += np.diff(starts) if weight is None else segment_sums(weight, starts[:-1])
    else:
        cell = thresholds.searchsorted(score, side="left")
        tied = thresholds.take(cell, mode="clip") == score
        cell *= 2
        cell += tied
        cells += np.bincount(cell, weight, cells.size).astype(cells.dtype, copy=False)
