"""Half samples: the variance of scores that jump, and the bias of means over rankings.

Equations are those of ``docs/methods.md``: 10, 11 and 20. A half of the units counts twice and the
others not at all, then the reverse. Rows are not sorted again: a half sample changes how much
stands at each place of a ``PlacedRows``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from sklearn_ap._arithmetic import LARGEST_EXACT, RELATIVE_TOLERANCE, TINY, running_sums
from sklearn_ap._counts.counting import accumulate
from sklearn_ap._counts.thresholds import (
    ThresholdCounts,
    kish_number,
    ranks_of_rows,
    ratio,
    select_thresholds,
)
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap._uncertainty._paired_rows import draw_halves
from sklearn_ap._uncertainty.keys import Keys, add_up_keys, draw_keys
from sklearn_ap._uncertainty.rows import ByKind, PlacedRows, Places
from sklearn_ap.definitions import Definition, PrecisionAtRecall

# Pairs of half samples for a variance: as many as have so many numbers, within these bounds.
NUMBERS_OF_VARIANCE = 600_000
FEWEST_PAIRS, MOST_PAIRS = 512, 2_048
SEED = 0  # of the pairs of rows, and of the keys that sort units
# Pairs for a bias alone: added in squares to limits, it may be half as exact.
N_PAIRS_OF_BIAS = 64
# Numbers of half samples in memory at once: a choice of memory and of the cache.
NUMBERS_OF_HALVES = 300_000
# Standard deviations of a binomial number that half samples stay within: once in 3 million halves,
# it is further below its mean.
DEVIATIONS = 5


@dataclass(frozen=True, eq=False)
class HalfScores:
    """The scores of pairs of opposite half samples: arrays of shape (2, n_pairs, n_rankings)."""

    values: Float  # nan for a ranking without positives in this half
    n_positives: Float  # the weight of the positives
    n_units: float  # that were halved

    @property
    def influences(self) -> Float:
        """Those of pairs in the place of units, (n_rankings, n_pairs): equations 10 and 20.

        The factor is there because halves are drawn without replacement.
        """
        differences = (self.values[0] - self.values[1]) / 2  # nan where one is
        n_known = np.count_nonzero(~np.isnan(differences), axis=0)
        factor = (1 - 1 / self.n_units) / np.maximum(n_known, 1)
        return (np.nan_to_num(differences) * np.sqrt(factor)).T

    def mean(self, shares: Float, *, by_positives: bool = False) -> HalfScores:
        """Return the scores of a mean over the rankings that have positives.

        If the shares of rankings are those of their positives, as of average="weighted", each half
        has shares of its own.
        """
        weights = (shares > 0) * self.n_positives if by_positives else shares
        return replace(self, values=_mean_of_known(self.values, axis=2, weights=weights)[..., None])

    def by_model(self, n_models: int) -> list[HalfScores]:
        """Return those of the rankings of each model, which stand one after the other."""
        values, n_positives = (
            np.split(each, n_models, axis=2) for each in (self.values, self.n_positives)
        )
        pairs = zip(values, n_positives, strict=True)
        return [replace(self, values=own, n_positives=n) for own, n in pairs]

    def squares(self) -> Float:
        """Return what stands for the sum of squared influences of each ranking: equation 10."""
        return np.asarray(np.sum(self.influences**2, axis=1))

    def bias(self, values: Float, rate: float) -> Float:
        """Return the bias of each value: equation 11, where ``rate`` is gamma."""
        means = _mean_of_known(self.values.mean(axis=0), axis=0)
        return np.nan_to_num(means - values) / (2**rate - 1)


def _mean_of_known(values: Float, axis: int, weights: Float | float = 1.0) -> Float:
    """Return weighted means along an axis of the values that are not nan."""
    weights = ~np.isnan(values) * weights
    return ratio((np.nan_to_num(values) * weights).sum(axis), weights.sum(axis))


def n_pairs_of_variance(rows: PlacedRows) -> int:
    """Return how many pairs of half samples a variance takes: more of short rankings."""
    return max(FEWEST_PAIRS, min(NUMBERS_OF_VARIANCE // rows.places.total, MOST_PAIRS))


def score_halves(definition: Definition, rows: PlacedRows, n_pairs: int) -> HalfScores:
    """Score half samples of rankings, whose units are halved together."""
    # Half of 1 0 (1 0) 0 with both positives alone scores 1, and the other half nan
    unit, repeats = _distinct_units(rows)
    if type(definition) is PrecisionAtRecall and _are_plain(rows):
        rows = _leave_out(rows, _are_lower(definition.recall, rows))
    shape = rows.places.total, rows.n_units
    table = csr_array((rows.weight, (rows.place, rows.unit)), shape=shape).tocsc()[:, unit]
    total = table @ repeats
    are_unweighted = _are_unweighted(rows)
    # Not where rows below all thresholds have weights
    are_whole = are_unweighted and bool((total == np.rint(total)).all())
    are_whole &= total.max(initial=0) < LARGEST_EXACT
    total = total.astype(np.int64) if are_whole else total
    n_together = max(1, NUMBERS_OF_HALVES // max(total.size, 1))
    values, n_positives = [], []
    rng = np.random.default_rng(SEED)
    for excess in draw_halves(repeats, table, n_pairs, n_together, rng, are_whole=are_whole):
        halves = np.empty((2, *excess.shape), np.result_type(total, excess))
        np.add(total, excess, out=halves[0])
        np.subtract(total, excess, out=halves[1])
        halves = halves.reshape(-1, total.size)
        if not are_unweighted:
            halves[halves < RELATIVE_TOLERANCE * total] = 0.0  # which rounding hides
        counts = _count_samples(rows.places, halves, are_whole=are_unweighted)
        scores = np.where(counts.n_positives > 0, definition.values(counts), np.nan)
        values.append(scores.reshape(2, -1, rows.places.n_rankings))
        n_positives.append(counts.n_positives.reshape(2, -1, rows.places.n_rankings))
    return HalfScores(
        values=np.concatenate(values, axis=1),
        n_positives=np.concatenate(n_positives, axis=1),
        n_units=max(float(repeats.sum()), 1.0),
    )


def _count_samples(places: Places, weights: Array, *, are_whole: bool) -> ThresholdCounts:
    """Count samples by their weights at places, of shape (n_samples, n_places).

    All rankings of the first sample come first.
    """
    # [2, 2, 0, 2, 0, 2, 0, 2, 0] at places, twice 1 0 (1 0) 0 -> tps [2, 4] and fps [0, 4]
    parts = places.split(weights)
    below, lost, unscored = (part.ravel() for part in (parts.below, parts.lost, parts.unscored))
    kind = np.int64 if are_whole else np.float64  # expected average precision takes whole counts
    gained = parts.positive.ravel().astype(kind, copy=False)
    between = parts.between.ravel().astype(kind, copy=False)
    tied = parts.tied.ravel().astype(kind, copy=False) if parts.tied.any() else None
    first = places.n_thresholds * np.arange(len(weights))[:, None]
    starts = (places.starts + first).ravel()
    scores = np.zeros(gained.size)  # definitions do not look at them
    counts = accumulate(scores, gained, tied, between, below, starts)
    counts = replace(counts, n_positives=counts.n_positives + lost + unscored, n_unscored=unscored)
    return select_thresholds(counts, gained > 0)  # others have no positive


def leave_out_unreached(
    definition: Definition, counts: ThresholdCounts, rows: PlacedRows
) -> PlacedRows:
    """Leave out ranks that no half sample reaches: the others take less time."""
    # Of 40 positives at k = 1, those from rank 28 on go
    depth = definition.depth
    if depth is None or definition.prevalence is not None:
        return rows
    # Halves with fewer than k / 2 of the rows above are so many deviations below their mean.
    # 9 rows, which count twice or not at all with a deviation of 3 -> at least 9 - 5 * 3
    are_plain = _are_plain(rows)
    squares = counts.n_above if are_plain else _squares_above(rows)
    n_rows = counts.n_positives + counts.n_negatives  # a half may lack those never scored
    if not (are_plain or isinstance(depth, int)):  # and weigh more
        n_rows = n_rows + DEVIATIONS * np.sqrt(rows.ranking_sums(rows.add_up(rows.weight) ** 2))
    most_ranks = np.broadcast_to(ranks_of_rows(depth, n_rows), n_rows.shape)
    is_unreached = counts.n_above - DEVIATIONS * np.sqrt(squares) >= counts.per_threshold(
        most_ranks
    )
    is_below = running_sums(is_unreached.astype(np.intp), counts.starts) > 0
    fewer = _leave_out(rows, is_below)
    return fewer if are_plain or rows.cell is not None else _merge_unreached(fewer)


def _squares_above(rows: PlacedRows) -> Float:
    """Return the sum over units of their squared weight above each threshold of its ranking.

    It is the variance of this weight in half samples, of which each unit counts twice or not at
    all, or more (Hoeffding 1963).
    """
    # A unit with the weights 1 at threshold 0, 2 at threshold 1 -> 0, 1
    places = rows.places
    begins, n = places.begins, places.n_thresholds
    # Of each threshold what is between it and the one above comes first, and then what is at it
    step = np.full(places.total, 2 * n, np.intp)
    for begin, first in ((begins.between, 0), (begins.positive, 1), (begins.tied, 1)):
        step[begin : begin + n] = 2 * np.arange(n) + first
    steps, cell = step[rows.place], rows.cell
    weight = rows.weight * np.sqrt(np.broadcast_to(rows.repeats, rows.n_units)[rows.unit])
    squares = weight**2
    if cell is not None:  # (W + w)^2 - W^2 of a cell whose rows above weigh W
        order = np.lexsort((steps, cell))
        firsts = np.flatnonzero(np.diff(cell[order], prepend=-1))
        own = weight[order]
        squares[order] = own * (2 * running_sums(own, firsts) - own)
    at_steps = np.bincount(steps, squares, 2 * n + 1)[: 2 * n]
    above = running_sums(at_steps, 2 * places.starts) - at_steps  # before each step
    return np.asarray(above[1::2])


def _merge_unreached(rows: PlacedRows) -> PlacedRows:
    """Merge units that stand below all thresholds: of these, halves have sums of weights alone.

    So many equal units take their places that have the same sum of weights, and of their squares,
    beside units without weight: halves have half of all units.
    """
    # Weights 1, 1 and 6 below -> 1.68 units of 4.75, rounded to 2 of 4, and one of 0
    is_below = rows.place >= rows.places.begins.lost
    is_unit_below = np.bincount(rows.unit, ~is_below, rows.n_units) == 0
    keys = draw_keys(np.random.default_rng(SEED), rows.places.total)
    pattern = add_up_keys(keys[rows.place], rows.unit, rows.n_units)
    merged = np.flatnonzero(is_unit_below)
    _, first, group = np.unique(pattern[merged], return_index=True, return_inverse=True)
    weight = np.zeros(rows.n_units)
    weight[rows.unit] = rows.weight
    repeats = np.broadcast_to(rows.repeats, rows.n_units).astype(np.float64)
    own, times = weight[merged], repeats[merged]
    sums, squares = (np.bincount(group, values * times) for values in (own, own**2))
    number = np.maximum(np.rint(kish_number(sums, squares)), 1.0)
    kept = merged[first]
    weight[kept], repeats[kept] = sums / number, number
    is_unit_kept = ~is_unit_below
    is_unit_kept[kept] = True
    is_kept = is_unit_kept[rows.unit]
    unit = (np.cumsum(is_unit_kept) - 1)[rows.unit[is_kept]]
    n_units = int(np.count_nonzero(is_unit_kept))
    n_without = max(float(np.rint(times.sum() - number.sum())), 0.0)
    below = rows.places.begins.below + np.arange(rows.places.n_rankings)
    return PlacedRows(
        place=np.append(rows.place[is_kept], below),
        unit=np.append(unit, np.full(below.size, n_units)),
        weight=np.append(weight[rows.unit[is_kept]], np.zeros(below.size)),
        n_units=n_units + 1,
        places=rows.places,
        repeats=np.append(repeats[is_unit_kept], n_without),
    )


def _are_lower(recall: float, rows: PlacedRows) -> Bool:
    """Find thresholds that in no half of unweighted rows have the highest precision at a recall.

    They miss it, or another one that reaches it is more precise: they would only take time.
    """
    # Of 500,000 thresholds of a million rows, about 10,000 stay at the recall 0.8
    repeats = np.broadcast_to(rows.repeats, rows.n_units)[rows.unit]
    total = np.bincount(rows.place, rows.weight * repeats, rows.places.total)
    counts = _count_samples(rows.places, total[None], are_whole=True)
    # A sum over rows that count twice or not at all varies by the root of the sum of their squares
    n_positives = counts.per_threshold(counts.n_positives)
    spare = counts.tps - recall * n_positives
    slack = DEVIATIONS * np.sqrt(n_positives)  # no positive adds more than 1 to what is to spare
    size, precision = counts.tps + counts.fps, counts.precision
    error = DEVIATIONS * np.sqrt(precision * (1 - precision) * size)
    error /= np.maximum(size - DEVIATIONS * np.sqrt(size), TINY)
    least = counts.highest(np.where(spare > slack, precision - error, 0.0))
    is_lower: Bool = precision + error < counts.per_threshold(least)
    return is_lower | (spare < -slack)


def _leave_out(rows: PlacedRows, is_left_out: Bool) -> PlacedRows:
    """Move the rows of these thresholds to the next one of their ranking that stays.

    Below all of them, rows are then where those are that were not retrieved.
    """
    # Threshold 0 of 2 left out -> positives at [0, 0], and threshold 1 -> at [0, lost]
    places, is_kept = rows.places, ~is_left_out
    number: Index = np.cumsum(is_kept) - is_kept
    n_kept = int(np.count_nonzero(is_kept))
    fewer = Places(np.append(number, n_kept)[places.starts], n_kept)
    begins, rankings = fewer.begins, np.arange(fewer.n_rankings)
    lost, below = begins.lost + rankings, begins.below + rankings
    ranking = places.threshold_ranking
    is_above = number < np.append(fewer.starts, n_kept)[ranking + 1]
    new_place = places.join(
        ByKind(
            positive=np.where(is_above, begins.positive + number, lost[ranking]),
            tied=np.where(is_above, begins.tied + number, below[ranking]),
            between=np.where(is_above, begins.between + number, below[ranking]),
            lost=lost,
            below=below,
            unscored=begins.unscored + rankings,
        )
    )
    return replace(rows, place=new_place[rows.place], places=fewer)


def _are_unweighted(rows: PlacedRows) -> bool:
    """Whether each row at or above some threshold counts once."""
    return bool((rows.weight[rows.place < rows.places.begins.lost] == 1).all())


def _are_plain(rows: PlacedRows) -> bool:
    """Whether each row is a unit, and counts once."""
    return _are_unweighted(rows) and not rows.has_clusters.any()


# ---- units that are alike, in an order that does not depend on that of rows


def _distinct_units(rows: PlacedRows) -> tuple[Index, Index]:
    """Return one of the units that are alike, and how many these are.

    Units are alike that have the same weights at the same places. They are sorted by what they
    hold, so that shuffled rows have the same half samples.
    """
    # Rows at the places [1, 0, 1] -> units [1, 0], of which the second stands for 2, or [0, 1]
    has_rows = np.bincount(rows.unit, minlength=rows.n_units) > 0
    repeats = np.rint(rows.repeats) * has_rows
    order_keys, content_keys = _keys_of_units(rows)
    order = np.lexsort((content_keys, order_keys))
    order = order[repeats[order] > 0]
    is_first = np.append(True, np.diff(content_keys[order]) != 0)
    n_alike: Index = np.add.reduceat(repeats[order], np.flatnonzero(is_first)).astype(np.int64)
    return order[is_first], n_alike


def _keys_of_units(rows: PlacedRows) -> tuple[Keys, Keys]:
    """Return two keys of each unit: one that sorts units, and one that units share that are alike.

    Both add up random numbers of the rows of a unit, one for each place and each weight.
    """
    # Rows at the places [1, 0, 1] of one ranking -> keys [a, b, a] of either kind
    rng = np.random.default_rng(SEED)
    distinct, weight = np.unique(rows.weight, return_inverse=True)
    weight_keys = draw_keys(rng, distinct.size)[weight]
    shape = rows.places.total, rows.n_units
    table = csr_array((weight_keys, (rows.place, rows.unit)), shape=shape)
    content_keys: Keys = draw_keys(rng, rows.places.total) @ table
    return _keys_in_any_order(rows, table, rng), content_keys


def _keys_in_any_order(rows: PlacedRows, table: csr_array, rng: np.random.Generator) -> Keys:
    """Return keys that do not change with the order of rankings, rows or units.

    Only units that could be exchanged share one. Rankings are told apart by what their units hold
    in all rankings, and then units by where each ranking holds them.
    """
    # Two models that rank 4 rows as 1 2 3 4 and 2 1 4 3: rows 1 and 2 share a key, and 3 and 4
    places, ranking = rows.places, rows.places.ranking
    first = places.starts[places.threshold_ranking]
    number = np.arange(places.n_thresholds) - first  # [0, 1, 0] of 2 and 1
    place_keys = places.join(
        ByKind(*draw_keys(rng, 3, places.n_thresholds)[:, number], *draw_keys(rng, 3))
    )
    unit_keys = place_keys @ table
    repeats = np.broadcast_to(rows.repeats, rows.n_units).astype(np.uint64)
    ranking_keys = add_up_keys(
        place_keys * (table @ (unit_keys * repeats)), ranking, places.n_rankings
    )
    keys: Keys = (place_keys * ranking_keys[ranking]) @ table
    return keys
