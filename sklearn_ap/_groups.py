"""Numbers for the names of groups: queries, or clusters of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["codes_of", "is_missing"]

Array = NDArray[Any]

# Its powers times the letters of a string give a number, which few strings share.
STRING_FACTOR = 0x9E3779B97F4A7C15


def codes_of(groups: Array, argument: str = "groups") -> tuple[NDArray[np.intp], int]:
    """Each row's place among the sorted distinct groups, and how many these are."""
    if groups.dtype.kind not in "biufmMUS":
        return _codes_of_objects(groups.tolist(), argument)
    # Rows of a group mostly stand side by side, and then there are few names to compare.
    first = np.ones(groups.size, dtype=bool)
    np.not_equal(groups[1:], groups[:-1], out=first[1:])
    names = groups[first]
    if (names[1:] > names[:-1]).all() and not (names[-1:] != names[-1:]).any():
        return np.cumsum(first) - 1, names.size
    distinct, place = _distinct(names)
    if distinct.dtype.kind in "fmM" and np.isnan(distinct[-1]):
        raise ValueError(f"{argument} contains missing values.")
    return (place if names.size == groups.size else place[np.cumsum(first) - 1]), distinct.size


def _distinct(names: Array) -> tuple[Array, NDArray[np.intp]]:
    """Distinct names, sorted, and the place of each name among them."""
    if names.dtype.kind in "US":
        return _distinct_strings(names)
    if names.dtype.kind not in "iu" or int(names.max()) - int(names.min()) > 4 * names.size:
        return np.unique(names, return_inverse=True)
    # Integers that lie close need no sort:
    # names [7, 5, 7] -> offset [2, 0, 2] -> present [True, False, True] -> place [1, 0, 1]
    offset = (names - names.min()).astype(np.intp)
    present = np.zeros(int(offset.max()) + 1, dtype=bool)
    present[offset] = True
    return present.nonzero()[0], (np.cumsum(present) - 1)[offset]


def _distinct_strings(names: Array) -> tuple[Array, NDArray[np.intp]]:
    """Sort numbers that are made of the strings, and then only the distinct strings."""
    letters: Any = np.ascontiguousarray(names).view(
        np.uint32 if names.dtype.kind == "U" else np.uint8
    )
    letters = letters.reshape(names.size, -1)
    factors: Any = np.cumprod(np.full(letters.shape[1], STRING_FACTOR, np.uint64))
    number = np.einsum("ij,j->i", letters, factors)  # modulo 2**64
    numbers, code = np.unique(number, return_inverse=True)
    one_row = np.empty(numbers.size, np.intp)
    one_row[code] = np.arange(names.size)
    if not np.array_equal(names[one_row][code], names):  # two strings gave the same number
        return np.unique(names, return_inverse=True)
    distinct, place = np.unique(names[one_row], return_inverse=True)
    return distinct, place[code]


def _codes_of_objects(names: list[Any], argument: str) -> tuple[NDArray[np.intp], int]:
    distinct = dict.fromkeys(names)  # hashing beats sorting a million objects
    if any(map(is_missing, distinct)):
        raise ValueError(f"{argument} contains missing values.")
    place = {name: i for i, name in enumerate(sorted(distinct))}
    return np.fromiter(map(place.__getitem__, names), np.intp, len(names)), len(place)


def is_missing(name: Any) -> bool:
    """Whether it is None, nan, or pandas' NA, which does not say whether it equals itself."""
    try:
        return name is None or bool(name != name)
    except TypeError:
        return True
