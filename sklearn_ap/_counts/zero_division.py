"""The score of rankings without positives, which is undefined."""

from numbers import Real
from typing import Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._base.common.types import Argument, Float
from sklearn_ap._base.inputs.checks import warn

ZeroDivision = Literal["warn"] | float


def check_zero_division(zero_division: Argument) -> str | float:
    """Check the score of a ranking without positives: "warn", 0.0, 1.0 or nan."""
    if not isinstance(zero_division, Real | str):
        raise TypeError(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')
    if zero_division == "warn":
        return "warn"
    if zero_division in (0, 1) or zero_division != zero_division:  # nan
        return float(zero_division)
    raise ValueError(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')


def fill_undefined(values: Float, zero_division: str | float, prevalence: float | None) -> Float:
    """Replace undefined values, which are nan, by the score that ``zero_division`` says."""
    is_undefined = np.isnan(values)
    n_undefined = np.count_nonzero(is_undefined)
    if not n_undefined:
        return values
    if zero_division == "warn":
        lacking = "No positive" if prevalence is None else "No positive or no negative"
        warn(
            f"{lacking} class found in y_true, for {n_undefined} of {values.size} rankings. "
            f"Their score is set to 0.0. To choose a score without this warning, pass "
            f"zero_division=0.0, 1.0 or nan.",
            UndefinedMetricWarning,
        )
        zero_division = 0.0
    return np.where(is_undefined, zero_division, values)
