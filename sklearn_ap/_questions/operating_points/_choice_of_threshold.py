"""Counts at all thresholds, and the choice of the best threshold that reaches a goal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import RATIO_ROUNDING, ThresholdCounts, next_score
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._questions.operating_points._goal import Goal, guarantee_as_text
from sklearn_ap._questions.operating_points._guarantees import (
    has_guaranteed_recall,
    lowest_guaranteed_precision,
)
from sklearn_ap._types import Array, Bool, Float


class Thresholds(NamedTuple):
    """Thresholds from the highest on, and the rows that each selects: (n_thresholds,)."""

    scores: Array
    tps: Array
    fps: Array
    n_selected: Array  # the number of selected rows, or their weight
    n_positives: float
    n_negatives: float
    prevalence: float  # the user's, or else that of the sample
    odds_ratio: float  # odds of a precision in the sample / odds of the same at the prevalence
    counts: ThresholdCounts | None  # None if the thresholds are all scores of the sample
    rounding: float = RATIO_ROUNDING  # relative rounding error of precision and recall

    def next_score(self, index: int) -> float:
        """Find the highest score below a threshold; nan if the counts do not tell it."""
        if self.counts is not None:
            return next_score(self.counts, index)
        if index + 1 == self.scores.size:
            return -np.inf
        score: float = self.scores[index + 1].item()
        return score

    def sample_precision(self, precision: float) -> float:
        """Convert a precision at the prevalence to the precision in the sample."""
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
        selected_share = self.selected_share  # first, as it needs an array for a while
        true_share = self.recall
        true_share *= self.prevalence
        true_share /= np.maximum(selected_share, TINY, out=selected_share)
        return true_share

    @property
    def selected_share(self) -> Float:
        """The proportion of the population that each threshold selects, at the prevalence."""
        # In place to save memory, as there may be as many thresholds as rows
        selected_share = self.false_positive_rate
        selected_share *= 1 - self.prevalence
        true_share = self.recall
        true_share *= self.prevalence
        selected_share += true_share
        return selected_share

    def cost(self, chosen: int | None, goal: Goal) -> float | None:
        """Compute the expected cost per row of the chosen threshold, or of selecting nothing.

        It is None for goals without costs.
        """
        if goal.costs is None:
            return None
        return float(self.costs(goal.costs)[0 if chosen is None else chosen + 1])

    def costs(self, error_costs: tuple[float, float]) -> Float:
        """Compute the expected cost per row of selecting nothing, and of each threshold."""
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
    """Make thresholds of true and false positives at scores, at a prevalence."""
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
        n_selected=tps + fps,
        n_positives=n_positives,
        n_negatives=n_negatives,
        prevalence=sample_prevalence if prevalence is None else prevalence,
        odds_ratio=odds_ratio,
        counts=counts,
    )


def choose_threshold(goal: Goal, thresholds: Thresholds, alpha: float | None) -> int | None:
    """Choose the best threshold that reaches the goal; None if no threshold does.

    It may miss a precision or a recall with the probability ``alpha``. With None, only the sample
    must reach the goal.
    """
    if not thresholds.scores.size:
        return None
    if goal.costs is not None:
        return _cheapest(thresholds, goal.costs)
    if goal.name == "k":
        return _largest_selection(thresholds, goal.value)
    if goal.name == "recall":
        return _most_precise(thresholds, goal.value, alpha)
    if alpha is not None:
        precision = thresholds.sample_precision(goal.value)
        return lowest_guaranteed_precision(thresholds.tps, thresholds.n_selected, precision, alpha)
    return _most_positives(thresholds, goal.value)


def _cheapest(thresholds: Thresholds, error_costs: tuple[float, float]) -> int | None:
    """Choose the highest threshold with the least expected cost; None if selecting nothing has."""
    costs = thresholds.costs(error_costs)
    cheapest = int(np.argmax(costs * (1 - RELATIVE_TOLERANCE) <= costs.min()))
    return cheapest - 1 if cheapest else None  # the first cost is for selecting nothing


def _largest_selection(thresholds: Thresholds, k: float) -> int | None:
    """Choose the threshold that selects most of those that select at most k rows."""
    is_reached = thresholds.n_selected <= k * (1 + thresholds.rounding)
    return _first_maximum(thresholds.n_selected, is_reached)


def _most_precise(thresholds: Thresholds, recall: float, alpha: float | None) -> int | None:
    """Choose the most precise threshold with a recall; of equally precise ones, the lowest."""
    if alpha is None:
        fewest_tps = recall * thresholds.n_positives * (1 - thresholds.rounding)
        is_reached = thresholds.tps >= fewest_tps
    else:
        is_reached = has_guaranteed_recall(thresholds.tps, thresholds.n_positives, recall, alpha)
    # The order of precisions in the sample is also that at any prevalence.
    sample_precision = np.where(is_reached, thresholds.tps / thresholds.n_selected, -1)
    best = int(sample_precision.argmax())
    if not is_reached[best]:
        return None
    is_best = sample_precision >= sample_precision[best] * (1 - thresholds.rounding)
    return int(np.flatnonzero(is_best)[-1])


def _most_positives(thresholds: Thresholds, precision: float) -> int | None:
    """Choose the highest threshold with the most true positives at a precision."""
    is_reached = thresholds.precision >= precision * (1 - thresholds.rounding)
    if precision == 1:  # 0 false positives are exact, so rounding is no excuse
        is_reached &= thresholds.false_positive_rate == 0
    return _first_maximum(thresholds.tps, is_reached)


def _first_maximum(merit: Array, is_reached: Bool) -> int | None:
    """Find the first threshold with the greatest merit of those that reach the goal, or None."""
    best = int(np.where(is_reached, merit, -1).argmax())
    return best if is_reached[best] else None


def explain_no_threshold(goal: Goal, thresholds: Thresholds, guarantee: float | None) -> str:
    """Explain that no threshold reaches the goal, and how far the best one gets."""
    n_selected = thresholds.n_selected
    if not n_selected.size:
        return "No row was retrieved, as every score is minus infinity."
    if goal.costs is not None:
        return _explain_costs(thresholds.costs(goal.costs), thresholds)
    if goal.name == "k":
        return (
            f"No threshold selects at most {goal.value} rows: {n_selected[0]:.6g} share the "
            f"highest score."
        )
    shares = thresholds.recall
    population = "in the sample"
    if goal.name == "precision":
        shares = thresholds.precision
        if thresholds.odds_ratio != 1:
            population = f"at prevalence {thresholds.prevalence:.3g}"
    best = np.argmax(shares)
    return (
        f"No threshold has a {goal.name} of {goal.value:g}{guarantee_as_text(guarantee)}.\n"
        f"The best {goal.name} {population} is {shares[best]:.4f}, of {n_selected[best]:.6g} "
        f"selected; there are {thresholds.n_positives:.6g} positives."
    )


def _explain_costs(costs: Float, thresholds: Thresholds) -> str:
    """Explain that selecting nothing costs least; add the cheapest threshold with a positive."""
    text = f"To select nothing costs least: {costs[0]:.6g} per row."
    n_without_positive = np.count_nonzero(thresholds.tps == 0)
    if n_without_positive == thresholds.scores.size:
        return text
    best = n_without_positive + costs[n_without_positive + 1 :].argmin()
    return (
        f"{text}\nThe best threshold with a positive selects {thresholds.n_selected[best]:.6g} and "
        f"costs {costs[best + 1]:.6g} per row."
    )
