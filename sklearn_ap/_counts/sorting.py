"""Sort scores: by the digits of their bits, and long rankings by ranges of scores, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from sklearn_ap._arithmetic import LONG
from sklearn_ap._types import Array, Bool, Index

# A range has as many scores as the cache holds. They are few, as each reads all scores.
RANGE, MOST_RANGES = 2**17, 8
SAMPLE = 1_024  # of the scores, which says where ranges end
FEWEST_BY_BITS = 2_000  # fewer are sorted by comparison
CACHED_SCORES = 2**16  # of short rankings, so many are sorted together
KEY_TYPES = {
    np.dtype(np.float32): (np.float32, np.int32),
    np.dtype(np.float64): (np.float64, np.int64),
}


class SortedScores(NamedTuple):
    """Scores from the highest one on; of equal ones, the last of the user is the first."""

    order: Index  # the scores of the user in this order are sorted
    score: Array

    @classmethod
    def of(cls, score: Array) -> SortedScores:
        """Sort scores; many by ranges of scores, which threads share."""
        # [2, 5, 2] -> [1, 2, 0] and [5, 2, 2]
        if score.size < LONG:
            order = np.ascontiguousarray(_order(score)[::-1])  # each take would make a copy
            return cls(order, score.take(order))
        n_ranges = min(score.size // RANGE, MOST_RANGES)
        sample = np.sort(score[:: score.size // SAMPLE])
        ends = sample[sample.size * np.arange(1, n_ranges) // n_ranges]

        def sort_range(i: int) -> SortedScores:
            is_in_range = np.ones(score.size, bool) if i == 0 else score >= ends[i - 1]
            if i < ends.size:
                is_in_range &= score < ends[i]
            rows: Index = is_in_range.nonzero()[0]
            own = score.take(rows)
            order = _order(own)[::-1]
            return cls(rows.take(order), own.take(order))

        from sklearn_ap._counts._threads import map_threads

        orders, scores = zip(*map_threads(sort_range, range(n_ranges))[::-1], strict=True)
        return cls(np.concatenate(orders), np.concatenate(scores))


class SortedKeys(NamedTuple):
    """Scores from the highest one on, as keys that are equal where scores are."""

    keys: Array
    are_positive: Bool
    to_scores: Callable[[Array], Array]  # of keys, which it overwrites

    @classmethod
    def sort(cls, score: Array, positive: Bool) -> SortedKeys:
        """Sort scores with their labels: as integers, in half the time of an order, if they can be.

        Floats between -1 and 1 leave a bit for the label.
        """
        # 0.5 of a positive, -0.25 and 0.5 -> 0.5, 0.5 and -0.25, of which the second is positive
        is_float = score.dtype in KEY_TYPES
        largest = max(score.max(), -score.min()) if is_float else np.inf
        if np.isfinite(largest):
            floats, integers = KEY_TYPES[score.dtype]
            parts = cached_parts(score.size, 1)  # as fresh memory takes longer than the division
            with np.errstate(under="ignore"):
                scale = floats(-(2.0 ** -max(int(np.frexp(largest)[1]), 0)))
                values = score * scale
                keeps_digits = all((values[at] / scale == score[at]).all() for at in parts)
            if keeps_digits:  # all but tiny scores beside huge ones do
                values += 0.0  # no -0.0
                keys = _mirror(values.view(integers))
                keys <<= 1
                keys |= positive
                _sort_in_threads(keys)
                are_positive = (keys.astype(np.uint8) & 1).view(bool)
                keys >>= 1
                return cls(
                    keys, are_positive, lambda keys: _mirror(keys).view(floats) / scale + 0.0
                )
        sorted_scores = SortedScores.of(score)
        return cls(sorted_scores.score, positive.take(sorted_scores.order), np.asarray)


def _mirror(bits: Array) -> Array:
    """Flip the bits of negative floats, in place, so that integers sort as the floats do."""
    info = np.iinfo(bits.dtype)
    for at in cached_parts(bits.size, 1):
        bits[at] ^= (bits[at] >> info.bits - 1) & info.max
    return bits


def _sort_in_threads(keys: Array) -> None:
    """Sort keys in place; many in parts, one after the other, of which each thread has one."""
    if keys.size < LONG:
        keys.sort()
        return
    from sklearn_ap._counts._threads import map_threads, n_threads

    ends = keys.size * np.arange(1, n_threads()) // n_threads()
    keys.partition(ends)
    map_threads(np.ndarray.sort, np.split(keys, ends))


def _order(score: Array) -> Index:
    """Order scores, the lowest first and equal ones as they stand.

    NumPy sorts 16 bits by their digits, so it sorts the two halves of 32 bits sooner than scores by
    comparison. Where these tell scores apart, the last sort has nothing left to do.
    """
    # 2.0, -1.0, 1.0 -> the upper halves 0xC000, 0x407F and 0xBF80, and the order 1, 2, 0
    if score.size < FEWEST_BY_BITS:
        return score.argsort(kind="stable")
    with np.errstate(over="ignore", under="ignore"):
        bits = (score.astype(np.float32) + np.float32(0.0)).view(np.int32)  # no -0.0
    _mirror(bits)
    bits ^= np.iinfo(np.int32).min  # negative numbers first
    order: Index = bits.astype(np.uint16).argsort(kind="stable")
    order = order.take((bits >> 16).astype(np.uint16).take(order).argsort(kind="stable"))
    return order.take(score.take(order).argsort(kind="stable"))


def descending_orders(table: Array) -> Index:
    """Order each row of a table, the highest score first."""
    order = np.empty(table.shape, np.intp)

    def sort_rows(rows: slice) -> None:
        if table.shape[1] < FEWEST_BY_BITS:
            order[rows] = table[rows].argsort(axis=1)[:, ::-1]
        else:
            for row, score in zip(order[rows], table[rows], strict=True):
                row[:] = _order(score)[::-1]

    parts = [*cached_parts(*table.shape)]
    if table.size >= LONG:
        from sklearn_ap._counts._threads import map_threads

        map_threads(sort_rows, parts)
    else:
        for rows in parts:
            sort_rows(rows)
    return order


def cached_parts(n_rows: int, size: int) -> Iterator[slice]:
    """Cut rows of this size into parts that the cache holds."""
    n_together = max(1, CACHED_SCORES // max(size, 1))
    return (slice(begin, begin + n_together) for begin in range(0, n_rows, n_together))
