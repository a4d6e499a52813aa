"""The number of positives that each value rests on, which its definition says."""

from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._base.common.types import Float, FloatOrArray
from sklearn_ap._counts.ranks import n_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty.sampling_units import Positives
from sklearn_ap.definitions import Definition


class EffectivePositives(NamedTuple):
    """The number of positives that each value rests on."""

    n_effective: Float  # N_e
    n_unlimited: Float  # the same if negatives weighed no more than positives
    false_positive_cost: Float  # of a negative above all, to each value; 0 if none weighs much
    n_positive_rows: Float  # N_r: as many as ``n_unlimited`` if rows were units

    @property
    def rows_in_unit(self) -> Float:
        """The number of rows of a cluster, as Kish counts them; 1 without clusters."""
        return np.maximum(self.n_positive_rows / np.maximum(self.n_unlimited, 1.0), 1.0)


def effective_positives(
    definition: Definition,
    counts: ThresholdCounts,
    positives: Positives,
    negative_weight: FloatOrArray = 1.0,
    n_positive_rows: Float | None = None,
    rows_in_unit: Float | None = None,
) -> EffectivePositives:
    """Give the positives that each value rests on, where a negative has such a weight.

    With ``rows_in_unit`` of the first ranks, these are so many times fewer units.
    """
    unscored = 0.0 if counts.n_unscored is None else counts.n_unscored
    unscored_share = unscored / np.where(counts.n_positives > 0, counts.n_positives, 1.0)
    n_negatives = counts.n_negatives / np.where(negative_weight > 0, negative_weight, 1.0)

    def counts_with(n: Float) -> ThresholdCounts:
        n_unscored = unscored_share * n
        return replace(counts, n_positives=n, n_negatives=n_negatives, n_unscored=n_unscored)

    def effective_size(n: Float, ranks: Float | None) -> Float:
        return np.asarray(definition.effective_size(counts_with(n), ranks), dtype=np.float64)

    ranks = None
    if definition.depth is not None and rows_in_unit is not None:
        row_counts = counts_with(cast(Float, n_positive_rows))
        ranks = n_ranks(definition.depth, row_counts) / rows_in_unit
    n_effective = n_unlimited = effective_size(positives.n_unlimited, ranks)
    n_rows = n_unlimited if n_positive_rows is None else effective_size(n_positive_rows, None)
    if (positives.n_effective < positives.n_unlimited).any():
        n_effective = effective_size(positives.n_effective, ranks)
    cost = np.zeros(n_effective.shape)
    if (n_effective < n_unlimited).any():
        cost = _false_positive_cost(definition, counts, negative_weight + cost)
    return EffectivePositives(n_effective, n_unlimited, cost, n_rows)


def _false_positive_cost(
    definition: Definition, counts: ThresholdCounts, negative_weight: Float
) -> Float:
    """Give what a negative above all others takes from each value: d of equation 20."""
    if definition.depth is not None:  # k counts the user's weights, and these are scaled
        return np.full(negative_weight.shape, np.inf)
    added = counts.each(negative_weight)
    extended = replace(
        counts,
        fps=counts.fps + added,
        fps_above=counts.fps_above + added,
        n_negatives=counts.n_negatives + negative_weight,
    )
    return values_of(definition, counts) - values_of(definition, extended)
