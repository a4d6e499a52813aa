"""Counts of files and tables: Parquet, CSV, JSON lines, Feather, Arrow, Polars and DuckDB."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import LazyModule
from sklearn_ap._files.columns import read_codes, read_numbers, write_label
from sklearn_ap._files.formats import BATCH_ROWS, CsvRules
from sklearn_ap._files.sources import STANDARD_INPUT, DataError, pa
from sklearn_ap._files.tables import FileRows, check_columns, read_files
from sklearn_ap._types import Argument, Array, ArrowTable, Label, RowData
from sklearn_ap.large._chunks import ROLES, Chunk, count_here

dataset = LazyModule("pyarrow.dataset", "from_table", "table")

READ_AHEAD = {"batch_readahead": 4, "fragment_readahead": 1}  # or pyarrow holds many batches

Batches = Generator[ArrowTable]


def from_table(
    source: RowData,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    pos_label: Label | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    progress: bool = False,
) -> ThresholdCounts:
    """Count the rows of files or of a table, some at a time.

    The counts are those of ``threshold_counts`` on the whole columns, to the last digit. Only the
    named columns are read, twice. At any time memory holds a few million rows, and about 150 bytes
    for each distinct score of the positives.

    Parameters
    ----------
    source : path or paths, pyarrow Dataset or Table, Polars frame, or DuckDB relation
        A path names a file, a folder or, as a glob pattern, several files; a list or tuple of paths
        names all of these. Files are Parquet, CSV, TSV, JSON lines or Feather, text also compressed
        (.csv.gz). Another table that gives its rows by Arrow's C stream goes, too.
    y_true : str
        The column of binary labels.
    y_score : str
        The column of scores, higher for what is more likely positive. Minus infinity says that the
        row was not retrieved. For several models, call this once for each column.
    sample_weight : str, default=None
        The column of weights. Weight 2 counts a row twice, weight 0 not at all.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    delimiter : str, default=None
        What stands between the cells of CSV. None takes that of comma, tab, semicolon and vertical
        bar which splits the first line into most cells.
    decimal : {".", ","}, default="."
        The decimal mark of numbers in CSV.
    progress : bool, default=False
        Whether to show a bar for each pass, on standard error, which needs tqdm.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for definitions, intervals and displays.

    See Also
    --------
    from_chunks : Counts of chunks of arrays.
    from_groups : Counts of groups of a query in SQL.

    Notes
    -----
    A missing value, or a score of NaN or plus infinity, raises an error, because engines rank NaN
    in different places. The error names the row and the column, and the file or the batch.

    Labels that are text are numbers, or words for 0 and 1, such as "no" and "yes", or "false" and
    "true", unless ``pos_label`` is text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sklearn_ap import large
    >>> table = pa.table({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1]})
    >>> large.from_table(table, "y", "p")
    ThresholdCounts: 2 thresholds, 2 positives, 2 negatives
    threshold  tps  fps  precision  recall  rise_of_recall   product
    0.9          1    0          1     0.5             0.5       0.5
    0.7          2    1   0.666667       1             0.5  0.333333
    """
    pos_label = label_as_read(pos_label)
    if isinstance(source, str | os.PathLike | list | tuple):
        paths = [source] if isinstance(source, str | os.PathLike) else source
        if any(path == STANDARD_INPUT or Path(path).is_fifo() for path in paths):
            raise ValueError("source is a pipe, which gives its rows only once: save them first.")
        names = _names_by_role(y_true, y_score, sample_weight)
        rules = CsvRules([*names.values()][1:], delimiter, decimal)

        def read() -> Generator[Chunk]:
            for rows in read_files(paths, [*names.values()], rules):
                yield _chunk(rows, names, pos_label)
    else:
        columns, open_batches = _open(source)
        names = column_names(columns, y_true, y_score, sample_weight)
        distinct_names = [*dict.fromkeys(names.values())]

        def read() -> Generator[Chunk]:
            # Closed at once, or an error would leave the connection blocked.
            with closing(open_batches(distinct_names)) as batches:
                yield from chunks_of_arrow(batches, names, "batch", pos_label)

    return count_here(read, pos_label, show_progress=progress)


def label_as_read(pos_label: Label) -> Label:
    """Write a positive label that is text as the labels of columns are read."""
    return write_label(pos_label, is_named=True) if isinstance(pos_label, str) else pos_label


def column_names(columns: Iterable[str], *names: Argument) -> dict[str, str]:
    """Return the names of the columns by their roles; each must be one of the columns."""
    role_names = _names_by_role(*names)
    check_columns(role_names.values(), [*columns])
    return role_names


def _names_by_role(*names: Argument) -> dict[str, str]:
    role_names = {role: name for role, name in zip(ROLES, names, strict=True) if name is not None}
    for role in dict.fromkeys((*ROLES[:2], *role_names)):
        if not isinstance(role_names.get(role), str | int):  # names in pandas may be numbers
            raise TypeError(
                f"{role} must be the name of one column, got {role_names.get(role)!r}. Count each "
                f"model by a call of its own."
            )
    return role_names


def chunks_of_arrow(
    batches: Iterable[ArrowTable], names: Mapping[str, str], place: str, pos_label: Label
) -> Generator[Chunk]:
    """Read the columns of batches of Arrow, which errors name by their numbers."""
    first_row = 0
    for i, batch in enumerate(batches):
        batch.validate(full=True)  # offsets and indices of a corrupt one point anywhere
        columns = {name: batch.column(name) for name in names.values()}
        yield _chunk(FileRows(f"{place} {i}", first_row, columns), names, pos_label)
        first_row += batch.num_rows


def _chunk(rows: FileRows, names: Mapping[str, str], pos_label: Label) -> Chunk:
    columns = {
        "y_true": _labels(rows, names["y_true"], pos_label),
        "y_score": read_numbers([rows], names["y_score"]),
    }
    if "sample_weight" in names:
        weight = read_numbers([rows], names["sample_weight"], finite=True, least=0.0)
        columns["sample_weight"] = weight
    return Chunk(f"{rows.place} from row {rows.first_row}", columns)


def _labels(rows: FileRows, name: str, pos_label: Label) -> Array:
    """Read labels: numbers, or words such as yes, unless ``pos_label`` is text."""
    is_named = isinstance(pos_label, str)
    if not is_named:
        with suppress(DataError):  # of texts; what is empty is refused below
            return read_numbers([rows], name, finite=True)
    cells = read_codes([rows], name)
    codes = cells.indices.to_numpy()
    labels = [write_label(text, is_named=is_named) for text in cells.dictionary.to_pylist()]
    for kind in () if is_named else (int, float):
        with suppress(ValueError):  # of another text
            return np.array(labels, kind)[codes]
    return np.array(labels, object)[codes]


def _open(source: RowData) -> tuple[list[str], Callable[[list[str]], Batches]]:
    """Return the names of the columns, and a function that reads some of them."""
    if isinstance(source, dataset.Dataset):
        return source.schema.names, partial(_batches_of_dataset, source)
    if isinstance(source, pa.RecordBatchReader) or not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(
            f"source must be a path, a list of paths, a pyarrow Dataset or Table, a Polars "
            f"DataFrame, or a DuckDB relation, got {type(source).__name__}. What gives its rows "
            f"only once, as a RecordBatchReader does, cannot be counted in two passes."
        )
    if not hasattr(source, "columns"):  # all that is known of it is the stream
        source = pa.table(source)
    return [*getattr(source, "column_names", source.columns)], partial(_batches_of_stream, source)


def _batches_of_dataset(source: RowData, names: list[str]) -> Generator[ArrowTable]:
    yield from source.scanner(names, **READ_AHEAD).to_batches()


def _batches_of_stream(table: RowData, names: list[str]) -> Generator[ArrowTable]:
    if hasattr(table, "project"):  # a relation of DuckDB, whose names are expressions
        selected = table.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    else:
        selected = table.select(names) if hasattr(table, "select") else table[names]
    # Closed at once, or the connection would stay blocked.
    try:
        opened = pa.RecordBatchReader.from_stream(selected)
    except (pa.ArrowException, OverflowError) as error:  # complex numbers, texts beside numbers
        raise TypeError(f"source has a column that Arrow cannot hold: {error}") from error
    with closing(opened) as reader:
        for batch in reader:
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(start, BATCH_ROWS)
