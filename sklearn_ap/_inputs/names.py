"""Codes for names: of queries, of clusters, of segments."""

from collections.abc import Iterable

import numpy as np

from sklearn_ap._inputs.arrays import (
    are_known,
    begins_block,
    check_same_length,
    is_missing,
    name_in_errors,
    to_numpy,
)
from sklearn_ap._types import Argument, Array, Index, Name, RowData

# Units of dates, and of durations, for which months have no length; the longest first.
UNITS = {"M": ("Y", "M", "D", "h", "m", "s"), "m": ("D", "h", "m", "s")}


def check_names(argument: str, names: Argument, n_rows: int) -> RowData:
    """Check the name of each row, and return an array, or None."""
    if names is None:
        return None
    with name_in_errors(argument):
        # In a list of strings, np.asarray would turn None to text.
        names = to_numpy(argument, names)
        names = np.asarray(names, dtype=object if isinstance(names, list | tuple) else None)
    if names.ndim == 2 and names.shape[1] == 1:
        names = names[:, 0]
    if names.ndim != 1:
        join = " Join the columns to one name for each row." if names.ndim == 2 else ""
        raise ValueError(f"{argument} must be one-dimensional, got shape {names.shape}.{join}")
    if argument == "queries" and names.size < n_rows and names.dtype.kind in "iuO":
        _refuse_sizes(names, n_rows)
    check_same_length(**{"y_true": range(n_rows), "y_score": range(n_rows), argument: names})
    return names


def _refuse_sizes(names: Array, n_rows: int) -> None:
    """Refuse the sizes of queries, as LightGBM's and XGBoost's rankers take them."""
    sizes = [size for size in names.tolist() if type(size) is int]
    if len(sizes) == names.size and min(sizes, default=-1) >= 0 and sum(sizes) == n_rows:
        raise ValueError(
            f"queries must name the query of each row, got {names.size} numbers that add up to "
            f"the {n_rows} rows. If these are the sizes of groups g, pass "
            f"np.repeat(np.arange(len(g)), g), for rows in the order of the groups."
        )


def encode_names(names: Array, argument: str) -> tuple[Index, Array]:
    """Encode each name by its rank among the distinct ones; also return these, sorted."""
    with name_in_errors(argument):
        kind = names.dtype.kind
        keys = _short_texts_as_integers(names) if kind == "U" else names
        if keys is None or kind not in "biufmMU":
            return _rank_objects(names.tolist(), argument)
        if not are_known(keys).all():
            raise _missing_error(argument)
        codes = _ranks_of_dense_integers(keys) if kind in "iu" else None
        if codes is None:
            codes = _ranks_by_sort(keys)
        example_row = np.empty(codes.max(initial=-1) + 1, np.intp)
        example_row[codes] = np.arange(codes.size)
        return codes, names[example_row]


def _ranks_of_dense_integers(keys: Array) -> Index | None:
    """Return the ranks of integers without a sort; None if most of those between are missing."""
    if not keys.size:
        return None
    keys = keys.astype(np.int64) if keys.itemsize < 8 else keys  # differences fit
    first = keys.min()
    n_possible = int(keys.max()) - int(first) + 1
    if n_possible > 2 * keys.size:
        return None
    places = (keys - first).astype(np.intp)
    is_present = np.zeros(n_possible, bool)
    is_present[places] = True
    return (np.cumsum(is_present) - 1)[places]


def _ranks_by_sort(keys: Array) -> Index:
    begins = begins_block(keys)
    if 2 * np.count_nonzero(begins) > keys.size:
        return np.unique(keys, return_inverse=True)[1]
    # Rows of a query mostly stand side by side: one name of each run is enough.
    _, codes = np.unique(keys[begins], return_inverse=True)
    return np.repeat(codes, np.diff(begins.nonzero()[0], append=keys.size))


def list_names(distinct: Array) -> list[Name]:
    """List names; dates in the longest unit that holds them, as 2024-03 for 2024-03-01T00:00."""
    if (kind := distinct.dtype.kind) not in UNITS:
        return distinct.tolist()
    candidates = (distinct.astype(f"{kind}8[{unit}]") for unit in UNITS[kind])
    shortest = next((dates for dates in candidates if (dates == distinct).all()), distinct)
    return [*shortest]  # not tolist, which would make integers of some dates


def _short_texts_as_integers(texts: Array) -> Array | None:
    """Return integers that sort as texts of up to 8 letters; None if there are others."""
    # "ab" and "b" become the integers with the bytes 97, 98, 0, ... and 98, 0, 0, ...
    letters = np.ascontiguousarray(texts).view(np.uint32).reshape(texts.size, -1)
    if letters[:, 8:].any() or letters[:, :8].max(initial=0) > 255:
        return None
    packed = np.zeros((texts.size, 8), np.uint8)
    packed[:, : letters.shape[1]] = letters[:, :8]
    return packed.view(">u8").ravel().astype(np.uint64)


def _rank_objects(names: list[Name], argument: str) -> tuple[Index, Array]:
    """Find the ranks of texts or other objects, which take less time to hash than to sort."""
    # ["b", "a", "b"] -> sorted ["a", "b"] -> ranks [1, 0, 1]
    try:
        distinct = dict.fromkeys(names)
    except TypeError as error:
        raise ValueError(f"{argument} must hold strings or numbers: {error}.") from error
    if any(map(is_missing, distinct)):
        raise _missing_error(argument)
    sorted_names = np.empty(len(distinct), dtype=object)
    sorted_names[:] = sort_names(distinct, argument)  # np.array would make a table of tuples
    rank_of = {name: rank for rank, name in enumerate(sorted_names.tolist())}
    return np.fromiter(map(rank_of.__getitem__, names), np.intp, len(names)), sorted_names


def sort_names(names: Iterable[Name], argument: str) -> list[Name]:
    """Sort names; those of several types have no order."""
    try:
        return sorted(names)
    except TypeError as error:
        examples = {type(name).__name__: name for name in names}
        listed = ", ".join(f"{name!r} ({kind})" for kind, name in examples.items())
        reason = "of several types" if len(examples) > 1 else "that cannot be sorted"
        remedy = "Give them one" if len(examples) > 1 else "Use strings or numbers"
        raise ValueError(f"{argument} has names {reason}: {listed}. {remedy}.") from error


def _missing_error(argument: str) -> ValueError:
    return ValueError(
        f"{argument} contains missing values. Give them a name, or leave their rows out."
    )
