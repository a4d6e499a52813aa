"""The queries of the page on SQL, on real engines."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from pages import sql

from sklearn_ap import average_precision_score

SQL = sql("sql.md")


@pytest.fixture
def scored():
    pandas, rng = pytest.importorskip("pandas"), np.random.default_rng(0)
    label = (rng.random(2000) < 0.2).astype(int)
    score = np.round(rng.normal(size=2000) + label, 1)
    return pandas.DataFrame({"label": label, "score": score, "query": rng.integers(0, 7, 2000)})


def of_queries(table):
    label, score, query = (table[name].to_numpy() for name in ("label", "score", "query"))
    return average_precision_score(label, score, queries=query, average=None)


def test_sql_in_sqlite(scored):
    with closing(sqlite3.connect(":memory:")) as connection:
        scored.to_sql("scored", connection)
        found = [value for _, value in connection.execute(SQL[1])]
    np.testing.assert_allclose(found, of_queries(scored), rtol=0, atol=1e-12)


@pytest.mark.engines
def test_sql_in_duckdb(scored):
    connection = pytest.importorskip("duckdb").connect()
    connection.register("scored", scored)
    connection.execute(SQL[0])
    [(value,)] = connection.sql("FROM average_precision('scored')").fetchall()
    assert value == pytest.approx(average_precision_score(scored["label"], scored["score"]))
    found = [value for _, value in connection.sql(SQL[1]).fetchall()]
    np.testing.assert_allclose(found, of_queries(scored), rtol=0, atol=1e-12)
