"""Real engines: a Dask cluster of processes, a Spark session."""

import os
import sys
import warnings

import pytest


@pytest.fixture(scope="session")
def cluster():
    """Two worker processes and a client."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def spark():
    """A session on two cores, whose workers run this interpreter.

    It is one of Spark Connect where the environment variable CONNECT is set: a process has no
    sessions of both kinds.
    """
    pytest.importorskip("pyspark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions of pandas
        from pyspark.sql import SparkSession

        is_connect = "CONNECT" in os.environ
        builder = SparkSession.builder.appName("sklearn_ap")
        builder = builder.remote("local[2]") if is_connect else builder.master("local[2]")
        options = {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "2g",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.showConsoleProgress": "false",
        }
        for name, value in options.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        if not is_connect:
            session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()
