"""Scores of several models by the labels of some units, and by a judge of all rows.

Equations are those of ``docs/methods.md``: 16, 31 to 35. What stands for all rows is what
labelled rows show with weights of one over their probabilities; the joint estimate then serves
limits and comparisons as that of rows does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import stdtrit

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE, TINY
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import ratio
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import ZeroDivision
from sklearn_ap._inputs.rankings import Rankings, Sampling
from sklearn_ap._inputs.request import Request
from sklearn_ap._results.sample import Unit
from sklearn_ap._scoring import fill_undefined
from sklearn_ap._types import Array, Bool, Float, FloatOrArray, Index
from sklearn_ap._uncertainty.estimate import (
    Estimate,
    Limits,
    above_rounding,
    estimate_of_each,
    join_estimates,
    limits_at_variance,
    place_items,
    share_of_one,
    variance_and_degrees,
    variance_factor,
)
from sklearn_ap._uncertainty.hidden_rows import HiddenPositives, HiddenQueries
from sklearn_ap._uncertainty.joint import Joint, UnitInfluences
from sklearn_ap._uncertainty.means import MeanOfQueries
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._prevalence import at_prevalence

# Rows whose probability is below this multiple of the lowest one of a positive found are a stratum
# without positives. A half makes a stratum of good plans in 10 of 100 samples.
LOW_PROBABILITY_RATIO = 0.3
# Labels of chosen rows leave room for units that are right or wrong: as much as four of them.
BELIEVED_UNITS = 4.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Labelled:
    """Rows of which some have labels, with known probabilities, and what a judge says of all.

    Labelled rows stand for all, so without a judge those without a label may be left out. All
    arrays have shape (n_rows,). A unit is a row, or a cluster or a query whose rows are labelled
    together.
    """

    unit: Unit
    unit_of_rows: Index  # from 0, without gaps
    is_labelled: Bool
    positive: Bool  # the labels; False without one
    probability: Float  # how likely each row was to be labelled; nan where that is unknown
    weight: Float | None = None  # above 0
    judged: Float | None = None  # the judge's probability that a row is positive, or its labels

    @cached_property
    def n_units(self) -> int:
        """The number of units that were passed, with and without labels."""
        return int(self.unit_of_rows.max()) + 1

    @cached_property
    def unit_of_labelled(self) -> Index:
        """The number of the unit of each labelled row among the labelled ones."""
        return np.unique(self.unit_of_rows[self.is_labelled], return_inverse=True)[1]

    @cached_property
    def probability_of_units(self) -> Float:
        """The probability q of each labelled unit."""
        first = np.unique(self.unit_of_labelled, return_index=True)[1]
        return self.probability[self.is_labelled][first]

    @cached_property
    def weight_of_labelled(self) -> Float:
        """The weight of each labelled row, which stands for others like it."""
        weight = 1 / self.probability[self.is_labelled]
        return weight if self.weight is None else weight * self.weight[self.is_labelled]

    @cached_property
    def is_unlikely(self) -> Bool:
        """Whether a row is far less probable than all positives that were found."""
        is_found = self.is_labelled & self.positive
        if self.unit == "query" or not is_found.any():
            return np.zeros(is_found.size, bool)
        lowest = self.probability[is_found].min()
        # If all positives that were found were sure to be labelled, all others may hide some.
        limit = 1.0 if lowest == 1 else LOW_PROBABILITY_RATIO * lowest
        return np.asarray(self.probability < limit)

    @cached_property
    def weights_without_positives(self) -> Float:
        """The weights of labelled rows of low probability, none of which is positive."""
        return self.weight_of_labelled[self.is_unlikely[self.is_labelled]]

    @property
    def has_equal_probabilities(self) -> bool:
        """Whether the labelled units are a simple random sample."""
        return bool(np.ptp(self.probability_of_units) == 0)

    @cached_property
    def completed_by_judge(self) -> Labelled:
        """The rows as if all had labels, as they have by the judge."""
        ones = np.ones(self.is_labelled.size)
        return replace(self, is_labelled=ones > 0, probability=ones)


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimateOfChosen(Estimate):
    """Scores by the labels of rows that were chosen, whose variance is shrunk: equation 33."""

    n_deciding: Float  # n, or less where few heavy negatives are worth fewer positives: equation 35

    def shown_limits(self, confidence_level: FloatOrArray) -> Limits:
        """Return Wilson's limits of the shrunk variance, with Satterthwaite's degrees (1946).

        A score of 0 or 1 has width, too, as there is a unit that is right or wrong.
        """
        share = BELIEVED_UNITS / (self.nu + BELIEVED_UNITS)
        own = (1 - share) * self.variance
        believed = share * np.maximum(self.value * (1 - self.value), RELATIVE_TOLERANCE)
        believed /= np.maximum(self.n_deciding, RELATIVE_TOLERANCE)
        parts = own**2 / np.maximum(self.nu, TINY) + believed**2 / BELIEVED_UNITS
        most = np.maximum(self.n_effective - 1, 1.0)
        degrees = np.clip(ratio((own + believed) ** 2, parts, 1.0), 1.0, most)
        within = np.clip(self.value, RELATIVE_TOLERANCE, 1 - RELATIVE_TOLERANCE)
        t = stdtrit(degrees, (1 + confidence_level) / 2)
        return limits_at_variance(within, own + believed, t)

    def enlarged(self, n_times: Float) -> Self:
        return replace(super().enlarged(n_times), n_deciding=self.n_deciding * n_times)


class CorrectedScore(NamedTuple):
    """The score of a model by labels, and what a judge adds to them."""

    estimate: Estimate
    influences: Float  # by the choice of labels and by the sampling of all rows: equation 32
    n_rows: float  # the effective number of positive rows
    beta: float  # the weight of the judge in equation 31; nan without a judge
    judge_score: float  # by the judge alone


@dataclass(frozen=True, eq=False)
class ModelsOfLabels(Joint):
    """The scores of models by few labels, and what the labels are worth."""

    labelled: Labelled
    models: Sequence[CorrectedScore]

    @property
    def is_of_queries(self) -> bool:
        return self.labelled.unit == "query"

    @property
    def n_models(self) -> int:
        return len(self.models)

    @cached_property
    def estimate(self) -> Estimate:
        return join_estimates([model.estimate for model in self.models])

    @cached_property
    def influences(self) -> UnitInfluences:
        """Those of both parts."""
        values = np.array([model.influences for model in self.models]).reshape(self.n_models, -1)
        n_units = float(self.labelled.probability_of_units.size)
        return UnitInfluences(values, np.full(self.n_models, n_units))

    @property
    def row_change(self) -> Float:
        return share_of_one(np.array([model.n_rows for model in self.models]))

    @property
    def notes(self) -> dict[str, float]:
        """What the labels of the first model are worth, and what the judge adds."""
        first, notes = self.models[0], {}
        if not np.isnan(first.beta):
            notes = {"judge_score": first.judge_score, "judge_weight": first.beta}
        if not self.labelled.weights_without_positives.size:  # else the variance does not show it
            notes["worth_of_labels"] = self._worth(first)
        return notes

    def _worth(self, model: CorrectedScore) -> float:
        """Return how many units, labelled at random without a judge, have the same variance."""
        label_squares, row_squares = np.sum(model.influences**2, axis=1)
        probability = self.labelled.probability_of_units
        if not above_rounding(row_squares, model.estimate.n_effective):
            return float(probability.size)  # no row changes the score
        return float(np.sum(1 / probability) * row_squares / (label_squares + row_squares))


def models_of_labels(
    definition: Definition, request: Request, labelled: Labelled, scores: Sequence[Array]
) -> ModelsOfLabels:
    """Estimate the scores of models from few labels: those of all rows, for each model."""
    # 1 0 1 0 of the 6 rows 1 0 1 0 0 1, chosen with 0.5 -> 0.833; by a perfect judge, 0.722
    definition = at_prevalence(definition, request.prevalence)
    models = []
    zero_division = request.zero_division
    for score in scores:
        models.append(_correct_by_judge(definition, labelled, score, zero_division))
        zero_division = _without_warning(zero_division)
    return ModelsOfLabels(labelled, models)


def _without_warning(zero_division: ZeroDivision) -> ZeroDivision:
    """Return what fills values of other models, and of the judge: the first model has warned."""
    return 0.0 if isinstance(zero_division, str) else zero_division


class _LabelledScore(NamedTuple):
    """A score of the labelled rows, by their labels or by a judge."""

    estimate: Estimate
    influence: Float  # of each labelled unit
    n_rows: float  # the effective number of positive rows


def _correct_by_judge(
    definition: Definition, labelled: Labelled, score: Array, zero_division: ZeroDivision
) -> CorrectedScore:
    """Estimate the score of a model by labels, corrected by the judge: equations 31 and 32."""
    # 1 0 1 0, chosen with 0.5 -> [0.139, -0.111, -0.028, 0] of both parts
    positive = labelled.positive[labelled.is_labelled].astype(np.float64)
    by_labels = _score_labelled(definition, labelled, score, positive, zero_division)
    estimate = by_labels.estimate
    q = labelled.probability_of_units
    n, value = estimate.n_effective, estimate.value
    corrected = phi = by_labels.influence
    beta = judge_score = np.nan
    if labelled.judged is not None and estimate.is_defined.all():
        # 1 0 1 0 of 1 0 1 0 0 1, by a perfect judge -> 0.722, with beta = 1 and no error of labels
        silent, judged = _without_warning(zero_division), labelled.judged
        by_all = _score_labelled(definition, labelled.completed_by_judge, score, judged, silent)
        judged_of_labelled = judged[labelled.is_labelled]
        by_judge = _score_labelled(definition, labelled, score, judged_of_labelled, silent)
        judge_score = float(by_all.estimate.value[0])
        beta = _coefficient(phi, by_judge.influence, q, n)
        corrected = phi - beta * by_judge.influence
        if beta > 0:
            value = np.clip(value + beta * (judge_score - by_judge.estimate.value), 0.0, 1.0)
    influences = np.array([np.sqrt(1 - q) * corrected, np.sqrt(q) * phi])
    influences *= np.sqrt(variance_factor(n))
    powers = np.sum(influences**2), np.sum(influences**4)
    variance, nu = variance_and_degrees(*powers, n, q.size)
    share = _share_that_counts(labelled, estimate)
    estimate = replace(estimate, value=value, variance=variance, nu=nu)
    return CorrectedScore(
        estimate=_leave_room_for_hidden(estimate, labelled, n * share),
        influences=influences,
        n_rows=max(by_labels.n_rows, float(n[0])) * share,
        beta=beta,
        judge_score=judge_score,
    )


def _share_that_counts(labelled: Labelled, estimate: Estimate) -> float:
    """Return the share of effective positives that counts beside few heavy negatives: equation 35.

    Where rows were chosen, labels of both classes weigh unequally, so it is by the weight of both.
    """
    # At a prevalence of .5, negatives of half the weight of the positives -> .5
    pi, counts = estimate.prevalence, estimate.counts
    if pi is None or labelled.unit == "query":
        return 1.0
    odds = ratio(counts.n_negatives, counts.n_positives, np.inf)
    return float(np.minimum(1.0, odds * pi / (1 - pi))[0])


def _coefficient(phi: Float, psi: Float, probability: Float, n_effective: Float) -> float:
    """Return beta, with which the judge's part has the least variance; 0 if it says nothing."""
    unknown = 1 - probability
    squares = above_rounding(np.sum(unknown * psi**2), n_effective)
    products = np.full(1, np.sum(unknown * phi * psi))
    return float(np.clip(ratio(products, squares, 0.0), 0.0, 1.0)[0])


def _leave_room_for_hidden(estimate: Estimate, labelled: Labelled, n_deciding: Float) -> Estimate:
    """Leave room for what labels may have missed: queries, or positives where rows were chosen.

    Random labels may lack rows as any sample does: equation 6, with the weights of labelled rows.
    Positives beside chosen rows have the weight w_h of equation 34.
    """
    if labelled.unit == "query":
        return replace(estimate, hidden=HiddenQueries(estimate.value, estimate.n_effective))
    weight, low_weights = labelled.weight_of_labelled, labelled.weights_without_positives
    found_weight = weight[labelled.positive[labelled.is_labelled]].sum()
    if labelled.has_equal_probabilities or not found_weight:
        return estimate
    hidden_weight = max(np.median(weight), low_weights.mean() if low_weights.size else 0.0)
    hidden = HiddenPositives(estimate.value, float(hidden_weight / found_weight))
    # Each of the type of its field
    numbers: dict[str, Any] = {each.name: getattr(estimate, each.name) for each in fields(estimate)}
    return EstimateOfChosen(**numbers | {"hidden": hidden, "n_deciding": n_deciding})


def _score_labelled(
    definition: Definition,
    labelled: Labelled,
    score: Array,
    positive_share: Float,
    zero_division: ZeroDivision,
) -> _LabelledScore:
    """Score the labelled rows, which are positive with these probabilities."""
    # 1 0 1 0 of any equal weights -> influences [0.139, -0.111, -0.028, 0]
    score, unit = score[labelled.is_labelled], labelled.unit_of_labelled
    if labelled.unit == "query":
        weight = None if labelled.weight is None else labelled.weight[labelled.is_labelled]
        rankings, row = _rankings(score, positive_share, weight)
        rankings = replace(rankings, ranking=unit[row], n_rankings=int(unit.max()) + 1)
        return _mean_of_queries(definition, rankings, labelled, zero_division)
    rankings, row = _rankings(score, positive_share, labelled.weight_of_labelled)
    rankings = replace(rankings, sampling=Sampling(clusters=unit[row]))
    scored = place_items(definition, rankings)
    values = scored.values  # whose errors come first
    if scored.influence is None:
        raise InputError(
            f"{definition!r} has no influence by row, so labels of some rows do not tell how sure "
            f"it is. Pass another definition, or label whole queries."
        )
    values = fill_undefined(values, zero_division, definition.prevalence)
    estimate = estimate_of_each(scored, values)
    rows = scored.rows
    influence = np.zeros(rows.n_units)
    if scored.is_defined.all():
        influence = rows.unit_sums(np.ones(1), scored.cell_influences)
    return _LabelledScore(estimate, influence, float(rows.row_by_row.n_effective[0]))


def _mean_of_queries(
    definition: Definition, rankings: Rankings, labelled: Labelled, zero_division: ZeroDivision
) -> _LabelledScore:
    """Average the labelled queries, each of which stands for others: equation 16."""
    counts = count(rankings.select_retrieved())
    values = fill_undefined(definition.values(counts), zero_division, definition.prevalence)
    mean = MeanOfQueries(values, 1 / labelled.probability_of_units)
    estimate = mean.estimate(counts, definition.prevalence)
    return _LabelledScore(estimate, mean.deviations, mean.n_queries)


def _rankings(score: Array, positive_share: Float, weight: Float | None) -> tuple[Rankings, Index]:
    """Split rows by their probability into positive and negative items; also return their rows."""
    weights = np.ones(score.size) if weight is None else weight
    parts = np.concatenate((positive_share * weights, (1 - positive_share) * weights))
    item = np.flatnonzero(parts > 0)
    row = item % score.size
    has_parts = weight is not None or item.size > score.size
    return Rankings(item < score.size, score[row], parts[item] if has_parts else None), row
