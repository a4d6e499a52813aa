"""Counts of Dask collections and Spark data frames: their own workers count their partitions."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce, wraps
from operator import add
from typing import Any, TypeAlias

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_extra
from sklearn_ap._types import Argument, ArrowTable, DataFrame, Label, Module, RowData
from sklearn_ap.large._chunks import ROLES, Chunk, check_rows
from sklearn_ap.large._passes import (
    FirstPass,
    Pass,
    Result,
    count_cells,
    find_thresholds,
    make_counts,
    run_passes,
)
from sklearn_ap.large._tables import chunks_of_arrow, column_names

Delayed: TypeAlias = Any  # a Delayed of Dask, which need not be installed
Partition = dict[str, RowData]  # the columns of some rows, by their roles

SPLIT_EVERY = 8  # the number of partial results that Dask adds up at a time
# Partial results, whose number is not known, are added up in 16 tasks, and these in one: Spark
# refuses to collect more than spark.driver.maxResultSize, 1 GB.
SUM_TASKS = (16, 1)
PACKAGES_MISSING = (
    "A Spark worker cannot import what it needs to count ({error}). Workers run python3 from their "
    "path unless PYSPARK_PYTHON names the interpreter that has sklearn_ap, numpy, scipy, "
    "scikit-learn and pyarrow: set it before the session starts, on every node."
)


def _takes_frame(count: Callable[..., ThresholdCounts]) -> Callable[..., ThresholdCounts]:
    """Let a function of columns take a frame and their names, as ``from_table`` does."""

    @wraps(count)
    def count_columns(*args: Argument, **options: Argument) -> ThresholdCounts:
        if len(args) != 3:
            return count(*args, **options)
        frame, y_true, y_score = args
        if not (hasattr(type(frame), "to_delayed") and hasattr(frame, "columns")):
            raise TypeError(
                f"from_dask takes (y_true, y_score), or a Dask data frame and the names of its "
                f"columns, (frame, 'label', 'score'), got a {type(frame).__name__} first of three."
            )
        names = column_names(frame.columns, y_true, y_score, options.get("sample_weight"))
        return count(**options | {role: frame[name] for role, name in names.items()})

    return count_columns


@_takes_frame
def from_dask(
    y_true: RowData,
    y_score: RowData,
    *,
    sample_weight: RowData | None = None,
    pos_label: Label | None = None,
) -> ThresholdCounts:
    """Count Dask arrays or series.

    The counts are those of ``threshold_counts`` on the computed arrays, to the last digit. Each
    partition is counted where it is; a worker needs memory for a few partitions and the thresholds.
    The active scheduler runs the two passes, and its dashboard shows them.

    Parameters
    ----------
    y_true : dask Array or Series
        Binary labels. Columns of a Dask data frame can also be given by their names:
        ``from_dask(frame, "label", "score")``, and then all of them are names.
    y_score : dask Array or Series
        Scores, higher for what is more likely positive, in partitions as long as those of
        ``y_true``. Their lengths may be unknown. Minus infinity says that the row was not
        retrieved.
    sample_weight : dask Array or Series, default=None
        Weight 2 counts a row twice, weight 0 not at all.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, for definitions, intervals and displays.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn_ap import large
    >>> y_true, y_score = da.from_array([1, 0, 1, 0]), da.from_array([0.9, 0.8, 0.7, 0.1])
    >>> large.from_dask(y_true, y_score)
    ThresholdCounts: 2 thresholds, 2 positives, 2 negatives
    threshold  tps  fps  precision  recall  rise_of_recall   product
    0.9          1    0          1     0.5             0.5       0.5
    0.7          2    1   0.666667       1             0.5  0.333333
    >>> import dask.dataframe as dd
    >>> frame = dd.from_dict({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1]}, npartitions=2)
    >>> round(large.from_dask(frame, "y", "p").score(), 4)
    0.8333
    """
    dask = import_extra("dask", "from_dask", "dask")
    columns = dict(zip(ROLES, (y_true, y_score, sample_weight), strict=True))
    partitions = _partitions({role: each for role, each in columns.items() if each is not None})
    # Two computations: in one graph all partitions would stay in memory between the passes.
    # The first result stays with the workers: millions of thresholds would be a large graph.
    remote = _run_in_tree(dask, find_thresholds, partitions, pos_label).persist()
    try:
        first_pass: FirstPass
        (first_pass,) = dask.compute(remote)
        first_pass.check(pos_label)
        options = remote.thresholds, remote.has_weights
        count = partial(count_cells, make_sparse=True)
        tree = _run_in_tree(dask, count, partitions, pos_label, *options)
        (second_pass,) = dask.compute(tree)
        return make_counts(first_pass, second_pass)
    finally:
        # An error keeps this frame, and would keep the thresholds on the workers.
        del remote


def _partitions(columns: dict[str, RowData]) -> list[Delayed]:
    """Return the delayed partitions, each of them a dict: {"y_true": ..., "y_score": ...}."""
    for name, values in columns.items():
        if not hasattr(type(values), "to_delayed"):  # a Delayed itself has any attribute
            raise TypeError(
                f"{name} must be a Dask array or series, got {type(values).__name__}. For arrays "
                f"in memory use threshold_counts. For columns of a Dask data frame, pass it first: "
                f"from_dask(frame, 'label', 'score')."
            )
    flat = {name: _flatten(name, values) for name, values in columns.items()}
    _check_sizes({name: values.npartitions for name, values in flat.items()}, "partitions")
    return _join_columns(flat)


def _flatten(name: str, values: RowData) -> RowData:
    """Return the one column of an array or of a frame."""
    if values.ndim == 1:
        return values
    if values.ndim > 2 or values.shape[1] != 1:
        raise ValueError(
            f"{name} must be one-dimensional, got {values.ndim} dimensions. Count the scores of "
            f"each model by a call of its own."
        )
    return values[values.columns[0]] if hasattr(values, "columns") else values[:, 0]


def _join_columns(flat: dict[str, RowData]) -> list[Delayed]:
    """Join columns in one collection; apart, their source would be computed once for each."""
    columns = [*flat.values()]
    join = partial(_join_parts, (*flat,))
    if all(hasattr(values, "to_dask_array") for values in columns):
        import dask.dataframe as dd

        options = {"enforce_metadata": False, "align_dataframes": False}
        return list(
            dd.map_partitions(join, *columns, meta=columns[0]._meta, **options).to_delayed()
        )
    import dask.array as da

    arrays = [
        values.to_dask_array() if hasattr(values, "to_dask_array") else values for values in columns
    ]
    # blockwise takes each array and its index, one after the other.
    arguments = [argument for values in arrays for argument in (values, "i")]
    blocks = da.blockwise(join, "i", *arguments, align_arrays=False, dtype=object, meta=np.empty(0))
    return list(blocks.to_delayed())


def _join_parts(roles: tuple[str, ...], *parts: RowData) -> Partition:
    return dict(zip(roles, parts, strict=True))


def _check_sizes(sizes: dict[str, int], unit: str) -> None:
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(
            f"The {unit} of the columns do not match: {listed}. Take the columns from one data "
            f"frame, or align them: y_score.rechunk(y_true.chunks) for arrays, "
            f"y_score.repartition(divisions=y_true.divisions) for series."
        )


def _run_in_tree(
    dask: Module,
    one_pass: Callable[..., Argument],
    partitions: list[Delayed],
    pos_label: Label,
    *options: Argument,
) -> Delayed:
    """Count each partition and add up a few at a time, so that no worker holds all results."""

    def run(i: int, part: Partition, *options: Argument) -> Argument:
        lengths = {role: len(values) for role, values in part.items()}
        _check_sizes(lengths, f"rows of partition {i}")
        return one_pass([check_rows(Chunk(f"partition {i}", part), pos_label)], *options)

    parts = [dask.delayed(run)(i, part, *options) for i, part in enumerate(partitions)]
    while len(parts) > 1:
        groups = [parts[i : i + SPLIT_EVERY] for i in range(0, len(parts), SPLIT_EVERY)]
        parts = [dask.delayed(_add_up)(group) for group in groups]
    return parts[0]


def _add_up(results: Sequence[Argument]) -> Argument:
    return reduce(add, results)


def from_spark(
    frame: DataFrame,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    pos_label: Label | None = None,
) -> ThresholdCounts:
    """Count a Spark data frame, of a classic session or of Spark Connect.

    The counts are those of ``threshold_counts`` on the collected columns, to the last digit. Each
    partition is counted where it is, without a shuffle of the rows.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The data. Its plan runs twice, so cache it if it is costly, or if it does not give the same
        rows each time.
    y_true : str
        The column of binary labels.
    y_score : str
        The column of scores, higher for what is more likely positive. Minus infinity says that the
        row was not retrieved.
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
    The workers need sklearn_ap and pyarrow. They run ``python3`` from their path unless the
    environment variable ``PYSPARK_PYTHON`` names another interpreter.

    Examples
    --------
    >>> from sklearn_ap import large
    >>> counts = large.from_spark(frame, "label", "score")  # doctest: +SKIP
    """
    import_extra("pyspark", "from_spark", "spark")
    if not hasattr(frame, "mapInArrow"):
        raise TypeError(
            f"frame must be a PySpark data frame, got {type(frame).__module__}."
            f"{type(frame).__name__}."
        )
    names = column_names(frame.columns, y_true, y_score, sample_weight)
    quoted = {role: f"`{name.replace('`', '``')}`" for role, name in names.items()}
    renamed = frame.selectExpr(*(f"{name} AS {role}" for role, name in quoted.items()))
    run = partial(_run_on_spark, renamed, tuple(names), pos_label=pos_label)
    return run_passes(run, pos_label, make_sparse=True)


def _run_on_spark(
    frame: DataFrame, roles: Sequence[str], one_pass: Pass[Result], pos_label: Label
) -> Result:
    """Map a pass over the partitions, and add the results up in a tree.

    Functions travel as bytes, since a task that raises, as by a package that its worker lacks,
    would be tried four times.
    """
    from pyspark.errors import PythonException

    parts = frame.mapInArrow(
        _worker_function(_count_partition, roles, one_pass, pos_label), "result binary"
    )
    for n_tasks in SUM_TASKS:
        parts = parts.repartition(n_tasks).mapInArrow(
            _worker_function(_add_up_partition), "result binary"
        )
    try:
        rows = parts.collect()
    except PythonException as error:
        causes = [line for line in str(error).splitlines() if "ModuleNotFoundError" in line]
        if causes:
            raise ImportError(PACKAGES_MISSING.format(error=causes[-1].strip())) from error
        raise
    if not rows:  # Spark prints an error of its own, and goes on
        raise RuntimeError(
            "Spark gave no result back, for which its driver may have too little memory. Start the "
            "session with a larger spark.driver.memory."
        )
    total = pickle.loads(bytes(rows[0]["result"]))
    if isinstance(total, ImportError):
        raise ImportError(PACKAGES_MISSING.format(error=total))
    if isinstance(total, Exception):
        raise total
    return total or one_pass([])  # a frame without partitions has no result


def _worker_function(
    function: Callable[..., Argument], *options: Argument
) -> Callable[..., Argument]:
    """Return a function of the batches of a partition that yields its pickled result.

    It imports nothing of ours before it runs, and returns errors of its data and imports.
    """
    from pyspark import cloudpickle

    function_as_bytes = cloudpickle.dumps((function, options))

    def run(records: Iterable[ArrowTable]) -> Iterator[ArrowTable]:
        import pickle

        import pyarrow as pa

        try:
            function, options = pickle.loads(function_as_bytes)
            result = function(records, *options)
        except (ImportError, TypeError, ValueError) as error:
            result = error
        yield pa.RecordBatch.from_pydict({"result": [pickle.dumps(result)]})

    return run


def _count_partition(
    records: Iterable[ArrowTable], roles: Sequence[str], one_pass: Pass[Result], pos_label: Label
) -> Result:
    from pyspark import TaskContext

    context = TaskContext.get()
    place = f"partition {context.partitionId() if context else '?'}, batch"
    chunks = chunks_of_arrow(records, {role: role for role in roles}, place, pos_label)
    return one_pass(check_rows(chunk, pos_label) for chunk in chunks)


def _add_up_partition(records: Iterable[ArrowTable]) -> Argument:
    """Add up the results of some partitions; the first error among them is the result."""
    total = None
    for record in records:
        for pickled in record.column(0):
            result = pickle.loads(pickled.as_buffer())
            if isinstance(result, Exception):
                return result
            if result is not None:
                total = result if total is None else total + result
    return total
