"""How often the best of several cross-validated models keeps its promises.

    python benchmarks/best_of_folds.py [--quick] [--samples N] [--cells TEXT]

Draws training sets of a known population, cross-validates models with the same folds, and asks
BestAveragePrecision.from_cv_results for the best. Its truth is the mean average precision of its
models on many new rows. Writes the section "best of folds" of docs/evidence.md, in some minutes;
--quick takes seconds.
"""

import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from cross_validation import LEARNERS, draw, mean_truth, on_columns
from simulation import Row, ask, failing, publish, section, simulate
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import BestAveragePrecision
from sklearn_ap.definitions import Step

N_RUNS, N_FOLDS, PREVALENCE = 150, 5, 0.1
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


@dataclass
class Cell:
    """Models of a kind, on so many positives."""

    kind: str
    n_positives: int

    @property
    def name(self) -> str:
        """What the cell is called, and its generator."""
        return f"{self.kind}, {self.n_positives} positives"


def cells() -> Iterator[Cell]:
    """The grid."""
    for kind in KINDS:
        for n_positives in (50, 200):
            yield Cell(kind, n_positives)


def run(cell: Cell, n_runs: int) -> Row:
    """What is kept, in percent of the runs."""
    found = [one(cell.kind, cell.n_positives, i) for i in range(n_runs)]
    shares = 100 * np.mean(found, axis=0)
    row: Row = {"name": cell.name, "kind": cell.kind, "n": cell.n_positives}
    return row | dict(zip(("held", "best", "named"), map(float, shares), strict=True))


def one(kind: str, n_positives: int, i: int) -> list[float]:
    """Whether the interval holds, whether the best is among those named, and how many these are."""
    make, how = KINDS[kind]
    seed = [zlib.crc32(f"{kind}{n_positives}".encode()), i]
    n_negatives = round(n_positives / PREVALENCE) - n_positives
    X, y = draw(np.random.default_rng(seed), n_positives, n_negatives, **how)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=i)
    cv = {
        name: cross_validate(model, X, y, cv=folds, return_estimator=True, return_indices=True)
        for name, model in make().items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = BestAveragePrecision.from_cv_results(cv, X, y)
    truth = {
        name: mean_truth(each["estimator"], Step(), 200, PREVALENCE, seed=[*seed, 1], **how)
        for name, each in cv.items()
    }
    chosen, best = truth[found.name], max(truth, key=lambda name: truth[name])
    named = len(found.may_be_best) / len(truth)
    return [found.low <= chosen <= found.high, best in found.may_be_best, named]


def sections(rows: list[Row]) -> dict[str, str]:
    """The section of the page."""
    held, best, shares = ([row[name] for row in rows] for name in ("held", "best", "named"))
    low = (f"{r['name']}: {r['held']:.1f}, {r['best']:.1f}" for r in rows if is_low(r))
    text = section(
        f"The interval of the best contained its true score in {min(held):.0f} to {max(held):.0f} "
        f"of 100 samples, and `may_be_best` the best model in {min(best):.0f} to {max(best):.0f}. "
        f"It names {min(shares):.0f} to {max(shares):.0f}% of the models.",
        "",
        failing(f"Cells below {FAILS}", low),
        "best_of_folds",
        f"Each cell has {N_RUNS} samples.",
    )
    return {"best of folds": text}


def is_low(row: Row) -> bool:
    """Whether a cell fails."""
    return min(row["held"], row["best"]) < FAILS


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    asked = ask(arguments, __doc__)
    n_runs = asked.samples or (2 if asked.quick else N_RUNS)
    rows = simulate("best_of_folds", cells(), partial(run, n_runs=n_runs), asked)
    publish(sections, rows, asked)


if __name__ == "__main__":
    main()
