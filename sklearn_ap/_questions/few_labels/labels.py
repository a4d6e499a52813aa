"""The labels of a result: how many there are, what they are worth, and what a judge adds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.text import FEW_FOR_A_JUDGE, FEW_QUERIES_REMARK
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._questions.few_labels.labelled import Labelled
from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.former.confidence_limits import Estimates
from sklearn_ap._uncertainty.former.tuned_constants import (
    HIDDEN_MISTAKE_CLUSTERS,
    HIDDEN_MISTAKES,
    HIDDEN_PROBABILITY_MISTAKES,
)

# The fields of ``Labels`` that have a number for each model.
MODEL_COLUMNS = ("n_equivalent", "judge_regression_weight", "judge_score")


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

    @property
    def has_judge(self) -> bool:
        """Whether a judge labelled all units."""
        return not np.isnan(self.judge_regression_weight).all()

    def columns(self) -> dict[str, str | FloatOrArray]:
        """Return all numbers as columns of a table."""
        return asdict(self)

    def judge_in_words(self) -> list[str]:
        """Give the score by the judge alone; nothing without a judge."""
        judge_scores = np.atleast_1d(self.judge_score)
        if np.isnan(judge_scores).any():
            return []
        scores = ", ".join(f"{score:.4f}" for score in judge_scores)
        return [f"score by the judge alone: {scores}"]


class EstimatesFromLabels(NamedTuple):
    """Estimates from few labels, with a record of the labels."""

    estimates: Estimates
    labels: Labels


def remarks_about_labels(labels: Labels) -> list[str]:
    """Describe the worth of labels, and the score by the judge alone."""
    remarks = []
    n_labelled = f"{labels.n_labelled:,}"
    n_equivalent = np.atleast_1d(labels.n_equivalent)
    n_known = n_equivalent[~np.isnan(n_equivalent)]  # the reference of a comparison has none
    if n_known.size:
        ends = dict.fromkeys(f"{end:,.0f}" for end in (n_known.min(), n_known.max()))
        if {*ends} != {n_labelled}:
            numbers = " to ".join(ends)
            remarks.append(f"{n_labelled} labels, as precise as {numbers} drawn at random")
    remarks += labels.judge_in_words()
    is_rough = labels.unit == "query" and labels.n_labelled < FEW_FOR_A_JUDGE
    if labels.has_judge and n_equivalent.size > 1 and is_rough:
        remarks.append(FEW_QUERIES_REMARK)
    return remarks
