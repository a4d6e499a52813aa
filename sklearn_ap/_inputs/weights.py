"""Weights of rows; a row of weight 0 is not there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.arrays import as_column, to_numpy
from sklearn_ap._inputs.checks import check_numbers, naming, same_length
from sklearn_ap._inputs.tolerances import EQUAL

CHUNK = 2**14  # weights that the cache holds


def check_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """The weight of each row, 0 or more; None where every row weighs the same."""
    if sample_weight is None:
        return None
    weight = to_numpy("sample_weight", sample_weight)
    if not (type(weight) is np.ndarray and weight.dtype == np.float64 and weight.ndim == 1):
        with naming("sample_weight"):
            weight = check_numbers("sample_weight", weight, "biuf").astype(np.float64)
        if weight.ndim == 2 and weight.shape[1] > 1:
            raise ValueError(
                f"sample_weight must be one-dimensional, a weight for each row, got shape "
                f"{weight.shape}. If 0 says that a label is unknown, write nan there in its place: "
                f"y_true = np.where(weight > 0, y_true, np.nan)."
            )
        weight = as_column("sample_weight", weight)
    rows = range(n_rows)  # whatever they hold, their length is in the error
    same_length(y_true=rows, y_score=rows, sample_weight=weight)
    check_sum(weight)
    if (weight < 0).any():
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}.")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row, so nothing is left to score.")
    return weight


def check_sum(weight: NDArray[np.float64] | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is not None and not np.isfinite(weight.sum()):
            raise ValueError("sample_weight contains NaN or infinity, or adds up to infinity.")


def whole_numbers(weight: Any) -> Any:
    """Which weights, or sums of them, are whole, but for rounding."""
    return np.abs(weight - np.rint(weight)) <= EQUAL * weight


def are_all_whole(weight: NDArray[np.float64] | None) -> bool:
    """Whether all weights are whole; most that are not show it in the first ones."""
    if weight is None:
        return True
    parts = (weight[begin : begin + CHUNK] for begin in range(0, weight.size, CHUNK))
    return all((np.rint(part) == part).all() or whole_numbers(part).all() for part in parts)


def without_weightless_rows(weight: NDArray[np.float64] | None, *arrays: Any) -> tuple[Any, ...]:
    """The arrays without the rows of weight 0."""
    if weight is None or weight.all():
        return arrays
    return only(weight > 0, *arrays)


def only(kept: Any, *arrays: Any) -> tuple[Any, ...]:
    return tuple(None if array is None else array[kept] for array in arrays)
