"""How far numbers from cross-validation are from the truth, and how often tests of them are wrong.

    python benchmarks/cross_validation.py [--quick] [--page]

Draws training sets of a known population, cross-validates models, and compares what is printed
with the mean average precision of the same models on many new rows. Each cell that is done
becomes a line of results/cross_validation.jsonl, so a run that was interrupted goes on where
it ended. Delete the file after a change of the package. Writes the section "cross-validation" of
docs/evidence.md, anew after each cell; it takes hours on two cores. --page writes the section of
the lines that are there. --quick takes under a minute, prints, and writes nothing.
"""

import argparse
import json
import math
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from cross_validation_page import KEYS, LEAST, n_samples, page
from joblib import Parallel, delayed
from scipy.stats import t as student
from simulation import write_section
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    UncertaintyWarning,
    average_precision_score,
)
from sklearn_ap.definitions import Definition, Expected, Step

LINES = Path(__file__).parent / "results" / "cross_validation.jsonl"
MEANS = np.array([1.0, 0.7, 0.4, 0.0, 0.0, 0.0])  # of positives; those of negatives are 0
SPREAD = np.array([1.0, 1.0, 1.0, 1.8, 1.0, 1.0])
TRUTH = 15  # times the positives of a sample, at least
FEWEST = {"rows": 500, "patients": 200}  # that show the truth of one model
MOST_NEGATIVES = 4  # for each positive of a test set; they weigh more where there are others
ROWS = 5  # of a patient
SORTED = 0.7  # the standard deviation of what blurs the order by label

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
    "shrunken logistic": partial(LogisticRegression, C=0.001),
}
# Folds that do not differ in their positives, and others that do.
SHUFFLED: dict[str, Callable[..., Any]] = {
    "stratified": StratifiedKFold,
    "plain": KFold,
    "stratified patients": StratifiedGroupKFold,
}
IN_ORDER: dict[str, Callable[..., Any]] = {"sorted": KFold, "patients": GroupKFold}
# What is printed of each learner: the default, and what its warning advises.
PRINTED: dict[str, list[tuple[Definition, Any]]] = {
    "tree of depth 4": [(Step(), "scores"), (Expected(), "scores")],
    "hinge loss by SGD": [(Step(), "scores"), (Step(), "ranks")],
}
POOLS: list[tuple[Definition, Any]] = [(Step(), name) for name in ("scores", "ranks", "odds")]


def draw(
    rng: np.random.Generator, n_positives: int, n_negatives: int, means: np.ndarray = MEANS
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the population, shuffled."""
    y = rng.permutation(np.repeat([1, 0], [n_positives, n_negatives]))
    X = rng.normal(size=(y.size, means.size))
    X[y == 1] = X[y == 1] * SPREAD[: means.size] + means if means is MEANS else X[y == 1] + means
    return X, y


def draw_patients(
    rng: np.random.Generator, n_positives: int, n_negatives: int, means: np.ndarray = MEANS
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of patients, each of whom has one label and is unlike others."""
    X, y = draw(rng, max(n_positives // ROWS, 2), max(n_negatives // ROWS, 2), means)
    X, y = np.repeat(X, ROWS, axis=0), np.repeat(y, ROWS)
    return X + rng.normal(size=X.shape), y


def drawn_for(split: str) -> Callable[..., tuple[np.ndarray, np.ndarray]]:
    return draw_patients if "patient" in split else draw


def folds_of(split: str, n_folds: int, i: int, X: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """Rows in the order of the folds, their labels, the patient of each, if any, and the folds."""
    if split == "sorted":
        order = np.argsort(y + SORTED * np.random.default_rng(i).normal(size=y.size))
        X, y = X[order], y[order]
    patients = np.arange(y.size) // ROWS if "patient" in split else None
    if split in SHUFFLED:
        splitter = SHUFFLED[split](n_folds, shuffle=True, random_state=i)
    else:
        splitter = IN_ORDER[split](n_folds) if split in IN_ORDER else LeaveOneGroupOut()
    return X, y, patients, [*splitter.split(X, y, patients)]


def responses(model: Any, X: np.ndarray) -> np.ndarray:
    """The scores of a model, as a scorer takes them."""
    has = hasattr(model, "decision_function")
    return model.decision_function(X) if has else model.predict_proba(X)[:, 1]


def cross_validated(model: Any, X: Any, y: Any, folds: Any) -> dict[str, Any]:
    """What cross_validate gives, in less time: no scores of folds."""
    indices = dict(zip(("train", "test"), zip(*folds, strict=True), strict=True))
    models = [clone(model).fit(X[rows], y[rows]) for rows in indices["train"]]
    return {"estimator": models, "indices": indices}


def remember(models: list[Any]) -> None:
    """Let fitted models answer once for the same rows: several numbers are asked of them."""
    for model in models:
        for name in ("decision_function", "predict_proba"):
            if hasattr(model, name):
                setattr(model, name, remembered(getattr(model, name)))


def remembered(method: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    answers: dict[int, np.ndarray] = {}

    @wraps(method)
    def answer(X: np.ndarray) -> np.ndarray:
        key = hash(X.tobytes())
        if key not in answers:
            answers[key] = method(X)
        return answers[key]

    return answer


def mean_truth(
    models: list[Any],
    definition: Definition,
    n: int,
    prevalence: float,
    seed: Any,
    split: str = "",
    **how: Any,
) -> Any:
    """The mean score of models of a sample with ``n`` positives.

    Each model sees new rows of its own. Models of folds are alike, so that the mean has no more
    noise than if each saw the rows of all.
    """
    rng, scores = np.random.default_rng(seed), []
    fewest = ROWS * FEWEST["patients"] if "patient" in split else FEWEST["rows"]
    n_positives = max(round(TRUTH * n / len(models)), fewest)
    n_negatives = round(n_positives / prevalence) - n_positives
    n_drawn = n_negatives
    if not isinstance(definition, Expected):  # it takes no weights
        n_drawn = min(MOST_NEGATIVES * n_positives, n_negatives)
    for model in models:
        X, y = drawn_for(split)(rng, n_positives, n_drawn, **how)
        y_score, weight = responses(model, X), np.where(y == 1, 1.0, n_negatives / n_drawn)
        found = [
            average_precision_score(
                y[rows],
                y_score[rows],
                sample_weight=weight[rows] if n_drawn < n_negatives else None,
                definition=definition,
            )
            for rows in (slice(None), slice(y.size // 2), slice(y.size // 2, None))
        ]
        # The bias of half the rows is twice as large.
        scores.append(2 * found[0] - (found[1] + found[2]) / 2)
    return np.mean(scores)


@dataclass(frozen=True)
class Cell:
    """One learner on samples of one kind."""

    learner: str
    n_positives: int
    prevalence: float
    n_folds: int
    n_runs: int
    split: str = "stratified"

    def run(self) -> list[dict[str, Any]]:
        """What is printed, beside the truth: one row for each kind of number."""
        kinds = PRINTED.get(self.learner, [(Step(), "scores")])
        if self.split != "stratified":
            kinds = POOLS
        runs = [self._one(i, kinds) for i in range(self.n_runs)]
        by_kind = zip(kinds, zip(*runs, strict=True), strict=True)
        return [self._row(*kind, of_kind) for kind, of_kind in by_kind]

    def _one(self, i: int, kinds: list[tuple[Definition, Any]]) -> list[np.ndarray]:
        seed = [zlib.crc32(f"{self}".encode()), i]
        n_negatives = round(self.n_positives / self.prevalence) - self.n_positives
        drawn = drawn_for(self.split)(np.random.default_rng(seed), self.n_positives, n_negatives)
        X, y, patients, folds = folds_of(self.split, self.n_folds, i, *drawn)
        model = LEARNERS[self.learner]()
        cv = cross_validated(model, X, y, folds)
        new = {"seed": [*seed, 1], "split": self.split}
        n, p = self.n_positives, self.prevalence
        models = cv["estimator"][:: max(len(folds) // 10, 1)]  # 10 to 19 of many are enough
        truths = {
            each: mean_truth(models, each, n, p, **new) for each in {kind[0] for kind in kinds}
        }
        remember(cv["estimator"])
        return [self._numbers(cv, X, y, patients, *kind, truths[kind[0]]) for kind in kinds]

    def _numbers(
        self, cv: Any, X: Any, y: Any, patients: Any, definition: Any, pooling: Any, truth: Any
    ) -> np.ndarray:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = AveragePrecisionInterval.from_cv_results(
                cv, X, y, definition=definition, pooling=pooling, clusters=patients
            )
        warned = any("fold" in str(each.message) for each in caught)
        scores = made.fold_scores[~np.isnan(made.fold_scores)]  # of folds with positives
        half = 1.96 * scores.std(ddof=1) / math.sqrt(scores.size)
        naive = abs(scores.mean() - truth) <= half
        held = made.low <= truth <= made.high
        return np.array([truth, made.estimate, scores.mean(), held, naive, warned])

    def _row(self, definition: Definition, pooling: str, found: Any) -> dict[str, Any]:
        truth, pooled, mean, held, naive, warned = np.array(found, dtype=float).T
        what = "" if pooling == "scores" else f", {pooling}"
        what += "" if isinstance(definition, Step) else f", {definition.title}"
        row: dict[str, Any] = {"learner": self.learner + what, "n": self.n_positives}
        row |= {"prevalence": self.prevalence, "folds": self.n_folds, "split": self.split}
        row |= {"truth": truth.mean()}
        for name, value in (("mean", mean), ("pool", pooled)):
            row[f"{name} bias"] = np.mean(value - truth)
            row[f"{name} rmse"] = math.sqrt(np.mean((value - truth) ** 2))
        shares = {"held": held, "naive": naive, "warned": warned}
        return row | {name: 100 * np.mean(values) for name, values in shares.items()}


class QuickSVC(SVC):
    """Takes a fifth of the time: it ends training sooner, and predicts without libsvm."""

    def __init__(self) -> None:
        super().__init__(gamma=1 / 3, tol=0.01)  # about what scikit-learn chooses for three columns

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """The same numbers to 1e-12."""
        kernel = rbf_kernel(X, self.support_vectors_, self.gamma)
        return kernel @ self.dual_coef_[0] + self.intercept_


def on_columns(start: int, stop: int, learner: Any) -> Any:
    """A learner that sees some columns, in less time than with a ColumnTransformer."""
    chosen = FunctionTransformer(itemgetter((slice(None), slice(start, stop))))
    return make_pipeline(chosen, learner)


@dataclass(frozen=True)
class Contest:
    """Two ways of training on the same rows: each sees three columns of its own, and noise."""

    learner: str
    n_positives: int
    n_folds: int
    advantage: float  # of the second; without one, both are equally good
    n_runs: int
    split: str = "stratified"

    def run(self) -> dict[str, Any]:
        """How often each test says that there is a difference."""
        found = np.array([self._one(i) for i in range(self.n_runs)], dtype=float)
        names = ("models", "training", "nadeau", "naive", "missed")
        row: dict[str, Any] = {"learner": self.learner, "n": self.n_positives}
        row |= {"folds": self.n_folds, "split": self.split, "advantage": self.advantage}
        return row | dict(zip(names, 100 * found.mean(axis=0), strict=True))

    def _one(self, i: int) -> list[bool]:
        seed = [zlib.crc32(f"{self}".encode()), i]
        noise = [0.0] * N_NOISE.get(self.learner, 1)
        means = np.array([0.8, 0.4, *noise, 0.8 + self.advantage, 0.4, *noise])
        rng, half = np.random.default_rng(seed), means.size // 2
        drawn = drawn_for(self.split)(rng, self.n_positives, 9 * self.n_positives, means)
        X, y, patients, folds = folds_of(self.split, self.n_folds, i, *drawn)
        cv = {}
        for name, start in (("A", 0), ("B", half)):
            model = on_columns(start, start + half, CONTESTANTS[self.learner]())
            cv[name] = cross_validated(model, X, y, folds)
        new = {"seed": [*seed, 1], "means": means, "split": self.split}
        truths = [
            mean_truth(cv[name]["estimator"], Step(), self.n_positives, 0.1, **new) for name in "AB"
        ]
        remember([model for results in cv.values() for model in results["estimator"]])
        models, training = (
            AveragePrecisionComparison.from_cv_results(cv, X, y, of=of, clusters=patients)
            for of in ("models", "training")
        )
        low, high = models.difference_lows[1], models.difference_highs[1]
        pvalues = fold_pvalues(fold_scores(cv["B"], X, y) - fold_scores(cv["A"], X, y))
        is_missed = not low <= truths[1] - truths[0] <= high
        return [*(p < 0.05 for p in (models.pvalues[1], training.pvalues[1], *pvalues)), is_missed]


@dataclass(frozen=True)
class Duel:
    """Logistic regression with C = 1, and a shrunken one, on the same columns and rows."""

    strength: float  # C of the shrunken one
    n_positives: int
    n_folds: int
    n_runs: int
    split: str

    def run(self) -> list[dict[str, Any]]:
        """How often the interval of the difference misses, and warns: a row for each pooling."""
        poolings = [pooling for _, pooling in POOLS]
        found = np.array([self._one(i, poolings) for i in range(self.n_runs)])
        rows = []
        for pooling, of_pooling in zip(poolings, found.transpose(1, 2, 0), strict=True):
            bias, missed, warned = of_pooling
            row: dict[str, Any] = {"strength": self.strength, "n": self.n_positives}
            row |= {"folds": self.n_folds, "split": self.split, "pooling": pooling}
            row |= {"bias": bias.mean(), "missed": 100 * missed.mean()}
            row |= {"warned": 100 * warned.mean(), "silent": 100 * np.mean(missed * (1 - warned))}
            rows.append(row)
        return rows

    def _one(self, i: int, poolings: list[Any]) -> list[list[float]]:
        seed = [zlib.crc32(f"{self}".encode()), i]
        rng = np.random.default_rng(seed)
        drawn = drawn_for(self.split)(rng, self.n_positives, 6 * self.n_positives)
        X, y, patients, folds = folds_of(self.split, self.n_folds, i, *drawn)
        models = {"plain": LogisticRegression(), "shrunken": LogisticRegression(C=self.strength)}
        cv = {name: cross_validated(model, X, y, folds) for name, model in models.items()}
        new = {"seed": [*seed, 1], "split": self.split}
        plain, shrunken = (
            mean_truth(each["estimator"], Step(), self.n_positives, 1 / 7, **new)
            for each in cv.values()
        )
        found = []
        for pooling in poolings:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                made = AveragePrecisionComparison.from_cv_results(
                    cv, X, y, pooling=pooling, clusters=patients
                )
            warned = any("folds" in str(each.message) for each in caught)
            low, high = made.difference_lows[1], made.difference_highs[1]
            is_missed = not low <= shrunken - plain <= high
            found.append([made.differences[1] - (shrunken - plain), is_missed, warned])
        return found


STRENGTHS = {50: (0.01, 0.001), 200: (0.003, 0.001)}  # by positives; .01 hardly shrinks 200
DUEL_FOLDS = {"stratified": 5, "plain": 5, "sorted": 10, "patients": 10, "stratified patients": 5}
N_DUELS = 200  # samples

CONTESTANTS: dict[str, Callable[[], Any]] = {
    "logistic": LogisticRegression,
    "naive Bayes": GaussianNB,
    "7 neighbours": partial(KNeighborsClassifier, 7),
    "forest": LEARNERS["forest"],
    "SVC": QuickSVC,
    "logistic, 200 columns": LogisticRegression,
    "logistic, 1000 columns": LogisticRegression,
}
N_NOISE = {"logistic, 200 columns": 98, "logistic, 1000 columns": 498}


def fold_scores(cv: dict[str, Any], X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The score of each fold."""
    folds = zip(cv["estimator"], cv["indices"]["test"], strict=True)
    pairs = [(y[rows], responses(model, X[rows])) for model, rows in folds]
    return np.array([average_precision_score(*pair, zero_division=0.0) for pair in pairs])


def fold_pvalues(differences: np.ndarray) -> tuple[float, float]:
    """Of the differences of folds: Nadeau and Bengio's test (2003), and the paired t test."""
    k, mean, variance = differences.size, differences.mean(), differences.var(ddof=1)
    factors = 1 / k + 1 / (k - 1), 1 / k  # test rows over training rows are 1 / (k - 1)
    corrected, plain = (
        2 * student.sf(abs(mean) / math.sqrt(max(variance * factor, 1e-300)), k - 1)
        for factor in factors
    )
    return float(corrected), float(plain)


Task = Cell | Contest | Duel


def grid(quick: bool) -> Iterator[Task]:
    """All cells, small ones first."""
    for n in (20,) if quick else (20, 50, 200, 500):
        n_runs = 3 if quick else n_samples(n)
        for prevalence in (0.2,) if quick else (0.2, 0.05):
            for learner in LEARNERS:
                for n_folds in (5,) if quick else (5, 10):
                    yield Cell(learner, n, prevalence, n_folds, n_runs)
        yield from unequal_folds(n, quick)
        for learner in CONTESTANTS:
            for n_folds in (2,) if quick else (2, 5, 10):
                for advantage in (0.0,) if quick else (0.0, 0.3):
                    yield Contest(learner, n, n_folds, advantage, n_runs)
    if not quick:
        for n_folds in (2, 5, 10):
            for learner in ("7 neighbours", "logistic"):
                yield Contest(learner, 1500, n_folds, 0.0, n_samples(1500))


def unequal_folds(n: int, quick: bool) -> Iterator[Task]:
    """Cells whose folds differ in their share of positives."""
    n_runs = 2 if quick else n_samples(n)
    splits = {"plain": (10, 50), "sorted": (10,), "a patient out": (50,), "patients": (10,)}
    splits |= {"stratified patients": (5, 10)}
    for learner in ("logistic", "shrunken logistic", "15 neighbours", "forest"):
        for split, numbers in splits.items():
            is_long = split == "a patient out" and n > 50  # as many folds as patients
            if (n not in (50, 200) and not quick) or is_long or (quick and learner != "logistic"):
                continue
            for n_folds in numbers[:1] if quick else numbers:
                yield Cell(learner, max(n, 50), 0.2, n_folds, n_runs, split=split)
    for split in ("plain", "patients", "stratified patients"):
        if n == 50:
            yield Contest("logistic", n, 10, 0.0, n_runs, split=split)
            yield Contest("7 neighbours", n, 10, 0.0, n_runs, split=split)
    for strength in STRENGTHS.get(n, ()) if not quick else ():
        for split, n_folds in DUEL_FOLDS.items():
            yield Duel(strength, n, n_folds, N_DUELS, split)


def failed_cells(rows: list[dict[str, Any]]) -> Iterator[Cell]:
    """The cells that held the truth too rarely, without a warning, to be run again."""
    for row in rows:
        if row["held"] < LEAST and row["warned"] <= 50:
            options = (row[key] for key in KEYS[:-1])
            learner = row["learner"].split(",")[0]
            yield Cell(learner, *options, n_samples(row["n"], again=True), split=row["split"])


def wrong_contests(rows: list[dict[str, Any]]) -> Iterator[Contest]:
    """The contests in which intervals or tests were wrong too often, to be run again."""
    for row in rows:
        equal = row["advantage"] == 0
        if row["missed"] > 7 or (equal and row["training"] > 7):
            options = (row[key] for key in ("n", "folds", "advantage"))
            n_runs = n_samples(row["n"], again=True)
            yield Contest(row["learner"], *options, n_runs, split=row["split"])


def run(task: Task) -> tuple[Task, Any]:
    """A task in a process of its own."""
    warnings.simplefilter("ignore", UncertaintyWarning)
    with config_context(assume_finite=True, skip_parameter_validation=True):
        found = task.run()
    return task, found if isinstance(found, list) else [found]


class Results:
    """Rows of the tasks that are done, by the name of the task: each is a line of a file."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self.rows: dict[str, list[dict[str, Any]]] = dict(map(json.loads, lines))

    def of(self, tasks: list[Any], kind: type) -> list[dict[str, Any]]:
        """The rows of all tasks of a kind that are done."""
        chosen = [f"{task}" for task in tasks if isinstance(task, kind)]
        return [row for name in chosen for row in self.rows.get(name, [])]

    def run(self, tasks: list[Any], n_jobs: int) -> Iterator[None]:
        """Run what is not done yet, and keep each result as soon as it is there."""
        left = [task for task in tasks if f"{task}" not in self.rows]
        for task, found in Parallel(n_jobs=n_jobs, return_as="generator")(map(delayed(run), left)):
            self.rows[f"{task}"] = found
            if self.path is not None:
                self.path.parent.mkdir(exist_ok=True)
                with self.path.open("a") as file:
                    file.write(json.dumps([f"{task}", found]) + "\n")
            yield


def main(arguments: list[str] | None = None) -> None:
    """Simulate, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="simulate less, and write nothing")
    parser.add_argument("--page", action="store_true", help="simulate nothing, and write the page")
    asked = parser.parse_args(arguments)
    results, tasks = Results(None if asked.quick else LINES), [*grid(asked.quick)]

    def again() -> list[Any]:
        failed = dict.fromkeys(failed_cells(results.of(tasks, Cell)))
        return [] if asked.quick else [*failed, *wrong_contests(results.of(tasks, Contest))]

    def text() -> str:
        chosen = (tasks, Cell), (tasks, Contest), (again(), Cell), (again(), Contest)
        n_all = [sum(isinstance(task, kind) for task in of) for of, kind in chosen]
        duels = results.of(tasks, Duel)
        return page(*(results.of(*each) for each in chosen), duels, n_all=n_all, quick=asked.quick)

    def write() -> None:
        if not asked.quick:
            write_section("cross-validation", text())

    if not asked.page:
        for ask in (lambda: tasks, again):
            for _ in results.run(ask(), 1 if asked.quick else -1):
                write()
    write()
    print(text())


if __name__ == "__main__":
    main()
