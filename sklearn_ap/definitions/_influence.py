"""What one row does to a value: the derivative by its weight."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio

HeightFunction = Callable[[ThresholdCounts], Float]

RELATIVE_STEP = 1e-6  # by how much central differences move an argument


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The derivative of a ranking's value by the weight of one row, by where the row stands."""

    positive: Float  # of a positive at each threshold
    tied: Float  # of a negative that is tied with each threshold
    between: Float  # of a negative between each threshold and the one above it
    unscored: Float  # of a positive that was never scored, one number per ranking
    # of a negative below the last threshold, one number per ranking: none, unless a prevalence
    # is given, as the negatives then share a weight
    below: Float | float = 0.0


def derivatives_of_precision(counts: ThresholdCounts, factor: Any = 1.0) -> tuple[Float, Float]:
    """What a positive and a negative at or above each threshold change of the precision there.

    With t true and f false positives it is t / (t + f): a positive adds f / (t + f)**2, and a
    negative takes t / (t + f)**2 away. The ``factor`` of both keeps tiny weights from overflowing.
    """
    size = counts.tps + counts.fps
    share = factor / size
    return share * (counts.fps / size), -share * counts.precision


def precision_influence(counts: ThresholdCounts, heights: Float, resting: Array) -> Influence:
    """Influence in closed form, for heights that are the precision at some threshold.

    ``resting`` is the weight of the positives whose height is the precision at each threshold.
    """
    derivatives = derivatives_of_precision(counts, factor=resting)
    by_positive, by_negative = (counts.sum_below(each) for each in derivatives)
    n_positives = counts.n_positives.astype(np.float64)
    value = ratio(counts.sum(counts.gained * heights), n_positives)
    n = counts.each(n_positives)
    positive = (heights + by_positive - counts.each(value)) / n
    negative = by_negative / n
    return Influence(positive, negative, negative, -value / n_positives)


def central_differences(
    heights: HeightFunction, divisor: Array, counts: ThresholdCounts
) -> Influence | None:
    """Influence on the sum of ``gained * heights`` over a divisor in proportion to the positives.

    None if a height depends on more than its own threshold and ``n_positives``.
    """
    arguments, height, is_own = arguments_of_heights(heights, counts)
    if not is_own:
        return None
    by = {name: _derivative(heights, arguments, name) for name in arguments}
    return influence_of_heights(counts, height, by, divisor)


def influence_of_heights(
    counts: ThresholdCounts, height: Float, derivatives: dict[str, Float], divisor: Array
) -> Influence:
    """Influence on such a sum, from the derivatives of each height by its arguments.

    A row changes those of its own threshold, and tps_above or fps_above of all thresholds below it.
    """
    by = {name: counts.gained * derivative for name, derivative in derivatives.items()}
    tps_below = counts.sum_below(by["tps_above"]) - by["tps_above"]
    fps_below = counts.sum_below(by["fps_above"])
    # A positive raises n_positives, too, which the sum is divided by.
    unscored = counts.sum(
        by["n_positives"] - counts.gained * height / counts.each(counts.n_positives)
    )
    positive = height + by["gained"] + tps_below + counts.each(unscored)
    tied = by["tied"] + fps_below - by["fps_above"]
    each = counts.each(divisor)
    return Influence(positive / each, tied / each, fps_below / each, ratio(unscored, divisor))


def arguments_of_heights(
    heights: HeightFunction, counts: ThresholdCounts
) -> tuple[dict[str, Float], Float, bool]:
    """What each height may depend on, the heights, and whether they depend on nothing else."""
    arguments = {
        "gained": counts.gained,
        "tied": counts.fps - counts.fps_above,
        "tps_above": counts.tps_above,
        "fps_above": counts.fps_above,
        "n_positives": counts.n_positives[counts.ranking()],
    }
    arguments = {name: values.astype(np.float64) for name, values in arguments.items()}
    height, alone = heights(counts), height_of_each(heights, arguments)
    is_own = np.allclose(alone, height, rtol=RELATIVE_TOLERANCE, atol=ABSOLUTE_TOLERANCE)
    return arguments, height, is_own


def _derivative(heights: HeightFunction, arguments: dict[str, Float], name: str) -> Float:
    """The derivative of each height by one of its arguments; 0 where the argument is 0."""
    value = arguments[name]
    up, down = (
        height_of_each(heights, arguments | {name: value * (1 + step)})
        for step in (RELATIVE_STEP, -RELATIVE_STEP)
    )
    return np.divide(up - down, 2 * RELATIVE_STEP * value, out=np.zeros_like(up), where=value > 0)


def height_of_each(heights: HeightFunction, arguments: dict[str, Float]) -> Float:
    """The height of each threshold if it were the last one of a ranking of its own.

    All positives above it then stand at one threshold, if there are any: with gained = [2, 3] and
    tps_above = [0, 2], the rankings have tps = [2] and tps = [2, 5].
    """
    gained, tied, tps_above, fps_above, n_positives = arguments.values()
    has_above = tps_above > 0
    own = np.stack((gained, tps_above + gained, fps_above + tied, fps_above))
    above = np.stack((tps_above, tps_above, fps_above, fps_above))[:, has_above]
    weight, tps, fps, before = np.insert(own, np.flatnonzero(has_above), above, axis=1)
    falling = -np.arange(weight.size, dtype=np.float64)
    last = np.arange(gained.size) + has_above.cumsum()
    starts, n_negatives = last - has_above, fps_above + tied
    counts = ThresholdCounts(falling, weight, tps, fps, before, starts, n_positives, n_negatives)
    return heights(counts)[last]
