"""Shares of rows at a threshold, such as its precision and recall, with confidence limits.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from math import isnan, nan
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, stdtrit

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE, TINY
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._types import Float, Index, Numeric
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
    """The shares of an operating point."""

    precision: Share
    recall: Share
    specificity: Share
    selected: Share


def estimate_shares(
    rows: EqualRows | WeightedRows, level: float, prevalence: float | None
) -> Shares:
    """Estimate the shares of an operating point, at the prevalence of the rows or another one."""
    ratios = rows.ratios
    recall = rows.share(ratios.recall).add_limits(level)
    false_positive_rate = rows.share(ratios.false_positive_rate).add_limits(level)
    if prevalence is None:
        precision = rows.share(ratios.precision).add_limits(level)
        selected = rows.share(ratios.selected).add_limits(level)
    else:
        tp_share = recall.times(prevalence)
        fp_share = false_positive_rate.times(1 - prevalence)
        correlation = rows.correlation_of_rates()
        precision = _limits_of_part(tp_share, fp_share, correlation)
        selected = _limits_of_sum(tp_share, fp_share, correlation)
    return Shares(precision, recall, false_positive_rate.complement(), selected)


def shares_without_threshold(n_negatives: float) -> Shares:
    """Return the shares if no row is selected, for want of a threshold: they have no limits."""
    return Shares(
        precision=Share(nan, nan, nan),
        recall=Share(0.0, nan, nan),
        specificity=Share(1.0 if n_negatives else nan, nan, nan),
        selected=Share(0.0, nan, nan),
    )


# ---- one share of a sample


class SampledShare(NamedTuple):
    """A share of the rows of a sample, and how many independent rows tell as much of it.

    These are rows of equal weight. The share of no rows is nan.
    """

    value: float
    n_rows: float
    degrees: float  # of freedom, of Student's t

    @property
    def standard_error(self) -> float:
        """The standard error; infinite for one row."""
        is_one = self.n_rows <= 1 + RELATIVE_TOLERANCE
        return np.inf if is_one else float(np.sqrt(self.value * (1 - self.value) / self.n_rows))

    def half_width(self, level: float, n_times: Float) -> Float:
        """Return half of the interval's width in a sample ``n_times`` as large: of shape (1,)."""
        n_rows, degrees = self.n_rows * n_times, (self.degrees + 1) * n_times - 1
        share = SampledShare(self.value, n_rows.item(), degrees.item()).add_limits(level)
        return np.array([(share.high - share.low) / 2])

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


# ---- the rows of a sample at a threshold


class Ratio(NamedTuple):
    """The hits of a share, and the rows among which they are: numbers of rows, or their flags."""

    hits: Numeric
    rows: Numeric


class Ratios(NamedTuple):
    """The shares of a confusion matrix, whose cells are numbers of rows, or flags of rows."""

    precision: Ratio
    recall: Ratio
    false_positive_rate: Ratio
    selected: Ratio


def confusion_ratios(tp: Numeric, fn: Numeric, fp: Numeric, tn: Numeric) -> Ratios:
    """Return the shares of a confusion matrix."""
    return Ratios(
        precision=Ratio(tp, tp + fp),
        recall=Ratio(tp, tp + fn),
        false_positive_rate=Ratio(fp, fp + tn),
        selected=Ratio(tp + fp, tp + fn + fp + tn),
    )


class EqualRows(NamedTuple):
    """Independent rows of equal weight, of which ratios hold the numbers."""

    ratios: Ratios

    def share(self, ratio: Ratio) -> SampledShare:
        """Return a share of the rows."""
        value = ratio.hits / ratio.rows if ratio.rows else nan
        return SampledShare(value, ratio.rows, ratio.rows - 1)

    def correlation_of_rates(self) -> float:
        """Return that of the true and the false positive rate, which share no rows."""
        return 0.0


class WeightedRows(NamedTuple):
    """Rows with weights, in clusters; without clusters, each row is one.

    Ratios hold flags of rows.
    """

    ratios: Ratios
    weight: Float
    cluster: Index

    def share(self, ratio: Ratio) -> SampledShare:
        """Return a share of the weight.

        The effective number of rows (Kish 1965) is divided by the design effect of the clusters,
        and degrees of freedom are at most those of the clusters.
        """
        # 3 hits of 4 rows, the first two of one cluster -> 0.75, as of 3.43 rows
        rows = self._weigh(ratio)
        if not rows.weight.size:
            return SampledShare(nan, 0.0, 0.0)
        n_clusters = effective_number(np.bincount(rows.cluster, rows.weight))
        if not rows.influence.any():  # all rows are hits, or none is
            return SampledShare(rows.value, n_clusters, n_clusters - 1)
        influence = rows.influence / np.abs(rows.influence).max()
        cluster_influence = np.bincount(rows.cluster, influence)
        squares = float((cluster_influence @ cluster_influence) / (influence @ influence))
        n_rows = effective_number(rows.weight) / max(squares, 1.0)  # the design effect
        return SampledShare(rows.value, n_rows, min(n_rows, n_clusters) - 1)

    def correlation_of_rates(self) -> float:
        """Correlate the true and the false positive rate over clusters.

        It is 0 if no cluster has rows of both classes.
        """
        # Each class with one row in both of two clusters, of which one is selected -> 1
        first = self._influence_of_clusters(self.ratios.recall)
        second = self._influence_of_clusters(self.ratios.false_positive_rate)
        norm = float(np.linalg.norm(first) * np.linalg.norm(second))
        return float(first @ second / max(norm, TINY))

    def _influence_of_clusters(self, ratio: Ratio) -> Float:
        """Add up the influence of rows on a share; sums that are rounding errors are 0."""
        rows = self._weigh(ratio)
        sums = np.bincount(rows.cluster, rows.influence, self.cluster.max() + 1)
        is_rounding = np.abs(sums).max() < RELATIVE_TOLERANCE * np.abs(rows.influence).max()
        return np.zeros(sums.size) if is_rounding else sums.astype(np.float64)

    def _weigh(self, ratio: Ratio) -> _WeighedShare:
        is_hit, weight = ratio.hits[ratio.rows], self.weight[ratio.rows]
        weight = weight / weight.max(initial=TINY)
        value = float(weight[is_hit].sum() / max(weight.sum(), TINY))
        value = min(value, 1.0)  # exactly 1 if all rows are hits
        return _WeighedShare(value, self.cluster[ratio.rows], weight, weight * (is_hit - value))


class _WeighedShare(NamedTuple):
    """A share of weight, and the rows among which the hits are."""

    value: float
    cluster: Index
    weight: Float
    influence: Float  # of each row on the share, times the weight of all


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
