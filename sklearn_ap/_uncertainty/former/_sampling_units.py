"""The units of random sampling: rows, clusters of rows, and positives that were never scored.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.sums import segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, begins_block
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty.former.tuned_constants import LARGE_CLUSTER_SHARE
from sklearn_ap.definitions import Definition


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """The units that are sampled, and how their influence values are laid out.

    Where the units of all rankings are the same, as rows of a table, there is a row of influence
    values for each ranking, and ``ranking`` is None. Otherwise ``ranking`` says which ranking each
    value is for. Positives that were never scored come last, as one more unit of each ranking.
    Units of counts that have equal labels and scores are alike, and share one influence value.
    """

    n_units: FloatOrArray | Index  # the number of units of each ranking
    n_unscored: Float  # positives of each ranking without a row; in counts, also those at -inf
    ranking: Index | None  # the ranking of each influence value
    # The unit of each influence value, where a cluster has values for several rankings: clusters of
    # queries, or of a table where each column has its own score. None if each value has its own.
    unit: Index | None = None
    are_separate: bool = False  # no ranking shares its score or a unit with another one
    # All units are one cluster; for separate rankings, a flag for each of them
    is_one_cluster: bool | Bool = False

    def sum_over_rankings(self, factors: Float, unit_influence: Float) -> Float:
        """Add up the values of each unit over rankings, each times the factor of its ranking."""
        if self.unit is None:
            # Not with @, whose threads take longer to wake up than the sum takes.
            return np.einsum("r,ru->u", factors, unit_influence)
        sums = np.bincount(self.unit, factors[self.ranking] * unit_influence)
        return sums.astype(np.float64)


class PositiveCounts(NamedTuple):
    """The numbers of positives of each ranking, scored or not."""

    n_effective: Float  # N_e, limited by large weights of negatives: see limited_positives
    n_kish: Float  # the effective number by the weights of positives alone (Kish 1965)
    n_counted: Float  # the number of rows and unscored positives, whatever they weigh


class EffectiveSizes(NamedTuple):
    """The effective sizes of a sample of clusters, for each ranking."""

    design_effect: Float  # D, by which clusters multiply the variance of rows
    # The smaller of two numbers: effective clusters of a class, and positives as precise as the
    # clustered negatives. nan for a separate ranking whose units are rows.
    n_independent: Float
    # The effective number of clusters of the class that has fewer. It does not depend on
    # influences, which vary with luck.
    n_clusters: Float
    row_influence: Float  # of each row, for comparisons


class ClassWeight(NamedTuple):
    """The weight of the units of one class in each ranking (Kish 1965)."""

    total: Float  # the sum of the weights w
    typical: Float  # the sum of w^2 over the sum of w

    @property
    def n_effective(self) -> Float:
        """The number of equal weights with the same sum and sum of squares; nan without units."""
        return self.total / np.where(self.total > 0, self.typical, np.nan)


class RowWeights(NamedTuple):
    """The typical weight of the rows of each class, and how even the weights of a class are."""

    positive: FloatOrArray = 1.0
    negative: FloatOrArray = 1.0
    # e: effective rows of each class over their number, multiplied; 1 if their weights are equal
    evenness: FloatOrArray = 1.0


EQUAL_WEIGHTS = RowWeights()


class Rows(NamedTuple):
    """The rows, or cells, of rankings."""

    rankings: Rankings  # without clusters
    ranking: Index | None  # the ranking of each row, laid out as ``SamplingUnits`` says

    @property
    def n_values(self) -> int:
        """The number of rows of all rankings."""
        return self.rankings.score.size

    @property
    def sizes(self) -> Index:
        """The number of rows of each ranking."""
        return self.rankings.sizes

    def weigh(self, item_values: Array) -> Float:
        """Multiply by the weights."""
        return _sum_items(self.rankings, item_values)

    def class_weight(self, is_counted: Bool | Float) -> ClassWeight:
        """Return the weight of the rows of a class in each ranking."""
        return _class_weight(is_counted, self.rankings, self.ranking)


@dataclass(frozen=True, eq=False, kw_only=True)
class RowUnits(SamplingUnits):
    """Rows, or clusters of them, and the labels, weights and sizes that all models share."""

    rankings: Rankings  # the items that are sampled; of a model, only labels and weights are used
    positives: PositiveCounts
    n_positive_rows: Float  # N_r, the effective number of positives if rows were units
    n_limited_positive_rows: Float  # the same, limited by large weights of negatives
    weights: RowWeights  # of each ranking
    unscored_weight: Float  # the weight of each positive that was never scored
    value_index: Index | None  # the influence value that each item adds to, or None: see _sum_items

    @cached_property
    def rows(self) -> Rows:
        """The rows of which the units consist."""
        return rows_of_rankings(self.rankings)

    @property
    def unit_of_items(self) -> Index:
        """The unit of each item of all rankings."""
        n_items = self.rankings.score.size
        unit = self.rankings.clusters
        n_copies = 1 if self.rankings.ranking is not None else self.rankings.n_rankings
        return np.tile(np.arange(n_items // n_copies) if unit is None else unit, n_copies)

    @property
    def value_ranking(self) -> Index | None:
        """The ranking of each influence value, except those of positives never scored."""
        return None if self.ranking is None else self.ranking[: -self.rankings.n_rankings]

    def multiplicity(self, n_scored_units: int) -> Float:
        """Return the number of units of each influence value: one, if all positives have scores.

        Otherwise the last values are those of positives never scored, which stand for many units.
        """
        if not self.n_unscored.any():
            return np.ones(1)
        return np.append(np.ones(n_scored_units), self.n_unscored)

    def positive_weights(self) -> Float:
        """Return the weight of the positives of each unit, laid out as influence values are."""
        return self.add_up(self.rankings.positive, np.ones(self.n_unscored.size))

    def effective_sizes(self, item_influence: Float, unscored_influence: Float) -> EffectiveSizes:
        """Return the effective sizes of clusters, from the influence of items without their weight.

        Equation B8: the design effect. A class that is in one cluster only counts for one row.
        """
        positive = self.rankings.positive
        n_clusters = np.fmin(
            self._class_weight(positive).n_effective, self._class_weight(~positive).n_effective
        )
        negative_influence = np.where(positive, 0.0, item_influence)
        # Positives, each a row by itself, that are as precise as the clustered negatives
        n_precise = self.n_positive_rows / self._design_effect(negative_influence)
        if self.are_separate:
            are_rows = self.n_units - self.n_unscored == self.rows.sizes
            n_clusters = np.where(are_rows, np.nan, n_clusters)
            n_precise = np.where(are_rows, np.nan, n_precise)
        row_influence = self.rows.weigh(item_influence)
        return EffectiveSizes(
            design_effect=self._design_effect(item_influence),
            n_independent=np.fmin(n_clusters, n_precise),
            n_clusters=n_clusters,
            row_influence=self._append_unscored(row_influence, unscored_influence),
        )

    def _design_effect(self, item_influence: Float) -> Float:
        """Return the design effect D of each ranking, from the influence of some items."""
        rankings = self.rankings
        rows = self.rows
        n_rankings = rankings.n_rankings
        row_influence = rows.weigh(item_influence)
        cluster_influence = _sum_items(rankings, item_influence, self.value_index)
        cluster_squares = sum_by_ranking(cluster_influence**2, self.value_ranking, n_rankings)
        row_squares = sum_by_ranking(row_influence**2, rows.ranking, n_rankings)
        # Below rounding error it counts as 0.
        has_variance = row_squares * self.n_positive_rows > RELATIVE_TOLERANCE**2
        return design_effect(cluster_squares, np.where(has_variance, row_squares, 0.0))

    def _class_weight(self, is_counted: Bool) -> ClassWeight:
        """Return the weight of the units of a class in each ranking."""
        return _class_weight(is_counted, self.rankings, self.value_ranking, self.value_index)

    def rows_in_unit(self, model: Rankings, n_ranks: int | Array) -> Float:
        """Return the number of rows of a unit among the first ranks of a model, for each ranking.

        It is the typical weight of a unit among them over the typical weight of a row (Kish 1965).
        If cluster c has m_c of the first k rows, it is the sum of m_c^2 over k.
        """
        shares = _shares_within_ranks(model, n_ranks)
        unit_weight = _class_weight(shares, model, self.value_ranking, self.value_index)
        row_weight = rows_of_rankings(model).class_weight(shares)
        has_rows = unit_weight.total > 0
        ones = np.ones(has_rows.shape)
        return np.divide(unit_weight.typical, row_weight.typical, out=ones, where=has_rows)

    def add_up(self, item_values: Array, unscored_values: Float) -> Float:
        """Multiply by the weights, and add up the items of each unit."""
        unit_values = _sum_items(self.rankings, item_values, self.value_index)
        return self._append_unscored(unit_values, unscored_values)

    def _append_unscored(self, sums: Float, unscored_values: Float) -> Float:
        """Append the weighted value of a positive that was never scored, for each ranking."""
        unscored = np.where(self.n_unscored > 0, unscored_values, 0.0) * self.unscored_weight
        # A table has the shape (n_rankings, n_units), and each ranking adds a column to it.
        columns = unscored if sums.ndim == 1 else np.diag(unscored)
        return np.concatenate((sums, columns), axis=-1)


def rows_of_rankings(rankings: Rankings) -> Rows:
    """Lay out the rows, without their clusters."""
    return Rows(replace(rankings, clusters=None), rankings.ranking)


def positives_of_counts(definition: Definition, counts: ThresholdCounts) -> PositiveCounts:
    """Return the numbers of positives of unweighted counts."""
    n_positives = counts.n_positives.astype(np.float64)
    n_effective = limited_positives(definition, counts, n_positives, counts.n_negatives)
    return PositiveCounts(n_effective, n_kish=n_positives, n_counted=n_positives)


def units_of_rows(definition: Definition, rankings: Rankings, counts: ThresholdCounts) -> RowUnits:
    """Return the units of rankings, with the counts of one model.

    Each positive that was never scored has the typical weight of those that were; where none was
    scored, the mean weight of the rows; 1 in a column of a table that has no known label.
    """
    layout = _layout(rankings)
    unit_weight = _positive_unit_weight(rankings, counts, layout)
    unscored = counts.n_positives - unit_weight.total
    # Two sums of the same weights may differ by rounding.
    is_unscored = unscored > RELATIVE_TOLERANCE * unit_weight.total
    n_unscored = np.where(is_unscored, unscored, 0.0) / unit_weight.typical
    n_kish = unit_weight.total / unit_weight.typical + n_unscored
    weights, n_negatives = _row_weights(rankings, counts, unit_weight)
    n_positive_rows = counts.n_positives / weights.positive
    n_effective = limited_positives(definition, counts, n_kish, n_negatives)
    n_limited_rows = limited_positives(definition, counts, n_positive_rows, n_negatives)
    are_separate = layout.ranking is not None and rankings.average is None
    is_one_cluster: bool | Bool = False
    if rankings.clusters is not None:
        is_one_cluster = layout.n_units == 1 if are_separate else not rankings.clusters.any()
    unscored_ranking = np.arange(rankings.n_rankings)
    return RowUnits(
        n_units=layout.n_units + n_unscored,
        n_unscored=n_unscored,
        ranking=_append(layout.ranking, unscored_ranking),
        unit=_append(layout.unit, layout.n_numbered_units + unscored_ranking),
        are_separate=are_separate,
        is_one_cluster=is_one_cluster,
        rankings=rankings,
        positives=PositiveCounts(n_effective, n_kish, n_counted=rankings.n_hits + n_unscored),
        n_positive_rows=n_positive_rows,
        n_limited_positive_rows=n_limited_rows,
        weights=weights,
        unscored_weight=unit_weight.typical,
        value_index=layout.value_index,
    )


def _append(numbers: Index | None, others: Index) -> Index | None:
    return None if numbers is None else np.append(numbers, others)


def _positive_unit_weight(
    rankings: Rankings, counts: ThresholdCounts, layout: _Layout
) -> ClassWeight:
    """Return the weight of positive units; where there are none, the typical one is a mean."""
    weight = _class_weight(rankings.positive, rankings, layout.ranking, layout.value_index)
    negative_total = np.where(rankings.sizes > 0, counts.n_negatives, 1)
    mean_weight = negative_total / np.maximum(rankings.sizes, 1)
    return weight._replace(typical=np.where(weight.total > 0, weight.typical, mean_weight))


def _row_weights(
    rankings: Rankings, counts: ThresholdCounts, unit_weight: ClassWeight
) -> tuple[RowWeights, Float]:
    """Return the typical weights of rows, and the effective number of negatives.

    ``unit_weight`` is the weight of the positive sampling units.
    """
    if rankings.weight is None:
        return EQUAL_WEIGHTS, counts.n_negatives
    rows = rows_of_rankings(rankings)
    negative = rows.class_weight(~rankings.positive)
    n_negatives = negative.total / np.where(negative.total > 0, negative.typical, 1.0)
    positive = unit_weight.typical
    if rankings.clusters is not None:
        positive_row = rows.class_weight(rankings.positive).typical
        positive = np.where(unit_weight.total > 0, positive_row, positive)
    positive = np.where(positive > 0, positive, 1.0)
    n_positive_rows = rankings.n_hits
    n_negative_rows = rankings.sizes - n_positive_rows
    positive_ratio = _effective_ratio(unit_weight.total / positive, n_positive_rows)
    negative_ratio = _effective_ratio(n_negatives, n_negative_rows)
    return RowWeights(positive, negative.typical, positive_ratio * negative_ratio), n_negatives


def _effective_ratio(n_effective: Float, n_rows: Index) -> Float:
    """Return the effective number of rows over their number; 1 for a class without rows."""
    return np.where(n_rows > 0, n_effective / np.maximum(n_rows, 1), 1.0)


def limited_positives(
    definition: Definition, counts: ThresholdCounts, n_positives: Float, n_negatives: Float
) -> Float:
    """Limit the effective number of positives where negatives weigh much.

    Then a few false positives determine the score, and the sample has too few negatives. The limit
    is the number of positives that these negatives would come with, if all weighed the same.
    """
    odds: FloatOrArray
    if definition.prevalence is not None:
        odds = definition.prevalence / (1 - definition.prevalence)
    elif counts.fps.dtype.kind == "f":
        odds = counts.n_positives / np.where(counts.n_negatives > 0, counts.n_negatives, 1.0)
    else:
        return n_positives
    fewer = n_negatives * odds
    # Equal weights may be rounded.
    is_short = (counts.n_negatives > 0) & (fewer < n_positives * (1 - RELATIVE_TOLERANCE))
    return np.where(is_short, fewer, n_positives)


def scale_weights(models: Sequence[Rankings]) -> tuple[list[Rankings], int]:
    """Scale weights to be near 1, as the squares of tiny and huge weights are 0 and infinite.

    Also return the exponent of the power of 2 that multiplies them, which rounds nothing: weights
    of 2**-1000 and 2**-990 become 2**-6 and 2**4.
    """
    first = models[0]
    weight = first.weight
    if weight is None:
        return [*models], 0
    exponents = np.frexp((weight.min(), weight.max()))[1]
    power = (-int(exponents.sum())) // 2

    def scale(total: Array | None) -> Array | None:
        return None if total is None else np.ldexp(total.astype(np.float64), power)

    scaled_weight = np.ldexp(weight, power)
    n_positives = scale(first.n_positives)
    n_negatives = scale(first.n_negatives)
    n_unscored = scale(first.n_unscored)
    scaled_models = [
        replace(
            model,
            weight=scaled_weight,
            n_positives=n_positives,
            n_negatives=n_negatives,
            n_unscored=n_unscored,
        )
        for model in models
    ]
    return scaled_models, power


def sum_by_ranking(unit_values: Float, ranking: Index | None, n_rankings: int) -> Float:
    """Add up values of units, laid out as ``SamplingUnits`` says."""
    if ranking is None:
        return np.add.reduce(unit_values, axis=1)
    return np.bincount(ranking, unit_values, n_rankings).astype(np.float64)


def find_large_units(rankings: Rankings, unit: Index, n_units: int, sample: Index) -> Bool:
    """Find the units that have many of the positives, or of the negatives.

    ``unit`` is the unit of each item, and ``sample`` the sample of each unit.
    """
    weight = rankings.weight_of_items
    is_large = np.zeros(n_units, bool)
    for is_counted in (rankings.positive, ~rankings.positive):
        unit_weight = np.bincount(unit, weight * is_counted, n_units)
        total = np.bincount(sample, unit_weight)[sample]
        is_large |= unit_weight > LARGE_CLUSTER_SHARE * total
    return is_large


def design_effect(cluster_squares: FloatOrArray, row_squares: FloatOrArray) -> Float:
    """Return the factor D by which clusters multiply the variance of their rows (Kish 1965).

    Equation B8: it is at least 1.
    """
    return np.maximum(cluster_squares / np.where(row_squares > 0, row_squares, np.inf), 1.0)


class _Layout(NamedTuple):
    """The layout of the influence values of units, except of positives never scored."""

    ranking: Index | None  # the ranking of each value, as in ``SamplingUnits``
    unit: Index | None  # the unit of each value, as in ``SamplingUnits``
    value_index: Index | None  # the value that each item adds to, or None: see _sum_items
    n_units: int | Index  # the number of units of each ranking

    @property
    def n_numbered_units(self) -> int:
        """The number of units that ``unit`` numbers."""
        return 0 if self.unit is None else int(self.unit.max(initial=-1)) + 1


def _layout(rankings: Rankings) -> _Layout:
    clusters = rankings.clusters
    n_rankings = rankings.n_rankings
    if clusters is None:  # units are rows
        n_rows = rankings.score.size // n_rankings
        n_units = n_rows if rankings.ranking is None else rankings.sizes
        return _Layout(rankings.ranking, unit=None, value_index=None, n_units=n_units)
    n_clusters = int(clusters.max()) + 1
    # A pair of ranking r and cluster c has the number r * n_clusters + c.
    if rankings.ranking is not None:  # queries: each has rows of some clusters
        pairs, value_index = np.unique(
            rankings.ranking * n_clusters + clusters, return_inverse=True
        )
    elif rankings.average is None and n_rankings > 1:  # columns: each has all clusters
        pairs = np.arange(n_rankings * n_clusters)
        value_index = pairs.reshape(n_rankings, n_clusters)[:, clusters].ravel()
    else:  # all rankings share the clusters
        return _Layout(ranking=None, unit=None, value_index=None, n_units=n_clusters)
    ranking, unit = np.divmod(pairs, n_clusters)
    if rankings.average is not None:
        return _Layout(ranking, unit, value_index, n_clusters)
    return _Layout(ranking, unit, value_index, np.bincount(ranking, minlength=n_rankings))


def _sum_items(rankings: Rankings, item_values: Array, value_index: Index | None = None) -> Float:
    """Multiply by the weights, and add up the items of each unit.

    ``value_index`` is the sum to which each item adds. If it is None, each item of queries is a
    unit, and the units of a table, rows or clusters, are the same in all of its rankings.
    """
    weighted = item_values if rankings.weight is None else item_values * rankings.weight
    if value_index is not None:
        return np.bincount(value_index, weighted).astype(np.float64)
    if rankings.ranking is not None:
        return np.asarray(weighted)
    table = weighted.reshape(rankings.n_rankings, -1)  # (n_rankings, n_rows)
    if rankings.clusters is None:
        return np.asarray(table)
    return np.stack([np.bincount(rankings.clusters, row) for row in table])


def _class_weight(
    is_counted: Bool | Float,
    rankings: Rankings,
    ranking: Index | None,
    value_index: Index | None = None,
) -> ClassWeight:
    """Return the weight of a class in each ranking, where a unit weighs the sum of its items."""
    unit_weights = _sum_items(rankings, is_counted, value_index)
    total = sum_by_ranking(unit_weights, ranking, rankings.n_rankings)
    # Each ranking has its own power of 2, as weights of rankings may differ by many magnitudes.
    mantissa, exponent = np.frexp(total)
    factor = np.ldexp(1.0, -exponent)
    scaled = unit_weights * (factor[:, None] if ranking is None else factor[ranking])
    squares = sum_by_ranking(scaled * scaled, ranking, rankings.n_rankings)
    typical = np.ldexp(squares / np.where(total > 0, mantissa, 1.0), exponent)
    return ClassWeight(total, typical)


def _shares_within_ranks(rankings: Rankings, n_ranks: int | Array) -> Float:
    """Compute the share of each item that stands within the first ranks of its ranking.

    The items of a tied block have the same share. Items not retrieved have the share 0.
    """
    ranking = rankings.ranking_of_items
    score = rankings.score
    order = np.lexsort((score, ranking))[::-1]
    begins_ranking = begins_block(ranking[order])
    # For each tied block: its start, its weight, the weight before it, and the first block of its
    # ranking.
    starts = np.flatnonzero(begins_ranking | begins_block(score[order]))
    size = segment_sums(rankings.weight_of_items[order], starts)
    before = np.cumsum(size) - size
    first = np.maximum.accumulate(np.where(begins_ranking[starts], np.arange(starts.size), 0))
    limit = np.broadcast_to(n_ranks, rankings.n_rankings)[ranking[order[starts]]]
    block_share = np.minimum(np.maximum(limit - (before - before[first]), 0), size) / size
    share = np.empty(order.size)
    share[order] = np.repeat(block_share, np.diff(starts, append=order.size))
    return np.where(rankings.is_retrieved, share, 0.0)
