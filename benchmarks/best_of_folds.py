"""How often the best of several cross-validated models keeps its promises.

    python benchmarks/best_of_folds.py [--quick] [--samples N] [--cells TEXT]

Draws training sets of a known population, cross-validates models with the same folds, and asks
BestAveragePrecision.from_cv_results for the best. Its truth is the mean average precision of its
models on many new rows. Writes the section "best of folds" of docs/evidence.md, in some minutes;
--quick takes seconds.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from cross_validation import LEARNERS, Folds, mean_truth, on_columns
from simulation import (
    Cell,
    Numbers,
    Row,
    Section,
    failing,
    heard,
    main,
    of_coverage,
    table_by,
    values,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import BestAveragePrecision
from sklearn_ap.definitions import Step

N_FOLDS, PREVALENCE = 5, 0.1
FAILS = 89.5  # three standard errors from 95
ALIKE = np.repeat(0.8, 12)  # the means of positives where each learner sees two columns


def of_pairs(learner: Callable[[], Any]) -> dict[str, Any]:
    """Six models that are equally good, each on columns of its own."""
    return {f"columns {i, i + 1}": on_columns(i, i + 2, learner()) for i in range(0, 12, 2)}


def three_learners() -> dict[str, Any]:
    """Three kinds of learners on the same columns."""
    return {name: LEARNERS[name]() for name in ("logistic", "naive Bayes", "tree of depth 4")}


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


def sample(rng: np.random.Generator, _: None, kind: str, n_positives: int) -> Numbers:
    """The interval of the best beside its truth, and which models may be the best."""
    make, how = KINDS[kind]
    n_negatives = round(n_positives / PREVALENCE) - n_positives
    folds = Folds(rng, "stratified", N_FOLDS, n_positives, n_negatives, **how)
    cv, seed = {name: folds.trained(model) for name, model in make().items()}, rng.integers(2**32)
    best, warned = heard("", BestAveragePrecision.from_cv_results, cv, folds.X, folds.y)
    truth = {
        name: mean_truth(each["estimator"], Step(), 200, PREVALENCE, int(seed), **how)
        for name, each in cv.items()
    }
    estimate = best.estimates[best.names.index(best.name)]
    numbers = {"estimate": estimate, "low": best.low, "high": best.high}
    numbers |= {"truth": truth[best.name], "warned": warned}
    numbers["best"] = max(truth, key=lambda name: truth[name]) in best.may_be_best
    return numbers | {"named": 100 * len(best.may_be_best) / len(truth)}


def cells() -> Iterator[Cell]:
    """The grid."""
    for kind in KINDS:
        for n_positives in (50, 200):
            judge = partial(sample, kind=kind, n_positives=n_positives)
            yield Cell(f"{kind}, {n_positives} positives", judge, 150, facts={"kind": kind})


def sections(rows: list[Row]) -> dict[str, Section]:
    """The section of the page."""
    held, best, named = (values(rows, name) for name in ("held", "best", "named"))
    low = (
        f"{row['name']}: {row['held']:.1f}, {row['best']:.1f}"
        for row in rows
        if min(row["held"], row["best"]) < FAILS
    )
    conclusion = (
        f"The interval of the best contained its true score in {min(held):.0f} to {max(held):.0f} "
        f"of 100 samples, and `may_be_best` the best model in {min(best):.0f} to {max(best):.0f}. "
        f"It names {min(named):.0f} to {max(named):.0f}% of the models."
    )
    tables = table_by("kind", rows, of_coverage(), "models")
    return {"best of folds": Section(conclusion, tables, failing(f"Cells below {FAILS}", low))}


if __name__ == "__main__":
    main("best_of_folds", __doc__, cells, sections)
