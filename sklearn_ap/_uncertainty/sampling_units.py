"""What is drawn at random: rows, clusters of rows, and positives that were never scored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import RELATIVE_TOLERANCE, Rankings
from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.definitions import Definition

Float = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class SamplingUnits:
    """The units of rankings, how their numbers add up, and how many positives they hold.

    Numbers of units stand in one of three layouts. Where the units of all rankings are the same, as
    rows of a table, there is a row of numbers for each ranking, and ``ranking`` is None. Otherwise
    ``ranking`` says which ranking each number is for: a row is in one ranking, and a cluster in
    several, so ``unit`` then says which one it is. So it is with clusters of a table, too, where
    each column has a score of its own. Positives that were never scored come last, as
    one more unit of each ranking. Units of counts are alike where they stand at one place, so there
    is one number for each place.
    """

    n_positives: Float  # the effective number in each ranking, scored or not, see as_positives
    n_alone: Float  # the same if negatives weighed no more
    n_missed: Float  # how many of them were never scored
    n_units: Any  # of each ranking, in all
    rankings: Rankings | None = None  # whose items are drawn; None for counts
    n_rows: Any = None  # the effective number of positives if rows were units
    weight_of_missed: Any = 1.0  # of each positive that was never scored
    weight_of_positive: Any = None  # that of most rows; None without weights
    weight_of_negative: Any = 1.0  # that of most
    ranking: Index | None = None
    unit: Index | None = None
    number_of_items: Index | None = None  # which number an item adds to, if ``unit`` is there

    @property
    def of_items(self) -> Index:
        """The unit of each item of all rankings."""
        rankings: Any = self.rankings
        clusters, n_items = rankings.clusters, rankings.score.size
        if rankings.ranking is not None:
            return np.arange(n_items) if clusters is None else clusters
        rows = np.arange(n_items // rankings.n_rankings) if clusters is None else clusters
        return np.tile(rows, rankings.n_rankings)

    @property
    def are_effective(self) -> bool:
        """Whether the effective number of positives is below their number in some ranking."""
        return bool(np.any(self.n_positives < self.n_counted * (1 - RELATIVE_TOLERANCE)))

    @property
    def n_counted(self) -> Float:
        """The number of positives in each ranking, scored or not, whatever they weigh."""
        return self.n_alone if self.rankings is None else self.rankings.n_hits + self.n_missed

    @property
    def are_apart(self) -> bool:
        """Whether each ranking has a score and units of its own, so that no other one matters."""
        is_mean = self.rankings is None or self.rankings.average is not None
        return self.ranking is not None and not is_mean

    @property
    def are_one_cluster(self) -> Any:
        """Whether there is a single cluster to draw; for each ranking where these are apart."""
        clusters = None if self.rankings is None else self.rankings.clusters
        if clusters is None:
            return False
        return self.n_units - self.n_missed == 1 if self.are_apart else not clusters.any()

    def effective_sizes(self, of_items: Float, of_negatives: Float) -> EffectiveSizes:
        """How sure clusters make each ranking, if an item moves it by so much without its weight.

        A class that is in one cluster only counts for one row.
        """
        model: Any = self.rankings
        rows = replace(model, clusters=None)

        def times(moved: Float) -> Float:
            units, alone = _sums(model, moved, self.number_of_items), _sums(rows, moved, None)
            shown = sum_by_ranking(units * units, self._ranking(units), model.n_rankings)
            of_rows = sum_by_ranking(alone * alone, model.ranking, model.n_rankings)
            is_real = of_rows * self.n_rows > RELATIVE_TOLERANCE**2  # more than rounding leaves
            return np.maximum(shown / np.where(is_real, of_rows, 1.0), 1.0)

        held = [
            _sums(model, each, self.number_of_items) for each in (model.positive, ~model.positive)
        ]
        weights = [_typical_weight(each, model, self._ranking(each)) for each in held]
        clusters = (total / np.where(total > 0, typical, np.nan) for total, typical in weights)
        n_rows = self.n_rows / times(of_items), self.n_rows / times(of_negatives)
        return EffectiveSizes(n_rows[0], np.fmin(np.fmin(*clusters), n_rows[1]))

    def _ranking(self, of_units: Float) -> Index | None:
        return None if self.ranking is None else self.ranking[: of_units.size]

    def sum_of(self, by_unit: Float, chosen: NDArray[np.bool_]) -> Float:
        """Add up the chosen numbers of units for each ranking."""
        if self.ranking is None:
            return np.add.reduce(by_unit[:, chosen], axis=1)
        return sum_by_ranking(np.where(chosen, by_unit, 0.0), self.ranking, self.n_missed.size)

    def add_up(self, of_items: Any, of_missed: Float) -> Float:
        """Multiply by the weights, and add up the items of each unit."""
        sums = _sums(self.rankings, of_items, self.number_of_items)
        of_missed = np.where(self.n_missed > 0, of_missed, 0.0) * self.weight_of_missed
        return np.concatenate((sums, of_missed if sums.ndim == 1 else np.diag(of_missed)), axis=-1)


class EffectiveSizes(NamedTuple):
    """How many rows drawn one by one would be as sure as the clusters of each ranking."""

    n_positives: Float  # that many positives, by the variance that is shown
    # The same by the negatives alone; the clusters of each class, if these are fewer. nan for a
    # ranking that has units of its own, each of which holds one row.
    n_independent: Float


def units_of_counts(definition: Definition, counts: ThresholdCounts) -> SamplingUnits:
    """The units of unweighted counts: rows, of which those at one place are alike."""
    n_positives = counts.n_positives.astype(np.float64)
    effective = as_positives(definition, counts, n_positives, counts.n_negatives)
    n_missed, ranking = n_positives - counts.sum(counts.gained), None
    if counts.starts.size > 1:
        each, of_rankings = counts.ranking(), np.arange(counts.starts.size)
        ranking = np.concatenate((each, each, each, of_rankings, of_rankings))
    n_units = n_positives + counts.n_negatives
    return SamplingUnits(effective, n_positives, n_missed, n_units, ranking=ranking)


def units_of_rows(
    definition: Definition, rankings: Rankings, counts: ThresholdCounts
) -> SamplingUnits:
    """The units of rankings, with the counts of one model.

    Each positive that was never scored has the typical weight of those that were; where none was
    scored, the mean weight of the rows; 1 in a column of a table that has no known label.
    """
    ranking, unit, number, n_units = _layout(rankings)
    total, typical = _typical_weight(_sums(rankings, rankings.positive, number), rankings, ranking)
    mean_weight = np.where(rankings.sizes > 0, counts.n_negatives, 1) / np.maximum(
        rankings.sizes, 1
    )
    typical = np.where(total > 0, typical, mean_weight)
    missed = counts.n_positives - total
    # What rounding leaves between two sums of the same weights is no positive.
    n_missed = np.where(missed > RELATIVE_TOLERANCE * total, missed, 0.0) / typical
    n_alone = total / typical + n_missed
    n_negatives, of_positive = counts.n_negatives, None
    of_negative = np.ones(rankings.n_rankings)
    if rankings.weight is not None:
        rows, of_positive = replace(rankings, clusters=None), typical
        total_of, of_negative = _typical_weight(
            _sums(rows, ~rows.positive, None), rows, rows.ranking
        )
        n_negatives = total_of / np.where(total_of > 0, of_negative, 1.0)
        if rankings.clusters is not None:
            of_rows = _sums(rows, rows.positive, None)
            of_positive = _typical_weight(of_rows, rows, rows.ranking)[1]
        of_positive = np.where(total > 0, of_positive, typical)
    n_rows = counts.n_positives.astype(np.float64)
    if of_positive is not None:
        n_rows /= np.where(of_positive > 0, of_positive, 1.0)
    effective = as_positives(definition, counts, n_alone, n_negatives)
    last = np.arange(rankings.n_rankings)  # the positives that were never scored
    ranking = None if ranking is None else np.append(ranking, last)
    unit = None if unit is None else np.append(unit, unit.max(initial=-1) + 1 + last)
    numbers = effective, n_alone, n_missed, n_units + n_missed
    of_one = typical, of_positive, of_negative
    return SamplingUnits(*numbers, rankings, n_rows, *of_one, ranking, unit, number)


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
    for name in ("n_positives", "n_negatives"):
        known = getattr(first, name)
        scaled[name] = None if known is None else np.ldexp(known.astype(np.float64), power)
    return [replace(each, **scaled) for each in models], power


def sum_by_ranking(of_units: Float, ranking: Index | None, n_rankings: int) -> Float:
    """Add up numbers of units, laid out as ``SamplingUnits`` says."""
    if ranking is None:
        return np.add.reduce(of_units, axis=1)
    return np.bincount(ranking, of_units, n_rankings).astype(np.float64)


def _layout(rankings: Rankings) -> tuple[Index | None, Index | None, Index | None, Any]:
    """``ranking``, ``unit`` and ``number_of_items`` of the units, and how many a ranking has."""
    ranking, clusters = rankings.ranking, rankings.clusters
    if clusters is None:
        n_rows = rankings.score.size // rankings.n_rankings
        return ranking, None, None, n_rows if ranking is None else rankings.sizes
    n_clusters, n_rankings = int(clusters.max()) + 1, rankings.n_rankings
    if ranking is not None:
        pairs, number = np.unique(ranking * n_clusters + clusters, return_inverse=True)
    elif rankings.average is None and n_rankings > 1:
        pairs = np.arange(n_rankings * n_clusters)
        number = pairs.reshape(n_rankings, n_clusters)[:, clusters].ravel()
    else:
        return None, None, None, n_clusters
    ranking, unit = np.divmod(pairs, n_clusters)
    in_ranking = np.bincount(ranking, minlength=n_rankings)
    return ranking, unit, number, in_ranking if rankings.average is None else n_clusters


def _sums(rankings: Any, of_items: Any, number: Index | None) -> Float:
    """Multiply by the weights, and add up the items of each unit."""
    weighted = of_items if rankings.weight is None else of_items * rankings.weight
    if number is not None:
        return np.bincount(number, weighted).astype(np.float64)
    if rankings.ranking is not None:
        return np.asarray(weighted)
    table = weighted.reshape(rankings.n_rankings, -1)
    if rankings.clusters is None:
        return np.asarray(table)
    return np.stack([np.bincount(rankings.clusters, row) for row in table])


def _typical_weight(
    of_units: Float, rankings: Rankings, ranking: Index | None
) -> tuple[Float, Float]:
    """The sum of the weights in each ranking, and the sum of their squares over that.

    The first over the second is the effective number: that of equal weights with the same sum and
    sum of squares (Kish 1965).
    """
    n_rankings = rankings.n_rankings
    total = sum_by_ranking(of_units, ranking, n_rankings)
    # Each ranking is scaled by a power of 2, as its weights may be far from those of the others.
    mantissa, exponent = np.frexp(total)
    factor = np.ldexp(1.0, -exponent)
    scaled = of_units * (factor[:, None] if ranking is None else factor[ranking])
    squares = sum_by_ranking(scaled * scaled, ranking, n_rankings)
    return total, np.ldexp(squares / np.where(total > 0, mantissa, 1.0), exponent)
