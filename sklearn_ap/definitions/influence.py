"""The influence of a row: the derivative of a value by the weight of that row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts, ratio

__all__ = ["Influence", "accumulate", "central_differences"]

Array = NDArray[Any]
Float = NDArray[np.float64]

STEP = 1e-6  # relative, of each argument


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The derivative of a ranking's value by the weight of one row, by where the row stands.

    A negative below the last threshold has no influence.

    Parameters
    ----------
    positive : ndarray of shape (n_thresholds,)
        Of a positive at each threshold.
    tied : ndarray of shape (n_thresholds,)
        Of a negative that is tied with each threshold.
    between : ndarray of shape (n_thresholds,)
        Of a negative between each threshold and the one above it.
    missed : ndarray of shape (n_rankings,)
        Of a positive that was never scored.
    """

    positive: Float
    tied: Float
    between: Float
    missed: Float

    def times(self, factor: Float, ranking: NDArray[np.intp]) -> Influence:
        """Multiply that of each ranking, where ``ranking`` says which one a threshold is in."""
        each = factor[ranking]
        return Influence(
            self.positive * each, self.tied * each, self.between * each, self.missed * factor
        )


def accumulate(
    counts: ThresholdCounts, heights: Float, by_positive: Float, by_negative: Float
) -> Influence:
    """Influence where each row above a threshold, or at it, moves its part of the sum alike.

    ``by_positive`` and ``by_negative`` say by how much the sum of ``gained * heights`` changes
    with one more positive, or negative, at the threshold or above it.
    """
    n_positives = counts.n_positives.astype(np.float64)
    value = ratio(counts.sum(counts.gained * heights), n_positives)
    n = counts.each(n_positives)
    # One sum of complex numbers takes half as long as two sums.
    moved = np.empty(heights.size, dtype=np.complex128)
    moved.real, moved.imag = by_positive, by_negative
    moved = counts.sum_below(moved)
    positive = moved.real + heights
    positive -= counts.each(value)  # in place: fresh memory costs more than the arithmetic
    positive /= n
    negative = moved.imag / n
    return Influence(positive, negative, negative, -value / n_positives)


def central_differences(
    heights: Callable[[ThresholdCounts], Float], counts: ThresholdCounts
) -> Influence | None:
    """Influence for heights that depend on their own threshold and ``n_positives`` alone.

    None if the heights depend on anything else.
    """
    arguments = _arguments(counts)
    height = heights(counts)
    if not np.allclose(_heights_of(heights, arguments), height, rtol=1e-9, atol=1e-12):
        return None
    # By how much gained * height grows with one row more of each kind.
    by_gained, by_tied, by_tps, by_fps, by_n = (
        counts.gained * _derivative(heights, arguments, i) for i in range(5)
    )
    n, missed = arguments[4], counts.sum(by_n - counts.gained * height / arguments[4])
    tps_below, fps_below = counts.sum_below(by_tps) - by_tps, counts.sum_below(by_fps)
    positive = height + by_gained + tps_below + missed[counts.ranking()]
    tied = by_tied + fps_below - by_fps
    return Influence(positive / n, tied / n, fps_below / n, ratio(missed, counts.n_positives))


def _arguments(counts: ThresholdCounts) -> list[Float]:
    """What a height may depend on: gained, tied, tps_above, fps_above and n_positives."""
    tied, n_positives = counts.fps - counts.fps_above, counts.n_positives[counts.ranking()]
    arguments = (counts.gained, tied, counts.tps_above, counts.fps_above, n_positives)
    return [np.asarray(values, dtype=np.float64) for values in arguments]


def _derivative(
    heights: Callable[[ThresholdCounts], Float], arguments: list[Float], moved: int
) -> Float:
    """The derivative of each height by one of its arguments; 0 where no row stands."""
    value = arguments[moved]
    up, down = (
        _heights_of(heights, [*arguments[:moved], value * (1 + step), *arguments[moved + 1 :]])
        for step in (STEP, -STEP)
    )
    return np.divide(up - down, 2 * STEP * value, out=np.zeros(value.shape), where=value > 0)


def _heights_of(heights: Callable[[ThresholdCounts], Float], arguments: list[Float]) -> Float:
    """The height of each threshold as a ranking of its own.

    One threshold stands above it, which holds all positives above: with tps_above = [0, 2] and
    gained = [2, 3], the tps of the rankings are [2] and [2, 5].
    """
    gained, tied, tps_above, fps_above, n_positives = arguments
    first = np.column_stack((tps_above, tps_above, fps_above, fps_above))
    own = np.column_stack((gained, tps_above + gained, fps_above + tied, fps_above))
    kept = np.column_stack((tps_above > 0, np.ones(gained.size, dtype=bool)))
    gained, tps, fps, before = np.stack((first, own), axis=1)[kept].T
    starts = np.cumsum(kept.sum(axis=1)) - kept.sum(axis=1)
    falling, n_negatives = -np.arange(gained.size, dtype=np.float64), fps_above + tied
    counts = ThresholdCounts(falling, gained, tps, fps, before, starts, n_positives, n_negatives)
    return heights(counts)[kept.nonzero()[1] == 1]
