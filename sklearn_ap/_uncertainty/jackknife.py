"""What leaving out groups of units changes: the bias of scores, and the moves of large clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Rankings
from sklearn_ap._scoring import values_of
from sklearn_ap._uncertainty.units import Units
from sklearn_ap.counts import count
from sklearn_ap.definitions import Definition

Float = NDArray[np.float64]
Index = NDArray[np.intp]

N_GROUPS = 20  # of units that are no large clusters
LARGE = 1 / 50  # of all positives, or of all negatives


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Each large cluster of a model, and each of some groups of other units, is left out in turn.

    Quenouille 1956 takes the bias from what that changes, and Tukey 1958 the variance.
    """

    definition: Definition
    model: Rankings
    units: Units
    by_unit: Float  # the derivatives
    least: Float  # the bias of each value, at least
    are_clusters: bool  # whether units are clusters that hold several rows of a ranking
    is_rough: bool  # whether it finds a part only: that of a definition whose bias is not known

    @cached_property
    def large(self) -> Index:
        """The clusters that hold many of the positives, or of the negatives, of all rankings."""
        model = self.model
        if not self.are_clusters:
            return np.empty(0, np.intp)
        weight = np.ones(model.score.size) if model.weight is None else model.weight
        held = (
            np.bincount(self.units.of_items, np.where(of_class, weight, 0.0))
            for of_class in (model.positive, ~model.positive)
        )
        return np.flatnonzero(np.any([part > LARGE * part.sum() for part in held], axis=0))

    @property
    def bias(self) -> Float:
        """How much higher each value is expected to be than that of the population.

        It is what leaving out a group changes beside what the derivatives say. A ranking that lacks
        positives without some group counts as unmoved by it.
        """
        chosen = np.stack([self._group == i for i in range(len(self._changes))])
        linear = np.stack([self.units.sum_of(self.by_unit, each) for each in chosen])
        return np.nan_to_num(self._changes + linear).sum(axis=0)

    @property
    def moves(self) -> Float:
        """The derivatives; for large clusters, what leaving them out changes."""
        found, units = self.by_unit.copy(), self.units
        ranking: Any = units.ranking
        for cluster, change in zip(self.large, -self._changes, strict=False):
            if units.unit is None:
                found[:, cluster] = np.where(np.isnan(change), found[:, cluster], change)
            else:
                at = np.flatnonzero(units.unit == cluster)
                of_rankings = change[ranking[at]]
                found[at] = np.where(np.isnan(of_rankings), found[at], of_rankings)
        return found

    @cached_property
    def _group(self) -> Index:
        """The group of each unit: the large clusters, then groups of others.

        Units that follow each other by how far they move the values are of different groups, so
        that these are alike.
        """
        units = self.units
        moved = (
            self.by_unit.sum(axis=0)
            if units.unit is None
            else np.bincount(units.unit, self.by_unit)
        )
        is_large = np.zeros(moved.size, bool)
        is_large[self.large] = True
        others = np.flatnonzero(~is_large)
        group = np.empty(moved.size, np.intp)
        group[self.large] = np.arange(self.large.size)
        ranks = np.argsort(np.argsort(moved[others], kind="stable"), kind="stable")
        group[others] = self.large.size + ranks % N_GROUPS
        return group

    @cached_property
    def _changes(self) -> Float:
        """How much each value rises if a group is left out: (n_groups, n_rankings)."""
        of_items, value = self._group[self.units.of_items], self._values(self.model)
        groups = range(int(self._group.max()) + 1)
        return (
            np.stack([self._without(of_items == i, np.mean(self._group == i)) for i in groups])
            - value
        )

    def _without(self, left_out: NDArray[np.bool_], share: float) -> Float:
        """Each value without some items, and without a share of the missed positives."""
        model, kept = self.model, ~left_out
        ranking = model.ranking_of_items[kept]
        rest = model.only(kept, ranking=ranking, n_positives=None, n_negatives=None, clusters=None)
        if model.n_positives is not None:
            n_missed = model.n_positives - model.weight_of_hits
            rest = replace(rest, n_positives=rest.weight_of_hits + n_missed * (1 - share))
        return self._values(rest)

    def _values(self, model: Rankings) -> Float:
        return values_of(self.definition, count(model.only_retrieved(), self.definition.depth))
