"""The passes over data of any size: the first finds the thresholds, the second counts rows.

A source runs ``find_thresholds`` over each of its parts, adds the results up with ``+`` and checks
the sum, then does the same with ``count_cells``. ``make_counts`` joins the results of both. Nothing
depends on the order of rows or parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._arithmetic import segment_sums
from sklearn_ap._counts.counting import accumulate
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import begins_block, select_rows
from sklearn_ap._inputs.labels_and_scores import check_scores, positive_label
from sklearn_ap._types import Array, Bool, Float, Label

Cells: TypeAlias = Any  # (2, n_cells): a sparse array of SciPy, which has no exact type
Bits = NDArray[np.uint64]  # of floats or integers
# Sums over the rows of a pass. They show changed rows, but do not depend on the order of rows.
Checksums = Counter[str]
PlacesOfLabels = dict[Label, str]  # where each label is first
Block = tuple[list[Any], list[Any]]  # scores and weights of positives, and those of negatives
Result = TypeVar("Result", "FirstPass", "SecondPass")
Pass: TypeAlias = Callable[[Iterable["ChunkRows"]], Result]

# Rows are counted in blocks of this size, or larger ones if there are many thresholds, as each
# block looks up all thresholds.
LEAST_BLOCK_ROWS = 2**22
BLOCK_ROWS_PER_THRESHOLD = 8
PIECE = 2**14  # rows whose checksums are computed at a time

# The words of the error if the second pass has another checksum, by the name of the checksum.
CHANGES = {
    "rows": "{now} rows, not {before} as",
    "positives": "{now} positives, not {before} as",
    "contents": "other scores, labels or weights than",
}


@dataclass(frozen=True, slots=True, eq=False)
class ChunkRows:
    """Checked rows that have weight, and a positive and a negative label of their part.

    Scores are wide enough to sort fast. ``score_type`` is what they had before; None without rows.
    """

    positive: Bool
    score: Array
    weight: Float | None
    places: PlacesOfLabels
    score_type: np.dtype[Any] | None

    @property
    def checksums(self) -> Checksums:
        """Sums of the rows in random-looking numbers, in which no two mistakes cancel out."""
        keys = _mix(_bits(self.score))
        if self.weight is not None:
            keys = _mix(_bits(self.weight) + keys)
        return Counter(
            rows=keys.size,
            weighted=0 if self.weight is None else keys.size,
            positives=int(np.count_nonzero(self.positive)),
            contents=_total(keys) + _total(keys.compress(self.positive)),
        )


NO_ROWS = ChunkRows(np.empty(0, bool), np.empty(0), None, {}, None)


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """The thresholds of all rows or of some."""

    scores: Array  # the distinct scores of positives, in ascending order
    score_types: frozenset[np.dtype[Any]]
    places: PlacesOfLabels
    checksums: Checksums

    def __add__(self, other: FirstPass) -> FirstPass:
        return _merge([self, other])

    @property
    def values(self) -> Array:
        """The distinct scores of positives, in the type that all scores have in one array."""
        dtype = np.result_type(*self.score_types) if self.score_types else np.dtype(float)
        return _distinct(self.scores.astype(check_scores(np.empty(0, dtype)).dtype, copy=False))

    def check(self, pos_label: Label) -> None:
        """Check the labels of all rows as if they came in one array."""
        if not self.places:
            raise ValueError("y_true and y_score are empty, so there is nothing to score.")
        _check_labels(self.places)
        present: list[Any] = [*self.places]  # of one type, which has an order
        present.sort()
        try:
            positive_label(present, pos_label)
        except ValueError as error:
            raise ValueError(f"{error} There is {_list_places(self.places)}.") from error
        if not self.checksums["rows"]:
            raise ValueError("sample_weight is zero in every row, so nothing is left to score.")


def _check_labels(places: PlacesOfLabels) -> None:
    """Refuse texts beside numbers, and more than two labels, in different parts."""
    if len({isinstance(label, str) for label in places}) > 1:
        raise ValueError(
            f"y_true holds strings and numbers: {_list_places(places)}. Give them one type."
        )
    if len(places) > 2:
        raise ValueError(
            f"y_true has more than two labels: {_list_places(places)}. If one is a typo, correct "
            f"it. For one class against the others, pass 1 for it and 0 for them."
        )


def _list_places(places: PlacesOfLabels) -> str:
    texts = [f"{label!r} first in {place}" for label, place in places.items()]
    return " and ".join(texts[:3])  # the third label is one too many


@dataclass(frozen=True, slots=True, eq=False)
class SecondPass:
    """The rows at and between the thresholds, all or some."""

    # The weights of positives and of negatives. Cell 0 lies below the lowest threshold, cell 1 at
    # it, cell 2 between it and the next, and so on. A part fills no more cells than it has rows.
    cells: Cells
    checksums: Checksums

    def __add__(self, other: SecondPass) -> SecondPass:
        return SecondPass(self.cells + other.cells, self.checksums + other.checksums)


def count_twice(run: Callable[[Pass[Any]], Any], pos_label: Label) -> ThresholdCounts:
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
    has_weights = first.checksums["weighted"] > 0
    cells = np.zeros((2, 2 * bounds.size + 1), np.float64 if has_weights else np.int64)
    checksums = Checksums()
    n_rows_of_block = max(LEAST_BLOCK_ROWS, BLOCK_ROWS_PER_THRESHOLD * bounds.size)
    n_waiting = 0
    block: Block = ([], [])
    for rows in parts:
        checksums.update(rows.checksums)
        score = rows.score.astype(bounds.dtype, copy=False)
        weight = np.ones(score.size) if has_weights and rows.weight is None else rows.weight
        for waiting, members in zip(block, (rows.positive, ~rows.positive), strict=True):
            # A mask would take three times as long as numbers of rows.
            waiting.append(select_rows(members.nonzero()[0], score, weight))
        n_waiting += score.size
        if n_waiting >= n_rows_of_block:
            _count_block(cells, bounds, block)
            n_waiting = 0
    _count_block(cells, bounds, block)
    return SecondPass(sparse.csr_array(cells), checksums)


def make_counts(first: FirstPass, second: SecondPass) -> ThresholdCounts:
    """Make the counts from the results of both passes, which must have seen the same rows."""
    _check_same_rows(first.checksums, second.checksums)
    cells = second.cells.toarray()
    below, tied, between = cells[:, :1], cells[:, 1::2], cells[:, 2::2]
    positives, negatives = 0, 1
    counts = accumulate(
        first.values[::-1],
        gained=tied[positives, ::-1],
        tied=tied[negatives, ::-1],
        between=between[negatives, ::-1],
        below=below[negatives],
        starts=np.zeros(1, np.intp),
    )
    return replace(counts, n_positives=counts.n_positives + below[positives])  # not retrieved


def _check_same_rows(first: Checksums, second: Checksums) -> None:
    """Refuse a second pass that saw other rows than the first."""
    for name, change in CHANGES.items():
        before, now = first[name], second[name]
        if (now - before) % 2**64:  # checksums wrap at 2**64
            raise ValueError(
                f"The second pass saw {change.format(before=before, now=now)} the first. "
                f"Counting takes two passes, so a source must give the same rows each time, in any "
                f"order. A generator gives them once, and what is drawn at random differs each "
                f"time: store the rows, or give a function that returns a new iterator over them."
            )


def _find_in_part(rows: ChunkRows) -> FirstPass:
    hits = _distinct(rows.score.compress(rows.positive))
    return FirstPass(
        # Minus infinity is no threshold: rows that were not retrieved count below all of them.
        scores=hits[hits > -np.inf],
        score_types=frozenset() if rows.score_type is None else frozenset({rows.score_type}),
        places=rows.places,
        checksums=rows.checksums,
    )


def _merge(parts: Sequence[FirstPass]) -> FirstPass:
    """Add up the results of parts."""
    scores = [part.scores for part in parts if part.scores.size]  # empty ones have any type
    places: PlacesOfLabels = {}
    checksums = Checksums()
    for part in parts:
        places = {**places, **part.places, **places}  # the first place of each
        checksums.update(part.checksums)
    return FirstPass(
        scores=_distinct(np.concatenate(scores)) if scores else np.empty(0),
        score_types=frozenset().union(*(part.score_types for part in parts)),
        places=places,
        checksums=checksums,
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


def _bits(values: Array) -> Bits:
    wide = np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(wide, copy=False).view(np.uint64)


def _mix(bits: Bits) -> Bits:
    """Make each bit depend on all others, so that changes of several rows do not cancel out."""
    high = np.uint64(32)
    mixed = np.empty_like(bits)
    # Pieces stay in the cache of the processor, which takes a fifth of the time.
    for start in range(0, bits.size, PIECE):
        # A step of SplitMix64, with its constant.
        piece = bits[start : start + PIECE] >> high
        piece ^= bits[start : start + PIECE]
        piece *= np.uint64(0x9E3779B97F4A7C15)
        np.bitwise_xor(piece, piece >> high, out=mixed[start : start + PIECE])
    return mixed


def _total(keys: Bits) -> int:
    """Add up modulo 2**64."""
    return int(np.add.reduce(keys, dtype=np.uint64))
