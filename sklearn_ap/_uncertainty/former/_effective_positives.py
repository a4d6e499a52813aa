"""The number of positives that each value rests on, as its definition gives it.

Equations are those of ``docs/methods.md``.
"""

from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._counts.counting import n_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.former._false_alarms import changes_by_negatives
from sklearn_ap._uncertainty.former._sampling_units import PositiveCounts
from sklearn_ap._uncertainty.former.sizes_and_biases import effective_size
from sklearn_ap.definitions import Definition


class EffectivePositives(NamedTuple):
    """The number of positives that each value rests on."""

    n_effective: Float  # N_e
    n_kish: Float  # N_e if negatives weighed no more than positives
    # The loss of each value by a negative above all rows; 0 if no negative weighs much
    false_positive_cost: Float
    n_positive_rows: Float  # N_r: ``n_kish`` if rows were the units

    @property
    def rows_in_unit(self) -> Float:
        """The typical number of rows of a cluster (Kish 1965); 1 without clusters."""
        return np.maximum(self.n_positive_rows / np.maximum(self.n_kish, 1.0), 1.0)


def effective_positives(
    definition: Definition,
    counts: ThresholdCounts,
    positives: PositiveCounts,
    negative_weight: FloatOrArray = 1.0,
    n_positive_rows: Float | None = None,
    rows_in_unit: Float | None = None,
) -> EffectivePositives:
    """Return the number of positives that each value rests on.

    ``negative_weight`` is the typical weight of a negative. If the definition has a depth k,
    ``rows_in_unit`` is the number of rows of a unit among the first k: these are k / rows_in_unit
    units.
    """
    unscored = 0.0 if counts.n_unscored is None else counts.n_unscored
    unscored_share = unscored / np.where(counts.n_positives > 0, counts.n_positives, 1.0)
    n_negatives = counts.n_negatives / np.where(negative_weight > 0, negative_weight, 1.0)

    def set_positives(n: Float) -> ThresholdCounts:
        n_unscored = unscored_share * n
        return replace(counts, n_positives=n, n_negatives=n_negatives, n_unscored=n_unscored)

    def size_of_positives(n: Float, ranks: Float | None) -> Float:
        return np.asarray(effective_size(definition, set_positives(n), ranks), dtype=np.float64)

    ranks = None
    if definition.depth is not None and rows_in_unit is not None:
        row_counts = set_positives(cast(Float, n_positive_rows))
        ranks = n_ranks(definition.depth, row_counts) / rows_in_unit
    n_kish = size_of_positives(positives.n_kish, ranks)
    n_effective = n_kish
    n_rows = n_kish if n_positive_rows is None else size_of_positives(n_positive_rows, None)
    if (positives.n_effective < positives.n_kish).any():
        n_effective = size_of_positives(positives.n_effective, ranks)
    cost = np.zeros(n_effective.shape)
    if (n_effective < n_kish).any():
        cost = _false_positive_cost(definition, counts, negative_weight + cost)
    return EffectivePositives(n_effective, n_kish, cost, n_rows)


def _false_positive_cost(
    definition: Definition, counts: ThresholdCounts, negative_weight: Float
) -> Float:
    """Return the loss of each value by a negative above all rows: d of equation B14."""
    if definition.depth is not None:  # k counts the user's weights, but these are scaled
        return np.full(negative_weight.shape, np.inf)
    return changes_by_negatives(definition, counts, negative_weight)
