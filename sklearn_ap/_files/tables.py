"""Rows of files, and their columns as arrays. Each error names the file, the row and the column.

A name has one meaning in all formats: 1, 1.0 and "1" are one name.
"""

import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sklearn_ap._extras import LazyModule, warn
from sklearn_ap._files.formats import FORMATS, format_of, read_tables
from sklearn_ap._files.sources import (
    DataError,
    find_files,
    folder_values,
    name_of,
    open_file,
    pa,
    refuse_same_files,
)
from sklearn_ap._results.text import count_as_text, names_as_text
from sklearn_ap._types import Array, ArrowTable, Bool, Index, Name

pc = LazyModule("pyarrow.compute", "Reading files", "table")

# The names of columns to read, or a function that chooses them from those of the file.
Wanted = Sequence[str] | Callable[[Sequence[str]], Sequence[str]]

NO_NUMBER = "is not a number"
# What pyarrow reads as a number; it does not say which text is none.
DECIMAL = r"^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))$"
LEAVE_OUT = "; leave such rows out"
DELIMITERS = ",\t;|"
MISSING_MARKS = ("NA", "nan", "NaN")  # the marks of R, NumPy and pandas
WORD_PAIRS = (("false", "true"), ("no", "yes"))  # a negative and a positive label


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """Some rows of a file: their numbers as the user counts them, and their cells by column.

    The header of CSV is row 1. Other formats have none, and their first row is row 1.
    """

    path: str
    row_numbers: range | Index
    columns: dict[str, ArrowTable]  # arrays of pyarrow, as they were read
    is_text: bool = True
    decimal: str = "."

    def __len__(self) -> int:
        return len(self.row_numbers)

    def cell(self, row: int, column: str) -> str:
        """Name a cell in an error."""
        return f"{name_of(self.path)}: row {self.row_numbers[row]}, column {column!r}"


def read_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    columns: Wanted,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Iterator[FileRows]:
    """Yield the rows of files, some at a time.

    "-" is standard input. Folders of the form day=2026-10-01 are columns of the files in them.
    ``delimiter`` and ``decimal`` are those of CSV; without a delimiter, it is the mark that splits
    the header most. Rows of text in which all wanted cells are empty are left out, with a warning.
    """
    paths = [paths] if isinstance(paths, str | os.PathLike) else [*paths]
    files = [file for path in paths for file in find_files(path, FORMATS)]
    refuse_same_files(files)
    n_rows = 0
    n_empty = 0
    delimiters = delimiter or DELIMITERS.replace(decimal, "")
    for path in files:
        for rows in _read_file(path, columns, delimiters, decimal):
            kept = drop_empty_rows(rows)
            n_rows += len(kept)
            n_empty += len(rows) - len(kept)
            if len(kept):
                yield _add_folder_values(kept)
    if not n_rows:
        raise DataError(f"{names_as_text([*map(name_of, files)])}: there are no rows")
    if n_empty:
        warn(f"empty rows are left out: {n_empty}", UserWarning)


def _read_file(path: str, wanted: Wanted, delimiters: str, decimal: str) -> Iterator[FileRows]:
    choose = partial(_choose_columns, wanted, folder_values(path))
    with open_file(path) as file:
        kind = format_of(path, file)
        row = 2 if kind == "csv" else 1
        for table in read_tables(file, kind, choose, delimiters):
            columns = dict(zip(table.column_names, table.columns, strict=True))
            is_text = kind in ("csv", "json")
            yield FileRows(path, range(row, row + table.num_rows), columns, is_text, decimal)
            row += table.num_rows


def _choose_columns(
    wanted: Wanted, folder_values: Mapping[str, str | None], header: list[str]
) -> list[str]:
    """List the columns to read of those in the header."""
    there = [*header, *(name for name in folder_values if name not in header)]
    names = wanted(there) if callable(wanted) else wanted
    check_columns(names, there)
    return [name for name in dict.fromkeys(names) if name in header]


def check_columns(names: Iterable[Name], there: Sequence[Name]) -> None:
    """Refuse names of which there is no column, or several."""
    missing = [name for name in dict.fromkeys(names) if name not in there]
    if missing:
        listed = names_as_text([*map(repr, there)]) or "none"
        columns = names_as_text([f"no column {name!r}" for name in missing])
        raise DataError(f"there is {columns}; there are {listed}")
    for name in names:
        if there.count(name) > 1:
            raise DataError(f"there are {there.count(name)} columns {name!r}: rename them")


def _add_folder_values(rows: FileRows) -> FileRows:
    columns = {
        name: pa.repeat(pa.scalar(value, pa.string()), len(rows))
        for name, value in folder_values(rows.path).items()
    }
    return replace(rows, columns=columns | rows.columns)


def drop_empty_rows(rows: FileRows) -> FileRows:
    """Leave out rows of text in which all wanted cells are empty."""
    is_empty = np.full(len(rows), rows.is_text)
    for cells in rows.columns.values():
        if not is_empty.any():  # mostly, the first column says so
            return rows
        is_empty &= _arrow_to_numpy(
            pc.equal(cells, "").fill_null(True) if _is_text(cells) else cells.is_null()
        )
    columns = {name: cells.filter(~is_empty) for name, cells in rows.columns.items()}
    return replace(rows, row_numbers=np.asarray(rows.row_numbers)[~is_empty], columns=columns)


def read_numbers(
    batches: Iterable[FileRows],
    column: str,
    *,
    finite: bool = False,
    may_be_missing: bool = False,
    least: float = -np.inf,
) -> Array:
    """Return a column as numbers with all their digits, nan where one is missing and may be.

    NaN and plus infinity are refused, and so is minus infinity if numbers must be finite.
    """
    hint = LEAVE_OUT if finite else f"{LEAVE_OUT}, or write -inf for what was not retrieved"
    parts = []
    for rows in batches:
        cells = _known_cells(rows, column, hint, may_be_missing=may_be_missing)
        part = _as_numbers(rows, column, cells)
        if part.dtype.kind == "f":
            is_known = ~_arrow_to_numpy(cells.is_null())
            _refuse(rows, column, np.isnan(part) & is_known, NO_NUMBER)
            _refuse(rows, column, np.isinf(part) if finite else part == np.inf, "is infinite")
        _refuse(rows, column, part < least, f"is below {least:g}")
        parts.append(part)
    return np.concatenate(parts or [np.zeros(0)])


def _as_numbers(rows: FileRows, column: str, cells: ArrowTable) -> Array:
    kind = cells.type
    if pa.types.is_decimal(kind):  # directly, 0.70 would give 0.7000000000000001
        cells = cells.cast(pa.string())
    if _is_text(cells):
        return _parse_numbers(rows, column, cells)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        raise DataError(f"{name_of(rows.path)}: column {column!r} holds {kind}, not numbers")
    return _arrow_to_numpy(cells.cast(pa.float64()) if cells.null_count else cells)


def _parse_numbers(rows: FileRows, column: str, texts: ArrowTable) -> Array:
    """Read numbers, as integers if all are; null gives nan."""
    texts = pc.utf8_trim_whitespace(texts)
    if rows.decimal == ",":  # a text with a point is no number then: it may separate thousands
        texts = pc.replace_substring(pc.replace_substring(texts, ".", " "), ",", ".")
    try:
        found = _arrow_to_numpy(texts.cast(pa.float64()))
    except pa.ArrowInvalid:
        is_number = pc.match_substring_regex(texts, DECIMAL).fill_null(True)
        _refuse(rows, column, ~_arrow_to_numpy(is_number), NO_NUMBER)
        raise
    if (found == np.trunc(found)).all():
        with suppress(pa.ArrowInvalid):  # 1.0, or more digits
            return _arrow_to_numpy(texts.cast(pa.int64()))
    return found


def read_codes(
    batches: Iterable[FileRows],
    column: str,
    hint: str = LEAVE_OUT,
    *,
    may_be_missing: bool = False,
) -> ArrowTable:
    """Return a column of names as texts, each once, and indices, null where one may be missing.

    A text may come twice, as of 0.0 and -0.0. Cells become texts where they are distinct, which
    takes a fraction of the time.
    """
    parts = []
    for rows in batches:
        cells = _known_cells(rows, column, hint, may_be_missing=may_be_missing).dictionary_encode()
        names = _write_names(rows, column, cells.dictionary)
        parts.append(pa.DictionaryArray.from_arrays(cells.indices, names))
    return pa.chunked_array(parts).combine_chunks()


def _known_cells(
    rows: FileRows, column: str, hint: str = LEAVE_OUT, *, may_be_missing: bool = False
) -> ArrowTable:
    """Return a column, null where a cell is missing and may be: it is null, empty, NA or nan."""
    cells = _plain_cells(rows, column)
    if not (may_be_missing or cells.null_count or _is_text(cells)):
        return cells
    missing = cells.is_null(nan_is_null=may_be_missing)
    if _is_text(cells):
        is_mark = pc.equal(cells, "")  # which takes a tenth of the time
        if may_be_missing:
            marks = pa.array(["", *MISSING_MARKS], cells.type)
            is_mark = pc.is_in(pc.utf8_trim_whitespace(cells), marks)
        missing = pc.or_kleene(missing, is_mark)
    if may_be_missing:
        return pc.if_else(missing, pa.scalar(None, cells.type), cells)
    _refuse(rows, column, _arrow_to_numpy(missing), "is empty", hint)
    return cells


def _plain_cells(rows: FileRows, column: str) -> ArrowTable:
    """Return a column in one piece, and in a type that all functions of pyarrow know."""
    cells = rows.columns[column]
    cells = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    kind = cells.type
    if pa.types.is_dictionary(kind):
        distinct = _plain_cells(replace(rows, columns={column: cells.dictionary}), column)
        return distinct.take(cells.indices)
    if pa.types.is_nested(kind) or pa.types.is_interval(kind):
        problem = f"column {column!r} holds {kind}, not one value a row"
        raise DataError(f"{name_of(rows.path)}: {problem}")
    if pa.types.is_null(kind) or "binary" in str(kind) or kind == pa.string_view():
        return _cast_to_text(rows, column, cells)
    return cells


def _write_names(rows: FileRows, column: str, cells: ArrowTable) -> ArrowTable:
    """Write names as text: whole floats as integers, whatever other rows hold."""
    found = _cast_to_text(rows, column, cells)
    if not pa.types.is_floating(cells.type):
        return found
    numbers = cells.cast(pa.float64())
    is_whole = pc.and_(pc.equal(numbers, pc.trunc(numbers)), pc.less(pc.abs(numbers), 2.0**63))
    whole = pc.if_else(is_whole, numbers, None).cast(pa.int64())
    return pc.coalesce(whole.cast(pa.string()), found)


def _cast_to_text(rows: FileRows, column: str, cells: ArrowTable) -> ArrowTable:
    try:
        return cells.cast(pa.string())
    except pa.ArrowException as error:
        problem = f"column {column!r} holds {cells.type} that is no text"
        raise DataError(f"{name_of(rows.path)}: {problem}") from error


def _is_text(cells: ArrowTable) -> bool:
    return bool(pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type))


def _arrow_to_numpy(cells: ArrowTable) -> Array:
    return np.asarray(cells.to_numpy(zero_copy_only=False))


def _refuse(rows: FileRows, column: str, is_wrong: Bool, problem: str, remedy: str = "") -> None:
    """Raise an error that names and shows the first wrong cell, and counts the others."""
    if is_wrong.any():
        row = int(is_wrong.argmax())
        text = str(rows.columns[column][row].as_py() or "")
        shown = f": {reprlib.repr(text)}" if text.strip() else ""
        n_below = int(np.count_nonzero(is_wrong)) - 1
        below = f" ({count_as_text(n_below)} more below)" if n_below else ""
        raise DataError(f"{rows.cell(row, column)}{shown} {problem}{below}{remedy}")
