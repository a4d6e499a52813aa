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
from sklearn_ap.large._checked_batches import (
    Batch,
    CleanBatch,
    Labels,
    all_labels,
    check_labels,
    clean,
)
from sklearn_ap.large._waiting_rows import WaitingRows

Array = NDArray[Any]

FEW = 2**20  # thresholds that wait to be merged

# What a pass saw: sums that differ for other rows, but not for another order of the same rows.
Seal = Counter[str]
# The sums, and what to say where the second pass has another one.
CHANGES = {
    "rows": "{now} rows, not {before} as",
    "positives": "{now} positives, not {before} as",
    "scores": "other scores than",
    "weights": "other weights than",
    "scores of positives": "other labels than",
}


@dataclass(frozen=True, slots=True, eq=False)
class First:
    """What the first pass finds.

    These are the distinct scores of positives, upwards; the dtypes of all scores; all labels; and
    a seal.
    """

    scores: Array
    dtypes: frozenset[np.dtype[Any]]
    labels: Labels
    seal: Seal

    def __add__(self, other: Self) -> Self:
        return type(self)(
            _merged([self.scores, other.scores]),
            self.dtypes | other.dtypes,
            all_labels(self.labels, other.labels),
            self.seal + other.seal,
        )

    @property
    def thresholds(self) -> Array:
        """The scores of positives, in the dtype that all scores have in one array."""
        dtype = np.result_type(*self.dtypes) if self.dtypes else self.scores.dtype
        # As floats, two huge integers may be one.
        return self.scores if dtype == self.scores.dtype else np.unique(self.scores.astype(dtype))

    def check(self, pos_label: Any) -> None:
        """Refuse labels of all batches that do not go together."""
        check_labels(self.labels, self.seal["rows"], pos_label)


@dataclass(frozen=True, slots=True, eq=False)
class Second:
    """What the second pass finds: weight in the cells at and between thresholds, and a seal.

    The cells of the positives are one row, those of the negatives another.
    """

    cells: Any
    seal: Seal

    def __add__(self, other: Self) -> Self:
        return type(self)(self.cells + other.cells, self.seal + other.seal)

    def packed(self) -> Self:
        """Keep the cells that hold something, no more than the rows: engines add these up."""
        return type(self)(sparse.csr_array(self.cells), self.seal)


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


def first(batches: Iterable[CleanBatch]) -> First:
    """Find the thresholds."""
    waiting: list[Array] = []
    dtypes: set[np.dtype[Any]] = set()
    labels: Labels = {}
    seal, n_waiting, most = Seal(), 0, FEW
    for rows in batches:
        labels = all_labels(labels, rows.labels)
        seal += _seal(rows)
        if not rows.score.size:
            continue
        dtypes.add(rows.score.dtype)
        scores = np.unique(rows.score.compress(rows.positive))
        # What was not retrieved stands at no threshold, so it is counted below all of them.
        waiting.append(scores[scores > -np.inf])
        n_waiting += waiting[-1].size
        if n_waiting > most:
            waiting = [_merged(waiting)]
            n_waiting = waiting[0].size
            most = max(FEW, 2 * n_waiting)  # so that merging costs a few sorts in all
    return First(_merged(waiting), frozenset(dtypes), labels, seal)


def second(batches: Iterable[CleanBatch], thresholds: Array) -> Second:
    """Count what stands in the cells at and between the thresholds."""
    block, seal = WaitingRows(thresholds), Seal()
    for rows in batches:
        seal += _seal(rows)
        block.add(rows)
    return Second(block.count(), seal)


def add_up(results: Iterable[Any]) -> Any:
    """The sum of what a pass found in each partition; the first error among them is raised."""
    total = None
    for result in results:
        if isinstance(result, Exception):
            raise result
        total = result if total is None else total + result
    return total


def finish(found: First, counted: Second) -> ThresholdCounts:
    """Make the counts, where both passes saw the same rows."""
    for name, change in CHANGES.items():
        before, now = found.seal[name], counted.seal[name]
        if (now - before) % 2**64:
            raise ValueError(
                f"The second pass saw {change.format(before=before, now=now)} the first. Counting "
                f"takes two passes, so a source must give the same rows twice, in any order. A "
                f"generator gives them once, and what is drawn at random differs each time: store "
                f"the rows, or give a function that returns a new iterator over them."
            )
    cells = counted.cells
    return from_cells(found.thresholds, *(cells.toarray() if sparse.issparse(cells) else cells))


def _merged(parts: list[Array]) -> Array:
    """The distinct scores of all parts; an empty part has no say in the dtype."""
    filled = [part for part in parts if part.size]
    return np.unique(np.concatenate(filled)) if len(filled) > 1 else (filled or [np.empty(0)])[0]


def _seal(rows: CleanBatch) -> Seal:
    bits, hits = _bits(rows.score), _bits(rows.score.compress(rows.positive))
    seal = {"rows": bits.size, "positives": hits.size}
    seal |= {"scores": _total(bits), "scores of positives": _total(hits)}
    if rows.weight is not None:
        seal["weights"] = _total(_mixed(_mixed(_bits(rows.weight)) + bits))
    return Counter(seal)


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
