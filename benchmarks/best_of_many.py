"""How often the interval of the best of many models holds its truth, and who may be the best.

    python benchmarks/best_of_many.py [--quick] [--samples N] [--cells TEXT]

Asks best_average_precision for the best of each sample of known models, and counts. Beside it, the
interval of one score, and p-values adjusted by Holm's rule. Writes the section "best of many" of
docs/evidence.md.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from populations import Drawn, correlated, labels, normal, rounded, score_of_many, two_alarms
from simulation import (
    Cell,
    Numbers,
    Row,
    Section,
    failing,
    heard,
    main,
    mean,
    median,
    of,
    of_coverage,
    table_by,
    values,
)

import sklearn_ap
from sklearn_ap.definitions import AtK, Definition, Step

FAILS, ERRS = 91, 8.8  # three standard errors from 95, and from 5
OTHERS = "other scores, rows and definitions"
N_LARGE = 20_000  # positives


def normals(
    rng: np.random.Generator, n_positives: int, shifts: np.ndarray, correlation: float
) -> Drawn:
    """Models that see a share of the same evidence; scores have a row for each model."""
    y = labels(rng, n_positives, 0.1)
    return y, correlated(rng, y, shifts, correlation), {}


def truth_of_normals(shifts: np.ndarray) -> np.ndarray:
    """The scores of a large sample; models with the same shift are equal."""
    different, place = np.unique(shifts, return_inverse=True)
    y, scores, _ = normals(np.random.default_rng(0), N_LARGE, different, 0.5)
    truth = np.array([sklearn_ap.average_precision_score(y, score) for score in scores])
    return np.maximum.accumulate(truth)[place]


def alike(rng: np.random.Generator, n_positives: int, scores: Any) -> Drawn:
    """Twenty models of one family, each with errors of its own."""
    y = labels(rng, n_positives, 0.1)
    return y, np.stack([scores(rng, y) for _ in range(20)]), {}


def in_units(rng: np.random.Generator, n_positives: int, kind: str) -> Drawn:
    """Ten equal models of rows in clusters of five, of queries of twenty, or with weights."""
    size = {"clusters": 5, "queries": 20, "weights": 1}[kind]
    n_units = n_positives if kind == "queries" else max(round(n_positives / 0.2 / size), 2)
    unit = np.repeat(np.arange(n_units), size)
    y = (rng.random(unit.size) < rng.beta(0.6, 2.4, n_units)[unit]).astype(int)
    y[0] = 1
    common = rng.normal(size=unit.size) + rng.normal(size=n_units)[unit]
    scores = 1.2 * y + 0.7 * common + 0.7 * rng.normal(size=(10, unit.size))
    options: dict[str, Any] = {"clusters": unit}
    if kind == "queries":
        options = {"queries": unit, "zero_division": np.nan}
    if kind == "weights":
        options = {"sample_weight": rng.lognormal(0.4 * common, 0.8)}
    return y, scores, options


def in_columns(rng: np.random.Generator, n_positives: int) -> Drawn:
    """Ten equal models of three columns each."""
    y = (rng.random((n_positives * 10, 3)) < 0.1).astype(int)
    common = rng.normal(size=y.shape)
    return y, 1.3 * y + 0.7 * common + 0.7 * rng.normal(size=(10, *y.shape)), {}


def judged_best(y: np.ndarray, scores: np.ndarray, truth: np.ndarray, **options: Any) -> Numbers:
    """The interval of the best of some models beside its truth, and whether it warns."""
    named = {f"{i}": score for i, score in enumerate(scores)}
    (best, warned) = heard("", sklearn_ap.best_average_precision, y, named, **options)
    winner = int(best.name)
    numbers = {"estimate": best.estimates[best.names.index(best.name)], "truth": truth[winner]}
    numbers |= {"low": best.low, "high": best.high, "warned": warned, "winner": winner}
    truly = {f"{i}" for i in np.flatnonzero(truth == truth.max())}
    found = truly.intersection(best.may_be_best)
    return numbers | {"best": 100 * len(found) / len(truly), "size": len(best.may_be_best)}


def sample(
    rng: np.random.Generator,
    truth: np.ndarray,
    draw: Callable[[np.random.Generator], Drawn],
    definition: Definition,
) -> Numbers:
    """The best, the interval of the same model's score, and Holm's rule."""
    y, scores, options = draw(rng)
    options |= {"n_resamples": 199, "rng": 0, "definition": definition}
    numbers = judged_best(y, scores, truth, **options)
    winner = numbers.pop("winner")
    alone = sklearn_ap.average_precision_interval(y, scores[winner], **options)
    named = {f"{i}": score for i, score in enumerate(scores)}
    made = sklearn_ap.compare_average_precision(y, named, **options)
    said, equal = made.adjusted_pvalues[1:] < 0.05, truth[1:] == truth[0]
    numbers["alone"] = alone.low <= truth[winner] <= alone.high
    numbers["holm errs"] = said[equal].any()
    numbers["holm finds"] = np.nan if equal.all() else 100 * said[~equal].mean()
    return numbers


def cell_of(
    kind: str, name: str, draw: Callable[..., Drawn], truth: Any, definition: Definition = Step()
) -> Cell:
    """300 samples; ``truth`` gives that of each model."""
    judge = partial(sample, draw=draw, definition=definition)
    return Cell(name, judge, 300, truth, {"kind": kind})


def of_normals(kind: str, shifts: np.ndarray, n: int, correlation: float, name: str = "") -> Cell:
    """Normal models."""
    draw = partial(normals, n_positives=n, shifts=shifts, correlation=correlation)
    name = f"{name or kind}, {n} positives, correlation {correlation}"
    return cell_of(kind, name, draw, partial(truth_of_normals, shifts))


def of_equal(name: str, draw: Callable[..., Drawn], n_positives: int, n_models: int) -> Cell:
    """Models that are equal."""
    draw_cell = partial(draw, n_positives=n_positives)
    return cell_of(OTHERS, name, draw_cell, partial(truth_of_equal, draw, n_models))


def truth_of_equal(draw: Callable[..., Drawn], n_models: int) -> np.ndarray:
    """The score of the first in a large sample."""

    def first(rng: np.random.Generator) -> Drawn:
        y, scores, options = draw(rng, n_positives=N_LARGE)
        return y, scores[0], options

    return np.full(n_models, score_of_many(first))


def truth_at_20(draw: Callable[..., Drawn]) -> np.ndarray:
    """The mean score at 20, which depends on the size of the samples."""
    rng, score = np.random.default_rng(0), sklearn_ap.average_precision_at_k_score
    samples = [draw(rng) for _ in range(500)]
    scores = [[score(y, each, k=20) for each in models] for y, models, _ in samples]
    return np.full(len(scores[0]), np.mean(scores))


def cells() -> Iterator[Cell]:
    """The grid."""
    grid = [(m, n, c) for m in (2, 20) for n in (20, 100, 400) for c in (0.5, 0.95)]
    for m, n, correlation in [*grid, (100, 50, 0.5)]:
        kind = "2 equal" if m == 2 else "20 or 100 equal"
        yield of_normals(kind, np.full(m, 1.3), n, correlation, f"{m} equal")
    for n, correlation in ((50, 0.5), (100, 0.5), (100, 0.95), (400, 0.5), (400, 0.95)):
        yield of_normals("20 spread", np.linspace(0.8, 1.5, 20), n, correlation)
    for n in (50, 200):
        yield of_normals("one of 20 better", np.r_[np.full(19, 1.0), 1.4], n, 0.8)
    for name, scores in (
        ("20 near-perfect", normal(4.0)),
        ("20 with few distinct scores", rounded(1.5)),
        ("20 with two false alarms each", two_alarms(50, 0.1)),
    ):
        yield of_equal(f"{name}, 50 positives", partial(alike, scores=scores), 50, 20)
    for kind, n in (("clusters", 100), ("weights", 100), ("queries", 60)):
        yield of_equal(f"10 equal, {kind}, {n} positives", partial(in_units, kind=kind), n, 10)
    yield of_equal("10 equal, 3 columns, 50 positives each", in_columns, 50, 10)
    draw = partial(normals, n_positives=100, shifts=np.full(10, 1.3), correlation=0.5)
    name = "10 equal, AP@20, 100 positives"
    yield cell_of(OTHERS, name, draw, partial(truth_at_20, draw), AtK(20))


def sections(rows: list[Row]) -> dict[str, Section]:
    """The section of the page."""
    columns = of_coverage(spec=".1f") | {
        "of one score: least": of(min, "alone", ".1f"),
        "in the set: least": of(min, "best", ".1f"),
        "Holm errs: most": of(max, "holm errs", ".1f"),
        "Holm finds": of(mean, "holm finds", ".1f"),
    }
    low = (
        f"{row['name']}: interval {row['held']:.1f}, set {row['best']:.1f}, Holm's errors "
        f"{row['holm errs']:.1f}"
        for row in rows
        if min(row["held"], row["best"]) < FAILS or row["holm errs"] > ERRS
    )
    fails = f"Cells in which the interval covers less than {FAILS}, the best is less often in the "
    conclusion = (
        f"The 95% interval of the best contained its true score in "
        f"{median(values(rows, 'held')):.0f} of 100 samples in the median cell, and in "
        f"{min(values(rows, 'held')):.0f} in the worst of {len(rows)}. The interval of one score "
        f"fell to {min(values(rows, 'alone')):.0f}."
    )
    fails = failing(f"{fails}set, or Holm's rule errs in more than {ERRS}", low)
    return {"best of many": Section(conclusion, table_by("kind", rows, columns, "models"), fails)}


if __name__ == "__main__":
    main("best_of_many", __doc__, cells, sections)
