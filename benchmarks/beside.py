"""How long does each call take, beside an earlier commit?

    python benchmarks/beside.py [--write] [COMMIT]

Without a commit, it is 25ef7310: version 0.6.0, a baseline that does not move. Each state runs in a
process of its own, by turns, three times, and the fastest of all its calls counts. Prints
milliseconds and how many times as long the working tree takes, the worst first, and how many calls
were compared. Ends with status 1 if a call takes over 1.25 times as long. ``--write`` writes
these to the page of speed. The machine must be idle.
"""

import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import tables

BASELINE, TURNS, MOST = "25ef7310", 3, 1.25
ROOT = Path(__file__).parents[1]
ROWS = [(100, 0.1), (1000, 0.1), (10**4, 0.02), (10**4, 0.5), (10**5, 0.02), (10**5, 0.5)]
ROWS += [(10**6, 0.02), (10**6, 0.5)]
SIZES, MANY = (1000, 10**6), 10**6  # rows of odd scores, and of queries and chunks
LONG = 0.3  # seconds that the calls of one kind take together, at least


def calls_of_rows(ap, rng):
    """Scores, intervals and comparisons of one ranking."""
    score, interval, compare = (
        ap.average_precision_score,
        ap.average_precision_interval,
        ap.compare_average_precision,
    )
    at_20 = ap.definitions.AtK(20)
    for n, share in ROWS:
        y = (rng.random(n) < share).astype(int)
        s, w = rng.normal(size=n) + y, rng.random(n) + 0.5
        name = f"{n:,} rows, {share:.0%}"
        yield f"score, {name}", partial(score, y, s)
        yield f"weighted score, {name}", partial(score, y, s, sample_weight=w)
        yield f"AP@50, {name}", partial(ap.average_precision_at_k_score, y, s, k=50)
        yield f"interval, {name}", partial(interval, y, s)
        yield f"weighted interval, {name}", partial(interval, y, s, sample_weight=w)
        yield f"comparison, {name}", partial(compare, y, {"a": s, "b": s + w})
        if n <= 10**5:
            yield f"interval at 20, {name}", partial(interval, y, s, definition=at_20)
            weighted = partial(interval, y, s, definition=at_20, sample_weight=w)
            yield f"weighted interval at 20, {name}", weighted
    for n in SIZES:
        y, s = (rng.random(n) < 0.02).astype(int), rng.normal(size=n)
        types = {"int64": s * 1e5, "uint8": np.clip(s * 40 + 128, 0, 255), "float32": s}
        for dtype, scores in types.items():
            yield f"{dtype} scores, {n:,} rows", partial(score, y, scores.astype(dtype))
        words = np.where(y, "yes", "no").astype(object)
        yield f"text labels, {n:,} rows", partial(score, words, s, pos_label="yes")
        yield f"operating point, {n:,} rows", partial(ap.operating_point, y, s, precision=0.02)
        yield f"rows to label, {n:,} rows", partial(ap.rows_to_label, s, 100)


def calls_of_groups(ap, rng):
    """Queries, columns, clusters, segments, many models, and chunks."""
    score, interval = ap.average_precision_score, ap.average_precision_interval
    queries = "queries" if "queries" in inspect.signature(score).parameters else "groups"
    n = MANY
    y, s = (rng.random(n) < 0.2).astype(int), rng.normal(size=n)
    for size in (10, 200):
        options = {queries: np.repeat(np.arange(n // size), size), "zero_division": 0.0}
        yield f"{n // size:,} queries of {size}", partial(score, y, s, **options)
        yield f"interval of {n // size:,} queries", partial(interval, y, s, **options)
    labels = (rng.random((MANY // 10, 10)) < 0.05).astype(int)
    scores = rng.normal(size=labels.shape)
    yield "10 columns", partial(score, labels, scores)
    yield "interval of 10 columns", partial(interval, labels, scores)
    rows, cluster = (rng.random(10**4) < 0.1).astype(int), np.arange(10**4) // 20
    models = {f"m{i}": rng.normal(size=rows.size) + rows for i in range(10)}
    two = {name: models[name] for name in ("m0", "m1")}
    compare = ap.compare_average_precision
    yield "interval over 500 clusters", partial(interval, rows, models["m0"], clusters=cluster)
    yield "comparison over 500 clusters", partial(compare, rows, two, clusters=cluster)
    best = getattr(ap, "best_average_precision", partial(compare, reference="best"))
    yield "best of 10, 10,000 rows", partial(best, rows, models)
    segments = rng.integers(0, 12, rows.size)
    yield "12 segments, 10,000 rows", partial(ap.compare_segments, rows, models["m0"], segments)
    yield "chance, 10,000 rows", partial(ap.chance_test, rows, models["m0"])
    chunks = [(y[i : i + n // 10], s[i : i + n // 10]) for i in range(0, n, n // 10)]
    yield "chunks, 1,000,000 rows", partial(ap.large.from_chunks, chunks)


def fastest(call):
    """Seconds of the fastest of some calls."""
    found = []
    while not found or (sum(found) < LONG and len(found) < 400):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def measure(target):
    """Write the seconds of each call of the state that is on the path."""
    import sklearn_ap as ap

    warnings.simplefilter("ignore")
    assert Path(ap.__file__).is_relative_to(os.environ["PYTHONPATH"])
    rng, found = np.random.default_rng(0), {}
    for calls in (calls_of_rows, calls_of_groups):
        for name, call in calls(ap, rng):
            call()  # the first call imports
            found[name] = fastest(call)
    Path(target).write_text(json.dumps(found))


def run_beside(commit):
    """Return the seconds of each call in both states."""
    times = {}
    with tempfile.TemporaryDirectory() as work:
        before = Path(work, "before")
        before.mkdir()
        tree = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", before], check=True, input=tree.stdout)
        for _ in range(TURNS):
            for place in (before, ROOT):
                target = Path(work, "times.json")
                environment = os.environ | {"PYTHONPATH": str(place), "SECONDS": str(target)}
                command = [sys.executable, os.path.realpath(__file__)]
                subprocess.run(command, check=True, env=environment, cwd=work)
                for name, seconds in json.loads(target.read_text()).items():
                    own = times.setdefault(place, {})
                    own[name] = min(seconds, own.get(name, seconds))
    return times[before], times[ROOT]


def main():
    do_write = "--write" in sys.argv
    commit = ([each for each in sys.argv[1:] if each != "--write"] or [BASELINE])[0]
    if subprocess.run(["git", "cat-file", "-e", commit], cwd=ROOT, check=False).returncode:
        sys.exit(f"The history lacks {commit}: fetch it, or name another commit.")
    before, after = run_beside(commit)
    ratios = sorted(
        ((after[name] / seconds, name) for name, seconds in before.items()), reverse=True
    )
    for ratio, name in sorted(ratios, reverse=True):
        print(f"{ratio:6.2f} {1e3 * before[name]:10.3f} {1e3 * after[name]:10.3f} ms  {name}")
    slower = sum(ratio > MOST for ratio, _ in ratios)
    print(f"{slower} of {len(ratios)} calls take over {MOST} times as long as in {commit}")
    if do_write:
        lines = [
            [name, f"{1e3 * before[name]:.3g} ms", f"{1e3 * after[name]:.3g} ms", f"{ratio:.2f}"]
            for ratio, name in ratios
            if ratio > MOST
        ]
        head = ["", f"commit {commit}", "now", "ratio"]
        tables.write_tables([head, *lines], [], ROOT / "docs" / "speed" / "beside")
    sys.exit(bool(slower))


if __name__ == "__main__":
    measure(os.environ["SECONDS"]) if "SECONDS" in os.environ else main()
