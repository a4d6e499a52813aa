"""A score with what its limits need: the estimate of rankings, whose rows are sampled.

Equations are those of ``docs/methods.md``: 3 and 7 to 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, cast

import numpy as np
from scipy.special import stdtrit

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import add_known_totals, count, sort_items
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.rankings import Rankings, stack_rankings
from sklearn_ap._types import Alternative, Array, Bool, Float, FloatOrArray
from sklearn_ap._uncertainty._half_samples import (
    HalfScores,
    leave_out_unreached,
    n_pairs_of_variance,
    score_halves,
)
from sklearn_ap._uncertainty.hidden_rows import (
    Distances,
    Hidden,
    HiddenOfEach,
    HiddenRows,
    hidden_number,
)
from sklearn_ap._uncertainty.rows import PlacedRows, rows_of_counts, rows_of_items
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._base import Influence
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
        low = -ends if alternative == "less" else self.low
        high = ends if alternative == "greater" else self.high
        return Limits(low, high)

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


def share_of_one(n: Float) -> Float:
    """Return what one of n units changes a mean; 1 if there is none."""
    return ratio(np.ones(n.size), n, otherwise=1.0)


def variance_factor(n_effective: FloatOrArray) -> Float:
    """Return f of equation 3."""
    return n_effective / np.maximum(n_effective - 1, 1)


def above_rounding(squares: FloatOrArray, n_effective: Float) -> Float:
    """Return sums of squared influences, 0 for those that are rounding errors."""
    return np.where(squares * n_effective > RELATIVE_TOLERANCE**2, squares, 0.0)


def variance_and_degrees(
    squares: FloatOrArray,
    fourth_powers: FloatOrArray,
    n_effective: Float,
    n_units: FloatOrArray,
) -> tuple[Float, Float]:
    """Return V of equation 3, and nu of equation 9, which is 0 without any influence.

    Powers are added up over the influences of units, each times the root of f.
    """
    variance = above_rounding(squares, n_effective)
    safe = np.where(variance > 0, variance, 1.0)
    excess = fourth_powers / safe**2 - 1 / np.maximum(n_units, 1)
    return variance, np.where(variance > 0, 2 / np.maximum(excess, RELATIVE_TOLERANCE), 0.0)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Scores of one sample, and what their limits and comparisons need.

    All arrays have shape (n_scores,): one for a score or a mean, several for ``average=None``.
    ``join_estimates`` joins them. A score is defined if there is a positive and, at a prevalence, a
    negative. Other values are those that ``zero_division`` says, and have no limits.
    """

    counts: ThresholdCounts  # of the rankings that were scored
    value: Float  # as the score function with the same arguments
    is_defined: Bool
    variance: Float  # V of equation 3, 10 by halves, 14 of a mean over rankings, 16 over queries
    nu: Float  # its degrees of freedom: equation 9
    n_effective: Float  # n of positives by units, equation 4; of a mean over queries, theirs
    n_negatives: Float  # the effective number of negatives by units; nan for queries
    has_clusters: Bool  # whether units have several rows, or several queries
    hidden: Hidden  # by how much hidden rows, or queries, would change each score
    prevalence: float | None = None  # of the scores; None for that of the sample
    bias: FloatOrArray = 0.0  # subtracted from the limits of a mean over rankings
    bias_error: FloatOrArray = 0.0  # how uncertain the bias is

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
        """The root of V; nan where a score is not defined, and for one unit."""
        is_known = self.is_defined & self.has_several_units
        return np.where(is_known, np.sqrt(self.variance), np.nan)

    def limits(self, confidence_level: FloatOrArray, hidden_share: FloatOrArray = 1.0) -> Limits:
        """Return the limits of each score: nan where it is not defined.

        Each is as far from the score as the variance says and as hidden rows would move it, both
        together: equation 8, or 16 for queries. One unit tells nothing of others, so its limits are
        0 and 1. There is room for ``hidden_share`` of the rows of equation 5.
        """
        # 10 positives above 10 negatives -> 0.563 to 1 at the level 0.95
        value, has_units = self.value, self.has_several_units
        n_hidden = hidden_number(np.where(has_units, self.n_effective, 2.0), confidence_level)
        down, up = self.hidden.changes(hidden_share * n_hidden)
        shown = self.shown_limits(confidence_level)
        center, combine = value - self.bias, self.hidden.combine
        low = center - combine(np.hypot(value - shown.low, self.bias_error), down)
        high = center + combine(np.hypot(shown.high - value, self.bias_error), up)
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
    joined: dict[str, Any] = {  # each of the type of its field
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
    counts: ThresholdCounts
    rows: PlacedRows

    def __post_init__(self) -> None:
        """Refuse what no interval of one ranking is for."""
        if self.definition.hangs_on_one_row:
            raise InputError(
                f"{self.definition!r} of one ranking has no interval, as it hangs on a single row. "
                f"A mean over queries has one: pass queries. For one ranking, take the precision "
                f"at a recall, or the limits of an operating point at a threshold that you chose "
                f"on other data."
            )

    @cached_property
    def values(self) -> Float:
        """The value of each ranking."""
        return self.definition.values(self.counts)

    @property
    def is_defined(self) -> Bool:
        """Whether a ranking has a value."""
        return ~np.isnan(self.values) & (self.counts.n_positives > 0)

    @cached_property
    def influence(self) -> Influence | None:
        """The derivative phi of equation 2; at a prevalence, by equation 13."""
        # 1 0 (1 0) 0 -> 0.1875 and -0.0625 of the positives
        return self.definition.influence(self.counts)

    @cached_property
    def cell_influences(self) -> Float:
        """The influence of each cell on its ranking, or on its step average precision."""
        return self.rows.influences(self._known_influence)

    @property
    def _known_influence(self) -> Influence:
        """The influence, or that of step average precision, whose n and nu halves take."""
        if self.influence is not None:
            return self.influence
        step = at_prevalence(Step(), self.definition.prevalence)
        return cast(Influence, step.influence(self.counts))

    @property
    def hidden(self) -> HiddenRows:
        """The changes of each value by rows that the sample lacks."""
        values = np.where(self.is_defined, self.values, np.nan)
        return HiddenRows(
            definition=self.definition,
            counts=self.counts,
            values=values,
            weights=self.rows.hidden_weights(self._known_influence),
            tries_fewer=self.influence is None,
        )

    def biases(self, halves: HalfScores) -> Float:
        """Return the bias of each value, as half samples show it: equation 11."""
        return halves.bias(np.nan_to_num(self.values), self.definition.bias_rate)

    def half_scores_of_variance(self) -> HalfScores:
        """Score as many half samples as a variance takes."""
        rows = leave_out_unreached(self.definition, self.counts, self.rows)
        return score_halves(self.definition, rows, n_pairs_of_variance(rows))


def place_items(definition: Definition, *models: Rankings) -> ScoredRankings:
    """Score the rankings of models of the same rows, which are sampled together."""
    rankings = stack_rankings(models)
    retrieved = rankings.select_retrieved()
    items = sort_items(retrieved)
    counts = add_known_totals(items.counts, retrieved)
    return ScoredRankings(definition, counts, rows_of_items(rankings, items, len(models)))


def place_rankings(definition: Definition, rankings: Rankings) -> ScoredRankings:
    """Score rankings, of which counts are enough if rows are units of one weight.

    Half samples of columns are those of their rows, whatever these weigh.
    """
    if rankings.weight is None and rankings.sampling.clusters is None:
        counts = count(rankings.select_retrieved())
        scored = ScoredRankings(definition, counts, rows_of_counts(counts))
        has_columns = rankings.ranking is None and rankings.n_rankings > 1
        if not has_columns or scored.influence is not None:
            return scored
    return place_items(definition, rankings)


def estimate_of_each(scored: ScoredRankings, values: Float) -> Estimate:
    """Estimate the score of each ranking by itself; ``values`` are those that were filled."""
    # 1 0 (1 0) 0 -> V = 2 / (2 - 1) * 0.0469
    rows, n = scored.rows, scored.rows.n_effective
    factor, squares = variance_factor(n), scored.cell_influences**2
    sums = factor * rows.ranking_sums(squares), factor**2 * rows.ranking_sums(squares**2)
    variance, nu = variance_and_degrees(*sums, n, rows.units_of_rankings)
    if scored.influence is None:
        variance = factor * scored.half_scores_of_variance().squares()
    return Estimate(
        counts=scored.counts,
        value=values,
        is_defined=scored.is_defined,
        variance=variance,
        nu=nu,
        n_effective=n,
        n_negatives=rows.effective_number(rows.negatives),
        has_clusters=rows.has_clusters,
        hidden=scored.hidden,
        prevalence=scored.definition.prevalence,
    )
