"""The rankings of a display: their scores, their mean, and their rows of the legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._counts.thresholds import ThresholdCounts, check_counts, ratio, select_rankings
from sklearn_ap._results.text import estimate_as_text, number_as_text, printable, score_as_text
from sklearn_ap._scoring import shares_of, warn_of_undefined
from sklearn_ap._types import Float
from sklearn_ap.definitions import Definition
from sklearn_ap.displays._drawing import SCORE_DIGITS, Points

Limits = tuple[float, float] | None  # of an interval


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
            raise ValueError(f"{self.definition!r} has no line to draw: its value is no area.")
        return drawable

    def write_rows(self, names: Sequence[str | None], limits: Sequence[Limits]) -> list[str]:
        """Write a row of the legend for each ranking."""
        if len(names) != len(self):
            raise ValueError(
                f"name must hold {len(self)} names, one for each ranking, got {names}."
            )
        rows = zip(names, self.scores.tolist(), limits, strict=True)
        return [self._write_row(*row) for row in rows]

    def write_row_of_mean(self, name: str | None, unit: str, limits: Sequence[Limits]) -> str:
        """Write a row for all rankings, with the limits of their mean or the standard deviation."""
        mean_name = f"mean of {np.count_nonzero(self.shares)} {unit}"
        mean = self.mean(self.scores)
        deviation = float(np.sqrt(self.mean((self.scores - mean) ** 2)))
        spread = f" (SD {number_as_text(deviation, SCORE_DIGITS)})"
        name = mean_name if name is None else f"{name}, {mean_name}"
        return self._write_row(name, mean, limits[0] if len(limits) == 1 else None, spread)

    def _write_row(self, name: str | None, score: float, limits: Limits, spread: str = "") -> str:
        value = f"{score_as_text(score, SCORE_DIGITS)}{spread}"
        if limits is not None:
            value = estimate_as_text(score, *limits)
        text = f"{self.definition.title} = {value}"
        return text if name is None else f"{printable(str(name))}: {text}"


def score_rankings(
    counts: ThresholdCounts | Sequence[ThresholdCounts],
    definition: Definition,
    prevalence: float | None,
    weights: ArrayLike | None,
) -> DisplayedRankings:
    """Score rankings as ``average_precision_score`` does: 0 without positives, with a warning."""
    parts = [counts] if isinstance(counts, ThresholdCounts) else [*counts]
    for part in parts:
        check_counts(part)
    rankings = [select_rankings(part, i, i + 1) for part in parts for i in range(part.starts.size)]
    scores = np.array([definition.values(ranking)[0] for ranking in rankings])
    is_undefined = np.isnan(scores)
    consequence = "They count as 0.0, as in the scores. To leave them out, leave out their rows."
    warn_of_undefined(is_undefined, prevalence, consequence)
    if prevalence is None:
        positives = [ranking.n_positives - ranking.unscored for ranking in rankings]
        n_rows = [ranking.n_rows for ranking in rankings]
        prevalences = np.ravel([*map(ratio, positives, n_rows)])
    else:
        prevalences = np.where(is_undefined, 0.0, prevalence)
    mean_weights = None if weights is None else np.asarray(weights, np.float64)
    return DisplayedRankings(
        rankings,
        definition,
        np.nan_to_num(scores),
        np.nan_to_num(prevalences),
        shares_of(np.zeros(len(rankings)), mean_weights),
    )
