"""The weights of rows."""

import numpy as np

from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE, as_column, check_numbers, select_rows
from sklearn_ap._types import Argument, Array, Bool, Float, FloatOrArray, RowData

# Of a row: squares of smaller weights vanish, and those of larger ones overflow.
LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100
LARGEST_EXACT = 2**53  # doubles hold all whole numbers up to it, and above it no fractions


def check_weights(sample_weight: Argument, n_rows: int) -> Float | None:
    """Check the weight of each row; return None where none are given."""
    if sample_weight is None:
        return None
    numbers = check_numbers("sample_weight", sample_weight, "biuf")
    weight: Float = as_column("sample_weight", numbers, n_rows).astype(np.float64, copy=False)
    is_wrong = (weight != 0) & ~((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise ValueError(
            f"sample_weight must be 0, or from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}, got "
            f"{weight[row]:g} in row {row}."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero in every row, so nothing is left to score.")
    return weight


def drop_weightless_rows(weight: Float | None, *arrays: RowData | None) -> tuple[RowData, ...]:
    """Return the arrays without the rows of weight 0; None stays None."""
    if weight is None or weight.all():
        return arrays
    return select_rows(weight > 0, *arrays)


def are_whole_numbers(sums: Array) -> Bool:
    """Flag sums of weights that are whole up to rounding."""
    return np.asarray(np.abs(sums - np.rint(sums)) <= ABSOLUTE_TOLERANCE * sums)


def effective_number(weights: Array, repeats: FloatOrArray = 1.0) -> float:
    """Return the number of equal weights with the same sum and sum of squares (Kish 1965).

    For weights of positives it is n of equation 4. It is 0 without any weight. Each weight stands
    for as many as ``repeats`` says.
    """
    if not weights.any():
        return 0.0
    scaled = weights / np.abs(weights).max()  # so that equal weights give a whole number
    # Not scaled @ scaled, whose threads take longer to wake up than the sum takes.
    return float(np.sum(scaled * repeats) ** 2 / np.sum(scaled**2 * repeats))
