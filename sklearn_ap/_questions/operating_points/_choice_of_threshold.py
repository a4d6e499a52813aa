"""Counts at all thresholds, and which threshold is the best of those that are good enough."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array
from sklearn_ap._base.inputs.arrays import RATIO_ROUNDING, RELATIVE_TOLERANCE, TINY
from sklearn_ap._counts.thresholds import ThresholdCounts, next_score
from sklearn_ap._questions.operating_points._goal import Goal
from sklearn_ap._questions.operating_points._guarantees import lowest_precise, which_recall


class Thresholds(NamedTuple):
    """What each threshold selects, from the highest on."""

    scores: Array
    tps: Array
    size: Array
    n_positives: Any
    n_negatives: Any
    recall: Array
    false_positive_rate: Array
    share: Any  # of positives, at the prevalence asked for
    odds_ratio: Any  # of a precision in the sample, to the odds of that at the prevalence
    counts: ThresholdCounts | None  # None if the thresholds are all scores of the sample
    rounding: float = RATIO_ROUNDING  # of precision and recall, relative

    def next_score(self, i: int) -> Any:
        """The highest score below a threshold; nan if the counts do not tell it."""
        if self.counts is not None:
            return next_score(self.counts, i)
        return self.scores[i + 1].item() if i + 1 < self.scores.size else -np.inf

    def in_sample(self, precision: float) -> float:
        """The precision in the sample that means this one at the prevalence."""
        if self.odds_ratio == 1 or precision == 1:
            return precision
        odds = precision / (1 - precision) * self.odds_ratio
        return odds / (1 + odds)

    @property
    def precision(self) -> Array:
        """That at the prevalence."""
        true, false = self.share * self.recall, (1 - self.share) * self.false_positive_rate
        return true / np.maximum(true + false, TINY)

    def cost_at(self, chosen: int | None, goal: Goal) -> float | None:
        """The expected cost per row of a threshold, or of selecting nothing; None without costs."""
        if goal.name != "cost":
            return None
        return float(self.costs(goal.value)[0 if chosen is None else chosen + 1])

    def costs(self, of_errors: tuple[float, float]) -> Array:
        """The expected cost per row, first if nothing is selected."""
        false = np.append(0, self.false_positive_rate)
        missed = np.append(self.n_positives, self.n_positives - self.tps) / self.n_positives
        return of_errors[0] * ((1 - self.share) * false) + of_errors[1] * (self.share * missed)


def thresholds_of(
    scores: Array,
    tps: Array,
    fps: Array,
    n_positives: Any,
    n_negatives: Any,
    prevalence: float | None,
    counts: ThresholdCounts | None = None,
) -> Thresholds:
    """What each threshold selects, and gives at a prevalence; ``fps`` are false positives."""
    if not n_positives:
        raise ValueError("y_true holds no positive, so no threshold has a precision or a recall.")
    share, odds_ratio = n_positives / (n_positives + n_negatives), 1.0
    if prevalence is not None:
        if not n_negatives:
            raise ValueError("prevalence needs negatives, and y_true holds none. Leave it out.")
        odds_ratio = float(n_positives) / float(n_negatives) * (1 - prevalence) / prevalence
        share = prevalence
    if scores.size and scores[-1] == -np.inf:  # rows that were not retrieved have no threshold
        scores, tps, fps = scores[:-1], tps[:-1], fps[:-1]
    return Thresholds(
        scores=scores,
        tps=tps,
        size=tps + fps,
        n_positives=n_positives,
        n_negatives=n_negatives,
        recall=tps / n_positives,
        false_positive_rate=fps / (n_negatives or 1),
        share=share,
        odds_ratio=odds_ratio,
        counts=counts,
    )


def choose(goal: Goal, known: Thresholds, alpha: float | None) -> int | None:
    """Which threshold is the best of those that are good enough; None if none is.

    ``alpha`` is how often it may miss the goal; with None, it has it in the sample.
    """
    if not known.size.size:
        return None
    name, value = goal.name, goal.value
    tps, size, rounding = known.tps, known.size, known.rounding
    if name == "cost":
        costs = known.costs(value)
        cheapest = int(np.argmax(costs * (1 - RELATIVE_TOLERANCE) <= costs.min()))
        return cheapest - 1 if cheapest else None
    if name == "k":
        enough, merit = size <= value * (1 + rounding), size
    elif name == "recall":
        enough, merit = tps >= value * known.n_positives * (1 - rounding), tps / size
        if alpha is not None:  # tps / size has the order of precision
            enough = which_recall(tps, known.n_positives, value, alpha)
    elif alpha is not None:
        return lowest_precise(tps, size, known.in_sample(value), alpha)
    else:
        enough, merit = known.precision >= value * (1 - rounding), tps
        if value == 1:  # no sum of nothing is rounded
            enough &= known.false_positive_rate == 0
    merit = np.where(enough, merit, -1)
    best = int(merit.argmax())  # of equal ones, the highest threshold
    if name == "recall" and enough[best]:  # of equal precisions, the greatest recall
        best = int(np.flatnonzero(merit >= merit[best] * (1 - rounding))[-1])
    return best if enough[best] else None


def why_not(goal: Goal, known: Thresholds, guarantee: float | None) -> str:
    """Why no threshold is good enough, and how good the best is."""
    name, value = goal.name, goal.value
    size, n_positives = known.size, known.n_positives
    if not size.size:
        return "No row was retrieved, as every score is minus infinity."
    if name == "cost":
        costs, n_before = known.costs(value), np.count_nonzero(known.tps == 0)
        text = f"To select nothing costs least: {costs[0]:.6g} per row."
        if n_before == size.size:
            return text
        best = n_before + costs[n_before + 1 :].argmin()
        return (
            f"{text}\nThe best threshold with a positive selects {size[best]:.6g} and costs "
            f"{costs[best + 1]:.6g} per row."
        )
    if name == "k":
        return f"No threshold selects at most {value} rows: {size[0]:.6g} share the highest score."
    surely = "" if guarantee is None else f" with a guarantee of {guarantee:g}"
    shares, where = known.recall, "in the sample"
    if name == "precision":
        shares = known.precision
        where = where if known.odds_ratio == 1 else f"at prevalence {known.share:.3g}"
    best = np.argmax(shares)
    return (
        f"No threshold has a {name} of {value:g}{surely}.\nThe best {name} {where} is "
        f"{shares[best]:.4f}, of {size[best]:.6g} selected; there are {n_positives:.6g} positives."
    )
