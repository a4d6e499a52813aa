"""Rows of each format: CSV with any usual delimiter, JSON lines, Parquet and Feather."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from sklearn_ap._files.cells import DataError, FileRows, text_lengths
from sklearn_ap._files.open_file import BLOCK, OpenFile

DELIMITERS = ",\t;|"
# One file and few batches ahead: more would not be faster here, and take memory.
SCAN = {"batch_size": 2**18, "batch_readahead": 4, "fragment_readahead": 1}


def arrow_rows(file: OpenFile, format_name: str) -> Iterator[FileRows]:
    """Rows of Parquet ("parquet") or Feather ("ipc"). Without a header, the first row is row 1."""
    import pyarrow.dataset as ds

    kind = {"parquet": ds.ParquetFileFormat, "ipc": ds.IpcFileFormat}[format_name]()
    # Both are read from their ends, and a pipe has none.
    packed = file.unpacked is not file.raw or file.n_bytes is None
    fragment = kind.make_fragment(io.BytesIO(file.unpacked.read()) if packed else file.raw)
    # In its own types: those of another file could round its scores.
    schema = fragment.physical_schema
    file.check(schema.names)
    bytes_per_row = (file.n_bytes or 0) / max(fragment.count_rows(), 1)
    batches = fragment.scanner(schema=schema, columns=file.columns, **SCAN).to_batches()

    def rows() -> Iterator[FileRows]:
        row = 1
        for batch in batches:
            columns = {name: batch.column(name) for name in file.columns}
            yield FileRows(file.place, row, columns, round(batch.num_rows * bytes_per_row))
            row += batch.num_rows

    return rows()


def csv_rows(file: OpenFile) -> Iterator[FileRows]:
    """Rows of CSV. The header is row 1."""
    first = file.unpacked.readline(BLOCK).decode("utf-8-sig")
    if not first:
        raise DataError("the file is empty")
    # The delimiter splits the header into the wanted names.
    headers = {mark: next(csv.reader([first], delimiter=mark), []) for mark in DELIMITERS}
    fitting = (mark for mark in DELIMITERS if set(file.columns) <= set(headers[mark]))
    delimiter = next(fitting, ",")
    file.check(headers[delimiter])
    if not file.unpacked.peek(1):
        return
    row = 2
    for batch in _batches(file, headers[delimiter], delimiter):
        yield _text_rows(file, row, batch, decimal_comma=delimiter == ";")
        row += batch.num_rows


def json_rows(file: OpenFile) -> Iterator[FileRows]:
    """Rows of JSON lines. The first line is row 1."""
    row = 1
    is_checked = False
    while lines := file.unpacked.readlines(BLOCK):
        kept = np.array([bool(line.strip()) for line in lines])
        records = [_record(i, line) for i, line in enumerate(lines, row) if kept[i - row]]
        if records and not is_checked:
            file.check(records[0])
            is_checked = True
        yield FileRows(
            file.place,
            row,
            {name: _json_column(name, records) for name in file.columns},
            n_bytes=file.bytes_read(),
            kept=kept,
            is_text=True,
        )
        row += len(lines)


def _batches(file: OpenFile, header: list[str], delimiter: str) -> Iterator[Any]:
    """Read the wanted cells as text, and refuse rows that are too short or too long."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    broken: list[Any] = []

    def note(row: Any) -> str:
        broken.append(row)
        return "skip"

    # Columns go by their places, as names that nobody wants may repeat.
    names = [str(place) for place in range(len(header))]
    wanted = [str(header.index(name)) for name in file.columns]
    # With threads, or without its empty lines, no row would have its number.
    reading = arrow.ReadOptions(column_names=names, use_threads=False, block_size=BLOCK)
    parsing = arrow.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=False
    )
    parsing.invalid_row_handler = note
    # Text, so that an error can show a cell as it stands.
    kinds = dict.fromkeys(wanted, pa.string())
    converting = arrow.ConvertOptions(include_columns=wanted, column_types=kinds)
    for batch in arrow.open_csv(file.unpacked, reading, parsing, converting):
        _refuse(broken)
        yield batch
    _refuse(broken)


def _text_rows(file: OpenFile, row: int, batch: Any, *, decimal_comma: bool) -> FileRows:
    """The rows of a batch, without those that have no cell at all."""
    import pyarrow.compute as pc

    columns = [pc.utf8_trim_whitespace(column) for column in batch.columns]
    kept = np.any([text_lengths(cells) > 0 for cells in columns], axis=0)
    if not kept.all():
        columns = [cells.filter(kept) for cells in columns]
    return FileRows(
        file.place,
        row,
        dict(zip(file.columns, columns, strict=True)),
        n_bytes=file.bytes_read(),
        kept=kept,
        is_text=True,
        decimal_comma=decimal_comma,
    )


def _refuse(broken: list[Any]) -> None:
    if broken:
        row, expected, found = broken[0].number + 1, broken[0][0], broken[0][1]
        only, several = "only " if found < expected else "", "s" if found > 1 else ""
        raise DataError(f"row {row} has {only}{found} column{several}; the header has {expected}")


def _record(row: int, line: bytes) -> dict[str, Any]:
    record: Any = None
    with suppress(json.JSONDecodeError):
        record = json.loads(line)
    if not isinstance(record, dict):
        raise DataError(f"row {row} is not a JSON object on a line of its own")
    return record


def _json_column(name: str, records: Iterable[dict[str, Any]]) -> Any:
    """Values of one kind in their type; of several kinds, and of huge numbers, the text."""
    import pyarrow as pa

    values = [record.get(name) for record in records]
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())
