"""Columns of judgements and runs, read from files and tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sklearn_ap._base.files import cells
from sklearn_ap._base.files.arrow_columns import read_columns
from sklearn_ap._base.files.cells import CodedNames
from sklearn_ap._base.files.columns import Texts
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.reader import FileReader, find_files, name_file_in_errors
from sklearn_ap._base.files.trec import QRELS, trec_rows, wanted_columns
from sklearn_ap._extras import import_extra, printable
from sklearn_ap._types import Argument, Array, Index


class RowText(NamedTuple):
    """A row in words: its file, its number there, and its document and query."""

    file: str
    row: str
    names: str

    @property
    def location(self) -> str:
        return f"{self.file}{self.row}"


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Queries and documents, in parts; and a label or a score for each row."""

    queries: list[CodedNames]
    documents: list[Texts]
    values: Array  # labels or scores
    rows: Index  # the numbers of the rows in their files
    places: list[str]  # the beginning of errors about each part
    place: str  # the beginning of errors about all parts

    def describe(self, i: int) -> RowText:
        """Describe a row in words."""
        part = 0
        part_row = i
        while part_row >= len(self.documents[part]):
            part_row -= len(self.documents[part])
            part += 1
        document = self.documents[part].text_of(part_row)
        queries = self.queries[part]
        query = queries.values[queries.codes[part_row]]
        names = f"document {document!r} of query {query!r}"
        return RowText(file=self.places[part], row=f"row {self.rows[i]}", names=names)


def join_parts(
    place: str, parts: Iterable[cells.FileRows], names: Sequence[str], *, judgements: bool
) -> Columns:
    """Read the columns of ``names``: of queries, of documents, and of labels or scores."""
    read_values = cells.finite_numbers if judgements else cells.scores
    query, document, value = names
    queries = []
    documents = []
    values = [np.empty(0)]
    rows = [np.empty(0, np.intp)]
    places = []
    for part in parts:
        queries.append(cells.read_names(part, query).as_text())
        documents.append(_documents(part, document))
        values.append(read_values(part, value))
        rows.append(part.numbers)
        places.append(part.place)
    return Columns(
        queries=queries,
        documents=documents,
        values=cells.join_numbers(values, f"{place}column {value!r}"),
        rows=np.concatenate(rows),
        places=places,
        place=place,
    )


def read_table(
    name: str, source: Argument, names: Sequence[str], *, judgements: bool = False
) -> Columns:
    """Read the columns of files, or of a table of pandas, polars, pyarrow or DuckDB."""
    if isinstance(source, str | os.PathLike):
        reader = FileReader(find_files(source), [*names])
        place = f"{printable(os.fspath(source))}: "
        return join_parts(place, reader, names, judgements=judgements)
    if not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(
            f"{name} must be a path, or a table of pandas, polars, pyarrow or DuckDB, got "
            f"{type(source).__name__}."
        )
    pa = import_extra("pyarrow", "Reading tables", "table")
    place = f"{printable(name)}: "
    with name_file_in_errors(name, place):
        table = pa.table(source)
        cells.check_columns(names, table.column_names)
        part = cells.FileRows(place, 0, read_columns(table, names))
    parts = [part] if table.num_rows else []
    return join_parts(place, parts, names, judgements=judgements)


def _documents(part: cells.FileRows, name: str) -> Texts:
    """Read the names of documents. Refuse NUL in them, as it ends a name in trec_eval."""
    names = cells.texts(part, name)
    has_nul = names.contains("\0")
    if has_nul.any():
        row = int(has_nul.argmax())
        raise DataError(f"{part.cell(row, name)}: {shown(names.text_of(row))} holds NUL")
    return names


def read_trec(path: str, columns: tuple[str, ...]) -> Columns:
    parts = trec_rows(path, columns)
    names = wanted_columns(columns)
    return join_parts(f"{printable(path)}: ", parts, names, judgements=columns == QRELS)
