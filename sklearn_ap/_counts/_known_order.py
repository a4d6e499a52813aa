"""Rows whose scores are in order already, such as those of a sorted file, need no sort."""

import numpy as np

from sklearn_ap._base.common.types import Array

FEWEST_ROWS_TO_CHECK = 2**13  # a sort of fewer takes little longer than the check
CHECKED_FIRST = 2**10  # where rows are in no order, this many of them show it
CHUNK_ROWS = 2**16  # this many rows fit the cache


def falling_rows(score: Array, *, allow_ties: bool = True) -> slice | None:
    """Return the slice of rows whose scores fall, if the scores are in order; None otherwise.

    Scores rise or fall. Without ``allow_ties``, rising scores with a tie are in no order.
    """
    n = score.size
    if n < FEWEST_ROWS_TO_CHECK:
        return None
    follows: np.ufunc = np.greater_equal
    if score[0] < score[-1]:
        follows = np.less_equal if allow_ties else np.less
    for begin in (0, *range(CHECKED_FIRST, n - 1, CHUNK_ROWS)):
        end = min(begin + CHUNK_ROWS if begin else CHECKED_FIRST, n - 1)
        if not follows(score[begin:end], score[begin + 1 : end + 1]).all():
            return None
    return slice(None, None, 1 if follows is np.greater_equal else -1)
