"""How much more a model scores within single segments, whose scores are on different scales."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.advice._reversal_words import replace_advice
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import compare_pair, compare_rows
from sklearn_ap._program.report.page.page import Part, add_sentence
from sklearn_ap._program.report.page.pictures import warned_texts
from sklearn_ap._program.report.segments.columns import Column, compare_column
from sklearn_ap._program.report.segments.comparisons import has_enough_positives
from sklearn_ap._program.report.segments.doubts import is_on_other_scales
from sklearn_ap._questions.verdicts import Estimate, printed

LEAST_CHANGE = 2.0  # times as large within segments, or half, for a lead to be told: a choice


class LeadWithin(NamedTuple):
    """The mean difference of two models within segments of a column, weighted by positives."""

    column: Column
    winner: str
    other: str
    difference: Estimate

    def sentence(self, kind: str) -> str:
        """Write "Within single countries, A scores 0.17 more than B on average (...): ..."."""
        value, low, high = printed(self.difference, "+")
        limits = f"({kind} {low} to {high})"
        plural = self.column.plural
        return (
            f"Within single {plural}, {self.winner} scores {value.lstrip('+')} more than "
            f"{self.other} on average {limits}: scores of different {plural} are not on one scale, "
            f"so it needs a threshold for each {self.column.noun}."
        )


def find_lead_within(data: Predictions, columns: Sequence[Column]) -> LeadWithin | None:
    """Find the lead of one of two models within segments that rank better than all together.

    It is told if it is shown, and clearly differs from that over all rows.
    """
    if len(data.values) != 2:
        return None
    best, second = data.values
    for column in columns:
        both = [column, compare_column(data, column.name, second)]
        if column.is_time or not any(is_on_other_scales(data, each) for each in both):
            continue
        with warned_texts():  # the parts of the comparison and of the segments have them
            together = compare_pair(data, best, second)
            change = _mean_difference(data, column, best, second)
        if change.low > 0 and not _is_alike(change, together):
            return LeadWithin(column, best, second, change)
        change = _reverse(change)
        if change.low > 0 and not _is_alike(change, _reverse(together)):
            return LeadWithin(column, second, best, change)
    return None


def _reverse(change: Estimate) -> Estimate:
    """Return the difference with the models in the other order."""
    return Estimate(-change.value, -change.high, -change.low)


def _is_alike(change: Estimate, together: Estimate) -> bool:
    """Check whether the same lead is shown over all rows, and about as large."""
    ratio = together.value / change.value
    return together.low > 0 and 1 / LEAST_CHANGE < ratio < LEAST_CHANGE


def _mean_difference(data: Predictions, column: Column, best: str, second: str) -> Estimate:
    """Average the differences within the segments that have enough positives."""
    known = has_enough_positives(column.comparison)
    prevalence = column.comparison.prevalence
    rows: list[Bool] = [
        column.mark_rows(data, name)
        for name, is_known in zip(column.names, known, strict=True)
        if is_known
    ]
    found = [compare_rows(data, best, second, each, prevalence, data.level) for each in rows]
    weight = np.asarray(column.comparison.n_positives)[known]
    weight = weight / weight.sum()
    value = float(weight @ [row["difference"] for row in found])
    errors = weight * [row["difference_standard_error"] for row in found]
    half = float(norm.isf((1 - data.level) / 2) * np.sqrt(np.sum(errors**2)))
    return Estimate(value, value - half, value + half)


def add_lead_within(data: Predictions, part: Part, lead: LeadWithin | None) -> Part:
    """Say which model is better within single segments, and advise it where nothing else is."""
    if lead is None:
        return part
    text = lead.sentence(data.interval_kind)
    if part.advice:
        return replace_advice(part, f"Use {lead.winner}. {text}")
    return add_sentence(part, text)
