"""How far numbers from cross-validation are from the truth, and how often tests of them are wrong.

    python benchmarks/cross_validation.py [--quick]

Draws training sets of a known population, cross-validates models, and compares what is printed
with the mean average precision of the same models on many new rows. Writes the section
"cross-validation" of docs/evidence.md, anew after each cell; it takes hours on two cores. --quick
takes under a minute, prints, and writes nothing.
"""

import math
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import t as student
from simulation import failing, grouped, is_quick, section, table, write_section
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    UncertaintyWarning,
    average_precision_score,
    expected_average_precision_score,
)
from sklearn_ap.definitions import Definition, Expected, Step

MEANS = np.array([1.0, 0.7, 0.4, 0.0, 0.0, 0.0])  # of positives; those of negatives are 0
SPREAD = np.array([1.0, 1.0, 1.0, 1.8, 1.0, 1.0])
MOST_NEGATIVES = 4  # for each positive of a test set; they weigh more where there are others

LEARNERS: dict[str, Callable[[], Any]] = {
    "logistic": LogisticRegression,
    "naive Bayes": GaussianNB,
    "15 neighbours": partial(KNeighborsClassifier, 15),
    "tree of depth 4": partial(DecisionTreeClassifier, max_depth=4, random_state=0),
    "boosting": partial(
        HistGradientBoostingClassifier, max_iter=20, early_stopping=False, random_state=0
    ),
    "forest": partial(RandomForestClassifier, 10, max_depth=8, random_state=0),
    "hinge loss by SGD": partial(SGDClassifier, random_state=0),
}
# What is printed of each learner: the default, and what its warning advises.
PRINTED: dict[str, list[tuple[Definition, Any]]] = {
    "tree of depth 4": [(Step(), "scores"), (Expected(), "scores")],
    "hinge loss by SGD": [(Step(), "scores"), (Step(), "ranks")],
}


def draw(
    rng: np.random.Generator, n_positives: int, n_negatives: int, means: np.ndarray = MEANS
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the population, shuffled."""
    y = rng.permutation(np.repeat([1, 0], [n_positives, n_negatives]))
    X = rng.normal(size=(y.size, means.size))
    X[y == 1] = X[y == 1] * SPREAD[: means.size] + means if means is MEANS else X[y == 1] + means
    return X, y


def responses(model: Any, X: np.ndarray) -> np.ndarray:
    """The scores of a model, as a scorer takes them."""
    has = hasattr(model, "decision_function")
    return model.decision_function(X) if has else model.predict_proba(X)[:, 1]


def mean_truth(models: list[Any], definition: Definition, n: int, prevalence: float, **how: Any):
    """The mean score of models on many new rows."""
    rng = np.random.default_rng(how.pop("seed"))
    n_positives = max(round(6 * n), 500)
    n_negatives = round(n_positives / prevalence) - n_positives
    if isinstance(definition, Expected):  # it takes no weights
        X, y = draw(rng, n_positives, n_negatives, **how)
        return np.mean([expected_average_precision_score(y, responses(m, X)) for m in models])
    n_drawn = min(MOST_NEGATIVES * n_positives, n_negatives)
    X, y = draw(rng, n_positives, n_drawn, **how)
    weight = np.where(y == 1, 1.0, n_negatives / n_drawn)
    scores = [average_precision_score(y, responses(m, X), sample_weight=weight) for m in models]
    return np.mean(scores)


@dataclass(frozen=True)
class Cell:
    """One learner on samples of one kind."""

    learner: str
    n_positives: int
    prevalence: float
    n_folds: int
    n_runs: int
    truth_rows: float = field(default=1, repr=False)  # times those of other cells

    def run(self) -> list[dict[str, Any]]:
        """What is printed, beside the truth: one row for each kind of number."""
        kinds = PRINTED.get(self.learner, [(Step(), "scores")])
        runs = [self._one(i, kinds) for i in range(self.n_runs)]
        by_kind = zip(kinds, zip(*runs, strict=True), strict=True)
        return [self._row(*kind, of_kind) for kind, of_kind in by_kind]

    def _one(self, i: int, kinds: list[tuple[Definition, Any]]) -> list[np.ndarray]:
        seed = [zlib.crc32(f"{self}".encode()), i]
        n_negatives = round(self.n_positives / self.prevalence) - self.n_positives
        X, y = draw(np.random.default_rng(seed), self.n_positives, n_negatives)
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=i)
        model = LEARNERS[self.learner]()
        cv = cross_validate(model, X, y, cv=folds, return_estimator=True, return_indices=True)
        return [self._numbers(cv, X, y, *kind, [*seed, 1]) for kind in kinds]

    def _numbers(self, cv: Any, X: Any, y: Any, definition: Any, pooling: Any, seed: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = AveragePrecisionInterval.from_cv_results(
                cv, X, y, definition=definition, pooling=pooling
            )
        warned = any("fold" in str(each.message) for each in caught)
        n, p = self.truth_rows * self.n_positives, self.prevalence
        truth = mean_truth(cv["estimator"], definition, n, p, seed=seed)
        scores = made.fold_scores
        half = 1.96 * scores.std(ddof=1) / math.sqrt(scores.size)
        naive = abs(scores.mean() - truth) <= half
        held = made.low <= truth <= made.high
        return np.array([truth, made.estimate, scores.mean(), held, naive, warned])

    def _row(self, definition: Definition, pooling: str, found: Any) -> dict[str, Any]:
        truth, pooled, mean, held, naive, warned = np.array(found, dtype=float).T
        what = {"scores": "", "ranks": ", ranks"}[pooling]
        what += "" if isinstance(definition, Step) else f", {definition.title}"
        row: dict[str, Any] = {"learner": self.learner + what, "n": self.n_positives}
        row |= {"prevalence": self.prevalence, "folds": self.n_folds, "truth": truth.mean()}
        for name, value in (("mean", mean), ("pool", pooled)):
            row[f"{name} bias"] = np.mean(value - truth)
            row[f"{name} rmse"] = math.sqrt(np.mean((value - truth) ** 2))
        shares = {"held": held, "naive": naive, "warned": warned}
        return row | {name: 100 * np.mean(values) for name, values in shares.items()}


@dataclass(frozen=True)
class Contest:
    """Two ways of training on the same rows: each sees three columns of its own."""

    learner: str
    n_positives: int
    n_folds: int
    advantage: float  # of the second; without one, both are equally good
    n_runs: int

    def run(self) -> dict[str, Any]:
        """How often each test says that there is a difference."""
        found = np.array([self._one(i) for i in range(self.n_runs)], dtype=float)
        names = ("models", "training", "nadeau", "naive", "missed")
        row: dict[str, Any] = {"learner": self.learner, "n": self.n_positives}
        row |= {"folds": self.n_folds, "advantage": self.advantage}
        return row | dict(zip(names, 100 * found.mean(axis=0), strict=True))

    def _one(self, i: int) -> list[bool]:
        seed = [zlib.crc32(f"{self}".encode()), i]
        means = np.array([0.8, 0.4, 0.0, 0.8 + self.advantage, 0.4, 0.0])
        X, y = draw(np.random.default_rng(seed), self.n_positives, 9 * self.n_positives, means)
        folds = StratifiedKFold(self.n_folds, shuffle=True, random_state=i)
        cv = {}
        for name, columns in (("A", [0, 1, 2]), ("B", [3, 4, 5])):
            chosen = make_column_transformer(("passthrough", columns))
            model = make_pipeline(chosen, CONTESTANTS[self.learner]())
            cv[name] = cross_validate(
                model,
                X,
                y,
                cv=folds,
                scoring="average_precision",
                return_estimator=True,
                return_indices=True,
            )
        models, training = (
            AveragePrecisionComparison.from_cv_results(cv, X, y, of=of)
            for of in ("models", "training")
        )
        new = {"seed": [*seed, 1], "means": means}
        n = min(3 * self.n_positives, 500)  # a test set that adds little noise of its own
        truths = [mean_truth(cv[name]["estimator"], Step(), n, 0.1, **new) for name in "AB"]
        low, high = models.difference_lows[1], models.difference_highs[1]
        pvalues = fold_pvalues(cv["B"]["test_score"] - cv["A"]["test_score"])
        is_missed = not low <= truths[1] - truths[0] <= high
        return [*(p < 0.05 for p in (models.pvalues[1], training.pvalues[1], *pvalues)), is_missed]


CONTESTANTS: dict[str, Callable[[], Any]] = {
    "logistic": LogisticRegression,
    "naive Bayes": GaussianNB,
    "7 neighbours": partial(KNeighborsClassifier, 7),
    "forest": LEARNERS["forest"],
}


def fold_pvalues(differences: np.ndarray) -> tuple[float, float]:
    """Of the differences of folds: Nadeau and Bengio's test (2003), and the paired t test."""
    k, mean, variance = differences.size, differences.mean(), differences.var(ddof=1)
    factors = 1 / k + 1 / (k - 1), 1 / k  # test rows over training rows are 1 / (k - 1)
    corrected, plain = (
        2 * student.sf(abs(mean) / math.sqrt(max(variance * factor, 1e-300)), k - 1)
        for factor in factors
    )
    return float(corrected), float(plain)


def grid(quick: bool) -> Iterator[Cell | Contest]:
    """All cells, small ones first."""
    for n in (20,) if quick else (20, 50, 200, 500):
        for prevalence in (0.2,) if quick else (0.2, 0.05):
            for learner in LEARNERS:
                for n_folds in (5,) if quick else (5, 10):
                    yield Cell(learner, n, prevalence, n_folds, 3 if quick else 200)
        if n > 200:
            continue
        for learner in CONTESTANTS:
            for n_folds in (5,) if quick else (5, 10):
                for advantage in (0.0,) if quick else (0.0, 0.3):
                    yield Contest(learner, n, n_folds, advantage, 3 if quick else 300)


def low_cells(rows: list[dict[str, Any]]) -> Iterator[Cell]:
    """The cells that held the truth too rarely without a warning, to be run again."""
    for row in rows:
        if row["held"] < 93 and row["warned"] <= 50:
            learner = row["learner"].split(",")[0]
            yield Cell(learner, *(row[key] for key in KEYS), N_RUNS_AGAIN, truth_rows=2.5)


def wrong_contests(rows: list[dict[str, Any]]) -> Iterator[Contest]:
    """The contests in which intervals or tests were wrong too often, to be run again."""
    for row in rows:
        equal = row["advantage"] == 0
        if row["missed"] > 7 or (equal and row["training"] > 7):
            options = (row[key] for key in ("n", "folds", "advantage"))
            yield Contest(row["learner"], *options, N_CONTESTS_AGAIN)


KEYS = ("n", "prevalence", "folds")
N_RUNS_AGAIN = 1000
N_CONTESTS_AGAIN = 2000
BIASES = ("mean bias", "pool bias")
MISSES = (
    "Cells that come without a warning in most runs, and have a bias above .03, an rmse above that "
    "of the mean, or a coverage that is not between 93 and 99.5"
)
ERRORS = 'Comparisons in which "missed", or "training" of equal ways, is above 7'
MENDED = ("tree of depth 4", "hinge loss by SGD")  # learners whose warning advises something


def summary(rows: list[dict[str, Any]]) -> str:
    """By learner, or what it was advised, and by the number of positives."""
    head = "learner|positives|cells|mean: bias|held: least|pool: bias|largest|held: least|median"
    lines = [[*head.split("|"), "warned"]]
    named = [row | {"who": who(row), "few": row["n"] < 100} for row in rows]
    for learner, of_learner in grouped(named, "who").items():
        for group in grouped(of_learner, "few").values():
            n = " and ".join(map(str, grouped(group, "n")))
            of = {key: [row[key] for row in group] for key in ("held", "naive", "pool bias")}
            bias = [f"{np.mean([row[key] for row in group]):+.3f}" for key in BIASES]
            largest = f"{max(of['pool bias'], key=abs):+.3f}"
            held = [f"{min(of['held']):.1f}", f"{np.median(of['held']):.1f}"]
            warned = f"{np.mean([row['warned'] for row in group]):.0f}"
            naive = f"{min(of['naive']):.0f}"
            cells = [learner, n, str(len(group)), bias[0], naive, bias[1], largest, *held]
            lines.append([*cells, warned])
    return table(lines)


def who(row: dict[str, Any]) -> str:
    """The learner, if it has a line of its own."""
    return row["learner"] if row["learner"].startswith(MENDED) else "others"


def misses(row: dict[str, Any]) -> bool:
    """Whether a cell misses a goal."""
    return (
        abs(row["pool bias"]) > 0.03
        or row["pool rmse"] > row["mean rmse"]
        or not 93 <= row["held"] <= 99.5
    )


def named(row: dict[str, Any]) -> str:
    """A cell that misses a goal."""
    return (
        f"{row['learner']}, {row['n']} positives, share {row['prevalence']:g}, {row['folds']} "
        f"folds: bias {row['pool bias']:+.3f}, rmse {row['pool rmse']:.3f} beside "
        f"{row['mean rmse']:.3f}, held {row['held']:.1f}"
    )


def contests_table(rows: list[dict[str, Any]]) -> str:
    """By advantage and number of positives."""
    names = ("missed", "models", "training", "nadeau", "naive")
    head = ["advantage", "positives", "cells", "missed: most", "models: median", "training: median"]
    lines = [[*head, "Nadeau-Bengio: median", "paired t: median"]]
    for advantage, equally in sorted(grouped(rows, "advantage").items()):
        for n, group in grouped(equally, "n").items():
            of = {name: [row[name] for row in group] for name in names}
            medians = (f"{np.median(of[name]):.1f}" for name in names[1:])
            most = f"{max(of['missed']):.1f}"
            lines.append([f"{advantage:g}", str(n), str(len(group)), most, *medians])
    return table(lines)


def wrong(row: dict[str, Any]) -> str:
    """A contest that errs too often."""
    return (
        f"{row['learner']}, {row['n']} positives, {row['folds']} folds, advantage "
        f"{row['advantage']:g}: missed {row['missed']:.1f}, training {row['training']:.1f}"
    )


def last(rows: list[dict[str, Any]], again: list[dict[str, Any]], keys: Any) -> list[Any]:
    """Rows, and in the place of some those that were simulated again."""
    newer = {tuple(row[key] for key in keys): row for row in again}
    return [newer.get(tuple(row[key] for key in keys), row) for row in rows]


def conclusion(rows: list[dict[str, Any]]) -> str:
    """The page in two sentences."""
    kept = [row for row in rows if row["warned"] <= 50]
    few = [row for row in kept if row["n"] / row["folds"] <= 10] or kept
    worst = max(few, key=lambda row: row["mean bias"])
    return (
        f"With at most 10 positives a fold, the mean of the folds is too high by "
        f"{np.mean([row['mean bias'] for row in few]):.3f} on average, and by "
        f"{worst['mean bias']:.3f} at worst, where the truth is {worst['truth']:.3f}; the pool is "
        f"too high by {np.mean([row['pool bias'] for row in few]):.3f} on average. The interval "
        f"holds the truth in {min(row['held'] for row in kept):.0f} to "
        f"{max(row['held'] for row in kept):.0f} of 100 samples, mean +- 1.96 SE in "
        f"{min(row['naive'] for row in kept):.0f} to {max(row['naive'] for row in kept):.0f}."
    )


def page(
    cells: list[dict[str, Any]],
    contests: list[dict[str, Any]],
    again: list[dict[str, Any]],
    contests_again: list[dict[str, Any]],
    quick: bool = False,
) -> str:
    """The section of the page."""
    held = [row["held"] for row in again]
    n_runs, n_contests = (3, 3) if quick else (200, 300)
    tasks = [task for task in grid(quick) if isinstance(task, Cell)]
    done = {(row["learner"].split(",")[0], *(row[key] for key in KEYS)) for row in cells}
    now = last(cells, again, ("learner", *KEYS))
    fought = last(contests, contests_again, ("learner", "n", "folds", "advantage"))
    equal = [row for row in fought if row["advantage"] == 0 and row["training"] > 7]
    missed = [row for row in fought if row["missed"] > 7 and row not in equal]
    low = failing(MISSES, (named(row) for row in now if misses(row) and row["warned"] <= 50))
    if again:
        low += (
            f"\n\nOf the cells below 93, {len(again)} were simulated again, with {N_RUNS_AGAIN:,} "
        )
        low += f"runs, and covered {min(held):.1f} to {max(held):.1f}."
    return section(
        conclusion(cells),
        f"{summary(cells)}\n\nComparisons:\n\n{contests_table(contests)}",
        f"{low}\n\n{failing(ERRORS, map(wrong, equal + missed))}",
        "cross_validation",
        f"{len(done)} of {len(tasks)} cells are done, each with {n_runs} runs. Comparisons have "
        f"{n_contests} runs, and {N_CONTESTS_AGAIN:,} where more than 7 erred at first.",
    )


def run(task: Cell | Contest) -> tuple[Cell | Contest, Any]:
    """A cell, or a contest, in a process of its own."""
    warnings.simplefilter("ignore", UncertaintyWarning)
    return task, task.run()


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    quick = is_quick(arguments, __doc__)
    cells: list[dict[str, Any]] = []
    contests: list[dict[str, Any]] = []
    again: list[dict[str, Any]] = []
    contests_again: list[dict[str, Any]] = []
    parallel = Parallel(n_jobs=1 if quick else -1, return_as="generator")

    def write() -> None:
        if not quick:
            write_section("cross-validation", page(cells, contests, again, contests_again))

    for task, found in parallel(delayed(run)(task) for task in grid(quick)):
        if isinstance(task, Cell):
            cells += found
        else:
            contests.append(found)
        write()
    low = [] if quick else dict.fromkeys(low_cells(cells))
    for _, found in parallel(delayed(run)(cell) for cell in low):
        again += [row for row in found if row["warned"] <= 50]
        write()
    wrong = [] if quick else wrong_contests(contests)
    for _, found in parallel(delayed(run)(contest) for contest in wrong):
        contests_again.append(found)
        write()
    print(page(cells, contests, again, contests_again, quick))


if __name__ == "__main__":
    main()
