"""The loss of each score by false alarms above all rows, which a sample may lack."""

from dataclasses import replace

from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._types import Array, Float
from sklearn_ap.definitions import Definition


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
