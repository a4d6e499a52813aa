"""CPU time and memory of all functions at growing numbers of rows, with all kinds of rows."""

import json
import math
import time
import tracemalloc
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import simulation
import speed
import tables
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_validate

import sklearn_ap as ap
from sklearn_ap.definitions import AtK, Expected, PrecisionAtRecall

STORED = simulation.RESULTS / "survey.json"
SIZES = 10**3, 10**4, 10**5, 10**6
MOST_ROWS = 10**7  # of scores
SECONDS = 0.5  # of repeats of a call, of which the fastest counts


def calls(n):
    """Yield a name and a call for each function and kind of rows."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.02).astype(np.int64)
    y[:: n // 20] = 1
    a, b = y + rng.normal(size=(2, n))
    row, weight = np.arange(n), {"sample_weight": rng.random(n)}
    score, interval = ap.average_precision_score, ap.average_precision_interval
    kinds = {
        "": {},
        "ties": {"digits": 1},
        "weights": weight,
        "queries of 100": {"queries": row // 100, "zero_division": 0.0},
        "queries, shuffled": {"queries": rng.permutation(row // 100), "zero_division": 0.0},
        "10 columns": {"shape": (-1, 10), "zero_division": 0.0},
        "clusters of 10": {"clusters": row // 10},
        "AP@10": {"definition": AtK(10)},
        "AP@10, weights": {"definition": AtK(10), **weight},
        "AP@10%": {"definition": AtK(0.1)},
        "expected": {"definition": Expected()},
        "precision at a recall": {"definition": PrecisionAtRecall(0.6)},
    }
    for kind, given in kinds.items():
        options = dict(given)
        digits, shape = options.pop("digits", 17), options.pop("shape", (-1,))
        labels, first, second = (x.reshape(shape) for x in (y, a.round(digits), b.round(digits)))
        end = f", {kind}" * bool(kind)
        yield f"score{end}", partial(score, labels, first, **options)
        if n == MOST_ROWS:
            continue
        yield f"interval{end}", partial(interval, labels, first, **options)
        pair = {"a": first, "b": second}
        yield f"comparison{end}", partial(ap.compare_average_precision, labels, pair, **options)
    if n == MOST_ROWS:
        return
    plan = ap.rows_to_label(a, n // 5)
    known = np.full(n, np.nan)
    known[plan.rows] = y[plan.rows]
    chosen = {"inclusion_probability": plan.inclusion_probability}
    judge = np.where(rng.random(n) < 0.9, y, 1 - y)
    models = {f"{i}": a + 0.1 * i * rng.normal(size=n) for i in range(10)}
    options = {"cv": 5, "return_estimator": True, "return_indices": True}
    X = a[:, None]
    folds = ap.FoldPredictions(cross_validate(RidgeClassifier(), X, y, **options), X)
    yield "interval, folds", partial(interval, y, folds)
    yield "interval, a fifth labelled", partial(interval, known, a, **chosen)
    yield "interval, the same with a judge", partial(interval, known, a, judge=judge, **chosen)
    yield "comparison, ten models", partial(ap.compare_average_precision, y, models)
    yield "comparison, 12 segments", partial(ap.compare_segments, y, a, row % 12)
    yield "other: text labels", partial(score, np.where(y, "yes", "no"), a, pos_label="yes")
    yield "other: threshold_counts", partial(ap.threshold_counts, y, a)
    yield "other: hit_curve", partial(ap.hit_curve, y, a)
    yield "other: chance_test", partial(ap.chance_test, y, a)
    yield "other: operating_point", partial(ap.operating_point, y, a, precision=0.3)
    guarantee = {"precision": 0.3, "guarantee": 0.9}
    yield "other: operating_point, guarantee", partial(ap.operating_point, y, a, **guarantee)
    yield "other: rows_to_label", partial(ap.rows_to_label, a, n // 5)
    yield "other: compat.compare", partial(ap.compat.compare, y, a)


def measured(sizes):
    """Yield CPU milliseconds of each call, and its peak memory over that of labels and scores."""
    for n in sizes:
        for name, call in calls(n):
            best, end = math.inf, time.perf_counter() + SECONDS
            tracemalloc.start()
            call()
            memory = tracemalloc.get_traced_memory()[1] / (16 * n)
            tracemalloc.stop()
            while best == math.inf or time.perf_counter() < end:
                best = min(best, speed.timed(call)[0])
            yield {"name": name, "n": n, "milliseconds": 1e3 * best, "memory": memory}


def table(rows, kind=""):
    """A line for each call whose name begins so: times, exponent, worst jump, and memory."""
    rows = [row for row in rows if row["name"].startswith(kind)]
    sizes = sorted({row["n"] for row in rows})
    heads = [*(f"{n:,} rows" for n in sizes), "exponent", "jump", "memory"]
    lines = [[kind and f"{kind}, ms", *heads]]
    for name, found in tables.grouped(rows, "name").items():
        times = [row["milliseconds"] for row in found]
        growth = [later / before / 10 for before, later in pairwise(times)]
        cells = [f"{x:,.0f}" if x > 99.5 else f"{x:.2g}" for x in times]
        cells += [""] * (len(sizes) - len(cells))
        numbers = 1 + math.log10(growth[-1]), max(growth), found[-1]["memory"]
        lines.append([name, *cells, *(f"{x:.2f}" for x in numbers)])
    return lines


def write(machine, rows):
    kinds = [table(rows, kind) for kind in ("interval", "comparison", "other")]
    tables.write_tables(table(rows, "score"), kinds, speed.PAGE.with_suffix("") / "survey")
    tables.replace_part(speed.PAGE, "survey", tables.filled(f"{machine}."))


def main():
    warnings.simplefilter("ignore")
    rows = [*speed.shown(measured((*SIZES, MOST_ROWS)))]
    STORED.write_text(json.dumps([speed.about(), rows], indent=1) + "\n")
    write(*json.loads(STORED.read_text()))


if __name__ == "__main__":
    main()
