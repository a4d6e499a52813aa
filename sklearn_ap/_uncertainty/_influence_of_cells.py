"""The influence of rows with weights, or of clusters, from what counts of any size add up."""

from dataclasses import replace

import numpy as np

from sklearn_ap._base.common.tuned_constants import ENOUGH_CLUSTERS, LARGE_CLUSTER_SHARE
from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._counts.blocks import CellSums, ClusterSums, influence_table
from sklearn_ap._counts.thresholds import ThresholdCounts
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
    Positives,
    RowWeights,
    SamplingUnits,
    design_effect,
    limited_positives,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._influence import Influence

# Fourth powers of smaller or larger weights may vanish or be infinite: doubles end at 1e308.
SMALLEST_FOURTH_POWERS = 1e-280
LARGEST_FOURTH_POWERS = 1e280


def influences_of_cells(
    definition: Definition, counts: ThresholdCounts, sums: CellSums, fill: Fill
) -> RowInfluences:
    """Give what ``influences_of_rows`` gives for the rows of one ranking, to rounding.

    Arrays of two numbers here are of positives and of negatives.
    """
    _check(definition, sums)
    influence = _own_influence(definition, counts)
    cell_influence = influence_table(influence)
    clusters = sums.clusters
    totals = np.array([counts.n_positives[0], counts.n_negatives[0]], dtype=np.float64)
    row_weights = _typical_weights(sums.squares.sum(axis=1), totals)
    n_positive_rows, n_negative_rows = np.split(totals / row_weights, 2)
    unit_weights = _unit_weights(clusters, row_weights, totals)
    n_unlimited = totals[:1] / unit_weights[:1]
    n_effective = limited_positives(definition, counts, n_unlimited, n_negative_rows)
    positives = Positives(n_effective, n_unlimited, sums.n_rows[:1].astype(np.float64))
    support = effective_positives(
        definition, counts, positives, row_weights[1:], n_positive_rows=n_positive_rows
    )
    n_rows = np.maximum(sums.n_rows, 1)
    evenness = float(np.prod(totals / row_weights / n_rows, where=totals > 0))
    weights = RowWeights(row_weights[:1], row_weights[1:], evenness)
    values = values_of(definition, counts)
    bias = np.full(1, np.nan)  # with clusters, there are many, and their bias is not looked for
    if clusters is None:
        bias = bias_of_weights(definition, counts, row_weights[:1], row_weights[1:])
    influences = RowInfluences(
        values=fill(values),
        is_defined=~np.isnan(values),
        units=SamplingUnits(sums.n_rows.sum(), np.zeros(1), None),
        positives=positives,
        support=support,
        hidden=hidden_rows(definition, counts, influence, weights, support.rows_in_unit),
        is_single_score=True,
        # Rows of one place have one influence value, times their weights.
        unit_influence=cell_influence.reshape(1, -1),
        multiplicity=sums.squares.ravel(),
        fourth_powers=sums.fourths.ravel(),
        bias_of_values=bias,
    )
    if clusters is None:
        return influences
    sizes = _effective_sizes(clusters, sums, cell_influence, totals, unit_weights, n_positive_rows)
    return _replace_units(influences, clusters, sizes)


def _replace_units(
    influences: RowInfluences, clusters: ClusterSums, sizes: EffectiveSizes
) -> RowInfluences:
    """Take clusters as the sampling units, in place of rows."""
    n_clusters = clusters.influence.size
    return replace(
        influences,
        units=SamplingUnits(n_clusters, np.zeros(1), None, are_one_cluster=n_clusters == 1),
        unit_influence=clusters.influence[None],
        multiplicity=np.ones(1),
        fourth_powers=None,
        effective_sizes=sizes,
    )


def _check(definition: Definition, sums: CellSums) -> None:
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


def _own_influence(definition: Definition, counts: ThresholdCounts) -> Influence:
    influence, has_influence = definition_influence(definition, counts)
    if not has_influence:
        raise ValueError(
            f"{definition!r} has no influence, so its interval resamples rows, and counts with "
            f"weights or clusters do not hold them. Pass the rows to average_precision_interval."
        )
    return influence


def _typical_weights(squares: Float, totals: Float) -> Float:
    """Give the sum of squared weights over that of the weights; 1 for a class without rows."""
    return np.where(totals > 0, squares / np.where(totals > 0, totals, 1.0), 1.0)


def _unit_weights(clusters: ClusterSums | None, row_weights: Float, totals: Float) -> Float:
    """Give the typical weight of a sampling unit of each class."""
    if clusters is None:
        return row_weights
    positive_squares = clusters.positives @ clusters.positives
    negative_squares = clusters.negatives @ clusters.negatives
    return _typical_weights(np.array([positive_squares, negative_squares]), totals)


def _effective_sizes(
    clusters: ClusterSums,
    sums: CellSums,
    cell_influence: Float,
    totals: Float,
    unit_weights: Float,
    n_positive_rows: Float,
) -> EffectiveSizes:
    """Give what ``RowUnits.effective_sizes`` gives, where no cluster is so large as to be left out.

    Equation 11: the design effect.
    """
    row_squares = (cell_influence**2 * sums.squares).sum(axis=1)  # of positives, of negatives
    cluster_influence = clusters.influence
    negative_influence = clusters.negative_influence
    negatives_effect = design_effect(negative_influence @ negative_influence, row_squares[1])
    n_by_negatives = float(n_positive_rows[0]) / float(negatives_effect)
    n_clusters = totals[totals > 0] / unit_weights[totals > 0]
    n_independent = min(n_by_negatives, *n_clusters)
    largest_share = max(
        clusters.positives.max(initial=0.0) / max(totals[0], TINY),
        clusters.negatives.max(initial=0.0) / max(totals[1], TINY),
    )
    is_refused = n_independent < ENOUGH_CLUSTERS or largest_share > LARGE_CLUSTER_SHARE
    if cluster_influence.size > 1 and is_refused:
        raise ValueError(
            f"An interval from counts needs {ENOUGH_CLUSTERS} effective clusters, and none with "
            f"more than {LARGE_CLUSTER_SHARE:.0%} of the positives or negatives; here are "
            f"{n_independent:.0f}, and one has {largest_share:.1%}. Pass a sample of the rows of "
            f"each cluster to average_precision_interval, which leaves clusters out one by one."
        )
    effect = design_effect(cluster_influence @ cluster_influence, row_squares.sum())
    return EffectiveSizes(
        design_effect=np.array([effect]),
        n_independent=np.array([n_independent]),
        n_clusters=np.array([min(n_clusters)]),
    )
