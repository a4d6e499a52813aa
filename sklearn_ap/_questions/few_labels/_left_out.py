"""The jackknife of an estimate with a judge: each labelled cluster is left out in turn.

With few clusters, derivatives show too little variance: the score is not linear in the weights of
clusters, and the weight of the judge is estimated from the same clusters. So each cluster is left
out, and the weight of the judge is estimated anew (Tukey 1958). Equations are those of
``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sklearn_ap._base.common.tuned_constants import LABELLED_CLUSTER_SHARE
from sklearn_ap._base.common.types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.few_labels.variances import UnitInfluences
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty.sampling_units import find_large_units
from sklearn_ap.definitions import Definition

TABLE_CELLS = 2**20  # the most clusters times thresholds at once: a choice of memory


def left_out_influence(
    definition: Definition, rankings: Rankings, unit: Index, derivative: Float
) -> Float:
    """Compute the loss of the score without each large unit; others keep their derivative.

    Equation 23: phi_j or psi_j. ``unit`` is the unit of each item, and ``derivative`` has one value
    for each unit. A unit also keeps its derivative if no positive is left without it.
    """
    large = np.flatnonzero(
        find_large_units(rankings, unit, derivative.size, LABELLED_CLUSTER_SHARE)
    )
    influence = derivative.copy()
    if not large.size:
        return influence
    score = values_of(definition, count(rankings.select_retrieved()))
    begin = 0
    for counts in _counts_without_units(rankings, unit, large):
        loss = score - values_of(definition, counts)
        left_out = large[begin : begin + loss.size]
        influence[left_out] = np.where(np.isnan(loss), derivative[left_out], loss)
        begin += loss.size
    return influence


def left_out_judge_weight(units: UnitInfluences, judge_influence: Float) -> Float:
    """Compute the weight of the judge without each unit in turn: c_(j) of Equation 23.

    It is computed as ``judge_weight`` is, with sums over the other units.
    """
    unknown_share = 1 - units.probability
    products = unknown_share * units.label_influence * judge_influence
    squares = unknown_share * judge_influence * judge_influence
    other_products = products.sum() - products
    other_squares = _remainder(squares.sum(), squares)
    weight = np.zeros_like(other_squares)
    np.divide(other_products, other_squares, out=weight, where=other_squares > 0)
    return np.clip(weight, 0.0, 1.0)


def _counts_without_units(
    rankings: Rankings, unit: Index, large: Index
) -> Iterator[ThresholdCounts]:
    """Yield the counts without each large unit: a ranking for each, many in one record."""
    counts = count(rankings.select_retrieved())
    number = np.full(unit.max() + 1, -1)
    number[large] = np.arange(large.size)
    ascending_thresholds = counts.thresholds[::-1]
    n_thresholds = ascending_thresholds.size
    items = _Items(
        number=number[unit],
        # An item below all thresholds has the index n_thresholds.
        threshold=n_thresholds - ascending_thresholds.searchsorted(rankings.score, side="right"),
        positive=rankings.positive,
        weight=rankings.weight_of_items,
        score=rankings.score,
    )
    n_together = max(TABLE_CELLS // max(n_thresholds, 1), 1)
    for begin in range(0, large.size, n_together):
        yield items.counts_without(counts, begin, min(n_together, large.size - begin))


def _remainder(total: FloatOrArray, part: Float) -> Float:
    """Subtract a part from a total; below rounding error, the rest counts as 0."""
    rest = total - part
    return np.where(rest > RELATIVE_TOLERANCE * total, rest, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """All items, with the unit that each belongs to."""

    number: Index  # the number of the item's unit among the large units; -1 for other units
    threshold: Index  # the index of the highest threshold at or below the item
    positive: Bool
    weight: Float
    score: Array

    def counts_without(self, counts: ThresholdCounts, begin: int, n: int) -> ThresholdCounts:
        """Leave out units ``begin`` to ``begin + n`` in turn, and return a ranking for each.

        A threshold that loses all of its positives is dropped.
        """
        item = np.flatnonzero((self.number >= begin) & (self.number < begin + n))
        unit = self.number[item] - begin
        positive = self.positive[item]
        weight = self.weight[item]
        lost_positives = np.bincount(unit, weight * positive, n)
        lost_negatives = np.bincount(unit, weight * ~positive, n)
        # Items below all thresholds are in the totals only.
        n_thresholds = counts.thresholds.size
        counted = np.flatnonzero(self.threshold[item] < n_thresholds)
        threshold = self.threshold[item][counted]
        positive = positive[counted]
        weight = weight[counted]
        cell = unit[counted] * n_thresholds + threshold

        def table(is_summed: Bool) -> Float:
            """Add up weights of items in each cell, (n, n_thresholds)."""
            sums = np.bincount(cell, weight * is_summed, n * n_thresholds)
            return sums.astype(np.float64).reshape(n, n_thresholds)

        is_tied = self.score[item][counted] == counts.thresholds[threshold]
        positives = table(positive)
        negatives_above = table(~positive).cumsum(axis=1)  # at or above each threshold
        tied_negatives = table(~positive & is_tied)
        gained = _remainder(counts.gained, positives)
        tps = np.maximum(counts.tps - positives.cumsum(axis=1), gained)
        fps = _remainder(counts.fps, negatives_above)
        fps_above = _remainder(counts.fps_above, negatives_above - tied_negatives)
        is_threshold = gained > 0
        return ThresholdCounts(
            thresholds=np.broadcast_to(counts.thresholds, gained.shape)[is_threshold],
            gained=gained[is_threshold],
            tps=tps[is_threshold],
            fps=fps[is_threshold],
            fps_above=fps_above[is_threshold],
            starts=np.append(0, is_threshold.sum(axis=1).cumsum()[:-1]),
            n_positives=counts.n_positives - lost_positives,
            n_negatives=counts.n_negatives - lost_negatives,
        )
