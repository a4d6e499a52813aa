"""Groups of units are left out: the bias of scores, and the influence values of large clusters."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.counting import count, count_without_groups
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty.order_of_units import keys_of_units, rounded
from sklearn_ap._uncertainty.sampling_units import (
    EffectiveSizes,
    RowUnits,
    are_large,
    sum_by_ranking,
)
from sklearn_ap.definitions import Definition

# A coverage of 95 is 94.3 at a bias of so many standard errors, which is a choice.
LARGE_BIAS = 0.25
# Choices, which stand again in tests/crossings/uncertainty_reference.py, and change there, too;
# benchmarks/certainty_coverage.py, "clusters", shows the coverage that they give.
N_GROUPS = 20  # of units that are no large clusters: each group costs a score
# Of a class: a derivative is wrong by about the square of the share that is left out.
LARGE = 1 / 50
# Effective ones, below which the bias may be large: it falls with 1 / N, the error slower.
MANY_CLUSTERS = 200


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Each large cluster of a model, and each of some groups of other units, is left out in turn.

    Quenouille 1956 takes the bias from what that changes, and Tukey 1958 the variance.
    """

    definition: Definition
    model: Rankings
    units: RowUnits
    by_unit: Float  # the derivatives
    sizes: EffectiveSizes | None  # of clusters with several rows of a ranking, if units are these

    @cached_property
    def is_large(self) -> Bool:
        """Whether a unit is a cluster with many of the positives, or of the negatives."""
        unit, sample, influence = self._sampled
        if self.sizes is None:
            return np.zeros(influence.size, bool)
        return are_large(self.model, unit, influence.size, LARGE, sample)

    @property
    def is_needed(self) -> Bool:
        """Whether it says more of each value than formulas do: where clusters are few or large."""
        if self.sizes is None:  # formulas do not know the places of a row that several folds test
            return np.full(self.units.n_unscored.shape, self.model.copies is not None)
        n_independent = self.sizes.n_independent
        _, sample, _ = self._sampled
        n_large = np.bincount(sample, self.is_large)
        is_needed = ~np.isnan(n_independent) & ((n_independent < MANY_CLUSTERS) | (n_large > 0))
        return is_needed if self.units.are_separate else np.full(is_needed.shape, is_needed.any())

    @property
    def bias(self) -> Float:
        """How much higher each value is expected to be than that of the population.

        It is what leaving out a group changes beside what the derivatives say. A group without
        which a ranking has no value counts as if it had no influence on it, and so does the
        share of the positives that were never scored, which is left out with it.
        """
        n_unscored, group = self.units.n_unscored, self._of_numbers(self._group)
        is_unscored = np.arange(group.size) >= group.size - n_unscored.size
        of_unscored = n_unscored * self._influence_of(is_unscored)
        bias = np.zeros(n_unscored.size)
        for i, (share, change) in enumerate(zip(self._shares, self._changes, strict=True)):
            of_group = self._influence_of((group == i) & ~is_unscored)
            bias += np.nan_to_num(change + of_group + share * of_unscored)
        return bias

    @property
    def influences(self) -> Float:
        """The derivatives; for large clusters, what leaving them out changes."""
        influences, ranking = self.by_unit.copy(), self.units.ranking
        large = np.flatnonzero(self._of_numbers(self.is_large))
        changes = self._changes[self._of_numbers(self._group)[large]]
        of_large = changes.T if ranking is None else changes[np.arange(large.size), ranking[large]]
        influences[..., large] = np.where(np.isnan(of_large), influences[..., large], -of_large)
        return influences

    @cached_property
    def _sampled(self) -> tuple[Any, Index, Float]:
        """The unit of each item; the sample of each unit, and its influence on all values.

        All units are one sample, or each ranking is a sample of its own.
        """
        units = self.units
        if units.are_separate and units.ranking is not None:
            return units.value_of_items, units.ranking, self.by_unit
        influence: Any = units.over_rankings(np.ones(units.n_unscored.size), self.by_unit)
        return units.of_items, np.zeros(influence.size, np.intp), influence

    def _influence_of(self, is_kept: Bool) -> Float:
        """The sum of some influence values on each ranking."""
        kept = np.where(is_kept, self.by_unit, 0.0)
        return sum_by_ranking(kept, self.units.ranking, self.units.n_unscored.size)

    def _of_numbers(self, of_units: Array) -> Array:
        """Numbers of units, for each influence value in ``by_unit``."""
        units = self.units
        return of_units if units.unit is None or units.are_separate else of_units[units.unit]

    @cached_property
    def _group(self) -> Index:
        """The group of each unit in its sample: the large clusters, then groups of others.

        Units that follow each other by their influence are of different groups, so that groups
        are alike. The order of units of equal influence is that of what they contain.
        """
        unit, sample, influence = self._sampled
        by_influence = rounded(np.where(self.is_large, 0.0, influence))
        order = np.lexsort((by_influence, ~self.is_large, sample))
        is_equal = np.diff(by_influence[order]) == 0
        if np.any(is_equal & ~self.is_large[order][:-1]):  # a large cluster is a group by itself
            keys = np.zeros(influence.size)  # positives that were never scored come last
            known = keys_of_units([self.model], unit)
            keys[: known.size] = known
            order = np.lexsort((keys, by_influence, ~self.is_large, sample))
        sample, group = sample[order], np.empty(order.size, np.intp)
        place = np.arange(order.size) - np.searchsorted(sample, sample)
        n_large = np.bincount(sample, self.is_large[order]).astype(np.intp)[sample]
        group[order] = np.where(place < n_large, place, n_large + (place - n_large) % N_GROUPS)
        return group

    @cached_property
    def _changes(self) -> Float:
        """How much each value rises if a group is left out: (n_groups, n_rankings)."""
        of_items, value, model = self._group[self._sampled[0]], self._values(self.model), self.model
        is_plain = not model.several and model.weight is None and model.n_positives is None
        if is_plain and self.definition.depth is None and model.is_retrieved.all():
            without = count_without_groups(model.positive, model.score, of_items, len(self._shares))
            return np.stack([values_of(self.definition, counts) - value for counts in without])
        pairs = enumerate(self._shares)
        return np.stack([self._without(of_items == i, share) - value for i, share in pairs])

    @cached_property
    def _shares(self) -> Float:
        """The part of the units of each sample that a group has: (n_groups, n_samples)."""
        _, sample, _ = self._sampled
        groups = range(int(self._group.max()) + 1)
        return np.stack([np.bincount(sample, self._group == i) for i in groups]) / np.bincount(
            sample
        )

    def _without(self, left_out: Bool, share: Float) -> Float:
        """Each value without some items, and without a share of positives never scored."""
        model = self.model
        rest = model.select_items(~left_out, n_positives=None, n_negatives=None)
        if model.n_positives is not None:
            n_unscored = model.n_positives - model.weight_of_hits
            rest = replace(rest, n_positives=rest.weight_of_hits + n_unscored * (1 - share))
        return self._values(rest)

    def _values(self, model: Rankings) -> Float:
        return values_of(self.definition, count(model.select_retrieved(), self.definition.depth))
