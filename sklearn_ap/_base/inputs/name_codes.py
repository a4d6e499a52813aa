"""Codes for names: of queries, or of clusters of rows."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._base.common.types import Array, Bool, Index
from sklearn_ap._base.inputs.arrays import to_numpy
from sklearn_ap._base.inputs.checks import check_same_length, name_in_errors

# Numbers that differ anywhere times this, modulo 2**64, mostly differ in their upper bits.
FACTOR = 0x9E3779B97F4A7C15
# Of dates, and of durations, for which months have no length; the longest first
UNITS = {"M": ("Y", "M", "D", "h", "m", "s"), "m": ("D", "h", "m", "s")}
ENDS = 32  # letters at each end of a long name: all of them would take much memory in every row
FEWEST_BITS = 16  # of a slot; with fewer, a few names would often share one


def check_names(argument: str, names: Any, n_rows: int) -> Any:
    """A name for each row; None for None."""
    if names is None:
        return None
    with name_in_errors(argument):
        # Of a list, NumPy would make strings of missing values among strings.
        names = to_numpy(argument, names)
        names = np.asarray(names, dtype=object if isinstance(names, list | tuple) else None)
    if names.ndim != 1:
        join = " Join the columns to one name for each row." if names.ndim == 2 else ""
        raise ValueError(f"{argument} must be one-dimensional, got shape {names.shape}.{join}")
    if argument == "queries" and names.size < n_rows and names.dtype.kind in "iuO":
        _refuse_sizes(names, n_rows)
    check_same_length(**{"y_true": range(n_rows), "y_score": range(n_rows), argument: names})
    return names


def _refuse_sizes(names: Array, n_rows: int) -> None:
    """Refuse the sizes of groups, as rankers of other packages take them."""
    sizes = [size for size in names.tolist() if type(size) is int]
    if len(sizes) == names.size and min(sizes, default=-1) >= 0 and sum(sizes) == n_rows:
        raise ValueError(
            f"queries must name the query of each row, got {names.size} numbers that add up to "
            f"the {n_rows} rows. If these are the sizes of groups g, pass "
            f"np.repeat(np.arange(len(g)), g), for rows in the order of the groups."
        )


def codes_and_names(names: Array, argument: str) -> tuple[Index, list[Any]]:
    """The code of each name, and the sorted distinct ones; dates in the longest unit."""
    codes, distinct = _codes_and_distinct(names, argument)
    if (kind := distinct.dtype.kind) not in UNITS:
        return codes, distinct.tolist()
    # 2024-03 and not 2024-03-01T00:00; NumPy would make integers of some dates in a list.
    units = (distinct.astype(f"{kind}8[{unit}]") for unit in UNITS[kind])
    return codes, [*next((each for each in units if (each == distinct).all()), distinct)]


def encode_names(names: Array, argument: str) -> tuple[Index, int]:
    """The code of each name: its place among the sorted distinct ones; and how many these are."""
    with name_in_errors(argument):
        if names.dtype.kind in "fmM" and np.isnan(names).any():
            raise _missing(argument)
        if names.dtype.kind in "US":
            names = _packed(names)
        first = _begins_block(names)
        if 2 * np.count_nonzero(first) > names.size:
            codes, n_distinct = _places(names, argument)
        else:
            # Rows of a query mostly stand side by side: one name of each run is enough.
            places, n_distinct = _places(names[first], argument)
            codes = np.repeat(places, np.diff(first.nonzero()[0], append=names.size))
        if names.dtype.kind == "O" and names.size and not isinstance(names[0], str):
            _refuse_true_beside_1(names, codes, argument)
        return codes, n_distinct


def number_names(names: Array, number: dict[Any, int]) -> Index:
    """The number of each name of a query or a cluster. A new one gets the next number."""
    codes, distinct = _codes_and_distinct(names, "names")
    numbers = [number.setdefault(name, len(number)) for name in distinct.tolist()]
    return np.array(numbers, np.intp)[codes]


def _codes_and_distinct(names: Array, argument: str) -> tuple[Index, Array]:
    """The code of each name, and the distinct ones in the order of their codes."""
    codes, n_names = encode_names(names, argument)
    some_row = np.empty(n_names, np.intp)
    some_row[codes] = np.arange(codes.size)
    return codes, names[some_row]


def join_names(columns: Sequence[Array]) -> Any:
    """Tuples of the names in several columns; the names of one column, and None without any."""
    if len(columns) < 2:
        return columns[0] if columns else None
    code: Any = 0
    for column in columns:
        each, n_codes = encode_names(column, "queries")
        _, first, code = np.unique(code * n_codes + each, return_index=True, return_inverse=True)
    names = np.empty(first.size, object)
    names[:] = [*zip(*(column[first].tolist() for column in columns), strict=True)]
    return names[code]


def _begins_block(names: Array) -> Bool:
    """Which names differ from the one before them."""
    first = np.ones(names.size, dtype=bool)
    try:
        np.not_equal(names[1:], names[:-1], out=first[1:])
    except (TypeError, ValueError):  # pandas' NA does not say whether it equals its neighbour
        first[:] = True
    return first


def _places(names: Array, argument: str) -> tuple[Index, int]:
    """The place of each name among the sorted distinct ones, and how many these are."""
    if names.dtype.kind not in "biufmMUS":
        return _places_of_objects(names.tolist(), argument)
    if (names[1:] > names[:-1]).all():
        return np.arange(names.size), names.size
    if names.dtype.kind in "iu" and int(names.max()) - int(names.min()) <= 4 * names.size:
        return _places_of_close(names)
    numbers = _numbers(names)
    one = None if numbers is None else _one_of_each(numbers)
    if one is None or (names.dtype.kind in "US" and not np.array_equal(names[one], names)):
        distinct, places = np.unique(names, return_inverse=True)
        return places, distinct.size
    # Only one row of each name is sorted:
    # names ["b", "a", "b"] -> one [2, 1, 2] -> chosen [1, 2] -> place [?, 0, 1] -> [1, 0, 1]
    chosen = np.zeros(names.size, dtype=bool)
    chosen[one] = True
    distinct, of_chosen = np.unique(names[chosen], return_inverse=True)
    place = np.empty(names.size, np.intp)
    place[chosen] = of_chosen
    return place[one], distinct.size


def _places_of_close(integers: Array) -> tuple[Index, int]:
    # Integers that lie close need no sort:
    # [7, 5, 7] -> offset [2, 0, 2] -> present [True, False, True] -> place [1, 0, 1]
    offset = integers - integers.min()
    offset = offset.view(f"u{offset.itemsize}").astype(np.intp)  # as 127 - -128 is -1 in int8
    present = np.zeros(int(offset.max()) + 1, dtype=bool)
    present[offset] = True
    return (np.cumsum(present) - 1)[offset], int(np.count_nonzero(present))


def _places_of_objects(names: list[Any], argument: str) -> tuple[Index, int]:
    # Integers may be chosen so that all have one hash.
    if type(names[0]) is int and {*map(type, names)} == {int}:
        integers = np.array(names)
        if integers.dtype.kind in "iu":
            return _places(integers, argument)
        distinct, places = np.unique(np.array(names, object), return_inverse=True)
        return places, distinct.size
    # Hashing beats sorting a million objects. Each new name gets the next number:
    # names ["b", "a", "b"] -> number {"b": 0, "a": 1} -> numbers [0, 1, 0] -> place [1, 0, 1]
    number: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        numbers = np.fromiter(map(number.__getitem__, names), np.intp, len(names))
    except TypeError as error:
        raise ValueError(f"{argument} must hold strings or numbers: {error}.") from error
    if any(map(is_missing, number)):
        raise _missing(argument)
    place = places_of_names(number, argument)
    return np.array([place[name] for name in number], np.intp)[numbers], len(place)


def _refuse_true_beside_1(names: Array, codes: Index, argument: str) -> None:
    """Refuse bools beside equal numbers, which are one name to Python."""
    given = names.tolist()
    for number in filter(given.__contains__, (0, 1)):
        equal = names[codes == codes[given.index(number)]].tolist()
        kinds = {type(name).__name__: name for name in equal}
        if len(kinds) > 1 and {"bool", "bool_"} & kinds.keys():
            raise _several_types(kinds, argument)


def places_of_names(names: Iterable[Any], argument: str) -> dict[Any, int]:
    """The place of each name among the sorted ones."""
    try:
        return {name: i for i, name in enumerate(sorted(names))}
    except TypeError as error:
        raise _several_types({type(name).__name__: name for name in names}, argument) from error


def _several_types(kinds: dict[str, Any], argument: str) -> ValueError:
    """The error for names that have no order; ``kinds`` has an example of each type."""
    examples = ", ".join(f"{name!r} ({kind})" for kind, name in kinds.items())
    why = "of several types" if len(kinds) > 1 else "that cannot be sorted"
    way = "Give them one" if len(kinds) > 1 else "Use strings or numbers"
    return ValueError(f"{argument} has names {why}: {examples}. {way}.")


def _one_of_each(numbers: NDArray[np.uint64]) -> Index:
    """For each number, the index of one that equals it; equal numbers get the same one."""
    # Each number has a slot, by the upper bits of a product, and one of its rows stands there.
    bits = max(numbers.size.bit_length(), FEWEST_BITS)
    slot = (numbers * np.uint64(FACTOR) >> np.uint64(64 - bits)).astype(np.intp)
    row = np.zeros(2**bits, np.intp)
    row[slot] = np.arange(slot.size)
    one = row[slot]
    # Different numbers may have the same slot: those that do not stand there are sorted.
    other = (numbers[one] != numbers).nonzero()[0]
    if other.size:
        _, first, place = np.unique(numbers[other], return_index=True, return_inverse=True)
        one[other] = other[first[place]]
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


def hash_names(names: Array) -> NDArray[np.uint64]:
    """32 bits for each name, the same for equal ones in any array of their type."""
    if names.dtype.kind == "O" or (names.dtype.kind == "U" and names.dtype.itemsize > 8 * ENDS):
        texts = [*map(str, names.tolist())]
        if max(map(len, texts), default=0) > 2 * ENDS:
            texts = [t if len(t) <= 2 * ENDS else t[:ENDS] + t[-ENDS:] for t in texts]
        names = np.array(texts)
    if names.dtype.kind == "f":
        names = names.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    numbers: Any = _numbers(names)
    mixed = numbers ^ numbers >> np.uint64(32)  # whole floats differ in their upper bits alone
    return mixed * np.uint64(FACTOR) >> np.uint64(32)


def _packed(strings: Array) -> Array:
    """Integers in the order of the strings, if 8 bytes hold all letters; else the strings."""
    # "ab" and "b" become the integers with the bytes 97, 98, 0, ... and 98, 0, 0, ...
    letters = _letters(strings)
    if np.count_nonzero(letters[:, 8:]) or letters[:, :8].max(initial=0) > 255:
        return strings
    packed = np.zeros((strings.size, 8), np.uint8)
    packed[:, : letters.shape[1]] = letters[:, :8]
    return packed.view(">u8").ravel().astype(np.uint64)


def _letters(strings: Array) -> Array:
    """The letters of each string as numbers, a row each, with 0 where it is shorter."""
    letter = np.uint32 if strings.dtype.kind == "U" else np.uint8
    letters: Any = np.ascontiguousarray(strings).view(letter)
    return letters.reshape(strings.size, -1)


def _missing(argument: str) -> ValueError:
    return ValueError(
        f"{argument} contains missing values. Give them a name, or leave their rows out."
    )


def is_missing(name: Any) -> bool:
    """Whether it is None, nan, or pandas' NA, which does not say whether it equals itself."""
    try:
        return name is None or bool(name != name)
    except TypeError:
        return True


def are_known(values: Array) -> Bool:
    """Which values of an array are not missing."""
    if values.dtype.kind != "O":
        return np.asarray(values == values)
    missing = map(is_missing, values.ravel().tolist())
    return ~np.fromiter(missing, bool, values.size).reshape(values.shape)
