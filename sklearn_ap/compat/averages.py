"""Choices 5 and 6: where precision is averaged, and what the sum is divided by.

Over: the line of choice 3 in, for each query an amount of precision in units of positives out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import PrecisionAtK

__all__ = [
    "Averaged",
    "at_counts",
    "at_levels",
    "attainable",
    "attainable_of_32",
    "every_recall",
    "hits",
    "one_level",
    "positives",
    "ranks",
    "read_off",
    "retrieved",
    "top_32",
    "top_k",
]

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Averaged:
    """The heights of a line, and what the last two choices are made by."""

    counts: ThresholdCounts
    heights: Array
    sizes: Array  # items of each query
    k: int | None
    options: dict[str, Any]

    @property
    def n_positives(self) -> Array:
        """Positives of each query."""
        return self.counts.n_positives

    @property
    def gained(self) -> Array:
        """Positives at each threshold that are among the top k."""
        gained = self.counts.gained
        return gained if self.k is None else gained * PrecisionAtK(self.k).heights(self.counts)


def every_recall(averaged: Averaged) -> Array:
    """All positives."""
    return averaged.counts.sum(averaged.counts.gained * averaged.heights)


def top_k(averaged: Averaged) -> Array:
    """The positives among the top k."""
    return averaged.counts.sum(averaged.gained * averaged.heights)


def top_32(averaged: Averaged) -> Array:
    """The positives among the top 32."""
    return top_k(replace(averaged, k=32))


def _mean_over(averaged: Averaged, reached: Array, n_levels: int) -> Array:
    """The mean at levels, of which so many are reached at each threshold or above it."""
    counts = averaged.counts
    total = counts.sum((reached - counts.above(reached)) * averaged.heights)
    return averaged.n_positives * total / n_levels


def at_levels(levels: Array) -> Callable[[Averaged], Array]:
    """Recall and levels are compared as floats, which miss some levels that are reached."""

    def over(averaged: Averaged) -> Array:
        counts = averaged.counts
        recall = counts.tps / averaged.n_positives[counts.ranking()]
        return _mean_over(averaged, np.searchsorted(levels, recall, "right"), levels.size)

    return over


def at_counts(added: float) -> Callable[[Averaged], Array]:
    """Each of 11 levels x is reached at positive int(x R + added)."""
    return lambda averaged: _mean_at_counts(averaged, np.arange(11) / 10, added)


def one_level(averaged: Averaged) -> Array:
    """The level that the user tells is reached at positive int(x R + 0.9)."""
    return _mean_at_counts(averaged, np.array([averaged.options["level"]]), 0.9)


def _mean_at_counts(averaged: Averaged, levels: Array, added: float) -> Array:
    ranking, tps = averaged.counts.ranking(), averaged.counts.tps
    reached = np.zeros(tps.shape)
    for x in levels.tolist():
        reached += tps >= np.floor(x * averaged.n_positives + added)[ranking]
    return _mean_over(averaged, reached, levels.size)


def read_off(averaged: Averaged) -> Array:
    """Straight lines along the envelope from (0, 1), read at 101 levels, by trapezoids.

    Recall rises to a threshold from the point before it, whose precision may be lower.
    """
    counts, right = averaged.counts, averaged.heights
    left = np.maximum(counts.precision_before(1.0), right)
    n_positives = averaged.n_positives[counts.ranking()]
    recall, levels = counts.tps / n_positives, np.linspace(0, 1, 101)
    passed = np.searchsorted(levels, recall)  # levels that lie below: the last at recall 1 is 0
    n_levels = passed - counts.above(passed)
    # n_levels = [2, 0, 3] -> threshold = [0, 0, 2, 2, 2], level = [0, 1, 2, 3, 4]
    threshold = np.repeat(np.arange(n_levels.size), n_levels)
    level = np.arange(threshold.size) + np.repeat(passed - np.cumsum(n_levels), n_levels)
    above = counts.tps_above / n_positives
    slope = ((right - left) / (recall - above))[threshold]
    height = left[threshold] + slope * (levels[level] - above[threshold])
    height *= np.where(level == 0, 0.5, 1.0)  # the trapezoid's ends, one of which is 0
    per_threshold = np.bincount(threshold, height, minlength=n_levels.size)
    return averaged.n_positives * counts.sum(per_threshold) / 100


def positives(averaged: Averaged) -> Array:
    """All positives."""
    return averaged.n_positives


def attainable(averaged: Averaged) -> Array:
    """The most that the top k can hold."""
    return (
        averaged.n_positives if averaged.k is None else np.minimum(averaged.k, positives(averaged))
    )


def attainable_of_32(averaged: Averaged) -> Array:
    """The most that the top 32 can hold."""
    return np.minimum(32, averaged.n_positives)


def hits(averaged: Averaged) -> Array:
    """The positives among the top k."""
    return averaged.counts.sum(averaged.gained)


def ranks(averaged: Averaged) -> Array:
    """K, or all items."""
    return averaged.sizes if averaged.k is None else np.full(averaged.sizes.shape, averaged.k)


def retrieved(averaged: Averaged) -> Array:
    """K, or all items if there are fewer."""
    return np.minimum(ranks(averaged), averaged.sizes)
