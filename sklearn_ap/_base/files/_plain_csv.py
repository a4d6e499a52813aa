"""CSV read by Python alone: the same rows and cells, in the same parts, as with pyarrow."""

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from operator import itemgetter
from threading import Lock
from typing import Protocol

from sklearn_ap._base.files.columns import Column, make_text_columns
from sklearn_ap._base.files.errors import TOO_LONG, DataError

FIELD_SIZE_LOCK = Lock()  # all threads share the limit of letters of the csv module


class TooLongError(DataError):
    """No row ends in a whole block."""


class ByteStream(Protocol):
    """Bytes that are read in blocks."""

    def read(self, size: int) -> bytes:
        """Read ``size`` bytes, or fewer at the end."""


class Lines:
    """The lines of a text that is read in blocks; a line belongs to the block of its end.

    Whoever makes rows from the lines sets ``n_used_blocks`` to the number of the block in which the
    last row ended.
    """

    def __init__(self, stream: ByteStream, size: int) -> None:
        self.stream = stream
        self.size = size
        self.n_blocks = 0
        self.n_used_blocks = 0
        # Whether the last block begins between the "\r" and the "\n" that end a line.
        self.splits_line_end = False

    def __iter__(self) -> Iterator[str]:
        rest = b""
        ends_in_return = False
        while block := self.stream.read(self.size):
            if self.n_blocks > max(self.n_used_blocks, 1):
                raise TooLongError(TOO_LONG)
            self.n_blocks += 1
            self.splits_line_end = ends_in_return and block.startswith(b"\n")
            ends_in_return = block.endswith(b"\r")
            text = rest + block.removeprefix(BOM_UTF8 if self.n_blocks == 1 else b"")
            end = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
            rest = text[end:]
            yield from _split_lines(text[:end])
        yield from _split_lines(rest)


def _split_lines(text: bytes) -> io.StringIO:
    """Split lines, with their ends; bytes other than UTF-8 matter only in wanted cells."""
    return io.StringIO(text.decode(errors="surrogateescape"), newline="")


def batches(lines: Lines, width: int, wanted: list[int], delimiter: str) -> Iterator[list[Column]]:
    """Read the wanted columns, by their indices; each row must have ``width`` cells."""
    for cells in _read_blocks(lines, width, wanted, delimiter):
        yield make_text_columns(cells, len(wanted))


def _read_blocks(
    lines: Lines, width: int, wanted: list[int], delimiter: str
) -> Iterator[list[str]]:
    """Read the wanted cells of the rows that end in a block, one row after the other."""
    # A slice gives a list, even for one cell.
    is_single = len(wanted) == 1
    select = itemgetter(slice(wanted[0], wanted[0] + 1)) if is_single else itemgetter(*wanted)
    reader = csv.reader(lines, delimiter=delimiter)
    n_rows = 0
    next_rows: list[list[str]] | None = []  # the first one of the next block
    problem = None
    while next_rows is not None:
        rows = chain(next_rows, reader)
        next_rows = None
        cells: list[str] = []
        try:
            with cells_of_any_length(4 * lines.size):
                for row in rows:
                    if lines.n_blocks > lines.n_used_blocks:
                        next_rows = [row]
                        break
                    if len(row) != width:
                        row = _empty_row(row, n_rows + len(cells) // len(wanted), width)
                    cells.extend(select(row))
        except TooLongError as error:  # the rows before it come first
            problem = error
        if cells:
            yield cells
        n_rows += len(cells) // len(wanted)
        lines.n_used_blocks = lines.n_blocks
        if next_rows == [[]] and lines.splits_line_end:  # "\n" alone is no row
            next_rows = []
    if problem:
        raise problem


def _empty_row(row: list[str], n_before: int, width: int) -> list[str]:
    """Return the cells of an empty line; refuse rows with another number of cells."""
    if row:
        raise DataError(wrong_width(n_before + 2, len(row), width))  # below the header
    return [""] * width


def wrong_width(row: int, width: int, expected: int) -> str:
    """Word the error for a row whose number of cells differs from the header."""
    only = "only " if width < expected else ""
    plural = "s" if width > 1 else ""
    return f"row {row} has {only}{width} column{plural}; the header has {expected}"


@contextmanager
def cells_of_any_length(most: int) -> Iterator[None]:
    """Let the csv module read cells of up to ``most`` letters."""
    with FIELD_SIZE_LOCK:
        old_limit = csv.field_size_limit(most)
        try:
            yield
        finally:
            csv.field_size_limit(old_limit)
