"""From one value per ranking (label, class or query) to the number that the user asked for."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

__all__ = [
    "Average",
    "ZeroDivision",
    "average_rankings",
    "check_average",
    "check_zero_division",
    "fill_undefined",
]

Average = Literal["micro", "macro", "weighted", "samples", None]
ZeroDivision = Literal["warn"] | float


def check_average(average: Any) -> None:
    """Refuse an unknown way to average rankings."""
    if not (average is None or isinstance(average, str)):
        raise TypeError(f"average has to be one of {get_args(Average)}, got {average!r}.")
    if average not in get_args(Average):
        raise ValueError(f"average has to be one of {get_args(Average)}, got {average!r}.")


def check_zero_division(zero_division: Any) -> str | float:
    """Give the score of a ranking without positives: "warn", 0.0, 1.0 or nan."""
    if not isinstance(zero_division, Real | str):
        raise TypeError(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')
    if zero_division == "warn":
        return "warn"
    if isinstance(zero_division, Real) and (
        zero_division in (0, 1) or zero_division != zero_division
    ):
        return float(zero_division)
    raise ValueError(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')


def fill_undefined(values: NDArray[np.float64], zero_division: str | float) -> NDArray[np.float64]:
    """Give rankings without positives, which are nan, the score that ``zero_division`` says."""
    undefined = np.isnan(values)
    n_undefined = np.count_nonzero(undefined)
    if not n_undefined:
        return values
    if zero_division == "warn":
        warnings.warn(
            f"No positive class found in y_true, for {n_undefined} of {values.size} rankings. "
            f"Their score is set to 0.0. To choose a score without this warning, pass "
            f"zero_division=0.0, 1.0 or nan.",
            UndefinedMetricWarning,
            stacklevel=4,
        )
        zero_division = 0.0
    return np.where(undefined, zero_division, values)


def average_rankings(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """Average the values that are not nan and carry weight."""
    kept = ~np.isnan(values)
    if weights is not None:
        kept &= weights > 0
    if not kept.any():
        # All are nan, or none has positives and all have the score for that.
        return float(values[0])
    if weights is not None:
        weights = weights[kept] / weights[kept].max()  # or sums of huge ones are infinite
    return float(np.average(values[kept], weights=weights))
