"""Counts of Spark data frames: the workers of Spark count their partitions."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputError
from sklearn_ap._extras import import_extra
from sklearn_ap._files.arrow_types import ArrowTable
from sklearn_ap._files.sources import pa
from sklearn_ap._types import DataFrame, Label
from sklearn_ap.large._batches import check_names_by_role, chunks_of_batches, label_as_read
from sklearn_ap.large._passes import Pass, Result, count_twice

# Partial results, whose number is not known, are added up in 16 tasks, and these in one: Spark
# refuses to collect more than spark.driver.maxResultSize, 1 GB.
SUM_TASKS = (16, 1)


def from_spark(
    frame: DataFrame,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    pos_label: Label | None = None,
) -> ThresholdCounts:
    """Count a Spark data frame, of a classic session or of Spark Connect.

    The counts are those of ``from_table``. Each partition is counted where it is, without a shuffle
    of the rows.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        The data. Its plan runs twice, so cache it if it is costly, or if it does not give the same
        rows each time.
    y_true, y_score : str
        As in ``from_table``.
    sample_weight, pos_label : optional
        As in ``from_table``.

    Returns
    -------
    ThresholdCounts
        As of ``from_table``.

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
    pos_label = label_as_read(pos_label)
    names = check_names_by_role(frame.columns, y_true, y_score, sample_weight)
    # By numbers, as Spark reads some names wrong; batches have them in this order
    quoted = [f"`{name.replace('`', '``')}`" for name in dict.fromkeys(names.values())]
    columns = frame.selectExpr(*(f"{name} AS c{i}" for i, name in enumerate(quoted)))
    return count_twice(partial(_run_on_spark, columns, names, pos_label), pos_label)


def _run_on_spark(
    frame: DataFrame, names: Mapping[str, str], pos_label: Label, one_pass: Pass[Result]
) -> Result:
    """Map a pass over the partitions, and add the results up in a tree."""
    count = partial(_count_partition, names, pos_label, one_pass)
    parts = frame.mapInArrow(partial(_pickle_result, count), "result binary")
    for n_tasks in SUM_TASKS:
        add_up = partial(_pickle_result, _add_up_results)
        parts = parts.repartition(n_tasks).mapInArrow(add_up, "result binary")
    (row,) = parts.collect()
    total: Result | Exception | None = pickle.loads(bytes(row["result"]))
    if isinstance(total, Exception):
        raise total
    return one_pass([]) if total is None else total  # a frame without partitions has no result


def _pickle_result(
    function: Callable[[Iterable[ArrowTable]], object], records: Iterable[ArrowTable]
) -> Iterator[ArrowTable]:
    """Yield the result of the batches of a partition, or what is refused of its data.

    Spark would try four times what raises.
    """
    try:
        result = function(records)
    except InputError as error:
        result = error
    yield pa.RecordBatch.from_pydict({"result": [pickle.dumps(result)]})


def _count_partition(
    names: Mapping[str, str],
    pos_label: Label,
    one_pass: Pass[Result],
    records: Iterable[ArrowTable],
) -> Result:
    from pyspark import TaskContext

    context = TaskContext.get()
    place = f"partition {context.partitionId() if context else '?'}, batch"
    return one_pass(chunks_of_batches(records, names, place, pos_label))


def _add_up_results(records: Iterable[ArrowTable]) -> object:
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
