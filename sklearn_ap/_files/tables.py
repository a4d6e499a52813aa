"""Rows of files in any format: some at a time, with the columns that are wanted."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sklearn_ap._extras import LazyModule
from sklearn_ap._files.formats import DELIMITERS, format_of, read_tables
from sklearn_ap._files.sources import (
    DataError,
    find_files,
    folder_values,
    name_of,
    open_file,
    pa,
    refuse_same_files,
)
from sklearn_ap._results.text import names_as_text
from sklearn_ap._results.uncertainty_warnings import warn
from sklearn_ap._types import Array, ArrowColumn, Index, Name

pc = LazyModule("pyarrow.compute", "Reading files", "table")

# The names of columns to read, or a function that chooses them from those of the file.
Wanted = Sequence[str] | Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """Some rows of a file: their numbers as the user counts them, and their cells by column.

    The header of CSV is row 1. Other formats have none, and their first row is row 1.
    """

    place: str  # in errors, such as the name of the file
    row_numbers: range | Index
    columns: dict[str, ArrowColumn]  # as they were read
    decimal: str = "."  # of its texts

    def __len__(self) -> int:
        return len(self.row_numbers)

    def place_of(self, row: int, column: str) -> str:
        """Name a cell in an error."""
        return f"{self.place}: row {self.row_numbers[row]}, column {column!r}"


def read_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    columns: Wanted,
    delimiter: str | None = None,
    decimal: str = ".",
) -> Iterator[FileRows]:
    """Yield the rows of files, some at a time.

    "-" is standard input. Folders of the form day=2026-10-01 are columns of the files in them.
    ``delimiter`` and ``decimal`` are those of CSV; without a delimiter, it is the mark that splits
    the header most. Rows in which all wanted cells are empty are left out, with a warning.
    """
    paths = [paths] if isinstance(paths, str | os.PathLike) else [*paths]
    files = [file for path in paths for file in find_files(path)]
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
                yield _add_folder_values(kept, path)
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
            # Offsets and indices point anywhere in a damaged file, and would crash Python.
            table.validate(full=True)
            columns = dict(zip(table.column_names, table.columns, strict=True))
            yield FileRows(name_of(path), range(row, row + table.num_rows), columns, decimal)
            row += table.num_rows


def _choose_columns(
    wanted: Wanted, folder_columns: Collection[str], header: list[str]
) -> list[str]:
    """List the columns to read of those in the header."""
    available = [*header, *(name for name in folder_columns if name not in header)]
    names = wanted(available) if callable(wanted) else wanted
    check_columns(names, available)
    return [name for name in dict.fromkeys(names) if name in header]


def check_columns(names: Iterable[Name], available: Sequence[Name]) -> None:
    """Refuse names of which there is no column, or several."""
    missing = [name for name in dict.fromkeys(names) if name not in available]
    if missing:
        listed = names_as_text([*map(repr, available)]) or "none"
        columns = names_as_text([f"no column {name!r}" for name in missing])
        raise DataError(f"there is {columns}; there are {listed}")
    for name in names:
        if (n_columns := available.count(name)) > 1:
            raise DataError(f"there are {n_columns} columns {name!r}: rename them")


def _add_folder_values(rows: FileRows, path: str) -> FileRows:
    columns = {
        name: pa.repeat(pa.scalar(value, pa.string()), len(rows))
        for name, value in folder_values(path).items()
    }
    return replace(rows, columns=columns | rows.columns)


def drop_empty_rows(rows: FileRows) -> FileRows:
    """Leave out rows in which all wanted cells are null."""
    is_empty = np.ones(len(rows), bool)
    for cells in rows.columns.values():
        is_empty &= arrow_to_numpy(cells.is_null())
    if not is_empty.any():
        return rows
    columns = {name: cells.filter(~is_empty) for name, cells in rows.columns.items()}
    return replace(rows, row_numbers=np.asarray(rows.row_numbers)[~is_empty], columns=columns)


def arrow_to_numpy(cells: ArrowColumn) -> Array:
    """Convert cells, also of several chunks or with nulls."""
    return np.asarray(cells.to_numpy(zero_copy_only=False))
