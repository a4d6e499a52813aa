"""Real engines: a Dask cluster of processes, a Spark session."""

import os
import sys
import warnings

import pytest

OPTIONS = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "driver.memory": "2g"}
OPTIONS |= {"driver.host": "127.0.0.1", "sql.shuffle.partitions": "2"}
# Java compiles each method once, without the optimizations that only pay after minutes.
QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}  # a free port
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="session")
def spark():
    """A session on two cores with four tries of a task, whose workers run this interpreter.

    It is one of Spark Connect where the environment variable CONNECT is set: a process has no
    sessions of both kinds.
    """
    pytest.importorskip("pyspark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("JAVA_TOOL_OPTIONS", QUICK_JAVA)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions of pandas
        from pyspark.sql import SparkSession

        is_connect = "CONNECT" in os.environ
        builder = SparkSession.builder.appName("sklearn_ap")
        builder = builder.remote("local[2]") if is_connect else builder.master("local[2, 4]")
        for name, value in OPTIONS.items():
            builder = builder.config(f"spark.{name}", value)
        session = builder.getOrCreate()
        if not is_connect:
            session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()
