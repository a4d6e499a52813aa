"""Counts in a real Spark session on two cores."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import large, threshold_counts
from sklearn_ap.definitions import Step
from tests.helpers.recipe import assert_same, rows, weights

pytestmark = [
    pytest.mark.engines,
    # Of PySpark, about versions of pandas and about its own sockets.
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]
pytest.importorskip("pyspark")

N = 20_000
TABLE = pd.DataFrame(dict(zip("yp", rows(0, N, 4), strict=True)))
TABLE["w"] = weights(0, N)


@pytest.fixture
def frame(spark):
    return spark.createDataFrame(TABLE).repartition(6)


@pytest.fixture
def few(spark):
    return spark.range(0, 10, 1, 1).selectExpr("id % 2 AS y", "id AS p")


def test_spark_partitions_of_any_kind_give_equal_counts(frame, spark):
    expected = threshold_counts(TABLE["y"], TABLE["p"])
    assert_same(large.from_spark(frame, "y", "p"), expected)
    assert_same(large.from_spark(frame.coalesce(1), "y", "p"), expected)
    kept = TABLE[TABLE["p"].astype(float) > 0.9999]  # most partitions are empty
    ours = large.from_spark(frame.filter("p > 0.9999"), "y", "p")
    assert_same(ours, threshold_counts(kept["y"], kept["p"]))
    # More partitions than are added up at a time
    made = spark.range(0, 200, 1, 20).selectExpr("id % 3 = 0 AS y", "id AS p")
    ids = np.arange(200)
    assert_same(large.from_spark(made, "y", "p"), threshold_counts(ids % 3 == 0, ids))


def test_spark_weights_give_the_counts_of_rows(frame):
    ours = large.from_spark(frame, "y", "p", sample_weight="w")
    assert_same(ours, threshold_counts(TABLE["y"], TABLE["p"], sample_weight=TABLE["w"]))


@pytest.mark.skipif("CONNECT" in os.environ, reason="this is it")
def test_counts_and_errors_are_the_same_on_spark_connect():
    pytest.importorskip("grpc")
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-m", "engines", __file__]
    command += ["-k", "equal_counts or of_a_wrong_score or within_the_spark_plan"]
    ran = subprocess.run(command, env=os.environ | {"CONNECT": "1"}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert "3 passed" in ran.stdout


def test_a_wrong_value_is_found_once_and_not_after_four_tries(spark, tmp_path):
    def note(records):
        for record in records:
            (tmp_path / f"{len(list(tmp_path.iterdir()))}").touch()
            yield record

    made = spark.range(0, 10, 1, 1).selectExpr("id % 2 AS y", "IF(id = 4, NULL, id) AS p")
    noted = made.mapInArrow(note, made.schema)
    with pytest.raises(ValueError, match="is empty"):
        large.from_spark(noted, "y", "p")
    assert len(list(tmp_path.iterdir())) == 1


def test_error_within_the_spark_plan_is_raised_unchanged(few):
    from pyspark.errors import PythonException
    from pyspark.sql.functions import udf

    made = few.withColumn("q", udf(lambda p: 1 / (p - 5), "double")("p"))
    with pytest.raises(PythonException, match="ZeroDivisionError"):
        large.from_spark(made, "y", "q")


def test_spark_supports_text_labels_and_quoted_column_names(spark):
    made = spark.createDataFrame([("a", 3.0), ("b", 2.0), ("a", 1.0)], ["the `y`", "p.q"])
    counts = large.from_spark(made, "the `y`", "p.q", pos_label="a")
    assert_same(counts, threshold_counts(["a", "b", "a"], [3.0, 2.0, 1.0], pos_label="a"))


def test_error_names_the_partition_of_a_wrong_score(spark):
    made = spark.range(0, 100, 1, 4).selectExpr("id % 2 AS y", "IF(id = 40, NULL, id) AS p")
    message = "partition 1, batch 0: row 15, column 'p' is empty"
    with pytest.raises(ValueError, match=message):
        large.from_spark(made, "y", "p")


def test_invalid_spark_frames_and_columns_are_refused(few):
    with pytest.raises(ValueError, match="no column 'score'; there are 'y' and 'p'"):
        large.from_spark(few, "y", "score")
    with pytest.raises(ValueError, match="there is nothing to score"):
        large.from_spark(few.filter("p < 0"), "y", "p")
    assert np.isnan(Step()(large.from_spark(few.filter("y = 0"), "y", "p")))
