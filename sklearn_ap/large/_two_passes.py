"""The two passes over data of any size: which thresholds there are, and what stands at each.

An engine runs ``first`` over its partitions and adds the results up with ``+``, then does the same
with ``second``. ``finish`` makes the counts. Nothing depends on the order of rows or partitions.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._extras.progress import progress
from sklearn_ap.counts import ThresholdCounts, from_cells
from sklearn_ap.counts._blocks import Array, segment_sums
from sklearn_ap.large._checked_batches import (
    Batch,
    CleanBatch,
    Labels,
    ScoreType,
    all_labels,
    check_labels,
    clean,
    common_dtype,
    type_of,
)

Part = tuple[Array, Array | None]  # scores, weights

FEW = 2**20  # thresholds that wait to be merged
FEWEST_ROWS = 2**22
BYTES_OF_THRESHOLD = 64  # 16 scores of 4 bytes, or 8 of 8 bytes


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

    def __add__(self, other: Self) -> Self:
        return type(self)(
            _merged([self.scores, other.scores]),
            self.types | other.types,
            all_labels(self.labels, other.labels),
            self.checksums + other.checksums,
        )

    @property
    def thresholds(self) -> Array:
        """The scores of positives, in the dtype that all scores have in one array."""
        dtype = common_dtype(self.types)
        return self.scores if dtype == self.scores.dtype else np.unique(self.scores.astype(dtype))

    def check(self, pos_label: Any) -> None:
        """Refuse labels of all batches that do not go together."""
        check_labels(self.labels, self.checksums["rows"], pos_label)


@dataclass(frozen=True, slots=True, eq=False)
class SecondPass:
    """What the second pass finds."""

    cells: Any  # weight at and between thresholds: a row for positives, another for negatives
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        return type(self)(self.cells + other.cells, self.checksums + other.checksums)

    def packed(self) -> Self:
        """Keep the cells that hold something, no more than the rows: engines add these up."""
        return type(self)(sparse.csr_array(self.cells), self.checksums)


@dataclass
class PassBars:
    """A bar for each pass. The second knows its total from the first."""

    shown: bool
    total: int | None = None
    unit: str = " rows"

    def around(self, batches: Iterable[Batch], title: str) -> Generator[Batch]:
        """Give the batches, and add each to the bar."""
        if not self.shown:
            yield from batches
            return
        with progress(self.total, self.unit, title, asked_for=True) as bar:
            for batch in batches:
                yield batch
                bar.update(batch.amount(self.unit))
            self.total = bar.n


def count_twice(
    batches: Callable[[], Iterable[Batch]], pos_label: Any, bars: PassBars
) -> ThresholdCounts:
    """Count what can be gone through twice, in this process."""
    # Closed at once where a batch is wrong: an open reader may block its connection.
    with closing(bars.around(batches(), "first pass")) as rows:
        found = first(clean(batch, pos_label) for batch in rows)
    found.check(pos_label)
    with closing(bars.around(batches(), "second pass")) as rows:
        counted = second((clean(batch, pos_label) for batch in rows), found.thresholds)
    return finish(found, counted)


def first(batches: Iterable[CleanBatch]) -> FirstPass:
    """Find the thresholds."""
    waiting: list[Array] = []
    types: set[ScoreType] = set()
    labels: Labels = {}
    checksums, n_waiting, most = Checksums(), 0, FEW
    for rows in batches:
        labels = all_labels(labels, rows.labels)
        checksums += _checksums(rows)
        if not rows.score.size:
            continue
        types.add(type_of(rows.score))
        scores = np.unique(rows.score.compress(rows.positive))
        # What was not retrieved stands at no threshold, so it is counted below all of them.
        waiting.append(scores[scores > -np.inf])
        n_waiting += waiting[-1].size
        if n_waiting > most:
            waiting = [_merged(waiting)]
            n_waiting = waiting[0].size
            most = max(FEW, 2 * n_waiting)  # so that merging costs a few sorts in all
    return FirstPass(_merged(waiting), frozenset(types), labels, checksums)


def second(batches: Iterable[CleanBatch], thresholds: Array) -> SecondPass:
    """Count what stands in the cells at and between the thresholds."""
    block, checksums = WaitingRows(thresholds), Checksums()
    for rows in batches:
        checksums += _checksums(rows)
        block.add(rows)
    return SecondPass(block.count(), checksums)


def add_up(results: Iterable[Any]) -> Any:
    """The sum of what a pass found in each partition; the first error among them is raised."""
    total = None
    for result in results:
        if isinstance(result, Exception):
            raise result
        total = result if total is None else total + result
    return total


def finish(found: FirstPass, counted: SecondPass) -> ThresholdCounts:
    """Make the counts, where both passes saw the same rows."""
    for name, change in CHANGES.items():
        before, now = found.checksums[name], counted.checksums[name]
        if (now - before) % 2**64:
            raise ValueError(
                f"The second pass saw {change.format(before=before, now=now)} the first. Counting "
                f"takes two passes, so a source must give the same rows twice, in any order. A "
                f"generator gives them once, and what is drawn at random differs each time: store "
                f"the rows, or give a function that returns a new iterator over them."
            )
    cells = counted.cells
    return from_cells(found.thresholds, *(cells.toarray() if sparse.issparse(cells) else cells))


class WaitingRows:
    """Rows that wait, and two rows of cells, for the positives and the negatives counted before."""

    def __init__(self, thresholds: Array) -> None:
        per_threshold = BYTES_OF_THRESHOLD // thresholds.itemsize
        self.size = max(FEWEST_ROWS, per_threshold * thresholds.size)
        self.thresholds = thresholds
        self.cells: Array = np.zeros((2, 2 * thresholds.size + 1), dtype=np.int64)
        self._waiting: tuple[list[Part], list[Part]] = ([], [])
        self._n_waiting = 0

    def add(self, rows: CleanBatch) -> None:
        """Add rows, and count where too many wait."""
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
            if any(weights is not None for _, weights in waiting):
                weights = [np.ones(part.size) if w is None else w for part, w in waiting]
                weight = np.concatenate(weights)
                self.cells = self.cells.astype(np.float64, copy=False)
            waiting.clear()  # they would take as much memory again
            count_into(self.cells[kind], self.thresholds, score, weight)
        self._n_waiting = 0
        return self.cells


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
        score, weight = score[order], weight[order]
    if thresholds.size < score.size:
        starts = np.zeros(cells.size + 1, np.intp)
        starts[1:-1:2] = begin = score.searchsorted(thresholds, side="left")
        begin += score.take(begin, mode="clip") == thresholds
        several = (score.take(begin, mode="clip") == thresholds).nonzero()[0]
        begin[several] = score.searchsorted(thresholds[several], side="right")
        starts[2::2], starts[-1] = begin, score.size
        cells += np.diff(starts) if weight is None else segment_sums(weight, starts[:-1])
    else:
        cell = thresholds.searchsorted(score, side="left")
        tied = thresholds.take(cell, mode="clip") == score
        cell *= 2
        cell += tied
        cells += np.bincount(cell, weight, cells.size).astype(cells.dtype, copy=False)


def _merged(parts: list[Array]) -> Array:
    """The distinct scores of all parts; an empty part has no say in the dtype."""
    filled = [part for part in parts if part.size]
    return np.unique(np.concatenate(filled)) if len(filled) > 1 else (filled or [np.empty(0)])[0]


def _checksums(rows: CleanBatch) -> Checksums:
    bits, hits = _bits(rows.score), _bits(rows.score.compress(rows.positive))
    checksums = {"rows": bits.size, "positives": hits.size}
    checksums |= {"scores": _total(bits), "scores of positives": _total(hits)}
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
