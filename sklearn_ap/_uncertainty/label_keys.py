"""Numbers that equal labels in the same order share, so that the same rows are noticed."""

from typing import NamedTuple
from zlib import crc32

import numpy as np

from sklearn_ap._types import Bool

FEW_CHANGES = 2  # from one label to the next: labels of up to three blocks may be sorted
# Blocks of equal labels in a pattern that is repeated, as two of [1, 0, 0, 0, 0]
LONGEST_PATTERN = 20


class LabelTable(NamedTuple):
    """The labels of rankings, whose key is computed when samples are compared.

    Parameters
    ----------
    positive : ndarray of bool
        The labels of all items.
    n_columns : int, default=1
        Of the table, unless cells are left out or rankings are queries.
    has_rows_together : bool, default=False
        Whether the items of a row stand together, and not those of a column.
    """

    positive: Bool
    n_columns: int = 1
    has_rows_together: bool = False

    @property
    def key(self) -> int:
        """A number that equal labels in the same order share; 0 if it would say nothing.

        Labels that are sorted by class, or that repeat a pattern, as those of queries with a
        positive and four negatives each, are equal in many samples of the same size. Those of a
        table say nothing if no column of it does.
        """
        if self.positive.size % self.n_columns:  # cells are left out
            columns = self.positive[None]
        elif self.has_rows_together:
            columns = self.positive.reshape(-1, self.n_columns).T
        else:
            columns = self.positive.reshape(self.n_columns, -1)
        return 0 if all(map(_is_regular, columns)) else _checksum(self.positive)


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
