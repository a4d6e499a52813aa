"""The weights of rows."""

import numpy as np

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, as_column, check_numbers, select_rows
from sklearn_ap._types import Argument, Array, Float, FloatOrArray, Numeric, RowData


def check_weights(sample_weight: Argument, n_rows: int) -> Float | None:
    """Check the weight of each row, 0 or more; return None where none are given."""
    if sample_weight is None:
        return None
    numbers = check_numbers("sample_weight", sample_weight, "biuf")
    weight: Float = as_column("sample_weight", numbers, n_rows).astype(np.float64, copy=False)
    check_sum(weight)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}.")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row, so nothing is left to score.")
    return weight


def check_sum(weight: Float | None) -> None:
    """Refuse weights whose sum is no finite number."""
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is not None and not np.isfinite(weight.sum()):
            raise ValueError("sample_weight contains NaN or infinity, or adds up to infinity.")


def drop_weightless_rows(weight: Float | None, *arrays: RowData | None) -> tuple[RowData, ...]:
    """Return the arrays without the rows of weight 0; None stays None."""
    if weight is None or weight.all():
        return arrays
    return select_rows(weight > 0, *arrays)


def are_whole_numbers(sums: Numeric) -> Numeric:
    """Flag sums of weights that are whole up to rounding."""
    return np.abs(sums - np.rint(sums)) <= ABSOLUTE_TOLERANCE * sums


def effective_number(weights: Array, repeats: FloatOrArray = 1.0) -> float:
    """Return the number of equal weights with the same sum and sum of squares (Kish 1965).

    For weights of positives it is n of equation 4. It is 0 without any weight. Each weight stands
    for as many as ``repeats`` says.
    """
    if not weights.any():
        return 0.0
    scaled = weights / np.abs(weights).max()  # so that squares neither vanish nor overflow
    # Not scaled @ scaled, whose threads take longer to wake up than the sum takes.
    return float(np.sum(scaled * repeats) ** 2 / np.sum(scaled**2 * repeats))
