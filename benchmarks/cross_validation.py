"""How far numbers from cross-validation are from the truth, and how often tests of them are wrong.

Draws training sets of a known population, cross-validates models, and compares what is printed
with the mean average precision of the same models on many new rows.
"""

import math
from functools import partial
from itertools import product
from operator import itemgetter

import numpy as np
import simulation
from scipy.stats import t as student
from simulation import Cell
from sklearn import model_selection
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tables import COVERAGE, Section, grouped, table_by, table_of, told

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    average_precision_score,
)
from sklearn_ap.definitions import Expected, Step

MEANS = np.array([1.0, 0.7, 0.4, 0.0, 0.0, 0.0])  # of positives; those of negatives are 0
SPREAD = np.array([1.0, 1.0, 1.0, 1.8, 1.0, 1.0])
TRUTH = 15  # times the positives of a sample, at least
FEWEST = {"rows": 500, "patients": 200}  # that show the truth of one model
MOST_NEGATIVES = 4  # for each positive of a test set; they weigh more where there are others
ROWS = 5  # of a patient
SORTED = 0.7  # the standard deviation of what blurs the order by label


class QuickSVC(SVC):
    """Takes a fifth of the time: it ends training sooner, and predicts without libsvm."""

    def __init__(self):
        super().__init__(gamma=1 / 3, tol=0.01)  # about what scikit-learn chooses for three columns

    def decision_function(self, X):
        """The same numbers to 1e-12."""
        kernel = rbf_kernel(X, self.support_vectors_, self.gamma)
        return kernel @ self.dual_coef_[0] + self.intercept_


FOREST = partial(RandomForestClassifier, 10, max_depth=8, random_state=0)
LEARNERS = {
    "logistic": LogisticRegression,
    "naive Bayes": GaussianNB,
    "15 neighbours": partial(KNeighborsClassifier, 15),
    "tree of depth 4": partial(DecisionTreeClassifier, max_depth=4, random_state=0),
    "boosting": partial(
        HistGradientBoostingClassifier, max_iter=20, early_stopping=False, random_state=0
    ),
    "forest": FOREST,
    "hinge loss by SGD": partial(SGDClassifier, random_state=0),
    "shrunken logistic": partial(LogisticRegression, C=0.001),
}
CONTESTANTS = {  # learners, and their columns of noise
    "logistic": (LogisticRegression, 1),
    "naive Bayes": (GaussianNB, 1),
    "7 neighbours": (partial(KNeighborsClassifier, 7), 1),
    "forest": (FOREST, 1),
    "SVC": (QuickSVC, 1),
    "logistic, 200 columns": (LogisticRegression, 98),
    "logistic, 1000 columns": (LogisticRegression, 498),
}
# Folds that do not differ in their positives, and others that do.
SHUFFLED = {
    "stratified": model_selection.StratifiedKFold,
    "plain": model_selection.KFold,
    "stratified patients": model_selection.StratifiedGroupKFold,
}
IN_ORDER = {"sorted": model_selection.KFold, "patients": model_selection.GroupKFold}
# What is printed of each learner: the default, and what its warning advises.
WAYS = {
    "": {},
    "expected AP": {"definition": Expected()},
    "ranks": {"pooling": "ranks"},
    "odds": {"pooling": "odds"},
}
ADVISED = {"tree of depth 4": ("", "expected AP"), "hinge loss by SGD": ("", "ranks")}
POOLS = ("", "ranks", "odds")
STRENGTHS = {50: (0.01, 0.001), 200: (0.003, 0.001)}  # by positives; .01 hardly shrinks 200
UNEQUAL = {"plain": (10, 50), "sorted": (10,), "a patient out": (50,), "patients": (10,)}
UNEQUAL |= {"stratified patients": (5, 10)}
DUEL_FOLDS = {"stratified": 5, "plain": 5, "sorted": 10, "patients": 10, "stratified patients": 5}
LEAST, MOST = 93, 7  # coverage, errors of tests
OWN_LINE = ("tree of depth 4", "hinge loss by SGD")  # learners whose warning advises something


# ---- samples, and models that are trained on their folds


def draw(rng, n_positives, n_negatives, means=MEANS):
    """Rows of the population, shuffled."""
    y = rng.permutation(np.repeat([1, 0], [n_positives, n_negatives]))
    X = rng.normal(size=(y.size, means.size))
    X[y == 1] = X[y == 1] * SPREAD[: means.size] + means if means is MEANS else X[y == 1] + means
    return X, y


def draw_patients(rng, n_positives, n_negatives, means=MEANS):
    """Rows of patients, each of whom has one label and is unlike others."""
    X, y = draw(rng, max(n_positives // ROWS, 2), max(n_negatives // ROWS, 2), means)
    X, y = np.repeat(X, ROWS, axis=0), np.repeat(y, ROWS)
    return X + rng.normal(size=X.shape), y


def drawn_for(split):
    return draw_patients if "patient" in split else draw


class Folds:
    """A sample in the order of its folds, the patients, if any, and models trained on the folds."""

    def __init__(self, rng, split, n_folds, *size, **how):
        self.X, self.y = drawn_for(split)(rng, *size, **how)
        self.population = how | {"split": split}
        if split == "sorted":
            order = np.argsort(self.y + SORTED * rng.normal(size=self.y.size))
            self.X, self.y = self.X[order], self.y[order]
        self.patients = np.arange(self.y.size) // ROWS if "patient" in split else None
        splitter = model_selection.LeaveOneGroupOut()
        if split in IN_ORDER:
            splitter = IN_ORDER[split](n_folds)
        elif split in SHUFFLED:
            seed = int(rng.integers(2**32))
            splitter = SHUFFLED[split](n_folds, shuffle=True, random_state=seed)
        pairs = splitter.split(self.X, self.y, self.patients)
        self.indices = dict(zip(("train", "test"), zip(*pairs, strict=True), strict=True))

    def trained(self, model):
        """What cross_validate gives, in less time: no scores of folds."""
        trains = self.indices["train"]
        models = [clone(model).fit(self.X[rows], self.y[rows]) for rows in trains]
        return {"estimator": models, "indices": self.indices}

    def scores(self, cv):
        """The score of each fold."""
        folds = zip(cv["estimator"], self.indices["test"], strict=True)
        pairs = [(self.y[rows], responses(model, self.X[rows])) for model, rows in folds]
        return np.array([average_precision_score(*pair, zero_division=0.0) for pair in pairs])

    def truth(self, models, seed, definition=Step(), n=None):
        """The mean score of models in the population, as for a sample of n positives."""
        n = int(self.y.sum()) if n is None else n
        return mean_truth(models, definition, n, self.y.mean(), int(seed), **self.population)


def responses(model, X):
    """The scores of a model, as a scorer takes them."""
    has = hasattr(model, "decision_function")
    return model.decision_function(X) if has else model.predict_proba(X)[:, 1]


def mean_truth(models, definition, n, prevalence, seed, split="", **how):
    """The mean score of models of a sample with ``n`` positives.

    Each model sees new rows of its own. Models of folds are alike, so that the mean has no more
    noise than if each saw the rows of all.
    """
    rng, scores = np.random.default_rng(seed), []
    fewest = ROWS * FEWEST["patients"] if "patient" in split else FEWEST["rows"]
    n_positives = max(round(TRUTH * n / len(models)), fewest)
    n_negatives = n_drawn = round(n_positives / prevalence) - n_positives
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


def on_columns(start, stop, learner):
    """A learner that sees some columns, in less time than with a ColumnTransformer."""
    chosen = FunctionTransformer(itemgetter((slice(None), slice(start, stop))))
    return make_pipeline(chosen, learner)


# ---- what one sample gives: of a learner, of a contest of two, and of a duel on the same columns


def sample_of_learner(rng, _, learner, n, prevalence, n_folds, split):
    """The mean of the folds and the pool beside the truth, for each way to pool."""
    folds = Folds(rng, split, n_folds, n, round(n / prevalence) - n)
    cv, seed = folds.trained(LEARNERS[learner]()), rng.integers(2**32)
    models = cv["estimator"][:: max(len(cv["estimator"]) // 10, 1)]  # 10 to 19 of many are enough
    found, truths = {}, {}
    for way in ADVISED.get(learner, ("",)) if split == "stratified" else POOLS:
        options = {"definition": Step(), "clusters": folds.patients} | WAYS[way]
        definition = options["definition"]
        if definition not in truths:
            truths[definition] = folds.truth(models, seed, definition)
        call = AveragePrecisionInterval.from_cv_results
        made, warned = simulation.heard("fold", call, cv, folds.X, folds.y, **options)
        scores = made.fold_scores[~np.isnan(made.fold_scores)]  # of folds with positives
        wrong = scores.mean() - truths[definition]
        naive = abs(wrong) <= 1.96 * scores.std(ddof=1) / math.sqrt(scores.size)
        of_mean = {"mean bias": wrong, "mean square": wrong**2, "naive": naive}
        found[way] = simulation.judged(truths[definition], made, warned) | of_mean
    return found


def compared(rng, folds, models):
    """Two cross-validated models, the call that compares them, and the difference in truth."""
    cv, seed = [folds.trained(model) for model in models], rng.integers(2**32)
    first, second = (folds.truth(each["estimator"], seed) for each in cv)
    call = partial(AveragePrecisionComparison.from_cv_results, dict(zip("AB", cv, strict=True)))
    return cv, partial(call, folds.X, folds.y, clusters=folds.patients), second - first


def sample_of_contest(rng, _, learner, n, n_folds, advantage, split):
    """Two ways of training: each sees three columns of its own, and noise."""
    make, n_noise = CONTESTANTS[learner]
    means = np.concatenate([[first, 0.4, *[0.0] * n_noise] for first in (0.8, 0.8 + advantage)])
    folds = Folds(rng, split, n_folds, n, 9 * n, means=means)
    half = means.size // 2
    models = [on_columns(start, start + half, make()) for start in (0, half)]
    cv, call, apart = compared(rng, folds, models)
    made, training = (call(of=of) for of in ("models", "training"))
    first, second = map(folds.scores, cv)
    pvalues = (made.pvalues[1], training.pvalues[1], *fold_pvalues(second - first))
    names = ("models", "training", "nadeau", "naive")
    said = {name: bool(p < 0.05) for name, p in zip(names, pvalues, strict=True)}
    return simulation.judged(apart, made, warned=False) | said


def sample_of_duel(rng, _, strength, n, n_folds, split):
    """Logistic regression with C = 1, and a shrunken one, on the same columns and rows."""
    folds = Folds(rng, split, n_folds, n, 6 * n)
    models = LogisticRegression(), LogisticRegression(C=strength)
    _, call, apart = compared(rng, folds, models)
    ways = {way: simulation.heard("folds", call, **WAYS[way]) for way in POOLS}
    return {way: simulation.judged(apart, *made) for way, made in ways.items()}


def fold_pvalues(differences):
    """Of the differences of folds: Nadeau and Bengio's test (2003), and the paired t test."""
    k, mean, variance = differences.size, differences.mean(), differences.var(ddof=1)
    factors = 1 / k + 1 / (k - 1), 1 / k  # test rows over training rows are 1 / (k - 1)
    t = (abs(mean) / math.sqrt(max(variance * factor, 1e-300)) for factor in factors)
    return tuple(float(2 * student.sf(each, k - 1)) for each in t)


# ---- cells


def cell_of(task, sample, name, **how):
    """A cell, and what it has in common with others."""
    kind = ", ".join(map(str, (task, how.get("learner"), how["split"])))
    facts = how | {"task": task, "kind": kind}
    return Cell(name, partial(sample, **how), 100, facts=facts)


def of_learner(learner, n, prevalence, n_folds, split="stratified"):
    """One learner on samples of one kind."""
    name = f"{learner}, {n} positives, share {prevalence:g}, {n_folds} folds ({split})"
    how = {"learner": learner, "n": n, "prevalence": prevalence, "n_folds": n_folds}
    name = name.removesuffix(" (stratified)")
    return cell_of("learner", sample_of_learner, name, **how, split=split)


def of_contest(learner, n, n_folds, advantage, split="stratified"):
    """Pairs of models, equally good without an advantage of the second."""
    name = f"{learner}, {n} positives, {n_folds} folds ({split}), advantage {advantage:g}"
    how = {"learner": learner, "n": n, "n_folds": n_folds, "advantage": advantage}
    return cell_of("contest", sample_of_contest, name, **how, split=split)


def of_duel(strength, n, n_folds, split):
    """A comparison with a smaller C."""
    name = f"C = 1 and {strength:g}, {n} positives, {n_folds} folds ({split})"
    how = {"strength": strength, "n": n, "n_folds": n_folds}
    return cell_of("duel", sample_of_duel, name, **how, split=split)


def cells():
    """All cells, small ones first, and those whose folds differ in their share of positives."""
    for n in (20, 50, 200):
        for prevalence, learner in product((0.2, 0.05), LEARNERS):
            yield of_learner(learner, n, prevalence, 5)
        for learner, n_folds, advantage in product(CONTESTANTS, (2, 10), (0.0, 0.3)):
            if n != 50:
                yield of_contest(learner, n, n_folds, advantage)
        for strength, split in product(STRENGTHS.get(n, ()), DUEL_FOLDS):
            yield of_duel(strength, n, DUEL_FOLDS[split], split)
    for learner in ("logistic", "shrunken logistic", "15 neighbours", "forest"):
        for split, numbers in UNEQUAL.items():
            for n_folds in numbers:
                yield of_learner(learner, 50, 0.2, n_folds, split)
    for split in ("plain", "patients", "stratified patients"):
        for learner in ("logistic", "7 neighbours"):
            yield of_contest(learner, 50, 10, 0.0, split)


# ---- the section of the page


def line_of(row):
    """The line of the table that a row stands in."""
    name = row["learner"] if row["learner"] in OWN_LINE else "others"
    name = name if row["split"] == "stratified" else row["split"]
    size = "20 and 50" if row["split"] == "stratified" and row["n"] < 200 else row["n"]
    return f"{name}{', ' * bool(row['way'])}{row['way']}, {size} positives"


def group_of(row):
    """The line of the summary that a row stands in."""
    folds = "stratified" if row["split"] == "stratified" else "other"
    return f"{folds} folds, {row['way'] or 'scores'}"


# The mean of the folds beside the pool; tests of two models; and pools of two models.
OF_LEARNERS = {
    "mean of folds: bias": "{mean bias.mean:+.3f}",
    "covers": "{naive.least:.0f}",
    "pool: bias": "{bias.mean:+.3f}",
    "largest": "{bias.largest:+.3f}",
    **COVERAGE,
    "warned": "{warned.mean:.0f}",
}
del OF_LEARNERS["worst cell"]  # whose names are too long beside so many numbers
OF_CONTESTS = {
    "covers: lowest": "{covers.least:.1f}",
    "width": "{width.median:.2f}",
    "models: median": "{models.median:.1f}",
    "training: median": "{training.median:.1f}",
    "Nadeau-Bengio: median": "{nadeau.median:.1f}",
    "paired t: median": "{naive.median:.1f}",
}
OF_DUELS = {
    "bias": "{bias.mean:+.3f}",
    "covers": "{covers.least:.1f}",
    "without a warning": "{silent.least:.1f}",
    "warned": "{warned.mean:.0f}",
    "width": "{width.mean:.2f}",
}


def is_far(row):
    """Whether a pool without a warning is biased, has a large rmse, or covers too little."""
    is_far = abs(row["bias"]) > 0.03 or row["rmse"] > 1.05 * math.sqrt(row["mean square"])
    return row["warned"] <= 50 and (is_far or row["covers"] < LEAST)


def is_wrong(row):
    """Whether a comparison without a warning covers too little, or calls equal models different."""
    errs = row.get("advantage") == 0 and row["training"] > MOST
    return (row["covers"] < LEAST and row["warned"] <= 50) or errs


def section(rows):
    tasks = {"learner": [], "contest": [], "duel": []} | grouped(rows, "task")
    learners, duels = (
        [row | {"name": f"{row['name']}, {row['way'] or 'scores'}"} for row in tasks[task]]
        for task in ("learner", "duel")
    )
    learners = sorted(learners, key=lambda row: row["split"] != "stratified")
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
    far, wrong = filter(is_far, learners), filter(is_wrong, tasks["contest"] + duels)
    shown = {"bias": "{bias:+.3f}", "rmse": "{rmse:.3f}", "covers": "{covers:.1f}"}
    contests = sorted(tasks["contest"], key=lambda row: (row["advantage"], row["n"]))
    by_advantage = "{advantage:g}, {n} positives".format_map
    return Section(
        conclusion,
        table_by(group_of, learners, OF_LEARNERS, "folds, what is pooled"),
        [
            table_of("Cells that fail without a warning", far, **shown),
            table_of("Comparisons that fail", wrong, covers="{covers:.1f}"),
        ],
        [
            table_by(line_of, learners, OF_LEARNERS, "Each kind of folds"),
            table_by(by_advantage, contests, OF_CONTESTS, "Comparisons"),
            table_by("name", duels, OF_DUELS, "Comparisons with a smaller C"),
        ],
    )


if __name__ == "__main__":
    simulation.main("cross_validation", __doc__, cells, {"cross-validation": section})
