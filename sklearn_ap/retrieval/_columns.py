"""The columns of judgements or of a run: query, document, and a label or a score."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._extras import import_extra, printable
from sklearn_ap._files.cells import (
    DataError,
    FileRows,
    as_text,
    check_columns,
    filled,
    finite_numbers,
    joined,
    read_columns,
    scores,
    shown,
    text_lengths,
)
from sklearn_ap._files.paths import find_files
from sklearn_ap._files.reader import FileReader, errors_named


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Queries and documents as arrays of pyarrow, in parts; and a number for each row."""

    queries: list[Any]  # names in a dictionary
    documents: list[Any]  # strings
    values: NDArray[Any]  # labels or scores
    rows: NDArray[np.intp]  # their numbers in the file
    places: list[str]  # what errors about a part begin with
    place: str  # and about all of them

    def row(self, i: int) -> tuple[str, str]:
        """Where a row stands, and what it is about."""
        part, at = 0, i
        while at >= len(self.documents[part]):
            at -= len(self.documents[part])
            part += 1
        query, document = self.queries[part][at].as_py(), self.documents[part][at].as_py()
        return f"{self.places[part]}row {self.rows[i]}", f"document {document!r} of query {query!r}"


def columns_of_rows(
    place: str, parts: Iterable[FileRows], names: Sequence[str], *, judgements: bool
) -> Columns:
    """Read the columns of these names: query, document, and labels or scores."""
    pa = import_extra("pyarrow", "Reading files", "table")
    read = finite_numbers if judgements else scores
    query, document, value = names
    queries, documents, values, rows, places = [], [], [np.empty(0)], [np.empty(0, np.intp)], []
    for part in parts:
        queries.append(_text(part, query).dictionary_encode())
        documents.append(_without_nul(part, document, _text(part, document).cast(pa.string())))
        values.append(read(part, value))
        rows.append(part.numbers)
        places.append(part.place)
    numbers = joined(values, f"{place}column {value!r}")
    return Columns(queries, documents, numbers, np.concatenate(rows), places, place)


def columns_of_table(
    name: str, source: Any, names: Sequence[str], *, judgements: bool = False
) -> Columns:
    """Read the columns of files, or of a table of pandas, polars, pyarrow or DuckDB."""
    pa = import_extra("pyarrow", "from_tables", "table")
    if isinstance(source, str | os.PathLike):
        reader = FileReader(find_files(source), [*names])
        place = f"{printable(os.fspath(source))}: "
        return columns_of_rows(place, reader, names, judgements=judgements)
    if not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(
            f"{name} must be a path, or a table of pandas, polars, pyarrow or DuckDB, got "
            f"{type(source).__name__}."
        )
    place = f"{printable(name)}: "
    with errors_named(name, place):
        table = pa.table(source)
        check_columns(names, table.column_names)
        cells = read_columns(table, names)
    part = FileRows(place, 0, cells)
    parts = [part] if table.num_rows else []
    return columns_of_rows(place, parts, names, judgements=judgements)


def _text(part: FileRows, name: str) -> Any:
    """Names as text, none of them missing."""
    import pyarrow as pa

    cells = part.columns[name]
    is_coded = pa.types.is_dictionary(cells.type) and pa.types.is_string(cells.type.value_type)
    if is_coded and not cells.null_count and text_lengths(cells.dictionary).all():
        return cells
    return as_text(filled(part, name))


def _without_nul(part: FileRows, name: str, cells: Any) -> Any:
    """Names, none of which holds NUL, which ends a name in trec_eval."""
    import pyarrow.compute as pc

    has_nul = pc.match_substring(cells, "\0").to_numpy(zero_copy_only=False)
    if has_nul.any():
        row = int(has_nul.argmax())
        raise DataError(f"{part.cell(row, name)}: {shown(cells[row])} holds NUL")
    return cells
