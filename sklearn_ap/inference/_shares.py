"""Shares of rows at a threshold, such as its precision and recall, with confidence limits.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, stdtrit

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, RELATIVE_TOLERANCE, TINY
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._types import Array, Bool, Float, Index, Score
from sklearn_ap._uncertainty.limits import wilson_limits
from sklearn_ap._uncertainty.two_samples import mover_distance
from sklearn_ap.inference._cuts import Cuts


class UnequalRows(NamedTuple):
    """Rows with weights, in clusters; without clusters, each row is one."""

    positive: Bool
    score: Array
    weight: Float
    cluster: Index


class ShareLimits(NamedTuple):
    """Confidence limits: ``low`` and ``high``."""

    low: float
    high: float


class Share(NamedTuple):
    """A share with its confidence limits."""

    value: float
    low: float
    high: float

    @property
    def limits(self) -> ShareLimits:
        """The limits alone."""
        return ShareLimits(self.low, self.high)

    def times(self, factor: float) -> Share:
        """Multiply the share and its limits."""
        return Share(factor * self.value, factor * self.low, factor * self.high)


class KindsOfRows(NamedTuple):
    """A share: the kinds of rows that are hits, and those among which they are.

    A kind is 2 for a positive, and 1 more if it is selected.
    """

    hits: list[int]
    meant: list[int]


PRECISION = KindsOfRows([3], [1, 3])
RECALL = KindsOfRows([3], [2, 3])
FALSE_POSITIVE_RATE = KindsOfRows([1], [0, 1])
SELECTED = KindsOfRows([1, 3], [0, 1, 2, 3])


def shares_at(
    place: int, cuts: Cuts, rows: UnequalRows | None, level: float, prevalence: float | None
) -> tuple[Share, Share, Share]:
    """Estimate the precision, the recall and the share of selected rows."""
    recall = proportion_at(place, cuts, rows, RECALL).share(level)
    if prevalence is None:
        precision, selected = (
            proportion_at(place, cuts, rows, part).share(level) for part in (PRECISION, SELECTED)
        )
        return precision, recall, selected
    hits = recall.times(prevalence)
    rate = proportion_at(place, cuts, rows, FALSE_POSITIVE_RATE).share_if_rare(level)
    false_alarms = rate.times(1 - prevalence)
    rho = 0.0 if rows is None else _correlation_of_rates(rows, cuts.scores[place])
    precision = _limits_of_part(hits, false_alarms, rho)
    return precision, recall, _limits_of_sum(hits, false_alarms, rho)


def proportion_at(
    place: int, cuts: Cuts, rows: UnequalRows | None, part: KindsOfRows
) -> Proportion:
    """Estimate a share of the rows, or of their weight."""
    if rows is None:
        return _proportion_of_counts(part, place, cuts)
    return _proportion_of_rows(part, rows, cuts.scores[place])


class Proportion(NamedTuple):
    """A share of rows, and how many independent rows of equal weight would tell as much."""

    value: float
    n_rows: float
    degrees_of_freedom: float

    @property
    def standard_error(self) -> float:
        """That of a share; infinite for one row."""
        is_one = self.n_rows <= 1 + RELATIVE_TOLERANCE
        return np.inf if is_one else float(np.sqrt(self.value * (1 - self.value) / self.n_rows))

    def half_width(self, level: float, n_times: Float) -> Float:
        """Return that of the limits in a sample so many times as large: of shape (1,)."""
        n_rows, degrees = self.n_rows * n_times, (self.degrees_of_freedom + 1) * n_times - 1
        share = Proportion(self.value, n_rows.item(), degrees.item()).share(level)
        return np.array([(share.high - share.low) / 2])

    def share(self, level: float) -> Share:
        """Return the share with Wilson's limits (1927), by Student's t: equation 7."""
        t = float(stdtrit(max(self.degrees_of_freedom, 1.0), (1 - level) / 2))
        t = min(t, -ABSOLUTE_TOLERANCE)  # it is 0 at levels next to 0
        low, high = map(float, wilson_limits(self.value, self.n_rows / t**2))
        # By rounding, the share could be outside.
        return Share(self.value, max(min(low, self.value), 0.0), min(max(high, self.value), 1.0))

    def share_if_rare(self, level: float) -> Share:
        """Return the same, with the exact lower limit of one side if that is lower.

        Wilson's is too high for one or two of many. If the true share is its 0.18 / n of one case,
        16 of 100 samples have a case, and a limit above the truth. Brown, Cai and DasGupta (2001)
        use the exact one (Clopper and Pearson 1934) with up to 3 cases.
        """
        share = self.share(level)
        if not self.value:
            return share
        n_hits = self.value * self.n_rows
        exact = float(betaincinv(n_hits, self.n_rows - n_hits + 1, 1 - level))
        return share._replace(low=min(share.low, exact))


def _proportion_of_counts(part: KindsOfRows, place: int, cuts: Cuts) -> Proportion:
    """Return a share of rows that are alike."""
    tp, fp = float(cuts.tps[place]), float(cuts.fps[place])
    n_rows = np.array([cuts.n_negatives - fp, fp, cuts.n_positives - tp, tp])
    n_hits, n_meant = (float(n_rows[kinds].sum()) for kinds in part)
    return Proportion(n_hits / n_meant, n_meant, n_meant - 1)


def _proportion_of_rows(part: KindsOfRows, rows: UnequalRows, threshold: Score) -> Proportion:
    """Return a share of the weight of rows.

    The effective number of rows (Kish 1965) is divided by the design effect of the clusters, and
    degrees of freedom are at most those of the clusters.
    """
    # 3 hits of 4 rows, the first two of one cluster -> 0.75, as of 3.43 rows
    meant = _find_rows_meant(part, rows, threshold)
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


def _find_rows_meant(part: KindsOfRows, rows: UnequalRows, threshold: Score) -> _RowsMeant:
    """Find the rows of a share at a threshold."""
    kind = 2 * rows.positive + (rows.score >= threshold)
    is_meant = np.isin(kind, part.meant)
    is_hit, weight = np.isin(kind, part.hits)[is_meant], rows.weight[is_meant]
    weight = weight / weight.max()
    value = min(float(weight[is_hit].sum() / weight.sum()), 1.0)  # exactly 1 if all are hits
    return _RowsMeant(value, rows.cluster[is_meant], weight, weight * (is_hit - value))


def _correlation_of_rates(rows: UnequalRows, threshold: Score) -> float:
    """Correlate the true and the false positive rate over clusters.

    It is 0 if no cluster has rows of both classes.
    """
    # Each class with one row in both of two clusters, of which one is selected -> 1

    def influence(part: KindsOfRows) -> Float:
        meant = _find_rows_meant(part, rows, threshold)
        sums = np.bincount(meant.cluster, meant.influence, rows.cluster.max() + 1)
        is_rounding = np.abs(sums).max() < RELATIVE_TOLERANCE * np.abs(meant.influence).max()
        return np.zeros(sums.size) if is_rounding else sums.astype(np.float64)

    first, second = influence(RECALL), influence(FALSE_POSITIVE_RATE)
    norm = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second / max(norm, TINY))


def _limits_of_sum(first: Share, second: Share, correlation: float) -> Share:
    """Return the sum of two shares and its limits (MOVER): equation 38."""
    value = first.value + second.value
    # A sum is the difference to minus the other share, so the correlation changes its sign.
    down = mover_distance(first.value - first.low, second.value - second.low, -correlation)
    up = mover_distance(first.high - first.value, second.high - second.value, -correlation)
    return Share(min(value, 1.0), max(value - float(down), 0.0), min(value + float(up), 1.0))


def _limits_of_part(first: Share, second: Share, correlation: float) -> Share:
    """Return x / (x + y) of two shares, and its limits (MOVER): equation 39."""
    value = first.value / max(first.value + second.value, TINY)
    low = _lowest_part(first, second, correlation)
    high = 1 - _lowest_part(second, first, correlation)
    return Share(value, min(low, value), max(high, value))


def _lowest_part(first: Share, second: Share, correlation: float) -> float:
    """Return the lower limit x / (x + y), where the lower limit of y * first - x * second is 0.

    Squared, equation 39 is quadratic in x / y.
    """
    down, up = first.value - first.low, second.high - second.value
    x = first.value**2 - down**2
    middle = first.value * second.value - correlation * down * up
    y = middle + np.sqrt(max(middle**2 - (second.value**2 - up**2) * x, 0.0))
    return float(x / max(x + y, TINY))
