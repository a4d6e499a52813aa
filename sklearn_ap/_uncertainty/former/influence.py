"""The influence of each sampling unit on each score: of rows or clusters, and of queries.

Equations are those of ``docs/methods.md``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._counts.averages import average_rankings
from sklearn_ap._counts.counting import (
    SortedItems,
    add_known_totals,
    count,
    n_ranks,
    sort_items,
)
from sklearn_ap._counts.thresholds import ThresholdCounts, positive_shares, ratio, values_of
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._types import Bool, Float, Index
from sklearn_ap._uncertainty.former._effective_positives import (
    EffectivePositives,
    effective_positives,
)
from sklearn_ap._uncertainty.former._groups_left_out import Jackknife
from sklearn_ap._uncertainty.former._hidden_rows import HiddenRows, hidden_rows
from sklearn_ap._uncertainty.former._resampling import Replicates, resample_rows
from sklearn_ap._uncertainty.former._sampling_units import (
    EffectiveSizes,
    PositiveCounts,
    RowUnits,
    SamplingUnits,
    positives_of_counts,
    scale_weights,
    units_of_rows,
)
from sklearn_ap._uncertainty.former.shrinkage import (
    small_sample_factor,
    variance_of_score,
)
from sklearn_ap._uncertainty.former.sizes_and_biases import jackknife_bias, over_all_recalls
from sklearn_ap._uncertainty.former.tuned_constants import ENVELOPE_BIAS_FACTOR, NOTICEABLE_BIAS
from sklearn_ap._uncertainty.options import Options
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._base import Influence
from sklearn_ap.definitions._prevalence import at_prevalence

# The largest ratio of the bias of an interpolated score to the bias of the steps, about: a choice.
LARGEST_ENVELOPE_RATIO = 3

Fill = Callable[[Float], Float]  # replaces undefined values as zero_division= asks


@dataclass(frozen=True, eq=False)
class QueryInfluences:
    """A mean over queries, which are the sampling units."""

    score: Float  # A
    is_undefined: Bool  # True if no query has a positive
    score_influence: Float  # the influence of each query; squares add up to the variance of A
    n_effective: Float  # N_e, the effective number of queries
    n_with_positives: Float  # the effective number of queries that have a positive
    bias: float  # b: the expected score less the score of the population
    positives: PositiveCounts  # the positives of each query
    n_clusters: int | None  # the number of clusters, if queries were sampled in clusters
    # The median effective number of positives of a query at a prevalence; inf without a prevalence
    median_positives: float
    are_rows: bool = False  # True if each row of a table ranks its columns, as a query does

    is_single_score = True
    is_mean = False  # the values are averaged already


@dataclass(frozen=True, eq=False)
class RowInfluences:
    """The values of rankings, whose units are rows or clusters.

    ``SamplingUnits`` says how influence values are laid out. Their squares add up to variances.
    A value that is not smooth in the weights of rows has ``replicates``: the influence values are
    then those of the step average precision, which give its degrees of freedom.
    """

    values: Float  # A of each ranking
    is_defined: Bool
    unit_influence: Float  # phi_u
    multiplicity: Float  # the number of units that share an influence value
    units: SamplingUnits
    positives: PositiveCounts
    positive_shares: Float  # of the rows of each ranking, by their weights
    support: EffectivePositives
    hidden: HiddenRows | None  # None with replicates: a score may jump by one row
    bias_of_values: Float  # b: the expected value less the value of the population
    is_single_score: bool  # True if there is one score; otherwise each value is a score
    # The weight of each ranking in an average by the number of positives, which varies from sample
    # to sample; None for equal weights
    weights: Float | None = None
    effective_sizes: EffectiveSizes | None = None  # None where units are rows
    replicates: Replicates | None = None

    @property
    def n_effective(self) -> Float:
        return self.support.n_effective

    @property
    def is_mean(self) -> bool:
        """True if several values become one score."""
        return self.is_single_score and self.values.size > 1

    @cached_property
    def is_undefined(self) -> Bool:
        """True for each score that lacks positives."""
        return ~np.any(self.is_defined, keepdims=True) if self.is_mean else ~self.is_defined

    @cached_property
    def score(self) -> Float:
        """The values, or their average as an array of one number."""
        if not self.is_mean:
            return self.values
        return np.array([average_rankings(self.values, self.weights)])

    @cached_property
    def shares(self) -> Float:
        """The weight s_l of each value in the average; 0 for one without positives."""
        weights = 1.0 if self.weights is None else self.weights
        weights = np.where(np.isnan(self.values), 0.0, weights)
        return np.where(self.is_defined, weights / (weights.sum() or 1.0), 0.0)

    def average(self, numbers: Float) -> Float:
        """Average numbers of the values; one that is nan counts as the others do."""
        shares = np.where(np.isnan(numbers), 0.0, self.shares)
        return ratio(np.array([shares @ np.nan_to_num(numbers)]), shares.sum(keepdims=True))

    @cached_property
    def score_influence(self) -> Float:
        """The influence of each unit on the average; squares add up to its variance.

        With replicates, it is the deviation of each from their mean, over the root of n - 1.
        """
        if self.replicates is not None:
            weights = self.shares if self.weights is None else self.replicates.n_positives
            masked = np.ma.masked_invalid(self.replicates.values)
            averages = np.ma.average(masked, axis=1, weights=weights)
            deviation = np.ma.filled(averages - averages.mean(), 0.0)
            return deviation / np.sqrt(max(np.ma.count(averages) - 1, 1))
        factor = np.sqrt(small_sample_factor(self.n_effective))
        influence = self.units.sum_over_rankings(factor * self.shares, self.unit_influence)
        if self.weights is not None:  # the influence through the weights, by the product rule
            deviation = np.where(self.is_defined, self.values - self.score, 0.0)
            positive_influence = factor * deviation / (self.weights.sum() or 1.0)
            unit_weights = cast(RowUnits, self.units).positive_weights()
            influence += self.units.sum_over_rankings(positive_influence, unit_weights)
        # The last values stand for ``n_unscored`` units each: positives that were never scored.
        n_unscored = self.units.n_unscored
        influence[influence.size - n_unscored.size :] *= np.sqrt(n_unscored)
        return influence


InfluenceValues = QueryInfluences | RowInfluences


def influences_of_queries(
    definition: Definition,
    counts: ThresholdCounts,
    fill: Fill,
    weights: Float | None,
    rankings: Rankings,
) -> QueryInfluences:
    """Return the influence of queries on their mean: each query is sampled as a whole.

    ``weights`` are the weights of the mean, None for equal ones. ``rankings`` are the queries, with
    the clusters they were sampled in. A mean with equal weights is unbiased; a weighted mean is a
    ratio of sums, and is not.
    """
    values = fill(values_of(definition, counts))
    shares = _query_shares(values, weights)
    has_positives = counts.n_positives > 0
    positives = _query_positives(definition, counts, rankings)
    median_positives = np.inf
    if definition.prevalence is not None and has_positives.any():
        median_positives = float(np.median(positives.n_effective[has_positives]))
    has_equal_weights = weights is None or np.ptp(weights) == 0
    clusters = rankings.query_clusters
    finite_values = np.where(shares > 0, values, 0.0)  # nan has no share
    deviations = finite_values - shares @ finite_values
    influence = _sum_by_cluster(shares * deviations, clusters)
    n_effective = np.array([effective_number(_sum_by_cluster(shares, clusters))])
    shares_with_positives = _sum_by_cluster(shares * has_positives, clusters)
    return QueryInfluences(
        score=np.array([average_rankings(values, weights)]),
        is_undefined=~np.any(has_positives, keepdims=True),
        score_influence=influence * np.sqrt(small_sample_factor(n_effective)),
        n_effective=n_effective,
        n_with_positives=np.array([effective_number(shares_with_positives)]),
        bias=0.0 if has_equal_weights and definition.prevalence is None else np.nan,
        positives=positives,
        n_clusters=influence.size if rankings.has_clusters else None,
        median_positives=median_positives,
        are_rows=rankings.average == "samples",
    )


def _query_shares(values: Float, weights: Float | None) -> Float:
    """Return the weight of each query in the mean, 0 for one without a value; they add up to 1."""
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # the sum of huge weights would be infinite
    shares /= shares.sum() or 1.0
    return shares


def _query_positives(
    definition: Definition, counts: ThresholdCounts, rankings: Rankings
) -> PositiveCounts:
    if rankings.weight is not None:
        return units_of_rows(definition, rankings, counts).positives
    return positives_of_counts(definition, counts)


def influences_of_rows(
    definition: Definition, models: list[Rankings], fills: Sequence[Fill], options: Options
) -> list[RowInfluences]:
    """Return the influence of rows, or of clusters of rows, on each model."""
    scaled, power = scale_weights(models)
    retrieved = [model.select_retrieved() for model in scaled]
    placed = _place_models(definition, scaled, retrieved)
    replicates: Sequence[Replicates | None] = [None] * len(models)
    if not all(model.is_smooth for model in placed):
        counted = [model.counts for model in placed]
        replicates = resample_rows(definition, models, counted, placed[0].units, power, options)
    parts = zip(models, placed, replicates, fills, strict=True)
    return [_influences_of_model(definition, *part) for part in parts]


class _UnitSums(NamedTuple):
    """Sums over the items of each unit, for one model."""

    unit_influence: Float
    effective_sizes: EffectiveSizes | None  # None where units are rows


class _PlacedModel(NamedTuple):
    """The counts and influences of a model, after its items were placed among its thresholds."""

    units: RowUnits  # of all models
    counts: ThresholdCounts
    influence: Influence
    is_smooth: bool  # whether the definition has an influence of its own
    sums: _UnitSums


def _place_models(
    definition: Definition, scaled: list[Rankings], retrieved: list[Rankings]
) -> list[_PlacedModel]:
    """Place the items of each model, and add up their influence on its score by unit."""
    models: list[_PlacedModel] = []
    units: RowUnits | None = None
    for rankings, own_items in zip(scaled, retrieved, strict=True):
        items = sort_items(own_items)
        counts = add_known_totals(items.counts, own_items)
        if units is None:
            units = units_of_rows(definition, scaled[0], counts)
        influence, is_smooth = definition_influence(definition, counts)
        sums = _sum_units(units, influence, items, rankings)
        models.append(_PlacedModel(units, counts, influence, is_smooth, sums))
    return models


def _influences_of_model(
    definition: Definition,
    model: Rankings,
    placed: _PlacedModel,
    replicates: Replicates | None,
    fill: Fill,
) -> RowInfluences:
    """Return the values of one model, the influence of each unit on them, and their bias."""
    units = placed.units
    counts = placed.counts
    influence = placed.influence
    unit_influence, effective_sizes = placed.sums
    user_counts = counts
    if definition.depth is not None:  # k is a sum of the user's weights, so they are not scaled
        user_counts = count(model.select_retrieved(), definition.depth)
    values = values_of(definition, user_counts)
    rows_in_unit = None
    if definition.depth is not None and effective_sizes is not None:
        rows_in_unit = units.rows_in_unit(model, n_ranks(definition.depth, user_counts))
    support = effective_positives(
        definition,
        counts,
        units.positives,
        units.weights.negative,
        units.n_positive_rows,
        rows_in_unit,
    )
    hidden = None
    if replicates is None:
        hidden = hidden_rows(definition, counts, influence, units.weights, support.rows_in_unit)
    n_scored_units = unit_influence.shape[-1] - units.n_unscored.size
    influences = RowInfluences(
        values=fill(values),
        is_defined=~np.isnan(values),
        unit_influence=unit_influence,
        multiplicity=units.multiplicity(n_scored_units),
        units=units,
        positives=units.positives,
        positive_shares=positive_shares(counts),
        support=support,
        hidden=hidden,
        bias_of_values=_bias_of_rows(definition, units, counts),
        is_single_score=model.average is not None,
        weights=counts.n_positives if model.average == "weighted" else None,
        effective_sizes=effective_sizes,
        replicates=replicates,
    )
    if replicates is not None:
        return influences
    return _apply_jackknife(influences, definition, model, units, counts)


def _apply_jackknife(
    influences: RowInfluences,
    definition: Definition,
    model: Rankings,
    units: RowUnits,
    counts: ThresholdCounts,
) -> RowInfluences:
    """Leave out groups of units, for large clusters and for a bias without a formula.

    A value at levels of recall jumps where a group is left out, so the jackknife takes the mean
    over all recalls. For few levels the bias stays unknown: their limits are for samples of this
    size.
    """
    sizes = influences.effective_sizes
    is_unknown = bool(np.isnan(influences.bias_of_values).all())
    if sizes is None and not is_unknown:
        return influences
    whole = over_all_recalls(definition)
    jackknife = Jackknife(whole or definition, model, units, influences.unit_influence, sizes)
    is_needed = jackknife.is_needed
    if is_needed.any():
        is_replaced = is_needed[units.ranking] if units.are_separate else True
        influence = np.where(is_replaced, jackknife.influences, influences.unit_influence)
        influences = replace(influences, unit_influence=influence)
    if whole is None:
        return replace(influences, bias_of_values=np.full(units.n_unscored.shape, np.nan))
    # The bias of the steps is known. Interpolation adds to it, which a formula may not cover.
    step_bias = _bias_of_rows(at_prevalence(Step(), definition.prevalence), units, counts)
    is_partial = is_unknown and not np.isnan(step_bias).all()
    factor = ENVELOPE_BIAS_FACTOR if is_partial else 1.0
    bias = np.full(units.n_unscored.shape, np.nan)
    if is_needed.any():
        bias[is_needed] = factor * jackknife.bias[is_needed]
    if sizes is not None and units.are_separate:
        bias = np.where(np.isnan(sizes.n_independent), influences.bias_of_values, bias)
    influences = replace(influences, bias_of_values=bias)
    largest_ratio = LARGEST_ENVELOPE_RATIO if is_partial else 1
    if _lacks_bias(influences, step_bias, largest_ratio):
        return replace(influences, bias_of_values=factor * jackknife.bias)
    return influences


def _lacks_bias(influences: RowInfluences, step_bias: Float, largest_ratio: int) -> bool:
    """Check whether the bias of a mean is unknown, but may be noticeable.

    ``largest_ratio`` is its largest ratio to the bias of the steps.
    """
    is_known = not np.isnan(influences.bias_of_values).all()
    if not influences.is_mean or is_known or np.all(influences.units.is_one_cluster):
        return False
    variance = variance_of_score(
        influences.score_influence, influences.n_effective, influences.score
    )
    largest_bias = largest_ratio * influences.average(step_bias)
    may_be_noticeable = largest_bias > NOTICEABLE_BIAS * np.sqrt(variance)
    return bool(np.count_nonzero(influences.is_defined) > 1 and may_be_noticeable)


def _bias_of_rows(definition: Definition, units: RowUnits, counts: ThresholdCounts) -> Float:
    """Return the bias of each value, if each row is sampled by itself.

    With weights, it is the bias where most rows of a class have its typical weight.
    """
    if units.rankings.weight is None:
        return jackknife_bias(definition, counts)
    negative_weight = np.where(counts.n_negatives > 0, units.weights.negative, 1.0)
    positive_weight = np.asarray(units.weights.positive)
    with np.errstate(over="ignore", invalid="ignore"):  # weights may span 600 orders of magnitude
        divisor = counts.each(positive_weight)
        relative_counts = replace(
            counts,
            gained=counts.gained / divisor,
            tps=counts.tps / divisor,
            fps=counts.fps / divisor,
            fps_above=counts.fps_above / divisor,
            n_positives=counts.n_positives / positive_weight,
            n_negatives=counts.n_negatives / positive_weight,
        )
        bias = jackknife_bias(definition, relative_counts, negative_weight / positive_weight)
    return np.where(np.isfinite(bias), bias, np.nan)


def _sum_units(
    units: RowUnits, influence: Influence, items: SortedItems, model: Rankings
) -> _UnitSums:
    """Return the influence of each unit on each value, and the effective sizes of clusters."""
    item_influence = items.item_values(
        influence.positive, influence.tied, influence.between, influence.below
    )
    if item_influence.size < model.score.size:  # the model did not retrieve all of them
        retrieved_influence = item_influence
        ranking = model.ranking_of_items
        below = np.asarray(influence.below)
        item_influence = np.where(model.positive, influence.unscored[ranking], below[ranking])
        item_influence[model.is_retrieved] = retrieved_influence
    unit_influence = units.add_up(item_influence, influence.unscored)
    n_scored_units = unit_influence.shape[-1] - units.n_unscored.size
    n_values = unit_influence[..., :n_scored_units].size
    if model.clusters is None or n_values == units.rows.n_values:
        return _UnitSums(unit_influence, effective_sizes=None)
    effective_sizes = units.effective_sizes(item_influence, influence.unscored)
    return _UnitSums(unit_influence, effective_sizes)


def definition_influence(definition: Definition, counts: ThresholdCounts) -> tuple[Influence, bool]:
    """Return the influence of rows on a definition, and whether it has one.

    If it has none, the influence on step average precision is returned: equation 2.
    """
    own_influence = definition.influence(counts)
    step = at_prevalence(Step(), definition.prevalence)
    influence = own_influence or cast(Influence, step.influence(counts))
    # The influence on undefined values is nan.
    unscored = np.where(np.isnan(influence.unscored), 0.0, influence.unscored)
    below = influence.below + np.zeros(unscored.shape)
    return replace(influence, unscored=unscored, below=below), own_influence is not None


def _sum_by_cluster(query_values: Float, clusters: Index | None) -> Float:
    """Add up the values of the queries of each cluster."""
    if clusters is None:
        return query_values
    return np.bincount(clusters, query_values).astype(np.float64)
