"""From what the user passed to counts, from counts to values, and from those to the score."""

import warnings
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._inputs import Rankings, Request, check_rankings, warn_if_weights_end_before
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions.base import Definition
from sklearn_ap.definitions.prevalence import at_prevalence

__all__ = [
    "ZeroDivision",
    "average_rankings",
    "check_zero_division",
    "counted",
    "fill_undefined",
    "score",
    "values_of",
]

ZeroDivision = Literal["warn"] | float


def score(definition: Definition, request: Request) -> Any:
    """Check, count, apply the definition, average: a float, or an array for average=None."""
    zero_division = check_zero_division(request.zero_division)
    definition = at_prevalence(definition, request.prevalence)
    rankings, counts = counted(definition, request)
    values = fill_undefined(values_of(definition, counts), zero_division, request.prevalence)
    if not rankings.several:
        return float(values[0])
    if rankings.average is None:
        return values
    weighted = rankings.average == "weighted"
    return average_rankings(values, counts.n_positives if weighted else rankings.average_weight)


def values_of(definition: Definition, counts: ThresholdCounts) -> NDArray[np.float64]:
    """The value of each ranking, nan without positives."""
    # A sum of weights can come out an ulp above the highest value.
    return np.minimum(definition(counts), definition.bounds[1])


def counted(definition: Definition, request: Request) -> tuple[Rankings, ThresholdCounts]:
    """The clean predictions, and their counts as far as the definition looks."""
    rankings = check_rankings(request)
    if definition.depth is not None:
        warn_if_weights_end_before(definition.depth, rankings)
    return rankings, count(rankings, definition.depth)


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
    values: NDArray[np.float64],
    zero_division: str | float,
    prevalence: float | None,
    stacklevel: int = 4,
) -> NDArray[np.float64]:
    """Give undefined rankings, which are nan, the score that ``zero_division`` says."""
    undefined = np.isnan(values)
    n_undefined = np.count_nonzero(undefined)
    if not n_undefined:
        return values
    if zero_division == "warn":
        found = "No positive" if prevalence is None else "No positive or no negative"
        warnings.warn(
            f"{found} class found in y_true, for {n_undefined} of {values.size} rankings. "
            f"Their score is set to 0.0. To choose a score without this warning, pass "
            f"zero_division=0.0, 1.0 or nan.",
            UndefinedMetricWarning,
            stacklevel=stacklevel,
        )
        zero_division = 0.0
    return np.where(undefined, zero_division, values)


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
