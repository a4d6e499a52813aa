"""Random orders: labels change places among rows, within queries, or among clusters of one size.

Scores stay in their places and are sorted once. Of a weight, the mean of its class moves with the
label, as where a part of the negatives was drawn, and the rest stays with the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.sums import add_up_keys, draw_keys, running_sums
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.arrays import begins_block, select_rows
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap.definitions import Definition

ROWS_AT_ONCE = 200_000  # a choice of memory and of the cache
FEW_ROWS = 1_000  # of more, it takes less time to draw the places of positives than whole orders


class ScoredOrders(NamedTuple):
    """The scores of random orders, each of which is the same in all of these rankings."""

    rankings: Index  # (n_rankings,), those that have a score
    scores: Float  # (n_rankings, n_orders)
    n_unmoved: int  # clusters that kept their labels, as no other has as many rows


def score_orders(
    definition: Definition,
    rankings: Rankings,
    observed: ThresholdCounts,
    values: Float,
    n_orders: int,
    rng: np.random.Generator,
) -> Iterator[ScoredOrders]:
    """Score random orders of the labels.

    Parameters
    ----------
    definition : Definition
        What is scored.
    rankings : Rankings
        All items, retrieved or not.
    observed : ThresholdCounts
        Their counts, of which some are the same in all orders.
    values : ndarray of shape (n_rankings,)
        Their scores; nan where there is no positive.
    n_orders : int
        How many orders are drawn.
    rng : numpy.random.Generator
        The numbers that it gives to a row depend on the content of the row, not on its place.

    Yields
    ------
    ScoredOrders
        Those of rankings that share their rows: of one query, or of all columns.
    """
    for rows in _parts(rankings, values):
        is_scored = ~np.isnan(values[rows.rankings])
        columns = [_Column.of(observed, rows, i) for i in np.flatnonzero(is_scored).tolist()]
        if not columns:
            continue
        scores = np.empty((len(columns), n_orders))
        n_at_once = max(ROWS_AT_ONCE // rows.n_rows, 1)  # 3,000 rows -> 66 orders at once
        for start in range(0, n_orders, n_at_once):
            part = slice(start, min(start + n_at_once, n_orders))
            for i, counts in enumerate(_count_orders(rows, columns, part.stop - start, rng)):
                scores[i, part] = definition.values(counts)
        n_unmoved = sum(number == 1 for number in (rows.n_clusters_by_size or {}).values())
        yield ScoredOrders(rows.rankings[is_scored], scores, n_unmoved)


class _ShuffledRows(NamedTuple):
    """Rows whose labels change places with each other: those of a query, or of all columns.

    The rows of a cluster stand together, and so do clusters of one size.
    """

    rankings: Index  # the ranking of each column
    positive: Bool  # (n_columns, n_rows)
    score: Array  # (n_columns, n_rows)
    weight: Float | None
    n_clusters_by_size: Mapping[int, int] | None  # None for single rows

    @property
    def n_rows(self) -> int:
        return self.score.shape[1]


def _parts(rankings: Rankings, values: Float) -> Iterator[_ShuffledRows]:
    """Yield all columns, or the rows of each query with a score.

    They stand in an order of what they hold, so that no order of names or rows matters.
    """
    # Queries of scores 1 and 0.5, of as many rows and positives -> that of 0.5 first
    weight, clusters = rankings.weight, rankings.sampling.row_clusters
    if rankings.ranking is None and not rankings.sampling.takes_rankings:
        shape = rankings.n_rankings, -1
        positive, score = rankings.positive.reshape(shape), rankings.score.reshape(shape)
        weight = None if weight is None else weight[: score.shape[1]]
        # Rows are sorted by the last column.
        order = np.lexsort((score.max(axis=1), values, rankings.n_hits))
        yield _arrange(order, positive[order], score[order], weight, clusters)
        return
    item_order = np.argsort(rankings.ranking_of_items, kind="stable")
    items_of_query = np.split(item_order, np.cumsum(rankings.sizes)[:-1])
    highest = [max(rankings.score[items].tolist(), default=-np.inf) for items in items_of_query]
    order = np.lexsort((np.array(highest), values, rankings.n_hits, rankings.sizes))
    for query in order[~np.isnan(values[order])].tolist():
        items = items_of_query[query]
        yield _arrange(
            np.array([query]),
            rankings.positive[None, items],
            rankings.score[None, items],
            *select_rows(items, weight, clusters),
        )


def _arrange(
    rankings: Index, positive: Bool, score: Array, weight: Float | None, clusters: Index | None
) -> _ShuffledRows:
    """Bring the rows of clusters, and clusters of one size, together, in an order of content."""
    # Clusters [0, 0, 1, 1, 1] of falling scores -> rows [0, 1, 2, 3, 4], one of 2 and one of 3
    keys = np.array([*([] if weight is None else [weight]), *positive, *score])
    order = np.lexsort(keys)[::-1]  # from the highest score on
    n_clusters_by_size = None
    if clusters is not None:
        keys = keys[:, order]
        kind = np.zeros(order.size, np.intp)  # equal for equal rows
        kind[order[1:]] = np.cumsum((keys[:, 1:] != keys[:, :-1]).any(axis=0))
        _, cluster, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
        row_keys = draw_keys(np.random.default_rng(0), order.size)[kind]
        content = add_up_keys(row_keys, cluster, sizes.size)
        order = np.lexsort((kind, cluster, content[cluster], sizes[cluster]))
        distinct_sizes, n_clusters = np.unique(sizes, return_counts=True)
        n_clusters_by_size = dict(zip(distinct_sizes.tolist(), n_clusters.tolist(), strict=True))
    weight = None if weight is None else weight[order]
    return _ShuffledRows(rankings, positive[:, order], score[:, order], weight, n_clusters_by_size)


def _orders(rows: _ShuffledRows, n_orders: int, rng: np.random.Generator) -> Index:
    """Draw orders, of shape (n_orders, n_rows): the row whose label each row gets.

    Clusters of one size change places, and the labels of each are shuffled.
    """
    # 2 clusters of 2 rows -> an order such as [3, 2, 0, 1]
    orders_by_size, start = [], 0
    for size, n_units in (rows.n_clusters_by_size or {1: rows.n_rows}).items():
        rows_of_unit = start + np.arange(n_units * size).reshape(n_units, size)
        unit = rng.permuted(np.broadcast_to(np.arange(n_units), (n_orders, n_units)), axis=1)
        drawn = rows_of_unit[unit]
        if size > 1:
            drawn = rng.permuted(drawn, axis=2)
        orders_by_size.append(drawn.reshape(n_orders, -1))
        start += n_units * size
    return np.concatenate(orders_by_size, axis=1)


def _count_orders(
    rows: _ShuffledRows, columns: Sequence[_Column], n_orders: int, rng: np.random.Generator
) -> Iterator[ThresholdCounts]:
    """Count random orders of each column."""
    are_alike = rows.weight is None and rows.n_clusters_by_size is None
    if are_alike and rows.rankings.size == 1 and rows.n_rows > FEW_ROWS:
        yield columns[0].count_drawn(n_orders, rng)
        return
    orders = _orders(rows, n_orders, rng)
    for column in columns:
        yield column.count_orders(column.positive[orders])


@dataclass(frozen=True, eq=False)
class _Column:
    """The rows of a ranking; without weights, its totals are the observed ones in all orders."""

    observed: ThresholdCounts  # of all rankings
    ranking: int
    positive: Bool
    weight: Float | None
    ranked: Index  # the rows that were retrieved, from the highest score on
    block: Index  # of each of them: blocks have equal scores
    bounds: Index  # the places where blocks begin, and the number of places

    @classmethod
    def of(cls, observed: ThresholdCounts, rows: _ShuffledRows, column: int) -> _Column:
        """Sort the scores of a column."""
        score = rows.score[column]
        ranked = np.argsort(score, kind="stable")[::-1][: np.count_nonzero(score > -np.inf)]
        begins = begins_block(score[ranked])
        return cls(
            observed=observed,
            ranking=int(rows.rankings[column]),
            positive=rows.positive[column],
            weight=rows.weight,
            ranked=ranked,
            block=np.cumsum(begins) - 1,
            bounds=np.append(np.flatnonzero(begins), ranked.size),
        )

    def count_drawn(self, n_orders: int, rng: np.random.Generator) -> ThresholdCounts:
        """Draw and count the places of positives, of which all sets are as likely."""
        n_rows, n_hits = self.positive.size, np.count_nonzero(self.positive)
        places = [rng.choice(n_rows, n_hits, replace=False, shuffle=False) for _ in range(n_orders)]
        place = np.sort(places, axis=1)
        order, hit = (place < self.ranked.size).nonzero()
        return self._count_places(order, place[order, hit], n_orders)

    def count_orders(self, positive: Bool) -> ThresholdCounts:
        """Count orders of the labels, of shape (n_orders, n_rows)."""
        # 1 (0 1), sorted as rows [0, 2, 1], in the order [1, 0, 2] -> places [1, 2]
        if self.weight is not None:
            return self._count_weights(positive, self.weight)
        order, place = positive[:, self.ranked].nonzero()
        return self._count_places(order, place, len(positive))

    def _count_places(self, order: Index, place: Index, n_orders: int) -> ThresholdCounts:
        """Count at each threshold of each order where positives stand at these places."""
        # Places [0, 1] of 1 (0 1), and [1, 2] -> gained [1, 1] and [2], fps [0, 1] and [1]
        block = self.block[place]
        begins = begins_block(order * self.bounds.size + block)
        first = np.flatnonzero(begins)
        order, block = order[first], block[first]
        gained = np.diff(np.append(first, begins.size))
        starts = np.searchsorted(order, np.arange(n_orders))
        tps = running_sums(gained, starts)
        observed, unscored = self.observed, self.observed.n_unscored
        return ThresholdCounts(
            thresholds=-block.astype(np.float64),
            gained=gained,
            tps=tps,
            fps=self.bounds[block + 1] - tps,
            fps_above=self.bounds[block] - (tps - gained),
            starts=starts,
            n_positives=np.repeat(observed.n_positives[self.ranking], n_orders),
            n_negatives=np.repeat(observed.n_negatives[self.ranking], n_orders),
            n_unscored=None if unscored is None else np.repeat(unscored[self.ranking], n_orders),
        )

    def _count_weights(self, positive: Bool, weight: Float) -> ThresholdCounts:
        """Count rows with weights, of which the mean of its class moves with the label."""
        sizes = np.maximum(np.bincount(self.positive, minlength=2), 1)
        means = np.bincount(self.positive, weight, 2) / sizes  # of negatives and of positives
        moved = weight / means[1 * self.positive] * means[1 * positive]
        ranked = moved[:, self.ranked]
        above = np.zeros((len(ranked), self.ranked.size + 1))
        np.cumsum(ranked, axis=1, out=above[:, 1:])
        # Beside others of its class, a weight may be 0 in the precision of numbers.
        order, place = (positive[:, self.ranked] & (ranked > 0)).nonzero()
        counts = self._count_places(order, place, len(positive))
        first = np.cumsum(counts.gained) - counts.gained  # the first positive of each threshold
        gained = np.add.reduceat(ranked[order, place], first)
        tps = running_sums(gained, counts.starts)
        threshold_order, block = order[first], self.block[place[first]]
        before = above[threshold_order, self.bounds[block]]
        upto = above[threshold_order, self.bounds[block + 1]]
        return replace(
            counts,
            gained=gained,
            tps=tps,
            fps=np.maximum(upto - tps, 0),  # below 0 by rounding
            fps_above=np.maximum(before - (tps - gained), 0),
            n_positives=np.sum(positive * moved, axis=1) + counts.unscored,
            n_negatives=np.sum(~positive * moved, axis=1),
        )
