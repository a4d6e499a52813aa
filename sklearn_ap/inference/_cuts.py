"""Thresholds of one ranking, and what each selects: the rows from which one is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.counting import count, cumulative_counts, n_ranks
from sklearn_ap._counts.sums import RATIO_ROUNDING, rounding_of_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, are_weighted, check_counts, next_score
from sklearn_ap._inputs.arrays import TINY
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._results.text import short_threshold
from sklearn_ap._types import Argument, Array, Bool, Float

PASS_ROWS = "Pass the rows to operating_point, or a random sample of them."


class Cuts(NamedTuple):
    """Thresholds from the highest on, and what each selects: arrays of shape (n_cuts,)."""

    scores: Array
    tps: Array
    fps: Array
    n_positives: float
    n_negatives: float
    negative_weight: float  # at the prevalence, for how many negatives each one stands
    rounding: float  # relative, of precision and recall
    most_rows: float = np.inf  # that may be selected
    counts: ThresholdCounts | None = None  # None if the thresholds are all scores of the sample

    @property
    def n_selected(self) -> Array:
        """The number of selected rows, or their weight."""
        return self.tps + self.fps

    @property
    def n_all(self) -> float:
        """The number of rows, or their weight."""
        return self.n_positives + self.n_negatives

    @property
    def recall(self) -> Float:
        """The share of positives that each threshold selects."""
        return np.asarray(self.tps / self.n_positives)

    @property
    def precision(self) -> Float:
        """The precision at the prevalence."""
        false_alarms = self.negative_weight * self.fps
        return np.asarray(self.tps / np.maximum(self.tps + false_alarms, TINY))

    def at(self, threshold: float) -> Cuts:
        """Return a given threshold alone."""
        n_above = int(np.count_nonzero(are_selected(self.scores, threshold)))
        tps, fps = (np.append(0, sums)[[n_above]] for sums in (self.tps, self.fps))
        return self._replace(scores=np.array([threshold]), tps=tps, fps=fps)

    def sample_precision(self, precision: float) -> float:
        """Convert a precision at the prevalence to that of the sample."""
        hits = precision * self.negative_weight
        return hits / (hits + 1 - precision)

    def costs(self, cost: Mapping[str, float]) -> Float:
        """Return the expected cost per row of selecting nothing, and of each threshold."""
        n_all = self.n_positives + self.negative_weight * self.n_negatives
        false_alarms = self.negative_weight * np.append(0, self.fps)
        misses = self.n_positives - np.append(0, self.tps)
        return np.asarray(
            cost["false_positive"] * (false_alarms / n_all)
            + cost["false_negative"] * (misses / n_all)
        )

    def short_threshold(self, place: int) -> float:
        """Return the number of fewest digits that selects the same rows."""
        if self.counts is not None:
            return short_threshold(self.scores[place], next_score(self.counts, place))
        is_last = place + 1 == self.scores.size
        return short_threshold(self.scores[place], -np.inf if is_last else self.scores[place + 1])


def are_selected(scores: Array, threshold: float) -> Bool:
    """Compare scores with a number of Python, which NumPy takes in the type of the scores."""
    with np.errstate(over="ignore"):  # 1e300 is above all float32
        return np.asarray(scores >= threshold)


def cuts_of_rows(rankings: Rankings, k: float | None, prevalence: float | None) -> Cuts:
    """Count what each distinct score selects, but minus infinity, which is not retrieved."""
    scores, tps, fps = cumulative_counts(rankings)
    cuts = slice(scores.size - int(scores[-1] == -np.inf))
    n_rows = rankings.score.size
    most_rows = np.inf if k is None else k
    if most_rows < 1:
        most_rows = n_ranks(most_rows, count(rankings.select_retrieved())).item()
    return Cuts(
        scores=scores[cuts],
        tps=tps[cuts],
        fps=fps[cuts],
        n_positives=float(tps[-1]),
        n_negatives=float(fps[-1]),
        negative_weight=_negative_weight(tps[-1], fps[-1], prevalence),
        rounding=RATIO_ROUNDING if rankings.weight is None else float(rounding_of_sums(n_rows)),
        most_rows=most_rows,
    )


def cuts_of_counts(counts: Argument, prevalence: float | None) -> Cuts:
    """Take the counts of one ranking, of rows without weights."""
    check_counts(counts)
    if counts.several:
        raise ValueError(
            f"A threshold is for one ranking, got counts of {counts.starts.size}. Count the rows "
            f"without queries, or pass those of one ranking to operating_point."
        )
    if are_weighted(counts):
        raise ValueError(
            f"A threshold from counts takes unweighted ones, as limits depend on the weights of "
            f"rows. {PASS_ROWS} For another prevalence, pass counts as they are, and prevalence."
        )
    n_positives, n_negatives = counts.n_positives[0], counts.n_negatives[0]
    return Cuts(
        scores=counts.thresholds,
        tps=counts.tps,
        fps=counts.fps,
        n_positives=float(n_positives),
        n_negatives=float(n_negatives),
        negative_weight=_negative_weight(n_positives, n_negatives, prevalence),
        rounding=RATIO_ROUNDING,
        counts=counts,
    )


def _negative_weight(n_positives: float, n_negatives: float, prevalence: float | None) -> float:
    """Return for how many negatives each one stands at a prevalence; refuse absent classes."""
    if not n_positives:
        raise ValueError("y_true holds no positive, so no threshold has a precision or a recall.")
    if prevalence is None:
        return 1.0
    if not n_negatives:
        raise ValueError("prevalence needs negatives, and y_true holds none. Leave it out.")
    return float(n_positives / n_negatives * ((1 - prevalence) / prevalence))
