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

# Multiplying by this odd number, modulo 2**64, spreads keys over the upper bits.
HASH_FACTOR = 0x9E3779B97F4A7C15
# Units of dates, and of durations, for which months have no length; the longest first.
UNITS = {"M": ("Y", "M", "D", "h", "m", "s"), "m": ("D", "h", "m", "s")}
HASHED_LETTERS = 32  # at each end of a long name: all letters would take much memory in every row
FEWEST_SLOT_BITS = 16  # with fewer, a few names would often share a slot
FEWEST_TEXTS = 10_000  # of which a sample says whether rows share objects
FEWEST_REPEATED = 30  # objects in that sample, if it is faster to hash each object once


def check_names(argument: str, names: Argument, n_rows: int) -> RowData:
    """Check the name of each row, and return an array, or None."""
    if names is None:
        return None
    with name_in_errors(argument):
        # In a list of strings, np.asarray would turn None to text.
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
    """Encode names; also return the sorted distinct ones, dates in the longest unit."""
    codes, distinct = _codes_and_distinct(names, argument)
    if (kind := distinct.dtype.kind) not in UNITS:
        return codes, distinct.tolist()
    # The longest unit gives the shortest text: 2024-03 and not 2024-03-01T00:00.
    candidates = (distinct.astype(f"{kind}8[{unit}]") for unit in UNITS[kind])
    shortest = next((dates for dates in candidates if (dates == distinct).all()), distinct)
    return codes, [*shortest]  # not tolist, which would make integers of some dates


def encode_names(names: Array, argument: str) -> tuple[Index, int]:
    """Encode each name by its rank among the sorted distinct ones; also return their number."""
    with name_in_errors(argument):
        if names.dtype.kind in "fmM" and np.isnan(names).any():
            raise _missing_error(argument)
        if names.dtype.kind in "US":
            names = _pack_letters(names)
        is_run_start = _flag_run_starts(names)
        if 2 * np.count_nonzero(is_run_start) > names.size:
            codes, n_distinct = _rank_names(names, argument)
        else:
            # Rows of a query mostly stand side by side: one name of each run is enough.
            run_codes, n_distinct = _rank_names(names[is_run_start], argument)
            codes = np.repeat(run_codes, np.diff(is_run_start.nonzero()[0], append=names.size))
        if names.dtype.kind == "O" and names.size and not isinstance(names[0], str):
            _refuse_true_beside_1(names, codes, argument)
        return codes, n_distinct


def number_names(names: Array, known_numbers: dict[Name, int]) -> Index:
    """Return the number of each name: the known one, or the next one if the name is new."""
    codes, distinct = _codes_and_distinct(names, "names")
    numbers = [known_numbers.setdefault(name, len(known_numbers)) for name in distinct.tolist()]
    return np.array(numbers, np.intp)[codes]


def _codes_and_distinct(names: Array, argument: str) -> tuple[Index, Array]:
    """Encode names; also return the distinct ones in the order of their codes."""
    codes, n_names = encode_names(names, argument)
    example_row = np.empty(n_names, np.intp)  # a row of each distinct name
    example_row[codes] = np.arange(codes.size)
    return codes, names[example_row]


def join_names(columns: Sequence[Array]) -> Array | None:
    """Make tuples of the names in several columns; one column stays as it is, and none is None."""
    if len(columns) < 2:
        return columns[0] if columns else None
    codes = np.zeros(len(columns[0]), np.intp)
    for column in columns:
        column_codes, n_codes = encode_names(column, "queries")
        # Find the code of each tuple, and a row with it.
        _, example_row, codes = np.unique(
            codes * n_codes + column_codes, return_index=True, return_inverse=True
        )
    # np.array would make a table of the tuples.
    names = np.empty(example_row.size, object)
    names[:] = [*zip(*(column[example_row].tolist() for column in columns), strict=True)]
    return names[codes]


def _flag_run_starts(names: Array) -> Bool:
    """Flag the names that differ from the one before them."""
    is_run_start = np.ones(names.size, dtype=bool)
    try:
        np.not_equal(names[1:], names[:-1], out=is_run_start[1:])
    except (TypeError, ValueError):  # pandas' NA does not say whether it equals its neighbour
        is_run_start[:] = True
    return is_run_start


def _rank_names(names: Array, argument: str) -> tuple[Index, int]:
    """Find the rank of each name among the sorted distinct ones; also return their number."""
    if names.dtype.kind not in "biufmMUS":
        return _rank_shared_texts(names) or _rank_objects(names.tolist(), argument)
    if (names[1:] > names[:-1]).all():
        return np.arange(names.size), names.size
    if names.dtype.kind in "iu" and int(names.max()) - int(names.min()) <= 4 * names.size:
        return _rank_close_integers(names)
    keys = _integer_keys(names)
    twin = None if keys is None else _find_twins(keys)
    # Strings with the same key may differ.
    if twin is None or (names.dtype.kind in "US" and not np.array_equal(names[twin], names)):
        distinct, ranks = np.unique(names, return_inverse=True)
        return ranks, distinct.size
    # Only one row of each name is sorted:
    # names ["b", "a", "b"] -> twin [2, 1, 2] -> sorted rows [1, 2] -> rank [?, 0, 1] -> [1, 0, 1]
    is_sorted = np.zeros(names.size, dtype=bool)
    is_sorted[twin] = True
    distinct, sorted_ranks = np.unique(names[is_sorted], return_inverse=True)
    rank = np.empty(names.size, np.intp)
    rank[is_sorted] = sorted_ranks
    return rank[twin], distinct.size


def _rank_close_integers(integers: Array) -> tuple[Index, int]:
    """Find the ranks of integers that lie close together, which need no sort."""
    # [7, 5, 7] -> offset [2, 0, 2] -> is_present [True, False, True] -> rank [1, 0, 1]
    offset = integers - integers.min()
    offset = offset.view(f"u{offset.itemsize}").astype(np.intp)  # 127 - -128 is -1 in int8
    is_present = np.zeros(int(offset.max()) + 1, dtype=bool)
    is_present[offset] = True
    return (np.cumsum(is_present) - 1)[offset], int(np.count_nonzero(is_present))


def _rank_shared_texts(names: Array) -> tuple[Index, int] | None:
    """Rank texts, each of which many rows share as one object; None for other names.

    Tables often hold each distinct text once. Then the addresses of the objects say which rows are
    equal, and only one row of each object is hashed.
    """
    if names.dtype.kind != "O" or names.size < FEWEST_TEXTS or not isinstance(names[0], str):
        return None
    addresses = np.frombuffer(names.tobytes(), np.uintp).astype(np.uint64, copy=False)
    # If each object is in four rows, some 32 rows of this sample repeat an object of another.
    sample = addresses[:: int(np.sqrt(names.size) / 4)]
    if sample.size - np.unique(sample).size < FEWEST_REPEATED:
        return None
    twin = _find_twins(addresses)
    is_hashed = twin == np.arange(twin.size)
    texts = names[is_hashed].tolist()
    if not all(isinstance(text, str) for text in texts):
        return None
    rank = np.empty(names.size, np.intp)
    rank[is_hashed], n_distinct = _rank_objects(texts, "names")
    return rank[twin], n_distinct


def _rank_objects(names: list[Name], argument: str) -> tuple[Index, int]:
    """Find the rank of each object among the sorted distinct ones; also return their number."""
    # Integers are sorted, not hashed: colliding ones would make a dict quadratic.
    if type(names[0]) is int and {*map(type, names)} == {int}:
        integers = np.array(names)
        if integers.dtype.kind in "iu":
            return _rank_names(integers, argument)
        distinct, ranks = np.unique(np.array(names, object), return_inverse=True)
        return ranks, distinct.size
    # Hashing a million objects is faster than sorting them. Each new name gets the next code:
    # names ["b", "a", "b"] -> code_of {"b": 0, "a": 1} -> codes [0, 1, 0] -> ranks [1, 0, 1]
    code_of: defaultdict[Name, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(code_of.__getitem__, names), np.intp, len(names))
    except TypeError as error:
        raise ValueError(f"{argument} must hold strings or numbers: {error}.") from error
    if any(map(is_missing, code_of)):
        raise _missing_error(argument)
    rank_of = places_of_names(code_of, argument)
    return np.array([rank_of[name] for name in code_of], np.intp)[codes], len(rank_of)


def _refuse_true_beside_1(names: Array, codes: Index, argument: str) -> None:
    """Refuse bools beside equal numbers, which are one name to Python."""
    objects = names.tolist()
    for number in (0, 1):
        if number not in objects:
            continue
        equal_names = names[codes == codes[objects.index(number)]].tolist()
        examples = {type(name).__name__: name for name in equal_names}
        if len(examples) > 1 and {"bool", "bool_"} & examples.keys():
            raise _order_error(examples, argument)


def places_of_names(names: Iterable[Name], argument: str) -> dict[Name, int]:
    """Find the rank of each name among the sorted ones."""
    try:
        return {name: i for i, name in enumerate(sorted(names))}
    except TypeError as error:
        raise _order_error({type(name).__name__: name for name in names}, argument) from error


def _order_error(examples: dict[str, Name], argument: str) -> ValueError:
    """Make the error for names that have no order, with an example of each type."""
    listed = ", ".join(f"{name!r} ({kind})" for kind, name in examples.items())
    reason = "of several types" if len(examples) > 1 else "that cannot be sorted"
    remedy = "Give them one" if len(examples) > 1 else "Use strings or numbers"
    return ValueError(f"{argument} has names {reason}: {listed}. {remedy}.")


def _find_twins(keys: NDArray[np.uint64]) -> Index:
    """Find, for each key, one row with an equal key: the same row for all equal keys."""
    # The upper bits of a product choose a slot for each key, which holds one of the key's rows.
    bits = max(keys.size.bit_length(), FEWEST_SLOT_BITS)
    slot = (keys * np.uint64(HASH_FACTOR) >> np.uint64(64 - bits)).astype(np.intp)
    row = np.zeros(2**bits, np.intp)
    row[slot] = np.arange(slot.size)
    twin = row[slot]
    # Different keys may share a slot: the rows of keys that lost it are sorted.
    displaced_rows = (keys[twin] != keys).nonzero()[0]
    if displaced_rows.size:
        _, first, code = np.unique(keys[displaced_rows], return_index=True, return_inverse=True)
        twin[displaced_rows] = displaced_rows[first[code]]
    return twin


def _integer_keys(names: Array) -> NDArray[np.uint64] | None:
    """Return 64 bits for each name, the same for equal names; few different strings share them."""
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
    """Return 32 bits for each name, the same for equal names in any array of their type."""
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
    # Never None: hashed names are no long doubles.
    keys = cast(NDArray[np.uint64], _integer_keys(names))
    mixed = keys ^ keys >> np.uint64(32)  # whole floats differ in their upper bits alone
    return mixed * np.uint64(HASH_FACTOR) >> np.uint64(32)


def _pack_letters(strings: Array) -> Array:
    """Return integers that sort as the strings, if 8 bytes hold all letters; else the strings."""
    # "ab" and "b" become the integers with the bytes 97, 98, 0, ... and 98, 0, 0, ...
    letters = _letters(strings)
    if np.count_nonzero(letters[:, 8:]) or letters[:, :8].max(initial=0) > 255:
        return strings
    packed = np.zeros((strings.size, 8), np.uint8)
    packed[:, : letters.shape[1]] = letters[:, :8]
    return packed.view(">u8").ravel().astype(np.uint64)


def _letters(strings: Array) -> Array:
    """Return the letters of each string as a row of numbers, padded with 0."""
    letter_type = np.uint32 if strings.dtype.kind == "U" else np.uint8
    letters = np.ascontiguousarray(strings).view(letter_type)
    return letters.reshape(strings.size, -1)


def _missing_error(argument: str) -> ValueError:
    return ValueError(
        f"{argument} contains missing values. Give them a name, or leave their rows out."
    )


def is_missing(name: Name) -> bool:
    """Check whether a name is None, nan, or pandas' NA."""
    try:
        return name is None or bool(name != name)
    except TypeError:  # NA does not say whether it equals itself
        return True


def are_known(values: Array) -> Bool:
    """Flag the values of an array that are not missing."""
    if values.dtype.kind != "O":
        return np.asarray(values == values)
    flags = map(is_missing, values.ravel().tolist())
    return ~np.fromiter(flags, bool, values.size).reshape(values.shape)
