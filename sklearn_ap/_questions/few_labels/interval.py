"""The score of a sample of which few rows have labels, and its limits, for an interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.few_labels._estimates import estimates_from_labels
from sklearn_ap._questions.few_labels._labelled import check_labelled
from sklearn_ap._questions.few_labels._labels import Labels
from sklearn_ap._types import Argument, Bool, Float
from sklearn_ap._uncertainty.estimate import Estimate, estimate_of_request
from sklearn_ap._uncertainty.former.confidence_limits import confidence_limits, mask_undefined
from sklearn_ap._uncertainty.former.influence import InfluenceValues
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
from sklearn_ap._uncertainty.limits import limits_of
from sklearn_ap._uncertainty.options import Options
from sklearn_ap.definitions import Definition


class LabelledScore(NamedTuple):
    """The score by few labels, perhaps with a judge, and its limits. Arrays have one number."""

    value: Float
    low: Float
    high: Float
    standard_error: Float
    n_positives: Float  # that have labels
    n_effective: Float
    uncertainty: Estimate | Uncertainty | None  # None without a positive
    labels: Labels
    positive: Bool  # the labels


class LabelledScores(NamedTuple):
    """The scores of several models by few labels, and their differences from a reference."""

    scores: list[LabelledScore]
    differences: list[Uncertainty]  # of all models but the reference
    has_all_labels: bool


def score_from_labels(
    definition: Definition,
    request: Request,
    options: Options,
    inclusion_probability: Argument,
    judge: Argument,
) -> LabelledScore:
    """Estimate the score of rows of which few have labels, and its limits."""
    found = scores_from_labels(definition, [request], options, inclusion_probability, judge)
    (score,) = found.scores
    return _as_of_rows(score, definition, request, options) if found.has_all_labels else score


def scores_from_labels(
    definition: Definition,
    requests: Sequence[Request],
    options: Options,
    inclusion_probability: Argument,
    judge: Argument,
    reference: int = 0,
) -> LabelledScores:
    """Estimate the scores of models on rows of which few have labels, and their differences."""
    labelled = check_labelled(requests, inclusion_probability, judge)
    estimates, labels = estimates_from_labels(definition, labelled, requests[0], options, reference)
    pairs = zip(estimates.influences, estimates.uncertainties, strict=True)
    return LabelledScores(
        [_labelled_score(*pair, labels, labelled[0].positive, options) for pair in pairs],
        [*estimates.difference_uncertainties.values()],
        bool(np.all(labelled[0].probability_of_rows == 1)),
    )


def _labelled_score(
    influences: InfluenceValues,
    uncertainty: Uncertainty,
    labels: Labels,
    positive: Bool,
    options: Options,
) -> LabelledScore:
    low, high = confidence_limits(influences, uncertainty, options.confidence_level)
    return LabelledScore(
        value=influences.score,
        low=low,
        high=high,
        standard_error=np.atleast_1d(mask_undefined(influences, uncertainty.standard_error)),
        n_positives=np.array([influences.positives.n_counted.sum()]),
        n_effective=np.array([influences.positives.n_effective.sum()]),
        uncertainty=None if influences.is_undefined.any() else uncertainty,
        labels=labels,
        positive=positive,
    )


def _as_of_rows(
    found: LabelledScore, definition: Definition, request: Request, options: Options
) -> LabelledScore:
    """Give the score of rows that all have labels the limits that it has without a choice."""
    estimate = estimate_of_request(definition, request, options.rng)
    low, high = limits_of(estimate, options.confidence_level)
    return found._replace(
        low=low,
        high=high,
        standard_error=estimate.standard_error,
        n_effective=estimate.n_effective,
        uncertainty=estimate if estimate.is_defined.all() else None,
    )
