"""Scores by chance: labels are permuted among the rows, and all orders are equally likely."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, pairwise
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool, Float, Index
from sklearn_ap._base.extras import Advance, ignore_progress, progress_if_long
from sklearn_ap._base.inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._scores.scoring import values_of
from sklearn_ap._uncertainty.order_of_units import keys_of_units
from sklearn_ap.definitions import Definition

# The smallest p-value is 1e-4, or 1e-3 where orders take long.
MOST_ORDERS, FEWEST_ORDERS = 9_999, 999
# Numbers of sampled ranks, as measured on two cores: choices of time, and of memory.
WORK_OF_SECONDS = 20_000_000
LITTLE_WORK = 300_000
ROWS_PER_K = 100  # for each of the first k ranks
COST_OF_ORDER = 10  # take as long as what each order of a ranking takes besides its ranks
AT_ONCE = 200_000
MANY = 0.1  # of the ranks, from which on a byte for each is drawn faster than they are sorted
RANK_OF_MANY = 0.15  # of the time of a sorted rank is what each row then takes


class ByChance(NamedTuple):
    """What random orders give."""

    means: Float  # of each ranking
    pvalues: Float  # of each ranking, nan where it is undefined
    averages: Float  # of each order; of a single ranking, its values


class Columns(NamedTuple):
    """The columns of counts, and where those of each order begin."""

    starts: Index
    thresholds: Float
    gained: Index
    tps: Index
    fps: Index
    fps_above: Index


@dataclass(frozen=True, eq=False)
class PermutedRanking:
    """One ranking whose labels are permuted. Ranks count from 0 at the top."""

    ends: Index | None  # of blocks of tied rows, as far as retrieved; None if all rows are blocks
    n_rows: int  # those that were not retrieved come last
    n_positives: int  # among the rows
    n_known: Any  # positives, with those that are no row

    @cached_property
    def kind(self) -> tuple[Any, ...]:
        """Rankings of one kind have the same values by chance."""
        blocks = b"" if self.ends is None else self.ends.tobytes()
        return blocks, self.ends is None, self.n_rows, self.n_positives, self.n_known

    def mean(self, definition: Definition) -> float | None:
        """The mean of all orders, if there is a formula."""
        total = definition.sum_by_chance(self.ends, self.n_rows, self.n_positives)
        if total is None:
            return None
        # The divisor is that of each order, and of all positives in one block at the top, too.
        n_hits = np.full(min(self.n_positives, 1), self.n_positives)
        columns = -n_hits.astype(np.float64), n_hits, n_hits, 0 * n_hits, 0 * n_hits
        start, n_negatives = np.zeros(1, np.intp), np.array([self.n_rows - self.n_positives])
        known = np.array([self.n_known])
        totals = (known, n_negatives, None, known - self.n_positives)
        best = ThresholdCounts(*columns, start, *totals)
        return total / np.broadcast_to(definition.divisor(best), 1).item()

    @property
    def n_sampled(self) -> int:
        """How many ranks are sampled for an order."""
        return self.n_positives if self.n_positives <= self.n_rows / 2 else self.n_rows

    @property
    def work(self) -> float:
        """What an order takes, in ranks that are sorted."""
        is_sorted = self.n_positives <= MANY * self.n_rows
        return COST_OF_ORDER + (self.n_positives if is_sorted else RANK_OF_MANY * self.n_rows)

    def fewer(self, depth: int | float | None) -> PermutedRanking:
        """Rows of the same prevalence, without ties, so few that an order takes no time.

        The mean score of n positives differs from that of any more by about 1 / sqrt(n) at most,
        which is less than 0.002. The first k ranks need no more rows than many times k.
        """
        most = LITTLE_WORK
        if isinstance(depth, int):  # and no share, of which fewer rows have fewer ranks
            most = min(most, depth * ROWS_PER_K)
        share = most / max(self.n_sampled, 1)
        if share >= 1:
            return self
        n_rows, n_positives = round(self.n_rows * share), round(self.n_positives * share)
        # What hits are divided by.
        n_known = self.n_known if isinstance(depth, int) else round(self.n_known * share)
        return PermutedRanking(None, n_rows, n_positives, n_known)

    def sample(
        self,
        definition: Definition,
        n_orders: int,
        rng: np.random.Generator,
        advance: Advance = ignore_progress,
    ) -> Float:
        """The values of some orders; ``advance`` hears of them."""
        values = []
        for n in _parts(n_orders, self.n_sampled):
            sampled = sample_ranks(self.n_rows, self.n_positives, n, rng)
            values.append(values_of(definition, self.counts(sampled)))
            advance(n)
        return np.concatenate(values)

    def counts(self, sampled: Index) -> ThresholdCounts:
        """The counts of each order: a row of ``sampled`` has its ranks of positives, sorted."""
        columns, n_positives = self._columns(sampled), np.full(len(sampled), self.n_known)
        return ThresholdCounts(
            starts=columns.starts,
            thresholds=columns.thresholds,
            gained=columns.gained,
            tps=columns.tps,
            fps=columns.fps,
            fps_above=columns.fps_above,
            n_positives=n_positives,
            n_negatives=np.full(len(sampled), self.n_rows - self.n_positives),
            n_unscored=n_positives - self.n_positives,
        )

    def _columns(self, sampled: Index) -> Columns:
        """The columns of counts, and where those of each order begin."""
        # ends [1, 4] and ranks [[0, 2, 3]] -> blocks [[0, 1, 1]] -> tps [1, 3], fps [0, 1]
        ends, (n_orders, n_hits) = self.ends, sampled.shape
        if ends is None:  # each rank is a block
            tps = np.tile(np.arange(1, n_hits + 1), n_orders)
            fps = sampled.ravel() + 1 - tps
            return Columns(
                starts=np.arange(n_orders) * n_hits,
                thresholds=-sampled.ravel().astype(np.float64),
                gained=np.ones_like(tps),
                tps=tps,
                fps=fps,
                fps_above=fps,
            )
        block = np.searchsorted(ends, sampled, side="right")
        is_last = np.ones(block.shape, dtype=bool)
        np.not_equal(block[:, 1:], block[:, :-1], out=is_last[:, :-1])
        is_last &= block < ends.size  # others: not retrieved
        n_thresholds = np.count_nonzero(is_last, axis=1)
        starts = np.cumsum(n_thresholds) - n_thresholds
        tps, block = is_last.nonzero()[1] + 1, block[is_last]
        above = np.append(0, tps)[: tps.size]
        above[starts[n_thresholds > 0]] = 0
        end, before = ends[block], np.append(0, ends)[block]
        return Columns(
            starts=starts,
            thresholds=-block.astype(np.float64),
            gained=tps - above,
            tps=tps,
            fps=end - tps,
            fps_above=before - above,
        )


@dataclass(frozen=True, eq=False)
class PermutedRows(PermutedRanking):
    """The same, and which row has which rank."""

    of_row: Index  # the rank of each row
    positives: Index  # which rows are positive


def by_chance(
    definition: Definition,
    rankings: Rankings,
    values: Float,
    is_defined: Bool,
    weights: Float | None,
    n_orders: int | None,
    rng: np.random.Generator,
) -> ByChance:
    """Permute the labels ``n_orders`` times; None for as often as takes some seconds.

    Rankings that are undefined keep the values that the user asked for. ``weights`` are those of
    the average, None for equal ones.
    """
    permuted, places = [*compress(_permuted(rankings), is_defined)], is_defined.nonzero()[0]
    kinds = {ranking.kind: ranking for ranking in permuted}
    is_table = rankings.n_rankings > 1 and not rankings.are_queries and rankings.ranking is None
    if n_orders is None:
        work = sum(ranking.work for ranking in kinds.values())
        if is_table:  # all columns have the same rows, and sort their ranks
            work = sum(ranking.n_positives + COST_OF_ORDER for ranking in permuted)
            work += sum(ranking.n_rows for ranking in permuted[:1])
        n_orders = max(min(MOST_ORDERS, int(WORK_OF_SECONDS / max(work, 1))), FEWEST_ORDERS)
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.sum() or 1.0
    means, pvalues = values.copy(), np.full(values.shape, np.nan)
    averages = np.full(n_orders, shares[~is_defined] @ np.nan_to_num(values[~is_defined]))
    formulas = {kind: ranking.mean(definition) for kind, ranking in kinds.items()}
    # Which random numbers a ranking or a row gets must not depend on names and positions.
    n_drawn = n_orders * (1 if is_table else len(kinds))
    with progress_if_long(n_drawn, " orders", "permuting") as advance:
        if is_table and permuted:
            of_all = _of_table(definition, _in_order(permuted, rankings), n_orders, rng, advance)
        else:
            order = sorted(range(len(permuted)), key=lambda i: permuted[i].kind)
            permuted, places = [permuted[i] for i in order], places[order]
            of_all = _of_queries(definition, permuted, n_orders, rng, advance)
        for i, ranking, found in zip(places, permuted, of_all, strict=True):
            mean = formulas[ranking.kind]
            means[i] = found.mean() if mean is None else mean
            pvalues[i] = pvalue(values[i], found)
            averages += shares[i] * found
    return ByChance(means, pvalues, averages)


def means_by_chance(definition: Definition, rankings: list[PermutedRanking]) -> list[float]:
    """The mean of all orders of each ranking, by a formula or of as many as take no time."""
    kinds = {ranking.kind: ranking for ranking in rankings}
    fewer = {kind: ranking.fewer(definition.depth) for kind, ranking in kinds.items()}
    work = sum(ranking.work for ranking in fewer.values())
    n_orders, rng = min(max(int(LITTLE_WORK / work), 1), MOST_ORDERS), np.random.default_rng(0)
    means = {}
    for kind, ranking in kinds.items():
        mean = ranking.mean(definition)
        sampled = fewer[kind].sample(definition, n_orders, rng) if mean is None else mean
        means[kind] = float(np.mean(sampled))
    return [means[ranking.kind] for ranking in rankings]


def sample_ranks(n_rows: int, n_positives: int, n_orders: int, rng: np.random.Generator) -> Index:
    """The ranks of positives among rows, sorted, for each order: all sets are equally likely."""
    n_others = n_rows - n_positives
    if min(n_positives, n_others) > MANY * n_rows:
        return _places(sample_hits(n_rows, n_positives, n_orders, rng))
    if n_positives > n_others:
        is_free = np.ones((n_orders, n_rows), dtype=bool)
        others = sample_ranks(n_rows, n_others, n_orders, rng)
        np.put_along_axis(is_free, others, False, axis=1)
        return _places(is_free)
    ranks = np.sort(rng.integers(n_rows, size=(n_orders, n_positives)), axis=1)
    # What was sampled twice is sampled again. All ranks are alike, so all sets are equally likely.
    waiting = np.arange(n_orders)
    while waiting.size:
        some = ranks[waiting]
        which, column = (some[:, 1:] == some[:, :-1]).nonzero()
        some[which, column] = rng.integers(n_rows, size=which.size)
        again = np.unique(which)
        some[again] = np.sort(some[again], axis=1)
        ranks[waiting] = some
        waiting = waiting[again]
    return ranks


def sample_hits(n_rows: int, n_positives: int, n_orders: int, rng: np.random.Generator) -> Bool:
    """Which ranks are positive in each order: a byte decides on each, and no sort is needed.

    There are then too many or too few. Ranks are left out, or added, until their number is right,
    each with equal chance. So all sets of ranks are equally likely.
    """
    share = n_positives / n_rows
    drawn = np.frombuffer(rng.bytes(n_orders * n_rows), np.uint8).reshape(n_orders, n_rows)
    hits = drawn < round(256 * share)
    cells, too_many = hits.reshape(-1), np.count_nonzero(hits, axis=1) - n_positives
    while (wrong := too_many.nonzero()[0]).size:
        missing = np.abs(too_many)
        fitting = np.where(too_many > 0, share, 1 - share)  # of the ranks, roughly
        order = np.repeat(wrong, (1.2 * missing / fitting).astype(np.intp)[wrong] + 4)
        tried = order * n_rows + rng.integers(n_rows, size=order.size)
        tried = tried[cells[tried] == (too_many > 0)[order]]
        tried = tried[np.sort(np.unique(tried, return_index=True)[1])]  # each once, as drawn
        order = tried // n_rows
        tried = tried[np.arange(order.size) - order.searchsorted(order) < missing[order]]
        cells[tried] ^= True
        too_many -= np.sign(too_many) * np.bincount(tried // n_rows, minlength=n_orders)
    return hits


def _places(hits: Bool) -> Index:
    """Where the hits of each row stand; all rows have as many."""
    n_rows, width = hits.shape
    places = hits.reshape(-1).nonzero()[0].reshape(n_rows, -1)
    places -= np.arange(n_rows)[:, None] * width
    return places


def pvalue(value: float, by_chance: Float) -> float:
    """The share of orders that are at least as good; the observed order is one of them."""
    n_good = np.count_nonzero(by_chance >= value - ABSOLUTE_TOLERANCE)
    return float((1 + n_good) / (1 + by_chance.size))


def _of_queries(
    definition: Definition,
    permuted: list[PermutedRows],
    n_orders: int,
    rng: np.random.Generator,
    advance: Advance,
) -> Iterator[Float]:
    """The values of each ranking by chance. Those of one kind share them, in another order."""
    samples: dict[tuple[Any, ...], Float] = {}
    for ranking in permuted:
        if ranking.kind not in samples:
            samples[ranking.kind] = ranking.sample(definition, n_orders, rng, advance)
        yield rng.permutation(samples[ranking.kind])


def _of_table(
    definition: Definition,
    permuted: list[PermutedRows],
    n_orders: int,
    rng: np.random.Generator,
    advance: Advance,
) -> Iterator[Float]:
    """The values of each column by chance. Columns depend on each other, so rows are permuted."""
    n_rows, values = permuted[0].n_rows, []
    for n in _parts(n_orders, n_rows):
        rows = np.stack([rng.permutation(n_rows) for _ in range(n)])
        ranks = (np.sort(column.of_row[rows[:, column.positives]], axis=1) for column in permuted)
        pairs = zip(permuted, ranks, strict=True)
        values.append([values_of(definition, column.counts(sampled)) for column, sampled in pairs])
        advance(n)
    return map(np.concatenate, zip(*values, strict=True))


def _in_order(permuted: list[PermutedRows], rankings: Rankings) -> list[PermutedRows]:
    """The same with the rows of the table in an order that theirs does not decide."""
    n_rows = permuted[0].n_rows
    order = np.argsort(keys_of_units([rankings], np.tile(np.arange(n_rows), rankings.n_rankings)))
    place = np.empty(n_rows, np.intp)
    place[order] = np.arange(n_rows)
    return [
        replace(ranking, of_row=ranking.of_row[order], positives=place[ranking.positives])
        for ranking in permuted
    ]


def _parts(n_orders: int, n_ranks: int) -> list[int]:
    """How many orders of so many ranks are sampled at once, as far as memory goes."""
    size = max(AT_ONCE // max(n_ranks, 1), 1)
    return [min(size, n_orders - start) for start in range(0, n_orders, size)]


def _permuted(rankings: Rankings) -> Iterator[PermutedRows]:
    order = np.argsort(rankings.ranking_of_items, kind="stable")
    bounds = np.append(0, np.cumsum(rankings.sizes))
    known = rankings.weight_of_positives
    for i, (start, end) in enumerate(pairwise(bounds.tolist())):
        items = order[start:end]
        score, positive = rankings.score[items], rankings.positive[items]
        from_top = np.argsort(score, kind="stable")[::-1]
        of_row = np.empty(score.size, np.intp)
        of_row[from_top] = np.arange(score.size)
        falling = score[from_top][: np.count_nonzero(np.greater(score, -np.inf))]
        ends = np.append(falling[1:] != falling[:-1], True)[: falling.size].nonzero()[0] + 1
        tied = None if ends.size == score.size else ends
        positives = positive.nonzero()[0]
        yield PermutedRows(tied, score.size, positives.size, known[i], of_row, positives)
