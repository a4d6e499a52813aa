"""Tests of Rankings: what leaves with the items that are left out."""

import numpy as np
import pytest

from sklearn_ap._inputs.rankings import Rankings

TABLE = Rankings(
    positive=np.array([1, 0, 1, 0, 1, 0], dtype=bool),
    score=np.arange(6.0),
    n_rankings=2,
    average=None,
    clusters=np.array([0, 1, 2]),  # of each row
)


def test_dropping_rows_from_all_columns_keeps_a_table():
    rest = TABLE.select_items(np.array([1, 0, 1, 1, 0, 1], dtype=bool))
    assert rest.ranking is None
    assert rest.score.tolist() == [0, 2, 3, 5]
    assert rest.clusters.tolist() == [0, 2]


def test_dropping_single_cells_gives_each_item_its_cluster():
    rest = TABLE.select_items(np.array([1, 0, 1, 1, 1, 1], dtype=bool))
    assert rest.ranking.tolist() == [0, 0, 1, 1, 1]
    assert rest.clusters.tolist() == [0, 2, 0, 1, 2]


@pytest.mark.parametrize("ranking", [None, np.zeros(3, np.intp)])
def test_dropped_items_of_one_ranking_lose_their_clusters(ranking):
    one = Rankings(np.ones(3, bool), np.arange(3.0), ranking=ranking, clusters=np.array([2, 0, 1]))
    rest = one.select_items(np.array([True, False, True]))
    assert rest.clusters.tolist() == [2, 1]
    assert rest.ranking is None if ranking is None else rest.ranking.tolist() == [0, 0]


def test_query_clusters_remain_after_items_are_dropped():
    queries = Rankings(
        np.ones(4, bool),
        np.array([1.0, -np.inf, 2.0, 3.0]),
        ranking=np.array([0, 0, 1, 1]),
        n_rankings=2,
        are_queries=True,
        query_clusters=np.array([0, 0]),
    )
    rest = queries.select_retrieved()
    assert rest.ranking.tolist() == [0, 1, 1]
    assert rest.query_clusters.tolist() == [0, 0]
    assert rest.n_positives.tolist() == [2, 2]
