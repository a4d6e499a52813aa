"""Scores of rankings: what stands for those that are not defined, and their average."""

from numbers import Real
from typing import Literal

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap._extras import warn
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._types import Argument, Array, Bool, Float, ScoreOrScores

ZeroDivision = Literal["warn"] | float


def fill_undefined(values: Float, zero_division: Argument, prevalence: float | None) -> Float:
    """Replace undefined values, which are nan, by the score that ``zero_division`` says.

    In a table, each row has the values of a model. All models lack the same labels, so the warning
    is about the first one.
    """
    is_of_type = isinstance(zero_division, Real | str)
    is_nan = is_of_type and zero_division != zero_division
    if not is_of_type or not (is_nan or zero_division in ("warn", 0, 1)):
        error = ValueError if is_of_type else TypeError
        raise error(f'zero_division must be "warn", 0.0, 1.0 or nan, got {zero_division!r}.')
    is_undefined = np.isnan(values)
    if not is_undefined.any():
        return values
    if zero_division == "warn":
        remedy = "To choose a score without this warning, pass zero_division=0.0, 1.0 or nan."
        first_undefined = np.atleast_2d(is_undefined)[0]
        warn_of_undefined(first_undefined, prevalence, f"Their score is set to 0.0. {remedy}")
        zero_division = 0.0
    return np.where(is_undefined, float(zero_division), values)


def warn_of_undefined(
    is_undefined: Bool, prevalence: float | None, consequence: str, units: str = "rankings"
) -> None:
    """Warn of scores that are not defined, if any is not, and of what follows."""
    n_undefined = np.count_nonzero(is_undefined)
    if n_undefined:
        lacking = "No positive" if prevalence is None else "No positive or no negative"
        warn(
            f"{lacking} class found in y_true, for {n_undefined} of {is_undefined.size} {units}. "
            f"{consequence}",
            UndefinedMetricWarning,
        )


def shares_of(values: Float, weights: Array | None) -> Float:
    """Return the weight of each ranking in the mean, 0 for one without a value; they sum to 1."""
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.max() or 1.0  # the sum of huge weights would be infinite
    return np.asarray(shares / (shares.sum() or 1.0))


def average_rankings(values: Float, weights: Array | None) -> float:
    """Average the values that are not nan and carry weight."""
    shares = shares_of(values, weights)
    is_averaged = shares > 0
    if not is_averaged.any():
        # Nothing to average: all values are nan, or equal the score for rankings without positives.
        return float(values[0])
    averaged = values[is_averaged]
    return float(np.average(averaged, weights=None if weights is None else shares[is_averaged]))


def check_average_of_counts(average: Argument) -> None:
    """Refuse an average that would need the rows."""
    if average is not None:  # each ranking is counted by itself
        check_choice("average", average, Literal["macro", "weighted"])


def apply_average(
    values: Float, average: str | None, weights: Array | None, *, several: bool
) -> ScoreOrScores:
    """Return one number for several rankings, or their values if ``average`` is None."""
    if not values.size:
        raise ValueError("There is no ranking to score: the counts are empty.")
    if not several:
        return float(values[0])
    return values if average is None else average_rankings(values, weights)
