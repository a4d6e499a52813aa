"""How far each unit that is drawn at random moves each value: of rows, and of queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Average, Rankings
from sklearn_ap._scoring import values_of
from sklearn_ap._uncertainty.jackknife import Jackknife
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.resampling import resample_counts, resample_rows
from sklearn_ap._uncertainty.sampling_units import (
    EffectiveSizes,
    SamplingUnits,
    as_positives,
    scale_weights,
    units_of_counts,
    units_of_rows,
)
from sklearn_ap.counts import ThresholdCounts, count, ratio
from sklearn_ap.counts._averages import average_rankings
from sklearn_ap.counts._counting import with_known_totals
from sklearn_ap.counts._placed_items import PlacedItems, place_items
from sklearn_ap.counts._threads import map_threads, n_threads
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._influence import Influence
from sklearn_ap.definitions._prevalence import at_prevalence

Float = NDArray[np.float64]
Fill = Callable[[Float], Float]  # gives undefined values what the user asked for


@dataclass(frozen=True, eq=False)
class InfluenceValues:
    """The values of one model, and the influence of each unit on them: squares add up to variances.

    The numbers of units are laid out as ``SamplingUnits`` says. Of queries, their mean is the only
    value. A value that is not smooth in the weights of rows has ``replicates``: the values of new
    samples, and their positives, both (n_resamples, n_rankings). The influence values are then
    those of the step average precision, which say how sure the variance of the replicates is.
    """

    method: str  # "influence", "resampling" or "queries"
    values: Float
    is_defined: NDArray[np.bool_]
    by_unit: Float  # what one unit moves a value by
    multiplicity: Any  # how many units are alike and stand together
    n_units: Any  # of each value, in all
    n_effective: Float  # the effective number of positives, or of queries, that each value rests on
    # the same if negatives weighed no more than positives; the queries that have a positive
    n_effective_positives: Float
    units: SamplingUnits
    effective_sizes: EffectiveSizes | None = None  # of clusters that hold several rows of a ranking
    false_positive_cost: Any = (
        0.0  # what a negative above all would cost each value; 0 if none weighs much
    )
    average: Average = "macro"  # how values become one score; None where each is a score
    weights: Any = 1.0  # of the values in the average
    positives: Any = None  # the weight of those of a unit, where they are the weights
    replicates: tuple[Float, Float] | None = None
    bias_of_values: Any = np.nan  # how much higher each is expected to be than the population's
    jackknife: Jackknife | None = None  # finds that of a mean, if it matters
    positives_of_queries: float = np.inf  # that half of the queries have effectively, or fewer

    @property
    def is_one_number(self) -> bool:
        """Whether there is one score; otherwise each value is one."""
        return self.average is not None

    @property
    def is_mean(self) -> bool:
        """Whether several values become one score."""
        return self.is_one_number and self.values.size > 1

    @cached_property
    def score(self) -> Float:
        """The values, or their average in an array."""
        if not self.is_mean:
            return self.values
        weights = self.weights if self.average == "weighted" else None
        return np.array([average_rankings(self.values, weights)])

    @property
    def is_undefined(self) -> NDArray[np.bool_]:
        """Whether each score lacks positives."""
        return ~np.any(self.is_defined, keepdims=True) if self.is_mean else ~self.is_defined

    @cached_property
    def shares(self) -> Float:
        """The weight of each value in the average; 0 for one without positives."""
        weights = self.weights if self.average == "weighted" else 1.0
        weights = np.where(np.isnan(self.values), 0.0, weights)
        return np.where(self.is_defined, weights / (weights.sum() or 1.0), 0.0)

    def mean_of(self, numbers: Float) -> Float:
        """The average of numbers of the values; one that is nan counts as the others do."""
        known = np.where(np.isnan(numbers), 0.0, self.shares)
        return ratio(np.array([known @ np.nan_to_num(numbers)]), known.sum(keepdims=True))

    @property
    def by_positive(self) -> Float:
        """What one more positive of each ranking moves a weighted average by."""
        deviation = np.where(self.is_defined, self.values - self.score, 0.0)
        return deviation / (self.weights.sum() or 1.0)

    @property
    def small_sample_factor(self) -> Float:
        """N / (N - 1), as for the variance of a mean."""
        return np.maximum(self.n_effective, 1.0) / np.maximum(self.n_effective - 1, 1.0)

    def minus(self, other: InfluenceValues) -> InfluenceValues:
        """The moves of the difference from another model of the same units.

        Values, cases and the bias stay those of this model.
        """
        replicates = self.replicates
        if replicates is not None and other.replicates is not None:
            replicates = replicates[0] - other.replicates[0], replicates[1]
        return replace(self, by_unit=self.by_unit - other.by_unit, replicates=replicates)

    def of_mean(self, by_positive: Float) -> Float:
        """What each unit moves the average by, or how far off it is in each replicate.

        ``by_positive`` is what one more positive in each ranking moves it by through the weights.
        """
        if self.replicates is not None:
            values, n_positives = self.replicates
            weights = n_positives if self.average == "weighted" else self.shares
            averages = np.ma.average(np.ma.masked_invalid(values), axis=1, weights=weights)
            deviation = np.ma.filled(averages - averages.mean(), 0.0)
            return deviation / np.sqrt(max(np.ma.count(averages) - 1, 1))
        factor, ranking = np.sqrt(self.small_sample_factor), self.units.ranking
        if self.units.unit is not None:
            moved = (factor * self.shares)[ranking] * self.by_unit
            if self.positives is not None:
                moved += (factor * by_positive)[ranking] * self.positives
            return np.bincount(self.units.unit, moved * np.sqrt(self.multiplicity)).astype(
                np.float64
            )
        # Not with @, whose threads take longer to wake up than the sum takes.
        moved = np.einsum("r,ru->u", factor * self.shares, self.by_unit)
        if self.positives is not None:
            moved += np.einsum("r,ru->u", factor * by_positive, self.positives)
        return moved * np.sqrt(self.multiplicity)


def influences_of_queries(
    definition: Definition,
    counts: ThresholdCounts,
    fill: Fill,
    weights: Float | None,
    rankings: Rankings | None = None,
) -> InfluenceValues:
    """The moves of a mean over queries: each is drawn as a whole, however many rows it has.

    ``weights`` are those of the mean, None for equal ones. ``rankings`` are the queries, and say
    which of them are drawn together; None if there are counts alone. A mean of queries drawn at
    random is right on average; a ratio of sums is not.
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
    moved = _by_unit(shares * (values - shares @ values), clusters)
    return InfluenceValues(
        method="queries",
        values=mean,
        is_defined=np.any(has_positives, keepdims=True),
        by_unit=moved[None],
        multiplicity=1.0,
        n_units=moved.size,
        weights=np.ones(1),
        n_effective=_effective_number(_by_unit(shares, clusters)),
        n_effective_positives=_effective_number(_by_unit(shares * has_positives, clusters)),
        units=SamplingUnits(n_positives, n_counted, np.zeros(1), moved.size),
        bias_of_values=0.0 if is_plain else np.nan,
        positives_of_queries=half,
    )


def _positives_of_queries(
    definition: Definition, counts: ThresholdCounts, rankings: Rankings | None
) -> tuple[Float, Float]:
    """The effective number of positives of each query, and their number.

    Both are nan for weighted counts alone.
    """
    if rankings is not None and rankings.weight is not None:
        units = units_of_rows(definition, replace(rankings, clusters=None), counts)
        return units.n_positives, units.n_counted
    if counts.gained.dtype.kind == "f":
        return np.full(counts.starts.size, np.nan), np.full(counts.starts.size, np.nan)
    n_positives = counts.n_positives
    return as_positives(definition, counts, n_positives, counts.n_negatives), n_positives


def influences_of_counts(
    definition: Definition, counts: ThresholdCounts, fill: Fill, average: Average, options: Options
) -> InfluenceValues:
    """The moves of unweighted rows, each ranking by itself; those at one place are alike."""
    values = values_of(definition, counts)
    influence, is_own = _influence(definition, counts)
    units = units_of_counts(definition, counts)
    n_tied, n_between = counts.fps - counts.fps_above, counts.fps_above - counts.above(counts.fps)
    n_below = counts.n_negatives - counts.sum(n_tied + n_between)
    missed = np.where(units.n_missed > 0, influence.missed, 0.0)
    below = influence.below + np.zeros(n_below.size)
    n_effective, alone, false_positive_cost = _sample_sizes(definition, counts, units)
    by_unit = np.concatenate((influence.positive, influence.tied, influence.between, missed, below))
    return InfluenceValues(
        method="influence" if is_own else "resampling",
        values=fill(values),
        is_defined=~np.isnan(values),
        by_unit=by_unit if counts.starts.size > 1 else by_unit[None],
        multiplicity=np.concatenate((counts.gained, n_tied, n_between, units.n_missed, n_below)),
        n_units=units.n_units,
        n_effective=n_effective,
        n_effective_positives=alone,
        false_positive_cost=false_positive_cost,
        units=units,
        average=average,
        weights=units.n_alone,
        replicates=None if is_own else resample_counts(definition, counts, options),
        bias_of_values=definition.bias(counts),
    )


def influences_of_rows(
    definition: Definition, models: list[Rankings], fills: Sequence[Fill], options: Options
) -> list[InfluenceValues]:
    """The moves of the rows of each model, or of clusters of rows, placed among its thresholds."""
    scaled, power = scale_weights(models)
    retrieved = [model.only_retrieved() for model in scaled]
    threads = min(len(models), n_threads(len(models) * models[0].score.size))
    placed = [*map_threads(place_items, retrieved, threads)]
    counted = [*map(with_known_totals, (items.counts for items in placed), retrieved)]
    units = units_of_rows(definition, scaled[0], counted[0])
    found = [_influence(definition, counts) for counts in counted]
    placed_models = zip((influence for influence, _ in found), placed, scaled, strict=True)
    moved = [*map_threads(lambda placed: _by_rows(units, *placed), placed_models, threads)]
    replicates: list[Any] = [None] * len(models)
    if not all(is_own for _, is_own in found):
        replicates = resample_rows(definition, models, counted, units, power, options)
    of_models = zip(models, fills, counted, moved, replicates, strict=True)
    return [_of_model(definition, units, *of_model) for of_model in of_models]


def _of_model(
    definition: Definition,
    units: SamplingUnits,
    model: Rankings,
    fill: Fill,
    counts: ThresholdCounts,
    moved: tuple[Float, EffectiveSizes | None],
    replicates: Any,
) -> InfluenceValues:
    """The values of one model, and how far each unit moves them."""
    of_user = counts
    if definition.depth is not None:  # k counts weight, so the weights are those of the user
        of_user = count(model.only_retrieved(), definition.depth)
    values, positives = values_of(definition, of_user), None
    by_unit, bias, jackknife = _bias(definition, units, model, counts, *moved, replicates is None)
    if model.average == "weighted":
        positives = units.add_up(model.positive, np.ones(model.n_rankings))
    n_effective, alone, false_positive_cost = _sample_sizes(definition, counts, units)
    return InfluenceValues(
        method="influence" if replicates is None else "resampling",
        values=fill(values),
        is_defined=~np.isnan(values),
        by_unit=by_unit,
        multiplicity=np.append(np.ones(by_unit.shape[-1] - units.n_missed.size), units.n_missed),
        n_units=units.n_units,
        n_effective=n_effective,
        n_effective_positives=alone,
        effective_sizes=moved[1],
        false_positive_cost=false_positive_cost,
        units=units,
        average=model.average,
        weights=counts.n_positives,
        positives=positives,
        replicates=replicates,
        bias_of_values=bias,
        jackknife=jackknife,
    )


def _bias(
    definition: Definition,
    units: SamplingUnits,
    model: Rankings,
    counts: ThresholdCounts,
    by_unit: Float,
    effective_sizes: EffectiveSizes | None,
    is_smooth: bool,
) -> tuple[Float, Float, Jackknife | None]:
    """The moves of units with those of large clusters, the bias of values, and what may find it.

    A value at levels of recall jumps by more than its bias, and its limits are for samples of this
    size, so none is looked for.
    """
    bias = _bias_of_rows(definition, units, counts)
    is_unknown = bool(np.isnan(bias).all())
    if not is_smooth or (effective_sizes is None and not is_unknown):
        return by_unit, bias, None
    least = _bias_of_rows(at_prevalence(Step(), definition.prevalence), units, counts)
    kinds = effective_sizes is not None, is_unknown and not np.isnan(least).all()
    jackknife = Jackknife(definition, model, units, by_unit, least, *kinds)
    is_left_out = np.full(bias.shape, False)
    if effective_sizes is not None:
        is_left_out = jackknife.matters(effective_sizes.n_independent)
    influences, found = by_unit, np.full_like(bias, np.nan)
    if is_left_out.any():
        kept = is_left_out[units.ranking] if units.are_apart else True
        influences = np.where(kept, jackknife.influences, by_unit)
    if definition.is_at_levels:
        return influences, found, None
    if is_left_out.any():
        found[is_left_out] = jackknife.bias[is_left_out]
    if effective_sizes is not None and units.are_apart:
        found = np.where(np.isnan(effective_sizes.n_independent), bias, found)
    return influences, found, jackknife


def _bias_of_rows(definition: Definition, units: SamplingUnits, counts: ThresholdCounts) -> Float:
    """The bias of each value, if each row is drawn by itself."""
    one = units.weight_of_positive
    if one is None:
        return definition.bias(counts)
    one = np.where(one > 0, one, 1.0)
    of_negative = np.where(counts.n_negatives > 0, units.weight_of_negative, 1.0)
    of_thresholds = ("gained", "tps", "fps", "fps_above")
    with np.errstate(over="ignore", invalid="ignore"):  # weights of 600 orders of magnitude
        parts = {name: getattr(counts, name) / counts.each(one) for name in of_thresholds}
        totals = {name: getattr(counts, name) / one for name in ("n_positives", "n_negatives")}
        bias = definition.bias(replace(counts, **parts, **totals), of_negative / one)
    return np.where(np.isfinite(bias), bias, np.nan)


def _by_rows(
    units: SamplingUnits, influence: Influence, items: PlacedItems, model: Rankings
) -> tuple[Float, EffectiveSizes | None]:
    """What each unit of a model moves the value of each ranking by, and what clusters change."""
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
    n_numbers = by_unit.shape[-1] - units.n_missed.size  # without the missed
    if model.clusters is None or by_unit[..., :n_numbers].size == model.score.size:
        return by_unit, None
    effective_sizes = units.effective_sizes(of_items, np.where(model.positive, 0.0, of_items))
    if units.are_apart:
        are_rows = units.n_units - units.n_missed == model.sizes
        effective_sizes = effective_sizes._replace(
            n_independent=np.where(are_rows, np.nan, effective_sizes.n_independent)
        )
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


def _sample_sizes(
    definition: Definition, counts: ThresholdCounts, units: SamplingUnits
) -> tuple[Float, Float, Float]:
    """The two effective sizes, and the cost of a false positive, of ``InfluenceValues``."""
    alone = n_effective = _effective_size(definition, counts, units.n_alone)
    if units.n_positives is not units.n_alone:
        n_effective = _effective_size(definition, counts, units.n_positives)
    return n_effective, alone, _false_positive_cost(definition, counts, units, alone - n_effective)


def _effective_size(definition: Definition, counts: ThresholdCounts, n_positives: Float) -> Float:
    n_effective = definition.effective_size(replace(counts, n_positives=n_positives))
    return np.asarray(n_effective, dtype=np.float64)


def _false_positive_cost(
    definition: Definition, counts: ThresholdCounts, units: SamplingUnits, lacking: Float
) -> Float:
    """What a negative above all others costs each value: 0 where no cases are lacking."""
    if not lacking.any():
        return np.zeros(lacking.shape)
    if definition.depth is not None:  # k counts the user's weights, and these are scaled
        return np.full(lacking.shape, np.inf)
    weight = units.weight_of_negative + np.zeros(lacking.shape)
    more = {name: getattr(counts, name) + counts.each(weight) for name in ("fps", "fps_above")}
    with_false_positive = replace(counts, **more, n_negatives=counts.n_negatives + weight)
    return values_of(definition, counts) - values_of(definition, with_false_positive)


def _by_unit(of_queries: Float, clusters: NDArray[np.intp] | None) -> Float:
    """Add up the numbers of the queries of each cluster."""
    return of_queries if clusters is None else np.bincount(clusters, of_queries).astype(np.float64)


def _effective_number(shares: Float) -> Float:
    """How many equal shares would vary as much (Kish 1965)."""
    return np.array([shares.sum() ** 2 / (shares @ shares) if shares.any() else 0.0])
