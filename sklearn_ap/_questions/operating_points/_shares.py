"""Precision, recall and the share of selected rows, each with its limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._questions.operating_points._choice_of_threshold import Thresholds
from sklearn_ap._types import Bool, Float, Index
from sklearn_ap._uncertainty.former.confidence_limits import (
    limits_of_part,
    limits_of_sum,
    rare_share_limit,
    wilson_limits,
)
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty, variance_of_share

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


@dataclass(frozen=True, eq=False)
class SelectedCounts:
    """Proportions of rows of equal weight, each as an array of its value and its limits."""

    tps: float
    n_selected: float
    n_positives: float
    n_negatives: float
    level: float

    def precision(self) -> Float:
        return self._proportion(self.tps, self.n_selected)

    def recall(self) -> Float:
        return self._proportion(self.tps, self.n_positives)

    def selected(self) -> Float:
        return self._proportion(self.n_selected, self.n_positives + self.n_negatives)

    def false_positive_rate(self) -> Float:
        return self._proportion(self.n_selected - self.tps, self.n_negatives, may_be_rare=True)

    def _proportion(self, part: float, whole: float, may_be_rare: bool = False) -> Float:
        n = float(whole)
        return _add_limits(np.asarray(part / n), EffectiveNumbers(n, n), self.level, may_be_rare)


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """The same proportions of rows with weights or clusters."""

    rankings: Rankings
    is_selected: Bool
    level: float

    def precision(self) -> Float:
        return self._proportion(self.rankings.positive, self.is_selected)

    def recall(self) -> Float:
        return self._proportion(self.is_selected, self.rankings.positive)

    def selected(self) -> Float:
        return self._proportion(self.is_selected, np.ones_like(self.is_selected))

    def false_positive_rate(self) -> Float:
        return self._proportion(self.is_selected, ~self.rankings.positive, may_be_rare=True)

    def _proportion(self, is_hit: Bool, is_counted: Bool, may_be_rare: bool = False) -> Float:
        """Compute the share of the weight of the counted rows that is on hits."""
        row_weight = self.rankings.weight_of_items
        weight = row_weight[is_counted] / row_weight[is_counted].max()
        is_hit = is_hit[is_counted]
        share = weight[is_hit].sum() / weight.sum()
        clusters = _row_clusters(self.rankings)[is_counted]
        numbers = _effective_numbers(weight, is_hit - share, clusters)
        return _add_limits(share, numbers, self.level, may_be_rare)

    def rate_correlation(self) -> float:
        """Correlate the true and the false positive rate over clusters.

        It is 0 if no cluster has rows of both classes.
        """
        if self.rankings.clusters is None:
            return 0.0
        tpr_influence = self._rate_influence(self.rankings.positive)
        fpr_influence = self._rate_influence(~self.rankings.positive)
        norm = float(np.linalg.norm(tpr_influence) * np.linalg.norm(fpr_influence))
        return float(tpr_influence @ fpr_influence / max(norm, TINY))

    def _rate_influence(self, is_in_class: Bool) -> Float:
        """Compute the influence of each cluster on the selected share of a class."""
        row_weight = self.rankings.weight_of_items
        weight = row_weight * is_in_class / row_weight[is_in_class].max()
        share = weight @ self.is_selected / weight.sum()
        influence = weight * (self.is_selected - share)
        return np.asarray(np.bincount(_row_clusters(self.rankings), influence))


def estimate_shares(
    thresholds: Thresholds,
    chosen: int,
    uneven_rows: Rankings | None,
    level: float,
    prevalence: float | None,
) -> Shares:
    """Estimate the shares at a threshold; ``uneven_rows`` have weights or clusters."""
    sample: SelectedCounts | SelectedRows
    correlation = 0.0
    if uneven_rows is None:
        sample = SelectedCounts(
            tps=thresholds.tps[chosen],
            n_selected=thresholds.n_selected[chosen],
            n_positives=thresholds.n_positives,
            n_negatives=thresholds.n_negatives,
            level=level,
        )
    else:
        sample = SelectedRows(uneven_rows, uneven_rows.score >= thresholds.scores[chosen], level)
        if prevalence is not None:
            correlation = sample.rate_correlation()
    recall = sample.recall()
    if prevalence is None:
        precision = sample.precision()
        selected = sample.selected()
    else:
        true_share = prevalence * recall
        false_share = (1 - prevalence) * sample.false_positive_rate()
        precision = limits_of_part(true_share, false_share, correlation)
        selected = limits_of_sum(true_share, false_share, correlation)
    return Shares(
        precision=Share(*precision.tolist()),
        recall=Share(*recall.tolist()),
        selected=Share(*selected.tolist()),
    )


def _add_limits(share: Float, numbers: EffectiveNumbers, level: float, may_be_rare: bool) -> Float:
    """Compute Wilson's limits of a share; the lower one is exact for a rare share, if lower."""
    variance = variance_of_share(share)
    uncertainty = Uncertainty(
        standard_error=np.sqrt(variance / numbers.n_rows),
        shrunken_variance=variance / numbers.n_rows,
        degrees_of_freedom=numbers.n_clusters - 1,
        binomial_variance=variance,
    )
    low, high = wilson_limits(share, uncertainty, level)
    if may_be_rare:
        low = np.minimum(low, rare_share_limit(share, numbers.n_rows, level))
    return np.array([share, low, high])


def _row_clusters(rankings: Rankings) -> Index:
    """Return the cluster of each row; without clusters, each row is one."""
    if rankings.clusters is None:
        return np.arange(rankings.weight_of_items.size)
    return np.asarray(rankings.clusters)


def rows_per_weight(rankings: Rankings) -> float:
    """Compute the number of independent rows for each unit of weight."""
    cluster_weight = np.bincount(_row_clusters(rankings), rankings.weight_of_items)
    return float(effective_number(cluster_weight) / cluster_weight.sum())


def _effective_numbers(weight: Float, deviation: Float, clusters: Index) -> EffectiveNumbers:
    n_rows = effective_number(weight)
    n_clusters = effective_number(np.bincount(clusters, weight))
    influence = weight * deviation
    if not influence.any():  # all rows are hits, or none are
        return EffectiveNumbers(n_clusters, n_clusters)
    influence /= np.abs(influence).max()
    cluster_influence = np.bincount(clusters, influence)
    # D of equation B8 in docs/methods.md, here for a proportion
    design_effect = np.sum(cluster_influence * cluster_influence) / np.sum(influence * influence)
    n_rows /= max(design_effect, 1.0)
    return EffectiveNumbers(n_rows, min(n_rows, n_clusters))
