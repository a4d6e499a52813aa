"""The labels of a result: how many there are, what they are worth, and what a judge adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._questions.few_labels._labelled import Labelled
from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.former.confidence_limits import Estimates
from sklearn_ap._uncertainty.former.tuned_constants import (
    HIDDEN_MISTAKE_CLUSTERS,
    HIDDEN_MISTAKES,
    HIDDEN_PROBABILITY_MISTAKES,
)


def n_hidden_mistakes(labelled: Labelled) -> int:
    """Return the number of hidden mistakes of the judge, or clusters of them, in the limits.

    Two mistakes are added to those that labels show, as two cases of each class are added to a
    proportion (Agresti and Coull 1998). Positives that the judge missed raise the score, so the
    upper limit is raised by the effect of two mistakes. The more mistakes labels show, the less
    both corrections weigh.
    """
    if labelled.judge_is_unsure:
        return HIDDEN_PROBABILITY_MISTAKES
    return HIDDEN_MISTAKE_CLUSTERS if labelled.are_in_clusters else HIDDEN_MISTAKES


def mistakes_together(labelled: Labelled) -> float:
    """Count the mistakes of the judge in the cluster of a typical mistake: sum m^2 / sum m."""
    if not labelled.are_in_clusters or labelled.judged is None:
        return 1.0
    mistakes = np.abs(labelled.positive - labelled.judged[labelled.is_labelled])
    cluster_mistakes = np.bincount(labelled.unit_of_labelled, mistakes)  # m
    squares = cluster_mistakes @ cluster_mistakes
    return float(max(squares / max(mistakes.sum(), TINY), 1.0))


def scalar_if_one(values: Float) -> FloatOrArray:
    """Return the number of a single model as a float, and the numbers of several as an array."""
    return values if values.size > 1 else float(values[0])


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """How many labels an estimate is from, and what a judge of all rows adds.

    Parameters
    ----------
    unit : {"row", "cluster", "query"}
        What was labelled as a whole.
    n_labelled, n_units : int
        How many have labels, of how many.
    n_equivalent : float or ndarray of shape (n_models,)
        How many labels of a simple random sample, without a judge, would have the same variance: of
        the estimate, or of each difference. nan for the reference, and if positives may be hidden.
    judge_regression_weight : float or ndarray of shape (n_models,)
        The coefficient, from 0 to 1, of the regression of the influence of labels on that of
        judgements, with which the judge counts in each score. It does not say that the judge is
        right. nan without one.
    judge_score : float or ndarray of shape (n_models,)
        The score of all rows by the judge alone; nan without one.
    """

    unit: str
    n_labelled: int
    n_units: int
    n_equivalent: FloatOrArray
    judge_regression_weight: FloatOrArray
    judge_score: FloatOrArray


class EstimatesFromLabels(NamedTuple):
    """Estimates from few labels, with a record of the labels."""

    estimates: Estimates
    labels: Labels
