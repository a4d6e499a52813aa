"""Time and memory of commands on one large Parquet file, each in a process of its own.

    python benchmarks/shell.py [ROWS]

ROWS is 50,000,000 if it is left out, and 2% of them are positive. Every command of ``COMMANDS`` is
run once. The memory is the largest that the process had, with the interpreter and its libraries.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from tables import in_markdown

ROWS_PER_PART = 2_000_000
N_DAYS = 90
COMMANDS = {
    "score, all definitions": "score --score a",
    "score, step AP": "score --score a --definition average_precision",
    "score, step AP, two models": "score --score a --score b --definition average_precision",
    "threshold": "threshold --score a --precision 0.3",
    "threshold, guarantee": "threshold --score a --precision 0.3 --guarantee 0.9",
    "segments, 90 days": "segments --score a --segment day",
    "tools": "tools --score a",
}


def write_rows(path, n_rows):
    """Write two models that rank about as well, and the day of each row."""
    rng = np.random.default_rng(0)
    days = pa.array(np.datetime_as_string(np.datetime64("2026-01-01") + np.arange(N_DAYS)))
    writer = None
    for start in range(0, n_rows, ROWS_PER_PART):
        n = min(ROWS_PER_PART, n_rows - start)
        y = rng.random(n) < 0.02
        a = rng.normal(size=n) + 1.6 * y
        b = 0.7 * a + 0.71 * rng.normal(size=n) + 0.5 * y
        day = pa.DictionaryArray.from_arrays(rng.integers(0, N_DAYS, n).astype(np.int16), days)
        table = pa.table({"y": y.astype(np.int8), "a": a, "b": b, "day": day})
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()


def run(command, path):
    """Give the seconds and the gigabytes of a command."""
    name, *options = command.split()
    arguments = [sys.executable, "-m", "sklearn_ap", name, str(path), "--label", "y", *options]
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, process.returncode, usage = os.wait4(process.pid, 0)
    if process.returncode:
        raise RuntimeError(f"{command}: status {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024 / 1e9


def table(n_rows):
    """Run all commands on so many rows."""
    lines = [["", "s", "GB"]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_rows(path, n_rows)
        for title, command in COMMANDS.items():
            seconds, gigabytes = run(command, path)
            lines.append([title, f"{seconds:.1f}", f"{gigabytes:.1f}"])
    return lines


if __name__ == "__main__":
    print(in_markdown(table(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000_000)))
