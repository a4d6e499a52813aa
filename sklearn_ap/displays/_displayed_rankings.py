"""The rankings of a display: their scores, their lines and their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts, ratio, select_rankings
from sklearn_ap._errors import InputError
from sklearn_ap._scoring import shares_of, warn_of_undefined
from sklearn_ap._types import Array, Float
from sklearn_ap.definitions import Definition

Points = tuple[Float, Float]  # recalls, and heights there


@dataclass(frozen=True, eq=False)
class DisplayedRankings:
    """Rankings with their scores and prevalences, which are 0 without positives."""

    counts: Sequence[ThresholdCounts]
    definition: Definition
    scores: Float
    prevalences: Float
    shares: Float  # of each ranking in their mean

    def __len__(self) -> int:
        return len(self.counts)

    def mean(self, values: Float) -> float:
        """Return the mean of a value of each ranking."""
        return float(values @ self.shares)

    def lines(self) -> list[Points]:
        """Return the line of each ranking."""
        lines = [self.definition.line(ranking) for ranking in self.counts]
        drawable = [line for line in lines if line is not None]
        if len(drawable) < len(lines):
            raise InputError(f"{self.definition!r} has no line to draw: its value is no area.")
        return drawable


def score_rankings(
    counts: ThresholdCounts | list[ThresholdCounts],
    definition: Definition,
    prevalence: float | None,
    weights: Array | None,
) -> DisplayedRankings:
    """Score rankings as ``average_precision_score`` does: 0 without positives, with a warning."""
    parts = counts if isinstance(counts, list | tuple) else [counts]
    checked: Sequence[object] = parts or [parts]  # an empty list is refused, too
    for part in checked:
        check_counts(part)
    scores = np.concatenate([definition.values(part) for part in parts])
    is_undefined = np.isnan(scores)
    consequence = "They count as 0.0, as in the scores. To leave them out, leave out their rows."
    names = [name for part in parts for name in part.names or range(part.starts.size)]
    warn_of_undefined(is_undefined, prevalence, consequence, names=names)
    if prevalence is None:
        shares = [ratio(part.n_positives - part.unscored, part.n_rows) for part in parts]
        prevalences = np.concatenate(shares)
    else:
        prevalences = np.where(is_undefined, 0.0, prevalence)
    return DisplayedRankings(
        [select_rankings(part, i, i + 1) for part in parts for i in range(part.starts.size)],
        definition,
        np.nan_to_num(scores),
        np.nan_to_num(prevalences),
        shares_of(np.zeros(scores.size), weights),
    )
