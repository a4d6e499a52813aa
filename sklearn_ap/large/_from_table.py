"""Counts of files and tables: Parquet, CSV, JSON lines, Feather, Arrow, Polars and DuckDB."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeGuard

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._extras import LazyModule
from sklearn_ap._files.formats import CsvRules
from sklearn_ap._files.sources import STANDARD_INPUT, pa
from sklearn_ap._files.tables import read_files
from sklearn_ap._types import Label, RowData
from sklearn_ap.large._batches import (
    check_names_by_role,
    chunks_of_table,
    label_as_read,
    names_by_role,
    read_rows,
)
from sklearn_ap.large._chunks import count_in_process
from sklearn_ap.large._passes import ChunkRows

dataset = LazyModule("pyarrow.dataset", "from_table", "table")


def from_table(
    source: RowData,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    pos_label: Label | None = None,
) -> ThresholdCounts:
    """Count the rows of files or of a table, some at a time.

    The counts are those of ``threshold_counts`` on the whole columns, to the last digit. Only the
    named columns are read, twice. At any time memory holds a few million rows, and about 150 bytes
    for each distinct score of the positives.

    Parameters
    ----------
    source : path or paths, pyarrow Dataset or Table, DataFrame of pandas or Polars, DuckDB relation
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

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for definitions, intervals and displays.

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
    paths = [source] if isinstance(source, str | os.PathLike) else source
    if _are_paths(paths):
        if any(path == STANDARD_INPUT or Path(path).is_fifo() for path in paths):
            raise InputError("source is a pipe, which gives its rows only once: save them first.")
        names = names_by_role(y_true, y_score, sample_weight)
        read = partial(_chunks_of_files, paths, names, pos_label)
    else:
        table, columns = _check_table(source)
        names = check_names_by_role(columns, y_true, y_score, sample_weight)
        read = partial(chunks_of_table, table, names, "batch", pos_label)
    return count_in_process(read, pos_label)


def _are_paths(source: RowData) -> TypeGuard[Sequence[str | os.PathLike[str]]]:
    if not isinstance(source, list | tuple):
        return False
    return len(source) > 0 and all(isinstance(path, str | os.PathLike) for path in source)


def _chunks_of_files(
    paths: Sequence[str | os.PathLike[str]], names: Mapping[str, str], pos_label: Label
) -> Generator[ChunkRows]:
    columns = [*names.values()]
    for rows in read_files(paths, columns, CsvRules()):
        yield read_rows(rows, names, pos_label)


def _check_table(source: RowData) -> tuple[RowData, Iterable[str]]:
    """Return a table that can be read twice, and the names of its columns."""
    if isinstance(source, dataset.Dataset):
        return source, source.schema.names
    if isinstance(source, pa.RecordBatchReader) or not hasattr(source, "__arrow_c_stream__"):
        raise InputTypeError(
            f"source must be a path, a list of paths, a pyarrow Dataset or Table, a DataFrame of "
            f"pandas or Polars, or a DuckDB relation, got {type(source).__name__}. What gives its "
            f"rows only once, as a RecordBatchReader does, cannot be counted in two passes. For a "
            f"LazyFrame of Polars, call from_chunks, with its collect_batches()."
        )
    if not hasattr(type(source), "columns"):  # all that is known of it is the stream
        try:
            source = pa.table(source)
        except pa.ArrowException as error:  # of a column alone
            raise InputTypeError(f"source must be a table: {error}.") from error
    is_arrow = hasattr(type(source), "column_names")
    return source, getattr(source, "column_names" if is_arrow else "columns")
