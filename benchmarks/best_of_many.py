"""How often the interval of the best of many models holds its truth, and who may be the best.

Section "best of many": known models, with the interval of one score and p-values adjusted by Holm's
rule beside it. Section "best of folds": cross-validated models, whose truth is their mean score on
many new rows.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import cross_validation
import numpy as np
import populations
import simulation
from populations import Drawn
from simulation import Cell, Numbers
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from tables import COVERAGE, Row, Section, table_by, table_of, told

import sklearn_ap
from sklearn_ap.definitions import AtK, Definition, Step

FAILS, ERRS = 91, 8.8  # three standard errors of 300 samples from 95, and from 5
FAILS_OF_FOLDS = 89.5  # three of 150 samples from 95
SHOWN = {"covers": "{covers:.1f}", "in_the_set": "{best:.1f}", "Holm_errs": "{holm errs:.1f}"}
OTHERS = "other scores, rows and definitions"
N_LARGE = 20_000  # positives
N_FOLDS, PREVALENCE = 5, 0.1  # of cross-validated models


def truth_of_normals(shifts: np.ndarray) -> np.ndarray:
    """The scores of the population; models with the same shift are equal."""
    return np.array([populations.binormal(shift, 0.1) for shift in shifts])


def alike(rng: np.random.Generator, n_positives: int, scores: Any) -> Drawn:
    """Twenty models of one family, each with errors of its own."""
    y = populations.labels(rng, n_positives, 0.1)
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
    best, warned = simulation.heard("", sklearn_ap.best_average_precision, y, named, **options)
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
    return Cell(name, judge, 300, truth, {"kind": kind, "section": "best of many"})


def of_normals(kind: str, shifts: np.ndarray, n: int, correlation: float, name: str = "") -> Cell:
    """Normal models."""
    draw = partial(populations.normals, n_positives=n, shifts=shifts, correlation=correlation)
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

    return np.full(n_models, populations.score_of_many(first))


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
        ("20 near-perfect", populations.normal(4.0)),
        ("20 with few distinct scores", populations.rounded(1.5)),
        ("20 with two false alarms each", populations.two_alarms(50, 0.1)),
    ):
        yield of_equal(f"{name}, 50 positives", partial(alike, scores=scores), 50, 20)
    for kind, n in (("clusters", 100), ("weights", 100), ("queries", 60)):
        yield of_equal(f"10 equal, {kind}, {n} positives", partial(in_units, kind=kind), n, 10)
    yield of_equal("10 equal, 3 columns, 50 positives each", in_columns, 50, 10)
    draw = partial(populations.normals, n_positives=100, shifts=np.full(10, 1.3), correlation=0.5)
    name = "10 equal, AP@20, 100 positives"
    yield cell_of(OTHERS, name, draw, partial(truth_at_20, draw), AtK(20))
    yield from of_folds()


# ---- cross-validated models

ALIKE = np.repeat(0.8, 12)  # the means of positives where each learner sees two columns


def of_pairs(learner: Callable[[], Any]) -> dict[str, Any]:
    """Six models that are equally good, each on columns of its own."""
    return {
        f"columns {i, i + 1}": cross_validation.on_columns(i, i + 2, learner())
        for i in range(0, 12, 2)
    }


def three_learners() -> dict[str, Any]:
    """Three kinds of learners on the same columns."""
    return {
        name: cross_validation.LEARNERS[name]()
        for name in ("logistic", "naive Bayes", "tree of depth 4")
    }


def penalties() -> dict[str, Any]:
    """One learner with eight penalties, most of them nearly equal."""
    return {f"C={c:g}": LogisticRegression(C=c) for c in np.geomspace(1e-4, 1e3, 8)}


KINDS: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = {
    "three learners": (three_learners, {}),
    "eight penalties": (penalties, {}),
    "six equal logistic": (partial(of_pairs, LogisticRegression), {"means": ALIKE}),
    "six equal trees": (
        partial(of_pairs, partial(DecisionTreeClassifier, max_depth=4, random_state=0)),
        {"means": ALIKE},
    ),
}


def sample_of_folds(rng: np.random.Generator, _: None, kind: str, n_positives: int) -> Numbers:
    """The interval of the best beside its truth, and which models may be the best."""
    make, how = KINDS[kind]
    n_negatives = round(n_positives / PREVALENCE) - n_positives
    folds = cross_validation.Folds(rng, "stratified", N_FOLDS, n_positives, n_negatives, **how)
    cv, seed = {name: folds.trained(model) for name, model in make().items()}, rng.integers(2**32)
    call = sklearn_ap.BestAveragePrecision.from_cv_results
    best, warned = simulation.heard("", call, cv, folds.X, folds.y)
    truth = {
        name: cross_validation.mean_truth(
            each["estimator"], Step(), 200, PREVALENCE, int(seed), **how
        )
        for name, each in cv.items()
    }
    estimate = best.estimates[best.names.index(best.name)]
    numbers = {"estimate": estimate, "low": best.low, "high": best.high}
    numbers |= {"truth": truth[best.name], "warned": warned}
    numbers["best"] = max(truth, key=lambda name: truth[name]) in best.may_be_best
    return numbers | {"named": 100 * len(best.may_be_best) / len(truth)}


def of_folds() -> Iterator[Cell]:
    """The grid of cross-validated models."""
    for kind in KINDS:
        for n_positives in (50, 200):
            judge = partial(sample_of_folds, kind=kind, n_positives=n_positives)
            facts = {"kind": kind, "section": "best of folds"}
            yield Cell(f"{kind}, {n_positives} positives", judge, 150, facts=facts)


# ---- sections


def section_of_many(rows: list[Row]) -> Section:
    """Known models."""
    columns = COVERAGE | {
        "of one score: lowest": "{alone.least:.0f}",
        "in the set: lowest": "{best.least:.0f}",
        "Holm errs: most": "{holm errs.most:.1f}",
        "Holm finds": "{holm finds.mean:.0f}",
    }
    low = (
        row for row in rows if min(row["covers"], row["best"]) < FAILS or row["holm errs"] > ERRS
    )
    return Section(
        told(
            "The 95% interval of the best contained its true score in {covers.median:.0f} of 100 "
            "samples in the median cell, and in {covers.least:.0f} in the worst of {n} cells. The "
            "interval of a single score did so in {alone.least:.0f} in its worst cell.",
            rows,
        ),
        table_by("kind", rows, columns, "models"),
        [table_of(f"Cells below {FAILS}, or Holm's errors above {ERRS}", low, **SHOWN)],
    )


def section_of_folds(rows: list[Row]) -> Section:
    """Cross-validated models."""
    low = (row for row in rows if min(row["covers"], row["best"]) < FAILS_OF_FOLDS)
    return Section(
        told(
            "The interval of the best contained its true score in {covers.least:.0f} to "
            "{covers.most:.0f} of 100 samples. `may_be_best` contained the best model in "
            "{best.least:.0f} to {best.most:.0f}, and named {named.least:.0f} to "
            "{named.most:.0f}% of the models.",
            rows,
        ),
        table_by("kind", rows, COVERAGE, "models"),
        [
            table_of(
                f"Cells below {FAILS_OF_FOLDS}", low, covers="{covers:.1f}", in_the_set="{best:.1f}"
            )
        ],
    )


SECTIONS = {"best of many": section_of_many, "best of folds": section_of_folds}

if __name__ == "__main__":
    simulation.main("best_of_many", __doc__, cells, SECTIONS)
