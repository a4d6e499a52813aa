"""The influence of rows with weights, or of clusters, from what counts of any size add up."""

from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._counts.blocks import CellSums, ClusterSums, influence_table
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty._groups_left_out import LARGE, MANY_CLUSTERS
from sklearn_ap._uncertainty._hidden_rows import hidden_rows
from sklearn_ap._uncertainty.influence import (
    Fill,
    RowInfluences,
    bias_of_weights,
    effective_positives,
    influence_of,
)
from sklearn_ap._uncertainty.sampling_units import (
    EffectiveSizes,
    Positives,
    RowWeights,
    SamplingUnits,
    as_positives,
    design_effect,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._influence import Influence

# Fourth powers of smaller or larger weights may vanish or be infinite: doubles end at 1e308.
SMALLEST, LARGEST = 1e-280, 1e280


def influences_of_cells(
    definition: Definition, counts: ThresholdCounts, sums: CellSums, fill: Fill
) -> RowInfluences:
    """What ``influences_of_rows`` gives for the rows of one ranking, to rounding."""
    _check(definition, sums)
    influence = _known_influence(definition, counts)
    clusters, of_cells = sums.clusters, influence_table(influence)
    totals = np.array([counts.n_positives[0], counts.n_negatives[0]], dtype=np.float64)
    typical = of_rows = _typical(sums.squares.sum(axis=1), totals)  # of positives, negatives
    if clusters is not None:
        squares = [of @ of for of in (clusters.positives, clusters.negatives)]
        typical = _typical(np.array(squares), totals)
    n_unlimited, n_negatives = totals[:1] / typical[:1], totals[1:] / of_rows[1:]
    n_effective = as_positives(definition, counts, n_unlimited, n_negatives)
    positives = Positives(n_effective, n_unlimited, sums.n_rows[:1].astype(np.float64))
    values = values_of(definition, counts)
    n_units: Any = sums.n_rows.sum() if clusters is None else clusters.influence.size
    is_one = clusters is not None and n_units == 1  # a row is no cluster, whatever it weighs
    sizes: EffectiveSizes | None = None
    fourths: Any = None
    if clusters is None:  # rows of one place have one influence value, times their weights
        by_unit, multiplicity, fourths = of_cells.reshape(1, -1), sums.squares, sums.fourths.ravel()
        bias = bias_of_weights(definition, counts, of_rows[:1], of_rows[1:])
    else:  # there are many, of which the bias is not looked for
        by_unit, multiplicity, bias = clusters.influence[None], np.ones(1), np.full(1, np.nan)
        n_rows = float(totals[0] / of_rows[0])
        sizes = _effective_sizes(clusters, sums, of_cells, totals, typical, n_rows)
    rests_on = effective_positives(
        definition, counts, positives, of_rows[1:], n_by_rows=totals[:1] / of_rows[:1]
    )
    evenness = np.prod(totals / of_rows / np.maximum(sums.n_rows, 1), where=totals > 0)
    weights = RowWeights(of_rows[:1], of_rows[1:], evenness)
    return RowInfluences(
        values=fill(values),
        is_defined=~np.isnan(values),
        units=SamplingUnits(n_units, np.zeros(1), None, are_one_cluster=is_one),
        positives=positives,
        rests_on=rests_on,
        hidden=hidden_rows(definition, counts, influence, weights, rests_on.rows_in_unit),
        is_one_number=True,
        by_unit=by_unit,
        multiplicity=multiplicity.ravel(),
        of_fourths=fourths,
        bias_of_values=bias,
        effective_sizes=sizes,
    )


def _check(definition: Definition, sums: CellSums) -> None:
    fourths, clusters = sums.fourths.sum(), sums.clusters
    if not SMALLEST < fourths < LARGEST:
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


def _known_influence(definition: Definition, counts: ThresholdCounts) -> Influence:
    influence, is_own = influence_of(definition, counts)
    if not is_own:
        raise ValueError(
            f"{definition!r} has no influence, so its interval resamples rows, and counts with "
            f"weights or clusters do not hold them. Pass the rows to average_precision_interval."
        )
    return influence


def _typical(squares: Float, totals: Float) -> Float:
    """The sum of squared weights over that of the weights; 1 for a class without rows."""
    return np.where(totals > 0, squares / np.where(totals > 0, totals, 1.0), 1.0)


def _effective_sizes(
    clusters: ClusterSums,
    sums: CellSums,
    of_cells: Float,
    totals: Float,
    typical: Float,
    n_rows: float,
) -> EffectiveSizes:
    """What ``RowUnits.effective_sizes`` gives, where no cluster is so large that it is left out."""
    of_rows = (of_cells**2 * sums.squares).sum(axis=1)
    by_cluster, negative_influence = clusters.influence, clusters.negative_influence
    by_negatives = n_rows / float(
        design_effect(negative_influence @ negative_influence, of_rows[1])
    )
    n_clusters = totals[totals > 0] / typical[totals > 0]
    n_independent = min(by_negatives, *n_clusters)
    pairs = zip((clusters.positives, clusters.negatives), totals, strict=True)
    largest = max(of_class.max(initial=0.0) / max(total, TINY) for of_class, total in pairs)
    if clusters.influence.size > 1 and (n_independent < MANY_CLUSTERS or largest > LARGE):
        raise ValueError(
            f"An interval from counts needs {MANY_CLUSTERS} effective clusters, and none with "
            f"more than {LARGE:.0%} of the positives or negatives; here are {n_independent:.0f}, "
            f"and one has {largest:.1%}. Pass a sample of the rows of each cluster to "
            f"average_precision_interval, which leaves clusters out one by one."
        )
    effect = design_effect(by_cluster @ by_cluster, of_rows.sum())
    return EffectiveSizes(*(np.array([n]) for n in (effect, n_independent, min(n_clusters))))
