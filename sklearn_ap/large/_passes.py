"""The passes over data of any size: the first finds the thresholds, the second counts rows.

A source runs ``find_thresholds`` over each of its parts and adds the results up with ``+``, then
does the same with ``count_cells``. ``make_counts`` joins the results of both. Nothing depends on
the order of rows or parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sklearn_ap._counts.sums import segment_sums
from sklearn_ap._counts.thresholds import ThresholdCounts, accumulate
from sklearn_ap._inputs.arrays import begins_block, select_rows
from sklearn_ap._inputs.labels import check_scores, positive_label
from sklearn_ap._types import Argument, Array, Bool, Float, Label

# (2, n_cells): a sparse array of SciPy, which has no exact type.
Cells: TypeAlias = Any
ScoreType: TypeAlias = "np.dtype[Any]"
Bits = NDArray[np.uint64]  # of floats or integers
# Sums over the rows of a pass. They show changed rows, but do not depend on the order of rows.
Checksums = Counter[str]
Labels = dict[Label, str]  # where each label is first, in the order of the rows
Result = TypeVar("Result")
Pass: TypeAlias = Callable[[Iterable["Rows"]], Result]

MOST_LABELS = 3  # the third label is one too many
LARGEST_EXACT = 2**53  # floats hold all whole numbers up to this one
# Rows are counted in blocks of this size, or larger ones if there are many thresholds, as each
# block looks up all thresholds.
LEAST_BLOCK_ROWS = 2**22
BLOCK_ROWS_PER_THRESHOLD = 8
PIECE = 2**14  # rows whose checksums are computed at a time

# The words of the error if the second pass has another checksum, by the name of the checksum.
CHANGES = {
    "rows": "{now} rows, not {before} as",
    "positives": "{now} positives, not {before} as",
    "scores": "other scores than",
    "weights": "other weights than",
    "scores of positives": "other labels than",
}


class PassRunner(Protocol):
    """A function that runs a pass over all rows, and returns its result."""

    def __call__(self, one_pass: Pass[Result], /) -> Result: ...


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Checked rows that have weight, and all labels and the type of the scores of their part.

    Scores are wide enough to sort fast. ``score_type`` is what they had before; None without rows.
    """

    positive: Bool
    score: Array
    weight: Float | None
    labels: Labels
    score_type: ScoreType | None

    @property
    def checksums(self) -> Checksums:
        """Sums of the rows in random-looking numbers, in which no two mistakes cancel out."""
        keys = _mix(_bits(self.score))
        sums = {
            "rows": keys.size,
            "positives": int(np.count_nonzero(self.positive)),
            "scores": _total(keys),
            "scores of positives": _total(keys.compress(self.positive)),
        }
        if self.weight is not None:
            sums["weights"] = _total(_mix(_bits(self.weight) + keys))
        return Counter(sums)


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """The result of the first pass."""

    scores: Array  # the distinct scores of positives, in ascending order
    score_types: frozenset[ScoreType]
    largest: int  # the largest absolute value of integers of 64 bits
    labels: Labels
    checksums: Checksums

    def __add__(self, other: FirstPass) -> FirstPass:
        return _merge([self, other])

    @property
    def has_weights(self) -> bool:
        return "weights" in self.checksums

    @property
    def thresholds(self) -> Array:
        """The scores of positives, in the type that all scores have in one array."""
        dtype = np.result_type(*self.score_types) if self.score_types else np.dtype(float)
        if dtype.kind == "f" and self.largest >= LARGEST_EXACT:
            raise ValueError(
                f"y_score holds whole numbers of 2**53 or more, and the types "
                f"{sorted(map(str, self.score_types))}: as {dtype}, different numbers would be "
                f"tied. Give all rows one type, or pass ranks."
            )
        return self.scores.astype(check_scores(np.empty(0, dtype)).dtype, copy=False)

    def check(self, pos_label: Label) -> None:
        """Check the labels of all rows as if they came in one array."""
        if not self.labels:
            raise ValueError("y_true and y_score are empty, so there is nothing to score.")
        names = [*self.labels]
        is_text = isinstance(names[0], str)
        other = next((name for name in names if isinstance(name, str) != is_text), None)
        if other is not None:
            raise ValueError(
                f"y_true holds strings and numbers: {names[0]!r}, first in "
                f"{self.labels[names[0]]}, and {other!r}, first in {self.labels[other]}. Give all "
                f"labels one type."
            )
        try:
            positive_label(np.array(sorted(names)), pos_label)
        except ValueError as error:
            last = names[:MOST_LABELS][-1]
            raise ValueError(
                f"{error} The label {last!r} is first in {self.labels[last]}."
            ) from error
        if not self.checksums["rows"]:
            raise ValueError("sample_weight is zero in every row, so nothing is left to score.")


@dataclass(frozen=True, slots=True, eq=False)
class SecondPass:
    """The result of the second pass."""

    # The weights of positives and of negatives. Cell 0 lies below the lowest threshold, cell 1 at
    # it, cell 2 between it and the next, and so on.
    cells: Cells
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        return type(self)(_wide(self.cells) + _wide(other.cells), self.checksums + other.checksums)

    def __reduce__(self) -> tuple[Argument, ...]:
        """Pickle into few bytes, as the results of many processes meet in one of them."""
        cells = self.cells
        if cells.dtype.kind != "f":
            cells = cells.astype(np.min_scalar_type(cells.max()))
        return type(self), (cells, self.checksums)


def run_passes(run: PassRunner, pos_label: Label, *, make_sparse: bool = False) -> ThresholdCounts:
    """Count rows that can be read twice: ``run`` runs a pass over all of them."""
    first_pass = run(find_thresholds)
    first_pass.check(pos_label)
    second_pass = run(
        partial(
            count_cells,
            thresholds=first_pass.thresholds,
            has_weights=first_pass.has_weights,
            make_sparse=make_sparse,
        )
    )
    return make_counts(first_pass, second_pass)


def find_thresholds(parts: Iterable[Rows]) -> FirstPass:
    """Find the thresholds: the first pass."""
    waiting: list[FirstPass] = [_find_in_part(NO_ROWS)]
    n_waiting = 0
    for rows in parts:
        waiting.append(_find_in_part(rows))
        n_waiting += waiting[-1].scores.size
        # As many as were merged before wait, so that all merging costs a few sorts.
        if n_waiting > max(LEAST_BLOCK_ROWS, waiting[0].scores.size):
            waiting = [_merge(waiting)]
            n_waiting = 0
    return _merge(waiting)


def count_cells(
    parts: Iterable[Rows], thresholds: Array, has_weights: bool, *, make_sparse: bool = False
) -> SecondPass:
    """Count the rows in the cells at and between the thresholds: the second pass.

    Sparse cells are for results that travel: a part fills no more of them than it has rows.
    """
    cells = np.zeros((2, 2 * thresholds.size + 1), np.float64 if has_weights else np.int64)
    checksums = Checksums()
    for rows in _blocks(parts, thresholds, checksums):
        for row_of_cells, members in zip(cells, (rows.positive, ~rows.positive), strict=True):
            weight = None if rows.weight is None else rows.weight[members]
            _count_into(row_of_cells, thresholds, rows.score[members], weight)
    return SecondPass(sparse.csr_array(cells) if make_sparse else cells, checksums)


def make_counts(first_pass: FirstPass, second_pass: SecondPass) -> ThresholdCounts:
    """Make the counts from the results of both passes, which must have seen the same rows."""
    _check_same_rows(first_pass.checksums, second_pass.checksums)
    cells = _wide(second_pass.cells)
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


def _check_same_rows(first: Checksums, second: Checksums) -> None:
    """Refuse a second pass that saw other rows than the first."""
    for name, change in CHANGES.items():
        before = first[name]
        now = second[name]
        if (now - before) % 2**64:  # checksums wrap at 2**64
            raise ValueError(
                f"The second pass saw {change.format(before=before, now=now)} the first. "
                f"Counting takes two passes, so a source must give the same rows each time, in any "
                f"order. A generator gives them once, and what is drawn at random differs each "
                f"time: store the rows, or give a function that returns a new iterator over them."
            )


def _find_in_part(rows: Rows) -> FirstPass:
    score = rows.score
    largest = 0
    if score.dtype.kind in "iu" and score.itemsize == 8 and score.size:
        largest = max(int(score.max()), -int(score.min()))
    hits = _distinct(score.compress(rows.positive))
    return FirstPass(
        # Minus infinity is no threshold: rows that were not retrieved count below all of them.
        scores=hits[hits > -np.inf],
        score_types=frozenset() if rows.score_type is None else frozenset({rows.score_type}),
        largest=largest,
        labels=rows.labels,
        checksums=rows.checksums,
    )


def _merge(passes: Sequence[FirstPass]) -> FirstPass:
    """Add up the results of parts."""
    filled = [each.scores for each in passes if each.scores.size]  # empty ones have any type
    labels: Labels = {}
    checksums = Checksums()
    for each in passes:
        labels |= {name: place for name, place in each.labels.items() if name not in labels}
        checksums.update(each.checksums)
    return FirstPass(
        scores=_distinct(np.concatenate(filled)) if filled else np.empty(0),
        score_types=frozenset().union(*(each.score_types for each in passes)),
        largest=max(each.largest for each in passes),
        labels=labels,
        checksums=checksums,
    )


def _blocks(parts: Iterable[Rows], thresholds: Array, checksums: Checksums) -> Iterator[Rows]:
    """Join parts to blocks of many rows, and add their checksums up."""
    n_rows = max(LEAST_BLOCK_ROWS, BLOCK_ROWS_PER_THRESHOLD * thresholds.size)
    waiting: list[Rows] = []
    n_waiting = 0
    for rows in parts:
        checksums.update(rows.checksums)
        with np.errstate(invalid="ignore"):  # of a source that changes, and is refused later
            score = rows.score.astype(thresholds.dtype, copy=False)
        waiting.append(replace(rows, score=score))
        n_waiting += rows.score.size
        if n_waiting >= n_rows:
            yield _join(waiting)
            waiting = []
            n_waiting = 0
    if waiting:
        yield _join(waiting)


def _join(parts: Sequence[Rows]) -> Rows:
    """Join parts; rows of those without weights have weight 1 beside others."""
    if len(parts) == 1:
        return parts[0]
    weight = None
    if any(rows.weight is not None for rows in parts):
        weight = np.concatenate(
            [np.ones(rows.score.size) if rows.weight is None else rows.weight for rows in parts]
        )
    positive = np.concatenate([rows.positive for rows in parts])
    score = np.concatenate([rows.score for rows in parts])
    return Rows(positive, score, weight, {}, None)


def _count_into(cells: Array, thresholds: Array, score: Array, weight: Float | None) -> None:
    """Add rows of one class to the cells at and between thresholds. Sorts ``score`` in place."""
    # scores [1, 3, 3, 5] and thresholds [0, 3, 4] -> cells [0, 0, 1, 2, 0, 0, 1]
    if weight is None:
        score.sort()
    else:
        order = np.argsort(score)
        score, weight = select_rows(order, score, weight)
    if thresholds.size < score.size:
        # the first row of each cell, and the end -> [0, 0, 0, 1, 3, 3, 3, 4]
        starts = np.zeros(cells.size + 1, np.intp)
        starts[1:-1:2] = score.searchsorted(thresholds, side="left")
        starts[2:-1:2] = score.searchsorted(thresholds, side="right")
        starts[-1] = score.size
        cells += np.diff(starts) if weight is None else segment_sums(weight, starts[:-1])
    elif score.size:
        cell = thresholds.searchsorted(score, side="left")
        is_tied = thresholds.take(cell, mode="clip") == score
        np.add.at(cells, 2 * cell + is_tied, 1 if weight is None else weight)


def _distinct(values: Array) -> Array:
    """Sort the distinct values. np.unique would hash integers, which takes many times as long."""
    ordered = np.sort(values)
    return ordered[begins_block(ordered)]


def _wide(cells: Cells) -> Cells:
    return cells.astype(np.float64 if cells.dtype.kind == "f" else np.int64, copy=False)


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


NO_ROWS = Rows(np.empty(0, bool), np.empty(0), None, {}, None)
