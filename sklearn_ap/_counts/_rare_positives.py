"""A filter for one long ranking with few positives: most negatives are counted without a sort."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts

FEWEST_ROWS_TO_FILTER = 2**16  # fewer are sorted as fast
ROWS_PER_POSITIVE = 16  # with fewer rows for each positive, a sort of all is as fast
CELLS_PER_POSITIVE = 8
MOST_CELLS = 2**20  # 8 MB in each thread
LEAST_RANGE = 1e-301  # the least range of all cells together: a number divided by it is finite
MOST_NEAR = 0.5  # the share of rows near positives up to which a sort of all takes longer
# A sample of rows, as fractions of all rows: multiples of the golden ratio lie evenly and follow no
# period.
SAMPLE = np.arange(4096) * 0.6180339887498949 % 1
CHUNK_ROWS = 2**17  # this many rows fit the cache


class Rows(NamedTuple):
    """Rows of one ranking."""

    positive: Bool
    score: Array
    weight: Float | None


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Equal steps of the score, each a cell.

    The first cell lies below all positives. The steps reach from the lowest positive to the
    highest, which begins a cell of its own. The last cell lies above all positives.
    """

    read: Callable[[Array], Array]  # turns scores into the values that are cut into equal steps
    low: float  # the value of the lowest positive
    steps_per_unit: float
    has_positive: Bool  # (n_cells,)

    def locate(self, score: Array) -> Index:
        """Find the cell of each score."""
        # positives [2, 6] and 4 steps: scores [1, 2, 3, 5, 6, 8] -> cells [0, 1, 2, 4, 5, 6]
        with np.errstate(over="ignore"):
            step = np.subtract(self.read(score), self.low, dtype=np.float64)
            step *= self.steps_per_unit
        np.clip(step, -1, self.has_positive.size - 2, out=step)
        step += 1  # the cell below all positives is cell 0
        return step.astype(np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class FilteredRanking:
    """A ranking without the negatives whose cell holds no positive, and the weight of these."""

    sorted_rows: Index  # the indices of the rows to sort
    rows_to_sort: Rows
    cells: Cells
    # The weight of the negatives left out in each cell and above it, so the first sum is the total.
    left_out_weight: Array

    def add_left_out(self, counts: ThresholdCounts) -> ThresholdCounts:
        """Return the counts of all rows, from the counts of the rows to sort."""
        # No negative was left out of a cell with a threshold, so this sum has only cells above it.
        above = self.left_out_weight[self.cells.locate(counts.thresholds)]
        return replace(
            counts,
            fps=counts.fps + above,
            fps_above=counts.fps_above + above,
            n_negatives=counts.n_negatives + self.left_out_weight[0],
        )


def leave_out_far_negatives(
    positive: Bool, score: Array, weight: Float | None
) -> FilteredRanking | None:
    """Leave out negatives that stand away from all positives; None where a sort is as fast.

    Recall moves at positives alone, so the exact positions of those negatives do not matter. The
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
    # Probabilities of a rare class crowd near 0, where steps of logarithms are short.
    readings: list[Callable[[Array], Array]] = [np.asarray]  # the scores themselves
    if score.dtype.kind == "f" and hit_scores.min() > 0:
        readings.append(_float_bits)
    for read in readings:
        cells = _cells_between(read, hit_scores)
        is_near = cells.has_positive[cells.locate(sample)]
        if np.count_nonzero(is_near) <= MOST_NEAR * sample.size:
            return _filter(Rows(positive, score, weight), cells)
    return None


def _cells_between(read: Callable[[Array], Array], hit_scores: Array) -> Cells:
    """Make cells from the lowest positive to the highest, one below them, and one above."""
    values = read(hit_scores)
    low = float(values.min())
    score_range = max(float(values.max()) - low, LEAST_RANGE)
    n_steps = min(CELLS_PER_POSITIVE * hit_scores.size, MOST_CELLS)
    cells = Cells(read, low, n_steps / score_range, np.zeros(n_steps + 3, bool))
    cells.has_positive[cells.locate(hit_scores)] = True
    return cells


def _float_bits(score: Array) -> Array:
    """Read the bits of positive floats as integers, which grow nearly as logarithms do."""
    return score.view(score.dtype.str.replace("f", "i"))


def _filter(rows: Rows, cells: Cells) -> FilteredRanking:
    """Count the negatives of cells without a positive, and keep the other rows."""
    n_rows = rows.score.size
    is_near = np.empty(n_rows, dtype=bool)
    n_cells = cells.has_positive.size
    chunk_size = max(CHUNK_ROWS, n_cells)  # with fewer rows, adding cells up would cost more

    def weigh_cells(begin: int) -> Array:
        chunk = slice(begin, begin + chunk_size)
        cell = cells.locate(rows.score[chunk])
        is_near[chunk] = cells.has_positive[cell]
        return np.bincount(cell, None if rows.weight is None else rows.weight[chunk], n_cells)

    begins = range(0, n_rows, chunk_size)
    far_weight = reduce(np.add, map_threads(weigh_cells, begins, n_threads(n_rows)))
    far_weight[cells.has_positive] = 0
    near_rows = is_near.nonzero()[0]
    rows_to_sort = Rows(
        positive=rows.positive[near_rows],
        score=rows.score[near_rows],
        weight=None if rows.weight is None else rows.weight[near_rows],
    )
    return FilteredRanking(near_rows, rows_to_sort, cells, far_weight[::-1].cumsum()[::-1])
