"""Scores at k from labels of single rows of queries.

If a score is a polynomial of second degree in the labels, and multiplies no label by itself, the
number z + (y - z) L / q may replace the label y. Here, z is the judgement (0 without a judge), and
L is 1 if the row was labelled, with probability q, and otherwise 0. This number is unbiased, and
the numbers of rows are independent. So each query has an unbiased value (Horvitz and Thompson
1952), and the variance of the values over queries includes the variance by the choice of labels.
The variance that few mistakes of the judge hide is added. Equations are those of
``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from sklearn_ap._base.common.tuned_constants import PAIR_BIAS_LIMIT, PRIOR_DEGREES
from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._questions.few_labels._top import TopRows
from sklearn_ap._questions.few_labels._unlike import PairCount, RankSum
from sklearn_ap._questions.few_labels._warnings import (
    unlike_pairs_text,
    unlike_ranks_text,
    warnings_of_single_rows,
)
from sklearn_ap._questions.few_labels.judge_agreement import agreement
from sklearn_ap._questions.few_labels.labelled import Labelled, SingleRows
from sklearn_ap._questions.few_labels.labels import (
    EstimatesFromLabels,
    Labels,
    n_hidden_mistakes,
    scalar_if_one,
)
from sklearn_ap._questions.few_labels.variances import LabelPilot
from sklearn_ap._uncertainty.confidence_limits import (
    Estimates,
    difference_half_width,
    limits_of_score,
)
from sklearn_ap._uncertainty.degrees_of_freedom import satterthwaite_degrees
from sklearn_ap._uncertainty.influence import QueryInfluences
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.sampling_units import PositiveCounts
from sklearn_ap._uncertainty.shrinkage import (
    MOST_HIDDEN,
    QuerySample,
    Uncertainty,
    small_sample_factor,
    sums_of_squares,
)
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores
from sklearn_ap._uncertainty.warnings import issue_warnings


@dataclass(frozen=True, slots=True, eq=False)
class LabelEffects:
    """The effects of single labels on a mean over queries, or on a difference of means.

    Arrays have a value for each labelled row.
    """

    mistake_effect: Float  # the effect of a label of 1 if the judgement is 0
    mistake: Float  # y - z
    probability: Float  # q
    n_hidden_mistakes: int  # mistakes of the judge that are added to those which labels show
    # The effect of pairs of mistakes in one query, if all mistakes equal their mean
    pair_effect: float
    n_pairs: float  # the number of such pairs that labels show

    def minus(self, other: LabelEffects) -> LabelEffects:
        """Return the effects on the difference."""
        return replace(
            self,
            mistake_effect=self.mistake_effect - other.mistake_effect,
            pair_effect=self.pair_effect - other.pair_effect,
            n_pairs=min(self.n_pairs, other.n_pairs),
        )

    def hidden_pair_variance(self, times: float = 1.0) -> float:
        """Compute the variance by pairs of mistakes that labels have not shown."""
        n_shown = self.n_pairs * times**2
        return (self.pair_effect * PRIOR_DEGREES / (PRIOR_DEGREES + n_shown)) ** 2

    def add_label_variance(self, sample: QuerySample, times: float = 1.0) -> Uncertainty:
        """Return the uncertainty over queries and labels, with ``times`` as many labels.

        Each label represents several rows, as in Equation 24.
        """
        # The variance over queries contains the variance by the present choice of labels, which is
        # replaced by the variance with more labels.
        shown_effect = np.sqrt(1 - self.probability) * np.abs(self.mistake_effect * self.mistake)
        present_variance, shown_degrees = sums_of_squares(
            shown_effect[None], np.ones(1), n_units=shown_effect.size
        )
        uncertainty = sample.uncertainty()
        query_variance = np.maximum(uncertainty.shrunken_variance - present_variance, 0.0)
        with np.errstate(over="ignore"):  # ``times`` may be huge, when all rows have labels
            scaled_degrees = shown_degrees * times
        label_variance = self._label_variance(scaled_degrees, times)
        label_term = label_variance**2 / (scaled_degrees + PRIOR_DEGREES)
        query_term = query_variance**2 / uncertainty.degrees_of_freedom
        variance = np.minimum(label_variance + query_variance, 1 / TINY)
        total_degrees = satterthwaite_degrees(variance, label_term + query_term)
        return uncertainty._replace(shrunken_variance=variance, degrees_of_freedom=total_degrees)

    def _label_variance(self, degrees: Float, times: float) -> Float:
        """Compute the variance by the choice of labels, shown and hidden."""
        probability = np.minimum(times * self.probability, 1.0)  # q'
        squares = self.probability / probability * (1 - probability) * self.mistake_effect**2
        n_labels = np.sum(probability / self.probability * (self.mistake_effect != 0))
        n_hidden = self.n_hidden_mistakes * PRIOR_DEGREES / (PRIOR_DEGREES + degrees)
        hidden_variance = n_hidden * squares.sum() / max(n_labels, 1.0)
        shown_variance = squares @ self.mistake**2
        return shown_variance + hidden_variance + self.hidden_pair_variance(times)


@dataclass(frozen=True, slots=True, eq=False)
class EstimateFromSingleRows:
    """A score or a difference, with the variance that labels of single rows show."""

    effects: LabelEffects
    sample: QuerySample
    estimate: Float | None = None  # None for a difference

    @property
    def probability(self) -> Float:
        return self.effects.probability

    @property
    def n_effective(self) -> Float:
        return self.sample.n_effective

    def uncertainty(self, times: float = 1.0) -> Uncertainty:
        return self.effects.add_label_variance(self.sample, times)

    def half_width(self, times: float, options: Options) -> float:
        uncertainty = self.uncertainty(times)
        if self.estimate is None:
            return float(difference_half_width(uncertainty, options)[0])
        low, high = limits_of_score(self.estimate, uncertainty, options.confidence_level)
        return float((high - low)[0] / 2)


@dataclass(frozen=True, slots=True, eq=False)
class SingleRowModel:
    """The estimate for one model, by labels of single rows and by the judge."""

    influences: QueryInfluences
    effects: LabelEffects
    judge_score: float  # nan without a judge

    @classmethod
    def from_labels(cls, labelled: Labelled) -> SingleRowModel:
        """Estimate the mean over queries from unbiased numbers in place of labels."""
        top = _single_rows(labelled).top
        is_labelled = labelled.is_labelled
        judged = np.zeros(is_labelled.size) if labelled.judged is None else labelled.judged
        mistake = labelled.positive - judged[is_labelled]
        unbiased_label = judged.copy()  # z + (y - z) L / q
        unbiased_label[is_labelled] += mistake / labelled.probability
        values, derivative = top.values(unbiased_label)
        n_queries = np.full(1, float(values.size))
        n_found = np.full(1, labelled.positive.sum())
        factor = np.sqrt(small_sample_factor(n_queries)) / n_queries
        influences = QueryInfluences(
            score=np.clip(values.mean(keepdims=True), 0.0, 1.0),
            is_undefined=np.zeros(1, bool),
            score_influence=(values - values.mean()) * factor,
            n_effective=n_queries,
            n_with_positives=n_queries,
            bias=0.0,
            positives=PositiveCounts(n_found, n_found, n_found),
            n_clusters=None,
            median_positives=np.inf,
            hidden_alarms_cost=_hidden_alarms_cost(top, labelled.probability),
        )
        is_top = np.isin(np.flatnonzero(is_labelled), top.row)
        judge_values, judge_derivative = top.values(judged)
        mean_mistake = _mean_mistake(labelled, mistake, is_top)
        effects = LabelEffects(
            mistake_effect=derivative[is_labelled] / labelled.probability / n_queries,
            mistake=mistake,
            probability=labelled.probability,
            n_hidden_mistakes=n_hidden_mistakes(labelled),
            pair_effect=_pair_effect(
                top, judged + mean_mistake, judge_values, mean_mistake * judge_derivative.sum()
            ),
            n_pairs=_n_mistake_pairs(labelled, mistake, is_top),
        )
        judge_score = np.nan if labelled.judged is None else float(judge_values.mean())
        return cls(influences, effects, judge_score)


def _hidden_alarms_cost(top: TopRows, probability: Float) -> Float:
    """Return the loss of the mean if the first rows of some queries are no hits, but all others.

    Labels find a false alarm with its inclusion probability q, so each of the ``MOST_HIDDEN`` that
    they may lack stands for 1 / q.
    """
    all_hits = np.ones(top.row.max(initial=0) + 1)
    hits = all_hits.copy()
    hits[top.first_rows()] = 0.0
    losses = top.values(all_hits)[0] - top.values(hits)[0]
    return np.full(1, MOST_HIDDEN * losses.mean() / top.n_queries * np.mean(1 / probability))


def _mean_mistake(labelled: Labelled, mistake: Float, is_top: Bool) -> float:
    """Return the mean mistake of the judge; the score depends on the rows of ``is_top``."""
    weight = 1 / labelled.probability[is_top]
    return float(mistake[is_top] @ weight / max(weight.sum(), TINY))


def _pair_effect(
    top: TopRows, shifted_judgements: Float, judge_values: Float, linear_effect: float
) -> float:
    """Compute the effect of pairs of mistakes, if each mistake is the mean one.

    It is the change of the score by a shift of all judgements, beyond the linear effect.
    """
    shifted_values, _ = top.values(shifted_judgements)
    return float(shifted_values.sum() - judge_values.sum() - linear_effect) / top.n_queries


def _n_mistake_pairs(labelled: Labelled, mistake: Float, is_top: Bool) -> float:
    """Count the pairs of mistakes in one query that labels show."""
    query = _single_rows(labelled).query[labelled.is_labelled][is_top]
    size = np.abs(mistake[is_top])
    return float((np.sum(np.bincount(query, size) ** 2) - size @ size) / 2)


def estimates_from_single_rows(
    labelled: Sequence[Labelled], options: Options, reference_index: int
) -> EstimatesFromLabels:
    """Estimate the scores of models, and their differences from the reference model."""
    first = labelled[0]
    models = [SingleRowModel.from_labels(labelled_rows) for labelled_rows in labelled]
    reference = models[reference_index]
    scores = [
        EstimateFromSingleRows(
            model.effects, _query_sample(model.influences), model.influences.score
        )
        for model in models
    ]
    differences = {
        i: EstimateFromSingleRows(
            model.effects.minus(reference.effects),
            cast(QuerySample, sample_of_difference(model.influences, reference.influences, 0.0)),
        )
        for i, model in enumerate(models)
        if i != reference_index
    }
    uncertainties = [score.uncertainty() for score in scores]
    explanation = ""
    if first.is_random:
        explanation = _explain_nonrandom_labels(labelled, models, uncertainties)
    issue_warnings(warnings_of_single_rows(first, explanation))
    estimates = Estimates(
        [model.influences for model in models],
        uncertainties,
        {i: difference.uncertainty() for i, difference in differences.items()},
    )
    planned = tuple(differences.values()) or tuple(scores)
    pilot = LabelPilot(planned, options._replace(rng=None), "top")
    return EstimatesFromLabels(estimates, _labels(first, models, options), pilot)


def _explain_nonrandom_labels(
    labelled: Sequence[Labelled],
    models: Sequence[SingleRowModel],
    uncertainties: Sequence[Uncertainty],
) -> str:
    """Say why the labels look like no simple random sample; empty if they look like one."""
    first = labelled[0]
    for labelled_rows in labelled:
        if RankSum.from_labels(labelled_rows, _single_rows(labelled_rows)).is_unlike:
            return unlike_ranks_text(int(np.count_nonzero(~first.is_labelled)))
    pairs = PairCount.from_labels(first, _single_rows(first))
    if not pairs.is_unlike:
        return ""
    relative_excess = pairs.number / max(pairs.expected, TINY) - 1
    for model, uncertainty in zip(models, uncertainties, strict=True):
        bias = model.effects.pair_effect * relative_excess
        if abs(bias) > PAIR_BIAS_LIMIT * np.sqrt(uncertainty.shrunken_variance[0]):
            return unlike_pairs_text(pairs)
    return ""


def _labels(first: Labelled, models: Sequence[SingleRowModel], options: Options) -> Labels:
    single_rows = _single_rows(first)
    weight = np.nan if first.judged is None else 1.0
    return Labels(
        unit="row",
        n_labelled=single_rows.n_labelled,
        n_units=single_rows.n_rows,
        n_equivalent=scalar_if_one(np.full(len(models), np.nan)),
        judge_regression_weight=scalar_if_one(np.full(len(models), weight)),
        judge_score=scalar_if_one(np.array([model.judge_score for model in models])),
        judge=agreement(replace(first, unit_of_rows=single_rows.query), options),
        n_in_top=first.positive.size,
    )


def _query_sample(influences: QueryInfluences) -> QuerySample:
    return cast(QuerySample, sample_of_scores(influences))


def _single_rows(labelled: Labelled) -> SingleRows:
    return cast(SingleRows, labelled.single_rows)
