"""Queries in data of any size: rows are spread over parts by query, and each part is counted.

Rows wait in memory, and on disk where there are many. All rows of a query come into one part. A
part that is too large is spread again; one that is a single query is counted in two passes.
"""

import errno
import os
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from tempfile import SpooledTemporaryFile, gettempdir
from typing import Any, Self
from weakref import finalize

import numpy as np

from sklearn_ap._base.common.types import Index
from sklearn_ap._base.inputs.name_codes import hash_names, number_names, places_of_names
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.blocks import order_by_ranking, ranges
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.thresholds import COLUMNS, ThresholdCounts
from sklearn_ap.large._checked_batches import (
    CleanBatch,
    Labels,
    ScoreType,
    all_labels,
    check_labels,
    common_dtype,
    type_of,
)
from sklearn_ap.large._two_passes import finish, first, second

MOST_ROWS = 2**22  # that wait in memory, or that a part may have to be counted at once
N_PARTS = 64
LARGEST_NAME = 2**63  # of an integer of NumPy
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # no room on the disk, or not for this user


@dataclass(frozen=True, slots=True, eq=False)
class QueryCounts:
    """The names of queries, the counts of each, and what labels and how many rows there were."""

    names: tuple[Any, ...]
    counts: tuple[ThresholdCounts, ...]  # of some queries each, in the order of the names
    labels: Labels
    n_rows: int

    def __add__(self, other: Self) -> Self:
        labels, n_rows = all_labels(self.labels, other.labels), self.n_rows + other.n_rows
        return type(self)(self.names + other.names, self.counts + other.counts, labels, n_rows)

    def in_order(self, pos_label: Any, *, have_types: bool = True) -> ThresholdCounts:
        """Give the counts in the order of the names, where the labels go together.

        Without types, names that all are numbers are taken for numbers.
        """
        check_labels(self.labels, self.n_rows, pos_label)
        names = self.names if have_types else _as_numbers(self.names)
        place = places_of_names(names, "queries")
        if len(place) < len(names):  # 7 and 7.0 are equal, but may come to different tasks
            name, _ = Counter(names).most_common(1)[0]
            raise ValueError(
                f"queries has one type in some partitions, and another one in others: {name!r} was "
                f"found twice. Give all partitions the same type."
            )
        order = np.argsort([place[name] for name in names])
        return replace(_reordered(self.counts, order), names=tuple(names[i] for i in order))


class QueryPart:
    """Rows that wait: in memory, and then in a file without a name. Their queries are numbers."""

    def __init__(self) -> None:
        self.n_rows = 0
        self._waiting: list[CleanBatch] = []
        # Opened when rows are stored
        self._file = SpooledTemporaryFile(prefix="sklearn_ap")  # noqa: SIM115
        finalize(self, self._file.close)

    @property
    def n_bytes(self) -> int:
        """How many bytes are in the file, and how many wait to be written to it."""
        columns = ("positive", "score", "weight", "queries")
        arrays = (getattr(rows, column) for rows in self._waiting for column in columns)
        return self._file.tell() + sum(array.nbytes for array in arrays if array is not None)

    def add(self, rows: CleanBatch) -> None:
        """Let rows wait in memory."""
        self.n_rows += rows.score.size
        self._waiting.append(rows)

    def store(self) -> None:
        """Move what waits in memory to the file, which is gone when the part is."""
        if self._waiting:
            self._file.rollover()
            try:
                pickle.dump(self._waiting, self._file, pickle.HIGHEST_PROTOCOL)
                self._file.flush()
            except OSError:
                with suppress(OSError):  # it would write what is left once more
                    self._file.close()
                raise
            self._waiting = []

    def __iter__(self) -> Iterator[CleanBatch]:
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield from pickle.load(self._file)
        yield from self._waiting


def count_by_query(batches: Iterable[CleanBatch]) -> QueryCounts:
    """Count the rows of each query; what waits for that is no more than ``MOST_ROWS``."""
    number: dict[Any, int] = {}
    labels: Labels = {}
    types: set[ScoreType] = set()
    n_rows = 0

    def numbered() -> Iterator[CleanBatch]:
        nonlocal labels, n_rows
        for rows in batches:
            labels = all_labels(labels, rows.labels)
            if rows.score.size:
                n_rows += rows.score.size
                types.add(type_of(rows.score))
                yield replace(rows, queries=number_names(rows.queries, number))

    parts = _spread(numbered(), 1)
    dtype = common_dtype(types)
    counted = [one for part in parts for one in _counted(part, 1, dtype)]
    names = [*number]
    in_order = tuple(names[query] for queries, _ in counted for query in queries)
    return QueryCounts(in_order, tuple(counts for _, counts in counted), labels, n_rows)


def _as_numbers(names: tuple[Any, ...]) -> tuple[Any, ...]:
    """Names as numbers, if all are written as Python writes numbers: 007 and 1.10 are names.

    Of names in several columns, each column.
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
            if str(number) == name and abs(number) < LARGEST_NAME:
                return number
    return None


def split_by_query(rows: CleanBatch, n_parts: int) -> list[CleanBatch]:
    """Cut rows into parts, in each of which are whole queries; the same ones on all machines."""
    part = hash_names(rows.queries) % np.uint64(n_parts)
    return [rows.take(part == i) for i in range(n_parts)]


def _spread(rows: Iterable[CleanBatch], divisor: int) -> list[QueryPart]:
    """Spread queries over parts by a digit of their numbers."""
    parts, n_waiting = [QueryPart() for _ in range(N_PARTS)], 0
    for some in rows:
        part = some.queries // divisor % N_PARTS
        sizes = np.bincount(part, minlength=N_PARTS)
        order, end = order_by_ranking(part, N_PARTS), 0
        for i in sizes.nonzero()[0]:
            begin, end = end, end + sizes[i]
            parts[i].add(some.take(order[begin:end]))
        n_waiting += some.score.size
        if n_waiting > MOST_ROWS:
            n_waiting = 0
            _store(parts)
    return parts


def _store(parts: list[QueryPart]) -> None:
    """Move what waits in memory to files, and say what to do where there is no room for them."""
    n_bytes, n_rows = (sum(getattr(part, name) for part in parts) for name in ("n_bytes", "n_rows"))
    try:
        for part in parts:
            part.store()
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise OSError(
            error.errno,
            f"{os.strerror(error.errno)}: rows wait for their queries in the temporary folder "
            f"{gettempdir()!r}, which had to hold {n_bytes / 1e6:,.0f} MB for {n_rows:,} rows, and "
            f"more for the rest. Set the environment variable TMPDIR to a folder that has room "
            f"for {n_bytes / n_rows:.0f} bytes for each row of the data",
        ) from error


def _counted(
    part: QueryPart, divisor: int, dtype: np.dtype[Any]
) -> Iterator[tuple[Index, ThresholdCounts]]:
    """Give numbers of queries and their counts."""
    if part.n_rows > MOST_ROWS:
        queries = np.unique(np.concatenate([np.unique(rows.queries) for rows in part]))
        if queries.size > 1:
            for smaller in _spread(part, divisor * N_PARTS):
                yield from _counted(smaller, divisor * N_PARTS, dtype)
        else:
            yield queries, _in_two_passes(part, dtype)
    elif part.n_rows:
        some = ((rows.positive, rows.score, rows.weight, rows.queries) for rows in part)
        columns = zip(*some, strict=True)
        arrays: list[Any] = [None if of[0] is None else np.concatenate(of) for of in columns]
        positive, score, weight, queries = arrays
        queries, ranking = np.unique(queries, return_inverse=True)
        score = score.astype(dtype, copy=False)
        rankings = Rankings(positive, score, weight, ranking, queries.size)
        yield queries, count(rankings.select_retrieved())


def _in_two_passes(part: QueryPart, dtype: np.dtype[Any]) -> ThresholdCounts:
    """Count a query that does not fit in memory."""

    def rows() -> Iterator[CleanBatch]:
        return (replace(some, score=some.score.astype(dtype, copy=False)) for some in part)

    first_pass = first(rows())
    return finish(first_pass, second(rows(), first_pass.thresholds, first_pass.powers))


def _reordered(counted: Sequence[ThresholdCounts], order: Index) -> ThresholdCounts:
    """Lay the rankings of several counts end to end, in an order."""
    sizes = np.concatenate([counts.ends - counts.starts for counts in counted])
    starts, sizes = (np.cumsum(sizes) - sizes)[order], sizes[order]
    at = np.repeat(starts, sizes) + ranges(sizes)
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(counts, name) for counts in counted])[chosen]
        for names, chosen in ((COLUMNS, at), (("n_positives", "n_negatives"), order))
        for name in names
    }
    if columns["gained"].dtype.kind == "f":  # parts without weights have whole ones
        wholes = [
            np.ones(counts.starts.size, bool) if counts.are_whole is None else counts.are_whole
            for counts in counted
        ]
        columns["are_whole"] = np.concatenate(wholes)[order]
        added = [
            np.zeros(counts.starts.size, np.intp) if counts.n_added is None else counts.n_added
            for counts in counted
        ]
        columns["n_added"] = np.concatenate(added)[order]
    return ThresholdCounts(**columns, starts=np.cumsum(sizes) - sizes)
