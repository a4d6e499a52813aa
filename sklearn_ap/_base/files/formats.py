"""Open files, and the rows of each format: CSV, JSON lines, Parquet and Feather."""

import csv
import io
import json
import os
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.extras import import_extra, import_optional
from sklearn_ap._base.files import _plain_csv as plain_csv
from sklearn_ap._base.files.arrow_columns import ArrowColumn, read_columns
from sklearn_ap._base.files.cells import DecimalMarks, FileRows, check_columns
from sklearn_ap._base.files.columns import Column, column_of
from sklearn_ap._base.files.errors import BLOCK, TOO_LONG, DataError, shown

# How packed files begin, and the modules of Python that open them.
PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\0": "lzma",
    b"\x28\xb5\x2f\xfd": "compression.zstd",
}
DELIMITERS = ",\t;|"
MOST_WHOLE = 1 << 30  # bytes of a format that cannot be read in parts from a pipe
WRONG_WIDTH = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
# One file and few batches ahead: more would not be faster here, and take memory.
SCAN = {"batch_size": 2**18, "batch_readahead": 4, "fragment_readahead": 1}


class OpenFile:
    """The bytes of a file, the columns that are wanted of it, and how errors name it.

    ``instead`` has columns that stand for others which are not there.
    """

    def __init__(
        self, raw: io.BufferedReader, columns: list[str], place: str, instead: Mapping[str, str]
    ) -> None:
        self.raw = raw
        self.columns = columns
        self.instead = instead
        self.place = place
        self.n_bytes = os.fstat(raw.fileno()).st_size if raw.seekable() else None
        self.there: list[str] = []  # all columns, once they are known
        self.unpacked: Any = raw
        for magic, module in PACKED.items():
            if raw.peek(len(magic)).startswith(magic):
                self.unpacked = io.BufferedReader(_unpacked(raw, module), BLOCK)
        self._n_read = 0

    def choose(self, there: Iterable[str]) -> None:
        """Check that the columns are there."""
        self.there = [*there]
        self.columns = self.chosen(there)
        check_columns(self.columns, there)

    def chosen(self, there: Iterable[str]) -> list[str]:
        """The columns, or what stands for those that are not there."""
        names = (n if n in there else self.instead.get(n, n) for n in self.columns)
        return list(dict.fromkeys(names))

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


def _unpacked(raw: io.BufferedReader, module: str) -> Any:
    """The bytes of a packed file; before Python 3.14, pyarrow unpacks zstd."""
    if module == "compression.zstd" and import_optional(module) is None:
        pa = import_extra("pyarrow", "Unpacking zstd", "table")
        return pa.CompressedInputStream(raw, "zstd")
    return import_module(module).open(raw)


@contextmanager
def open_file(
    path: str, columns: list[str], place: str, instead: Mapping[str, str] = MappingProxyType({})
) -> Iterator[OpenFile]:
    """Open a file; a path of "-" is standard input."""
    if path == "-" and sys.stdin is None:
        raise DataError("there is no standard input")
    source: str | int = sys.stdin.fileno() if path == "-" else path
    with open(source, "rb", closefd=path != "-") as raw:
        yield OpenFile(raw, columns, place, instead)


def parquet_rows(file: OpenFile) -> Iterator[FileRows]:
    """Rows of Parquet, without a header: the first row is row 1."""
    import_extra("pyarrow", "Reading Parquet", "table")
    import pyarrow.dataset as ds

    fragment = ds.ParquetFileFormat().make_fragment(_seekable(file))
    # In its own types: those of another file could round its scores.
    schema = fragment.physical_schema
    file.choose(schema.names)
    bytes_per_row = (file.n_bytes or 0) / max(fragment.count_rows(), 1)
    batches = fragment.scanner(schema=schema, columns=file.columns, **SCAN).to_batches()
    return _rows(file, ((batch, batch.num_rows * bytes_per_row) for batch in batches))


def feather_rows(file: OpenFile) -> Iterator[FileRows]:
    """Rows of Feather. A scanner, as of Parquet, would crash where a block of them is corrupt."""
    import_extra("pyarrow", "Reading Feather", "table")
    from pyarrow import ipc

    source = _seekable(file)
    names = ipc.open_file(source).schema.names
    file.choose(names)
    wanted = ipc.IpcReadOptions(included_fields=[*map(names.index, file.columns)])
    reader = ipc.open_file(source, options=wanted)
    n_bytes = (file.n_bytes or 0) / max(reader.num_record_batches, 1)
    batches = map(reader.get_batch, range(reader.num_record_batches))
    return _rows(file, ((batch, n_bytes) for batch in batches))


def _rows(file: OpenFile, batches: Iterable[tuple[Any, float]]) -> Iterator[FileRows]:
    """Rows of record batches, and of how many bytes each was."""
    row, most = 1, SCAN["batch_size"]
    for batch, n_bytes in batches:
        for begin in range(0, batch.num_rows, most):
            part = batch.slice(begin, most)
            share = round(n_bytes * part.num_rows / batch.num_rows)
            yield FileRows(file.place, row, read_columns(part, file.columns), share)
            row += part.num_rows


def _seekable(file: OpenFile) -> Any:
    """A file that can be read from its end, as Parquet and Feather are: a pipe has none."""
    if file.unpacked is file.raw and file.n_bytes is not None:
        return file.raw
    whole = io.BytesIO()
    while block := file.unpacked.read(BLOCK):
        if whole.write(block) and whole.tell() > MOST_WHOLE:
            raise DataError(
                f"there is more than {MOST_WHOLE >> 30} GB of Parquet or Feather, which is read "
                f"from its end: store it in a file, unpacked"
            )
    return whole


def csv_rows(file: OpenFile) -> Iterator[FileRows]:
    """Rows of CSV without those that have no wanted cell. The header is row 1."""
    first = file.unpacked.readline(BLOCK).decode("utf-8-sig")
    if not first:
        raise DataError("the file is empty")
    headers = {mark: _names(first, mark) for mark in DELIMITERS}
    if not any(headers.values()) and first.strip():
        raise DataError(
            f"the header has a name of more than {csv.field_size_limit():,} characters: is the "
            f"file CSV, with the names of its columns in the first line?"
        )
    delimiter = _delimiter(file, headers)
    file.choose(headers[delimiter])
    if not file.unpacked.peek(1):
        return
    row, marks = 2, DecimalMarks() if delimiter == ";" else None
    for texts in _batches(file, headers[delimiter], delimiter):
        kept = _hold_anything(texts)
        some = texts if kept.all() else [column.filter(kept) for column in texts]
        columns = dict(zip(file.columns, some, strict=True))
        n_bytes = file.bytes_read()
        yield FileRows(file.place, row, columns, n_bytes, kept, is_text=True, marks=marks)
        row += kept.size


def _delimiter(file: OpenFile, headers: dict[str, list[str]]) -> str:
    """The mark that splits the header into most wanted names, and then into most names.

    If a name is wrong, the error then lists the others one by one.
    """

    def fit(mark: str) -> tuple[bool, int, int]:
        there = headers[mark]
        wanted = file.chosen(there)
        n_found = len({*wanted} & {*there})
        return n_found == len(wanted), n_found, len(there)

    return max(DELIMITERS, key=fit)


def _names(header: str, mark: str) -> list[str]:
    """The names between the marks; none if one is longer than Python reads."""
    try:
        return next(csv.reader([header], delimiter=mark), [])
    except csv.Error as error:
        if "field limit" in str(error):  # a long header is one name under another mark
            return []
        raise


def _hold_anything(columns: list[Column]) -> Bool:
    """Which rows have more than spaces in any column."""
    hold = np.zeros(len(columns[0]), bool)
    for column in columns:
        hold |= ~column.as_written().are_missing(or_nan=False)
        if hold.all():  # mostly the first column says so
            break
    return hold


def json_rows(file: OpenFile) -> Iterator[FileRows]:
    """Rows of JSON lines. The first line is row 1."""
    row = 1
    is_checked = False
    while block := file.read_lines(BLOCK):
        lines = block.removesuffix(b"\n").split(b"\n")
        kept = np.array([bool(line.strip()) for line in lines])
        numbered = [(i, line) for i, line in enumerate(lines, row) if kept[i - row]]
        if numbered and not is_checked:
            file.choose(_record(*numbered[0], wanted=[]))
            is_checked = True
        records = {i: _record(i, line, file.columns) for i, line in numbered}
        columns = {name: _json_column(name, records) for name in file.columns}
        yield FileRows(file.place, row, columns, file.bytes_read(), kept, is_text=True)
        row += len(lines)


def _batches(file: OpenFile, header: list[str], delimiter: str) -> Iterator[list[Column]]:
    """Read the wanted cells as text, and refuse rows that are too short or too long."""
    if import_optional("pyarrow") is None:
        places = [*map(header.index, file.columns)]
        lines = plain_csv.Lines(file.unpacked, BLOCK)
        yield from plain_csv.batches(lines, len(header), places, delimiter)
        return
    import pyarrow as pa
    from pyarrow import csv as arrow

    # Columns go by their places, as names that nobody wants may repeat.
    names = [str(place) for place in range(len(header))]
    wanted = [str(header.index(name)) for name in file.columns]
    # With threads, or without its empty lines, no row would have its number.
    reading = arrow.ReadOptions(column_names=names, use_threads=False, block_size=BLOCK)
    parsing = arrow.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False
    )
    # Text, so that an error can show a cell as it stands.
    kinds = dict.fromkeys(wanted, pa.string())
    converting = arrow.ConvertOptions(include_columns=wanted, column_types=kinds)
    try:
        for batch in arrow.open_csv(file.unpacked, reading, parsing, converting):
            yield [*map(ArrowColumn, batch.columns)]
    except pa.ArrowInvalid as error:
        # A handler of invalid rows gets them as text, which they may not be.
        wrong = WRONG_WIDTH.search(str(error))
        if "straddling object" in str(error):
            raise DataError(TOO_LONG) from error
        if wrong is None:
            raise
        row, expected, found = map(int, wrong.groups())
        raise DataError(plain_csv.wrong_width(row + 1, found, expected)) from error


class _Constant(float):
    """NaN, Infinity or -Infinity as JSON spells them, and no number that is too large."""


class _Twice(dict[str, Any]):
    """An object of which some keys are there twice."""

    keys_twice: set[str]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    cells = dict(pairs)
    if len(cells) == len(pairs):
        return cells
    keys, odd = [key for key, _ in pairs], _Twice(cells)
    odd.keys_twice = {key for key in cells if keys.count(key) > 1}
    return odd


DECODER = json.JSONDecoder(parse_constant=_Constant, object_pairs_hook=_object)


def _record(row: int, line: bytes, wanted: list[str]) -> dict[str, Any]:
    text = line.removeprefix(BOM_UTF8).decode()
    problem = "is not a JSON object on a line of its own"
    try:
        record = DECODER.decode(text)
    except (ValueError, RecursionError) as error:  # or a number of more digits than Python reads
        raise DataError(f"row {row} {problem}: {getattr(error, 'msg', error)}") from error
    if not isinstance(record, dict):
        raise DataError(f"row {row} {problem}")
    if isinstance(record, _Twice):  # names that nobody wants may repeat, as in CSV
        for name in record.keys_twice.intersection(wanted):
            raise DataError(f"row {row} has the key {name!r} twice")
    if -np.inf in record.values():
        for name, value in record.items():
            if value == -np.inf and not isinstance(value, _Constant):
                raise DataError(f"row {row}, column {name!r}: the number is too large for a float")
    return record


def _json_column(name: str, records: Mapping[int, dict[str, Any]]) -> Column:
    """The values of a key, each of which is one value."""
    values = [record.get(name) for record in records.values()]
    if any(issubclass(kind, list | dict) for kind in {*map(type, values)}):
        pairs = zip(records, values, strict=True)
        row, value = next(pair for pair in pairs if isinstance(pair[1], list | dict))
        raise DataError(f"row {row}, column {name!r}: {shown(value)} is not one value")
    return column_of(values)
