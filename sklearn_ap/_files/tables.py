"""Rows of files in any format: some at a time, with the columns that are wanted."""

import os
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from sklearn_ap._extras import show_progress
from sklearn_ap._files.arrow_types import ArrowColumn
from sklearn_ap._files.formats import CsvRules, FindColumns, find_columns, read_tables
from sklearn_ap._files.sources import (
    DataError,
    find_files,
    folder_values,
    format_of,
    name_of,
    open_file,
    pa,
)
from sklearn_ap._writing.text import names_as_text


@dataclass(frozen=True, slots=True, eq=False)
class FileRows:
    """Some rows of a file: the number of the first as the user counts, and cells by column.

    The header of CSV is row 1. Other formats have none, and their first row is row 1.
    """

    place: str  # in errors, such as the name of the file
    first_row: int
    columns: dict[str, ArrowColumn]  # as they were read
    decimal: str | None = None  # the mark in texts that are numbers; None if cells have types

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def place_of(self, row: int, column: str) -> str:
        """Name a cell in an error."""
        return f"{self.place}: row {self.first_row + row}, column {column!r}"


def place_in(batches: Iterable[FileRows], column: str, row: int) -> str:
    """Name a cell in an error, by its row in all batches."""
    for rows in batches:
        if row < len(rows):
            return rows.place_of(row, column)
        row -= len(rows)
    raise IndexError(row)


def read_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    columns: Sequence[str],
    rules: CsvRules,
) -> Iterator[FileRows]:
    """Yield the rows of files, some at a time.

    "-" is standard input. Folders of the form day=2026-10-01 are columns of the files in them,
    if these have none of that name. A file that is found twice, also by a link, is read once.
    """
    paths = [paths] if isinstance(paths, str | os.PathLike) else [*paths]
    wanted = [*dict.fromkeys(columns)]
    files: dict[str, str] = {}
    for path in paths:
        for file in find_files(path):
            files.setdefault(os.path.realpath(file), file)
    n_rows = 0
    with closing(show_progress(files.values(), len(files), " files")) as found:
        for path in found:
            find = partial(find_columns, wanted, elsewhere=folder_values(path))
            for rows in _read_file(path, find, rules):
                n_rows += len(rows)
                yield rows
    if not n_rows:
        raise DataError(f"{names_as_text([*map(name_of, files.values())])}: there are no rows")


def read_first_rows(files: Sequence[str], rules: CsvRules) -> FileRows:
    """Read the first rows of the first file with rows, with all columns whose names stand once."""
    for path in files:
        with closing(_read_file(path, _find_single_columns, rules)) as batches:
            if rows := next(filter(len, batches), None):
                return rows
    raise DataError("there are no rows")


def _find_single_columns(names: Collection[str]) -> list[str]:
    return [name for name, n_columns in Counter([*names]).items() if n_columns == 1]


def _read_file(path: str, find: FindColumns, rules: CsvRules) -> Generator[FileRows]:
    """Yield the rows of a file, with the columns of its folders."""
    values = folder_values(path)
    with open_file(path) as file:
        file_format = format_of(path, file)
        row = 2 if file_format == "csv" else 1
        for table in read_tables(file, file_format, find, rules, name_of(path)):
            # Offsets and indices point anywhere in a damaged file, and would crash Python.
            table.validate(full=True)
            columns = {name: pa.repeat(value, table.num_rows) for name, value in values.items()}
            columns |= dict(zip(table.column_names, table.columns, strict=True))
            decimal = rules.decimal if file_format == "csv" else None
            yield FileRows(name_of(path), row, columns, decimal)
            row += table.num_rows
