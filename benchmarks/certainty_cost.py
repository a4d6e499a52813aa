"""What an interval and a comparison cost, beside the scores, and replicates beside a loop.

    python benchmarks/speed.py

times these scenarios, and writes them into docs/speed.md.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap
from sklearn_ap.definitions import AtK

Run = Callable[[], object]
N_LOOP = 20  # replicates of the loop that are timed, out of 1,000


def interval_beside_score(n: int, prevalence: float) -> dict[str, Run]:
    """An interval of one ranking."""
    y, scores = draw(n, prevalence, 1)
    return {
        "ours": partial(sklearn_ap.average_precision_score, y, scores[0]),
        "interval": partial(sklearn_ap.average_precision_interval, y, scores[0]),
    }


def comparison_beside_scores(n: int, prevalence: float) -> dict[str, Run]:
    """A comparison of two models."""
    y, scores = draw(n, prevalence, 2)

    def both() -> None:
        for score in scores:
            sklearn_ap.average_precision_score(y, score)

    names = {"A": scores[0], "B": scores[1]}
    return {"ours": both, "comparison": partial(sklearn_ap.compare_average_precision, y, names)}


def replicates_beside_a_loop(n: int) -> dict[str, Run]:
    """1,000 replicates of average precision at 10, and a part of a loop over scikit-learn."""
    y, (score,) = draw(n, 0.02, 1)

    def loop() -> None:
        rng = np.random.default_rng(0)
        for _ in range(N_LOOP):
            rows = rng.integers(0, n, n)
            scikit_learn(y[rows], score[rows])

    interval = sklearn_ap.average_precision_interval
    ours = partial(interval, y, score, definition=AtK(10), n_resamples=1_000, rng=0)
    return {"ours": ours, f"loop over scikit-learn / {1_000 // N_LOOP}": loop}


def scenarios(sizes: tuple[int, ...]) -> Iterator[tuple[str, dict[str, Run], int]]:
    """Name, contestants, and bytes of the scores."""
    for n in sizes:
        for prevalence in (0.02, 0.5):
            what = f"{n:,} rows, {prevalence:.0%} positives"
            yield f"interval, {what}", interval_beside_score(n, prevalence), 8 * n
            yield (
                f"comparison of two models, {what}",
                comparison_beside_scores(n, prevalence),
                16 * n,
            )
    yield "1,000 replicates at 10, 10,000 rows", replicates_beside_a_loop(10_000), 80_000


def draw(n: int, prevalence: float, n_models: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and the scores of models that know something of them."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(n) < prevalence).astype(np.int64)
    y_true[0] = 1
    return y_true, y_true + rng.normal(size=(n_models, n))
