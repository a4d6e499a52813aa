"""Codes for names: of queries, or of clusters of rows."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from typing import cast

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._base.common.types import Argument, Array, Bool, Index, Name, RowData
from sklearn_ap._base.inputs.arrays import to_numpy
from sklearn_ap._base.inputs.checks import check_same_length, name_in_errors

# Of different numbers, the products with this factor, modulo 2**64, mostly differ in their upper
# bits.
HASH_FACTOR = 0x9E3779B97F4A7C15
# Units of dates, and of durations, for which months have no length; the longest first.
UNITS = {"M": ("Y", "M", "D", "h", "m", "s"), "m": ("D", "h", "m", "s")}
HASHED_LETTERS = 32  # at each end of a long name: all of them would take much memory in every row
FEWEST_SLOT_BITS = 16  # with fewer, a few names would often share a slot


def check_names(argument: str, names: Argument, n_rows: int) -> RowData:
    """Give an array of a name for each row; None for None."""
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


def codes_and_names(names: Array, argument: str) -> tuple[Index, list[Name]]:
    """Encode names; also give the sorted distinct ones, dates in the longest unit."""
    codes, distinct = _codes_and_distinct(names, argument)
    if (kind := distinct.dtype.kind) not in UNITS:
        return codes, distinct.tolist()
    # 2024-03 and not 2024-03-01T00:00; NumPy would make integers of some dates in a list.
    candidates = (distinct.astype(f"{kind}8[{unit}]") for unit in UNITS[kind])
    return codes, [*next((dates for dates in candidates if (dates == distinct).all()), distinct)]


def encode_names(names: Array, argument: str) -> tuple[Index, int]:
    """Encode each name by its place among the sorted distinct ones; also give their number."""
    with name_in_errors(argument):
        if names.dtype.kind in "fmM" and np.isnan(names).any():
            raise _missing_error(argument)
        if names.dtype.kind in "US":
            names = _pack_letters(names)
        begins = _begins_run(names)
        if 2 * np.count_nonzero(begins) > names.size:
            codes, n_distinct = _places(names, argument)
        else:
            # Rows of a query mostly stand side by side: one name of each run is enough.
            places, n_distinct = _places(names[begins], argument)
            codes = np.repeat(places, np.diff(begins.nonzero()[0], append=names.size))
        if names.dtype.kind == "O" and names.size and not isinstance(names[0], str):
            _refuse_true_beside_1(names, codes, argument)
        return codes, n_distinct


def number_names(names: Array, known_numbers: dict[Name, int]) -> Index:
    """Give each name the number that it has already, or the next one if it is new."""
    codes, distinct = _codes_and_distinct(names, "names")
    numbers = [known_numbers.setdefault(name, len(known_numbers)) for name in distinct.tolist()]
    return np.array(numbers, np.intp)[codes]


def _codes_and_distinct(names: Array, argument: str) -> tuple[Index, Array]:
    """Encode names; also give the distinct ones in the order of their codes."""
    codes, n_names = encode_names(names, argument)
    example_row = np.empty(n_names, np.intp)  # of each distinct name
    example_row[codes] = np.arange(codes.size)
    return codes, names[example_row]


def join_names(columns: Sequence[Array]) -> Array | None:
    """Make tuples of the names in several columns; give one column as it is, or None for none."""
    if len(columns) < 2:
        return columns[0] if columns else None
    codes = np.zeros(len(columns[0]), np.intp)
    for column in columns:
        column_codes, n_codes = encode_names(column, "queries")
        # The code of a tuple, and a row in which it stands.
        _, example_row, codes = np.unique(
            codes * n_codes + column_codes, return_index=True, return_inverse=True
        )
    names = np.empty(example_row.size, object)
    names[:] = [*zip(*(column[example_row].tolist() for column in columns), strict=True)]
    return names[codes]


def _begins_run(names: Array) -> Bool:
    """Tell which names differ from the one before them."""
    begins = np.ones(names.size, dtype=bool)
    try:
        np.not_equal(names[1:], names[:-1], out=begins[1:])
    except (TypeError, ValueError):  # pandas' NA does not say whether it equals its neighbour
        begins[:] = True
    return begins


def _places(names: Array, argument: str) -> tuple[Index, int]:
    """Find the place of each name among the sorted distinct ones; also give their number."""
    if names.dtype.kind not in "biufmMUS":
        return _places_of_objects(names.tolist(), argument)
    if (names[1:] > names[:-1]).all():
        return np.arange(names.size), names.size
    if names.dtype.kind in "iu" and int(names.max()) - int(names.min()) <= 4 * names.size:
        return _places_of_close_integers(names)
    numbers = _numbers(names)
    twin = None if numbers is None else _find_twins(numbers)
    # Strings with the same number may differ.
    if twin is None or (names.dtype.kind in "US" and not np.array_equal(names[twin], names)):
        distinct, places = np.unique(names, return_inverse=True)
        return places, distinct.size
    # Only one row of each name is sorted:
    # names ["b", "a", "b"] -> twin [2, 1, 2] -> sorted rows [1, 2] -> place [?, 0, 1] -> [1, 0, 1]
    is_sorted = np.zeros(names.size, dtype=bool)
    is_sorted[twin] = True
    distinct, sorted_places = np.unique(names[is_sorted], return_inverse=True)
    place = np.empty(names.size, np.intp)
    place[is_sorted] = sorted_places
    return place[twin], distinct.size


def _places_of_close_integers(integers: Array) -> tuple[Index, int]:
    """Find the places of integers that lie close, which need no sort."""
    # [7, 5, 7] -> offset [2, 0, 2] -> is_present [True, False, True] -> place [1, 0, 1]
    offset = integers - integers.min()
    offset = offset.view(f"u{offset.itemsize}").astype(np.intp)  # as 127 - -128 is -1 in int8
    is_present = np.zeros(int(offset.max()) + 1, dtype=bool)
    is_present[offset] = True
    return (np.cumsum(is_present) - 1)[offset], int(np.count_nonzero(is_present))


def _places_of_objects(names: list[Name], argument: str) -> tuple[Index, int]:
    # Integers may be chosen so that all have one hash.
    if type(names[0]) is int and {*map(type, names)} == {int}:
        integers = np.array(names)
        if integers.dtype.kind in "iu":
            return _places(integers, argument)
        distinct, places = np.unique(np.array(names, object), return_inverse=True)
        return places, distinct.size
    # Hashing beats sorting a million objects. Each new name gets the next number:
    # names ["b", "a", "b"] -> number {"b": 0, "a": 1} -> numbers [0, 1, 0] -> places [1, 0, 1]
    number: defaultdict[Name, int] = defaultdict(count().__next__)
    try:
        numbers = np.fromiter(map(number.__getitem__, names), np.intp, len(names))
    except TypeError as error:
        raise ValueError(f"{argument} must hold strings or numbers: {error}.") from error
    if any(map(is_missing, number)):
        raise _missing_error(argument)
    place = places_of_names(number, argument)
    return np.array([place[name] for name in number], np.intp)[numbers], len(place)


def _refuse_true_beside_1(names: Array, codes: Index, argument: str) -> None:
    """Refuse bools beside equal numbers, which are one name to Python."""
    objects = names.tolist()
    for number in filter(objects.__contains__, (0, 1)):
        equal_names = names[codes == codes[objects.index(number)]].tolist()
        examples = {type(name).__name__: name for name in equal_names}
        if len(examples) > 1 and {"bool", "bool_"} & examples.keys():
            raise _order_error(examples, argument)


def places_of_names(names: Iterable[Name], argument: str) -> dict[Name, int]:
    """Find the place of each name among the sorted ones."""
    try:
        return {name: i for i, name in enumerate(sorted(names))}
    except TypeError as error:
        raise _order_error({type(name).__name__: name for name in names}, argument) from error


def _order_error(examples: dict[str, Name], argument: str) -> ValueError:
    """Make the error for names that have no order, of an example of each type."""
    listed = ", ".join(f"{name!r} ({kind})" for kind, name in examples.items())
    reason = "of several types" if len(examples) > 1 else "that cannot be sorted"
    remedy = "Give them one" if len(examples) > 1 else "Use strings or numbers"
    return ValueError(f"{argument} has names {reason}: {listed}. {remedy}.")


def _find_twins(numbers: NDArray[np.uint64]) -> Index:
    """Find a row for each number that holds the same one: equal numbers get the same row."""
    # Each number has a slot, by the upper bits of a product, and one of its rows stands there.
    bits = max(numbers.size.bit_length(), FEWEST_SLOT_BITS)
    slot = (numbers * np.uint64(HASH_FACTOR) >> np.uint64(64 - bits)).astype(np.intp)
    row = np.zeros(2**bits, np.intp)
    row[slot] = np.arange(slot.size)
    twin = row[slot]
    # Different numbers may have the same slot: those that do not stand there are sorted.
    displaced = (numbers[twin] != numbers).nonzero()[0]
    if displaced.size:
        _, first, place = np.unique(numbers[displaced], return_index=True, return_inverse=True)
        twin[displaced] = displaced[first[place]]
    return twin


def _numbers(names: Array) -> NDArray[np.uint64] | None:
    """Give 64 bits for each name, the same for equal ones; few different strings share them."""
    kind = names.dtype.kind
    itemsize = names.dtype.itemsize
    if kind in "US":
        letters = _letters(names)
        factors = np.cumprod(np.full(letters.shape[1], HASH_FACTOR, np.uint64))
        return np.einsum("ij,j->i", letters, factors)  # modulo 2**64
    if kind == "f":
        return names.astype(np.float64).view(np.uint64) if itemsize <= 8 else None
    return names.astype(np.int64, copy=False).view(np.uint64)


def hash_names(names: Array) -> NDArray[np.uint64]:
    """Give 32 bits for each name, the same for equal ones in any array of their type."""
    most_letters = 2 * HASHED_LETTERS
    is_wide = names.dtype.kind == "U" and names.dtype.itemsize > 4 * most_letters
    if names.dtype.kind == "O" or is_wide:
        texts = [*map(str, names.tolist())]
        if max(map(len, texts), default=0) > most_letters:
            texts = [
                text
                if len(text) <= most_letters
                else text[:HASHED_LETTERS] + text[-HASHED_LETTERS:]
                for text in texts
            ]
        names = np.array(texts)
    if names.dtype.kind == "f":
        names = names.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    numbers = cast(NDArray[np.uint64], _numbers(names))  # None of long doubles alone
    mixed = numbers ^ numbers >> np.uint64(32)  # whole floats differ in their upper bits alone
    return mixed * np.uint64(HASH_FACTOR) >> np.uint64(32)


def _pack_letters(strings: Array) -> Array:
    """Give integers in the order of the strings, if 8 bytes hold all letters; else the strings."""
    # "ab" and "b" become the integers with the bytes 97, 98, 0, ... and 98, 0, 0, ...
    letters = _letters(strings)
    if np.count_nonzero(letters[:, 8:]) or letters[:, :8].max(initial=0) > 255:
        return strings
    packed = np.zeros((strings.size, 8), np.uint8)
    packed[:, : letters.shape[1]] = letters[:, :8]
    return packed.view(">u8").ravel().astype(np.uint64)


def _letters(strings: Array) -> Array:
    """Give the letters of each string as numbers, a row each, with 0 where it is shorter."""
    letter_type = np.uint32 if strings.dtype.kind == "U" else np.uint8
    letters = np.ascontiguousarray(strings).view(letter_type)
    return letters.reshape(strings.size, -1)


def _missing_error(argument: str) -> ValueError:
    return ValueError(
        f"{argument} contains missing values. Give them a name, or leave their rows out."
    )


def is_missing(name: Name) -> bool:
    """Tell whether a name is None, nan, or pandas' NA."""
    try:
        return name is None or bool(name != name)
    except TypeError:  # of NA, which does not say whether it equals itself
        return True


def are_known(values: Array) -> Bool:
    """Tell which values of an array are not missing."""
    if values.dtype.kind != "O":
        return np.asarray(values == values)
    missing = map(is_missing, values.ravel().tolist())
    return ~np.fromiter(missing, bool, values.size).reshape(values.shape)
