"""One integer for each item, which holds its score and its label and sorts as they do."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool

CHUNK_FLOATS = 2**16  # this many fit the cache
# Floats below 2 take 62 bits of 64. Below this one, their keys also differ from the key of padding.
LARGEST_UNSCALED = 1.5


class KeyType(NamedTuple):
    """A type of floats, and the type of integers with the same number of bits."""

    floats: type[np.floating[Any]]
    integers: type[np.signedinteger[Any]]


NARROW = KeyType(np.float32, np.int32)
WIDE = KeyType(np.float64, np.int64)


def descending_keys(score: Array, positive: Bool) -> tuple[Array, Callable[[Array], Array]]:
    """Return keys that sort items by score, the highest first.

    The lowest bit of a key is the label, so within a tied block negatives come first. Also return
    the function that turns ``keys >> 1`` back into scores, and overwrites them. Keys have 32 bits
    where these hold the scores, as they sort in half the time of 64.
    """
    keys, to_scores = ordered_integers(score, (NARROW, WIDE))
    np.invert(keys, out=keys)  # turns the order around
    keys <<= 1
    keys |= positive
    return keys, lambda values: to_scores(np.invert(values, out=values))


def padding(keys: Array) -> int:
    """Return the key of a negative below all scores."""
    return int(np.iinfo(keys.dtype).max) - 1


def ordered_integers(
    score: Array, key_types: tuple[KeyType, ...] = (WIDE,)
) -> tuple[Array, Callable[[Array], Array]]:
    """Return new integers that sort as the scores do, and the function that goes back.

    They leave two bits free. ``key_types`` are tried in turn.
    """
    dtype = score.dtype
    kind = dtype.kind
    low = np.minimum.reduce(score, initial=0)
    high = np.maximum.reduce(score, initial=0)
    for key_type in key_types:
        limit = 2 ** (8 * np.dtype(key_type.integers).itemsize - 3)
        if kind in "iu" and int(low) > -limit and int(high) < limit:
            return score.astype(key_type.integers), lambda values: values.astype(dtype)
        if kind == "f" and dtype.itemsize <= np.dtype(key_type.floats).itemsize:
            bits = _float_bits(score, key_type, low, high)
            if bits is not None:
                return bits
    distinct, ranks = np.unique(score, return_inverse=True)
    return ranks.astype(np.int64, copy=False), lambda ranks: distinct[ranks]


def _float_bits(
    score: Array, key_type: KeyType, low: np.floating[Any], high: np.floating[Any]
) -> tuple[Array, Callable[[Array], Array]] | None:
    """Read the bits of scores as integers, if these can be made to leave two bits free."""
    largest = max(float(high), -float(low))
    if not math.isfinite(largest):
        return None
    # A power of 2 changes no digit, unless a number becomes too small.
    scale = 2.0 ** -math.frexp(largest)[1] if largest >= LARGEST_UNSCALED else 1.0
    # Zeros may be negative: -0.0 + 0.0 is 0.0.
    values = np.add(score, 0.0, dtype=key_type.floats)
    if scale != 1:
        values *= scale
        # Compare in chunks, as one more array of many floats would take much memory.
        chunks = _chunks(len(score))
        if any(np.count_nonzero(values[chunk] / scale != score[chunk]) for chunk in chunks):
            return None
    has_negatives = bool(low < 0)

    def to_scores(bits: Array) -> Array:
        floats = _mirror_negatives(bits, has_negatives).view(key_type.floats)
        if scale != 1:
            floats /= scale
        return floats.astype(score.dtype, copy=False)

    return _mirror_negatives(values.view(key_type.integers), has_negatives), to_scores


def _mirror_negatives(bits: Array, has_negatives: bool) -> Array:
    """Turn the order of negative numbers around, in place: floats hold a sign and a size."""
    if has_negatives:
        for chunk in _chunks(len(bits)):
            # Negative numbers: all bits but the sign. Others: no bit.
            mirrored_bits = bits[chunk] >> (8 * bits.itemsize - 1)
            mirrored_bits &= np.iinfo(bits.dtype).max
            bits[chunk] ^= mirrored_bits
    return bits


def _chunks(size: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK_FLOATS) for start in range(0, size, CHUNK_FLOATS))
