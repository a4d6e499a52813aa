"""Interpolated average precision: the largest precision at this recall or a higher one."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._arithmetic import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import check_numbers
from sklearn_ap._types import Argument, Array, Float
from sklearn_ap._writing.text import given_as_text, names_as_text
from sklearn_ap.definitions._base import Definition, Influence, Line, level_line
from sklearn_ap.definitions._step import influence_of_heights, precision_slopes

# See equation 2. If no two neighbours of 0, the recall levels and 1 are farther apart, interpolated
# average precision has the influence of the mean over all recalls, as both vary alike. Coverage:
# benchmarks/coverage_of_intervals.py.
WIDEST_GAP = 1 / 10
MOST_LEVELS = 10_000  # a choice: they stand in memory, and more are the mean over all recalls


@dataclass(frozen=True, repr=False)
class Interpolated(Definition, trusted=True):
    r"""Average precision under the envelope of the curve.

    .. math::

        \sum_n (R_n - R_{n-1}) \max_{m \ge n} P_m
        \qquad\text{or}\qquad
        \frac{1}{|L|} \sum_{l \in L} \max_{n: R_n \ge l} P_n

    The first form covers all recalls (PASCAL VOC since 2010; Manning, Raghavan and Schuetze 2008,
    section 8.4). The second averages over recall levels L (11: VOC 2007, and TREC up to rounding;
    101: COCO). The value lies within [0, 1]. Over all recalls, it is at least the step average
    precision. It is nan for a ranking without positives.

    Precision beyond the last recall reached is 0. scikit-learn's artificial point (recall 0,
    precision 1) is no part of the curve. With levels at most 1/10 apart, the influence of a row is
    its influence on the mean over all recalls, because the derivative at a fixed level is
    misleading: levels change like quantiles. Of levels farther apart, the mean over all recalls
    says too little, and there is no influence.

    Parameters
    ----------
    recall_levels : int, array-like of shape (n_levels,) or None, default=None
        Where the envelope is averaged. None: over all recalls. An integer m >= 2: at m equally
        spaced levels from 0 to 1, compared exactly without weights; an array of these is m. Another
        array: at its levels. A level counts as reached if recall equals it up to
        ``ThresholdCounts.rounding``, as sums of weights are rounded.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Interpolated
    >>> counts = threshold_counts([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> Interpolated()(counts), Interpolated(recall_levels=11)(counts)
    (array([0.66666667]), array([0.66666667]))
    """

    # The largest of many precisions: as the argmax of a concave curve, it converges with n^(-1/3),
    # and the bias of the largest value falls with n^(-2/3) (Kim and Pollard 1990).
    bias_rate = 2 / 3
    draws_precision = True

    recall_levels: int | ArrayLike | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "recall_levels", _check_levels(self.recall_levels))

    @property
    def title(self) -> str:
        if self.recall_levels is None:
            return "interpolated AP"
        levels = self.levels
        if levels.size == 1 or not np.allclose(levels, np.linspace(0, 1, levels.size)):
            return f"AP at recall {names_as_text([given_as_text(each) for each in levels])}"
        is_eleven = levels.size == 11
        return "eleven-point AP" if is_eleven else f"AP at {levels.size} recall levels"

    @property
    def levels(self) -> Float:
        """The levels, increasing; none for the mean over all recalls."""
        if self.recall_levels is None:
            return np.empty(0)
        if isinstance(self.recall_levels, int):
            return np.arange(self.recall_levels) / (self.recall_levels - 1)
        return np.sort(np.asarray(self.recall_levels, dtype=np.float64))

    def __call__(self, counts: ThresholdCounts) -> Float:
        if self.recall_levels is None:
            return super().__call__(counts)
        sums = counts.sum(levels_gained(self.levels, counts) * self.heights(counts))
        # 0 / 0 without positives, which is nan
        return ratio(sums, self.levels.size * (counts.n_positives > 0))

    def heights(self, counts: ThresholdCounts) -> Float:
        return counts.envelope(counts.precision)

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        if self.recall_levels is not None and not self._is_dense:
            return None
        # The height of a threshold is the precision at its vertex: the first threshold at or
        # below it where the precision meets the envelope.
        # precision = [.5, .8, .5], heights = [.8, .8, .5] -> meets = [1, 2], vertex = [1, 1, 2]
        precision = counts.precision
        heights = self.heights(counts)
        # Rounding does not decide which of two equal precisions is the vertex.
        meets = np.flatnonzero(precision >= heights * (1 - RELATIVE_TOLERANCE))
        vertex = meets[meets.searchsorted(np.arange(heights.size))]
        weight_at_vertex = np.bincount(vertex, counts.gained, minlength=heights.size)
        slopes = precision_slopes(counts)
        return influence_of_heights(counts, heights, weight_at_vertex, slopes, slopes)

    @property
    def _is_dense(self) -> bool:
        """Whether the levels stand for all recalls."""
        widest = np.diff(self.levels, prepend=0.0, append=1.0).max()
        return bool(widest <= WIDEST_GAP * (1 + RELATIVE_TOLERANCE))

    def line(self, counts: ThresholdCounts) -> Line:
        return level_line(counts, self.heights(counts))


def levels_gained(levels: Float, counts: ThresholdCounts) -> Array:
    """Count the levels that recall reaches at each threshold and not above it."""
    # In floats, 3 of 10 positives are below 3 * 0.1. The rounding of unweighted counts makes up
    # for that, and one positive less is not taken, up to 10^12 positives at 101 levels.
    recall = counts.recall / (1 - counts.per_threshold(counts.rounding))
    reached = np.searchsorted(levels, recall, side="right")
    return reached - counts.value_above(reached)


def _check_levels(recall_levels: Argument) -> int | tuple[float, ...] | None:
    """Check the number of equally spaced recall levels, or the levels; None means all recalls."""
    if recall_levels is None:
        return None
    if isinstance(recall_levels, Integral):
        if 2 <= int(recall_levels) <= MOST_LEVELS:
            return int(recall_levels)
    else:
        levels = check_numbers("recall_levels", recall_levels)
        if levels.ndim == 1 and levels.size and ((levels >= 0) & (levels <= 1)).all():
            given = tuple(float(str(level)) for level in levels)  # 0.1 in float32 means 0.1
            is_off = np.abs(given - np.linspace(0, 1, len(given))) > ABSOLUTE_TOLERANCE
            return given if is_off.any() or not 1 < len(given) <= MOST_LEVELS else len(given)
    raise InputError(
        f"recall_levels must be None, a whole number from 2 to {MOST_LEVELS:,}, or an array of "
        f"levels within [0, 1], got {recall_levels!r:.70}."
    )
