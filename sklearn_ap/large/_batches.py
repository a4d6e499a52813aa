"""Batches of Arrow: how tables give them, and the labels, scores and weights that they hold."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, suppress
from typing import Protocol, cast

import numpy as np

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._files.arrow_types import ArrowReader, ArrowTable
from sklearn_ap._files.cells import read_codes, read_numbers, write_label
from sklearn_ap._files.formats import BATCH_ROWS, find_columns
from sklearn_ap._files.sources import DataError, pa
from sklearn_ap._files.tables import FileRows
from sklearn_ap._inputs.numbers import read_number
from sklearn_ap._types import Argument, Array, Label, RowData
from sklearn_ap.large._chunks import ROLES, check_rows
from sklearn_ap.large._passes import ChunkRows

READ_AHEAD = {"batch_readahead": 4, "fragment_readahead": 1}  # or pyarrow holds many batches


def label_as_read(pos_label: Label) -> Label:
    """Write a positive label that is text as the labels of columns are read."""
    return write_label(pos_label, is_named=True) if isinstance(pos_label, str) else pos_label


def check_names_by_role(columns: Iterable[str], *names: Argument) -> dict[str, str]:
    """Return the names of the columns by their roles; each must be one of the columns."""
    role_names = names_by_role(*names)
    find_columns(role_names.values(), [*columns])
    return role_names


def names_by_role(*names: Argument) -> dict[str, str]:
    """Return the names by ROLES, without those that were not passed."""
    passed = {role: name for role, name in zip(ROLES, names, strict=True) if name is not None}
    for role in dict.fromkeys((*ROLES[:2], *passed)):
        if not isinstance(passed.get(role), str | int):  # names in pandas may be numbers
            raise InputTypeError(
                f"{role} must be the name of one column, got {passed.get(role)!r}. Count each "
                f"model by a call of its own."
            )
    return cast(dict[str, str], passed)  # numbers of pandas read as texts do


def chunks_of_table(
    table: RowData, names: Mapping[str, str], place: str, pos_label: Label
) -> Generator[ChunkRows]:
    """Read the named columns of a table of any library."""
    # Closed at once after an error, or a connection would stay blocked.
    with closing(_open_columns(cast(_Columns, table), [*dict.fromkeys(names.values())])) as reader:
        batches = (
            batch.slice(start, BATCH_ROWS)
            for batch in reader
            for start in range(0, batch.num_rows, BATCH_ROWS)
        )
        yield from chunks_of_batches(batches, names, place, pos_label)


class _Scanner(Protocol):
    """Of a dataset of PyArrow."""

    def to_reader(self) -> ArrowReader: ...


class _Columns(Protocol):
    """A table, of which each library selects columns by one of these."""

    def scanner(
        self, names: list[str], /, *, batch_readahead: int, fragment_readahead: int
    ) -> _Scanner: ...
    def project(self, names: str, /) -> object: ...
    def select(self, names: list[str], /) -> object: ...
    def __getitem__(self, names: list[str], /) -> object: ...


def _open_columns(table: _Columns, names: list[str]) -> ArrowReader:
    """Open a reader of columns, by the methods of the type, as pandas has columns as attributes."""
    kind = type(table)
    if hasattr(kind, "scanner"):
        return table.scanner(names, **READ_AHEAD).to_reader()
    if hasattr(kind, "project"):  # a relation of DuckDB, whose names are expressions
        selected = table.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    else:
        selected = table.select(names) if hasattr(kind, "select") else table[names]
    try:
        return pa.RecordBatchReader.from_stream(selected)
    except (pa.ArrowException, OverflowError) as error:  # complex numbers, texts beside numbers
        raise InputTypeError(f"source has a column that Arrow cannot hold: {error}") from error


def chunks_of_batches(
    batches: Iterable[ArrowTable], names: Mapping[str, str], place: str, pos_label: Label
) -> Generator[ChunkRows]:
    """Read batches whose first columns are the named ones; errors give their numbers."""
    first_row = 0
    for i, batch in enumerate(batches):
        try:  # offsets and indices of a corrupt one point anywhere
            batch.validate(full=True)
        except pa.ArrowException as error:
            raise InputError(f"{place} {i} is corrupt: {error}") from error
        # By their order, as names that are numbers in pandas would be places in Arrow; the index of
        # pandas may come last.
        columns = dict(zip(dict.fromkeys(names.values()), batch.columns, strict=False))
        yield read_rows(FileRows(f"{place} {i}", first_row, columns), names, pos_label)
        first_row += batch.num_rows


def read_rows(rows: FileRows, names: Mapping[str, str], pos_label: Label) -> ChunkRows:
    """Read and check the columns of some rows."""
    columns = {
        "y_true": _labels(rows, names["y_true"], pos_label),
        "y_score": read_numbers([rows], names["y_score"]),
    }
    if "sample_weight" in names:
        weight = read_numbers([rows], names["sample_weight"], finite=True, least=0.0)
        columns["sample_weight"] = weight
    return check_rows(f"{rows.place} from row {rows.first_row}", columns, pos_label)


def _labels(rows: FileRows, name: str, pos_label: Label) -> Array:
    """Read labels: numbers, or words such as yes, unless ``pos_label`` is text."""
    is_named = isinstance(pos_label, str)
    if not is_named and rows.decimal is None:
        with suppress(DataError):  # of texts; what is empty is refused below
            return read_numbers([rows], name, finite=True)
    cells = read_codes([rows], name)
    codes = cells.indices.to_numpy()
    labels = [write_label(text, is_named=is_named) for text in cells.dictionary.to_pylist()]
    if not is_named:
        with suppress(InputError):  # of other text
            return np.array([*map(read_number, labels)])[codes]
    return np.array(labels, object)[codes]
