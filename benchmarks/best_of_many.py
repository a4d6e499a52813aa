"""How often the interval of the best of many models holds its truth, and who may be the best.

    python benchmarks/best_of_many.py [--quick]

Simulates samples of known models, asks best_average_precision for the best of each sample, and
counts. Beside it, p-values adjusted by Holm and by the largest of normal draws (max-t). Prints
tables and writes docs/best_of_many_coverage.md, in half an hour; --quick takes some seconds, and
writes nothing.
"""

import datetime
import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtri
from simulation import correlated, labels, normal, rng_of, rounded, table, two_alarms, write_page

import sklearn_ap
from sklearn_ap._inputs import Request
from sklearn_ap._uncertainty import check_options
from sklearn_ap._uncertainty import winner as best_of_many
from sklearn_ap._uncertainty.interval import moves_of_models
from sklearn_ap._uncertainty.spread import spread_of
from sklearn_ap.definitions import AtK, Definition, Step

N_SAMPLES = 300
Drawn = tuple[np.ndarray, np.ndarray, dict[str, Any]]  # labels, a row per model, options
Draw = Callable[..., Drawn]


@dataclass
class Cell:
    """Models of one kind; ``draw`` takes a generator, and n_positives for a larger sample.

    Without ``truth`` the truth of a model is its mean score over samples of this size.
    """

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
        yield known(f"{m} equal", np.full(m, 1.3), n, correlation)
    if quick:
        return
    for n, correlation in ((50, 0.5), (100, 0.5), (100, 0.95), (400, 0.5), (400, 0.95)):
        yield known("20 spread", np.linspace(0.8, 1.5, 20), n, correlation)
    for n in (50, 200):
        yield known("one of 20 better", np.r_[np.full(19, 1.0), 1.4], n, 0.8)
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
    yield Cell("10 equal, 60 queries", draw, None)
    draw = functools.partial(normals, n_positives=100, shifts=np.full(10, 1.3), correlation=0.5)
    yield Cell("10 equal, AP@20, 100 positives", draw, None, AtK(20))


def known(name: str, shifts: np.ndarray, n_positives: int, correlation: float) -> Cell:
    """Normal models, whose truth is the score of a large sample."""
    draw = functools.partial(
        normals, n_positives=n_positives, shifts=shifts, correlation=correlation
    )
    name = f"{name}, {n_positives} positives, correlation {correlation}"
    different, place = np.unique(shifts, return_inverse=True)
    y, scores, _ = normals(np.random.default_rng(0), 20_000, different, 0.5)
    truth = np.array([sklearn_ap.average_precision_score(y, score) for score in scores])
    return Cell(name, draw, np.maximum.accumulate(truth)[place])


def known_by_draw(name: str, draw: Draw) -> Cell:
    """Models that are equal, whose truth is the score of the first in a large sample."""
    y, scores, options = draw(np.random.default_rng(0), n_positives=20_000)
    weight = {key: options[key] for key in options if key == "sample_weight"}
    truth = sklearn_ap.average_precision_score(y, scores[0], **weight)
    return Cell(name, draw, np.full(len(scores), truth))


def max_t(y: Any, scores: np.ndarray, made: Any, options: dict, definition: Definition) -> Any:
    """Step-down p-values from the largest of draws (Westfall and Young 1993), at most Holm's."""
    asked = [Request(y, score, **options) for score in scores]
    moves = moves_of_models(definition, asked, check_options(0.95, 99, 0))
    covariance, _ = best_of_many._covariance(moves, [*map(spread_of, moves)])
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


def run(cell: Cell, n_samples: int) -> dict[str, Any]:
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
    return {"name": cell.name} | counted(found, truth)


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


PAGE = """# Coverage of the best of many

Written by `python benchmarks/best_of_many.py` on {date}.

Each row draws {n_samples} samples of models whose truth is known, and asks `best_average_precision`
for the best of each sample. "Correlation" says how much of the evidence all models share. The
numbers are percentages, except widths and sizes. A percentage of 95 is uncertain by 1.3, and the
worst of many rows overstates the problem.

## Does the interval of the best contain its true score?

"Interval of one score" is that of `average_precision_interval` for the same winner, which does not
allow for the choice. "The best is in the set" says how often `may_be_best` contains the model that
is truly the best. Where several models are equally good, the number is the mean over them.

{coverage}

## Are p-values better adjusted by the largest of normal draws?

`compare_average_precision` adjusts p-values by Holm's rule. The alternative (max-t, step down)
uses the correlation of the differences. "Any error" says how often at least one model that is equal
to the reference has an adjusted p-value below 0.05, which should be 5 at most. "Power" is the mean
share of the models that differ from it and are found.

{adjusted}

Max-t finds a little more. It also makes errors more often, and in some rows in more than 5 of 100
samples. So p-values are adjusted by Holm's rule.
"""


def page(rows: list[dict[str, Any]]) -> str:
    """The page of the docs."""
    head = ["models", "interval of the best contains its truth", "width"]
    head += ["interval of one score contains it", "width"]
    head += ["the best is in the set", "size of the set"]
    keys = ("this", "this width", "alone", "alone width", "best", "size")
    forms = ("{:.1f}", "{:.3f}", "{:.1f}", "{:.3f}", "{:.1f}", "{:.1f}")
    lines = [
        [row["name"], *(form.format(row[key]) for key, form in zip(keys, forms, strict=True))]
        for row in rows
    ]
    coverage = table([head, *lines])
    head = ["models", "Holm: any error", "max-t: any error", "Holm: power", "max-t: power"]
    keys = ("holm error", "max-t error", "holm power", "max-t power")
    lines = [
        [row["name"], *("" if math.isnan(row[key]) else f"{row[key]:.1f}" for key in keys)]
        for row in rows
    ]
    adjusted = table([head, *lines])
    date = datetime.date.today()
    return PAGE.format(date=date, n_samples=N_SAMPLES, coverage=coverage, adjusted=adjusted)


def simulate(quick: bool) -> str:
    """All cells, and the page."""
    rows = []
    for cell in cells(quick):
        rows.append(run(cell, 20 if quick else N_SAMPLES))
        print(rows[-1], flush=True)
    return page(rows)


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    write_page("best_of_many_coverage.md", simulate, arguments, __doc__)


if __name__ == "__main__":
    main()
