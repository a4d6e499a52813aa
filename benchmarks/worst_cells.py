"""Whether intervals still hold where they are most easily wrong, in some minutes on two cores.

Runs a short grid of the worst cells of all questions, and exits with 1 if one of them is broken.

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
from collections.abc import Iterator
from functools import partial

import best_of_many
import cross_validation
import numpy as np
import populations
import simulation
import threshold_coverage
from populations import Drawn
from scipy.stats import binom
from simulation import Cell, Numbers, Row, Section

import sklearn_ap
from sklearn_ap.definitions import RecallAtK, Step

PROMISED = 93  # of a 95% interval: the limits of a page's cells
CHANCE = 0.001
cell_of = partial(simulation.interval_cell, n_samples=1_000, promised=PROMISED)


def classes(rng: np.random.Generator, n_classes: int, n: int, shift: float) -> Drawn:
    """Each row is of one class, and has a score for each."""
    y = np.repeat(np.arange(n_classes), n)
    s = rng.normal(size=(y.size, n_classes))
    s[np.arange(y.size), y] += shift
    return y, s, {}


def means_over_columns() -> Iterator[Cell]:
    """The bias of each column is that of the mean, which varies little."""
    kind = "means over columns and classes"
    sizes = ((100, 100, 0.02, 0.6), (50, 25, 0.05, 1.0), (200, 20, 0.1, 1.5), (14, 60, 0.05, 1.0))
    sizes += ((20, 30, 0.1, 1.0), (5, 40, 0.1, 1.0), (3, 20, 0.2, 1.0))
    for n_columns, n, prevalence, shift in sizes:
        prevalences = np.repeat(prevalence, n_columns)
        how = {"n_rows": round(n / prevalence), "prevalences": prevalences, "shift": shift}
        draw = partial(populations.columns, **how, shared=0.2)
        n_samples = 300 if n_columns == 100 else 1_000
        name = f"{n_columns} columns of {n} positives at {prevalence:g}"
        target = partial(populations.binormal, shift, prevalence)
        yield cell_of(name, draw, target, kind=kind, n_samples=n_samples)
    draw = partial(classes, n_classes=100, n=100, shift=2.0)
    target = partial(populations.binormal, 2.0, 0.01)
    yield cell_of("100 classes of 100 rows", draw, target, kind=kind, n_samples=300)


def difference_of_columns(
    rng: np.random.Generator, truth: float, n_rows: int, prevalences: np.ndarray, shifts: tuple
) -> Numbers:
    """Models of unequal strength, whose scores share most of their variance."""
    y, shared, _ = populations.columns(rng, n_rows, prevalences, shift=0.0, shared=0.2)
    own = (rng.normal(size=y.shape) / 3 for _ in shifts)
    size = math.sqrt(1 + 1 / 9)
    models = {
        f"{shift}": (shared + noise) / size + shift * y
        for shift, noise in zip(shifts, own, strict=True)
    }
    return simulation.judged(
        truth, *simulation.heard("", sklearn_ap.compare_average_precision, y, models)
    )


def differences_of_means() -> Iterator[Cell]:
    """The biases of the models differ by more than a standard error."""
    facts = {"kind": "differences of means over columns", "promised": PROMISED}
    for n_columns, n, prevalence, shifts in (
        (100, 100, 0.02, (1.0, 1.3)),
        (50, 25, 0.05, (1.0, 2.0)),
        (100, 50, 0.02, (1.5, 2.0)),
    ):
        how = {"n_rows": round(n / prevalence), "prevalences": np.repeat(prevalence, n_columns)}

        def apart(shifts: tuple = shifts, prevalence: float = prevalence) -> float:
            return populations.binormal(shifts[1], prevalence) - populations.binormal(
                shifts[0], prevalence
            )

        name = f"{n_columns} columns of {n} positives at {prevalence:g}, two models"
        judge = partial(difference_of_columns, **how, shifts=shifts)
        yield Cell(name, judge, 300, apart, facts)


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
    target = partial(populations.score_of_many, speakers, n_speakers=60_000)
    draw = partial(speakers, n_speakers=80)
    yield cell_of("80 speakers, some far off", draw, target, kind="clusters", promised=65)
    for n_sites, n_positives, n_negatives, largest, correlation in (
        (100, 5, 5_000, 0.5, 0.6),
        (30, 5, 1_500, 0.6, 0.6),
        (30, 5, 1_500, 0.3, 0.6),
        (15, 3, 405, 0.0, 0.9),
    ):
        how = {"n_sites": n_sites, "n_positives": n_positives, "n_negatives": n_negatives}
        draw = partial(sites, **how, largest=largest, correlation=correlation)
        positives = n_sites * n_positives
        target = partial(populations.binormal, 1.0, positives / (positives + n_negatives))
        name = f"{n_sites} sites of {n_positives} positives"
        name += f", one with {largest:.0%} of the negatives" if largest else ""
        yield cell_of(name, draw, target, kind="clusters")


def queries(rng: np.random.Generator, n_queries: int) -> Drawn:
    """A fifth of the queries is easy, and the others are not."""
    query = np.repeat(np.arange(n_queries), 100)
    y = (np.arange(query.size) % 100 < 5) * 1
    shift = np.where(rng.random(n_queries) < 0.2, 8.0, 0.0)[query]
    return y, rng.normal(size=y.size) + shift * y, {"queries": query}


def means_over_queries() -> Iterator[Cell]:
    """Few queries of unequal difficulty."""
    target = partial(populations.score_of_many, queries, n_queries=20_000)
    for n_queries in (10, 12):
        draw = partial(queries, n_queries=n_queries)
        name = f"{n_queries} queries, a fifth of them easy"
        yield cell_of(name, draw, target, kind="queries")


def rankings() -> Iterator[Cell]:
    """One ranking: heavy tails, and a small k, with what docs/evidence.md names."""
    family = "Cauchy, shifted by 30"
    draw = partial(populations.family_sample, family=family, n=200, prevalence=0.5)
    target = partial(populations.truth, Step(), family, 200, 0.5)
    name, facts = f"{family}, 200 positives at 0.5", {"kind": "one ranking"}
    yield cell_of(name, draw, target, promised=89, **facts)
    draw = partial(populations.family_sample, family="near-perfect", n=20, prevalence=0.1)
    name, target = "recall@20, near-perfect, 20 positives", partial(mean_recall, draw)
    yield cell_of(name, draw, target, definition=RecallAtK(20), promised=88, **facts)


def mean_recall(draw: partial) -> float:
    """The mean recall at 20 of samples of this size."""
    rng = np.random.default_rng(0)
    samples = (draw(rng)[:2] for _ in range(2_000))
    return float(np.mean([sklearn_ap.recall_at_k_score(*sample, k=20) for sample in samples]))


def prevalences() -> Iterator[Cell]:
    """At another prevalence."""
    for n, share, prevalence, family in (
        (200, 0.1, 0.1, "good"),
        (200, 0.1, 0.01, "Cauchy, shifted by 3"),
        (1000, 0.1, 0.001, "30% easy positives"),
    ):
        how = {"family": family, "n_rows": round(n / share), "share": share}
        target = partial(populations.truth_at, prevalence, Step(), family)
        name = f"{family}, {n} positives, from {share:g} to {prevalence:g}"
        draw = partial(populations.family_columns, **how, options={"prevalence": prevalence})
        yield cell_of(name, draw, target, kind="another prevalence")


def winners() -> Iterator[Cell]:
    """The best of many equal models."""
    facts = {"kind": "best of many", "promised": PROMISED}
    for n_models, n, n_samples in ((20, 400, 300), (100, 50, 150)):
        how = {"shifts": np.full(n_models, 1.3), "correlation": 0.5}
        draw = partial(best_of_many.normals, n_positives=n, **how)

        def sample(rng: np.random.Generator, truths: np.ndarray, draw: partial = draw) -> Numbers:
            y, scores, _ = draw(rng)
            return best_of_many.judged_best(y, scores, truths)

        name = f"best of {n_models}, {n} positives, correlation 0.5"
        target = partial(best_of_many.truth_of_normals, how["shifts"])
        yield Cell(name, sample, n_samples, target, facts)


def guaranteed(rng: np.random.Generator, _: None) -> Numbers:
    """Whether a threshold has the precision; none counts as one that has it."""
    population = threshold_coverage.in_bands("all just too bad, 0%", 0.5)
    y = populations.sample_labels(rng, 2_000, 0.5)
    goal = threshold_coverage.WAYS["sure"]
    call = sklearn_ap.operating_point
    point, warned = simulation.heard("", call, y, population.draw(rng, y), **goal)
    found = population.truth(np.array(point.threshold))["precision"]
    held = bool(point.remark) or bool(found >= goal["precision"])
    return {"held": held, "warned": warned}


def thresholds() -> Iterator[Cell]:
    """A threshold with a guarantee of 90%, where all thresholds are just too bad."""
    facts = {"kind": "thresholds", "promised": 90}
    yield Cell("threshold with a guarantee, 1,000 positives", guaranteed, 1_000, facts=facts)


def folds() -> Iterator[Cell]:
    """The pool of cross-validated models."""
    for learner, n, prevalence in (("logistic", 50, 0.2), ("15 neighbours", 50, 0.05)):
        facts = {"kind": "cross-validation", "promised": PROMISED}
        cell = cross_validation.of_learner(learner, n, prevalence, 5)
        name = f"{learner}, {n} positives at {prevalence:g}, 5 folds"
        yield Cell(name, cell.sample, 200, facts=facts)


GRID = [
    *(means_over_columns, differences_of_means, means_over_clusters, means_over_queries),
    *(rankings, prevalences, winners, thresholds, folds),
]


def cells() -> Iterator[Cell]:
    """The grid."""
    for make in GRID:
        yield from make()


def fewest(row: Row) -> int:
    """How many samples without a warning have to hold."""
    return int(binom.ppf(CHANCE, row["n_silent"], row["promised"] / 100))


def verdict(row: Row) -> str:
    """Whether the cell holds, is warned of, or is broken."""
    if row["warned"] > 75:
        return "warns"
    return "broken" if row["n_silent_held"] < fewest(row) else "holds"


def section(rows: list[Row]) -> Section:
    """The section of the page."""
    columns = simulation.of_coverage()
    columns["cells that warn"] = lambda rows: f"{[*map(verdict, rows)].count('warns')}"
    broken = [
        f"{row['name']}: {row['n_silent_held']:.0f} of {row['n_silent']:.0f}, for {fewest(row)}"
        for row in rows
        if verdict(row) == "broken"
    ]
    return Section(
        f"{len(rows) - len(broken)} of {len(rows)} cells hold, or come with a warning.",
        simulation.table_by("kind", rows, columns),
        simulation.failing(
            "Broken cells, with how many samples held, and how many have to", broken
        ),
        "They are the same each time.",
    )


def is_broken(arguments: list[str] | None = None) -> int:
    """Simulate, print, write; 1 if a cell is broken."""
    rows = simulation.main("worst_cells", __doc__, cells, {"worst cells": section}, arguments)
    broken = [row["name"] for row in rows if verdict(row) == "broken"]
    print(f"Broken: {'; '.join(broken) or 'none'}.")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(is_broken())
