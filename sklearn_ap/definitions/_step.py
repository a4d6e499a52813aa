"""Step average precision, and the influence on any mean of heights.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._types import Array, Float
from sklearn_ap.definitions._base import Definition, Influence


@dataclass(frozen=True, repr=False)
class Step(Definition, trusted=True):
    r"""Average precision as the area under steps.

    .. math:: \sum_n (R_n - R_{n-1}) P_n

    over the thresholds, highest first, with precision :math:`P_n` and recall :math:`R_n` at the
    n-th. This is scikit-learn's number since 0.19. The value lies within [0, 1]; it is nan for a
    ranking without positives.

    Tied items enter together, at the precision of the whole block, so constant scores give the
    prevalence. Weights take the place of counts. With the counts of ``docs/methods.md``, this is
    Equation 1, and Equation 2 is its influence.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Step
    >>> Step()(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.83333333])
    """

    title = "step AP"
    draws_precision = True

    def heights(self, counts: ThresholdCounts) -> Float:
        return counts.precision  # the P_j of equation 1, whose sum the base class adds up

    def influence(self, counts: ThresholdCounts) -> Influence:
        slopes = precision_slopes(counts)  # the same for rows at a threshold and above it
        return influence_of_heights(counts, counts.precision, counts.gained, slopes, slopes)


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
        \frac1N \Big(y \, (h_i - \hat\theta) + g_i h^y_i + \sum_{j > i} g_j \dot h^y_j\Big)

    with the derivatives :math:`h^y_j` of a height by a row at its threshold, and
    :math:`\dot h^y_j` by a row above it. A negative between two thresholds is above the lower one.

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
    relative_weight = weight / (counts.tps + counts.fps)  # g_j / S_j, for slopes times S_j
    n_positives = counts.n_positives.astype(np.float64)
    n = counts.per_threshold(n_positives)
    value = ratio(counts.sum(counts.gained * heights), n_positives)
    positive = counts.sum_below(relative_weight * above.positive)
    negative = counts.sum_below(relative_weight * above.negative)
    positive += heights + relative_weight * at.positive - counts.per_threshold(value)
    tied = (negative + relative_weight * at.negative) / n
    between = tied if at is above else (negative + relative_weight * above.negative) / n
    return Influence(positive / n, tied, between, unscored=-value / n_positives)
