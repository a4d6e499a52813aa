"""Random orders: labels change places among rows, within queries, or among clusters of one size.

Scores stay in their places and are sorted once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sklearn_ap._arithmetic import running_sums
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import show_progress
from sklearn_ap._inputs.arrays import begins_block, select_rows
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._types import Array, Bool, Float, Index
from sklearn_ap._uncertainty.keys import add_up_keys, draw_keys
from sklearn_ap.definitions import Definition

ROWS_AT_ONCE = 200_000  # a choice of memory and of the cache
FEW_ROWS = 1_000  # of more, it takes less time to draw the places of positives than whole orders


def score_orders(
    definition: Definition,
    rankings: Rankings,
    observed: ThresholdCounts,
    values: Float,
    n_orders: int,
    rng: np.random.Generator,
) -> Iterator[tuple[int, Float]]:
    """Yield rankings that have a score, and the scores of random orders of their labels.

    ``rankings`` hold all items, retrieved or not, with their counts and scores. The numbers that
    ``rng`` gives to a row depend on the content of the row, not on its place.
    """
    item_order = np.argsort(rankings.ranking_of_items, kind="stable")
    items_of_rankings = np.split(item_order, np.cumsum(rankings.sizes)[:-1])
    # Rankings are in an order of what they hold, so that no order of their names matters.
    highest = [max(rankings.score[items].tolist(), default=-np.inf) for items in items_of_rankings]
    order = np.lexsort((np.array(highest), values, rankings.n_hits, rankings.sizes))
    clusters = rankings.sampling.row_clusters
    if clusters is not None:  # those of rows are those of each column
        clusters = np.resize(clusters, rankings.score.size)
    scored = order[~np.isnan(values[order])].tolist()
    # Of one ranking, its parts show how far they are.
    for ranking in show_progress(scored, len(scored), " rankings"):
        items = items_of_rankings[ranking]
        rows = _ShuffledRows.of(
            observed,
            ranking,
            rankings.positive[items],
            rankings.score[items],
            *select_rows(items, rankings.weight, clusters),
        )
        scores = np.empty(n_orders)
        # 3,000 rows -> 66 orders at once; a column without known labels has no row
        n_at_once = max(ROWS_AT_ONCE // max(items.size, 1), 1)
        starts = range(0, n_orders, n_at_once)
        for start in show_progress(starts, len(starts), " parts") if len(scored) == 1 else starts:
            part = slice(start, min(start + n_at_once, n_orders))
            scores[part] = definition.values(rows.count_orders(part.stop - start, rng))
        yield ranking, scores


@dataclass(frozen=True, eq=False)
class _ShuffledRows:
    """The rows of a ranking, from the highest score on, whose labels change places.

    Without weights, its totals are the observed ones in all orders.
    """

    observed: ThresholdCounts  # of all rankings
    ranking: int
    positive: Bool
    weight: Float | None
    # The rows of each cluster, or of each row alone, in a table for each of their sizes
    units_by_size: Sequence[Index]
    block: Index  # of each row that was retrieved: blocks have equal scores
    bounds: Index  # the places where blocks begin, and the number of places

    @classmethod
    def of(
        cls,
        observed: ThresholdCounts,
        ranking: int,
        positive: Bool,
        score: Array,
        weight: Float | None,
        clusters: Index | None,
    ) -> _ShuffledRows:
        """Sort the rows by what they hold, so that no order of the input matters."""
        content = np.array([*([] if weight is None else [weight]), positive, score])
        order = np.lexsort(content)[::-1]
        units_by_size = [np.arange(order.size)[:, None]]
        if clusters is not None:
            units_by_size = _clusters_by_size(content[:, order], clusters[order])
        retrieved = score[order][: np.count_nonzero(score > -np.inf)]
        begins = begins_block(retrieved)
        return cls(
            observed=observed,
            ranking=ranking,
            positive=positive[order],
            weight=None if weight is None else weight[order],
            units_by_size=units_by_size,
            block=np.cumsum(begins) - 1,
            bounds=np.append(np.flatnonzero(begins), retrieved.size),
        )

    def count_orders(self, n_orders: int, rng: np.random.Generator) -> ThresholdCounts:
        """Draw orders of the labels, and count them."""
        n_rows = self.positive.size
        has_clusters = any(rows.shape[1] > 1 for rows in self.units_by_size)
        if self.weight is None and not has_clusters and n_rows > FEW_ROWS:
            return self._count_drawn(n_orders, rng)
        positive = self._draw_labels(n_orders, rng)
        if self.weight is not None:
            return self._count_weights(positive, self.weight)
        order, place = positive[:, : self.block.size].nonzero()
        return self._count_places(order, place, n_orders)

    def _count_drawn(self, n_orders: int, rng: np.random.Generator) -> ThresholdCounts:
        """Draw and count the places of positives, of which all sets are as likely."""
        n_rows, n_hits = self.positive.size, np.count_nonzero(self.positive)
        places = [rng.choice(n_rows, n_hits, replace=False, shuffle=False) for _ in range(n_orders)]
        place = np.sort(places, axis=1)
        order, hit = (place < self.block.size).nonzero()
        return self._count_places(order, place[order, hit], n_orders)

    def _draw_labels(self, n_orders: int, rng: np.random.Generator) -> Bool:
        """Draw labels of shape (n_orders, n_rows).

        Those of clusters of one size change places, and those of each are shuffled.
        """
        # 2 clusters of 2 rows, with labels 1 1 and 0 0 -> an order such as 0 0 1 1
        labels = np.empty((n_orders, self.positive.size), bool)
        for rows in self.units_by_size:
            n_units, size = rows.shape
            unit = rng.permuted(np.broadcast_to(np.arange(n_units), (n_orders, n_units)), axis=1)
            drawn = self.positive[rows][unit]
            if size > 1:
                drawn = rng.permuted(drawn, axis=2)
            labels[:, rows.ravel()] = drawn.reshape(n_orders, -1)
        return labels

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
        ranked = moved[:, : self.block.size]
        above = np.zeros((len(ranked), self.block.size + 1))
        np.cumsum(ranked, axis=1, out=above[:, 1:])
        # Beside others of its class, a weight may be 0 in the precision of numbers.
        order, place = (positive[:, : self.block.size] & (ranked > 0)).nonzero()
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


def _clusters_by_size(content: Array, clusters: Index) -> list[Index]:
    """Bring the rows of each cluster together: a table of clusters for each size.

    Clusters of one size are in an order of what they hold.
    """
    # Clusters [0, 0, 1, 1, 1, 2, 2] -> [[0, 1], [5, 6]] and [[2, 3, 4]]
    kind = np.zeros(clusters.size, np.intp)  # equal for equal rows
    kind[1:] = np.cumsum((content[:, 1:] != content[:, :-1]).any(axis=0))
    _, cluster, n_rows = np.unique(clusters, return_inverse=True, return_counts=True)
    row_keys = draw_keys(np.random.default_rng(0), kind.size)[kind]
    keys = add_up_keys(row_keys, cluster, n_rows.size)
    order = np.lexsort((kind, cluster, keys[cluster], n_rows[cluster]))
    sizes, n_clusters = np.unique(n_rows, return_counts=True)
    tables = np.split(order, np.cumsum(sizes * n_clusters))[:-1]  # without rows there is none
    return [rows.reshape(-1, size) for rows, size in zip(tables, sizes.tolist(), strict=True)]
