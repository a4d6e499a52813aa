"""The passes over data of any size: which thresholds there are, and what stands at each.

An engine runs ``first`` over its partitions and adds the results up with ``+``, then does the same
with ``second``. ``finish`` makes the counts. With clusters, ``third`` adds up what their rows do to
a score, which depends on all counts. Nothing depends on the order of rows or partitions.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._base.common.types import Array, Index
from sklearn_ap._base.inputs.checks import are_all_whole
from sklearn_ap._counts.blocks import CellSums, segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, from_cells
from sklearn_ap.large._checked_batches import (
    CleanBatch,
    Labels,
    ScoreType,
    all_labels,
    check_labels,
    common_dtype,
    type_of,
)

Part = tuple[Array, Array | None]  # scores, weights

POWERS = (1, 2, 4)  # of weights, whose sums intervals need

FEW_THRESHOLDS = 2**20  # that wait to be merged
FEWEST_ROWS = 2**22
BYTES_OF_THRESHOLD = 64  # 16 scores of 4 bytes, or 8 of 8 bytes


PASSES = {"second": "two", "third": "three"}  # that are needed

# Of the rows of a pass: sums that differ for other rows, but not for another order of the same.
Checksums = Counter[str]
# The sums, and what to say where the second pass has another one.
CHANGES = {
    "rows": "{now} rows, not {before} as",
    "positives": "{now} positives, not {before} as",
    "scores": "other scores than",
    "weights": "other weights than",
    "scores of positives": "other labels than",
}


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """What the first pass finds."""

    scores: Array  # the distinct ones of positives, upwards
    types: frozenset[ScoreType]
    labels: Labels
    checksums: Checksums
    are_whole: bool  # all weights

    def __add__(self, other: Self) -> Self:
        return type(self)(
            _merged([self.scores, other.scores]),
            self.types | other.types,
            all_labels(self.labels, other.labels),
            self.checksums + other.checksums,
            self.are_whole and other.are_whole,
        )

    @property
    def powers(self) -> tuple[int, ...]:
        """The powers of weights that the second pass adds up."""
        return POWERS if "weights" in self.checksums else (1,)

    @property
    def has_clusters(self) -> bool:
        return self.checksums["clusters"] > 0

    @property
    def thresholds(self) -> Array:
        """The scores of positives, in the dtype that all scores have in one array."""
        dtype = common_dtype(self.types)
        return self.scores if dtype == self.scores.dtype else np.unique(self.scores.astype(dtype))

    def check(self, pos_label: Any) -> None:
        """Refuse labels of all batches that do not go together."""
        check_labels(self.labels, self.checksums["rows"], pos_label)
        if self.has_clusters and self.checksums["clusters"] < self.checksums["rows"]:
            raise ValueError("clusters are in some chunks, and not in others: give all of them.")


@dataclass(frozen=True, slots=True, eq=False)
class SecondPass:
    """What the second pass finds."""

    # Weight at and between thresholds: a row for positives, another for negatives; with weights,
    # three rows for each, of which the others are for squares and for fourth powers.
    cells: Any
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        return type(self)(self.cells + other.cells, self.checksums + other.checksums)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes in the fewest bytes, as many results meet in one of them."""
        return _arrived, (_narrowed(self.cells), self.checksums)


def _narrowed(cells: Any) -> Any:
    """Whole numbers in the smallest type that holds them, and their places only if they are few."""
    if cells.dtype.kind == "f":
        return cells
    cells = cells.astype(np.min_scalar_type(cells.max()))
    if not sparse.issparse(cells):
        return cells
    n_bytes = cells.data.nbytes + cells.indices.nbytes
    return cells if n_bytes < np.prod(cells.shape) * cells.dtype.itemsize else cells.toarray()


def _arrived(cells: Any, checksums: Checksums) -> SecondPass:
    kind = np.float64 if cells.dtype.kind == "f" else np.int64
    return SecondPass(cells.astype(kind, copy=False), checksums)


def first(batches: Iterable[CleanBatch]) -> FirstPass:
    """Find the thresholds."""
    waiting = WaitingThresholds()
    for rows in batches:
        waiting.add(rows)
    return waiting.found()


def second(
    batches: Iterable[CleanBatch], thresholds: Array, powers: tuple[int, ...], *, pack: bool = False
) -> SecondPass:
    """Count what stands in the cells at and between the thresholds.

    Engines pack the cells that hold something, which are no more than the rows, and add these up.
    """
    waiting = WaitingRows(thresholds, powers)
    for rows in batches:
        waiting.add(rows)
    cells = waiting.count()
    return SecondPass(sparse.csr_array(cells) if pack else cells, waiting.checksums)


def add_up(results: Iterable[Any]) -> Any:
    """The sum of what a pass found in each partition; the first error among them is raised."""
    total = None
    for result in results:
        if isinstance(result, Exception):
            raise result
        total = result if total is None else total + result
    return total


def finish(first_pass: FirstPass, counted: SecondPass) -> ThresholdCounts:
    """Make the counts, where both passes saw the same rows."""
    check_same_rows(first_pass, counted.checksums)
    cells = counted.cells
    cells = cells.toarray() if sparse.issparse(cells) else cells
    n_powers = len(first_pass.powers)
    weights, squares, fourths = (cells[i % n_powers :: n_powers] for i in range(3))
    counts = from_cells(first_pass.thresholds, *weights)
    if n_powers > 1:
        n_added = np.array([first_pass.checksums["rows"]])
        counts = replace(counts, are_whole=np.array([first_pass.are_whole]), n_added=n_added)
    is_plain = n_powers == 1 and not first_pass.has_clusters
    if is_plain or counts.thresholds.size < first_pass.thresholds.size:  # some weigh too little
        return counts
    n_positives = first_pass.checksums["positives"]
    n_rows = np.array([n_positives, first_pass.checksums["rows"] - n_positives])
    return replace(counts, cell_sums=CellSums(squares, fourths, n_rows))


def check_same_rows(first_pass: FirstPass, checksums: Checksums, which: str = "second") -> None:
    """Refuse a pass that saw other rows than the first."""
    for name, change in CHANGES.items():
        before, now = first_pass.checksums[name], checksums[name]
        if (now - before) % 2**64:
            raise ValueError(
                f"The {which} pass saw {change.format(before=before, now=now)} the first. Counting "
                f"takes {PASSES[which]} passes, so a source must give the same rows each time, in "
                f"any order. A generator gives them once, and what is drawn at random differs each "
                f"time: store the rows, or give a function that returns a new iterator over them."
            )


class WaitingThresholds:
    """Scores of positives that wait to be merged, and what else the first pass finds."""

    def __init__(self) -> None:
        self._waiting: list[Array] = []
        self._n_waiting, self._most = 0, FEW_THRESHOLDS
        self._types: set[ScoreType] = set()
        self._labels: Labels = {}
        self._checksums, self._are_whole = Checksums(), True

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and merge where too many thresholds wait."""
        self._labels = all_labels(self._labels, rows.labels)
        self._checksums += checksums_of(rows)
        self._are_whole = self._are_whole and are_all_whole(rows.weight)
        if not rows.score.size:
            return
        self._types.add(type_of(rows.score))
        scores = np.unique(rows.score.compress(rows.positive))
        # What was not retrieved stands at no threshold, so it is counted below all of them.
        self._waiting.append(scores[scores > -np.inf])
        self._n_waiting += self._waiting[-1].size
        if self._n_waiting > self._most:
            self._waiting = [_merged(self._waiting)]
            self._n_waiting = self._waiting[0].size
            # So that merging costs a few sorts in all
            self._most = max(FEW_THRESHOLDS, 2 * self._n_waiting)

    def found(self) -> FirstPass:
        """Give what was found in all rows."""
        scores, types = _merged(self._waiting), frozenset(self._types)
        return FirstPass(scores, types, self._labels, self._checksums, self._are_whole)


class WaitingRows:
    """Rows that wait, and two rows of cells, for the positives and the negatives counted before."""

    def __init__(self, thresholds: Array, powers: tuple[int, ...]) -> None:
        per_threshold = BYTES_OF_THRESHOLD // thresholds.itemsize
        self.size = max(FEWEST_ROWS, per_threshold * thresholds.size)
        self.checksums = Checksums()
        self.thresholds = thresholds
        self.powers = powers
        kind = np.float64 if len(powers) > 1 else np.int64
        self.cells: Array = np.zeros((2 * len(powers), 2 * thresholds.size + 1), dtype=kind)
        self._waiting: tuple[list[Part], list[Part]] = ([], [])
        self._n_waiting = 0

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and count where too many wait."""
        self.checksums += checksums_of(rows)
        # Sorting moves weights about, so fewer rows wait with weights.
        size = self.size if rows.weight is None else self.size // 4
        for i in range(0, rows.score.size, size):
            part = rows.take(slice(i, i + size))
            if self._n_waiting + part.score.size > size:
                self.count()
            self._n_waiting += part.score.size
            for kind, kept in enumerate((part.positive.nonzero()[0], ~part.positive)):
                weight = None if part.weight is None else part.weight[kept]
                self._waiting[kind].append((part.score[kept], weight))

    def count(self) -> Array:
        """Count the rows that wait, and give the cells."""
        for kind, waiting in enumerate(self._waiting):
            if not waiting:
                continue
            # A source that changes between the passes may have other types, and is refused later.
            score = np.concatenate(
                [part for part, _ in waiting], dtype=self.thresholds.dtype, casting="unsafe"
            )
            weight = None
            if len(self.powers) > 1:
                weights = [np.ones(part.size) if w is None else w for part, w in waiting]
                weight = np.concatenate(weights)
            waiting.clear()  # they would take as much memory again
            n = len(self.powers)
            count_into(self.cells[kind * n : kind * n + n], self.thresholds, score, weight)
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
        score, weight = score[order], weight[order]
    if thresholds.size < score.size:
        starts = np.zeros(cells.shape[1] + 1, np.intp)
        starts[1:-1:2] = begin = score.searchsorted(thresholds, side="left")
        begin += score.take(begin, mode="clip") == thresholds
        several = (score.take(begin, mode="clip") == thresholds).nonzero()[0]
        begin[several] = score.searchsorted(thresholds[several], side="right")
        starts[2::2], starts[-1] = begin, score.size
        if weight is None:
            cells += np.diff(starts)
            return
        add_up_weights: Any = partial(segment_sums, starts=starts[:-1])
    else:
        cell = cells_of(thresholds, score)
        if weight is None:
            cells += np.bincount(cell, minlength=cells.shape[1])
            return
        add_up_weights = partial(np.bincount, cell, minlength=cells.shape[1])
    with np.errstate(over="ignore", under="ignore"):  # refused where an interval needs them
        for row in cells:
            row += add_up_weights(weight)
            weight = weight * weight  # the powers 1, 2 and 4


def cells_of(thresholds: Array, score: Array) -> Index:
    """The cell of each score."""
    cell = thresholds.searchsorted(score, side="left")
    is_tied = thresholds.take(cell, mode="clip") == score if thresholds.size else False
    cell *= 2
    cell += is_tied
    return cell


def _merged(parts: list[Array]) -> Array:
    """The distinct scores of all parts; an empty part has no say in the dtype."""
    filled = [part for part in parts if part.size]
    return np.unique(np.concatenate(filled)) if len(filled) > 1 else (filled or [np.empty(0)])[0]


def checksums_of(rows: CleanBatch) -> Checksums:
    bits, hits = _bits(rows.score), _bits(rows.score.compress(rows.positive))
    checksums = {"rows": bits.size, "positives": hits.size}
    checksums |= {"scores": _total(bits), "scores of positives": _total(hits)}
    if rows.clusters is not None:
        checksums["clusters"] = bits.size
    if rows.weight is not None:
        checksums["weights"] = _total(_mixed(_mixed(_bits(rows.weight)) + bits))
    return Counter(checksums)


def _bits(values: Array) -> NDArray[np.uint64]:
    wide = np.float64 if values.dtype.kind == "f" else np.int64
    return values.astype(wide, copy=False).view(np.uint64)


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other bits, each of which depends on all, so that weights that change places show."""
    high = np.uint64(32)
    product = (bits ^ (bits >> high)) * np.uint64(0x9E3779B97F4A7C15)
    return product ^ (product >> high)


def _total(bits: NDArray[np.uint64]) -> int:
    """The sum modulo 2**64."""
    return int(np.add.reduce(bits, dtype=np.uint64))
