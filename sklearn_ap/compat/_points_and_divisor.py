"""Choices 5 and 6: the recall at which precision is averaged, and the divisor of the sum.

An option of OVER takes curves and returns the sum of precision of each query, in units of
positives. An option of DIVISOR takes curves and returns the divisor of each sum.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.counting import n_ranks
from sklearn_ap._counts.sums import ranges
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._types import Argument, Array, Float, Index
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._scores_and_ties import pytorch_levels
from sklearn_ap.definitions import Definition, Interpolated, PrecisionAtK

# The largest float32 below 1. Tools compare in float32, where 0.8 is slightly more than 4 / 5.
BELOW_1 = 1 - 6e-8


class LevelCounts(NamedTuple):
    """The number of levels of recall that are reached at each threshold, and the number of all."""

    reached: Array
    n_levels: int


class LinePoints(NamedTuple):
    """Points of straight lines, each at a level of recall."""

    threshold: Index  # the end of the line; recall rises to it
    level: Index  # the index of the level
    height: Float  # the height of the line at this level


class Gains(NamedTuple):
    """Recall gain and precision gain (Flach and Kull 2015)."""

    recall: Array
    precision: Array


@dataclass(frozen=True, eq=False)
class Curves:
    """The curve of each query, as a height for each threshold."""

    counts: ThresholdCounts
    heights: Array
    sizes: Array  # the number of items of each query
    definition_at_k: Callable[[Argument], Definition] | None  # see Option

    @property
    def n_positives(self) -> Array:
        return self.counts.n_positives

    def ranks(self, k: float | None) -> Array:
        """Return the number of ranks of each query that count; all if k is None."""
        if k is None:
            return self.sizes
        return np.broadcast_to(n_ranks(k, self.counts), self.sizes.shape)

    def hits(self, k: float | None) -> Array:
        """Count the positives at each threshold that are among the top k."""
        gained = self.counts.gained
        return gained if k is None else gained * PrecisionAtK(k).heights(self.counts)

    def sum(self, k: float | None = None) -> Array:
        """Add up the heights of all positives, or of those among the top k."""
        if k is None or self.definition_at_k is None:
            return self.counts.sum(self.hits(k) * self.heights)
        heights = self.definition_at_k(k).heights(self.counts)
        return self.counts.sum(self.counts.gained * heights)


def _sum_top_positives(curves: Curves) -> Array:
    """Add up the heights of thresholds within the first R ranks, where R counts the positives."""
    counts = curves.counts
    is_in_top = counts.tps + counts.fps <= counts.each(counts.n_positives)
    return counts.sum(counts.gained * curves.heights * is_in_top)


def _mean_over_levels(curves: Curves, levels: LevelCounts) -> Array:
    """Average heights over levels of recall."""
    counts = curves.counts
    # The levels that each threshold is the first to reach.
    n_new = levels.reached - counts.above(levels.reached)
    return counts.n_positives * counts.sum(n_new * curves.heights) / levels.n_levels


def _levels_option(why: str, count_levels: Callable[[ThresholdCounts], LevelCounts]) -> Option:
    """Make the option that averages precision at levels of recall."""

    def average_heights(curves: Curves) -> Array:
        return _mean_over_levels(curves, count_levels(curves.counts))

    return Option(why, average_heights, needs_envelope=True, levels=count_levels)


def _float_levels_option(name: str, levels: Array) -> Option:
    def count_levels(counts: ThresholdCounts) -> LevelCounts:
        return LevelCounts(np.searchsorted(levels, counts.recall, "right"), levels.size)

    return _levels_option(f"Precision is averaged at {name}, compared as floats.", count_levels)


def _matlab_colon(n_steps: int) -> Array:
    """Make MATLAB's 0:0.1:1: the first half counts from 0, the second from 1, the middle is exact.

    MathWorks documents it: matlabcentral/answers/143255-how-does-the-colon-operator-work.
    """
    step = np.arange(n_steps + 1)
    left = step * 0.1
    right = 1 - (n_steps - step) * 0.1
    return np.where(2 * step < n_steps, left, np.where(2 * step > n_steps, right, 0.5))


def _count_rounded_levels(
    counts: ThresholdCounts, levels: list[float], shift: float
) -> LevelCounts:
    """Count the levels x that are reached: each at positive int(x R + shift), of R positives."""
    n_positives = counts.each(counts.n_positives)
    is_reached = [counts.tps >= np.floor(x * n_positives + shift) for x in levels]
    return LevelCounts(np.sum(is_reached, axis=0), len(levels))


def _counted_levels_option(rounding: str, shift: float) -> Option:
    why = f"Precision is averaged at 11 levels x, each reached at positive {rounding}."
    levels = (np.arange(11) / 10).tolist()
    return _levels_option(why, lambda counts: _count_rounded_levels(counts, levels, shift))


def _read_lines(counts: ThresholdCounts, left: Array, right: Array, levels: Array) -> LinePoints:
    """Find the heights of straight lines at levels of recall.

    A line leads to each threshold, from height ``left`` at the recall above it to height ``right``.
    """
    recall = counts.recall
    n_passed = np.searchsorted(levels, recall)  # levels below the recall, so never that at 1
    n_levels = n_passed - counts.above(n_passed)
    # n_levels = [2, 0, 3] -> threshold = [0, 0, 2, 2, 2], level = [0, 1, 2, 3, 4]
    threshold = np.repeat(np.arange(n_levels.size), n_levels)
    level = (n_passed - n_levels)[threshold] + ranges(n_levels)
    recall_above = counts.tps_above / counts.each(counts.n_positives)
    slope = ((right - left) / (recall - recall_above))[threshold]
    height = left[threshold] + slope * (levels[level] - recall_above[threshold])
    return LinePoints(threshold, level, height)


def _sum_interpolated_levels(curves: Curves) -> Array:
    """Add up trapezoids between 101 levels, under straight lines along the envelope from (0, 1).

    The point before a threshold may have a lower precision; the line is level then.
    """
    counts = curves.counts
    right = curves.heights
    left = np.maximum(counts.precision_before(1.0), right)
    points = _read_lines(counts, left, right, np.linspace(0, 1, 101))
    # The first and the last level have weight 1/2; the height at the last one, recall 1, is 0.
    height = points.height * np.where(points.level == 0, 0.5, 1.0)
    threshold_sums = np.bincount(points.threshold, height, minlength=right.size)
    return counts.n_positives * counts.sum(threshold_sums) / 100  # 101 levels bound 100 trapezoids


def _sum_above_a_tenth(curves: Curves) -> Array:
    """Add up the precision in excess of 0.1 at recall 0.11, 0.12 and so on.

    Precision is interpolated linearly between ranks. At the highest recall that is reached, it is
    the precision of the last rank.
    """
    counts = curves.counts
    levels = np.linspace(0, 1, 101)
    left = counts.precision_before(1.0)
    points = _read_lines(counts, left, counts.precision, levels)
    excess = np.where(points.level > 10, np.maximum(points.height - 0.1, 0), 0)
    threshold_sums = np.bincount(points.threshold, excess, minlength=counts.gained.size)
    n_positives = counts.n_positives
    n_scored = counts.sum(counts.gained)
    last_precision = n_scored / np.maximum(n_scored + counts.n_negatives, TINY)
    is_last_level = np.isin(n_scored / np.maximum(n_positives, TINY), levels[11:])
    last_excess = np.where(is_last_level, np.maximum(last_precision - 0.1, 0), 0)
    # The mean over 90 levels, as a share of the largest excess, 0.9.
    return n_positives * (counts.sum(threshold_sums) + last_excess) / 90 / 0.9


def _sampled_positives(counts: ThresholdCounts) -> Array:
    """Find the indices of the positives that KITTI samples in each query; -1 if none is left.

    Sample j is the next positive whose recall is nearest to j / 40, in floats, or the last one.
    """
    n_positives = np.maximum(counts.n_positives, TINY)
    last = counts.sum(counts.gained).astype(np.intp) - 1
    samples = np.full((41, last.size), -1)  # (n_samples, n_queries)
    positive = np.full(last.shape, -1)  # the index of the last sampled positive of each query
    recall = 0.0
    for sample in samples:
        # The nearest positive has index floor(recall * R) - 1, or a neighbour. Begin two before it:
        # four steps forward are enough, and floats decide as in KITTI's loop over all positives.
        begin = np.floor(recall * n_positives).astype(np.intp) - 3
        positive = np.maximum(positive + 1, np.minimum(begin, last))
        for _ in range(4):
            distance = recall - (positive + 1) / n_positives
            next_distance = (positive + 2) / n_positives - recall
            is_moved = (next_distance < distance) & (positive < last)
            if not is_moved.any():
                break
            positive += is_moved
        sample[:] = np.where(positive <= last, positive, -1)
        recall += 1 / 40
    return samples


def _sampled_mean(curves: Curves, samples: slice) -> Array:
    """Average over some samples, each with the largest precision of it and the later ones."""
    counts = curves.counts
    positives = _sampled_positives(counts)
    # n_before[i] counts the positives of all queries before threshold i.
    n_before = np.concatenate(([0], np.cumsum(counts.gained)))
    threshold = np.searchsorted(n_before[1:], n_before[counts.starts] + positives, "right")
    # Where no positive is left, index -1 takes the appended 0.
    heights = np.append(curves.heights, 0)[np.where(positives < 0, -1, threshold)]
    largest = np.maximum.accumulate(heights[::-1])[::-1]
    return counts.n_positives * largest[samples].mean(axis=0)


def _kitti_option(name: str, samples: slice) -> Option:
    why = (
        "Precision is taken at 41 positives, each the nearest to its level of recall, or at all if "
        "there are fewer. Each is replaced by the largest from there on, or by 0 where none is "
        f"left. The mean is over {name}."
    )
    return Option(why, lambda curves: _sampled_mean(curves, samples))


def _best_precision(curves: Curves, *, min_recall: float) -> Array:
    """Find the highest precision of a threshold with at least this recall."""
    counts = curves.counts
    is_reached = counts.recall >= min_recall * BELOW_1
    return counts.n_positives * counts.highest(np.where(is_reached, curves.heights, 0.0))


def _best_recall(curves: Curves, *, min_precision: float) -> Array:
    """Find the true positives of the threshold with the highest recall at this precision."""
    is_reached = curves.heights >= min_precision * BELOW_1
    return curves.counts.highest(np.where(is_reached, curves.counts.tps, 0.0))


def _first_hit(curves: Curves, k: float | None = None) -> Array:
    """Take the height at the first true positive, or 0 if it is not among the top k."""
    counts = curves.counts
    is_counted = counts.tps_above == 0
    if k is None:
        return counts.n_positives * counts.sum(is_counted * curves.heights)
    share_in_top = PrecisionAtK(k).heights(counts)
    return counts.n_positives * counts.sum(is_counted * share_in_top * curves.heights)


def _gains(counts: ThresholdCounts, tps: Array, fps: Array) -> Gains:
    """Compute the gains at points with at least one true positive."""
    n_positives = counts.each(counts.n_positives)
    n_negatives = counts.each(counts.n_negatives)
    odds = np.where(n_negatives > 0, n_positives / np.where(n_negatives > 0, n_negatives, 1), 0.0)
    return Gains(recall=1 - odds * (n_positives - tps) / tps, precision=1 - odds * fps / tps)


def _area_under_gains(curves: Curves) -> Array:
    """Add up the trapezoids under precision gain, from recall gain 0 on.

    Straight lines in gains are straight lines in counts, and so is the cut at recall gain 0.
    """
    counts = curves.counts
    n_positives = counts.n_positives
    prevalence = n_positives / np.maximum(n_positives + counts.n_negatives, TINY)
    tps_at_zero = counts.each(n_positives * prevalence)  # true positives at recall gain 0
    tps_left = np.maximum(counts.tps_above, np.minimum(tps_at_zero, counts.tps))
    share = (tps_left - counts.tps_above) / counts.gained
    fps_left = counts.fps_above + share * (counts.fps - counts.fps_above)
    left = _gains(counts, tps_left, fps_left)
    right = _gains(counts, counts.tps, counts.fps)
    areas = (right.recall - left.recall) * (right.precision + left.precision) / 2
    return n_positives * counts.sum(areas)


def _area_under_clipped_gains(curves: Curves) -> Array:
    """Add up the trapezoids under precision gain, where a negative recall gain counts as 0.

    Before the first true positive, precision gain is 1.
    """
    counts = curves.counts
    has_tps_above = counts.tps_above > 0
    # Where no true positive is above, any number but 0 would do: its gains are replaced below.
    tps_left = np.where(has_tps_above, counts.tps_above, counts.tps)
    left = _gains(counts, tps_left, counts.fps_above)
    right = _gains(counts, counts.tps, counts.fps)
    recall_left = np.where(has_tps_above, left.recall, 0.0)
    precision_left = np.where(has_tps_above, left.precision, 1.0)
    width = np.maximum(right.recall, 0) - np.maximum(recall_left, 0)
    return counts.n_positives * counts.sum(width * (right.precision + precision_left) / 2)


def _count_exact_levels(counts: ThresholdCounts, definition: Interpolated) -> LevelCounts:
    levels = definition.recall_levels
    n_levels = levels if isinstance(levels, int) else np.size(levels)  # type: ignore[arg-type]
    return LevelCounts(definition.levels_reached(counts), n_levels)


def _definition_value(curves: Curves, *, definition: Definition) -> Array:
    """Return the value of a definition, in units of positives."""
    counts = curves.counts
    return counts.n_positives * np.nan_to_num(definition(counts))


def _divisor_option(amount: str, function: Callable[..., Array]) -> Option:
    return Option(f"The sum is divided by {amount}.", function)


OVER = {
    "every recall": Option("Precision is averaged over all of recall.", Curves.sum),
    "top k": Option("Only the top k items count.", lambda curves, *, k: curves.sum(k)),
    "top 32": Option("Only the top 32 items count.", lambda curves: curves.sum(32)),
    "top R": Option("Only as many items count as there are positives.", _sum_top_positives),
    "11 levels": _float_levels_option("11 levels of recall", np.linspace(0, 1, 11)),
    "101 levels": _float_levels_option("101 levels of recall", np.linspace(0, 1, 101)),
    "101 levels, float32": _float_levels_option(
        "101 levels of recall, rounded to float32", pytorch_levels(101).astype(np.float64)
    ),
    "11 levels, arange": _float_levels_option("np.arange(0, 1.1, 0.1)", np.arange(0, 1.1, 0.1)),
    "101 levels, arange": _float_levels_option(
        "np.arange(0, 1.01, 0.01)", np.arange(0, 1.01, 0.01)
    ),
    "11 levels, MATLAB": _float_levels_option("MATLAB's 0:0.1:1", _matlab_colon(10)),
    "11 levels, int(x R + 0.9)": _counted_levels_option("int(x R + 0.9)", 0.9),
    "11 levels, lround(x R)": _counted_levels_option("lround(x R)", 0.5),
    "one level": Option(
        "Precision is taken at one level x, reached at positive int(x R + 0.9).",
        lambda curves, *, level: _mean_over_levels(
            curves, _count_rounded_levels(curves.counts, [level], 0.9)
        ),
        needs_envelope=True,
    ),
    "exact levels": Option(
        "Precision is averaged at levels of recall, compared exactly.",
        lambda curves, *, definition: _mean_over_levels(
            curves, _count_exact_levels(curves.counts, definition)
        ),
        needs_envelope=True,
        levels=_count_exact_levels,
    ),
    "precision at a recall": Option(
        "The best precision of a threshold with at least this recall, as sums are rounded.",
        _definition_value,
    ),
    "recall at a precision": Option(
        "The best recall of a threshold with at least this precision, as sums are rounded.",
        _definition_value,
    ),
    "its own value": Option(
        "The definition gives a value of its own.",
        _definition_value,
    ),
    "best at a recall": Option(
        "The best precision of a threshold with at least this recall is taken.",
        _best_precision,
    ),
    "best at a precision": Option(
        "The best recall of a threshold with at least this precision is taken.",
        _best_recall,
    ),
    "first hit": Option(
        "Precision is taken at the first hit alone; without ties, this is its reciprocal rank.",
        _first_hit,
    ),
    "first hit of the top k": Option(
        "Precision is taken at the first hit alone, if it is one of the top k items.",
        lambda curves, *, k: _first_hit(curves, k),
    ),
    "first hit, every order": Option(
        "Precision is taken at the first hit alone, as the mean over all orders of tied items.",
        _definition_value,
    ),
    "recall gain": Option(
        "Precision gain is averaged over recall gain, from 0 on, along straight lines.",
        _area_under_gains,
    ),
    "recall gain, clipped": Option(
        "Precision gain is averaged over recall gain, which counts as 0 where it is negative.",
        _area_under_clipped_gains,
    ),
    "101 levels, interpolated": Option(
        "Precision is read off straight lines at 101 levels of recall; at recall 1 it is 0.",
        _sum_interpolated_levels,
        needs_envelope=True,
    ),
    "101 points above 0.1": Option(
        "Precision is read off straight lines between ranks at 101 levels of recall. Levels up to "
        "0.1 do not count, and of precision only what exceeds 0.1, divided by 0.9.",
        _sum_above_a_tenth,
    ),
    "11 of 41 positives": _kitti_option("every fourth of 41", slice(0, None, 4)),
    "40 of 41 positives": _kitti_option("the last 40 of 41", slice(1, None)),
}
DIVISOR = {
    "positives": _divisor_option("all positives", lambda c: c.n_positives),
    "min(k, positives)": _divisor_option(
        "min(k, positives)", lambda c, *, k: np.minimum(c.ranks(k), c.n_positives)
    ),
    "min(32, positives)": _divisor_option(
        "min(32, positives)", lambda c: np.minimum(32, c.n_positives)
    ),
    "min(k, n, positives)": _divisor_option(
        "min(k, number of items, positives)",
        lambda c, *, k: np.minimum(np.minimum(c.ranks(k), c.sizes), c.n_positives),
    ),
    "hits": _divisor_option("the hits in the top k", lambda c, *, k: c.counts.sum(c.hits(k))),
    "k": _divisor_option("k", lambda c, *, k: c.ranks(k)),
    "min(k, n)": _divisor_option(
        "min(k, number of items)", lambda c, *, k: np.minimum(c.ranks(k), c.sizes)
    ),
    "its own divisor": _divisor_option(
        "what the definition says", lambda c, *, definition: definition.divisor(c.counts)
    ),
}
