"""Half samples: the variance of scores that jump, and the bias of means over rankings.

Equations are those of ``docs/methods.md``: 10 and 11. A half of the units counts twice and the
others not at all, then the reverse. Pairs of halves are balanced (McCarthy 1969). Rows are not
sorted again: a half sample changes how much stands at each place of a ``PlacedRows``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._counts.counting import accumulate, ranks_of_rows
from sklearn_ap._counts.sums import add_up_keys, draw_keys, running_sums
from sklearn_ap._counts.thresholds import (
    ThresholdCounts,
    ratio,
    select_thresholds,
)
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Keys
from sklearn_ap._uncertainty._balanced_half_samples import DEVIATIONS, draw_halves
from sklearn_ap._uncertainty._units import PlacedRows, Places
from sklearn_ap._uncertainty._variance import ByKind, RowSums
from sklearn_ap.definitions import Definition

# Pairs of half samples for a variance: as many as have so many numbers, within these bounds. The
# variances of 47 samples have standard errors of 1.4% in the median (8.7% for 200 random pairs). Of
# 100 differences with p-values between .035 and .07, six seeds disagreed on 9 verdicts (on 59).
NUMBERS_OF_VARIANCE = 300_000
FEWEST_PAIRS, MOST_PAIRS = 400, 1_200
# Pairs for a bias alone: added in squares to limits, it may be half as exact.
N_PAIRS_OF_BIAS = 50
# Numbers in memory at once: a choice of memory and of the cache.
HALVES_AT_ONCE = 300_000
# Neighbouring thresholds count together whose recall rises by a quarter of its largest standard
# deviation, 1 / (2 sqrt(positives)): the time then grows with the root of the rows, and the steps
# add about 1% to a variance.
PARTS_OF_DEVIATION = 4


@dataclass(frozen=True, eq=False)
class Halves:
    """The scores of opposite half samples.

    Parameters
    ----------
    first, second : ndarray of shape (n_pairs, n_rankings)
        nan for a ranking without positives in this half.
    n_units : float
        The number of units that were halved.
    positives : ndarray of shape (2, n_pairs, n_rankings)
        Those of the first and of the second halves.
    """

    first: Float
    second: Float
    n_units: float
    positives: Float

    @property
    def influences(self) -> Float:
        """Half the differences, of shape (n_rankings, n_pairs): they correlate as influences do."""
        return np.nan_to_num((self.first - self.second) / 2).T

    def mean(self, shares: Float, *, by_positives: bool = False) -> Halves:
        """Return the halves of a mean over the rankings that have positives.

        If the shares of rankings are those of their positives, each half has shares of its own.
        """
        counted = (shares > 0) * self.positives if by_positives else [shares, shares]
        first, second = (
            _mean_of_known(half.T, np.broadcast_to(weights, half.shape).T)
            for half, weights in zip((self.first, self.second), counted, strict=True)
        )
        return replace(self, first=first[:, None], second=second[:, None])

    def squares(self) -> Float:
        """Return what stands for the sum of squared influences of each ranking: equation 10.

        The factor is there because halves are drawn without replacement.
        """
        means = _mean_of_known((self.first - self.second) ** 2 / 4)
        return (1 - 1 / self.n_units) * np.nan_to_num(means)

    def bias(self, values: Float, rate: float) -> Float:
        """Return the bias of each value: equation 11, where ``rate`` is gamma."""
        means = _mean_of_known((self.first + self.second) / 2)
        return np.nan_to_num(means - values) / (2**rate - 1)


def _mean_of_known(values: Float, weights: Float | None = None) -> Float:
    """Return weighted means over the first axis of the values that are not nan."""
    known = ~np.isnan(values)
    weights = known if weights is None else known * weights
    return ratio(np.sum(np.where(known, values, 0.0) * weights, axis=0), weights.sum(axis=0))


def join_thresholds(definition: Definition, sums: RowSums) -> ThresholdCounts:
    """Leave out what half samples of rows do not tell apart.

    These are ranks that no half reaches, or neighbouring thresholds of long rankings.
    """
    # At k = 1, ranks from 28 on are left out; of 256 ranks of positives, pairs count together
    counts = sums.counts
    is_last = _end_together(definition, sums)
    joined = select_thresholds(counts, is_last)
    if definition.depth is not None:
        return joined
    is_first = ~counts.value_above(~is_last)
    gained = joined.tps - joined.tps_above
    return replace(joined, gained=gained, fps_above=counts.fps_above[is_first])


def _end_together(definition: Definition, sums: RowSums) -> Bool:
    """Flag the last one of thresholds that count together; those that no half reaches have none."""
    counts = sums.counts
    if definition.depth is not None:
        # A half with fewer than k / 2 of these ranks is so many deviations below its mean.
        # 9 rows above, which count twice or not at all with a deviation of 3 -> at least 9 - 5 * 3
        least = counts.n_above - DEVIATIONS * np.sqrt(counts.n_above)
        n_rows = counts.n_positives + counts.n_negatives  # a half may lack those never scored
        most = np.broadcast_to(ranks_of_rows(definition.depth, n_rows), n_rows.shape)
        is_reached = least >= counts.per_threshold(most)
        return np.asarray(running_sums(is_reached.astype(np.intp), counts.starts) == 0)
    n_together = np.sqrt(sums.sizes.positive.n_effective) // (2 * PARTS_OF_DEVIATION)
    number = np.arange(counts.gained.size) - counts.per_threshold(counts.starts)
    is_first = number % counts.per_threshold(np.maximum(n_together, 1)) == 0
    return np.append(is_first[1:], True)[: is_first.size]


def join_rows(definition: Definition, sums: RowSums, rows: PlacedRows) -> PlacedRows:
    """Put rows at the places of ``join_thresholds``.

    Those of counts are there already, and clusters and rows of unequal weights are left apart.
    """
    # Of 40 positives at k = 1, those from rank 28 on go where the ones are that were not retrieved
    is_joined = rows.n_thresholds < sums.counts.gained.size
    if rows.has_clusters.any() or is_joined or not rows.is_unweighted:
        return rows
    joined = join_thresholds(definition, sums)
    place = _joined_places(sums.counts, joined, _end_together(definition, sums))[rows.place]
    return replace(rows, place=place, starts=joined.starts, n_thresholds=joined.gained.size)


def _joined_places(counts: ThresholdCounts, joined: ThresholdCounts, is_last: Bool) -> Index:
    """Return the place among joined thresholds of each place of ``PlacedRows``."""
    # Thresholds 0 and 1 of 3, joined -> positives [0, 0, 1], tied [2, 2, 3], between [4, 2, 5]
    places = Places(joined.gained.size, counts.starts.size)
    begins, numbers = places.begins, places.split(np.arange(places.total))
    ranking = counts.ranking()
    group: Index = np.cumsum(is_last) - is_last
    is_kept = group < joined.ends[ranking]
    is_first = np.diff(group + ranking, prepend=-1) > 0  # the ranking may start in the same group
    lost, below = numbers.lost[ranking], numbers.below[ranking]
    above = np.where(is_first, begins.between, begins.tied) + group
    joined_places = ByKind(
        positive=np.where(is_kept, group, lost),
        tied=np.where(is_kept, begins.tied + group, below),
        between=np.where(is_kept, above, below),
        lost=numbers.lost,
        below=numbers.below,
        unscored=numbers.unscored,
    )
    return Places(ranking.size, counts.starts.size).join(joined_places)


def n_pairs_of_variance(rows: PlacedRows) -> int:
    """Return how many pairs of half samples a variance takes: more of short rankings."""
    return max(FEWEST_PAIRS, min(NUMBERS_OF_VARIANCE // rows.places.total, MOST_PAIRS))


def halves(definition: Definition, rows: PlacedRows, n_pairs: int, rng: Argument) -> Halves:
    """Score half samples of rankings, whose units are halved together."""
    # Half of 1 0 (1 0) 0 with both positives alone scores 1, and the other half nan
    shape = rows.places.total, rows.n_units
    placed = csr_array((rows.weight, (rows.place, rows.unit)), shape=shape)
    repeats = np.rint(rows.repeats) * (np.bincount(rows.unit, minlength=rows.n_units) > 0)
    # One unit stands for all that are alike, as rows at one place.
    keys, contents = _keys_of_units(rows)
    order = np.lexsort((contents, keys))
    order = order[repeats[order] > 0]
    is_first = np.append(True, np.diff(contents[order]) != 0)
    n_alike: Index = np.add.reduceat(repeats[order], np.flatnonzero(is_first)).astype(np.int64)
    placed = csr_array(placed.tocsc()[:, order[is_first]])
    generator = np.random.default_rng(rng)
    n_together = max(1, HALVES_AT_ONCE // max(*placed.shape, 1))
    scores: list[tuple[tuple[Float, Float], tuple[Float, Float]]] = []
    for drawn in draw_halves(n_alike, n_pairs, n_together, generator):
        half, other = placed @ (2 * drawn).T, placed @ (2 * (n_alike - drawn)).T
        scores.append((_score(definition, rows, half.T), _score(definition, rows, other.T)))
    (first, second), positives = np.concatenate(scores, axis=2).swapaxes(0, 1)
    return Halves(first, second, max(float(n_alike.sum()), 1.0), positives)


def _keys_of_units(rows: PlacedRows) -> tuple[Keys, Keys]:
    """Return two keys of each unit: by what it holds, and by where each ranking holds it.

    The first is equal only for units that could be exchanged: no order of rows or rankings and no
    name matters. The first round adds up a random number for each place and weight; the second
    multiplies it by a number of its ranking, so that rankings differ, too. The second key is equal
    only for units at the same places.
    """
    rng = np.random.default_rng(0)
    repeats = np.broadcast_to(rows.repeats, rows.n_units).astype(np.uint64)
    ranking = rows.places.split(rows.places.ranking(rows.starts)).positive
    number = np.arange(rows.n_thresholds) - rows.starts[ranking]  # [0, 1, 0] of rankings of 2 and 1
    elsewhere = draw_keys(rng, 3)
    each = draw_keys(rng, 3, rows.n_thresholds)[:, number]
    numbers = rows.places.join(ByKind(*each, *elsewhere))
    distinct, weight = np.unique(rows.weight, return_inverse=True)
    weight_keys = draw_keys(rng, distinct.size)[weight]
    keys = numbers[rows.place] * weight_keys
    contents = draw_keys(rng, rows.places.total)[rows.place] * weight_keys
    sums = add_up_keys(keys, rows.unit, rows.n_units)
    sums = add_up_keys(keys * (sums * repeats)[rows.unit], rows.ranking, rows.n_rankings)
    keys, contents = (
        add_up_keys(each, rows.unit, rows.n_units) for each in (keys * sums[rows.ranking], contents)
    )
    return keys, contents


def _score(definition: Definition, rows: PlacedRows, placed: Array) -> tuple[Float, Float]:
    """Score samples by their weights at places, of shape (n_samples, n_places).

    The scores, and the numbers of positives, have the shape (n_samples, n_rankings).
    """
    # Twice all rows of 1 0 (1 0) 0, [2, 2, 0, 2, 0, 2, 0, 2, 0] at places -> 0.75
    n_samples = len(placed)
    parts = rows.places.split(placed)
    below, lost, unscored = (part.ravel() for part in (parts.below, parts.lost, parts.unscored))
    gained, tied, between = (part.ravel() for part in (parts.positive, parts.tied, parts.between))
    if rows.is_unweighted:  # expected average precision takes whole counts alone
        gained, tied, between = (x.astype(np.int64, copy=False) for x in (gained, tied, between))
    starts = (rows.starts + rows.n_thresholds * np.arange(n_samples)[:, None]).ravel()
    scores = np.zeros(gained.size)  # definitions do not look at them
    counts = accumulate(scores, gained, tied, between, below, starts)
    counts = replace(counts, n_positives=counts.n_positives + lost + unscored, n_unscored=unscored)
    counts = select_thresholds(counts, gained > 0)  # others have no positive
    values = np.where(counts.n_positives > 0, definition.values(counts), np.nan)
    return values.reshape(n_samples, -1), counts.n_positives.reshape(n_samples, -1)
