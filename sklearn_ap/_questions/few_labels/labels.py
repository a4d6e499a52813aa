"""What a result says of labels: how many there are, what they are worth, and of the judge."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sklearn_ap._base.inputs.arrays import TINY
from sklearn_ap._base.text import FEW_FOR_A_JUDGE, FEW_QUERIES_REMARK
from sklearn_ap._questions.few_labels.judge_agreement import Agreement, in_words
from sklearn_ap._questions.few_labels.labelled import Labelled

# What ``Labels`` says of each model.
OF_EACH = ("n_equivalent", "judge_regression_weight", "judge_score")
# Mistakes of the judge that are added to those which the labels show, as two cases of each class
# are added to a proportion (Agresti and Coull 1998). Positives that it missed raise the score, so
# the upper limit is raised by as many. Both weigh less, the more mistakes are shown. Probabilities
# that are too sure hide more: a choice, with the coverage of "probabilities, too sure" in
# benchmarks/few_labels.py. So is the number of clusters with hidden mistakes, with that of "60 of
# 1,000 clusters". With two of them, coverage was 92.5 to 95.5. All stand again in
# tests/crossings/few_labels_reference.py, and change there, too.
MISTAKES, MISTAKES_OF_PROBABILITIES, CLUSTERS_WITH_MISTAKES = 2, 5, 3


def n_mistakes_of(labelled: Labelled) -> int:
    """How many mistakes of the judge are added to those which labels show, or clusters of them."""
    if labelled.judge_is_unsure:
        return MISTAKES_OF_PROBABILITIES
    return CLUSTERS_WITH_MISTAKES if labelled.are_in_clusters else MISTAKES


def mistakes_together(labelled: Labelled) -> float:
    """How many mistakes of the judge come together: those of the cluster of a typical mistake."""
    if not labelled.are_in_clusters or labelled.judged is None:
        return 1.0
    mistakes = np.abs(labelled.positive - labelled.judged[labelled.is_labelled])
    of_units = np.bincount(labelled.unit_of_labelled, mistakes)
    return float(max(of_units @ of_units / max(mistakes.sum(), TINY), 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """How many labels an estimate is from, and how good the judge of all rows is.

    Parameters
    ----------
    unit : {"row", "cluster", "query"}
        What was labelled as a whole.
    n_labelled, n_units : int
        How many have labels, of how many.
    n_equivalent : float or ndarray of shape (n_models,)
        How many labels of a simple random sample, without a judge, would have the same variance: of
        the estimate, or of each difference. nan for the reference, if positives may be hidden, and
        where single rows of queries are labelled.
    judge_regression_weight : float or ndarray of shape (n_models,)
        The coefficient, from 0 to 1, of the regression of the influence of labels on that of
        judgements, with which the judge counts in each score. It does not say that the judge is
        right. nan without one, and 1 where single rows of queries are labelled.
    judge_score : float or ndarray of shape (n_models,)
        The score of all rows by the judge alone; nan without one.
    judge : Agreement or None, default=None
        How well the judge agrees with the labels; None without one.
    n_in_top : int or None, default=None
        How many of the labels are of rows that the score looks at, if single rows of queries are
        labelled; None otherwise.
    """

    unit: str
    n_labelled: int
    n_units: int
    n_equivalent: Any
    judge_regression_weight: Any
    judge_score: Any
    judge: Agreement | None = None
    n_in_top: int | None = None

    def of_judge(self) -> dict[str, float]:
        """Give how well the judge agrees with the labels, as columns of a table."""
        return {} if self.judge is None else self.judge.columns()

    def columns(self) -> dict[str, Any]:
        """Give all numbers as columns of a table."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        del columns["judge"]
        if self.n_in_top is None:
            del columns["n_in_top"]
        return columns | self.of_judge()

    def judge_in_words(self) -> list[str]:
        """Say how good the judge is, and what it says alone; nothing without one."""
        if self.judge is None:
            return []
        scores, words = np.atleast_1d(self.judge_score), [in_words(self.of_judge())]
        if np.isnan(scores).any():
            return words
        return [*words, f"score by the judge alone: {', '.join(f'{each:.4f}' for each in scores)}"]


def remarks_about_labels(labels: Any) -> list[str]:
    """What labels are worth, how good the judge is, and what it says alone."""
    remarks, n_labelled, worth = [], f"{labels.n_labelled:,}", np.atleast_1d(labels.n_equivalent)
    if (of_some := worth[~np.isnan(worth)]).size:  # the reference of a comparison has none
        ends = dict.fromkeys(f"{end:,.0f}" for end in (of_some.min(), of_some.max()))
        if {*ends} != {n_labelled}:
            several = " to ".join(ends)
            remarks.append(f"{n_labelled} labels, same standard error as {several} drawn at random")
    if labels.n_in_top not in (None, labels.n_labelled):
        remarks.append(f"{labels.n_in_top:,} of the labels are within the first k ranks, and count")
    remarks += labels.judge_in_words()
    is_rough = labels.unit == "query" and labels.n_labelled < FEW_FOR_A_JUDGE
    return (
        [*remarks, FEW_QUERIES_REMARK] if labels.judge and worth.size > 1 and is_rough else remarks
    )
