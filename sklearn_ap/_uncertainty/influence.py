"""The influence of each sampling unit on each score: of rows or clusters, and of queries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.inputs.rankings import Average, Rankings
from sklearn_ap._counts.averages import average_rankings
from sklearn_ap._counts.counting import add_known_totals, count
from sklearn_ap._counts.ranks import n_ranks
from sklearn_ap._counts.sorted_items import PlacedItems, place_items
from sklearn_ap._counts.threads import map_threads, n_threads
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty._groups_left_out import LARGE_BIAS, Jackknife
from sklearn_ap._uncertainty._hidden_rows import HiddenRows, hidden_rows
from sklearn_ap._uncertainty._resampling import Replicates, resample_counts, resample_rows
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.sampling_units import (
    EQUAL_WEIGHTS,
    EffectiveSizes,
    Positives,
    RowUnits,
    SamplingUnits,
    effective_number,
    positives_of_counts,
    scale_weights,
    units_of_counts,
    units_of_rows,
)
from sklearn_ap._uncertainty.shrinkage import small_sample_factor, variance_of_score
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._influence import Influence
from sklearn_ap.definitions._prevalence import at_prevalence

# Leaving out groups finds a bias that falls with 1 / n. That of the largest of several precisions
# falls with n^(-2/3) or slower, of which it finds two thirds: benchmarks/certainty_coverage.py,
# "detectors".
OF_ENVELOPE = 1.5

Fill = Callable[[Float], Float]  # gives undefined values what the user asked for


@dataclass(frozen=True, eq=False)
class QueryInfluences:
    """A mean over queries, which are the units: it is the only value."""

    score: Float
    is_undefined: Bool  # whether no query has positives
    of_score: Float  # the influence of each query on the mean; squares add up to its variance
    n_effective: Float  # the effective number of queries
    n_with_positives: Float  # the effective number of those that have a positive
    bias: float  # how much higher the mean is expected to be than that of the population
    positives: Positives  # of each query
    n_clusters: int | None  # of queries, if they were sampled in clusters
    median_positives: float  # effective ones of a query at a prevalence; inf without
    are_rows: bool = False  # whether each row ranks the columns, as a query does

    variance_method = "queries"
    is_one_number, is_mean = True, False  # the mean is made already


class EffectivePositives(NamedTuple):
    """How many positives each value rests on."""

    n_effective: Float
    n_unlimited: Float  # the same if negatives weighed no more than positives
    false_positive_cost: Float  # of a negative above all, to each value; 0 if none weighs much
    n_by_rows: Float  # as many as ``n_unlimited`` if rows were units

    @property
    def rows_in_unit(self) -> Float:
        """How many rows a cluster has, as Kish counts them; 1 without clusters."""
        return np.maximum(self.n_by_rows / np.maximum(self.n_unlimited, 1.0), 1.0)


@dataclass(frozen=True, eq=False)
class RowInfluences:
    """The values of rankings, whose units are rows or clusters.

    ``SamplingUnits`` says how influence values are laid out. Their squares add up to variances.
    A value that is not smooth in the weights of rows has ``replicates``: the influence values are
    then those of the step average precision, which give its degrees of freedom.
    """

    values: Float
    is_defined: Bool
    by_unit: Float  # the influence values
    multiplicity: Any  # how many units are alike and have one influence value
    units: SamplingUnits
    positives: Positives
    rests_on: EffectivePositives
    hidden: HiddenRows | None  # None with replicates: what a row changes may be a jump
    bias_of_values: Any  # how much higher each is expected to be than the population's
    is_one_number: bool  # whether there is one score; otherwise each value is one
    # Of rankings in an average by the number of positives, which varies from sample to sample; None
    # for equal weights.
    weights: Float | None = None
    effective_sizes: EffectiveSizes | None = None  # of clusters with several rows of a ranking
    replicates: Replicates | None = None
    of_fourths: Any = None  # the sums of fourth powers of weights, where squares are added up

    @property
    def variance_method(self) -> str:
        """Where the variance comes from."""
        return "influence" if self.replicates is None else "resampling"

    @property
    def n_effective(self) -> Float:
        return self.rests_on.n_effective

    @property
    def is_mean(self) -> bool:
        """Whether several values become one score."""
        return self.is_one_number and self.values.size > 1

    @cached_property
    def is_undefined(self) -> Bool:
        """Whether each score lacks positives."""
        return ~np.any(self.is_defined, keepdims=True) if self.is_mean else ~self.is_defined

    @cached_property
    def score(self) -> Float:
        """The values, or their average in an array."""
        if not self.is_mean:
            return self.values
        return np.array([average_rankings(self.values, self.weights)])

    @cached_property
    def shares(self) -> Float:
        """The weight of each value in the average; 0 for one without positives."""
        weights = 1.0 if self.weights is None else self.weights
        weights = np.where(np.isnan(self.values), 0.0, weights)
        return np.where(self.is_defined, weights / (weights.sum() or 1.0), 0.0)

    def mean_of(self, numbers: Float) -> Float:
        """The average of numbers of the values; one that is nan counts as the others do."""
        known = np.where(np.isnan(numbers), 0.0, self.shares)
        return ratio(np.array([known @ np.nan_to_num(numbers)]), known.sum(keepdims=True))

    @cached_property
    def of_score(self) -> Float:
        """The influence of each unit on the average; squares add up to its variance.

        With replicates, it is how far off each is.
        """
        if self.replicates is not None:
            weights = self.shares if self.weights is None else self.replicates.n_positives
            masked: Any = np.ma.masked_invalid(self.replicates.values)
            averages = np.ma.average(masked, axis=1, weights=weights)
            deviation = np.ma.filled(averages - averages.mean(), 0.0)
            return deviation / np.sqrt(max(np.ma.count(averages) - 1, 1))
        factor = np.sqrt(small_sample_factor(self.n_effective))
        influence = self.units.over_rankings(factor * self.shares, self.by_unit)
        if self.weights is not None:  # the influence through the weights, by the product rule
            deviation = np.where(self.is_defined, self.values - self.score, 0.0)
            by_positive = factor * deviation / (self.weights.sum() or 1.0)
            of_units = cast(RowUnits, self.units).weight_of_positives()
            influence += self.units.over_rankings(by_positive, of_units)
        n_unscored = self.units.n_unscored  # positives that were never scored are so many units
        influence[influence.size - n_unscored.size :] *= np.sqrt(n_unscored)
        return influence


InfluenceValues = QueryInfluences | RowInfluences


def influences_of_queries(
    definition: Definition,
    counts: ThresholdCounts,
    fill: Fill,
    weights: Float | None,
    rankings: Rankings | None = None,
) -> QueryInfluences:
    """The influence of queries on their mean: each is sampled as a whole, whatever its rows.

    ``weights`` are those of the mean, None for equal ones. ``rankings`` are the queries, and say
    which of them are sampled together; None if there are counts alone. A mean of queries sampled
    at random is right on average; a ratio of sums is not.
    """
    values = fill(values_of(definition, counts))
    has_equal_weights = weights is None or np.ptp(weights) == 0
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # or sums of huge ones are infinite
    shares /= shares.sum() or 1.0
    mean, has_positives = np.array([average_rankings(values, weights)]), counts.n_positives > 0
    positives, median = _positives_of_queries(definition, counts, rankings), np.inf
    if definition.prevalence is not None and has_positives.any():
        median = float(np.median(positives.n_effective[has_positives]))
    # Where only negatives have weights, a prevalence has made them.
    has_prevalence = counts.fps.dtype.kind == "f" and counts.gained.dtype.kind != "f"
    has_prevalence |= definition.prevalence is not None
    clusters = None if rankings is None else rankings.query_clusters
    has_clusters = rankings is not None and rankings.has_clusters
    values = np.where(shares > 0, values, 0.0)  # without a share they may be nan
    n_effective = np.array([effective_number(_by_cluster(shares, clusters))])
    with_positives = effective_number(_by_cluster(shares * has_positives, clusters))
    influence = _by_cluster(shares * (values - shares @ values), clusters)
    return QueryInfluences(
        score=mean,
        is_undefined=~np.any(has_positives, keepdims=True),
        of_score=influence * np.sqrt(small_sample_factor(n_effective)),
        n_effective=n_effective,
        n_with_positives=np.array([with_positives]),
        bias=0.0 if has_equal_weights and not has_prevalence else np.nan,
        positives=positives,
        n_clusters=influence.size if has_clusters else None,
        median_positives=median,
        are_rows=rankings is not None and rankings.average == "samples",
    )


def _positives_of_queries(
    definition: Definition, counts: ThresholdCounts, rankings: Rankings | None
) -> Positives:
    """The positives of each query; nan for weighted counts alone."""
    if rankings is not None and rankings.weight is not None:
        return units_of_rows(definition, rankings, counts).positives
    if counts.gained.dtype.kind == "f":
        unknown = np.full(counts.starts.size, np.nan)
        return Positives(unknown, unknown, unknown)
    return positives_of_counts(definition, counts)


def influences_of_counts(
    definition: Definition, counts: ThresholdCounts, fill: Fill, average: Average, options: Options
) -> RowInfluences:
    """The influence of unweighted rows, each ranking by itself; those at one place are alike."""
    values, (influence, is_own) = values_of(definition, counts), influence_of(definition, counts)
    units, positives = units_of_counts(counts), positives_of_counts(definition, counts)
    n_tied, n_between = counts.fps - counts.fps_above, counts.fps_above - counts.above(counts.fps)
    n_below = counts.n_negatives - counts.sum(n_tied + n_between)
    unscored = np.where(units.n_unscored > 0, influence.unscored, 0.0)
    by_unit = np.concatenate(
        (influence.positive, influence.tied, influence.between, unscored, influence.below)
    )
    return RowInfluences(
        values=fill(values),
        is_defined=~np.isnan(values),
        by_unit=by_unit if counts.starts.size > 1 else by_unit[None],
        multiplicity=np.concatenate((counts.gained, n_tied, n_between, units.n_unscored, n_below)),
        units=units,
        positives=positives,
        rests_on=effective_positives(definition, counts, positives),
        hidden=hidden_rows(definition, counts, influence, EQUAL_WEIGHTS) if is_own else None,
        bias_of_values=definition.bias(counts),
        is_one_number=average is not None,
        replicates=None if is_own else resample_counts(definition, counts, options),
    )


def are_alone(models: list[Rankings]) -> bool:
    """Whether rows weigh 1, and each ranking of a single model has a score of its own."""
    first = models[0]
    has_own_scores = first.average is None or not first.several
    return len(models) == 1 and first.weight is None and has_own_scores


def influences_of_rows(
    definition: Definition, models: list[Rankings], fills: Sequence[Fill], options: Options
) -> list[RowInfluences]:
    """The influence of rows, or of clusters of rows, placed among the thresholds of each model."""
    scaled, power = scale_weights(models)
    retrieved = [model.select_retrieved() for model in scaled]
    threads = min(len(models), n_threads(len(models) * models[0].score.size))
    placed = [*map_threads(place_items, retrieved, threads)]
    counted = [*map(add_known_totals, (items.counts for items in placed), retrieved)]
    units = units_of_rows(definition, scaled[0], counted[0])
    of_rows = [influence_of(definition, counts) for counts in counted]

    def by_units(i: int) -> tuple[Float, EffectiveSizes | None]:
        return _by_units(units, of_rows[i][0], placed[i], scaled[i])

    of_models = [*map_threads(by_units, range(len(models)), threads)]
    replicates: list[Any] = [None] * len(models)
    if not all(is_own for _, is_own in of_rows):
        if are_alone(models) and of_models[0][1] is None:  # each cluster is a row
            replicates = [resample_counts(definition, counted[0], options)]
        else:
            replicates = resample_rows(definition, models, counted, units, power, options)
    influences = [influence for influence, _ in of_rows]
    parts = zip(models, counted, influences, of_models, replicates, fills, strict=True)
    return [_of_model(definition, units, *part) for part in parts]


def _of_model(
    definition: Definition,
    units: RowUnits,
    model: Rankings,
    counts: ThresholdCounts,
    influence: Influence,
    of_units: tuple[Float, EffectiveSizes | None],
    replicates: Replicates | None,
    fill: Fill,
) -> RowInfluences:
    """The values of one model, the influence of each unit on them, and their bias."""
    of_user = counts
    if definition.depth is not None:  # k counts weight, so the weights are those of the user
        of_user = count(model.select_retrieved(), definition.depth)
    values = values_of(definition, of_user)
    by_unit, effective_sizes = of_units
    rows_in_unit = None
    if definition.depth is not None and effective_sizes is not None:
        rows_in_unit = units.rows_in_unit(model, n_ranks(definition.depth, of_user))
    rests_on = effective_positives(
        definition,
        counts,
        units.positives,
        units.weights.negative,
        units.n_by_rows,
        rows_in_unit,
    )
    hidden = None
    if replicates is None:
        hidden = hidden_rows(definition, counts, influence, units.weights, rests_on.rows_in_unit)
    n_values = by_unit.shape[-1] - units.n_unscored.size
    influences = RowInfluences(
        values=fill(values),
        is_defined=~np.isnan(values),
        by_unit=by_unit,
        multiplicity=np.append(np.ones(n_values), units.n_unscored),
        units=units,
        positives=units.positives,
        rests_on=rests_on,
        hidden=hidden,
        bias_of_values=_bias_of_rows(definition, units, counts),
        is_one_number=model.average is not None,
        weights=counts.n_positives if model.average == "weighted" else None,
        effective_sizes=effective_sizes,
        replicates=replicates,
    )
    if replicates is not None:
        return influences
    return _with_jackknife(influences, definition, model, units, counts)


def _with_jackknife(
    influences: RowInfluences,
    definition: Definition,
    model: Rankings,
    units: RowUnits,
    counts: ThresholdCounts,
) -> RowInfluences:
    """What leaving out groups of units says of large clusters, and of a bias without a formula.

    A value at levels of recall jumps where a group is left out, so this is of the mean over all
    recalls. Of few levels, no bias is looked for: their limits are for samples of this size.
    """
    sizes, by_unit = influences.effective_sizes, influences.by_unit
    is_unknown = bool(np.isnan(influences.bias_of_values).all())
    if sizes is None and model.copies is None and not is_unknown:
        return influences
    whole = definition.over_all_recalls
    jackknife = Jackknife(whole or definition, model, units, by_unit, sizes)
    is_needed, bias = jackknife.is_needed, np.full(units.n_unscored.shape, np.nan)
    if is_needed.any():
        kept = is_needed[units.ranking] if units.are_separate else True
        influences = replace(influences, by_unit=np.where(kept, jackknife.influences, by_unit))
    if whole is None:
        return replace(influences, bias_of_values=bias)
    # The bias of the steps is known. That of an envelope is up to three times as large, and may be
    # known in part only: it is looked for from a third on, a choice.
    of_steps = _bias_of_rows(at_prevalence(Step(), definition.prevalence), units, counts)
    is_partial = is_unknown and not np.isnan(of_steps).all()
    factor = OF_ENVELOPE if is_partial else 1.0
    if is_needed.any():
        bias[is_needed] = factor * jackknife.bias[is_needed]
    if sizes is not None and units.are_separate:
        bias = np.where(np.isnan(sizes.n_independent), influences.bias_of_values, bias)
    influences = replace(influences, bias_of_values=bias)
    if not influences.is_mean or not np.isnan(bias).all() or np.all(units.are_one_cluster):
        return influences
    variance = variance_of_score(influences.of_score, influences.n_effective, influences.score)
    largest = influences.mean_of(of_steps) * (3 if is_partial else 1)
    may_be_large = largest > LARGE_BIAS * np.sqrt(variance)
    if np.count_nonzero(influences.is_defined) > 1 and may_be_large:
        return replace(influences, bias_of_values=factor * jackknife.bias)
    return influences


def _bias_of_rows(definition: Definition, units: RowUnits, counts: ThresholdCounts) -> Float:
    """The bias of each value, if each row is sampled by itself."""
    if units.rankings.weight is None:
        return definition.bias(counts)
    of_negative = np.where(counts.n_negatives > 0, units.weights.negative, 1.0)
    return bias_of_weights(definition, counts, units.weights.positive, of_negative)


def bias_of_weights(
    definition: Definition, counts: ThresholdCounts, one: Any, of_negative: Any
) -> Float:
    """The bias of each value, where most positives weigh ``one``."""
    of_thresholds = ("gained", "tps", "fps", "fps_above")
    with np.errstate(over="ignore", invalid="ignore"):  # weights of 600 orders of magnitude
        parts = {name: getattr(counts, name) / counts.each(one) for name in of_thresholds}
        totals = {name: getattr(counts, name) / one for name in ("n_positives", "n_negatives")}
        bias = definition.bias(replace(counts, **parts, **totals), of_negative / one)
    return np.where(np.isfinite(bias), bias, np.nan)


def _by_units(
    units: RowUnits, influence: Influence, items: PlacedItems, model: Rankings
) -> tuple[Float, EffectiveSizes | None]:
    """The influence of each unit on each value; of clusters, their effective sizes, too."""
    of_items = items.item_values(
        influence.positive, influence.tied, influence.between, influence.below
    )
    if of_items.size < model.score.size:  # the model did not retrieve all of them
        of_retrieved, ranking = of_items, model.ranking_of_items
        below = np.asarray(influence.below)
        of_items = np.where(model.positive, influence.unscored[ranking], below[ranking])
        of_items[model.is_retrieved] = of_retrieved
    by_unit = units.add_up(of_items, influence.unscored)
    n_values = by_unit.shape[-1] - units.n_unscored.size  # without those that were never scored
    if model.clusters is None or by_unit[..., :n_values].size == units.rows.n_values:
        return by_unit, None
    return by_unit, units.effective_sizes(of_items, influence.unscored)


def influence_of(definition: Definition, counts: ThresholdCounts) -> tuple[Any, bool]:
    """The influence of rows on a definition, or else on the step average precision; and which."""
    own = definition.influence(counts)
    influence: Any = own or at_prevalence(Step(), definition.prevalence).influence(counts)
    # Those of undefined values are nan.
    unscored = np.where(np.isnan(influence.unscored), 0.0, influence.unscored)
    below = influence.below + np.zeros(unscored.shape)
    return replace(influence, unscored=unscored, below=below), own is not None


def effective_positives(
    definition: Definition,
    counts: ThresholdCounts,
    positives: Positives,
    weight: Any = 1.0,
    n_by_rows: Any = None,
    rows_in_unit: Any = None,
) -> EffectivePositives:
    """The positives that each value rests on, where a negative has such a weight.

    With ``rows_in_unit`` of the first ranks, these are so many times fewer units.
    """
    unscored = 0.0 if counts.n_unscored is None else counts.n_unscored
    unscored = unscored / np.where(counts.n_positives > 0, counts.n_positives, 1.0)
    n_negatives = counts.n_negatives / np.where(weight > 0, weight, 1.0)

    def having(n: Float) -> ThresholdCounts:
        return replace(counts, n_positives=n, n_negatives=n_negatives, n_unscored=unscored * n)

    depth, ranks = definition.depth, None
    if depth is not None and rows_in_unit is not None:
        ranks = n_ranks(depth, having(n_by_rows)) / rows_in_unit

    def of(n: Float, ranks: Any) -> Float:
        return np.asarray(definition.effective_size(having(n), ranks), dtype=np.float64)

    n_effective = n_unlimited = of(positives.n_unlimited, ranks)
    by_rows = n_unlimited if n_by_rows is None else of(n_by_rows, None)
    if (positives.n_effective < positives.n_unlimited).any():
        n_effective = of(positives.n_effective, ranks)
    shape = n_effective.shape
    if not (n_effective < n_unlimited).any():
        return EffectivePositives(n_effective, n_unlimited, np.zeros(shape), by_rows)
    if definition.depth is not None:  # k counts the user's weights, and these are scaled
        return EffectivePositives(n_effective, n_unlimited, np.full(shape, np.inf), by_rows)
    weight = weight + np.zeros(shape)
    with_false_positive = replace(
        counts,
        fps=counts.fps + counts.each(weight),
        fps_above=counts.fps_above + counts.each(weight),
        n_negatives=counts.n_negatives + weight,
    )
    cost = values_of(definition, counts) - values_of(definition, with_false_positive)
    return EffectivePositives(n_effective, n_unlimited, cost, by_rows)


def _by_cluster(of_queries: Float, clusters: Index | None) -> Float:
    """Add up the values of the queries of each cluster."""
    return of_queries if clusters is None else np.bincount(clusters, of_queries).astype(np.float64)
