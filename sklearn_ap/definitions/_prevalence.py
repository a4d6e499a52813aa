"""A definition at another prevalence than that of the sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Float
from sklearn_ap._base.inputs.checks import check_prevalence
from sklearn_ap._base.text import title_with_prevalence
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.definitions._base import Definition, Line, Shade
from sklearn_ap.definitions._influence import Influence


def at_prevalence(definition: Definition, prevalence: Any) -> Definition:
    """The definition at another prevalence; None keeps that of the sample."""
    if prevalence is None:
        return definition
    own = definition.depth, definition.prevalence
    return _AtPrevalence(definition, check_prevalence(prevalence, *own))


@dataclass(frozen=True, repr=False)
class _AtPrevalence(Definition):
    """The value of counts at another prevalence.

    In a sample the number of positives and that of negatives vary, and the prevalence that the
    user says does not. So the classes are two samples, and the influence of a row is that on the
    value among the rows of its class.
    """

    definition: Definition
    at: float

    def __repr__(self) -> str:
        return f"{self.definition!r} at prevalence {self.at}"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        return self.definition.bounds

    @property
    def title(self) -> str:
        return title_with_prevalence(self.definition.title, self.at)

    @property
    def prevalence(self) -> float:
        return self.at

    @property
    def over_all_recalls(self) -> Definition | None:
        whole = self.definition.over_all_recalls
        return None if whole is None else _AtPrevalence(whole, self.at)

    def __call__(self, counts: ThresholdCounts) -> Float:
        return self.definition(counts.at_prevalence(self.at))

    def divisor(self, counts: ThresholdCounts) -> Array:
        return self.definition.divisor(counts.at_prevalence(self.at))

    def effective_size(self, counts: ThresholdCounts, ranks: Any = None) -> Array:
        return self.definition.effective_size(counts, ranks)

    def at_threshold(self, tps: Any, fps: Any, totals: Any) -> Any:
        n_positives, n_negatives = totals
        there = n_positives * ((1 - self.at) / self.at)
        fps = fps / np.where(n_negatives > 0, n_negatives, 1.0) * there
        numbers = self.definition.at_threshold(tps, fps, (n_positives, there))
        return None if numbers is None else np.where(n_negatives > 0, numbers, np.nan)

    def line(self, counts: ThresholdCounts) -> Line | None:
        return self.definition.line(counts.at_prevalence(self.at))

    def point(self, counts: ThresholdCounts) -> Any:
        return self.definition.point(counts.at_prevalence(self.at))

    def samples(self, counts: ThresholdCounts) -> Line | None:
        return self.definition.samples(counts.at_prevalence(self.at))

    def shade(self, counts: ThresholdCounts) -> Shade | None:
        return self.definition.shade(counts.at_prevalence(self.at))

    def influence(self, counts: ThresholdCounts) -> Influence | None:
        there = counts.at_prevalence(self.at)
        influence = self.definition.influence(there)
        return None if influence is None else _of_two_samples(influence, counts, there)

    def bias(self, counts: ThresholdCounts, weight_of_negative: Any = 1.0) -> Float:
        there = counts.at_prevalence(self.at)
        n_negatives = np.where(there.n_negatives > 0, counts.n_negatives, 1.0)
        factor = np.where(there.n_negatives > 0, there.n_negatives, 1.0) / n_negatives
        return self.definition.bias(there, weight_of_negative * factor)


def _of_two_samples(
    influence: Influence, counts: ThresholdCounts, there: ThresholdCounts
) -> Influence:
    """The influence of rows of ``counts``, where negatives weigh what they weigh ``there``.

    That weight is in proportion to P / N. One more positive raises it for all negatives, and one
    more negative lowers it.
    """
    tied, between = there.fps - there.fps_above, there.fps_above - there.above(there.fps)
    by_weight = there.sum(influence.tied * tied + influence.between * between)
    is_known = there.n_positives > 0
    n_positives = np.where(is_known, counts.n_positives, 1.0)
    n_negatives = np.where(is_known, counts.n_negatives, 1.0)
    up, down = by_weight / n_positives, by_weight / n_negatives
    factor = there.each(there.n_negatives / n_negatives)
    # Rankings with one class only have no thresholds there.
    stays = is_known[counts.ranking()]
    positive, of_tied, of_between = np.zeros((3, stays.size))
    positive[stays] = influence.positive + there.each(up)
    of_tied[stays] = influence.tied * factor - there.each(down)
    of_between[stays] = influence.between * factor - there.each(down)
    return Influence(positive, of_tied, of_between, influence.unscored + up, -down)
