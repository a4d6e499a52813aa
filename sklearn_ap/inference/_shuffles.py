"""Random orders: labels change places among rows, within queries, or among clusters of one size.

Scores stay in their places and are sorted once. Of a weight, the mean of its class moves with the
label, as where a part of the negatives was drawn, and the rest stays with the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
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

    rankings: Index  # (n_rankings,)
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
    for rows in _split(rankings, values):
        units = _units_of(rows)
        n_unmoved = 0 if rows.clusters is None else sum(each.n_units == 1 for each in units.alike)
        scores = _score_group(definition, rows, units, observed, n_orders, rng)
        yield ScoredOrders(rows.rankings, scores, n_unmoved)


class _ShuffledRows(NamedTuple):
    """Rows whose labels change places with each other: those of a query, or of all columns."""

    rankings: Index  # the ranking of each column
    positive: Bool  # (n_columns, n_rows)
    score: Array  # (n_columns, n_rows)
    weight: Float | None
    clusters: Index | None


def _split(rankings: Rankings, values: Float) -> Iterator[_ShuffledRows]:
    """Yield the rows of each query, or those of all columns together."""
    # Queries of scores 1 and 0.5, of as many rows and positives -> that of 0.5 first
    n, weight, clusters = rankings.n_rankings, rankings.weight, rankings.sampling.row_clusters
    if rankings.ranking is None and not rankings.sampling.takes_rankings:
        positive, score = rankings.positive.reshape(n, -1), rankings.score.reshape(n, -1)
        weight = None if weight is None else weight[: score.shape[1]]
        # In an order of what columns hold, as rows are sorted by the last one
        order = np.lexsort((score.max(axis=1), values, rankings.n_hits))
        yield _ShuffledRows(order, positive[order], score[order], weight, clusters)
        return
    order = np.argsort(rankings.ranking_of_items, kind="stable")
    items = np.split(order, np.cumsum(rankings.sizes)[:-1])
    # In an order of what queries hold, so that their names do not matter
    highest = np.array([max(rankings.score[at].tolist(), default=-np.inf) for at in items])
    content_order = np.lexsort((highest, values, rankings.n_hits, rankings.sizes))
    for ranking in content_order[~np.isnan(values[content_order])].tolist():
        at = items[ranking]
        yield _ShuffledRows(
            np.array([ranking]),
            rankings.positive[None, at],
            rankings.score[None, at],
            *select_rows(at, weight, clusters),
        )


class _Alike(NamedTuple):
    """Units of one size, which change places with each other."""

    n_units: int
    size: int


class _Units(NamedTuple):
    """What changes places: single rows, or the clusters of each size."""

    rows: Index  # all rows; those of a unit stand together, and so do those that are alike
    alike: Sequence[_Alike]


def _units_of(rows: _ShuffledRows) -> _Units:
    """Bring the units of each size together, in an order of their content."""
    # Clusters [0, 0, 1, 1, 1] of falling scores -> rows [0, 1, 2, 3, 4], one of 2 and one of 3
    weight = [] if rows.weight is None else [rows.weight]
    keys = np.array([*weight, *rows.positive, *rows.score])
    order = np.lexsort(keys)[::-1]  # from the highest score on
    n_rows = order.size
    if rows.clusters is None:
        return _Units(order, [_Alike(n_rows, 1)])
    keys = keys[:, order]
    kind = np.zeros(n_rows, np.intp)  # equal for equal rows
    kind[order[1:]] = np.cumsum((keys[:, 1:] != keys[:, :-1]).any(axis=0))
    _, cluster, sizes = np.unique(rows.clusters, return_inverse=True, return_counts=True)
    content = add_up_keys(draw_keys(np.random.default_rng(0), n_rows)[kind], cluster, sizes.size)
    order = np.lexsort((kind, cluster, content[cluster], sizes[cluster]))
    size, n_units = np.unique(sizes, return_counts=True)
    return _Units(order, [*map(_Alike, n_units.tolist(), size.tolist())])


def _orders(units: _Units, n_orders: int, rng: np.random.Generator) -> Index:
    """Draw orders, of shape (n_orders, n_rows): the place in ``units.rows`` whose label each gets.

    Units of one size change places, and the labels of each are shuffled.
    """
    # 2 units of 2 rows -> an order such as [3, 2, 0, 1]
    parts, start = [], 0
    for n_units, size in units.alike:
        place = start + np.arange(n_units * size).reshape(n_units, size)
        unit = rng.permuted(np.broadcast_to(np.arange(n_units), (n_orders, n_units)), axis=1)
        drawn = place[unit]
        if size > 1:
            drawn = rng.permuted(drawn, axis=2)
        parts.append(drawn.reshape(n_orders, -1))
        start += n_units * size
    return np.concatenate(parts, axis=1)


def _score_group(
    definition: Definition,
    rows: _ShuffledRows,
    units: _Units,
    observed: ThresholdCounts,
    n_orders: int,
    rng: np.random.Generator,
) -> Float:
    """Score random orders, of shape (n_rankings, n_orders). Scores are sorted once."""
    # 3,000 rows -> 66 orders at once
    n_rows = units.rows.size
    weight = None if rows.weight is None else rows.weight[units.rows]
    columns = [
        _Ranked.of(positive[units.rows], score[units.rows], weight)
        for positive, score in zip(rows.positive, rows.score, strict=True)
    ]
    are_places_enough = weight is None and rows.clusters is None and len(columns) == 1
    found = np.empty((len(columns), n_orders))
    step = max(ROWS_AT_ONCE // n_rows, 1)
    for start in range(0, n_orders, step):
        n_now = min(step, n_orders - start)
        if are_places_enough and n_rows > FEW_ROWS:
            hits = [columns[0].draw(n_now, rng)]
        else:
            orders = _orders(units, n_now, rng)
            hits = [column.find(orders) for column in columns]
        for i, (column, each) in enumerate(zip(columns, hits, strict=True)):
            counts = column.count_at_thresholds(each, observed, rows.rankings[i])
            found[i, start : start + n_now] = definition.values(counts)
    return found


class _Hits(NamedTuple):
    """Where positives stand in random orders: from the top, order by order."""

    order: Index
    place: Index
    n_orders: int
    weights: _Weights | None = None


class _Weights(NamedTuple):
    """The weights of positives, and of all rows, in random orders."""

    gained: Float  # of each positive that was retrieved
    above: Float  # (n_orders, n_places + 1): of all rows above each place
    positive: Float  # (n_orders,)
    negative: Float  # (n_orders,)


class _Ranked(NamedTuple):
    """The labels of a ranking, and its rows from the highest score on."""

    positive: Bool
    weight: Float | None  # over the mean weight of its class
    class_means: Float  # the mean weights of negatives and of positives
    rows: Index  # those that were retrieved
    block: Index  # of each place among them: blocks have equal scores
    bounds: Index  # the places where blocks begin, and the number of places

    @classmethod
    def of(cls, positive: Bool, score: Array, weight: Float | None) -> _Ranked:
        """Sort the scores."""
        rows = np.argsort(score, kind="stable")[::-1][: np.count_nonzero(score > -np.inf)]
        begins = begins_block(score[rows])
        bounds = np.append(np.flatnonzero(begins), rows.size)
        means = np.ones(2)
        if weight is not None:
            number, total = np.bincount(positive, minlength=2), np.bincount(positive, weight, 2)
            means = total / np.maximum(number, 1)
            weight = weight / means[positive.astype(np.intp)]
        return cls(positive, weight, means, rows, np.cumsum(begins) - 1, bounds)

    def draw(self, n_orders: int, rng: np.random.Generator) -> _Hits:
        """Draw the places of positives, of which all sets are as likely."""
        n_rows, n_hits = self.positive.size, np.count_nonzero(self.positive)
        places = [rng.choice(n_rows, n_hits, replace=False, shuffle=False) for _ in range(n_orders)]
        place = np.sort(places, axis=1)
        order, column = (place < self.rows.size).nonzero()
        return _Hits(order, place[order, column], n_orders)

    def find(self, orders: Index) -> _Hits:
        """Find the places of positives in orders of the labels."""
        # 1 (0 1), sorted as rows [0, 2, 1], in the order [1, 0, 2] -> places [1, 2]
        positive = self.positive[orders]
        hits = positive[:, self.rows]
        if self.weight is None:
            order, place = hits.nonzero()
            return _Hits(order, place, len(orders))
        negative_mean, positive_mean = self.class_means
        ranked = self.weight[self.rows]
        # Beside others of its class, a weight may be 0 in the precision of numbers.
        order, place = (hits & (positive_mean * ranked > 0)).nonzero()
        above = np.zeros((len(orders), self.rows.size + 1))
        np.cumsum(ranked * np.where(hits, positive_mean, negative_mean), axis=1, out=above[:, 1:])
        sums = positive @ self.weight
        weights = _Weights(
            gained=positive_mean * ranked[place],
            above=above,
            positive=positive_mean * sums,
            negative=negative_mean * (self.weight.sum() - sums),
        )
        return _Hits(order, place, len(orders), weights)

    def count_at_thresholds(
        self, hits: _Hits, observed: ThresholdCounts, ranking: int
    ) -> ThresholdCounts:
        """Count at each threshold of each order; positives that are no rows are as observed."""
        # Places [0, 1] of 1 (0 1), and [1, 2] -> gained [1, 1] and [2], fps [0, 1] and [1]
        block = self.block[hits.place]
        begins = begins_block(hits.order * self.bounds.size + block)
        first = np.flatnonzero(begins)
        order, block = hits.order[first], block[first]
        gained: Array = np.diff(np.append(first, begins.size))
        before: Array = self.bounds[block]
        upto: Array = self.bounds[block + 1]
        if hits.weights is not None:
            gained = np.add.reduceat(hits.weights.gained, first)
            before, upto = hits.weights.above[order, before], hits.weights.above[order, upto]
        starts = np.searchsorted(order, np.arange(hits.n_orders))
        tps = running_sums(gained, starts)
        n_positives, n_negatives, n_unscored = self._totals(hits, observed, ranking)
        fps: Array = np.maximum(upto - tps, 0)  # below 0 by rounding errors of weights
        counts = ThresholdCounts(
            thresholds=-block.astype(np.float64),
            gained=gained,
            tps=tps,
            fps=fps,
            fps_above=fps,
            starts=starts,
            n_positives=n_positives,
            n_negatives=n_negatives,
            n_unscored=n_unscored,
        )
        return replace(counts, fps_above=np.maximum(before - counts.tps_above, 0))

    def _totals(
        self, hits: _Hits, observed: ThresholdCounts, ranking: int
    ) -> tuple[Array, Array, Array | None]:
        """Return positives, negatives and positives that are no rows, of each order."""
        unscored = observed.n_unscored
        n_unscored = None if unscored is None else np.repeat(unscored[ranking], hits.n_orders)
        if hits.weights is None:
            n_positives = np.repeat(observed.n_positives[ranking], hits.n_orders)
            return n_positives, np.repeat(observed.n_negatives[ranking], hits.n_orders), n_unscored
        n_positives = hits.weights.positive + observed.unscored[ranking]
        return n_positives, hits.weights.negative, n_unscored
