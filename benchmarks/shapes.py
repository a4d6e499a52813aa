"""What every shape of input costs, beside the same rows as one ranking.

    python benchmarks/speed.py

writes the table into docs/speed.md. A ratio of 3 is the most that is meant to be (weighted: of one
weighted ranking). Shapes and the one ranking take turns, and the fastest turn of each is compared,
so that what else the machine does disturbs little.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from sklearn_ap import average_precision_at_k_score, average_precision_score

Run = Callable[[], object]
HEAD = ["shape", "ms", "times one ranking", "weighted, ms", "times one weighted"]


def shapes(n: int, prevalence: float) -> dict[str, tuple[Run, Run | None]]:
    """The score of each shape, and the weighted score if there is one."""
    rng = np.random.default_rng(0)
    y_true, y_score = (rng.random(n) < prevalence).astype(np.int64), rng.random(n)
    weight = rng.random(n)

    def pair(**options) -> tuple[Run, Run]:
        score = partial(average_precision_score, y_true, y_score, zero_division=0.0, **options)
        return score, partial(score, sample_weight=weight)

    def labels(columns: int) -> tuple[Run, None]:
        shape = (n // columns, columns)
        y, s = y_true[: n // columns * columns], y_score[: n // columns * columns]
        run = partial(
            average_precision_score, y.reshape(shape), s.reshape(shape), zero_division=0.0
        )
        return run, None

    def top(k: int) -> tuple[Run, None]:
        return partial(average_precision_at_k_score, y_true, y_score, k=k), None

    return {
        "one ranking": pair(),
        **{name: pair(queries=names) for name, names in queries(n).items()},
        **{f"{columns:,} labels": labels(columns) for columns in (10, n // 1000, n // 200)},
        **{f"the top {k:,}": top(k) for k in (10, n // 10, n // 2 - 1, n - 1)},
    }


def queries(n: int) -> dict[str, np.ndarray]:
    """Names of queries, by what is special about them."""
    rng = np.random.default_rng(1)
    row, shuffled = np.arange(n), rng.permutation(n)
    sizes = (2, 5, 100, 499, 501, 1_001, 5_000)
    return {
        **{f"queries of {size:,}": row // size for size in sizes},
        **{f"queries of {size:,}, shuffled": shuffled // size for size in (5, 100, 501)},
        "queries of all sizes": np.sort(rng.integers(0, n // 200, n)),
        "half a giant, half pairs": np.where(row < n // 2, 0, row // 2),
        "a giant and 1% pairs": np.where(row < n * 99 // 100, 0, row // 2),
        "far numbers, shuffled": shuffled // 100 * 2**40,
        "strings": (row // 100).astype(str),
        "strings, shuffled": (shuffled // 100).astype(str),
        "objects": (row // 100).astype(str).astype(object),
    }


def fastest(runs: list[Run], seconds: float) -> list[float]:
    """Seconds of the fastest of some turns, for each."""
    times: list[list[float]] = [[] for _ in runs]
    end = time.perf_counter() + seconds * len(runs)
    while time.perf_counter() < end or len(times[-1]) < 3:
        for run, taken in zip(runs, times, strict=True):
            begin = time.perf_counter()
            run()
            taken.append(time.perf_counter() - begin)
    return [min(taken) for taken in times]


def measure(n: int, prevalence: float, seconds: float) -> list[list[str]]:
    """A row for each shape: milliseconds, times one ranking; both with weights too."""
    table = []
    made = shapes(n, prevalence)
    ones = made.pop("one ranking")
    for name, runs in made.items():
        cells = [f"{name}, {prevalence:.1%}"]
        for one, run in zip(ones, runs, strict=True):
            if run is None:
                cells += ["", ""]
                continue
            alone, shaped = fastest([one, run], seconds)
            cells += [f"{1e3 * shaped:.3g}", f"{shaped / alone:.2f}"]
        table.append(cells)
    return table
