"""The scores of several models on the same units, estimated together.

Equations are those of the part on comparisons of ``docs/methods.md``: 1 to 5. All rankings of all
models are counted at once. What a sampled unit adds to each score, its influences, tells how the
errors of scores go together; every question about models is one about their differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import block_diag, csr_array

from sklearn_ap._counts.counting import count, n_ranks
from sklearn_ap._counts.thresholds import values_of
from sklearn_ap._inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request, check_models
from sklearn_ap._types import Argument, Array, Bool, Float
from sklearn_ap._uncertainty._bias import bias_rate, own_row_bias
from sklearn_ap._uncertainty._halves import N_PAIRS, N_PAIRS_OF_BIAS, join_rows
from sklearn_ap._uncertainty._halves import halves as draw_halves
from sklearn_ap._uncertainty._hidden import HiddenQueries
from sklearn_ap._uncertainty._sampling import (
    ROUNDING,
    ratio,
    variance_factor,
)
from sklearn_ap._uncertainty._units import Sample
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    Fill,
    _estimate_of_each,
    _fill,
    _place_items,
    _Placed,
    _shares,
    estimate_of_checked,
    estimate_of_values,
)
from sklearn_ap._uncertainty.limits import Limits, limits_of
from sklearn_ap._uncertainty.options import check_definition
from sklearn_ap.definitions import Step
from sklearn_ap.definitions._prevalence import at_prevalence

# A margin leaves room for so many false alarms above all rows. With room for one, models that are
# worse by the margin were called "not worse" in up to 21 of 100 samples; with two, in 6.
ALARMS = 2.0
# The rows that one fold tests train the models of the others, so that errors of folds go together.
FOLD_FACTOR = 1.25


class Sizes(NamedTuple):
    """What a sample tells of each score: arrays of shape (n_scores,).

    Parameters
    ----------
    n_units : ndarray
        The number of units.
    n_effective : ndarray
        n, the effective number of positives by units, or of queries.
    one_unit, one_row : ndarray
        What one unit, or one row, changes a score that one model alone ranks right: 1 / n and 1 / R
        of equation 6.
    """

    n_units: Float
    n_effective: Float
    one_unit: Float
    one_row: Float


@dataclass(frozen=True, eq=False)
class Joint:
    """The scores of several models, with the errors that they share.

    A score is one of a model, or of a model and a ranking for ``average=None``: all rankings of the
    first model come first. Arrays have an entry for each score.

    Parameters
    ----------
    n_models : int
    estimates : tuple of Estimate
        The scores one by one, in order: those of all models, or one estimate for each model.
    influences : ndarray or sparse array of shape (n_scores, n_units)
        Those of units on each score, times the root of the factor f of equation 1.
    sizes : Sizes
    bias : ndarray of shape (n_rankings, n_scores), default=None
        Of means over rankings, what each adds to the bias of the mean: equation 2.
    hidden_cost : ndarray of shape (n_scores,), default=None
        What two false alarms above all rows, or one more query in which the model fails, would cost
        each score: equation 9. None where a margin is refused.
    halves : ndarray of shape (n_scores, n_pairs), default=None
        In the place of influences, for the covariance alone: equation 5.
    difference_factor : float, default=1
        Multiplies the variances of differences: that of folds.
    has_fixed_queries : bool, default=False
        Whether scores are means over classes, whose units are images.
    """

    n_models: int
    estimates: tuple[Estimate, ...]
    influences: Float | csr_array
    sizes: Sizes
    bias: Float | None = None
    hidden_cost: Float | None = None
    halves: Float | None = None
    difference_factor: float = 1.0
    has_fixed_queries: bool = False

    @property
    def n_rankings(self) -> int:
        """The number of scores of each model."""
        return self.values.size // self.n_models

    @cached_property
    def values(self) -> Float:
        """The scores, as the score function gives them."""
        return self.collect("value")

    @property
    def tells(self) -> Bool:
        """Whether a score has an error: one unit tells nothing of others."""
        sizes = self.sizes
        return (sizes.n_effective > 1 + ROUNDING) & (sizes.one_unit <= 1 + ROUNDING)

    @cached_property
    def covariance(self) -> Float:
        """The covariance matrix of the errors of scores."""
        phi = self.influences if self.halves is None else self.halves
        product = phi @ phi.T
        return np.asarray(product.toarray() if isinstance(product, csr_array) else product)

    def collect(self, name: str) -> Array:
        """Return an attribute of the estimates, such as "standard_error", of all scores."""
        return np.concatenate([getattr(estimate, name) for estimate in self.estimates])

    def limits(self, confidence_level: float) -> Limits:
        """Return the limits of each score by itself, as for one score alone."""
        found = [limits_of(estimate, confidence_level) for estimate in self.estimates]
        return Limits(*map(np.concatenate, zip(*found, strict=True)))


def joint_of_requests(
    definition: Argument,
    requests: Sequence[Request],
    rng: Argument = 0,
    *,
    are_folds: bool = False,
) -> Joint:
    """Estimate the scores of models together: a request for each, which differ in ``y_score`` only.

    Parameters
    ----------
    definition : Definition
        One without influence, such as at k, is compared over rows of one ranking, or over queries.
    requests : sequence of Request
        Their rankings may be one, or columns, classes or queries, with weights and clusters.
    rng : int, Generator or None, default=0
        Draws half samples, of all models at once.
    are_folds : bool, default=False
        Whether rows are those of a pool of folds.
    """
    return joint_of_checked(
        definition, requests, check_models([*requests]), rng, are_folds=are_folds
    )


def joint_of_checked(
    definition: Argument,
    requests: Sequence[Request],
    models: Sequence[Rankings],
    rng: Argument = 0,
    *,
    are_folds: bool = False,
) -> Joint:
    """Estimate the scores of models together whose rankings are checked."""
    requests = [requests[0], *map(_silenced, requests[1:])]  # to warn once of no positives
    first, stacked = models[0], stack_models(models)
    if first.are_queries:
        joint = _joint_of_queries(definition, requests[0], first, stacked)
    else:
        placed = _place_models(definition, requests[0], first, stacked)
        is_mean = first.average is not None and first.n_rankings > 1
        if is_mean or not placed.has_influence:
            pairs = zip(requests, models, strict=True)
            estimates = tuple(estimate_of_checked(definition, *pair, rng) for pair in pairs)
        else:
            fill = _fill_models(requests[0], first.n_rankings)
            has_clusters = first.clusters is not None
            estimates = (_estimate_of_each(placed, fill, rng, has_clusters=has_clusters),)
        if is_mean:
            joint = _joint_of_means(placed, _silenced(requests[0]), first, estimates, rng)
        else:
            joint = _joint_of_each(placed, first, estimates, rng)
    if are_folds:
        return replace(joint, hidden_cost=None, difference_factor=FOLD_FACTOR)
    return joint


def _silenced(request: Request) -> Request:
    return replace(request, zero_division=0.0) if request.zero_division == "warn" else request


def _fill_models(request: Request, n_rankings: int) -> Fill:
    """Return what fills undefined values of all models, and warns of those of the first alone."""
    fill = _fill(request.zero_division, request.prevalence)
    fill_silently = _fill(_silenced(request).zero_division, request.prevalence)

    def fill_models(values: Float) -> Float:
        fill(values[:n_rankings])
        return fill_silently(values)

    return fill_models


def stack_models(models: Sequence[Rankings]) -> Rankings:
    """Put the rankings of models one after another, so that they are counted at once.

    Their items are the same, and so are the units of these.
    """
    first, k = models[0], len(models)
    for model in models[1:]:
        if model.n_rankings != first.n_rankings or not np.array_equal(
            model.positive, first.positive
        ):
            raise ValueError(
                f"The models of y_scores must score the same rows and columns, but one has "
                f"{first.n_rankings} rankings of {first.score.size} items, and another "
                f"{model.n_rankings} of {model.score.size}."
            )

    def repeat(values: Array | None) -> Array | None:
        return None if values is None else np.tile(values, k)

    ranking, clusters = first.ranking, first.clusters
    if ranking is not None:
        number = np.repeat(np.arange(k) * first.n_rankings, ranking.size)
        clusters = np.tile(np.arange(ranking.size) if clusters is None else clusters, k)
        ranking = np.tile(ranking, k) + number
    return replace(
        first,
        positive=np.tile(first.positive, k),
        score=np.concatenate(_comparable([model.score for model in models])),
        weight=repeat(first.weight),
        ranking=ranking,
        n_rankings=k * first.n_rankings,
        n_positives=repeat(first.n_positives),
        n_unscored=repeat(first.n_unscored),
        n_negatives=repeat(first.n_negatives),
        clusters=clusters,
    )


def _comparable(scores: Sequence[Array]) -> list[Array]:
    """Replace integers by their ranks beside floats, which do not hold all integers."""
    if len({score.dtype.kind for score in scores}) == 1:
        return [*scores]
    return [
        score if score.dtype.kind == "f" else np.unique(score, return_inverse=True)[1]
        for score in scores
    ]


def _joint_of_queries(
    definition: Argument, request: Request, first: Rankings, stacked: Rankings
) -> Joint:
    """Estimate means over queries, which are sampled as a whole, or in clusters: equation 4."""
    definition = at_prevalence(check_definition(definition), request.prevalence)
    warn_when_k_exceeds_weight(definition.depth, first)
    counts = count(stacked.select_retrieved(), definition.depth)
    fill = _fill_models(request, first.n_rankings)
    models = fill(values_of(definition, counts)).reshape(-1, first.n_rankings)
    n_positives = counts.n_positives[: first.n_rankings]
    weights = first.weight_in_average(n_positives)
    clusters = first.query_clusters
    unit = np.arange(first.n_rankings) if clusters is None else clusters
    estimates = tuple(
        estimate_of_values(values, n_positives > 0, weights, clusters, definition.prevalence)
        for values in models
    )
    mean, n = (
        np.concatenate([getattr(e, name) for e in estimates]) for name in ("value", "n_effective")
    )
    shares = np.array([_shares(values, weights) for values in models])
    deviations = shares * (np.where(shares > 0, models, 0.0) - np.nan_to_num(mean)[:, None])
    influences = np.array([np.bincount(unit, each) for each in deviations])
    n_units = np.array([np.count_nonzero(np.bincount(unit, each)) for each in shares])
    one = _share_of_one(n)
    are_alike = clusters is None and np.all(n_units - n < ROUNDING * n_units)
    return Joint(
        n_models=len(models),
        estimates=estimates,
        influences=influences * np.sqrt(variance_factor(n))[:, None],
        sizes=Sizes(n_units.astype(np.float64), n, one, one),
        hidden_cost=HiddenQueries(mean, n).changes(np.ones(n.size)).down if are_alike else None,
    )


def _place_models(
    definition: Argument, request: Request, first: Rankings, stacked: Rankings
) -> _Placed:
    """Place the rows of all models, which share their units; refuse what was not tried."""
    definition = at_prevalence(check_definition(definition), request.prevalence)
    placed = _place_items(definition, stacked)
    is_mean = first.average is not None and first.n_rankings > 1
    has_other_units = first.clusters is not None or definition.prevalence is not None
    if not placed.has_influence and (is_mean or has_other_units):
        raise ValueError(
            f"{definition!r} of one ranking is compared over rows alone: over clusters, limits of "
            f"differences covered 78 of 100 truths, and means over columns and another prevalence "
            f"were not tried. Pass queries, or a definition that looks at all rows, such as Step()."
        )
    n_models = stacked.n_rankings // first.n_rankings
    return replace(placed, make_sample=lambda: _share_unscored(placed.sample, n_models))


def _share_unscored(sample: Sample, n_models: int) -> Sample:
    """Let models share the positives that are no rows, as they share rows."""
    is_unscored = sample.place >= 3 * sample.n_thresholds + 2 * sample.n_rankings
    n_unscored = int(np.count_nonzero(is_unscored))
    if not n_unscored:
        return sample
    n_of_each = n_unscored // n_models
    n_others = sample.n_units - n_unscored
    unit = sample.unit.copy()
    unit[is_unscored] = n_others + (unit[is_unscored] - n_others) % n_of_each
    return replace(sample, unit=unit, n_units=n_others + n_of_each)


def _joint_of_each(
    placed: _Placed, first: Rankings, estimates: tuple[Estimate, ...], rng: Argument
) -> Joint:
    """Estimate scores of single rankings: equations 1 and 5."""
    sizes = _sizes(placed)
    halves = hidden_cost = None
    if not placed.has_influence:
        sample = join_rows(placed.definition, placed.rows.counts, placed.sample)
        pairs = draw_halves(placed.definition, sample, N_PAIRS, rng)
        n_known = np.count_nonzero(~np.isnan(pairs.first - pairs.second), axis=0)
        factor = variance_factor(sizes.n_effective) * (1 - 1 / pairs.n_units)
        halves = pairs.influences * np.sqrt(factor / np.maximum(n_known, 1))[:, None]
    is_one = first.n_rankings == 1 and first.clusters is None
    if is_one and isinstance(placed.definition, Step):
        hidden_cost = placed.hidden.changes(np.full(placed.values.size, ALARMS)).down
    return Joint(
        n_models=placed.values.size // first.n_rankings,
        estimates=estimates,
        influences=_influences(placed),
        sizes=sizes,
        hidden_cost=hidden_cost,
        halves=halves,
    )


def _joint_of_means(
    placed: _Placed,
    request: Request,
    first: Rankings,
    estimates: tuple[Estimate, ...],
    rng: Argument,
) -> Joint:
    """Estimate means over rankings that share units: equations 1 and 2."""
    shape = len(estimates), first.n_rankings
    counts, each = placed.rows.counts, _sizes(placed)
    filled = _fill(request.zero_division, request.prevalence)(placed.values)
    weights = first.weight_in_average(counts.n_positives[: first.n_rankings])
    shares = np.array([_shares(values, weights) for values in filled.reshape(shape)])
    shares *= placed.is_defined.reshape(shape)

    def changes_of_mean(one: Float) -> Float:
        """Return what one unit changes a mean, if it changes each ranking on its own."""
        changes = shares * np.where(shares > 0, one.reshape(shape), 0.0)
        return np.sqrt(np.sum(changes**2, axis=1))

    n = ratio(shares.sum(axis=1), changes_of_mean(_share_of_one(each.n_effective)), otherwise=0.0)
    return Joint(
        n_models=shape[0],
        estimates=estimates,
        influences=csr_array(block_diag(shares[:, None])) @ _influences(placed),
        sizes=Sizes(
            n_units=np.full(shape[0], float(placed.sample.n_units)),
            n_effective=n,
            one_unit=changes_of_mean(each.one_unit),
            one_row=changes_of_mean(each.one_row),
        ),
        bias=_bias_of_means(placed, shares, rng),
        has_fixed_queries=first.ranking is not None and first.has_clusters,
    )


def _bias_of_means(placed: _Placed, shares: Float, rng: Argument) -> Float | None:
    """Return what each ranking adds to the bias of each mean: (n_rankings, n_models)."""
    is_averaged = shares.any(axis=0)
    if np.count_nonzero(is_averaged) < 2:  # a single ranking varies so much that it does not matter
        return None
    if isinstance(placed.definition, Step) and not placed.sample.has_clusters.any():
        biases = own_row_bias(placed.rows.counts, placed.sample)
    else:
        halves = placed.halves(N_PAIRS_OF_BIAS, rng)
        biases = halves.bias(np.nan_to_num(placed.values), bias_rate(placed.definition))
    return (shares * biases.reshape(shares.shape)).T[is_averaged]


def _influences(placed: _Placed) -> Float | csr_array:
    """Return the influences of units on rankings, times root f: (n_rankings, n_units)."""
    sample = placed.sample
    root = np.sqrt(variance_factor(_n_effective(placed)))
    cells = sample.influences(placed.influence)
    if cells.size == sample.n_rankings * sample.n_units:  # each unit has a cell of each ranking
        return cells.reshape(sample.n_rankings, -1) * root[:, None]
    return sample.table(cells * root[sample.cell_ranking])


def _n_effective(placed: _Placed) -> Float:
    """Return the effective number of positives of each ranking by units."""
    units = placed.rows if placed.sample.cell is None else placed.sample
    return units.sizes[0].n_effective


def _sizes(placed: _Placed) -> Sizes:
    """Return the sizes of rankings, in which few heavy negatives are worth fewer positives.

    That is equation 3.
    """
    counts, definition = placed.rows.counts, placed.definition
    positives, negatives = placed.rows.sizes
    n = _n_effective(placed)
    odds = ratio(counts.n_positives, counts.n_negatives, otherwise=0.0)
    if definition.prevalence is not None:
        odds = np.full(n.size, definition.prevalence / (1 - definition.prevalence))
    most = np.where(counts.n_negatives > 0, negatives.n_effective * odds, np.inf)
    if definition.depth is not None:
        most = np.minimum(most, n_ranks(definition.depth, counts))
    n_rows = np.maximum(positives.n_effective, n)
    return Sizes(
        n_units=placed.sample.units_of_rankings,
        n_effective=n,
        one_unit=_share_of_one(np.minimum(n, most)),
        one_row=_share_of_one(np.minimum(n_rows, most)),
    )


def _share_of_one(n: Float) -> Float:
    """Return what one of n units changes a mean; 1 if there is none."""
    return ratio(np.ones(n.size), n, otherwise=1.0)
