"""A score with what its limits need: the estimate of rankings, whose rows are sampled.

Equations are those of ``docs/methods.md``. Definitions have 1 and 2, and 13 stands beside them;
``_variance``, ``_half_samples`` and ``hidden_rows`` have the next ones, and are called here in this
order, but for Wilson's limits, equation 7, and what puts all together, equation 8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from scipy.special import stdtrit

from sklearn_ap._counts.counting import SortedItems, add_known_totals, count, n_ranks, sort_items
from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings, stack_rankings
from sklearn_ap._types import Alternative, Array, Bool, Float, FloatOrArray, Keywords
from sklearn_ap._uncertainty._half_samples import (
    HalfScores,
    leave_out_unreached,
    n_pairs_of_variance,
    score_halves,
)
from sklearn_ap._uncertainty._units import PlacedRows, rows_of_counts, rows_of_items
from sklearn_ap._uncertainty._variance import (
    ByClass,
    ByKind,
    RowSums,
    Sizes,
    safe_ratio,
    sums_of_counts,
    unscored_units,
    variance_and_degrees,
    variance_factor,
)
from sklearn_ap._uncertainty.hidden_rows import (
    Distances,
    Hidden,
    HiddenOfEach,
    HiddenRows,
    hidden_number,
)
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence

# Student's t needs one degree of freedom; with fewer than two units, limits are 0 and 1 anyway.
LEAST_DEGREES = 1.0


class Limits(NamedTuple):
    """The lower and the upper limit of each score, or of each difference."""

    low: Float
    high: Float

    def one_sided(self, alternative: Alternative) -> Limits:
        """Return the limits of differences; with an alternative, one of them is -1 or 1."""
        # -0.1 to 0.3 with the alternative "greater" -> -0.1 to 1
        ends = np.where(np.isnan(self.low), np.nan, 1.0)
        if alternative == "greater":
            return Limits(self.low, ends)
        return Limits(-ends, self.high) if alternative == "less" else self

    def verdicts(self) -> Array:
        """Return "better", "worse" or "undecided" for limits of differences."""
        verdicts = np.select([self.low > 0, self.high < 0], ["better", "worse"], "undecided")
        return verdicts.astype(object)


class Compared(NamedTuple):
    """Differences with simultaneous limits, and p-values and verdicts that agree with them."""

    estimate: Float
    low: Float
    high: Float
    pvalue: Float
    verdict: Array


def wilson_limits(value: FloatOrArray, m: FloatOrArray) -> Limits:
    """Return Wilson's limits (1927) of a proportion of m t^2 cases: equation 7."""
    center = m * value + 0.5
    half = np.sqrt(m * np.maximum(value * (1 - value), 0.0) + 0.25)
    return Limits((center - half) / (m + 1), (center + half) / (m + 1))


def limits_at_variance(value: Float, variance: Float, t: FloatOrArray) -> Limits:
    """Return Wilson's limits for any variance; both are the value if it is 0, or that is 0 or 1."""
    case_variance = value * (1 - value)
    spread = variance * t**2
    has_width = (case_variance > 0) & (spread > 0)
    m = np.where(has_width, case_variance, 1.0) / np.where(has_width, spread, 1.0)
    low, high = wilson_limits(value, m)
    return Limits(np.where(has_width, low, value), np.where(has_width, high, value))


@dataclass(frozen=True, eq=False)
class Estimate:
    """Scores of one sample, and what their limits and comparisons need.

    All arrays have shape (n_scores,): one for a score or a mean, several for ``average=None``.

    Parameters
    ----------
    counts : ThresholdCounts
        Of the rankings that were scored.
    value : ndarray
        As the score function with the same arguments.
    is_defined : ndarray of bool
        Whether there is a positive. Other values are those that ``zero_division`` says, and have
        no limits.
    variance, nu : ndarray
        V of equation 3, or 14, and its degrees of freedom, equation 9.
    n_effective : ndarray
        The effective number n of positives, equation 4, by units. Of a mean over queries, that of
        queries.
    n_negatives : ndarray
        The effective number of negatives by units; nan for queries, and for means over rows at the
        prevalence of the sample.
    has_clusters : ndarray of bool
        Whether units have several rows, or several queries.
    hidden : Hidden
        By how much hidden rows, or queries, would change each score.
    prevalence : float, default=None
        The prevalence of the scores. None for that of the sample.
    bias, bias_error : float or ndarray, default=0
        What is subtracted from the limits of a mean over rankings, and how uncertain that is.
    """

    counts: ThresholdCounts
    value: Float
    is_defined: Bool
    variance: Float
    nu: Float
    n_effective: Float
    n_negatives: Float
    has_clusters: Bool
    hidden: Hidden
    prevalence: float | None = None
    bias: FloatOrArray = 0.0
    bias_error: FloatOrArray = 0.0

    @property
    def degrees(self) -> Float:
        """The degrees of freedom of Student's t: those of the variance only over clusters."""
        degrees = self.n_effective - 1
        return np.where(self.has_clusters, np.minimum(degrees, self.nu), degrees)

    @property
    def has_several_units(self) -> Bool:
        """Whether units tell of others, as one alone does not."""
        return self.n_effective > 1 + RELATIVE_TOLERANCE

    @property
    def standard_error(self) -> Float:
        """The root of V; nan without a positive, and for one unit."""
        is_known = self.is_defined & self.has_several_units
        return np.where(is_known, np.sqrt(self.variance), np.nan)

    def limits(self, confidence_level: FloatOrArray, hidden_share: FloatOrArray = 1.0) -> Limits:
        """Return the limits of each score: nan where there is no positive.

        Each is as far from the score as the variance says and as hidden rows would move it, both
        together: equation 8, or 16 for queries. One unit tells nothing of others, so its limits are
        0 and 1. There is room for ``hidden_share`` of the rows of equation 5.
        """
        # 10 positives above 10 negatives -> 0.563 to 1 at the level 0.95
        value, has_units = self.value, self.has_several_units
        n_hidden = hidden_number(np.where(has_units, self.n_effective, 2.0), confidence_level)
        down, up = self.hidden.changes(hidden_share * n_hidden)
        shown = self.shown_limits(confidence_level)
        center, join = value - self.bias, self.hidden.join
        low = center - join(np.hypot(value - shown.low, self.bias_error), down)
        high = center + join(np.hypot(shown.high - value, self.bias_error), up)
        low = np.where(has_units, np.maximum(np.minimum(low, value), 0.0), 0.0)
        high = np.where(has_units, np.minimum(np.maximum(high, value), 1.0), 1.0)
        has_limits = self.is_defined
        return Limits(np.where(has_limits, low, np.nan), np.where(has_limits, high, np.nan))

    def shown_limits(self, confidence_level: FloatOrArray) -> Limits:
        """Return the limits that the variance alone says: Wilson's, by Student's t."""
        t = stdtrit(np.maximum(self.degrees, LEAST_DEGREES), (1 + confidence_level) / 2)
        return limits_at_variance(self.value, self.variance, t)

    @property
    def unbiased(self) -> Float:
        """The score less its bias, within [0, 1]."""
        return np.clip(self.value - self.bias, 0.0, 1.0)

    def distances(self, confidence_level: FloatOrArray) -> Distances:
        """Return how far limits are from the unbiased score, for a difference of two samples.

        There is room for fewer hidden rows, as both samples have some.
        """
        low, high = self.limits(confidence_level, self.hidden.share_in_differences)
        return Distances(self.unbiased - low, high - self.unbiased)

    def half_width(self, confidence_level: float, n_times: Float) -> Float:
        """Return that of limits in a sample so many times as large.

        A hidden row then counts less.
        """
        low, high = self.enlarged(n_times).limits(confidence_level, hidden_share=1 / n_times)
        return (high - low) / 2

    def enlarged(self, n_times: Float) -> Self:
        """Return the estimate that such a sample would have."""
        return replace(
            self,
            variance=self.variance / n_times,
            nu=self.nu * n_times,
            n_effective=self.n_effective * n_times,
            bias=self.bias / n_times,
            bias_error=self.bias_error / n_times,
        )


def join_estimates(estimates: Sequence[Estimate]) -> Estimate:
    """Join the estimates of models on the same units; the counts are those of the first."""
    # Two models that score 0.8 and 0.9 -> one estimate with the values [0.8, 0.9]
    first, *others = estimates
    if not others:
        return first
    sizes = tuple(each.value.size for each in estimates)
    names = {field.name for field in fields(first)} - {"counts", "hidden", "prevalence"}
    joined: Keywords = {
        name: np.concatenate(
            [np.broadcast_to(getattr(each, name), each.value.shape) for each in estimates]
        )
        for name in names
    }
    hidden = HiddenOfEach([each.hidden for each in estimates], sizes)
    return replace(first, hidden=hidden, **joined)


@dataclass(frozen=True, eq=False)
class ScoredRankings:
    """Rankings whose rows have their influence on each value."""

    definition: Definition
    rows: RowSums
    make_rows: Callable[[], PlacedRows]
    values: Float
    is_defined: Bool
    influence: ByKind[Float] | None  # of a row at each kind of place: equation 2
    influence_of_degrees: ByKind[Float]  # the same or, without one, that of step average precision
    hidden: HiddenRows
    has_clusters: bool  # if not, each row is a unit

    @classmethod
    def of(
        cls,
        definition: Definition,
        rows: RowSums,
        make: Callable[[], PlacedRows],
        *,
        has_clusters: bool = False,
    ) -> ScoredRankings:
        """Find the influence of rows; at another prevalence, it is that of equation 13."""
        # 1 0 (1 0) 0 -> influences [0.1875, -0.0625] of positives
        if definition.hangs_on_one_row:
            raise ValueError(
                f"{definition!r} of one ranking has no interval, as it hangs on a single row. Over "
                f"queries it has one: pass queries. For one ranking, take the precision at a "
                f"recall, or the limits of an operating point at a threshold that you chose on "
                f"other data."
            )
        counts = rows.counts
        values = definition.values(counts)
        is_defined = ~np.isnan(values) & (counts.n_positives > 0)
        influence = definition.influence(counts)
        # Without one, n and nu are those of step average precision, and half samples give V.
        phi = influence or at_prevalence(Step(), definition.prevalence).influence(counts)
        assert phi is not None
        unscored = np.nan_to_num(phi.unscored)
        influence_of_degrees = ByKind(
            positive=phi.positive,
            tied=phi.tied,
            between=phi.between,
            lost=unscored,
            below=np.nan_to_num(phi.below),
            unscored=unscored,
        )
        hidden = HiddenRows(
            definition,
            counts,
            np.where(is_defined, values, np.nan),
            rows.typical_weights,
            jumps=influence is None,
        )
        return cls(
            definition=definition,
            rows=rows,
            make_rows=make,
            values=values,
            is_defined=is_defined,
            influence=None if influence is None else influence_of_degrees,
            influence_of_degrees=influence_of_degrees,
            hidden=hidden,
            has_clusters=has_clusters,
        )

    @cached_property
    def placed_rows(self) -> PlacedRows:
        """The rows one by one."""
        return self.make_rows()

    @property
    def units(self) -> PlacedRows | RowSums:
        """What is sampled: sums over rows are enough if each is a unit, and all weigh the same."""
        takes_sums = not (self.has_clusters or are_weighted(self.rows.counts))
        return self.rows if takes_sums else self.placed_rows

    @property
    def worth_in_rows(self) -> Float:
        """R of equation 21, the effective number of positives by rows.

        Less where few heavy negatives, or ranks, are worth less: equation 19.
        """
        # 10 positives of 100 rows, by precision at k = 4 -> 4; by recall, one row changes 1 of 10
        counts, depth = self.rows.counts, self.definition.depth
        n = np.maximum(self.units.sizes.positive.n_effective, self.rows.sizes.positive.n_effective)
        odds = safe_ratio(counts.n_positives, counts.n_negatives, otherwise=np.inf)
        if self.definition.prevalence is not None:
            odds = np.full(n.size, self.definition.prevalence / (1 - self.definition.prevalence))
        decide = np.isfinite(odds) & (counts.n_negatives > 0)  # negatives that weigh something
        n_negatives = self.rows.sizes.negative.n_effective
        most = np.where(decide, n_negatives * np.where(decide, odds, 0.0), np.inf)
        if depth is not None:
            ranks = n_ranks(depth, counts) / self.rows.typical_weights.positive
            best = self.definition.values(_count_perfect(counts))
            most = np.minimum(most, safe_ratio(ranks, best, otherwise=ranks))
        return np.minimum(n, most)

    def half_scores(self, n_pairs: int, rng: int) -> HalfScores:
        """Score half samples of the units."""
        return score_halves(self.definition, self.placed_rows, n_pairs, rng)

    def half_scores_of_variance(self, rng: int) -> HalfScores:
        """Score as many half samples as a variance takes."""
        rows = leave_out_unreached(self.definition, self.rows.counts, self.placed_rows)
        return score_halves(self.definition, rows, n_pairs_of_variance(rows), rng)


def _count_perfect(counts: ThresholdCounts) -> ThresholdCounts:
    """Count rankings of as many positives and negatives that have all positives first."""
    has_threshold = counts.n_positives > 0
    n_positives = counts.n_positives[has_threshold]
    none = np.zeros_like(n_positives)
    return replace(
        counts,
        thresholds=np.ones(n_positives.size),
        gained=n_positives,
        tps=n_positives,
        fps=none,
        fps_above=none,
        starts=np.cumsum(has_threshold) - has_threshold,
    )


def place_counts(definition: Definition, counts: ThresholdCounts) -> ScoredRankings:
    """Score rankings of unweighted counts, whose rows at one place are alike."""
    return ScoredRankings.of(definition, sums_of_counts(counts), lambda: rows_of_counts(counts))


def sums_of_items(rankings: Rankings, items: SortedItems) -> RowSums:
    """Return the rows of rankings, of which ``items`` are those that were retrieved."""
    # Weights [2, 1, 1, 1, 1] of 1 0 (1 0) 0 -> positives of 3, of 5 in squares: n = 9 / 5
    counts = add_known_totals(items.counts, rankings.select_retrieved())
    if rankings.weight is None:
        return sums_of_counts(counts)
    squares = _sums_of_squares(rankings)
    n_unscored, weight = _unscored_of_squares(counts, squares)
    positive = Sizes.of(counts.n_positives, squares.positive + n_unscored * weight**2)
    negative = Sizes.of(counts.n_negatives, squares.negative)
    return RowSums(counts, ByClass(positive, negative))


def n_unscored_of_items(rankings: Rankings, counts: ThresholdCounts) -> Float:
    """Return how many units the positives of weighted rankings are that are no rows."""
    # Weights 10, 1 and 1 of positives, and 52 that were never scored -> 6 units
    if counts.n_unscored is None:
        return np.zeros(counts.n_positives.size)
    return _unscored_of_squares(counts, _sums_of_squares(rankings))[0]


def _sums_of_squares(rankings: Rankings) -> ByClass[Array]:
    """Add up the squares of the weights of the rows of each class in each ranking."""
    squares = replace(rankings, weight=np.square(rankings.weight_of_items), n_positives=None)
    return ByClass(squares.weight_of_hits, squares.weight_of_negatives)


def _unscored_of_squares(counts: ThresholdCounts, squares: ByClass[Array]) -> tuple[Float, Float]:
    """Return the same as ``unscored_units``, with the typical weights of rows."""
    scored = Sizes.of(counts.n_positives - counts.unscored, squares.positive)
    negative = Sizes.of(counts.n_negatives, squares.negative)
    typical = RowSums(counts, ByClass(scored, negative)).typical_weights.positive
    return unscored_units(counts.unscored, typical)


def place_items(definition: Definition, *models: Rankings) -> ScoredRankings:
    """Score the rankings of models of the same rows, and know where each of these stands."""
    rankings = stack_rankings(models)
    items = sort_items(rankings.select_retrieved())
    rows = sums_of_items(rankings, items)

    def make_rows() -> PlacedRows:
        return rows_of_items(rankings, items, rows.typical_weights.positive, len(models))

    has_clusters = models[0].sampling.clusters is not None
    return ScoredRankings.of(definition, rows, make_rows, has_clusters=has_clusters)


def place_rankings(definition: Definition, rankings: Rankings) -> ScoredRankings:
    """Score rankings, of which counts are enough if rows are units of one weight."""
    if rankings.weight is None and rankings.sampling.clusters is None:
        return place_counts(definition, count(rankings.select_retrieved()))
    return place_items(definition, rankings)


def estimate_of_each(scored: ScoredRankings, values: Float, rng: int) -> Estimate:
    """Estimate the score of each ranking by itself; ``values`` are those that were filled."""
    # 1 0 (1 0) 0 -> V = 2 / (2 - 1) * 0.0469
    units = scored.units
    n = units.sizes.positive.n_effective
    powers = units.influence_sums(scored.influence_of_degrees)
    variance, nu = variance_and_degrees(*powers, n, units.units_of_rankings)
    if scored.influence is None:
        variance = variance_factor(n) * scored.half_scores_of_variance(rng).squares()
    are_clusters = np.zeros(n.size, bool)
    if scored.has_clusters:
        are_clusters = scored.placed_rows.has_clusters
    return Estimate(
        counts=scored.rows.counts,
        value=values,
        is_defined=scored.is_defined,
        variance=variance,
        nu=nu,
        n_effective=n,
        n_negatives=units.sizes.negative.n_effective,
        has_clusters=are_clusters,
        hidden=scored.hidden,
        prevalence=scored.definition.prevalence,
    )
