"""Numbers that are written as text, and whole numbers that floats do not hold.

Whole numbers beyond 2**53, such as times in nanoseconds or hashes, keep their digits as integers.
Beside fractions all numbers become floats, which hold some of them alone: those are refused in
arrays, in columns of files and in chunks by ``LOST_DIGITS``.
"""

import math
import re
import reprlib
from collections.abc import Sequence
from contextlib import suppress
from decimal import Context, Decimal

import numpy as np

from sklearn_ap._arithmetic import LARGEST_EXACT
from sklearn_ap._errors import InputError
from sklearn_ap._types import Argument, Array

WHOLE = re.compile(r"[+-]?\d+")
DIVISION = Context(traps=[])  # whose quotients beyond all decimals are infinite, and no error
LOST_DIGITS = (
    "has whole numbers beyond 2**53 that no float holds, beside numbers of another type, so they "
    "would lose digits and tie: write all as whole numbers of one type, or give their ranks"
)


def read_number(text: str) -> float:
    """Read a finite number: 10, -0.05 or 1e-3. Whole numbers have all their digits."""
    decimal = _decimal(text)
    number = _finite(decimal, text)
    return int(decimal) if WHOLE.fullmatch(text.strip()) else number


def read_share(text: str) -> float:
    """Read a finite number that may also be a share: 10, 0.05, 5% or 1/20."""
    top, slash, below = text.partition("/")
    if slash and (divisor := _decimal(below)):
        return _finite(DIVISION.divide(_decimal(top), divisor), text)
    if text.endswith("%"):
        return _finite(_decimal(text.removesuffix("%")).scaleb(-2), text)
    return read_number(text)


def _decimal(text: str) -> Decimal:
    # A decimal keeps its exponent apart, where a fraction would write out 10**99999999.
    with suppress(ArithmeticError):  # of other text
        if (decimal := Decimal(text.strip())).is_finite():
            return decimal
    raise InputError(f"{reprlib.repr(text)} is not a number.")


def _finite(decimal: Decimal, text: str) -> float:
    if math.isinf(number := float(decimal)):
        raise InputError(f"{reprlib.repr(text)} is beyond the range of numbers.")
    return number


def lose_digits(numbers: Array) -> bool:
    """Check whether some integers change as floats."""
    if numbers.dtype.kind not in "iu" or not numbers.size:
        return False
    if numbers.min() >= -LARGEST_EXACT and numbers.max() <= LARGEST_EXACT:
        return False
    large = numbers[(numbers > LARGEST_EXACT) | (numbers < -LARGEST_EXACT)]
    return any(map(loses_digits, large.tolist()))


def loses_digits(number: Argument) -> bool:
    """Check whether a large integer changes as a float."""
    return isinstance(number, int) and abs(number) > LARGEST_EXACT and int(float(number)) != number


def are_tied_by_rounding(given: Argument, numbers: Array) -> bool:
    """Check whether objects that differ, such as large integers, were made equal floats."""
    if numbers.dtype.kind != "f":
        return False
    sizes = np.abs(numbers, dtype=np.float64)
    is_large = (sizes >= LARGEST_EXACT) & np.isfinite(sizes)
    if not is_large.any():
        return False
    distinct = {*np.array(given, object).reshape(numbers.shape)[is_large].tolist()}
    return len({*map(float, distinct)}) < len(distinct)


def refuse_lost_digits(name: str, given: Argument, numbers: Array) -> None:
    """Refuse objects that were made equal floats."""
    if are_tied_by_rounding(given, numbers):
        raise InputError(f"{name} {LOST_DIGITS}.")


def concatenate_numbers(parts: Sequence[Array]) -> Array | None:
    """Join arrays; None if integers among them would lose digits beside the others."""
    joined = np.concatenate(parts)
    is_float = joined.dtype.kind == "f"
    return None if is_float and any(map(lose_digits, parts)) else joined
