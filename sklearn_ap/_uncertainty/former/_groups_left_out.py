"""The jackknife: groups of units are left out, for biases and for influences of large clusters.

Equations are those of ``docs/methods.md``.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import values_of
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap._uncertainty.former._order_of_units import keys_of_units, round_bits
from sklearn_ap._uncertainty.former._sampling_units import (
    EffectiveSizes,
    RowUnits,
    find_large_units,
    sum_by_ranking,
)
from sklearn_ap._uncertainty.former.tuned_constants import ENOUGH_CLUSTERS, N_GROUPS
from sklearn_ap.definitions import Definition


class _Samples(NamedTuple):
    """The units that are grouped: all are one sample, or each ranking is a sample of its own."""

    unit_of_items: Index
    sample: Index  # the sample of each unit
    influence: Float  # the influence of each unit on the sum of all values


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Each large cluster of a model, and each of some groups of other units, is left out in turn.

    The bias follows from the changes (Quenouille 1956), and so does the variance (Tukey 1958).
    """

    definition: Definition
    model: Rankings
    units: RowUnits
    unit_influence: Float  # the derivatives
    sizes: EffectiveSizes | None  # None where units are rows

    @cached_property
    def is_large(self) -> Bool:
        """True for each unit that is a cluster with many of the positives, or of the negatives."""
        n_units = self._samples.influence.size
        if self.sizes is None:
            return np.zeros(n_units, bool)
        return find_large_units(
            self.model, self._samples.unit_of_items, n_units, self._samples.sample
        )

    @property
    def is_needed(self) -> Bool:
        """True for each value whose clusters are few or large, where derivatives are less exact."""
        if self.sizes is None:
            return np.zeros(self.units.n_unscored.shape, bool)
        n_independent = self.sizes.n_independent
        n_large = np.bincount(self._samples.sample, self.is_large)
        has_few_or_large = (n_independent < ENOUGH_CLUSTERS) | (n_large > 0)
        is_needed = ~np.isnan(n_independent) & has_few_or_large
        return is_needed if self.units.are_separate else np.full(is_needed.shape, is_needed.any())

    @property
    def bias(self) -> Float:
        """The bias of each value: how much higher it is expected to be than the population's.

        The sum over groups below equation B2: the change beyond what the derivatives predict. A
        group without which a ranking has no value counts as if it had no influence on it, and so
        does the share of the positives never scored that is left out with the group.
        """
        n_unscored = self.units.n_unscored
        group = self._spread_over_values(self._group)
        is_unscored = np.arange(group.size) >= group.size - n_unscored.size
        unscored_influence = n_unscored * self._total_influence(is_unscored)
        bias = np.zeros(n_unscored.size)
        for i, (share, change) in enumerate(zip(self._shares, self._changes, strict=True)):
            group_influence = self._total_influence((group == i) & ~is_unscored)
            bias += np.nan_to_num(change + group_influence + share * unscored_influence)
        return bias

    @property
    def influences(self) -> Float:
        """The derivatives; for large clusters, the fall of each value if they are left out."""
        influences = self.unit_influence.copy()
        ranking = self.units.ranking
        large = np.flatnonzero(self._spread_over_values(self.is_large))
        changes = self._changes[self._spread_over_values(self._group)[large]]
        # (n_rankings, n_large) where rankings share units, otherwise (n_large,)
        rises = changes.T if ranking is None else changes[np.arange(large.size), ranking[large]]
        influences[..., large] = np.where(np.isnan(rises), influences[..., large], -rises)
        return influences

    @cached_property
    def _samples(self) -> _Samples:
        units = self.units
        if units.are_separate and units.ranking is not None:
            unit_of_items = cast(Index, units.value_index)
            return _Samples(unit_of_items, units.ranking, self.unit_influence)
        influence = units.sum_over_rankings(np.ones(units.n_unscored.size), self.unit_influence)
        return _Samples(units.unit_of_items, np.zeros(influence.size, np.intp), influence)

    def _total_influence(self, is_counted: Bool) -> Float:
        """Add up some influence values on each ranking."""
        counted = np.where(is_counted, self.unit_influence, 0.0)
        return sum_by_ranking(counted, self.units.ranking, self.units.n_unscored.size)

    def _spread_over_values(self, unit_values: Array) -> Array:
        """Copy the value of each unit to each of its influence values."""
        units = self.units
        if units.unit is None or units.are_separate:
            return unit_values
        return unit_values[units.unit]

    @cached_property
    def _group(self) -> Index:
        """The group of each unit in its sample: the large clusters, then groups of other units.

        Units of adjacent influence are in different groups, so that groups are alike. Units of
        equal influence are ordered by the labels and ranks of their rows.
        """
        sample = self._samples.sample
        influence = round_bits(np.where(self.is_large, 0.0, self._samples.influence))
        order = np.lexsort((influence, ~self.is_large, sample))
        is_equal = np.diff(influence[order]) == 0
        if np.any(is_equal & ~self.is_large[order][:-1]):  # a large cluster is a group by itself
            keys = np.zeros(influence.size)  # positives that were never scored come last
            unit_keys = keys_of_units([self.model], self._samples.unit_of_items)
            keys[: unit_keys.size] = unit_keys
            order = np.lexsort((keys, influence, ~self.is_large, sample))
        # samples [0, 0, 0, 1, 1] -> rank [0, 1, 2, 0, 1]; with one large cluster in sample 0 and
        # two groups -> group [0, 1, 2, 0, 1]
        sample = sample[order]
        rank = np.arange(order.size) - np.searchsorted(sample, sample)
        n_large = np.bincount(sample, self.is_large[order]).astype(np.intp)[sample]
        group = np.empty(order.size, np.intp)
        group[order] = np.where(rank < n_large, rank, n_large + (rank - n_large) % N_GROUPS)
        return group

    @cached_property
    def _changes(self) -> Float:
        """The rise of each value if a group is left out: (n_groups, n_rankings)."""
        model = self.model
        value = self._values(model)
        group_of_items = self._group[self._samples.unit_of_items]
        return np.stack(
            [
                self._values_without(group_of_items == i, share) - value
                for i, share in enumerate(self._shares)
            ]
        )

    @cached_property
    def _shares(self) -> Float:
        """The share of the units of each sample in each group: (n_groups, n_samples)."""
        sample = self._samples.sample
        groups = range(int(self._group.max()) + 1)
        n_units = np.stack([np.bincount(sample, self._group == i) for i in groups])
        return n_units / np.bincount(sample)

    def _values_without(self, is_left_out: Bool, share: Float) -> Float:
        """Return each value without some items, and without a share of positives never scored."""
        model = self.model
        rest = replace(model.select_items(~is_left_out), n_positives=None, n_negatives=None)
        if model.n_positives is not None:
            n_unscored = model.n_positives - model.weight_of_hits
            rest = replace(rest, n_positives=rest.weight_of_hits + n_unscored * (1 - share))
        return self._values(rest)

    def _values(self, model: Rankings) -> Float:
        return values_of(self.definition, count(model.select_retrieved(), self.definition.depth))
