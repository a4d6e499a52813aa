"""What a sample shows of a variance, from influence values, as records of ``shrinkage``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.sampling_units import RowUnits, design_effect
from sklearn_ap._uncertainty.shrinkage import (
    DifferenceSample,
    MeanSample,
    QuerySample,
    ScoreSample,
    small_sample_factor,
    sums_of_squares,
    variance_of_score,
    variance_of_share,
    without_rounding,
)


def sample_of_scores(influences: InfluenceValues) -> QuerySample | ScoreSample:
    """What a sample shows of how much each score varies."""
    if isinstance(influences, QueryInfluences):
        score = influences.score
        return _of_queries(influences, influences.of_score, score, variance_of_share(score))
    binomial_variance, binomial_variances = _binomial_variances(influences)
    sizes, bias, of_mean = influences.effective_sizes, influences.bias_of_values, None
    if influences.is_mean:
        of_mean = _of_mean(influences, influences.of_score, influences.score)
        bias = influences.mean_of(bias)
    return ScoreSample(
        *_variances(influences),
        bias=bias,
        is_one_cluster=influences.units.are_one_cluster,
        of_mean=of_mean,
        values=influences.values,
        binomial_variance=binomial_variance,
        binomial_variances=binomial_variances,
        n_unlimited=influences.rests_on.n_unlimited,
        false_positive_cost=influences.rests_on.false_positive_cost,
        # Columns that all lack such rows are all too high or too low, so their mean keeps more.
        hidden=None if influences.is_mean else influences.hidden,
        n_by_rows=None if sizes is None else influences.rests_on.n_by_rows / sizes.design_effect,
    )


def sample_of_difference(
    influences: InfluenceValues, reference: InfluenceValues, bias: Any
) -> QuerySample | DifferenceSample:
    """What a sample shows of how much each difference from the score of another model varies.

    ``bias`` is that of the differences. It is used for means only, which vary little.
    """
    magnitude = np.maximum(influences.score, reference.score)
    if isinstance(influences, QueryInfluences):
        # If all queries differ alike, the variance is 1 / n^2: one query that differs by 1.
        of_one = 1 / np.maximum(influences.n_effective, 1.0)
        of_difference = influences.of_score - reference.of_score
        return _of_queries(influences, of_difference, magnitude, of_one)
    reference, of_mean = cast(RowInfluences, reference), None
    if influences.is_mean:
        of_mean = _of_mean(influences, influences.of_score - reference.of_score, magnitude)
    shown, is_one_cluster = _variances(influences, reference), influences.units.are_one_cluster
    sample = DifferenceSample(*shown, bias, is_one_cluster, of_mean)
    return _with_clusters(sample, influences, reference)


def variance_of_difference(influences: InfluenceValues, reference: InfluenceValues) -> Float:
    """The variance of each difference as the sample shows it."""
    sample = sample_of_difference(influences, reference, np.nan)
    of_mean = None if isinstance(sample, QuerySample) else sample.of_mean
    return sample.variance if of_mean is None else of_mean.variance


def _of_mean(influences: RowInfluences, influence: Float, magnitude: Float) -> MeanSample:
    """The variance of an average as the sample shows it, and its degrees of freedom.

    Few rows may determine all columns, which the degrees of freedom of each do not say.
    """
    n_effective, n_unscored = influences.n_effective, influences.units.n_unscored
    if influences.replicates is not None:  # these are no units
        variance = variance_of_score(influence, n_effective, magnitude)
        return MeanSample(variance, np.full(1, np.inf), influences.shares)
    n_units = influence.size - n_unscored.size + n_unscored.sum()
    variance_and_degrees = _variance_and_degrees(influence, n_effective, magnitude, n_units)
    return MeanSample(*variance_and_degrees, influences.shares)


def _variance_and_degrees(
    influence: Float, n_effective: Float, magnitude: Float, n_units: float
) -> tuple[Float, Float]:
    """The variance of one score as the sample shows it, and its degrees of freedom."""
    variance = variance_of_score(influence, n_effective, magnitude)
    _, degrees = sums_of_squares(influence[None], np.ones(1), n_units=n_units)
    return variance, np.where(variance > 0, degrees, np.inf)


def _binomial_variances(influences: RowInfluences) -> tuple[Float, Float]:
    """The variance of a proportion for the score, and at least as much for each value."""
    of_score = variance_of_share(influences.score)
    if influences.replicates is not None:  # the score can be 1, and the mean of replicates not
        middle = np.ma.masked_invalid(influences.replicates.values).mean(axis=0).filled(0.0)
        middle = np.atleast_1d(influences.shares @ middle) if influences.is_mean else middle
        of_score = np.maximum(of_score, variance_of_share(middle))
    return of_score, np.maximum(variance_of_share(influences.values), of_score)


def _with_clusters(
    sample: DifferenceSample, influences: RowInfluences, reference: RowInfluences
) -> DifferenceSample:
    """With clusters of several rows: the effective number of rows, and the design effect.

    Replicates have no rows. Their design effect is that of the step average precision.
    """
    sizes, of_reference = influences.effective_sizes, reference.effective_sizes
    if sizes is None or of_reference is None:
        return sample
    units = cast(RowUnits, influences.units)
    one, other = influences.rests_on, reference.rests_on
    n_clusters = np.maximum(np.minimum(one.n_unlimited, other.n_unlimited), 1.0)
    in_each = np.maximum(np.minimum(one.n_by_rows, other.n_by_rows) / n_clusters, 1.0)
    n_by_rows = np.maximum(sample.n_effective, 1.0) * in_each
    n_unscored, ranking = units.n_unscored, units.rows.ranking
    by_row = sizes.by_row - of_reference.by_row
    of_rows, _ = sums_of_squares(
        by_row,
        small_sample_factor(n_by_rows),
        n_units=1.0,
        multiplicity=np.append(np.ones(by_row.shape[-1] - n_unscored.size), n_unscored),
        ranking=None if ranking is None else np.append(ranking, np.arange(n_unscored.size)),
    )
    of_clusters = sample.variance
    if influences.replicates is not None:
        by_unit = influences.by_unit - reference.by_unit
        of_clusters, _ = _of_influences(influences, by_unit, n_by_rows)
    effect = design_effect(of_clusters, of_rows)
    return replace(sample, n_by_rows=n_by_rows, design_effect=effect, rows_in_cluster=in_each)


def _of_queries(
    influences: QueryInfluences, influence: Float, magnitude: Float, binomial_variance: Float
) -> QuerySample:
    """What queries show of their mean, or of a difference, from the influence of each query."""
    n_effective, with_positives = influences.n_effective, influences.n_with_positives
    variance = variance_of_score(influence, n_effective, magnitude)
    return QuerySample(variance, n_effective, with_positives, binomial_variance, influences.bias)


def _variances(
    influences: RowInfluences, reference: RowInfluences | None = None
) -> tuple[Float, Float, Float]:
    """The variance of each value, its degrees of freedom, and the effective number of positives.

    With a reference, they are those of the difference from its values.
    """
    by_unit, replicates, magnitude = influences.by_unit, influences.replicates, influences.values
    values: Any = None if replicates is None else replicates.values
    n_effective = influences.n_effective
    if reference is not None:
        by_unit, magnitude = by_unit - reference.by_unit, np.maximum(magnitude, reference.values)
        # The first ranks of two models may be in more or fewer clusters.
        n_effective = np.minimum(n_effective, reference.n_effective)
        if reference.replicates is not None:  # all models have some, or none has
            values = values - reference.replicates.values
    variance, degrees = _of_influences(influences, by_unit, n_effective)
    if values is not None:
        variance = np.ma.masked_invalid(values).var(axis=0, ddof=1).filled(0.0)
    variance = without_rounding(variance, n_effective, magnitude)
    return variance, np.where(variance > 0, degrees, 0.0), n_effective


def _of_influences(
    influences: RowInfluences, by_unit: Float, n_effective: Float
) -> tuple[Float, Float]:
    """The variance of each value, and its degrees of freedom, by influence values laid out so."""
    return sums_of_squares(
        by_unit,
        small_sample_factor(n_effective),
        n_units=influences.units.n_units,
        multiplicity=influences.multiplicity,
        ranking=influences.units.ranking,
        of_fourths=influences.of_fourths,
    )
