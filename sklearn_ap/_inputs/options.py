"""Options and parameters of definitions: their types and checks."""

from math import isfinite
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np

from sklearn_ap._errors import InputError, InputTypeError, UnsuitedDefinitionError
from sklearn_ap._types import Argument, NamedAverage

Average = Literal[NamedAverage, None]
ZeroDivision = Literal["warn"] | float
Seed = int | np.integer[Any] | np.random.Generator | None
LEAST_SHARE = 1e-100  # the least prevalence or probability: weights divided by less overflow


def check_real_number(name: str, number: Argument) -> float:
    """Check an option that is a number; return infinity for an integer that no float holds."""
    if isinstance(number, np.floating):
        return float(str(number))  # 0.1 in float32 means 0.1
    if isinstance(number, bool) or not isinstance(number, Real):
        raise InputTypeError(f"{name} must be a number, got {number!r:.70}.")
    try:
        return float(number)
    except OverflowError:
        return np.inf


def check_finite_number(name: str, number: Argument) -> float:
    """Check an option that is a finite number."""
    if not isfinite(finite := check_real_number(name, number)):
        raise InputError(f"{name} must be finite, got {number!r:.70}.")
    return finite


def check_share(name: str, share: Argument) -> float:
    """Check a share that is to be reached, such as a recall."""
    if not 0 <= (number := check_real_number(name, share)) <= 1:
        raise InputError(f"{name} must lie within [0, 1], got {share!r}.")
    return number


def check_open_share(name: str, share: Argument) -> float:
    """Check a share that is neither 0 nor 1, such as a confidence level."""
    if not 0 < (number := check_real_number(name, share)) < 1:
        raise InputError(f"{name} must lie within (0, 1), got {share!r}.")
    return number


def check_prevalence(prevalence: Argument) -> float:
    """Check a proportion of positives."""
    share = check_real_number("prevalence", prevalence)
    # Negatives weigh 1 / share, and squares of a billion such weights must be finite.
    if not LEAST_SHARE <= share < 1:
        raise InputError(
            f"prevalence is the proportion of positives where you deploy, such as 0.01 for 1%. It "
            f"must lie within [{LEAST_SHARE:g}, 1), got {prevalence!r}."
        )
    return share


def refuse_prevalence_at_k(depth: float | None) -> None:
    """Refuse a prevalence beside the first ranks, whose number counts rows."""
    if depth is not None:
        raise UnsuitedDefinitionError(
            "prevalence does not go with the first k ranks, nor with a share of them. For n rows, "
            "pass sample_weight in place of it: n * p / positives for each positive, n * (1 - p) / "
            "negatives for each negative."
        )


def check_count(name: str, number: Argument) -> int:
    """Refuse a number that is not whole, below 1, or beyond 64 bits."""
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise InputTypeError(f"{name} must be a whole number, got {number!r:.70}.")
    if not 1 <= int(number) < 2**63:
        raise InputError(f"{name} must be at least 1 and below 2**63, got {number!r}.")
    return int(number)


def check_ranks(k: Argument) -> float:
    """Check the number of ranks that count, or their share of the rows."""
    if isinstance(k, Integral):
        return check_count("k", k)
    if not 0 < (share := check_real_number("k", k)) < 1:
        raise InputError(
            f"k must be a whole number of ranks, or a share of the rows within (0, 1), got {k!r}. "
            f"For all rows use a score without k, and for the first rank k=1."
        )
    return share


def check_choice(name: str, choice: Argument, literal: object) -> Any:  # noqa: ANN401 one of the Literal
    """Check a string that must be one of a Literal."""
    choices = get_args(literal)
    if isinstance(choice, str) and choice in choices:
        return str(choice)  # a plain string, also for NumPy's
    error = InputError if isinstance(choice, str) else InputTypeError
    raise error(f"{name} must be one of {choices}, got {choice!r:.70}.")


def make_generator(rng: Seed) -> np.random.Generator:
    """Make a generator of a seed, or return the one that is given."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        refusal = InputTypeError if isinstance(error, TypeError) else InputError
        raise refusal(f"rng must be a seed or a numpy.random.Generator: {error}.") from error
