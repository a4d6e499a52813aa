"""Counts at all thresholds, and which threshold is the best of those that are good enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float
from sklearn_ap._base.inputs.arrays import RATIO_ROUNDING, RELATIVE_TOLERANCE, TINY
from sklearn_ap._counts.thresholds import ThresholdCounts, next_score
from sklearn_ap._questions.operating_points._goal import Goal, guarantee_as_text
from sklearn_ap._questions.operating_points._guarantees import (
    has_guaranteed_recall,
    lowest_guaranteed_precision,
)


class Thresholds(NamedTuple):
    """What each threshold selects, from the highest on: arrays of shape (n_thresholds,)."""

    scores: Array
    tps: Array
    fps: Array
    size: Array  # the number of selected rows, or their weight
    n_positives: float
    n_negatives: float
    prevalence: float  # that of the sample, or the one asked for
    odds_ratio: float  # of a precision in the sample, to the odds of that at the prevalence
    counts: ThresholdCounts | None  # None if the thresholds are all scores of the sample
    rounding: float = RATIO_ROUNDING  # of precision and recall, relative

    def next_score(self, place: int) -> float:
        """Find the highest score below a threshold; nan if the counts do not tell it."""
        if self.counts is not None:
            return next_score(self.counts, place)
        if place + 1 == self.scores.size:
            return -np.inf
        score: float = self.scores[place + 1].item()
        return score

    def sample_precision(self, precision: float) -> float:
        """Convert a precision at the prevalence to that in the sample."""
        if self.odds_ratio == 1 or precision == 1:
            return precision
        odds = precision / (1 - precision) * self.odds_ratio
        return odds / (1 + odds)

    @property
    def recall(self) -> Float:
        """The proportion of positives that each threshold selects."""
        return np.asarray(self.tps / self.n_positives)

    @property
    def false_positive_rate(self) -> Float:
        """The proportion of negatives that each threshold selects."""
        return np.asarray(self.fps / (self.n_negatives or 1))

    @property
    def precision(self) -> Float:
        """The precision at the prevalence."""
        # In place, as there may be as many thresholds as rows.
        true_share = self.recall
        true_share *= self.prevalence
        selected_share = self.false_positive_rate
        selected_share *= 1 - self.prevalence
        selected_share += true_share
        true_share /= np.maximum(selected_share, TINY, out=selected_share)
        return true_share

    def cost(self, chosen: int | None, goal: Goal) -> float | None:
        """Compute the expected cost per row of a threshold, or of selecting nothing.

        It is None for goals without costs.
        """
        if goal.costs is None:
            return None
        return float(self.costs(goal.costs)[0 if chosen is None else chosen + 1])

    def costs(self, error_costs: tuple[float, float]) -> Float:
        """Compute the expected costs per row, the first of them for selecting nothing."""
        false_positive_cost, false_negative_cost = error_costs
        false_positive_rate = np.append(0, self.false_positive_rate)
        n_missed = np.append(self.n_positives, self.n_positives - self.tps)
        false_negative_rate = n_missed / self.n_positives
        return np.asarray(
            false_positive_cost * ((1 - self.prevalence) * false_positive_rate)
            + false_negative_cost * (self.prevalence * false_negative_rate)
        )


def make_thresholds(
    scores: Array,
    tps: Array,
    fps: Array,
    n_positives: float,
    n_negatives: float,
    prevalence: float | None,
    counts: ThresholdCounts | None = None,
) -> Thresholds:
    """Compute what each threshold selects, and gives at a prevalence.

    ``fps`` are false positives.
    """
    if not n_positives:
        raise ValueError("y_true holds no positive, so no threshold has a precision or a recall.")
    odds_ratio = 1.0
    sample_prevalence = n_positives / (n_positives + n_negatives)
    if prevalence is not None:
        if not n_negatives:
            raise ValueError("prevalence needs negatives, and y_true holds none. Leave it out.")
        odds_ratio = float(n_positives) / float(n_negatives) * (1 - prevalence) / prevalence
    if scores.size and scores[-1] == -np.inf:  # rows that were not retrieved have no threshold
        scores = scores[:-1]
        tps = tps[:-1]
        fps = fps[:-1]
    return Thresholds(
        scores=scores,
        tps=tps,
        fps=fps,
        size=tps + fps,
        n_positives=n_positives,
        n_negatives=n_negatives,
        prevalence=sample_prevalence if prevalence is None else prevalence,
        odds_ratio=odds_ratio,
        counts=counts,
    )


def choose_threshold(goal: Goal, thresholds: Thresholds, alpha: float | None) -> int | None:
    """Choose the best threshold of those that are good enough; None if none is.

    ``alpha`` is how often it may miss the goal; with None, it has it in the sample.
    """
    tps = thresholds.tps
    size = thresholds.size
    if not size.size:
        return None
    if goal.costs is not None:
        costs = thresholds.costs(goal.costs)
        cheapest = int(np.argmax(costs * (1 - RELATIVE_TOLERANCE) <= costs.min()))
        return cheapest - 1 if cheapest else None  # the first one selects nothing
    if goal.name == "precision" and alpha is not None:
        precision = thresholds.sample_precision(goal.value)
        return lowest_guaranteed_precision(tps, size, precision, alpha)
    is_enough = _reaches(goal, thresholds, alpha)
    merit = size if goal.name == "k" else tps
    if goal.name == "recall":
        merit = tps / size  # which has the order of precision
    merit = np.where(is_enough, merit, -1)
    best = int(merit.argmax())  # of equal ones, the highest threshold
    if goal.name == "recall" and is_enough[best]:  # of equal precisions, the greatest recall
        has_equal_merit = merit >= merit[best] * (1 - thresholds.rounding)
        best = int(np.flatnonzero(has_equal_merit)[-1])
    return best if is_enough[best] else None


def _reaches(goal: Goal, thresholds: Thresholds, alpha: float | None) -> Bool:
    """Find the thresholds that reach k, a recall, or a precision in the sample."""
    if goal.name == "k":
        return np.asarray(thresholds.size <= goal.value * (1 + thresholds.rounding))
    if goal.name == "precision":
        reaches = thresholds.precision >= goal.value * (1 - thresholds.rounding)
        if goal.value == 1:  # no sum of nothing is rounded
            reaches &= thresholds.false_positive_rate == 0
        return np.asarray(reaches)
    if alpha is not None:
        return has_guaranteed_recall(thresholds.tps, thresholds.n_positives, goal.value, alpha)
    wanted = goal.value * thresholds.n_positives * (1 - thresholds.rounding)
    return np.asarray(thresholds.tps >= wanted)


def explain_no_threshold(goal: Goal, thresholds: Thresholds, guarantee: float | None) -> str:
    """Say why no threshold is good enough, and how good the best is."""
    size = thresholds.size
    if not size.size:
        return "No row was retrieved, as every score is minus infinity."
    if goal.costs is not None:
        return _explain_costs(thresholds.costs(goal.costs), thresholds)
    if goal.name == "k":
        return (
            f"No threshold selects at most {goal.value} rows: {size[0]:.6g} share the highest "
            f"score."
        )
    shares = thresholds.recall
    place = "in the sample"
    if goal.name == "precision":
        shares = thresholds.precision
        if thresholds.odds_ratio != 1:
            place = f"at prevalence {thresholds.prevalence:.3g}"
    best = np.argmax(shares)
    return (
        f"No threshold has a {goal.name} of {goal.value:g}{guarantee_as_text(guarantee)}.\n"
        f"The best {goal.name} {place} is {shares[best]:.4f}, of {size[best]:.6g} selected; "
        f"there are {thresholds.n_positives:.6g} positives."
    )


def _explain_costs(costs: Float, thresholds: Thresholds) -> str:
    """Say that to select nothing costs least, and what the best threshold with a positive costs."""
    text = f"To select nothing costs least: {costs[0]:.6g} per row."
    n_without_positive = np.count_nonzero(thresholds.tps == 0)
    if n_without_positive == thresholds.size.size:
        return text
    best = n_without_positive + costs[n_without_positive + 1 :].argmin()
    return (
        f"{text}\nThe best threshold with a positive selects {thresholds.size[best]:.6g} and costs "
        f"{costs[best + 1]:.6g} per row."
    )
