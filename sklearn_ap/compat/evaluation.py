"""What the six choices give on predictions, for all queries at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap.compat.averages import Averaged
from sklearn_ap.compat.choices import CHOICES, Choices, Option
from sklearn_ap.compat.predictions import Predictions
from sklearn_ap.compat.sights import with_missed
from sklearn_ap.counts import ThresholdCounts, count

__all__ = ["Evaluation"]

Array = NDArray[Any]


class Evaluation:
    """The values of many choices on the same predictions; what was counted last is kept."""

    def __init__(self, predictions: Predictions) -> None:
        self.predictions = predictions
        self._counted: tuple[Any, Predictions, ThresholdCounts] | None = None
        self._heights: dict[Any, Array] = {}

    def values(
        self, choices: Choices, k: int | None, options: dict[str, Any]
    ) -> NDArray[np.float64]:
        """Make all six choices, one after the other: one value per query, 0 without positives."""
        scores, ties, between, start, over, divisor = _options(choices)
        seen, counts = self._count(scores, ties, options)
        averaged = Averaged(counts, self._height(counts, between, start), seen.sizes, k, options)
        amount, by = over.apply(averaged), divisor.apply(averaged)
        found = (counts.n_positives > 0) & (by > 0)
        return np.divide(amount, by, out=np.zeros(found.shape), where=found)

    def _count(
        self, scores: Option, ties: Option, options: dict[str, Any]
    ) -> tuple[Predictions, ThresholdCounts]:
        """Make the first two choices."""
        key = (scores.apply, ties.apply, *options.items())
        if self._counted is None or self._counted[0] != key:
            seen = scores.apply(self.predictions.told(None, options))
            counts = count(seen.seen(score=ties.apply(seen)).rankings)
            self._counted = key, seen, with_missed(counts, seen.missed)
            self._heights.clear()
        return self._counted[1:]

    def _height(self, counts: ThresholdCounts, between: Option, start: Option) -> Array:
        """Make the next two."""
        key = (between.apply, start.apply if between.asks_start else None)
        if key not in self._heights:
            starts = (start.apply(counts),) if between.asks_start else ()
            self._heights[key] = between.apply(counts, *starts)
        return self._heights[key]


def _options(choices: Choices) -> list[Option]:
    """Look up an option of each choice."""
    return [CHOICES[choice][name] for choice, name in choices._asdict().items()]
