"""How much each row moves the value of each ranking: from counts, or from the place of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import RELATIVE_TOLERANCE, Rankings
from sklearn_ap._scoring import values_of
from sklearn_ap._uncertainty.variances import Influences, sum_by_ranking
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.counts._placed_items import PlacedItems
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._influence import Influence

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The clusters of each of several fixed rankings, where a ranking lacks most of them."""

    ranking: NDArray[np.intp]
    cluster: NDArray[np.intp]
    of_items: NDArray[np.intp]  # the pair that each item belongs to

    @classmethod
    def of(cls, rankings: Rankings) -> Pairs | None:
        """Find the pairs; None where units are in one ranking each, or the same in all."""
        if rankings.ranking is None or rankings.clusters is None:
            return None
        n_clusters = int(rankings.clusters.max()) + 1
        code = rankings.ranking * n_clusters + rankings.clusters
        distinct, of_items = np.unique(code, return_inverse=True)
        return cls(*np.divmod(distinct, n_clusters), of_items)


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn at random: rows or clusters of rows, and positives that were never scored.

    ``rankings`` are those of one model, as labels, weights and clusters are the same for all.
    """

    rankings: Rankings
    n_positives: Float  # the effective number in each ranking, scored or not, see as_positives
    n_alone: Float  # the same if negatives weighed no more
    n_missed: Float  # how many of them were never scored
    weight_of_missed: Float  # of each of those
    weight_of_negative: Float  # that of most
    pairs: Pairs | None = None

    @property
    def are_rows(self) -> bool:
        """Whether each unit is a single row of each ranking."""
        n_clusters, rankings = self.n_clusters, self.rankings
        if n_clusters is None:
            return True
        if self.pairs is not None:
            return self.pairs.ranking.size == rankings.score.size
        return n_clusters * rankings.n_rankings == rankings.score.size

    @property
    def n_clusters(self) -> int | None:
        """How many clusters there are; None where each row is drawn by itself."""
        clusters = self.rankings.clusters
        return None if clusters is None else int(clusters.max()) + 1

    @property
    def unit_of_items(self) -> NDArray[np.intp]:
        """The unit of each item of all rankings."""
        rankings, n_items = self.rankings, self.rankings.score.size
        if rankings.ranking is not None:
            return np.arange(n_items) if rankings.clusters is None else rankings.clusters
        clusters, rows = rankings.clusters, np.arange(n_items // rankings.n_rankings)
        return np.tile(rows if clusters is None else clusters, rankings.n_rankings)

    def add_up(self, of_items: Any, of_missed: Float) -> Float:
        """Multiply by the weights, and add up the items of each unit.

        After the units of the items comes one for each ranking: a positive of it that was never
        scored.
        """
        sums = _sums_by_unit(self.rankings, of_items, self.pairs)
        of_missed = np.where(self.n_missed > 0, of_missed, 0.0) * self.weight_of_missed
        return np.concatenate((sums, of_missed if sums.ndim == 1 else np.diag(of_missed)), axis=-1)


def scale_weights(models: list[Rankings]) -> tuple[list[Rankings], int]:
    """Weights near 1, as squares of tiny ones are 0, and those of huge ones infinite.

    Gives the exponent of the power of 2 that they are multiplied by, too, which rounds nothing:
    weights of 2**-1000 and 2**-990 become 2**-6 and 2**4.
    """
    weight, known = models[0].weight, models[0].n_positives
    if weight is None:
        return models, 0
    exponents = np.frexp((weight.min(), weight.max()))[1]
    power = (-int(exponents.sum())) // 2
    known = None if known is None else np.ldexp(np.asarray(known, dtype=np.float64), power)
    weight = np.ldexp(weight, power)
    return [replace(each, weight=weight, n_positives=known) for each in models], power


def units_of(definition: Definition, rankings: Rankings, counts: ThresholdCounts) -> Units:
    """The units of rankings, and the effective number of their positives.

    Each positive that was never scored has the typical weight of those that were; where none was
    scored, the mean weight of the rows.
    """
    pairs = Pairs.of(rankings)
    positives = _sums_by_unit(rankings, rankings.positive, pairs)
    total, typical = _typical_weight(positives, rankings, pairs)
    typical = np.where(total > 0, typical, counts.n_negatives / rankings.sizes)
    missed = counts.n_positives - total
    # What rounding leaves between two sums of the same weights is no positive.
    n_missed = np.where(missed > RELATIVE_TOLERANCE * total, missed, 0.0) / typical
    n_alone = total / typical + n_missed
    n_negatives, of_one = counts.n_negatives, np.ones(rankings.n_rankings)
    if rankings.weight is not None:
        by_row = _sums_by_unit(replace(rankings, clusters=None), ~rankings.positive)
        negatives, of_one = _typical_weight(by_row, rankings)
        n_negatives = negatives / np.where(negatives > 0, of_one, 1.0)
    n_positives = as_positives(definition, counts, n_alone, n_negatives)
    return Units(rankings, n_positives, n_alone, n_missed, typical, of_one, pairs)


def as_positives(
    definition: Definition, counts: ThresholdCounts, n_positives: Float, n_negatives: Float
) -> Float:
    """The effective number of positives, where negatives may weigh more than they do.

    Then a few false alarms decide, and negatives are what lacks: the number is that of the
    positives that would come with so many negatives, if all weighed the same.
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


def _typical_weight(
    of_units: Float, rankings: Rankings, pairs: Pairs | None = None
) -> tuple[Float, Float]:
    """The sum of the weights in each ranking, and the sum of their squares over that.

    The first over the second is the effective number: that of equal weights with the same sum and
    sum of squares (Kish 1965).
    """
    ranking, n_rankings = rankings.ranking, rankings.n_rankings
    if pairs is not None:
        ranking = pairs.ranking
    total = sum_by_ranking(of_units, ranking, n_rankings)
    # Each ranking is scaled by a power of 2, as its weights may be far from those of the others.
    mantissa, exponent = np.frexp(total)
    factor = np.ldexp(1.0, -exponent)
    scaled = of_units * (factor[:, None] if ranking is None else factor[ranking])
    squares = sum_by_ranking(scaled * scaled, ranking, n_rankings)
    return total, np.ldexp(squares / np.where(total > 0, mantissa, 1.0), exponent)


def influences_of_counts(
    influence: Influence, definition: Definition, counts: ThresholdCounts, n_positives: Float
) -> Influences:
    """The influences of unweighted rows; those of one kind at one threshold are alike."""
    n_missed = counts.n_positives - counts.sum(counts.gained)
    missed = np.where(n_missed > 0, influence.missed, 0.0)
    n_tied, n_between = counts.fps - counts.fps_above, counts.fps_above - counts.above(counts.fps)
    n_below = counts.n_negatives - counts.sum(n_tied + n_between)
    below = np.broadcast_to(influence.below, n_below.shape)
    by_unit = np.concatenate((influence.positive, influence.tied, influence.between, missed, below))
    n_alike = np.concatenate((counts.gained, n_tied, n_between, n_missed, n_below))
    n_units = counts.n_positives + counts.n_negatives
    of_negative = np.ones(n_units.shape)
    cases = _cases_and_alarm(definition, counts, n_positives, counts.n_positives, of_negative)
    if counts.starts.size == 1:
        return Influences(by_unit[None], n_alike, n_units, *cases)
    each, of_rankings = counts.ranking(), np.arange(counts.starts.size)
    ranking = np.concatenate((each, each, each, of_rankings, of_rankings))
    return Influences(by_unit, n_alike, n_units, *cases, ranking)


def influences_of_rows(
    definition: Definition,
    units: Units,
    influence: Influence,
    counts: ThresholdCounts,
    items: PlacedItems,
    model: Rankings,
) -> Influences:
    """The influences of rows, or of clusters of rows, on the value of each ranking of a model."""
    rankings, n_rankings = units.rankings, units.rankings.n_rankings
    of_items = items.value_of_items(
        influence.positive, influence.tied, influence.between, influence.below
    )
    if of_items.size < model.score.size:  # the model did not retrieve all of them
        of_retrieved = of_items
        of_items = np.where(model.positive, influence.missed[model.ranking_of_items], 0.0)
        of_items[model.is_retrieved] = of_retrieved
    by_unit = units.add_up(of_items, influence.missed)
    n_units = by_unit.shape[-1] - n_rankings
    n_alike = np.concatenate((np.ones(n_units), units.n_missed))
    n_each: Any = n_units  # in each ranking
    ranking, unit = rankings.ranking, None
    if units.pairs is not None:
        n_each, of_missed = units.n_clusters, np.arange(n_rankings)
        ranking = np.concatenate((units.pairs.ranking, of_missed))
        unit = np.concatenate((units.pairs.cluster, n_each + of_missed))
    elif ranking is not None:
        n_each = rankings.sizes
        ranking = np.concatenate((ranking, np.arange(n_rankings)))
    cases = _cases_and_alarm(
        definition, counts, units.n_positives, units.n_alone, units.weight_of_negative
    )
    positives = None
    if rankings.average == "weighted":
        positives = units.add_up(rankings.positive, np.ones(n_rankings))
    return Influences(by_unit, n_alike, n_each + units.n_missed, *cases, ranking, positives, unit)


def _cases_and_alarm(
    definition: Definition,
    counts: ThresholdCounts,
    n_positives: Float,
    n_alone: Float,
    weight_of_negative: Float,
) -> tuple[Float, Float, Float]:
    """``cases``, ``cases_alone`` and ``alarm`` of ``Influences``."""
    cases, alone = (
        np.asarray(definition.cases(replace(counts, n_positives=each)), dtype=np.float64)
        for each in (n_positives, n_alone)
    )
    return cases, alone, _alarm(definition, counts, weight_of_negative, alone - cases)


def _alarm(definition: Definition, counts: ThresholdCounts, weight: Float, lacking: Float) -> Float:
    """What a negative above all others costs each value: 0 where no cases are lacking."""
    if not lacking.any():
        return np.zeros(lacking.shape)
    if definition.depth is not None:  # k counts the user's weights, and these are scaled
        return np.full(lacking.shape, np.inf)
    more = {name: getattr(counts, name) + counts.each(weight) for name in ("fps", "fps_above")}
    with_alarm = replace(counts, **more, n_negatives=counts.n_negatives + weight)
    return values_of(definition, counts) - values_of(definition, with_alarm)


def _sums_by_unit(rankings: Rankings, of_items: Any, pairs: Pairs | None = None) -> Float:
    """Multiply by the weights, and add up the items of each unit."""
    weighted = of_items if rankings.weight is None else of_items * rankings.weight
    if pairs is not None:
        return np.bincount(pairs.of_items, weighted).astype(np.float64)
    if rankings.ranking is not None:
        return weighted
    table = weighted.reshape(rankings.n_rankings, -1)
    if rankings.clusters is None:
        return table
    return np.stack([np.bincount(rankings.clusters, row) for row in table])
