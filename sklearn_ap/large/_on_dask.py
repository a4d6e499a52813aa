"""Counts of Dask arrays and series: each worker counts its partitions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeAlias, cast

import numpy as np

from sklearn_ap._base.files.cells import check_columns
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_extra
from sklearn_ap._types import Argument, Label, Module, RowData
from sklearn_ap.large._by_query import QueryCounts, count_by_query, split_by_query
from sklearn_ap.large._checked_batches import (
    ONE_CALL_EACH,
    ROLES,
    Batch,
    CleanBatch,
    check_column_names,
    clean,
    columns_by_role,
)
from sklearn_ap.large._two_passes import add_up, count_cells, find_thresholds, make_counts

Delayed: TypeAlias = Any  # a Delayed of Dask, which need not be installed
Partition = dict[str, RowData]  # the columns of some rows, by their roles

MOST_PARTS = 64  # queries are spread over at most 64 parts, each in the memory of one task
SPLIT_EVERY = 8  # the number of partial results that are added up at a time


def _takes_frame(count: Callable[..., ThresholdCounts]) -> Callable[..., ThresholdCounts]:
    """Let a function of columns take a frame and their names, as ``from_table`` does."""

    @wraps(count)
    def count_columns(*args: Argument, **options: Argument) -> ThresholdCounts:
        if len(args) != 3:
            return count(*args, **options)
        frame, *names = args
        if not (hasattr(type(frame), "to_delayed") and hasattr(frame, "columns")):
            raise TypeError(
                f"from_dask takes (y_true, y_score), or a Dask data frame and the names of its "
                f"columns, (frame, 'label', 'score'), got a {type(frame).__name__} first of three."
            )
        columns = {role: options[role] for role in ROLES if options.get(role) is not None}
        columns |= zip(ROLES, names, strict=False)
        check_columns(check_column_names(*map(columns.get, ROLES)).values(), frame.columns)
        for role, name in columns.items():
            is_list = isinstance(name, list | tuple)
            options[role] = [frame[key] for key in name] if is_list else frame[name]
        return count(**options)

    return count_columns


@_takes_frame
def from_dask(
    y_true: RowData,
    y_score: RowData,
    *,
    sample_weight: RowData | None = None,
    queries: RowData | list[RowData] | None = None,
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
    queries : dask Array or Series, default=None
        The query of each row. Each query is a ranking of its own, in the order of the sorted names.
        The rows of a query may be in any partitions. They are brought to one worker. A list of
        several, as ["user", "day"], makes queries of each user and day, whose names are tuples.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.

    Returns
    -------
    ThresholdCounts
        The counts of one ranking, or of each query, for definitions, intervals and displays.

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
    >>> large.from_dask(frame, "y", "p")
    ThresholdCounts: 2 thresholds, 2 positives, 2 negatives
    threshold  tps  fps  precision  recall  rise_of_recall   product
    0.9          1    0          1     0.5             0.5       0.5
    0.7          2    1   0.666667       1             0.5  0.333333
    """
    dask = import_extra("dask", "from_dask", "dask")
    partitions = _partitions(columns_by_role(y_true, y_score, sample_weight, queries))
    if queries is not None:
        return _count_queries(dask, partitions, pos_label)
    # Two computations: in one graph all partitions would stay in memory between the passes.
    # The first result stays with the workers: millions of thresholds would be a large graph.
    remote = _run_in_tree(dask, find_thresholds, partitions, pos_label).persist()
    try:
        (first_pass,) = dask.compute(remote)
        first_pass.check(pos_label)
        tree = _run_in_tree(
            dask,
            partial(count_cells, pack=True),
            partitions,
            pos_label,
            remote.thresholds,
            remote.has_weights,
        )
        (second_pass,) = dask.compute(tree)
        return make_counts(first_pass, second_pass)
    finally:
        # An error keeps this frame, and would keep the thresholds on the workers.
        del remote


def _count_queries(dask: Module, partitions: list[Delayed], pos_label: Label) -> ThresholdCounts:
    """Bring each query to one task, and count it there."""
    n_parts = min(len(partitions), MOST_PARTS)
    split = dask.delayed(_split, nout=n_parts)
    pieces = [split(i, part, n_parts, pos_label) for i, part in enumerate(partitions)]
    count = dask.delayed(count_by_query)
    # pieces[j][i] has the rows of partition j whose queries are counted by task i.
    parts = [count([split_rows[i] for split_rows in pieces]) for i in range(n_parts)]
    (counts,) = dask.compute(_add_up_in_tree(dask, parts))
    return cast(QueryCounts, counts).sort_by_name(pos_label)


def _split(i: int, part: Partition, n_parts: int, pos_label: Label) -> list[CleanBatch]:
    return split_by_query(_clean(i, part, pos_label), n_parts)


def _partitions(columns: dict[str, RowData]) -> list[Delayed]:
    """Return the delayed partitions, each of them a dict: {"y_true": ..., "y_score": ...}."""
    for name, values in columns.items():
        if not hasattr(type(values), "to_delayed"):  # a Delayed itself has any attribute
            raise TypeError(
                f"{name} must be a Dask array or series, got {type(values).__name__}. For arrays "
                f"in memory use threshold_counts. For columns of a Dask data frame, pass it first: "
                f"from_dask(frame, 'label', 'score')."
            )
    flat_columns = {name: _flatten(name, values) for name, values in columns.items()}
    _check_sizes({name: values.npartitions for name, values in flat_columns.items()}, "partitions")
    return _join_columns(flat_columns)


def _flatten(name: str, values: RowData) -> RowData:
    """Return the one column of an array or of a frame."""
    if values.ndim == 1:
        return values
    if values.ndim > 2 or values.shape[1] != 1:
        hint = f" {ONE_CALL_EACH}" * (name == "y_score")
        raise ValueError(f"{name} must be one-dimensional, got {values.ndim} dimensions.{hint}")
    return values[values.columns[0]] if hasattr(values, "columns") else values[:, 0]


def _join_columns(flat_columns: dict[str, RowData]) -> list[Delayed]:
    """Join columns in one collection; apart, their source would be computed once for each."""
    columns = [*flat_columns.values()]
    join = partial(_join_parts, (*flat_columns,))
    if all(hasattr(values, "to_dask_array") for values in columns):
        import dask.dataframe as dd

        frames = dd.map_partitions(
            join,
            *columns,
            meta=columns[0]._meta,
            enforce_metadata=False,
            align_dataframes=False,
        )
        return list(frames.to_delayed())
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


def _clean(i: int, part: Partition, pos_label: Label) -> CleanBatch:
    lengths = {role: len(values) for role, values in part.items()}
    _check_sizes(lengths, f"rows of partition {i}")
    return clean(Batch(f"partition {i}", part), pos_label)


def _run_in_tree(
    dask: Module,
    one_pass: Callable[..., Argument],
    partitions: list[Delayed],
    pos_label: Label,
    *options: Argument,
) -> Delayed:
    """Count each partition and add up a few at a time, so that no worker holds all results."""

    def run(i: int, part: Partition, *options: Argument) -> Argument:
        return one_pass([_clean(i, part, pos_label)], *options)

    parts = [dask.delayed(run)(i, part, *options) for i, part in enumerate(partitions)]
    return _add_up_in_tree(dask, parts)


def _add_up_in_tree(dask: Module, parts: list[Delayed]) -> Delayed:
    while len(parts) > 1:
        groups = [parts[i : i + SPLIT_EVERY] for i in range(0, len(parts), SPLIT_EVERY)]
        parts = [dask.delayed(add_up)(group) for group in groups]
    return parts[0]
