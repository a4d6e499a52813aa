"""The rows of queries that a score at k looks at, where it is a polynomial in their labels."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._counts.blocks import begins_block
from sklearn_ap._uncertainty.options import check_definition
from sklearn_ap.definitions import Definition


def check_top(definition: Any, problem: str, prevalence: float | None = None) -> None:
    """Refuse definitions that are no polynomial in labels of a fixed number of first ranks."""
    is_known = check_definition(definition).height_of_hits(np.ones(1)) is not None
    if not is_known or prevalence is not None or not isinstance(definition.depth, int):
        at = "" if prevalence is None else f" at prevalence={prevalence!r}"
        raise ValueError(
            f"{problem} for PrecisionAtK(k) and AtK(k, normalizer='k') with a whole number k. "
            f"{definition!r}{at} needs queries that are labelled as a whole."
        )


class Top(NamedTuple):
    """The rows within the first k ranks of each query, those of a block of ties side by side."""

    row: Index
    query: Index
    n_queries: int
    block: Index  # of rows with equal scores in one query
    share: Float  # of the block, that stands within the first k ranks
    constant: Float  # of the height of the block,
    slope: Float  # and by how much a hit at or above its cut raises that

    @classmethod
    def of(cls, definition: Definition, score: Array, query: Index) -> Self:
        """Find them, the highest scores of each query first."""
        order = np.lexsort((score, query))[::-1]
        order = order[score[order] > -np.inf]  # others were not retrieved
        begins_query = begins_block(query[order])
        begins = begins_query | begins_block(score[order])
        rank, block = np.arange(order.size), np.cumsum(begins) - 1
        rank -= np.maximum.accumulate(np.where(begins_query, rank, 0))
        before, size = rank[begins], np.bincount(block)
        n_seen = np.clip(np.asarray(definition.depth) - before, 0, size)
        constant, slope = definition.height_of_hits(before + n_seen) or (0.0, 0.0)
        columns = (n_seen / size, constant + 0.0 * before, slope + 0.0 * before)
        kept = n_seen[block] > 0
        row, block = order[kept], block[kept]
        n_queries = int(query.max()) + 1
        return cls(row, query[row], n_queries, block, *(each[block] for each in columns))

    def among(self, kept: Bool) -> Self:
        """The same, where only some rows are kept, these among them."""
        return self._replace(row=(np.cumsum(kept) - 1)[self.row])

    def ranks(self, n_rows: int) -> Float:
        """The number of rows above each row in its query; that of rows below rank k is the largest.

        Tied rows share the least.
        """
        of_top = _first(self.block) - _first(self.query)
        ranks = np.full(n_rows, of_top.max(initial=-1) + 1.0)
        ranks[self.row] = of_top
        return ranks

    def values(self, label: Float) -> tuple[Float, Float]:
        """The value of each query, and its derivative by the label of each row.

        With the labels y of a block, their sum P, its share s, the hits A above, and the height
        a + b h, the value is the sum over blocks of s P (a + b (A + s P)). There, y * y is y, so
        that independent numbers that are right on average may stand in for labels.
        """
        y = label[self.row]
        first = _first(self.block)
        first_of_query = _first(self.query)
        last = first + np.bincount(self.block)[self.block]
        last_of_query = first_of_query + np.bincount(self.query)[self.query]
        of_block, sums = np.bincount(self.block, y)[self.block], np.append(0.0, np.cumsum(y))
        by_label = self.share * (self.constant + self.slope * (sums[first] - sums[first_of_query]))
        own = self.slope * self.share**2
        of_rows = y * (by_label + own * (of_block - y + 1))
        of_queries: Any = np.bincount(self.query, of_rows, self.n_queries)
        above, derivative = np.append(0.0, np.cumsum(self.slope * self.share * y)), 0.0 * label
        below = above[last_of_query] - above[last]
        derivative[self.row] = by_label + own * (2 * (of_block - y) + 1) + below
        return of_queries, derivative


def _first(codes: Index) -> Index:
    """The place of the first of all that have the same code, where these stand side by side."""
    return np.maximum.accumulate(np.where(begins_block(codes), np.arange(codes.size), 0))
