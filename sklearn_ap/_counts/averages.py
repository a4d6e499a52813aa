"""From the value of each ranking to one score."""

from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Float


def average_rankings(values: Float, weights: Float | None) -> float:
    """Average the values that are not nan and carry weight."""
    kept = ~np.isnan(values)
    if weights is not None:
        kept &= weights > 0
    if not kept.any():
        # Nothing to average: all are nan, or all are the score for rankings without positives.
        return float(values[0])
    if weights is not None:
        weights = weights[kept] / weights[kept].max()  # or sums of huge ones are infinite
    return float(np.average(values[kept], weights=weights))


def check_average_of_counts(average: Any) -> None:
    """Refuse what would need the rows."""
    if not isinstance(average, str | None) or average not in ("macro", "weighted", None):
        raise ValueError(
            f"average must be 'macro', 'weighted' or None for counts, as each ranking is counted "
            f"by itself, got {average!r}."
        )


def apply_average(values: Float, average: Any, weights: Any, *, several: bool) -> Any:
    """One number for several rankings, unless ``average`` is None."""
    if not values.size:
        raise ValueError("There is no ranking to score: the counts are empty.")
    if not several:
        return float(values[0])
    return values if average is None else average_rankings(values, weights)
