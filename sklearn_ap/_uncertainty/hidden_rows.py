"""Rows, queries and positives that the sample lacks, and by how much they would change scores.

Equations are those of ``docs/methods.md``: 5, 6, 8, 15, 34, and the hidden share of 16.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._arithmetic import RELATIVE_TOLERANCE, TINY
from sklearn_ap._counts.thresholds import ThresholdCounts, repeat_rankings
from sklearn_ap._types import Float, FloatOrArray
from sklearn_ap._uncertainty.rows import ByClass
from sklearn_ap.definitions import Definition

# In a difference, each of two samples leaves room for so much of lambda. Equal strong models whose
# samples may lack rare false alarms then differ in at most 8 of 100 at 5%: in 9 with two thirds,
# and in 4 with all of it, which finds a fall of a strong model half as often.
SHARE_IN_DIFFERENCES = 0.8
THRESHOLDS_AT_ONCE = 10_000  # which the cache holds

# Numbers of hidden rows that are tried: each up to 30, then one after 15%. A larger one is tried
# beside the same smaller ones, so that changes never fall with the level.
TRIED_NUMBERS = np.union1d(np.arange(1.0, 31.0), np.geomspace(30.0, 30e12, 200).round())
# Means try these if they vary less than so much of what those of independent rankings do.
TRIED_NUMBERS_OF_MEAN = np.append([1e-6, 0.3, 0.6], TRIED_NUMBERS)
MOST_CANCELLED = 0.75


class Distances(NamedTuple):
    """How far the lower and the upper limits are from each score, or from each difference."""

    down: Float
    up: Float


def hidden_number(n_effective: FloatOrArray, confidence_level: FloatOrArray) -> Float:
    """Return how many rows may be hidden of which a sample shows none: lambda of equation 5.

    It is the rule of three: 3.0 at the level 95% for many rows, and more for few.
    """
    rate = -np.log1p(-confidence_level)
    with np.errstate(over="ignore"):  # of less than one row
        return np.asarray(n_effective * np.expm1(rate / n_effective))


class Hidden(ABC):
    """The changes of scores by units that the sample lacks, and how limits take them."""

    @property  # an attribute in heirs that have a number of their own
    def share_in_differences(self) -> float:
        """For how many of the hidden rows of each sample a difference of two leaves room."""
        return SHARE_IN_DIFFERENCES

    @abstractmethod
    def changes(self, n_rows: Float) -> Distances:
        """Return the changes of each score by so many rows, or queries."""

    def changes_of_each(self, numbers: Float) -> Distances:
        """Return the changes by each of these numbers, of shape (n_numbers, n_scores).

        They never fall from one number to the next.
        """
        each = [self.changes(number) for number in numbers]
        return Distances(*(np.maximum.accumulate(side) for side in zip(*each, strict=True)))

    def combine(self, shown: Float, change: Float) -> Float:
        """Return the distance of a limit from what the sample shows and hides: equation 8."""
        return np.hypot(shown, change)


@dataclass(frozen=True, eq=False)
class HiddenRows(Hidden):
    """The changes of each ranking by rows that the sample lacks: equation 6.

    At another prevalence, the weight of negatives is computed anew with the rows added. Without
    influence, a value may change less by more rows, as one at k does: more than k positives above
    all others only lower its recall.
    """

    definition: Definition
    counts: ThresholdCounts
    values: Float  # of these counts, nan where there are no positives
    weights: ByClass  # the typical weight of a row of each class, which hidden ones have
    tries_fewer: bool  # than are asked for, too, as a value without influence needs

    def changes(self, n_rows: Float) -> Distances:
        """Return the largest changes by up to so many rows of each ranking.

        They stand where they change it most: below for positives, or above for either class. A
        ranking without a score has none.
        """
        # One row beside 1 0 (1 0) 0 -> down 0.3 and up 0.117
        n_rows = np.where(np.isnan(self.values), np.fmin(n_rows, 1.0), n_rows)
        down = up = np.zeros(n_rows.size)
        fewer = self._fewer(n_rows) if self.tries_fewer else ()
        for n in (*fewer, n_rows):
            positives = n * self.weights.positive
            alarms = self.values_with(negatives_above=n * self.weights.negative)
            lost = self.values_with(positives_below=positives)
            hits = self.values_with(positives_above=positives)
            down = np.fmax(down, self.values - np.minimum(alarms, lost))  # 0 for nan
            up = np.fmax(up, hits - self.values)
        return Distances(down, up)

    def changes_of_each(self, numbers: Float) -> Distances:
        counts = self.counts
        n_together = max(1, THRESHOLDS_AT_ONCE // max(counts.gained.size, 1))
        parts = [
            self._repeated(len(part)).changes(part.ravel())
            for part in np.split(numbers, range(n_together, len(numbers), n_together))
        ]
        each = (np.concatenate(side).reshape(numbers.shape) for side in zip(*parts, strict=True))
        return Distances(*(np.maximum.accumulate(side) for side in each))

    def _repeated(self, n_times: int) -> HiddenRows:
        """Return the same rankings so many times."""
        return replace(
            self,
            counts=repeat_rankings(self.counts, n_times),
            values=np.tile(self.values, n_times),
            weights=ByClass(*(np.tile(each, n_times) for each in self.weights)),
            tries_fewer=False,  # as these numbers are those that are tried
        )

    def _fewer(self, n_rows: Float) -> Iterator[Float]:
        """Yield fewer rows: whole numbers, at most those of the sample, and what fills k ranks."""
        n_positives = self.counts.n_positives / self.weights.positive
        own = n_positives + self.counts.n_negatives / self.weights.negative
        most = np.minimum(n_rows, own).max(initial=0.0)
        for n in TRIED_NUMBERS[most >= TRIED_NUMBERS].tolist():
            yield np.minimum(n, n_rows)
        k = self.definition.depth
        if k is not None:  # positives that fill the ranks raise a score most
            ranks = k if isinstance(k, int) else k * self.counts.n_rows / max(1 - k, TINY)
            filling = ranks / self.weights.positive
            if (filling < n_rows).any():
                yield np.minimum(filling, n_rows)

    def values_with(
        self,
        positives_above: FloatOrArray = 0.0,
        negatives_above: FloatOrArray = 0.0,
        positives_below: FloatOrArray = 0.0,
    ) -> Float:
        """Return the values with more rows of these weights in each ranking."""
        # 1 0 (1 0) 0 -> 0.45 with a negative above, 0.5 with a positive below, 0.867 with one above
        zeros = np.zeros(self.counts.starts.size)
        counts = replace(self.counts, n_positives=self.counts.n_positives + positives_below)
        return self.definition.values_with_rows_above(
            counts, positives_above + zeros, negatives_above + zeros
        )


@dataclass(frozen=True, eq=False)
class HiddenRowsOfMean(Hidden):
    """The changes of a mean over rankings that share units: equation 15.

    Hidden rows are as correlated as influences: a unit that ranks wrong in one column does so in
    others.
    """

    rows: HiddenRows  # of each ranking
    shares: Float  # s_l
    influences: csr_array  # of units on each ranking: (n_rankings, n_units)

    def changes(self, n_rows: Float) -> Distances:
        """Return the largest changes of the mean by up to so many rows of each ranking."""
        # Of classes that exclude each other, more rows may change the mean less.
        own = self.shares * self._lengths
        do_cancel = self._length(own) ** 2 < MOST_CANCELLED * np.sum(own**2)
        fewer = TRIED_NUMBERS_OF_MEAN[n_rows > TRIED_NUMBERS_OF_MEAN] if do_cancel else ()
        lengths = [
            [self._length(self.shares * change) for change in self.rows.changes(np.atleast_1d(n))]
            for n in (*fewer, n_rows)
        ]
        return Distances(*np.max(lengths, axis=0)[:, None])

    def changes_of_each(self, numbers: Float) -> Distances:
        each = self.rows.changes_of_each(np.repeat(numbers, self.shares.size, axis=1))
        sides = ([[self._length(self.shares * row)] for row in side] for side in each)
        return Distances(*(np.maximum.accumulate(np.array(side)) for side in sides))

    @cached_property
    def _directions(self) -> csr_array:
        """The influences of units on each ranking, all alike if there are none."""
        lengths = np.sqrt(self.influences.power(2).sum(axis=1))
        table = self.influences.copy()
        has_none = np.repeat(lengths < RELATIVE_TOLERANCE, np.diff(table.indptr))
        table.data[has_none] = 1.0
        return table

    @cached_property
    def _lengths(self) -> Float:
        """The lengths of the influences on each ranking."""
        return np.asarray(np.sqrt(self._directions.power(2).sum(axis=1)))

    def _length(self, changes: Float) -> float:
        # The sum over l and k of rho_lk d_l d_k is the squared length of the sum of d_l times the
        # direction of l. A ranking without influence has that of its units.
        along = (changes / np.where(self._lengths > 0, self._lengths, 1.0)) @ self._directions
        return float(np.sqrt(np.sum(along**2)))


@dataclass(frozen=True, eq=False)
class HiddenQueries(Hidden):
    """The changes of a mean over queries by a hidden share that scores 0, or 1: equation 16."""

    mean: Float
    n_effective: Float

    share_in_differences = 1.0

    def changes(self, n_queries: Float) -> Distances:
        """Return the changes by so many queries beside those of the sample."""
        share = n_queries / (self.n_effective + n_queries)
        return Distances(share * self.mean, share * (1 - self.mean))

    def combine(self, shown: Float, change: Float) -> Float:
        """Return the farther of both."""
        return np.maximum(shown, change)


@dataclass(frozen=True, eq=False)
class HiddenPositives(Hidden):
    """The changes by positives below all rows that chosen labels may have missed: equation 34."""

    value: Float
    share: float  # what one of them weighs beside all positives that the labels stand for

    share_in_differences = 1.0

    def changes(self, n_rows: Float) -> Distances:
        """Return the changes by so many positives: they add to the divisor alone."""
        more = n_rows * self.share
        return Distances(self.value * more / (1 + more), np.zeros(self.value.size))


@dataclass(frozen=True, eq=False)
class HiddenOfEach(Hidden):
    """The changes of the scores of several models, of which each has its own hidden units."""

    parts: Sequence[Hidden]  # of one class
    sizes: tuple[int, ...]  # the number of scores of each

    @property
    def share_in_differences(self) -> float:
        """That of each of them."""
        return self.parts[0].share_in_differences

    def changes(self, n_rows: Float) -> Distances:
        """Return the changes of all scores, one model after another."""
        # Two models of 1 and 2 scores: [3, 4, 5] -> [3] and [4, 5]
        parts = np.split(n_rows, np.cumsum(self.sizes)[:-1])
        changes = [part.changes(n) for part, n in zip(self.parts, parts, strict=True)]
        return Distances(*map(np.concatenate, zip(*changes, strict=True)))

    def changes_of_each(self, numbers: Float) -> Distances:
        parts = np.split(numbers, np.cumsum(self.sizes)[:-1], axis=1)
        changes = [part.changes_of_each(own) for part, own in zip(self.parts, parts, strict=True)]
        return Distances(*(np.concatenate(side, axis=1) for side in zip(*changes, strict=True)))

    def combine(self, shown: Float, change: Float) -> Float:
        """Return what each of them does."""
        return self.parts[0].combine(shown, change)
