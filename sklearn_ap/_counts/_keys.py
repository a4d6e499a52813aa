"""One integer for each item, which holds its score and its label and sorts as they do."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Bool

SMALL = 1.5  # floats below 2 take 62 bits of 64; this keeps their keys off padding, too
NARROW, WIDE = (np.float32, np.int32), (np.float64, np.int64)  # pairs of as many bits


def descending_keys(score: Array, positive: Bool) -> tuple[Array, Callable[[Array], Array]]:
    """Give keys that sort items by score, the highest first.

    The lowest bit of a key is the label, so within a tied block negatives come first. Also gives
    the function that turns ``keys >> 1`` back into scores, and overwrites them. Keys have 32 bits
    where these hold the scores, as they sort in half the time of 64.
    """
    keys, scores_of = ordered_integers(score, (NARROW, WIDE))
    np.invert(keys, out=keys)  # turns the order around
    keys <<= 1
    keys |= positive
    return keys, lambda values: scores_of(np.invert(values, out=values))


def padding(keys: Array) -> int:
    """The key of a negative below all scores."""
    return int(np.iinfo(keys.dtype).max) - 1


def ordered_integers(
    score: Array, kinds: tuple[Any, ...] = (WIDE,)
) -> tuple[Array, Callable[[Array], Array]]:
    """Give new integers that sort as the scores do, and the function that goes back.

    They leave two bits free. ``kinds`` are the pairs of types to try.
    """
    dtype, kind = score.dtype, score.dtype.kind
    low, high = np.minimum.reduce(score, initial=0), np.maximum.reduce(score, initial=0)
    for floats, integers in kinds:
        most = 2 ** (8 * np.dtype(integers).itemsize - 3)
        if kind in "iu" and int(low) > -most and int(high) < most:
            return score.astype(integers), lambda values: values.astype(dtype)
        if kind == "f" and dtype.itemsize <= np.dtype(floats).itemsize:
            bits = _bits_of_floats(score, floats, integers, (low, high))
            if bits is not None:
                return bits
    distinct, places = np.unique(score, return_inverse=True)
    return places.astype(np.int64, copy=False), lambda places: distinct[places]


def _bits_of_floats(
    score: Array, floats: Any, integers: Any, ends: tuple[Any, Any]
) -> tuple[Array, Callable[[Array], Array]] | None:
    """The bits of the scores as such floats, if these can be made to leave two bits free."""
    low, largest = ends[0], max(float(ends[1]), -float(ends[0]))
    if not math.isfinite(largest):
        return None
    # A power of 2 changes no digit, unless a number becomes too small.
    scale = 2.0 ** -math.frexp(largest)[1] if largest >= SMALL else 1.0
    # Zeros may be negative: -0.0 + 0.0 is 0.0.
    values = np.add(score, 0.0, dtype=floats)
    if scale != 1:
        values *= scale
        if np.count_nonzero(values / scale != score):
            return None

    def scores_of(bits: Array) -> Array:
        found = _mirrored(bits, low).view(floats)
        if scale != 1:
            found /= scale
        return found.astype(score.dtype, copy=False)

    return _mirrored(values.view(integers), low), scores_of


def _mirrored(bits: Array, low: Any) -> Array:
    """Turn the order of negative numbers around, in place: floats hold a sign and a size."""
    if low < 0:
        sizes = bits >> (8 * bits.itemsize - 1)
        sizes &= np.iinfo(bits.dtype).max
        bits ^= sizes
    return bits
