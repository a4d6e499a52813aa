"""Average precision from few true labels, and from what a judge says of all rows.

With chances q of labelled rows L and weights 1 / q, the estimate is A_L(y) + c (A(z) - A_L(z)), for
labels y and judgements z (prediction-powered inference: Angelopoulos et al. 2023; for average
precision by its influence values). Its variance is the sum over L of (1 - q) (g - c h)^2 + q g^2,
where g and h are the influence values of A_L(y) and A_L(z): the first part is what the choice of
labels costs (Horvitz and Thompson 1952), the second what all rows would leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.stats import ks_2samp

from sklearn_ap._inputs.arrays import Array, Float
from sklearn_ap._inputs.checks import FEW, LEAST_SHARE
from sklearn_ap._inputs.labelled import Labelled
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request
from sklearn_ap._inputs.tolerances import TINY
from sklearn_ap._scoring import values_of
from sklearn_ap._uncertainty.confidence_limits import Estimates
from sklearn_ap._uncertainty.influence import Fill, InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.model_influences import influences_of_rankings, undefined_fills
from sklearn_ap._uncertainty.options import Options, check_definition
from sklearn_ap._uncertainty.sample_variance import (
    ROUNDING,
    small_sample_factor,
    sums_of_squares,
    without_rounding,
)
from sklearn_ap._uncertainty.shrinkage import MOST_HIDDEN, PRIOR, QuerySample, Uncertainty
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores
from sklearn_ap._uncertainty.warnings import warn_of, warnings_of_labels
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.counts._counting import with_known_totals
from sklearn_ap.counts._sorted_items import place_items
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._influence import Influence
from sklearn_ap.definitions._prevalence import at_prevalence

# Mistakes of the judge that are added to those which the labels show, as two cases of each class
# are added to a proportion (Agresti and Coull 1998). Positives that it missed raise the score, so
# the upper limit is raised by as many. Both weigh less, the more mistakes are shown. Probabilities
# that are too sure hide more: a choice, with the coverage of "probabilities, too sure" in
# benchmarks/few_labels.py.
MISTAKES, MISTAKES_OF_PROBABILITIES = 2, 5
# Labelled rows with a chance of so much less than that of any positive found are a stratum without
# positives, which may hide some: a choice. Of 100 intervals of "400 labels of rare positives" in
# benchmarks/few_labels.py, 88 covered with 0.05; 0.5 warns of good plans in 10 of 100 samples.
LOW_CHANCE = 0.3
# Of the test of two distributions, so that a random sample is hardly ever taken for another.
UNLIKE = 0.001


class UnitInfluences(NamedTuple):
    """The influence of each labelled unit on a score, or on a difference of scores."""

    by_truth: Float  # on the score by labels
    by_judge: Float  # on the score of these units by the judge; 0 without a judge
    chance: Float  # of each unit

    def minus(self, other: UnitInfluences) -> UnitInfluences:
        """Those on the difference."""
        return UnitInfluences(
            self.by_truth - other.by_truth, self.by_judge - other.by_judge, self.chance
        )

    def squares(self, weight: float) -> Float:
        """The variance that each unit adds to an estimate, with such a weight of the judge."""
        rest = self.by_truth - weight * self.by_judge
        return (1 - self.chance) * rest * rest + self.chance * self.by_truth * self.by_truth

    def worth(self, weight: float) -> float:
        """How many labels drawn at random, without a judge, would have the same variance."""
        variance = self.squares(weight).sum()
        at_random = np.sum(self.chance * self.by_truth * self.by_truth)
        if not np.sqrt(min(variance, at_random)) > ROUNDING:  # nothing shows what they are worth
            return float(self.chance.size)
        return float(np.sum(1 / self.chance) * at_random / variance)


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What the labels and the judge say of one model."""

    truth: InfluenceValues
    of_units: UnitInfluences
    bias_by_truth: float  # how much too high the score by labels is; nan if not known
    of_judge: float = np.nan  # the score of all rows by the judge
    shift: float = 0.0  # that minus the judge's score of the labelled rows
    bias_of_shift: float = 0.0
    of_mistake: float = 0.0  # the mean square of how far one mistake of the judge moves the score
    n_mistakes: int = MISTAKES  # that are added to those of the judge


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """How many labels an estimate is from, and what the judge of all rows was worth.

    Parameters
    ----------
    unit : {"row", "cluster", "query"}
        What was labelled as a whole.
    n_labelled, n_units : int
        How many have labels, of how many.
    n_equivalent : float
        How many labels of a simple random sample, without a judge, would have the same variance: of
        the estimate, or of the first difference. nan if positives may be hidden.
    judge_weight : float
        How much the judge counts, from 0 to 1; nan without one.
    judge_score : float or ndarray of shape (n_models,)
        The score of all rows by the judge alone; nan without one.
    """

    unit: str
    n_labelled: int
    n_units: int
    n_equivalent: float
    judge_weight: float
    judge_score: Any


def estimates_from_labels(
    definition: Definition,
    labelled: Sequence[Labelled],
    request: Request,
    options: Options,
    place: int = 0,
) -> tuple[Estimates, Labels]:
    """Correct scores by labels with what the judge says, with one weight for all models.

    The models are compared with the one at ``place``.
    """
    first, models = labelled[0], _models(definition, labelled, request, options)
    reference, (found, hidden) = models[place], _hidden_positives(first)
    others = {i: model for i, model in enumerate(models) if i != place}
    differences = [model.of_units.minus(reference.of_units) for model in others.values()]
    of_interest = differences or [reference.of_units]  # a single model has no difference
    weight = _weight_of_judge(of_interest, max(model.truth.score[0] for model in models))
    pairs = [_estimate(model, weight) for model in models]
    of_judge = np.array([model.of_judge for model in models])
    are_unlike = any(map(_is_unlike, labelled)) if first.is_random else False
    warn_of(warnings_of_labels(reference.truth, first, are_unlike, found, hidden))
    labels = Labels(
        unit=first.unit,
        n_labelled=reference.of_units.chance.size,
        n_units=first.n_units,
        # With hidden positives, the variance does not show what labels are worth.
        n_equivalent=np.nan if hidden else of_interest[0].worth(weight),
        judge_weight=np.nan if first.judged is None else weight,
        judge_score=of_judge if others else float(of_judge[0]),
    )
    uncertainties = [each._replace(lowered=found / (found + hidden)) for _, each in pairs]
    of_others = {
        i: _uncertainty_of_difference(model.truth, reference.truth, of_units, weight)
        for (i, model), of_units in zip(others.items(), differences, strict=True)
    }
    return Estimates([influences for influences, _ in pairs], uncertainties, of_others), labels


def _models(
    definition: Definition, labelled: Sequence[Labelled], request: Request, options: Options
) -> list[Model]:
    """What the labels and the judge say of the scores of each model."""
    first, others = undefined_fills(request.zero_division, request.prevalence)
    definition = check_definition(definition)
    one_of_each = Rankings(np.array([True, False]), np.array([1.0, 0.0]))
    are_queries = labelled[0].unit == "query"
    if not are_queries and definition.influence(count(one_of_each)) is None:
        raise ValueError(
            f"{definition!r} has no influence by row, so labels of some rows do not tell how sure "
            f"it is. Pass another definition, or label whole queries."
        )
    if are_queries and np.isnan(others(np.full(1, np.nan))).any():
        raise ValueError(
            "zero_division=nan leaves queries out, and a judge leaves out others than labels do. "
            "Pass zero_division=0.0 or 1.0."
        )
    definition = at_prevalence(definition, request.prevalence)
    fills = [first, *[others] * (len(labelled) - 1)]
    pairs = zip(labelled, fills, strict=True)
    return [_model(definition, each, fill, others, options) for each, fill in pairs]


def _model(
    definition: Definition, labelled: Labelled, fill: Fill, silent: Fill, options: Options
) -> Model:
    rankings, _ = labelled.rankings(labelled.positive.astype(np.float64))
    sampled = rankings
    if labelled.unit == "cluster":
        sampled = replace(rankings, clusters=labelled.unit_of_labelled)
    (truth,) = influences_of_rankings(definition, [sampled], [fill], options)
    by_truth, bias = _by_unit(truth), _bias(definition, truth, labelled, labelled.positive)
    of_units = UnitInfluences(by_truth, np.zeros_like(by_truth), labelled.chance_of_units)
    if isinstance(truth, RowInfluences) and not labelled.are_chances_equal:
        # Kish's number: negatives do not lower it that are heavy as they were seldom labelled.
        truth = replace(truth, n_effective=truth.n_effective_positives)
    nothing = Model(truth, of_units, bias)
    if labelled.judged is None or truth.is_undefined.all():
        return nothing
    of_all, bias_of_all = _score_of_judge(definition, labelled, labelled.judged, silent)
    of_labelled = labelled.judged[labelled.is_labelled]
    judged, row = labelled.rankings(of_labelled)
    if not judged.positive.any():  # the judge says no of all that were labelled
        return replace(nothing, of_judge=of_all)
    (found,) = influences_of_rankings(definition, [judged], [silent], options)
    by_judge = _by_unit(found)
    if labelled.unit != "query":  # items of rows, or of clusters of them
        by_judge = np.bincount(labelled.unit_of_labelled[row], by_judge).astype(np.float64)
    bias_of_shift = bias_of_all - _bias(definition, found, labelled, of_labelled)
    are_probabilities = np.any((labelled.judged > 0) & (labelled.judged < 1))
    return replace(
        nothing,
        of_units=of_units._replace(by_judge=by_judge),
        of_judge=of_all,
        shift=of_all - float(found.score[0]),
        bias_of_shift=float(np.nan_to_num(bias_of_shift)),
        of_mistake=_of_mistake(definition, rankings),
        n_mistakes=MISTAKES_OF_PROBABILITIES if are_probabilities else MISTAKES,
    )


def _bias(
    definition: Definition, influences: InfluenceValues, labelled: Labelled, label: Array
) -> float:
    """How much too high the score of labelled rows is expected to be; nan if not known."""
    if isinstance(influences, QueryInfluences):
        return influences.bias
    if labelled.are_chances_equal:
        return float(np.ravel(influences.bias_of_values)[0])
    if labelled.unit == "cluster" or definition != Step() or not label.any():
        return np.nan
    return _second_order_bias(labelled, label)


def _second_order_bias(labelled: Labelled, label: Array) -> float:
    """Half of the sum of squared weights times second derivatives of step average precision.

    So the infinitesimal jackknife finds the bias (Efron 1981).
    """
    below = -labelled.score[labelled.is_labelled].astype(np.float64)  # unsigned ones have no minus
    order, w = np.argsort(below, kind="stable"), cast(Float, labelled.weight_of_labelled)
    below, w, y = below[order], w[order] / w.max(), label[order].astype(np.float64)
    if w.min() < LEAST_SHARE:  # whose cubes are 0
        return np.nan
    last = np.searchsorted(below, below, side="right") - 1  # of those tied
    first = np.searchsorted(below, below, side="left")
    found = y * (below < np.inf)  # other positives add to the divisor only
    n, hits, total = np.cumsum(w)[last], np.cumsum(w * found)[last], np.sum(w * y)

    def from_here(values: Float) -> Float:
        """The sum over this row, those tied with it, and all below."""
        return np.cumsum(values[::-1])[::-1][first]

    value = np.sum(w * found * hits / n) / total
    once = found * (hits / n + from_here(w * found / n)) - from_here(w * found * hits / n**2)
    own = found * (found * n - hits) / n**2 - found * from_here(w * found / n**2)
    twice = 2 * (own + from_here(w * found * hits / n**3))
    return float(np.sum(w * w * (twice - 2 * y * (once - y * value) / total)) / total / 2)


def _score_of_judge(
    definition: Definition, labelled: Labelled, judged: Float, fill: Fill
) -> tuple[float, float]:
    """The score of all rows and its bias, without influence values, which take longer."""
    weight, everywhere = labelled.weight, np.ones(judged.size)
    if labelled.unit == "query":  # whose mean is right on average, and k counts their weights
        all_rows = replace(labelled, is_labelled=everywhere > 0, chance_of_rows=everywhere)
        rankings, _ = all_rows.rankings(judged)
        counts = count(rankings.only_retrieved(), definition.depth)
        return float(np.mean(fill(values_of(definition, counts)))), 0.0
    if weight is not None:  # the bias is that of so many rows, whatever their unit
        weight = weight / weight.mean()
    counts = _counts_of_probabilities(labelled.score, judged, weight)
    score = float(fill(values_of(definition, counts))[0])
    return score, float(np.nan_to_num(definition.bias(counts)[0]))


def _counts_of_probabilities(score: Array, judged: Float, weight: Float | None) -> ThresholdCounts:
    """Those of rows that are positives of a weight and negatives of the rest, from one sort."""
    order = np.argsort(score)[::-1]
    score, weight = score[order], np.ones(score.size) if weight is None else weight[order]
    positive = weight * judged[order]
    negative = weight - positive
    begin = np.flatnonzero(np.append(True, score[1:] != score[:-1]))
    gained, at_threshold = np.add.reduceat(positive, begin), np.add.reduceat(negative, begin)
    tps, fps = np.cumsum(gained), np.cumsum(at_threshold)
    totals = tps[-1:].copy(), fps[-1:].copy()
    kept = (gained > 0) & (score[begin] > -np.inf)
    of_all = score[begin], gained, tps, fps, fps - at_threshold
    columns: list[Any] = [each[kept] for each in of_all]
    return ThresholdCounts(*[*columns, np.zeros(1, np.intp), *totals])


def _by_unit(influences: InfluenceValues) -> Float:
    if isinstance(influences, QueryInfluences):
        return influences.of_score
    return influences.by_unit[0, : influences.by_unit.shape[1] - influences.units.n_unscored.size]


def _weight_of_judge(influences: Sequence[UnitInfluences], largest: float) -> float:
    """The weight in [0, 1] that makes the variance least; 0 for a judge that says nothing.

    ``largest`` is the largest score.
    """
    of_both = sum(np.sum((1 - q) * truth * judge) for truth, judge, q in influences)
    of_judge = sum(np.sum((1 - q) * judge * judge) for _, judge, q in influences)
    if not np.sqrt(of_judge) > ROUNDING * largest:  # nan without positives
        return 0.0
    return float(np.clip(of_both / of_judge, 0.0, 1.0))


def _with_estimate(model: Model, weight: float) -> InfluenceValues:
    truth, estimate = model.truth, np.clip(model.truth.score + weight * model.shift, 0.0, 1.0)
    if isinstance(truth, QueryInfluences):
        return replace(truth, score=estimate)
    bias = np.array([model.bias_by_truth + weight * model.bias_of_shift])
    positives = truth.positives._replace(n_effective=truth.n_effective)
    return replace(truth, values=estimate, bias_of_values=bias, positives=positives)


def _estimate(model: Model, weight: float) -> tuple[InfluenceValues, Uncertainty]:
    """The score by labels, corrected with such a weight of the judge, and how much it varies.

    The prior variance is that of the labels alone, in proportion to what the judge leaves. Labels
    alone may show their variance with more degrees of freedom than the rest has.
    """
    truth, influences = model.truth, _with_estimate(model, weight)
    sample, estimated = map(sample_of_scores, (truth, influences))
    squares, of_labels = model.of_units.squares(weight), np.sum(model.of_units.by_truth**2)
    varies = np.sqrt(of_labels) > ROUNDING * truth.score[0]
    left = float(squares.sum() / of_labels) if varies else 1.0
    shown = _shown(estimated, squares, truth.score)
    if isinstance(sample, QuerySample):
        of_mean = shown.uncertainty()
        return influences, of_mean._replace(n_queries=of_mean.n_queries / max(left, TINY))
    if np.any(sample.is_one_cluster):
        return influences, sample.uncertainty()
    degrees = shown.degrees_of_freedom
    prior = replace(sample, variance=sample.variance * 0, degrees_of_freedom=degrees * 0)
    more = np.maximum(sample.degrees_of_freedom - degrees, 0.0)
    of_both = replace(sample, degrees_of_freedom=more).uncertainty().variance
    relative = left * of_both / np.maximum(prior.uncertainty().variance, TINY)
    found = replace(shown, binomial_variances=sample.binomial_variances * relative).uncertainty()
    if weight == 0:
        return influences, found
    n_hidden = PRIOR / (degrees + PRIOR) * model.n_mistakes * np.mean(1 - model.of_units.chance)
    return influences, found._replace(
        variance=found.variance + n_hidden * weight**2 * model.of_mistake,
        # What the judge leaves is as uncertain as the variance, so the prior has no more degrees.
        degrees_of_freedom=np.minimum(degrees + PRIOR, found.degrees_of_freedom),
        raised=n_hidden * weight * np.sqrt(model.of_mistake),
    )


def _uncertainty_of_difference(
    truth: InfluenceValues, reference: InfluenceValues, of_units: UnitInfluences, weight: float
) -> Uncertainty:
    """How much the difference of two estimates varies, with the same weight of the judge."""
    squares, of_labels = of_units.squares(weight), np.sum(of_units.by_truth**2)
    sample = sample_of_difference(truth, reference, 0.0)
    shown = _shown(sample, squares, np.maximum(truth.score, reference.score))
    found: Uncertainty = shown.uncertainty()
    if isinstance(shown, QuerySample):
        return found
    # What labels hide of a difference, the judge shows as far as it is right. Its weight may be
    # best for other models, and leave more of this difference than the labels show.
    left = np.where(shown.variance > 0, squares.sum() / max(of_labels, TINY), 1.0)
    left = np.minimum(left, 1.0)
    return found._replace(variance=shown.variance + left * (found.variance - shown.variance))


def _hidden_positives(labelled: Labelled) -> tuple[float, float]:
    """The weight of the positives found, and of those that labels of low chance may have missed.

    None may have been found among many rows of which few were labelled. Then 3 / q are possible
    there, which rank too low to raise the score.
    """
    chance, positive = labelled.chance, labelled.positive
    weight = labelled.weight_of_labelled
    is_whole = labelled.is_labelled.all()
    if labelled.unit == "query" or is_whole or weight is None or not positive.any():
        return 1.0, 0.0
    # Where all positives found are of rows that were sure to be labelled, the rest is a stratum.
    least = chance[positive].min()
    of_low = weight[chance < (1.0 if least == 1 else LOW_CHANCE * least)]
    hidden = min(MOST_HIDDEN * of_low.mean(), of_low.sum()) if of_low.size else 0.0
    return float(weight[positive].sum()), float(hidden)


def _is_unlike(labelled: Labelled) -> bool:
    """Whether the scores of labelled rows say that these are no random sample."""
    scores, known = labelled.score, labelled.is_labelled
    if known.all() or known.size < FEW:  # which SciPy's asymptotic test cannot tell apart
        return False
    return bool(ks_2samp(scores[known], scores[~known], method="asymp").pvalue < UNLIKE)


def _shown(sample: Any, squares: Float, magnitude: Any) -> Any:
    """The sample with this variance, and its degrees of freedom."""
    is_mean = isinstance(sample, QuerySample)  # whose influences have the factor
    factor = np.ones(1) if is_mean else small_sample_factor(sample.n_effective)
    total, degrees = sums_of_squares(np.sqrt(squares)[None], factor, n_units=squares.size)
    total = without_rounding(total, sample.n_effective, magnitude)
    return replace(sample, variance=total, degrees_of_freedom=np.where(total > 0, degrees, 0.0))


def _of_mistake(definition: Definition, rankings: Rankings) -> float:
    """The mean square of what it costs if one labelled positive counts as a negative.

    It is that of step average precision, as other influences are 0 for a negative where none is.
    """
    rankings = rankings.only_retrieved()
    if rankings.are_queries or not rankings.positive.any():
        return 0.0
    items, steps = place_items(rankings), at_prevalence(Step(), definition.prevalence)
    found = cast(Influence, steps.influence(with_known_totals(items.counts, rankings)))
    cost = found.positive - found.tied
    of_items = items.value_of_items(cost, cost, cost, np.zeros(1))
    return float(np.mean((of_items * cast(Float, rankings.weight))[rankings.positive] ** 2))
