"""The passes over data of any size: which thresholds there are, and what stands at each.

An engine runs ``find_thresholds`` over its partitions and adds the results up with ``+``, then does
the same with ``count_cells``. ``make_counts`` makes the counts of both. With clusters,
``sum_clusters`` adds up the influence of their rows, which depends on all counts. Nothing depends
on the order of rows or partitions.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._base.common.types import Argument, Array, Index, Label
from sklearn_ap._base.inputs.checks import are_all_whole
from sklearn_ap._counts.blocks import CellSums, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, from_cells
from sklearn_ap.large._checked_batches import (
    CleanBatch,
    Labels,
    ScoreType,
    check_labels,
    common_dtype,
    merge_labels,
    score_type,
)

ScoresAndWeights = tuple[Array, Array | None]
# (n_rows_of_cells, n_cells): an array, or a sparse one of SciPy, which has no exact type.
Cells: TypeAlias = Any
Bits = NDArray[np.uint64]  # of floats or integers
# Sums over the rows of a pass, which differ for other rows, but not for another order of the same.
Checksums = Counter[str]

WEIGHT_POWERS = (1, 2, 4)  # whose sums intervals need

# Before they are merged or counted, at least so many wait, and more if thresholds are many.
FEWEST_WAITING_THRESHOLDS = 2**20
FEWEST_WAITING_ROWS = 2**22
THRESHOLD_BYTES = 64  # of the scores that wait for each threshold: 16 of 4 bytes, or 8 of 8 bytes

PASSES_NEEDED = {"second": "two", "third": "three"}
# What to say where a later pass has another checksum.
CHANGES = {
    "rows": "{now} rows, not {before} as",
    "positives": "{now} positives, not {before} as",
    "scores": "other scores than",
    "weights": "other weights than",
    "scores of positives": "other labels than",
}


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """The result of the first pass."""

    scores: Array  # the distinct scores of positives, upwards
    types: frozenset[ScoreType]
    labels: Labels
    checksums: Checksums
    are_whole: bool  # whether all weights are whole numbers

    def __add__(self, other: Self) -> Self:
        return type(self)(
            scores=_merge_scores([self.scores, other.scores]),
            types=self.types | other.types,
            labels=merge_labels(self.labels, other.labels),
            checksums=self.checksums + other.checksums,
            are_whole=self.are_whole and other.are_whole,
        )

    @property
    def powers(self) -> tuple[int, ...]:
        """The powers of weights that the second pass adds up."""
        return WEIGHT_POWERS if "weights" in self.checksums else (1,)

    @property
    def has_clusters(self) -> bool:
        return self.checksums["clusters"] > 0

    @property
    def thresholds(self) -> Array:
        """The scores of positives, in the dtype that all scores have in one array."""
        dtype = common_dtype(self.types)
        return self.scores if dtype == self.scores.dtype else np.unique(self.scores.astype(dtype))

    def check(self, pos_label: Label) -> None:
        """Refuse labels of all batches that do not go together."""
        check_labels(self.labels, self.checksums["rows"], pos_label)
        if self.has_clusters and self.checksums["clusters"] < self.checksums["rows"]:
            raise ValueError("clusters are in some chunks, and not in others: give all of them.")


@dataclass(frozen=True, slots=True, eq=False)
class SecondPass:
    """The result of the second pass."""

    # (2, n_cells): the number of positives, and of negatives, at and between thresholds. With
    # weights, (6, n_cells): three rows for each, with sums of weights, squares and fourth powers.
    cells: Cells
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        return type(self)(self.cells + other.cells, self.checksums + other.checksums)

    def __reduce__(self) -> tuple[Argument, ...]:
        """Travel between processes in the fewest bytes, as many results meet in one of them."""
        return _unpack, (_pack(self.cells), self.checksums)


def _pack(cells: Cells) -> Cells:
    """Store counts in the smallest type that holds them, and as a sparse array if that is less."""
    if cells.dtype.kind == "f":
        return cells
    cells = cells.astype(np.min_scalar_type(cells.max()))
    if not sparse.issparse(cells):
        return cells
    n_bytes = cells.data.nbytes + cells.indices.nbytes
    return cells if n_bytes < np.prod(cells.shape) * cells.dtype.itemsize else cells.toarray()


def _unpack(cells: Cells, checksums: Checksums) -> SecondPass:
    kind = np.float64 if cells.dtype.kind == "f" else np.int64
    return SecondPass(cells.astype(kind, copy=False), checksums)


def find_thresholds(batches: Iterable[CleanBatch]) -> FirstPass:
    """Find the thresholds: the first pass."""
    waiting = WaitingThresholds()
    for rows in batches:
        waiting.add(rows)
    return waiting.result()


def count_cells(
    batches: Iterable[CleanBatch], thresholds: Array, powers: tuple[int, ...], *, pack: bool = False
) -> SecondPass:
    """Count the rows in the cells at and between the thresholds: the second pass.

    Engines pack the cells that are not empty, which are no more than the rows, and add these up.
    """
    waiting = WaitingRows(thresholds, powers)
    for rows in batches:
        waiting.add(rows)
    cells = waiting.count()
    return SecondPass(sparse.csr_array(cells) if pack else cells, waiting.checksums)


def add_up(results: Iterable[Argument]) -> Argument:
    """Add up what a pass found in each partition. The first error among them is raised."""
    total = None
    for result in results:
        if isinstance(result, Exception):
            raise result
        total = result if total is None else total + result
    return total


def make_counts(first_pass: FirstPass, second_pass: SecondPass) -> ThresholdCounts:
    """Make the counts, where both passes saw the same rows."""
    check_same_rows(first_pass, second_pass.checksums)
    cells = second_pass.cells
    cells = cells.toarray() if sparse.issparse(cells) else cells
    n_powers = len(first_pass.powers)
    # Without weights, all powers are the same two rows. With weights, rows 0 and 3 are weights.
    weights, squares, fourths = (cells[i % n_powers :: n_powers] for i in range(3))
    positives, negatives = weights
    counts = from_cells(first_pass.thresholds, positives, negatives)
    if n_powers > 1:
        n_added = np.array([first_pass.checksums["rows"]])
        counts = replace(counts, are_whole=np.array([first_pass.are_whole]), n_added=n_added)
    is_plain = n_powers == 1 and not first_pass.has_clusters
    if is_plain or counts.thresholds.size < first_pass.thresholds.size:  # tiny weights
        return counts
    n_positives = first_pass.checksums["positives"]
    n_rows = np.array([n_positives, first_pass.checksums["rows"] - n_positives])
    return replace(counts, cell_sums=CellSums(squares, fourths, n_rows))


def check_same_rows(
    first_pass: FirstPass, checksums: Checksums, later_pass: str = "second"
) -> None:
    """Refuse a later pass that saw other rows than the first."""
    for name, change in CHANGES.items():
        before = first_pass.checksums[name]
        now = checksums[name]
        if (now - before) % 2**64:
            raise ValueError(
                f"The {later_pass} pass saw {change.format(before=before, now=now)} the first. "
                f"Counting takes {PASSES_NEEDED[later_pass]} passes, so a source must give "
                f"the same rows each time, in any order. A generator gives them once, and what is "
                f"drawn at random differs each time: store the rows, or give a function that "
                f"returns a new iterator over them."
            )


class WaitingThresholds:
    """Scores of positives that wait to be merged, and what else the first pass finds."""

    def __init__(self) -> None:
        self._waiting: list[Array] = []
        self._n_waiting = 0
        self._capacity = FEWEST_WAITING_THRESHOLDS
        self._types: set[ScoreType] = set()
        self._labels: Labels = {}
        self._checksums = Checksums()
        self._are_whole = True

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and merge where too many thresholds wait."""
        self._labels = merge_labels(self._labels, rows.labels)
        self._checksums += compute_checksums(rows)
        self._are_whole = self._are_whole and are_all_whole(rows.weight)
        if not rows.score.size:
            return
        self._types.add(score_type(rows.score))
        scores = np.unique(rows.score.compress(rows.positive))
        # What was not retrieved stands at no threshold, so it is counted below all of them.
        self._waiting.append(scores[scores > -np.inf])
        self._n_waiting += self._waiting[-1].size
        if self._n_waiting > self._capacity:
            self._waiting = [_merge_scores(self._waiting)]
            self._n_waiting = self._waiting[0].size
            # Doubled, so that merging costs a few sorts in all.
            self._capacity = max(FEWEST_WAITING_THRESHOLDS, 2 * self._n_waiting)

    def result(self) -> FirstPass:
        """Return what was found in all rows."""
        return FirstPass(
            scores=_merge_scores(self._waiting),
            types=frozenset(self._types),
            labels=self._labels,
            checksums=self._checksums,
            are_whole=self._are_whole,
        )


class WaitingRows:
    """Rows that wait, and two rows of cells, for the positives and the negatives counted before."""

    def __init__(self, thresholds: Array, powers: tuple[int, ...]) -> None:
        rows_per_threshold = THRESHOLD_BYTES // thresholds.itemsize
        self.capacity = max(FEWEST_WAITING_ROWS, rows_per_threshold * thresholds.size)
        self.checksums = Checksums()
        self.thresholds = thresholds
        self.powers = powers
        kind = np.float64 if len(powers) > 1 else np.int64
        self.cells: Array = np.zeros((2 * len(powers), 2 * thresholds.size + 1), dtype=kind)
        # Of the positives, and of the negatives.
        self._waiting: tuple[list[ScoresAndWeights], list[ScoresAndWeights]] = ([], [])
        self._n_waiting = 0

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and count where too many wait."""
        self.checksums += compute_checksums(rows)
        # Sorting moves weights about, so fewer rows wait with weights.
        capacity = self.capacity if rows.weight is None else self.capacity // 4
        for i in range(0, rows.score.size, capacity):
            part = rows.take(slice(i, i + capacity))
            if self._n_waiting + part.score.size > capacity:
                self.count()
            self._n_waiting += part.score.size
            # Positives are few: their places are faster than a mask.
            classes = (part.positive.nonzero()[0], ~part.positive)
            for waiting, members in zip(self._waiting, classes, strict=True):
                weight = None if part.weight is None else part.weight[members]
                waiting.append((part.score[members], weight))

    def count(self) -> Array:
        """Count the rows that wait, and return the cells."""
        n_powers = len(self.powers)
        # The rows of cells of positives come first, then those of negatives.
        class_cells = (self.cells[:n_powers], self.cells[n_powers:])
        for waiting, cells in zip(self._waiting, class_cells, strict=True):
            if not waiting:
                continue
            # A source that changes between the passes may have other types, and is refused later.
            score = np.concatenate(
                [part for part, _ in waiting], dtype=self.thresholds.dtype, casting="unsafe"
            )
            weight = None
            if n_powers > 1:
                weights = [np.ones(part.size) if w is None else w for part, w in waiting]
                weight = np.concatenate(weights)
            waiting.clear()  # they would take as much memory again
            count_into(cells, self.thresholds, score, weight)
        self._n_waiting = 0
        return self.cells


def count_into(cells: Array, thresholds: Array, score: Array, weight: Array | None) -> None:
    """Add rows to the cells at and between thresholds: a row of cells for each power of weights.

    Cell 0 lies below the lowest threshold, cell 1 at it, cell 2 between it and the next, and so
    on up to cell ``2 * thresholds.size`` above the highest. Without weights, this sorts the scores.
    """
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> cells [0, 0, 1, 2, 0, 0, 1]
    if weight is None:
        score.sort()
    else:
        order = np.argsort(score)
        score = score[order]
        weight = weight[order]
    add_up_weights: Callable[[Array], Array]
    if thresholds.size < score.size:
        starts = _cell_starts(thresholds, score)
        if weight is None:
            cells += np.diff(starts)
            return
        add_up_weights = partial(segment_sums, starts=starts[:-1])
    else:
        cell = find_cells(thresholds, score)
        if weight is None:
            cells += np.bincount(cell, minlength=cells.shape[1])
            return
        add_up_weights = partial(np.bincount, cell, minlength=cells.shape[1])
    with np.errstate(over="ignore", under="ignore"):  # refused where an interval needs them
        for row in cells:
            row += add_up_weights(weight)
            weight = weight * weight  # the powers 1, 2 and 4


def _cell_starts(thresholds: Array, score: Array) -> Index:
    """Find where each cell starts among sorted scores, and their end."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> starts [0, 0, 0, 1, 3, 3, 3, 4]
    starts = np.zeros(2 * thresholds.size + 2, np.intp)
    end = score.searchsorted(thresholds, side="left")
    starts[1:-1:2] = end
    # Most thresholds stand at one score or none, so only the others are searched again.
    end += score.take(end, mode="clip") == thresholds
    several = (score.take(end, mode="clip") == thresholds).nonzero()[0]
    end[several] = score.searchsorted(thresholds[several], side="right")
    starts[2::2] = end
    starts[-1] = score.size
    return starts


def find_cells(thresholds: Array, score: Array) -> Index:
    """Find the cell of each score."""
    cell = thresholds.searchsorted(score, side="left")
    is_tied = thresholds.take(cell, mode="clip") == score if thresholds.size else False
    cell *= 2
    cell += is_tied
    return cell


def _merge_scores(parts: list[Array]) -> Array:
    """Merge the distinct scores of all parts. An empty part has no say in the dtype."""
    filled = [part for part in parts if part.size]
    if len(filled) > 1:
        return np.unique(np.concatenate(filled))
    return filled[0] if filled else np.empty(0)


def compute_checksums(rows: CleanBatch) -> Checksums:
    bits = _bits(rows.score)
    positive_bits = _bits(rows.score.compress(rows.positive))
    checksums = {
        "rows": bits.size,
        "positives": positive_bits.size,
        "scores": _total(bits),
        "scores of positives": _total(positive_bits),
    }
    if rows.clusters is not None:
        checksums["clusters"] = bits.size
    if rows.weight is not None:
        checksums["weights"] = _total(_mix(_mix(_bits(rows.weight)) + bits))
    return Counter(checksums)


def _bits(values: Array) -> Bits:
    wide = np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(wide, copy=False).view(np.uint64)


def _mix(bits: Bits) -> Bits:
    """Make each bit depend on all others, so that weights that change places show."""
    # A step of SplitMix64, with its constant.
    high = np.uint64(32)
    product = (bits ^ (bits >> high)) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> high)


def _total(bits: Bits) -> int:
    """Add up modulo 2**64."""
    return int(np.add.reduce(bits, dtype=np.uint64))
