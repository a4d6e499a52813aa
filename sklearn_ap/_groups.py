"""Numbers for the names of groups: queries, or clusters of rows."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._threads import map_threads, n_threads

__all__ = ["begins_run", "codes_of", "is_missing"]

Array = NDArray[Any]

# Numbers that differ anywhere times this, modulo 2**64, mostly differ in their upper bits.
FACTOR = 0x9E3779B97F4A7C15
FEWEST_BITS = 16  # of a slot, so that a few names rarely share one
CHUNK = 2**14  # names that the cache holds
SIDE_BY_SIDE = 64  # of them are looked at as one long row, which is faster


def codes_of(groups: Array, argument: str = "groups") -> tuple[NDArray[np.intp], int]:
    """Each row's place among the sorted distinct groups, and how many these are."""
    if groups.dtype.kind in "fmM" and np.isnan(groups).any():
        raise _missing(argument)
    if groups.dtype.kind in "US":
        groups = _packed(groups)
    first = _first_of_names(groups)
    # Rows of a group mostly stand side by side, and then there are few names to compare.
    few = np.count_nonzero(first) < groups.size // 2
    names = groups[first] if few else groups
    if groups.dtype.kind not in "biufmMUS":
        place, n = _places_of_objects(names.tolist(), argument)
    elif (names[1:] >= names[:-1]).all():
        n = int(np.count_nonzero(first))
        return _repeated(np.arange(n), first), n
    else:
        place, n = _places(names)
    return (_repeated(place, first) if few else place), n


def begins_run(values: Array) -> NDArray[np.bool_]:
    """Which values differ from the one before them, along the last axis; the first ones do."""
    # [1, 2, 2, 3] -> [True, True, False, True]
    first = np.empty(values.shape, dtype=bool)
    first[..., :1] = True
    np.not_equal(values[..., 1:], values[..., :-1], out=first[..., 1:])
    return first


def _first_of_names(groups: Array) -> NDArray[np.bool_]:
    """Which rows begin a run of equal names."""
    try:
        return begins_run(groups)
    except (TypeError, ValueError):  # pandas' NA does not say whether it equals its neighbour
        return np.ones(groups.size, dtype=bool)


def _repeated(values: NDArray[np.intp], first: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Give each row the value of its run."""
    # values [7, 5] and first [True, False, True] -> [7, 7, 5]
    return np.repeat(values, np.diff(first.nonzero()[0], append=first.size))


def _places(names: Array) -> tuple[NDArray[np.intp], int]:
    """The place of each name among the sorted distinct ones, and how many these are."""
    if names.dtype.kind in "iu" and int(names.max()) - int(names.min()) <= 4 * names.size:
        # Integers that lie close need no sort:
        # names [7, 5, 7] -> offset [2, 0, 2] -> present [True, False, True] -> place [1, 0, 1]
        offset = names - names.min()
        offset = offset.view(f"u{offset.itemsize}").astype(np.intp)  # as 127 - -128 is -1 in int8
        present = np.zeros(int(offset.max()) + 1, dtype=bool)
        present[offset] = True
        if present.all():
            return offset, present.size
        return (np.cumsum(present) - 1)[offset], int(np.count_nonzero(present))
    numbers = _numbers(names)
    one = None if numbers is None else _one_of_each(numbers)
    if one is None or (names.dtype.kind in "US" and not np.array_equal(names[one], names)):
        distinct, place = np.unique(names, return_inverse=True)
        return place, distinct.size
    # Only one row of each name is sorted:
    # names ["b", "a", "b"] -> one [2, 1, 2] -> chosen [1, 2] -> place [?, 0, 1] -> [1, 0, 1]
    chosen = np.zeros(names.size, dtype=bool)
    chosen[one] = True
    distinct, of_chosen = np.unique(names[chosen], return_inverse=True)
    place = np.empty(names.size, np.intp)
    place[chosen] = of_chosen
    return place[one], distinct.size


def _places_of_objects(names: list[Any], argument: str) -> tuple[NDArray[np.intp], int]:
    # Hashing beats sorting a million objects. Each new name gets the next number:
    # names ["b", "a", "b"] -> number {"b": 0, "a": 1} -> numbers [0, 1, 0] -> place [1, 0, 1]
    number: defaultdict[Any, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(number.__getitem__, names), np.intp, len(names))
    if any(map(is_missing, number)):
        raise _missing(argument)
    place = {name: i for i, name in enumerate(sorted(number))}
    return np.array([place[name] for name in number], np.intp)[numbers], len(place)


def _one_of_each(numbers: NDArray[np.uint64]) -> NDArray[np.intp] | None:
    """For each number the row of one that equals it, the same for all; None if a sort is faster."""
    # Each number has a slot, by the upper bits of a product, and one of its rows stands there.
    bits = max(numbers.size.bit_length(), FEWEST_BITS)
    slot = numbers * np.uint64(FACTOR)
    slot >>= np.uint64(64 - bits)
    slot = slot.view(np.int64)
    row, every = np.zeros(2**bits, np.intp), range(0, numbers.size, CHUNK)
    for i in every:  # a few at a time, as fresh memory costs more than the work
        some = slot[i : i + CHUNK]
        row[some] = np.arange(i, i + some.size)
    one = row[slot]
    # Different numbers may have the same slot: those that do not stand there try again.
    differs = [numbers[one[i : i + CHUNK]] != numbers[i : i + CHUNK] for i in every]
    other = np.concatenate(differs).nonzero()[0]
    if other.size > numbers.size // 4:
        return None
    if other.size:
        more = _one_of_each(numbers[other] * np.uint64(FACTOR))
        if more is None:
            return None
        one[other] = other[more]
    return one


def _numbers(names: Array) -> NDArray[np.uint64] | None:
    """64 bits for each name, the same for equal ones; of strings, few others have the same."""
    kind, itemsize = names.dtype.kind, names.dtype.itemsize
    if kind in "US":
        letters = _letters(names)
        factors = np.cumprod(np.full(letters.shape[1], FACTOR, np.uint64))
        return np.einsum("ij,j->i", letters, factors)  # modulo 2**64
    if kind == "f":
        return names.astype(np.float64).view(np.uint64) if itemsize <= 8 else None
    return names.astype(np.int64, copy=False).view(np.uint64)


def _packed(strings: Array) -> Array:
    """Integers in the order of the strings, if 8 bytes hold all letters; else the strings."""
    # "ab" and "b" become the integers with the bytes 97, 98, 0, ... and 98, 0, 0, ...
    letters = _letters(strings)
    if letters[0, 8:].any():  # then most are as long
        return strings
    packed = np.zeros((strings.size, 8), np.uint8)

    def pack(i: int) -> bool:
        some = letters[i : i + CHUNK]
        rows = some.reshape(-1, some.shape[1] * (SIDE_BY_SIDE if len(some) == CHUNK else 1))
        highest = rows.max(axis=0).reshape(-1, some.shape[1]).max(axis=0)
        used = int(highest.nonzero()[0].max(initial=-1)) + 1
        packed[i : i + CHUNK, :used] = some[:, : min(used, 8)]
        return used <= 8 and highest.max() <= 255

    fit = map_threads(pack, range(0, strings.size, CHUNK), n_threads(strings.size))
    return packed.view(">u8").ravel().astype(np.uint64) if all(fit) else strings


def _letters(strings: Array) -> Array:
    """The letters of each string as numbers, a row each, with 0 where it is shorter."""
    letter = np.uint32 if strings.dtype.kind == "U" else np.uint8
    letters: Any = np.ascontiguousarray(strings).view(letter)
    return letters.reshape(strings.size, -1)


def _missing(argument: str) -> ValueError:
    return ValueError(f"{argument} contains missing values.")


def is_missing(name: Any) -> bool:
    """Whether it is None, nan, or pandas' NA, which does not say whether it equals itself."""
    try:
        return name is None or bool(name != name)
    except TypeError:
        return True
