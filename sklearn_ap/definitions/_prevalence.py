"""Each definition at another prevalence.

Equations are those of docs/methods.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.options import check_prevalence, refuse_prevalence_at_k
from sklearn_ap._types import Argument, Array, Float
from sklearn_ap._writing.text import title_with_prevalence
from sklearn_ap.definitions._base import CLASS_VARIABLES, Definition, Influence, Line


def at_prevalence(definition: Definition, prevalence: Argument) -> Definition:
    """Return the definition at another prevalence; None keeps the sample's."""
    if prevalence is None:
        return definition
    refuse_prevalence_at_k(definition.depth)
    return _AtPrevalence(definition, check_prevalence(prevalence))


@dataclass(frozen=True, repr=False)
class _AtPrevalence(Definition, trusted=True):
    """The value of counts at another prevalence.

    In a sample, the numbers of positives and of negatives vary, and the prevalence that the user
    passes does not. So the classes are two samples, and the influence of a row is taken among the
    rows of its class.
    """

    definition: Definition
    target: float  # the other prevalence; a field named as the property would default to it

    def __repr__(self) -> str:
        return f"{self.definition!r} at prevalence {self.target}"

    def __post_init__(self) -> None:
        for name in CLASS_VARIABLES:
            object.__setattr__(self, name, getattr(self.definition, name))

    @property
    def title(self) -> str:
        return title_with_prevalence(self.definition.title, self.target)

    @property
    def prevalence(self) -> float:
        return self.target

    def __call__(self, counts: ThresholdCounts) -> Float:
        return self.definition(counts.at_prevalence(self.target))

    def values(self, counts: ThresholdCounts) -> Float:
        return self.definition.values(counts.at_prevalence(self.target))

    def divisor(self, counts: ThresholdCounts) -> Array:
        return self.definition.divisor(counts.at_prevalence(self.target))

    def line(self, counts: ThresholdCounts) -> Line | None:
        return self.definition.line(counts.at_prevalence(self.target))

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        reweighted = counts.at_prevalence(self.target)
        influence = self.definition.influence(reweighted)
        return None if influence is None else _sample_influence(influence, counts, reweighted)


def _sample_influence(
    influence: Influence, counts: ThresholdCounts, reweighted: ThresholdCounts
) -> Influence:
    """Compute the influence of rows from their influence at the other prevalence: equation 13.

    ``counts`` are the counts of the sample, ``reweighted`` the counts at the other prevalence.

    At the other prevalence, a negative weighs in proportion to P / N. So one more positive raises
    the weight of all negatives, and one more negative lowers it.
    """
    n_tied, n_between = reweighted.fps_tied, reweighted.fps_between
    # The derivative of each value by the logarithm of the weight that its negatives share.
    weight_derivative = reweighted.sum(influence.tied * n_tied + influence.between * n_between)
    has_both = reweighted.n_positives > 0
    n_positives = np.where(has_both, counts.n_positives, 1.0)
    n_negatives = np.where(has_both, counts.n_negatives, 1.0)
    rise = weight_derivative / n_positives  # by one more positive
    fall = weight_derivative / n_negatives  # by one more negative
    per_threshold = reweighted.per_threshold

    def influence_of_negatives(phi: Float, number: Array) -> Float:
        # It stays 0 where there is no negative, which it would overflow at a tiny prevalence, as
        # the ratio of both totals can.
        present = np.where(number > 0, phi, 0.0)
        scaled = present * per_threshold(reweighted.n_negatives) / per_threshold(n_negatives)
        return np.where(number > 0, scaled - per_threshold(fall), 0.0)

    # Rankings with one class only have thresholds in counts alone, where the influence stays 0.
    is_kept = has_both[counts.ranking()]

    def at_all_thresholds(phi: Float) -> Float:
        values = np.zeros(is_kept.size)
        values[is_kept] = phi
        return values

    return Influence(
        positive=at_all_thresholds(influence.positive + per_threshold(rise)),
        tied=at_all_thresholds(influence_of_negatives(influence.tied, n_tied)),
        between=at_all_thresholds(influence_of_negatives(influence.between, n_between)),
        unscored=influence.unscored + rise,
        below=-fall,
    )
