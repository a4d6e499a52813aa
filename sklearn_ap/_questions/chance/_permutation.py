"""Scores by chance: labels are permuted among the rows, and all orders are equally likely.

Equations are those of ``docs/methods.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts, values_of
from sklearn_ap._extras import Advance, ignore_progress, progress_if_long
from sklearn_ap._inputs.arrays import ABSOLUTE_TOLERANCE
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._questions.chance._threads import map_threads, n_threads
from sklearn_ap._types import Bool, Float, Index
from sklearn_ap._uncertainty.former.order_of_units import keys_of_units
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._for_chance import sum_by_chance

# The smallest p-value is 1e-4, and up to 1e-3 if orders take long.
MOST_ORDERS = 9_999
FEWEST_ORDERS = 999
# The unit of work is the time to sample one rank, measured on two cores: choices of time and memory
LONG_WORK = 20_000_000  # work that takes less than a second
CHUNK_RANKS = 200_000  # the number of ranks that are sampled at once
LONG_ROW = 2000  # longer rows are counted one by one, as counting along an axis is slow
FREED_BYTES = 2**25 - 2**16  # the largest block of which glibc takes notice
COST_OF_ORDER = 10  # the work of an order of a ranking besides its ranks
COST_OF_BYTE = 0.15  # the work for a row if a random byte decides on it
# Above this share of positives, it is faster to draw a byte for each row than to sort their ranks.
MANY_POSITIVES_SHARE = 0.1
MOST_SEARCHED_POSITIVES = 500  # of more, the ends of blocks are searched among the positives


class ChanceScores(NamedTuple):
    """The scores of random orders."""

    means: Float  # the mean score of each ranking
    pvalues: Float  # the p-value of each ranking, nan if it is undefined
    averages: Float  # the average over rankings of each order; the values of a single ranking


class RankingKind(NamedTuple):
    """A sort key of rankings: equal keys have the same distribution of scores by chance."""

    blocks: bytes
    is_untied: bool
    n_rows: int
    n_positives: int
    n_all_positives: float


class EqualColumns(NamedTuple):
    """The columns of counts that are equal in all orders of a ranking without ties."""

    thresholds: Float
    gained: Index
    tps: Index


class Columns(NamedTuple):
    """The columns of counts of several orders, with the index at which each order begins."""

    starts: Index
    thresholds: Float
    gained: Index
    tps: Index
    fps: Index
    fps_above: Index


@dataclass(frozen=True, eq=False)
class PermutedRanking:
    """One ranking whose labels are permuted. Ranks count from 0 at the top."""

    # The ends of the blocks of tied rows that were retrieved; None if each row is a block
    ends: Index | None
    n_rows: int  # rows that were not retrieved come last
    n_positives: int  # positive rows
    n_all_positives: float  # all positives, also those that are no row

    @cached_property
    def kind(self) -> RankingKind:
        """The kind of the ranking: rankings of one kind have the same values by chance."""
        return RankingKind(
            blocks=b"" if self.ends is None else self.ends.tobytes(),
            is_untied=self.ends is None,
            n_rows=self.n_rows,
            n_positives=self.n_positives,
            n_all_positives=self.n_all_positives,
        )

    def mean(self, definition: Definition) -> float | None:
        """Compute the mean of all orders, if there is a formula, such as equation B13."""
        total = sum_by_chance(definition, self.ends, self.n_rows, self.n_positives)
        if total is None:
            return None
        # All orders have the same divisor. It is taken from the order with all positives in one
        # block at the top; without positives there is no block.
        n_hits = np.full(min(self.n_positives, 1), self.n_positives)
        n_all_positives = np.array([self.n_all_positives])
        counts = ThresholdCounts(
            thresholds=-n_hits.astype(np.float64),
            gained=n_hits,
            tps=n_hits,
            fps=0 * n_hits,
            fps_above=0 * n_hits,
            starts=np.zeros(1, np.intp),
            n_positives=n_all_positives,
            n_negatives=np.array([self.n_rows - self.n_positives]),
            n_unscored=n_all_positives - self.n_positives,
        )
        return total / np.broadcast_to(definition.divisor(counts), 1).item()

    @property
    def n_sampled(self) -> int:
        """The number of ranks that are sampled for an order."""
        return self.n_positives if self.n_positives <= self.n_rows / 2 else self.n_rows

    @property
    def work(self) -> float:
        """The time that an order takes, over the time for one rank."""
        has_many = self.n_positives > MANY_POSITIVES_SHARE * self.n_rows
        return COST_OF_ORDER + (COST_OF_BYTE * self.n_rows if has_many else self.n_positives)

    def sample(
        self,
        definition: Definition,
        n_orders: int,
        rng: np.random.Generator,
        advance: Advance = ignore_progress,
    ) -> Float:
        """Sample the values of some orders; ``advance`` moves a progress bar."""
        chunks = _chunks(n_orders, self.n_sampled)
        # One thread draws all random numbers, so the number of threads changes no value.
        drawn = (sample_ranks(self.n_rows, self.n_positives, size, rng) for size in chunks)
        threads = n_threads(n_orders * self.n_sampled)
        values = []
        columns = self._equal_columns(chunks[0])
        evaluate = partial(self._values, definition, columns)
        for sampled in map_threads(evaluate, drawn, threads):
            values.append(sampled)
            advance(sampled.size)
        return np.concatenate(values)

    def _values(self, definition: Definition, equal: EqualColumns, ranks: Index) -> Float:
        return values_of(definition, self.counts(ranks, equal))

    def counts(self, ranks: Index, equal: EqualColumns | None = None) -> ThresholdCounts:
        """Count at each threshold of each order: a row of ``ranks``, sorted ranks of positives.

        ``equal`` has the columns of at least as many orders that are equal in all of them.
        """
        n_orders = len(ranks)
        if self.ends is None:
            columns = self._untied_columns(ranks, equal or self._equal_columns(n_orders))
        elif max(self.ends.size, MOST_SEARCHED_POSITIVES) < self.n_positives:
            columns = self._columns_of_few_blocks(self.ends, ranks)
        else:
            columns = self._columns_of_many_blocks(self.ends, ranks)
        n_positives = np.full(n_orders, self.n_all_positives)
        if self.n_all_positives < 2**53 and self.n_all_positives % 1 == 0:
            n_positives = n_positives.astype(np.intp)  # which need no scaling against underflow
        return ThresholdCounts(
            starts=columns.starts,
            thresholds=columns.thresholds,
            gained=columns.gained,
            tps=columns.tps,
            fps=columns.fps,
            fps_above=columns.fps_above,
            n_positives=n_positives,
            n_negatives=np.full(n_orders, self.n_rows - self.n_positives),
            n_unscored=n_positives - self.n_positives,
        )

    def _equal_columns(self, n_orders: int) -> EqualColumns:
        """Make the columns that do not depend on ranks, if there are no ties."""
        tps = np.tile(np.arange(1, self.n_positives + 1), n_orders if self.ends is None else 0)
        # Any decreasing numbers serve as thresholds.
        ones = np.broadcast_to(
            np.intp(1), tps.shape
        )  # without memory, which is read anew each time
        return EqualColumns(-tps.astype(np.float64), ones, tps)

    def _untied_columns(self, ranks: Index, equal: EqualColumns) -> Columns:
        """Make the columns if each rank is a block, from an array (n_orders, n_positives)."""
        n_orders, n_positives = ranks.shape
        fps = (ranks - np.arange(n_positives)).ravel()
        return Columns(
            starts=np.arange(n_orders) * n_positives,
            thresholds=equal.thresholds[: fps.size],
            gained=equal.gained[: fps.size],
            tps=equal.tps[: fps.size],
            fps=fps,
            fps_above=fps,
        )

    def _columns_of_many_blocks(self, ends: Index, ranks: Index) -> Columns:
        """Make the columns by searching each rank among the ends of blocks."""
        # ends [1, 4] and ranks [[0, 2, 3]] -> blocks [[0, 1, 1]] -> tps [1, 3], fps [0, 1]
        block = np.searchsorted(ends, ranks, side="right")
        is_last = np.ones(block.shape, dtype=bool)  # True for the last positive of a block
        np.not_equal(block[:, 1:], block[:, :-1], out=is_last[:, :-1])
        is_last &= block < ends.size  # other rows were not retrieved
        n_thresholds = np.count_nonzero(is_last, axis=1)
        starts = np.cumsum(n_thresholds) - n_thresholds
        tps = is_last.nonzero()[1] + 1
        tps_above = np.append(0, tps)[: tps.size]
        tps_above[starts[n_thresholds > 0]] = 0
        block = block[is_last]
        block_start = np.append(0, ends)[block]
        return Columns(
            starts=starts,
            thresholds=-block.astype(np.float64),
            gained=tps - tps_above,
            tps=tps,
            fps=ends[block] - tps,
            fps_above=block_start - tps_above,
        )

    def _columns_of_few_blocks(self, ends: Index, ranks: Index) -> Columns:
        """Make the columns by searching the ends of blocks among the ranks of each order."""
        # ends [1, 4, 5] and ranks [[0, 2, 3]] -> tps [[1, 3, 3]] -> gained [[1, 2, 0]]
        tps = np.stack([order_ranks.searchsorted(ends) for order_ranks in ranks])
        gained = np.diff(tps, axis=1, prepend=0)
        has_positives = gained > 0
        order, block = has_positives.nonzero()
        tps = tps[has_positives]
        gained = gained[has_positives]
        tps_above = tps - gained
        return Columns(
            starts=order.searchsorted(np.arange(len(ranks))),
            thresholds=-block.astype(np.float64),
            gained=gained,
            tps=tps,
            fps=ends[block] - tps,
            fps_above=np.append(0, ends)[block] - tps_above,
        )


@dataclass(frozen=True, eq=False)
class PermutedRows(PermutedRanking):
    """A ranking with the ranks and the labels of its rows."""

    row_rank: Index  # the rank of each row
    positives: Index  # the indices of positive rows


def permute_labels(
    definition: Definition,
    rankings: Rankings,
    values: Float,
    is_defined: Bool,
    weights: Float | None,
    n_orders: int | None,
    rng: np.random.Generator,
) -> ChanceScores:
    """Permute the labels ``n_orders`` times; None: as many as fit in a second.

    Undefined rankings keep their ``values``, which zero_division= chose. ``weights`` are the
    weights of the average, None for equal ones.
    """
    permuted = [*compress(_permuted_rankings(rankings), is_defined)]
    indices = is_defined.nonzero()[0]
    kinds = {ranking.kind: ranking for ranking in permuted}
    # The columns of a table have the same rows.
    is_table = rankings.n_rankings > 1 and not rankings.are_queries and rankings.ranking is None
    if n_orders is None:
        n_orders = feasible_orders(permuted if is_table else [*kinds.values()], is_table)
    shares = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    shares /= shares.sum() or 1.0  # without any weight, all shares are 0
    means = values.copy()
    pvalues = np.full(values.shape, np.nan)
    averages = np.full(n_orders, shares[~is_defined] @ np.nan_to_num(values[~is_defined]))
    formulas = {kind: ranking.mean(definition) for kind, ranking in kinds.items()}
    # The random numbers of a ranking or a row must not depend on its name or its position.
    n_drawn = n_orders * (1 if is_table else len(kinds))
    _keep_freed_memory()
    with progress_if_long(n_drawn, " orders", "permuting") as advance:
        if is_table and permuted:
            columns = _sort_rows(permuted, rankings)
            samples = _permute_rows(definition, columns, n_orders, rng, advance)
        else:
            order = sorted(range(len(permuted)), key=lambda i: permuted[i].kind)
            permuted = [permuted[i] for i in order]
            indices = indices[order]
            samples = _permute_each(definition, permuted, n_orders, rng, advance)
        for index, ranking, sample in zip(indices, permuted, samples, strict=True):
            mean = formulas[ranking.kind]
            means[index] = sample.mean() if mean is None else mean
            pvalues[index] = permutation_pvalue(values[index], sample)
            averages += shares[index] * sample
    return ChanceScores(means, pvalues, averages)


def _keep_freed_memory() -> None:
    """Let the C library keep freed memory, as fresh memory costs more than what is done with it.

    glibc returns freed blocks to the system if they are larger than any block that was freed
    before, up to 32 MB. This frees a block of almost that size, which nobody touched. Elsewhere,
    it changes nothing.
    """
    np.empty(FREED_BYTES, np.uint8)


def feasible_orders(rankings: Sequence[PermutedRanking], is_table: bool = False) -> int:
    """Return the number of orders of all rankings that fit in a second.

    It falls in inverse proportion to the work, from 9,999 to 999.
    """
    if is_table:  # all columns have the same rows, and sort their ranks
        work = float(sum(ranking.n_positives + COST_OF_ORDER for ranking in rankings))
        work += sum(ranking.n_rows for ranking in rankings[:1])
    else:
        work = sum(ranking.work for ranking in rankings)
    return max(min(MOST_ORDERS, int(LONG_WORK / max(work, 1))), FEWEST_ORDERS)


def sample_ranks(n_rows: int, n_positives: int, n_orders: int, rng: np.random.Generator) -> Index:
    """Sample the ranks of positives among rows, sorted: all sets of ranks are equally likely.

    The result has the shape (n_orders, n_positives).
    """
    n_negatives = n_rows - n_positives
    if min(n_positives, n_negatives) > MANY_POSITIVES_SHARE * n_rows:
        return _ranks_of_hits(sample_hits(n_rows, n_positives, n_orders, rng))
    if n_positives > n_negatives:
        is_positive = np.ones((n_orders, n_rows), dtype=bool)
        negative_ranks = sample_ranks(n_rows, n_negatives, n_orders, rng)
        np.put_along_axis(is_positive, negative_ranks, False, axis=1)
        return _ranks_of_hits(is_positive)
    ranks = np.sort(rng.integers(n_rows, size=(n_orders, n_positives)), axis=1)
    # Repeated ranks are sampled again. All ranks are alike, so all sets are equally likely.
    orders = np.arange(n_orders)  # the orders that may have a repeated rank
    while orders.size:
        order_ranks = ranks[orders]
        row, column = (order_ranks[:, 1:] == order_ranks[:, :-1]).nonzero()
        order_ranks[row, column] = rng.integers(n_rows, size=row.size)
        changed_rows = np.unique(row)
        order_ranks[changed_rows] = np.sort(order_ranks[changed_rows], axis=1)
        ranks[orders] = order_ranks
        orders = orders[changed_rows]
    return ranks


def sample_hits(n_rows: int, n_positives: int, n_orders: int, rng: np.random.Generator) -> Bool:
    """Sample which ranks are positive, (n_orders, n_rows): a random byte decides on each.

    Then there are too many or too few positives. Random ranks are changed, each with equal
    probability, until their number is right. So all sets of ranks are equally likely, and no sort
    is needed.
    """
    share = n_positives / n_rows
    random_bytes = np.frombuffer(rng.bytes(n_orders * n_rows), np.uint8)
    hits = random_bytes.reshape(n_orders, n_rows) < round(256 * share)
    cells = hits.reshape(-1)  # a view, so changes of cells are changes of hits
    if n_rows > LONG_ROW:
        n_hits = np.array([np.count_nonzero(order_hits) for order_hits in hits])
    else:
        n_hits = np.count_nonzero(hits, axis=1)
    surplus = n_hits - n_positives  # too many hits in each order, or < 0
    while (unfinished_orders := surplus.nonzero()[0]).size:
        n_changes = np.abs(surplus)
        # Draw somewhat more cells than must change, as only hits can be removed, and only other
        # ranks added. About this share of the cells can change:
        usable_share = np.where(surplus > 0, share, 1 - share)
        n_candidates = (1.2 * n_changes / usable_share).astype(np.intp)[unfinished_orders] + 4
        order = np.repeat(unfinished_orders, n_candidates)
        candidates = order * n_rows + rng.integers(n_rows, size=order.size)
        candidates = candidates[cells[candidates] == (surplus > 0)[order]]
        first_draws = np.unique(candidates, return_index=True)[1]
        candidates = candidates[np.sort(first_draws)]  # each cell once, in the order of draws
        # Change the first ``n_changes`` candidates of each order. They are sorted by order:
        # order [2, 2, 5] -> number [0, 1, 0]
        order = candidates // n_rows
        number = np.arange(order.size) - order.searchsorted(order)
        changed_cells = candidates[number < n_changes[order]]
        cells[changed_cells] ^= True
        n_changed = np.bincount(changed_cells // n_rows, minlength=n_orders)
        surplus -= np.sign(surplus) * n_changed
    return hits


def _ranks_of_hits(hits: Bool) -> Index:
    """Return the ranks of hits in each order; all orders have the same number of hits."""
    n_orders, n_rows = hits.shape
    ranks = hits.reshape(-1).nonzero()[0].reshape(n_orders, -1)
    ranks -= np.arange(n_orders)[:, None] * n_rows
    return ranks


def permutation_pvalue(value: float, sample: Float) -> float:
    """Compute the share of orders that are at least as good, counting the observed order."""
    n_good = np.count_nonzero(sample >= value - ABSOLUTE_TOLERANCE)
    return float((1 + n_good) / (1 + sample.size))


def _permute_each(
    definition: Definition,
    permuted: list[PermutedRows],
    n_orders: int,
    rng: np.random.Generator,
    advance: Advance,
) -> Iterator[Float]:
    """Sample the values of each ranking. Rankings of one kind have the same values, shuffled."""
    samples: dict[RankingKind, Float] = {}
    for ranking in permuted:
        if ranking.kind not in samples:
            samples[ranking.kind] = ranking.sample(definition, n_orders, rng, advance)
        yield rng.permutation(samples[ranking.kind])


def _permute_rows(
    definition: Definition,
    columns: list[PermutedRows],
    n_orders: int,
    rng: np.random.Generator,
    advance: Advance,
) -> Iterator[Float]:
    """Sample the values of each column. Columns may be dependent, so whole rows are permuted."""
    n_rows = columns[0].n_rows
    chunks = _chunks(n_orders, n_rows)
    drawn = (np.stack([rng.permutation(n_rows) for _ in range(size)]) for size in chunks)
    evaluate = partial(_values_of_columns, definition, columns)
    values = []
    for sampled in map_threads(evaluate, drawn, n_threads(n_orders * n_rows)):
        values.append(sampled)
        advance(sampled.shape[1])
    return iter(np.concatenate(values, axis=1))


def _values_of_columns(definition: Definition, columns: list[PermutedRows], rows: Index) -> Float:
    """Compute the values of each column, if each line of ``rows`` is an order of the rows."""
    ranks = (np.sort(column.row_rank[rows[:, column.positives]], axis=1) for column in columns)
    return np.stack(
        [
            values_of(definition, column.counts(column_ranks))
            for column, column_ranks in zip(columns, ranks, strict=True)
        ]
    )


def _sort_rows(columns: list[PermutedRows], rankings: Rankings) -> list[PermutedRows]:
    """Put the rows of a table in an order that does not depend on the input's."""
    n_rows = columns[0].n_rows
    row = np.tile(np.arange(n_rows), rankings.n_rankings)
    order = np.argsort(keys_of_units([rankings], row))  # order[new row] = old row
    new_row = np.empty(n_rows, np.intp)
    new_row[order] = np.arange(n_rows)
    return [
        replace(column, row_rank=column.row_rank[order], positives=new_row[column.positives])
        for column in columns
    ]


def _chunks(n_orders: int, n_ranks: int) -> list[int]:
    """Return the numbers of orders that are sampled at once, to save memory."""
    size = max(CHUNK_RANKS // max(n_ranks, 1), 1)
    return [min(size, n_orders - start) for start in range(0, n_orders, size)]


def _permuted_rankings(rankings: Rankings) -> Iterator[PermutedRows]:
    items_by_ranking = np.argsort(rankings.ranking_of_items, kind="stable")
    bounds = np.append(0, np.cumsum(rankings.sizes))
    weight_of_positives = rankings.weight_of_positives
    for index, (start, end) in enumerate(pairwise(bounds.tolist())):
        items = items_by_ranking[start:end]
        score = rankings.score[items]
        descending_order = np.argsort(score, kind="stable")[::-1]
        row_rank = np.empty(score.size, np.intp)
        row_rank[descending_order] = np.arange(score.size)
        n_retrieved = np.count_nonzero(np.greater(score, -np.inf))
        retrieved_scores = score[descending_order][:n_retrieved]
        # A block ends before another score: scores [3, 2, 2] -> ends [1, 3]
        is_end = np.append(retrieved_scores[1:] != retrieved_scores[:-1], True)[:n_retrieved]
        ends = is_end.nonzero()[0] + 1
        positives = rankings.positive[items].nonzero()[0]
        yield PermutedRows(
            ends=None if ends.size == score.size else ends,
            n_rows=score.size,
            n_positives=positives.size,
            n_all_positives=weight_of_positives[index],
            row_rank=row_rank,
            positives=positives,
        )
