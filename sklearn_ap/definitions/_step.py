"""Step average precision: no interpolation.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Float
from sklearn_ap.definitions._base import (
    Definition,
    Influence,
    influence_of_heights,
    precision_slopes,
)


@dataclass(frozen=True, repr=False)
class Step(Definition):
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
    _is_step = True

    def heights(self, counts: ThresholdCounts) -> Float:
        return counts.precision  # the P_j of equation 1, whose sum the base class adds up

    def influence(self, counts: ThresholdCounts) -> Influence:
        slopes = precision_slopes(counts)  # the same for rows at a threshold and above it
        return influence_of_heights(counts, counts.precision, counts.gained, slopes, slopes)
