"""The scores of several models on the same units, estimated together.

Equations are those of ``docs/methods.md``: 16 to 20. All rankings of all models are counted at
once. What a sampled unit adds to each score, its influences, tells how the errors of scores go
together; every question about models is one about their differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import select_rankings, values_of
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request, check_models
from sklearn_ap._types import Argument, Array, Bool, Float
from sklearn_ap._uncertainty._halves import N_PAIRS_OF_BIAS
from sklearn_ap._uncertainty._units import PlacedRows
from sklearn_ap._uncertainty._variance import above_rounding, variance_factor
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    Fill,
    ScoredRankings,
    estimate_of_each,
    fillings,
    join_estimates,
    place_items,
)
from sklearn_ap._uncertainty.means import MeanOfQueries, MeanOfRankings, share_of_one
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence

# A margin leaves room for so many false alarms above all rows. With room for one, models that are
# worse by the margin were called "not worse" in up to 21 of 100 samples; with two, in 8.
ALARMS = 2.0
# The rows that one fold tests train the models of the others, so that errors of folds go together.
FOLD_FACTOR = 1.25


class SampleSizes(NamedTuple):
    """What a sample tells of each score: arrays of shape (n_scores,).

    Parameters
    ----------
    n_units : ndarray
        The number of units.
    n_effective : ndarray
        n, the effective number of positives by units, or of queries.
    one_row : ndarray
        What one row changes a score that one model alone ranks right: 1 / R of equation 21. Of
        means over queries, a query stands for a row.
    """

    n_units: Float
    n_effective: Float
    one_row: Float


@dataclass(frozen=True, eq=False)
class Joint:
    """The scores of several models, with the errors that they share.

    A score is one of a model, or of a model and a ranking for ``average=None``: all rankings of the
    first model come first. Arrays have an entry for each score.

    Parameters
    ----------
    n_models : int
    estimate : Estimate
        That of all scores, with the counts of the first model, whose labels all models share.
    make_influences : callable
        Makes ``influences``.
    sizes : SampleSizes
    bias : ndarray of shape (n_rankings, n_scores), default=None
        Of means over rankings, what each adds to the bias of the mean: equation 18.
    hidden_cost : ndarray of shape (n_scores,), default=None
        What two false alarms above all rows, or one more query in which the model fails, would cost
        each score: equation 24. None where a margin is refused.
    halves : ndarray of shape (n_scores, n_pairs), default=None
        In the place of influences, for the covariance alone: equation 20.
    difference_factor : float, default=1
        Multiplies the variances of differences: that of folds.
    has_fixed_queries : bool, default=False
        Whether scores are means over classes, whose units are images.
    """

    n_models: int
    estimate: Estimate
    make_influences: Callable[[], Float | csr_array]
    sizes: SampleSizes
    bias: Float | None = None
    hidden_cost: Float | None = None
    halves: Float | None = None
    difference_factor: float = 1.0
    has_fixed_queries: bool = False

    @property
    def n_rankings(self) -> int:
        """The number of scores of each model."""
        return self.estimate.value.size // self.n_models

    @property
    def tells(self) -> Bool:
        """Whether a score has an error: one unit tells nothing of others."""
        # That of a mean counts each column by itself, and that of its estimate the shared units.
        n = np.minimum(self.sizes.n_effective, self.estimate.n_effective)
        return (n > 1 + RELATIVE_TOLERANCE) & (self.sizes.one_row <= 1 + RELATIVE_TOLERANCE)

    @cached_property
    def influences(self) -> Float | csr_array:
        """Those of units on each score, times the root of the factor f of equation 3.

        Of shape (n_scores, n_units).
        """
        return self.make_influences()

    @cached_property
    def covariance(self) -> Float:
        """The covariance matrix of the errors of scores."""
        phi = self.influences if self.halves is None else self.halves
        product = phi @ phi.T
        covariance = np.asarray(product.toarray() if isinstance(product, csr_array) else product)
        # As in variances: an error that is one of rounding has no correlation.
        is_known = above_rounding(np.diag(covariance), self.sizes.n_effective) > 0
        return np.where(is_known & is_known[:, None], covariance, 0.0)


def joint_of_requests(
    definition: Definition,
    requests: Sequence[Request],
    rankings: Sequence[Rankings] | None = None,
    *,
    rng: Argument = 0,
    are_folds: bool = False,
) -> Joint:
    """Estimate the scores of models together: a request for each, which differ in ``y_score`` only.

    Parameters
    ----------
    definition : Definition
        One without influence, such as at k, is compared over rows of one ranking, or over queries.
    requests : sequence of Request
        Their rankings may be one, or columns, classes or queries, with weights and clusters.
    rankings : sequence of Rankings, default=None
        Those of the requests, if they are checked already, with all items.
    rng : int, Generator or None, default=0
        Draws half samples, of all models at once.
    are_folds : bool, default=False
        Whether rows are those of a pool of folds.
    """
    # 1 0 1 0 and 1 1 0 0 by two models -> 0.833 and 1
    each = check_models([*requests]) if rankings is None else rankings
    first = requests[0]
    definition = at_prevalence(definition, first.prevalence)
    _check_same_items(each)
    models = _Models(definition, first, each)
    if each[0].are_queries:
        joint = _joint_of_queries(models)
    elif models.is_mean:
        joint = _joint_of_means(models, rng)
    else:
        joint = _joint_of_each(models, rng)
    if are_folds:
        return replace(joint, hidden_cost=None, difference_factor=FOLD_FACTOR)
    return joint


@dataclass(frozen=True, eq=False)
class _Models:
    """Models whose rankings are checked.

    Parameters
    ----------
    definition : Definition
        At the prevalence that is asked for.
    request : Request
        That of the first model.
    rankings : sequence of Rankings
        Those of each model.
    """

    definition: Definition
    request: Request
    rankings: Sequence[Rankings]

    @property
    def first(self) -> Rankings:
        """Those of the first model."""
        return self.rankings[0]

    @cached_property
    def stacked(self) -> Rankings:
        """The rankings of all models one after another."""
        return stack_rankings(self.rankings)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of models and of rankings of each."""
        return len(self.rankings), self.first.n_rankings

    @property
    def is_mean(self) -> bool:
        """Whether a score is a mean over rankings that share units."""
        return self.first.average is not None and self.first.n_rankings > 1

    @cached_property
    def fills(self) -> tuple[Fill, Fill]:
        """What replaces undefined values, of which one model warns: of the first, and of others."""
        return fillings(self.request.zero_division, self.request.prevalence)

    def fill(self, values: Float) -> Float:
        """Replace undefined values of all models one after another."""
        of_first, of_others = self.fills
        n = self.first.n_rankings
        return np.concatenate((of_first(values[:n]), of_others(values[n:])))


def _check_same_items(models: Sequence[Rankings]) -> None:
    if not all(np.array_equal(model.positive, models[0].positive) for model in models):
        raise ValueError(
            f"The models of y_scores must score the same rows and columns, but their rankings "
            f"have {[model.score.size for model in models]} items."
        )


def stack_rankings(models: Sequence[Rankings]) -> Rankings:
    """Put the rankings of models one after another, so that they are counted at once.

    Their items are the same, and so are the units of these.
    """
    # 4 rows of 2 models -> items 0 to 3 of ranking 0, and 4 to 7 of ranking 1
    first, k = models[0], len(models)

    def repeat(values: Array | None) -> Array | None:
        return None if values is None else np.tile(values, k)

    ranking, clusters = first.ranking, first.clusters
    if ranking is not None:
        clusters = repeat(np.arange(ranking.size) if clusters is None else clusters)
        ranking = (np.arange(k)[:, None] * first.n_rankings + ranking).ravel()
    return replace(
        first,
        positive=np.tile(first.positive, k),
        score=np.concatenate([model.score for model in models]),
        weight=repeat(first.weight),
        ranking=ranking,
        n_rankings=k * first.n_rankings,
        n_positives=repeat(first.n_positives),
        n_unscored=repeat(first.n_unscored),
        n_negatives=repeat(first.n_negatives),
        clusters=clusters,
    )


def _estimates_one_by_one(models: _Models, scored: ScoredRankings, rng: Argument) -> Estimate:
    """Estimate each score as if it were alone, as half samples must be drawn for it alone."""
    n = models.first.n_rankings
    warn_when_k_exceeds_weight(models.definition.depth, models.first)
    estimates: list[Estimate] = []
    for start in range(0, scored.values.size, n):
        alone = scored.select(start, start + n, is_weighted=models.first.weight is not None)
        estimates.append(estimate_of_each(alone, models.fills[bool(estimates)], rng))
    return join_estimates(estimates)


def _joint_of_queries(models: _Models) -> Joint:
    """Estimate means over queries, which are sampled as a whole, or in clusters: equation 16."""
    # Queries of 1 and 0.5 by a model -> 0.75, with influences [0.177, -0.177]
    definition, first = models.definition, models.first
    warn_when_k_exceeds_weight(definition.depth, first)
    counts = count(models.stacked.select_retrieved(), definition.depth)
    values = models.fill(values_of(definition, counts)).reshape(models.shape)
    weights = first.weight_in_average(counts.n_positives[: first.n_rankings])
    counts_of_one = select_rankings(counts, 0, first.n_rankings)
    means = [MeanOfQueries(row, weights, first.query_clusters) for row in values]
    estimate = join_estimates(
        [mean.estimate(counts_of_one, definition.prevalence) for mean in means]
    )
    n = estimate.n_effective
    root = np.sqrt(variance_factor(n))[:, None]
    n_units = np.array([mean.n_units for mean in means], np.float64)
    are_alike = first.query_clusters is None and np.all(n_units - n < RELATIVE_TOLERANCE * n_units)
    return Joint(
        n_models=len(means),
        estimate=estimate,
        make_influences=lambda: root * np.array([mean.influences for mean in means]),
        sizes=SampleSizes(n_units, n, share_of_one(np.array([mean.n_queries for mean in means]))),
        hidden_cost=estimate.hidden.changes(np.ones(n.size)).down if are_alike else None,
    )


def _place(models: _Models) -> ScoredRankings:
    """Place the rows of all models, which share their units."""
    scored = place_items(models.definition, models.stacked)
    n_models, _ = models.shape
    return replace(
        scored,
        make_rows=lambda: _share_unscored(scored.placed_rows, n_models),
        has_clusters=models.first.clusters is not None,
    )


def _check_is_tried(models: _Models, scored: ScoredRankings) -> None:
    """Refuse half samples of all but single rankings of rows."""
    has_other_units = models.first.clusters is not None or models.request.prevalence is not None
    if not scored.has_influence and (models.is_mean or has_other_units):
        raise ValueError(
            f"{models.definition!r} of one ranking is compared over rows alone: over clusters, "
            f"limits of differences covered 78 of 100 truths, and means over columns and another "
            f"prevalence were not tried. Pass queries, or a definition that looks at all rows, "
            f"such as step AP."
        )


def _share_unscored(rows: PlacedRows, n_models: int) -> PlacedRows:
    """Let models share the positives that are no rows, as they share rows."""
    is_unscored = rows.place >= rows.places.begins.unscored
    n_unscored = int(np.count_nonzero(is_unscored))
    if not n_unscored:
        return rows
    n_of_each = n_unscored // n_models
    n_others = rows.n_units - n_unscored
    unit = rows.unit.copy()
    unit[is_unscored] = n_others + (unit[is_unscored] - n_others) % n_of_each
    return replace(rows, unit=unit, n_units=n_others + n_of_each)


def _joint_of_each(models: _Models, rng: Argument) -> Joint:
    """Estimate scores of single rankings: equations 17 and 20."""
    # 1 0 1 0 and 1 1 0 0 by two models -> influences [0.196, -0.157, -0.039, 0], and zeros
    scored = _place(models)
    _check_is_tried(models, scored)
    sizes = _sizes(scored)
    halves = hidden_cost = None
    if scored.has_influence:
        estimate = estimate_of_each(scored, models.fill, rng)
    else:
        estimate = _estimates_one_by_one(models, scored, rng)
        pairs = scored.halves_of_variance(rng)
        n_known = np.count_nonzero(~np.isnan(pairs.first - pairs.second), axis=0)
        factor = variance_factor(sizes.n_effective) * (1 - 1 / pairs.n_units)
        halves = pairs.influences * np.sqrt(factor / np.maximum(n_known, 1))[:, None]
    is_one_of_rows = models.first.n_rankings == 1 and not scored.has_clusters
    if is_one_of_rows and scored.definition.takes_margin:
        n_alarms = np.full(scored.values.size, ALARMS)
        hidden_cost = scored.hidden.changes(n_alarms, only_down=True).down
    return Joint(
        n_models=models.shape[0],
        estimate=replace(
            estimate, counts=select_rankings(scored.rows.counts, 0, models.first.n_rankings)
        ),
        make_influences=lambda: _influences(scored),
        sizes=sizes,
        hidden_cost=hidden_cost,
        halves=halves,
    )


def _joint_of_means(models: _Models, rng: Argument) -> Joint:
    """Estimate means over rankings that share units: equations 17 and 18."""
    # 1 0 1 0 and 1 1 0 0 as columns of a model -> 0.917, the mean of 0.833 and 1
    means: list[MeanOfRankings] = []
    for each in models.rankings:
        scored = place_items(models.definition, each)
        _check_is_tried(models, scored)
        values = models.fills[bool(means)](scored.values)
        weights = each.weight_in_average(scored.rows.counts.n_positives)
        means.append(MeanOfRankings(scored, values, weights))
    return Joint(
        n_models=len(means),
        estimate=join_estimates([mean.estimate(rng) for mean in means]),
        make_influences=lambda: np.array([mean.influences for mean in means]),
        sizes=SampleSizes(*map(np.array, zip(*map(_sizes_of_mean, means), strict=True))),
        bias=_bias_of_means(models, means, rng),
        has_fixed_queries=models.first.ranking is not None and models.request.clusters is not None,
    )


def _sizes_of_mean(mean: MeanOfRankings) -> tuple[float, float, float]:
    """Return what ``SampleSizes`` has of a mean."""
    scored = mean.scored
    one_of_mean = mean.change(scored.units.sizes[0].n_effective)
    n = float(mean.shares.sum()) / one_of_mean if one_of_mean > 0 else 0.0
    one_row = mean.change(scored.deciding(_rows_of(scored)))
    return float(scored.placed_rows.n_units), n, one_row


def _bias_of_means(models: _Models, means: Sequence[MeanOfRankings], rng: Argument) -> Float | None:
    """Return what each ranking adds to the bias of each mean: (n_rankings, n_models)."""
    # 1 0 1 0 and 1 1 0 0 as columns of a model -> [0.0625, 0]
    shares = np.array([mean.shares for mean in means])
    is_averaged = shares.any(axis=0)
    if np.count_nonzero(is_averaged) < 2:  # a single ranking varies so much that it does not matter
        return None
    if all(mean.has_closed_bias for mean in means):
        biases = np.array([mean.own_row_biases for mean in means])
    else:  # halves of all models at once, as their errors go together
        scored = _place(models)
        halves = scored.halves(N_PAIRS_OF_BIAS, rng)
        values = np.nan_to_num(scored.values)
        biases = halves.bias(values, scored.definition.bias_rate).reshape(shares.shape)
    return (shares * biases).T[is_averaged]


def _influences(scored: ScoredRankings) -> Float | csr_array:
    """Return the influences of units on rankings, times root f: (n_rankings, n_units)."""
    root = np.sqrt(variance_factor(scored.units.sizes[0].n_effective))
    if scored.items is not None:  # places would take as long as all the rest
        influence = scored.influence
        below = np.where(np.isnan(influence.below), 0.0, influence.below)
        cells = scored.items.item_values(
            influence.positive, influence.tied, influence.between, below
        )
    else:
        rows = scored.placed_rows
        cells = rows.influences(scored.influence)
        if cells.size < rows.n_rankings * rows.n_units:  # some units have none in a ranking
            return rows.table(cells * root[rows.cell_ranking])
    influences = cells.reshape(root.size, -1)
    influences *= root[:, None]
    return influences


def _sizes(scored: ScoredRankings) -> SampleSizes:
    """Return the sizes of rankings."""
    return SampleSizes(
        n_units=scored.units.units_of_rankings,
        n_effective=scored.units.sizes[0].n_effective,
        one_row=share_of_one(scored.deciding(_rows_of(scored))),
    )


def _rows_of(scored: ScoredRankings) -> Float:
    """Return the effective number of positives by rows, R of equation 21."""
    n_units, n_rows = scored.units.sizes[0].n_effective, scored.rows.sizes[0].n_effective
    return np.maximum(n_units, n_rows)
