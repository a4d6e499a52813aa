"""Rows of TREC's files, which have spaces between columns, and no header."""

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from operator import itemgetter

from sklearn_ap._base.files._plain_csv import cells_of_any_length
from sklearn_ap._base.files.arrow_columns import ArrowColumn
from sklearn_ap._base.files.cells import FileRows
from sklearn_ap._base.files.columns import Column, make_text_columns
from sklearn_ap._base.files.errors import BLOCK, DataError, shown
from sklearn_ap._base.files.formats import open_file
from sklearn_ap._base.files.numbers import LARGEST_WHOLE
from sklearn_ap._base.files.reader import name_file_in_errors
from sklearn_ap._extras import import_optional, printable
from sklearn_ap._types import ArrowTable, Keywords

# The columns. Columns that nobody reads have capital letters, as in TREC's own description.
QRELS = ("query", "ITERATION", "document", "label")
RUN = ("query", "Q0", "document", "RANK", "score", "TAG")
TABLES = "if its columns have names, as in CSV, use retrieval.from_tables in Python"
LINES = 8 * BLOCK  # bytes read at a time
COMMENT = re.compile(rb"(?m)^#.*")
# A run may hold more after its six columns: "1 Q0 d1 7 0.5 tag and more". The rank must then be a
# number, so that a name with a space, as in "1 Q0 new york 7 0.5 tag", is refused.
LONG_LINE = re.compile(rb"(?m)^((?:[^ \n]+ ){3}-?\d+ [^ \n]+ [^ \n]+) .*")
RANK = re.compile(r"-?\d+", re.ASCII)
ODD_SPACES = b"  ", b" \n", b"\t", b"\v", b"\f", b"\r"
SPACES = bytes.maketrans(b"\t\v\f\r", b"    ")


def wanted_columns(columns: tuple[str, ...]) -> list[str]:
    """List the columns that are read."""
    return [name for name in columns if name.islower()]


def trec_rows(path: str, columns: tuple[str, ...]) -> Iterator[FileRows]:
    """Read the lines of judgements or of a run, some at a time."""
    place = f"{printable(path)}: "
    row = 1
    has_pyarrow = import_optional("pyarrow") is not None
    size = LINES if has_pyarrow else min(LINES, BLOCK)  # lists of Python take more memory
    with name_file_in_errors(path, place), open_file(path, [*columns], place) as file:
        while lines := file.read_lines(size):
            lines = lines.removeprefix(BOM_UTF8) if row == 1 else lines
            cells = _read_with_pyarrow(lines, columns) if has_pyarrow else None
            if cells is None:
                cells = _read_with_python(_clean(lines), columns, row)
            is_kept = ~cells["document"].are_missing(or_nan=False)  # or an empty line
            if not is_kept.all():
                cells = {name: column.filter(is_kept) for name, column in cells.items()}
            yield FileRows(place, row, cells, file.bytes_read(), is_kept, is_text=True)
            row += is_kept.size


def _read_with_pyarrow(lines: bytes, columns: tuple[str, ...]) -> dict[str, Column] | None:
    """Read columns; None if any line is wrong, which Python can name."""
    import pyarrow as pa

    lines = lines.replace(b"\r\n", b"\n") if b"\r" in lines else lines
    is_plain = not lines.endswith(b" ") and not any(space in lines for space in ODD_SPACES)
    table = _parse_numbers(lines, columns) if is_plain else None
    if table is None:
        try:
            lines = _clean(lines)
            lines = LONG_LINE.sub(rb"\1", lines) if columns == RUN else lines
            table = _parse(lines, columns, {})
        except pa.ArrowInvalid:
            return None
    return {name: ArrowColumn(table[name].combine_chunks()) for name in table.column_names}


def _parse_numbers(lines: bytes, columns: tuple[str, ...]) -> ArrowTable | None:
    """Parse lines with one blank between columns, the last of which are numbers; else None."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types: Keywords = {name: pa.float64() for name in ("label", "score") if name in columns}
    try:
        table = _parse(lines, columns, types)
    except pa.ArrowInvalid:
        return None
    numbers = table[wanted_columns(columns)[-1]]
    is_odd = pc.or_(pc.is_nan(numbers), pc.greater_equal(pc.abs(numbers), LARGEST_WHOLE))
    if pc.any(is_odd).as_py():
        return None  # only the text says whether it is another number, or is too large
    names = {name for part in table["query"].chunks for name in part.dictionary.to_pylist()}
    return None if any(name[:1] in ("", "#") for name in names) else table


def _read_with_python(lines: bytes, columns: tuple[str, ...], first_row: int) -> dict[str, Column]:
    """Read columns, and name the first line that is wrong."""
    wanted = wanted_columns(columns)
    select = itemgetter(*map(columns.index, wanted))
    text = io.StringIO(lines.decode(errors="surrogateescape"))
    cells: list[str] = []
    with cells_of_any_length(len(lines)):
        reader = csv.reader(text, delimiter=" ", quoting=csv.QUOTE_NONE)
        for row, words in enumerate(reader, first_row):
            n_words = len(words)
            if not words:
                words = [""] * len(columns)
            elif n_words > len(columns) and columns == RUN and RANK.fullmatch(words[3]):
                words = words[: len(columns)]
            if len(words) != len(columns):
                lines.decode()  # first of all, the text must be UTF-8
                hint = f"; {TABLES}" if row == 1 else ""
                raise DataError(
                    f"row {row} has {n_words} column{'s' * (n_words > 1)}, not the "
                    f"{len(columns)} of {' '.join(columns).lower()}: "
                    f"{shown(' '.join(words))}{hint}"
                )
            cells.extend(select(words))
    return dict(zip(wanted, make_text_columns(cells, len(wanted)), strict=True))


def _clean(block: bytes) -> bytes:
    """Leave one blank between columns, none around lines, and no comments."""
    lines = block.translate(SPACES) + (b"" if block.endswith(b"\n") else b"\n")
    while b"  " in lines:
        lines = lines.replace(b"  ", b" ")
    lines = lines.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
    return COMMENT.sub(b"", lines) if b"#" in lines else lines


def _parse(lines: bytes, columns: tuple[str, ...], types: Keywords) -> ArrowTable:
    """Parse the wanted columns as a table of pyarrow: text, unless ``types`` says otherwise.

    It uses no threads: threads that still read after an error could abort Python at its exit.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    wanted = wanted_columns(columns)
    # Queries are few: their names are stored once.
    text_types = dict.fromkeys(wanted, pa.string()) | {
        "query": pa.dictionary(pa.int32(), pa.string())
    }
    return arrow.read_csv(
        pa.BufferReader(lines),
        arrow.ReadOptions(column_names=columns, use_threads=False, block_size=len(lines) + 1),
        arrow.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
        arrow.ConvertOptions(
            include_columns=wanted, column_types=text_types | types, null_values=[]
        ),
    )
