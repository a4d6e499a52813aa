"""The score of a sample of which few rows have labels, and its limits, for an interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.few_labels.estimates import estimates_from_labels
from sklearn_ap._questions.few_labels.labelled import check_labelled
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._types import Argument, Float
from sklearn_ap._uncertainty.former.confidence_limits import confidence_limits, mask_undefined
from sklearn_ap._uncertainty.former.shrinkage import Uncertainty
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
    uncertainty: Uncertainty | None  # None without a positive
    labels: Labels
    labels_key: int


def score_from_labels(
    definition: Definition,
    request: Request,
    options: Options,
    inclusion_probability: Argument,
    judge: Argument,
) -> LabelledScore:
    """Estimate the score of rows of which few have labels, and its limits."""
    labelled = check_labelled([request], inclusion_probability, judge)
    estimates, labels = estimates_from_labels(definition, labelled, request, options)
    influences = estimates.influences[0]
    uncertainty = estimates.uncertainties[0]
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
        labels_key=labelled[0].labels_key,
    )
