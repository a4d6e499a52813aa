"""Warnings of scores by few labels that rest on few clusters."""

from __future__ import annotations

from typing import cast

import numpy as np

from sklearn_ap._counts.averages import FEW_POSITIVES
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._types import Bool, Float
from sklearn_ap._uncertainty.former._sampling_units import EffectiveSizes, RowUnits
from sklearn_ap._uncertainty.former.influence import (
    InfluenceValues,
    QueryInfluences,
    RowInfluences,
)
from sklearn_ap._uncertainty.former.tuned_constants import (
    FEW_CLUSTERS,
)
from sklearn_ap._uncertainty.warnings import (
    UncertaintyWarning,
    WarningName,
    rounded_down,
)


def few_clusters(influences: InfluenceValues, way: str = "Collect") -> list[UncertaintyWarning]:
    """Warn if few clusters, or few effective clusters of a class, determine a score.

    ``way`` says how to get more of them. For a mean, the median ranking decides, as the luck of
    rankings cancels out. For "micro", the cells of each row are ranked together, and are a cluster.
    """
    if isinstance(influences, QueryInfluences) or influences.effective_sizes is None:
        return []
    number, effective = _numbers_of_clusters(influences, influences.effective_sizes)
    kind = "" if _is_below(number, FEW_CLUSTERS) else "effective "
    n_clusters = effective if kind else number
    if not (n_clusters > 0 and _is_below(n_clusters, FEW_CLUSTERS)):
        return []
    has_clusters = cast(RowUnits, influences.units).rankings.has_clusters
    unit = "clusters" if has_clusters else "rows"
    name: WarningName = "few clusters" if has_clusters else "few rows"
    start, smallest, interval = f"The interval rests on few {unit}", "", "the interval"
    if not influences.is_single_score and np.count_nonzero(have_few_clusters(influences)) > 1:
        start, smallest, interval = f"Intervals rest on few {unit}", "smallest ", "intervals"
    text = (
        f"{start}: their {smallest}{kind}number is {rounded_down(n_clusters)}. "
        f"Below {FEW_CLUSTERS}, {interval} may be too narrow. {way} more {unit}."
    )
    return [UncertaintyWarning(text, name)]


def have_few_clusters(influences: RowInfluences) -> Bool:
    """Flag the rankings that have few clusters, or few effective clusters of a class."""
    sizes = influences.effective_sizes
    if sizes is None:
        return np.zeros(influences.values.shape, bool)
    n_clusters = np.where(_have_clusters(influences, sizes), sizes.n_clusters, 0.0)
    return (n_clusters > 0) & _is_below(n_clusters, FEW_CLUSTERS)


def _have_clusters(influences: RowInfluences, sizes: EffectiveSizes) -> Bool:
    """Flag the rankings that have positives, in clusters."""
    has_positives = influences.is_defined & (influences.positives.n_effective > 0)
    return has_positives & ~np.isnan(sizes.n_clusters)  # nan: rows are units


def _numbers_of_clusters(influences: RowInfluences, sizes: EffectiveSizes) -> tuple[float, float]:
    """Return the number of clusters, and their effective number; 0 without clusters."""
    has_clusters = _have_clusters(influences, sizes)
    if not has_clusters.any():
        return 0.0, 0.0
    n_units = np.asarray(influences.units.n_units - influences.units.n_unscored)
    n_clusters = sizes.n_clusters[has_clusters]
    effective = np.median(n_clusters) if influences.is_mean else np.min(n_clusters)
    return float(np.min(n_units[has_clusters])), float(effective)


def _few_negatives(influences: QueryInfluences) -> list[UncertaintyWarning]:
    """Warn of queries that have too few negatives for a prevalence."""
    unit, units = ("row", "rows") if influences.are_rows else ("query", "queries")
    median = influences.median_positives
    if not _is_below(median, FEW_POSITIVES):
        return []
    text = (
        f"At this prevalence, half of the {units} have negatives for at most "
        f"{rounded_down(median)} positives. Below {FEW_POSITIVES}, the score of a {unit} is too "
        f"high on average, and so is the mean. Collect more negatives for each {unit}."
    )
    return [UncertaintyWarning(text, "few negatives")]


def _is_below(number: float | Float, least: int) -> Bool:
    """Check whether numbers are less by more than rounding: 9.999999999999998 counts as 10."""
    return np.less(number, least * (1 - RELATIVE_TOLERANCE))
