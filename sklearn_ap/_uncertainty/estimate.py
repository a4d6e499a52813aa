"""A score with what its limits need: the estimate of rows, of counts, or of queries.

Equations are those of ``docs/methods.md``. Definitions have 1 and 2, and 13 stands beside them;
``sampling``, ``hidden_rows``, ``half_samples`` and ``bias`` have the next ones, and are called here
in this order. Means over rankings, equation 15, and over queries, 16, stand here. ``limits`` turns
an estimate into limits at any level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.averages import (
    average_rankings,
    check_average_of_counts,
    check_zero_division,
    fill_undefined,
)
from sklearn_ap._counts.counting import SortedItems, add_known_totals, count, sort_items
from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts, values_of
from sklearn_ap._inputs.rankings import Average, Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request, check_models
from sklearn_ap._types import Argument, Array, Bool, Float, Index
from sklearn_ap._uncertainty.bias import has_own_row_bias, own_row_bias
from sklearn_ap._uncertainty.half_samples import (
    N_PAIRS,
    N_PAIRS_OF_BIAS,
    Halves,
    halves_of_counts,
    halves_of_rankings,
)
from sklearn_ap._uncertainty.hidden_rows import Hidden, HiddenQueries, HiddenRows, HiddenRowsOfMean
from sklearn_ap._uncertainty.options import check_definition
from sklearn_ap._uncertainty.sampling import (
    ROUNDING,
    Sample,
    Units,
    effective_number,
    powers,
    sample_of_counts,
    sample_of_rankings,
    scale_weights,
    unit_of_items,
    variance_and_degrees,
    variance_factor,
)
from sklearn_ap.definitions import Definition, RecallAtPrecision, ReciprocalRank, Step
from sklearn_ap.definitions._influence import Influence
from sklearn_ap.definitions._prevalence import _AtPrevalence, at_prevalence

Fill = Callable[[Float], Float]  # replaces undefined values as zero_division= asks


class UnitInfluences(NamedTuple):
    """The influence of each sampling unit on each score, times the root of f of equation 3.

    There is a number for each pair of a score and a unit that has one; sums of squares over units,
    each ``repeats`` times, are variances. Scores that jump have the influences on step average
    precision, as a comparison draws their half samples together.
    """

    values: Float
    score: Index
    unit: Index
    repeats: Float

    def by_unit(self, n_scores: int) -> Float:
        """Return a table of shape (n_units, n_scores)."""
        n_units = self.repeats.size
        sums = np.bincount(self.unit * n_scores + self.score, self.values, n_units * n_scores)
        return sums.reshape(n_units, n_scores)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Scores of one sample, and what their limits and comparisons need.

    All arrays have shape (n_scores,): one for a score or a mean, several for ``average=None``.

    Parameters
    ----------
    value : ndarray
        As the score function with the same arguments.
    is_defined : ndarray of bool
        Whether there is a positive. Other values are those that ``zero_division`` says, and have
        no limits.
    variance, nu : ndarray
        V of equation 3, or 15, and its degrees of freedom, equation 9.
    degrees : ndarray
        Those of Student's t.
    n_effective, n_row_positives : ndarray
        The effective number of positives, equation 4, by units and by rows: n and R. Of a mean over
        queries, that of queries.
    n_negatives : ndarray
        The effective number of negatives by units; nan for queries.
    hidden : Hidden
        By how much hidden rows, or queries, would change each score.
    influences : UnitInfluences
    bias, bias_error : ndarray, default=0
        What is subtracted from the limits of a mean over rankings, and how uncertain that is.
    has_clusters : ndarray of bool, default=False
        Whether units have several rows, or several queries.
    one_more_cluster : ndarray, default=None
        The values with one more cluster whose negatives all rank first: equation 14. None without
        clusters, and for means.
    """

    value: Float
    is_defined: Bool
    variance: Float
    nu: Float
    degrees: Float
    n_effective: Float
    n_row_positives: Float
    n_negatives: Float
    hidden: Hidden
    influences: UnitInfluences
    bias: Float
    bias_error: Float
    has_clusters: Bool
    one_more_cluster: Float | None = None

    @property
    def standard_error(self) -> Float:
        """The root of V; nan without a positive, and for one unit, which tells nothing of others."""
        is_known = self.is_defined & (self.n_effective > 1 + ROUNDING)
        return np.where(is_known, np.sqrt(self.variance), np.nan)


def estimate_of_request(definition: Argument, request: Request, rng: Argument = 0) -> Estimate:
    """Estimate the score of a request: of rows, clusters, columns, queries, or a pool of folds."""
    (rankings,) = check_models([request])
    return estimate_of_checked(definition, request, rankings, rng)


def estimate_of_checked(
    definition: Argument, request: Request, rankings: Rankings, rng: Argument = 0
) -> Estimate:
    """Estimate the score of a request whose rankings are checked."""
    definition = at_prevalence(check_definition(definition), request.prevalence)
    fill = _fill(request.zero_division, request.prevalence)
    warn_when_k_exceeds_weight(definition.depth, rankings)
    return estimate_of_rankings(definition, rankings, fill, rng)


def estimate_of_counts(
    definition: Argument,
    counts: Argument,
    average: Argument = "macro",
    zero_division: Argument = "warn",
    prevalence: Argument = None,
    rng: Argument = 0,
) -> Estimate:
    """Estimate the score of unweighted counts; several are queries, unless ``average`` is None."""
    check_counts(counts)
    check_average_of_counts(average)
    definition = at_prevalence(check_definition(definition), prevalence)
    fill = _fill(zero_division, prevalence)
    if counts.several and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        return _estimate_of_queries(definition, counts, fill, weights, None)
    _refuse_weighted(counts)
    return _estimate_of_counts(definition, counts, fill, rng)


def estimate_of_rankings(
    definition: Definition, rankings: Rankings, fill: Fill, rng: Argument = 0
) -> Estimate:
    """Estimate the score of checked rankings of all items, retrieved or not."""
    if rankings.are_queries:
        counts = count(rankings.select_retrieved(), definition.depth)
        weights = rankings.weight_in_average(counts.n_positives)
        return _estimate_of_queries(definition, counts, fill, weights, rankings.query_clusters)
    is_mean = rankings.average is not None and rankings.n_rankings > 1
    if rankings.weight is None and rankings.clusters is None and not is_mean:
        return _estimate_of_counts(definition, count(rankings.select_retrieved()), fill, rng)
    _refuse_one_row(definition)
    placed = _place(definition, rankings)
    filled = fill(placed.values)
    if is_mean:
        return _estimate_of_mean(placed, filled, rng)
    halves = None if placed.has_influence else _halves_of_each(placed, rng)
    return _estimate_of_each(placed, filled, halves)


def _fill(zero_division: Argument, prevalence: Argument) -> Fill:
    score = check_zero_division(zero_division)
    return partial(fill_undefined, zero_division=score, prevalence=prevalence)


def _refuse_weighted(counts: ThresholdCounts) -> None:
    if counts.gained.dtype.kind == "f" or counts.fps.dtype.kind == "f":
        raise ValueError(
            "An interval from counts takes unweighted ones, as it depends on the weight of each "
            "row. Draw 10,000 rows at random, or 10,000 clusters with all their rows, and pass "
            "these to average_precision_interval, with sample_weight and clusters. For another "
            "prevalence, pass counts as they are, and prevalence beside them."
        )


def _refuse_one_row(definition: Definition) -> None:
    base = definition.definition if isinstance(definition, _AtPrevalence) else definition
    if isinstance(base, RecallAtPrecision | ReciprocalRank):
        raise ValueError(
            f"{base!r} of one ranking has no interval, as it hangs on a single row. Over queries "
            f"it has one: pass queries. For one ranking, take definition=PrecisionAtRecall(...), "
            f"or the interval of operating_point at a threshold that you chose on other data."
        )


@dataclass(frozen=True, eq=False)
class _Placed:
    """Rankings whose units have their influence on each value."""

    definition: Definition
    counts: ThresholdCounts
    sample: Sample
    phi: Float  # of each cell: equation 2
    values: Float  # nan without a positive
    has_influence: bool  # if not, phi is that of step average precision

    @property
    def is_defined(self) -> Bool:
        return ~np.isnan(self.values) & (self.counts.n_positives > 0)

    @property
    def hidden(self) -> HiddenRows:
        values = np.where(self.is_defined, self.values, np.nan)
        return HiddenRows(self.definition, self.counts, values, self.sample.weights)


@dataclass(frozen=True, eq=False)
class _PlacedItems(_Placed):
    """The same of rankings whose items are known."""

    rankings: Rankings
    items: SortedItems  # those that were retrieved

    def halves(self, n_pairs: int, rng: Argument) -> Halves:
        """Score half samples of the units."""
        return halves_of_rankings(
            self.definition, self.rankings, self.items, self.sample, n_pairs, rng
        )


def _influence_of_rows(definition: Definition, counts: ThresholdCounts) -> tuple[Influence, bool]:
    """Return the influence of rows, and whether the definition has one.

    If it has none, it is that on step average precision. At another prevalence, either is that of
    equation 13.
    """
    own = definition.influence(counts)
    step = at_prevalence(Step(), definition.prevalence)
    influence = own or step.influence(counts)
    assert influence is not None  # noqa: S101
    # Those on undefined values are nan.
    unscored = np.nan_to_num(influence.unscored)
    below = np.nan_to_num(influence.below + np.zeros(unscored.shape))
    return replace(influence, unscored=unscored, below=below), own is not None


def _estimate_of_counts(
    definition: Definition, counts: ThresholdCounts, fill: Fill, rng: Argument
) -> Estimate:
    """Estimate the score of each ranking from its counts, whose rows are units."""
    _refuse_one_row(definition)
    values = values_of(definition, counts)
    sample = sample_of_counts(counts)
    influence, has_influence = _influence_of_rows(definition, counts)
    unscored = influence.unscored * sample.unscored_weight
    at_thresholds = (influence.positive, influence.tied, influence.between)
    phi = np.concatenate((*at_thresholds, unscored, influence.below))
    placed = _Placed(definition, counts, sample, phi, values, has_influence)
    halves = None if has_influence else halves_of_counts(definition, counts, N_PAIRS, rng)
    return _estimate_of_each(placed, fill(values), halves)


def _place(definition: Definition, rankings: Rankings) -> _PlacedItems:
    """Sort the items of rankings, and add up the influence of each unit on each value."""
    if definition.depth is None:  # otherwise k counts weight as it is
        rankings = scale_weights(rankings)
    retrieved = rankings.select_retrieved()
    items = sort_items(retrieved)
    counts = add_known_totals(items.counts, retrieved)
    values = values_of(definition, counts)
    sample = sample_of_rankings(rankings)
    influence, has_influence = _influence_of_rows(definition, counts)
    unscored = None
    if sample.unscored_weight is not None:
        unscored = influence.unscored * sample.unscored_weight
    item_influence = rankings.weight_of_items * _influence_of_items(influence, items, rankings)
    phi = sample.units.add_up(item_influence, unscored)
    return _PlacedItems(
        definition, counts, sample, phi, values, has_influence, rankings=rankings, items=items
    )


def _influence_of_items(influence: Influence, items: SortedItems, rankings: Rankings) -> Float:
    """Give each item the influence of a row of its class at its threshold."""
    found = items.item_values(
        influence.positive, influence.tied, influence.between, influence.below
    )
    if found.size == rankings.score.size:
        return found
    ranking = rankings.ranking_of_items
    every = np.where(rankings.positive, influence.unscored[ranking], influence.below[ranking])
    every[rankings.is_retrieved] = found
    return every


def _halves_of_each(placed: _PlacedItems, rng: Argument) -> Halves:
    """Draw half samples of each ranking by itself, so that none depends on the others."""
    n_rankings = placed.rankings.n_rankings
    if n_rankings == 1:
        return placed.halves(N_PAIRS, rng)
    separate = [_one_ranking(placed.rankings, i) for i in range(n_rankings)]
    return Halves.side_by_side(
        [_place(placed.definition, one).halves(N_PAIRS, rng) for one in separate]
    )


def _one_ranking(rankings: Rankings, number: int) -> Rankings:
    """Return one of several rankings."""
    is_item = rankings.ranking_of_items == number

    def its(numbers: Array | None) -> Array | None:
        return None if numbers is None else numbers[number : number + 1]

    return replace(
        rankings,
        positive=rankings.positive[is_item],
        score=rankings.score[is_item],
        weight=None if rankings.weight is None else rankings.weight[is_item],
        ranking=None,
        n_rankings=1,
        n_positives=its(rankings.n_positives),
        n_unscored=its(rankings.n_unscored),
        n_negatives=its(rankings.n_negatives),
        clusters=None if rankings.clusters is None else unit_of_items(rankings)[is_item],
    )


def _estimate_of_each(placed: _Placed, filled: Float, halves: Halves | None) -> Estimate:
    """Estimate the score of each ranking by itself."""
    sample, units, phi = placed.sample, placed.sample.units, placed.phi
    n = units.effective_numbers(sample.positives)
    variance, nu = variance_and_degrees(units.powers_by_ranking(phi), units.n_units, n)
    if halves is not None:
        variance = halves.squares() * variance_factor(n)
    hidden = placed.hidden
    one_more = None
    if sample.has_clusters.any():
        one_more = hidden.with_one_more_cluster(sample.negatives, units)
        one_more = np.where(sample.has_clusters, one_more, np.nan)
    influences = np.sqrt(variance_factor(n))[units.ranking] * phi
    return Estimate(
        value=filled,
        is_defined=placed.is_defined,
        variance=variance,
        nu=nu,
        degrees=np.where(sample.has_clusters, np.minimum(n - 1, nu), n - 1),
        n_effective=n,
        n_row_positives=sample.n_row_positives,
        n_negatives=units.effective_numbers(sample.negatives),
        hidden=hidden,
        influences=UnitInfluences(influences, units.ranking, units.unit, units.repeats),
        bias=np.zeros(n.size),
        bias_error=np.zeros(n.size),
        has_clusters=sample.has_clusters,
        one_more_cluster=one_more,
    )


def _estimate_of_mean(placed: _PlacedItems, filled: Float, rng: Argument) -> Estimate:
    """Estimate the mean over rankings that share their units: equation 15."""
    sample, units = placed.sample, placed.sample.units
    weights = placed.rankings.weight_in_average(placed.counts.n_positives)
    shares = _shares(filled, weights) * placed.is_defined
    n = np.array([units.effective_number_of_mean(shares, sample.positives)])
    factors = shares * np.sqrt(variance_factor(units.effective_numbers(sample.positives)))
    phi = units.by_unit(factors, placed.phi)
    variance, nu = variance_and_degrees(powers(phi, units.repeats), units.repeats.sum(), n)
    variance = variance / variance_factor(n)  # phi has the factor of each ranking
    has_clusters = np.any(sample.has_clusters & (shares > 0), keepdims=True)
    halves = _halves_of_mean(placed, shares, has_clusters, rng)
    hidden_units, hidden_phi = units, placed.phi
    if not placed.has_influence and halves is not None:
        squares = halves.mean(shares).squares() * shares.sum() ** 2
        variance = squares * variance_factor(n)
        hidden_units, hidden_phi = halves.units, halves.influences.ravel()
    mean_bias, bias_error = _bias_of_mean(placed, shares, halves)
    zeros = np.zeros(phi.size, np.intp)
    return Estimate(
        value=np.array([average_rankings(filled, weights)]),
        is_defined=np.any(placed.is_defined, keepdims=True),
        variance=variance,
        nu=nu,
        degrees=np.where(has_clusters, np.minimum(n - 1, nu), n - 1),
        n_effective=n,
        n_row_positives=n,
        n_negatives=np.array([units.effective_number_of_mean(shares, sample.negatives)]),
        hidden=_hidden_of_mean(placed.hidden, shares, hidden_units, hidden_phi),
        influences=UnitInfluences(phi, zeros, np.arange(phi.size), units.repeats),
        bias=mean_bias,
        bias_error=bias_error,
        has_clusters=has_clusters,
    )


def _shares(values: Float, weights: Float | None) -> Float:
    """Return the weight of each ranking in the mean, 0 for one without a value; they sum to 1."""
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # the sum of huge weights would be infinite
    return np.asarray(shares / (shares.sum() or 1.0))


def _hidden_of_mean(hidden: HiddenRows, shares: Float, units: Units, phi: Float) -> Hidden:
    lengths = np.sqrt(units.by_ranking(phi**2))
    directions = phi / np.where(lengths > 0, lengths, 1.0)[units.ranking]
    return HiddenRowsOfMean(hidden, shares, units, directions)


def _halves_of_mean(
    placed: _PlacedItems, shares: Float, has_clusters: Bool, rng: Argument
) -> Halves | None:
    """Draw half samples for a mean, if its variance or its bias needs them."""
    if not placed.has_influence:
        return placed.halves(N_PAIRS, rng)
    is_closed = has_own_row_bias(placed.definition) and not has_clusters
    if is_closed or np.count_nonzero(shares) < 2:
        return None
    return placed.halves(N_PAIRS_OF_BIAS, rng)


def _bias_of_mean(
    placed: _PlacedItems, shares: Float, halves: Halves | None
) -> tuple[Float, Float]:
    """Return the bias b of a mean, and b_e: equations 11 and 12.

    A single ranking varies so much that its bias does not matter.
    """
    zero = np.zeros(1)
    if np.count_nonzero(shares) < 2:
        return zero, zero
    if halves is None:
        bias = own_row_bias(placed.counts, placed.items, placed.rankings.select_retrieved())
        return np.array([shares @ bias]), zero
    total = shares.sum()
    value = np.array([shares @ np.nan_to_num(placed.values) / total])
    bias = halves.mean(shares).bias(value, placed.definition) * total
    return bias, bias


def _estimate_of_queries(
    definition: Definition,
    counts: ThresholdCounts,
    fill: Fill,
    weights: Float | None,
    clusters: Index | None,
) -> Estimate:
    """Estimate a mean over queries, which are sampled as a whole, or in clusters: equation 16."""
    values = fill(values_of(definition, counts))
    shares = _shares(values, weights)
    mean = average_rankings(values, weights)
    unit = np.arange(values.size) if clusters is None else clusters
    unit_shares = np.bincount(unit, shares)
    n = effective_number(unit_shares)
    deviations = shares * (np.where(shares > 0, values, 0.0) - mean)  # nan has no share
    phi = np.bincount(unit, deviations)
    n_units = np.count_nonzero(unit_shares)
    variance, nu = variance_and_degrees(powers(phi, np.ones(phi.size)), n_units, n)
    has_clusters = n_units < np.count_nonzero(shares)
    value, n_effective, zero = np.array([mean]), np.array([n]), np.zeros(1)
    influences = np.sqrt(variance_factor(n)) * phi
    scores = np.zeros(phi.size, np.intp)
    return Estimate(
        value=value,
        is_defined=np.any(counts.n_positives > 0, keepdims=True),
        variance=np.atleast_1d(variance),
        nu=np.atleast_1d(nu),
        degrees=np.array([min(n - 1, float(nu)) if has_clusters else n - 1]),
        n_effective=n_effective,
        n_row_positives=n_effective,
        n_negatives=np.full(1, np.nan),
        hidden=HiddenQueries(value, n_effective),
        influences=UnitInfluences(influences, scores, np.arange(phi.size), np.ones(phi.size)),
        bias=zero,
        bias_error=zero,
        has_clusters=np.array([has_clusters]),
    )
