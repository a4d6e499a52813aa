"""Choices 5 and 6: where precision is averaged, and what the sum is divided by.

An option of OVER takes curves and gives each query's amount of precision, in units of positives.
An option of DIVISOR takes curves and gives what each amount is divided by.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._counts.blocks import ranges
from sklearn_ap._counts.ranks import n_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._scores_and_ties import levels_of_pytorch
from sklearn_ap.definitions import Definition, Heights, Interpolated, PrecisionAtK

# The float32 before 1. Tools compare in float32, where a recall of 0.8 exceeds 4 / 5 a little.
BELOW_1 = 1 - 6e-8


@dataclass(frozen=True, eq=False)
class Curves:
    """The curve of each query, as a height for each threshold."""

    counts: ThresholdCounts
    heights: Array
    sizes: Array  # items of each query
    top: Callable[[Any], Heights] | None  # the definition of the first k ranks, see Option

    @property
    def n_positives(self) -> Array:
        return self.counts.n_positives

    def ranks(self, k: float | None) -> Array:
        """How many ranks count of each query, where None counts all."""
        if k is None:
            return self.sizes
        return np.broadcast_to(n_ranks(k, self.counts), self.sizes.shape)

    def hits(self, k: float | None) -> Array:
        """Positives at each threshold that are among the top k."""
        gained = self.counts.gained
        return gained if k is None else gained * PrecisionAtK(k).heights(self.counts)

    def sum(self, k: float | None = None) -> Array:
        """The sum of the heights of all positives, or of those among the top k."""
        if k is None or self.top is None:
            return self.counts.sum(self.hits(k) * self.heights)
        return self.counts.sum(self.counts.gained * self.top(k).heights(self.counts))


def _top_positives(curves: Curves) -> Array:
    """The sum of the heights of distinct scores within the first R ranks, of R positives."""
    counts = curves.counts
    is_among = counts.tps + counts.fps <= counts.each(counts.n_positives)
    return counts.sum(counts.gained * curves.heights * is_among)


def _mean_at(curves: Curves, reached: Array, n_levels: int) -> Array:
    """The mean at levels, where ``reached`` of them lie at or below the recall of a threshold."""
    counts = curves.counts
    total = counts.sum((reached - counts.above(reached)) * curves.heights)
    return counts.n_positives * total / n_levels


def _at_levels(why: str, levels: Callable[..., tuple[Array, int]]) -> Option:
    """Precision at levels; a function says how many are reached, and how many there are."""

    def over(curves: Curves) -> Array:
        return _mean_at(curves, *levels(curves.counts))

    return Option(why, over, needs_envelope=True, levels=levels)


def _float_levels(which: str, levels: Array) -> Option:
    def reached(counts: ThresholdCounts) -> tuple[Array, int]:
        return np.searchsorted(levels, counts.recall, "right"), levels.size

    return _at_levels(f"Precision is averaged at {which}, compared as floats.", reached)


def _colon_of_matlab(n_steps: int) -> Array:
    """MATLAB's 0:0.1:1, whose second half is built from its right end, and its middle from both.

    MathWorks documents it: matlabcentral/answers/143255-how-does-the-colon-operator-work.
    """
    place = np.arange(n_steps + 1)
    left, right = place * 0.1, 1 - (n_steps - place) * 0.1
    return np.where(2 * place < n_steps, left, np.where(2 * place > n_steps, right, 0.5))


def _reached_at(counts: ThresholdCounts, levels: list[float], added: float) -> tuple[Array, int]:
    """Each level x is reached at positive int(x R + added)."""
    n_positives = counts.each(counts.n_positives)
    reached = [counts.tps >= np.floor(x * n_positives + added) for x in levels]
    return np.sum(reached, axis=0), len(levels)


def _counted_levels(rounding: str, added: float) -> Option:
    why = f"Precision is averaged at 11 levels x, each reached at positive {rounding}."
    levels = (np.arange(11) / 10).tolist()
    return _at_levels(why, lambda counts: _reached_at(counts, levels, added))


def _line_at(counts: ThresholdCounts, left: Array, right: Array, levels: Array) -> Any:
    """Straight lines along which recall rises to each threshold, at the levels below its recall.

    Gives the threshold and the place of each such level, and the height of the line there.
    """
    recall = counts.recall
    passed = np.searchsorted(levels, recall)  # levels that lie below: the last at recall 1 is not
    n_levels = passed - counts.above(passed)
    # n_levels = [2, 0, 3] -> threshold = [0, 0, 2, 2, 2], level = [0, 1, 2, 3, 4]
    threshold = np.repeat(np.arange(n_levels.size), n_levels)
    level = (passed - n_levels)[threshold] + ranges(n_levels)
    above = counts.tps_above / counts.each(counts.n_positives)
    slope = ((right - left) / (recall - above))[threshold]
    return threshold, level, left[threshold] + slope * (levels[level] - above[threshold])


def _read_off(curves: Curves) -> Array:
    """Straight lines along the envelope from (0, 1), read at 101 levels, by trapezoids.

    Recall rises to a threshold from the point before it, whose precision may be lower.
    """
    counts, right = curves.counts, curves.heights
    left = np.maximum(counts.precision_before(1.0), right)
    threshold, level, height = _line_at(counts, left, right, np.linspace(0, 1, 101))
    height *= np.where(level == 0, 0.5, 1.0)  # the trapezoid's ends, one of which is 0
    per_threshold = np.bincount(threshold, height, minlength=right.size)
    return counts.n_positives * counts.sum(per_threshold) / 100


def _above_a_tenth(curves: Curves) -> Array:
    """Straight lines between ranks, read at 0.11, 0.12 and so on; what exceeds 0.1 counts.

    At the highest recall that is reached, the precision is that of the last rank.
    """
    counts, levels = curves.counts, np.linspace(0, 1, 101)
    ends = counts.precision_before(1.0), counts.precision
    threshold, level, height = _line_at(counts, *ends, levels)
    height = np.where(level > 10, np.maximum(height - 0.1, 0), 0)
    per_threshold = np.bincount(threshold, height, minlength=counts.gained.size)
    n_positives, n_scored = counts.n_positives, counts.sum(counts.gained)
    last = n_scored / np.maximum(n_scored + counts.n_negatives, TINY)
    reached = np.isin(n_scored / np.maximum(n_positives, TINY), levels[11:])
    at_last = np.where(reached, np.maximum(last - 0.1, 0), 0)
    return n_positives * (counts.sum(per_threshold) + at_last) / 90 / 0.9


def _sampled_positives(counts: ThresholdCounts) -> Array:
    """The positives that KITTI samples in each query, 0 being the first: -1 where none is left.

    Sample j is the next positive whose recall is nearest to j / 40, in floats, or the last one.
    """
    n_positives = np.maximum(counts.n_positives, TINY)
    last = counts.sum(counts.gained).astype(np.intp) - 1
    samples = np.full((41, last.size), -1)
    places, recall = np.full(last.shape, -1), 0.0
    for sample in samples:
        near = np.floor(recall * n_positives).astype(np.intp) - 3
        places = np.maximum(places + 1, np.minimum(near, last))
        for _ in range(4):
            past = recall - (places + 1) / n_positives
            moves = ((places + 2) / n_positives - recall < past) & (places < last)
            if not moves.any():
                break
            places += moves
        sample[:] = np.where(places <= last, places, -1)
        recall += 1 / 40
    return samples


def _of_41_positives(curves: Curves, chosen: slice) -> Array:
    """The mean over some of the samples, each with the largest precision from there on."""
    counts, samples = curves.counts, _sampled_positives(curves.counts)
    hits = np.concatenate(([0], np.cumsum(counts.gained)))
    threshold = np.searchsorted(hits[1:], hits[counts.starts] + samples, "right")
    heights = np.append(curves.heights, 0)[np.where(samples < 0, -1, threshold)]
    largest = np.maximum.accumulate(heights[::-1])[::-1]
    return counts.n_positives * largest[chosen].mean(axis=0)


def _kitti(which: str, chosen: slice) -> Option:
    why = (
        "Precision is taken at 41 positives, each the nearest to its level of recall, or at all if "
        "there are fewer. Each is replaced by the largest from there on, or by 0 where none is "
        f"left. The mean is over {which}."
    )
    return Option(why, lambda curves: _of_41_positives(curves, chosen))


def _best_precision(curves: Curves, *, min_recall: float) -> Array:
    """The highest precision of a threshold with this recall."""
    counts = curves.counts
    reached = counts.recall >= min_recall * BELOW_1
    return counts.n_positives * counts.highest(np.where(reached, curves.heights, 0.0))


def _best_recall(curves: Curves, *, min_precision: float) -> Array:
    """The highest recall of a threshold with this precision."""
    reached = curves.heights >= min_precision * BELOW_1
    return curves.counts.highest(np.where(reached, curves.counts.tps, 0.0))


def _gains(counts: ThresholdCounts, tps: Array, fps: Array) -> tuple[Array, Array]:
    """Recall gain and precision gain (Flach and Kull 2015) of points that found something."""
    n_positives, n_negatives = counts.each(counts.n_positives), counts.each(counts.n_negatives)
    odds = np.where(n_negatives > 0, n_positives / np.where(n_negatives > 0, n_negatives, 1), 0.0)
    return 1 - odds * (n_positives - tps) / tps, 1 - odds * fps / tps


def _over_gain(curves: Curves) -> Array:
    """Straight lines in gains are straight lines in counts, and so is the cut at recall gain 0."""
    counts, above = curves.counts, curves.counts.tps_above
    n_positives, n_negatives = counts.n_positives, counts.n_negatives
    share = n_positives / np.maximum(n_positives + n_negatives, TINY)
    first = counts.each(n_positives * share)
    tps_from = np.maximum(above, np.minimum(first, counts.tps))
    on_the_way = (tps_from - above) / counts.gained
    fps_from = counts.fps_above + on_the_way * (counts.fps - counts.fps_above)
    recall_from, precision_from = _gains(counts, tps_from, fps_from)
    recall, precision = _gains(counts, counts.tps, counts.fps)
    return n_positives * counts.sum((recall - recall_from) * (precision + precision_from) / 2)


def _over_clipped_gain(curves: Curves) -> Array:
    """A negative recall gain counts as 0; where nothing is found, precision gain is 1."""
    counts, above = curves.counts, curves.counts.tps_above
    # The tps serve where nothing stands above: any number that is not 0 would.
    gains = _gains(counts, np.where(above > 0, above, counts.tps), counts.fps_above)
    recall_from, precision_from = np.where(above > 0, gains, [[0.0], [1.0]])
    recall, precision = _gains(counts, counts.tps, counts.fps)
    width = np.maximum(recall, 0) - np.maximum(recall_from, 0)
    return counts.n_positives * counts.sum(width * (precision + precision_from) / 2)


def _exact_levels(counts: ThresholdCounts, definition: Interpolated) -> tuple[Array, int]:
    levels = definition.recall_levels
    n_levels = levels if isinstance(levels, int) else np.size(levels)  # type: ignore[arg-type]
    return definition.levels_reached(counts), n_levels


def _value_of_definition(curves: Curves, *, definition: Definition) -> Array:
    """The value of a definition, in units of positives."""
    counts = curves.counts
    return counts.n_positives * np.nan_to_num(definition(counts))


def _divided_by(amount: str, function: Callable[..., Array]) -> Option:
    return Option(f"The sum is divided by {amount}.", function)


OVER = {
    "every recall": Option("Precision is averaged over all of recall.", Curves.sum),
    "top k": Option("Only the top k items count.", lambda curves, *, k: curves.sum(k)),
    "top 32": Option("Only the top 32 items count.", lambda curves: curves.sum(32)),
    "top R": Option("Only as many items count as there are positives.", _top_positives),
    "11 levels": _float_levels("11 levels of recall", np.linspace(0, 1, 11)),
    "101 levels": _float_levels("101 levels of recall", np.linspace(0, 1, 101)),
    "101 levels, float32": _float_levels(
        "101 levels of recall, rounded to float32", levels_of_pytorch(101).astype(np.float64)
    ),
    "11 levels, arange": _float_levels("np.arange(0, 1.1, 0.1)", np.arange(0, 1.1, 0.1)),
    "101 levels, arange": _float_levels("np.arange(0, 1.01, 0.01)", np.arange(0, 1.01, 0.01)),
    "11 levels, MATLAB": _float_levels("MATLAB's 0:0.1:1", _colon_of_matlab(10)),
    "11 levels, int(x R + 0.9)": _counted_levels("int(x R + 0.9)", 0.9),
    "11 levels, lround(x R)": _counted_levels("lround(x R)", 0.5),
    "one level": Option(
        "Precision is taken at one level x, reached at positive int(x R + 0.9).",
        lambda curves, *, level: _mean_at(curves, *_reached_at(curves.counts, [level], 0.9)),
        needs_envelope=True,
    ),
    "exact levels": Option(
        "Precision is averaged at levels of recall, compared exactly.",
        lambda curves, *, definition: _mean_at(curves, *_exact_levels(curves.counts, definition)),
        needs_envelope=True,
        levels=_exact_levels,
    ),
    "precision at a recall": Option(
        "The best precision of a threshold with at least this recall, as sums are rounded.",
        _value_of_definition,
    ),
    "recall at a precision": Option(
        "The best recall of a threshold with at least this precision, as sums are rounded.",
        _value_of_definition,
    ),
    "its own value": Option(
        "The definition gives a value of its own.",
        _value_of_definition,
    ),
    "best at a recall": Option(
        "The best precision of a threshold with at least this recall is taken.",
        _best_precision,
    ),
    "best at a precision": Option(
        "The best recall of a threshold with at least this precision is taken.",
        _best_recall,
    ),
    "recall gain": Option(
        "Precision gain is averaged over recall gain, from 0 on, along straight lines.", _over_gain
    ),
    "recall gain, clipped": Option(
        "Precision gain is averaged over recall gain, which counts as 0 where it is negative.",
        _over_clipped_gain,
    ),
    "101 levels, interpolated": Option(
        "Precision is read off straight lines at 101 levels of recall; at recall 1 it is 0.",
        _read_off,
        needs_envelope=True,
    ),
    "101 points above 0.1": Option(
        "Precision is read off straight lines between ranks at 101 levels of recall. Levels up to "
        "0.1 do not count, and of precision only what exceeds 0.1, divided by 0.9.",
        _above_a_tenth,
    ),
    "11 of 41 positives": _kitti("every fourth of 41", slice(0, None, 4)),
    "40 of 41 positives": _kitti("the last 40 of 41", slice(1, None)),
}
DIVISOR = {
    "positives": _divided_by("all positives", lambda c: c.n_positives),
    "min(k, positives)": _divided_by(
        "min(k, positives)", lambda c, *, k: np.minimum(c.ranks(k), c.n_positives)
    ),
    "min(32, positives)": _divided_by(
        "min(32, positives)", lambda c: np.minimum(32, c.n_positives)
    ),
    "min(k, n, positives)": _divided_by(
        "min(k, number of items, positives)",
        lambda c, *, k: np.minimum(np.minimum(c.ranks(k), c.sizes), c.n_positives),
    ),
    "hits": _divided_by("the hits in the top k", lambda c, *, k: c.counts.sum(c.hits(k))),
    "k": _divided_by("k", lambda c, *, k: c.ranks(k)),
    "min(k, n)": _divided_by(
        "min(k, number of items)", lambda c, *, k: np.minimum(c.ranks(k), c.sizes)
    ),
    "its own divisor": _divided_by(
        "what the definition says", lambda c, *, definition: definition.divisor(c.counts)
    ),
}
