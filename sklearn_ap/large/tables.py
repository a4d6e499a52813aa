"""Counts of files and tables: Parquet, CSV, TSV, Feather, Arrow, Polars and DuckDB."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from sklearn_ap.counts import ThresholdCounts
from sklearn_ap.large.arrow import batches_from_arrow, check_columns, wanted
from sklearn_ap.large.batches import Batch
from sklearn_ap.large.extras import missing
from sklearn_ap.large.passes import count_twice
from sklearn_ap.large.progress import with_progress

__all__ = ["from_table"]

ROWS = 2**18  # of a batch, where the source lets us say so
# One file and few batches ahead: more would not be faster here, and take memory.
SCAN = {"batch_size": ROWS, "batch_readahead": 4, "fragment_readahead": 1}
FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv", ".feather": "feather"}
FORMATS |= {".pq": "parquet", ".arrow": "feather"}

# The columns that a source has, and a function that gives record batches of some of them.
Reader = tuple[list[str], Callable[[list[str]], Iterable[Any]]]


def from_table(
    source: Any,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    pos_label: Any = None,
    progress: bool = False,
) -> ThresholdCounts:
    """Count the rows of files or of a table, some at a time.

    The counts are those of ``threshold_counts`` on the whole columns, to the last digit. Only the
    named columns are read, twice. At any time memory holds a few million rows, and about 100 bytes
    for each distinct score of the positives, or 200 with weights.

    Parameters
    ----------
    source : path, pyarrow Dataset or Table, Polars LazyFrame or DataFrame, or DuckDB relation
        A path or a glob pattern names Parquet, CSV, TSV or Feather files, also compressed ones
        (.csv.gz), or a folder of Parquet files.
    y_true : str
        The column of binary labels.
    y_score : str
        The column of scores, higher for what is more likely positive.
    sample_weight : str, default=None
        The column of weights. Weight 2 counts a row twice, weight 0 not at all.
    pos_label : int, float, bool or str, default=None
        The positive label. None stands for 1 where the labels are {0, 1} or {-1, 1}.
    progress : bool, default=False
        Whether to show the rows counted, on standard error. Needs tqdm.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for definitions, intervals and displays.

    See Also
    --------
    from_chunks : Counts of chunks of arrays.

    Notes
    -----
    A missing value, or a score that is NaN or infinite, raises an error that names the batch and
    the row in it. Engines rank NaN in different places.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sklearn_ap import large
    >>> table = pa.table({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1]})
    >>> large.from_table(table, "y", "p")
    ThresholdCounts(rankings=1, thresholds=2, positives=2, negatives=2)
    """
    columns = wanted(y_true, y_score, sample_weight)
    there, records = _reader(source)
    check_columns(columns, there)
    distinct = list(dict.fromkeys(columns))

    def batches() -> Generator[Batch]:
        return with_progress(batches_from_arrow(records(distinct), columns), progress)

    return count_twice(batches, pos_label)


def _reader(source: Any) -> Reader:
    try:
        import pyarrow as pa
        import pyarrow.dataset as ds
    except ImportError as error:
        raise missing("from_table", "pyarrow", "table") from error
    if isinstance(source, str | os.PathLike):
        return _of_files(_opened(os.fspath(source)))
    if isinstance(source, ds.Dataset):
        return _of_dataset(source)
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        return source.column_names, lambda names: source.select(names).to_batches(ROWS)
    if hasattr(source, "collect_batches") or hasattr(source, "iter_slices"):
        return _of_polars(source)
    if type(source).__name__ == "DuckDBPyRelation":
        return list(source.columns), lambda names: _of_duckdb(source, names)
    raise TypeError(
        f"source must be a path, a pyarrow Dataset or Table, a Polars LazyFrame or DataFrame, or a "
        f"DuckDB relation, got {type(source).__name__}. What gives its rows only once, as a "
        f"RecordBatchReader does, cannot be counted in two passes. For columns in memory, as of a "
        f"pandas data frame, use threshold_counts."
    )


def _opened(path: str) -> Any:
    """The files of a path or a glob pattern, as a dataset."""
    import pyarrow.csv as pa_csv
    import pyarrow.dataset as ds

    files = path if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not files:
        raise FileNotFoundError(
            f"There is no file {path!r}, nor one that matches it. For files that are not on this "
            f"machine, pass a pyarrow Dataset."
        )
    if os.path.isdir(path) and not os.listdir(path):
        raise FileNotFoundError(f"The folder {path!r} is empty.")
    name = path.lower().removesuffix(".gz").removesuffix(".bz2").removesuffix(".zst")
    extension = os.path.splitext(name)[1]
    kind = "parquet" if os.path.isdir(path) else FORMATS.get(extension)
    if kind is None:
        known = ", ".join(FORMATS)
        raise ValueError(f"The name of a file must end in {known} (or .csv.gz), got {path!r}.")
    if kind != "csv":
        return ds.dataset(files, format=kind)
    options = pa_csv.ParseOptions(delimiter="\t" if extension == ".tsv" else ",")
    return ds.dataset(files, format=ds.CsvFileFormat(parse_options=options))


def _of_files(dataset: Any) -> Reader:
    def records(names: list[str]) -> Iterator[Any]:
        ahead: Iterator[Any] = iter(())
        for file in dataset.get_fragments():
            # In its own types: those of the first file could round the scores of another.
            schema = file.physical_schema
            check_columns(names, schema.names, f"{file.path}: ")
            # Arrow begins to read at once, in its own threads, while the file before is counted.
            coming = file.scanner(schema=schema, columns=names, **SCAN).to_batches()
            yield from ahead
            ahead = coming
        yield from ahead

    return dataset.schema.names, records


def _of_dataset(dataset: Any) -> Reader:
    return dataset.schema.names, lambda names: dataset.scanner(columns=names, **SCAN).to_batches()


def _of_polars(frame: Any) -> Reader:
    names = list(frame.collect_schema().names())
    if hasattr(frame, "collect_batches"):  # lazy
        return names, lambda chosen: _as_arrow(
            frame.select(chosen).collect_batches(chunk_size=ROWS, maintain_order=False)
        )
    return names, lambda chosen: _as_arrow(frame.select(chosen).iter_slices(ROWS))


def _as_arrow(slices: Iterable[Any]) -> Iterator[Any]:
    for part in slices:
        yield part.to_arrow()


def _of_duckdb(relation: Any, names: list[str]) -> Iterator[Any]:
    chosen = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in names))
    old = not hasattr(chosen, "to_arrow_reader")  # before DuckDB 2.0
    reader = (chosen.fetch_arrow_reader if old else chosen.to_arrow_reader)(ROWS)
    try:
        yield from reader
    finally:
        reader.close()  # or the connection would stay blocked
