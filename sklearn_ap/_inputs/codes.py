"""Codes for names: of queries, of clusters, of segments."""

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import begins_block, is_missing, refuse_missing
from sklearn_ap._types import Array, Index, Name, Ordered

MOST_PLACES = 4  # for each integer: more would take longer than a sort


def encode_names(argument: str, names: Array) -> tuple[Index, Array]:
    """Encode each name by its rank among the distinct ones; also return these, sorted."""
    # ["b", "a", "b"] -> codes [1, 0, 1] of ["a", "b"]
    if names.dtype.kind not in "biufmMU":
        return _rank_objects(argument, names.tolist())
    refuse_missing(argument, names)
    # Rows of a query mostly stand side by side: one name of each run is enough.
    begins = begins_block(names)
    distinct, codes = _rank(names[begins])
    return np.repeat(codes, np.diff(begins.nonzero()[0], append=names.size)), distinct


def _rank(names: Array) -> tuple[Array, Index]:
    """Sort the distinct names, and rank each; integers without large gaps need no sort."""
    if names.dtype.kind == "i" and names.size:
        low, n_places = int(names.min()), int(names.max()) - int(names.min()) + 1
        if n_places <= MOST_PLACES * names.size:
            offset = names.astype(np.int64) - low
            is_used = np.zeros(n_places, bool)
            is_used[offset] = True
            return is_used.nonzero()[0] + low, (is_used.cumsum() - 1)[offset]
    return np.unique(names, return_inverse=True)


def _rank_objects(argument: str, names: list[Ordered]) -> tuple[Index, Array]:
    """Rank texts or other objects, which take less time to hash than to sort."""
    try:
        distinct = dict.fromkeys(names)
        ordered = [] if any(map(is_missing, distinct)) else sorted(distinct)
    except TypeError as error:
        kinds = " and ".join({type(name).__name__: None for name in names})
        raise InputError(
            f"{argument} has names without an order: {kinds}. Make them all strings or numbers."
        ) from error
    if not ordered:
        refuse_missing(argument, np.fromiter(names, object, len(names)))
    rank_of = {name: rank for rank, name in enumerate(ordered)}
    # np.array would make a table of tuples
    sorted_names = np.fromiter(rank_of, object, len(rank_of))
    return np.fromiter(map(rank_of.__getitem__, names), np.intp, len(names)), sorted_names


def groups_of_members(member: Index, group: Index, n_members: int) -> tuple[Index, Array]:
    """Return a group of each member, and how many of its rows lie in others.

    Rows of the members [0, 0, 1] in the groups [2, 1, 1] give [1, 1] and [1, 0].
    """
    group_of = np.zeros(n_members, np.intp)
    group_of[member] = group
    return group_of, np.bincount(member, group_of[member] != group, n_members)


def list_names(distinct: Array) -> list[Name]:
    """List names; dates in the longest unit that holds them, as 2024-03 for 2024-03-01T00:00."""
    if distinct.dtype.kind != "M":
        return distinct.tolist()
    candidates = (distinct.astype(f"M8[{unit}]") for unit in "YMDhms")
    shortest = next((dates for dates in candidates if (dates == distinct).all()), distinct)
    return [*shortest]  # not tolist, which would make integers of some dates
