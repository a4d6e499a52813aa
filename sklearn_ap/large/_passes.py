"""The passes over data of any size: the first finds the thresholds, the second counts rows.

A source runs ``find_thresholds`` over each of its parts, adds the results up with ``+`` and checks
the sum, then does the same with ``count_cells``. ``make_counts`` joins the results of both. Nothing
depends on the order of rows or parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from scipy import sparse

from sklearn_ap._arithmetic import segment_sums
from sklearn_ap._counts.counting import accumulate
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import begins_block, select_rows
from sklearn_ap._inputs.labels_and_scores import check_labelled_scores, check_scores
from sklearn_ap._inputs.numbers import LOST_DIGITS, lose_digits
from sklearn_ap._types import Array, Bool, Float, Label

Waiting = list[tuple[Array, Float | None]]  # scores, and weights
Block = tuple[Waiting, Waiting]  # of positives, and of negatives
Result = TypeVar("Result", "FirstPass", "SecondPass")
Pass: TypeAlias = Callable[[Iterable["ChunkRows"]], Result]


class Run(Protocol):
    """A function that runs a pass over the rows of a source."""

    def __call__(self, one_pass: Pass[Result], /) -> Result: ...


class Cells(Protocol):
    """A sparse array of SciPy, of shape (2, n_cells)."""

    def __add__(self, other: Self, /) -> Self: ...
    def toarray(self) -> Array: ...


# Rows are counted in blocks of this size, or larger ones if there are many thresholds, as each
# block looks up all thresholds.
LEAST_BLOCK_ROWS = 2**22
BLOCK_ROWS_PER_THRESHOLD = 8


@dataclass(frozen=True, slots=True, eq=False)
class ChunkRows:
    """Checked rows that have weight, and a positive and a negative label of their part.

    Scores are wide enough to sort fast. ``score_type`` is what they had before; None without rows.
    """

    positive: Bool
    score: Array
    weight: Float | None
    labels: frozenset[Label]
    score_type: np.dtype[Any] | None

    @property
    def checksum(self) -> int:
        """Add up a number of each row, modulo 2**64: other rows have another sum."""
        keys = _mix(self.score.astype(np.float64, copy=False).view(np.uint64))
        if self.weight is not None:
            keys = _mix(self.weight.view(np.uint64) + keys)
        return int(np.sum(keys << self.positive))


NO_ROWS = ChunkRows(np.empty(0, bool), np.empty(0), None, frozenset(), None)


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """The thresholds of all rows or of some."""

    scores: Array  # the distinct scores of positives, in ascending order
    score_types: frozenset[np.dtype[Any]]
    labels: frozenset[Label]
    n_rows: int
    checksum: int
    has_weights: bool
    need_digits: bool  # of integers that no float holds

    def __add__(self, other: FirstPass) -> FirstPass:
        return _merge([self, other])

    @property
    def values(self) -> Array:
        """The distinct scores of positives, in the type that all scores have in one array."""
        dtype = np.result_type(*self.score_types) if self.score_types else np.dtype(float)
        return _distinct(self.scores.astype(check_scores(np.empty(0, dtype)).dtype, copy=False))

    def check(self, pos_label: Label) -> None:
        """Check the labels of all rows as if they came in one array."""
        if not self.labels:
            raise InputError("y_true and y_score are empty, so there is nothing to score.")
        labels = np.array([*self.labels], object)
        check_labelled_scores(labels, np.zeros(labels.size), pos_label, is_binary=True)
        if not self.n_rows:
            raise InputError("sample_weight is zero in every row, so nothing is left to score.")
        if self.need_digits and np.result_type(*self.score_types).kind == "f":
            raise InputError(f"y_score {LOST_DIGITS}.")


@dataclass(frozen=True, slots=True, eq=False)
class SecondPass:
    """The rows at and between the thresholds, all or some."""

    # The weights of positives and of negatives. Cell 0 lies below the lowest threshold, cell 1 at
    # it, cell 2 between it and the next, and so on. A part fills no more cells than it has rows.
    cells: Cells
    n_rows: int
    checksum: int

    def __add__(self, other: SecondPass) -> SecondPass:
        n_rows, checksum = self.n_rows + other.n_rows, self.checksum + other.checksum
        return SecondPass(self.cells + other.cells, n_rows, checksum)


def count_twice(run: Run, pos_label: Label) -> ThresholdCounts:
    """Count a source by a function that runs a pass over its rows."""
    first = run(find_thresholds)
    first.check(pos_label)
    return make_counts(first, run(partial(count_cells, first=first)))


def find_thresholds(parts: Iterable[ChunkRows]) -> FirstPass:
    """Find the thresholds: the first pass."""
    merged = _find_in_part(NO_ROWS)
    waiting: list[FirstPass] = []
    n_waiting = 0
    for rows in parts:
        waiting.append(_find_in_part(rows))
        n_waiting += waiting[-1].scores.size
        # As many as were merged before wait, so that all merging costs a few sorts.
        if n_waiting > max(LEAST_BLOCK_ROWS, merged.scores.size):
            merged = _merge([merged, *waiting])
            waiting, n_waiting = [], 0
    return _merge([merged, *waiting])


def count_cells(parts: Iterable[ChunkRows], first: FirstPass) -> SecondPass:
    """Count the rows in the cells at and between the thresholds: the second pass."""
    bounds = first.values
    cells = np.zeros((2, 2 * bounds.size + 1), np.float64 if first.has_weights else np.int64)
    n_rows = checksum = 0
    n_rows_of_block = max(LEAST_BLOCK_ROWS, BLOCK_ROWS_PER_THRESHOLD * bounds.size)
    n_waiting = 0
    block: Block = ([], [])
    for rows in parts:
        n_rows += rows.score.size
        checksum += rows.checksum
        score = rows.score.astype(bounds.dtype, copy=False)
        weight = np.ones(score.size) if first.has_weights and rows.weight is None else rows.weight
        for waiting, members in zip(block, (rows.positive, ~rows.positive), strict=True):
            # A mask would take three times as long as numbers of rows.
            waiting.append(select_rows(members.nonzero()[0], score, weight))
        n_waiting += score.size
        if n_waiting >= n_rows_of_block:
            _count_block(cells, bounds, block)
            n_waiting = 0
    _count_block(cells, bounds, block)
    return SecondPass(sparse.csr_array(cells), n_rows, checksum)


def make_counts(first: FirstPass, second: SecondPass) -> ThresholdCounts:
    """Make the counts from the results of both passes, which must have seen the same rows."""
    cells = second.cells.toarray()
    positives, negatives = 0, 1
    n_before, n_now = first.n_rows, second.n_rows
    if n_now != n_before or (second.checksum - first.checksum) % 2**64:
        rows = f"{n_now} rows, not {n_before} as"
        change = rows if n_now != n_before else "other scores, labels or weights than"
        raise InputError(
            f"The second pass saw {change} the first. Counting takes two passes, so a source must "
            f"give the same rows each time, in any order. A generator gives them once, and what is "
            f"drawn at random differs each time: store the rows, or give a function that returns a "
            f"new iterator over them."
        )
    # Minus infinity is no threshold: rows that were not retrieved count below all of them.
    values = first.values
    thresholds = values[values > -np.inf]
    n_below = cells.shape[1] - 2 * thresholds.size
    below = cells[:, :n_below].sum(axis=1, keepdims=True)
    tied, between = cells[:, n_below::2], cells[:, n_below + 1 :: 2]
    counts = accumulate(
        thresholds[::-1],
        gained=tied[positives, ::-1],
        tied=tied[negatives, ::-1],
        between=between[negatives, ::-1],
        below=below[negatives],
        starts=np.zeros(1, np.intp),
    )
    return replace(counts, n_positives=counts.n_positives + below[positives])


def _find_in_part(rows: ChunkRows) -> FirstPass:
    return FirstPass(
        scores=_distinct(rows.score.compress(rows.positive)),
        score_types=frozenset() if rows.score_type is None else frozenset({rows.score_type}),
        labels=rows.labels,
        n_rows=rows.score.size,
        checksum=rows.checksum,
        has_weights=rows.weight is not None,
        need_digits=lose_digits(rows.score),
    )


def _merge(parts: Sequence[FirstPass]) -> FirstPass:
    """Add up the results of parts."""
    scores = [part.scores for part in parts if part.scores.size]  # empty ones have any type
    return FirstPass(
        scores=_distinct(np.concatenate(scores)) if scores else np.empty(0),
        score_types=frozenset().union(*(part.score_types for part in parts)),
        labels=frozenset().union(*(part.labels for part in parts)),
        n_rows=sum(part.n_rows for part in parts),
        checksum=sum(part.checksum for part in parts),
        has_weights=any(part.has_weights for part in parts),
        need_digits=any(part.need_digits for part in parts),
    )


def _count_block(cells: Array, thresholds: Array, block: Block) -> None:
    """Add the waiting scores and weights of each class to its cells, and leave none waiting."""
    for cells_of_class, waiting in zip(cells, block, strict=True):
        score = np.concatenate([score for score, _ in waiting] or [thresholds[:0]])
        weights = [weight for _, weight in waiting if weight is not None]
        waiting.clear()
        _count_into(cells_of_class, thresholds, score, np.concatenate(weights) if weights else None)


def _count_into(cells: Array, thresholds: Array, score: Array, weight: Float | None) -> None:
    """Add rows of one class to the cells at and between thresholds. Sorts ``score`` in place."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> cells [0, 0, 1, 2, 0, 0, 1]
    if weight is None:
        score.sort()
    else:
        score, weight = select_rows(np.argsort(score), score, weight)
    # the first row of each cell, and the end -> [0, 0, 0, 1, 3, 3, 3, 4]
    starts = np.zeros(cells.size + 1, np.intp)
    starts[1:-1:2] = score.searchsorted(thresholds, side="left")
    starts[2:-1:2] = score.searchsorted(thresholds, side="right")
    starts[-1] = score.size
    cells += np.diff(starts) if weight is None else segment_sums(weight, starts[:-1])


def _distinct(values: Array) -> Array:
    """Sort the distinct values. np.unique would hash integers, which takes many times as long."""
    ordered = np.sort(values)
    return ordered[begins_block(ordered)]


def _mix(bits: Array) -> Array:
    """Make each bit depend on others, as SplitMix64 does, so that no two changes cancel out."""
    mixed = (bits ^ bits >> 32 ^ 1) * np.uint64(0x9E3779B97F4A7C15)  # not 0 of 0
    return mixed ^ mixed >> 32
