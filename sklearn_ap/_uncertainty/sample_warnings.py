"""Warnings of one score: of samples whose intervals cover less often than others."""

from __future__ import annotations

import numpy as np

from sklearn_ap._uncertainty._sampling import ROUNDING
from sklearn_ap._uncertainty.estimate import Estimate
from sklearn_ap._uncertainty.warnings import UncertaintyWarning, rounded_down

# With fewer effective clusters, the degrees of freedom of equation 9 are themselves uncertain.
LEAST_CLUSTERS = 16
# Negatives in so small a share of the clusters that have positives may be all those of a few. The
# warning is there for 99 of 100 samples of which 85 % are covered, and for 2 of 100 others.
FEW_OF_NEGATIVES = 0.5
# One negative that stands for more than one positive decides about the score by itself.
LEAST_NEGATIVES = 1.0


def warnings_of_sample(estimate: Estimate) -> list[UncertaintyWarning]:
    """Return the warnings of scores over rows or clusters.

    A mean over queries has none: it knows no number of negatives.
    """
    return _few_clusters(estimate) + _few_negatives(estimate)


def _few_clusters(estimate: Estimate) -> list[UncertaintyWarning]:
    """Warn of few clusters with several rows; one of them already has the limits 0 and 1."""
    are_clusters = estimate.has_clusters & estimate.has_several_units
    is_known = are_clusters & estimate.is_defined & ~np.isnan(estimate.n_negatives)
    n, n_negatives = estimate.n_effective[is_known], estimate.n_negatives[is_known]
    if np.any(n < LEAST_CLUSTERS * (1 - ROUNDING)):
        text = (
            f"The interval rests on few clusters: the effective number of those with positives is "
            f"{rounded_down(n.min())}. Below {LEAST_CLUSTERS}, it may be too narrow. Collect more "
            f"clusters."
        )
        return [UncertaintyWarning(text, "few clusters")]
    share = n_negatives / np.maximum(n, 1.0)
    if np.any(share < FEW_OF_NEGATIVES * (1 - ROUNDING)):
        worst = np.argmin(share)
        text = (
            f"Few clusters hold most negatives: the effective number of clusters is "
            f"{rounded_down(n[worst])} by positives, and {rounded_down(n_negatives[worst])} by "
            f"negatives. Other clusters may hold as many, so the interval may be too narrow. "
            f"Collect more clusters."
        )
        return [UncertaintyWarning(text, "few clusters")]
    return []


def _few_negatives(estimate: Estimate) -> list[UncertaintyWarning]:
    if estimate.prevalence is None:
        return []
    odds = estimate.prevalence / (1 - estimate.prevalence)
    n_positives = (estimate.n_negatives * odds)[estimate.is_defined]
    if not np.any(n_positives < LEAST_NEGATIVES * (1 - ROUNDING)):  # nan is not below
        return []
    text = (
        f"At this prevalence, the negatives stand for {rounded_down(np.nanmin(n_positives))} "
        f"positives. Below 1, a single negative decides about the score, and the limits cannot "
        f"tell how many rank high. Collect more negatives."
    )
    return [UncertaintyWarning(text, "few negatives")]
