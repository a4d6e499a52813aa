"""One integer for each item, which holds its score and its label and sorts as they do."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Integers = NDArray[np.int64]

SMALL = 1.5  # floats below 2 take 62 bits; this keeps their keys off PADDING, too
PADDING = np.int64(2**63 - 2)  # the key of a negative below all scores


def descending_keys(
    score: Array, positive: NDArray[np.bool_]
) -> tuple[Integers, Callable[[Integers], Array]]:
    """Give keys that sort items by score, the highest first.

    The lowest bit of a key is the label, so within a tied block negatives come first. Also gives
    the function that turns ``keys >> 1`` back into scores, and overwrites them.
    """
    keys, scores_of = ordered_integers(score)
    np.invert(keys, out=keys)  # turns the order around
    keys <<= 1
    keys |= positive
    return keys, lambda values: scores_of(np.invert(values, out=values))


def ordered_integers(score: Array) -> tuple[Integers, Callable[[Integers], Array]]:
    """Give new integers of 62 bits that sort as the scores do, and the function that goes back."""
    dtype, kind = score.dtype, score.dtype.kind
    low, high = np.minimum.reduce(score, initial=0), np.maximum.reduce(score, initial=0)
    if kind in "iu" and int(low) > -(2**61) and int(high) < 2**61:
        return score.astype(np.int64), lambda integers: integers.astype(dtype)
    largest = max(float(high), -float(low))
    if kind == "f" and dtype.itemsize <= 8 and math.isfinite(largest):
        # A power of 2 changes no digit, unless a number becomes too small.
        scale = 2.0 ** -math.frexp(largest)[1] if largest >= SMALL else 1.0
        # Zeros may be negative: -0.0 + 0.0 is 0.0.
        values = np.add(score, 0.0, dtype=np.float64)
        if scale != 1:
            values *= scale
        if scale == 1 or not np.count_nonzero(values / scale != score):

            def floats(bits: Integers) -> Array:
                found = _mirrored(bits, low).view(np.float64)
                if scale != 1:
                    found /= scale
                return found.astype(dtype, copy=False)

            return _mirrored(values.view(np.int64), low), floats
    distinct, places = np.unique(score, return_inverse=True)
    return places.astype(np.int64, copy=False), lambda places: distinct[places]


def _mirrored(bits: Integers, low: Any) -> Integers:
    """Turn the order of negative numbers around, in place: floats hold a sign and a size."""
    if low < 0:
        sizes = bits >> 63
        sizes &= np.int64(2**63 - 1)
        bits ^= sizes
    return bits
