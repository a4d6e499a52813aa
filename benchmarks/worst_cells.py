"""Whether intervals still hold where they are most easily wrong, in some minutes on two cores.

    python benchmarks/worst_cells.py [--quick] [--samples N] [--cells TEXT]

Runs a short grid of the worst cells of all questions, and exits with 1 if one of them is broken.
Writes the section "worst cells" of docs/evidence.md. --quick draws a few samples of each cell.

A call may warn. Its samples that come without a warning have to hold in PROMISED of 100, or in what
the page names for the cell. Chance does not count: a cell is broken if so few hold that a cell
which does hold as often has them with a probability below CHANCE. A cell of 1,000 samples that
should hold in 93 of 100 is then broken below 904. One that truly holds in 89 is found with a
probability of 92%, and in 88 of 99%. With 300 samples, it is broken below 264, and one that truly
holds in 85 is found with 92%. All cells draw the same samples each time, so a cell that holds today
breaks only by a change of the library, or of what it is built on.
"""

import math
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import best_of_many
import cross_validation
import numpy as np
import threshold_coverage
from scipy.stats import binom, norm
from simulation import (
    FAMILIES,
    Row,
    ask,
    failing,
    family_scores,
    grouped,
    labels,
    publish,
    rng_of,
    sample_labels,
    section,
    simulate,
    table,
    truth,
    truth_at,
)
from sklearn.model_selection import StratifiedKFold, cross_validate

import sklearn_ap
from sklearn_ap.definitions import Definition, RecallAtK, Step

PROMISED = 93  # of a 95% interval: the limits of a page's cells
CHANCE = 0.001
Drawn = tuple[Any, Any, dict[str, Any]]  # labels, scores, options
Draw = Callable[[np.random.Generator], Drawn]
Judge = Callable[[np.random.Generator], bool]  # whether one sample holds


@dataclass
class Cell:
    """Samples, of which so many in 100 should hold where there is no warning."""

    name: str
    judge: Judge
    n_samples: int = 1_000
    promised: float = PROMISED
    kind: str = ""


def holds(draw: Draw, target: float, definition: Definition | None = None) -> Judge:
    """Whether the interval contains the target."""

    def judge(rng: np.random.Generator) -> bool:
        y, s, options = draw(rng)
        made = sklearn_ap.average_precision_interval(
            y, s, definition=definition or Step(), rng=0, **options
        )
        return bool(made.low <= target <= made.high)

    return judge


def binormal(shift: float, prevalence: float) -> float:
    """The average precision of normal scores, by integration."""
    t = np.linspace(-9, 9 + shift, 40_001)
    recall, false = norm.sf(t - shift), norm.sf(t)
    precision = prevalence * recall / (prevalence * recall + (1 - prevalence) * false)
    return float(np.sum((precision[1:] + precision[:-1]) / 2 * -np.diff(recall)))


def columns(
    rng: np.random.Generator, n_columns: int, n: int, prevalence: float, shift: float
) -> Drawn:
    """Columns that share a fifth of the variance."""
    y = (rng.random((round(n / prevalence), n_columns)) < prevalence) * 1
    y[0] |= ~y.any(axis=0)  # at least one; fixed ones would raise the prevalence
    s = math.sqrt(0.8) * rng.normal(size=y.shape) + math.sqrt(0.2) * rng.normal(size=(len(y), 1))
    return y, s + shift * y, {}


def classes(rng: np.random.Generator, n_classes: int, n: int, shift: float) -> Drawn:
    """Each row is of one class, and has a score for each."""
    y = np.repeat(np.arange(n_classes), n)
    s = rng.normal(size=(y.size, n_classes))
    s[np.arange(y.size), y] += shift
    return y, s, {}


def means_over_columns() -> Iterator[Cell]:
    """The bias of each column is that of the mean, which varies little."""
    sizes = ((100, 100, 0.02, 0.6), (50, 25, 0.05, 1.0), (200, 20, 0.1, 1.5), (14, 60, 0.05, 1.0))
    sizes += ((20, 30, 0.1, 1.0), (5, 40, 0.1, 1.0), (3, 20, 0.2, 1.0))
    for n_columns, n, prevalence, shift in sizes:
        how = {"n_columns": n_columns, "n": n, "prevalence": prevalence, "shift": shift}
        judge = holds(partial(columns, **how), binormal(shift, prevalence))
        name = f"{n_columns} columns of {n} positives at {prevalence:g}"
        yield Cell(name, judge, n_samples=300 if n_columns == 100 else 1_000)
    judge = holds(partial(classes, n_classes=100, n=100, shift=2.0), binormal(2.0, 0.01))
    yield Cell("100 classes of 100 rows", judge, n_samples=300)


def differences_of_means() -> Iterator[Cell]:
    """Models of unequal strength: their biases differ by more than a standard error."""
    for n_columns, n, prevalence, shifts in (
        (100, 100, 0.02, (1.0, 1.3)),
        (50, 25, 0.05, (1.0, 2.0)),
        (100, 50, 0.02, (1.5, 2.0)),
    ):
        how = {"n_columns": n_columns, "n": n, "prevalence": prevalence, "shift": 0.0}

        def judge(
            rng: np.random.Generator,
            how: dict[str, Any] = how,
            shifts: tuple[float, float] = shifts,
            prevalence: float = prevalence,
        ) -> bool:
            y, shared, _ = columns(rng, **how)
            own = (rng.normal(size=y.shape) / 3 for _ in shifts)
            size = math.sqrt(1 + 1 / 9)
            models = {
                str(shift): (shared + noise) / size + shift * y
                for shift, noise in zip(shifts, own, strict=True)
            }
            made = sklearn_ap.compare_average_precision(y, models)
            apart = binormal(shifts[1], prevalence) - binormal(shifts[0], prevalence)
            return bool(made.difference_lows[1] <= apart <= made.difference_highs[1])

        name = f"{n_columns} columns of {n} positives at {prevalence:g}, two models"
        yield Cell(name, judge, n_samples=300)


def sites(
    rng: np.random.Generator,
    n_sites: int,
    n_positives: int,
    n_negatives: int,
    largest: float,
    correlation: float,
) -> Drawn:
    """Sites with as many positives each; the first may have most of the negatives."""
    first = round(largest * n_negatives)
    negatives = np.r_[np.zeros(first, dtype=int), np.arange(n_negatives - first) % n_sites]
    site = np.r_[np.repeat(np.arange(n_sites), n_positives), negatives]
    y = (np.arange(site.size) < n_sites * n_positives) * 1
    effect, noise = rng.normal(size=n_sites)[site], rng.normal(size=site.size)
    s = y + math.sqrt(correlation) * effect + math.sqrt(1 - correlation) * noise
    return y, s, {"clusters": site}


def speakers(rng: np.random.Generator, n_speakers: int) -> Drawn:
    """Speakers of 10 to 60 trials, some of whom score far from all others."""
    speaker = np.repeat(np.arange(n_speakers), rng.integers(10, 61, n_speakers))
    y = (rng.random(speaker.size) < 0.1) * 1
    s = rng.normal(size=y.size) + 2.5 * y + 0.5 * rng.standard_t(3, n_speakers)[speaker]
    return y, s, {"clusters": speaker}


def means_over_clusters() -> Iterator[Cell]:
    """Few clusters, one that has many of the negatives, or some that are far off."""
    y, s, _ = speakers(np.random.default_rng(0), 60_000)
    judge = holds(partial(speakers, n_speakers=80), sklearn_ap.average_precision_score(y, s))
    yield Cell("80 speakers, some far off", judge, promised=65)
    for n_sites, n_positives, n_negatives, largest, correlation in (
        (100, 5, 5_000, 0.5, 0.6),
        (30, 5, 1_500, 0.6, 0.6),
        (30, 5, 1_500, 0.3, 0.6),
        (15, 3, 405, 0.0, 0.9),
    ):
        draw = partial(
            sites,
            n_sites=n_sites,
            n_positives=n_positives,
            n_negatives=n_negatives,
            largest=largest,
            correlation=correlation,
        )
        prevalence = n_sites * n_positives / (n_sites * n_positives + n_negatives)
        name = f"{n_sites} sites of {n_positives} positives"
        name += f", one with {largest:.0%} of the negatives" if largest else ""
        yield Cell(name, holds(draw, binormal(1.0, prevalence)))


def queries(rng: np.random.Generator, n_queries: int) -> Drawn:
    """A fifth of the queries is easy, and the others are not."""
    query = np.repeat(np.arange(n_queries), 100)
    y = (np.arange(query.size) % 100 < 5) * 1
    shift = np.where(rng.random(n_queries) < 0.2, 8.0, 0.0)[query]
    return y, rng.normal(size=y.size) + shift * y, {"queries": query}


def means_over_queries() -> Iterator[Cell]:
    """Few queries of unequal difficulty."""
    y, s, options = queries(np.random.default_rng(0), 20_000)
    target = sklearn_ap.average_precision_score(y, s, **options)
    for n_queries in (10, 12):
        judge = holds(partial(queries, n_queries=n_queries), target)
        yield Cell(f"{n_queries} queries, a fifth of them easy", judge)


def rankings() -> Iterator[Cell]:
    """One ranking: heavy tails, and a small k, with what docs/evidence.md names."""

    def draw(rng: np.random.Generator, family: str, n: int, prevalence: float) -> Drawn:
        y = labels(rng, n, prevalence)
        return y, family_scores(family, n, prevalence)(rng, y), {}

    family = "Cauchy, shifted by 30"
    target = truth(Step(), family, 200, 0.5)
    judge = holds(partial(draw, family=family, n=200, prevalence=0.5), target)
    yield Cell(f"{family}, 200 positives at 0.5", judge, promised=89)
    drawn = partial(draw, family="near-perfect", n=20, prevalence=0.1)
    judge = holds(drawn, mean_score(drawn, RecallAtK(20)), RecallAtK(20))
    yield Cell("recall@20, near-perfect, 20 positives", judge, promised=88)


def mean_score(draw: Draw, definition: Definition) -> float:
    """The mean score of samples of this size."""
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(2_000):
        y, s, _ = draw(rng)
        scores.append(definition(sklearn_ap.threshold_counts(y, s))[0])
    return float(np.mean(scores))


def prevalences() -> Iterator[Cell]:
    """At another prevalence."""
    for n, share, prevalence, family in (
        (200, 0.1, 0.1, "good"),
        (200, 0.1, 0.01, "Cauchy, shifted by 3"),
        (1000, 0.1, 0.001, "30% easy positives"),
    ):

        def draw(
            rng: np.random.Generator,
            n: int = n,
            share: float = share,
            prevalence: float = prevalence,
            family: str = family,
        ) -> Drawn:
            y = sample_labels(rng, round(n / share), share, fewest=2)
            return y, FAMILIES[family](rng, y), {"prevalence": prevalence}

        target = truth_at(prevalence, Step(), family)
        yield Cell(
            f"{family}, {n} positives, from {share:g} to {prevalence:g}", holds(draw, target)
        )


def winners() -> Iterator[Cell]:
    """The best of many equal models."""
    for n_models, n in ((20, 400), (100, 50)):
        cell = best_of_many.known("", f"best of {n_models}", np.full(n_models, 1.3), n, 0.5)

        def judge(rng: np.random.Generator, cell: best_of_many.Cell = cell) -> bool:
            y, scores, _ = cell.draw(rng)
            named = {str(i): score for i, score in enumerate(scores)}
            best = sklearn_ap.best_average_precision(y, named)
            return bool(best.low <= cell.truth[int(best.name)] <= best.high)

        yield Cell(cell.name, judge, 300 if n_models == 20 else 150)


def thresholds() -> Iterator[Cell]:
    """A threshold with a guarantee of 90%, where all thresholds are just too bad."""

    def judge(rng: np.random.Generator) -> bool:
        population = threshold_coverage.flat(0.5)
        y = sample_labels(rng, 2_000, 0.5)
        point = sklearn_ap.operating_point(
            y, population.draw(rng, y), precision=threshold_coverage.PRECISION, guarantee=0.9
        )
        precision = population.truth(np.array(point.threshold))["precision"]
        return bool(point.remark) or bool(precision >= threshold_coverage.PRECISION)

    yield Cell("threshold with a guarantee, 1,000 positives", judge, promised=90)


def folds() -> Iterator[Cell]:
    """The pool of cross-validated models."""
    for learner, n, prevalence in (("logistic", 50, 0.2), ("15 neighbours", 50, 0.05)):

        def judge(
            rng: np.random.Generator,
            learner: str = learner,
            n: int = n,
            prevalence: float = prevalence,
        ) -> bool:
            X, y = cross_validation.draw(rng, n, round(n / prevalence) - n)
            splits = StratifiedKFold(5, shuffle=True, random_state=0)
            model = cross_validation.LEARNERS[learner]()
            cv = cross_validate(model, X, y, cv=splits, return_estimator=True, return_indices=True)
            made = sklearn_ap.AveragePrecisionInterval.from_cv_results(cv, X, y)
            seed = int(rng.integers(2**32))
            target = cross_validation.mean_truth(cv["estimator"], Step(), n, prevalence, seed=seed)
            return bool(made.low <= target <= made.high)

        yield Cell(f"{learner}, {n} positives at {prevalence:g}, 5 folds", judge, 200)


GRID: dict[str, Callable[[], Iterator[Cell]]] = {
    "means over columns and classes": means_over_columns,
    "differences of means over columns": differences_of_means,
    "clusters": means_over_clusters,
    "queries": means_over_queries,
    "one ranking": rankings,
    "another prevalence": prevalences,
    "best of many": winners,
    "thresholds": thresholds,
    "cross-validation": folds,
}


def run(cell: Cell, n_samples: int | None) -> Row:
    """How many samples hold, and how many come with a warning."""
    rng, found = rng_of(cell.name), []
    for _ in range(n_samples or cell.n_samples):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            is_held = cell.judge(rng)
        is_warned = any(issubclass(w.category, sklearn_ap.UncertaintyWarning) for w in caught)
        found.append((is_held, is_warned))
    held, warned = np.array(found).T
    row: Row = {"name": cell.name, "kind": cell.kind, "promised": cell.promised, "n": len(found)}
    row |= {"held": int(held.sum()), "warned": int(warned.sum())}
    return row | {"silent": int(held[~warned].sum())}


def fewest(row: Row) -> int:
    """How many samples without a warning have to hold."""
    return int(binom.ppf(CHANCE, row["n"] - row["warned"], row["promised"] / 100))


def verdict(row: Row) -> str:
    """Whether the cell holds, is warned of, or is broken."""
    if row["warned"] > 0.75 * row["n"]:
        return "warns"
    return "broken" if row["silent"] < fewest(row) else "holds"


def sections(rows: list[Row]) -> dict[str, str]:
    """The section of the page."""
    lines = [["", "cells", "held: least", "median", "cells that warn"]]
    for kind, group in grouped(rows, "kind").items():
        held = [100 * row["held"] / row["n"] for row in group]
        warn = [verdict(row) for row in group].count("warns")
        numbers = f"{min(held):.0f}", f"{np.median(held):.0f}", str(warn)
        lines.append([kind, str(len(group)), *numbers])
    broken = (
        f"{row['name']}: {row['silent']} of {row['n'] - row['warned']}, for {fewest(row)}"
        for row in rows
        if verdict(row) == "broken"
    )
    sizes = sorted({row["n"] for row in rows})
    n_right = sum(verdict(row) != "broken" for row in rows)
    text = section(
        f"{n_right} of {len(rows)} cells hold, or come with a warning.",
        table(lines),
        failing("Broken cells, with how many samples held, and how many have to", broken),
        "worst_cells",
        f"The cells have {sizes[0]:,} to {sizes[-1]:,} samples, the same each time.",
    )
    return {"worst cells": text}


def main(arguments: list[str] | None = None) -> int:
    """Simulate, print, write; 1 if a cell is broken."""
    asked = ask(arguments, __doc__)
    cells = (replace(cell, kind=kind) for kind, make in GRID.items() for cell in make())
    n_samples = asked.samples or (5 if asked.quick else None)
    rows = simulate("worst_cells", cells, partial(run, n_samples=n_samples), asked)
    publish(sections, rows, asked)
    broken = [row["name"] for row in rows if verdict(row) == "broken"]
    print(f"Broken: {'; '.join(broken) or 'none'}.")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
