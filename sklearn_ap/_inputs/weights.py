"""The weights of rows."""

import numpy as np

from sklearn_ap._inputs.arrays import (
    ABSOLUTE_TOLERANCE,
    as_column,
    check_numbers,
    check_same_length,
    select_rows,
    to_numpy,
)
from sklearn_ap._types import Argument, Array, Float, Numeric, RowData

# Fourth powers of these are finite, and sums over all rows. Nobody has met others.
LEAST_WEIGHT, MOST_WEIGHT = 1e-70, 1e70


def check_weights(sample_weight: Argument, n_rows: int) -> Float | None:
    """Check the weight of each row, 0 or more; return None where none are given."""
    if sample_weight is None:
        return None
    weight = to_numpy("sample_weight", sample_weight)
    if not (type(weight) is np.ndarray and weight.dtype == np.float64 and weight.ndim == 1):
        weight = check_numbers("sample_weight", weight, "biuf").astype(np.float64)
        weight = as_column("sample_weight", weight)
    rows = range(n_rows)  # the error needs their length alone
    check_same_length(y_true=rows, y_score=rows, sample_weight=weight)
    least, most = weight.min(), weight.max()
    if not most < np.inf:
        raise ValueError("sample_weight contains NaN or infinity.")
    if least < 0:
        raise ValueError(f"sample_weight must not be negative, got {least}.")
    if most == 0:
        raise ValueError("sample_weight is zero in every row, so nothing is left to score.")
    if least == 0:
        least = weight[weight > 0].min()
    if least < LEAST_WEIGHT or most > MOST_WEIGHT:
        raise ValueError(
            f"sample_weight must be 0 or from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}, got "
            f"{least if least < LEAST_WEIGHT else most:g}. Divide all weights by the largest one."
        )
    return weight


def drop_weightless_rows(weight: Float | None, *arrays: RowData | None) -> tuple[RowData, ...]:
    """Return the arrays without the rows of weight 0; None stays None."""
    if weight is None or weight.all():
        return arrays
    return select_rows(weight > 0, *arrays)


def are_whole_numbers(sums: Numeric) -> Numeric:
    """Flag sums of weights that are whole up to rounding."""
    return np.abs(sums - np.rint(sums)) <= ABSOLUTE_TOLERANCE * sums


def effective_number(weights: Array) -> float:
    """Return the number of equal weights with the same sum and sum of squares (Kish 1965).

    For weights of positives it is n of equation 4. It is 0 without any weight.
    """
    if not weights.any():
        return 0.0
    scaled = weights / np.abs(weights).max()  # so that equal weights have a whole number
    # Not scaled @ scaled, whose threads take longer to wake up than the sum takes.
    return float(scaled.sum() ** 2 / np.sum(scaled**2))
