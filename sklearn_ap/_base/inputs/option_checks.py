"""Checks of the options of definitions. Each runs once, when a definition is made."""

import re
from decimal import Decimal
from numbers import Integral
from typing import Literal, get_args

import numpy as np

from sklearn_ap._base.common.types import Argument, Choice, Float
from sklearn_ap._base.inputs.checks import check_numbers, check_real_number

Normalizer = Literal["attainable", "positives", "hits", "k"]


def check_k(k: Argument) -> int:
    if isinstance(k, bool) or not isinstance(k, Integral):
        error = ValueError if isinstance(k, float) else TypeError
        raise error(f"k must be a whole number here, got {k!r}.{_whole_k_hint(k)}")
    if not 1 <= int(k) < 2**63:
        raise ValueError(f"k must be at least 1 and below 2**63, got {k!r}.")
    return int(k)


def check_ranks(k: Argument) -> float:
    """Check the number of ranks that count, or their share of the rows."""
    if isinstance(k, Integral):
        return check_k(k)
    if not 0 < (share := check_real_number("k", k)) < 1:
        hint = (
            _whole_k_hint(k) or " For all rows use a score without k, and for the first rank k=1."
        )
        raise ValueError(
            f"k must be a whole number of ranks, or a share of the rows within (0, 1), got {k!r}."
            f"{hint}"
        )
    return share


def _whole_k_hint(k: Argument) -> str:
    """Say what to pass for 3.0 and for "3", but not for 1.0, which may mean all rows."""
    if isinstance(k, str):
        return f" Pass k={int(k)}." if re.fullmatch("[1-9][0-9]{0,17}", k.strip()) else ""
    is_whole = isinstance(k, float) and k.is_integer() and k > 1
    return f" Pass k={int(k)}." if is_whole else ""


def k_as_text(k: float) -> str:
    """Write k as titles do: 20, or 1% for 0.01, with all digits."""
    return str(k) if isinstance(k, int) else f"{(Decimal(repr(k)) * 100).normalize():f}%"


def check_share(name: str, share: Argument) -> float:
    """Check a share that is to be reached, such as a recall."""
    if not 0 <= (number := check_real_number(name, share)) <= 1:
        raise ValueError(f"{name} must lie within [0, 1], got {share!r}.")
    return number


def check_open_share(name: str, share: Argument) -> float:
    """Check a share that is neither 0 nor 1, such as a confidence level."""
    if not 0 < (number := check_real_number(name, share)) < 1:
        raise ValueError(f"{name} must lie within (0, 1), got {share!r}.")
    return number


def check_choice(name: str, choice: Argument, literal: object) -> Choice:
    """Check a string that must be one of a Literal."""
    choices = get_args(literal)
    if isinstance(choice, str) and choice in choices:
        return str(choice)  # a plain string, also for NumPy's
    error = ValueError if isinstance(choice, str) else TypeError
    raise error(f"{name} must be one of {choices}, got {choice!r}.")


def check_recall_levels(recall_levels: Argument) -> int | tuple[float, ...] | None:
    """Check the number of equally spaced recall levels, or the levels; None means all recalls."""
    if recall_levels is None:
        return None
    if not isinstance(recall_levels, bool) and isinstance(recall_levels, Integral):
        if not 2 <= int(recall_levels) < 2**63:
            raise ValueError(
                f"recall_levels must be at least 2 and below 2**63, got {recall_levels}."
            )
        return int(recall_levels)
    return _check_level_array(recall_levels)


def array_of_levels(recall_levels: int | tuple[float, ...]) -> Float:
    """Return the levels, increasing."""
    if isinstance(recall_levels, int):
        return np.linspace(0, 1, recall_levels)
    return np.sort(np.asarray(recall_levels, dtype=np.float64))


def _check_level_array(recall_levels: Argument) -> tuple[float, ...]:
    levels = check_numbers("recall_levels", recall_levels)
    if levels.ndim == 0:
        raise TypeError(
            f"recall_levels must be None, a whole number or an array, got {recall_levels!r}."
        )
    if levels.ndim != 1 or not levels.size or not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError(
            f"recall_levels must be one-dimensional, not empty and within [0, 1], "
            f"got {recall_levels!r}."
        )
    return tuple(float(str(level)) for level in levels)  # 0.1 in float32 means 0.1
