"""Counts of files and tables: Parquet, CSV, JSON lines, Feather, Arrow, Polars and DuckDB."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import NamedTuple

from sklearn_ap._base.files import cells
from sklearn_ap._base.files.formats import SCAN_OPTIONS
from sklearn_ap._base.files.reader import FileReader, check_extension, find_files, is_csv
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_extra
from sklearn_ap._types import Argument, Array, ArrowTable, DataFrame, Label, RowData
from sklearn_ap.large._by_query import count_by_query
from sklearn_ap.large._checked_batches import Batch, batches_from_arrow, check_column_names, clean
from sklearn_ap.large._on_chunks import PassBars, count_in_passes

BATCH_ROWS = 2**18  # for sources whose batches have a size of our choice


class OpenTable(NamedTuple):
    """The columns of a table, a function that reads some of them, and the number of rows."""

    columns: list[str]
    read: Callable[[list[str]], Iterable[ArrowTable]]
    n_rows: int | None = None  # None if unknown


def from_table(
    source: RowData,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    queries: str | list[str] | None = None,
    pos_label: Label | None = None,
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
        names all of these. Files are Parquet, CSV, TSV, JSON lines or Feather, also compressed
        (.csv.gz). A Polars frame is a DataFrame or a LazyFrame.
    y_true : str
        The column of binary labels.
    y_score : str
        The column of scores, higher for what is more likely positive. Minus infinity says that the
        row was not retrieved. For several models, call this once for each column.
    sample_weight : str, default=None
        The column of weights. Weight 2 counts a row twice, weight 0 not at all.
    queries : str or list of str, default=None
        The column of queries. Each query is a ranking of its own, in the order of the sorted names.
        The rows may be in any order. Several columns, as ["user", "day"], make queries of each user
        and day, whose names are tuples.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    progress : bool, default=False
        Whether to show a bar for each pass, on standard error, if tqdm is installed.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, or of each query, for definitions, intervals and displays.

    See Also
    --------
    from_chunks : Counts of chunks of arrays.

    Notes
    -----
    A missing value, or a score of NaN or plus infinity, raises an error, because engines rank NaN
    in different places. The error names the batch and the row in it. For a file, it names the file,
    the row and the column.

    The first row of a text file is its header. With semicolons between its cells, numbers may
    have decimal commas. Spaces around a number do not count, but those of a name do. Labels that
    are written as text are numbers, or "no" and "yes", or "false" and "true", unless ``pos_label``
    is text. Names of queries are numbers if all of them are.

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
    columns = check_column_names(y_true, y_score, sample_weight, queries)
    batches: Callable[[], Iterator[Batch]]
    have_types = True
    if isinstance(source, str | os.PathLike | list | tuple):
        files = _files(source, n_passes=2 if queries is None else 1)
        have_types = not all(map(is_csv, files))
        reader = FileReader(files, [*columns.values()])
        batches = partial(_file_batches, reader, columns, pos_label)
        bars = PassBars(progress, *reader.size())
    else:
        table = _open(source)
        cells.check_columns(columns.values(), table.columns)
        names = list(dict.fromkeys(columns.values()))
        batches = lambda: batches_from_arrow(table.read(names), columns)  # noqa: E731
        bars = PassBars(progress, table.n_rows)
    if queries is None:
        return count_in_passes(batches, pos_label, bars)
    with closing(bars.advance(batches(), "only pass")) as rows:
        counts = count_by_query(clean(batch, pos_label) for batch in rows)
        return counts.sort_by_name(pos_label, have_types=have_types)


def _files(source: Argument, n_passes: int) -> list[str]:
    paths = source if isinstance(source, list | tuple) else [source]
    if not paths:
        raise ValueError("source is an empty list of paths.")
    for path in paths:
        if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
            raise TypeError(
                f"A list as source must hold paths as text, got {type(path).__name__}. Join tables "
                f"before, as by pyarrow.concat_tables."
            )
    try:
        files = [file for path in paths for file in find_files(path)]
    except FileNotFoundError as error:
        remote = "For files that are not on this machine, pass a pyarrow Dataset."
        raise FileNotFoundError(f"{error} {remote}") from None
    for file in files:
        check_extension(file)
        if n_passes > 1 and not os.path.isfile(file):
            raise ValueError(f"{file!r} is a pipe, and counting takes two passes: store its rows.")
    return files


def _file_batches(
    reader: Iterable[cells.FileRows], columns: Mapping[str, str], pos_label: Label
) -> Iterator[Batch]:
    """Read the columns of files. Labels in text are numbers, unless ``pos_label`` is text."""
    read_labels = _text_labels if isinstance(pos_label, str) else cells.labels
    readers: dict[str, Callable[[cells.FileRows, str], Array]] = {
        "y_true": read_labels,
        "y_score": cells.scores,
        "sample_weight": cells.weights,
        "queries": _names,
    }
    first_row = 0
    for i, rows in enumerate(reader):
        values: dict[str, RowData]
        if rows.is_text:
            # Several columns of queries have the roles "queries 0", "queries 1", ...
            values = {role: readers[role.split()[0]](rows, name) for role, name in columns.items()}
        else:
            values = {role: rows.columns[name] for role, name in columns.items()}
            if rows.columns[columns["y_true"]].is_text:  # one rule for the labels of all files
                values["y_true"] = read_labels(rows, columns["y_true"])
        place = f"batch {i} (from row {first_row})"
        yield Batch(place, values, rows, columns)
        first_row += rows.size


def _names(rows: cells.FileRows, name: str) -> Array:
    return cells.read_names(rows, name).to_numpy()


def _text_labels(rows: cells.FileRows, name: str) -> Array:
    return cells.names_of_labels(rows, name).to_numpy()


def _open(source: Argument) -> OpenTable:
    is_polars = hasattr(source, "collect_batches") or hasattr(source, "iter_slices")
    is_duckdb = type(source).__name__ == "DuckDBPyRelation"
    is_arrow = any(kind.__module__.startswith("pyarrow") for kind in type(source).__mro__)
    if not (is_polars or is_duckdb or is_arrow):
        raise _unknown_source(source)
    pa = import_extra("pyarrow", "from_table", "table")
    import pyarrow.dataset as ds

    if isinstance(source, ds.Dataset):
        return OpenTable(
            source.schema.names, lambda names: source.scanner(names, **SCAN_OPTIONS).to_batches()
        )
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        return OpenTable(
            source.column_names,
            lambda names: source.select(names).to_batches(BATCH_ROWS),
            source.num_rows,
        )
    if is_polars:
        columns = list(source.collect_schema().names())
        n_rows = getattr(source, "height", None)  # a lazy frame has no height
        return OpenTable(columns, partial(_polars_batches, source), n_rows)
    if is_duckdb:
        return OpenTable(list(source.columns), partial(_duckdb_batches, source))
    raise _unknown_source(source)


def _unknown_source(source: object) -> TypeError:
    return TypeError(
        f"source must be a path, a list of paths, a pyarrow Dataset or Table, a Polars LazyFrame "
        f"or DataFrame, or a DuckDB relation, got {type(source).__name__}. What gives its rows "
        f"only once, as a RecordBatchReader does, cannot be counted in two passes. For columns in "
        f"memory, as of a pandas data frame, use threshold_counts."
    )


def _polars_batches(frame: DataFrame, names: list[str]) -> Iterator[ArrowTable]:
    columns = frame.select(names)
    if hasattr(frame, "collect_batches"):  # lazy
        parts = columns.collect_batches(chunk_size=BATCH_ROWS, maintain_order=False)
    else:
        parts = columns.iter_slices(BATCH_ROWS)
    for part in parts:
        yield part.to_arrow()


def _duckdb_batches(relation: DataFrame, names: list[str]) -> Iterator[ArrowTable]:
    columns = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    if hasattr(columns, "to_arrow_reader"):
        reader = columns.to_arrow_reader(BATCH_ROWS)
    else:  # before DuckDB 2.0
        reader = columns.fetch_arrow_reader(BATCH_ROWS)
    try:
        yield from reader
    finally:
        reader.close()  # or the connection would stay blocked
