"""Rows of TREC's files, whose columns stand between spaces and have no names."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from sklearn_ap._files.cells import DataError, FileRows, shown, text_lengths
from sklearn_ap._files.extras import import_extra
from sklearn_ap._files.open_file import BLOCK, open_file
from sklearn_ap._files.reader import errors_named

__all__ = ["QRELS", "RUN", "trec_rows"]

# What the columns hold. Those that nobody reads have their names in TREC's own description.
QRELS = ("query", "ITERATION", "document", "label")
RUN = ("query", "Q0", "document", "RANK", "score", "TAG")
SPACES = bytes.maketrans(b"\t\v\f\r", b"    ")


def trec_rows(path: str, columns: tuple[str, ...]) -> Iterator[FileRows]:
    """The lines of judgements or of a run, some at a time."""
    import_extra("pyarrow", "Reading files", "table")
    place, row = f"{path}: ", 1
    with errors_named(path, place), open_file(path, [*columns], place) as file:
        while block := file.unpacked.read(BLOCK):
            lines = _single_spaces(block + file.unpacked.readline())
            found = _parsed(lines, columns, row)
            numbers = np.arange(row, row + found.num_rows)
            row += found.num_rows
            kept = text_lengths(found["document"]) > 0  # the rest are empty lines
            if not kept.all():
                numbers, found = numbers[kept], found.filter(kept)
            cells = {name: found[name].combine_chunks() for name in found.column_names}
            yield FileRows(place, numbers, cells, file.bytes_read(), is_text=True)


def _single_spaces(block: bytes) -> bytes:
    """Lines with one space between their columns, and none around them."""
    lines = block.translate(SPACES) + (b"" if block.endswith(b"\n") else b"\n")
    if lines.startswith(b" ") or any(spaces in lines for spaces in (b"  ", b" \n", b"\n ")):
        lines = re.sub(rb" *\n *", b"\n", re.sub(rb" +", b" ", lines)).lstrip(b" ")
    return lines


def _parsed(lines: bytes, columns: tuple[str, ...], row: int) -> Any:
    """The columns of lines of which the first is this row, as a table of pyarrow."""
    import pyarrow as pa
    from pyarrow import csv

    def refuse(line: Any) -> str:
        broken.append(line)
        return "skip"

    broken: list[Any] = []
    wanted = [name for name in columns if name.islower()]
    # Queries are few: their names are stored once.
    kinds = dict.fromkeys(wanted, pa.string()) | {"query": pa.dictionary(pa.int32(), pa.string())}
    found = csv.read_csv(
        pa.BufferReader(lines),
        csv.ReadOptions(column_names=columns, use_threads=False, block_size=len(lines) + 1),
        csv.ParseOptions(
            delimiter=" ", quote_char=False, ignore_empty_lines=False, invalid_row_handler=refuse
        ),
        csv.ConvertOptions(include_columns=wanted, column_types=kinds),
    )
    if broken:
        raise DataError(
            f"row {row + broken[0].number - 1} has {broken[0].actual_columns} columns, not the "
            f"{len(columns)} of {' '.join(columns).lower()}: {shown(broken[0].text)}"
        )
    return found
