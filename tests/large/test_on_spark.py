"""Counts in a real Spark session on two cores."""

import doctest
import os
import subprocess
import sys
import venv

import numpy as np
import pandas as pd
import pytest
from recipe import assert_same, mix, rows, weights

from sklearn_ap import AveragePrecisionInterval, average_precision_interval, large, threshold_counts
from sklearn_ap.definitions import Step

pytestmark = [
    pytest.mark.engines,
    # Of PySpark, about versions of pandas and about its own sockets.
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]
pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")

N = 20_000


@pytest.fixture(scope="module")
def frame(spark, tmp_path_factory):
    """The recipe in six partitions."""
    import pyarrow.parquet as parquet

    folder = tmp_path_factory.mktemp("spark")
    y_true, y_score = rows(0, N)
    for i in range(6):
        part = slice(i * N // 6, (i + 1) * N // 6)
        columns = {"y": y_true[part], "p": y_score[part], "w": weights(0, N)[part]}
        parquet.write_table(pa.table(columns), folder / f"{i}.parquet")
    return spark.read.parquet(str(folder)).repartition(6)


@pytest.mark.parametrize("weight", [None, "w"])
def test_a_frame_gives_the_same_digits(frame, weight):
    expected = threshold_counts(*rows(0, N), sample_weight=weights(0, N) if weight else None)
    assert_same(large.from_spark(frame, "y", "p", sample_weight=weight), expected)


def test_weights_and_clusters_have_the_interval_of_the_rows(spark):
    y_true, y_score = rows(0, N, 4)
    table = pd.DataFrame({"y": y_true, "p": y_score, "w": weights(0, N)})
    table["c"] = mix(np.arange(N) // 7) % 1500
    frame = spark.createDataFrame(table).repartition(4)
    counts = large.from_spark(frame, "y", "p", sample_weight="w", clusters="c")
    options = {"sample_weight": table["w"], "clusters": table["c"]}
    expected = average_precision_interval(table["y"], table["p"], **options)
    ours = AveragePrecisionInterval.from_counts(counts)
    assert ours.low == pytest.approx(expected.low, rel=1e-9)
    assert ours.standard_error == pytest.approx(expected.standard_error, rel=1e-9)


def test_one_partition_and_empty_partitions(frame):
    y_true, y_score = rows(0, N)
    assert_same(large.from_spark(frame.coalesce(1), "y", "p"), threshold_counts(y_true, y_score))
    kept = y_score.astype(float) > 0.9999
    few = threshold_counts(y_true[kept], y_score[kept])
    assert_same(large.from_spark(frame.filter("p > 0.9999"), "y", "p"), few)


def test_results_of_more_partitions_than_are_added_up_at_a_time(spark):
    made = spark.range(0, 200, 1, 20).selectExpr("id % 3 = 0 AS y", "id AS p")
    ids = np.arange(200)
    assert_same(large.from_spark(made, "y", "p"), threshold_counts(ids % 3 == 0, ids))


@pytest.mark.skipif("CONNECT" in os.environ, reason="this is it")
def test_all_of_this_holds_on_spark_connect():
    pytest.importorskip("grpc")
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-m", "engines", __file__]
    ran = subprocess.run(command, env=os.environ | {"CONNECT": "1"}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[-4000:]


@pytest.mark.skipif("CONNECT" in os.environ, reason="its server names the interpreter")
def test_workers_without_packages_are_told_of_the_interpreter(spark, tmp_path, monkeypatch):
    venv.create(tmp_path)  # what PYSPARK_PYTHON would name, with no package in it
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "bin" / "python"))
    made = spark.range(0, 10, 1, 1).selectExpr("id % 2 AS y", "id AS p")
    with pytest.raises(ImportError, match=r"worker cannot import .*\(.*\)\. .* PYSPARK_PYTHON"):
        large.from_spark(made, "y", "p")


def test_results_that_spark_loses_are_not_taken_for_no_rows(spark, monkeypatch):
    made = spark.range(0, 10, 1, 1).selectExpr("id % 2 AS y", "id AS p")
    collect = type(made).collect

    def lost(frame):
        return [] if frame.columns == ["result"] else collect(frame)

    monkeypatch.setattr(type(made), "collect", lost)
    with pytest.raises(RuntimeError, match=r"larger spark\.driver\.memory"):
        large.from_spark(made, "y", "p")


def test_an_error_of_the_plan_itself_is_raised_as_it_is(spark):
    from pyspark.errors import PythonException
    from pyspark.sql.functions import udf

    made = spark.range(0, 10, 1, 1).selectExpr("id % 2 AS y", "id AS p")
    made = made.withColumn("q", udf(lambda p: 1 / (p - 5), "double")("p"))
    with pytest.raises(PythonException, match="ZeroDivisionError"):
        large.from_spark(made, "y", "q")


def test_the_example_of_the_docstring_runs(spark):
    frame = spark.createDataFrame([(1, 0.9), (0, 0.8)], ["label", "score"])
    names = {"frame": frame}
    for example in doctest.DocTestParser().get_examples(large.from_spark.__doc__):
        exec(example.source, names)
    assert_same(names["counts"], threshold_counts([1, 0], [0.9, 0.8]))


def test_strings_and_names_with_quotes(spark):
    made = spark.createDataFrame([("a", 3.0), ("b", 2.0), ("a", 1.0)], ["the `y`", "p.q"])
    counts = large.from_spark(made, "the `y`", "p.q", pos_label="a")
    assert_same(counts, threshold_counts(["a", "b", "a"], [3.0, 2.0, 1.0], pos_label="a"))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("IF(id = 40, DOUBLE('nan'), id * 1.0D)", "y_score contains NaN or infinity: 1 of 25"),
        ("IF(id = 40, NULL, id)", "y_score contains missing values: 1 of 25"),
    ],
)
def test_a_wrong_score_is_said_with_its_partition(spark, column, message):
    made = spark.range(0, 100, 1, 4).selectExpr("id % 2 AS y", f"{column} AS p")
    with pytest.raises(ValueError, match=f"partition 1, batch 0 .*{message}.* in row 15"):
        large.from_spark(made, "y", "p")
    with pytest.raises(ValueError, match="no column 'score'; there are 'y', 'p'"):
        large.from_spark(made, "y", "score")


def test_a_frame_of_pandas_is_refused():
    with pytest.raises(TypeError, match="frame must be a PySpark data frame, got pandas"):
        large.from_spark(pd.DataFrame({"y": [1], "p": [1.0]}), "y", "p")


def test_scores_drawn_anew_in_each_pass_are_found_out(spark):
    from pyspark.sql.functions import udf

    drawn = udf(lambda: float(np.random.default_rng().random()), "double").asNondeterministic()
    made = spark.range(0, 100, 1, 2).selectExpr("id % 2 AS y").withColumn("p", drawn())
    with pytest.raises(ValueError, match="The second pass saw other scores than the first"):
        large.from_spark(made, "y", "p")


def test_no_rows_and_no_positives(spark):
    made = spark.range(0, 10, 1, 2).selectExpr("0 AS y", "id AS p")
    assert np.isnan(Step()(large.from_spark(made, "y", "p")))
    with pytest.raises(ValueError, match="there is nothing to score"):
        large.from_spark(made.filter("p < 0"), "y", "p")
