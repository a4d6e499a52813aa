"""The formats of files: each gives its rows as tables of pyarrow with the wanted columns."""

from __future__ import annotations

import csv
import json
import re
import reprlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import BufferedReader, FileIO
from itertools import chain

from sklearn_ap._extras import LazyModule
from sklearn_ap._files.sources import BLOCK, FORMATS, DataError, pa, suffix_of
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import ArrowColumn, ArrowFile, ArrowTable

arrow_csv = LazyModule("pyarrow.csv", "Reading files", "table")
ipc = LazyModule("pyarrow.ipc", "Reading files", "table")
parquet = LazyModule("pyarrow.parquet", "Reading files", "table")

Choose = Callable[[list[str]], list[str]]  # the columns to read of those in the header
Record = dict[str, object]

DELIMITERS = ",\t;|"  # of CSV
# The words of pyarrow, whose handler of such rows prints a traceback if a text is not UTF-8.
WRONG_ROW = re.compile(
    r"Row #(?P<row>\d+): Expected (?P<n_due>\d+) columns, got (?P<n>\d+): (?P<text>.*)"
)
BATCH_ROWS = 2**18  # of a batch whose size is our choice


def format_of(path: str, file: BufferedReader) -> str:
    """Tell the format by the name, or by the first bytes where the name does not tell."""
    if kind := FORMATS.get(suffix_of(path)):
        return kind
    start = file.peek(64).removeprefix(BOM_UTF8).lstrip()
    kinds = {b"PAR1": "parquet", b"ARROW1": "feather", b"{": "json", b"[": "json"}
    return next((kind for magic, kind in kinds.items() if start.startswith(magic)), "csv")


def read_tables(
    file: BufferedReader, kind: str, choose: Choose, delimiters: str
) -> Iterator[ArrowTable]:
    """Read the rows of a format, some at a time."""
    if kind == "csv":
        return _csv_tables(file, choose, delimiters)
    read = {"json": _json_tables, "parquet": _parquet_tables, "feather": _feather_tables}[kind]
    return read(file, choose)


def _csv_tables(file: BufferedReader, choose: Choose, delimiters: str) -> Iterator[ArrowTable]:
    header, delimiter = read_header(file, delimiters)
    wanted = choose(header)
    if not file.peek(1):
        return
    # Columns are named by their indices, as unwanted names may repeat.
    indices = [str(header.index(name)) for name in wanted]
    counted = _CountedFile(file)
    names = [*map(str, range(len(header)))]
    n_rows = 0
    for batch in read_csv_texts(counted, names, indices, delimiter, n_above=1):
        n_rows += batch.num_rows
        yield pa.table(dict(zip(wanted, batch.columns, strict=True)))
    if counted.n_quotes % 2 and n_rows < counted.n_lines and _has_open_quote(file, delimiter):
        raise DataError('a quotation mark " is not closed, and takes what is below into its cell')


def _has_open_quote(file: BufferedReader, delimiter: str) -> bool:
    """Read again by Python, which is slow and strict; a pipe is not read twice, and refused."""
    if not file.seekable():
        return True
    file.seek(0)
    lines = (line.decode("utf-8-sig") for line in file)
    with suppress(csv.Error):
        for _ in csv.reader(lines, delimiter=delimiter, strict=True):
            pass
        return False
    return True


class _CountedFile:
    """A file whose quotation marks and lines are counted.

    pyarrow gives no error if a quoted cell never ends, even if all rows below are in it.
    """

    closed = False

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.n_quotes = 0
        self.n_lines = 0

    def read(self, size: int) -> bytes:
        block = self._file.read(size)
        self.n_quotes += block.count(b'"')
        self.n_lines += block.count(b"\n")
        return block


def read_csv_texts(
    source: _CountedFile | ArrowFile,
    names: Sequence[str],
    wanted: Sequence[str],
    delimiter: str,
    *,
    n_above: int,
    due: str = "as in row 1",
    has_quotes: bool = True,
) -> Iterator[ArrowTable]:
    """Read columns as texts, so that an error can show a cell as it is written; null is empty.

    The source begins below ``n_above`` rows of its file, and ``due`` says which columns these have.
    """
    # With threads, or without empty lines, the numbers of rows would be unknown.
    read = arrow_csv.ReadOptions(column_names=names, use_threads=False, block_size=BLOCK)
    parse = arrow_csv.ParseOptions(
        delimiter=delimiter,
        quote_char='"' if has_quotes else False,
        newlines_in_values=has_quotes,
        ignore_empty_lines=False,
    )
    convert = arrow_csv.ConvertOptions(
        include_columns=wanted,
        column_types=dict.fromkeys(wanted, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
    )
    try:
        yield from arrow_csv.open_csv(source, read, parse, convert)
    except pa.ArrowInvalid as error:  # which counts its rows from 1
        if wrong := WRONG_ROW.search(str(error)):
            columns = count_as_text(int(wrong["n"]), "column")
            raise DataError(
                f"row {n_above + int(wrong['row'])} has {columns}, not {wrong['n_due']} {due}: "
                f"{reprlib.repr(wrong['text'])}"
            ) from error
        raise pa.ArrowInvalid(f"below row {n_above}: {error}") from error


def read_header(file: BufferedReader, delimiters: str) -> tuple[list[str], str]:
    """Read the names of the columns, and take the delimiter that splits them into most."""
    line = file.readline(BLOCK).decode("utf-8-sig")
    try:
        headers = {mark: next(csv.reader([line], delimiter=mark), []) for mark in delimiters}
    except csv.Error as error:
        raise DataError(f"row 1 is no header with the names of columns: {error}") from error
    best = max(delimiters, key=lambda mark: len(headers[mark]))
    return headers[best], best


def _json_tables(file: BufferedReader, choose: Choose) -> Iterator[ArrowTable]:
    """Read JSON lines by Python.

    pyarrow 26 makes times of texts, keeps the types of the first rows, and crashes where a million
    brackets are open.
    """
    wanted: list[str] = []
    n_above = 0
    while lines := file.readlines(BLOCK):
        records = [_read_record(n_above + i, line) for i, line in enumerate(lines, 1)]
        wanted = wanted or choose([*dict.fromkeys(chain.from_iterable(records))])
        yield pa.table({name: _json_column(name, records, n_above) for name in wanted})
        n_above += len(lines)


def _read_record(row: int, line: bytes) -> Record:
    """Read the values of a line, none if it is blank."""
    text = line.decode("utf-8-sig" if row == 1 else "utf-8").strip()
    try:
        record = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise DataError(f"row {row} is no JSON object on a line of its own: {error}") from error
    if not isinstance(record, dict):
        raise DataError(f"row {row} is no JSON object on a line of its own")
    return record


def _json_column(name: str, records: Sequence[Record], n_above: int) -> ArrowColumn:
    try:
        return pa.array([record.get(name) for record in records])
    except (pa.ArrowException, OverflowError) as error:  # such as texts beside numbers
        raise DataError(f"column {name!r} below row {n_above}: {str(error)[:99]}") from error


def _parquet_tables(file: BufferedReader, choose: Choose) -> Iterator[ArrowTable]:
    source = parquet.ParquetFile(_seekable(file))
    wanted = choose(source.schema_arrow.names)
    yield from source.iter_batches(BATCH_ROWS, columns=wanted, use_threads=False)


def _feather_tables(file: BufferedReader, choose: Choose) -> Iterator[ArrowTable]:
    source = _seekable(file)
    names = ipc.open_file(source).schema.names
    indices = [*map(names.index, choose(names))]
    options = ipc.IpcReadOptions(included_fields=indices, use_threads=False)
    reader = ipc.open_file(source, options=options)
    yield from map(reader.get_batch, range(reader.num_record_batches))


def _seekable(file: BufferedReader) -> ArrowFile:
    """Return what can be read from its end: a plain file, or else all bytes of a stream."""
    is_plain = isinstance(file.raw, FileIO) and file.seekable()
    return file if is_plain else pa.BufferReader(file.read())
