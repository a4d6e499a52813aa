"""How often the interval of the best of many models holds its truth, and who may be the best.

    python benchmarks/best_of_many.py [--quick] [--samples N] [--cells TEXT]

Simulates samples of known models, asks best_average_precision for the best of each sample, and
counts. Beside it, p-values adjusted by Holm and by the largest of normal draws (max-t). Writes the
section "best of many" of docs/evidence.md, in half an hour; --quick takes some seconds.
"""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtri
from simulation import (
    Row,
    ask,
    correlated,
    failing,
    grouped,
    labels,
    normal,
    publish,
    rng_of,
    rounded,
    section,
    simulate,
    table,
    two_alarms,
)

import sklearn_ap
from sklearn_ap._inputs import Request
from sklearn_ap._uncertainty import best_of_many as best_of_many
from sklearn_ap._uncertainty.interval import influences_of_models
from sklearn_ap._uncertainty.options import check_options
from sklearn_ap._uncertainty.variance import estimate_variance
from sklearn_ap.definitions import AtK, Definition, Step

SCRIPT, N_SAMPLES = "best_of_many", 300
FAILS, ERRS = 91, 8.8  # three standard errors from 95, and from 5
OTHERS = "other scores, rows and definitions"
Drawn = tuple[np.ndarray, np.ndarray, dict[str, Any]]  # labels, a row per model, options
Draw = Callable[..., Drawn]


@dataclass
class Cell:
    """Models of one kind; ``draw`` takes a generator, and n_positives for a larger sample.

    Without ``truth`` the truth of a model is its mean score over samples of this size.
    """

    kind: str
    name: str
    draw: Draw
    truth: np.ndarray | None
    definition: Definition = field(default_factory=Step)


def normals(
    rng: np.random.Generator, n_positives: int, shifts: np.ndarray, correlation: float
) -> Drawn:
    """Models that see a share of the same evidence."""
    y = labels(rng, n_positives, 0.1)
    return y, correlated(rng, y, shifts, correlation), {}


def alike(rng: np.random.Generator, n_positives: int, scores: Any, n_models: int) -> Drawn:
    """Models of one family, each with errors of its own."""
    y = labels(rng, n_positives, 0.1)
    return y, np.stack([scores(rng, y) for _ in range(n_models)]), {}


def in_clusters(rng: np.random.Generator, n_positives: int, kind: str) -> Drawn:
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


def cells(quick: bool) -> Iterator[Cell]:
    """The grid."""
    equal = [(m, n, c) for m in (2, 20) for n in (20, 100, 400) for c in (0.5, 0.95)]
    equal += [(100, 50, 0.5)]
    for m, n, correlation in equal[6:7] if quick else equal:
        kind = "2 equal" if m == 2 else "20 or 100 equal"
        yield known(kind, f"{m} equal", np.full(m, 1.3), n, correlation)
    if quick:
        return
    for n, correlation in ((50, 0.5), (100, 0.5), (100, 0.95), (400, 0.5), (400, 0.95)):
        yield known("20 spread", "20 spread", np.linspace(0.8, 1.5, 20), n, correlation)
    for n in (50, 200):
        name = "one of 20 better"
        yield known(name, name, np.r_[np.full(19, 1.0), 1.4], n, 0.8)
    for name, scores, n in (
        ("20 near-perfect", normal(4.0), 50),
        ("20 with few distinct scores", rounded(1.5), 50),
        ("20 with two false alarms each", two_alarms(50, 0.1), 50),
    ):
        draw = functools.partial(alike, n_positives=n, scores=scores, n_models=20)
        yield known_by_draw(f"{name}, {n} positives", draw)
    for kind in ("clusters", "weights"):
        draw = functools.partial(in_clusters, n_positives=100, kind=kind)
        yield known_by_draw(f"10 equal, {kind}, 100 positives", draw)
    draw = functools.partial(in_columns, n_positives=50)
    yield known_by_draw("10 equal, 3 columns, 50 positives each", draw)
    draw = functools.partial(in_clusters, n_positives=60, kind="queries")
    yield Cell(OTHERS, "10 equal, 60 queries", draw, None)
    draw = functools.partial(normals, n_positives=100, shifts=np.full(10, 1.3), correlation=0.5)
    yield Cell(OTHERS, "10 equal, AP@20, 100 positives", draw, None, AtK(20))


def known(kind: str, name: str, shifts: np.ndarray, n_positives: int, correlation: float) -> Cell:
    """Normal models, whose truth is the score of a large sample."""
    draw = functools.partial(
        normals, n_positives=n_positives, shifts=shifts, correlation=correlation
    )
    name = f"{name}, {n_positives} positives, correlation {correlation}"
    different, place = np.unique(shifts, return_inverse=True)
    y, scores, _ = normals(np.random.default_rng(0), 20_000, different, 0.5)
    truth = np.array([sklearn_ap.average_precision_score(y, score) for score in scores])
    return Cell(kind, name, draw, np.maximum.accumulate(truth)[place])


def known_by_draw(name: str, draw: Draw) -> Cell:
    """Models that are equal, whose truth is the score of the first in a large sample."""
    y, scores, options = draw(np.random.default_rng(0), n_positives=20_000)
    weight = {key: options[key] for key in options if key == "sample_weight"}
    truth = sklearn_ap.average_precision_score(y, scores[0], **weight)
    return Cell(OTHERS, name, draw, np.full(len(scores), truth))


def max_t(y: Any, scores: np.ndarray, made: Any, options: dict, definition: Definition) -> Any:
    """Step-down p-values from the largest of draws (Westfall and Young 1993), at most Holm's."""
    asked = [Request(y, score, **options) for score in scores]
    influences = influences_of_models(definition, asked, check_options(0.95, 99, 0))
    covariance, _ = best_of_many._covariance(influences, [*map(estimate_variance, influences)])
    draws = best_of_many._draw(covariance, np.random.default_rng(0))
    draws = draws[:, 1:] - draws[:, [0]]
    order = np.argsort(made.pvalues[1:], kind="stable")
    drawn = np.abs(draws / draws.std(axis=0))[:, order]
    largest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
    seen = -ndtri(made.pvalues[1:][order] / 2)
    adjusted = np.empty(order.size)
    n_above = np.count_nonzero(largest >= seen, axis=0)
    adjusted[order] = np.maximum.accumulate((n_above + 1) / (len(draws) + 1))
    return np.minimum(adjusted, made.adjusted_pvalues[1:])


def run(cell: Cell, n_samples: int) -> Row:
    """Simulate a cell, and count."""
    rng = rng_of(cell.name)
    found, estimates = [], []
    for _ in range(n_samples):
        y, scores, options = cell.draw(rng)
        named = {str(i): score for i, score in enumerate(scores)}
        options |= {"definition": cell.definition, "n_resamples": 199}
        best = sklearn_ap.best_average_precision(y, named, **options)
        alone = sklearn_ap.average_precision_interval(y, named[best.name], rng=0, **options)
        made = sklearn_ap.compare_average_precision(y, named, rng=0, **options)
        row = {"winner": int(best.name), "best": {int(name) for name in best.may_be_best}}
        row |= {"this": (best.low, best.high), "alone": (alone.low, alone.high)}
        row |= {"holm": made.adjusted_pvalues[1:] < 0.05}
        given = {key: options[key] for key in options if key not in ("definition", "n_resamples")}
        row |= {"max-t": max_t(y, scores, made, given, cell.definition) < 0.05}
        found.append(row)
        estimates.append(made.estimates)
    truth = cell.truth
    if truth is None:  # the models are equal
        truth = np.full(len(estimates[0]), np.mean(estimates))
    return {"kind": cell.kind, "name": cell.name} | counted(found, truth)


def counted(found: list[dict[str, Any]], truth: np.ndarray) -> dict[str, float]:
    """Shares in percent, and means."""
    row: dict[str, float] = {}
    for who in ("this", "alone"):
        held = [low <= truth[each["winner"]] <= high for each in found for low, high in [each[who]]]
        row[who] = 100 * float(np.mean(held))
        row[f"{who} width"] = float(np.mean([each[who][1] - each[who][0] for each in found]))
    truly = {int(i) for i in np.flatnonzero(truth == truth.max())}
    row["best"] = 100 * float(np.mean([len(truly & each["best"]) / len(truly) for each in found]))
    row["size"] = float(np.mean([len(each["best"]) for each in found]))
    equal = truth[1:] == truth[0]
    for how in ("holm", "max-t"):
        said = np.array([each[how] for each in found])
        row[f"{how} error"] = 100 * float(said[:, equal].any(axis=1).mean())
        row[f"{how} power"] = 100 * float(said[:, ~equal].mean()) if not equal.all() else np.nan
    return row


def summary(rows: list[Row]) -> str:
    """By kind: the worst cell, and the median."""
    head = ["models", "cells", "interval of the best: least", "median", "of one score: least"]
    head += ["in the set: least", "Holm errs: most", "max-t errs: most"]
    head += ["Holm finds", "max-t finds"]
    lines = [head]
    for kind, group in grouped(rows, "kind").items():
        of = {key: [row[key] for row in group] for key in group[0] if key not in ("kind", "name")}
        found = [np.median(of[f"{how} power"]) for how in ("holm", "max-t")]
        lines.append(
            [
                *(kind, str(len(group)), f"{min(of['this']):.1f}", f"{np.median(of['this']):.1f}"),
                *(f"{min(of['alone']):.1f}", f"{min(of['best']):.1f}"),
                *(f"{max(of['holm error']):.1f}", f"{max(of['max-t error']):.1f}"),
                *("" if math.isnan(share) else f"{share:.1f}" for share in found),
            ]
        )
    return table(lines)


def sections(rows: list[Row]) -> dict[str, str]:
    """The section of the page."""
    held = [row["this"] for row in rows]
    low = (
        f"{row['name']}: interval {row['this']:.1f}, set {row['best']:.1f}, Holm's errors "
        f"{row['holm error']:.1f}"
        for row in rows
        if min(row["this"], row["best"]) < FAILS or row["holm error"] > ERRS
    )
    fails = f"Cells in which the interval covers less than {FAILS}, the best is less often in the "
    text = section(
        f"The 95% interval of the best contained its true score in {np.median(held):.0f} of 100 "
        f"samples in the median cell, and in {min(held):.0f} in the worst of {len(rows)}. The "
        f"interval of one score fell to {min(row['alone'] for row in rows):.0f}.",
        summary(rows),
        failing(f"{fails}set, or Holm's rule errs in more than {ERRS}", low),
        SCRIPT,
        f"Each cell has {N_SAMPLES} samples.",
    )
    return {"best of many": text}


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    asked = ask(arguments, __doc__)
    n_samples = asked.samples or (20 if asked.quick else N_SAMPLES)
    run_cell = functools.partial(run, n_samples=n_samples)
    rows = simulate(SCRIPT, cells(asked.quick), run_cell, asked)
    publish(sections, rows, asked)


if __name__ == "__main__":
    main()
