"""The rankings that average= takes the mean of: queries, or columns, rows or cells of a table."""

from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Array, Bool
from sklearn_ap._base.inputs.checks import check_sum
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._base.inputs.rankings import Average, Rankings


def rankings_of_queries(average: Average, items: Rankings, queries: Array) -> Rankings:
    """A ranking for each query. With None each has an interval of its own; so with clusters.

    With clusters the queries are fixed, unless each lies in one cluster, as sessions of users do:
    a sample of clusters is then one of queries.
    """
    (ranking, n_rankings), clusters = encode_names(queries, "queries"), items.clusters
    are_queries = average is not None and clusters is None
    rankings = replace(
        items, ranking=ranking, n_rankings=n_rankings, average=average, are_queries=are_queries
    )
    if clusters is not None and clusters.any():
        of_queries = np.zeros(n_rankings, np.intp)
        of_queries[ranking] = clusters
        if np.array_equal(of_queries[ranking], clusters):
            if average is None:
                raise ValueError(
                    "Each query, or segment, lies in one cluster, which says nothing of other "
                    "clusters. Leave clusters out, or take a mean over queries, as with "
                    "average='macro'."
                )
            return replace(rankings, are_queries=True, query_clusters=of_queries, clusters=None)
    return rankings


def rankings_of_table(average: Average, rows: Rankings, is_known: Bool | None) -> Rankings:
    """One ranking per column; per row for "samples"; a single one of all cells for "micro".

    Cells whose label is unknown are left out. Columns then have other rows each: in a mean over
    them, the row of a cell is its cluster.
    """
    score, weight, clusters, copies = rows.score, rows.weight, rows.clusters, rows.copies
    are_rows, is_micro = average == "samples", average == "micro"
    order: Any = "C" if are_rows or is_micro else "F"

    def of_cells(of_rows: Array) -> Array:
        return np.broadcast_to(of_rows[:, None], score.shape).ravel(order)

    cells = rows.positive.ravel(order), score.ravel(order)
    if are_rows:
        rankings = Rankings(
            *cells,
            n_rankings=len(score),
            average=average,
            average_weight=weight,
            are_queries=True,
            query_clusters=clusters,
        )
    else:
        of_rows = np.arange(len(score)) if clusters is None else clusters
        if is_micro:  # the cells of a row belong together
            clusters = of_cells(of_rows)
            if copies is not None:
                column = np.arange(score.shape[1])
                copies = of_cells(copies) * column.size + np.tile(column, len(score))
        elif is_known is not None and average is not None:
            clusters = of_rows
        weight = None if weight is None else of_cells(weight)
        rankings = Rankings(*cells, weight, clusters=clusters, copies=copies)
    rankings = replace(rankings, has_clusters=rows.has_clusters)
    if is_micro:
        check_sum(weight)
    elif not are_rows:
        rankings = replace(rankings, n_rankings=score.shape[1], average=average)
    if is_known is None:
        return rankings
    return rankings.select_items(is_known.ravel(order))
