"""What leaving out a labelled cluster changes of an estimate with a judge: the jackknife.

Where clusters are few, derivatives show too little variance: the score is not linear in the weights
of clusters, and the weight of the judge is estimated from the same clusters. So each cluster is
left out in turn, and the weight of the judge is found again (Tukey 1958).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.few_labels.variances import UnitInfluences
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty.sampling_units import are_large
from sklearn_ap.definitions import Definition

# Of a class. The derivatives of smaller clusters are good enough, so at most 400 clusters are left
# out, however many have labels: a choice, which stands again in
# tests/crossings/few_labels_reference.py, and changes there, too.
LARGE = 1 / 200
CELLS = 2**20  # of a table of clusters and thresholds, as far as memory is taken


def influence_without(
    definition: Definition, rankings: Rankings, unit: Index, unit_influence: Float
) -> Float:
    """The derivatives of the value, or what it loses without a unit, if that is a large one.

    ``unit`` is that of each item. Without positives in other units, there is a derivative only.
    """
    large = np.flatnonzero(are_large(rankings, unit, unit_influence.size, LARGE))
    influence = unit_influence.copy()
    if not large.size:
        return influence
    value, at = values_of(definition, count(rankings.only_retrieved())), 0
    for counts in _counts_without(rankings, unit, large):
        change = value - values_of(definition, counts)
        some = large[at : at + change.size]
        influence[some] = np.where(np.isnan(change), unit_influence[some], change)
        at += change.size
    return influence


def weights_without_each(of_units: UnitInfluences, by_judge: Float) -> Float:
    """The weight of the judge without each unit, as ``weight_of_judge`` finds it from all."""
    unknown = 1 - of_units.probability
    of_both, of_judge = unknown * of_units.by_labels * by_judge, unknown * by_judge * by_judge
    rest = _rest(of_judge.sum(), of_judge)
    weights = np.divide(of_both.sum() - of_both, rest, out=np.zeros_like(rest), where=rest > 0)
    return np.clip(weights, 0.0, 1.0)


def _counts_without(rankings: Rankings, unit: Index, large: Index) -> Iterator[ThresholdCounts]:
    """The counts without each large unit in turn: many of them together, as rankings."""
    counts = count(rankings.only_retrieved())
    number = np.full(unit.max() + 1, -1)
    number[large] = np.arange(large.size)
    # Items below all thresholds have a place behind the last one.
    rising, n_thresholds = counts.thresholds[::-1], counts.thresholds.size
    place = n_thresholds - rising.searchsorted(rankings.score, side="right")
    weight = rankings.weight_of_items
    items = _Items(number[unit], place, rankings.positive, weight, rankings.score)
    n_together = max(CELLS // max(n_thresholds, 1), 1)
    for begin in range(0, large.size, n_together):
        yield items.counts_without(counts, begin, min(n_together, large.size - begin))


def _rest(total: Any, lost: Float) -> Float:
    """What is left of a weight; 0 for what rounding leaves of it."""
    rest = total - lost
    return np.where(rest > RELATIVE_TOLERANCE * total, rest, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """The items of units that are left out in turn, among others."""

    number: Index  # of the unit of each item among those left out; -1 for others
    place: Index  # of the highest threshold at or below the item
    positive: Bool
    weight: Float
    score: Array

    def counts_without(self, counts: ThresholdCounts, begin: int, n: int) -> ThresholdCounts:
        """The counts without each of the n units from a number on.

        Thresholds that lose all of their positives are none any more.
        """
        here = np.flatnonzero((self.number >= begin) & (self.number < begin + n))
        unit, positive, weight = self.number[here] - begin, self.positive[here], self.weight[here]
        lost: list[Any] = [np.bincount(unit, weight * each, n) for each in (positive, ~positive)]
        n_thresholds = counts.thresholds.size
        seen = np.flatnonzero(self.place[here] < n_thresholds)
        place, hit, weight = self.place[here][seen], positive[seen], weight[seen]
        is_tied = self.score[here][seen] == counts.thresholds[place]
        cell = unit[seen] * n_thresholds + place

        def of_cells(kept: Bool) -> Float:
            sums = np.bincount(cell, weight * kept, n * n_thresholds).astype(np.float64)
            return sums.reshape(n, n_thresholds)

        hits, misses, tied = (of_cells(each) for each in (hit, ~hit, ~hit & is_tied))
        at_or_above = misses.cumsum(axis=1)
        gained = _rest(counts.gained, hits)
        kept = gained > 0
        columns: tuple[Any, ...] = (
            np.broadcast_to(counts.thresholds, kept.shape),
            gained,
            np.maximum(counts.tps - hits.cumsum(axis=1), gained),
            _rest(counts.fps, at_or_above),
            _rest(counts.fps_above, at_or_above - tied),
        )
        starts = np.append(0, kept.sum(axis=1).cumsum()[:-1])
        totals = counts.n_positives - lost[0], counts.n_negatives - lost[1]
        return ThresholdCounts(*[*(each[kept] for each in columns), starts, *totals])
