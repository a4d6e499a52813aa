"""The bias of scores, from what they are if groups of units are left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Rankings
from sklearn_ap._scoring import values_of
from sklearn_ap._uncertainty.units import Units
from sklearn_ap.counts import count
from sklearn_ap.definitions import Definition

Float = NDArray[np.float64]

N_GROUPS = 20


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Each of some groups of units is left out in turn (Quenouille 1956)."""

    definition: Definition
    model: Rankings
    units: Units
    least: Float  # the bias of each value, at least

    def bias(self, moved: Float) -> Float:
        """How much higher each value is expected to be than that of the population.

        ``moved`` is what each unit moves the score by. Units that follow each other in this order
        are of different groups, so that the groups are alike. A ranking that lacks positives
        without some group counts as unmoved by it.
        """
        n_groups, group = min(N_GROUPS, moved.size), np.empty(moved.size, np.intp)
        group[np.argsort(moved, kind="stable")] = np.arange(moved.size) % n_groups
        of_items = group[self.units.of_items]
        without = [self._without(of_items == left_out, n_groups) for left_out in range(n_groups)]
        change = np.stack(without) - self._values(self.model)
        return (n_groups - 1) * np.nan_to_num(change).mean(axis=0)

    def _without(self, left_out: NDArray[np.bool_], n_groups: int) -> Float:
        """Each value without some items, and without a group's share of missed positives."""
        model, kept = self.model, ~left_out
        rest = replace(
            model,
            positive=model.positive[kept],
            score=model.score[kept],
            weight=None if model.weight is None else model.weight[kept],
            ranking=model.ranking_of_items[kept],
            n_positives=None,
            n_negatives=None,
            clusters=None,
        )
        if model.n_positives is not None:
            n_missed = model.n_positives - model.weight_of_hits
            known = rest.weight_of_hits + n_missed * (1 - 1 / n_groups)
            rest = replace(rest, n_positives=known)
        return self._values(rest)

    def _values(self, model: Rankings) -> Float:
        return values_of(self.definition, count(model.only_retrieved(), self.definition.depth))
