"""The influence of one row on a value: the derivative by the weight of the row.

Equations are those of docs/methods.md.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE
from sklearn_ap._types import Array, Float, FloatOrArray

HeightFunction = Callable[[ThresholdCounts], Float]
# The arguments of the height of each threshold, or the derivatives by these. At the threshold,
# "gained" counts positives and "tied" negatives. Above it, "tps_above" counts positives and
# "fps_above" negatives. "n_positives" counts all positives of its ranking. Each has shape
# (n_thresholds,).
Arguments = dict[str, Float]

RELATIVE_STEP = 1e-6  # the step of central differences, relative to the argument


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """The derivative phi of a ranking's value by the weight of one row, for each row's position."""

    positive: Float  # phi for a positive at each threshold
    tied: Float  # phi for a negative tied with each threshold
    between: Float  # phi for a negative between each threshold and the one above it
    unscored: Float  # phi for a positive that was never scored, one number per ranking
    # phi for a negative below the last threshold, one number per ranking: 0 unless the user gives a
    # prevalence, as all negatives then share a weight
    below: Float | float = 0.0


class EvaluatedHeights(NamedTuple):
    """The heights of thresholds, and their arguments."""

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


def precision_influence(
    counts: ThresholdCounts, heights: Float, weight_at_vertex: Array
) -> Influence:
    """Compute the influence in closed form, for heights that are the precision at some threshold.

    ``weight_at_vertex`` is the weight of all positives whose height is the precision at each
    threshold: for steps, of the positives gained there. Equation 2, with these weights for g_j.
    """
    positive_terms, negative_terms = precision_derivatives(counts, factor=weight_at_vertex)
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

    The divisor must be proportional to the positives. Return None if a height depends on more than
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

    ``derivatives`` has the derivative of each height by each argument, of shape (n_thresholds,). A
    row changes the height of its own threshold, and by tps_above or fps_above the heights of all
    thresholds below it.
    """
    changes = {name: counts.gained * derivative for name, derivative in derivatives.items()}
    tps_below = counts.sum_below(changes["tps_above"]) - changes["tps_above"]
    fps_below = counts.sum_below(changes["fps_above"])
    # A positive also raises n_positives, by which the sum is divided.
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
    """Compute the heights, and check whether each depends on its own arguments alone."""
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
    last = np.arange(gained.size) + has_above.cumsum()  # the last column of each ranking
    counts = ThresholdCounts(
        thresholds=-np.arange(columns.shape[1], dtype=np.float64),  # any decreasing numbers
        gained=columns[0],
        tps=columns[1],
        fps=columns[2],
        fps_above=columns[3],
        starts=last - has_above,
        n_positives=arguments["n_positives"],
        n_negatives=n_negatives,
    )
    return heights(counts)[last]
