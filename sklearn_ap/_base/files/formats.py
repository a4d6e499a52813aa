"""Open files, and the rows of each format: CSV, JSON lines, Parquet and Feather."""

import csv
import io
import json
import os
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.files import _plain_csv as plain_csv
from sklearn_ap._base.files.arrow_columns import ArrowColumn, read_columns
from sklearn_ap._base.files.cells import DecimalMarks, FileRows, check_columns
from sklearn_ap._base.files.columns import Column, make_column
from sklearn_ap._base.files.errors import BLOCK, TOO_LONG, DataError, shown
from sklearn_ap._extras import import_extra, import_optional
from sklearn_ap._types import ArrowTable, Bool, Keywords

# The first bytes of packed files, and the modules of Python that open them.
PACKED = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\xfd7zXZ\0": "lzma",
    b"\x28\xb5\x2f\xfd": "compression.zstd",
}
DELIMITERS = ",\t;|"
MOST_BYTES = 1 << 30  # for formats that cannot be read in parts from a pipe
WRONG_WIDTH = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
MOST_ROWS = 2**18  # the most rows of a batch
# One file and few batches ahead: more would not be faster here, and take memory.
SCAN_OPTIONS = {"batch_size": MOST_ROWS, "batch_readahead": 4, "fragment_readahead": 1}


class OpenFile:
    """The bytes of a file, its wanted columns (None: all), and its name in errors.

    ``substitutes`` names columns to read in place of others that the file lacks.
    """

    def __init__(
        self,
        raw: io.BufferedReader,
        columns: list[str] | None,
        place: str,
        substitutes: Mapping[str, str],
    ) -> None:
        self.raw = raw
        self.wanted = columns
        self.columns = columns or []
        self.substitutes = substitutes
        self.place = place
        self.n_bytes = os.fstat(raw.fileno()).st_size if raw.seekable() else None
        self.unpacked: io.BufferedReader = raw
        for magic, module in PACKED.items():
            if raw.peek(len(magic)).startswith(magic):
                self.unpacked = io.BufferedReader(_unpack(raw, module), BLOCK)
        self._n_read = 0

    def choose_columns(self, header: Iterable[str]) -> None:
        """Check that the wanted columns are among these."""
        self.columns = self.select_columns(header)
        names_with_units = {column: name for name, column in self.substitutes.items()}
        check_columns(self.columns, header, names_with_units)

    def select_columns(self, header: Iterable[str]) -> list[str]:
        """List the wanted columns, with substitutes for missing ones."""
        if self.wanted is None:  # a name that stands twice has no column
            return [name for name, n in Counter([*header]).items() if n == 1]
        names = (
            name if name in header else self.substitutes.get(name, name) for name in self.columns
        )
        return list(dict.fromkeys(names))

    def read_lines(self, size: int) -> bytes:
        """Read whole lines of about this size in all, and refuse very long ones."""
        block = self.unpacked.read(size)
        rest = self.unpacked.readline(BLOCK) if block else b""
        if len(rest) == BLOCK and not rest.endswith(b"\n"):
            raise DataError(TOO_LONG)
        return block + rest

    def bytes_read(self) -> int:
        """Count the bytes read since the last call; 0 from a pipe."""
        n_before = self._n_read
        self._n_read = 0 if self.n_bytes is None else self.raw.tell()
        return self._n_read - n_before


def _unpack(raw: io.BufferedReader, module: str) -> io.RawIOBase:
    """Unpack the bytes of a file; before Python 3.14, pyarrow unpacks zstd."""
    if module == "compression.zstd" and import_optional(module) is None:
        pa = import_extra("pyarrow", "Unpacking zstd", "table")
        unpacked: io.RawIOBase = pa.CompressedInputStream(raw, "zstd")
    else:
        unpacked = import_module(module).open(raw)
    return unpacked


@contextmanager
def open_file(
    path: str,
    columns: list[str] | None,
    place: str,
    substitutes: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[OpenFile]:
    """Open a file; a path of "-" is standard input."""
    if path == "-" and sys.stdin is None:
        raise DataError("there is no standard input")
    source: str | int = sys.stdin.fileno() if path == "-" else path
    with open(source, "rb", closefd=path != "-") as raw:
        yield OpenFile(raw, columns, place, substitutes)


def parquet_rows(file: OpenFile) -> Iterator[FileRows]:
    """Read rows of Parquet, which has no header: the first row is row 1."""
    import_extra("pyarrow", "Reading Parquet", "table")
    import pyarrow.dataset as ds

    fragment = ds.ParquetFileFormat().make_fragment(_seekable(file))
    # Read the file in its own types: the types of another file could round its scores.
    schema = fragment.physical_schema
    file.choose_columns(schema.names)
    bytes_per_row = (file.n_bytes or 0) / max(fragment.count_rows(), 1)
    scanner = fragment.scanner(schema=schema, columns=file.columns, **SCAN_OPTIONS)
    batches = (Batch(batch, batch.num_rows * bytes_per_row) for batch in scanner.to_batches())
    return _rows_of_batches(file, batches)


def feather_rows(file: OpenFile) -> Iterator[FileRows]:
    """Read rows of Feather. A scanner, as of Parquet, would crash at a corrupt block."""
    import_extra("pyarrow", "Reading Feather", "table")
    from pyarrow import ipc

    source = _seekable(file)
    names = ipc.open_file(source).schema.names
    file.choose_columns(names)
    wanted = ipc.IpcReadOptions(included_fields=[*map(names.index, file.columns)])
    reader = ipc.open_file(source, options=wanted)
    n_bytes = (file.n_bytes or 0) / max(reader.num_record_batches, 1)
    batches = map(reader.get_batch, range(reader.num_record_batches))
    return _rows_of_batches(file, (Batch(batch, n_bytes) for batch in batches))


class Batch(NamedTuple):
    """Rows of a file."""

    record: ArrowTable  # a record batch of pyarrow
    n_bytes: float  # the size in the file


def _rows_of_batches(file: OpenFile, batches: Iterable[Batch]) -> Iterator[FileRows]:
    """Read the rows of record batches, at most ``MOST_ROWS`` at a time."""
    row = 1
    for record, n_bytes in batches:
        for begin in range(0, record.num_rows, MOST_ROWS):
            part = record.slice(begin, MOST_ROWS)
            part_bytes = round(n_bytes * part.num_rows / record.num_rows)
            yield FileRows(file.place, row, read_columns(part, file.columns), part_bytes)
            row += part.num_rows


def _seekable(file: OpenFile) -> io.BufferedReader | io.BytesIO:
    """Return a file that can be read from its end, as Parquet and Feather are; unlike a pipe."""
    if file.unpacked is file.raw and file.n_bytes is not None:
        return file.raw
    whole = io.BytesIO()
    while block := file.unpacked.read(BLOCK):
        if whole.write(block) and whole.tell() > MOST_BYTES:
            raise DataError(
                f"there is more than {MOST_BYTES >> 30} GB of Parquet or Feather, which is read "
                f"from its end: store it in a file, unpacked"
            )
    return whole


def csv_rows(file: OpenFile) -> Iterator[FileRows]:
    """Read rows of CSV, but not those that have no wanted cell. The header is row 1."""
    first_line = file.unpacked.readline(BLOCK).decode("utf-8-sig")
    if not first_line:
        raise DataError("the file is empty")
    headers = {delimiter: _split_header(first_line, delimiter) for delimiter in DELIMITERS}
    if not any(headers.values()) and first_line.strip():
        raise DataError(
            f"the header has a name of more than {csv.field_size_limit():,} characters: is the "
            f"file CSV, with the names of its columns in the first line?"
        )
    delimiter = _choose_delimiter(file, headers)
    file.choose_columns(headers[delimiter])
    if not file.unpacked.peek(1):
        return
    row = 2
    marks = DecimalMarks() if delimiter == ";" else None
    for texts in _csv_batches(file, headers[delimiter], delimiter):
        is_kept = _have_text(texts)
        if not is_kept.all():
            texts = [column.filter(is_kept) for column in texts]
        columns = dict(zip(file.columns, texts, strict=True))
        n_bytes = file.bytes_read()
        yield FileRows(file.place, row, columns, n_bytes, is_kept, is_text=True, marks=marks)
        row += is_kept.size


def _choose_delimiter(file: OpenFile, headers: dict[str, list[str]]) -> str:
    """Choose the mark that splits the header into most wanted names, and then into most names.

    If a name is wrong, the error then lists the others one by one.
    """

    def fit(delimiter: str) -> tuple[bool, int, int]:
        header = headers[delimiter]
        wanted = file.select_columns(header)
        n_present = len({*wanted} & {*header})
        return n_present == len(wanted), n_present, len(header)

    return max(DELIMITERS, key=fit)


def _split_header(header: str, delimiter: str) -> list[str]:
    """Split the header into names; return none if one is longer than Python reads."""
    try:
        return next(csv.reader([header], delimiter=delimiter), [])
    except csv.Error as error:
        if "field limit" in str(error):  # a long header is one name under another mark
            return []
        raise


def _have_text(columns: list[Column]) -> Bool:
    """Flag rows that have more than spaces in any column."""
    have_text = np.zeros(len(columns[0]), bool)
    for column in columns:
        have_text |= ~column.as_written().are_missing(or_nan=False)
        if have_text.all():  # mostly the first column says so
            break
    return have_text


def json_rows(file: OpenFile) -> Iterator[FileRows]:
    """Read rows of JSON lines. The first line is row 1."""
    row = 1
    is_checked = False
    while block := file.read_lines(BLOCK):
        lines = block.removesuffix(b"\n").split(b"\n")
        is_kept = np.array([bool(line.strip()) for line in lines])
        numbered = {row + i: lines[i] for i in is_kept.nonzero()[0].tolist()}
        if numbered and not is_checked:
            first_row, first_line = next(iter(numbered.items()))
            first = _read_record(first_row, first_line, wanted=[])
            file.choose_columns(first if file.wanted is not None else _plain_cells(first))
            is_checked = True
        records = {i: _read_record(i, line, file.columns) for i, line in numbered.items()}
        columns = {name: _json_column(name, records) for name in file.columns}
        yield FileRows(file.place, row, columns, file.bytes_read(), is_kept, is_text=True)
        row += len(lines)


def _plain_cells(record: Keywords) -> Keywords:
    """Leave out lists and records within a record."""
    return {name: each for name, each in record.items() if not isinstance(each, list | dict)}


def _csv_batches(file: OpenFile, header: list[str], delimiter: str) -> Iterator[list[Column]]:
    """Read the wanted cells as text, and refuse rows that are too short or too long."""
    if import_optional("pyarrow") is None:
        wanted_columns = [*map(header.index, file.columns)]
        lines = plain_csv.Lines(file.unpacked, BLOCK)
        yield from plain_csv.batches(lines, len(header), wanted_columns, delimiter)
        return
    import pyarrow as pa
    from pyarrow import csv as arrow

    # Columns are named by their indices, as unwanted names may repeat.
    names = [*map(str, range(len(header)))]
    wanted = [str(header.index(name)) for name in file.columns]
    # With threads, or without empty lines, the numbers of rows would be unknown.
    reading = arrow.ReadOptions(column_names=names, use_threads=False, block_size=BLOCK)
    parsing = arrow.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False
    )
    # Read text, so that an error can show a cell as it is written.
    types = dict.fromkeys(wanted, pa.string())
    converting = arrow.ConvertOptions(include_columns=wanted, column_types=types)
    try:
        for batch in arrow.open_csv(file.unpacked, reading, parsing, converting):
            yield [*map(ArrowColumn, batch.columns)]
    except pa.ArrowInvalid as error:
        # A handler of invalid rows gets them as text, which they may not be.
        match = WRONG_WIDTH.search(str(error))
        if "straddling object" in str(error):
            raise DataError(TOO_LONG) from error
        if match is None:
            raise
        row, expected, width = map(int, match.groups())
        raise DataError(plain_csv.wrong_width(row + 1, width, expected)) from error


class _Constant(float):
    """NaN, Infinity or -Infinity as JSON spells them, and no number that is too large."""


Record = Keywords  # the cells of a JSON object, of several types


class _RepeatedKeys(Record):
    """A record that has some keys twice."""

    repeated: set[str]


def _make_record(pairs: list[tuple[str, object]]) -> Record:
    cells = dict(pairs)
    if len(cells) == len(pairs):
        return cells
    keys = [key for key, _ in pairs]
    record = _RepeatedKeys(cells)
    record.repeated = {key for key in cells if keys.count(key) > 1}
    return record


DECODER = json.JSONDecoder(parse_constant=_Constant, object_pairs_hook=_make_record)


def _read_record(row: int, line: bytes, wanted: list[str]) -> Record:
    """Read a line; refuse keys that are wanted twice, and numbers that no float holds."""
    text = line.removeprefix(BOM_UTF8).decode()
    problem = "is not a JSON object on a line of its own"
    try:
        record = DECODER.decode(text)
    except (ValueError, RecursionError) as error:  # or a number of more digits than Python reads
        raise DataError(f"row {row} {problem}: {getattr(error, 'msg', error)}") from error
    if not isinstance(record, dict):
        raise DataError(f"row {row} {problem}")
    if isinstance(record, _RepeatedKeys):  # names that nobody wants may repeat, as in CSV
        for name in record.repeated.intersection(wanted):
            raise DataError(f"row {row} has the key {name!r} twice")
    if -np.inf in record.values():
        for name, value in record.items():
            if value == -np.inf and not isinstance(value, _Constant):
                raise DataError(f"row {row}, column {name!r}: the number is too large for a float")
    return record


def _json_column(name: str, records: Mapping[int, Record]) -> Column:
    """Make a column of the values of a key, each of which is one value."""
    values = [record.get(name) for record in records.values()]
    if any(issubclass(kind, list | dict) for kind in {*map(type, values)}):
        rows = zip(records, values, strict=True)
        row, value = next((row, value) for row, value in rows if isinstance(value, list | dict))
        raise DataError(f"row {row}, column {name!r}: {shown(value)} is not one value")
    return make_column(values)


def release_arrow_memory() -> None:
    """Release the memory that PyArrow keeps for the next file."""
    if (pyarrow := sys.modules.get("pyarrow")) is not None:
        pyarrow.default_memory_pool().release_unused()
