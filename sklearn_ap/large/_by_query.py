"""Queries in data of any size: rows are spread over parts by query, and each part is counted_parts.

Rows are stored in memory, and on disk if they are many. All rows of a query come into one part. A
part that is too large is spread again; a large part with a single query is counted in two passes.
"""

import errno
import os
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from tempfile import SpooledTemporaryFile, gettempdir
from typing import Self
from weakref import finalize
from zlib import crc32

import numpy as np

from sklearn_ap._counts.counting import count
from sklearn_ap._counts.sums import order_by_ranking, ranges
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.names import encode_names, sort_names
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._results.text import rounded_count
from sklearn_ap._types import Array, Index, Label, Name
from sklearn_ap.large._checked_batches import (
    CleanBatch,
    Labels,
    ScoreDtype,
    ScoreType,
    check_labels,
    common_dtype,
    merge_labels,
    score_type,
)
from sklearn_ap.large._two_passes import count_cells, find_thresholds, make_counts

MOST_ROWS_IN_MEMORY = 2**22  # in all parts, and in one part that is counted at once
N_PARTS = 64
LARGEST_INTEGER_NAME = 2**63  # exclusive: NumPy's integers are smaller
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # or no more room for this user


@dataclass(frozen=True, slots=True, eq=False)
class QueryCounts:
    """The names of queries, the counts of each, the labels and the number of rows."""

    names: tuple[Name, ...]
    counts: tuple[ThresholdCounts, ...]  # each counts some queries, in the order of the names
    labels: Labels
    n_rows: int

    def __add__(self, other: Self) -> Self:
        return type(self)(
            names=self.names + other.names,
            counts=self.counts + other.counts,
            labels=merge_labels(self.labels, other.labels),
            n_rows=self.n_rows + other.n_rows,
        )

    def sort_by_name(self, pos_label: Label, *, have_types: bool = True) -> ThresholdCounts:
        """Return the counts in the order of the names, and check the labels of all parts.

        Without types, names are numbers if all of them look like numbers.
        """
        check_labels(self.labels, self.n_rows, pos_label)
        names = self.names if have_types else _as_numbers(self.names)
        index_of_name = {name: i for i, name in enumerate(sort_names(names, "queries"))}
        if len(index_of_name) < len(names):  # 7 and 7.0 are equal, but may come to different tasks
            name, _ = Counter(names).most_common(1)[0]
            raise ValueError(
                f"queries has one type in some partitions, and another one in others: {name!r} was "
                f"found twice. Give all partitions the same type."
            )
        order = np.argsort([index_of_name[name] for name in names])
        return replace(_reorder(self.counts, order), names=tuple(names[i] for i in order))


class QueryPart:
    """Rows of some queries, in memory and in an unnamed file. Their queries are codes."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._batches: list[CleanBatch] = []
        # Opened when rows are stored
        self._file = SpooledTemporaryFile(prefix="sklearn_ap")  # noqa: SIM115
        finalize(self, self._file.close)

    @property
    def n_bytes(self) -> int:
        """The bytes in the file and in memory."""
        columns = ("positive", "score", "weight", "queries")
        arrays = (getattr(rows, column) for rows in self._batches for column in columns)
        return self._file.tell() + sum(array.nbytes for array in arrays if array is not None)

    def add(self, rows: CleanBatch) -> None:
        """Store rows in memory."""
        self.n_rows += rows.score.size
        self._batches.append(rows)

    def store(self) -> None:
        """Move the rows from memory to the file, which is deleted with the part."""
        if self._batches:
            self._file.rollover()
            try:
                pickle.dump(self._batches, self._file, pickle.HIGHEST_PROTOCOL)
                self._file.flush()
            except OSError:
                with suppress(OSError):  # closing writes the rest of the buffer once more
                    self._file.close()
                raise
            self._batches = []

    def __iter__(self) -> Iterator[CleanBatch]:
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield from pickle.load(self._file)
        yield from self._batches


def count_by_query(batches: Iterable[CleanBatch]) -> QueryCounts:
    """Count the rows of each query, with at most ``MOST_ROWS_IN_MEMORY`` rows in memory."""
    codes: dict[Name, int] = {}
    labels: Labels = {}
    types: set[ScoreType] = set()
    n_rows = 0

    def coded_batches() -> Iterator[CleanBatch]:
        """Replace names by codes, in the order of their first rows; collect labels and types."""
        nonlocal labels, n_rows
        for rows in batches:
            labels = merge_labels(labels, rows.labels)
            if rows.score.size:
                n_rows += rows.score.size
                types.add(score_type(rows.score))
                yield replace(rows, queries=_number_names(rows.queries, codes))

    parts = _spread(coded_batches(), 1)
    dtype = common_dtype(types)
    counted_parts = [pair for part in parts for pair in _count_part(part, 1, dtype)]
    names = [*codes]
    return QueryCounts(
        names=tuple(names[query] for queries, _ in counted_parts for query in queries),
        counts=tuple(counts for _, counts in counted_parts),
        labels=labels,
        n_rows=n_rows,
    )


def _number_names(names: Array, known_numbers: dict[Name, int]) -> Index:
    """Return the number of each name: the known one, or the next one if the name is new."""
    codes, distinct = encode_names(names, "queries")
    numbers = [known_numbers.setdefault(name, len(known_numbers)) for name in distinct.tolist()]
    return np.array(numbers, np.intp)[codes]


def _as_numbers(names: tuple[Name, ...]) -> tuple[Name, ...]:
    """Read names as numbers if all are as Python writes these: 007 and 1.10 are names.

    With several columns, each is read by itself.
    """
    if names and isinstance(names[0], tuple):
        return tuple(zip(*map(_as_numbers, zip(*names, strict=True)), strict=True))
    numbers = [_as_number(name) for name in names]
    # 1 and 1.0 are two names.
    return names if None in numbers or len({*numbers}) < len({*names}) else tuple(numbers)


def _as_number(name: str) -> int | float | None:
    for kind in (int, float):
        with suppress(ValueError):
            number = kind(name)
            if str(number) == name and abs(number) < LARGEST_INTEGER_NAME:
                return number
    return None


def split_by_query(rows: CleanBatch, n_parts: int) -> list[CleanBatch]:
    """Cut rows into parts that hold whole queries, in the same way on all machines."""
    codes, names = encode_names(rows.queries, "queries")
    part = np.array([crc32(str(name).encode()) % n_parts for name in names.tolist()], np.intp)[
        codes
    ]
    return [rows.take(part == i) for i in range(n_parts)]


def _spread(rows: Iterable[CleanBatch], divisor: int) -> list[QueryPart]:
    """Spread queries over parts by a digit of their codes."""
    parts = [QueryPart() for _ in range(N_PARTS)]
    n_rows_in_memory = 0
    for batch in rows:
        part = batch.queries // divisor % N_PARTS
        sizes = np.bincount(part, minlength=N_PARTS)
        order = order_by_ranking(part, N_PARTS)
        begin = 0
        for i in sizes.nonzero()[0]:
            end = begin + sizes[i]
            parts[i].add(batch.take(order[begin:end]))
            begin = end
        n_rows_in_memory += batch.score.size
        if n_rows_in_memory > MOST_ROWS_IN_MEMORY:
            n_rows_in_memory = 0
            _store(parts)
    return parts


def _store(parts: list[QueryPart]) -> None:
    """Move all rows in memory to files; if the disk is full, the error says what to do."""
    n_bytes = sum(part.n_bytes for part in parts)
    n_rows = sum(part.n_rows for part in parts)
    try:
        for part in parts:
            part.store()
    except OSError as error:
        if error.errno not in DISK_FULL_ERRORS:
            raise
        raise OSError(
            error.errno,
            f"{os.strerror(error.errno)}: rows wait for their queries in the temporary folder "
            f"{gettempdir()!r}, which had to hold {rounded_count(n_bytes / 1e6)} MB for {n_rows:,} "
            f"rows, and more for the rest. Set the environment variable TMPDIR to a folder that "
            f"has room for {rounded_count(n_bytes / n_rows)} bytes for each row of the data",
        ) from error


def _count_part(
    part: QueryPart, divisor: int, dtype: ScoreDtype
) -> Iterator[tuple[Index, ThresholdCounts]]:
    """Yield codes of queries and their counts, a few queries at a time."""
    if part.n_rows > MOST_ROWS_IN_MEMORY:
        queries = np.unique(np.concatenate([np.unique(rows.queries) for rows in part]))
        if queries.size > 1:
            for smaller in _spread(part, divisor * N_PARTS):
                yield from _count_part(smaller, divisor * N_PARTS, dtype)
        else:
            yield queries, _count_in_two_passes(part, dtype)
    elif part.n_rows:
        queries, rankings = _join_rows(part, dtype)
        yield queries, count(rankings.select_retrieved())


def _join_rows(part: QueryPart, dtype: ScoreDtype) -> tuple[Index, Rankings]:
    """Return the codes of the queries of a part, and its rows as rankings in this order."""
    batches = [*part]
    queries = np.concatenate([rows.queries for rows in batches])
    distinct, ranking = np.unique(queries, return_inverse=True)
    score = np.concatenate([rows.score for rows in batches]).astype(dtype, copy=False)
    positive = np.concatenate([rows.positive for rows in batches])
    # All batches have weights, or none.
    weights = [rows.weight for rows in batches if rows.weight is not None]
    weight = np.concatenate(weights) if weights else None
    return distinct, Rankings(positive, score, weight, ranking, distinct.size)


def _count_in_two_passes(part: QueryPart, dtype: ScoreDtype) -> ThresholdCounts:
    """Count a query that does not fit in memory."""

    def batches() -> Iterator[CleanBatch]:
        return (replace(rows, score=rows.score.astype(dtype, copy=False)) for rows in part)

    first_pass = find_thresholds(batches())
    second_pass = count_cells(batches(), first_pass.thresholds, first_pass.has_weights)
    return make_counts(first_pass, second_pass)


def _reorder(parts: Sequence[ThresholdCounts], order: Index) -> ThresholdCounts:
    """Join the rankings of several counts in this order."""
    # sizes [2, 1] in the order [1, 0] -> starts [2, 0], threshold_order [2, 0, 1]
    sizes = np.concatenate([counts.ends - counts.starts for counts in parts])
    starts = (np.cumsum(sizes) - sizes)[order]
    sizes = sizes[order]
    threshold_order = np.repeat(starts, sizes) + ranges(sizes)

    def reordered(column: str) -> Array:
        return np.concatenate([getattr(counts, column) for counts in parts])[threshold_order]

    return ThresholdCounts(
        thresholds=reordered("thresholds"),
        gained=reordered("gained"),
        tps=reordered("tps"),
        fps=reordered("fps"),
        fps_above=reordered("fps_above"),
        starts=np.cumsum(sizes) - sizes,
        n_positives=np.concatenate([counts.n_positives for counts in parts])[order],
        n_negatives=np.concatenate([counts.n_negatives for counts in parts])[order],
    )
