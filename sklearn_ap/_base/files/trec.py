"""Rows of TREC's files, whose columns stand between spaces and have no names."""

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from sklearn_ap._base.extras import import_optional, printable
from sklearn_ap._base.files._plain_csv import cells_of_any_length
from sklearn_ap._base.files.arrow_columns import ArrowColumn
from sklearn_ap._base.files.cells import FileRows
from sklearn_ap._base.files.columns import Column, columns_of_texts
from sklearn_ap._base.files.errors import BLOCK, DataError, shown
from sklearn_ap._base.files.formats import open_file
from sklearn_ap._base.files.numbers import LARGEST_WHOLE
from sklearn_ap._base.files.reader import name_file_in_errors

# What the columns hold. Those that nobody reads have their names in TREC's own description.
QRELS = ("query", "ITERATION", "document", "label")
RUN = ("query", "Q0", "document", "RANK", "score", "TAG")
TABLES = "if its columns have names, as in CSV, use retrieval.from_tables in Python"
LINES = 8 * BLOCK  # bytes of lines at a time
COMMENT = re.compile(rb"(?m)^#.*")
# A run may hold more after its six columns: "1 Q0 d1 7 0.5 tag and more". The rank must then be a
# number, so that a name with a space, as in "1 Q0 new york 7 0.5 tag", is refused.
LONG_LINE = re.compile(rb"(?m)^((?:[^ \n]+ ){3}-?\d+ [^ \n]+ [^ \n]+) .*")
RANK = re.compile(r"-?\d+", re.ASCII)
ODD_SPACES = b"  ", b" \n", b"\t", b"\v", b"\f", b"\r"
SPACES = bytes.maketrans(b"\t\v\f\r", b"    ")


def wanted_columns(columns: tuple[str, ...]) -> list[str]:
    """Those that have our names."""
    return [name for name in columns if name.islower()]


def trec_rows(path: str, columns: tuple[str, ...]) -> Iterator[FileRows]:
    """The lines of judgements or of a run, some at a time."""
    place, row = f"{printable(path)}: ", 1
    has_pyarrow = import_optional("pyarrow") is not None
    size = LINES if has_pyarrow else min(LINES, BLOCK)  # lists of Python take more memory
    with name_file_in_errors(path, place), open_file(path, [*columns], place) as file:
        while lines := file.read_lines(size):
            lines = lines.removeprefix(BOM_UTF8) if row == 1 else lines
            cells = _fast(lines, columns) if has_pyarrow else None
            if cells is None:
                cells = _slow(_cleaned(lines), columns, row)
            kept = ~cells["document"].are_missing(or_nan=False)  # or an empty line
            if not kept.all():
                cells = {name: column.filter(kept) for name, column in cells.items()}
            yield FileRows(place, row, cells, file.bytes_read(), kept, is_text=True)
            row += kept.size


def _fast(lines: bytes, columns: tuple[str, ...]) -> dict[str, Column] | None:
    """What pyarrow reads; None of lines that are in any way wrong, which Python can name."""
    import pyarrow as pa

    lines = lines.replace(b"\r\n", b"\n") if b"\r" in lines else lines
    is_plain = not lines.endswith(b" ") and not any(space in lines for space in ODD_SPACES)
    table = _of_numbers(lines, columns) if is_plain else None
    if table is None:
        try:
            lines = _cleaned(lines)
            lines = LONG_LINE.sub(rb"\1", lines) if columns == RUN else lines
            table = _parsed(lines, columns, {})
        except pa.ArrowInvalid:
            return None
    return {name: ArrowColumn(table[name].combine_chunks()) for name in table.column_names}


def _of_numbers(lines: bytes, columns: tuple[str, ...]) -> Any:
    """Lines with one blank between their columns, the last of which are numbers; or None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds: dict[str, Any] = {name: pa.float64() for name in ("label", "score") if name in columns}
    try:
        table = _parsed(lines, columns, kinds)
    except pa.ArrowInvalid:
        return None
    numbers = table[wanted_columns(columns)[-1]]
    is_odd = pc.or_(pc.is_nan(numbers), pc.greater_equal(pc.abs(numbers), LARGEST_WHOLE))
    if pc.any(is_odd).as_py():
        return None  # only the text says whether it is another number, or is too large
    names = {name for part in table["query"].chunks for name in part.dictionary.to_pylist()}
    return None if any(name[:1] in ("", "#") for name in names) else table


def _slow(lines: bytes, columns: tuple[str, ...], row: int) -> dict[str, Column]:
    """The same by Python, for lines of which the first is this row; a broken one is named."""
    wanted = wanted_columns(columns)
    chosen = itemgetter(*map(columns.index, wanted))
    text = io.StringIO(lines.decode(errors="surrogateescape"))
    cells: list[str] = []
    with cells_of_any_length(len(lines)):
        for i, of_line in enumerate(csv.reader(text, delimiter=" ", quoting=csv.QUOTE_NONE), row):
            if not of_line:
                of_line = [""] * len(columns)
            elif len(of_line) > len(columns) and columns == RUN and RANK.fullmatch(of_line[3]):
                of_line = of_line[: len(columns)]
            if len(of_line) != len(columns):
                lines.decode()  # or else, that is what is wrong
                others = f"; {TABLES}" if i == 1 else ""
                raise DataError(
                    f"row {i} has {len(of_line)} column{'s' * (len(of_line) > 1)}, not the "
                    f"{len(columns)} of {' '.join(columns).lower()}: "
                    f"{shown(' '.join(of_line))}{others}"
                )
            cells.extend(chosen(of_line))
    return dict(zip(wanted, columns_of_texts(cells, len(wanted)), strict=True))


def _cleaned(block: bytes) -> bytes:
    """Lines with one blank between their columns, none around them, and nothing that is skipped."""
    lines = block.translate(SPACES) + (b"" if block.endswith(b"\n") else b"\n")
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    lines = lines.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
    return COMMENT.sub(b"", lines) if b"#" in lines else lines


def _parsed(lines: bytes, columns: tuple[str, ...], kinds: dict[str, Any]) -> Any:
    """The wanted columns as a table of pyarrow: text, unless ``kinds`` says otherwise.

    Without threads: those that still read after an error could abort Python at its exit.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    wanted = wanted_columns(columns)
    # Queries are few: their names are stored once.
    text = dict.fromkeys(wanted, pa.string()) | {"query": pa.dictionary(pa.int32(), pa.string())}
    return arrow.read_csv(
        pa.BufferReader(lines),
        arrow.ReadOptions(column_names=columns, use_threads=False, block_size=len(lines) + 1),
        arrow.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
        arrow.ConvertOptions(include_columns=wanted, column_types=text | kinds, null_values=[]),
    )
