"""Average precision from few true labels, and from what a judge says of all rows.

With inclusion probabilities q of the labelled rows L and weights 1 / q, the estimate is
A_L(y) + c (A(z) - A_L(z)), for labels y and judgements z. This is prediction-powered inference
(Angelopoulos et al. 2023), with the influences phi on A_L(y) and psi on A_L(z). The variance is the
sum over L of (1 - q) (phi - c psi)^2 + q phi^2. The first part is what the choice of labels costs
(Horvitz and Thompson 1952), and the second what labels of all rows would leave (Equation B15).

Each score has the weight c that is best for it, so it does not depend on the models beside it. For
a difference of two scores, phi and phi - c psi are the differences of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap._counts.counting import add_known_totals, count, sort_items
from sklearn_ap._inputs.options import LEAST_SHARE
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.few_labels._judge import judge_score_and_bias, judge_weight
from sklearn_ap._questions.few_labels._labelled import Labelled
from sklearn_ap._questions.few_labels._labels import (
    EstimatesFromLabels,
    Labels,
    mistakes_together,
    n_hidden_mistakes,
    scalar_if_one,
)
from sklearn_ap._questions.few_labels._unlike import are_scores_unlike
from sklearn_ap._questions.few_labels._variances import (
    DifferenceFromLabels,
    ScoreFromLabels,
    UnitInfluences,
)
from sklearn_ap._questions.few_labels._warnings import warnings_of_labels
from sklearn_ap._types import Array, Float
from sklearn_ap._uncertainty.estimate import check_definition
from sklearn_ap._uncertainty.former.confidence_limits import Estimates
from sklearn_ap._uncertainty.former.influence import (
    Fill,
    InfluenceValues,
    QueryInfluences,
    RowInfluences,
)
from sklearn_ap._uncertainty.former.model_influences import influences_of_rankings, undefined_fills
from sklearn_ap._uncertainty.former.shrinkage import MOST_HIDDEN
from sklearn_ap._uncertainty.former.tuned_constants import LOW_PROBABILITY_RATIO
from sklearn_ap._uncertainty.former.variance import sample_of_difference, sample_of_scores
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.warnings import issue_warnings
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._base import Influence
from sklearn_ap.definitions._prevalence import at_prevalence


@dataclass(frozen=True, slots=True, eq=False)
class LabelledModel:
    """The estimate for one model, by the labels and by the judge."""

    influences: InfluenceValues  # by the labels alone
    units: UnitInfluences
    estimate: Float
    bias: float  # the expected estimate less the true score; nan if unknown
    judge_weight: float  # c; nan without a judge
    judge_score: float = np.nan  # A(z)
    cost_of_mistake: float = 0.0  # the change of the estimate by one mistake of the judge
    n_hidden_mistakes: int = 0


class PositiveWeights(NamedTuple):
    """The weight of the positives that labels found, and of those that they may have missed."""

    n_found: float
    n_hidden: float


def estimates_from_labels(
    definition: Definition,
    labelled: Sequence[Labelled],
    request: Request,
    options: Options,
    reference_index: int = 0,
) -> EstimatesFromLabels:
    """Estimate the scores of models, and their differences from the reference."""
    first = labelled[0]
    models = _models(definition, labelled, request, options)
    reference = models[reference_index]
    positives = _found_and_hidden_positives(first)
    are_unlike = first.is_random and any(map(are_scores_unlike, labelled))
    issue_warnings(
        warnings_of_labels(
            reference.influences,
            first,
            are_unlike,
            n_found=positives.n_found,
            n_hidden=positives.n_hidden,
        )
    )
    scores = [_score_from_labels(model, positives) for model in models]
    differences = {
        i: _difference_from_labels(model, reference)
        for i, model in enumerate(models)
        if i != reference_index
    }
    estimates = Estimates(
        [_influences_of_estimate(model) for model in models],
        [score.uncertainty() for score in scores],
        {i: difference.uncertainty() for i, difference in differences.items()},
    )
    n_equivalent = np.full(len(models), np.nan)
    if not positives.n_hidden:  # otherwise, the variance does not show what labels are worth
        for i, difference in differences.items():
            n_equivalent[i] = difference.units.n_equivalent()
        if not differences:
            n_equivalent[reference_index] = scores[reference_index].units.n_equivalent()
    return EstimatesFromLabels(estimates, _labels(first, models, n_equivalent))


def _labels(labelled: Labelled, models: Sequence[LabelledModel], n_equivalent: Float) -> Labels:
    return Labels(
        unit=labelled.unit,
        n_labelled=labelled.probability_of_units.size,
        n_units=labelled.n_units,
        n_equivalent=scalar_if_one(n_equivalent),
        judge_regression_weight=scalar_if_one(np.array([model.judge_weight for model in models])),
        judge_score=scalar_if_one(np.array([model.judge_score for model in models])),
    )


def _models(
    definition: Definition, labelled: Sequence[Labelled], request: Request, options: Options
) -> list[LabelledModel]:
    """Estimate the scores of all models; only the first one warns of undefined scores."""
    fill, fill_without_warning = undefined_fills(request.zero_division, request.prevalence)
    definition = check_definition(definition)
    are_queries = labelled[0].unit == "query"
    if not are_queries and not _has_influence(definition):
        raise ValueError(
            f"{definition!r} has no influence by row, so labels of some rows do not tell how sure "
            f"it is. Pass another definition, or label whole queries."
        )
    if are_queries and np.isnan(fill_without_warning(np.full(1, np.nan))).any():
        raise ValueError(
            "zero_division=nan leaves queries out, and a judge leaves out others than labels do. "
            "Pass zero_division=0.0 or 1.0."
        )
    definition = at_prevalence(definition, request.prevalence)
    models = []
    for labelled_rows in labelled:
        models.append(_model(definition, labelled_rows, fill, fill_without_warning, options))
        fill = fill_without_warning
    return models


def _has_influence(definition: Definition) -> bool:
    """Check whether a definition has an influence by row, from a ranking of one row per class."""
    one_per_class = Rankings(np.array([True, False]), np.array([1.0, 0.0]))
    return definition.influence(count(one_per_class)) is not None


def _model(
    definition: Definition,
    labelled: Labelled,
    fill: Fill,
    fill_without_warning: Fill,
    options: Options,
) -> LabelledModel:
    """Estimate the score of a model by labels and judge: Equation B15."""
    rankings, _ = labelled.rankings(labelled.positive.astype(np.float64))
    label_model = _label_model(definition, labelled, rankings, fill, options)
    label_score = label_model.influences.score  # A_L(y)
    if labelled.judged is None or label_model.influences.is_undefined.all():
        return label_model
    judge_score, judge_bias = judge_score_and_bias(
        definition, labelled, labelled.judged, fill_without_warning
    )
    judged = labelled.judged[labelled.is_labelled]
    judge_rankings, row = labelled.rankings(judged)
    if not judge_rankings.positive.any():  # all judgements of labelled rows are 0
        return replace(label_model, judge_score=judge_score)
    (judge_influences,) = influences_of_rankings(
        definition, [judge_rankings], [fill_without_warning], options
    )
    psi = _unit_influence(judge_influences)
    if labelled.unit != "query":  # psi has a value for each item, and a unit may have several
        psi = np.bincount(labelled.unit_of_labelled[row], psi).astype(np.float64)
    units = label_model.units
    c = judge_weight(units, psi, float(label_score[0]))
    shift = judge_score - float(judge_influences.score[0])
    shift_bias = judge_bias - _bias(definition, judge_influences, labelled, judged)
    units = units._replace(residual_influence=units.label_influence - c * psi)
    return replace(
        label_model,
        units=units,
        estimate=np.clip(label_score + c * shift, 0.0, 1.0),
        bias=label_model.bias + c * float(np.nan_to_num(shift_bias)),
        judge_weight=c,
        judge_score=judge_score,
        cost_of_mistake=c * mistakes_together(labelled) * _mistake_cost(definition, rankings),
        n_hidden_mistakes=n_hidden_mistakes(labelled),
    )


def _label_model(
    definition: Definition, labelled: Labelled, rankings: Rankings, fill: Fill, options: Options
) -> LabelledModel:
    """Estimate the score of a model by the labels alone."""
    if labelled.unit == "cluster":
        rankings = replace(rankings, clusters=labelled.unit_of_labelled, has_clusters=True)
    (influences,) = influences_of_rankings(definition, [rankings], [fill], options)
    phi = _unit_influence(influences)
    units = UnitInfluences(phi, phi, labelled.probability_of_units)
    bias = _bias(definition, influences, labelled, labelled.positive)
    if isinstance(influences, RowInfluences) and not labelled.are_probabilities_equal:
        # Negatives have large weights 1 / q if few of them were labelled, which must not lower the
        # effective number. So it is Kish's number, from the weights of positives alone.
        support = influences.support
        support = support._replace(n_effective=support.n_kish)
        influences = replace(influences, support=support)
    return LabelledModel(
        influences=influences,
        units=units,
        estimate=influences.score,
        bias=bias,
        judge_weight=np.nan if labelled.judged is None else 0.0,
    )


def _bias(
    definition: Definition, influences: InfluenceValues, labelled: Labelled, label: Array
) -> float:
    """Compute the bias of the score of labelled rows; nan if unknown."""
    if isinstance(influences, QueryInfluences):
        return influences.bias
    if labelled.are_probabilities_equal:
        return float(np.ravel(influences.bias_of_values)[0])
    if labelled.are_in_clusters or definition != Step() or not label.any():
        return np.nan
    return _second_order_bias(labelled, label)


def _second_order_bias(labelled: Labelled, label: Array) -> float:
    """Compute half of the sum of squared weights times second derivatives of average precision.

    This is the bias of step average precision by the infinitesimal jackknife (Efron 1981). Let w be
    the weights, y the labels, n_i and h_i the weights of rows and of positives down to row i and
    its ties, and p the sum of w y. Then

        a = s / p  and  s = sum over i of w_i y_i h_i / n_i,
        ds/dw_j = y_j (h_j / n_j + sum of w_i y_i / n_i) - sum of w_i y_i h_i / n_i^2,
        d2a/dw_j^2 = (d2s/dw_j^2 - 2 y_j (ds/dw_j - y_j a) / p) / p,

    where the sums in ds/dw_j are over row j, those tied with it, and all below.
    """
    rows = labelled.sorted_labelled
    w = cast(Float, labelled.weight_of_labelled)
    w = w[rows.order] / w.max()
    y = label[rows.order].astype(np.float64)
    if w.min() < LEAST_SHARE:  # cubes of smaller weights are 0
        return np.nan
    retrieved = y * (rows.score > -np.inf)  # other positives only add to the divisor
    n = np.cumsum(w)[rows.last]
    h = np.cumsum(w * retrieved)[rows.last]
    p = np.sum(w * y)

    def sum_from_here(terms: Float) -> Float:
        """Add up the terms of each row, those tied with it, and all below."""
        return np.cumsum(terms[::-1])[::-1][rows.first]

    a = np.sum(w * retrieved * h / n) / p
    sum_of_inverses = sum_from_here(w * retrieved / n)
    ds = retrieved * (h / n + sum_of_inverses) - sum_from_here(w * retrieved * h / n**2)
    own_term = retrieved * (retrieved * n - h) / n**2
    cross_term = retrieved * sum_from_here(w * retrieved / n**2)
    d2s = 2 * (own_term - cross_term + sum_from_here(w * retrieved * h / n**3))
    return float(np.sum(w * w * (d2s - 2 * y * (ds - y * a) / p)) / p / 2)


def _unit_influence(influences: InfluenceValues) -> Float:
    """Return the influence of each labelled unit, without positives that were never scored."""
    if isinstance(influences, QueryInfluences):
        return influences.score_influence
    n_rankings = influences.units.n_unscored.size
    return influences.unit_influence[0, : influences.unit_influence.shape[1] - n_rankings]


def _influences_of_estimate(model: LabelledModel) -> InfluenceValues:
    """Return the influences with the estimate in place of the score by labels."""
    influences = model.influences
    if isinstance(influences, QueryInfluences):
        return replace(influences, score=model.estimate)
    positives = influences.positives._replace(n_effective=influences.n_effective)
    return replace(influences, values=model.estimate, positives=positives)


def _score_from_labels(model: LabelledModel, positives: PositiveWeights) -> ScoreFromLabels:
    return ScoreFromLabels(
        units=model.units,
        sample=sample_of_scores(model.influences),
        label_score=model.influences.score,
        estimate=model.estimate,
        bias=model.bias,
        n_found=positives.n_found,
        n_hidden=positives.n_hidden,
        has_judge=model.judge_weight > 0,
        cost_of_mistake=model.cost_of_mistake,
        n_mistakes=model.n_hidden_mistakes,
    )


def _difference_from_labels(model: LabelledModel, reference: LabelledModel) -> DifferenceFromLabels:
    sample = sample_of_difference(model.influences, reference.influences, 0.0)
    magnitude = np.maximum(model.influences.score, reference.influences.score)
    return DifferenceFromLabels(model.units.minus(reference.units), sample, magnitude)


def _found_and_hidden_positives(labelled: Labelled) -> PositiveWeights:
    """Weigh the positives that were found, and those that rows of low probability may hide.

    If n labels of low probability show no positive, 3 / n of these rows may be positive. They rank
    too low to raise the score.
    """
    probability = labelled.probability
    positive = labelled.positive
    weight = labelled.weight_of_labelled
    is_whole = labelled.is_labelled.all()
    if labelled.unit == "query" or is_whole or weight is None or not positive.any():
        return PositiveWeights(n_found=1.0, n_hidden=0.0)
    lowest = probability[positive].min()
    # If all positives found have q = 1, all rows of q < 1 are the stratum without positives.
    limit = 1.0 if lowest == 1 else LOW_PROBABILITY_RATIO * lowest
    low_weight = weight[probability < limit]
    n_hidden = 0.0
    if low_weight.size:
        n_hidden = float(min(MOST_HIDDEN * low_weight.mean(), low_weight.sum()))
    return PositiveWeights(float(weight[positive].sum()), n_hidden)


def _mistake_cost(definition: Definition, rankings: Rankings) -> float:
    """Compute the root mean square loss of the score if one labelled positive becomes a negative.

    It is taken from step average precision, as the influence on other definitions is 0 for a
    negative at a threshold that has none.
    """
    rankings = rankings.select_retrieved()
    if rankings.are_queries or not rankings.positive.any():
        return 0.0
    items = sort_items(rankings)
    step = at_prevalence(Step(), definition.prevalence)
    influence = cast(Influence, step.influence(add_known_totals(items.counts, rankings)))
    cost = influence.positive - influence.tied  # at each threshold
    item_cost = items.item_values(cost, cost, cost, np.zeros(1))
    weighted_cost = (item_cost * cast(Float, rankings.weight))[rankings.positive]
    return float(np.sqrt(np.mean(weighted_cost**2)))
