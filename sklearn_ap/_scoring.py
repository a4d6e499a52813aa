"""From what the user passed to counts, from counts to values, and from those to the score."""

from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._inputs import Rankings, Request, check_rankings, warn, warn_if_weights_end_before
from sklearn_ap.counts import ThresholdCounts, count
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._prevalence import at_prevalence

ZeroDivision = Literal["warn"] | float


def score(definition: Definition, request: Request) -> Any:
    """Check, count, apply the definition, average: a float, or an array for average=None."""
    zero_division = check_zero_division(request.zero_division)
    definition = at_prevalence(check_definition(definition), request.prevalence)
    rankings, counts = counted(definition, request)
    values = fill_undefined(values_of(definition, counts), zero_division, request.prevalence)
    weights = counts.n_positives if rankings.average == "weighted" else rankings.average_weight
    return _averaged(values, rankings.average, weights, several=rankings.several)


def score_counts(
    counts: ThresholdCounts,
    definition: Definition | None,
    *,
    average: Any,
    zero_division: Any,
    prevalence: Any,
) -> Any:
    """The same from counts."""
    check_average_of_counts(average)
    zero_division = check_zero_division(zero_division)
    definition = Step() if definition is None else check_definition(definition)
    values = values_of(at_prevalence(definition, prevalence), counts)
    values = fill_undefined(values, zero_division, prevalence)
    weights = counts.n_positives if average == "weighted" else None
    return _averaged(values, average, weights, several=counts.several)


def check_average_of_counts(average: Any) -> None:
    """Refuse what would need the rows."""
    if average not in ("macro", "weighted", None):
        raise ValueError(
            f"average must be 'macro', 'weighted' or None for counts, as each ranking is counted "
            f"by itself, got {average!r}."
        )


def _averaged(values: NDArray[np.float64], average: Any, weights: Any, *, several: bool) -> Any:
    """One number for several rankings, unless ``average`` is None."""
    if not values.size:
        raise ValueError("There is no ranking to score: the counts are empty.")
    if not several:
        return float(values[0])
    return values if average is None else average_rankings(values, weights)


def check_definition(definition: Any) -> Definition:
    """Refuse the name of a definition, and a class in the place of an instance."""
    if not isinstance(definition, Definition):
        raise TypeError(
            f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), got "
            f"{definition!r}."
        )
    return definition


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
) -> NDArray[np.float64]:
    """Give undefined rankings, which are nan, the score that ``zero_division`` says."""
    undefined = np.isnan(values)
    n_undefined = np.count_nonzero(undefined)
    if not n_undefined:
        return values
    if zero_division == "warn":
        found = "No positive" if prevalence is None else "No positive or no negative"
        warn(
            f"{found} class found in y_true, for {n_undefined} of {values.size} rankings. "
            f"Their score is set to 0.0. To choose a score without this warning, pass "
            f"zero_division=0.0, 1.0 or nan.",
            UndefinedMetricWarning,
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
