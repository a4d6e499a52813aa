"""Shares of rows at a threshold, such as its precision and recall, with confidence limits.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import betaincinv, stdtrit

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE, TINY
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap._uncertainty.differences_of_samples import mover_distance
from sklearn_ap._uncertainty.estimate import wilson_limits
from sklearn_ap.inference._cuts import Cuts, are_selected


class WeightedRows(NamedTuple):
    """Rows with weights, in clusters; without clusters, each row is one."""

    positive: Bool
    score: Array
    weight: Float
    cluster: Index


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
    """What a threshold gives."""

    precision: Share
    recall: Share
    specificity: Share
    selected: Share


NOTHING = Shares(*(Share(share, nan, nan) for share in (nan, 0.0, 1.0, 0.0)))  # no row is selected


# Which rows are hits of a share, and among which rows they are; from flags of positive and of
# selected rows
Part: TypeAlias = Callable[[Bool, Bool], tuple[Bool, Bool]]


def precision_rows(positive: Bool, is_selected: Bool) -> tuple[Bool, Bool]:
    """Return the rows of the precision."""
    return positive, is_selected


def recall_rows(positive: Bool, is_selected: Bool) -> tuple[Bool, Bool]:
    """Return the rows of the recall."""
    return is_selected, positive


def false_positive_rows(positive: Bool, is_selected: Bool) -> tuple[Bool, Bool]:
    """Return the rows of the false positive rate."""
    return is_selected, ~positive


def selected_rows(positive: Bool, is_selected: Bool) -> tuple[Bool, Bool]:
    """Return the rows of the share that is selected."""
    return is_selected, np.ones(positive.size, bool)


def shares_at(
    place: int, cuts: Cuts, rows: WeightedRows | None, level: float, prevalence: float | None
) -> Shares:
    """Estimate the precision, the recall, the specificity and the share of selected rows."""

    def estimate(part: Part) -> Share:
        return proportion_at(place, cuts, rows, part).share_and_limits(level)

    recall, rate = estimate(recall_rows), estimate(false_positive_rows)
    if prevalence is None:
        precision, selected = estimate(precision_rows), estimate(selected_rows)
    else:
        hits, false_alarms = recall.times(prevalence), rate.times(1 - prevalence)
        rho = 0.0 if rows is None else _correlation_of_rates(rows, cuts.scores[place].item())
        precision = _limits_of_part(hits, false_alarms, rho)
        selected = _limits_of_sum(hits, false_alarms, rho)
    return Shares(precision, recall, rate.complement(), selected)


def proportion_at(place: int, cuts: Cuts, rows: WeightedRows | None, part: Part) -> Proportion:
    """Estimate a share of the rows, or of their weight."""
    if rows is None:
        return _proportion_of_counts(part, place, cuts)
    return _proportion_of_rows(part, rows, cuts.scores[place].item())


class Proportion(NamedTuple):
    """A share of rows, and how many independent rows of equal weight would tell as much.

    The share of no rows is nan.
    """

    value: float
    n_rows: float
    degrees: float

    @property
    def standard_error(self) -> float:
        """That of a share; infinite for one row."""
        is_one = self.n_rows <= 1 + RELATIVE_TOLERANCE
        return np.inf if is_one else float(np.sqrt(self.value * (1 - self.value) / self.n_rows))

    def half_width(self, level: float, n_times: Float) -> Float:
        """Return that of the limits in a sample so many times as large: of shape (1,)."""
        n_rows, degrees = self.n_rows * n_times, (self.degrees + 1) * n_times - 1
        share = Proportion(self.value, n_rows.item(), degrees.item()).share_and_limits(level)
        return np.array([(share.high - share.low) / 2])

    def share_and_limits(self, level: float) -> Share:
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


def _proportion_of_counts(part: Part, place: int, cuts: Cuts) -> Proportion:
    """Return a share of rows that are alike."""
    tp, fp = float(cuts.tps[place]), float(cuts.fps[place])
    n_rows = np.array([tp, cuts.n_positives - tp, fp, cuts.n_negatives - fp])
    is_hit, is_meant = part(np.array([True, True, False, False]), np.array([True, False] * 2))
    n_hits, n_meant = float(n_rows[is_hit & is_meant].sum()), float(n_rows[is_meant].sum())
    return Proportion(n_hits / n_meant if n_meant else nan, n_meant, n_meant - 1)


def _proportion_of_rows(part: Part, rows: WeightedRows, threshold: float) -> Proportion:
    """Return a share of the weight of rows.

    The effective number of rows (Kish 1965) is divided by the design effect of the clusters, and
    degrees of freedom are at most those of the clusters.
    """
    # 3 hits of 4 rows, the first two of one cluster -> 0.75, as of 3.43 rows
    meant = _find_rows_meant(part, rows, threshold)
    if not meant.weight.size:
        return Proportion(nan, 0.0, 0.0)
    n_clusters = effective_number(np.bincount(meant.cluster, meant.weight))
    if not meant.influence.any():  # all rows are hits, or none is
        return Proportion(meant.value, n_clusters, n_clusters - 1)
    influence = meant.influence / np.abs(meant.influence).max()
    cluster_influence = np.bincount(meant.cluster, influence)
    squares = float((cluster_influence @ cluster_influence) / (influence @ influence))
    n_rows = effective_number(meant.weight) / max(squares, 1.0)  # the design effect
    return Proportion(meant.value, n_rows, min(n_rows, n_clusters) - 1)


class _RowsMeant(NamedTuple):
    """The rows among which some are hits, and their share of the weight."""

    value: float
    cluster: Index
    weight: Float
    influence: Float  # of each row on the share, times the weight of all


def _find_rows_meant(part: Part, rows: WeightedRows, threshold: float) -> _RowsMeant:
    """Find the rows of a share at a threshold."""
    is_hit, is_meant = part(rows.positive, are_selected(rows.score, threshold))
    is_hit, weight = is_hit[is_meant], rows.weight[is_meant]
    weight = weight / weight.max(initial=TINY)
    value = min(float(weight[is_hit].sum() / max(weight.sum(), TINY)), 1.0)  # exactly 1 if all are
    return _RowsMeant(value, rows.cluster[is_meant], weight, weight * (is_hit - value))


def _correlation_of_rates(rows: WeightedRows, threshold: float) -> float:
    """Correlate the true and the false positive rate over clusters.

    It is 0 if no cluster has rows of both classes.
    """
    # Each class with one row in both of two clusters, of which one is selected -> 1

    def influence(part: Part) -> Float:
        meant = _find_rows_meant(part, rows, threshold)
        sums = np.bincount(meant.cluster, meant.influence, rows.cluster.max() + 1)
        is_rounding = np.abs(sums).max() < RELATIVE_TOLERANCE * np.abs(meant.influence).max()
        return np.zeros(sums.size) if is_rounding else sums.astype(np.float64)

    first, second = influence(recall_rows), influence(false_positive_rows)
    norm = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second / max(norm, TINY))


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
