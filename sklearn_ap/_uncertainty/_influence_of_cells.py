"""The influence of weighted rows, or of clusters, from sums over the cells of counts.

Equations are those of ``docs/methods.md``.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.tuned_constants import ENOUGH_CLUSTERS, LARGE_CLUSTER_SHARE
from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._counts.blocks import CellSums, ClusterSums, influence_table
from sklearn_ap._counts.thresholds import ThresholdCounts, positive_shares
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty._effective_positives import effective_positives
from sklearn_ap._uncertainty._hidden_rows import hidden_rows
from sklearn_ap._uncertainty.influence import (
    Fill,
    RowInfluences,
    bias_of_weights,
    definition_influence,
)
from sklearn_ap._uncertainty.sampling_units import (
    EffectiveSizes,
    PositiveCounts,
    RowWeights,
    SamplingUnits,
    design_effect,
    limited_positives,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._influence import Influence

# Sums beyond these may contain fourth powers that vanish or overflow: doubles end at 1e308.
SMALLEST_FOURTH_POWERS = 1e-280
LARGEST_FOURTH_POWERS = 1e280


def influences_of_cells(
    definition: Definition, counts: ThresholdCounts, sums: CellSums, fill: Fill
) -> RowInfluences:
    """Return the influences that ``influences_of_rows`` gives for the rows of one ranking.

    The two agree to rounding.
    """
    _refuse_unusable_sums(definition, sums)
    influence = _require_influence(definition, counts)
    cell_influence = influence_table(influence)
    clusters = sums.clusters
    positive, negative = _sampled_classes(counts, sums)
    n_kish = positive.n_effective_units
    n_effective = limited_positives(definition, counts, n_kish, negative.n_effective_rows)
    positives = PositiveCounts(n_effective, n_kish, n_counted=positive.n_rows)
    support = effective_positives(
        definition,
        counts,
        positives,
        negative_weight=negative.row_weight,
        n_positive_rows=positive.n_effective_rows,
    )
    evenness = float(positive.evenness[0] * negative.evenness[0])
    weights = RowWeights(positive.row_weight, negative.row_weight, evenness)
    values = values_of(definition, counts)
    bias = np.full(1, np.nan)  # clusters are enough here, so that none is needed
    if clusters is None:
        bias = bias_of_weights(definition, counts, positive.row_weight, negative.row_weight)
    influences = RowInfluences(
        values=fill(values),
        is_defined=~np.isnan(values),
        units=SamplingUnits(n_units=sums.n_rows.sum(), n_unscored=np.zeros(1), ranking=None),
        positives=positives,
        positive_shares=positive_shares(counts),
        support=support,
        hidden=hidden_rows(definition, counts, influence, weights, support.rows_in_unit),
        is_single_score=True,
        # The rows of a cell have one influence value, times their weights.
        unit_influence=cell_influence.reshape(1, -1),
        multiplicity=sums.squares.ravel(),
        fourth_powers=sums.fourths.ravel(),
        bias_of_values=bias,
    )
    if clusters is None:
        return influences
    sizes = _effective_sizes(clusters, sums, cell_influence, positive, negative)
    _refuse_few_or_large_clusters(clusters, sizes, positive, negative)
    return _replace_units(influences, clusters, sizes)


class _SampledClass(NamedTuple):
    """The positives, or the negatives, of one ranking: arrays of one number."""

    n_rows: Float
    total: Float  # the sum of the weights
    row_weight: Float  # the typical weight of a row
    unit_weight: Float  # the typical weight of a sampling unit

    @property
    def n_effective_rows(self) -> Float:
        """The effective number of rows (Kish 1965)."""
        return self.total / self.row_weight

    @property
    def n_effective_units(self) -> Float:
        """The effective number of sampling units (Kish 1965)."""
        return self.total / self.unit_weight

    @property
    def evenness(self) -> Float:
        """The effective number of rows over their number; 1 without rows."""
        return np.where(self.total > 0, self.n_effective_rows / np.maximum(self.n_rows, 1), 1.0)


def _sampled_classes(
    counts: ThresholdCounts, sums: CellSums
) -> tuple[_SampledClass, _SampledClass]:
    """Return the positives and the negatives."""
    positive_squares, negative_squares = sums.squares.sum(axis=1, keepdims=True)
    n_positive_rows, n_negative_rows = sums.n_rows[:, None].astype(np.float64)
    clusters = sums.clusters
    return (
        _sampled_class(
            n_positive_rows,
            counts.n_positives,
            positive_squares,
            positive_squares if clusters is None else _square_sum(clusters.positives),
        ),
        _sampled_class(
            n_negative_rows,
            counts.n_negatives,
            negative_squares,
            negative_squares if clusters is None else _square_sum(clusters.negatives),
        ),
    )


def _square_sum(weights: Float) -> Float:
    return np.array([weights @ weights])


def _sampled_class(
    n_rows: Float, total: Array, row_squares: Float, unit_squares: Float
) -> _SampledClass:
    """Return a class, from the sums of the squared weights of its rows and of its units."""
    total = total.astype(np.float64)
    divisor = np.where(total > 0, total, 1.0)
    return _SampledClass(
        n_rows,
        total,
        row_weight=np.where(total > 0, row_squares / divisor, 1.0),
        unit_weight=np.where(total > 0, unit_squares / divisor, 1.0),
    )


def _replace_units(
    influences: RowInfluences, clusters: ClusterSums, sizes: EffectiveSizes
) -> RowInfluences:
    """Replace rows by clusters as the sampling units."""
    n_clusters = clusters.influence.size
    units = SamplingUnits(
        n_units=n_clusters,
        n_unscored=np.zeros(1),
        ranking=None,
        is_one_cluster=n_clusters == 1,
    )
    return replace(
        influences,
        units=units,
        unit_influence=clusters.influence[None],
        multiplicity=np.ones(1),
        fourth_powers=None,
        effective_sizes=sizes,
    )


def _refuse_unusable_sums(definition: Definition, sums: CellSums) -> None:
    fourths = sums.fourths.sum()
    clusters = sums.clusters
    if not SMALLEST_FOURTH_POWERS < fourths < LARGEST_FOURTH_POWERS:
        raise ValueError(
            f"The fourth powers of sample_weight add up to {fourths:g}, which is rounded: multiply "
            f"all weights by one number, so that most are near 1."
        )
    if clusters is not None and definition.prevalence is not None:
        raise ValueError(
            "prevalence does not go with counts that have clusters: what was added up for each "
            "is at the prevalence of the sample. Pass a sample of the rows of each cluster to "
            "average_precision_interval."
        )
    if clusters is not None and clusters.definition != definition:
        raise ValueError(
            f"The clusters of these counts were added up for {clusters.definition!r}, not for "
            f"{definition!r}: pass definition={definition!r} where they are counted."
        )


def _require_influence(definition: Definition, counts: ThresholdCounts) -> Influence:
    influence, has_influence = definition_influence(definition, counts)
    if not has_influence:
        raise ValueError(
            f"{definition!r} has no influence, so its interval resamples rows, and counts with "
            f"weights or clusters do not hold them. Pass the rows to average_precision_interval."
        )
    return influence


def _effective_sizes(
    clusters: ClusterSums,
    sums: CellSums,
    cell_influence: Float,
    positive: _SampledClass,
    negative: _SampledClass,
) -> EffectiveSizes:
    """Return the sizes that ``RowUnits.effective_sizes`` gives, for clusters of counts.

    Equation 11: the design effect.
    """
    # Sums of squares over the rows of each class: positives, negatives
    row_squares = (cell_influence**2 * sums.squares).sum(axis=1)
    cluster_influence = clusters.influence
    negative_influence = clusters.negative_influence
    negatives_effect = design_effect(negative_influence @ negative_influence, row_squares[1])
    n_precise = float(positive.n_effective_rows[0]) / float(negatives_effect)
    n_clusters = min(
        float(sampled.n_effective_units[0]) for sampled in (positive, negative) if sampled.total > 0
    )
    effect = design_effect(cluster_influence @ cluster_influence, row_squares.sum())
    return EffectiveSizes(
        design_effect=np.array([effect]),
        n_independent=np.array([min(n_precise, n_clusters)]),
        n_clusters=np.array([n_clusters]),
    )


def _refuse_few_or_large_clusters(
    clusters: ClusterSums, sizes: EffectiveSizes, positive: _SampledClass, negative: _SampledClass
) -> None:
    """Refuse clusters that ``Jackknife`` would leave out one by one, as it needs their rows."""
    n_independent = float(sizes.n_independent[0])
    largest_share = max(
        clusters.positives.max(initial=0.0) / max(float(positive.total[0]), TINY),
        clusters.negatives.max(initial=0.0) / max(float(negative.total[0]), TINY),
    )
    is_refused = n_independent < ENOUGH_CLUSTERS or largest_share > LARGE_CLUSTER_SHARE
    if clusters.influence.size > 1 and is_refused:
        raise ValueError(
            f"An interval from counts needs {ENOUGH_CLUSTERS} effective clusters, and none with "
            f"more than {LARGE_CLUSTER_SHARE:.0%} of the positives or negatives; here are "
            f"{n_independent:.0f}, and one has {largest_share:.1%}. Pass a sample of the rows of "
            f"each cluster to average_precision_interval, which leaves clusters out one by one."
        )
