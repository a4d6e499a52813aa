"""Where does a call of more rows take far more time than of fewer?

    python benchmarks/survey.py

times scores, intervals and comparisons by rows, share of positives, options and definitions, and
prints where twice as many rows take over three times as long (a cliff), or where time grows faster
than the rows to the power of 1.3, as a sort alone grows by up to 1.25. Then it counts the calls.
"""

import time
import warnings
from itertools import pairwise, product

import numpy as np

import sklearn_ap as ap
from sklearn_ap.definitions import AtK, Expected, Interpolated, PrecisionAtRecall, RecallAtK, Step

SIZES = [1000 * 2**i for i in range(8)]
LARGE = 4  # of the sizes, on which the power is measured
MOST_JUMP, MOST_POWER = 3.0, 1.3
LEAST = 2e-3  # seconds of which a jump counts: less is noise
DEFINITIONS = Step(), Interpolated(), AtK(20), RecallAtK(0.01), PrecisionAtRecall(0.8), Expected()
OPTIONS = "plain", "weighted", "clusters"


def call_of(question, definition, option, y, s):
    """The call of a question."""
    n = y.size
    options = {
        "plain": {},
        "weighted": {"sample_weight": np.random.default_rng(1).random(n) + 0.5},
        "clusters": {"clusters": np.arange(n) // 10},
    }[option]
    if question == "score":
        return lambda: ap.average_precision_score(y, s, definition=definition, **options)
    if question == "interval":
        return lambda: ap.average_precision_interval(y, s, definition=definition, **options)
    models = {"a": s, "b": np.roll(s, 1)}
    return lambda: ap.compare_average_precision(y, models, definition=definition, **options)


def seconds_of(call):
    """The faster of two calls."""
    found = []
    for _ in range(2):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def surveyed(question, definition, option, share):
    """Seconds of each size; nothing where the call is refused."""
    rng, found = np.random.default_rng(0), []
    for n in SIZES:
        y = (rng.random(n) < share).astype(int)
        try:
            found.append(
                seconds_of(call_of(question, definition, option, y, rng.normal(size=n) + y))
            )
        except ap.InputError:
            return []
    return found


def findings(seconds):
    """What is wrong with the times of rising sizes, as texts."""
    for (n, before), (_, after) in pairwise(zip(SIZES, seconds, strict=True)):
        if after > max(LEAST, MOST_JUMP * before):
            yield f"from {n:,} to {2 * n:,} rows, {after / before:.1f} times as long"
    large = slice(-LARGE, None)
    power = np.polyfit(np.log(SIZES[large]), np.log(seconds[large]), 1)[0]
    if seconds[-1] > LEAST and power > MOST_POWER:
        yield f"grows as the rows to the power of {power:.2f}, to {1e3 * seconds[-1]:.0f} ms"


def main():
    warnings.simplefilter("ignore")
    n_calls = 0
    questions = "score", "interval", "comparison"
    for setting in product(questions, DEFINITIONS, OPTIONS, (0.01, 0.5)):
        seconds = surveyed(*setting)
        n_calls += bool(seconds)
        for text in findings(seconds) if seconds else ():
            question, definition, option, share = setting
            print(f"{question}, {definition!r}, {option}, {share:.0%}: {text}", flush=True)
    print(f"{n_calls} calls of {len(SIZES)} sizes")


if __name__ == "__main__":
    main()
