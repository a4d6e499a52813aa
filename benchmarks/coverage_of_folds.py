"""How far are numbers of cross-validation from the truth?

    python benchmarks/coverage_of_folds.py

writes the tables "cross-validation" of docs/evidence: the bias and the coverage of the mean of the
folds, and of the pool of `FoldPredictions`. The truth is the mean score of the same models on many
new rows.
"""

import math
import warnings
import zlib
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import populations
import simulation
from scipy.stats import rankdata
from simulation import Table, column, lowest_and_median, main, number, tallied
from sklearn import model_selection
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier as Boosting
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap
from sklearn_ap import FoldPredictions
from sklearn_ap.definitions import Expected, Step

MEANS = np.array([1.0, 0.7, 0.4, 0.0, 0.0, 0.0])  # of positives; those of negatives are 0
SPREAD = np.array([1.0, 1.0, 1.0, 1.8, 1.0, 1.0])
TRUTH = 15  # times the positives of a sample, at least
FEWEST = {"rows": 500, "patients": 200}  # that show the truth of one model
MOST_NEGATIVES = 4  # for each positive of a test set; they weigh more where there are others
ROWS = 5  # of a patient, or their mean
SORTED = 0.7  # the standard deviation of what blurs the order by label

LEARNERS = {
    "logistic": LogisticRegression,
    "naive Bayes": GaussianNB,
    "15 neighbours": partial(KNeighborsClassifier, 15),
    "tree of depth 4": partial(DecisionTreeClassifier, max_depth=4, random_state=0),
    "boosting": partial(Boosting, max_iter=20, early_stopping=False, random_state=0),
    "forest": partial(RandomForestClassifier, 10, max_depth=8, random_state=0),
    "hinge loss by SGD": partial(SGDClassifier, random_state=0),
    "shrunken logistic": partial(LogisticRegression, C=0.001),
    "search over C": partial(
        model_selection.GridSearchCV,
        LogisticRegression(),
        {"C": [0.001, 0.1, 10]},
        scoring="average_precision",
        cv=3,
    ),
}
SPLITTERS = {
    "stratified": model_selection.StratifiedKFold,
    "plain": model_selection.KFold,
    "stratified patients": model_selection.StratifiedGroupKFold,
    "sorted": model_selection.KFold,
    "patients": model_selection.GroupKFold,
    "a patient out": lambda _: model_selection.LeaveOneGroupOut(),
}
SHUFFLED = ("stratified", "plain", "stratified patients")
DEFINITIONS = {"scores": Step(), "expected AP": Expected(), "ranks": Step()}


@dataclass
class Cell(simulation.Cell):
    """A learner, the positives and their share, the folds, and what is pooled."""

    learner: str
    n: int
    prevalence: float
    n_folds: int = 5
    split: str = "stratified"
    way: str = "scores"


# ---- cells


def of_stratified_folds():
    others = {"tree of depth 4": "expected AP", "hinge loss by SGD": "ranks"}
    learners = [name for name in LEARNERS if name != "search over C"]
    for n, prevalence, learner in product((20, 50, 200), (0.2, 0.05), learners):
        kind = learner if learner in others else "others"
        size = "200 positives" if n == 200 else "20 and 50 positives"
        for way in ("scores", others[learner]) if learner in others else ("scores",):
            yield stratified(kind, size, learner, n, prevalence, way=way)
    search = "search over C"
    for prevalence, way in product((0.2, 0.05), ("scores", "ranks")):
        yield stratified(search, "100 positives", search, 100, prevalence, way=way)


def stratified(kind, size, learner, n, prevalence, n_folds=5, way="scores"):
    kind = f"{kind}, {size}" if way == "scores" else f"{kind}, {way}, {size}"
    name = f"{learner}, {n} positives, share {prevalence:g}, {n_folds} folds"
    return Cell(kind, name, learner, n, prevalence, n_folds, way=way)


def cells():
    yield from of_stratified_folds()
    splits = [("plain", 10), ("plain", 50), ("sorted", 10), ("a patient out", 50), ("patients", 10)]
    splits += [("stratified patients", 5), ("stratified patients", 10)]
    learners = ("logistic", "shrunken logistic", "15 neighbours", "forest")
    for learner, (split, n_folds), way in product(learners, splits, ("scores", "ranks")):
        kind = f"{split}, 50 positives" if way == "scores" else f"{split}, {way}, 50 positives"
        name = f"{learner}, 50 positives, share 0.2, {n_folds} folds ({split})"
        yield Cell(kind, name, learner, 50, 0.2, n_folds, split, way)
    for way in ("scores", "ranks"):
        hinge = "hinge loss by SGD"
        yield stratified(hinge, "20 and 50 positives", hinge, 50, 0.2, n_folds=25, way=way)


# ---- what is asked of each


def draw(rng, n_positives, n_negatives, split):
    """Rows, or rows of patients, each of whom has one label and is unlike others."""
    if "patient" in split:
        n_positives, n_negatives = (max(n // ROWS, 2) for n in (n_positives, n_negatives))
    y = rng.permutation(np.repeat([1, 0], [n_positives, n_negatives]))
    X = rng.normal(size=(y.size, MEANS.size))
    X[y == 1] = X[y == 1] * SPREAD + MEANS
    if "patient" in split:
        X, patients = np.repeat(X, ROWS, axis=0), np.repeat(np.arange(y.size), ROWS)
        return X + rng.normal(size=X.shape), y[patients], patients
    return X, y, None


class Folds:
    """A sample in the order of its folds, the patients, if any, and models trained on the folds."""

    def __init__(self, rng, split, n_folds, *size):
        self.X, self.y, self.patients = draw(rng, *size, split)
        if split == "sorted":
            order = np.argsort(self.y + SORTED * rng.normal(size=self.y.size))
            self.X, self.y = self.X[order], self.y[order]
        is_shuffled = split in SHUFFLED
        seeded = {"shuffle": True, "random_state": int(rng.integers(2**32))} if is_shuffled else {}
        pairs = SPLITTERS[split](n_folds, **seeded).split(self.X, self.y, self.patients)
        self.indices = dict(zip(("train", "test"), zip(*pairs, strict=True), strict=True))

    def trained(self, model):
        """What cross_validate gives, but for scores of folds."""
        trains = self.indices["train"]
        models = [clone(model).fit(self.X[rows], self.y[rows]) for rows in trains]
        return {"estimator": models, "indices": self.indices}

    def ranks(self, cv):
        """The ranks of all rows within their folds, as shares of the rows, and the folds."""
        ranks, fold = np.empty(self.y.size), np.empty(self.y.size, int)
        for place, rows in enumerate(self.indices["test"]):
            model = cv["estimator"][place]
            ranks[rows] = (rankdata(responses(model, self.X[rows])) - 0.5) / len(rows)
            fold[rows] = place
        return {"y_score": ranks, "folds": fold}

    def scores(self, cv, definition=Step()):
        """The score of each fold that has a positive."""
        folds = zip(cv["estimator"], self.indices["test"], strict=True)
        pairs = [(self.y[rows], responses(model, self.X[rows])) for model, rows in folds]
        options = {"definition": definition}
        return np.array([populations.score(*pair, **options) for pair in pairs if pair[0].any()])


def responses(model, X):
    has = hasattr(model, "decision_function")
    return model.decision_function(X) if has else model.predict_proba(X)[:, 1]


def mean_truth(models, definition, n, prevalence, seed, split):
    """The mean score of models of a sample with ``n`` positives, each on new rows of its own."""
    rng, scores = np.random.default_rng(seed), []
    fewest = ROWS * FEWEST["patients"] if "patient" in split else FEWEST["rows"]
    n_positives = max(round(TRUTH * n / len(models)), fewest)
    n_negatives = n_drawn = round(n_positives / prevalence) - n_positives
    if not isinstance(definition, Expected):  # it takes no weights
        n_drawn = min(MOST_NEGATIVES * n_positives, n_negatives)
    for model in models:
        X, y, _ = draw(rng, n_positives, n_drawn, split)
        y_score, found = responses(model, X), []
        for rows in (slice(None), slice(y.size // 2), slice(y.size // 2, None)):
            options = {"definition": definition}
            if n_drawn < n_negatives:
                options["sample_weight"] = np.where(y[rows] == 1, 1.0, n_negatives / n_drawn)
            found.append(populations.score(y[rows], y_score[rows], **options))
        # The bias of half the rows is twice as large.
        scores.append(2 * found[0] - (found[1] + found[2]) / 2)
    return np.mean(scores)


def sample(rng, cell):
    """The pool beside the truth, and how far the mean of the folds is off, in standard errors."""
    n_negatives = round(cell.n / cell.prevalence) - cell.n
    folds = Folds(rng, cell.split, cell.n_folds, cell.n, n_negatives)
    cv, seed = folds.trained(LEARNERS[cell.learner]()), int(rng.integers(2**32))
    models = cv["estimator"][:: max(len(cv["estimator"]) // 10, 1)]  # 10 to 19 of many are enough
    options = {"definition": DEFINITIONS[cell.way], "clusters": folds.patients}
    given = (folds.ranks(cv),) if cell.way == "ranks" else (cv, folds.X)
    size = folds.y.sum(), folds.y.mean()
    truth = mean_truth(models, options["definition"], *size, seed, cell.split)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = sklearn_ap.average_precision_interval(folds.y, FoldPredictions(*given), **options)
    warned = any("fold" in str(each.message) for each in caught)
    scores = folds.scores(cv, options["definition"])
    wrong = scores.mean() - truth
    errors = abs(wrong) / (scores.std(ddof=1) / math.sqrt(scores.size))
    return made.estimate, made.low, made.high, truth, warned, wrong, errors


def ask(cell, n_samples):
    """Return the bias and the coverage of the mean of the folds, and of the pool."""
    warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
    rng = np.random.default_rng(zlib.crc32(cell.name.encode()))
    found = np.array([sample(rng, cell) for _ in range(n_samples)], float)
    value, low, high, truth, warned, wrong, errors = found.T
    pool = tallied(value - truth, low - truth, high - truth, 0.0)
    silent = warned == 0
    holds = (low <= truth) & (truth <= high)
    pool["width"] = np.mean(high - low) / (3.92 * max(np.std(value - truth), 1e-12))
    facts = {"mean bias": wrong.mean(), "mean covers": 100 * np.mean(errors <= 1.96), **pool}
    facts |= {"bias": np.mean(value - truth), "warned": 100 * warned.mean()}
    facts |= {"n silent": silent.sum(), "silent covers": np.sum(holds & silent)}
    return {"kind": cell.kind, "name": cell.name, "order": pool["covers"], **facts}


def largest(values):
    return values[np.abs(values).argmax()]


def silent_covers(cells):
    n, covers = column(cells, "n silent").sum(), column(cells, "silent covers").sum()
    return f"{100 * covers / n:.0f}" if n else ""


COLUMNS = {
    "mean of folds: bias": number("{:+.3f}", "mean bias", np.mean),
    "covers": number("{:.0f}", "mean covers", np.min),
    "pool: bias": number("{:+.3f}", "bias", np.mean),
    "largest": number("{:+.3f}", "bias", largest),
    "lowest / median": lambda cells: lowest_and_median(column(cells, "covers")),
    "width": number("{:.2f}", "width", np.median),
    "not warned": number("{:,.0f}", "n silent", np.sum),
    "of these cover": silent_covers,
    "warned": number("{:.0f}", "warned", np.mean),
}
SPLITS = "plain", "sorted", "a patient out", "patients", "stratified patients"
SIZES = "20 and 50 positives", "200 positives"
POOLED_BY_SCORES = product(("others", "tree of depth 4", "hinge loss by SGD"), SIZES)
ROWS_OF_TABLE = {
    "stratified folds, scores": [
        *(f"{kind}, {size}" for kind, size in POOLED_BY_SCORES),
        "search over C, 100 positives",
    ],
    "stratified folds, expected AP": [f"tree of depth 4, expected AP, {size}" for size in SIZES],
    "stratified folds, ranks": [
        *(f"hinge loss by SGD, ranks, {size}" for size in SIZES),
        "search over C, ranks, 100 positives",
    ],
    "other folds, scores": [f"{split}, 50 positives" for split in SPLITS],
    "other folds, ranks": [f"{split}, ranks, 50 positives" for split in SPLITS],
}
TABLES = {
    "cross-validation": Table("folds, what is pooled", ROWS_OF_TABLE, COLUMNS),
    "cross-validation/each-kind-of-folds": Table(
        "Each kind of folds", {cell.kind: [cell.kind] for cell in cells()}, COLUMNS
    ),
}

if __name__ == "__main__":
    main(cells(), ask, TABLES, __doc__, samples=60, again=None)
