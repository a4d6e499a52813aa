"""Half samples: the variance of scores that jump, and the bias of means over rankings.

Equations are those of ``docs/methods.md``: 10 and 11. A random half of the units counts twice and
the others not at all, then the reverse (McCarthy 1969). Items are not sorted again: a half sample
changes how much stands in each *cell* of a ranking. At each threshold there is a cell of positives,
one of tied negatives, and one of negatives between it and the threshold above; then each ranking
has one of other positives, one of other negatives, and one of positives that are no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._counts.counting import SortedItems, ranks_of_rows
from sklearn_ap._counts.thresholds import ThresholdCounts, ratio
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Argument, Array, Float, Index
from sklearn_ap._uncertainty.bias import bias_rate
from sklearn_ap._uncertainty.sampling import Sample, Units, unit_of_items
from sklearn_ap.definitions import Definition

# Pairs of half samples for a variance, so that its standard error is a tenth of it: the mean of
# 200 squares of normal numbers has a relative standard error of sqrt(2 / 200).
N_PAIRS = 200
# Pairs for a bias alone: added in squares to limits, it may be half as exact.
N_PAIRS_OF_BIAS = 50
# Numbers in memory at once: a choice of memory and of the cache.
CELLS_AT_ONCE = 1_000_000
# Among the first ranks k + 10 sqrt(k) + 50, some half of the rows has fewer than k / 2 less than
# once in 1e15: a binomial number is 10 standard deviations below its mean.
DEVIATIONS_BELOW = 10
RANKS_BELOW = 50
# NumPy draws hypergeometric numbers of less than 1e9 rows. Halves of more are binomial to 1e-9.
MOST_HYPERGEOMETRIC = 1e9


@dataclass(frozen=True, eq=False)
class Halves:
    """The scores of opposite half samples.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, n_rankings)
        nan for a ranking without positives in this half.
    n_units : ndarray of shape (1,) or (n_rankings,)
        The number of units that were halved.
    """

    first: Float
    second: Float
    n_units: Float

    @classmethod
    def side_by_side(cls, each: Sequence[Halves]) -> Halves:
        """Put the halves of several rankings together that were drawn apart."""
        first, second = (
            np.concatenate([getattr(one, half) for one in each], axis=1)
            for half in ("first", "second")
        )
        return cls(first, second, np.concatenate([one.n_units for one in each]))

    @property
    def units(self) -> Units:
        """The pairs as units, with a cell for each ranking and pair."""
        n_pairs, n_rankings = self.first.shape
        ranking = np.repeat(np.arange(n_rankings), n_pairs)
        return Units(ranking, np.tile(np.arange(n_pairs), n_rankings), np.ones(n_pairs), n_rankings)

    @property
    def influences(self) -> Float:
        """Half the differences, of shape (n_rankings, n_pairs): they correlate as influences do."""
        return np.nan_to_num((self.first - self.second) / 2).T

    def mean(self, shares: Float) -> Halves:
        """Return the halves of a mean over the rankings that have positives."""
        first, second = (
            _mean_of_known(half, shares)[:, None] for half in (self.first, self.second)
        )
        return Halves(first, second, self.n_units)

    def squares(self) -> Float:
        """Return what stands for the sum of squared influences of each ranking: equation 10.

        The factor is there because halves are drawn without replacement.
        """
        known = self._known((self.first - self.second) ** 2 / 4)
        return (1 - 1 / self.n_units) * _mean_of_rows(known, otherwise=0.0)

    def bias(self, values: Float, definition: Definition) -> Float:
        """Return the bias of each value: equation 11."""
        means = _mean_of_rows(self._known((self.first + self.second) / 2), otherwise=np.nan)
        excess = np.where(np.isnan(means), 0.0, means - values)
        return excess / (2 ** bias_rate(definition) - 1)

    def _known(self, values: Float) -> Float:
        """Leave out pairs in which a half has no positive."""
        return np.where(np.isnan(self.first + self.second), np.nan, values)


def _mean_of_known(values: Float, shares: Float) -> Float:
    is_known = ~np.isnan(values)
    return ratio(np.where(is_known, values, 0.0) @ shares, is_known @ shares)


def _mean_of_rows(values: Float, otherwise: float) -> Float:
    n = np.count_nonzero(~np.isnan(values), axis=0)
    return np.where(n > 0, np.nansum(values, axis=0) / np.maximum(n, 1), otherwise)


class Cells(NamedTuple):
    """The cells of rankings, and what each unit has in them.

    There are T thresholds of R rankings. The cells are T of positives, T of tied negatives, T of
    negatives between; then R of other positives, R of other negatives, R of positives without rows.
    """

    starts: Index  # the first threshold of each ranking
    n_thresholds: int
    units: csr_array  # the weight of each unit in each cell: (3 T + 3 R, n_units)
    rest: Index  # how many more rows, each a unit, one ranking has in the last three cells


def halves_of_counts(
    definition: Definition, counts: ThresholdCounts, n_pairs: int, rng: Argument
) -> Halves:
    """Score half samples of unweighted counts, each ranking by itself."""
    each = (_cells_of_counts(definition, counts, i) for i in range(counts.starts.size))
    return Halves.side_by_side([_halves(definition, cells, n_pairs, rng) for cells in each])


def halves_of_rankings(
    definition: Definition,
    rankings: Rankings,
    items: SortedItems,
    sample: Sample,
    n_pairs: int,
    rng: Argument,
) -> Halves:
    """Score half samples of rankings, which have all units in common."""
    cells = _cells_of_items(rankings, items, sample)
    return _halves(definition, cells, n_pairs, rng)


def _cells_of_counts(definition: Definition, counts: ThresholdCounts, ranking: int) -> Cells:
    """Return the cells of one ranking of counts, and the rows that half samples can reach."""
    place = slice(counts.starts[ranking], counts.ends[ranking])
    if definition.depth is not None:
        n_rows = counts.n_positives[ranking] + counts.n_negatives[ranking]
        rank = ranks_of_rows(definition.depth, n_rows)
        most = rank + DEVIATIONS_BELOW * np.sqrt(rank) + RANKS_BELOW
        end = place.start + int(np.searchsorted(counts.before[place], most))
        place = slice(place.start, end)
    gained = counts.gained[place]
    fps = counts.fps[place]
    fps_above = counts.fps_above[place]
    between = fps_above - np.concatenate(([0], fps[:-1]))
    n_seen = int(fps[-1]) if fps.size else 0
    unscored = 0 if counts.n_unscored is None else int(np.rint(counts.n_unscored[ranking]))
    others = int(np.rint(counts.n_positives[ranking])) - int(gained.sum()) - unscored
    rest = np.array([max(others, 0), counts.n_negatives[ranking] - n_seen, unscored])
    sizes = np.concatenate((gained, fps - fps_above, between)).astype(np.intp)
    # Each row of a cell is a unit: cells of 2 and 1 rows give [[1, 1, 0], [0, 0, 1]].
    ends = np.concatenate(([0], np.cumsum(sizes), np.full(3, sizes.sum())))
    n_units = int(ends[-1])
    ones = np.ones(n_units, np.int64)
    units = csr_array((ones, np.arange(n_units), ends), shape=(ends.size - 1, n_units))
    return Cells(np.zeros(1, np.intp), gained.size, units, rest.astype(np.int64))


def _cells_of_items(rankings: Rankings, items: SortedItems, sample: Sample) -> Cells:
    """Return the cells of rankings, with units in an order that no order of rows changes.

    ``items`` are those that were retrieved.
    """
    counts = items.counts
    n, n_rankings = counts.gained.size, counts.starts.size
    ranking = rankings.ranking_of_items
    at = np.arange(n)
    cell = np.where(rankings.positive, 3 * n, 3 * n + n_rankings) + ranking
    found = items.item_values(at, at + n, at + 2 * n, below=-1)
    is_placed = np.ones(cell.size, bool)
    if found.size < cell.size:
        is_placed = rankings.is_retrieved
    is_placed[is_placed] = found >= 0
    cell[is_placed] = found[found >= 0]
    unit = unit_of_items(rankings)
    n_units = int(unit.max()) + 1
    weight = np.ones(cell.size, np.int64) if rankings.weight is None else rankings.weight
    if sample.unscored_weight is not None:
        n_each = sample.units.repeats[-n_rankings:].astype(np.intp)
        n_new = int(n_each.sum())
        new_cell = np.repeat(3 * n + 2 * n_rankings + np.arange(n_rankings), n_each)
        new_weight = np.repeat(sample.unscored_weight, n_each)
        if rankings.weight is None and np.array_equal(new_weight, np.rint(new_weight)):
            new_weight = new_weight.astype(np.int64)
        cell = np.append(cell, new_cell)
        unit = np.append(unit, n_units + np.arange(n_new))
        weight = np.append(weight, new_weight)
        n_units += n_new
    shape = (3 * n + 3 * n_rankings, n_units)
    matrix = csr_array((weight, (cell, unit)), shape=shape)
    is_unit = np.bincount(unit, minlength=n_units) > 0
    order = np.argsort(_keys_of_units(matrix, counts), kind="stable")
    matrix = csr_array(matrix.tocsc()[:, order[is_unit[order]]])
    return Cells(counts.starts, n, matrix, np.zeros(3, np.int64))


def _keys_of_units(units: csr_array, counts: ThresholdCounts) -> Float:
    """Return a key of each unit by what it holds: equal only for units that could be exchanged.

    No order of rows or rankings and no name matters. The first round adds up a number for each
    cell; the second multiplies it by a number of its ranking, so that rankings differ, too.
    """
    ranking = counts.ranking()
    first = counts.starts[ranking]
    local = 3 * (np.arange(ranking.size) - first)
    n_rankings = counts.starts.size
    places = (local, local + 1, local + 2, *(np.full(n_rankings, -i) for i in (1, 2, 3)))
    numbers = np.sin(1.0 + np.concatenate(places))  # sines of integers are all different
    of_cells = np.concatenate((*[ranking] * 3, *[np.arange(n_rankings)] * 3))
    keys = numbers @ units
    sums = np.bincount(of_cells, numbers * (units @ (keys / (np.abs(keys).max() or 1.0))))
    return np.asarray((numbers * sums[of_cells]) @ units)


def _halves(definition: Definition, cells: Cells, n_pairs: int, rng: Argument) -> Halves:
    """Draw halves of the units, and score them and their opposites."""
    generator = np.random.default_rng(rng)
    n_units = cells.units.shape[1]
    totals = cells.units @ np.ones(n_units, np.int64)
    totals[-3:] += cells.rest
    size = max(n_units, cells.units.shape[0], 1)
    n_together = max(1, CELLS_AT_ONCE // size)
    values: list[tuple[Float, Float]] = []
    for start in range(0, n_pairs, n_together):
        n = min(n_together, n_pairs - start)
        signs, rest_signs = _draw_signs(n_units, cells.rest, n, generator)
        sums = cells.units @ signs.T
        sums[-3:] += rest_signs
        halves = (totals[:, None] + sums, totals[:, None] - sums)
        values.append(tuple(_score_cells(definition, cells, half.T) for half in halves))
    first, second = (np.concatenate(parts) for parts in zip(*values, strict=True))
    return Halves(first, second, np.maximum(n_units + cells.rest.sum(keepdims=True), 1))


def _draw_signs(
    n_units: int, rest: Index, n_pairs: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return 1 for units of the first half and -1 for others, and the sums of these of the rest.

    Their shapes are (n_pairs, n_units) and (3, n_pairs).
    """
    n_rest = int(rest.sum())
    n_left = np.full(n_pairs, (n_units + n_rest) // 2)
    draw = _hypergeometric(rng)
    n_drawn = draw(n_units, n_rest, n_left)
    n_left = n_left - n_drawn
    rest_signs = []
    for size in rest.tolist():
        n_rest -= size
        n_of_kind = draw(size, n_rest, n_left)
        n_left = n_left - n_of_kind
        rest_signs.append(2 * n_of_kind - size)
    signs = np.where(np.arange(n_units) < n_drawn[:, None], 1, -1)
    return rng.permuted(signs, axis=1), np.array(rest_signs)


def _hypergeometric(rng: np.random.Generator) -> Callable[[int, int, Index], Index]:
    """Return a function that draws how many of ``good`` are among n of both kinds."""

    def draw(good: int, bad: int, n: Index) -> Index:
        if good == 0 or bad == 0:
            return np.minimum(n, good)
        if good + bad < MOST_HYPERGEOMETRIC:
            return rng.hypergeometric(good, bad, n)
        return np.minimum(rng.binomial(good, n / (good + bad)), n)

    return draw


def _score_cells(definition: Definition, cells: Cells, sums: Array) -> Float:
    """Score samples with these sums of cells, (n_samples, n_cells): (n_samples, n_rankings)."""
    n, starts = cells.n_thresholds, cells.starts
    n_samples, n_rankings = len(sums), starts.size
    gained, tied, between = (sums[:, i * n : (i + 1) * n] for i in range(3))
    others = sums[:, 3 * n :].reshape(n_samples, 3, n_rankings)
    tps, tp_totals = _sums_within(gained, starts)
    fps, fp_totals = _sums_within(tied + between, starts)
    is_threshold = gained > 0  # others would have no rows
    index = np.flatnonzero(is_threshold)  # a mask takes several times as long
    reached = np.concatenate((np.zeros((n_samples, 1), np.intp), np.cumsum(is_threshold, 1)), 1)
    sizes = np.diff(reached[:, np.append(starts, n)], axis=1).ravel()
    n_positives = (tp_totals + others[:, 0] + others[:, 2]).ravel()
    counts = ThresholdCounts(
        thresholds=np.zeros(index.size),  # definitions do not look at scores
        gained=gained.ravel()[index],
        tps=tps.ravel()[index],
        fps=fps.ravel()[index],
        fps_above=(fps - tied).ravel()[index],
        starts=np.cumsum(sizes) - sizes,
        n_positives=n_positives,
        n_negatives=(fp_totals + others[:, 1]).ravel(),
        n_unscored=others[:, 2].ravel(),
    )
    values = np.where(n_positives > 0, definition(counts), np.nan)
    return values.reshape(n_samples, n_rankings)


def _sums_within(values: Array, starts: Index) -> tuple[Array, Array]:
    """Return running sums of each ranking, and their totals, along the last axis."""
    sums = np.cumsum(values, axis=1)
    padded = np.concatenate((np.zeros((len(values), 1), sums.dtype), sums), axis=1)
    ends = np.append(starts, values.shape[1])
    before = padded[:, starts]
    totals = padded[:, ends[1:]] - before
    if starts.size > 1:
        sums = sums - np.repeat(before, np.diff(ends), axis=1)
    return sums, totals
