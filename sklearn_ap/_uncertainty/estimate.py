"""A score with what its limits need: the estimate of rows, of counts, or of queries.

Equations are those of ``docs/methods.md``. Definitions have 1 and 2, and 13 stands beside them;
``_row_sums``, ``_hidden``, ``_halves`` and ``_bias`` have the next ones, and are called here
in this order. Means over rankings, equation 15, and over queries, 16, stand here. ``limits`` turns
an estimate into limits at any level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._counts.counting import SortedItems, count, n_ranks, sort_items
from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, check_counts, values_of
from sklearn_ap._counts.undefined import (
    average_rankings,
    check_average_of_counts,
    check_zero_division,
    fill_undefined,
)
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.weights import effective_number
from sklearn_ap._types import Argument, Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty._bias import own_row_bias
from sklearn_ap._uncertainty._halves import (
    N_PAIRS_OF_BIAS,
    Halves,
    halves,
    join_rows,
    join_thresholds,
    n_pairs_of_variance,
)
from sklearn_ap._uncertainty._hidden import (
    Hidden,
    HiddenOfEach,
    HiddenPositives,
    HiddenQueries,
    HiddenRows,
    HiddenRowsOfMean,
)
from sklearn_ap._uncertainty._row_sums import (
    RowSums,
    above_rounding,
    degrees_of_freedom,
    safe_ratio,
    sums_of_counts,
    sums_of_items,
    variance_factor,
)
from sklearn_ap._uncertainty._units import PlacedRows, rows_of_counts, rows_of_items
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._base import Influence
from sklearn_ap.definitions._prevalence import at_prevalence, base_definition

Fill = Callable[[Float], Float]  # replaces undefined values as zero_division= asks


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
        V of equation 3, or 15, and its degrees of freedom, equation 9.
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
    n_deciding : ndarray, default=None
        Of few labels, ``n_effective``, or less where few heavy negatives are worth fewer positives:
        equation 35.
    one_more_cluster : ndarray, default=None
        The values with one more cluster whose negatives all rank first: equation 14. None without
        clusters, and for means.
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
    n_deciding: Float | None = None
    one_more_cluster: Float | None = None

    @property
    def degrees(self) -> Float:
        """The degrees of freedom of Student's t: those of the variance only over clusters."""
        degrees = self.n_effective - 1
        return np.where(self.has_clusters, np.minimum(degrees, self.nu), degrees)

    @property
    def is_over_queries(self) -> bool:
        """Whether the score is a mean over queries that are sampled."""
        return isinstance(self._kind_of_hidden, HiddenQueries)

    @property
    def has_chosen_labels(self) -> bool:
        """Whether only some rows, or clusters of them, have labels, with unequal probabilities."""
        return isinstance(self._kind_of_hidden, HiddenPositives)

    @property
    def _kind_of_hidden(self) -> Hidden:
        return self.hidden.parts[0] if isinstance(self.hidden, HiddenOfEach) else self.hidden

    @property
    def has_several_units(self) -> Bool:
        """Whether units tell of others, as one alone does not."""
        return self.n_effective > 1 + RELATIVE_TOLERANCE

    @property
    def standard_error(self) -> Float:
        """The root of V; nan without a positive, and for one unit."""
        is_known = self.is_defined & self.has_several_units
        return np.where(is_known, np.sqrt(self.variance), np.nan)

    def enlarged(self, n_times: FloatOrArray) -> Estimate:
        """Return the estimate that a sample so many times as large would have, for plans."""
        return replace(
            self,
            variance=self.variance / n_times,
            nu=self.nu * n_times,
            n_effective=self.n_effective * n_times,
            n_deciding=None if self.n_deciding is None else self.n_deciding * n_times,
            bias=self.bias / n_times,
            bias_error=self.bias_error / n_times,
            hidden=self.hidden.enlarged(n_times),
        )


def join_estimates(estimates: Sequence[Estimate]) -> Estimate:
    """Join the estimates of models on the same units; the counts are those of the first."""
    # Two models that score 0.8 and 0.9 -> one estimate with the values [0.8, 0.9]
    first, *others = estimates
    if not others:
        return first

    def join(name: str) -> Array:
        parts = [np.broadcast_to(getattr(each, name), each.value.shape) for each in estimates]
        return np.concatenate(parts)

    sizes = tuple(each.value.size for each in estimates)
    return replace(
        first,
        value=join("value"),
        is_defined=join("is_defined"),
        variance=join("variance"),
        nu=join("nu"),
        n_effective=join("n_effective"),
        n_negatives=join("n_negatives"),
        has_clusters=join("has_clusters"),
        hidden=HiddenOfEach([each.hidden for each in estimates], sizes),
        bias=join("bias"),
        bias_error=join("bias_error"),
        n_deciding=None if first.n_deciding is None else join("n_deciding"),
        one_more_cluster=None,
    )


def estimate_of_rankings(
    definition: Definition, request: Request, rankings: Rankings, rng: Argument = 0
) -> Estimate:
    """Estimate the score of a request: of rows, clusters, columns, queries, or a pool of folds.

    ``rankings`` are those of the request, of all items.
    """
    # 1 0 and (1 0) 0 as two queries -> 0.75 with V = 0.0625; as one ranking, V = 0.0938
    definition = at_prevalence(definition, request.prevalence)
    fill = filling(request.zero_division, request.prevalence)
    if definition.depth is not None:
        warn_when_k_exceeds_weight(definition.depth, rankings)
    retrieved = rankings.select_retrieved()
    if rankings.are_queries:
        counts = count(retrieved, definition.depth)
        weights = rankings.weight_in_average(counts.n_positives)
        return _estimate_of_queries(definition, counts, fill, weights, rankings.query_clusters)
    is_mean = rankings.average is not None and rankings.n_rankings > 1
    if rankings.weight is None and rankings.clusters is None and not is_mean:
        return estimate_of_each(_place_counts(definition, count(retrieved)), fill, rng)
    scored = place_items(definition, rankings)
    if not is_mean:
        return estimate_of_each(scored, fill, rng)
    weights = rankings.weight_in_average(scored.rows.counts.n_positives)
    return MeanOfRankings(scored, fill(scored.values), weights).estimate(rng)


def filling(zero_division: Argument, prevalence: float | None) -> Fill:
    """Return a function that replaces undefined values as ``zero_division`` asks."""
    checked = check_zero_division(zero_division)
    return partial(fill_undefined, zero_division=checked, prevalence=prevalence)


def estimate_of_counts(
    definition: Definition,
    counts: Argument,
    *,
    average: Argument = "macro",
    zero_division: Argument = "warn",
    prevalence: Argument = None,
    rng: Argument = 0,
) -> Estimate:
    """Estimate the score of unweighted counts; several are queries, unless ``average`` is None."""
    # 1 0 (1 0) 0 -> 0.75, with V = 0.0938 and n = 2
    check_counts(counts)
    check_average_of_counts(average)
    definition = at_prevalence(definition, prevalence)
    fill = filling(zero_division, prevalence)
    if counts.several and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        return _estimate_of_queries(definition, counts, fill, weights, None)
    if are_weighted(counts):
        raise ValueError(
            "An interval from counts takes unweighted ones, as it depends on the weight of each "
            "row. Draw 10,000 rows at random, or 10,000 clusters with all their rows, and pass "
            "these to average_precision_interval, with sample_weight and clusters. For another "
            "prevalence, pass counts as they are, and prevalence beside them."
        )
    return estimate_of_each(_place_counts(definition, counts), fill, rng)


def _no_interval_of_one(definition: Definition) -> ValueError:
    return ValueError(
        f"{base_definition(definition)!r} of one ranking has no interval, as it hangs on a single "
        f"row. Over queries it has one: pass queries. For one ranking, take the precision at a "
        f"recall, or the limits of an operating point at a threshold that you chose on other data."
    )


@dataclass(frozen=True, eq=False)
class ScoredRankings:
    """Rankings whose rows have their influence on each value."""

    definition: Definition
    rows: RowSums
    make_rows: Callable[[], PlacedRows]
    values: Float
    is_defined: Bool
    influence: Influence  # of each row: equation 2
    has_influence: bool  # if not, it is that of step average precision
    hidden: HiddenRows
    has_clusters: bool  # if not, each row is a unit
    items: SortedItems | None = None  # if all rows are retrieved units of weight 1

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
        if definition._hangs_on_one_row:
            raise _no_interval_of_one(definition)
        counts = rows.counts
        values = values_of(definition, counts)
        is_defined = ~np.isnan(values) & (counts.n_positives > 0)
        own = definition.influence(counts)
        influence = own or at_prevalence(Step(), definition.prevalence).influence(counts)
        assert influence is not None
        hidden = HiddenRows(
            definition,
            counts,
            np.where(is_defined, values, np.nan),
            rows.typical_weights,
            jumps=own is None,
        )
        return cls(
            definition=definition,
            rows=rows,
            make_rows=make,
            values=values,
            is_defined=is_defined,
            influence=influence,
            has_influence=own is not None,
            hidden=hidden,
            has_clusters=has_clusters,
        )

    @cached_property
    def placed_rows(self) -> PlacedRows:
        """The rows one by one."""
        return self.make_rows()

    @property
    def units(self) -> PlacedRows | RowSums:
        """What is sampled: sums over rows are enough if each row is a unit."""
        return self.placed_rows if self.has_clusters else self.rows

    def deciding(self, n: Float) -> Float:
        """Return n, or less where few heavy negatives, or ranks, are worth less: equation 19."""
        # 10 positives of 100 rows, at k = 4 -> 4
        counts, depth = self.rows.counts, self.definition.depth
        with np.errstate(over="ignore"):
            odds = safe_ratio(counts.n_positives, counts.n_negatives, otherwise=np.inf)
        if self.definition.prevalence is not None:
            odds = np.full(n.size, self.definition.prevalence / (1 - self.definition.prevalence))
        decide = np.isfinite(odds) & (counts.n_negatives > 0)  # negatives that weigh something
        n_negatives = self.rows.sizes[1].n_effective
        most = np.where(decide, n_negatives * np.where(decide, odds, 0.0), np.inf)
        if depth is not None:
            most = np.minimum(most, n_ranks(depth, counts) / self.rows.typical_weights[0])
        return np.minimum(n, most)

    def halves(self, n_pairs: int, rng: Argument) -> Halves:
        """Score half samples of the units."""
        return halves(self.definition, self.placed_rows, n_pairs, rng)

    def halves_of_variance(self, rng: Argument) -> Halves:
        """Score as many half samples as a variance takes."""
        rows = self.joined_rows
        return halves(self.definition, rows, n_pairs_of_variance(rows), rng)

    def select(self, start: int, stop: int, *, is_weighted: bool) -> ScoredRankings:
        """Return neighbouring rankings, whose rows are units, as if they had been placed alone."""
        sums = self.rows.select(start, stop)
        if not is_weighted:
            return _place_counts(self.definition, sums.counts)

        def make_rows() -> PlacedRows:
            return self.placed_rows.select(start, stop)

        return ScoredRankings.of(self.definition, sums, make_rows)

    @property
    def joined_rows(self) -> PlacedRows:
        """The rows, of which those count together that half samples do not tell apart."""
        return join_rows(self.definition, self.rows, self.placed_rows)


def _place_counts(definition: Definition, counts: ThresholdCounts) -> ScoredRankings:
    sums = sums_of_counts(counts)

    def make_rows() -> PlacedRows:
        return rows_of_counts(join_thresholds(definition, sums))

    return ScoredRankings.of(definition, sums, make_rows)


def place_items(definition: Definition, rankings: Rankings) -> ScoredRankings:
    """Score rankings, and know where each of their rows stands."""
    items = sort_items(rankings.select_retrieved())
    rows = sums_of_items(rankings, items)

    def make_rows() -> PlacedRows:
        return rows_of_items(rankings, items, rows.typical_weights[0])

    has_clusters = rankings.clusters is not None
    scored = ScoredRankings.of(definition, rows, make_rows, has_clusters=has_clusters)
    others = rankings.weight, rankings.ranking, rankings.clusters, rankings.n_unscored
    is_plain = items.order.size == rankings.score.size and all(each is None for each in others)
    return replace(scored, items=items if is_plain else None)


def estimate_of_each(scored: ScoredRankings, fill: Fill, rng: Argument) -> Estimate:
    """Estimate the score of each ranking by itself."""
    # 1 0 (1 0) 0 -> V = 2 / (2 - 1) * 0.0469
    units = scored.units
    positives, negatives = units.sizes
    n = positives.n_effective
    squares, fourth_powers = units.influence_sums(scored.influence)
    squares = above_rounding(squares, n)
    variance = squares * variance_factor(n)
    nu = degrees_of_freedom(squares, fourth_powers, units.units_of_rankings)
    if not scored.has_influence:
        variance = variance_factor(n) * scored.halves_of_variance(rng).squares()
    hidden = scored.hidden
    are_clusters = np.zeros(n.size, bool)
    if scored.has_clusters:
        are_clusters = scored.placed_rows.has_clusters
    one_more = None
    if are_clusters.any():
        one_more = hidden.values_with(negatives_above=negatives.typical)  # equation 14
        one_more = np.where(are_clusters, one_more, np.nan)
    return Estimate(
        counts=scored.rows.counts,
        value=fill(scored.values),
        is_defined=scored.is_defined,
        variance=variance,
        nu=nu,
        n_effective=n,
        n_negatives=negatives.n_effective,
        has_clusters=are_clusters,
        hidden=hidden,
        prevalence=scored.definition.prevalence,
        one_more_cluster=one_more,
    )


@dataclass(frozen=True, eq=False)
class MeanOfRankings:
    """A mean over rankings that share their units: equation 15.

    Parameters
    ----------
    scored : ScoredRankings
    values : ndarray of shape (n_rankings,)
        Those of rankings, undefined ones as ``zero_division`` says.
    weights : ndarray of shape (n_rankings,) or None
        Of rankings in the mean; None for equal ones.
    """

    scored: ScoredRankings
    values: Float
    weights: Array | None

    @cached_property
    def shares(self) -> Float:
        """The share s_l of each ranking, 0 for one without a positive."""
        return shares_of(self.values, self.weights) * self.scored.is_defined

    @cached_property
    def is_alone(self) -> bool:
        """Whether at most one ranking counts. It varies so much that its bias does not matter."""
        return int(np.count_nonzero(self.shares)) < 2

    @cached_property
    def has_clusters(self) -> bool:
        """Whether units have several rows of a ranking that counts."""
        return bool(np.any(self.scored.placed_rows.has_clusters & (self.shares > 0)))

    @property
    def has_closed_bias(self) -> bool:
        """Whether equation 12 gives the bias, and not half samples."""
        return isinstance(self.scored.definition, Step) and not self.has_clusters

    @cached_property
    def own_row_biases(self) -> Float:
        """The bias of each ranking: equation 12."""
        return own_row_bias(self.scored.rows.counts, self.scored.placed_rows)

    @cached_property
    def cell_influences(self) -> Float:
        """The influence of each cell on its ranking."""
        return self.scored.placed_rows.influences(self.scored.influence)

    @cached_property
    def influences(self) -> Float:
        """The influence of each unit on the mean, times the root of f of each ranking."""
        rows = self.scored.placed_rows
        n_each = rows.sizes_of(rows.positives).n_effective
        factors = self.shares * np.sqrt(variance_factor(n_each))
        return rows.unit_sums(factors, self.cell_influences)

    def estimate(self, rng: Argument) -> Estimate:
        """Estimate the mean; ``rng`` draws half samples."""
        # 1 0 1 0 and 1 1 0 0 as columns of 4 rows -> 0.917 with the bias 0.0625
        scored, shares, rows = self.scored, self.shares, self.scored.placed_rows
        n = np.array([rows.n_effective_of_mean(shares, rows.positives)])
        squares = self.influences**2
        variance = above_rounding(np.sum(squares), n)  # the squares have the factor of each ranking
        nu = degrees_of_freedom(variance, np.sum(squares**2), rows.n_units)
        pairs = self._halves(rng)
        influences = rows.table(self.cell_influences)
        if not scored.has_influence and pairs is not None:
            variance = pairs.mean(shares).squares() * shares.sum() ** 2 * variance_factor(n)
            influences = csr_array(pairs.influences)
        bias, bias_error = self._bias(pairs)
        n_negatives = np.nan
        if rows.cell is not None or scored.definition.prevalence is not None:  # for warnings
            n_negatives = rows.n_effective_of_mean(shares, rows.negatives)
        return Estimate(
            counts=scored.rows.counts,
            value=np.array([average_rankings(self.values, self.weights)]),
            is_defined=np.any(scored.is_defined, keepdims=True),
            variance=variance,
            nu=nu,
            n_effective=n,
            n_negatives=np.array([n_negatives]),
            has_clusters=np.array([self.has_clusters]),
            hidden=HiddenRowsOfMean(scored.hidden, shares, influences),
            prevalence=scored.definition.prevalence,
            bias=bias,
            bias_error=bias_error,
        )

    def change(self, n_each: Float) -> float:
        """Return what one of n units changes the mean, if it changes each ranking by itself."""
        changes = np.where(self.shares > 0, share_of_one(n_each), 0.0)
        return float(np.linalg.norm(self.shares * changes))

    def _halves(self, rng: Argument) -> Halves | None:
        """Draw half samples, if the variance or the bias needs them."""
        if not self.scored.has_influence:
            return self.scored.halves(n_pairs_of_variance(self.scored.placed_rows), rng)
        if self.has_closed_bias or self.is_alone:
            return None
        return self.scored.halves(N_PAIRS_OF_BIAS, rng)

    def _bias(self, pairs: Halves | None) -> tuple[FloatOrArray, FloatOrArray]:
        """Return the bias b of the mean, and b_e: equations 11 and 12."""
        if self.is_alone:
            return 0.0, 0.0
        if pairs is None:
            return self.shares @ self.own_row_biases, 0.0
        total = self.shares.sum()
        value = self.shares @ np.nan_to_num(self.scored.values) / total
        bias = total * pairs.mean(self.shares).bias(value, self.scored.definition._bias_rate)
        return bias, bias


def share_of_one(n: Float) -> Float:
    """Return what one of n units changes a mean; 1 if there is none."""
    return safe_ratio(np.ones(n.size), n, otherwise=1.0)


def shares_of(values: Float, weights: Array | None) -> Float:
    """Return the weight of each ranking in the mean, 0 for one without a value; they sum to 1."""
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # the sum of huge weights would be infinite
    return np.asarray(shares / (shares.sum() or 1.0))


def _estimate_of_queries(
    definition: Definition,
    counts: ThresholdCounts,
    fill: Fill,
    weights: Array | None,
    clusters: Index | None,
) -> Estimate:
    """Estimate a mean over the queries of counts."""
    values = fill(values_of(definition, counts))
    return estimate_of_values(values, counts, weights, clusters, definition.prevalence)


def estimate_of_values(
    values: Float,
    counts: ThresholdCounts,
    weights: Array | None,
    clusters: Index | None,
    prevalence: float | None,
) -> Estimate:
    """Estimate a mean over queries, which are sampled as a whole, or in clusters: equation 16.

    ``values`` are those of the queries of ``counts``.
    """
    # Queries of [0.2, 0.4, 0.9] -> 0.5, with V = 0.0433
    shares = shares_of(values, weights)
    mean = np.array([average_rankings(values, weights)])
    unit = np.arange(values.size) if clusters is None else clusters
    unit_shares = np.bincount(unit, shares).astype(np.float64)
    n = np.atleast_1d(effective_number(unit_shares))
    deviations = shares * (np.where(shares > 0, values, 0.0) - mean)  # nan has no share
    squares = np.bincount(unit, deviations).astype(np.float64) ** 2
    n_units = int(np.count_nonzero(unit_shares))
    sum_of_squares = above_rounding(np.sum(squares), n)
    return Estimate(
        counts=counts,
        value=mean,
        is_defined=np.any(counts.n_positives > 0, keepdims=True) & ~np.isnan(mean),
        variance=sum_of_squares * variance_factor(n),
        nu=degrees_of_freedom(sum_of_squares, np.sum(squares**2), n_units),
        n_effective=n,
        n_negatives=np.full(1, np.nan),
        has_clusters=np.array([n_units < np.count_nonzero(shares)]),
        hidden=HiddenQueries(mean, n),
        prevalence=prevalence,
    )


def estimate_of_groups(
    values: Float,
    counts: ThresholdCounts,
    has_score: Bool,
    group: Index,
    prevalence: float | None,
) -> Estimate:
    """Estimate the mean over the queries of each group, which are sampled as a whole: equation 16.

    ``values`` are numbers for all queries of ``counts``, also for those without a score, and
    ``group`` has the number of the group of each query. A group needs one with a score.
    """
    # [0.5, 1, 0.25] in groups [0, 0, 1] -> means [0.75, 0.25], with V = [0.0625, 0]

    def add_up(numbers: Array) -> Float:
        return np.bincount(group, numbers).astype(np.float64)

    n = add_up(np.ones(group.size))
    mean = add_up(values) / n
    squares = np.square((values - mean[group]) / n[group])
    sum_of_squares = above_rounding(add_up(squares), n)
    is_defined = add_up(has_score) > 0
    return Estimate(
        counts=counts,
        value=np.where(is_defined, mean, np.nan),
        is_defined=is_defined,
        variance=sum_of_squares * variance_factor(n),
        nu=degrees_of_freedom(sum_of_squares, add_up(squares**2), n),
        n_effective=n,
        n_negatives=np.full(n.size, np.nan),
        has_clusters=np.zeros(n.size, bool),
        hidden=HiddenQueries(mean, n),
        prevalence=prevalence,
    )
