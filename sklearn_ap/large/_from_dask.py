"""Counts of Dask collections: the workers of Dask count their partitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from operator import add
from typing import Protocol, Self

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._errors import InputTypeError
from sklearn_ap._extras import import_extra
from sklearn_ap._types import DataFrame, Label
from sklearn_ap.large._batches import check_names_by_role, chunks_of_table, label_as_read
from sklearn_ap.large._passes import Result, count_cells, find_thresholds, make_counts


class Delayed(Protocol):
    """A Delayed of Dask, which has no annotations."""

    def persist(self) -> Self: ...


SPLIT_EVERY = 8  # the number of partial results that Dask adds up at a time


def from_dask(
    frame: DataFrame,
    y_true: str,
    y_score: str,
    *,
    sample_weight: str | None = None,
    pos_label: Label | None = None,
) -> ThresholdCounts:
    """Count a Dask data frame.

    The counts are those of ``from_table``. Each partition is counted where it is; a worker needs
    memory for a few partitions and the thresholds. The active scheduler runs the two passes, and
    its dashboard shows them.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The data. Of files, only the named columns are read.
    y_true, y_score : str
        As in ``from_table``.
    sample_weight, pos_label : optional
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
    """
    dask = import_extra("dask", "from_dask", "dask")
    if not isinstance(frame, import_extra("dask.dataframe", "from_dask", "dask").DataFrame):
        raise InputTypeError(
            f"frame must be a data frame of Dask, got {type(frame).__name__}: call from_table."
        )
    pos_label = label_as_read(pos_label)
    names = check_names_by_role(frame.columns, y_true, y_score, sample_weight)
    partitions = frame[[*dict.fromkeys(names.values())]].to_delayed()

    def run_on_workers(one_pass: Callable[..., Result], *first: Delayed) -> Delayed:
        """Count each partition and add up a few at a time, so that no worker holds all results."""
        count = dask.delayed(partial(_count_dask_partition, one_pass, names, pos_label))
        results = [count(i, part, *first) for i, part in enumerate(partitions)]
        while len(results) > 1:
            groups = [results[i : i + SPLIT_EVERY] for i in range(0, len(results), SPLIT_EVERY)]
            results = [dask.delayed(reduce)(add, group) for group in groups]
        return results[0]

    # Two computations: in one graph all partitions would stay in memory between the passes.
    # The first result stays with the workers: millions of thresholds would be a large graph.
    remote = run_on_workers(find_thresholds).persist()
    (first,) = dask.compute(remote)
    first.check(pos_label)
    (second,) = dask.compute(run_on_workers(count_cells, remote))
    return make_counts(first, second)


def _count_dask_partition(
    one_pass: Callable[..., Result],
    names: Mapping[str, str],
    pos_label: Label,
    i: int,
    part: DataFrame,
    *first: object,
) -> Result:
    return one_pass(chunks_of_table(part, names, f"partition {i}, batch", pos_label), *first)
