"""Counts of files and tables: Parquet, CSV, JSON lines, Feather, Arrow, Polars and DuckDB."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from sklearn_ap._base.extras import import_extra
from sklearn_ap._base.files import cells
from sklearn_ap._base.files.formats import SCAN_OPTIONS
from sklearn_ap._base.files.reader import FileReader, check_extension, find_files, is_csv
from sklearn_ap._base.inputs.unknown_options import explains_options
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.large._by_query import count_by_query
from sklearn_ap.large._checked_batches import ROLES, Batch, batches_from_arrow, clean, names_by_role
from sklearn_ap.large._on_chunks import PassBars, count_in_passes

ROWS = 2**18  # of a batch, where the source lets us say so


@explains_options
def from_table(
    source: Any,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    queries: str | list[str] | None = None,
    clusters: str | None = None,
    definition: Definition = Step(),
    pos_label: Any = None,
    progress: bool = False,
) -> ThresholdCounts:
    """Count the rows of files or of a table, some at a time.

    The counts are those of ``threshold_counts`` on the whole columns, to the last digit. Only the
    named columns are read, twice, or with clusters three times. At any time memory holds a few
    million rows, and about 150 bytes for each distinct score of the positives, or 300 with weights.

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
    clusters : str, default=None
        The column of clusters, such as the image of a pixel, if these are sampled: a third pass
        then adds up what ``AveragePrecisionInterval.from_counts`` needs.
    definition : Definition, default=Step()
        With ``clusters``, the definition of which you want an interval.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 if the labels are {0, 1} or {-1, 1}.
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
    columns = names_by_role(y_true, y_score, sample_weight, queries, clusters)
    batches: Callable[[], Iterator[Batch]]
    have_types = True
    if isinstance(source, str | os.PathLike | list | tuple):
        files = _files(source, n_passes=2 if queries is None else 1)
        have_types = not all(map(is_csv, files))
        reader = FileReader(files, [*columns.values()])
        batches = partial(_batches_of_files, reader, columns, pos_label)
        bars = PassBars(progress, *reader.size())
    else:
        there, records, n_rows = _opened(source)
        cells.check_columns(columns.values(), there)
        distinct = list(dict.fromkeys(columns.values()))
        batches = lambda: batches_from_arrow(records(distinct), columns)  # noqa: E731
        bars = PassBars(progress, n_rows)
    if queries is None:
        return count_in_passes(batches, pos_label, bars, definition)
    with closing(bars.around(batches(), "only pass")) as rows:
        counted = count_by_query(clean(each, pos_label) for each in rows)
        return counted.in_order(pos_label, have_types=have_types)


def _files(source: Any, n_passes: int) -> list[str]:
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


def _batches_of_files(
    reader: Iterable[cells.FileRows], columns: Mapping[str, str], pos_label: Any
) -> Iterator[Batch]:
    """The columns of files. Labels in text are numbers, unless ``pos_label`` is text."""
    read_labels = _names_of_labels if isinstance(pos_label, str) else cells.labels
    of_roles = (read_labels, cells.scores, cells.weights, _names, _names)
    readers = dict(zip(ROLES, of_roles, strict=True))
    first_row = 0
    for i, rows in enumerate(reader):
        if rows.is_text:
            values = {role: readers[role.split()[0]](rows, name) for role, name in columns.items()}
        else:
            values = {role: rows.columns[name] for role, name in columns.items()}
            if rows.columns[columns["y_true"]].is_text:  # one rule for the labels of all files
                values["y_true"] = read_labels(rows, columns["y_true"])
        place = f"batch {i} (from row {first_row})"
        yield Batch(place, values, rows, columns)
        first_row += rows.size


def _names(rows: cells.FileRows, name: str) -> Any:
    return cells.names(rows, name).to_numpy()


def _names_of_labels(rows: cells.FileRows, name: str) -> Any:
    return cells.names_of_labels(rows, name).to_numpy()


def _opened(source: Any) -> tuple[list[str], Callable[[list[str]], Iterable[Any]], int | None]:
    """Its columns, how to get record batches of some of them, and how many rows it has if known."""
    is_polars = hasattr(source, "collect_batches") or hasattr(source, "iter_slices")
    is_duckdb = type(source).__name__ == "DuckDBPyRelation"
    is_arrow = any(kind.__module__.startswith("pyarrow") for kind in type(source).__mro__)
    if not (is_polars or is_duckdb or is_arrow):
        raise _unknown(source)
    pa = import_extra("pyarrow", "from_table", "table")
    import pyarrow.dataset as ds

    if isinstance(source, ds.Dataset):
        return (
            source.schema.names,
            lambda names: source.scanner(names, **SCAN_OPTIONS).to_batches(),
            None,
        )
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        names = source.column_names
        return names, lambda names: source.select(names).to_batches(ROWS), source.num_rows
    if is_polars:
        names = list(source.collect_schema().names())
        return names, partial(_of_polars, source), getattr(source, "height", None)
    if is_duckdb:
        return list(source.columns), partial(_of_duckdb, source), None
    raise _unknown(source)


def _unknown(source: Any) -> TypeError:
    return TypeError(
        f"source must be a path, a list of paths, a pyarrow Dataset or Table, a Polars LazyFrame "
        f"or DataFrame, or a DuckDB relation, got {type(source).__name__}. What gives its rows "
        f"only once, as a RecordBatchReader does, cannot be counted in two passes. For columns in "
        f"memory, as of a pandas data frame, use threshold_counts."
    )


def _of_polars(frame: Any, names: list[str]) -> Iterator[Any]:
    chosen = frame.select(names)
    if hasattr(frame, "collect_batches"):  # lazy
        parts = chosen.collect_batches(chunk_size=ROWS, maintain_order=False)
    else:
        parts = chosen.iter_slices(ROWS)
    for part in parts:
        yield part.to_arrow()


def _of_duckdb(relation: Any, names: list[str]) -> Iterator[Any]:
    chosen = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    old = not hasattr(chosen, "to_arrow_reader")  # before DuckDB 2.0
    reader = (chosen.fetch_arrow_reader if old else chosen.to_arrow_reader)(ROWS)
    try:
        yield from reader
    finally:
        reader.close()  # or the connection would stay blocked
