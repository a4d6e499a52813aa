"""The rankings that average= averages: queries, or columns, rows or cells of a table."""

from dataclasses import replace
from typing import Literal

import numpy as np

from sklearn_ap._base.common.types import Array, Bool
from sklearn_ap._base.inputs.checks import check_sum
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._base.inputs.rankings import Average, Rankings


def rankings_of_queries(average: Average, items: Rankings, queries: Array) -> Rankings:
    """Make a ranking of each query.

    Queries are sampled, unless ``average`` is None, when each has an interval of its own. With
    clusters the queries are fixed, unless each lies in one cluster, as sessions of users do: a
    sample of clusters is then a sample of queries.
    """
    ranking, n_rankings = encode_names(queries, "queries")
    clusters = items.clusters
    are_queries = average is not None and clusters is None
    rankings = replace(
        items, ranking=ranking, n_rankings=n_rankings, average=average, are_queries=are_queries
    )
    if clusters is not None and clusters.any():
        query_clusters = np.zeros(n_rankings, np.intp)
        query_clusters[ranking] = clusters
        if np.array_equal(query_clusters[ranking], clusters):
            if average is None:
                raise ValueError(
                    "Each query, or segment, lies in one cluster, which says nothing of other "
                    "clusters. Leave clusters out, or take a mean over queries, as with "
                    "average='macro'."
                )
            return replace(rankings, are_queries=True, query_clusters=query_clusters, clusters=None)
    return rankings


def rankings_of_table(average: Average, rows: Rankings, is_known: Bool | None) -> Rankings:
    """Make a ranking of each column; of each row for "samples"; of all cells for "micro".

    Cells whose label is unknown are left out. The rows of columns then differ: in a mean over
    columns, the row of a cell is its cluster.
    """
    is_micro = average == "micro"
    # Cells stand row by row, or column by column.
    order: Literal["C", "F"] = "C" if average == "samples" or is_micro else "F"
    if average == "samples":
        rankings = Rankings(
            positive=rows.positive.ravel(order),
            score=rows.score.ravel(order),
            n_rankings=len(rows.score),
            average=average,
            average_weight=rows.weight,
            are_queries=True,
            query_clusters=rows.clusters,
        )
    elif is_micro:
        rankings = _ranking_of_all_cells(rows)
    else:
        rankings = _rankings_of_columns(average, rows, has_unknown=is_known is not None)
    rankings = replace(rankings, has_clusters=rows.has_clusters)
    return rankings if is_known is None else rankings.select_items(is_known.ravel(order))


def _ranking_of_all_cells(rows: Rankings) -> Rankings:
    """Make one ranking of all cells, in which the cells of a row belong together."""
    n_rows, n_columns = rows.score.shape
    clusters = np.arange(n_rows) if rows.clusters is None else rows.clusters
    weight = None if rows.weight is None else np.repeat(rows.weight, n_columns)
    check_sum(weight)
    return Rankings(
        positive=rows.positive.ravel(),
        score=rows.score.ravel(),
        weight=weight,
        clusters=np.repeat(clusters, n_columns),
    )


def _rankings_of_columns(average: Average, rows: Rankings, *, has_unknown: bool) -> Rankings:
    """Make a ranking of each column, with the weights of rows in each of them."""
    n_rows, n_columns = rows.score.shape
    clusters = rows.clusters
    if clusters is None and has_unknown and average is not None:
        clusters = np.arange(n_rows)
    return Rankings(
        positive=rows.positive.ravel("F"),
        score=rows.score.ravel("F"),
        weight=None if rows.weight is None else np.tile(rows.weight, n_columns),
        n_rankings=n_columns,
        average=average,
        clusters=clusters,
    )
