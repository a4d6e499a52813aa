"""Precision, recall and the share of selected rows, each with its limits."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool
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
    """What a threshold gives."""

    precision: Share
    recall: Share
    selected: Share


def shares_of(
    known: Thresholds,
    chosen: int,
    uneven: Rankings | None,
    level: float,
    prevalence: float | None,
) -> Shares:
    """What a threshold gives; ``uneven`` are rows with weights or clusters."""
    if uneven is None:
        proportion, correlation = partial(_proportion_of_counts, known, chosen, level), 0.0
    else:
        selected = uneven.score >= known.scores[chosen]
        proportion = partial(_proportion_of_rows, uneven, selected, level)
        correlation = 0.0 if prevalence is None else _correlation(uneven, selected)
    recall = proportion("recall")
    if prevalence is None:
        precision = proportion("precision")
        selected_share = proportion("selected")
    else:
        parts = prevalence * recall, (1 - prevalence) * proportion("false")
        precision = limits_of_part(*parts, correlation)
        selected_share = limits_of_sum(*parts, correlation)
    return Shares(
        precision=Share(*precision.tolist()),
        recall=Share(*recall.tolist()),
        selected=Share(*selected_share.tolist()),
    )


def _proportion_of_counts(known: Thresholds, chosen: int, level: float, name: str) -> Array:
    """A share of rows of equal weight, and its limits."""
    hits, size, positives = known.tps[chosen], known.size[chosen], known.n_positives
    part, among = {
        "recall": (hits, positives),
        "precision": (hits, size),
        "selected": (size, positives + known.n_negatives),
        "false": (size - hits, known.n_negatives),
    }[name]
    n = float(among)
    return _with_limits(name, np.asarray(part / n), n, n, level)


def _proportion_of_rows(clean: Rankings, selected: Bool, level: float, name: str) -> Array:
    """A share of the weight of rows, and its limits."""
    among, hit = {
        "recall": (clean.positive, selected),
        "precision": (selected, clean.positive),
        "selected": (np.ones_like(selected), selected),
        "false": (~clean.positive, selected),
    }[name]
    weight, clusters = _weight_and_clusters(clean)
    part = weight[among] / weight[among].max()
    share = part[hit[among]].sum() / part.sum()
    numbers = _effective_numbers(part, hit[among] - share, clusters[among])
    return _with_limits(name, share, *numbers, level)


def _with_limits(name: str, share: Array, n: float, n_clusters: float, level: float) -> Array:
    variance = variance_of_share(share)
    uncertainty = Uncertainty(np.sqrt(variance / n), variance / n, n_clusters - 1, variance)
    low, high = wilson_limits(share, uncertainty, level)
    is_rare = name == "false"
    return np.array([share, min(low, rare_share_limit(share, n, level)) if is_rare else low, high])


def _weight_and_clusters(clean: Rankings) -> tuple[Array, Array]:
    weight = clean.weight_of_items
    return weight, np.arange(weight.size) if clean.clusters is None else clean.clusters


def rows_of_one(clean: Rankings) -> float:
    """How many independent rows a weight of 1 stands for."""
    of_clusters = np.bincount(*_weight_and_clusters(clean)[::-1])
    return float(effective_number(of_clusters) / of_clusters.sum())


def _effective_numbers(weight: Array, deviation: Array, clusters: Array) -> tuple[float, float]:
    """The effective number of rows for a proportion, and that of clusters."""
    n, n_clusters = effective_number(weight), effective_number(np.bincount(clusters, weight))
    if (influence := weight * deviation).any():
        influence /= np.abs(influence).max()
        together = np.bincount(clusters, influence)
        design_effect = np.sum(together * together) / np.sum(influence * influence)
        n /= max(design_effect, 1.0)
        return n, min(n, n_clusters)
    return n_clusters, n_clusters  # all rows are hits, or none is


def _correlation(clean: Rankings, selected: Bool) -> float:
    """That of the true and the false positive rate: 0 if no cluster has rows of both classes."""
    if clean.clusters is None:
        return 0.0
    weight, clusters = _weight_and_clusters(clean)
    sums = []
    for among in (clean.positive, ~clean.positive):
        part = weight * among / weight[among].max()
        sums.append(np.bincount(clusters, part * (selected - part @ selected / part.sum())))
    true, false = sums
    return float(true @ false / max(float(np.linalg.norm(true) * np.linalg.norm(false)), TINY))
