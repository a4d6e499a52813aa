"""All passes. The third one: what the rows of each cluster do to a score, by all counts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, cast

import numpy as np

from sklearn_ap._base.common.types import Array
from sklearn_ap._base.inputs.name_codes import number_names, places_of_names
from sklearn_ap._counts.blocks import CellSums, ClusterSums, influence_table
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._scores.scoring import check_definition
from sklearn_ap.definitions import Definition
from sklearn_ap.large._checked_batches import CleanBatch
from sklearn_ap.large._two_passes import (
    Checksums,
    FirstPass,
    cells_of,
    check_same_rows,
    checksums_of,
    finish,
    first,
    second,
)

OnePass = Callable[[Iterable[CleanBatch]], Any]


def in_passes(
    run: Callable[[OnePass], Any], pos_label: Any, definition: Definition, *, pack: bool = False
) -> ThresholdCounts:
    """Make the counts of what can be gone through again: ``run`` lets a pass see all rows."""
    first_pass = run(first)
    first_pass.check(pos_label)
    second_pass = partial(
        second, thresholds=first_pass.thresholds, powers=first_pass.powers, pack=pack
    )
    counts = finish(first_pass, run(second_pass))
    if not first_pass.has_clusters or counts.cell_sums is None:
        return counts
    influence = influence_by_place(definition, counts)
    summed = run(partial(third, thresholds=first_pass.thresholds, influence=influence))
    return with_clusters(counts, first_pass, summed, definition)


@dataclass(frozen=True, slots=True, eq=False)
class ThirdPass:
    """What the third pass finds: a column of sums for each cluster."""

    names: tuple[Any, ...]
    sums: Array  # what ClusterSums has, a row each
    checksums: Checksums

    def __add__(self, other: Self) -> Self:
        number: dict[Any, int] = {}
        names = self.names + other.names
        codes = np.array([number.setdefault(name, len(number)) for name in names], np.intp)
        sums = np.concatenate((self.sums, other.sums), axis=1)
        added = _sums_of_codes(codes, sums, len(number))
        return type(self)((*number,), added, self.checksums + other.checksums)


def third(batches: Iterable[CleanBatch], thresholds: Array, influence: Array) -> ThirdPass:
    """Add up the influence of the rows of each cluster, and the weights of its classes."""
    number: dict[Any, int] = {}
    parts, checksums = [(np.empty(0, np.intp), np.empty((4, 0)))], Checksums()
    for rows in batches:
        checksums += checksums_of(rows)
        if rows.score.size:
            cells = cells_of(thresholds, rows.score.astype(thresholds.dtype, casting="unsafe"))
            values = influence[(~rows.positive).astype(np.intp), cells]
            weight = np.ones(values.size) if rows.weight is None else rows.weight
            negatives = np.where(rows.positive, 0.0, weight)
            sums = (values * weight, values * negatives, weight - negatives, negatives)
            code, distinct = np.unique(number_names(rows.clusters, number), return_inverse=True)
            parts.append((code, np.stack([np.bincount(distinct, each) for each in sums])))
    codes, added = (np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))
    return ThirdPass((*number,), _sums_of_codes(codes, added, len(number)), checksums)


def with_clusters(
    counts: ThresholdCounts, first_pass: FirstPass, counted: ThirdPass, definition: Definition
) -> ThresholdCounts:
    """Put the sums of clusters to the counts."""
    check_same_rows(first_pass, counted.checksums, "third")
    places_of_names(counted.names, "clusters")  # of one type
    clusters = ClusterSums(definition, *counted.sums)
    return replace(counts, cell_sums=replace(cast(CellSums, counts.cell_sums), clusters=clusters))


def influence_by_place(definition: Definition, counts: ThresholdCounts) -> Array:
    """What a row at each place does to the score; refused where that is not known."""
    influence = check_definition(definition).influence(counts)
    if influence is None:
        raise ValueError(
            f"clusters need a definition with influence values, as Step() has, got {definition!r}."
        )
    return influence_table(influence)


def _sums_of_codes(codes: Array, sums: Array, n_codes: int) -> Array:
    """Add up the columns of each code."""
    return np.stack([np.bincount(codes, row, n_codes) for row in sums])
