"""Scores at k from labels of single rows of queries.

Where a score is a polynomial of second degree in the labels, in which no label is multiplied by
itself, z + (y - z) L / q may stand in for the label y. Here, z is what a judge says (0 without
one), and L says whether the row was labelled, with probability q. This number is right on average,
and the numbers of rows are independent. So each query has a value that is right on average (Horvitz
and Thompson 1952), and the variance of the values over queries includes that of labels. What few
mistakes of the judge hide of the variance is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from sklearn_ap._base.common.tuned_constants import PAIR_BIAS_LIMIT, PRIOR_DEGREES
from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import TINY
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
    QuerySample,
    Uncertainty,
    small_sample_factor,
    sums_of_squares,
)
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores
from sklearn_ap._uncertainty.warnings import issue_warnings


@dataclass(frozen=True, slots=True, eq=False)
class LabelEffects:
    """How far the labels of single rows move a mean over queries, or a difference of means.

    Arrays have a value for each labelled row.
    """

    mistake_effect: Float  # how far the label moves it, if the judge said 0 of the row, and it is 1
    mistake: Float  # y - z
    probability: Float
    n_hidden_mistakes: int  # of the judge that are added to those which labels show
    # How far pairs of mistakes in one query move it, if all mistakes are like their mean, and how
    # many such pairs labels show.
    pair_effect: float
    n_pairs: float

    def minus(self, other: LabelEffects) -> LabelEffects:
        """Return the effects on the difference."""
        return replace(
            self,
            mistake_effect=self.mistake_effect - other.mistake_effect,
            pair_effect=self.pair_effect - other.pair_effect,
            n_pairs=min(self.n_pairs, other.n_pairs),
        )

    def hidden_pair_variance(self, times: float = 1.0) -> float:
        """Compute the variance of what pairs of mistakes do that labels have not shown."""
        n_shown = self.n_pairs * times**2
        return (self.pair_effect * PRIOR_DEGREES / (PRIOR_DEGREES + n_shown)) ** 2

    def add_label_variance(self, sample: QuerySample, times: float = 1.0) -> Uncertainty:
        """Return the uncertainty over queries, with what labels hide of it.

        With so many times the labels, each label represents several, as in Equation 24.
        """
        # The part of the variance over queries that the choice of labels makes is taken out,
        # and comes back as that of more labels, with what labels hide.
        shown_effect = np.sqrt(1 - self.probability) * np.abs(self.mistake_effect * self.mistake)
        shown_variance, degrees = sums_of_squares(
            shown_effect[None], np.ones(1), n_units=shown_effect.size
        )
        uncertainty = sample.uncertainty()
        query_variance = np.maximum(uncertainty.shrunken_variance - shown_variance, 0.0)
        with np.errstate(over="ignore"):  # of all rows, which hide nothing
            degrees = degrees * times
        probability = np.minimum(times * self.probability, 1.0)  # q'
        squares = self.probability / probability * (1 - probability) * self.mistake_effect**2
        n_labels = np.sum(probability / self.probability * (self.mistake_effect != 0))
        n_hidden = self.n_hidden_mistakes * PRIOR_DEGREES / (PRIOR_DEGREES + degrees)
        hidden_variance = n_hidden * squares.sum() / max(n_labels, 1.0)
        shown_then = squares @ self.mistake**2
        label_variance = shown_then + hidden_variance + self.hidden_pair_variance(times)
        label_part = label_variance**2 / (degrees + PRIOR_DEGREES)
        query_part = query_variance**2 / uncertainty.degrees_of_freedom
        variance = np.minimum(label_variance + query_variance, 1 / TINY)
        degrees = satterthwaite_degrees(variance, label_part + query_part)
        return uncertainty._replace(shrunken_variance=variance, degrees_of_freedom=degrees)


@dataclass(frozen=True, slots=True, eq=False)
class EstimateFromSingleRows:
    """A score or a difference, and what labels of single rows show of its variance."""

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
        """Estimate the mean over queries from numbers that stand in for labels."""
        top = _single_rows(labelled).top
        is_labelled = labelled.is_labelled
        judged = np.zeros(is_labelled.size) if labelled.judged is None else labelled.judged
        mistake = labelled.positive - judged[is_labelled]
        stand_in = judged.copy()  # z + (y - z) L / q
        stand_in[is_labelled] += mistake / labelled.probability
        values, derivative = top.values(stand_in)
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
        )
        is_top = np.isin(np.flatnonzero(is_labelled), top.row)
        judge_score, pair_effect = _judge_score_and_pair_effect(labelled, judged, mistake, is_top)
        effects = LabelEffects(
            mistake_effect=derivative[is_labelled] / labelled.probability / n_queries,
            mistake=mistake,
            probability=labelled.probability,
            n_hidden_mistakes=n_hidden_mistakes(labelled),
            pair_effect=pair_effect,
            n_pairs=_n_mistake_pairs(labelled, mistake, is_top),
        )
        return cls(influences, effects, np.nan if labelled.judged is None else judge_score)


def _judge_score_and_pair_effect(
    labelled: Labelled, judged: Float, mistake: Float, is_top: Bool
) -> tuple[float, float]:
    """Compute the score by the judge alone, and what pairs of its mean mistake add to the score.

    The second is what a shift of all judgements changes, beyond its derivative. ``is_top`` says
    which labelled rows the score of this model looks at.
    """
    top = _single_rows(labelled).top
    weight = 1 / labelled.probability[is_top]
    mean_mistake = mistake[is_top] @ weight / max(weight.sum(), TINY)
    values, derivative = top.values(judged)
    shifted_values, _ = top.values(judged + mean_mistake)
    pair_sum = shifted_values.sum() - values.sum() - mean_mistake * derivative.sum()
    return float(values.mean()), float(pair_sum) / top.n_queries


def _n_mistake_pairs(labelled: Labelled, mistake: Float, is_top: Bool) -> float:
    """Count the pairs of mistakes in one query that labels show."""
    query = _single_rows(labelled).query[labelled.is_labelled][is_top]
    size = np.abs(mistake[is_top])
    return float((np.sum(np.bincount(query, size) ** 2) - size @ size) / 2)


def estimates_from_single_rows(
    labelled: Sequence[Labelled], options: Options, place: int
) -> EstimatesFromLabels:
    """Estimate the scores of models, and their differences from the model at ``place``."""
    first = labelled[0]
    models = [SingleRowModel.from_labels(labelled_rows) for labelled_rows in labelled]
    reference = models[place]
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
        if i != place
    }
    uncertainties = [score.uncertainty() for score in scores]
    unlike = _why_unlike(labelled, models, uncertainties) if first.is_random else ""
    issue_warnings(warnings_of_single_rows(first, unlike))
    estimates = Estimates(
        [model.influences for model in models],
        uncertainties,
        {i: difference.uncertainty() for i, difference in differences.items()},
    )
    planned = tuple(differences.values()) or tuple(scores)
    pilot = LabelPilot(planned, options._replace(rng=None), "top")
    return EstimatesFromLabels(estimates, _labels(first, models, options), pilot)


def _why_unlike(
    labelled: Sequence[Labelled],
    models: Sequence[SingleRowModel],
    uncertainties: Sequence[Uncertainty],
) -> str:
    """Say why the labels are no simple random sample of the rows that count, if they are none."""
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
