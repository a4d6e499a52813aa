"""All passes. The third one adds up the influence of the rows of each cluster.

Equations are those of docs/methods.md.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol, Self, TypeAlias, TypeVar, cast

import numpy as np

from sklearn_ap._base.common.types import Array, Float, Index, Label, Name
from sklearn_ap._base.inputs.name_codes import number_names, places_of_names
from sklearn_ap._counts.blocks import CellSums, ClusterSums, influence_table
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._scores.scoring import check_definition
from sklearn_ap.definitions import Definition
from sklearn_ap.large._checked_batches import CleanBatch
from sklearn_ap.large._two_passes import (
    Checksums,
    FirstPass,
    check_same_rows,
    compute_checksums,
    count_cells,
    find_cells,
    find_thresholds,
    make_counts,
)

Result = TypeVar("Result")
Pass: TypeAlias = Callable[[Iterable[CleanBatch]], Result]


class PassRunner(Protocol):
    """A function that runs a pass over all rows, and returns its result."""

    def __call__(self, one_pass: Pass[Result], /) -> Result: ...


class BatchSums(NamedTuple):
    """The sums over the rows of the clusters of a batch, a column for each cluster."""

    codes: Index  # the codes of the clusters, among the clusters of all batches
    sums: Float  # (4, n_clusters), in the order of the fields of ClusterSums


def run_passes(
    run: PassRunner, pos_label: Label, definition: Definition, *, pack: bool = False
) -> ThresholdCounts:
    """Count rows that can be read several times: ``run`` runs a pass over all of them."""
    first_pass = run(find_thresholds)
    first_pass.check(pos_label)
    second_pass = run(
        partial(count_cells, thresholds=first_pass.thresholds, powers=first_pass.powers, pack=pack)
    )
    counts = make_counts(first_pass, second_pass)
    if not first_pass.has_clusters or counts.cell_sums is None:
        return counts
    influence = place_influence(definition, counts)
    third_pass = run(partial(sum_clusters, thresholds=first_pass.thresholds, influence=influence))
    return add_cluster_sums(counts, first_pass, third_pass, definition)


@dataclass(frozen=True, slots=True, eq=False)
class ThirdPass:
    """The result of the third pass: a column of sums for each cluster."""

    names: tuple[Name, ...]
    sums: Float  # (4, n_clusters), in the order of the fields of ClusterSums
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        code_of: dict[Name, int] = {}
        names = self.names + other.names
        codes = np.array([code_of.setdefault(name, len(code_of)) for name in names], np.intp)
        sums = np.concatenate((self.sums, other.sums), axis=1)
        return type(self)(
            names=(*code_of,),
            sums=_sum_columns(codes, sums, len(code_of)),
            checksums=self.checksums + other.checksums,
        )


def sum_clusters(batches: Iterable[CleanBatch], thresholds: Array, influence: Float) -> ThirdPass:
    """Add up the influence of the rows of each cluster, and the weights of its classes."""
    code_of: dict[Name, int] = {}
    parts = [BatchSums(np.empty(0, np.intp), np.empty((4, 0)))]
    checksums = Checksums()
    for rows in batches:
        checksums += compute_checksums(rows)
        if rows.score.size:
            codes = number_names(rows.clusters, code_of)
            parts.append(_sum_batch(rows, codes, thresholds, influence))
    codes = np.concatenate([part.codes for part in parts])
    sums = np.concatenate([part.sums for part in parts], axis=1)
    return ThirdPass((*code_of,), _sum_columns(codes, sums, len(code_of)), checksums)


def _sum_batch(rows: CleanBatch, codes: Index, thresholds: Array, influence: Float) -> BatchSums:
    """Add up the rows of each cluster of a batch."""
    cells = find_cells(thresholds, rows.score.astype(thresholds.dtype, casting="unsafe"))
    # Row 0 of the influence is for positives, row 1 for negatives.
    row_influence = influence[(~rows.positive).astype(np.intp), cells]
    weight = np.ones(row_influence.size) if rows.weight is None else rows.weight
    negatives = np.where(rows.positive, 0.0, weight)
    columns = (row_influence * weight, row_influence * negatives, weight - negatives, negatives)
    distinct, cluster = np.unique(codes, return_inverse=True)
    return BatchSums(distinct, np.stack([np.bincount(cluster, column) for column in columns]))


def add_cluster_sums(
    counts: ThresholdCounts, first_pass: FirstPass, third_pass: ThirdPass, definition: Definition
) -> ThresholdCounts:
    """Add the sums over clusters to the counts."""
    check_same_rows(first_pass, third_pass.checksums, "third")
    places_of_names(third_pass.names, "clusters")  # refuses names of several types
    clusters = ClusterSums(definition, *third_pass.sums)
    return replace(counts, cell_sums=replace(cast(CellSums, counts.cell_sums), clusters=clusters))


def place_influence(definition: Definition, counts: ThresholdCounts) -> Float:
    """Compute the influence of a row at and between thresholds, as in Equation 2.

    Refuse a definition whose influence values are not known.
    """
    influence = check_definition(definition).influence(counts)
    if influence is None:
        raise ValueError(
            f"clusters need a definition with influence values, as Step() has, got {definition!r}."
        )
    return influence_table(influence)


def _sum_columns(codes: Index, sums: Float, n_codes: int) -> Float:
    """Add up the columns that have the same code."""
    return np.stack([np.bincount(codes, row, n_codes) for row in sums])
