"""Numbers that are written as text, and numbers that floats cannot hold."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Context, Decimal, localcontext

import numpy as np

from sklearn_ap._types import Array, Bool

LARGEST_WHOLE = 2**53  # floats hold all whole numbers up to this one
TOO_LARGE = "is too large for a float of its own: pass numbers below 2**53, such as ranks"


def decimal_points(texts: Sequence[str]) -> list[str]:
    """Replace decimal commas by points, as Python reads them."""
    return [text.replace(",", ".") for text in texts]


def parse_numbers(texts: Sequence[str]) -> Array:
    """Read numbers, as integers if all of them are; NaN for texts that are no numbers."""
    all_text = "".join(texts)
    try:
        is_plain = all_text.isascii() and "_" not in all_text
        numbers = np.array([*map(float if is_plain else _parse_number, texts)])
    except ValueError:
        return np.array([*map(_number_or_nan, texts)])
    # Two huge integers may be one float.
    if (numbers == np.trunc(numbers)).all() and "+" not in all_text:
        with suppress(ValueError):  # 1.0, or more digits than Python reads
            integers = [*map(int, texts)]
            for dtype in (np.int64,) if "-" in all_text else (np.int64, np.uint64):
                with suppress(OverflowError):
                    return np.array(integers, dtype)
    return numbers


def _parse_number(text: str) -> float:
    """Read a number as pyarrow does; Python alone reads 1_0, and digits of India."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def _number_or_nan(text: str) -> float:
    try:
        return _parse_number(text)
    except ValueError:
        return np.nan


def is_huge(numbers: Array) -> Bool:
    """Flag numbers in the range in which floats do not hold all whole numbers."""
    return (numbers >= LARGEST_WHOLE) | (numbers <= -LARGEST_WHOLE)


def are_too_large(numbers: Array, text_of: Callable[[int], str]) -> Bool:
    """Flag numbers that are infinite, or that another text would give as well."""
    is_wrong = np.zeros(numbers.size, bool)
    if numbers.dtype.kind == "f":
        huge = is_huge(numbers).nonzero()[0]
        with localcontext(Context(traps=[])):  # an exponent of 20 digits gives nan
            exact = (Decimal(text_of(row)) for row in huge.tolist())
            is_wrong[huge] = [not is_exact_float(number) for number in exact]
    return is_wrong


def is_exact_float(number: int | Decimal) -> bool:
    """Check whether a number equals a float, in all digits or in its shortest ones.

    2**53 + 1 does not.
    """
    exact = Decimal(number)
    near = float(number)
    context = Context(prec=len(exact.as_tuple().digits))
    return exact in (context.create_decimal_from_float(near), Decimal(repr(near)))
