"""The two passes over data of any size: which thresholds there are, and what stands at each.

An engine runs ``first`` over its partitions and adds the results up with ``+``, then does the same
with ``second``. ``finish`` makes the counts. Nothing depends on the order of rows or partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._kernel import merge
from sklearn_ap.counts import ThresholdCounts, from_cells
from sklearn_ap.large.batches import Batch, CleanBatch, check_labels, clean
from sklearn_ap.large.blocks import Block

__all__ = ["First", "Second", "count_twice", "finish", "first", "second", "thresholds_of"]

Array = NDArray[Any]

FEW = 2**20  # thresholds that wait to be merged


@dataclass(frozen=True, slots=True)
class Seal:
    """What a pass saw: sums that tell other rows, but not another order of the same rows."""

    rows: int = 0
    positives: int = 0
    scores: int = 0
    positive_scores: int = 0
    weights: int = 0

    def __add__(self, other: Seal) -> Seal:
        return Seal(
            self.rows + other.rows,
            self.positives + other.positives,
            (self.scores + other.scores) % 2**64,
            (self.positive_scores + other.positive_scores) % 2**64,
            (self.weights + other.weights) % 2**64,
        )


@dataclass(frozen=True, slots=True, eq=False)
class First:
    """What the first pass finds.

    These are the distinct scores of positives, upwards; the dtypes of all scores; all labels; and
    a seal.
    """

    scores: Array
    dtypes: frozenset[np.dtype[Any]]
    labels: frozenset[Any]
    seal: Seal

    def __add__(self, other: First) -> First:
        return First(
            _merged([self.scores, other.scores]),
            self.dtypes | other.dtypes,
            self.labels | other.labels,
            self.seal + other.seal,
        )

    @property
    def thresholds(self) -> Array:
        """The scores of positives, in the dtype that all scores have in one array."""
        dtype = np.result_type(*self.dtypes) if self.dtypes else self.scores.dtype
        # As floats, two huge integers may be one.
        return self.scores if dtype == self.scores.dtype else merge((self.scores.astype(dtype),))


@dataclass(frozen=True, slots=True, eq=False)
class Second:
    """What the second pass finds: weight in the cells at and between thresholds, and a seal.

    The cells of the positives are one row, those of the negatives another.
    """

    cells: Any
    seal: Seal

    def __add__(self, other: Second) -> Second:
        return Second(self.cells + other.cells, self.seal + other.seal)

    def packed(self) -> Second:
        """Keep the cells that hold something, no more than the rows: engines add these up."""
        return Second(sparse.csr_array(self.cells), self.seal)


def count_twice(batches: Callable[[], Generator[Batch]], pos_label: Any) -> ThresholdCounts:
    """Count what can be gone through twice, in this process."""
    # Closed at once where a batch is wrong: an open reader may block its connection.
    with closing(batches()) as rows:
        found = first(rows, pos_label)
    with closing(batches()) as rows:
        return finish(found, second(rows, pos_label, thresholds_of(found, pos_label)))


def first(batches: Iterable[Batch], pos_label: Any) -> First:
    """Find the thresholds."""
    waiting: list[Array] = []
    dtypes: set[np.dtype[Any]] = set()
    labels: frozenset[Any] = frozenset()
    seal, most = Seal(), FEW
    for batch in batches:
        rows = clean(batch, pos_label)
        labels |= rows.labels
        seal += _seal(rows)
        if not rows.score.size:
            continue
        dtypes.add(rows.score.dtype)
        waiting.append(merge((rows.score.compress(rows.positive),)))
        if sum(scores.size for scores in waiting) > most:
            waiting = [_merged(waiting)]
            most = max(FEW, 2 * waiting[0].size)  # so that merging costs a few sorts in all
    return First(_merged(waiting), frozenset(dtypes), labels, seal)


def second(batches: Iterable[Batch], pos_label: Any, thresholds: Array) -> Second:
    """Count what stands in the cells at and between the thresholds."""
    cells, seal = np.zeros((2, 2 * thresholds.size + 1), dtype=np.int64), Seal()
    block = Block(thresholds)
    for batch in batches:
        rows = clean(batch, pos_label)
        seal += _seal(rows)
        for part in rows.parts(block.most(weighted=rows.weight is not None)):
            if part.score.size > block.room:
                cells = block.count(cells)
            block.add(part)
    return Second(block.count(cells), seal)


def thresholds_of(found: First, pos_label: Any) -> Array:
    """The thresholds, where the labels of all batches go together."""
    check_labels(found.labels, found.seal.rows, pos_label)
    return found.thresholds


def finish(found: First, counted: Second) -> ThresholdCounts:
    """Make the counts, where both passes saw the same rows."""
    if found.seal != counted.seal:
        raise ValueError(
            f"The second pass saw {_difference(found.seal, counted.seal)} the first. Counting "
            f"takes two passes, so a source must give the same rows twice, in any order. A "
            f"generator gives them once, and what is drawn at random differs each time: store the "
            f"rows, or give a function that returns a new iterator over them."
        )
    cells = counted.cells
    return from_cells(found.thresholds, *(cells.toarray() if sparse.issparse(cells) else cells))


def _merged(parts: list[Array]) -> Array:
    """The distinct scores of all parts; an empty part has no say in the dtype."""
    filled = [part for part in parts if part.size]
    return merge(filled) if len(filled) > 1 else (filled or [np.empty(0)])[0]


def _seal(rows: CleanBatch) -> Seal:
    """The seal of a batch."""
    bits = _bits(rows.score)
    hits = bits.compress(rows.positive)
    weights = 0 if rows.weight is None else _total(_mixed(_mixed(_bits(rows.weight)) + bits))
    return Seal(bits.size, hits.size, _total(bits), _total(hits), weights)


def _bits(values: Array) -> NDArray[np.uint64]:
    wide = np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(wide).view(np.uint64)


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other bits, each of which depends on all, so that weights that change places show."""
    high = np.uint64(32)
    product = (bits ^ (bits >> high)) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> high)


def _total(bits: NDArray[np.uint64]) -> int:
    """The sum modulo 2**64."""
    return int(np.add.reduce(bits, dtype=np.uint64))


def _difference(before: Seal, now: Seal) -> str:
    """The first sum that differs, in words."""
    if before.rows != now.rows:
        return f"{now.rows} rows, not {before.rows} as"
    if before.positives != now.positives:
        return f"{now.positives} positives, not {before.positives} as"
    if before.scores != now.scores:
        return "other scores than"
    return "other weights than" if before.weights != now.weights else "other labels than"
