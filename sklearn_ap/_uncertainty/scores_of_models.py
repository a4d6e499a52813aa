"""The scores of a model, or of several on the same rows, estimated together.

Equations are those of ``docs/methods.md``: 16 to 20. All rankings of all models are counted at
once, as single rankings, or for means over columns or over queries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ThresholdCounts, ranks_of_counts, ratio, select_rankings
from sklearn_ap._errors import InputError, UnsuitedDefinitionError
from sklearn_ap._inputs.options import ZeroDivision
from sklearn_ap._inputs.rankings import Rankings, stack_rankings
from sklearn_ap._inputs.request import Request
from sklearn_ap._scoring import fill_undefined, warn_when_k_exceeds_weight
from sklearn_ap._types import Float
from sklearn_ap._uncertainty._half_samples import (
    N_PAIRS_OF_BIAS,
    n_pairs_of_variance,
    score_halves,
)
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    ScoredRankings,
    estimate_of_each,
    join_estimates,
    place_items,
    place_rankings,
    share_of_one,
    variance_factor,
)
from sklearn_ap._uncertainty.joint import Joint, UnitInfluences
from sklearn_ap._uncertainty.means import MeanOfQueries, MeanOfRankings
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence


def models_of_rows(
    definition: Definition,
    request: Request,
    rankings: Sequence[Rankings],
    *,
    difference_factor: float = 1.0,
) -> ModelsOfRows:
    """Return the models of a request: of rows, clusters, columns, queries, or a pool of folds.

    ``rankings`` are those of each model, of all items. ``difference_factor`` is above 1 in a pool
    of folds.
    """
    # What is sampled: queries, or the units of a mean over rankings, or of each ranking
    # 1 0 and (1 0) 0 as two queries -> 0.75 with V = 0.0625; as one ranking, V = 0.0938
    first = rankings[0]
    if not all(np.array_equal(model.positive, first.positive) for model in rankings[1:]):
        raise InputError(
            "The columns of y_scores must be the same classes for each model, but those of "
            "estimators are their classes_. Fit all of them on the same labels."
        )
    if request.prevalence is not None:  # a call without one then needs one file less
        definition = at_prevalence(definition, request.prevalence)
    if definition.depth is not None:
        warn_when_k_exceeds_weight(definition.depth, first)
    models_class: type[ModelsOfRows] = SingleRankings
    if first.sampling.takes_rankings:
        models_class = QueryMeans
    elif first.sampling.average is not None and first.n_rankings > 1:
        models_class = ColumnMeans
    return models_class(definition, rankings, request.zero_division, difference_factor)


@dataclass(frozen=True, eq=False)
class ModelsOfRows(Joint):
    """The scores of models on the same units."""

    definition: Definition  # at the prevalence that is asked for
    rankings: Sequence[Rankings]  # of each model, checked
    zero_division: ZeroDivision
    difference_factor: float = 1.0  # of the variances of differences: above 1 in a pool of folds

    @property
    def n_models(self) -> int:
        return len(self.rankings)

    def fill(self, values: Float) -> Float:
        """Return the values of all rankings, of shape (n_models, n_rankings), as scores do."""
        table = values.reshape(self.n_models, -1)
        names = self.rankings[0].names
        return fill_undefined(table, self.zero_division, self.definition.prevalence, names)

    def check_is_tried(self) -> None:
        """Refuse to compare scores without influence at another prevalence; queries need none."""

    @property
    def column_values(self) -> Float:
        """The values of each model, of a mean over columns those of columns: (n_models, n)."""
        return self.estimate.value.reshape(self.n_models, -1)


class QueryMeans(ModelsOfRows):
    """Means over queries, which are sampled as a whole, or in clusters: equation 16.

    Queries that score 1 and 0.5 by a model have the mean 0.75, and influences 0.177 and -0.177.
    """

    @property
    def is_of_queries(self) -> bool:
        return True

    @cached_property
    def counts(self) -> ThresholdCounts:
        """Those of the queries of all models."""
        return count(stack_rankings(self.rankings).select_retrieved())

    @cached_property
    def means(self) -> list[MeanOfQueries]:
        """The mean of each model."""
        first, values = self.rankings[0], self.fill(self.definition.values(self.counts))
        weights = first.weight_in_average(self.counts.n_positives[: first.n_rankings])
        clusters = first.sampling.clusters
        return [MeanOfQueries(each, weights, clusters) for each in values]

    @cached_property
    def estimate(self) -> Estimate:
        counts = select_rankings(self.counts, 0, self.rankings[0].n_rankings)
        target = self.definition.prevalence
        return join_estimates([mean.estimate(counts, target) for mean in self.means])

    @cached_property
    def influences(self) -> UnitInfluences:
        values = np.array([mean.influences for mean in self.means])
        n_units = np.array([mean.n_units for mean in self.means], np.float64)
        return UnitInfluences(values, n_units)

    @cached_property
    def row_change(self) -> Float:
        return share_of_one(np.array([mean.n_queries for mean in self.means]))

    @property
    def can_have_margin(self) -> bool:
        n, n_units = self.estimate.n_effective, self.influences.n_units
        are_alike = bool(np.all(n_units - n < RELATIVE_TOLERANCE * n_units))
        has_clusters = self.rankings[0].sampling.clusters is not None
        return are_alike and not has_clusters and self.difference_factor == 1


class ColumnMeans(ModelsOfRows):
    """Means over rankings that share units: equations 17 and 18.

    The columns 1 0 1 0 and 1 1 0 0 of a model have the mean 0.917, of 0.833 and 1.
    """

    @cached_property
    def means(self) -> list[MeanOfRankings]:
        """The mean of each model."""
        scored = [place_items(self.definition, each) for each in self.rankings]
        values = self.fill(np.array([each.values for each in scored]))
        weights = self.rankings[0].weight_in_average(scored[0].counts.n_positives)
        return [MeanOfRankings(*each, weights) for each in zip(scored, values, strict=True)]

    @property
    def column_values(self) -> Float:
        return np.array([mean.values for mean in self.means])

    def check_is_tried(self) -> None:
        _refuse_prevalence(self.means[0].scored)

    @cached_property
    def estimate(self) -> Estimate:
        return join_estimates([mean.estimate() for mean in self.means])

    @cached_property
    def influences(self) -> UnitInfluences:
        values = np.array([mean.influences for mean in self.means])
        rows = self.means[0].scored.rows
        return UnitInfluences(values, np.full(len(values), rows.n_sampled), rows.repeats)

    @cached_property
    def n_effective_of_differences(self) -> Float:
        sizes = [mean.scored.rows.n_effective for mean in self.means]
        changes = [mean.change_by_unit(n) for mean, n in zip(self.means, sizes, strict=True)]
        shares = np.array([mean.shares.sum() for mean in self.means])
        return ratio(shares, np.array(changes), otherwise=0.0)

    @cached_property
    def row_change(self) -> Float:
        return np.array([mean.change_by_unit(_worth_in_rows(mean.scored)) for mean in self.means])

    @cached_property
    def half_influences(self) -> Float | None:
        if self.means[0].scored.influence is not None:
            return None
        scored = place_items(self.definition, *self.rankings)  # the same halves of all models
        halves = score_halves(scored.definition, scored.rows, n_pairs_of_variance(scored.rows))
        pairs = zip(self.means, halves.by_model(self.n_models), strict=True)
        return np.array([mean.half_influences(each) for mean, each in pairs])

    @cached_property
    def bias_parts(self) -> Float | None:
        # 1 0 1 0 and 1 1 0 0 as columns of a model -> [0.0625, 0]
        first = self.means[0]
        if first.has_one_at_most:
            return None
        if first.has_closed_bias:
            biases = np.array([mean.own_row_biases for mean in self.means])
        else:  # halves of all models at once, as their errors go together
            scored = place_items(self.definition, *self.rankings)
            halves = score_halves(scored.definition, scored.rows, N_PAIRS_OF_BIAS)
            biases = scored.biases(halves).reshape(self.n_models, -1)
        shares = np.array([mean.shares for mean in self.means])
        return (shares * biases)[:, first.shares > 0]


class SingleRankings(ModelsOfRows):
    """Scores of single rankings: equations 17 and 20.

    The rows 1 0 1 0 of one model have the influences 0.196, -0.157, -0.039 and 0.
    """

    @cached_property
    def scored(self) -> ScoredRankings:
        """The rankings of all models, whose rows share their units; of one, counts may do."""
        if self.n_models == 1:
            return place_rankings(self.definition, self.rankings[0])
        return place_items(self.definition, *self.rankings)

    def check_is_tried(self) -> None:
        _refuse_prevalence(self.scored)

    @cached_property
    def estimate(self) -> Estimate:
        values = self.fill(self.scored.values)
        if self.n_models == 1:
            return estimate_of_each(self.scored, values[0])
        if self.scored.influence is not None:
            estimate = estimate_of_each(self.scored, values.ravel())
            counts = select_rankings(estimate.counts, 0, self.rankings[0].n_rankings)
            return replace(estimate, counts=counts)
        # Half samples of a model are those that are drawn for it alone.
        alone = [place_rankings(self.definition, each) for each in self.rankings]
        each = zip(alone, values, strict=True)
        return join_estimates([estimate_of_each(*one) for one in each])

    @cached_property
    def influences(self) -> UnitInfluences:
        rows, root = self.scored.rows, np.sqrt(variance_factor(self.estimate.n_effective))
        cells = self.scored.cell_influences
        if cells.size < rows.places.n_rankings * rows.n_units:  # some units have none in a ranking
            table: Float | csr_array = rows.table(cells * root[rows.cell_ranking])
        else:
            table = cells.reshape(root.size, -1) * root[:, None]
        return UnitInfluences(table, rows.units_of_rankings, rows.repeats)

    @cached_property
    def row_change(self) -> Float:
        return share_of_one(_worth_in_rows(self.scored))

    @cached_property
    def half_influences(self) -> Float | None:
        if self.scored.influence is not None:
            return None
        pairs = self.scored.half_scores_of_variance()
        return pairs.influences * np.sqrt(variance_factor(self.estimate.n_effective))[:, None]

    @property
    def can_have_margin(self) -> bool:
        are_units = self.rankings[0].n_rankings == 1 and self.scored.rows.cell is None
        return are_units and isinstance(self.definition, Step)


def _refuse_prevalence(scored: ScoredRankings) -> None:
    """Refuse a prevalence for scores without influence, whose half samples were not tried there."""
    if scored.definition.prevalence is None or scored.influence is not None:
        return
    _ = scored.values  # an error of the definition itself comes first
    raise UnsuitedDefinitionError(
        f"{scored.definition!r} cannot be compared at another prevalence, because its limits were "
        f"not tried there. Pass weights for it, as in docs/definitions.md, or take another "
        f"definition, such as step AP."
    )


def _worth_in_rows(scored: ScoredRankings) -> Float:
    """Return R, the effective number of positives of each ranking by rows.

    Less where few heavy negatives, or ranks, are worth less: equation 19.
    """
    # 10 positives of 100 rows, by precision at k = 4 -> 4; by recall, one row changes 1 of 10
    counts, rows = scored.counts, scored.rows.row_by_row
    prevalence, depth = scored.definition.prevalence, scored.definition.depth
    n = np.maximum(scored.rows.n_effective, rows.n_effective)
    odds = ratio(counts.n_positives, counts.n_negatives, otherwise=np.inf)
    if prevalence is not None:
        odds = np.full(n.size, prevalence / (1 - prevalence))
    have_negatives = np.isfinite(odds) & (counts.n_negatives > 0)
    n_negatives = rows.effective_number(rows.negatives)
    most = np.where(have_negatives, n_negatives * np.where(have_negatives, odds, 0.0), np.inf)
    if depth is not None:
        ranks = ranks_of_counts(depth, counts) / rows.typical_weights.positive
        best = scored.definition.values(_count_perfect(counts))
        most = np.minimum(most, ratio(ranks, best, otherwise=ranks))
    return np.minimum(n, most)


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
