"""Rows of TREC's files, whose columns stand between spaces and have no names."""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any

from sklearn_ap._extras import import_extra, printable
from sklearn_ap._files.arrow_columns import ArrowColumn
from sklearn_ap._files.cells import FileRows
from sklearn_ap._files.errors import BLOCK, DataError, shown
from sklearn_ap._files.formats import open_file
from sklearn_ap._files.numbers import LARGEST_WHOLE
from sklearn_ap._files.reader import errors_named

# What the columns hold. Those that nobody reads have their names in TREC's own description.
QRELS = ("query", "ITERATION", "document", "label")
RUN = ("query", "Q0", "document", "RANK", "score", "TAG")
LINES = 8 * BLOCK  # bytes of lines at a time
COMMENT = re.compile(rb"(?m)^#.*")
# A run may hold more after its six columns: "1 Q0 d1 7 0.5 tag and more". The rank must then be a
# number, so that a name with a space, as in "1 Q0 new york 7 0.5 tag", is refused.
LONG_LINE = re.compile(rb"(?m)^((?:[^ \n]+ ){3}-?\d+ [^ \n]+ [^ \n]+) .*")
SPACES = bytes.maketrans(b"\t\v\f\r", b"    ")


def columns_read(columns: tuple[str, ...]) -> list[str]:
    """Those that have our names."""
    return [name for name in columns if name.islower()]


def trec_rows(path: str, columns: tuple[str, ...]) -> Iterator[FileRows]:
    """The lines of judgements or of a run, some at a time."""
    import_extra("pyarrow", "Reading files", "table")
    place, row = f"{printable(path)}: ", 1
    with errors_named(path, place), open_file(path, [*columns], place) as file:
        while lines := file.read_lines(LINES):
            lines = lines.removeprefix(BOM_UTF8) if row == 1 else lines
            table = _plain(lines, columns)
            if table is None:
                table = _any(_cleaned(lines, columns), columns, row)
            cells = {name: ArrowColumn(table[name].combine_chunks()) for name in table.column_names}
            kept = ~cells["document"].are_missing(or_nan=False)  # or an empty line
            columns_kept = {name: column.filter(kept) for name, column in cells.items()}
            yield FileRows(place, row, columns_kept, file.bytes_read(), kept, is_text=True)
            row += kept.size


def _plain(lines: bytes, columns: tuple[str, ...]) -> Any:
    """Lines with one space between their columns, the last of which are numbers; or None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds: dict[str, Any] = {name: pa.float64() for name in ("label", "score") if name in columns}
    try:
        table = _parsed(lines, columns, kinds)
    except pa.ArrowInvalid:
        return None
    is_huge = pc.greater_equal(pc.abs(table[columns_read(columns)[-1]]), LARGEST_WHOLE)
    if pc.any(is_huge).as_py():
        return None  # only its text says whether it is another number, or is too large
    names = {name for part in table["query"].chunks for name in part.dictionary.to_pylist()}
    return None if any(name[:1] in ("", "#") for name in names) else table


def _any(lines: bytes, columns: tuple[str, ...], row: int) -> Any:
    """The same for lines of which the first is this row; a broken one is named."""
    broken: list[Any] = []

    def note(line: Any) -> str:
        broken.append(line)
        return "skip"

    lines.decode()  # raises here: of a broken line, pyarrow would print a traceback
    table = _parsed(lines, columns, {}, invalid_row_handler=note)
    if broken:
        raise DataError(
            f"row {row + broken[0].number - 1} has {broken[0].actual_columns} columns, not the "
            f"{len(columns)} of {' '.join(columns).lower()}: {shown(broken[0].text)}"
        )
    return table


def _cleaned(block: bytes, columns: tuple[str, ...]) -> bytes:
    """Lines with one space between their columns, none around them, and nothing that is skipped."""
    lines = block.translate(SPACES) + (b"" if block.endswith(b"\n") else b"\n")
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    lines = lines.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
    lines = COMMENT.sub(b"", lines)
    return LONG_LINE.sub(rb"\1", lines) if columns == RUN else lines


def _parsed(lines: bytes, columns: tuple[str, ...], kinds: dict[str, Any], **how: Any) -> Any:
    """The wanted columns as a table of pyarrow: text, unless ``kinds`` says otherwise.

    Without threads: those that still read after an error could abort Python at its exit.
    """
    import pyarrow as pa
    from pyarrow import csv

    wanted = columns_read(columns)
    # Queries are few: their names are stored once.
    text = dict.fromkeys(wanted, pa.string()) | {"query": pa.dictionary(pa.int32(), pa.string())}
    return csv.read_csv(
        pa.BufferReader(lines),
        csv.ReadOptions(column_names=columns, use_threads=False, block_size=len(lines) + 1),
        csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False, **how),
        csv.ConvertOptions(include_columns=wanted, column_types=text | kinds, null_values=[]),
    )
