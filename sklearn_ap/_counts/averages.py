"""The average of the scores of several rankings."""

import numpy as np

from sklearn_ap._types import Argument, Array, Float, ScoreOrScores


def average_rankings(values: Float, weights: Array | None) -> float:
    """Average the values that are not nan and carry weight."""
    is_averaged = ~np.isnan(values)
    if weights is not None:
        is_averaged &= weights > 0
    if not is_averaged.any():
        # Nothing to average: all values are nan, or equal the score for rankings without positives.
        return float(values[0])
    if weights is not None:
        weights = weights[is_averaged]
        weights = weights / weights.max()  # so that sums of huge weights stay finite
    return float(np.average(values[is_averaged], weights=weights))


def check_average_of_counts(average: Argument) -> None:
    """Refuse an average that would need the rows."""
    if not isinstance(average, str | None) or average not in ("macro", "weighted", None):
        raise ValueError(
            f"average must be 'macro', 'weighted' or None for counts, as each ranking is counted "
            f"by itself, got {average!r}."
        )


def apply_average(
    values: Float, average: str | None, weights: Array | None, *, several: bool
) -> ScoreOrScores:
    """Return one number for several rankings, or their values if ``average`` is None."""
    if not values.size:
        raise ValueError("There is no ranking to score: the counts are empty.")
    if not several:
        return float(values[0])
    return values if average is None else average_rankings(values, weights)
