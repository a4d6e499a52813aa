"""From the value of each ranking to one score."""

from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.inputs.checks import warn

ZeroDivision = Literal["warn"] | float


def check_zero_division(zero_division: Any) -> str | float:
    """Give the score of a ranking without positives: "warn", 0.0, 1.0 or nan."""
    if not isinstance(zero_division, Real | str):
        raise TypeError(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')
    if zero_division == "warn":
        return "warn"
    if zero_division in (0, 1) or zero_division != zero_division:  # nan
        return float(zero_division)
    raise ValueError(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')


def fill_undefined(
    values: NDArray[np.float64], zero_division: str | float, prevalence: float | None
) -> NDArray[np.float64]:
    """Give undefined rankings, which are nan, the score that ``zero_division`` says."""
    undefined = np.isnan(values)
    n_undefined = np.count_nonzero(undefined)
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
    return np.where(undefined, zero_division, values)


def within_bounds(definition: Any, values: Any, n_rankings: int) -> NDArray[np.float64]:
    """The values of a definition, which must be one for each ranking and within its bounds."""
    low, high = definition.bounds
    if getattr(values, "shape", None) != (n_rankings,):
        raise ValueError(
            f"{definition!r} must give an array of one value for each ranking, of shape "
            f"({n_rankings},), got {values!r:.100}."
        )
    if n_rankings == 1 and low <= values[0] <= high:  # the rest takes many times as long
        return values
    # A sum of weights can come out an ulp above the highest value.
    slack = RELATIVE_TOLERANCE * max(abs(low), abs(high))
    outside = values[(values > high + slack) | (values < low - slack)]
    if outside.size:
        raise ValueError(
            f"{definition!r} gives {outside[0]:g}, which is not within its bounds, {low:g} and "
            f"{high:g}. If such values are possible, set bounds = (lowest, highest) in its class."
        )
    return np.minimum(values, high)


def average_rankings(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
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


def averaged(values: NDArray[np.float64], average: Any, weights: Any, *, several: bool) -> Any:
    """One number for several rankings, unless ``average`` is None."""
    if not values.size:
        raise ValueError("There is no ranking to score: the counts are empty.")
    if not several:
        return float(values[0])
    return values if average is None else average_rankings(values, weights)
