"""The passes over data of any size: the first finds the thresholds, the second counts rows.

An engine runs ``find_thresholds`` over its partitions and adds the results up with ``+``, then does
the same with ``count_cells``. ``make_counts`` joins the results of both. Nothing depends on the
order of rows or partitions.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._counts.sums import segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, accumulate
from sklearn_ap._types import Argument, Array, Bool, Index, Label
from sklearn_ap.large._checked_batches import (
    CleanBatch,
    Labels,
    ScoreType,
    check_labels,
    common_dtype,
    merge_labels,
    score_type,
)

# (n_rows_of_cells, n_cells): an array, or a sparse one of SciPy, which has no exact type.
Cells: TypeAlias = Any
Bits = NDArray[np.uint64]  # of floats or integers
# Sums over the rows of a pass. They show changed rows, but do not depend on the order of rows.
Checksums = Counter[str]

# The least capacities of the buffers, which are larger if there are many thresholds.
FEWEST_BUFFERED_THRESHOLDS = 2**20
FEWEST_BUFFERED_ROWS = 2**22
THRESHOLD_BYTES = 64  # of buffered scores for each threshold: 16 of 4 bytes, or 8 of 8 bytes

# The words of the error if the second pass has another checksum, by the name of the checksum.
CHANGES = {
    "rows": "{now} rows, not {before} as",
    "positives": "{now} positives, not {before} as",
    "scores": "other scores than",
    "weights": "other weights than",
    "scores of positives": "other labels than",
}


Result = TypeVar("Result")
Pass: TypeAlias = Callable[[Iterable[CleanBatch]], Result]


class PassRunner(Protocol):
    """A function that runs a pass over all rows, and returns its result."""

    def __call__(self, one_pass: Pass[Result], /) -> Result: ...


class ScoresAndWeights(NamedTuple):
    """The scores of some rows of one class, and their weights if they have any."""

    score: Array
    weight: Array | None


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """The result of the first pass."""

    scores: Array  # the distinct scores of positives, in ascending order
    types: frozenset[ScoreType]
    labels: Labels
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        return type(self)(
            scores=_merge_scores([self.scores, other.scores]),
            types=self.types | other.types,
            labels=merge_labels(self.labels, other.labels),
            checksums=self.checksums + other.checksums,
        )

    @property
    def has_weights(self) -> bool:
        return "weights" in self.checksums

    @property
    def thresholds(self) -> Array:
        """The scores of positives, in the dtype that all scores have in one array."""
        dtype = common_dtype(self.types)
        return self.scores if dtype == self.scores.dtype else np.unique(self.scores.astype(dtype))

    def check(self, pos_label: Label) -> None:
        """Refuse labels that contradict each other."""
        check_labels(self.labels, self.checksums["rows"], pos_label)


@dataclass(frozen=True, slots=True, eq=False)
class SecondPass:
    """The result of the second pass."""

    cells: Cells  # (2, n_cells): the weights of positives and negatives, at and between thresholds
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        return type(self)(self.cells + other.cells, self.checksums + other.checksums)

    def __reduce__(self) -> tuple[Argument, ...]:
        """Pickle into few bytes, as the results of many processes meet in one of them."""
        return _unpack, (_pack(self.cells), self.checksums)


def _pack(cells: Cells) -> Cells:
    """Store counts in the smallest type that holds them, and as a sparse array if it is smaller."""
    if cells.dtype.kind == "f":
        return cells
    cells = cells.astype(np.min_scalar_type(cells.max()))
    if not sparse.issparse(cells):
        return cells
    n_bytes = cells.data.nbytes + cells.indices.nbytes
    return cells if n_bytes < np.prod(cells.shape) * cells.dtype.itemsize else cells.toarray()


def _unpack(cells: Cells, checksums: Checksums) -> SecondPass:
    dtype = np.float64 if cells.dtype.kind == "f" else np.int64
    return SecondPass(cells.astype(dtype, copy=False), checksums)


def run_passes(run: PassRunner, pos_label: Label, *, pack: bool = False) -> ThresholdCounts:
    """Count rows that can be read twice: ``run`` runs a pass over all of them."""
    first_pass = run(find_thresholds)
    first_pass.check(pos_label)
    second_pass = run(
        partial(
            count_cells,
            thresholds=first_pass.thresholds,
            has_weights=first_pass.has_weights,
            pack=pack,
        )
    )
    return make_counts(first_pass, second_pass)


def find_thresholds(batches: Iterable[CleanBatch]) -> FirstPass:
    """Find the thresholds: the first pass."""
    buffer = ThresholdBuffer()
    for rows in batches:
        buffer.add(rows)
    return buffer.result()


def count_cells(
    batches: Iterable[CleanBatch], thresholds: Array, has_weights: bool, *, pack: bool = False
) -> SecondPass:
    """Count the rows in the cells at and between the thresholds: the second pass.

    With ``pack``, as for engines, the result is sparse: a partition fills no more cells than it has
    rows.
    """
    buffer = RowBuffer(thresholds, has_weights)
    for rows in batches:
        buffer.add(rows)
    cells = buffer.count()
    return SecondPass(sparse.csr_array(cells) if pack else cells, buffer.checksums)


def add_up(results: Iterable[Argument]) -> Argument:
    """Add up the results of a pass in all partitions. The first error among them is raised."""
    total = None
    for result in results:
        if isinstance(result, Exception):
            raise result
        total = result if total is None else total + result
    return total


def make_counts(first_pass: FirstPass, second_pass: SecondPass) -> ThresholdCounts:
    """Make the counts from the results of both passes, which must have seen the same rows."""
    check_same_rows(first_pass, second_pass.checksums)
    cells = second_pass.cells
    positives, negatives = cells.toarray() if sparse.issparse(cells) else cells
    counts = accumulate(
        first_pass.thresholds[::-1],
        gained=positives[1::2][::-1],
        tied=negatives[1::2][::-1],
        between=negatives[2::2][::-1],
        below=negatives[:1],
        starts=np.zeros(1, np.intp),
    )
    return replace(counts, n_positives=counts.n_positives + positives[0])  # not retrieved


def check_same_rows(first_pass: FirstPass, checksums: Checksums) -> None:
    """Refuse a second pass that saw other rows than the first."""
    for name, change in CHANGES.items():
        before = first_pass.checksums[name]
        now = checksums[name]
        if (now - before) % 2**64:  # checksums wrap at 2**64
            raise ValueError(
                f"The second pass saw {change.format(before=before, now=now)} the first. "
                f"Counting takes two passes, so a source must give "
                f"the same rows each time, in any order. A generator gives them once, and what is "
                f"drawn at random differs each time: store the rows, or give a function that "
                f"returns a new iterator over them."
            )


class ThresholdBuffer:
    """Scores of positives that will be merged, and the other facts that the first pass finds."""

    def __init__(self) -> None:
        self._parts: list[Array] = []
        self._n_scores = 0
        self._capacity = FEWEST_BUFFERED_THRESHOLDS
        self._types: set[ScoreType] = set()
        self._labels: Labels = {}
        self._checksums = Checksums()

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and merge the scores if the buffer is full."""
        self._labels = merge_labels(self._labels, rows.labels)
        self._checksums += compute_checksums(rows)
        if not rows.score.size:
            return
        self._types.add(score_type(rows.score))
        scores = np.unique(rows.score.compress(rows.positive))
        # Minus infinity is no threshold: rows that were not retrieved count below all thresholds.
        self._parts.append(scores[scores > -np.inf])
        self._n_scores += self._parts[-1].size
        if self._n_scores > self._capacity:
            self._parts = [_merge_scores(self._parts)]
            self._n_scores = self._parts[0].size
            # The capacity doubles, so that all merging together costs a few sorts.
            self._capacity = max(FEWEST_BUFFERED_THRESHOLDS, 2 * self._n_scores)

    def result(self) -> FirstPass:
        """Return the facts about all rows."""
        return FirstPass(
            scores=_merge_scores(self._parts),
            types=frozenset(self._types),
            labels=self._labels,
            checksums=self._checksums,
        )


class RowBuffer:
    """Rows that will be counted, and the cells of the rows that were counted before."""

    def __init__(self, thresholds: Array, has_weights: bool) -> None:
        rows_per_threshold = THRESHOLD_BYTES // thresholds.itemsize
        self.capacity = max(FEWEST_BUFFERED_ROWS, rows_per_threshold * thresholds.size)
        self.checksums = Checksums()
        self.thresholds = thresholds
        self.has_weights = has_weights
        dtype = np.float64 if has_weights else np.int64
        self.cells: Array = np.zeros((2, 2 * thresholds.size + 1), dtype=dtype)
        self._positives: list[ScoresAndWeights] = []
        self._negatives: list[ScoresAndWeights] = []
        self._n_rows = 0

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and count the rows of the buffer if it is full."""
        self.checksums += compute_checksums(rows)
        # Sorting rows with weights takes more memory, so the buffer holds fewer of them.
        capacity = self.capacity if rows.weight is None else self.capacity // 4
        for i in range(0, rows.score.size, capacity):
            part = rows.take(slice(i, i + capacity))
            if self._n_rows + part.score.size > capacity:
                self.count()
            self._n_rows += part.score.size
            # Positives are few, so their indices are faster than a mask.
            _append_rows(self._positives, part, part.positive.nonzero()[0])
            _append_rows(self._negatives, part, ~part.positive)

    def count(self) -> Array:
        """Count the rows of the buffer, and return the cells."""
        self._count_class(self._positives, self.cells[0])
        self._count_class(self._negatives, self.cells[1])
        self._n_rows = 0
        return self.cells

    def _count_class(self, parts: list[ScoresAndWeights], cells: Array) -> None:
        """Count the rows of a class into its cells, and remove them from the buffer."""
        if not parts:
            return
        # A source that changes between the passes may have other types, and is refused later.
        score = np.concatenate(
            [part.score for part in parts], dtype=self.thresholds.dtype, casting="unsafe"
        )
        weight = None
        if self.has_weights:
            weights = [
                np.ones(part.score.size) if part.weight is None else part.weight for part in parts
            ]
            weight = np.concatenate(weights)
        parts.clear()  # before sorting, which needs memory
        count_into(cells, self.thresholds, score, weight)


def _append_rows(parts: list[ScoresAndWeights], rows: CleanBatch, members: Index | Bool) -> None:
    weight = None if rows.weight is None else rows.weight[members]
    parts.append(ScoresAndWeights(rows.score[members], weight))


def count_into(cells: Array, thresholds: Array, score: Array, weight: Array | None) -> None:
    """Add rows to the cells at and between thresholds.

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
    if thresholds.size < score.size:
        starts = _cell_starts(thresholds, score)
        cells += np.diff(starts) if weight is None else segment_sums(weight, starts[:-1])
    else:
        cell = _find_cells(thresholds, score)
        cells += np.bincount(cell, weight, minlength=cells.size)


def _cell_starts(thresholds: Array, score: Array) -> Index:
    """Find the start of each cell among sorted scores, and the end of the last cell."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> starts [0, 0, 0, 1, 3, 3, 3, 4]
    starts = np.zeros(2 * thresholds.size + 2, np.intp)
    end = score.searchsorted(thresholds, side="left")
    starts[1:-1:2] = end
    # Most thresholds equal one score or none, so only the others are searched again.
    end += score.take(end, mode="clip") == thresholds
    repeated = (score.take(end, mode="clip") == thresholds).nonzero()[0]
    end[repeated] = score.searchsorted(thresholds[repeated], side="right")
    starts[2::2] = end
    starts[-1] = score.size
    return starts


def _find_cells(thresholds: Array, score: Array) -> Index:
    """Find the cell of each score."""
    cell = thresholds.searchsorted(score, side="left")
    is_tied = thresholds.take(cell, mode="clip") == score if thresholds.size else False
    cell *= 2
    cell += is_tied
    return cell


def _merge_scores(parts: list[Array]) -> Array:
    """Merge the distinct scores of all parts. Empty parts do not affect the dtype."""
    filled_parts = [part for part in parts if part.size]
    if len(filled_parts) > 1:
        return np.unique(np.concatenate(filled_parts))
    return filled_parts[0] if filled_parts else np.empty(0)


def compute_checksums(rows: CleanBatch) -> Checksums:
    bits = _bits(rows.score)
    positive_bits = _bits(rows.score.compress(rows.positive))
    checksums = {
        "rows": bits.size,
        "positives": positive_bits.size,
        "scores": _total(bits),
        "scores of positives": _total(positive_bits),
    }
    if rows.weight is not None:
        checksums["weights"] = _total(_mix(_mix(_bits(rows.weight)) + bits))
    return Counter(checksums)


def _bits(values: Array) -> Bits:
    wide = np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(wide, copy=False).view(np.uint64)


def _mix(bits: Bits) -> Bits:
    """Make each bit depend on all others, so that the checksum shows swapped weights."""
    # A step of SplitMix64, with its constant.
    high = np.uint64(32)
    product = (bits ^ (bits >> high)) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> high)


def _total(bits: Bits) -> int:
    """Add up modulo 2**64."""
    return int(np.add.reduce(bits, dtype=np.uint64))
