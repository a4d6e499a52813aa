"""Precision, recall and the share of selected rows, each with its limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._questions.operating_points._choice_of_threshold import Thresholds
from sklearn_ap._uncertainty.confidence_limits import (
    limits_of_part,
    limits_of_sum,
    rare_share_limit,
    wilson_limits,
)
from sklearn_ap._uncertainty.sampling_units import effective_number
from sklearn_ap._uncertainty.shrinkage import Uncertainty, variance_of_share

SHARES = ("precision", "recall", "selected")


class Share(NamedTuple):
    """A proportion and its confidence limits."""

    value: float
    low: float
    high: float

    @property
    def interval(self) -> tuple[float, float]:
        return self.low, self.high


class Shares(NamedTuple):
    """The shares that a threshold gives."""

    precision: Share
    recall: Share
    selected: Share


class EffectiveNumbers(NamedTuple):
    """The effective numbers of rows and of clusters for a proportion."""

    n_rows: float
    n_clusters: float


def estimate_shares(
    thresholds: Thresholds,
    chosen: int,
    uneven_rows: Rankings | None,
    level: float,
    prevalence: float | None,
) -> Shares:
    """Estimate the shares at a threshold; ``uneven_rows`` have weights or clusters."""
    proportion: Callable[[str], Float]
    correlation = 0.0
    if uneven_rows is None:
        proportion = partial(_proportion_of_counts, thresholds, chosen, level)
    else:
        is_selected = uneven_rows.score >= thresholds.scores[chosen]
        proportion = partial(_proportion_of_rows, uneven_rows, is_selected, level)
        if prevalence is not None:
            correlation = _rate_correlation(uneven_rows, is_selected)
    # Each is a share with its lower and its upper limit.
    recall = proportion("recall")
    if prevalence is None:
        precision = proportion("precision")
        selected = proportion("selected")
    else:
        true_share = prevalence * recall
        false_share = (1 - prevalence) * proportion("false_positive_rate")
        precision = limits_of_part(true_share, false_share, correlation)
        selected = limits_of_sum(true_share, false_share, correlation)
    return Shares(
        precision=Share(*precision.tolist()),
        recall=Share(*recall.tolist()),
        selected=Share(*selected.tolist()),
    )


def _proportion_of_counts(thresholds: Thresholds, chosen: int, level: float, name: str) -> Float:
    """Compute a share of rows of equal weight, and its limits."""
    tps = thresholds.tps[chosen]
    size = thresholds.size[chosen]
    n_positives = thresholds.n_positives
    n_negatives = thresholds.n_negatives
    part, whole = {
        "recall": (tps, n_positives),
        "precision": (tps, size),
        "selected": (size, n_positives + n_negatives),
        "false_positive_rate": (size - tps, n_negatives),
    }[name]
    n = float(whole)
    return _add_limits(name, np.asarray(part / n), EffectiveNumbers(n, n), level)


def _proportion_of_rows(rankings: Rankings, is_selected: Bool, level: float, name: str) -> Float:
    """Compute a share of the weight of rows, and its limits."""
    is_positive = rankings.positive
    is_in_whole, is_in_part = {
        "recall": (is_positive, is_selected),
        "precision": (is_selected, is_positive),
        "selected": (np.ones_like(is_selected), is_selected),
        "false_positive_rate": (~is_positive, is_selected),
    }[name]
    row_weight = rankings.weight_of_items
    weight = row_weight[is_in_whole] / row_weight[is_in_whole].max()
    is_hit = is_in_part[is_in_whole]
    share = weight[is_hit].sum() / weight.sum()
    clusters = _row_clusters(rankings)[is_in_whole]
    numbers = _effective_numbers(weight, is_hit - share, clusters)
    return _add_limits(name, share, numbers, level)


def _add_limits(name: str, share: Float, numbers: EffectiveNumbers, level: float) -> Float:
    """Give a share and Wilson's limits; a false positive rate may be rare."""
    variance = variance_of_share(share)
    uncertainty = Uncertainty(
        standard_error=np.sqrt(variance / numbers.n_rows),
        shrunken_variance=variance / numbers.n_rows,
        degrees_of_freedom=numbers.n_clusters - 1,
        binomial_variance=variance,
    )
    low, high = wilson_limits(share, uncertainty, level)
    if name == "false_positive_rate":
        low = np.minimum(low, rare_share_limit(share, numbers.n_rows, level))
    return np.array([share, low, high])


def _row_clusters(rankings: Rankings) -> Index:
    """Give the cluster of each row; without clusters, each row is one."""
    if rankings.clusters is None:
        return np.arange(rankings.weight_of_items.size)
    return np.asarray(rankings.clusters)


def rows_per_weight(rankings: Rankings) -> float:
    """Compute how many independent rows a weight of 1 stands for."""
    cluster_weight = np.bincount(_row_clusters(rankings), rankings.weight_of_items)
    return float(effective_number(cluster_weight) / cluster_weight.sum())


def _effective_numbers(weight: Float, deviation: Float, clusters: Index) -> EffectiveNumbers:
    n_rows = effective_number(weight)
    n_clusters = effective_number(np.bincount(clusters, weight))
    influence = weight * deviation
    if not influence.any():  # all rows are hits, or none is
        return EffectiveNumbers(n_clusters, n_clusters)
    influence /= np.abs(influence).max()
    cluster_influence = np.bincount(clusters, influence)
    # D of equation 11, here of a proportion.
    design_effect = np.sum(cluster_influence * cluster_influence) / np.sum(influence * influence)
    n_rows /= max(design_effect, 1.0)
    return EffectiveNumbers(n_rows, min(n_rows, n_clusters))


def _rate_correlation(rankings: Rankings, is_selected: Bool) -> float:
    """Correlate the true and the false positive rate over clusters.

    It is 0 if no cluster has rows of both classes.
    """
    if rankings.clusters is None:
        return 0.0
    true = _rate_influence(rankings, rankings.positive, is_selected)
    false = _rate_influence(rankings, ~rankings.positive, is_selected)
    norm = float(np.linalg.norm(true) * np.linalg.norm(false))
    return float(true @ false / max(norm, TINY))


def _rate_influence(rankings: Rankings, is_in_class: Bool, is_selected: Bool) -> Float:
    """Sum the influence of the rows of each cluster on the share of a class that is selected."""
    row_weight = rankings.weight_of_items
    weight = row_weight * is_in_class / row_weight[is_in_class].max()
    share = weight @ is_selected / weight.sum()
    return np.asarray(np.bincount(_row_clusters(rankings), weight * (is_selected - share)))
