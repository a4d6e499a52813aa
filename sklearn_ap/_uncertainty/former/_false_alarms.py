"""The loss of each score by false alarms above all rows, which a sample may lack."""

from dataclasses import replace

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Float, FloatOrArray
from sklearn_ap.definitions import Definition


def false_alarm_losses(
    definition: Definition,
    counts: ThresholdCounts,
    rankings: Rankings,
    n_alarms: FloatOrArray,
) -> Float:
    """Return the loss of each value by so many false alarms above all rows; 0 if it is undefined.

    Their number is rounded, and each has the mean weight of the negatives of its ranking. Without
    weights, counts stay whole numbers, as some definitions need them.
    """
    weight = np.rint(n_alarms).astype(np.int64) * _mean_weight_of_negatives(rankings)
    return losses_by_negatives(definition, counts, weight)


def losses_by_negatives(definition: Definition, counts: ThresholdCounts, weight: Array) -> Float:
    """Return the loss of each value by negatives of this weight above all rows; 0 if undefined."""
    changes = changes_by_negatives(definition, counts, weight)
    return np.maximum(np.nan_to_num(changes), 0.0)


def changes_by_negatives(definition: Definition, counts: ThresholdCounts, weight: Array) -> Float:
    """Subtract from each value what it is with negatives of this weight above all rows."""
    added = counts.each(weight)
    extended = replace(
        counts,
        fps=counts.fps + added,
        fps_above=counts.fps_above + added,
        n_negatives=counts.n_negatives + weight,
    )
    return values_of(definition, counts) - values_of(definition, extended)


def _mean_weight_of_negatives(rankings: Rankings) -> Array:
    """Return the mean weight of the negatives of each ranking; of positives, if it has none."""
    if rankings.weight is None:
        return np.ones(rankings.n_rankings, np.int64)
    ranking = rankings.ranking_of_items
    is_counted = ~rankings.positive
    has_negatives = np.bincount(ranking, is_counted, rankings.n_rankings) > 0
    is_counted |= ~has_negatives[ranking]
    n_rows = np.bincount(ranking, is_counted, rankings.n_rankings)
    total = np.bincount(ranking, is_counted * rankings.weight, rankings.n_rankings)
    return np.asarray(total / np.maximum(n_rows, 1))
