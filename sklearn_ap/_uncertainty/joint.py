"""The scores of a model, or of several on the same units, estimated together.

Equations are those of ``docs/methods.md``: 16 to 20. All rankings of all models are counted at
once. What a sampled unit adds to each score, its influences, tells how the errors of scores go
together; every question about models is one about their differences.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._counts.averages import check_average_of_counts, fill_undefined
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import (
    ThresholdCounts,
    are_weighted,
    check_counts,
    select_rankings,
)
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings, warn_when_k_exceeds_weight
from sklearn_ap._inputs.request import Request
from sklearn_ap._types import Argument, Array, Bool, Float
from sklearn_ap._uncertainty._halves import N_PAIRS_OF_BIAS
from sklearn_ap._uncertainty._units import PlacedRows
from sklearn_ap._uncertainty._variance import above_rounding, safe_ratio, variance_factor
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    ScoredRankings,
    estimate_of_each,
    join_estimates,
    place_counts,
    place_items,
    place_rankings,
)
from sklearn_ap._uncertainty.means import MeanOfQueries, MeanOfRankings, share_of_one
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence

# A margin leaves room for so many false alarms above all rows. With room for one, models that are
# worse by the margin were called "not worse" in up to 21 of 100 samples; with two, in 8.
ALARMS = 2.0
# The rows that one fold tests train the models of the others, so that errors of folds go together.
FOLD_FACTOR = 1.25


class Joint(ABC):
    """The scores of several models, with the errors that they share.

    A score is one of a model, or of a model and a ranking for ``average=None``: all rankings of the
    first model come first. Arrays have an entry for each score.
    """

    @property
    @abstractmethod
    def n_models(self) -> int:
        """The number of models."""

    @property
    @abstractmethod
    def estimate(self) -> Estimate:
        """That of all scores, with the counts of the first model, whose labels all models share."""

    @property
    @abstractmethod
    def influences(self) -> Float | csr_array:
        """Those of units on each score, times the root of the factor f of equation 3.

        Of shape (n_scores, n_units).
        """

    @property
    @abstractmethod
    def n_units(self) -> Float:
        """The number of units."""

    @property
    def n_effective(self) -> Float:
        """The effective number n of positives by units, or of queries."""
        return self.estimate.n_effective

    @property
    @abstractmethod
    def one_row(self) -> Float:
        """What one row changes a score that one model alone ranks right: 1 / R of equation 21.

        Of means over queries, a query stands for a row.
        """

    @property
    def bias(self) -> Float | None:
        """Of means over rankings, what each adds to the bias: equation 18.

        Of shape (n_rankings, n_scores); None for other scores.
        """
        return None

    @property
    def halves(self) -> Float | None:
        """Half samples in the place of influences, for the covariance alone: equation 20.

        Of shape (n_scores, n_pairs).
        """
        return None

    @property
    def hidden_cost(self) -> Float | None:
        """What two false alarms above all rows, or one more failing query, cost: equation 24.

        None where a margin is refused.
        """
        return None

    @property
    def difference_factor(self) -> float:
        """A factor of the variances of differences."""
        return 1.0

    @property
    def has_fixed_queries(self) -> bool:
        """Whether scores are means over classes, whose units are images."""
        return False

    @property
    def n_rankings(self) -> int:
        """The number of scores of each model."""
        return self.estimate.value.size // self.n_models

    @property
    def tells(self) -> Bool:
        """Whether a score has an error: one unit tells nothing of others."""
        # That of a mean counts each column by itself, and that of its estimate the shared units.
        n = np.minimum(self.n_effective, self.estimate.n_effective)
        return (n > 1 + RELATIVE_TOLERANCE) & (self.one_row <= 1 + RELATIVE_TOLERANCE)

    @cached_property
    def covariance(self) -> Float:
        """The covariance matrix of the errors of scores."""
        phi = self.influences if self.halves is None else self.halves
        product = phi @ phi.T
        covariance = np.asarray(product.toarray() if isinstance(product, csr_array) else product)
        # As in variances: an error that is one of rounding has no correlation.
        is_known = above_rounding(np.diag(covariance), self.n_effective) > 0
        return np.where(is_known & is_known[:, None], covariance, 0.0)


def estimate_of_counts(
    definition: Definition,
    counts: Argument,
    *,
    average: Argument,
    zero_division: Argument,
    prevalence: Argument,
    rng: Argument,
) -> Estimate:
    """Estimate the score of unweighted counts; several are queries, unless ``average`` is None."""
    # 1 0 (1 0) 0 -> 0.75, with V = 0.0938 and n = 2
    check_counts(counts)
    check_average_of_counts(average)
    definition = at_prevalence(definition, prevalence)
    if counts.several and average is not None:
        weights = counts.n_positives if average == "weighted" else None
        values = fill_undefined(definition.values(counts), zero_division, definition.prevalence)
        return MeanOfQueries(values, weights).estimate(counts, definition.prevalence)
    if are_weighted(counts):
        raise ValueError(
            "An interval from counts takes unweighted ones, as it depends on the weight of each "
            "row. Draw 10,000 rows at random, or 10,000 clusters with all their rows, and pass "
            "these to average_precision_interval, with sample_weight and clusters. For another "
            "prevalence, pass counts as they are, and prevalence beside them."
        )
    scored = place_counts(definition, counts)
    values = fill_undefined(scored.values, zero_division, definition.prevalence)
    return estimate_of_each(scored, values, rng)


def models_of(
    definition: Definition,
    request: Request,
    rankings: Sequence[Rankings],
    rng: Argument = 0,
    *,
    are_folds: bool = False,
) -> Models:
    """Return the models of a request: of rows, clusters, columns, queries, or a pool of folds.

    ``rankings`` are those of each model, of all items. ``rng`` draws half samples of all at once.
    """
    # What is sampled: queries, or the units of a mean over rankings, or of each ranking
    # 1 0 and (1 0) 0 as two queries -> 0.75 with V = 0.0625; as one ranking, V = 0.0938
    first = rankings[0]
    for model in rankings[1:]:
        if not np.array_equal(model.positive, first.positive):
            raise ValueError(
                f"The models of y_scores must score the same rows and columns, but their rankings "
                f"have {[model.score.size for model in rankings]} items."
            )
    if request.prevalence is not None:
        definition = at_prevalence(definition, request.prevalence)
    warn_when_k_exceeds_weight(definition.depth, first)
    models_class: type[Models] = SingleRankings
    if first.sampling.takes_rankings:
        models_class = QueryMeans
    elif first.sampling.average is not None and first.n_rankings > 1:
        models_class = ColumnMeans
    has_clusters, zero_division = request.clusters is not None, request.zero_division
    return models_class(definition, rankings, has_clusters, zero_division, rng, are_folds)


@dataclass(frozen=True, eq=False)
class Models(Joint):
    """The scores of models on the same units.

    Parameters
    ----------
    definition : Definition
        At the prevalence that is asked for.
    rankings : sequence of Rankings
        Those of each model, checked.
    has_clusters : bool
        Whether the caller named clusters; otherwise rows are sampled one by one.
    zero_division : float or "warn"
    rng : int, Generator or None
    are_folds : bool
        Whether rows are a pool of folds, whose models share training rows.
    """

    definition: Definition
    rankings: Sequence[Rankings]
    has_clusters: bool
    zero_division: Argument
    rng: Argument
    are_folds: bool

    are_means = False

    @property
    def n_models(self) -> int:
        return len(self.rankings)

    @property
    def difference_factor(self) -> float:
        return FOLD_FACTOR if self.are_folds else 1.0

    @cached_property
    def first(self) -> Rankings:
        """Those of the first model."""
        return self.rankings[0]

    @cached_property
    def stacked(self) -> Rankings:
        """The rankings of all models one after another."""
        return stack_rankings(self.rankings)

    @cached_property
    def placed(self) -> ScoredRankings:
        """The rankings of all models, whose rows share their units."""
        scored, n_models = place_items(self.definition, self.stacked), self.n_models
        # The function has no self, so that no circle keeps the memory of all rows.
        return replace(
            scored,
            make_rows=lambda: _share_unscored(scored.placed_rows, n_models),
            has_clusters=self.first.sampling.clusters is not None,
        )

    @property
    def has_influence(self) -> bool:
        """Whether rows, or queries, have one; otherwise half samples stand for it."""
        return True

    def fill(self, values: Float) -> Float:
        """Return the values of all rankings, of shape (n_models, n_rankings), as scores do."""
        table = values.reshape(self.n_models, -1)
        return fill_undefined(table, self.zero_division, self.definition.prevalence)

    def check_is_tried(self) -> None:
        """Refuse to compare by half samples all but single rankings of rows."""
        if self.has_influence:
            return
        if self.definition.prevalence is not None:
            reason = "another prevalence was not tried. Compare at that of the rows"
        elif self.has_clusters:
            reason = "over clusters, limits of differences covered 78 of 100 truths. Pass queries"
        elif self.are_means or self.first.sampling.clusters is not None:
            reason = "means were not tried. Pass average=None, or columns as queries of long rows"
        else:
            return
        raise ValueError(
            f"{self.definition!r} has no influence, so it is compared over rows of one ranking "
            f"alone: {reason}, or take another definition, such as step AP."
        )


class QueryMeans(Models):
    """Means over queries, which are sampled as a whole, or in clusters: equation 16.

    Queries that score 1 and 0.5 by a model have the mean 0.75, and influences 0.177 and -0.177.
    """

    @cached_property
    def counts(self) -> ThresholdCounts:
        """Those of the queries of all models."""
        return count(self.stacked.select_retrieved(), self.definition.depth)

    @cached_property
    def means(self) -> list[MeanOfQueries]:
        """The mean of each model."""
        values = self.fill(self.definition.values(self.counts))
        weights = self.first.weight_in_average(self.counts.n_positives[: self.first.n_rankings])
        clusters = self.first.sampling.clusters
        return [MeanOfQueries(each, weights, clusters) for each in values]

    @cached_property
    def estimate(self) -> Estimate:
        counts = select_rankings(self.counts, 0, self.first.n_rankings)
        target = self.definition.prevalence
        return join_estimates([mean.estimate(counts, target) for mean in self.means])

    @cached_property
    def influences(self) -> Float:
        root = np.sqrt(variance_factor(self.n_effective))[:, None]
        return root * np.array([mean.influences for mean in self.means])

    @cached_property
    def n_units(self) -> Float:
        return np.array([mean.n_units for mean in self.means], np.float64)

    @cached_property
    def one_row(self) -> Float:
        return share_of_one(np.array([mean.n_queries for mean in self.means]))

    @property
    def hidden_cost(self) -> Float | None:
        n, n_units = self.n_effective, self.n_units
        are_alike = np.all(n_units - n < RELATIVE_TOLERANCE * n_units)
        has_clusters = self.first.sampling.clusters is not None
        if has_clusters or not are_alike or self.are_folds:
            return None
        return self.estimate.hidden.changes(np.ones(n.size)).down


class ColumnMeans(Models):
    """Means over rankings that share units: equations 17 and 18.

    The columns 1 0 1 0 and 1 1 0 0 of a model have the mean 0.917, of 0.833 and 1.
    """

    are_means = True

    @property
    def has_influence(self) -> bool:
        return self.means[0].scored.has_influence

    @cached_property
    def means(self) -> list[MeanOfRankings]:
        """The mean of each model."""
        scored = [place_items(self.definition, each) for each in self.rankings]
        values = self.fill(np.array([each.values for each in scored]))
        weights = self.first.weight_in_average(scored[0].rows.counts.n_positives)
        return [MeanOfRankings(*each, weights) for each in zip(scored, values, strict=True)]

    @cached_property
    def estimate(self) -> Estimate:
        return join_estimates([mean.estimate(self.rng) for mean in self.means])

    @cached_property
    def influences(self) -> Float:
        return np.array([mean.influences for mean in self.means])

    @cached_property
    def n_units(self) -> Float:
        return np.array([float(mean.scored.placed_rows.n_units) for mean in self.means])

    @cached_property
    def n_effective(self) -> Float:
        sizes = [mean.scored.units.sizes.positive.n_effective for mean in self.means]
        one = [mean.change(n) for mean, n in zip(self.means, sizes, strict=True)]
        shares = np.array([mean.shares.sum() for mean in self.means])
        return safe_ratio(shares, np.array(one), otherwise=0.0)

    @cached_property
    def one_row(self) -> Float:
        return np.array([mean.change(_worth_in_rows(mean.scored)) for mean in self.means])

    @property
    def has_fixed_queries(self) -> bool:
        return self.first.ranking is not None and self.has_clusters

    @cached_property
    def bias(self) -> Float | None:
        # 1 0 1 0 and 1 1 0 0 as columns of a model -> [0.0625, 0]
        shares = np.array([mean.shares for mean in self.means])
        is_averaged = shares.any(axis=0)
        if np.count_nonzero(is_averaged) < 2:  # one varies so much that its bias does not matter
            return None
        if all(mean.has_closed_bias for mean in self.means):
            biases = np.array([mean.own_row_biases for mean in self.means])
        else:  # halves of all models at once, as their errors go together
            halves = self.placed.halves(N_PAIRS_OF_BIAS, self.rng)
            values, rate = np.nan_to_num(self.placed.values), self.definition._bias_rate
            biases = halves.bias(values, rate).reshape(shares.shape)
        return (shares * biases).T[is_averaged]


class SingleRankings(Models):
    """Scores of single rankings: equations 17 and 20.

    The rows 1 0 1 0 of one model have the influences 0.196, -0.157, -0.039 and 0.
    """

    @cached_property
    def scored(self) -> ScoredRankings:
        """All rankings; of one model, counts may be enough."""
        is_one = self.n_models == 1
        return place_rankings(self.definition, self.first) if is_one else self.placed

    @property
    def has_influence(self) -> bool:
        return self.scored.has_influence

    @cached_property
    def estimate(self) -> Estimate:
        values = self.fill(self.scored.values)
        if self.n_models == 1:
            return estimate_of_each(self.scored, values[0], self.rng)
        if self.scored.has_influence:
            estimate = estimate_of_each(self.scored, values.ravel(), self.rng)
            counts = select_rankings(estimate.counts, 0, self.first.n_rankings)
            return replace(estimate, counts=counts)
        # Half samples of a model are those that are drawn for it alone.
        alone = [place_rankings(self.definition, each) for each in self.rankings]
        each = zip(alone, values, strict=True)
        return join_estimates([estimate_of_each(*one, self.rng) for one in each])

    @cached_property
    def influences(self) -> Float | csr_array:
        return _influences(self.placed)

    @property
    def n_units(self) -> Float:
        return self.scored.units.units_of_rankings

    @property
    def n_effective(self) -> Float:
        return self.scored.units.sizes.positive.n_effective

    @cached_property
    def one_row(self) -> Float:
        return share_of_one(_worth_in_rows(self.scored))

    @cached_property
    def halves(self) -> Float | None:
        if self.scored.has_influence:
            return None
        pairs = self.scored.halves_of_variance(self.rng)
        n_known = np.count_nonzero(~np.isnan(pairs.first - pairs.second), axis=0)
        factor = variance_factor(self.n_effective) * (1 - 1 / pairs.n_units)
        return pairs.influences * np.sqrt(factor / np.maximum(n_known, 1))[:, None]

    @property
    def hidden_cost(self) -> Float | None:
        are_units = self.first.n_rankings == 1 and not self.scored.has_clusters
        if not are_units or not isinstance(self.definition, Step) or self.are_folds:
            return None
        return self.scored.hidden.changes(np.full(self.n_effective.size, ALARMS)).down


def stack_rankings(models: Sequence[Rankings]) -> Rankings:
    """Put the rankings of models one after another, so that they are counted at once.

    Their items are the same, and so are the units of these.
    """
    # 4 rows of 2 models -> items 0 to 3 of ranking 0, and 4 to 7 of ranking 1
    first, k = models[0], len(models)
    if k == 1:
        return first

    def repeat(values: Array | None) -> Array | None:
        return None if values is None else np.tile(values, k)

    ranking, sampling = first.ranking, first.sampling
    if ranking is not None:
        if not sampling.takes_rankings:
            rows = np.arange(ranking.size) if sampling.clusters is None else sampling.clusters
            sampling = replace(sampling, clusters=np.tile(rows, k))
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
        sampling=sampling,
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


def _influences(scored: ScoredRankings) -> Float | csr_array:
    """Return the influences of units on rankings, times root f: (n_rankings, n_units)."""
    root = np.sqrt(variance_factor(scored.units.sizes.positive.n_effective))
    rows = scored.placed_rows
    cells = rows.influences(scored.influence)
    if cells.size < rows.n_rankings * rows.n_units:  # some units have none in a ranking
        return rows.table(cells * root[rows.cell_ranking])
    table = cells.reshape(root.size, -1)
    return np.multiply(table, root[:, None], out=table)  # in place, as memory takes longer


def _worth_in_rows(scored: ScoredRankings) -> Float:
    """Return R of equation 21, the effective number of positives by rows, or less by 19."""
    n_units, n_rows = (
        scored.units.sizes.positive.n_effective,
        scored.rows.sizes.positive.n_effective,
    )
    return scored.deciding(np.maximum(n_units, n_rows))
