"""Scores and thresholds: how much stands at or above each, and between them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._groups import begins_run
from sklearn_ap._threads import map_threads, n_threads

__all__ = ["Negatives", "merge", "negatives", "ordered", "positives", "segment_sums", "spread"]

Array = NDArray[Any]
Negatives = tuple[Array, Array, Any]  # at or above each threshold, strictly above, in all

SEARCHED = 2**13  # thresholds at a time, where there are many cells


def segment_sums(values: Array, starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """Add up consecutive segments, some of them empty, with pairwise summation."""
    if starts.size == 1:
        return np.add.reduce(values, keepdims=True, dtype=np.float64)
    # np.add.reduceat would give an empty segment its neighbour's value.
    filled = np.flatnonzero(np.diff(starts, append=values.size))
    sums = np.zeros(starts.size)
    sums[filled] = np.add.reduceat(values, starts[filled]) if filled.size else 0.0
    return sums


def ordered(score: Array, weight: Array | None) -> tuple[Array, Array | None]:
    """Sort scores upwards; the sums of the 0, 1, 2, ... highest weights, None without weights.

    Without weights this sorts the array itself, which spares the memory of another.
    """
    # scores [2, 3, 1] of weights [4, 5, 6] -> [1, 2, 3] and [0, 5, 9, 15]
    if weight is None:
        score.sort()
        return score, None
    order = np.argsort(score)
    sums = np.zeros(score.size + 1)
    np.take(weight, order[::-1], out=sums[1:], mode="clip")  # or it would be buffered
    np.cumsum(sums, out=sums)
    return score[order], sums


def positives(score: Array, weight: Array | None) -> tuple[Array, Array, Any]:
    """Distinct scores, upwards; what stands at or above each; the total."""
    score, sums = ordered(score, weight)
    first = begins_run(score).nonzero()[0]
    thresholds = score if first.size == score.size else score[first]
    reach = np.subtract(score.size, first, out=first)  # [1, 2, 2, 3] -> [0, 1, 3] -> [4, 3, 1]
    return (thresholds, reach, score.size) if sums is None else (thresholds, sums[reach], sums[-1])


def negatives(score: Array, weight: Array | None, thresholds: Array) -> Negatives:
    """What stands at or above each threshold; what stands strictly above it; the total."""
    score, sums = ordered(score, weight)
    left, right = _places(score, thresholds)
    above = np.subtract(score.size, right, out=right)  # in place: fresh memory costs more
    at_or_above = above if left is right else np.subtract(score.size, left, out=left)
    if sums is None:
        return at_or_above, above, score.size
    return sums[at_or_above], sums[above], sums[-1]


def merge(parts: Iterable[Array]) -> Array:
    """The thresholds of all parts, upwards, from those of each."""
    return np.unique(np.concatenate([*parts]))


def spread(score: Array, weight: Array | None, thresholds: Array, cells: Array) -> None:
    """Add rows to the cells at and between thresholds; without weights this sorts the scores.

    Cell 0 lies below the lowest threshold, cell 1 at it, cell 2 between it and the next, and so
    on up to cell ``2 * thresholds.size`` above the highest.
    """
    if weight is None:
        score.sort()
    else:
        order = np.argsort(score)
        score, weight = score[order], weight[order]
    # A few thresholds at a time, whose scores the cache holds; each has its cell and the one below.
    begins = range(0, thresholds.size + 1, SEARCHED)
    cuts = score.searchsorted(thresholds[SEARCHED - 1 :: SEARCHED], side="right")
    parts = zip(begins, pairwise([0, *cuts, score.size]), strict=True)

    def spread_part(part: tuple[int, tuple[int, int]]) -> None:
        i, (low, high) = part
        items = score[low:high], None if weight is None else weight[low:high]
        _spread(*items, thresholds[i : i + SEARCHED], cells[2 * i :][: 2 * SEARCHED])

    for _ in map_threads(spread_part, parts, n_threads(score.size)):
        pass


def _spread(score: Array, weight: Array | None, thresholds: Array, cells: Array) -> None:
    """Add sorted scores to the cells, the last of which may be that of the highest threshold."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> cells [0, 0, 1, 2, 0, 0, 1]
    where: Any = slice(None)
    if thresholds.size < score.size:
        starts = np.zeros(2 * thresholds.size + 1, np.intp)
        starts[1::2], starts[2::2] = _places(score, thresholds)
        starts = starts[: cells.size]
    else:
        cell_of = np.add(*_places(thresholds, score))
        starts = begins_run(cell_of).nonzero()[0]
        where = cell_of[starts]
    if weight is None:
        cells[where] += np.diff(starts, append=score.size)
    else:
        cells[where] += segment_sums(weight, starts)


def _places(score: Array, thresholds: Array) -> tuple[Array, Array]:
    """Where each threshold belongs in sorted scores: before its equals, and behind them."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> [0, 1, 3] and [0, 3, 3]
    right = score.searchsorted(thresholds, side="right")
    if not score.size:
        return right, right
    # The score before the place tells a tie. Before place 0 this looks at the highest score, which
    # is no tie, as the threshold is below all scores.
    right -= 1
    tied = score[right] == thresholds
    right += 1
    if not np.count_nonzero(tied):
        return right, right
    left = right.copy()
    left[tied] = score.searchsorted(thresholds[tied], side="left")
    return left, right
