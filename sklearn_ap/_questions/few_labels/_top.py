"""The rows of queries that a score at k depends on, if it is a polynomial in their labels."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from sklearn_ap._base.common.types import Argument, Array, Bool, Float, Index
from sklearn_ap._counts.blocks import begins_block
from sklearn_ap._uncertainty.options import check_definition
from sklearn_ap.definitions import Definition


def check_top(definition: Argument, problem: str, prevalence: float | None = None) -> None:
    """Refuse definitions that are no polynomial in labels of a fixed number of first ranks."""
    is_polynomial = check_definition(definition).height_of_hits(np.ones(1)) is not None
    if not is_polynomial or prevalence is not None or not isinstance(definition.depth, int):
        condition = "" if prevalence is None else f" at prevalence={prevalence!r}"
        raise ValueError(
            f"{problem} for PrecisionAtK(k) and AtK(k, normalizer='k') with a whole number k. "
            f"{definition!r}{condition} needs queries that are labelled as a whole."
        )


class TopRows(NamedTuple):
    """The rows within the first k ranks of each query; tied rows of a query are a block.

    All arrays have one value for each of these rows, the highest scores of a query first.
    """

    row: Index
    query: Index
    n_queries: int
    block: Index  # the number of the block
    share: Float  # s, the share of the block that stands within the first k ranks
    # The height of the block is a + b h, for h hits down to the last of its ranks within k.
    constant: Float  # a
    slope: Float  # b

    @classmethod
    def find(cls, definition: Definition, score: Array, query: Index) -> Self:
        """Find the rows of all queries that a score at k depends on."""
        order = np.lexsort((score, query))[::-1]
        order = order[score[order] > -np.inf]  # other rows were not retrieved
        begins_query = begins_block(query[order])
        begins = begins_query | begins_block(score[order])
        # query = [2, 2, 1], score = [.9, .9, .5] -> rank = [0, 1, 0], block = [0, 0, 1]
        rank = np.arange(order.size)
        rank -= np.maximum.accumulate(np.where(begins_query, rank, 0))
        block = np.cumsum(begins) - 1
        # Each array has a number for each block: ranks above it, its rows, its ranks within k
        n_above = rank[begins]
        size = np.bincount(block)
        n_within = np.clip(np.asarray(definition.depth) - n_above, 0, size)
        constant, slope = definition.height_of_hits(n_above + n_within) or (0.0, 0.0)
        is_within = n_within[block] > 0
        row = order[is_within]
        block = block[is_within]
        return cls(
            row=row,
            query=query[row],
            n_queries=int(query.max()) + 1,
            block=block,
            share=(n_within / size)[block],
            constant=np.broadcast_to(constant, size.shape)[block],
            slope=np.broadcast_to(slope, size.shape)[block],
        )

    def renumber(self, is_kept: Bool) -> Self:
        """Return these rows with their numbers among the kept rows, which include them all."""
        return self._replace(row=(np.cumsum(is_kept) - 1)[self.row])

    def first_rows(self) -> Index:
        """Return the first row of each query."""
        return self.row[begins_block(self.query)]

    def ranks(self, n_rows: int) -> Float:
        """Count the rows above each row in its query.

        Tied rows share the smallest number, and rows below rank k the largest.
        """
        top_ranks = _first_index(self.block) - _first_index(self.query)
        ranks = np.full(n_rows, top_ranks.max(initial=-1) + 1.0)
        ranks[self.row] = top_ranks
        return ranks

    def values(self, label: Float) -> tuple[Float, Float]:
        """Compute the value of each query, and its derivative by the label of each row.

        With the labels y of a block, their sum P, its share s, the hits A above, and the height
        a + b h, the value is the sum over blocks of s P (a + b (A + s P)). As y * y is y, no label
        is multiplied by itself, and independent unbiased numbers may replace the labels.
        """
        y = label[self.row]
        block_start = _first_index(self.block)
        query_start = _first_index(self.query)
        block_end = block_start + np.bincount(self.block)[self.block]
        query_end = query_start + np.bincount(self.query)[self.query]
        block_sum = np.bincount(self.block, y)[self.block]  # P
        sums_above = np.append(0.0, np.cumsum(y))
        hits_above = sums_above[block_start] - sums_above[query_start]  # A
        linear = self.share * (self.constant + self.slope * hits_above)  # s (a + b A)
        quadratic = self.slope * self.share**2  # s^2 b
        # P^2 is the sum of y (P - y + 1), as y * y is y.
        row_values = y * (linear + quadratic * (block_sum - y + 1))
        query_values = np.bincount(self.query, row_values, self.n_queries).astype(np.float64)
        # A label also raises the heights of the blocks below its own.
        height_sums = np.append(0.0, np.cumsum(self.slope * self.share * y))
        effect_below = height_sums[query_end] - height_sums[block_end]
        derivative = np.zeros(label.size)
        derivative[self.row] = linear + quadratic * (2 * (block_sum - y) + 1) + effect_below
        return query_values, derivative


def _first_index(codes: Index) -> Index:
    """Return the index of the first of all equal codes, which stand side by side.

    codes = [7, 7, 4, 4, 4] -> [0, 0, 2, 2, 2]
    """
    return np.maximum.accumulate(np.where(begins_block(codes), np.arange(codes.size), 0))
