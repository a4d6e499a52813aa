"""Time and memory against scikit-learn's function and one np.sort, side by side in one run.

    python benchmarks/speed.py [--quick]

Prints a table of ratios. Timings alternate between the contestants, and medians are compared, so
that a noisy machine disturbs all of them alike.
"""

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from sklearn.metrics import average_precision_score as theirs

from sklearn_ap import average_precision_score as ours

SIZES = (1_000, 100_000, 1_000_000, 10_000_000)
PREVALENCES = (0.002, 0.02, 0.5)


def median_times(contestants: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Median time of each, taken in turns until the time is up, but at least three times."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    end, turns = time.perf_counter() + seconds, 0
    while turns < 3 or time.perf_counter() < end:
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
        turns += 1
    return {name: float(np.median(taken)) for name, taken in times.items()}


def peak_memory(run: Callable[[], object]) -> int:
    """Bytes allocated at the peak, beyond what was there before."""
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="up to 100,000 rows, within seconds")
    quick = parser.parse_args().quick
    seconds = 0.5 if quick else 4.0
    rng = np.random.default_rng(0)
    print("ours: this library's time; ratios: how many times as long scikit-learn takes,")
    print("and how many times as long as np.sort we take; memory in multiples of the scores' own\n")
    print(f"{'rows':>10} {'positives':>9} {'ours, ms':>9} {'sklearn':>8} {'np.sort':>8}", end="")
    print(f" {'memory':>7} {'sklearn':>8}")
    for n in SIZES[: 2 if quick else None]:
        for prevalence in PREVALENCES:
            y_true = (rng.random(n) < prevalence).astype(np.int64)
            y_true[0] = 1
            y_score = rng.random(n)
            print(f"timing {n:,} rows ...", end="\r", file=sys.stderr, flush=True)
            contestants: dict[str, Callable[[], object]] = {
                "ours": lambda y=y_true, s=y_score: ours(y, s),  # type: ignore[misc]
                "theirs": lambda y=y_true, s=y_score: theirs(y, s),  # type: ignore[misc]
                "sort": lambda s=y_score: np.sort(s),  # type: ignore[misc]
            }
            taken = median_times(contestants, seconds)
            memory = {name: peak_memory(contestants[name]) for name in ("ours", "theirs")}
            print(
                f"{n:>10,} {prevalence:>9.1%} {1e3 * taken['ours']:>9.3f} "
                f"{taken['theirs'] / taken['ours']:>8.1f} {taken['ours'] / taken['sort']:>8.2f} "
                f"{memory['ours'] / y_score.nbytes:>7.1f} {memory['theirs'] / y_score.nbytes:>8.1f}"
            )


if __name__ == "__main__":
    main()
