"""The formats of files: each gives its rows as tables of pyarrow with the wanted columns."""

import csv
import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader, FileIO

from sklearn_ap._extras import LazyModule
from sklearn_ap._files.sources import BLOCK, BROKEN, NOT_UTF_8, DataError, pa, suffix_of
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import ArrowTable, Keywords

arrow_csv = LazyModule("pyarrow.csv", "Reading files", "table")
ipc = LazyModule("pyarrow.ipc", "Reading files", "table")
parquet = LazyModule("pyarrow.parquet", "Reading files", "table")

Choose = Callable[[list[str]], list[str]]  # the columns to read of those in the header
Record = dict[str, object]

FORMATS = {
    "": "",  # which the first bytes tell
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
TEXTS = "csv", "json"  # whose cells are texts
DELIMITERS = ",\t;|"
MOST_ROWS = 2**18  # of a batch
CELL = re.compile(r"CSV column #(\d+): Row #(\d+)")  # in an error of pyarrow
WRONG_WIDTH = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


def _drop_zero(number: str) -> str:
    """Write 1.0 as 1, which is the same name."""
    return number.removesuffix(".0")


# Numbers stay as they are written, and an object is a tuple of pairs, so that no key gets lost.
DECODER = json.JSONDecoder(
    object_pairs_hook=tuple, parse_float=_drop_zero, parse_int=str, parse_constant=str
)


def format_of(path: str, file: BufferedReader) -> str:
    """Tell the format by the name, or by the first bytes where the name does not tell."""
    if named := FORMATS.get(suffix_of(path)):
        return named
    begin = file.peek(64).removeprefix(BOM_UTF8).lstrip()
    formats = {b"PAR1": "parquet", b"ARROW1": "feather", b"{": "json", b"[": "json"}
    return next((name for magic, name in formats.items() if begin.startswith(magic)), "csv")


def read_tables(
    file: BufferedReader, kind: str, choose: Choose, delimiter: str | None, decimal: str
) -> Iterator[ArrowTable]:
    """Read the rows of a format, some at a time."""
    if kind == "csv":
        return _csv_tables(file, choose, delimiter, decimal)
    return {"json": _json_tables, "parquet": _parquet_tables, "feather": _feather_tables}[kind](
        file, choose
    )


def _csv_tables(
    file: BufferedReader, choose: Choose, delimiter: str | None, decimal: str
) -> Iterator[ArrowTable]:
    """Read columns of CSV as text, so that an error can show a cell as it is written."""
    header, delimiter = _read_header(file, delimiter, decimal)
    wanted = choose(header)
    if not file.peek(1):
        return
    # Columns are named by their indices, as unwanted names may repeat.
    indices = [str(header.index(name)) for name in wanted]
    options = text_options([*map(str, range(len(header)))], indices, delimiter)
    counted = _CountedFile(file)
    n_rows = 0
    try:
        for batch in arrow_csv.open_csv(counted, **options):
            n_rows += batch.num_rows
            yield pa.table(dict(zip(wanted, batch.columns, strict=True)))
    except pa.ArrowInvalid as error:
        raise DataError(text_problem(str(error), 1, header)) from error
    if counted.n_quotes % 2 and n_rows < counted.n_lines:
        raise DataError('a quotation mark " is not closed, and takes the rows below into its cell')


class _CountedFile:
    """A file that counts its quotation marks and lines while pyarrow reads it.

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


def text_options(
    names: Sequence[str], wanted: Sequence[str], delimiter: str, *, has_quotes: bool = True
) -> Keywords:
    """Return options that read texts, so that an error can show a cell as it is written.

    With threads, or without empty lines, the numbers of rows would be unknown.
    """
    return {
        "read_options": arrow_csv.ReadOptions(
            column_names=names, use_threads=False, block_size=BLOCK
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=delimiter,
            quote_char='"' if has_quotes else False,
            newlines_in_values=has_quotes,
            ignore_empty_lines=False,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            include_columns=wanted, column_types=dict.fromkeys(wanted, pa.string())
        ),
    }


def _read_header(
    file: BufferedReader, delimiter: str | None, decimal: str
) -> tuple[list[str], str]:
    """Read the names of the columns, and take the delimiter that splits them into most."""
    line = file.readline(BLOCK).decode("utf-8-sig")
    if not line.strip():
        raise DataError("row 1 is empty, where the names of columns belong: delete empty rows")
    marks = [delimiter] if delimiter else [mark for mark in DELIMITERS if mark != decimal]
    try:
        headers = {mark: next(csv.reader([line], delimiter=mark), []) for mark in marks}
    except csv.Error as error:
        if "\r" in line.rstrip("\r\n"):
            raise DataError("its lines end in CR: save it with the line ends LF") from error
        raise DataError(f"row 1 is no header with the names of columns: {error}") from error
    best = max(marks, key=lambda mark: len(headers[mark]))
    return headers[best], best


def text_problem(error: str, n_above: int, names: Sequence[str]) -> str:
    """Say what is wrong in a text, by an error of pyarrow that counts rows below others."""
    if found := WRONG_WIDTH.search(error):
        row, expected, width = map(int, found.groups())
        return f"row {n_above + row} has {count_as_text(width, 'cell')}, not {expected}"
    if found := CELL.search(error):
        column, row = map(int, found.groups())
        return f"row {n_above + row}, column {names[column]!r}: {NOT_UTF_8}"
    if "straddling object" in error:
        return f"a row is longer than {BLOCK >> 20} MB"
    return BROKEN


def _json_tables(file: BufferedReader, choose: Choose) -> Iterator[ArrowTable]:
    """Read values of JSON lines as they are written, so that numbers keep all digits."""
    row = 1
    wanted: list[str] | None = None
    while lines := file.readlines(BLOCK):
        records = [_read_record(row + i, line) for i, line in enumerate(lines)]
        for record in records:
            if wanted is None and record:
                wanted = choose([*record])
        if wanted is not None:
            columns = {
                name: [
                    _json_text(record.get(name), row + i, name) for i, record in enumerate(records)
                ]
                for name in wanted
            }
            yield pa.table({name: pa.array(texts, pa.string()) for name, texts in columns.items()})
        row += len(lines)


def _read_record(row: int, line: bytes) -> Record:
    """Read the values of a line, none if it is blank."""
    text = line.decode("utf-8-sig" if row == 1 else "utf-8").strip()
    if not text:
        return {}
    try:
        pairs = DECODER.decode(text)
    except (ValueError, RecursionError):
        pairs = None
    if not isinstance(pairs, tuple):
        raise DataError(f"row {row} is no JSON object on a line of its own")
    record = dict(pairs)
    if len(record) < len(pairs):
        raise DataError(f"row {row} has a key twice")
    return record


def _json_text(value: object, row: int, column: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    raise DataError(f"row {row}, column {column!r}: a list or an object is not one value")


def _parquet_tables(file: BufferedReader, choose: Choose) -> Iterator[ArrowTable]:
    source = parquet.ParquetFile(_seekable(file))
    wanted = choose(source.schema_arrow.names)
    for batch in source.iter_batches(MOST_ROWS, columns=wanted, use_threads=False):
        yield _validated(batch, wanted)


def _feather_tables(file: BufferedReader, choose: Choose) -> Iterator[ArrowTable]:
    source = _seekable(file)
    names = ipc.open_file(source).schema.names
    wanted = choose(names)
    options = ipc.IpcReadOptions(included_fields=[*map(names.index, wanted)], use_threads=False)
    reader = ipc.open_file(source, options=options)
    for i in range(reader.num_record_batches):
        yield _validated(reader.get_batch(i), wanted)


def _seekable(file: BufferedReader) -> ArrowTable:
    """Return what can be read from its end: a plain file, or else all bytes of a stream."""
    is_plain = isinstance(file.raw, FileIO) and file.seekable()
    return file if is_plain else pa.BufferReader(file.read())


def _validated(batch: ArrowTable, wanted: list[str]) -> ArrowTable:
    """Check offsets and indices, which point anywhere in a damaged file, and would crash Python."""
    selected = batch.select(wanted)
    selected.validate(full=True)
    return selected
