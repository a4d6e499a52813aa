"""The variance that a sample shows, from influence values, as records of ``shrinkage``.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.former._resampling import Replicates
from sklearn_ap._uncertainty.former._sampling_units import EffectiveSizes, RowUnits, design_effect
from sklearn_ap._uncertainty.former.influence import InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.former.shrinkage import (
    DifferenceSample,
    MeanSample,
    QuerySample,
    ScoreSample,
    drop_rounding,
    small_sample_factor,
    sums_of_squares,
    variance_of_score,
    variance_of_share,
)


class _ValueVariances(NamedTuple):
    """The variance of each value as the sample shows it, and the sizes it rests on."""

    variance: Float  # V
    degrees_of_freedom: Float  # nu
    n_effective: Float  # N_e


def sample_of_scores(influences: InfluenceValues) -> QuerySample | ScoreSample:
    """Return the variance that a sample shows of each score, with its degrees of freedom."""
    if isinstance(influences, QueryInfluences):
        score = influences.score
        binomial_variance = variance_of_share(score)
        return _query_sample(influences, influences.score_influence, score, binomial_variance)
    variances = _value_variances(influences)
    binomial_variance, binomial_variances = _binomial_variances(influences)
    sizes = influences.effective_sizes
    support = influences.support
    bias = influences.bias_of_values
    mean_sample = None
    if influences.is_mean:
        mean_sample = _mean_sample(influences, influences.score_influence, influences.score)
        bias = influences.average(bias)
    return ScoreSample(
        variance=variances.variance,
        degrees_of_freedom=variances.degrees_of_freedom,
        n_effective=variances.n_effective,
        bias=bias,
        is_one_cluster=influences.units.is_one_cluster,
        mean_sample=mean_sample,
        values=influences.values,
        binomial_variance=binomial_variance,
        binomial_variances=binomial_variances,
        n_kish=support.n_kish,
        false_positive_cost=support.false_positive_cost,
        # If all columns lack such rows, all are too high or all too low, which a mean keeps.
        hidden=None if influences.is_mean else influences.hidden,
        n_positive_rows=None if sizes is None else support.n_positive_rows / sizes.design_effect,
    )


def sample_of_difference(
    influences: InfluenceValues, reference: InfluenceValues, bias: FloatOrArray
) -> QuerySample | DifferenceSample:
    """Return the variance that a sample shows of each difference from the score of a reference.

    ``bias`` is the bias of the differences. Only means use it, as they vary little.
    """
    magnitude = np.maximum(influences.score, reference.score)
    if isinstance(influences, QueryInfluences):
        # If all queries differ alike, the variance is 1 / n^2: one query that differs by 1.
        one_query = 1 / np.maximum(influences.n_effective, 1.0)
        influence = influences.score_influence - reference.score_influence
        return _query_sample(influences, influence, magnitude, one_query)
    reference = cast(RowInfluences, reference)
    mean_sample = None
    if influences.is_mean:
        influence = influences.score_influence - reference.score_influence
        mean_sample = _mean_sample(influences, influence, magnitude)
    variances = _value_variances(influences, reference)
    sample = DifferenceSample(
        variance=variances.variance,
        degrees_of_freedom=variances.degrees_of_freedom,
        n_effective=variances.n_effective,
        bias=bias,
        is_one_cluster=influences.units.is_one_cluster,
        mean_sample=mean_sample,
    )
    sizes = influences.effective_sizes
    reference_sizes = reference.effective_sizes
    if sizes is None or reference_sizes is None:
        return sample
    return _add_clusters(sample, influences, reference, sizes, reference_sizes)


def _mean_sample(influences: RowInfluences, influence: Float, magnitude: Float) -> MeanSample:
    """Return the variance of an average as the sample shows it, and its degrees of freedom.

    Few rows may determine all columns, so these degrees of freedom may be fewer than any column's.
    """
    n_unscored = influences.units.n_unscored
    variance = variance_of_score(influence, influences.n_effective, magnitude)
    if influences.replicates is not None:  # ``influence`` has one deviation a replicate
        return MeanSample(variance, np.full(1, np.inf), influences.shares)
    n_units = influence.size - n_unscored.size + n_unscored.sum()
    _, degrees = sums_of_squares(influence[None], np.ones(1), n_units=n_units)
    return MeanSample(variance, np.where(variance > 0, degrees, np.inf), influences.shares)


def _binomial_variances(influences: RowInfluences) -> tuple[Float, Float]:
    """Return the variance A (1 - A) of a proportion for the score, and for each value.

    The variance of a value is at least the variance of the score.
    """
    score_variance = variance_of_share(influences.score)
    if influences.replicates is not None:  # the score can be 1, and the mean of replicates not
        values = np.ma.masked_invalid(influences.replicates.values)
        replicate_mean = values.mean(axis=0).filled(0.0)
        if influences.is_mean:
            replicate_mean = np.atleast_1d(influences.shares @ replicate_mean)
        score_variance = np.maximum(score_variance, variance_of_share(replicate_mean))
    return score_variance, np.maximum(variance_of_share(influences.values), score_variance)


def _add_clusters(
    sample: DifferenceSample,
    influences: RowInfluences,
    reference: RowInfluences,
    sizes: EffectiveSizes,
    reference_sizes: EffectiveSizes,
) -> DifferenceSample:
    """Add the effective number of rows of clusters, and the design effect of the difference.

    Replicates have no rows, so their design effect is taken from step average precision.
    """
    n_clusters = np.minimum(influences.support.n_kish, reference.support.n_kish)
    n_rows = np.minimum(influences.support.n_positive_rows, reference.support.n_positive_rows)
    rows_in_cluster = np.maximum(n_rows / np.maximum(n_clusters, 1.0), 1.0)
    n_positive_rows = np.maximum(sample.n_effective, 1.0) * rows_in_cluster  # R
    units = cast(RowUnits, influences.units)
    n_unscored = units.n_unscored
    row_ranking = units.rows.ranking
    if row_ranking is not None:
        row_ranking = np.append(row_ranking, np.arange(n_unscored.size))
    row_influence = sizes.row_influence - reference_sizes.row_influence
    row_variance, _ = sums_of_squares(
        row_influence,
        small_sample_factor(n_positive_rows),
        n_units=1.0,
        multiplicity=np.append(np.ones(row_influence.shape[-1] - n_unscored.size), n_unscored),
        ranking=row_ranking,
    )
    cluster_variance = sample.variance
    if influences.replicates is not None:
        unit_influence = influences.unit_influence - reference.unit_influence
        cluster_variance, _ = _influence_variances(influences, unit_influence, n_positive_rows)
    return replace(
        sample,
        n_positive_rows=n_positive_rows,
        design_effect=design_effect(cluster_variance, row_variance),
        rows_in_cluster=rows_in_cluster,
    )


def _query_sample(
    influences: QueryInfluences, influence: Float, magnitude: Float, binomial_variance: Float
) -> QuerySample:
    """Return the variance of a mean of queries, or of a difference, from the query influences."""
    return QuerySample(
        variance=variance_of_score(influence, influences.n_effective, magnitude),
        n_effective=influences.n_effective,
        n_with_positives=influences.n_with_positives,
        binomial_variance=binomial_variance,
        bias=influences.bias,
    )


def _value_variances(
    influences: RowInfluences, reference: RowInfluences | None = None
) -> _ValueVariances:
    """Return the sample variance of each value, or of its difference from a reference's value."""
    unit_influence = influences.unit_influence
    magnitude = influences.values
    n_effective = influences.n_effective
    replicates = influences.replicates
    values = None if replicates is None else replicates.values
    if reference is not None:
        unit_influence = unit_influence - reference.unit_influence
        magnitude = np.maximum(magnitude, reference.values)
        # The first k rows of the two models may come from different numbers of clusters.
        n_effective = np.minimum(n_effective, reference.n_effective)
        if values is not None:  # all models have replicates, or none has
            values = values - cast(Replicates, reference.replicates).values
    variance, degrees = _influence_variances(influences, unit_influence, n_effective)
    if values is not None:
        variance = np.ma.masked_invalid(values).var(axis=0, ddof=1).filled(0.0)
    variance = drop_rounding(variance, n_effective, magnitude)
    return _ValueVariances(variance, np.where(variance > 0, degrees, 0.0), n_effective)


def _influence_variances(
    influences: RowInfluences, unit_influence: Float, n_effective: Float
) -> tuple[Float, Float]:
    """Return the variance of each value and its degrees of freedom.

    Equation B1. ``unit_influence`` is laid out as the influence values of ``influences`` are.
    """
    return sums_of_squares(
        unit_influence,
        small_sample_factor(n_effective),
        n_units=influences.units.n_units,
        multiplicity=influences.multiplicity,
        ranking=influences.units.ranking,
    )
