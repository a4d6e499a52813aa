"""CSV that Python alone reads: the same rows and cells, in the same parts, as pyarrow gives."""

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from threading import Lock
from typing import Any

from sklearn_ap._base.files.columns import Column, columns_of_texts
from sklearn_ap._base.files.errors import TOO_LONG, DataError

LIMIT = Lock()  # of the letters of a cell, which the csv module has once for all


class TooLongError(DataError):
    """No row ends in a whole block."""


class Lines:
    """The lines of a text, which is read in blocks of bytes; each belongs to that of its end.

    Who makes rows of them says in ``used`` in which block the last row ended.
    """

    def __init__(self, stream: Any, size: int) -> None:
        self.stream = stream
        self.size = size
        self.n_blocks = 0
        self.used = 0
        self.begins_within_end = False  # of a line, "\r\n", in the block before

    def __iter__(self) -> Iterator[str]:
        rest, ends_in_return = b"", False
        while block := self.stream.read(self.size):
            if self.n_blocks > max(self.used, 1):
                raise TooLongError(TOO_LONG)
            self.n_blocks += 1
            self.begins_within_end = ends_in_return and block.startswith(b"\n")
            ends_in_return = block.endswith(b"\r")
            text = rest + block.removeprefix(BOM_UTF8 if self.n_blocks == 1 else b"")
            end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
            rest = text[end:]
            yield from _lines(text[:end])
        yield from _lines(rest)


def _lines(text: bytes) -> io.StringIO:
    """Lines with their ends; what is not UTF-8 matters only in cells that are wanted."""
    return io.StringIO(text.decode(errors="surrogateescape"), newline="")


def batches(lines: Lines, width: int, places: list[int], delimiter: str) -> Iterator[list[Column]]:
    """The cells at some places of rows, each of which must have as many cells as the header."""
    for cells in _blocks(lines, width, places, delimiter):
        yield columns_of_texts(cells, len(places))


def _blocks(lines: Lines, width: int, places: list[int], delimiter: str) -> Iterator[list[str]]:
    """The wanted cells of the rows that end in a block, one row after the other."""
    # A slice gives a list also of one cell.
    first, *others = places
    wanted = itemgetter(*places) if others else itemgetter(slice(first, first + 1))
    reader = csv.reader(lines, delimiter=delimiter)
    n_rows = 0
    next_rows: list[list[str]] | None = []  # the first one of the next block
    problem = None
    while next_rows is not None:
        rows, next_rows = chain(next_rows, reader), None
        cells: list[str] = []
        try:
            with cells_of_any_length(4 * lines.size):
                for row in rows:
                    if lines.n_blocks > lines.used:
                        next_rows = [row]
                        break
                    if len(row) != width:
                        row = _empty(row, n_rows + len(cells) // len(places), width)
                    cells.extend(wanted(row))
        except TooLongError as error:  # the rows before it come first
            problem = error
        if cells:
            yield cells
        n_rows += len(cells) // len(places)
        lines.used = lines.n_blocks
        if next_rows == [[]] and lines.begins_within_end:  # which is no row
            next_rows = []
    if problem:
        raise problem


def _empty(row: list[str], n_before: int, width: int) -> list[str]:
    """The cells of an empty line, or an error for what has another number of cells."""
    if row:
        raise DataError(wrong_width(n_before + 2, len(row), width))  # below the header
    return [""] * width


def wrong_width(row: int, found: int, expected: int) -> str:
    """What is wrong with a row of another number of cells than the header has."""
    only, several = "only " if found < expected else "", "s" if found > 1 else ""
    return f"row {row} has {only}{found} column{several}; the header has {expected}"


@contextmanager
def cells_of_any_length(most: int) -> Iterator[None]:
    """Let the csv module read cells of so many letters."""
    with LIMIT:
        before = csv.field_size_limit(most)
        try:
            yield
        finally:
            csv.field_size_limit(before)
