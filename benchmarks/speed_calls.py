"""What speed.py times: the calls of each scenario, on inputs that are ready."""

from functools import partial
from typing import NamedTuple

import contestants
import numpy as np
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap
from sklearn_ap.definitions import AtK

LOOP = "loop over scikit-learn"
N_LOOP = 20  # replicates of the loop that are timed, out of 1,000
score = sklearn_ap.average_precision_score
KINDS = {
    "float32": lambda y_score: y_score.astype(np.float32),
    "rounded": lambda y_score: y_score.round(2),
    "constant": lambda y_score: np.full(y_score.size, 0.5),
}


class Scenario(NamedTuple):
    """Calls that take turns; "X / 100" names a hundredth of X."""

    name: str
    calls: dict  # functions without arguments, by contestant
    size: int  # bytes of the scores


def draw(n, prevalence):
    """Labels and scores of one ranking."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(n) < prevalence).astype(np.int64)
    y_true[0] = 1
    return y_true, rng.random(n)


def ranking(name, y, s, weight=None):
    """One ranking, with weights or without."""
    calls = {
        "ours": partial(score, y, s, sample_weight=weight),
        "np.sort": partial(np.sort, s),
        "scikit-learn": partial(scikit_learn, y, s, sample_weight=weight),
        **(contestants.torch_peers(y, s) if weight is None else {}),
        **contestants.boosters(y, s, weight),
    }
    return Scenario(f"{y.size:,} rows, {name}", calls, s.nbytes)


def one_ranking(sizes):
    """Sizes and prevalences."""
    for n in sizes:
        for prevalence in (0.002, 0.02, 0.5) if n < 10**7 else (0.02, 0.5):
            yield ranking(f"{prevalence:.1%} positives", *draw(n, prevalence))


def kinds_of_scores(n):
    """Other scores, and weights."""
    y, s = draw(n, 0.02)
    for kind, change in KINDS.items():
        yield ranking(f"2.0% positives, {kind}", y, change(s))
    yield weighted(n)


def weighted(n):
    """One ranking with weights."""
    weight = np.random.default_rng(1).random(n)
    return ranking("2.0% positives, weighted", *draw(n, 0.02), weight)


def columns(*shapes):
    """Multilabel targets."""
    rng = np.random.default_rng(0)
    for n_rows, n_labels in shapes:
        y, s = rng.random((2, n_rows, n_labels))
        y = (y < 0.02).astype(np.int64)
        y[0] = 1
        calls = {"ours": partial(score, y, s), "scikit-learn": partial(scikit_learn, y, s)}
        calls |= contestants.torch_peers(y, s)
        yield Scenario(f"{n_rows:,} rows x {n_labels:,} labels", calls, s.nbytes)


def queries(*shapes):
    """Groups; the loop over scikit-learn runs on a hundredth of them, and is scaled."""
    rng = np.random.default_rng(0)
    for n_groups, size in shapes:
        y = (rng.random((n_groups, size)) < 0.1).astype(np.int64)
        y[:, 0] = 1
        s = rng.random((n_groups, size))
        part = max(1, n_groups // 100)

        def loop(y=y[:part], s=s[:part]):
            return [scikit_learn(labels, scores) for labels, scores in zip(y, s, strict=True)]

        names = np.repeat(np.arange(n_groups), size)
        ours = partial(score, y.ravel(), s.ravel(), queries=names)
        calls = {"ours": ours, f"{LOOP} / {n_groups // part}": loop}
        calls |= contestants.retrieval_peers(y, s)
        yield Scenario(f"{n_groups:,} queries of {size}", calls, s.nbytes)


def definitions(sizes):
    """The other scores beside step average precision."""
    for n in sizes:
        y, s = draw(n, 0.02)
        calls = {
            "ours": partial(sklearn_ap.step_average_precision_score, y, s),
            "interpolated": partial(sklearn_ap.interpolated_average_precision_score, y, s),
            "eleven-point": partial(sklearn_ap.eleven_point_average_precision_score, y, s),
            "at 10": partial(sklearn_ap.average_precision_at_k_score, y, s, k=10),
            "expected": partial(sklearn_ap.expected_average_precision_score, y, s),
        }
        yield Scenario(f"definitions, {n:,} rows", calls, s.nbytes)


def models(n, prevalence, n_models):
    """Labels, and the scores of models that know something of them."""
    y, _ = draw(n, prevalence)
    return y, y + np.random.default_rng(1).normal(size=(n_models, n))


def intervals(sizes):
    """Intervals and comparisons beside the scores, and replicates beside a loop."""
    interval, compare = sklearn_ap.average_precision_interval, sklearn_ap.compare_average_precision
    for n in sizes:
        for prevalence in (0.02, 0.5):
            name = f"{n:,} rows, {prevalence:.0%} positives"
            y, (s,) = models(n, prevalence, 1)
            calls = {"ours": partial(score, y, s), "interval": partial(interval, y, s)}
            yield Scenario(f"interval, {name}", calls, 8 * n)
            y, (a, b) = models(n, prevalence, 2)
            both = partial(lambda y, *scores: [score(y, each) for each in scores], y, a, b)
            calls = {"ours": both, "comparison": partial(compare, y, {"A": a, "B": b})}
            yield Scenario(f"comparison of two models, {name}", calls, 16 * n)
    y, (s,) = models(10_000, 0.02, 1)

    def loop():
        rng = np.random.default_rng(0)
        for _ in range(N_LOOP):
            rows = rng.integers(0, y.size, y.size)
            scikit_learn(y[rows], s[rows])

    ours = partial(interval, y, s, definition=AtK(10), n_resamples=1_000, rng=0)
    calls = {"ours": ours, f"{LOOP} / {1_000 // N_LOOP}": loop}
    yield Scenario("1,000 replicates at 10, 10,000 rows", calls, s.nbytes)


def shapes(n, prevalence):
    """The score of each shape of input, one ranking first; and the weighted score if it has one."""
    (y_true, y_score), weight = draw(n, prevalence), np.random.default_rng(1).random(n)
    for name, names in {"one ranking": None, **queries_of_shapes(n)}.items():
        run = partial(score, y_true, y_score, zero_division=0.0, queries=names)
        yield name, [run, partial(run, sample_weight=weight)]
    for n_labels in (10, n // 1000, n // 200):
        kept, shape = n // n_labels * n_labels, (n // n_labels, n_labels)
        y, s = (each[:kept].reshape(shape) for each in (y_true, y_score))
        yield f"{n_labels:,} labels", [partial(score, y, s, zero_division=0.0)]
    at_k = partial(sklearn_ap.average_precision_at_k_score, y_true, y_score)
    for k in (10, n // 10, n // 2 - 1, n - 1):
        yield f"the top {k:,}", [partial(at_k, k=k)]


def queries_of_shapes(n):
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
