"""The influence of one row on a value: the derivative by the weight of the row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Float, FloatOrArray
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio

HeightFunction = Callable[[ThresholdCounts], Float]
# What the height of each threshold may depend on, or its derivatives by that: "gained" and "tied"
# are the positives and the negatives at the threshold, "tps_above" and "fps_above" those above it,
# and "n_positives" all positives of its ranking. Each has shape (n_thresholds,).
Arguments = dict[str, Float]

RELATIVE_STEP = 1e-6  # by how much central differences move an argument


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The derivative phi of a ranking's value by the weight of one row, by where the row stands."""

    positive: Float  # of a positive at each threshold
    tied: Float  # of a negative that is tied with each threshold
    between: Float  # of a negative between each threshold and the one above it
    unscored: Float  # of a positive that was never scored, one number per ranking
    # of a negative below the last threshold, one number per ranking: none, unless a prevalence
    # is given, as the negatives then share a weight
    below: Float | float = 0.0


class EvaluatedHeights(NamedTuple):
    """The heights of thresholds, and what they depend on."""

    heights: Float
    arguments: Arguments
    are_separate: bool  # whether no height depends on anything but its own arguments


def precision_derivatives(
    counts: ThresholdCounts, factor: FloatOrArray = 1.0
) -> tuple[Float, Float]:
    """Compute the derivatives of precision by a positive and by a negative at or above a threshold.

    With t true and f false positives, precision is t / (t + f). A positive adds f / (t + f)**2 to
    it, and a negative takes t / (t + f)**2 away. The ``factor`` of both keeps tiny weights from
    overflowing.
    """
    size = counts.tps + counts.fps
    factor_share = factor / size
    return factor_share * (counts.fps / size), -factor_share * counts.precision


def precision_influence(counts: ThresholdCounts, heights: Float, resting: Array) -> Influence:
    """Compute the influence in closed form, for heights that are the precision at some threshold.

    ``resting`` is the weight of the positives whose height is the precision at each threshold: for
    steps, those that are gained there. Equation 2, with these weights in the place of g_j.
    """
    positive_terms, negative_terms = precision_derivatives(counts, factor=resting)
    n_positives = counts.n_positives.astype(np.float64)  # N, of each ranking
    value = ratio(counts.sum(counts.gained * heights), n_positives)  # A
    n = counts.each(n_positives)
    positive = (heights + counts.sum_below(positive_terms) - counts.each(value)) / n
    negative = counts.sum_below(negative_terms) / n
    return Influence(positive, negative, negative, -value / n_positives)


def central_differences(
    heights: HeightFunction, divisor: Array, counts: ThresholdCounts
) -> Influence | None:
    """Compute the influence on the sum of ``gained * heights`` over a divisor, numerically.

    The divisor must be in proportion to the positives. Return None if a height depends on more than
    its own threshold and ``n_positives``.
    """
    evaluated = evaluate_heights(heights, counts)
    if not evaluated.are_separate:
        return None
    derivatives = {
        name: _height_derivative(heights, evaluated.arguments, name) for name in evaluated.arguments
    }
    return height_influence(counts, evaluated.heights, derivatives, divisor)


def height_influence(
    counts: ThresholdCounts, heights: Float, derivatives: Arguments, divisor: Array
) -> Influence:
    """Compute the influence on the sum of ``gained * heights`` over a divisor, from derivatives.

    ``derivatives`` are those of each height by its arguments, of shape (n_thresholds,). A row
    changes the height of its own threshold, and by tps_above or fps_above those of all thresholds
    below it.
    """
    changes = {name: counts.gained * derivative for name, derivative in derivatives.items()}
    tps_below = counts.sum_below(changes["tps_above"]) - changes["tps_above"]
    fps_below = counts.sum_below(changes["fps_above"])
    # A positive raises n_positives, too, which the sum is divided by.
    unscored = counts.sum(
        changes["n_positives"] - counts.gained * heights / counts.each(counts.n_positives)
    )
    positive = heights + changes["gained"] + tps_below + counts.each(unscored)
    tied = changes["tied"] + fps_below - changes["fps_above"]
    divisors = counts.each(divisor)
    return Influence(
        positive=positive / divisors,
        tied=tied / divisors,
        between=fps_below / divisors,
        unscored=ratio(unscored, divisor),
    )


def evaluate_heights(heights: HeightFunction, counts: ThresholdCounts) -> EvaluatedHeights:
    """Compute the heights, and find out whether each depends on its own arguments alone."""
    counted = {
        "gained": counts.gained,
        "tied": counts.fps - counts.fps_above,
        "tps_above": counts.tps_above,
        "fps_above": counts.fps_above,
        "n_positives": counts.n_positives[counts.ranking()],
    }
    arguments = {name: values.astype(np.float64) for name, values in counted.items()}
    together = heights(counts)
    alone = separate_heights(heights, arguments)
    are_separate = np.allclose(alone, together, rtol=RELATIVE_TOLERANCE, atol=ABSOLUTE_TOLERANCE)
    return EvaluatedHeights(together, arguments, are_separate)


def _height_derivative(heights: HeightFunction, arguments: Arguments, name: str) -> Float:
    """Compute the derivative of each height by one of its arguments; 0 where the argument is 0."""
    value = arguments[name]
    up, down = (
        separate_heights(heights, arguments | {name: value * (1 + step)})
        for step in (RELATIVE_STEP, -RELATIVE_STEP)
    )
    return np.divide(up - down, 2 * RELATIVE_STEP * value, out=np.zeros_like(up), where=value > 0)


def separate_heights(heights: HeightFunction, arguments: Arguments) -> Float:
    """Compute the height of each threshold as if it were the last one of a ranking of its own.

    All positives above it then stand at one threshold, if there are any: with gained = [2, 3] and
    tps_above = [0, 2], the rankings have tps = [2] and tps = [2, 5].
    """
    gained = arguments["gained"]
    tps_above = arguments["tps_above"]
    fps_above = arguments["fps_above"]
    n_negatives = fps_above + arguments["tied"]
    has_above = tps_above > 0
    # Four rows, gained, tps, fps and fps_above, with a column for each threshold of the rankings.
    # Where positives stand above a threshold, their column is inserted before its own.
    own = np.stack((gained, tps_above + gained, n_negatives, fps_above))
    above = np.stack((tps_above, tps_above, fps_above, fps_above))[:, has_above]
    columns = np.insert(own, np.flatnonzero(has_above), above, axis=1)
    last = np.arange(gained.size) + has_above.cumsum()  # the own column of each ranking
    counts = ThresholdCounts(
        thresholds=-np.arange(columns.shape[1], dtype=np.float64),  # any that fall
        gained=columns[0],
        tps=columns[1],
        fps=columns[2],
        fps_above=columns[3],
        starts=last - has_above,
        n_positives=arguments["n_positives"],
        n_negatives=n_negatives,
    )
    return heights(counts)[last]
