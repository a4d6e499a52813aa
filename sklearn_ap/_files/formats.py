"""The formats of files: each gives its rows as tables of pyarrow with the wanted columns.

A new format is a reader of ``read_tables``, and its suffixes in ``FORMATS`` of ``sources``.
"""

from __future__ import annotations

import csv
import json
import re
import reprlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import chain
from math import isfinite
from typing import NamedTuple

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._extras import LazyModule
from sklearn_ap._files.arrow_types import ArrowColumn, ArrowFile, ArrowTable
from sklearn_ap._files.sources import BLOCK, NOT_UTF_8, DataError, NoColumnError, pa
from sklearn_ap._inputs.numbers import LOST_DIGITS, read_number
from sklearn_ap._writing.text import count_as_text, names_as_text
from sklearn_ap._writing.warning import warn

arrow_csv = LazyModule("pyarrow.csv", "Reading files", "table")
ipc = LazyModule("pyarrow.ipc", "Reading files", "table")
parquet = LazyModule("pyarrow.parquet", "Reading files", "table")

Record = dict[str, object]
FindColumns = Callable[[Collection[str]], list[str]]  # the wanted ones of those in a file

DELIMITERS = ",\t;|"  # of CSV
# The words of pyarrow, whose handler of such rows prints a traceback if a text is not UTF-8.
WRONG_ROW = re.compile(
    r"Row #(?P<row>\d+): Expected (?P<n_due>\d+) columns, got (?P<n>\d+): (?P<text>.*)"
)
BATCH_ROWS = 2**18  # of a batch whose size is our choice
NO_OBJECT = "is no JSON object on a line of its own"


class _Repeated:
    """The value of a key that stands several times in an object of JSON."""


ONE_VALUE = ("a number", "a text", "true or false")
KINDS = {  # of the values of JSON but null
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "an object",
    _Repeated: "there twice",
}


class CsvRules(NamedTuple):
    """How the text of CSV is read; other formats have types."""

    delimiter: str | None = None  # None takes the mark that splits the header most
    decimal: str = "."


def read_tables(
    file: BufferedReader, file_format: str, find: FindColumns, rules: CsvRules, place: str
) -> Iterator[ArrowTable]:
    """Read the wanted columns of a format, some rows at a time; a warning names the place."""
    if file_format == "csv":
        return _csv_tables(file, find, rules, place)
    readers = {"json": _json_tables, "parquet": _parquet_tables, "feather": _feather_tables}
    return readers[file_format](file, find)


def find_columns(
    names: Iterable[str], available: Collection[str], elsewhere: Collection[str] = ()
) -> list[str]:
    """Return the names that are columns; refuse those of which there is none, or several.

    Those that are ``elsewhere`` need not be columns, and are left out if they are not.
    """
    distinct = dict.fromkeys(names)
    found = [name for name in distinct if name in available]
    absent = [name for name in distinct if name not in available]
    missing = [name for name in absent if name not in elsewhere] if found else absent
    if missing:
        listed = names_as_text([f"{name!r:.99}" for name in available], most=20) or "none"
        columns = names_as_text([f"no column {name!r}" for name in missing])
        raise NoColumnError(f"there is {columns}; there are {listed}")
    for name in found:
        if (n_columns := [*available].count(name)) > 1:
            raise DataError(f"there are {n_columns} columns {name!r}: rename them")
    return found


def _csv_tables(
    file: BufferedReader, find: FindColumns, rules: CsvRules, place: str
) -> Iterator[ArrowTable]:
    header, delimiter = read_header(file, rules)
    wanted = find(header)
    if not file.peek(1):
        return
    counted = _CountedFile(file)
    n_rows = 0
    for batch in read_csv(counted, header, wanted, delimiter, n_above=1):
        n_rows += batch.num_rows
        yield batch
    if n_rows >= counted.n_lines:
        return
    if counted.n_quotes % 2:
        raise DataError('a quotation mark " is not closed, so its cell takes all that is below')
    text = (
        f"{place}: {counted.n_lines:,} lines make {count_as_text(n_rows, 'row')}, because quoted "
        f"cells span lines: if none should, find the stray quotation mark that opens such a cell"
    )
    warn(text, UserWarning)


class _CountedFile:
    """A file whose quotation marks and lines are counted, but for blank lines, which are no rows.

    pyarrow gives no error if a quoted cell never ends, even if all rows below are in it.
    """

    closed = False

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.n_quotes = 0
        self.n_lines = 0
        self._at_start = True  # of a line

    def read(self, size: int) -> bytes:
        block = self._file.read(size)
        self.n_quotes += block.count(b'"')
        # b"a\n\nb" -> is_end = [0, 1, 1, 0] -> at_start = [1, 0, 1, 1]: lines begin with a and b
        is_end = np.frombuffer(block.replace(b"\r", b""), np.uint8) == ord("\n")
        at_start = np.concatenate(([self._at_start], is_end))
        self.n_lines += int(np.count_nonzero(at_start[:-1] & ~is_end))
        self._at_start = bool(at_start[-1])
        return block


def read_csv(
    source: _CountedFile | ArrowFile,
    header: Sequence[str],
    wanted: Sequence[str],
    delimiter: str,
    *,
    n_above: int = 0,
    has_quotes: bool = True,
) -> Iterator[ArrowTable]:
    """Read columns as texts; what is empty is null.

    The source begins below ``n_above`` rows of its file.
    """
    # Columns are named by their indices, as unwanted names may repeat. With threads, the numbers of
    # rows would be unknown.
    names = [*map(str, range(len(header)))]
    type_by_index = {str(header.index(name)): pa.string() for name in wanted}
    read = arrow_csv.ReadOptions(column_names=names, use_threads=False, block_size=BLOCK)
    parse = arrow_csv.ParseOptions(
        delimiter=delimiter,
        quote_char='"' if has_quotes else False,
        newlines_in_values=has_quotes,
    )
    convert = arrow_csv.ConvertOptions(
        include_columns=[*type_by_index],
        column_types=type_by_index,
        check_utf8=False,  # which is done below, to name the row
        null_values=[""],
        strings_can_be_null=True,
    )
    n_rows_read = n_above
    try:
        for batch in arrow_csv.open_csv(source, read, parse, convert):
            table = pa.table(dict(zip(wanted, batch.columns, strict=True)))
            _check_utf_8(table, n_rows_read)
            yield table
            n_rows_read += table.num_rows
    except pa.ArrowInvalid as error:  # which counts its rows from 1
        if wrong := WRONG_ROW.search(str(error)):
            columns = count_as_text(int(wrong["n"]), "column")
            raise DataError(
                f"row {n_above + int(wrong['row'])} has {columns}, not {wrong['n_due']}: "
                f"{reprlib.repr(wrong['text'])}"
            ) from error
        raise DataError(
            f"a row below row {n_rows_read} cannot be read: it is longer than {BLOCK:,} bytes, "
            f"perhaps because a quotation mark is not closed, or the file is damaged"
        ) from error


def _check_utf_8(table: ArrowTable, n_above: int) -> None:
    try:
        table.validate(full=True)
    except pa.ArrowInvalid as error:
        for row, cells in enumerate(zip(*table.columns, strict=True)):
            for name, cell in zip(table.column_names, cells, strict=True):
                try:
                    bytes(cell.as_buffer() or b"").decode()
                except UnicodeDecodeError:
                    place = f"row {n_above + row + 1}, column {name!r}"
                    raise DataError(f"{place}: {NOT_UTF_8}") from error


def read_header(file: BufferedReader, rules: CsvRules) -> tuple[list[str], str]:
    """Read the names of the columns, and take the delimiter that splits them into most."""
    lines = iter(partial(file.readline, BLOCK), b"")
    line = next(filter(bytes.strip, lines), b"").decode("utf-8-sig")
    usual = DELIMITERS.replace(rules.decimal, "")
    delimiters = [rules.delimiter] if rules.delimiter else [*usual]
    try:
        headers = {mark: next(csv.reader([line], delimiter=mark), []) for mark in delimiters}
        best = max(delimiters, key=lambda mark: len(headers[mark]))
        # Names in quotes may span lines, of which the reader takes no more than it needs.
        return next(csv.reader(chain([line], map(bytes.decode, lines)), delimiter=best), []), best
    except csv.Error as error:
        raise DataError(
            f"row 1 is no header of CSV: a line ends by a carriage return alone, or a name has "
            f"over {csv.field_size_limit():,} letters, perhaps because a quotation mark is not "
            f"closed"
        ) from error


def _json_tables(file: BufferedReader, find: FindColumns) -> Iterator[ArrowTable]:
    """Read JSON lines by Python.

    pyarrow 26 makes times of texts, keeps the types of the first rows, and crashes where a million
    brackets are open.
    """
    n_above = 0
    while lines := file.readlines(BLOCK):
        rows = enumerate((line for line in lines if line.strip()), n_above + 1)
        records = [_read_record(row, line) for row, line in rows]
        if not n_above:
            wanted = find(dict.fromkeys(chain.from_iterable(records)))
        yield pa.table({name: _json_column(name, records, n_above) for name in wanted})
        n_above += len(records)


def _read_record(row: int, line: bytes) -> Record:
    try:
        text = line.decode("utf-8-sig" if row == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"row {row}: {NOT_UTF_8}") from error
    try:
        record = json.loads(text, parse_float=_finite, object_pairs_hook=_as_record)
    except InputError as error:
        raise DataError(f"row {row}: {error}") from error
    except json.JSONDecodeError as error:
        raise DataError(f"row {row} {NO_OBJECT}, from letter {error.pos + 1} on") from error
    except (ValueError, RecursionError) as error:  # of numbers or brackets that are too many
        raise DataError(f"row {row} {NO_OBJECT}") from error
    if not isinstance(record, dict):
        raise DataError(f"row {row} {NO_OBJECT}")
    return record


def _finite(text: str) -> float:
    # read_number would take three times as long
    number = float(text)
    return number if isfinite(number) else read_number(text)


def _as_record(pairs: list[tuple[str, object]]) -> Record:
    record = dict(pairs)
    if len(record) < len(pairs):
        n_times = Counter(key for key, _ in pairs)
        record |= {key: _Repeated() for key, number in n_times.items() if number > 1}
    return record


def _json_column(name: str, records: Sequence[Record], n_above: int) -> ArrowColumn:
    values = [record.get(name) for record in records]
    types = [kind for kind in dict.fromkeys(map(type, values)) if kind in KINDS]
    kinds = [*dict.fromkeys(KINDS[kind] for kind in types)]
    if wrong := [kind for kind in kinds if kind not in ONE_VALUE] or kinds[1:]:
        row = [KINDS.get(type(value)) for value in values].index(wrong[0])
        others = "" if wrong[0] == kinds[0] else f", and others are {kinds[0]}"
        raise DataError(
            f"row {n_above + row + 1}, column {name!r} is {wrong[0]}{others}: write a number in "
            f"each row, or a text in each, or true or false in each"
        )
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError) as error:
        rows = f"rows {n_above + 1} to {n_above + len(records)}"
        raise DataError(f"{rows}, column {name!r} {LOST_DIGITS}") from error


def _parquet_tables(file: BufferedReader, find: FindColumns) -> Iterator[ArrowTable]:
    source = parquet.ParquetFile(file)
    wanted = find(source.schema_arrow.names)
    yield from source.iter_batches(BATCH_ROWS, columns=wanted, use_threads=False)


def _feather_tables(file: BufferedReader, find: FindColumns) -> Iterator[ArrowTable]:
    names = ipc.open_file(file).schema.names
    options = ipc.IpcReadOptions(included_fields=[*map(names.index, find(names))])
    reader = ipc.open_file(file, options=options)
    yield from map(reader.get_batch, range(reader.num_record_batches))
