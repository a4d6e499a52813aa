"""How often the best of several cross-validated models keeps its promises.

    python benchmarks/best_of_folds.py [--quick]

Draws training sets of a known population, cross-validates models with the same folds, and asks
BestAveragePrecision.from_cv_results for the best. Its truth is the mean average precision of its
models on many new rows. Prints a table and writes it into docs/best_of_many.md, in some minutes;
--quick takes seconds, and writes nothing.
"""

import warnings
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from cross_validation import LEARNERS, draw, mean_truth
from joblib import Parallel, delayed
from simulation import DOCS, is_quick, table
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import BestAveragePrecision
from sklearn_ap.definitions import Step

PAGE = DOCS / "best_of_many.md"
MARKS = ("<!-- written by benchmarks/best_of_folds.py -->\n", "\n<!-- until here -->")
N_RUNS, N_FOLDS, PREVALENCE = 150, 5, 0.1
ALIKE = np.repeat(0.8, 12)  # the means of positives where each learner sees two columns


def on_columns(learner: Callable[[], Any]) -> dict[str, Any]:
    """Six models that are equally good, each on columns of its own."""
    pairs = [(2 * i, 2 * i + 1) for i in range(6)]
    return {
        f"columns {pair}": make_pipeline(make_column_transformer(("passthrough", pair)), learner())
        for pair in pairs
    }


def three_learners() -> dict[str, Any]:
    """Three kinds of learners on the same columns."""
    return {name: LEARNERS[name]() for name in ("logistic", "naive Bayes", "tree of depth 4")}


def penalties() -> dict[str, Any]:
    """One learner with eight penalties, most of them nearly equal."""
    return {f"C={c:g}": LogisticRegression(C=c) for c in np.geomspace(1e-4, 1e3, 8)}


KINDS: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = {
    "three learners": (three_learners, {}),
    "eight penalties": (penalties, {}),
    "six equal logistic": (partial(on_columns, LogisticRegression), {"means": ALIKE}),
    "six equal trees": (
        partial(on_columns, partial(DecisionTreeClassifier, max_depth=4, random_state=0)),
        {"means": ALIKE},
    ),
}


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


def results(quick: bool) -> str:
    """The table, a row for each kind of models and number of positives."""
    lines = []
    for kind in KINDS:
        for n_positives in (50, 200):
            tasks = (delayed(one)(kind, n_positives, i) for i in range(2 if quick else N_RUNS))
            shares = 100 * np.mean(Parallel(n_jobs=1 if quick else -1)(tasks), axis=0)
            lines.append([kind, str(n_positives), *(f"{share:.1f}" for share in shares)])
    head = ["models", "positives", "interval holds", "best is named", "models named"]
    return table([head, *lines])


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    quick = is_quick(arguments, __doc__)
    text = results(quick)
    print(text)
    if not quick:
        before, _, rest = PAGE.read_text().partition(MARKS[0])
        PAGE.write_text(before + MARKS[0] + text + MARKS[1] + rest.partition(MARKS[1])[2])


if __name__ == "__main__":
    main()
