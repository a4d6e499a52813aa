"""Which rows are in a half: pairs of opposite halves, balanced (McCarthy 1969).

Each row has a column of a table of signs, of which each row of the table is a pair of halves.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._types import Index

# Standard deviations of a binomial number that half samples stay within: once in 3 million halves,
# it is further below its mean.
DEVIATIONS = 5


def draw_halves(
    repeats: Index, n_pairs: int, n_together: int, rng: np.random.Generator
) -> Iterator[Index]:
    """Yield how many of the rows behind each unit are in a half: (n_together or fewer, n_units).

    A sign says in which half a row is. The columns of a table of signs are orthogonal, so that the
    linear parts of scores, which are most of their variance, add hardly any noise. Rows get columns
    at random, anew for each block of pairs; if columns are too few, rows share them. The unit with
    the most rows, often those below all ranks that count, takes what the others leave of a half.
    """
    # repeats [1, 1, 1, 1] -> halves such as [0, 0, 1, 1]
    n_rows = int(repeats.sum())
    rest = int(repeats.argmax())
    has_rest = repeats[rest] > DEVIATIONS * np.sqrt(n_rows - repeats[rest])
    parted = repeats.copy()
    parted[rest] *= not has_rest
    unit, size = _parts(parted)
    table = _balanced_signs(min(unit.size, n_pairs))
    n_in_block, n_columns = table.shape
    n_blocks, n_parts = max(1, round(n_pairs / n_in_block)), unit.size
    orders = [rng.permutation(max(n_columns, n_parts))[:n_parts] for _ in range(n_blocks)]
    columns = np.array(orders) % n_columns
    if has_rest:
        # Signs of two columns have the mean product -1 / n_in_block, and those of two rows should
        # have -1 / (n_rows - 1): some columns are turned.
        factor = parted / np.maximum(np.bincount(unit, size, repeats.size), 1)
        factor = np.minimum(factor * np.sqrt(n_in_block / max(n_rows - 1, 1)), 1)
        columns += n_columns * (rng.random(columns.shape) < (1 - factor[unit]) / 2)
    table = np.column_stack((table, -table))
    sums = csr_array((size, (np.arange(n_parts), unit)), (n_parts, repeats.size))
    ends = np.cumsum(repeats)
    pairs = np.arange(n_blocks * n_in_block)
    for start in range(0, pairs.size, n_together):
        block, row = np.divmod(pairs[start : start + n_together], n_in_block)
        drawn = (repeats + table[row[:, None], columns[block]] @ sums) // 2
        if has_rest:
            n_others = drawn.sum(axis=1) - drawn[:, rest]
            drawn[:, rest] = np.clip(n_rows // 2 - n_others, 0, repeats[rest])
        _make_equal(drawn, ends, rng)
        yield drawn


def _parts(repeats: Index) -> tuple[Index, Index]:
    """Split the rows behind each unit into parts of one sign: return their units and sizes.

    The squares of sizes add up to the number of rows, which is the variance of rows one by one. The
    largest is a quarter of it.
    """
    if repeats.max(initial=0) <= 1:
        unit = np.flatnonzero(repeats)
        return unit, np.ones(unit.size, np.int64)
    units, sizes, left = [], [], repeats.copy()
    while (unit := np.flatnonzero(left)).size:
        size = np.maximum(np.sqrt(left[unit] / 4).astype(np.int64), 1)
        left[unit] -= size**2
        units.append(unit)
        sizes.append(size)
    return np.concatenate(units), np.concatenate(sizes)


def _balanced_signs(n_columns: int) -> Index:
    """Return signs of which each row adds up to 0, and each product of two columns to -1.

    There are q rows and q + 1 columns, at least as many as are asked for. Paley (1933) constructs
    them from the squares modulo a prime q.
    """
    q = 3
    while q + 1 < n_columns or any(q % i == 0 for i in range(3, isqrt(q) + 1, 2)):
        q += 4
    signs = np.full(q, -1)
    signs[np.arange(1, q) ** 2 % q] = 1
    shifted = np.add.outer(np.arange(q), np.arange(q)) % q
    return np.column_stack((signs[shifted], np.ones(q, np.int64)))


def _make_equal(drawn: Index, ends: Index, rng: np.random.Generator) -> None:
    """Move random rows from one half to the other, in place, until both have as many.

    ``ends`` is where the rows behind each unit end.
    """
    n_rows = int(ends[-1])
    excess = drawn.sum(axis=1) - n_rows // 2
    while (pair := np.flatnonzero((excess < 0) | (excess > n_rows % 2))).size:
        step = np.sign(excess[pair])
        row = rng.integers(n_rows, size=pair.size)
        unit = ends.searchsorted(row, "right")
        is_drawn = ends[unit] - row <= drawn[pair, unit]
        moves = is_drawn == (step > 0)
        drawn[pair[moves], unit[moves]] -= step[moves]
        excess[pair[moves]] -= step[moves]
