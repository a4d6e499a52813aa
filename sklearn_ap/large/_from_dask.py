"""Counts of Dask collections: the workers of Dask count their partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from operator import add
from typing import Any, TypeAlias

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import import_extra
from sklearn_ap._types import Argument, Label, RowData
from sklearn_ap.large._chunks import ROLES, Chunk, check_rows
from sklearn_ap.large._columns import column_names
from sklearn_ap.large._passes import Result, count_cells, find_thresholds, make_counts

Delayed: TypeAlias = Any  # a Delayed of Dask, which need not be installed

SPLIT_EVERY = 8  # the number of partial results that Dask adds up at a time


def from_dask(
    *source: Argument,
    sample_weight: RowData | str | None = None,
    pos_label: Label | None = None,
) -> ThresholdCounts:
    """Count a Dask data frame, arrays or series.

    The counts are those of ``from_table``. Each partition is counted where it is; a worker needs
    memory for a few partitions and the thresholds. The active scheduler runs the two passes, and
    its dashboard shows them.

    Parameters
    ----------
    *source : Dask DataFrame and two str, or two Dask arrays or series
        A frame and the names of its columns of labels and scores, ``frame, "label", "score"``. Or
        labels and scores, ``y_true, y_score``, in partitions of equal, maybe unknown lengths.
    sample_weight : str, or dask Array or Series, default=None
        The weights, as a name or as a column.
    pos_label : int, float, bool or str, default=None
        As in ``from_table``.

    Returns
    -------
    ThresholdCounts
        As of ``from_table``.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from sklearn_ap import large, score_from_counts
    >>> frame = dd.from_dict({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1]}, npartitions=2)
    >>> round(score_from_counts(large.from_dask(frame, "y", "p")), 4)
    0.8333
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([1, 0, 1, 0]), da.from_array([0.9, 0.8, 0.7, 0.1])
    >>> round(score_from_counts(large.from_dask(y_true, y_score)), 4)
    0.8333
    """
    dask = import_extra("dask", "from_dask", "dask")
    partitions = _partitions(_columns(source, sample_weight))

    def run_on_workers(one_pass: Callable[..., Result], *options: Delayed) -> Delayed:
        """Count each partition and add up a few at a time, so that no worker holds all results."""
        count = dask.delayed(partial(_count_dask_partition, one_pass, pos_label))
        results = [count(i, part, *options) for i, part in enumerate(partitions)]
        while len(results) > 1:
            groups = [results[i : i + SPLIT_EVERY] for i in range(0, len(results), SPLIT_EVERY)]
            results = [dask.delayed(reduce)(add, group) for group in groups]
        return results[0]

    # Two computations: in one graph all partitions would stay in memory between the passes.
    # The first result stays with the workers: millions of thresholds would be a large graph.
    remote = run_on_workers(find_thresholds).persist()
    try:
        (thresholds,) = dask.compute(remote)
        thresholds.check(pos_label)
        (cell_counts,) = dask.compute(run_on_workers(count_cells, remote))
        return make_counts(thresholds, cell_counts)
    finally:
        # An error keeps this frame, and would keep the thresholds on the workers.
        del remote


def _columns(source: Sequence[Argument], sample_weight: Argument) -> dict[str, RowData]:
    """Return the columns by their roles, of a frame or as they are."""
    if len(source) == 3 and hasattr(type(source[0]), "to_delayed"):
        frame, y_true, y_score = source
        names = column_names(getattr(frame, "columns", []), y_true, y_score, sample_weight)
        # Of files, only the named columns are read.
        selected = frame[[*dict.fromkeys(names.values())]].optimize()
        return {role: selected[name] for role, name in names.items()}
    columns = source if sample_weight is None else (*source, sample_weight)
    # A Delayed itself has any attribute.
    if len(source) != 2 or not all(hasattr(type(column), "to_delayed") for column in columns):
        raise TypeError(
            f"from_dask takes a Dask data frame and the names of its columns, (frame, 'label', "
            f"'score'), or Dask arrays or series, (y_true, y_score), got "
            f"({', '.join(type(item).__name__ for item in source)}). For arrays in memory use "
            f"threshold_counts."
        )
    return dict(zip(ROLES, columns, strict=False))


def _partitions(columns: dict[str, RowData]) -> list[dict[str, Delayed]]:
    """Return the delayed columns of each partition by their roles.

    Graphs are not optimized, so that columns share their source, which is computed once.
    """
    sizes = {role: values.npartitions for role, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"The columns have unlike numbers of partitions, {sizes}. Take them from one data "
            f"frame, or align them: y_score.rechunk(y_true.chunks) for arrays, "
            f"y_score.repartition(divisions=y_true.divisions) for series."
        )
    delayed = (np.ravel(column.to_delayed(optimize_graph=False)) for column in columns.values())
    return [dict(zip(columns, part, strict=True)) for part in zip(*delayed, strict=True)]


def _count_dask_partition(
    one_pass: Callable[..., Result],
    pos_label: Label,
    i: int,
    part: dict[str, RowData],
    *options: object,
) -> Result:
    return one_pass([check_rows(Chunk(f"partition {i}", part), pos_label)], *options)
