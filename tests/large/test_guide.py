"""The page on large data, as a reader runs it: its code, its SQL, its recipe for 500 labels."""

import re
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from sklearn_ap import average_precision_interval, large, threshold_counts
from tests.helpers.pages import blocks
from tests.helpers.recipe import assert_same, mix, rows

N = 20_000
(GROUPS,) = re.findall(r'"""(.*)"""', *blocks("large.md", under="In SQL"), re.DOTALL)
(DRAW,) = blocks("large.md", language="sql", under="Intervals with weights or clusters")
(BANDS,) = blocks("large.md", language="sql", under="A billion rows and 500 labels")


def columns_of_rows():
    """Labels, scores, days and images, from integers."""
    y_true, y_score = rows(0, N, 2)
    y_true &= mix(np.arange(N) + 99) % 300 % 7 > 0
    time = np.datetime64("2026-10-01T00:00:00") + np.arange(N) % 3 * np.timedelta64(1, "D")
    return {"ts": time, "fraud": y_true, "score": y_score, "image": np.arange(N) // 8}


@pytest.fixture
def columns(tmp_path, monkeypatch):
    """The columns, in a folder of Parquet files."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table(made := columns_of_rows())
    (tmp_path / "scores").mkdir()
    for i in range(4):
        parquet.write_table(table.slice(i * N // 4, N // 4), tmp_path / "scores" / f"{i}.parquet")
    monkeypatch.chdir(tmp_path)
    return made


def test_code_without_engines_counts_the_files(capsys, columns):
    names = {}
    for block in blocks("large.md", under="My Parquet file has a billion rows"):
        exec(block, names)
    score = average_precision_score(columns["fraud"], columns["score"])
    assert capsys.readouterr().out.startswith(f"{score:.4f}\n")


@pytest.mark.engines
def test_all_code_runs_in_order_with_correct_results(capsys, columns):
    names = {}
    for block in blocks("large.md"):
        exec(block, names)
    printed = capsys.readouterr().out
    y_true, y_score = columns["fraud"], columns["score"]
    for day in np.unique(columns["ts"]):
        of_day = columns["ts"] == day
        (said,) = re.findall(rf"{str(day)[:10]} .*?([0-9.]+) \(", printed)
        expected = average_precision_score(y_true[of_day], y_score[of_day])
        assert float(said) == pytest.approx(expected, abs=0.005)


def scored():
    frame = pd.DataFrame(columns_of_rows())
    return frame.assign(fraud=frame["fraud"].astype(int), score=frame["score"].astype(float))


@pytest.fixture
def sqlite():
    """A function that runs a query of the table, as the two below."""
    with closing(sqlite3.connect(":memory:")) as connection:
        scored().to_sql("scored", connection)
        yield lambda query: pd.read_sql(query, connection)


@pytest.fixture
def duck():
    with pytest.importorskip("duckdb").connect() as connection:
        connection.register("frame", scored())
        connection.execute("CREATE TABLE scored AS FROM frame")
        yield lambda query: connection.execute(query).df()


@pytest.mark.parametrize(
    "engine",
    [
        "sqlite",
        pytest.param("duck", marks=pytest.mark.engines),
    ],
)
def test_sql_gives_the_groups_of_all_rows_and_draws_whole_images(engine, request):
    run, frame = request.getfixturevalue(engine), scored()
    assert_same(large.from_groups(**run(GROUPS)), threshold_counts(frame["fraud"], frame["score"]))
    partly = "SELECT CASE WHEN image > 0 THEN fraud END AS fraud, score FROM scored"
    with pytest.raises(ValueError, match=r"^n_unlabelled must be 0 .* of 8 in all"):
        large.from_groups(**run(GROUPS.replace("FROM scored", f"FROM ({partly}) AS partly")))
    drawn = run(DRAW.replace("10000", "500"))
    assert (drawn["image"].nunique(), len(drawn)) == (500, 4_000)
    found = average_precision_interval(drawn["fraud"], drawn["score"], clusters=drawn["image"])
    assert found.low < found.estimate < found.high


@pytest.mark.engines
def test_drawn_rows_alone_give_the_limits_of_all_rows(duck):
    duck("CREATE TABLE labelled AS SELECT *, row_number() OVER () - 1 AS id FROM scored")
    duck("CREATE TABLE unlabelled AS SELECT * EXCLUDE (fraud) FROM labelled")
    create = BANDS.replace("'scores/*.parquet'", "unlabelled")
    of_all = create.removeprefix("CREATE TABLE chosen AS\n").partition("WHERE place")[0]
    frame = duck(f"{of_all} ORDER BY id")
    for _ in range(3):
        duck(create.replace("CREATE", "CREATE OR REPLACE"))
        filled = "* REPLACE (labelled.fraud AS fraud)"
        drawn = duck(f"SELECT {filled} FROM chosen JOIN labelled USING (id)")
        y_true = np.full(N, np.nan)
        y_true[drawn["id"]] = drawn["fraud"]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            alone = average_precision_interval(
                drawn["fraud"], drawn["score"], inclusion_probability=drawn["inclusion_probability"]
            )
            passed = average_precision_interval(
                y_true, frame["score"], inclusion_probability=frame["inclusion_probability"]
            )
        assert len(drawn) == 448  # the top bands of 20,000 rows have too few
        assert (alone.low, alone.high) == pytest.approx((passed.low, passed.high), abs=1e-12)
        assert not any("wrong probabilities" in str(each.message) for each in caught)
