"""A histogram of scores: one pass, constant memory, and limits that always contain the score."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sklearn_ap._base.common.types import Array, Index
from sklearn_ap._base.inputs.checks import are_all_whole
from sklearn_ap._counts.blocks import ranges
from sklearn_ap._counts.thresholds import ThresholdCounts, from_columns
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.large._checked_batches import (
    Batch,
    Labels,
    all_labels,
    by_role,
    check_labels,
    clean,
)

LARGEST = np.finfo(np.float32).max
SIGN = np.uint32(1 << 31)
PIECES = 64  # of a cell with many positives, for the lower limit
BLOCK = 2**16  # cells at a time
ROUNDING = 1e-12  # relative, of the sums below
ROUNDING_OF_WEIGHTS = 1e-9  # of a score: the cells add up a million weights, each rounded


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
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.

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

    def __init__(self, bits: int = 20, *, pos_label: Any = None) -> None:
        self.bits = _check_bits(bits)
        self.pos_label = pos_label
        self._labels: Labels = {}
        # The negatives and the positives in each cell; the last one has what was not retrieved.
        self._counted: Array = np.zeros((2, 2**bits + 1), dtype=np.int64)
        self._are_whole = True  # all weights

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
        columns = by_role(y_true, y_score, sample_weight)
        rows = clean(Batch("this update", columns), self.pos_label)
        labels = all_labels(self._labels, rows.labels)
        if labels != self._labels and self.pos_label is None:
            check_labels(labels, 1, None)
        self._labels = labels
        if rows.weight is not None:
            self._counted = self._counted.astype(np.float64, copy=False)
            self._are_whole = self._are_whole and are_all_whole(rows.weight)
        cells = np.where(rows.score == -np.inf, 2**self.bits, self._cells(rows.score))
        cells += rows.positive * self._counted.shape[1]
        # Not bincount: it makes a new array of all cells, for a batch of any size.
        np.add.at(self._counted.reshape(-1), cells, 1 if rows.weight is None else rows.weight)

    def __add__(self, other: Self) -> Self:
        """Add up two histograms of the same bits."""
        if not isinstance(other, ScoreHistogram):
            return NotImplemented
        if (self.bits, self.pos_label) != (other.bits, other.pos_label):
            raise ValueError(f"{self!r} and {other!r} have other cells or another positive label.")
        total = type(self)(self.bits, pos_label=self.pos_label)
        total._labels = all_labels(self._labels, other._labels)
        total._counted = self._counted + other._counted
        total._are_whole = self._are_whole and other._are_whole
        return total

    def __radd__(self, other: object) -> Self:
        """Let ``sum`` add up histograms: it begins with 0, which is an empty histogram."""
        if not isinstance(other, int) or other:
            return NotImplemented
        return self + type(self)(self.bits, pos_label=self.pos_label)

    def counts(self) -> ThresholdCounts:
        """Give the counts of the scores rounded down to their cells.

        Returns
        -------
        ThresholdCounts
            The counts of one ranking. Each threshold is the lowest score of its cell.
        """
        check_labels(self._labels, 1, self.pos_label)
        misses, hits = self._counted[:, :-1]
        filled = np.flatnonzero(hits)[::-1]
        below = misses.cumsum()  # or in the cell
        fps_above = below[-1] - below[filled]
        fps, start = fps_above + misses[filled], np.zeros(1, np.intp)
        totals = np.add(self._counted[:, -1], (below[-1], hits.sum()))
        columns = self._lowest(filled), hits[filled].cumsum(), fps, fps_above
        counts = from_columns(*columns, start, totals[1:], totals[:1])
        is_weighted = self._counted.dtype.kind == "f"
        return replace(counts, are_whole=np.array([self._are_whole]) if is_weighted else None)

    def bounds(self, definition: Definition | None = None) -> tuple[float, float]:
        """Give limits that always contain the score of the float32 scores.

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
        best = counts.tps / (counts.tps + counts.fps_above)
        high = float(counts.gained @ best) / n
        columns = counts.tps_above, counts.gained, counts.fps
        if counts.gained.dtype.kind == "f":
            above, weight, misses = columns
            # The integral of (above + x) / (above + x + misses) for x from 0 to the weight.
            at_start = np.where(misses > 0, above + misses, 1.0)
            low = float((weight - misses * np.log1p(weight / at_start)).sum())
            rounding = ROUNDING_OF_WEIGHTS
            return max(low / n - rounding, 0.0), min(high + rounding, 1.0)
        blocks = [slice(i, i + BLOCK) for i in range(0, counts.gained.size, BLOCK)]
        low = sum(_lowest_sum(*(column[block] for column in columns)) for block in blocks)
        return low / n * (1 - ROUNDING), min(high * (1 + ROUNDING), 1.0)

    def _cells(self, score: Array) -> Index:
        # 0.0 is added as -0.0 is another pattern of bits.
        single = np.clip(score, -LARGEST, LARGEST).astype(np.float32) + np.float32(0.0)
        pattern = single.view(np.uint32)
        # As unsigned integers, positive floats are in order and negative ones are in reverse.
        key = np.where(pattern & SIGN, ~pattern, pattern | SIGN)
        return (key >> np.uint32(32 - self.bits)).astype(np.intp)

    def _lowest(self, cells: Index) -> NDArray[np.float32]:
        key = cells.astype(np.uint32) << np.uint32(32 - self.bits)
        lowest = np.where(key & SIGN, key ^ SIGN, ~key).astype(np.uint32).view(np.float32)
        return np.fmax(lowest, -LARGEST)  # the first cell begins with patterns of NaN and -inf

    def __repr__(self) -> str:
        return f"{type(self).__name__}(bits={self.bits}, pos_label={self.pos_label!r})"


def _lowest_sum(above: Array, positives: Array, misses: Array) -> float:
    """The sum over cells, and j up to their positives, of (above + j) / (above + j + misses).

    The precision bends downwards in j, so the mean of the first and the last of a piece is at most
    the mean of the piece. Pieces of one or two positives are exact.
    """
    # 5 positives in 3 pieces: they end at [1, 3, 5]
    n_pieces = np.minimum(-(-positives // 2), PIECES)
    i = ranges(n_pieces)
    of, n, t, f = (np.repeat(v, n_pieces) for v in (positives, n_pieces, above, misses))
    first, last = i * of // n + 1, (i + 1) * of // n
    ends = [(t + j) / (t + j + f) for j in (first, last)]
    return float(((last - first + 1) * (ends[0] + ends[1])).sum() / 2)


def _check_bits(bits: Any) -> int:
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer) or not 2 <= bits <= 28:
        raise ValueError(f"bits must be a whole number from 2 to 28, got {bits!r}.")
    return int(bits)
