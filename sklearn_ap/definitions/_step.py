"""Step average precision: no interpolation.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Array, Float
from sklearn_ap.definitions._base import Heights
from sklearn_ap.definitions._bias import step_bias
from sklearn_ap.definitions._chance import BlockEnds, precisions_by_chance
from sklearn_ap.definitions._influence import Influence, precision_influence


@dataclass(frozen=True, repr=False)
class Step(Heights):
    r"""Average precision as the area under steps.

    .. math:: \sum_n (R_n - R_{n-1}) P_n

    over the thresholds, highest first, with precision :math:`P_n` and recall :math:`R_n` at the
    n-th. This is scikit-learn's number since 0.19. The value lies within [0, 1]; it is nan for a
    ranking without positives.

    Tied items enter together, at the precision of the whole block, so constant scores give the
    prevalence. With the counts of ``docs/methods.md``, this is Equation 1.

    Examples
    --------
    >>> from sklearn_ap import threshold_counts
    >>> from sklearn_ap.definitions import Step
    >>> Step()(threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    array([0.83333333])
    """

    title = "step AP"
    smooth = True

    def heights(self, counts: ThresholdCounts) -> Float:
        return counts.precision  # the P_j of equation 1, whose sum the base class adds up

    def sum_by_chance(self, ends: BlockEnds, n_rows: int, n_positives: int) -> float:
        return precisions_by_chance(ends, n_rows, n_positives)

    def influence(self, counts: ThresholdCounts) -> Influence:
        return precision_influence(counts, counts.precision, weight_at_vertex=counts.gained)

    def bias(self, counts: ThresholdCounts, weight_of_negative: Array | float = 1.0) -> Float:
        return step_bias(counts, weight_of_negative)
