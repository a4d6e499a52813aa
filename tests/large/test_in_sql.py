"""The queries in SQL of the page on large data, on real engines."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from pages import blocks
from sklearn.metrics import average_precision_score

from sklearn_ap import average_precision_interval

WHOLE, BY_QUERY = blocks("large.md", language="sql", under="In SQL")[:2]
(DRAW,) = blocks("large.md", language="sql", under="Intervals with weights or clusters")
RNG = np.random.default_rng(0)
LABEL, QUERY = (RNG.random(2000) < 0.2).astype(int), RNG.integers(0, 7, 2000)
SCORE = np.round(RNG.normal(size=2000) + LABEL, 1)
IMAGE = np.arange(2000) // 8
SCORED = pd.DataFrame({"label": LABEL, "score": SCORE, "query": QUERY, "image": IMAGE})


def check(found):
    each = (query == QUERY for query in range(7))
    expected = [average_precision_score(LABEL[rows], SCORE[rows]) for rows in each]
    np.testing.assert_allclose([value for _, value in found], expected, rtol=0, atol=1e-12)


def check_draw(rows):
    """All rows of 200 images, of which an interval is made."""
    assert rows["image"].nunique() == 200
    assert len(rows) == 1600
    sample = rows["label"], rows["score"]
    found = average_precision_interval(*sample, clusters=rows["image"])
    assert found.low < average_precision_score(LABEL, SCORE) < found.high


@pytest.fixture
def draw():
    assert "10000" in DRAW
    return DRAW.replace("10000", "200")


def test_sql_in_sqlite(draw):
    with closing(sqlite3.connect(":memory:")) as connection:
        SCORED.to_sql("scored", connection)
        check(connection.execute(BY_QUERY))
        check_draw(pd.read_sql(draw, connection))


@pytest.mark.engines
def test_sql_in_duckdb(draw):
    connection = pytest.importorskip("duckdb").connect()
    connection.register("scored", SCORED)
    connection.execute(WHOLE)
    [(value,)] = connection.sql("FROM average_precision('scored')").fetchall()
    assert value == pytest.approx(average_precision_score(LABEL, SCORE))
    check(connection.sql(BY_QUERY).fetchall())
    check_draw(connection.sql(draw).df())


@pytest.mark.engines
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
def test_sql_in_spark(spark):
    spark.createDataFrame(SCORED).createOrReplaceTempView("scored")
    check(spark.sql(BY_QUERY).collect())
