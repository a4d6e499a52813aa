"""Rankings whose rows, or clusters of rows, are drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs import Average, Rankings
from sklearn_ap._scoring import average_rankings, values_of
from sklearn_ap._uncertainty.limits import EQUAL
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.replicates import Replicates, replicate_counts, replicate_rows
from sklearn_ap._uncertainty.row_influences import (
    Units,
    as_positives,
    influences_of_counts,
    influences_of_rows,
    scale_weights,
    units_of,
)
from sklearn_ap._uncertainty.uncertainty_warnings import PERFECT, few_cases, many_small_columns
from sklearn_ap._uncertainty.variances import (
    ONE_UNIT,
    Influences,
    ScoreVariance,
    Variance,
    share_variance,
    without_rounding,
)
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.counts._counting import with_known_positives
from sklearn_ap.counts._placed_items import place_items
from sklearn_ap.counts._threads import map_threads, n_threads
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence

Float = NDArray[np.float64]

FEW_DEGREES = 4  # of freedom of the variance of a difference


@dataclass(frozen=True, eq=False)
class SampledRows:
    """The values of the rankings of one model, and how much each unit moves them.

    ``plain_counts`` are those of rows without weights and clusters, otherwise None.
    """

    definition: Definition
    plain_counts: ThresholdCounts | None
    values: Float
    is_defined: NDArray[np.bool_]
    average: Average
    ranking_weights: Float  # the positives of each ranking, where they are the weights
    n_positives: Float  # the effective number in each ranking
    moved_by: Influences | Replicates
    n_clusters: int | None = None

    @property
    def method(self) -> str:
        """Where the variance comes from."""
        return "influence" if isinstance(self.moved_by, Influences) else "resampling"

    @property
    def is_one_number(self) -> bool:
        """Whether there is one score; otherwise each ranking has its own."""
        return self.average is not None

    @property
    def is_mean(self) -> bool:
        """Whether the values of several rankings become one."""
        return self.is_one_number and self.values.size > 1

    @cached_property
    def score(self) -> Float:
        """The values, or their average in an array."""
        if not self.is_mean:
            return self.values
        weights = self.ranking_weights if self.average == "weighted" else None
        return np.array([average_rankings(self.values, weights)])

    @property
    def is_undefined(self) -> NDArray[np.bool_]:
        """Whether each score lacks positives."""
        return ~np.any(self.is_defined, keepdims=True) if self.is_mean else ~self.is_defined

    @property
    def bias(self) -> Float:
        """How much higher each score is expected to be than that of the population, or nan."""
        if self.plain_counts is None:
            return np.full_like(self.score, np.nan)
        bias = self.definition.bias(self.plain_counts)
        if not self.is_mean:
            return bias
        return np.array([self._shares @ np.where(self._shares > 0, bias, 0.0)])

    @cached_property
    def variance(self) -> ScoreVariance:
        """How much each score varies, drawn towards the variance of a share."""
        if self.n_clusters == 1:
            return ONE_UNIT
        found = self._shown_by(self.moved_by)
        one_case = share_variance(self.score)
        if isinstance(self.moved_by, Replicates):
            # The score can be 1 where its replicates are not.
            middle = self.moved_by.mean()
            middle = np.atleast_1d(self._shares @ middle) if self.is_mean else middle
            one_case = np.maximum(one_case, share_variance(middle))
        enlarged, *parts = found.shrunk(np.maximum(share_variance(self.values), one_case))
        varies = self._of_score(found, enlarged, found.cases - 1, *parts)
        return varies._replace(case_variance=one_case)

    def variance_of_difference(self, reference: Any) -> ScoreVariance:
        """How much each difference from the score of another model varies."""
        if self.n_clusters == 1:
            return ONE_UNIT
        found = self._shown_by(self.moved_by.minus(reference.moved_by), reference)
        degrees = np.minimum(found.degrees_of_freedom + 4, found.cases - 1)
        few = (found.degrees_of_freedom < FEW_DEGREES) & (found.variance > 0) & self.is_defined
        varies = self._of_score(found, found.with_hidden_difference(), degrees)
        return varies._replace(rests_on_few=bool(few.any()))

    @property
    def deviations(self) -> Float:
        """What each unit moves the score by, or how far off the score is in each replicate.

        The sum of the squares is the variance.
        """
        return self.moved_by.deviations_of_mean(self._shares, self._moves_by_positive)

    def cautions(self) -> list[str]:
        """What the score rests on, where that is little."""
        positives = self.n_positives[self.is_defined & (self.n_positives > 0)]
        where = ", in one ranking at least" if self.values.size > 1 else ""
        where += " (the effective number: unequal weights, clusters and heavy negatives lower it)"
        cautions = few_cases(positives.min(initial=np.inf), "positive", "positives", where)
        cautions += few_cases(self.n_clusters or np.inf, "cluster", "clusters")
        if self.is_mean:
            cautions += many_small_columns(positives)
        is_perfect = positives.size and np.any(self.values[self.is_defined] > 1 - EQUAL)
        if is_perfect and np.any(self.variance.standard_error == 0):
            cautions.append(PERFECT)
        return cautions

    def _shown_by(self, moved_by: Influences | Replicates, reference: Any = None) -> Variance:
        """The variance of each value as the sample shows it, and that of their average."""
        found, other = moved_by.variance(), self if reference is None else reference
        magnitude = np.maximum(np.abs(self.values), np.abs(other.values))
        variance = without_rounding(found.variance, found.cases, magnitude)
        degrees, of_mean = np.where(variance > 0, found.degrees_of_freedom, 0.0), None
        if self.is_mean:
            moves = self._moves_by_positive - (reference._moves_by_positive if reference else 0.0)
            deviations = moved_by.deviations_of_mean(self._shares, moves)
            of_mean = np.sum(deviations * deviations, keepdims=True)
            magnitude = np.maximum(np.abs(self.score), np.abs(other.score))
            of_mean = without_rounding(of_mean, found.cases.max(), magnitude)
        return found._replace(variance=variance, degrees_of_freedom=degrees, of_mean=of_mean)

    def _of_score(
        self,
        found: Variance,
        enlarged: Float,
        degrees_of_freedom: Float,
        *parts: Any,
    ) -> ScoreVariance:
        """From the variance of each value to that of the score."""
        if not self.is_mean:
            return ScoreVariance(np.sqrt(found.variance), enlarged, degrees_of_freedom)
        averaged = found.averaged(self._shares, enlarged, degrees_of_freedom, *parts)
        return ScoreVariance(np.sqrt(found.of_mean), *averaged)

    @cached_property
    def _shares(self) -> Float:
        """The weight of each ranking in the average; 0 for one without positives."""
        weights = self.ranking_weights if self.average == "weighted" else 1.0
        weights = np.where(np.isnan(self.values), 0.0, weights)
        return np.where(self.is_defined, weights / (weights.sum() or 1.0), 0.0)

    @property
    def _moves_by_positive(self) -> Float:
        """What one more positive of each ranking moves a weighted average by."""
        apart = np.where(self.is_defined, self.values - self.score, 0.0)
        return apart / (self.ranking_weights.sum() or 1.0)


def sample_counts(
    definition: Definition, counts: ThresholdCounts, average: Average, options: Options
) -> SampledRows:
    """The rows behind unweighted counts, each ranking by itself."""
    values, n_positives = values_of(definition, counts), counts.n_positives.astype(np.float64)
    effective = as_positives(definition, counts, n_positives, counts.n_negatives)
    influence, is_own = _influence_of(definition, counts)
    moved_by: Any = influences_of_counts(influence, definition, counts, effective)
    if not is_own:
        moved_by = replicate_counts(definition, counts, moved_by, options)
    is_defined = ~np.isnan(values)
    return SampledRows(
        definition, counts, values, is_defined, average, n_positives, effective, moved_by
    )


def sample_rows(
    definition: Definition, models: list[Rankings], options: Options
) -> list[SampledRows]:
    """The rows of each model, placed among its thresholds."""
    scaled, power = scale_weights(models)
    threads = n_threads(len(models) * models[0].score.size)
    retrieved = [model.only_retrieved() for model in scaled]
    placed = [*map_threads(place_items, retrieved, threads)]
    counted = [*map(with_known_positives, (items.counts for items in placed), retrieved)]
    units = units_of(definition, scaled[0], counted[0])
    found = [_influence_of(definition, counts) for counts in counted]
    influences, is_own = zip(*found, strict=True)
    of_models = zip(influences, counted, placed, scaled, strict=True)
    moved = map_threads(
        lambda of_model: influences_of_rows(definition, units, *of_model), of_models, threads
    )
    moved_by: list[Any] = [*moved]
    if not all(is_own):
        moved_by = replicate_rows(definition, models, counted, moved_by, units, power, options)
    samples = zip(models, counted, moved_by, strict=True)
    return [_sample(definition, *of_model, units) for of_model in samples]


def _influence_of(definition: Definition, counts: ThresholdCounts) -> tuple[Any, bool]:
    """The influence of rows on a definition, or else on the step average precision; and which."""
    own = definition.influence(counts)
    if own is not None:
        return own, True
    return at_prevalence(Step(), definition.prevalence).influence(counts), False


def _sample(
    definition: Definition,
    model: Rankings,
    counts: ThresholdCounts,
    moved_by: Influences | Replicates,
    units: Units,
) -> SampledRows:
    """The values of one model, and how much each unit moves them."""
    of_user = counts
    if definition.depth is not None:  # k counts weight, so the weights are those of the user
        of_user = count(model.only_retrieved(), definition.depth)
    values = values_of(definition, of_user)
    return SampledRows(
        definition,
        counts if model.weight is None and units.are_rows else None,
        values,
        ~np.isnan(values),
        model.average,
        ranking_weights=counts.n_positives,
        n_positives=units.n_positives,
        moved_by=moved_by,
        n_clusters=units.n_clusters,
    )
