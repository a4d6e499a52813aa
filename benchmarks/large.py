"""CPU time and memory of counting Parquet files, on every engine, beside reading them."""

import os
import resource
import sys
import tempfile
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as parquet
from sklearn.metrics import average_precision_score
from tables import filled, replace_part, write_tables

from sklearn_ap import ThresholdCounts, large
from sklearn_ap.definitions import Step

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.helpers.recipe import rows  # noqa: E402

ROWS_PER_FILE = 1_000_000
PAGE = ROOT / "docs" / "speed.md"


def make(folder, n):
    for i in range(0, n, ROWS_PER_FILE):
        y_true, y_score = rows(i, min(i + ROWS_PER_FILE, n))
        table = pa.table({"y": y_true, "p": y_score})
        parquet.write_table(table, folder / f"{i // ROWS_PER_FILE:05}.parquet")


def arrays(folder):
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


def polars(folder):
    import polars as pl

    return lambda: large.from_table(pl.scan_parquet(folder / "*.parquet"), "y", "p")


def duckdb(folder):
    import duckdb as db

    return lambda: large.from_table(db.sql(f"SELECT * FROM '{folder}/*.parquet'"), "y", "p")


def grouped(folder, times=1):
    """What the page shows for scores that hardly repeat; the files may be read several times."""
    import duckdb as db

    files = [str(path) for path in folder.glob("*.parquet")] * times
    query = f"""
        SELECT round(p, 6) AS score, sum(y::INT) AS n_positives, sum(1 - y::INT) AS n_negatives,
            count(*) - count(y) AS n_unlabelled
        FROM read_parquet({files}) GROUP BY ALL
    """
    return lambda: large.from_groups(**db.sql(query).fetchnumpy())


def dask(folder):
    import dask.dataframe as dd
    from distributed import Client

    client = Client(n_workers=2, threads_per_worker=1, dashboard_address=None)
    frame = dd.read_parquet(folder)

    def run():
        with client.as_current():
            return large.from_dask(frame, "y", "p")

    return run


def spark(folder):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    builder = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return lambda: large.from_spark(session.read.parquet(str(folder)), "y", "p")


def scikit_learn(folder):
    def run():
        table = ds.dataset(folder).to_table()
        return average_precision_score(table["y"].to_numpy(), table["p"].to_numpy())

    return run


CONTESTANTS = {  # and the most rows that they are measured at
    "reading twice": (reading_twice, 10**8),
    "from_table, Parquet": (lambda folder: partial(large.from_table, folder, "y", "p"), 10**8),
    "from_table, Polars": (polars, 10**8),
    "from_table, DuckDB": (duckdb, 10**8),
    "from_groups, of rounded scores": (grouped, 10**8),
    "from_groups, of ten times the rows": (partial(grouped, times=10), 10**8),
    "from_chunks": (lambda folder: partial(large.from_chunks, partial(arrays, folder)), 10**8),
    "from_dask, two workers": (dask, 10**8),
    "from_spark, two cores": (spark, 10**7),
    "scikit-learn, in memory": (scikit_learn, 10**7),
}


def of_tree(read, process="self"):
    """What is read of a process and of its children, added up."""
    place = Path(f"/proc/{process}")
    try:
        found = read(place)
        children = " ".join(path.read_text() for path in place.glob("task/*/children"))
    except OSError:  # it has ended
        return 0
    return found + sum(of_tree(read, child) for child in children.split())


def held(place):
    """The bytes of memory of a process."""
    return resource.getpagesize() * int((place / "statm").read_text().split()[1])


def spent(place):
    """The CPU seconds of a process, and of its children that have ended."""
    fields = (place / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def watch(peaks, done):
    while not done.wait(0.02):
        peaks.append(of_tree(held))


def one(name, folder):
    """The CPU seconds, the megabytes at the peak and the score of a contestant."""
    warnings.simplefilter("ignore")
    run, peaks, done = CONTESTANTS[name][0](folder), [of_tree(held)], threading.Event()
    thread = threading.Thread(target=watch, args=(peaks, done))
    before = of_tree(spent)
    thread.start()
    found = run()
    value = float(Step()(found)[0]) if isinstance(found, ThresholdCounts) else found
    seconds = of_tree(spent) - before
    done.set()
    thread.join()
    return {"seconds": seconds, "megabytes": (max(peaks) - peaks[0]) / 1e6, "value": value}


def measure(name, folder, repeats):
    """The run of some that took the least CPU time; None where a package is missing."""
    found = []
    for _ in range(repeats):
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            try:
                found.append(pool.submit(one, name, folder).result())
            except ImportError as error:
                return print(f"{name}: left out: {error}")
    return min(found, key=lambda row: row["seconds"])


def measured_at(n, repeats):
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), n)
        names = [name for name, (_, most) in CONTESTANTS.items() if n <= most]
        rows = {name: measure(name, Path(folder), repeats) for name in names}
    return {name: row for name, row in rows.items() if row}


def table(n, rows):
    base = rows["reading twice"]["seconds"]
    lines = [[f"{n:,} rows", "CPU seconds", "times reading", "megabytes", "average precision"]]
    for name, row in rows.items():
        value = "" if np.isnan(row["value"]) else f"{row['value']:.15f}"
        taken = f"{row['seconds']:.2f}", f"{row['seconds'] / base:.1f}"
        lines.append([name, *taken, f"{row['megabytes']:.0f}", value])
    return lines


def write(measured):
    from speed import about  # here, as it imports the calls of other libraries

    summary, *folded = (table(n, rows) for n, rows in measured.items())
    write_tables(summary, folded, PAGE.with_suffix("") / "large")
    replace_part(PAGE, "large", filled(f"{about()}."))


def main():
    measured = {}
    for n in (10**6, 10**7, 10**8):
        measured[n] = measured_at(n, 1 if n > 10**6 else 2)
        print(*table(n, measured[n]), sep="\n", flush=True)
    write(measured)


if __name__ == "__main__":
    main()
