"""The units of random sampling: rows, clusters of rows, and positives that were never scored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.ranks import shares_within_ranks
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.definitions import Definition


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """The units that are sampled, and how their influence values are laid out.

    Where the units of all rankings are the same, as rows of a table, there is a row of influence
    values for each ranking, and ``ranking`` is None. Otherwise ``ranking`` says which ranking each
    value is for. Positives that were never scored come last, as one more unit of each ranking.
    Units of counts at one place are alike, so there is one value for each place.
    """

    n_units: FloatOrArray | Index  # of each ranking, in all
    n_unscored: Float  # positives of each ranking without a row; of counts, also those at -inf
    ranking: Index | None  # of each influence value
    # A row is in one ranking, and a cluster may be in several: ``unit`` then says which one each
    # influence value is of. So it is with clusters of a table where each column has its own score.
    unit: Index | None = None
    are_separate: bool = False  # whether no ranking shares its score or a unit with another one
    are_one_cluster: bool | Bool = False  # whether all is one cluster; of each separate ranking

    def sum_over_rankings(self, factors: Float, unit_influence: Float) -> Float:
        """Add up the values of each unit over rankings, those of a ranking times its factor."""
        if self.unit is None:
            # Not with @, whose threads take longer to wake up than the sum takes.
            return np.einsum("r,ru->u", factors, unit_influence)
        sums = np.bincount(self.unit, factors[self.ranking] * unit_influence)
        return sums.astype(np.float64)


class Positives(NamedTuple):
    """The numbers of positives of each ranking, scored or not."""

    n_effective: Float  # N_e, limited by large weights of negatives: see limited_positives
    n_unlimited: Float  # the effective number by the weights of positives alone (Kish 1965)
    n_counted: Float


class EffectiveSizes(NamedTuple):
    """The effect of clusters on the variance of the rows of each ranking."""

    design_effect: Float  # D, by which clusters multiply the variance
    # The number of independent positives that would be as certain as the negatives of the clusters,
    # or that of the clusters of a class, if these are fewer. nan for a ranking that has units of
    # its own, each of one row.
    n_independent: Float
    # By the class that is in fewer of them, without a look at influences, which vary with luck.
    n_clusters: Float
    row_influence: Float | None = None  # for comparisons; None for counts


class RowWeights(NamedTuple):
    """The weight of most rows of each class, and how even the weights of a class are."""

    positive: FloatOrArray = 1.0
    negative: FloatOrArray = 1.0
    # e: effective rows of each class over their number, multiplied; 1 if their weights are equal
    evenness: FloatOrArray = 1.0


EQUAL_WEIGHTS = RowWeights()


class Rows(NamedTuple):
    """The rows, or cells, of rankings, each once: folds may test some several times."""

    rankings: Rankings  # whose clusters are the copies of a row, None if each item is a row
    ranking: Index | None  # of each row, laid out as ``SamplingUnits`` says
    value_index: Index | None  # of the row that each item is a copy of

    @property
    def n_values(self) -> int:
        """The number of rows of all rankings."""
        if self.value_index is not None:
            return int(self.value_index.max()) + 1
        copies = self.rankings.clusters
        if copies is None:
            return self.rankings.score.size
        return self.rankings.n_rankings * (int(copies.max()) + 1)

    @property
    def sizes(self) -> Index:
        """The number of rows of each ranking."""
        if self.ranking is None or self.value_index is None:
            return self.rankings.sizes
        return np.bincount(self.ranking, minlength=self.rankings.n_rankings)

    def add_up(self, item_values: Array) -> Float:
        """Multiply by the weights, and add up the copies of each row."""
        return _sum_items(self.rankings, item_values, self.value_index)

    def typical_weight(self, is_counted: Bool | Float) -> tuple[Float, Float]:
        """Give the weight of a class in each ranking, and the weight of most of its rows."""
        return _typical_weight(is_counted, self.rankings, self.ranking, self.value_index)


@dataclass(frozen=True, eq=False, kw_only=True)
class RowUnits(SamplingUnits):
    """Rows, or clusters of them, and what else several models have in common."""

    rankings: Rankings  # whose items are sampled
    positives: Positives
    n_positive_rows: Float  # N_r, the effective number of positives if rows were units
    n_limited_positive_rows: Float  # the same, limited by large weights of negatives
    weights: RowWeights  # for each ranking
    unscored_weight: Float  # of each positive that was never scored
    value_index: Index | None  # which influence value an item adds to, if ``unit`` is not None

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
        """The ranking of each influence value, but for positives that were never scored."""
        return None if self.ranking is None else self.ranking[: -self.rankings.n_rankings]

    def multiplicity(self, n_scored_units: int) -> Float:
        """Give how many units each influence value stands for: one, if all positives have scores.

        Otherwise the last values, of positives that were never scored, stand for many.
        """
        if not self.n_unscored.any():
            return np.ones(1)
        return np.append(np.ones(n_scored_units), self.n_unscored)

    def positive_weights(self) -> Float:
        """Give the weight of the positives of each unit, laid out as influence values are."""
        return self.add_up(self.rankings.positive, np.ones(self.n_unscored.size))

    def effective_sizes(self, item_influence: Float, unscored_influence: Float) -> EffectiveSizes:
        """Give the effective sizes under clustering, from the influence of items without weight.

        Equation 11: the design effect. A class that is in one cluster only counts for one row.
        """
        rankings = self.rankings
        rows = self.rows
        n_clusters = np.fmin(
            self._n_clusters(rankings.positive), self._n_clusters(~rankings.positive)
        )
        negatives = np.where(rankings.positive, 0.0, item_influence)
        n_by_negatives = self.n_positive_rows / self._design_effect(negatives)
        if self.are_separate:
            are_rows = self.n_units - self.n_unscored == rows.sizes
            n_clusters = np.where(are_rows, np.nan, n_clusters)
            n_by_negatives = np.where(are_rows, np.nan, n_by_negatives)
        row_units = replace(self, rankings=rows.rankings, value_index=rows.value_index)
        return EffectiveSizes(
            design_effect=self._design_effect(item_influence),
            n_independent=np.fmin(n_clusters, n_by_negatives),
            n_clusters=n_clusters,
            row_influence=row_units.add_up(item_influence, unscored_influence),
        )

    def _design_effect(self, item_influence: Float) -> Float:
        """Give the design effect on each ranking, by the influence of some items."""
        rankings = self.rankings
        rows = self.rows
        n_rankings = rankings.n_rankings
        row_influence = rows.add_up(item_influence)
        cluster_influence = _sum_items(rankings, item_influence, self.value_index)
        cluster_squares = sum_by_ranking(cluster_influence**2, self.value_ranking, n_rankings)
        row_squares = sum_by_ranking(row_influence**2, rows.ranking, n_rankings)
        # Only what is more than rounding leaves is a variance.
        has_variance = row_squares * self.n_positive_rows > RELATIVE_TOLERANCE**2
        return design_effect(cluster_squares, np.where(has_variance, row_squares, 0.0))

    def _n_clusters(self, is_counted: Bool) -> Float:
        """Give the effective number of clusters of a class; nan where it has no rows."""
        total, typical = _typical_weight(
            is_counted, self.rankings, self.value_ranking, self.value_index
        )
        return total / np.where(total > 0, typical, np.nan)

    def rows_in_unit(self, model: Rankings, n_ranks: int | Array) -> Float:
        """Give how many rows a unit has among the first ranks of a model, for each ranking.

        It is the typical weight of a unit there over that of a row, as Kish's numbers have it. With
        m rows of cluster c among k, it is the sum of m^2 over k.
        """
        part = shares_within_ranks(model, n_ranks)
        total, unit_weight = _typical_weight(part, model, self.value_ranking, self.value_index)
        _, row_weight = rows_of_rankings(model).typical_weight(part)
        return np.divide(unit_weight, row_weight, out=np.ones(total.shape), where=total > 0)

    def add_up(self, item_values: Array, unscored_values: Float) -> Float:
        """Multiply by the weights, and add up the items of each unit: of a cluster, its rows."""
        sums = _sum_items(self.rankings, item_values, self.value_index)
        unscored = np.where(self.n_unscored > 0, unscored_values, 0.0) * self.unscored_weight
        # In a table of (n_rankings, n_units), each ranking has a column for its own.
        columns = unscored if sums.ndim == 1 else np.diag(unscored)
        return np.concatenate((sums, columns), axis=-1)


def rows_of_rankings(rankings: Rankings) -> Rows:
    """Lay out the rows, as if they were clusters of their copies."""
    rankings = replace(rankings, clusters=rankings.copies)
    layout = _layout(rankings)
    return Rows(rankings, layout.ranking, layout.value_index)


def units_of_counts(counts: ThresholdCounts) -> SamplingUnits:
    """Give the units of unweighted counts: rows, of which those at one place are alike."""
    ranking = None
    if counts.starts.size > 1:
        # Positives, tied negatives and negatives between thresholds have a value at each threshold;
        # positives never scored and negatives below all thresholds have one for each ranking.
        places = counts.ranking()
        rankings = np.arange(counts.starts.size)
        ranking = np.concatenate((places, places, places, rankings, rankings))
    n_positives = counts.n_positives.astype(np.float64)
    n_unscored = n_positives - counts.sum(counts.gained)
    return SamplingUnits(n_positives + counts.n_negatives, n_unscored, ranking)


def positives_of_counts(definition: Definition, counts: ThresholdCounts) -> Positives:
    """Give the numbers of positives of unweighted counts."""
    n_positives = counts.n_positives.astype(np.float64)
    n_effective = limited_positives(definition, counts, n_positives, counts.n_negatives)
    return Positives(n_effective, n_unlimited=n_positives, n_counted=n_positives)


def units_of_rows(definition: Definition, rankings: Rankings, counts: ThresholdCounts) -> RowUnits:
    """Give the units of rankings, with the counts of one model.

    Each positive that was never scored has the typical weight of those that were; where none was
    scored, the mean weight of the rows; 1 in a column of a table that has no known label.
    """
    layout = _layout(rankings)
    total, typical = _typical_weight(
        rankings.positive, rankings, layout.ranking, layout.value_index
    )
    negative_total = np.where(rankings.sizes > 0, counts.n_negatives, 1)
    mean_weight = negative_total / np.maximum(rankings.sizes, 1)
    typical = np.where(total > 0, typical, mean_weight)
    unscored = counts.n_positives - total
    # What rounding leaves between two sums of the same weights is no positive.
    n_unscored = np.where(unscored > RELATIVE_TOLERANCE * total, unscored, 0.0) / typical
    n_unlimited = total / typical + n_unscored
    weights, n_negatives = _row_weights(rankings, counts, total, typical)
    n_positive_rows = counts.n_positives / weights.positive
    n_effective = limited_positives(definition, counts, n_unlimited, n_negatives)
    n_limited_rows = limited_positives(definition, counts, n_positive_rows, n_negatives)
    ranking = layout.ranking
    unit = layout.unit
    unscored_ranking = np.arange(rankings.n_rankings)
    are_separate = ranking is not None and rankings.average is None
    is_one_cluster: bool | Bool = False
    if rankings.clusters is not None:
        is_one_cluster = layout.n_units == 1 if are_separate else not rankings.clusters.any()
    return RowUnits(
        n_units=layout.n_units + n_unscored,
        n_unscored=n_unscored,
        ranking=None if ranking is None else np.append(ranking, unscored_ranking),
        unit=None if unit is None else np.append(unit, unit.max(initial=-1) + 1 + unscored_ranking),
        are_separate=are_separate,
        are_one_cluster=is_one_cluster,
        rankings=rankings,
        positives=Positives(n_effective, n_unlimited, n_counted=rankings.n_hits + n_unscored),
        n_positive_rows=n_positive_rows,
        n_limited_positive_rows=n_limited_rows,
        weights=weights,
        unscored_weight=typical,
        value_index=layout.value_index,
    )


def _row_weights(
    rankings: Rankings, counts: ThresholdCounts, total: Float, typical: Float
) -> tuple[RowWeights, Float]:
    """Give what rows of each class weigh, and the effective number of negatives.

    ``total`` is the weight of positives, and ``typical`` that of a positive sampling unit.
    """
    if rankings.weight is None and rankings.copies is None:
        return EQUAL_WEIGHTS, counts.n_negatives
    rows = rows_of_rankings(rankings)
    negative_total, negative = rows.typical_weight(~rankings.positive)
    n_negatives = negative_total / np.where(negative_total > 0, negative, 1.0)
    positive = typical
    if rankings.clusters is not None:
        _, positive_row = rows.typical_weight(rankings.positive)
        positive = np.where(total > 0, positive_row, typical)
    positive = np.where(positive > 0, positive, 1.0)
    n_positive_rows, n_negative_rows = _n_rows(rankings, rows)
    positive_part = _effective_part(total / positive, n_positive_rows)
    negative_part = _effective_part(n_negatives, n_negative_rows)
    return RowWeights(positive, negative, positive_part * negative_part), n_negatives


def _effective_part(n_effective: Float, n_rows: Index | Float) -> Float:
    """Give the effective number of rows over their number; 1 for a class without rows."""
    return np.where(n_rows > 0, n_effective / np.maximum(n_rows, 1), 1.0)


def _n_rows(rankings: Rankings, rows: Rows) -> tuple[Index | Float, Index | Float]:
    """Count the positive and the negative rows of each ranking, each row once."""
    if rankings.copies is None:
        return rankings.n_hits, rankings.sizes - rankings.n_hits

    def count_rows(is_counted: Bool) -> Float:
        has_copies = rows.add_up(is_counted) > 0
        return sum_by_ranking(has_copies.astype(np.float64), rows.ranking, rankings.n_rankings)

    return count_rows(rankings.positive), count_rows(~rankings.positive)


def limited_positives(
    definition: Definition, counts: ThresholdCounts, n_positives: Float, n_negatives: Float
) -> Float:
    """Limit the effective number of positives where negatives weigh much.

    Then a few false positives determine the score, and the sample is short of negatives: the number
    is that of the positives that would come with so many negatives, if all weighed the same.
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
    """Scale weights to be near 1, as squares of tiny ones are 0, and those of huge ones infinite.

    Give the exponent of the power of 2 that they are multiplied by, too, which rounds nothing:
    weights of 2**-1000 and 2**-990 become 2**-6 and 2**4.
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


def are_large(
    rankings: Rankings, unit: Index, n_units: int, share: float, sample: Index | None = None
) -> Bool:
    """Find the units that have more than a share of the positives, or of the negatives.

    ``unit`` is that of each item, and ``sample`` that of each unit; None if all are one sample.
    """
    weight = rankings.weight_of_items
    is_large = np.zeros(n_units, bool)
    for is_counted in (rankings.positive, ~rankings.positive):
        unit_weight = np.bincount(unit, weight * is_counted, n_units)
        total: float | Array = unit_weight.sum()
        if sample is not None:
            total = np.bincount(sample, unit_weight)[sample]
        is_large |= unit_weight > share * total
    return is_large


def design_effect(cluster_squares: FloatOrArray, row_squares: FloatOrArray) -> Float:
    """Give the factor D by which clusters multiply the variance of their rows (Kish 1965).

    Equation 11: it is at least 1.
    """
    return np.maximum(cluster_squares / np.where(row_squares > 0, row_squares, np.inf), 1.0)


def effective_number(weights: Array) -> float:
    """Give how many equal weights have the same sum and sum of squares; 0 without any (Kish 1965).

    It is N_e of equation 3, if the weights are those of positives.
    """
    if not weights.any():
        return 0.0
    parts = weights / np.abs(weights).max()  # whose squares are numbers, whatever the weights
    return float(parts.sum() ** 2 / (parts @ parts))


class _Layout(NamedTuple):
    """The layout of the influence values of units, but for positives that were never scored."""

    ranking: Index | None  # of each value, as in ``SamplingUnits``
    unit: Index | None  # of each value, as in ``SamplingUnits``
    value_index: Index | None  # of the value that each item adds to
    n_units: int | Index  # of each ranking


def _layout(rankings: Rankings) -> _Layout:
    clusters = rankings.clusters
    n_rankings = rankings.n_rankings
    if clusters is None:  # units are rows
        n_rows = rankings.score.size // n_rankings
        n_units = n_rows if rankings.ranking is None else rankings.sizes
        return _Layout(rankings.ranking, unit=None, value_index=None, n_units=n_units)
    n_clusters = int(clusters.max()) + 1
    # A pair of ranking r and cluster c has the number r * n_clusters + c.
    if rankings.ranking is not None:  # queries, of which each has rows of some clusters
        pairs, value_index = np.unique(
            rankings.ranking * n_clusters + clusters, return_inverse=True
        )
    elif rankings.average is None and n_rankings > 1:  # columns, of which each has all clusters
        pairs = np.arange(n_rankings * n_clusters)
        value_index = pairs.reshape(n_rankings, n_clusters)[:, clusters].ravel()
    else:  # clusters, which all rankings share
        return _Layout(ranking=None, unit=None, value_index=None, n_units=n_clusters)
    ranking, unit = np.divmod(pairs, n_clusters)
    if rankings.average is not None:
        return _Layout(ranking, unit, value_index, n_clusters)
    return _Layout(ranking, unit, value_index, np.bincount(ranking, minlength=n_rankings))


def _sum_items(rankings: Rankings, item_values: Array, value_index: Index | None = None) -> Float:
    """Multiply by the weights, and add up the items of each unit."""
    weighted = item_values if rankings.weight is None else item_values * rankings.weight
    if value_index is not None:
        return np.bincount(value_index, weighted).astype(np.float64)
    if rankings.ranking is not None:
        return np.asarray(weighted)
    table = weighted.reshape(rankings.n_rankings, -1)  # (n_rankings, n_rows)
    if rankings.clusters is None:
        return np.asarray(table)
    return np.stack([np.bincount(rankings.clusters, row) for row in table])


def _typical_weight(
    is_counted: Bool | Float,
    rankings: Rankings,
    ranking: Index | None,
    value_index: Index | None = None,
) -> tuple[Float, Float]:
    """Give the sum of the weights of a class in each ranking, and of their squares over that.

    A unit weighs what its items of the class weigh. The first over the second is the effective
    number: that of equal weights with the same sum and sum of squares (Kish 1965).
    """
    unit_weights = _sum_items(rankings, is_counted, value_index)
    total = sum_by_ranking(unit_weights, ranking, rankings.n_rankings)
    # Each ranking is scaled by a power of 2, as its weights may be far from those of the others.
    mantissa, exponent = np.frexp(total)
    factor = np.ldexp(1.0, -exponent)
    scaled = unit_weights * (factor[:, None] if ranking is None else factor[ranking])
    squares = sum_by_ranking(scaled * scaled, ranking, rankings.n_rankings)
    return total, np.ldexp(squares / np.where(total > 0, mantissa, 1.0), exponent)
