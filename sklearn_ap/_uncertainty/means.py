"""Means of scores: over rankings that share their units, and over queries that are sampled.

Equations are those of ``docs/methods.md``: 14, with the bias of 11 and 12, and 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE, effective_number
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._scoring import average_rankings, shares_of
from sklearn_ap._types import Array, Float, FloatOrArray, Index
from sklearn_ap._uncertainty._half_samples import (
    N_PAIRS_OF_BIAS,
    HalfScores,
    n_pairs_of_variance,
    score_halves,
)
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    ScoredRankings,
    share_of_one,
    variance_and_degrees,
    variance_factor,
)
from sklearn_ap._uncertainty.hidden_rows import HiddenQueries, HiddenRowsOfMean
from sklearn_ap.definitions import Step


@dataclass(frozen=True, eq=False)
class MeanOfRankings:
    """A mean over rankings that share their units: equation 14."""

    scored: ScoredRankings
    values: Float  # of rankings, undefined ones as ``zero_division`` says
    weights: Array | None  # their positives, which are sampled; None for equal ones

    @property
    def value(self) -> float:
        """The mean."""
        return average_rankings(self.values, self.weights)

    @cached_property
    def shares(self) -> Float:
        """The share s_l of each ranking, 0 for one without a positive."""
        return shares_of(self.values, self.weights) * self.scored.is_defined

    @cached_property
    def has_one_at_most(self) -> bool:
        """Whether no ranking or one counts. It varies so much that its bias does not matter."""
        return int(np.count_nonzero(self.shares)) < 2

    @cached_property
    def has_clusters(self) -> bool:
        """Whether units have several rows of a ranking that counts."""
        return bool(np.any(self.scored.rows.has_clusters & (self.shares > 0)))

    @property
    def has_closed_bias(self) -> bool:
        """Whether equation 12 gives the bias, and not half samples."""
        return isinstance(self.scored.definition, Step) and not self.has_clusters

    @cached_property
    def own_row_biases(self) -> Float:
        """By how much positives raise each step average precision by counting themselves.

        Equation 12, where each row is a unit: the precision of the *other* rows at or above a
        positive is unbiased.
        """
        # 1 0 (1 0) 0 -> 0.125, all of which the first positive adds
        counts, rows = self.scored.counts, self.scored.rows
        is_hit = rows.place < counts.gained.size
        place, weight = rows.place[is_hit], rows.weight[is_hit]
        tps = counts.tps[place]
        size = (counts.tps + counts.fps)[place]
        others = size - weight
        has_no_others = others < RELATIVE_TOLERANCE * size
        without = (tps - weight) / np.where(has_no_others, 1.0, others)
        # Without other rows, the truth is between 1 and the share of positives at the next score.
        without = np.where(has_no_others, (1 + _next_shares(counts)[place]) / 2, without)
        share_above = (counts.tps / counts.per_threshold(counts.n_positives))[place]
        terms = weight * (tps / size - without) * (1 - share_above)
        sums = counts.sum(np.bincount(place, terms, counts.gained.size))
        return sums / np.where(counts.n_positives > 0, counts.n_positives, 1.0)

    @cached_property
    def influences(self) -> Float:
        """The influence of each unit on the mean, times the root of f of each ranking."""
        # 1 0 1 0 and 1 1 0 0, weighted -> [0.098, -0.049, -0.049, 0], where the mean is 0.917
        rows = self.scored.rows
        factors = self.shares * np.sqrt(variance_factor(rows.n_effective))
        sums = rows.unit_sums(factors, self.scored.cell_influences)
        if self.weights is None:
            return sums
        # A positive also adds to the weight of its ranking.
        gains = np.where(self.shares > 0, self.values - self.value, 0.0)
        gains = ratio(factors * gains, rows.ranking_sums(rows.positives), otherwise=0.0)
        return sums + rows.unit_sums(gains, rows.positives)

    @property
    def n_effective(self) -> Float:
        """The effective number of units, of shape (1,)."""
        rows = self.scored.rows
        return np.array([rows.n_effective_of_mean(self.shares, rows.positives)])

    def half_influences(self, halves: HalfScores) -> Float:
        """Return what stands for influences of a score without them, times the root of f."""
        mean = halves.mean(self.shares, by_positives=self.weights is not None)
        factor = self.shares.sum() * np.sqrt(variance_factor(self.n_effective))
        return np.asarray(mean.influences[0] * factor)

    def estimate(self) -> Estimate:
        """Estimate the mean."""
        # 1 0 1 0 and 1 1 0 0 as columns of 4 rows -> 0.917 with the bias 0.0625
        scored, shares, rows, n = self.scored, self.shares, self.scored.rows, self.n_effective
        squares = self.influences**2
        sums = np.sum(rows.repeats * squares), np.sum(rows.repeats * squares**2)
        variance, nu = variance_and_degrees(*sums, n, rows.n_sampled)
        influences = rows.table(scored.cell_influences * np.sqrt(rows.cell_repeats))
        pairs = None
        if scored.influence is None:
            pairs = score_halves(scored.definition, rows, n_pairs_of_variance(rows))
            variance = np.sum(self.half_influences(pairs) ** 2, keepdims=True)
            influences = _store_all(pairs.influences)
        elif not (self.has_closed_bias or self.has_one_at_most):
            pairs = score_halves(scored.definition, rows, N_PAIRS_OF_BIAS)
        bias, bias_error = self._bias(pairs)
        return Estimate(
            counts=scored.counts,
            value=np.array([self.value]),
            is_defined=np.any(scored.is_defined, keepdims=True),
            variance=variance,
            nu=nu,
            n_effective=n,
            n_negatives=np.array([rows.n_effective_of_mean(shares, rows.negatives)]),
            has_clusters=np.array([self.has_clusters]),
            hidden=HiddenRowsOfMean(scored.hidden, shares, influences),
            prevalence=scored.definition.prevalence,
            bias=bias,
            bias_error=bias_error,
        )

    def change_by_unit(self, n_units: Float) -> float:
        """Return what one of n units changes the mean, if it changes each ranking by itself."""
        return float(np.hypot.reduce(self.shares * share_of_one(n_units)))

    def _bias(self, pairs: HalfScores | None) -> tuple[FloatOrArray, FloatOrArray]:
        """Return the bias b of the mean, and b_e: equations 11 and 12."""
        if self.has_one_at_most:
            return 0.0, 0.0
        if pairs is None:
            return self.shares @ self.own_row_biases, 0.0
        # Of each ranking: halves that lack one would change the mean of the others.
        bias = np.array([self.shares @ self.scored.biases(pairs)])
        return bias, bias


def _store_all(table: Float) -> csr_array:
    """Return a table as a sparse one that also stores what is 0, as halves that agree are."""
    n_rows, n_columns = table.shape
    columns = np.tile(np.arange(n_columns), n_rows)
    starts = np.arange(n_rows + 1) * n_columns
    return csr_array((table.ravel(), columns, starts), shape=table.shape)


def _next_shares(counts: ThresholdCounts) -> Float:
    """Return the share of positives at the next score below each threshold; 1 without any.

    If a negative stands between, the next score has no positive.
    """
    shares = counts.gained / counts.n_tied
    following = np.append(shares[1:], 1.0)
    is_between = np.append(counts.fps_above[1:] > counts.fps[:-1], False)
    has_thresholds = counts.ends > counts.starts
    last = counts.ends[has_thresholds] - 1
    following[last] = 1.0
    is_between[last] = counts.n_negatives[has_thresholds] > counts.fps[last]
    return np.where(is_between, 0.0, following)


@dataclass(frozen=True, eq=False)
class MeanOfQueries:
    """A mean over queries, which are sampled as a whole, or in clusters: equation 16."""

    values: Float  # undefined ones as ``zero_division`` says; nan has no share in the mean
    weights: Array | None = None  # of queries in the mean; None for equal ones
    clusters: Index | None = None  # the number of the cluster of each query

    @cached_property
    def shares(self) -> Float:
        """The share of each query in the mean."""
        return shares_of(self.values, self.weights)

    @cached_property
    def value(self) -> Float:
        """The mean, of shape (1,); nan if no query has a value."""
        return np.array([average_rankings(self.values, self.weights)])

    @property
    def n_queries(self) -> float:
        """The effective number of queries."""
        return effective_number(self.shares)

    @cached_property
    def n_effective(self) -> Float:
        """That of units, of shape (1,)."""
        return np.array([effective_number(self._unit_shares)])

    @cached_property
    def n_units(self) -> int:
        """The number of units that count."""
        return int(np.count_nonzero(self._unit_shares))

    @property
    def deviations(self) -> Float:
        """The influence of each query on the mean: what it adds beside its share of the mean."""
        values = np.where(self.shares > 0, self.values - self.value, 0.0)
        return self.shares * values

    @cached_property
    def influences(self) -> Float:
        """The influence of each unit on the mean, times the root of f."""
        return np.sqrt(variance_factor(self.n_effective)) * self._unit_sums(self.deviations)

    @cached_property
    def _unit_shares(self) -> Float:
        return self._unit_sums(self.shares)

    def _unit_sums(self, numbers: Float) -> Float:
        if self.clusters is None:
            return numbers
        return np.bincount(self.clusters, numbers).astype(np.float64)

    def estimate(self, counts: ThresholdCounts, prevalence: float | None) -> Estimate:
        """Estimate the mean; ``counts`` are those of its queries."""
        # Queries of [0.2, 0.4, 0.9] -> 0.5, with V = 0.0433
        n = self.n_effective
        squares = self.influences**2
        variance, nu = variance_and_degrees(np.sum(squares), np.sum(squares**2), n, self.n_units)
        return Estimate(
            counts=counts,
            value=self.value,
            is_defined=np.any(counts.n_positives > 0, keepdims=True) & ~np.isnan(self.value),
            variance=variance,
            nu=nu,
            n_effective=n,
            n_negatives=np.full(1, np.nan),
            has_clusters=np.array([self.n_units < np.count_nonzero(self.shares)]),
            hidden=HiddenQueries(self.value, n),
            prevalence=prevalence,
        )
