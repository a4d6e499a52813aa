"""What rows that a sample lacks could change of a score: they bound what it may hide."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._uncertainty.sampling_units import EQUAL_WEIGHTS, RowWeights
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._influence import Influence


class HiddenRows(NamedTuple):
    """What one row, or one cluster, that a sample lacks could change of each value."""

    loss: Float  # by negatives above all other rows
    gain: Float  # by positives above all other rows
    shift: Any  # 0 where both classes weigh the same, up to 1 where one weighs much more
    evenness: Any  # as in ``RowWeights``

    def of_larger(self, factor: Any) -> HiddenRows:
        """That of a sample which is so many times as large."""
        return self._replace(loss=self.loss / factor, gain=self.gain / factor)


def hidden_rows(
    definition: Definition,
    counts: ThresholdCounts,
    influence: Influence,
    weights: RowWeights,
    in_unit: Any = 1.0,
) -> HiddenRows | None:
    """What so many positives above all other rows add to each value, and negatives take from it.

    It is computed for step average precision, which other definitions are close to. Where one class
    weighs more, a sample may as well have one of its rows too many: what any row of the sample
    changes counts, too, the more the weights of the classes differ. None for scores at few levels
    of recall, which may jump.
    """
    if definition.over_all_recalls is None:
        return None
    if weights is EQUAL_WEIGHTS and definition.prevalence is None:
        return HiddenRows(*_changes(counts, in_unit, in_unit), 0.0, 1.0)
    of_sample, positive = counts, weights.positive
    negative = np.where(weights.negative > 0, weights.negative, positive)  # there may be none
    if definition.prevalence is not None:
        n_negatives = np.where(counts.n_negatives > 0, counts.n_negatives, 1.0)
        counts = counts.at_prevalence(definition.prevalence)
        negative = negative * counts.n_negatives / n_negatives
    loss, gain = _changes(counts, in_unit * positive, in_unit * negative)
    shift = 1 - np.minimum(positive, negative) / np.maximum(positive, negative)
    if np.any(shift > RELATIVE_TOLERANCE):
        of_positive, of_negative = _largest(of_sample, influence)
        loss = np.fmax(loss, shift * in_unit * positive * of_positive)
        gain = np.fmax(gain, shift * in_unit * weights.negative * of_negative)
    return HiddenRows(loss, gain, shift, weights.evenness)


def _changes(counts: ThresholdCounts, positive: Any, negative: Any) -> tuple[Float, Float]:
    """What a weight of negatives above all rows takes from each value, and positives add to it.

    A precision P of rows that weigh S becomes P S / (S + w), or (P S + w) / (S + w).
    """
    n_positives = np.maximum(counts.n_positives, TINY)
    score = counts.sum(counts.gained * counts.precision) / n_positives
    taken, rest = _parts(counts, negative)
    if positive is not negative:
        _, rest = _parts(counts, positive)
    gain = (rest + positive * (1 - score)) / (n_positives + positive)
    return taken / n_positives, gain


def _parts(counts: ThresholdCounts, weight: Any) -> tuple[Float, Float]:
    """The sums of P w / (S + w) and of (1 - P) w / (S + w) over positives."""
    if np.ndim(weight):
        weight = counts.each(weight)
    moved = counts.gained * (weight / (counts.tps + counts.fps + weight))
    taken = moved * counts.precision
    return counts.sum(taken), counts.sum(moved - taken)


def _largest(counts: ThresholdCounts, influence: Influence) -> tuple[Float, Float]:
    """How much any row of the sample changes each value: up by a positive, down by a negative."""

    def highest(values: Float, are_there: Bool) -> Float:
        return counts.highest(np.where(are_there, np.maximum(values, 0.0), 0.0))

    of_positive = highest(influence.positive, counts.gained > 0)
    of_tied = highest(-influence.tied, counts.fps > counts.fps_above)
    of_between = highest(-influence.between, counts.fps_above > counts.above(counts.fps))
    return of_positive, np.maximum(of_tied, of_between)
