"""The influence of each sampling unit on each score: of rows or clusters, and of queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Average, Rankings
from sklearn_ap._scoring import values_of
from sklearn_ap._uncertainty.jackknife import LARGE_BIAS, Jackknife
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.resampling import Replicates, resample_counts, resample_rows
from sklearn_ap._uncertainty.sampling_units import (
    EffectiveSizes,
    Positives,
    SampledRows,
    SamplingUnits,
    as_positives,
    scale_weights,
    units_of_counts,
    units_of_rows,
)
from sklearn_ap.counts import ThresholdCounts, count, ratio
from sklearn_ap.counts._averages import average_rankings
from sklearn_ap.counts._counting import with_known_totals
from sklearn_ap.counts._sorted_items import PlacedItems, place_items
from sklearn_ap.counts._threads import map_threads, n_threads
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._influence import Influence
from sklearn_ap.definitions._prevalence import at_prevalence

Float = NDArray[np.float64]
Fill = Callable[[Float], Float]  # gives undefined values what the user asked for

ROUNDING = 1e-9  # of the standard deviation of a case, beside the value: doubles have 16 digits


@dataclass(frozen=True, eq=False)
class Deviations:
    """How far values deviate with each unit; ``-`` gives that of differences of two models."""

    by_unit: Float  # the influence values
    by_positive: Any = 0.0  # of one more positive of each ranking on a weighted average
    replicates: Float | None = None  # the values of new samples: (n_resamples, n_rankings)

    def __sub__(self, other: Deviations) -> Deviations:
        replicates = self.replicates
        if replicates is not None and other.replicates is not None:
            replicates = replicates - other.replicates
        by_positive = self.by_positive - other.by_positive
        return Deviations(self.by_unit - other.by_unit, by_positive, replicates)


@dataclass(frozen=True, eq=False)
class ValuesOfModel:
    """The values of one model, and the influence of each unit on them.

    ``SamplingUnits`` says how influence values are laid out. Their squares add up to variances.
    """

    values: Float
    is_defined: NDArray[np.bool_]
    by_unit: Float
    n_effective: Float  # the effective number of positives, or of queries, that each value rests on
    # the same if negatives weighed no more than positives; the queries that have a positive
    n_effective_positives: Float
    bias_of_values: Any  # how much higher each is expected to be than the population's

    @property
    def deviations(self) -> Deviations:
        """What variances are made of."""
        return Deviations(self.by_unit)

    @property
    def small_sample_factor(self) -> Float:
        """N / (N - 1), as for the variance of a mean."""
        return np.maximum(self.n_effective, 1.0) / np.maximum(self.n_effective - 1, 1.0)


@dataclass(frozen=True, eq=False)
class QueryInfluences(ValuesOfModel):
    """A mean over queries, which are the units: it is the only value."""

    n_positives: Float  # the effective number of each query
    n_counted: Float
    half_of_queries: (
        float  # have effectively so many positives, or fewer; inf if it does not matter
    )

    method = "queries"
    is_one_number, is_mean = True, False  # the mean is made already

    @property
    def score(self) -> Float:
        """The mean, in an array."""
        return self.values

    @property
    def is_undefined(self) -> NDArray[np.bool_]:
        """Whether no query has positives, in an array."""
        return ~self.is_defined

    def of_score(self, deviations: Deviations) -> Float:
        """The influence of each query, such that squares add up to the variance."""
        return deviations.by_unit[0] * np.sqrt(self.small_sample_factor)


@dataclass(frozen=True, eq=False)
class PositiveWeights:
    """The weights of an average by the number of positives, which vary from sample to sample."""

    of_rankings: Float
    of_units: Float  # laid out as influence values are


@dataclass(frozen=True, eq=False)
class RowInfluences(ValuesOfModel):
    """The values of rankings, whose units are rows or clusters.

    A value that is not smooth in the weights of rows has ``replicates``: the influence values are
    then those of the step average precision, which say how sure the variance of the replicates is.
    """

    multiplicity: Any  # how many units are alike and have one influence value
    units: SamplingUnits
    positives: Positives
    is_one_number: bool  # whether there is one score; otherwise each value is one
    false_positive_cost: Any  # of a negative above all, to each value; 0 if none weighs much
    weights: PositiveWeights | None = None  # of values in their average; None for equal ones
    effective_sizes: EffectiveSizes | None = None  # of clusters with several rows of a ranking
    replicates: Replicates | None = None
    bias_is_rough: bool = False  # whether the jackknife finds a part of it only

    @property
    def method(self) -> str:
        """Where the variance comes from."""
        return "influence" if self.replicates is None else "resampling"

    @property
    def n_positives(self) -> Float:
        """The effective number of each ranking."""
        return self.positives.n_effective

    @property
    def n_counted(self) -> Float:
        """The number of positives of each ranking."""
        return self.positives.n_counted

    @property
    def is_mean(self) -> bool:
        """Whether several values become one score."""
        return self.is_one_number and self.values.size > 1

    @cached_property
    def score(self) -> Float:
        """The values, or their average in an array."""
        if not self.is_mean:
            return self.values
        weights = None if self.weights is None else self.weights.of_rankings
        return np.array([average_rankings(self.values, weights)])

    @property
    def is_undefined(self) -> NDArray[np.bool_]:
        """Whether each score lacks positives."""
        return ~np.any(self.is_defined, keepdims=True) if self.is_mean else ~self.is_defined

    @cached_property
    def shares(self) -> Float:
        """The weight of each value in the average; 0 for one without positives."""
        weights = 1.0 if self.weights is None else self.weights.of_rankings
        weights = np.where(np.isnan(self.values), 0.0, weights)
        return np.where(self.is_defined, weights / (weights.sum() or 1.0), 0.0)

    def mean_of(self, numbers: Float) -> Float:
        """The average of numbers of the values; one that is nan counts as the others do."""
        known = np.where(np.isnan(numbers), 0.0, self.shares)
        return ratio(np.array([known @ np.nan_to_num(numbers)]), known.sum(keepdims=True))

    @property
    def deviations(self) -> Deviations:
        """What variances are made of."""
        by_positive: Any = 0.0
        if self.weights is not None:
            deviation = np.where(self.is_defined, self.values - self.score, 0.0)
            by_positive = deviation / (self.weights.of_rankings.sum() or 1.0)
        replicates = None if self.replicates is None else self.replicates.values
        return Deviations(self.by_unit, by_positive, replicates)

    def of_score(self, deviations: Deviations) -> Float:
        """The influence of each unit on the average; squares add up to its variance.

        With replicates, it is how far off each is.
        """
        if self.replicates is not None:
            weights = self.shares if self.weights is None else self.replicates.n_positives
            masked: Any = np.ma.masked_invalid(cast(Float, deviations.replicates))
            averages = np.ma.average(masked, axis=1, weights=weights)
            deviation = np.ma.filled(averages - averages.mean(), 0.0)
            return deviation / np.sqrt(max(np.ma.count(averages) - 1, 1))
        factor = np.sqrt(self.small_sample_factor)
        influence = self.units.over_rankings(factor * self.shares, deviations.by_unit)
        if self.weights is not None:  # the influence through the weights, by the product rule
            by_positive = factor * deviations.by_positive
            influence += self.units.over_rankings(by_positive, self.weights.of_units)
        n_missed = self.units.n_missed  # positives that were never scored are so many units
        influence[influence.size - n_missed.size :] *= np.sqrt(n_missed)
        return influence

    def variance_of_score(self, deviations: Deviations, magnitude: Float) -> Float:
        """The variance of the average, as the sample shows it."""
        influence = self.of_score(deviations)
        variance = np.sum(influence * influence, keepdims=True)
        return without_rounding(variance, self.n_effective.max(), magnitude)


InfluenceValues = QueryInfluences | RowInfluences


def without_rounding(variance: Any, n_effective: Any, magnitude: Any) -> Float:
    """A variance that rounding of values of such a magnitude can leave counts as 0."""
    return np.where(np.sqrt(variance * n_effective) > ROUNDING * magnitude, variance, 0.0)


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
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # or sums of huge ones are infinite
    shares /= shares.sum() or 1.0
    mean, has_positives = np.array([average_rankings(values, weights)]), counts.n_positives > 0
    is_plain, half = weights is None and definition.prevalence is None, np.inf
    if counts.fps.dtype.kind == "f" and counts.gained.dtype.kind != "f":
        is_plain = False  # negatives weigh what a prevalence made them weigh
    n_positives, n_counted = _positives_of_queries(definition, counts, rankings)
    if definition.prevalence is not None and has_positives.any():
        half = float(np.median(n_positives[has_positives]))
    clusters = None if rankings is None else rankings.clusters
    values = np.where(shares > 0, values, 0.0)  # without a share they may be nan
    return QueryInfluences(
        values=mean,
        is_defined=np.any(has_positives, keepdims=True),
        by_unit=_by_cluster(shares * (values - shares @ values), clusters)[None],
        n_effective=_effective_number(_by_cluster(shares, clusters)),
        n_effective_positives=_effective_number(_by_cluster(shares * has_positives, clusters)),
        bias_of_values=0.0 if is_plain else np.nan,
        n_positives=n_positives,
        n_counted=n_counted,
        half_of_queries=half,
    )


def _positives_of_queries(
    definition: Definition, counts: ThresholdCounts, rankings: Rankings | None
) -> tuple[Float, Float]:
    """The effective number of positives of each query, and their number.

    Both are nan for weighted counts alone.
    """
    if rankings is not None and rankings.weight is not None:
        sample = units_of_rows(definition, replace(rankings, clusters=None), counts)
        return sample.positives.n_effective, sample.positives.n_counted
    if counts.gained.dtype.kind == "f":
        return np.full(counts.starts.size, np.nan), np.full(counts.starts.size, np.nan)
    n_positives = counts.n_positives
    return as_positives(definition, counts, n_positives, counts.n_negatives), n_positives


def influences_of_counts(
    definition: Definition, counts: ThresholdCounts, fill: Fill, average: Average, options: Options
) -> RowInfluences:
    """The influence of unweighted rows, each ranking by itself; those at one place are alike."""
    values = values_of(definition, counts)
    influence, is_own = _influence(definition, counts)
    units, positives = units_of_counts(definition, counts)
    n_tied, n_between = counts.fps - counts.fps_above, counts.fps_above - counts.above(counts.fps)
    n_below = counts.n_negatives - counts.sum(n_tied + n_between)
    missed = np.where(units.n_missed > 0, influence.missed, 0.0)
    below = influence.below + np.zeros(n_below.size)
    n_effective, n_unlimited = _effective_sizes(definition, counts, positives)
    by_unit = np.concatenate((influence.positive, influence.tied, influence.between, missed, below))
    return RowInfluences(
        values=fill(values),
        is_defined=~np.isnan(values),
        by_unit=by_unit if counts.starts.size > 1 else by_unit[None],
        multiplicity=np.concatenate((counts.gained, n_tied, n_between, units.n_missed, n_below)),
        n_effective=n_effective,
        n_effective_positives=n_unlimited,
        bias_of_values=definition.bias(counts),
        units=units,
        positives=positives,
        is_one_number=average is not None,
        false_positive_cost=_false_positive_cost(definition, counts, n_unlimited - n_effective),
        replicates=None if is_own else resample_counts(definition, counts, options),
    )


def influences_of_rows(
    definition: Definition, models: list[Rankings], fills: Sequence[Fill], options: Options
) -> list[RowInfluences]:
    """The influence of rows, or of clusters of rows, placed among the thresholds of each model."""
    scaled, power = scale_weights(models)
    retrieved = [model.only_retrieved() for model in scaled]
    threads = min(len(models), n_threads(len(models) * models[0].score.size))
    placed = [*map_threads(place_items, retrieved, threads)]
    counted = [*map(with_known_totals, (items.counts for items in placed), retrieved)]
    sample = units_of_rows(definition, scaled[0], counted[0])
    found = [_influence(definition, counts) for counts in counted]
    placed_models = zip((influence for influence, _ in found), placed, scaled, strict=True)
    by_units = [*map_threads(lambda placed: _by_units(sample, *placed), placed_models, threads)]
    replicates: list[Any] = [None] * len(models)
    if not all(is_own for _, is_own in found):
        replicates = resample_rows(definition, models, counted, sample.units, power, options)
    influences = []
    for i, (model, counts) in enumerate(zip(models, counted, strict=True)):
        of_model = _of_model(definition, sample, model, counts, by_units[i], replicates[i])
        of_model = replace(of_model, values=fills[i](of_model.values))
        if replicates[i] is None:
            of_model = _with_jackknife(of_model, definition, model, sample, counts)
        influences.append(of_model)
    return influences


def _of_model(
    definition: Definition,
    sample: SampledRows,
    model: Rankings,
    counts: ThresholdCounts,
    by_unit: tuple[Float, EffectiveSizes | None],
    replicates: Replicates | None,
) -> RowInfluences:
    """The values of one model, the influence of each unit on them, and their bias."""
    of_user, units = counts, sample.units
    if definition.depth is not None:  # k counts weight, so the weights are those of the user
        of_user = count(model.only_retrieved(), definition.depth)
    values = values_of(definition, of_user)
    n_effective, n_unlimited = _effective_sizes(definition, counts, sample.positives)
    weight = 1.0 if sample.weights is None else sample.weights.negative
    cost = _false_positive_cost(definition, counts, n_unlimited - n_effective, weight)
    weights = None
    if model.average == "weighted":
        of_units = units.add_up(model.positive, np.ones(model.n_rankings))
        weights = PositiveWeights(counts.n_positives, of_units)
    n_values = by_unit[0].shape[-1] - units.n_missed.size
    return RowInfluences(
        values=values,
        is_defined=~np.isnan(values),
        by_unit=by_unit[0],
        multiplicity=np.append(np.ones(n_values), units.n_missed),
        n_effective=n_effective,
        n_effective_positives=n_unlimited,
        bias_of_values=_bias_of_rows(definition, sample, counts),
        units=units,
        positives=sample.positives,
        is_one_number=model.average is not None,
        false_positive_cost=cost,
        weights=weights,
        effective_sizes=by_unit[1],
        replicates=replicates,
    )


def _with_jackknife(
    influences: RowInfluences,
    definition: Definition,
    model: Rankings,
    sample: SampledRows,
    counts: ThresholdCounts,
) -> RowInfluences:
    """What leaving out groups of units says of large clusters, and of a bias without a formula.

    A value at levels of recall jumps by more than its bias, and its limits are for samples of this
    size, so none is looked for.
    """
    sizes, units, by_unit = influences.effective_sizes, sample.units, influences.by_unit
    is_unknown = bool(np.isnan(influences.bias_of_values).all())
    if sizes is None and not is_unknown:
        return influences
    jackknife = Jackknife(definition, model, units, by_unit, are_clusters=sizes is not None)
    is_left_out = np.full(influences.bias_of_values.shape, False)
    if sizes is not None:
        is_left_out = jackknife.matters(sizes.n_independent)
    bias = np.full(is_left_out.shape, np.nan)
    if is_left_out.any():
        kept = is_left_out[units.ranking] if units.are_apart else True
        influences = replace(influences, by_unit=np.where(kept, jackknife.influences, by_unit))
    if definition.is_at_levels:
        return replace(influences, bias_of_values=bias)
    if is_left_out.any():
        bias[is_left_out] = jackknife.bias[is_left_out]
    if sizes is not None and units.are_apart:
        bias = np.where(np.isnan(sizes.n_independent), influences.bias_of_values, bias)
    # The bias of the steps is known. That of an envelope is up to three times as large, of which
    # leaving out groups finds a part: it is looked for from a third on, a choice.
    of_steps = _bias_of_rows(at_prevalence(Step(), definition.prevalence), sample, counts)
    is_rough = is_unknown and not np.isnan(of_steps).all()
    influences = replace(influences, bias_of_values=bias, bias_is_rough=is_rough)
    if not influences.is_mean or not np.isnan(bias).all() or np.all(units.are_one_cluster):
        return influences
    variance = influences.variance_of_score(influences.deviations, np.abs(influences.score))
    largest = influences.mean_of(of_steps) * (3 if is_rough else 1)
    matters = largest > LARGE_BIAS * np.sqrt(variance)
    if np.count_nonzero(influences.is_defined) > 1 and matters:
        return replace(influences, bias_of_values=jackknife.bias)
    return influences


def _bias_of_rows(definition: Definition, sample: SampledRows, counts: ThresholdCounts) -> Float:
    """The bias of each value, if each row is sampled by itself."""
    if sample.weights is None:
        return definition.bias(counts)
    one = np.where(sample.weights.positive > 0, sample.weights.positive, 1.0)
    of_negative = np.where(counts.n_negatives > 0, sample.weights.negative, 1.0)
    of_thresholds = ("gained", "tps", "fps", "fps_above")
    with np.errstate(over="ignore", invalid="ignore"):  # weights of 600 orders of magnitude
        parts = {name: getattr(counts, name) / counts.each(one) for name in of_thresholds}
        totals = {name: getattr(counts, name) / one for name in ("n_positives", "n_negatives")}
        bias = definition.bias(replace(counts, **parts, **totals), of_negative / one)
    return np.where(np.isfinite(bias), bias, np.nan)


def _by_units(
    sample: SampledRows, influence: Influence, items: PlacedItems, model: Rankings
) -> tuple[Float, EffectiveSizes | None]:
    """The influence of each unit on the value of each ranking, and effective sizes of clusters."""
    units = sample.units
    of_items = items.value_of_items(
        influence.positive, influence.tied, influence.between, influence.below
    )
    if of_items.size < model.score.size:  # the model did not retrieve all of them
        of_retrieved = of_items
        ranking = model.ranking_of_items
        below = (influence.below + np.zeros(model.n_rankings))[ranking]
        of_items = np.where(model.positive, influence.missed[ranking], below)
        of_items[model.is_retrieved] = of_retrieved
    by_unit = units.add_up(of_items, influence.missed)
    n_values = by_unit.shape[-1] - units.n_missed.size  # without the missed
    if model.clusters is None or by_unit[..., :n_values].size == model.score.size:
        return by_unit, None
    of_negatives = np.where(model.positive, 0.0, of_items)
    effective_sizes = units.effective_sizes(of_items, of_negatives, sample.n_rows)
    if units.are_apart:
        are_rows = units.n_units - units.n_missed == model.sizes
        n_independent = np.where(are_rows, np.nan, effective_sizes.n_independent)
        effective_sizes = effective_sizes._replace(n_independent=n_independent)
    return by_unit, effective_sizes


def _influence(definition: Definition, counts: ThresholdCounts) -> tuple[Any, bool]:
    """The influence of rows on a definition, or else on the step average precision; and which."""
    found: Any = definition.influence(counts)
    is_own = found is not None
    if not is_own:
        found = at_prevalence(Step(), definition.prevalence).influence(counts)
    unknown = np.isnan(found.missed)  # of undefined values
    if unknown.any():
        found = replace(found, missed=np.where(unknown, 0.0, found.missed))
    return found, is_own


def _effective_sizes(
    definition: Definition, counts: ThresholdCounts, positives: Positives
) -> tuple[Float, Float]:
    """The effective positives that each value rests on; the same if negatives did not limit it."""

    def of(n_positives: Float) -> Float:
        n_effective = definition.effective_size(replace(counts, n_positives=n_positives))
        return np.asarray(n_effective, dtype=np.float64)

    n_unlimited = of(positives.n_unlimited)
    if np.any(positives.n_effective < positives.n_unlimited):
        return of(positives.n_effective), n_unlimited
    return n_unlimited, n_unlimited


def _false_positive_cost(
    definition: Definition, counts: ThresholdCounts, lacking: Float, weight: Any = 1.0
) -> Float:
    """What a negative above all others costs each value: 0 where no effective size is lacking."""
    if not lacking.any():
        return np.zeros(lacking.shape)
    if definition.depth is not None:  # k counts the user's weights, and these are scaled
        return np.full(lacking.shape, np.inf)
    weight = weight + np.zeros(lacking.shape)
    more = {name: getattr(counts, name) + counts.each(weight) for name in ("fps", "fps_above")}
    with_false_positive = replace(counts, **more, n_negatives=counts.n_negatives + weight)
    return values_of(definition, counts) - values_of(definition, with_false_positive)


def _by_cluster(of_queries: Float, clusters: NDArray[np.intp] | None) -> Float:
    """Add up the values of the queries of each cluster."""
    return of_queries if clusters is None else np.bincount(clusters, of_queries).astype(np.float64)


def _effective_number(shares: Float) -> Float:
    """How many equal shares would vary as much (Kish 1965)."""
    return np.array([shares.sum() ** 2 / (shares @ shares) if shares.any() else 0.0])
