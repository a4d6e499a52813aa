"""Random halves of rows: a half has one row of each pair of rows, and its opposite the other one.

``_half_samples`` scores them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array

from sklearn_ap._types import Array, Float, Index

# Pairs of half samples for which pairs of rows stay: powers of 2. More need larger tables of signs.
SMALLEST_BLOCK, LARGEST_BLOCK = 32, 512
MOST_DENSE = 2**17  # sums of sides, of which most are not 0, or all fit the cache
MOST_SEATED = 10_000  # rows of a unit that are paired one by one


def draw_halves(
    repeats: Index,
    table: csc_array,
    n_pairs: int,
    n_together: int,
    rng: np.random.Generator,
    *,
    are_whole: bool = False,
) -> Iterator[Array]:
    """Yield 2 * half - total of each half: its excess at each place.

    The arrays have shape (n_halves, n_places), with about ``n_together`` halves. The opposite half
    lacks as much. ``table`` has what a row behind each unit adds to each place, as whole numbers if
    ``are_whole``.

    Rows are paired at random, and a half has one row of each pair, so it is a random sample of half
    the rows without replacement. Which row it has is a sign. Over a block of halves, the signs of
    two pairs of rows are orthogonal (McCarthy 1969), as far as the block has a column for each
    pair. The linear part of a score, which is most of its variance, then varies by the choice of
    pairs alone. Each block has pairs of its own.
    """
    # repeats [1, 1, 1, 1], each at a place of its own -> [-1, 1, 1, -1] of the half [0, 1, 1, 0]
    sizes = np.append(repeats, repeats.sum() % 2)  # one more makes an odd number of rows even
    n_rows = int(sizes.sum())
    most_columns = min(LARGEST_BLOCK, n_pairs)
    n_columns = min(max(min(n_rows - sizes.max(), n_rows // 2), SMALLEST_BLOCK), most_columns)
    signs = _orthogonal_signs(n_columns)
    n_halves = len(signs)
    n_places = table.shape[0]
    # Whole numbers below 2^53 are exact in floats, too, which NumPy multiplies faster
    is_dense = are_whole and max(n_halves, n_places) * max(sizes.size, n_places) <= MOST_DENSE
    at_place = table.T.toarray() if is_dense else table.T
    drawn: list[Array] = []
    for pairs in _pair_rows(sizes, n_halves, max(1, round(n_pairs / n_halves)), rng):
        at_places = pairs.table(is_dense=is_dense)[:, :-1] @ at_place
        for start in range(0, n_halves, n_halves if is_dense else n_together):
            part = signs[start : start + n_together]
            drawn.append(_add_up_by_signs(at_places) if is_dense else part @ at_places)
            if len(drawn) * len(drawn[0]) >= n_together:
                yield np.concatenate(drawn)
                drawn = []
    if drawn:
        yield np.concatenate(drawn)


class PairedRows(NamedTuple):
    """The sides of paired rows, 1 or -1, added up for each column and unit."""

    values: Index
    columns: Index
    units: Index
    shape: tuple[int, int]

    def table(self, *, is_dense: bool) -> csr_array | Float:
        """Return the sums of each column and unit."""
        if not is_dense:
            return csr_array((self.values, (self.columns, self.units)), shape=self.shape)
        n_columns, n_units = self.shape
        cell = self.columns * n_units + self.units
        return np.bincount(cell, self.values, n_columns * n_units).reshape(self.shape)


def _pair_rows(
    sizes: Index, n_columns: int, n_times: int, rng: np.random.Generator
) -> Iterator[PairedRows]:
    """Pair rows at random, so many times, and add up their sides: (n_columns, n_units).

    Rows that are pairs sit beside each other, at the seats 2 i and 2 i + 1. More pairs than columns
    share these.
    """
    # Two rows of the second of two units at the seats [3, 0] -> [[-1, 1], [1, -1]]
    # Large units share the other seats: often what is below all ranks that count.
    large = np.union1d(np.flatnonzero(sizes > MOST_SEATED), sizes.argmax())
    unit = np.repeat(np.delete(np.arange(sizes.size), large), np.delete(sizes, large))
    n_rows = int(sizes.sum())
    n_pairs = -(-n_rows // 2 // n_columns)  # of a column, rounded up
    shares = sizes[large] / max(sizes[large].sum(), 1)
    column_of_large = np.repeat(np.arange(n_columns), large.size)
    units = np.append(unit, np.tile(large, n_columns))
    for _ in range(n_times):
        seat = rng.choice(n_rows, unit.size, replace=False)
        side = 1 - 2 * (seat % 2)
        column = np.unique(seat // 2, return_inverse=True)[1] % n_columns
        taken = np.bincount(2 * column + seat % 2, minlength=2 * n_columns).reshape(-1, 2)
        others = rng.multinomial(n_pairs - taken, shares)
        values = np.append(side, others[:, 0] - others[:, 1])
        columns = np.append(column, column_of_large)
        yield PairedRows(values, columns, units, (n_columns, sizes.size))


def _add_up_by_signs(values: Array) -> Array:
    """Multiply by the table of signs: small blocks of it, and then sums and differences of these.

    It is the transform of Walsh and Hadamard, in floats that are whole numbers.
    """
    # [3, 1] -> [4, 2]
    n, step = len(values), min(len(values), SMALLEST_BLOCK)
    signs = _orthogonal_signs(step).astype(np.float64)
    values = signs @ values.reshape(n // step, step, -1)
    while step < n:
        first, second = values.reshape(n // (2 * step), 2, step, -1).swapaxes(0, 1)
        values = np.stack((first + second, first - second), axis=1)
        step *= 2
    return values.reshape(n, -1).astype(np.int64)


@lru_cache(maxsize=2)
def _orthogonal_signs(n_columns: int) -> Index:
    """Return a square table of signs, of which each two columns are orthogonal (Sylvester 1867).

    It has the lowest power of 2 of columns that is at least as many.
    """
    # 2 columns -> [[1, 1], [1, -1]]
    signs = np.ones((1, 1), np.int64)
    while len(signs) < n_columns:
        signs = np.block([[signs, signs], [signs, -signs]])
    return signs
