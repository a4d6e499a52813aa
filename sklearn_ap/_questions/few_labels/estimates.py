"""Average precision from few true labels, and from what a judge says of all rows.

With inclusion probabilities q of the labelled rows L and weights 1 / q, the estimate is
A_L(y) + c (A(z) - A_L(z)), for labels y and judgements z (prediction-powered inference:
Angelopoulos et al. 2023; for average precision by its influence values). Its variance is the sum
over L of (1 - q) (g - c h)^2 + q g^2, where g and h are the influence values of A_L(y) and A_L(z):
the first part is what the choice of labels costs (Horvitz and Thompson 1952), the second what all
rows would leave.

Each score has the weight c that is best for it, so it does not depend on the models beside it. Of
the difference of two scores, g and g - c h are the differences of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.checks import LEAST_SHARE
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._counts.counting import count, with_known_totals
from sklearn_ap._counts.sorted_items import place_items
from sklearn_ap._questions.few_labels._left_out import influence_without, weights_without_each
from sklearn_ap._questions.few_labels._single_rows import estimates_from_single_rows
from sklearn_ap._questions.few_labels._unlike import are_scores_unlike
from sklearn_ap._questions.few_labels._warnings import warnings_of_labels
from sklearn_ap._questions.few_labels.judge_agreement import (
    agreement,
    score_of_judge,
    weight_of_judge,
)
from sklearn_ap._questions.few_labels.labelled import Labelled
from sklearn_ap._questions.few_labels.labels import (
    MISTAKES,
    Labels,
    mistakes_together,
    n_mistakes_of,
)
from sklearn_ap._questions.few_labels.variances import (
    DifferenceFromLabels,
    LabelPilot,
    ScoreFromLabels,
    UnitInfluences,
)
from sklearn_ap._uncertainty.confidence_limits import Estimates
from sklearn_ap._uncertainty.influence import Fill, InfluenceValues, QueryInfluences, RowInfluences
from sklearn_ap._uncertainty.model_influences import influences_of_rankings, undefined_fills
from sklearn_ap._uncertainty.options import Options, check_definition
from sklearn_ap._uncertainty.shrinkage import MOST_HIDDEN
from sklearn_ap._uncertainty.variance import sample_of_difference, sample_of_scores
from sklearn_ap._uncertainty.warnings import issue_warnings
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._influence import Influence
from sklearn_ap.definitions._prevalence import at_prevalence

# Labelled rows with a probability of so much less than that of any positive found are a stratum
# without positives, which may hide some: a choice. Of 100 intervals of "400 labels of rare
# positives" in benchmarks/few_labels.py, 88 covered with 0.05; 0.5 warns of good plans in 10 of 100
# samples. It stands again in tests/crossings/few_labels_reference.py, and changes there, too.
LOW_PROBABILITY = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What the labels and the judge say of one model."""

    by_labels: InfluenceValues
    of_units: UnitInfluences  # from derivatives, for differences
    of_score: UnitInfluences  # the same, or by leaving out each cluster that has labels
    estimate: Float
    bias: float  # how much too high the estimate is expected to be; nan if not known
    judge_regression_weight: float  # nan without a judge
    judge_score: float = np.nan  # of all rows
    of_mistake: float = 0.0  # how far one mistake of the judge moves the estimate
    n_mistakes: int = MISTAKES  # that are added to those of the judge


def estimates_from_labels(
    definition: Definition,
    labelled: Sequence[Labelled],
    request: Request,
    options: Options,
    place: int = 0,
) -> tuple[Estimates, Labels, LabelPilot | None]:
    """Correct scores by labels with what the judge says.

    The models are compared with the one at ``place``. The last answer plans more labels.
    """
    if labelled[0].single is not None:
        return estimates_from_single_rows(labelled, options, place)
    first, models = labelled[0], _models(definition, labelled, request, options)
    reference, (n_found, hidden) = models[place], _hidden_positives(first)
    moved = [model.of_units.minus(reference.of_units) for model in models]
    others = {i: of_units for i, of_units in enumerate(moved) if i != place}
    are_unlike = any(map(are_scores_unlike, labelled)) if first.is_random else False
    issue_warnings(warnings_of_labels(reference.by_labels, first, are_unlike, n_found, hidden))
    worth = np.full(len(models), np.nan)
    if not hidden:  # of which the variance does not show what labels are worth
        for i, of_units in (others or {place: reference.of_score}).items():
            worth[i] = of_units.worth()
    of_each = np.array([(model.judge_regression_weight, model.judge_score) for model in models]).T
    # Of a single model, the number alone.
    numbers = [each if each.size > 1 else float(each[0]) for each in (worth, *of_each)]
    n_equivalent, weights, scores = numbers
    of_labels = first.unit, reference.of_units.probability.size, first.n_units, n_equivalent
    labels = Labels(*of_labels, weights, scores, agreement(first, options))
    of_scores = [_shown(model, n_found, hidden) for model in models]
    of_others = {
        i: _shown_of_difference(models[i], reference, of_units) for i, of_units in others.items()
    }
    estimates = Estimates(
        [*map(_with_estimate, models)],
        [shown.uncertainty() for shown in of_scores],
        {i: shown.uncertainty() for i, shown in of_others.items()},
    )
    shown, known = (*(of_others.values() or of_scores),), ~reference.by_labels.is_undefined
    pilot = LabelPilot(shown, options._replace(rng=None), first.unit) if known.all() else None
    return estimates, labels, pilot


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
    alone = _by_labels(definition, labelled, rankings, fill, options)
    by_labels, of_units = alone.by_labels, alone.of_units
    if labelled.judged is None or by_labels.is_undefined.all():
        return alone
    of_all, bias_of_all = score_of_judge(definition, labelled, labelled.judged, silent)
    of_labelled = labelled.judged[labelled.is_labelled]
    judged, row = labelled.rankings(of_labelled)
    if not judged.positive.any():  # the judge says no of all that were labelled
        return replace(alone, judge_score=of_all)
    (of_judge,) = influences_of_rankings(definition, [judged], [silent], options)
    by_judge = _by_unit(of_judge)
    if labelled.unit != "query":  # items of rows, or of clusters of them
        by_judge = np.bincount(labelled.unit_of_labelled[row], by_judge).astype(np.float64)
    weight = weight_of_judge(of_units, by_judge, float(by_labels.score[0]))
    bias_of_shift = bias_of_all - _bias(definition, of_judge, labelled, of_labelled)
    shift = of_all - float(of_judge.score[0])
    of_units = of_score = of_units._replace(left=of_units.by_labels - weight * by_judge)
    if labelled.are_in_clusters and weight > 0:
        unit, others = labelled.unit_of_labelled, weights_without_each(of_units, by_judge)
        unit_influence = influence_without(definition, rankings, unit, of_units.by_labels)
        by_judge = influence_without(definition, judged, unit[row], by_judge)
        left = unit_influence - others * by_judge + (weight - others) * shift
        of_score = of_units._replace(by_labels=unit_influence, left=left)
    return replace(
        alone,
        of_units=of_units,
        of_score=of_score,
        estimate=np.clip(by_labels.score + weight * shift, 0.0, 1.0),
        bias=alone.bias + weight * float(np.nan_to_num(bias_of_shift)),
        judge_regression_weight=weight,
        judge_score=of_all,
        of_mistake=weight * mistakes_together(labelled) * _of_mistake(definition, rankings),
        n_mistakes=n_mistakes_of(labelled),
    )


def _by_labels(
    definition: Definition, labelled: Labelled, rankings: Rankings, fill: Fill, options: Options
) -> Model:
    """What the labels alone say of a model."""
    if labelled.unit == "cluster":
        rankings = replace(rankings, clusters=labelled.unit_of_labelled, has_clusters=True)
    (by_labels,) = influences_of_rankings(definition, [rankings], [fill], options)
    unit_influence, bias = (
        _by_unit(by_labels),
        _bias(definition, by_labels, labelled, labelled.positive),
    )
    of_units = UnitInfluences(unit_influence, unit_influence, labelled.probability_of_units)
    if isinstance(by_labels, RowInfluences) and not labelled.are_probabilities_equal:
        # Kish's number: negatives do not lower it that are heavy as they were seldom labelled.
        support = by_labels.support
        support = support._replace(n_effective=support.n_unlimited)
        by_labels = replace(by_labels, support=support)
    no_weight = np.nan if labelled.judged is None else 0.0
    return Model(by_labels, of_units, of_units, by_labels.score, bias, no_weight)


def _bias(
    definition: Definition, influences: InfluenceValues, labelled: Labelled, label: Array
) -> float:
    """How much too high the score of labelled rows is expected to be; nan if not known."""
    if isinstance(influences, QueryInfluences):
        return influences.bias
    if labelled.are_probabilities_equal:
        return float(np.ravel(influences.bias_of_values)[0])
    if labelled.are_in_clusters or definition != Step() or not label.any():
        return np.nan
    return _second_order_bias(labelled, label)


def _second_order_bias(labelled: Labelled, label: Array) -> float:
    """Half of the sum of squared weights times second derivatives of step average precision.

    So the infinitesimal jackknife finds the bias (Efron 1981). With weights w, labels y, n_i and
    h_i the weights of rows and of positives down to row i and its ties, and p the sum of w y,

        a = s / p  and  s = sum over i of w_i y_i h_i / n_i,
        ds/dw_j = y_j (h_j / n_j + sum of w_i y_i / n_i) - sum of w_i y_i h_i / n_i^2,
        d2a/dw_j^2 = (d2s/dw_j^2 - 2 y_j (ds/dw_j - y_j a) / p) / p,

    where the sums in ds/dw_j are over row j, those tied with it, and all below.
    """
    order, score, first, last = labelled.order_of_labelled
    w = cast(Float, labelled.weight_of_labelled)
    w, y = w[order] / w.max(), label[order].astype(np.float64)
    if w.min() < LEAST_SHARE:  # whose cubes are 0
        return np.nan
    retrieved = y * (score > -np.inf)  # other positives add to the divisor only
    n, h, p = np.cumsum(w)[last], np.cumsum(w * retrieved)[last], np.sum(w * y)

    def from_here(values: Float) -> Float:
        """The sum over this row, those tied with it, and all below."""
        return np.cumsum(values[::-1])[::-1][first]

    a = np.sum(w * retrieved * h / n) / p
    ds = retrieved * (h / n + from_here(w * retrieved / n)) - from_here(w * retrieved * h / n**2)
    of_row = retrieved * (retrieved * n - h) / n**2 - retrieved * from_here(w * retrieved / n**2)
    d2s = 2 * (of_row + from_here(w * retrieved * h / n**3))
    return float(np.sum(w * w * (d2s - 2 * y * (ds - y * a) / p)) / p / 2)


def _by_unit(influences: InfluenceValues) -> Float:
    if isinstance(influences, QueryInfluences):
        return influences.score_influence
    return influences.unit_influence[
        0, : influences.unit_influence.shape[1] - influences.units.n_unscored.size
    ]


def _with_estimate(model: Model) -> InfluenceValues:
    by_labels = model.by_labels
    if isinstance(by_labels, QueryInfluences):
        return replace(by_labels, score=model.estimate)
    positives = by_labels.positives._replace(n_effective=by_labels.n_effective)
    return replace(by_labels, values=model.estimate, positives=positives)


def _shown(model: Model, n_found: float, hidden: float) -> ScoreFromLabels:
    """What the labels and the judge show of how much the score of a model varies."""
    return ScoreFromLabels(
        of_units=model.of_score,
        sample=sample_of_scores(model.by_labels),
        by_labels=model.by_labels.score,
        estimate=model.estimate,
        bias=model.bias,
        n_found=n_found,
        n_hidden=hidden,
        has_judge=model.judge_regression_weight > 0,
        are_left_out=model.of_score is not model.of_units,
        of_mistake=model.of_mistake,
        n_mistakes=model.n_mistakes,
    )


def _shown_of_difference(
    model: Model, reference: Model, of_units: UnitInfluences
) -> DifferenceFromLabels:
    sample = sample_of_difference(model.by_labels, reference.by_labels, 0.0)
    magnitude = np.maximum(model.by_labels.score, reference.by_labels.score)
    return DifferenceFromLabels(of_units, sample, magnitude)


def _hidden_positives(labelled: Labelled) -> tuple[float, float]:
    """The weight of the positives found, and of those that may be among rows seldom labelled.

    None may have been found among many rows of which few were labelled. Then 3 / q are possible
    there, which rank too low to raise the score.
    """
    probability, positive = labelled.probability, labelled.positive
    weight = labelled.weight_of_labelled
    is_whole = labelled.is_labelled.all()
    if labelled.unit == "query" or is_whole or weight is None or not positive.any():
        return 1.0, 0.0
    # Where all positives found are of rows that were sure to be labelled, the rest is a stratum.
    least = probability[positive].min()
    of_low = weight[probability < (1.0 if least == 1 else LOW_PROBABILITY * least)]
    hidden = min(MOST_HIDDEN * of_low.mean(), of_low.sum()) if of_low.size else 0.0
    return float(weight[positive].sum()), float(hidden)


def _of_mistake(definition: Definition, rankings: Rankings) -> float:
    """What it costs if one labelled positive counts as a negative: the root of the mean square.

    It is that of step average precision, as other influences are 0 for a negative where none is.
    """
    rankings = rankings.only_retrieved()
    if rankings.are_queries or not rankings.positive.any():
        return 0.0
    items, steps = place_items(rankings), at_prevalence(Step(), definition.prevalence)
    influence = cast(Influence, steps.influence(with_known_totals(items.counts, rankings)))
    cost = influence.positive - influence.tied
    of_items = items.value_of_items(cost, cost, cost, np.zeros(1))
    of_positives = (of_items * cast(Float, rankings.weight))[rankings.positive]
    return float(np.sqrt(np.mean(of_positives**2)))
