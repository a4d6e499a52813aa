"""A histogram of scores: one pass, constant memory, and limits that always contain the score."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._counts.sums import ranges
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Argument, Array, Index, Label
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.large._checked_batches import (
    Batch,
    Labels,
    check_labels,
    clean,
    columns_by_role,
    merge_labels,
)

LARGEST_FLOAT32 = np.finfo(np.float32).max
SIGN_BIT = np.uint32(1 << 31)
MOST_PIECES = 64  # of a cell with many positives, for the lower limit
BLOCK_CELLS = 2**16  # that are summed at a time
ROUNDING = 1e-12  # the relative error of the sums below
WEIGHT_ROUNDING = 1e-9  # the error of a score: cells add up a million weights, each rounded


class ScoreHistogram:
    """Count positives and negatives by the leading bits of their score, a batch at a time.

    It needs one pass and ``2**bits`` cells: 16 MB with 20 bits, however many rows there are. The
    cells keep the order of the scores, so the score of a model is known to within ``bounds``. You
    can add histograms of several workers, days or training steps.

    Parameters
    ----------
    bits : int, default=20
        How many leading bits of the float32 score decide the cell, from 2 to 28. Scores from 0 to 1
        are in about a quarter of the cells, which are finest near 0.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.

    See Also
    --------
    from_chunks : Exact counts, in two passes.

    Examples
    --------
    >>> from sklearn_ap.definitions import Step
    >>> from sklearn_ap.large import ScoreHistogram
    >>> histogram = ScoreHistogram()
    >>> for y_true, y_score in [([1, 0], [0.9, 0.8]), ([1, 0], [0.7, 0.1])]:
    ...     histogram.update(y_true, y_score)
    >>> Step()(histogram.counts())
    array([0.83333333])
    >>> low, high = histogram.bounds(Step())
    >>> low <= 5 / 6 <= high
    True
    """

    def __init__(self, bits: int = 20, *, pos_label: Label | None = None) -> None:
        self.bits = _check_bits(bits)
        self.pos_label = pos_label
        self._labels: Labels = {}
        # (2, n_cells): negatives and positives; the last cell has what was not retrieved.
        self._cell_counts: Array = np.zeros((2, 2**bits + 1), dtype=np.int64)

    def update(
        self, y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> None:
        """Add a batch.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,)
            Scores, higher for what is more likely positive. They are rounded to float32. Minus
            infinity says that the row was not retrieved.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight 2 counts a row twice, weight 0 not at all. None is weight 1.
        """
        columns = columns_by_role(y_true, y_score, sample_weight)
        rows = clean(Batch("this update", columns), self.pos_label)
        labels = merge_labels(self._labels, rows.labels)
        if labels != self._labels and self.pos_label is None:
            check_labels(labels, n_rows=1, pos_label=None)
        self._labels = labels
        if rows.weight is not None:
            self._cell_counts = self._cell_counts.astype(np.float64, copy=False)
        cells = np.where(rows.score == -np.inf, 2**self.bits, self._find_cells(rows.score))
        # Positives are counted in the second row, whose cells follow those of the first.
        cells += rows.positive * self._cell_counts.shape[1]
        # Not bincount: it makes a new array of all cells, for a batch of any size.
        np.add.at(self._cell_counts.reshape(-1), cells, 1 if rows.weight is None else rows.weight)

    def __add__(self, other: Self) -> Self:
        """Add up two histograms of the same bits."""
        if not isinstance(other, ScoreHistogram):
            return NotImplemented
        if (self.bits, self.pos_label) != (other.bits, other.pos_label):
            raise ValueError(f"{self!r} and {other!r} have other cells or another positive label.")
        total = type(self)(self.bits, pos_label=self.pos_label)
        total._labels = merge_labels(self._labels, other._labels)
        total._cell_counts = self._cell_counts + other._cell_counts
        return total

    def __radd__(self, other: object) -> Self:
        """Let ``sum`` add up histograms: it begins with 0, which is an empty histogram."""
        if not isinstance(other, int) or other:
            return NotImplemented
        return self + type(self)(self.bits, pos_label=self.pos_label)

    def counts(self) -> ThresholdCounts:
        """Return the counts of the scores rounded down to their cells.

        Returns
        -------
        ThresholdCounts
            The counts of one ranking. Each threshold is the lowest score of its cell.
        """
        check_labels(self._labels, n_rows=1, pos_label=self.pos_label)
        negatives, positives = self._cell_counts[:, :-1]
        cells = np.flatnonzero(positives)[::-1]  # cells with positives, the highest first
        negatives_up_to = negatives.cumsum()  # negatives in each cell and the cells below it
        fps_above = negatives_up_to[-1] - negatives_up_to[cells]
        unretrieved = self._cell_counts[:, -1:]
        return ThresholdCounts(
            thresholds=self._lowest_scores(cells),
            gained=positives[cells],
            tps=positives[cells].cumsum(),
            fps=fps_above + negatives[cells],
            fps_above=fps_above,
            starts=np.zeros(1, np.intp),
            n_positives=unretrieved[1] + positives.sum(),
            n_negatives=unretrieved[0] + negatives_up_to[-1],
        )

    def bounds(self, definition: Definition | None = None) -> tuple[float, float]:
        """Compute limits that always contain the score of the float32 scores.

        A cell with p positives and q negatives ranks below t positives and f negatives. Each of
        its positives has a precision of at most (t + p) / (t + p + f), and the j-th of at least
        (t + j) / (t + j + f + q), however the cell is ordered. With weights, how many positives
        share p is not known. The mean of that limit over all j up to p is the lowest: many of
        little weight.

        Parameters
        ----------
        definition : Definition, default=Step()
            There are limits for ``Step`` only; others raise an error.

        Returns
        -------
        tuple of two floats
            The lower and the upper limit; nan without positives.
        """
        if not isinstance(definition, Step | None):
            raise ValueError(
                f"Limits are known for Step() alone, not for {definition!r}: use its value on "
                f"counts(), or count exactly with from_chunks or from_table."
            )
        counts = self.counts()
        n = counts.n_positives[0].item()
        if not n:
            return np.nan, np.nan
        highest_precision = counts.tps / (counts.tps + counts.fps_above)
        high = float(counts.gained @ highest_precision) / n
        if counts.gained.dtype.kind == "f":
            low = _lowest_weighted_sum(counts) / n
            return max(low - WEIGHT_ROUNDING, 0.0), min(high + WEIGHT_ROUNDING, 1.0)
        tps_above = counts.tps_above
        blocks = [slice(i, i + BLOCK_CELLS) for i in range(0, tps_above.size, BLOCK_CELLS)]
        low = sum(
            _lowest_sum(tps_above[block], counts.gained[block], counts.fps[block])
            for block in blocks
        )
        return low / n * (1 - ROUNDING), min(high * (1 + ROUNDING), 1.0)

    def _find_cells(self, score: Array) -> Index:
        # Adding 0.0 turns -0.0, which has another pattern of bits, into 0.0.
        clipped = np.clip(score, -LARGEST_FLOAT32, LARGEST_FLOAT32).astype(np.float32)
        pattern = (clipped + np.float32(0.0)).view(np.uint32)
        # As unsigned integers, positive floats are in order and negative ones are in reverse.
        key = np.where(pattern & SIGN_BIT, ~pattern, pattern | SIGN_BIT)
        return (key >> np.uint32(32 - self.bits)).astype(np.intp)

    def _lowest_scores(self, cells: Index) -> NDArray[np.float32]:
        key = cells.astype(np.uint32) << np.uint32(32 - self.bits)
        lowest = np.where(key & SIGN_BIT, key ^ SIGN_BIT, ~key).astype(np.uint32).view(np.float32)
        # The first cell begins with patterns of NaN and -inf.
        return np.fmax(lowest, -LARGEST_FLOAT32)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(bits={self.bits}, pos_label={self.pos_label!r})"


def _lowest_weighted_sum(counts: ThresholdCounts) -> float:
    """Add up the lowest precision times weight of all cells, whose positives may be many.

    It is the integral of (t + x) / (t + x + f) for x from 0 to the weight of the positives of a
    cell, with t the weight of the positives above it, and f that of the negatives down to it.
    """
    t = counts.tps_above
    f = counts.fps
    weight = counts.gained
    total = np.where(f > 0, t + f, 1.0)  # without negatives, the logarithm is multiplied by 0
    return float((weight - f * np.log1p(weight / total)).sum())


def _lowest_sum(tps_above: Array, positives: Array, fps: Array) -> float:
    """Add up (t + j) / (t + j + f) over cells, and j up to their positives.

    t and f are ``tps_above`` and ``fps``. The precision is concave in j, so the mean of the first
    and the last of a piece is at most the mean of the piece. Pieces of one or two positives are
    exact.
    """
    # 5 positives in 3 pieces: they end at [1, 3, 5]
    n_pieces = np.minimum(-(-positives // 2), MOST_PIECES)
    # One entry for each piece of each cell.
    piece = ranges(n_pieces)
    p = np.repeat(positives, n_pieces)
    n = np.repeat(n_pieces, n_pieces)
    t = np.repeat(tps_above, n_pieces)
    f = np.repeat(fps, n_pieces)
    first = piece * p // n + 1
    last = (piece + 1) * p // n
    first_precision = (t + first) / (t + first + f)
    last_precision = (t + last) / (t + last + f)
    return float(((last - first + 1) * (first_precision + last_precision)).sum() / 2)


def _check_bits(bits: Argument) -> int:
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 2 <= bits <= 28:
        raise ValueError(f"bits must be a whole number from 2 to 28, got {bits!r}.")
    return int(bits)
