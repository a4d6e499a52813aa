"""A file that is being read: its bytes as they are stored, and unpacked."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn_ap._files.cells import DataError

BLOCK = 4 << 20  # bytes of text at a time; no row may be longer
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
TOO_LONG = f"a row is longer than {BLOCK >> 20} MB"


class OpenFile:
    """The bytes of a file, the columns that are wanted of it, and how errors name it."""

    def __init__(self, raw: io.BufferedReader, columns: list[str], place: str) -> None:
        import pyarrow as pa

        self.raw = raw
        self.columns = columns
        self.place = place
        self.n_bytes = os.fstat(raw.fileno()).st_size if raw.seekable() else None
        self.unpacked: Any = raw
        for magic, name in PACKED.items():
            if raw.peek(4).startswith(magic):
                self.unpacked = io.BufferedReader(pa.CompressedInputStream(raw, name), BLOCK)
        self._n_read = 0

    def read_lines(self, size: int) -> bytes:
        """Whole lines of about this size, of which none goes on for long."""
        block: bytes = self.unpacked.read(size)
        rest: bytes = self.unpacked.readline(BLOCK) if block else b""
        if len(rest) == BLOCK and not rest.endswith(b"\n"):
            raise DataError(TOO_LONG)
        return block + rest

    def bytes_read(self) -> int:
        """How many bytes were read since this was asked before; 0 from a pipe."""
        before, self._n_read = self._n_read, 0 if self.n_bytes is None else self.raw.tell()
        return self._n_read - before


@contextmanager
def open_file(path: str, columns: list[str], place: str) -> Iterator[OpenFile]:
    """Open a file; a path of "-" is standard input."""
    if path == "-" and sys.stdin is None:
        raise DataError("there is no standard input")
    source: str | int = sys.stdin.fileno() if path == "-" else path
    with open(source, "rb", closefd=path != "-") as raw:
        yield OpenFile(raw, columns, place)
