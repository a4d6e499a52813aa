"""Choices 3 and 4: the line between operating points, and where it starts.

Between: counts in, and for each threshold the mean precision while recall rises to it. Straight
lines also ask for the precision at which each curve starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._kernel import segment_sums
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Hyperbolic, Interpolated, Step

__all__ = [
    "best_points",
    "each_hit",
    "envelope",
    "hyperbola",
    "level_start",
    "lost_start",
    "lower",
    "perfect_start",
    "sampled_hyperbola",
    "step",
    "straight",
    "upper",
]

Array = NDArray[Any]

step = Step().heights
envelope = Interpolated().heights
hyperbola = Hyperbolic().heights


def straight(counts: ThresholdCounts, start: Array | float) -> Array:
    """Trapezoids; where the start is lost (nan), so is what lies left of the first point."""
    before = np.where(counts.before > 0, counts.precision_before(0.0), start)
    return np.nan_to_num((before + counts.precision) / 2)


def lower(counts: ThresholdCounts) -> Array:
    """Rectangles below."""
    return np.minimum(counts.precision_before(0.0), counts.precision)


def upper(counts: ThresholdCounts) -> Array:
    """Rectangles above."""
    return np.maximum(counts.precision_before(0.0), counts.precision)


def each_hit(counts: ThresholdCounts) -> Array:
    """Height 1."""
    return np.ones(counts.tps.shape)


def sampled_hyperbola(counts: ThresholdCounts) -> Array:
    """Trapezoids between whole numbers of true positives; the first group is a rectangle."""
    steps = np.where(counts.before > 0, counts.gained, 1).astype(np.intp)
    misses = counts.fps - counts.fps_above
    return _unit_steps(counts, counts.fps_above, misses, steps, counts.precision)


def best_points(counts: ThresholdCounts, start: Array | float) -> Array:
    """Trapezoids between the best points of each recall, cut at each positive in large jumps."""
    fps_before = counts.above(counts.fps)
    steps = np.where(counts.gained > 2, counts.gained, 1).astype(np.intp)
    return _unit_steps(counts, fps_before, counts.fps - fps_before, steps, start)


def _unit_steps(
    counts: ThresholdCounts, fps: Array, misses: Array, steps: Array, start: Array | float
) -> Array:
    """Trapezoids of precision over equal steps to each threshold, from so many false positives."""
    first = np.cumsum(steps) - steps
    i = np.arange(steps.sum()) - np.repeat(first, steps)
    each = np.repeat(steps, steps)
    tps, hits = np.repeat(counts.tps_above, steps), np.repeat(counts.gained, steps)
    fps, misses = np.repeat(fps, steps), np.repeat(misses, steps)
    at_start = np.repeat(np.broadcast_to(start, steps.shape), steps).astype(np.float64)

    def precision(share: Array) -> Array:
        found = tps + share * hits
        all_found = found + fps + share * misses
        return np.divide(found, all_found, out=at_start.copy(), where=all_found > 0)

    trapezoids = (precision(i / each) + precision((i + 1) / each)) / 2 / each
    return segment_sums(np.nan_to_num(trapezoids), first)  # nan: the start is lost


def level_start(counts: ThresholdCounts) -> Array:
    """The precision of the first point."""
    return counts.precision


def perfect_start(_: ThresholdCounts) -> float:
    """Precision 1."""
    return 1.0


def lost_start(_: ThresholdCounts) -> float:
    """No precision."""
    return np.nan
