"""What is sampled at random: rows, clusters of rows, and positives that were never scored."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float, Index
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

    n_units: Any  # of each ranking, in all
    n_unscored: Float  # positives of each ranking without a row; of counts, also those at -inf
    ranking: Index | None
    # A row is in one ranking, and a cluster may be in several: ``unit`` then says which one each
    # influence value is of. So it is with clusters of a table where each column has its own score.
    unit: Index | None = None
    are_separate: bool = False  # whether no ranking shares its score or a unit with another one
    are_one_cluster: Any = False  # whether all is one cluster; of each ranking if they are apart

    def over_rankings(self, factors: Float, by_unit: Float) -> Float:
        """Add up the values of each unit over rankings, those of a ranking times its factor."""
        if self.unit is None:
            # Not with @, whose threads take longer to wake up than the sum takes.
            return np.einsum("r,ru->u", factors, by_unit)
        return np.bincount(self.unit, factors[self.ranking] * by_unit).astype(np.float64)


class Positives(NamedTuple):
    """How many positives each ranking has, scored or not."""

    n_effective: Float  # limited by large weights of negatives, see as_positives
    n_unlimited: Float  # the effective number by the weights of positives alone (Kish 1965)
    n_counted: Float


class EffectiveSizes(NamedTuple):
    """What clusters do to the variance of the rows of each ranking."""

    design_effect: Float  # what they multiply it by
    # How many positives would be as sure as the negatives of the clusters; the clusters of each
    # class, if these are fewer. nan for a ranking that has units of its own, each of one row.
    n_independent: Float
    # By the class that is in fewer of them, without a look at influences, which vary with luck.
    n_clusters: Float
    by_row: Any = None  # the influence values of rows, for comparisons; None for counts


class RowWeights(NamedTuple):
    """What most rows of each class weigh, and how much the rows of a class differ in weight."""

    positive: Any = 1.0
    negative: Any = 1.0
    evenness: Any = 1.0  # effective rows of each class over their number, multiplied; 1 if equal


EQUAL_WEIGHTS = RowWeights()


class Rows(NamedTuple):
    """The rows, or cells, of rankings, each once: folds may test some several times."""

    rankings: Rankings  # whose clusters are the copies of a row, None if each item is a row
    ranking: Index | None  # of each row, laid out as ``SamplingUnits`` says
    value_of_items: Index | None

    @property
    def n_values(self) -> int:
        """The rows of all rankings."""
        if self.value_of_items is not None:
            return int(self.value_of_items.max()) + 1
        copies, n_rankings = self.rankings.clusters, self.rankings.n_rankings
        return self.rankings.score.size if copies is None else n_rankings * (int(copies.max()) + 1)

    @property
    def sizes(self) -> Index:
        """The rows of each ranking."""
        if self.ranking is None or self.value_of_items is None:
            return self.rankings.sizes
        return np.bincount(self.ranking, minlength=self.rankings.n_rankings)

    def add_up(self, of_items: Any) -> Float:
        """Multiply by the weights, and add up the copies of each row."""
        return _sums(self.rankings, of_items, self.value_of_items)

    def typical_weight(self, of_class: Bool | Float) -> tuple[Float, Float]:
        """The sum of the weights of a class in each ranking, and the weight of most of its rows."""
        return _typical_weight(of_class, self.rankings, self.ranking, self.value_of_items)


@dataclass(frozen=True, eq=False, kw_only=True)
class RowUnits(SamplingUnits):
    """Rows, or clusters of them, and what else several models have in common."""

    rankings: Rankings  # whose items are sampled
    positives: Positives
    n_by_rows: Float  # the effective number of positives if rows were units
    n_limited_by_rows: Float  # the same, limited by large weights of negatives
    weights: RowWeights  # for each ranking
    weight_of_unscored: Float  # of each positive that was never scored
    value_of_items: Index | None  # which influence value an item adds to, if ``unit`` is there

    @cached_property
    def rows(self) -> Rows:
        """The rows that units have."""
        return rows_of(self.rankings)

    @property
    def of_items(self) -> Index:
        """The unit of each item of all rankings."""
        n_items, unit = self.rankings.score.size, self.rankings.clusters
        n_copies = 1 if self.rankings.ranking is not None else self.rankings.n_rankings
        return np.tile(np.arange(n_items // n_copies) if unit is None else unit, n_copies)

    def weight_of_positives(self) -> Float:
        """The weight of the positives of each unit, laid out as influence values are."""
        return self.add_up(self.rankings.positive, np.ones(self.n_unscored.size))

    def effective_sizes(self, of_items: Float, of_unscored: Float) -> EffectiveSizes:
        """The effective sample sizes under clustering, from the influence of items without weight.

        A class that is in one cluster only counts for one row.
        """
        model, rows = self.rankings, self.rows
        of_values = None if self.ranking is None else self.ranking[: -model.n_rankings]

        def effect(influence: Float) -> Float:
            by_row = rows.add_up(influence)
            by_cluster = _sums(model, influence, self.value_of_items)
            of_clusters = sum_by_ranking(by_cluster**2, of_values, model.n_rankings)
            of_rows = sum_by_ranking(by_row**2, rows.ranking, model.n_rankings)
            is_real = of_rows * self.n_by_rows > RELATIVE_TOLERANCE**2  # more than rounding leaves
            return design_effect(of_clusters, np.where(is_real, of_rows, 0.0))

        classes = (model.positive, ~model.positive)
        weights = [_typical_weight(each, model, of_values, self.value_of_items) for each in classes]
        clusters = (total / np.where(total > 0, typical, np.nan) for total, typical in weights)
        n_clusters = np.fmin(*clusters)
        by_negatives = self.n_by_rows / effect(np.where(model.positive, 0.0, of_items))
        if self.are_separate:
            are_rows = self.n_units - self.n_unscored == rows.sizes
            n_clusters = np.where(are_rows, np.nan, n_clusters)
            by_negatives = np.where(are_rows, np.nan, by_negatives)
        n_independent = np.fmin(n_clusters, by_negatives)
        as_units = replace(self, rankings=rows.rankings, value_of_items=rows.value_of_items)
        by_row = as_units.add_up(of_items, of_unscored)
        return EffectiveSizes(effect(of_items), n_independent, n_clusters, by_row)

    def rows_in_unit(self, model: Rankings, n_ranks: Any) -> Float:
        """How many rows a unit has among the first ranks of a model, for each ranking.

        It is the typical weight of a unit there over that of a row, as Kish's numbers have it. With
        m rows of cluster c among k, it is the sum of m^2 over k.
        """
        part = shares_within_ranks(model, n_ranks)
        of_values = None if self.ranking is None else self.ranking[: -model.n_rankings]
        total, of_unit = _typical_weight(part, model, of_values, self.value_of_items)
        _, of_row = rows_of(model).typical_weight(part)
        return np.divide(of_unit, of_row, out=np.ones(total.shape), where=total > 0)

    def add_up(self, of_items: Any, of_unscored: Float) -> Float:
        """Multiply by the weights, and add up the items of each unit: of a cluster, its rows."""
        sums = _sums(self.rankings, of_items, self.value_of_items)
        of_unscored = np.where(self.n_unscored > 0, of_unscored, 0.0) * self.weight_of_unscored
        by_unscored = of_unscored if sums.ndim == 1 else np.diag(of_unscored)
        return np.concatenate((sums, by_unscored), axis=-1)


def rows_of(rankings: Rankings) -> Rows:
    """Lay out the rows, as if they were clusters of their copies."""
    rankings = replace(rankings, clusters=rankings.copies)
    ranking, _, value_of_items, _ = _layout(rankings)
    return Rows(rankings, ranking, value_of_items)


def units_of_counts(counts: ThresholdCounts) -> SamplingUnits:
    """The units of unweighted counts: rows, of which those at one place are alike."""
    ranking = None
    if counts.starts.size > 1:
        each, of_rankings = counts.ranking(), np.arange(counts.starts.size)
        ranking = np.concatenate((each, each, each, of_rankings, of_rankings))
    n_positives = counts.n_positives.astype(np.float64)
    n_unscored = n_positives - counts.sum(counts.gained)
    return SamplingUnits(n_positives + counts.n_negatives, n_unscored, ranking)


def positives_of_counts(definition: Definition, counts: ThresholdCounts) -> Positives:
    """The positives of unweighted counts."""
    n_positives = counts.n_positives.astype(np.float64)
    n_effective = as_positives(definition, counts, n_positives, counts.n_negatives)
    return Positives(n_effective, n_unlimited=n_positives, n_counted=n_positives)


def units_of_rows(definition: Definition, rankings: Rankings, counts: ThresholdCounts) -> RowUnits:
    """The units of rankings, with the counts of one model.

    Each positive that was never scored has the typical weight of those that were; where none was
    scored, the mean weight of the rows; 1 in a column of a table that has no known label.
    """
    ranking, unit, value_of_items, n_units = _layout(rankings)
    total, typical = _typical_weight(rankings.positive, rankings, ranking, value_of_items)
    negatives = np.where(rankings.sizes > 0, counts.n_negatives, 1)
    mean_weight = negatives / np.maximum(rankings.sizes, 1)
    typical = np.where(total > 0, typical, mean_weight)
    unscored = counts.n_positives - total
    # What rounding leaves between two sums of the same weights is no positive.
    n_unscored = np.where(unscored > RELATIVE_TOLERANCE * total, unscored, 0.0) / typical
    n_unlimited = total / typical + n_unscored
    weights, n_negatives = _weights_of_rows(rankings, counts, total, typical)
    n_by_rows = counts.n_positives / weights.positive
    n_effective = as_positives(definition, counts, n_unlimited, n_negatives)
    last = np.arange(rankings.n_rankings)  # the positives that were never scored
    are_separate, is_one = ranking is not None and rankings.average is None, False
    if rankings.clusters is not None:
        is_one = n_units == 1 if are_separate else not rankings.clusters.any()
    return RowUnits(
        n_units=n_units + n_unscored,
        n_unscored=n_unscored,
        ranking=None if ranking is None else np.append(ranking, last),
        unit=None if unit is None else np.append(unit, unit.max(initial=-1) + 1 + last),
        are_separate=are_separate,
        are_one_cluster=is_one,
        rankings=rankings,
        positives=Positives(n_effective, n_unlimited, n_counted=rankings.n_hits + n_unscored),
        n_by_rows=n_by_rows,
        n_limited_by_rows=as_positives(definition, counts, n_by_rows, n_negatives),
        weights=weights,
        weight_of_unscored=typical,
        value_of_items=value_of_items,
    )


def _weights_of_rows(
    rankings: Rankings, counts: ThresholdCounts, total: Float, typical: Float
) -> tuple[RowWeights, Float]:
    """What rows of each class weigh, and the effective number of negatives.

    ``total`` is the weight of positives, and ``typical`` that of a positive sampling unit.
    """
    if rankings.weight is None and rankings.copies is None:
        return EQUAL_WEIGHTS, counts.n_negatives
    rows, positive = rows_of(rankings), typical
    of_negatives, negative = rows.typical_weight(~rankings.positive)
    n_negatives = of_negatives / np.where(of_negatives > 0, negative, 1.0)
    if rankings.clusters is not None:
        _, of_rows = rows.typical_weight(rankings.positive)
        positive = np.where(total > 0, of_rows, typical)
    positive = np.where(positive > 0, positive, 1.0)
    n_of_classes = _n_rows(rankings, rows)
    parts = zip((total / positive, n_negatives), n_of_classes, strict=True)
    evenness = np.prod([np.where(n > 0, each / np.maximum(n, 1), 1.0) for each, n in parts], axis=0)
    return RowWeights(positive, negative, evenness), n_negatives


def _n_rows(rankings: Rankings, rows: Rows) -> tuple[Any, Any]:
    """The positive and the negative rows of each ranking."""
    if rankings.copies is None:
        return rankings.n_hits, rankings.sizes - rankings.n_hits
    of_classes = (rows.add_up(each) > 0 for each in (rankings.positive, ~rankings.positive))
    positive, negative = (
        sum_by_ranking(each.astype(np.float64), rows.ranking, rankings.n_rankings)
        for each in of_classes
    )
    return positive, negative


def as_positives(
    definition: Definition, counts: ThresholdCounts, n_positives: Float, n_negatives: Float
) -> Float:
    """The effective number of positives, where negatives may weigh more than they do.

    Then a few false positives determine the score, and the sample is short of negatives: the number
    is that of the positives that would come with so many negatives, if all weighed the same.
    """
    if definition.prevalence is not None:
        odds: Any = definition.prevalence / (1 - definition.prevalence)
    elif counts.fps.dtype.kind == "f":
        odds = counts.n_positives / np.where(counts.n_negatives > 0, counts.n_negatives, 1.0)
    else:
        return n_positives
    fewer = n_negatives * odds
    # Equal weights may be rounded.
    lacking = (counts.n_negatives > 0) & (fewer < n_positives * (1 - RELATIVE_TOLERANCE))
    return np.where(lacking, fewer, n_positives)


def scale_weights(models: list[Rankings]) -> tuple[list[Rankings], int]:
    """Weights near 1, as squares of tiny ones are 0, and those of huge ones infinite.

    Gives the exponent of the power of 2 that they are multiplied by, too, which rounds nothing:
    weights of 2**-1000 and 2**-990 become 2**-6 and 2**4.
    """
    first, weight = models[0], models[0].weight
    if weight is None:
        return models, 0
    exponents = np.frexp((weight.min(), weight.max()))[1]
    power = (-int(exponents.sum())) // 2
    scaled: dict[str, Any] = {"weight": np.ldexp(weight, power)}
    for name in ("n_positives", "n_negatives", "n_unscored"):
        known = getattr(first, name)
        scaled[name] = None if known is None else np.ldexp(known.astype(np.float64), power)
    return [replace(each, **scaled) for each in models], power


def sum_by_ranking(of_units: Float, ranking: Index | None, n_rankings: int) -> Float:
    """Add up values of units, laid out as ``SamplingUnits`` says."""
    if ranking is None:
        return np.add.reduce(of_units, axis=1)
    return np.bincount(ranking, of_units, n_rankings).astype(np.float64)


def are_large(
    rankings: Rankings, unit: Index, n_units: int, share: float, sample: Index | None = None
) -> Bool:
    """Whether each unit has more than a share of the positives, or of the negatives.

    ``unit`` is that of each item, and ``sample`` that of each unit; None if all are one sample.
    """
    weight, is_large = rankings.weight_of_items, np.zeros(n_units, bool)
    for of_class in (rankings.positive, ~rankings.positive):
        of_units = np.bincount(unit, weight * of_class, n_units)
        total: Any = of_units.sum()
        if sample is not None:
            total = np.bincount(sample, of_units)[sample]
        is_large |= of_units > share * total
    return is_large


def design_effect(of_clusters: Any, of_rows: Any) -> Float:
    """What clusters multiply the variance of their rows by; at least 1 (Kish 1965)."""
    return np.maximum(of_clusters / np.where(of_rows > 0, of_rows, np.inf), 1.0)


def effective_number(weights: Any) -> float:
    """How many equal weights have the same sum and sum of squares; 0 without any (Kish 1965)."""
    if not weights.any():
        return 0.0
    parts = weights / np.abs(weights).max()  # whose squares are numbers, whatever the weights
    return float(parts.sum() ** 2 / (parts @ parts))


def _layout(rankings: Rankings) -> tuple[Index | None, Index | None, Index | None, Any]:
    """``ranking``, ``unit`` and ``value_of_items`` of the units, and how many a ranking has."""
    ranking, clusters = rankings.ranking, rankings.clusters
    if clusters is None:  # units are rows
        n_rows = rankings.score.size // rankings.n_rankings
        return ranking, None, None, n_rows if ranking is None else rankings.sizes
    n_clusters, n_rankings = int(clusters.max()) + 1, rankings.n_rankings
    if ranking is not None:  # pairs of a query and a cluster
        pairs, number = np.unique(ranking * n_clusters + clusters, return_inverse=True)
    elif rankings.average is None and n_rankings > 1:  # all clusters, in each column
        pairs = np.arange(n_rankings * n_clusters)
        number = pairs.reshape(n_rankings, n_clusters)[:, clusters].ravel()
    else:  # clusters, which all rankings share
        return None, None, None, n_clusters
    ranking, unit = np.divmod(pairs, n_clusters)
    in_ranking = np.bincount(ranking, minlength=n_rankings)
    return ranking, unit, number, in_ranking if rankings.average is None else n_clusters


def _sums(rankings: Rankings, of_items: Any, value_of_items: Index | None = None) -> Float:
    """Multiply by the weights, and add up the items of each unit."""
    weighted = of_items if rankings.weight is None else of_items * rankings.weight
    if value_of_items is not None:
        return np.bincount(value_of_items, weighted).astype(np.float64)
    if rankings.ranking is not None:
        return np.asarray(weighted)
    table = weighted.reshape(rankings.n_rankings, -1)
    if rankings.clusters is None:
        return np.asarray(table)
    return np.stack([np.bincount(rankings.clusters, row) for row in table])


def _typical_weight(
    of_class: Bool | Float,
    rankings: Rankings,
    ranking: Index | None,
    value_of_items: Index | None = None,
) -> tuple[Float, Float]:
    """The sum of the weights of a class in each ranking, and the sum of their squares over that.

    A unit weighs what its items of the class weigh. The first over the second is the effective
    number: that of equal weights with the same sum and sum of squares (Kish 1965).
    """
    of_units, n_rankings = _sums(rankings, of_class, value_of_items), rankings.n_rankings
    total = sum_by_ranking(of_units, ranking, n_rankings)
    # Each ranking is scaled by a power of 2, as its weights may be far from those of the others.
    mantissa, exponent = np.frexp(total)
    factor = np.ldexp(1.0, -exponent)
    scaled = of_units * (factor[:, None] if ranking is None else factor[ranking])
    squares = sum_by_ranking(scaled * scaled, ranking, n_rankings)
    return total, np.ldexp(squares / np.where(total > 0, mantissa, 1.0), exponent)
