"""Counts of a Spark data frame: each executor counts its partitions."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

from sklearn_ap._base.files.cells import check_columns
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_extra
from sklearn_ap._types import Argument, ArrowTable, DataFrame, Label
from sklearn_ap.large._by_query import count_by_query
from sklearn_ap.large._checked_batches import batches_from_arrow, check_column_names, clean
from sklearn_ap.large._two_passes import Pass, Result, add_up, run_passes

QUERY_ROLE = "queries"  # the beginning of the roles of all columns of queries
# Partial results, whose number is not known, are added up in 16 tasks, and these in one: Spark
# refuses to collect more than spark.driver.maxResultSize, 1 GB.
SUM_TASKS = (16, 1)
IMPORT_ERRORS = ("ModuleNotFoundError", "ImportError")
PACKAGES_MISSING = (
    "A Spark worker cannot import what it needs to count ({error}). Workers run python3 from their "
    "path unless PYSPARK_PYTHON names the interpreter that has sklearn_ap, numpy, scipy, "
    "scikit-learn and pyarrow: set it before the session starts, on every node."
)


def from_spark(
    frame: DataFrame,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    queries: str | list[str] | None = None,
    pos_label: Label | None = None,
) -> ThresholdCounts:
    """Count a Spark data frame, of a classic session or of Spark Connect.

    The counts are those of ``threshold_counts`` on the collected columns, to the last digit. Each
    partition is counted where it is, without a shuffle of the rows.
    With ``queries``, Spark shuffles the rows, so that those of a query are together.

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
    queries : str or list of str, default=None
        The column of queries. Each query is a ranking of its own, in the order of the sorted names.
        The rows may be in any order. Several columns, as ["user", "day"], make queries of each user
        and day, whose names are tuples.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, or of each query, for definitions, intervals and displays.

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
    columns = check_column_names(y_true, y_score, sample_weight, queries)
    check_columns(columns.values(), frame.columns)
    quoted = {role: f"`{name.replace('`', '``')}`" for role, name in columns.items()}
    renamed = frame.selectExpr(*(f"{name} AS `{role}`" for role, name in quoted.items()))
    if queries is not None:
        keys = (f"`{role}`" for role in columns if role.startswith(QUERY_ROLE))
        shuffled = renamed.repartition(*keys)
        return _run_pass(shuffled, pos_label, count_by_query).sort_by_name(pos_label)
    run = partial(_run_pass, renamed, pos_label)  # Spark broadcasts a pass with many thresholds
    return run_passes(run, pos_label, pack=True)


def _run_pass(frame: DataFrame, pos_label: Label, one_pass: Pass[Result]) -> Result:
    """Map a pass over the partitions, and add the results up in a tree.

    Spark Connect has the operations of data frames alone, so the number of a partition is a column.
    """
    from pyspark.errors import PythonException

    columns = {name: name for name in frame.columns}
    is_shuffled = any(name.startswith(QUERY_ROLE) for name in columns)
    kind = "shuffled partition" if is_shuffled else "partition"

    def count_partition(records: Iterable[ArrowTable]) -> Iterator[ArrowTable]:
        filled_records = (record for record in records if record.num_rows)
        for record in filled_records:
            place = f"{kind} {record.column('partition')[0]}, batch"
            batches = batches_from_arrow(chain([record], filled_records), columns, place)
            rows = (clean(batch, pos_label) for batch in batches)
            yield _pickled(_result_or_error(lambda: one_pass(rows)))  # noqa: B023

    schema = "result binary"
    parts = frame.selectExpr("*", "spark_partition_id() AS partition")
    parts = parts.mapInArrow(count_partition, schema)
    for n_tasks in SUM_TASKS:
        parts = parts.repartition(n_tasks).mapInArrow(_add_up_partition, schema)
    try:
        rows = parts.collect()
    except PythonException as error:
        lines = str(error).splitlines()
        causes = [line.strip() for line in lines if any(name in line for name in IMPORT_ERRORS)]
        if causes:
            raise ImportError(PACKAGES_MISSING.format(error=causes[-1])) from error
        raise
    if not rows and not frame.isEmpty():  # it prints an error of its own, and goes on
        raise RuntimeError(
            "Spark gave no result back, for which its driver may have too little memory. Start the "
            "session with a larger spark.driver.memory."
        )
    no_rows = one_pass(iter(()))  # a frame without rows gives no result, and is counted here
    total: Result = add_up([no_rows, *(pickle.loads(bytes(row["result"])) for row in rows)])
    return total


def _result_or_error(count: Callable[[], Argument]) -> Argument:
    """Return the result of a pass, or its error, since Spark would retry a task that raises."""
    try:
        return count()
    except (TypeError, ValueError) as error:
        return error


def _add_up_partition(records: Iterable[ArrowTable]) -> Iterator[ArrowTable]:
    # One after the other, so that few are in memory.
    results = (pickle.loads(row.as_buffer()) for record in records for row in record.column(0))
    total = _result_or_error(lambda: add_up(results))
    if total is not None:
        yield _pickled(total)


def _pickled(result: Argument) -> ArrowTable:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"result": [pickle.dumps(result)]})
