"""Scores at k from labels of single rows of queries.

Where a score is a polynomial of second degree in the labels, in which no label is multiplied by
itself, z + (y - z) L / q may stand in for the label y, where z is what a judge says, 0 without one,
and L says whether the row was labelled, with probability q: it is right on average, and its values
are independent. So each query has a value that is right on average (Horvitz and Thompson 1952), and
the mean of the values varies as their variance over queries says, which includes that of labels.
What labels that show few mistakes of the judge hide of that is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from sklearn_ap._base.common.tuned_constants import PRIOR_DEGREES
from sklearn_ap._base.common.types import Float
from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._questions.few_labels._unlike import Pairs, Ranks
from sklearn_ap._questions.few_labels._warnings import (
    other_ranks,
    unlike_pairs,
    warnings_of_single_rows,
)
from sklearn_ap._questions.few_labels.judge_agreement import agreement
from sklearn_ap._questions.few_labels.labelled import Labelled, SingleRows
from sklearn_ap._questions.few_labels.labels import Labels, n_mistakes_of
from sklearn_ap._questions.few_labels.variances import LabelPilot
from sklearn_ap._uncertainty.confidence_limits import (
    Estimates,
    difference_half_width,
    limits_of_score,
)
from sklearn_ap._uncertainty.degrees_of_freedom import satterthwaite_degrees
from sklearn_ap._uncertainty.influence import QueryInfluences
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.sampling_units import Positives
from sklearn_ap._uncertainty.shrinkage import (
    Uncertainty,
    small_sample_factor,
    sums_of_squares,
)
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores
from sklearn_ap._uncertainty.warnings import issue_warnings

LARGE_BIAS = 0.5  # of pairs of labels, in standard errors of a score: a choice


@dataclass(frozen=True, slots=True, eq=False)
class LabelEffects:
    """How far the label of each labelled row moves a mean over queries, or a difference."""

    of_one: Float  # if the judge said 0 of the row, and it is 1
    error: Float  # of the judge
    probability: Float
    n_mistakes: int  # of the judge that are added to those which labels show
    of_pairs: float  # how far pairs of mistakes in one query move it, if all mistakes are alike,
    n_pairs: float  # and how many such pairs labels show

    def minus(self, other: LabelEffects) -> LabelEffects:
        """Those on the difference."""
        of_pairs, n_pairs = self.of_pairs - other.of_pairs, min(self.n_pairs, other.n_pairs)
        of_one = self.of_one - other.of_one
        return replace(self, of_one=of_one, of_pairs=of_pairs, n_pairs=n_pairs)

    def hidden_pairs(self, times: float = 1.0) -> float:
        """The variance of what pairs of mistakes do that labels have not shown: a choice."""
        return (self.of_pairs * PRIOR_DEGREES / (PRIOR_DEGREES + self.n_pairs * times**2)) ** 2

    def added_to(self, sample: Any, times: float = 1.0) -> Uncertainty:
        """The variance over queries, with what labels hide of it, and its degrees of freedom.

        With so many times the labels, each label stands for several, as in ``_variances``.
        """
        now = np.sqrt(1 - self.probability) * np.abs(self.of_one * self.error)
        shown, degrees = sums_of_squares(now[None], np.ones(1), n_units=now.size)
        of_queries: Uncertainty = sample.uncertainty()
        rest = np.maximum(of_queries.shrunken_variance - shown, 0.0)
        probability = np.minimum(times * self.probability, 1.0)
        with np.errstate(over="ignore"):  # of all rows, which hide nothing
            degrees = degrees * times
        squares = self.probability / probability * (1 - probability) * self.of_one**2
        n_labels = np.sum(probability / self.probability * (self.of_one != 0))
        hidden = (
            self.n_mistakes
            * PRIOR_DEGREES
            / (PRIOR_DEGREES + degrees)
            * squares.sum()
            / max(n_labels, 1.0)
        )
        of_labels = squares @ self.error**2 + hidden + self.hidden_pairs(times)
        parts = of_labels**2 / (degrees + PRIOR_DEGREES) + rest**2 / of_queries.degrees_of_freedom
        variance = np.minimum(of_labels + rest, 1 / TINY)
        return of_queries._replace(
            shrunken_variance=variance, degrees_of_freedom=satterthwaite_degrees(variance, parts)
        )


@dataclass(frozen=True, slots=True, eq=False)
class FromSingleRows:
    """What labels of single rows show of how much a score varies, or a difference."""

    of_units: LabelEffects
    sample: Any
    estimate: Float | None = None  # None for a difference

    def uncertainty(self) -> Uncertainty:
        return self.of_units.added_to(self.sample)

    def half_width(self, times: float, options: Options) -> float:
        sample = self.of_units.added_to(self.sample, times)
        if self.estimate is None:
            return float(difference_half_width(sample, options)[0])
        low, high = limits_of_score(self.estimate, sample, options.confidence_level)
        return float((high - low)[0] / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What labels and a judge say of one model."""

    influences: QueryInfluences
    of_labels: LabelEffects
    judge_score: float  # nan without one

    @classmethod
    def of(cls, labelled: Labelled) -> Model:
        top, known, probability = _single(labelled).top, labelled.is_labelled, labelled.probability
        judged = np.zeros(known.size) if labelled.judged is None else labelled.judged
        error = labelled.positive - judged[known]
        label = judged.copy()
        label[known] += error / probability
        values, derivative = top.values(label)
        n_queries, n_found = np.full(1, float(values.size)), np.full(1, labelled.positive.sum())
        factor = np.sqrt(small_sample_factor(n_queries)) / n_queries
        influences = QueryInfluences(
            score=np.clip(values.mean(keepdims=True), 0.0, 1.0),
            is_undefined=np.zeros(1, bool),
            score_influence=(values - values.mean()) * factor,
            n_effective=n_queries,
            n_with_positives=n_queries,
            bias=0.0,
            positives=Positives(n_found, n_found, n_found),
            n_clusters=None,
            median_positives=np.inf,
        )
        of_one = derivative[known] / probability / n_queries
        by_judge, of_pairs = _of_pairs(labelled, judged, error)
        effects = LabelEffects(of_one, error, probability, n_mistakes_of(labelled), *of_pairs)
        return cls(influences, effects, np.nan if labelled.judged is None else by_judge)


def _of_pairs(labelled: Labelled, judged: Float, error: Float) -> tuple[float, tuple[float, float]]:
    """The score by the judge alone; what pairs of its mean mistake add; how many pairs are seen."""
    (top, queries, *_), known = _single(labelled), labelled.is_labelled
    in_top = np.isin(np.flatnonzero(known), top.row)
    error, weight = error[in_top], 1 / labelled.probability[in_top]
    mean = error @ weight / max(weight.sum(), TINY)
    by_judge, derivative = top.values(judged)
    of_pairs = top.values(judged + mean)[0].sum() - by_judge.sum() - mean * derivative.sum()
    query, size = queries[known][in_top], np.abs(error)
    n_pairs = (np.sum(np.bincount(query, size) ** 2) - size @ size) / 2
    return float(by_judge.mean()), (float(of_pairs) / top.n_queries, float(n_pairs))


def estimates_from_single_rows(
    labelled: Sequence[Labelled], options: Options, place: int
) -> tuple[Estimates, Labels, LabelPilot]:
    """Scores of models, and their differences from the one at ``place``; and a plan of more."""
    first, models = labelled[0], [*map(Model.of, labelled)]
    reference = models[place]
    of_scores = [
        FromSingleRows(each.of_labels, sample_of_scores(each.influences), each.influences.score)
        for each in models
    ]
    of_others = {
        i: FromSingleRows(
            each.of_labels.minus(reference.of_labels),
            sample_of_difference(each.influences, reference.influences, 0.0),
        )
        for i, each in enumerate(models)
        if i != place
    }
    uncertainties = [each.uncertainty() for each in of_scores]
    unlike = _why_unlike(labelled, models, uncertainties) if first.is_random else ""
    issue_warnings(warnings_of_single_rows(first, unlike))
    estimates = Estimates(
        [each.influences for each in models],
        uncertainties,
        {i: each.uncertainty() for i, each in of_others.items()},
    )
    pilot = LabelPilot((*(of_others.values() or of_scores),), options._replace(rng=None), "top")
    return estimates, _labels(first, models, options), pilot


def _why_unlike(
    labelled: Sequence[Labelled], models: Sequence[Model], uncertainties: Sequence[Uncertainty]
) -> str:
    """Say why the labels are no simple random sample of the rows that count, if they are none."""
    first = labelled[0]
    if any(Ranks.of(each, _single(each)).are_unlike for each in labelled):
        return other_ranks(int(np.count_nonzero(~first.is_labelled)))
    pairs = Pairs.of(first, _single(first))
    if not pairs.are_unlike:
        return ""
    too_many = pairs.found / max(pairs.expected, TINY) - 1
    for model, uncertainty in zip(models, uncertainties, strict=True):
        bias = model.of_labels.of_pairs * too_many
        if abs(bias) > LARGE_BIAS * np.sqrt(uncertainty.shrunken_variance[0]):
            return unlike_pairs(pairs)
    return ""


def _labels(first: Labelled, models: list[Model], options: Options) -> Labels:
    weight, single = np.nan if first.judged is None else 1.0, _single(first)
    numbers = np.array([(np.nan, weight, each.judge_score) for each in models]).T
    of_each: Any = numbers if len(models) > 1 else numbers[:, 0].tolist()
    worth, weights, scores = of_each
    judge = agreement(replace(first, unit_of_rows=single.query), options)
    of_rows = single.n_known, single.n_rows, worth, weights, scores, judge, first.positive.size
    return Labels("row", *of_rows)


def _single(labelled: Labelled) -> SingleRows:
    return cast(SingleRows, labelled.single)
