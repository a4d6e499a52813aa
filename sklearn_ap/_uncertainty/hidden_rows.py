"""What a sample does not show: rows, queries and clusters that it may lack.

Equations are those of ``docs/methods.md``: 5, 6, 14, and the hidden share of 16.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._types import Array, Float, FloatOrArray
from sklearn_ap._uncertainty.sampling import Units, Weights
from sklearn_ap.definitions import Definition, Expected


def hidden_number(n_effective: FloatOrArray, confidence_level: FloatOrArray) -> Float:
    """Return how many rows may be hidden of which a sample shows none: lambda of equation 5.

    It is the rule of three: 3.0 at the level 95% for many rows, and more for few.
    """
    rate = -np.log1p(-confidence_level)
    return np.asarray(n_effective * np.expm1(rate / n_effective))


class Changes(NamedTuple):
    """By how much hidden units lower each score, and raise it."""

    down: Float
    up: Float


@dataclass(frozen=True, eq=False)
class HiddenRows:
    """The changes of each ranking by rows that the sample lacks: equation 6.

    Parameters
    ----------
    definition : Definition
        At another prevalence, the weight of negatives is computed anew with the rows added.
    counts : ThresholdCounts
    values : ndarray of shape (n_rankings,)
        Of these counts, nan where there are no positives.
    weights : Weights
        A hidden row has the typical weight of its class.
    """

    definition: Definition
    counts: ThresholdCounts
    values: Float
    weights: Weights

    def changes(self, n_rows: Float) -> Changes:
        """Return the changes by so many rows of each ranking, where they change it most.

        That is below for positives, or above for either class; a ranking without a score has none.
        """
        n_rows = np.where(np.isnan(self.values), 1.0, n_rows)
        positives = n_rows * self.weights.positive
        negatives = n_rows * self.weights.negative
        alarms = self._values_with(_AddedRows(self.counts, negatives_above=negatives))
        lost = self._values_with(_AddedRows(self.counts, positives_below=positives))
        found = self._values_with(_AddedRows(self.counts, positives_above=positives))
        down = np.nan_to_num(self.values - np.minimum(alarms, lost))
        up = np.nan_to_num(found - self.values)
        return Changes(np.maximum(down, 0.0), np.maximum(up, 0.0))

    def with_one_more_cluster(self, negatives_by_unit: Float, units: Units) -> Float:
        """Return each value with one more cluster, whose negatives all rank first.

        Equation 14: the cluster is as large as a typical one, by its negatives.
        """
        total = units.by_ranking(negatives_by_unit)
        squares = units.by_ranking(negatives_by_unit**2)
        size = squares / np.where(total > 0, total, 1.0)
        return self._values_with(_AddedRows(self.counts, negatives_above=size))

    def _values_with(self, added: _AddedRows) -> Float:
        return values_with(self.definition, added)


@dataclass(frozen=True, eq=False)
class HiddenRowsOfMean:
    """The changes of a mean over rankings that share units: equation 15.

    Hidden rows are as correlated as influences: a unit that ranks wrong in one column does so in
    others.

    Parameters
    ----------
    rows : HiddenRows
        Of each ranking.
    shares : ndarray of shape (n_rankings,)
        s_l, which add up to 1.
    units : Units
    directions : ndarray of shape (n_cells,)
        The influences of units on each ranking, divided by their length.
    """

    rows: HiddenRows
    shares: Float
    units: Units
    directions: Float

    def changes(self, n_rows: Float) -> Changes:
        """Return the changes of the mean by so many rows of each ranking."""
        changes = self.rows.changes(n_rows)
        down, up = (self._length(self.shares * change) for change in changes)
        return Changes(np.array([down]), np.array([up]))

    def _length(self, changes: Float) -> float:
        # The sum over l and k of rho_lk d_l d_k is the squared length of the sum of d_l times the
        # direction of l. A ranking without influence has no direction, and adds its square.
        sums = self.units.by_unit(changes, self.directions)
        has_none = self.units.by_ranking(self.directions**2) == 0
        squares = self.units.repeats @ sums**2 + changes[has_none] @ changes[has_none]
        return float(np.sqrt(squares))


@dataclass(frozen=True, eq=False)
class HiddenQueries:
    """The changes of a mean over queries by a hidden share that scores 0, or 1: equation 16."""

    mean: Float
    n_effective: Float

    def changes(self, n_queries: Float) -> Changes:
        """Return the changes by so many queries beside those of the sample."""
        share = n_queries / (self.n_effective + n_queries)
        return Changes(share * self.mean, share * (1 - self.mean))


Hidden = HiddenRows | HiddenRowsOfMean | HiddenQueries


class _AddedRows(NamedTuple):
    """Counts, and the weight of rows that are added to each ranking: it need not be whole."""

    counts: ThresholdCounts
    positives_above: Array | None = None
    negatives_above: Array | None = None
    positives_below: Array | None = None

    def add(self) -> ThresholdCounts:
        """Return the counts of all rows."""
        counts = self.counts
        if self.positives_below is not None:
            return replace(counts, n_positives=counts.n_positives + self.positives_below)
        if self.positives_above is not None:
            return _put_threshold_above(counts, self.positives_above)
        negatives = 0.0 if self.negatives_above is None else self.negatives_above
        more = counts.each(np.asarray(negatives))
        return replace(
            counts,
            fps=counts.fps + more,
            fps_above=counts.fps_above + more,
            n_negatives=counts.n_negatives + negatives,
        )


def _put_threshold_above(counts: ThresholdCounts, positives: Array) -> ThresholdCounts:
    """Add a threshold above all others of each ranking, at which positives of this weight stand."""
    starts = counts.starts
    return replace(
        counts,
        thresholds=np.insert(counts.thresholds.astype(np.float64), starts, np.inf),
        gained=np.insert(counts.gained.astype(np.float64), starts, positives),
        tps=np.insert(counts.tps + counts.each(positives), starts, positives),
        fps=np.insert(counts.fps, starts, 0),
        fps_above=np.insert(counts.fps_above, starts, 0),
        starts=starts + np.arange(starts.size),
        n_positives=counts.n_positives + positives,
    )


@singledispatch
def values_with(definition: Definition, added: _AddedRows) -> Float:
    """Return the value of each ranking with rows added to it."""
    return definition(added.add())


@values_with.register
def _(definition: Expected, added: _AddedRows) -> Float:
    # There is no order of half an item, but tied blocks keep their items where others stand above
    # them, and positives above all others have the height 1.
    counts = added.counts
    positives = np.zeros(counts.starts.size)
    negatives = positives if added.negatives_above is None else added.negatives_above
    if added.positives_above is not None:
        positives = added.positives_above
    heights = definition.heights_below(counts, positives, negatives)
    sums = counts.sum(counts.gained * heights) + np.minimum(positives, definition.k or np.inf)
    divisor = definition.divisor(added.add())
    return sums / np.where(divisor > 0, divisor, np.nan)
