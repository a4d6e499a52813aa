"""Shares of rows at a threshold, such as its precision and recall, with confidence limits.

A ``SampledShare`` knows how many independent rows it is of, and a ``Share`` has limits. Equations
are those of ``docs/methods.md``: 7, 38 and 39.
"""

from __future__ import annotations

from math import inf, isnan, nan
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, stdtrit

from sklearn_ap._arithmetic import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE, TINY, effective_number
from sklearn_ap._types import Bool, Float, Index
from sklearn_ap._uncertainty.differences_of_samples import mover_distance
from sklearn_ap._uncertainty.estimate import wilson_limits


class Share(NamedTuple):
    """A share of rows with its confidence limits."""

    estimate: float
    low: float
    high: float

    def times(self, factor: float) -> Share:
        """Multiply the share and its limits."""
        return Share(factor * self.estimate, factor * self.low, factor * self.high)

    def complement(self) -> Share:
        """Return the share of the other rows."""
        return Share(1 - self.estimate, 1 - self.high, 1 - self.low)


class Shares(NamedTuple):
    """The shares of an operating point, which has a field for each."""

    precision: Share
    recall: Share
    specificity: Share
    npv: Share
    selected: Share


def shares_with_limits(sampled: SampledShares, level: float, prevalence: float | None) -> Shares:
    """Add limits to the shares of a sample, or to what they are at another prevalence."""
    recall = sampled.recall.add_limits(level)
    false_positive_rate = sampled.false_positive_rate.add_limits(level)
    specificity = false_positive_rate.complement()
    if prevalence is None:
        precision = sampled.precision.add_limits(level)
        npv = sampled.npv.add_limits(level)
        selected = sampled.selected.add_limits(level)
    else:
        tp_share = recall.times(prevalence)
        fp_share = false_positive_rate.times(1 - prevalence)
        tn_share = specificity.times(1 - prevalence)
        fn_share = recall.complement().times(prevalence)
        precision = _limits_of_part(tp_share, fp_share, sampled.correlation_of_rates)
        npv = _limits_of_part(tn_share, fn_share, sampled.correlation_of_rates)
        selected = _limits_of_sum(tp_share, fp_share, sampled.correlation_of_rates)
    return Shares(precision, recall, specificity, npv, selected)


# ---- one share of a sample


class SampledShare(NamedTuple):
    """A share of the rows of a sample, and how many independent rows tell as much of it.

    These are rows of equal weight. The share of no rows is nan.
    """

    value: float
    n_rows: float
    degrees: float  # of freedom, of Student's t
    n_clusters: float = inf  # the effective number; inf if no cluster has several rows
    weight_of_others: float = 1.0  # the mean of rows that lower the share, where its own have 1

    def add_limits(self, level: float) -> Share:
        """Return the share with Wilson's limits (1927), by Student's t, or exact ones if wider.

        Wilson's (equation 7) are too narrow for one or two of many. If the true share is its
        0.18 / n of one case, 16 of 100 samples have a case, and a limit above the truth. Brown, Cai
        and DasGupta (2001) use the exact one of one side (Clopper and Pearson 1934) with up to 3
        cases.
        """
        if isnan(self.value):
            return Share(nan, nan, nan)
        t = float(stdtrit(max(self.degrees, 1.0), (1 - level) / 2))
        t = min(t, -ABSOLUTE_TOLERANCE)  # it is 0 at levels next to 0
        low, high = map(float, wilson_limits(self.value, self.n_rows / t**2))
        n_hits, n_others = self.value * self.n_rows, (1 - self.value) * self.n_rows
        if n_hits > 0:
            low = min(low, float(betaincinv(n_hits, n_others + 1, 1 - level)))
        if n_others > 0:
            high = max(high, float(betaincinv(n_hits + 1, n_others, level)))
        # By rounding, the share could be outside.
        return Share(self.value, max(min(low, self.value), 0.0), min(max(high, self.value), 1.0))


# ---- the shares of a sample at a threshold


class SampledShares(NamedTuple):
    """The shares of the rows of a sample at a threshold."""

    precision: SampledShare
    recall: SampledShare
    false_positive_rate: SampledShare
    npv: SampledShare
    selected: SampledShare
    correlation_of_rates: float  # of the true and the false positive rate, over clusters


def sampled_shares_of_counts(tp: float, fn: float, fp: float, tn: float) -> SampledShares:
    """Compute the shares of independent rows of equal weight from their numbers."""

    def sampled(n_hits: float, n_rows: float) -> SampledShare:
        return SampledShare(n_hits / n_rows if n_rows else nan, n_rows, n_rows - 1)

    return SampledShares(
        precision=sampled(tp, tp + fp),
        recall=sampled(tp, tp + fn),
        false_positive_rate=sampled(fp, fp + tn),
        npv=sampled(tn, tn + fn),
        selected=sampled(tp + fp, tp + fn + fp + tn),
        correlation_of_rates=0.0,
    )


def sampled_shares_of_rows(
    positive: Bool, selected: Bool, weight: Float, cluster: Index
) -> SampledShares:
    """Compute the shares of rows with weights, in clusters, of which some are selected.

    The correlation is 0 if no cluster has rows of both classes.
    """

    def sampled(hits: Bool, among: Bool) -> tuple[SampledShare, Float]:
        return _sampled_share(hits[among], weight[among], cluster[among], int(cluster.max()) + 1)

    # Each class with one row in both of two clusters, of which one is selected -> 1
    recall, influence = sampled(selected, among=positive)
    false_positive_rate, rate_influence = sampled(selected, among=~positive)
    norm = float(np.linalg.norm(influence) * np.linalg.norm(rate_influence))
    precision, _ = sampled(positive, among=selected)
    own, missed, false = selected & positive, positive & ~selected, selected & ~positive
    if not false.any():  # any negative may be one
        false = ~positive
    missed_weight, false_weight = (
        _relative_weight(weight, own, others) for others in (missed, false)
    )
    return SampledShares(
        precision=precision._replace(weight_of_others=false_weight),
        recall=recall._replace(weight_of_others=missed_weight),
        false_positive_rate=false_positive_rate,
        npv=sampled(~positive, among=~selected)[0],
        selected=sampled(selected, among=np.ones(selected.size, bool))[0],
        correlation_of_rates=float(influence @ rate_influence / max(norm, TINY)),
    )


def _relative_weight(weight: Float, own: Bool, others: Bool) -> float:
    """Return the mean weight of other rows, where a share's own have 1; 0 without any."""
    total, n = weight[own].sum(), np.count_nonzero(own)
    return float(weight[others].sum() * n / max(total * np.count_nonzero(others), TINY))


def _sampled_share(
    is_hit: Bool, weight: Float, cluster: Index, n_clusters: int
) -> tuple[SampledShare, Float]:
    """Find how many independent rows of equal weight tell as much of a share.

    The effective number of rows (Kish 1965) is divided by the design effect of the clusters, and
    degrees of freedom are at most those of the clusters. Also return the influence of each cluster
    on the share, in any unit; rounding errors are 0.
    """
    # 3 hits of 4 rows, the first two of one cluster -> 0.75, as of 3.43 rows
    no_influence = np.zeros(n_clusters)
    if not weight.size:
        return SampledShare(nan, 0.0, 0.0), no_influence
    weight = weight / weight.max()
    hit_share = min(float(weight[is_hit].sum() / weight.sum()), 1.0)  # exactly 1 if all are hits
    n_effective = effective_number(np.bincount(cluster, weight))
    n_known = n_effective if np.bincount(cluster).max() > 1 else inf
    influence = weight * (is_hit - hit_share)
    if not influence.any():  # all rows are hits, or none is
        return SampledShare(hit_share, n_effective, n_effective - 1, n_known), no_influence
    influence = influence / np.abs(influence).max()
    sums = np.bincount(cluster, influence, n_clusters).astype(np.float64)
    design_effect = max(float((sums @ sums) / (influence @ influence)), 1.0)
    n_rows = effective_number(weight) / design_effect
    share = SampledShare(hit_share, n_rows, min(n_rows, n_effective) - 1, n_known)
    return share, no_influence if np.abs(sums).max() < RELATIVE_TOLERANCE else sums


# ---- shares at another prevalence


def _limits_of_sum(first: Share, second: Share, correlation: float) -> Share:
    """Return the sum of two shares and its limits (MOVER): equation 38."""
    value = first.estimate + second.estimate
    # A sum is the difference to minus the other share, so the correlation changes its sign.
    down = mover_distance(first.estimate - first.low, second.estimate - second.low, -correlation)
    up = mover_distance(first.high - first.estimate, second.high - second.estimate, -correlation)
    return Share(min(value, 1.0), max(value - float(down), 0.0), min(value + float(up), 1.0))


def _limits_of_part(first: Share, second: Share, correlation: float) -> Share:
    """Return x / (x + y) of two shares, and its limits (MOVER): equation 39."""
    total = first.estimate + second.estimate
    if not total:
        return Share(nan, nan, nan)
    value = first.estimate / total
    x, y = _lowest_ratio(first, second, correlation)
    other_y, other_x = _lowest_ratio(second, first, correlation)
    return Share(value, min(x / (x + y), value), max(other_x / (other_x + other_y), value))


def _lowest_ratio(first: Share, second: Share, correlation: float) -> tuple[float, float]:
    """Return x and y of the lower limit x / y: there, that of y * first - x * second is 0.

    Squared, equation 39 is quadratic in x / y.
    """
    down, up = first.estimate - first.low, second.high - second.estimate
    x = first.estimate**2 - down**2
    middle = first.estimate * second.estimate - correlation * down * up
    y = middle + np.sqrt(max(middle**2 - (second.estimate**2 - up**2) * x, 0.0))
    return x, max(float(y), TINY)
