"""A filter for one long ranking with few positives: most negatives are counted without a sort."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts

Rows = tuple[Bool, Array, Float | None]  # positive, score, weight

FEWEST_ROWS_TO_FILTER = 2**16  # fewer are sorted as fast
ROWS_PER_POSITIVE = 16  # with more positives, a sort of all is as fast
CELLS_PER_POSITIVE = 8
MOST_CELLS = 2**20  # 8 MB in each thread
NARROWEST = 1e-301  # of all cells together, as a number divided by it must not be infinite
MOST_NEAR = 0.5  # of the rows; where there are more, a sort of all is as fast
# Rows to look at, as shares of all: multiples of the golden ratio lie evenly, and follow no period.
SAMPLE = np.arange(4096) * 0.6180339887498949 % 1
CHUNK_ROWS = 2**17  # rows that the cache holds


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Equal steps of the score.

    The first cell lies below all positives. The steps reach from the lowest positive to the
    highest, which begins a cell of its own. The last cell lies above that.
    """

    read: Callable[[Array], Array]  # gives the values that are cut into equal steps
    low: float
    per_unit: float
    occupied: Bool  # which cells hold a positive

    def of(self, score: Array) -> Index:
        """The cell of each score."""
        # positives [2, 6] and 4 steps: scores [1, 2, 3, 5, 6, 8] -> cells [0, 1, 2, 4, 5, 6]
        with np.errstate(over="ignore"):
            step = np.subtract(self.read(score), self.low, dtype=np.float64)
            step *= self.per_unit
        np.clip(step, -1, self.occupied.size - 2, out=step)
        step += 1
        return step.astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Filtered:
    """A ranking without the negatives whose cell holds no positive, and what these weigh."""

    places: Index  # of the rows to sort
    rows_to_sort: Rows
    cells: Cells
    at_or_above: Array  # what the negatives left out weigh: all, those above the first cell, ...

    def with_all(self, counts: ThresholdCounts) -> ThresholdCounts:
        """Give the counts of all rows, from those of the rows to sort."""
        # No negative was left out of a cell with a threshold, so those left out are above it.
        above = self.at_or_above[self.cells.of(counts.thresholds)]
        return replace(
            counts,
            fps=counts.fps + above,
            fps_above=counts.fps_above + above,
            n_negatives=counts.n_negatives + self.at_or_above[0],
        )


def without_far_negatives(positive: Bool, score: Array, weight: Float | None) -> Filtered | None:
    """Leave out negatives that stand away from all positives; None where a sort is as fast.

    Recall moves at positives alone, so it does not matter where exactly those negatives stand. The
    range of the positives is cut into cells, and negatives of cells without a positive are counted
    by cell. Rounding never turns two scores around, so scores in a lower cell are lower, and the
    counts are exact.
    """
    n = score.size
    if n < FEWEST_ROWS_TO_FILTER or score.dtype.kind not in "iuf" or score.itemsize > 8:
        return None
    hit_scores = score[positive]
    if not 0 < hit_scores.size <= n // ROWS_PER_POSITIVE:
        return None
    if not np.isfinite(float(hit_scores.max()) - float(hit_scores.min())):
        return None
    sample = score[(SAMPLE * n).astype(np.intp)]
    # Probabilities of what is rare crowd near 0, where steps of logarithms are short.
    readings: list[Callable[[Array], Array]] = [np.asarray]  # as they are
    if score.dtype.kind == "f" and hit_scores.min() > 0:
        readings.append(_bits)
    for read in readings:
        cells = _cells_between(read, hit_scores)
        if np.count_nonzero(cells.occupied[cells.of(sample)]) <= MOST_NEAR * sample.size:
            return _filter((positive, score, weight), cells)
    return None


def _cells_between(read: Callable[[Array], Array], hit_scores: Array) -> Cells:
    """Cells from the lowest positive to the highest, one below them, and one above."""
    values = read(hit_scores)
    low, high = float(values.min()), float(values.max())
    n_steps = min(CELLS_PER_POSITIVE * hit_scores.size, MOST_CELLS)
    cells = Cells(read, low, n_steps / max(high - low, NARROWEST), np.zeros(n_steps + 3, bool))
    cells.occupied[cells.of(hit_scores)] = True
    return cells


def _bits(score: Array) -> Array:
    """The bits of positive floats as integers, which grow nearly as logarithms do."""
    return score.view(score.dtype.str.replace("f", "i"))


def _filter(rows: Rows, cells: Cells) -> Filtered:
    """Count the negatives of cells without a positive, and keep the other rows."""
    positive, score, weight = rows
    kept = np.empty(score.size, dtype=bool)
    n_cells = cells.occupied.size
    size = max(CHUNK_ROWS, n_cells)  # of a chunk: with fewer rows, adding cells up would cost more

    def count(begin: int) -> Array:
        chunk = slice(begin, begin + size)
        cell = cells.of(score[chunk])
        kept[chunk] = cells.occupied[cell]
        return np.bincount(cell, None if weight is None else weight[chunk], n_cells)

    begins = range(0, score.size, size)
    far = reduce(np.add, map_threads(count, begins, n_threads(score.size)))
    far[cells.occupied] = 0
    chosen = kept.nonzero()[0]
    rows_to_sort = positive[chosen], score[chosen], None if weight is None else weight[chosen]
    return Filtered(chosen, rows_to_sort, cells, far[::-1].cumsum()[::-1])
