"""Times of all functions at growing sizes, beside the score of the same rows, and their memory."""

import argparse
import json
import math
import time
import tracemalloc
import warnings
from functools import partial
from itertools import product

import numpy as np
import simulation
import speed
import tables

import sklearn_ap as ap
from sklearn_ap.definitions import AtK, Expected, PrecisionAtRecall

STORED = simulation.RESULTS / "verbs.json"
AT_RECALL = PrecisionAtRecall(0.6)
SIZES = 10**3, 10**4, 10**5, 10**6
PREVALENCES = 0.02, 0.5
SECONDS = 1.0  # of repeats of a call, of which the fastest counts


def calls(n, prevalence):
    """Calls by name; the first is what the others are compared with."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < prevalence).astype(np.int64)
    y[:2] = 1
    a, b = y + rng.normal(size=(2, n))
    weight, row = rng.random(n), np.arange(n)
    weights = {"sample_weight": weight}
    plan = ap.rows_to_label(a, n // 5)
    known = np.full(n, np.nan)
    known[plan.rows] = y[plan.rows]
    chosen = {"inclusion_probability": plan.inclusion_probability}
    judge = np.where(rng.random(n) < 0.9, y, 1 - y)
    models = {f"{i}": a + 0.1 * i * rng.normal(size=n) for i in range(10)}
    pair = {"A": a, "B": b}
    score, interval = ap.average_precision_score, ap.average_precision_interval
    compare = ap.compare_average_precision
    yield "score", partial(score, y, a)
    yield "score, weighted", partial(score, y, a, **weights)
    yield "score over queries of 100", partial(score, y, a, queries=row // 100, zero_division=0)
    yield "score, labels of text", partial(score, np.where(y, "yes", "no"), a, pos_label="yes")
    yield "expected score", partial(score, y, a, definition=Expected())
    yield "interval", partial(interval, y, a)
    yield "interval, weighted", partial(interval, y, a, **weights)
    yield "interval, clusters of 10", partial(interval, y, a, clusters=row // 10)
    yield "interval, queries of 100", partial(interval, y, a, queries=row // 100, zero_division=0)
    yield "interval of AP@10", partial(interval, y, a, definition=AtK(10))
    yield "interval of AP@10, weighted", partial(interval, y, a, definition=AtK(10), **weights)
    yield "interval of the precision at a recall", partial(interval, y, a, definition=AT_RECALL)
    yield "interval of the expected score", partial(interval, y, a, definition=Expected())
    yield "interval, a fifth labelled", partial(interval, known, a, **chosen)
    yield "the same with a judge", partial(interval, known, a, judge=judge, **chosen)
    yield "comparison of two models", partial(compare, y, pair)
    yield "comparison of AP@10, weighted", partial(compare, y, pair, definition=AtK(10), **weights)
    yield "comparison, clusters of 10", partial(compare, y, pair, clusters=row // 10)
    yield "best of ten models", partial(ap.compare_average_precision, y, models, reference="best")
    yield "12 segments", partial(ap.compare_segments, y, a, row % 12)
    yield "chance, 999 orders", partial(ap.chance_test, y, a)
    yield "threshold for a precision", partial(ap.operating_point, y, a, precision=0.6)
    yield "rows to label", partial(ap.rows_to_label, a, n // 5)


def fastest(call):
    """Seconds of the fastest of at least two calls."""
    best, end = math.inf, time.perf_counter() + SECONDS
    for _ in range(2):
        best = min(best, speed.burst(call, 1))
    while time.perf_counter() < end:
        best = min(best, speed.burst(call, 1))
    return best


def memory(call):
    """Peak bytes of a call, beyond what was there."""
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def measured(sizes):
    """Seconds of each call at each size, and the memory of the largest over that of its rows."""
    rows = []
    for n, prevalence in product(sizes, PREVALENCES):
        for name, call in calls(n, prevalence):
            row = {"name": name, "n": n, "prevalence": prevalence, "seconds": fastest(call)}
            if n == sizes[-1]:
                row["memory"] = memory(call) / (16 * n)  # a label and a score of 8 bytes each
            rows.append(row)
            print(*row.values(), flush=True)
    return rows


def in_scores(ratio):
    return f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:,.0f}"


def table(rows, prevalence):
    """A line for each function: times in scores at each size, the exponent of growth, memory."""
    of = {(row["name"], row["n"]): row for row in rows if row["prevalence"] == prevalence}
    sizes = sorted({n for _, n in of})
    heads = [*(f"{n:,} rows" for n in sizes), "exponent", "memory"]
    lines = [[f"{prevalence:.0%} positives", *heads]]
    for name in dict.fromkeys(name for name, _ in of):
        seconds = [of[name, n]["seconds"] for n in sizes]
        of_scores = (of["score", n]["seconds"] for n in sizes)
        ratios = [in_scores(s / score) for s, score in zip(seconds, of_scores, strict=True)]
        if name == "score":
            ratios = [f"{1e3 * s:.2g} ms" for s in seconds]
        growth = math.log(seconds[-1] / seconds[-3], sizes[-1] / sizes[-3])
        lines.append([name, *ratios, f"{growth:.2f}", f"{of[name, sizes[-1]]['memory']:.1f}"])
    return lines


def write(machine, rows):
    first, second = (table(rows, prevalence) for prevalence in PREVALENCES)
    tables.write_tables(first, [second], speed.PAGE.with_suffix("") / "verbs")
    tables.replace_part(speed.PAGE, "verbs", tables.filled(f"{machine}."))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, and nothing is written")
    parser.add_argument("--stored", action="store_true", help="run nothing, write what is stored")
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    if asked.quick:
        return table(measured((500, 1_000, 2_000)), PREVALENCES[0])
    if not asked.stored:
        STORED.write_text(json.dumps([speed.about(), measured(SIZES)]))
    return write(*json.loads(STORED.read_text()))


if __name__ == "__main__":
    main()
