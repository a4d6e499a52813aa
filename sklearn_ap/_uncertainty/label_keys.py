"""Numbers that equal labels in the same order share, so that the same rows are noticed."""

from zlib import crc32

import numpy as np

from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Bool

FEW_CHANGES = 2  # from one label to the next: labels of up to three blocks may be sorted
# Blocks of equal labels in a pattern that is repeated, as two of [1, 0, 0, 0, 0]
LONGEST_PATTERN = 20


def key_of_rankings(rankings: Rankings, n_columns: int = 1) -> int:
    """Return the key of all labels; those of a table say nothing if no column of it does.

    ``n_columns`` is the number of columns whose cells are one ranking, row by row.
    """
    positive = rankings.positive
    is_whole_table = rankings.ranking is None and positive.size % n_columns == 0
    columns = positive[None]
    if is_whole_table and rankings.average == "samples":
        columns = positive.reshape(rankings.n_rankings, -1).T
    elif is_whole_table and n_columns > 1:
        columns = positive.reshape(-1, n_columns).T
    elif is_whole_table:
        columns = positive.reshape(rankings.n_rankings, -1)
    return 0 if all(map(_is_regular, columns)) else _checksum(positive)


def key_of_labels(positive: Bool) -> int:
    """Return a number that equal labels in the same order share; 0 if it would say nothing.

    Labels that are sorted by class, or that repeat a pattern, as those of queries with a positive
    and four negatives each, are equal in many samples of the same size.
    """
    return 0 if _is_regular(positive) else _checksum(positive)


def _checksum(positive: Bool) -> int:
    return crc32(np.packbits(positive).tobytes()) or 1


def _is_regular(positive: Bool) -> bool:
    changes = np.flatnonzero(positive[1:] != positive[:-1])
    if changes.size <= FEW_CHANGES:
        return True
    sizes = np.diff(changes)  # of the blocks of equal labels, but of the first and the last one
    first = sizes[: 2 * LONGEST_PATTERN].tolist()  # lists compare faster, and most differ here
    longest = min(LONGEST_PATTERN, sizes.size // 2)
    return any(
        first[:n] == first[n : 2 * n] and np.array_equal(sizes[n:], sizes[:-n])
        for n in range(2, longest + 1, 2)
    )
