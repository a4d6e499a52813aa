"""Changes of a score by rows that a sample lacks, which bound its prior variance.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE, TINY
from sklearn_ap._types import Bool, Float, FloatOrArray
from sklearn_ap._uncertainty.former._sampling_units import EQUAL_WEIGHTS, RowWeights
from sklearn_ap._uncertainty.former.sizes_and_biases import over_all_recalls
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._base import Influence


class HiddenRows(NamedTuple):
    """The changes of each value by one row, or one cluster, that a sample lacks."""

    loss: Float  # d-, by negatives above all other rows
    gain: Float  # d+, by positives above all other rows
    shift: FloatOrArray  # s: 0 if both classes weigh the same, near 1 if one weighs much more
    evenness: FloatOrArray  # e, as in ``RowWeights``


def hidden_rows(
    definition: Definition,
    counts: ThresholdCounts,
    influence: Influence,
    weights: RowWeights,
    rows_in_unit: FloatOrArray = 1.0,
) -> HiddenRows | None:
    """Return the gain of each value by ``rows_in_unit`` positives above all rows, and the loss.

    Equation B5. The loss is by as many negatives. Both are computed for step average precision,
    which other definitions are close to. Where one class weighs more, a sample may instead have one
    of its rows too many: the more the weights differ, the more the largest influence of a sampled
    row counts. None for scores at few levels of recall, which may jump.
    """
    if over_all_recalls(definition) is None:
        return None
    if weights is EQUAL_WEIGHTS and definition.prevalence is None:
        loss, gain = _changes(counts, rows_in_unit, rows_in_unit)
        return HiddenRows(loss, gain, shift=0.0, evenness=1.0)
    sample_counts = counts
    positive = weights.positive
    negative = np.where(weights.negative > 0, weights.negative, positive)  # there may be none
    if definition.prevalence is not None:
        n_negatives = np.where(counts.n_negatives > 0, counts.n_negatives, 1.0)
        counts = counts.at_prevalence(definition.prevalence)
        negative = negative * counts.n_negatives / n_negatives
    loss, gain = _changes(counts, rows_in_unit * positive, rows_in_unit * negative)
    shift = 1 - np.minimum(positive, negative) / np.maximum(positive, negative)
    if np.any(shift > RELATIVE_TOLERANCE):
        highest_positive, highest_negative = _largest_influences(sample_counts, influence)
        loss = np.fmax(loss, shift * rows_in_unit * positive * highest_positive)
        gain = np.fmax(gain, shift * rows_in_unit * weights.negative * highest_negative)
    return HiddenRows(loss, gain, shift, weights.evenness)


def _changes(
    counts: ThresholdCounts, positive: FloatOrArray, negative: FloatOrArray
) -> tuple[Float, Float]:
    """Return the loss of each value by negatives above all rows, and its gain by positives.

    Equation B5. ``positive`` and ``negative`` are the weights w that are added. A precision P of
    rows that weigh S becomes P S / (S + w) or (P S + w) / (S + w).
    """
    n_positives = np.maximum(counts.n_positives, TINY)
    score = counts.sum(counts.gained * counts.precision) / n_positives
    lost, gained = _sums_of_changes(counts, negative)
    if positive is not negative:
        _, gained = _sums_of_changes(counts, positive)
    gain = (gained + positive * (1 - score)) / (n_positives + positive)
    return lost / n_positives, gain


def _sums_of_changes(counts: ThresholdCounts, weight: FloatOrArray) -> tuple[Float, Float]:
    """Return the sums of P w / (S + w) and of (1 - P) w / (S + w) over positives."""
    if isinstance(weight, np.ndarray) and weight.ndim:
        weight = counts.each(weight)
    terms = counts.gained * (weight / (counts.tps + counts.fps + weight))
    lost = terms * counts.precision
    return counts.sum(lost), counts.sum(terms - lost)


def _largest_influences(counts: ThresholdCounts, influence: Influence) -> tuple[Float, Float]:
    """Return the largest rise of each value by a positive, and the largest fall by a negative."""

    def highest(values: Float, is_present: Bool) -> Float:
        return counts.highest(np.where(is_present, np.maximum(values, 0.0), 0.0))

    positive = highest(influence.positive, counts.gained > 0)
    tied = highest(-influence.tied, counts.fps > counts.fps_above)
    between = highest(-influence.between, counts.fps_above > counts.above(counts.fps))
    return positive, np.maximum(tied, between)
