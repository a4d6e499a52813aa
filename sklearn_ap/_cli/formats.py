"""The rows of CSV, TSV, Parquet and Feather files, some at a time, with a progress bar."""

from __future__ import annotations

import csv
import gzip
import io
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sklearn_ap._cli.columns import FileError, Part

__all__ = ["parts", "plain", "progress"]

BLOCK = 4 << 20  # bytes of text at a time; no row may be longer
BATCH = 1 << 18  # rows of Parquet at a time
DELAY = 0.5  # seconds before a bar shows


def parts(file: io.BufferedReader, wanted: list[str]) -> Iterator[Part]:
    """Give the wanted columns of a file. Its first bytes say which format it has."""
    unpacked: Any = file
    if file.peek(2)[:2] == b"\x1f\x8b":
        unpacked = io.BufferedReader(gzip.GzipFile(fileobj=file), BLOCK)
    magic = unpacked.peek(6)[:6]
    if not magic.startswith((b"PAR1", b"ARROW1")):
        return _text(unpacked, file, wanted)
    # Both are read from their ends, and a pipe has none.
    whole = file if unpacked is file and file.seekable() else io.BytesIO(unpacked.read())
    return _parquet(whole, wanted) if magic.startswith(b"PAR1") else _feather(whole, wanted)


def plain(error: str) -> str:
    """Say an error of pyarrow in our words."""
    if "UTF8" in error:
        return "the text is not UTF-8"
    if "straddling object" in error:
        return f"a row is longer than {BLOCK >> 20} MB"
    return error.partition("\n")[0]


def progress(total: int | None, unit: str, title: str) -> Any:
    """Make a bar on standard error. It shows only to a terminal, and only where work takes time."""
    from tqdm import tqdm

    return tqdm(
        desc=title,
        total=total,
        unit=unit,
        unit_scale=unit == "B",
        file=sys.stderr,
        disable=None,
        leave=False,
        ncols=79,
        delay=DELAY,
    )


def _text(text: Any, file: io.BufferedReader, wanted: list[str]) -> Iterator[Part]:
    """Rows of CSV or TSV. The header is row 1."""
    from pyarrow import csv as arrow

    first = text.readline(BLOCK).decode("utf-8-sig")
    if not first:
        raise FileError("the file is empty")
    delimiter = _delimiter(first, wanted)
    header = _cells(first, delimiter)
    # Columns go by their places, as names that nobody wants may repeat.
    places = [str(header.index(name)) for name in _known(wanted, header)]
    if not text.peek(1):
        raise FileError("no rows below the header")
    broken: list[Any] = []

    def note(row: Any) -> str:
        broken.append(row)
        return "skip"

    reader = arrow.open_csv(
        text,
        # With threads, or without its empty lines, no row would have its number.
        arrow.ReadOptions(
            column_names=[str(place) for place in range(len(header))],
            use_threads=False,
            block_size=BLOCK,
        ),
        arrow.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=True,
            ignore_empty_lines=False,
            invalid_row_handler=note,
        ),
        _all_text(places),
    )
    yield from _text_parts(reader, file, wanted, broken)


def _all_text(places: list[str]) -> Any:
    """Options that leave cells as they stand, so that an error can show them."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    return arrow.ConvertOptions(
        include_columns=list(dict.fromkeys(places)),
        column_types=dict.fromkeys(places, pa.string()),
        strings_can_be_null=False,
    )


def _text_parts(
    reader: Iterable[Any], file: io.BufferedReader, wanted: list[str], broken: list[Any]
) -> Iterator[Part]:
    import pyarrow.compute as pc

    row, n_empty = 2, 0
    size = os.fstat(file.fileno()).st_size if file.seekable() else None
    with progress(size, "B" if size else " rows", "reading") as bar:
        for batch in reader:
            _refuse(broken)
            cells = [pc.utf8_trim_whitespace(column) for column in batch.columns]
            rows = np.arange(row, row + batch.num_rows)
            part = Part(rows, dict(zip(wanted, cells, strict=True))).without_empty()
            yield part
            row += batch.num_rows
            n_empty += batch.num_rows - part.rows.size
            bar.update((file.tell() if size else row) - bar.n)
        _refuse(broken)
    if n_empty:
        warnings.warn(f"empty rows are left out: {n_empty}", stacklevel=2)


def _refuse(broken: list[Any]) -> None:
    if broken:
        row, expected, found = broken[0].number + 1, broken[0][0], broken[0][1]
        only, several = "only " if found < expected else "", "s" if found > 1 else ""
        raise FileError(f"row {row} has {only}{found} column{several}; the header has {expected}")


def _parquet(file: Any, wanted: list[str]) -> Iterator[Part]:
    from pyarrow import parquet

    source = parquet.ParquetFile(file)
    names = _known(wanted, source.schema_arrow.names)
    batches = source.iter_batches(BATCH, columns=names)
    return _batch_parts(batches, source.metadata.num_rows, names)


def _feather(file: Any, wanted: list[str]) -> Iterator[Part]:
    import pyarrow as pa

    schema = pa.ipc.open_file(file).schema
    names = _known(wanted, schema.names)
    options = pa.ipc.IpcReadOptions(included_fields=[schema.names.index(name) for name in names])
    source = pa.ipc.open_file(file, options=options)
    batches = map(source.get_batch, range(source.num_record_batches))
    return _batch_parts(batches, None, names)


def _batch_parts(batches: Iterable[Any], total: int | None, names: list[str]) -> Iterator[Part]:
    """Columns of record batches. The first row is row 1, as there is no header."""
    row = 1
    with progress(total, " rows", "reading") as bar:
        for batch in batches:
            rows = np.arange(row, row + batch.num_rows)
            yield Part(rows, {name: batch.column(name) for name in names})
            row += batch.num_rows
            bar.update(batch.num_rows)


def _delimiter(header: str, wanted: list[str]) -> str:
    """The one that splits the header into the wanted names, or else a comma."""
    for delimiter in ",\t;":
        if set(wanted) <= set(_cells(header, delimiter)):
            return delimiter
    return ","


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _known(wanted: list[str], header: list[str]) -> list[str]:
    """The wanted names, each of them in the header once."""
    for name in wanted:
        if header.count(name) != 1:
            problem = "several columns" if name in header else "no column"
            shown = ", ".join(map(repr, header[:10])) or "none"
            raise FileError(
                f"{problem} {name!r}; there are {shown}{', ...' if len(header) > 10 else ''}"
            )
    return wanted
