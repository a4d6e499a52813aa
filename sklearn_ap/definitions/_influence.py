"""The influence of one row on a value: the derivative by the weight of the row.

Equations are those of docs/methods.md.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._types import Array, Float


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


class Slopes(NamedTuple):
    """How the height of each threshold changes with the weight of a positive, or of a negative.

    The derivatives are multiplied by S_j, the weight of all rows at or above the threshold, as
    those by tiny weights would overflow.
    """

    positive: Float
    negative: Float


def precision_slopes(counts: ThresholdCounts) -> Slopes:
    """Compute how precision changes with the weight of a row at or above each threshold.

    The derivatives of T / S, with S = T + F, are F / S^2 by T and -T / S^2 by F.
    """
    return Slopes(counts.fps / (counts.tps + counts.fps), -counts.precision)


def influence_of_heights(
    counts: ThresholdCounts, heights: Float, weight: Array, at: Slopes, above: Slopes
) -> Influence:
    r"""Compute the influence on a mean of heights over the positives.

    For a row of class y (1 or 0) at threshold i, this is Equation 2 for any heights h_j,

    .. math::
        \frac1N \Big(y \, (h_i - A) + g_i \dot h^y_i + \sum_{j > i} g_j \dot H^y_j\Big)

    with the derivatives :math:`\dot h^y_j` of a height by a row at its threshold, and
    :math:`\dot H^y_j` by a row above it. A negative between two thresholds is above the lower one.

    Parameters
    ----------
    counts : ThresholdCounts
        One or many rankings.
    heights : ndarray of shape (n_thresholds,)
        What each positive at a threshold adds.
    weight : ndarray of shape (n_thresholds,)
        The positives whose height changes as these slopes say: ``counts.gained``, unless heights
        are those of other thresholds.
    at, above : Slopes
        How a height changes with a row at its threshold, and with a row above it.
    """
    relative_weight = weight / (counts.tps + counts.fps)
    n_positives = counts.n_positives.astype(np.float64)
    n = counts.each(n_positives)
    value = ratio(counts.sum(counts.gained * heights), n_positives)
    positive = heights + counts.sum_below(relative_weight * above.positive) - counts.each(value)
    tied = between = counts.sum_below(relative_weight * above.negative) / n
    if at is not above:  # those sums include the threshold itself
        positive += relative_weight * (at.positive - above.positive)
        tied = between + relative_weight * (at.negative - above.negative) / n
    return Influence(positive / n, tied, between, unscored=-value / n_positives)
