"""How far numbers from cross-validation are from the truth, and how often tests of them are wrong.

Draws training sets of a known population, cross-validates models, and compares what is printed
with the mean average precision of the same models on many new rows.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
import simulation
from scipy.stats import t as student
from simulation import Cell, Numbers
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
from tables import COVERAGE, Key, Lines, Row, Section, grouped, table_by, table_of, told

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    average_precision_score,
)
from sklearn_ap.definitions import Definition, Expected, Step

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
WAYS: dict[str, dict[str, Any]] = {
    "": {},
    "expected AP": {"definition": Expected()},
    "ranks": {"pooling": "ranks"},
    "odds": {"pooling": "odds"},
}
ADVISED = {"tree of depth 4": ("", "expected AP"), "hinge loss by SGD": ("", "ranks")}
POOLS = ("", "ranks", "odds")
N_SAMPLES = 100


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


class Folds:
    """A sample in the order of its folds, the patients, if any, and models trained on the folds."""

    def __init__(
        self, rng: np.random.Generator, split: str, n_folds: int, *size: int, **how: Any
    ) -> None:
        self.X, self.y = drawn_for(split)(rng, *size, **how)
        if split == "sorted":
            order = np.argsort(self.y + SORTED * rng.normal(size=self.y.size))
            self.X, self.y = self.X[order], self.y[order]
        self.patients = np.arange(self.y.size) // ROWS if "patient" in split else None
        splitter = IN_ORDER[split](n_folds) if split in IN_ORDER else LeaveOneGroupOut()
        if split in SHUFFLED:
            seed = int(rng.integers(2**32))
            splitter = SHUFFLED[split](n_folds, shuffle=True, random_state=seed)
        pairs = splitter.split(self.X, self.y, self.patients)
        self.indices = dict(zip(("train", "test"), zip(*pairs, strict=True), strict=True))

    def trained(self, model: Any) -> dict[str, Any]:
        """What cross_validate gives, in less time: no scores of folds."""
        trains = self.indices["train"]
        models = [clone(model).fit(self.X[rows], self.y[rows]) for rows in trains]
        return {"estimator": models, "indices": self.indices}

    def scores(self, cv: dict[str, Any]) -> np.ndarray:
        """The score of each fold."""
        folds = zip(cv["estimator"], self.indices["test"], strict=True)
        pairs = [(self.y[rows], responses(model, self.X[rows])) for model, rows in folds]
        return np.array([average_precision_score(*pair, zero_division=0.0) for pair in pairs])


def responses(model: Any, X: np.ndarray) -> np.ndarray:
    """The scores of a model, as a scorer takes them."""
    has = hasattr(model, "decision_function")
    return model.decision_function(X) if has else model.predict_proba(X)[:, 1]


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


def sample_of_learner(
    rng: np.random.Generator,
    _: None,
    learner: str,
    n_positives: int,
    prevalence: float,
    n_folds: int,
    split: str,
) -> dict[str, Numbers]:
    """The mean of the folds and the pool beside the truth, for each way to pool."""
    n_negatives = round(n_positives / prevalence) - n_positives
    folds = Folds(rng, split, n_folds, n_positives, n_negatives)
    cv, seed = folds.trained(LEARNERS[learner]()), int(rng.integers(2**32))
    models = cv["estimator"][:: max(len(cv["estimator"]) // 10, 1)]  # 10 to 19 of many are enough
    ways = ADVISED.get(learner, ("",)) if split == "stratified" else POOLS
    found, truths = {}, {}
    for way in ways:
        options = {"definition": Step(), "clusters": folds.patients} | WAYS[way]
        definition = options["definition"]
        if definition not in truths:
            how = {"seed": seed, "split": split}
            truths[definition] = mean_truth(models, definition, n_positives, prevalence, **how)
        call = AveragePrecisionInterval.from_cv_results
        made, warned = simulation.heard("fold", call, cv, folds.X, folds.y, **options)
        scores = made.fold_scores[~np.isnan(made.fold_scores)]  # of folds with positives
        wrong = scores.mean() - truths[definition]
        naive = abs(wrong) <= 1.96 * scores.std(ddof=1) / math.sqrt(scores.size)
        of_mean = {"mean bias": wrong, "mean square": wrong**2, "naive": naive}
        found[way] = simulation.judged(truths[definition], made, warned) | of_mean
    return found


def of_learner(
    learner: str, n_positives: int, prevalence: float, n_folds: int, split: str = "stratified"
) -> Cell:
    """One learner on samples of one kind."""
    how = {"prevalence": prevalence, "n_folds": n_folds, "split": split}
    judge = partial(sample_of_learner, learner=learner, n_positives=n_positives, **how)
    name = f"{learner}, {n_positives} positives, share {prevalence:g}, {n_folds} folds ({split})"
    facts = how | {"learner": learner, "n": n_positives, "task": "learner"}
    return cell_of(f"{name}".removesuffix(" (stratified)"), judge, facts)


def cell_of(name: str, judge: Callable[..., Any], facts: Row) -> Cell:
    """A cell, and what it has in common with others."""
    kind = facts["task"], facts.get("learner"), facts["split"]
    return Cell(name, judge, N_SAMPLES, facts=facts | {"kind": ", ".join(map(str, kind))})


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


def difference(
    rng: np.random.Generator, folds: Folds, split: str, models: dict[str, Any], **how: Any
) -> tuple[dict[str, Any], float]:
    """Two cross-validated models, and by how much the second is better in truth."""
    cv, seed = {name: folds.trained(model) for name, model in models.items()}, rng.integers(2**32)
    n_positives, prevalence = int(folds.y.sum()), folds.y.mean()
    first, second = (
        mean_truth(each["estimator"], Step(), n_positives, prevalence, int(seed), split, **how)
        for each in cv.values()
    )
    return cv, second - first


def sample_of_contest(
    rng: np.random.Generator,
    _: None,
    learner: str,
    n_positives: int,
    n_folds: int,
    advantage: float,
    split: str,
) -> Numbers:
    """Two ways of training: each sees three columns of its own, and noise."""
    noise = [0.0] * N_NOISE.get(learner, 1)
    means = np.array([0.8, 0.4, *noise, 0.8 + advantage, 0.4, *noise])
    half = means.size // 2
    folds = Folds(rng, split, n_folds, n_positives, 9 * n_positives, means=means)
    learners = {
        name: on_columns(start, start + half, CONTESTANTS[learner]())
        for name, start in (("A", 0), ("B", half))
    }
    cv, apart = difference(rng, folds, split, learners, means=means)
    models, training = (
        AveragePrecisionComparison.from_cv_results(
            cv, folds.X, folds.y, of=of, clusters=folds.patients
        )
        for of in ("models", "training")
    )
    pvalues = fold_pvalues(folds.scores(cv["B"]) - folds.scores(cv["A"]))
    pvalues = (models.pvalues[1], training.pvalues[1], *pvalues)
    names = ("models", "training", "nadeau", "naive")
    said = {name: bool(p < 0.05) for name, p in zip(names, pvalues, strict=True)}
    return simulation.judged(apart, models, warned=False) | said


def of_contest(
    learner: str, n_positives: int, n_folds: int, advantage: float, split: str = "stratified"
) -> Cell:
    """Pairs of models, equally good without an advantage of the second."""
    how = {"n_folds": n_folds, "advantage": advantage, "split": split}
    judge = partial(sample_of_contest, learner=learner, n_positives=n_positives, **how)
    name = f"{learner}, {n_positives} positives, {n_folds} folds ({split}), advantage {advantage:g}"
    return cell_of(name, judge, how | {"learner": learner, "n": n_positives, "task": "contest"})


def sample_of_duel(
    rng: np.random.Generator, _: None, strength: float, n_positives: int, n_folds: int, split: str
) -> dict[str, Numbers]:
    """Logistic regression with C = 1, and a shrunken one, on the same columns and rows."""
    folds = Folds(rng, split, n_folds, n_positives, 6 * n_positives)
    models = {"plain": LogisticRegression(), "shrunken": LogisticRegression(C=strength)}
    cv, apart = difference(rng, folds, split, models)
    call = partial(AveragePrecisionComparison.from_cv_results, cv, folds.X, folds.y)
    call = partial(call, clusters=folds.patients)
    return {
        way: simulation.judged(apart, *simulation.heard("folds", call, **WAYS[way]))
        for way in POOLS
    }


def of_duel(strength: float, n_positives: int, n_folds: int, split: str) -> Cell:
    """A comparison with a smaller C."""
    how = {"strength": strength, "n_folds": n_folds, "split": split}
    judge = partial(sample_of_duel, n_positives=n_positives, **how)
    name = f"C = 1 and {strength:g}, {n_positives} positives, {n_folds} folds ({split})"
    return cell_of(name, judge, how | {"n": n_positives, "task": "duel"})


STRENGTHS = {50: (0.01, 0.001), 200: (0.003, 0.001)}  # by positives; .01 hardly shrinks 200
UNEQUAL = {"plain": (10, 50), "sorted": (10,), "a patient out": (50,), "patients": (10,)}
UNEQUAL |= {"stratified patients": (5, 10)}
DUEL_FOLDS = {"stratified": 5, "plain": 5, "sorted": 10, "patients": 10, "stratified patients": 5}

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


def fold_pvalues(differences: np.ndarray) -> tuple[float, float]:
    """Of the differences of folds: Nadeau and Bengio's test (2003), and the paired t test."""
    k, mean, variance = differences.size, differences.mean(), differences.var(ddof=1)
    factors = 1 / k + 1 / (k - 1), 1 / k  # test rows over training rows are 1 / (k - 1)
    corrected, plain = (
        2 * student.sf(abs(mean) / math.sqrt(max(variance * factor, 1e-300)), k - 1)
        for factor in factors
    )
    return float(corrected), float(plain)


def cells() -> Iterator[Cell]:
    """All cells, small ones first."""
    for n in (20, 50, 200):
        for prevalence, learner in itertools.product((0.2, 0.05), LEARNERS):
            yield of_learner(learner, n, prevalence, 5)
        for learner, n_folds, advantage in itertools.product(CONTESTANTS, (2, 10), (0.0, 0.3)):
            if n != 50:
                yield of_contest(learner, n, n_folds, advantage)
        for strength, split in itertools.product(STRENGTHS.get(n, ()), DUEL_FOLDS):
            yield of_duel(strength, n, DUEL_FOLDS[split], split)
    yield from unequal_folds(50)


def unequal_folds(n: int) -> Iterator[Cell]:
    """Cells whose folds differ in their share of positives."""
    for learner in ("logistic", "shrunken logistic", "15 neighbours", "forest"):
        for split, numbers in UNEQUAL.items():
            for n_folds in numbers:
                yield of_learner(learner, n, 0.2, n_folds, split)
    for split, learner in itertools.product(
        ("plain", "patients", "stratified patients"), ("logistic", "7 neighbours")
    ):
        yield of_contest(learner, n, 10, 0.0, split)


# ---- the section of the page

LEAST, MOST = 93, 7  # coverage, errors of tests
OWN_LINE = ("tree of depth 4", "hinge loss by SGD")  # learners whose warning advises something


def line_of(row: Row) -> str:
    """The line of the table that a row stands in."""
    name = row["learner"] if row["learner"] in OWN_LINE else "others"
    name = name if row["split"] == "stratified" else row["split"]
    size = "20 and 50" if row["split"] == "stratified" and row["n"] < 200 else row["n"]
    return f"{name}{', ' * bool(row['way'])}{row['way']}, {size} positives"


def group_of(row: Row) -> str:
    """The line of the summary that a row stands in."""
    folds = "stratified" if row["split"] == "stratified" else "other"
    return f"{folds} folds, {row['way'] or 'scores'}"


def learners_table(head: str, key: Key, rows: list[Row]) -> Lines:
    """The mean of the folds, and the pool."""
    of_mean = {"mean of folds: bias": "{mean bias.mean:+.3f}", "covers": "{naive.least:.0f}"}
    of_pool = {"pool: bias": "{bias.mean:+.3f}", "largest": "{bias.largest:+.3f}"}
    columns = of_mean | of_pool | COVERAGE | {"warned": "{warned.mean:.0f}"}
    del columns["worst cell"]  # whose names are too long beside so many numbers
    return table_by(key, rows, columns, head)


def contests_table(rows: list[Row]) -> Lines:
    """By advantage and number of positives."""
    tests = {"models": "models", "training": "training", "Nadeau-Bengio": "nadeau"}
    tests |= {"paired t": "naive"}
    columns = {"covers: lowest": "{covers.least:.1f}", "width": "{width.median:.2f}"} | {
        f"{name}: median": f"{{{key}.median:.1f}}" for name, key in tests.items()
    }
    rows = sorted(rows, key=lambda row: (row["advantage"], row["n"]))
    return table_by("{advantage:g}, {n} positives".format_map, rows, columns, "Comparisons")


def duels_table(rows: list[Row]) -> Lines:
    """By the folds, and by what is pooled."""
    columns = {
        "bias": "{bias.mean:+.3f}",
        "covers": "{covers.least:.1f}",
        "without a warning": "{silent.least:.1f}",
        "warned": "{warned.mean:.0f}",
        "width": "{width.mean:.2f}",
    }
    rows = [row | {"name": f"{row['name']}, {row['way'] or 'scores'}"} for row in rows]
    return table_by("name", rows, columns, "Comparisons with a smaller C")


def is_far(row: Row) -> bool:
    """Whether a pool without a warning is biased, has a large rmse, or covers too little."""
    is_far = abs(row["bias"]) > 0.03 or row["rmse"] > 1.05 * math.sqrt(row["mean square"])
    return row["warned"] <= 50 and (is_far or row["covers"] < LEAST)


def is_wrong(row: Row) -> bool:
    """Whether a comparison without a warning covers too little, or calls equal models different."""
    errs = row.get("advantage") == 0 and row["training"] > MOST
    return (row["covers"] < LEAST and row["warned"] <= 50) or errs


def section(rows: list[Row]) -> Section:
    """The section of the page."""
    tasks = {"learner": [], "contest": [], "duel": []} | grouped(rows, "task")
    learners = sorted(tasks["learner"], key=lambda row: row["split"] != "stratified")
    learners = [row | {"name": f"{row['name']}, {row['way'] or 'scores'}"} for row in learners]
    quiet = [row for row in learners if row["warned"] <= 50]
    few = [row for row in quiet if row["n"] / row["n_folds"] <= 10]
    worst = max(few, key=lambda row: row["mean bias"], default={"truth": math.nan})
    conclusion = told(
        "With at most 10 positives in each fold, the mean of the folds is too high by "
        "{mean bias.mean:.3f} on average. In the worst cell, it is too high by "
        f"{{mean bias.most:.3f}}, and the truth is {worst['truth']:.3f}. "
        "The pool is too high by {bias.mean:.3f} on average.",
        few,
    ) + told(
        " In cells without a warning, the interval of the pool contains the truth in "
        "{covers.least:.0f} to {covers.most:.0f} of 100 samples, and that of the mean of the folds "
        "in {naive.least:.0f} to {naive.most:.0f}.",
        quiet,
    )
    shown = {"bias": "{bias:+.3f}", "rmse": "{rmse:.3f}", "covers": "{covers:.1f}"}
    wrong = filter(is_wrong, tasks["contest"] + tasks["duel"])
    return Section(
        conclusion,
        learners_table("folds, what is pooled", group_of, learners),
        [
            table_of("Cells that fail without a warning", filter(is_far, learners), **shown),
            table_of("Comparisons that fail", wrong, covers="{covers:.1f}"),
        ],
        [
            learners_table("Each kind of folds", line_of, learners),
            contests_table(tasks["contest"]),
            duels_table(tasks["duel"]),
        ],
    )


if __name__ == "__main__":
    simulation.main("cross_validation", __doc__, cells, {"cross-validation": section})
