"""Time and memory of counting Parquet files, on every engine, beside reading them and others.

Each contestant runs in a process of its own, whose memory (with that of its children: workers, the
JVM) is watched, beyond what it takes before it sees the data. The files hold the recipe of
tests/helpers/recipe.py at 2% positives. --quick writes nothing.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as parquet
from labelled_lines import save
from sklearn.metrics import average_precision_score
from tables import filled, in_markdown, replace_part, write_tables

from sklearn_ap import large
from sklearn_ap.definitions import Step

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))
from recipe import rows  # noqa: E402

ROWS_PER_FILE = 1_000_000
PAGE = ROOT / "docs" / "large_speed.md"


def make(folder, n):
    """Write the recipe in files of a million rows."""
    for i in range(0, n, ROWS_PER_FILE):
        y_true, y_score = rows(i, min(i + ROWS_PER_FILE, n))
        table = pa.table({"y": y_true, "p": y_score})
        parquet.write_table(table, folder / f"{i // ROWS_PER_FILE:05}.parquet")


# ---- contestants: what they import and start, which the clock does not count, and then a call


def scored(count):
    """A call that counts, and computes the score."""
    return lambda: float(Step()(count())[0])


def arrays(folder):
    """Labels and scores of each file."""
    for path in sorted(folder.glob("*.parquet")):
        table = parquet.read_table(path)
        yield table["y"].to_numpy(), table["p"].to_numpy()


def reading_twice(folder):
    dataset = ds.dataset(folder)

    def run():
        for _ in range(2):
            for _ in dataset.scanner(batch_readahead=4, fragment_readahead=1).to_batches():
                pass
        return np.nan

    return run


def parquet_files(folder):
    return scored(lambda: large.from_table(folder, "y", "p"))


def polars(folder):
    import polars as pl

    return scored(lambda: large.from_table(pl.scan_parquet(folder / "*.parquet"), "y", "p"))


def duckdb(folder):
    import duckdb as db

    query = f"SELECT * FROM '{folder}/*.parquet'"
    return scored(lambda: large.from_table(db.sql(query), "y", "p"))


def chunks(folder):
    return scored(lambda: large.from_chunks(lambda: arrays(folder)))


def histogram(folder):
    def counts():
        cells = large.ScoreHistogram()
        for chunk in arrays(folder):
            cells.update(*chunk)
        return cells.counts()

    return scored(counts)


def dask(folder):
    import dask.dataframe as dd
    from distributed import Client

    client = Client(n_workers=2, threads_per_worker=1, dashboard_address=None)
    frame = dd.read_parquet(folder)

    def counts():
        with client.as_current():
            return large.from_dask(frame["y"], frame["p"])

    return scored(counts)


def spark_session():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def spark(folder):
    session = spark_session()
    return scored(lambda: large.from_spark(session.read.parquet(str(folder)), "y", "p"))


def spark_area(folder):
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    session, names = spark_session(), {"rawPredictionCol": "p", "labelCol": "y"}
    evaluator = BinaryClassificationEvaluator(**names, metricName="areaUnderPR")

    def run():
        frame = session.read.parquet(str(folder))
        return evaluator.evaluate(frame.selectExpr("double(y) AS y", "double(p) AS p"))

    return run


def scikit_learn(folder):
    def run():
        table = ds.dataset(folder).to_table()
        return average_precision_score(table["y"].to_numpy(), table["p"].to_numpy())

    return run


def torchmetrics(folder, **options):
    import torch
    from torchmetrics.classification import BinaryAveragePrecision

    def run():
        metric = BinaryAveragePrecision(validate_args=False, **options)
        for y_true, y_score in arrays(folder):
            labels = torch.from_numpy(y_true.astype(np.int64))
            metric.update(torch.from_numpy(y_score.copy()), labels)
        return float(metric.compute())

    return run


# Name on the page, contestant, and the most rows that it is measured at.
CONTESTANTS = {
    "reading twice": (reading_twice, 10**8),
    "from_table, Parquet": (parquet_files, 10**8),
    "from_table, Polars": (polars, 10**8),
    "from_table, DuckDB": (duckdb, 10**8),
    "from_chunks": (chunks, 10**8),
    "from_dask, two workers": (dask, 10**8),
    "from_spark, two cores": (spark, 10**8),
    "ScoreHistogram, one pass": (histogram, 10**8),
    "scikit-learn, in memory": (scikit_learn, 10**7),
    "Spark areaUnderPR": (spark_area, 10**7),
    "TorchMetrics, exact": (torchmetrics, 10**7),
    "TorchMetrics, 1,000 thresholds": (partial(torchmetrics, thresholds=1000), 10**6),
}


# ---- measuring


class Watch(threading.Thread):
    """The most memory that this process and its children hold, beyond that at the start."""

    def __init__(self):
        super().__init__(daemon=True)
        self.start_bytes = self.peak = self.now()
        self.done = threading.Event()

    def now(self):
        """The bytes that are held now."""
        import psutil

        me, total = psutil.Process(), 0
        for process in [me, *me.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def run(self):
        """Look again and again."""
        while not self.done.wait(0.02):
            self.peak = max(self.peak, self.now())

    def stop(self):
        """The megabytes of the peak beyond the start."""
        self.done.set()
        self.join()
        return (self.peak - self.start_bytes) / 1e6


def one(name, folder):
    """Run one contestant here."""
    warnings.simplefilter("ignore")
    run, watch = CONTESTANTS[name][0](folder), Watch()
    watch.start()
    start = time.perf_counter()
    value = run()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "megabytes": watch.stop(), "value": value}


def measure(name, folder, repeats):
    """The fastest of some runs, each in a process of its own; None where a package is missing."""
    command = [sys.executable, __file__, "--one", name, "--folder", str(folder)]
    found = []
    for _ in range(repeats):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            print(f"{name}: left out: {run.stderr.strip().splitlines()[-1:]}")
            return None
        found.append(json.loads(run.stdout.splitlines()[-1]))
    return min(found, key=lambda row: row["seconds"])


def measured_at(n, repeats):
    """All contestants that can take so many rows."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), n)
        names = [name for name, (_, most) in CONTESTANTS.items() if n <= most]
        rows = {name: measure(name, Path(folder), repeats) for name in names}
    return {name: row for name, row in rows.items() if row}


# ---- the page


def table(n, rows):
    """The figures at one size."""
    base = rows["reading twice"]["seconds"]
    lines = [[f"{n:,} rows", "seconds", "times reading", "megabytes", "average precision"]]
    for name, row in rows.items():
        value = "" if np.isnan(row["value"]) else f"{row['value']:.15f}"
        taken = f"{row['seconds']:.2f}", f"{row['seconds'] / base:.1f}"
        lines.append([name, *taken, f"{row['megabytes']:.0f}", value])
    return lines


def write(measured):
    """The tables of the page, and the picture of one source of this library and of three others."""
    from speed import about  # here, as it imports the calls of other libraries

    summary, folded = (table(n, measured[n]) for n in (min(measured), max(measured)))
    write_tables(summary, [folded], PAGE.with_suffix("") / "times")
    replace_part(PAGE, "machine", filled(f"{about()}."))
    names = ("from_table, Parquet", "scikit-learn, in memory", "TorchMetrics, exact")
    panels = {
        key: {
            name: {n: rows[name][key] for n, rows in measured.items() if name in rows}
            for name in (*names, "Spark areaUnderPR")
        }
        for key in ("seconds", "megabytes")
    }
    save(PAGE.with_suffix(".svg"), "rows", panels)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a million rows, once")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.one:
        print(json.dumps(one(asked.one, asked.folder)))
        return
    measured = {}
    for n in (10**6,) if asked.quick else (10**6, 10**7, 10**8):
        measured[n] = measured_at(n, 1 if asked.quick or n > 10**7 else 2)
        print(in_markdown(table(n, measured[n])), "\n", flush=True)
    if not asked.quick:
        write(measured)


if __name__ == "__main__":
    main()
