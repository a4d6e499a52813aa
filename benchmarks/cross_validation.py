"""How far numbers from cross-validation are from the truth."""

import math
from functools import partial
from itertools import product

import numpy as np
import populations
from simulation import Cell, heard, judged, main
from sklearn import model_selection
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier as Boosting
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import COVERAGE, Section, promise, table_by, table_of

import sklearn_ap
from sklearn_ap import FoldPredictions
from sklearn_ap.definitions import Expected, Step

MEANS = np.array([1.0, 0.7, 0.4, 0.0, 0.0, 0.0])  # of positives; those of negatives are 0
SPREAD = np.array([1.0, 1.0, 1.0, 1.8, 1.0, 1.0])
TRUTH = 15  # times the positives of a sample, at least
FEWEST = {"rows": 500, "patients": 200}  # that show the truth of one model
MOST_NEGATIVES = 4  # for each positive of a test set; they weigh more where there are others
ROWS = 5  # of a patient, or their mean
SHARE = 0.2  # of positives, where scales are compared
SORTED = 0.7  # the standard deviation of what blurs the order by label


FOREST = partial(RandomForestClassifier, 10, max_depth=8, random_state=0)
LEARNERS = {
    "logistic": LogisticRegression,
    "naive Bayes": GaussianNB,
    "15 neighbours": partial(KNeighborsClassifier, 15),
    "tree of depth 4": partial(DecisionTreeClassifier, max_depth=4, random_state=0),
    "boosting": partial(Boosting, max_iter=20, early_stopping=False, random_state=0),
    "forest": FOREST,
    "hinge loss by SGD": partial(SGDClassifier, random_state=0),
    "shrunken logistic": partial(LogisticRegression, C=0.001),
}
BY_AP = {"scoring": "average_precision", "cv": 3}
SEARCHES = {
    "search over C": partial(
        model_selection.GridSearchCV,
        LogisticRegression(),
        {"C": [0.001, 0.1, 10]},
        **BY_AP,
    ),
    "search over depth": partial(
        model_selection.GridSearchCV,
        FOREST(),
        {"max_depth": [1, 3, 12]},
        **BY_AP,
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
# What is printed of each learner: the default, and what the page on folds advises.
WAYS = {"": {}, "expected AP": {"definition": Expected()}, "ranks": {"pooling": "ranks"}}
ADVISED = {"tree of depth 4": ("", "expected AP"), "hinge loss by SGD": ("", "ranks")}
ADVISED |= {"search over C": ("", "ranks")}
POOLS = ("", "ranks")
UNEQUAL = [("plain", 10), ("plain", 50), ("sorted", 10), ("a patient out", 50), ("patients", 10)]
UNEQUAL += [("stratified patients", 5), ("stratified patients", 10)]
UNEQUAL_LEARNERS = ("logistic", "shrunken logistic", "15 neighbours", "forest")
LEAST = 93  # coverage


def draw(rng, n_positives, n_negatives, split, means=MEANS, effect=1.0, sizes="equal"):
    """Rows, or rows of patients, each of whom has one label and is unlike others.

    ``effect`` is how unlike they are.
    """
    if "patient" in split:
        n_positives, n_negatives = (max(n // ROWS, 2) for n in (n_positives, n_negatives))
    y = rng.permutation(np.repeat([1, 0], [n_positives, n_negatives]))
    X = rng.normal(size=(y.size, means.size)) * effect
    X[y == 1] = X[y == 1] * SPREAD[: means.size] + means if means is MEANS else X[y == 1] + means
    if "patient" in split:
        n_rows = rng.geometric(1 / ROWS, y.size) if sizes == "unlike" else np.full(y.size, ROWS)
        X, patients = np.repeat(X, n_rows, axis=0), np.repeat(np.arange(y.size), n_rows)
        return X + rng.normal(size=X.shape), y[patients], patients
    return X, y, None


class Folds:
    """A sample in the order of its folds, the patients, if any, and models trained on the folds."""

    def __init__(self, rng, split, n_folds, *size, **how):
        self.population = how | {"split": split}
        self.X, self.y, self.patients = draw(rng, *size, **self.population)
        if split == "sorted":
            order = np.argsort(self.y + SORTED * rng.normal(size=self.y.size))
            self.X, self.y = self.X[order], self.y[order]
        is_shuffled = split in SHUFFLED
        seeded = {"shuffle": True, "random_state": int(rng.integers(2**32))} if is_shuffled else {}
        pairs = SPLITTERS[split](n_folds, **seeded).split(self.X, self.y, self.patients)
        self.indices = dict(zip(("train", "test"), zip(*pairs, strict=True), strict=True))

    def trained(self, model):
        """What cross_validate gives, in less time: no scores of folds."""
        trains = self.indices["train"]
        models = [clone(model).fit(self.X[rows], self.y[rows]) for rows in trains]
        return {"estimator": models, "indices": self.indices}

    def scores(self, cv, definition=Step()):
        """The score of each fold that has a positive."""
        folds = zip(cv["estimator"], self.indices["test"], strict=True)
        pairs = [(self.y[rows], responses(model, self.X[rows])) for model, rows in folds]
        options = {"definition": definition}
        return np.array([populations.score(*pair, **options) for pair in pairs if pair[0].any()])

    def truth(self, models, seed, definition=Step(), n=None):
        """The mean score of models in the population, as for a sample of n positives."""
        n = int(self.y.sum()) if n is None else n
        return mean_truth(models, definition, n, self.y.mean(), int(seed), **self.population)


def responses(model, X):
    has = hasattr(model, "decision_function")
    return model.decision_function(X) if has else model.predict_proba(X)[:, 1]


def mean_truth(models, definition, n, prevalence, seed, split="", **how):
    """The mean score of models of a sample with ``n`` positives, each on new rows of its own."""
    rng, scores = np.random.default_rng(seed), []
    fewest = ROWS * FEWEST["patients"] if "patient" in split else FEWEST["rows"]
    n_positives = max(round(TRUTH * n / len(models)), fewest)
    n_negatives = n_drawn = round(n_positives / prevalence) - n_positives
    if not isinstance(definition, Expected):  # it takes no weights
        n_drawn = min(MOST_NEGATIVES * n_positives, n_negatives)
    for model in models:
        X, y, _ = draw(rng, n_positives, n_drawn, split, **how)
        y_score, found = responses(model, X), []
        for rows in (slice(None), slice(y.size // 2), slice(y.size // 2, None)):
            options = {"definition": definition}
            if n_drawn < n_negatives:
                options["sample_weight"] = np.where(y[rows] == 1, 1.0, n_negatives / n_drawn)
            found.append(populations.score(y[rows], y_score[rows], **options))
        # The bias of half the rows is twice as large.
        scores.append(2 * found[0] - (found[1] + found[2]) / 2)
    return np.mean(scores)


def sample_of_learner(rng, _, learner, n, prevalence, n_folds, split):
    """The mean of the folds and the pool beside the truth, for each way to pool."""
    folds = Folds(rng, split, n_folds, n, round(n / prevalence) - n)
    cv, seed = folds.trained((LEARNERS | SEARCHES)[learner]()), rng.integers(2**32)
    models = cv["estimator"][:: max(len(cv["estimator"]) // 10, 1)]  # 10 to 19 of many are enough
    found, truths = {}, {}
    for way in ADVISED.get(learner, ("",)) if split == "stratified" else POOLS:
        options = {"definition": Step(), "clusters": folds.patients} | WAYS[way]
        definition, pooling = options["definition"], options.pop("pooling", "scores")
        if definition not in truths:
            truths[definition] = folds.truth(models, seed, definition)
        predictions = FoldPredictions(cv, folds.X, pooling=pooling)
        call = sklearn_ap.average_precision_interval
        made, warned = heard("fold", call, folds.y, predictions, **options)
        scores = folds.scores(cv, definition)
        wrong = scores.mean() - truths[definition]
        naive = abs(wrong) <= 1.96 * scores.std(ddof=1) / math.sqrt(scores.size)
        of_mean = {"mean bias": wrong, "mean square": wrong**2, "naive": naive}
        found[way] = judged(truths[definition], made, warned) | of_mean
    return found


def sample_of_scales(rng, _, learner, n, n_folds, split, effect, sizes):
    """Pools of scores and of ranks of patients, and whether what must not matter changes them.

    What must not matter is an increasing map of all scores, the order of the rows, and the names of
    the patients.
    """
    folds = Folds(rng, split, n_folds, n, round(n / SHARE) - n, effect=effect, sizes=sizes)
    cv = folds.trained((LEARNERS | SEARCHES)[learner]())
    seed = int(rng.integers(2**32))
    truth = mean_truth(cv["estimator"], Step(), n, SHARE, seed, **folds.population)
    score, fold, given, found = np.empty(folds.y.size), np.empty(folds.y.size, int), {}, {}
    for i, (model, rows) in enumerate(zip(cv["estimator"], folds.indices["test"], strict=True)):
        score[rows], fold[rows] = responses(model, folds.X[rows]), i
    order, call = rng.permutation(folds.y.size), sklearn_ap.average_precision_interval
    names = rng.permutation(folds.patients.max() + 1)[folds.patients]
    for way in ("scores", "ranks"):
        for what, (s, rows) in {
            "as given": (score, slice(None)),
            "changed": (np.arctan(score / 10), order),
        }.items():
            clusters = (folds.patients if what == "as given" else names)[rows]
            made = FoldPredictions({"y_score": s[rows], "folds": fold[rows]}, pooling=way)
            given[what] = call(folds.y[rows], made, clusters=clusters)
        made, other = given["as given"], given["changed"]
        found[way] = judged(truth, made, warned=False) | {
            "same": bool(abs(made.estimate - other.estimate) < 1e-9),
        }
    return found


def cell_of(task, sample, name, **how):
    kind = f"{task}, {how['learner']}, {how['split']}"
    section = "scales of folds" if task == "scales" else "cross-validation"
    facts = how | {"task": task, "kind": kind, "section": section}
    return Cell(name, partial(sample, **how), 100, facts=facts)


def of_learner(learner, n, prevalence, n_folds, split="stratified"):
    how = {"learner": learner, "n": n, "prevalence": prevalence, "n_folds": n_folds, "split": split}
    name = f"{learner}, {n} positives, share {prevalence:g}, {n_folds} folds ({split})"
    return cell_of("learner", sample_of_learner, name.removesuffix(" (stratified)"), **how)


def of_scales(learner, n_patients, n_folds, split, effect=1.0, sizes="equal"):
    n = round(SHARE * n_patients * ROWS)
    how = {"learner": learner, "n": n, "n_folds": n_folds, "split": split}
    name = f"{learner}, {n_patients} patients, {n_folds} folds ({split})"
    name += ", unlike sizes" * (sizes == "unlike") + f", effect {effect:g}" * (effect != 1)
    return cell_of("scales", sample_of_scales, name, **how, effect=effect, sizes=sizes)


def cells_of_scales():
    """Scales differ if a search chooses another C; learners without a search have equal scales."""
    for split in ("stratified patients", "patients"):
        yield of_scales("search over C", 250, 5, split)
        yield of_scales("logistic", 250, 5, split, sizes="unlike")
    yield of_scales("search over C", 250, 10, "stratified patients", sizes="unlike")
    yield of_scales("search over C", 60, 5, "stratified patients")
    yield of_scales("search over C", 250, 5, "stratified patients", effect=3.0)
    yield of_scales("logistic", 250, 5, "patients", effect=3.0)
    yield of_scales("logistic", 60, 5, "patients", effect=3.0, sizes="unlike")
    yield of_scales("search over depth", 250, 5, "stratified patients")
    yield of_scales("search over depth", 250, 5, "patients", sizes="unlike")
    yield of_scales("search over depth", 60, 5, "stratified patients", effect=3.0)
    yield of_scales("naive Bayes", 250, 5, "stratified patients")
    yield of_scales("naive Bayes", 60, 10, "patients", sizes="unlike")


def cells():
    for n in (20, 50, 200):
        for prevalence, learner in product((0.2, 0.05), LEARNERS):
            yield of_learner(learner, n, prevalence, 5)
    for prevalence in (0.2, 0.05):
        yield of_learner("search over C", 100, prevalence, 5)
    for learner, (split, n_folds) in product(UNEQUAL_LEARNERS, UNEQUAL):
        yield of_learner(learner, 50, 0.2, n_folds, split)
    yield of_learner("hinge loss by SGD", 50, 0.2, 25)  # two positives in each
    yield from cells_of_scales()


def line_of(row):
    name = row["learner"] if row["learner"] in ADVISED else "others"
    name = name if row["split"] == "stratified" else row["split"]
    size = "20 and 50" if row["split"] == "stratified" and row["n"] < 100 else row["n"]
    return f"{name}{', ' * bool(row['way'])}{row['way']}, {size} positives"


def group_of(row):
    folds = row["split"] if row["split"] == "stratified" else "other"
    return f"{folds} folds, {row['way'] or 'scores'}"


# The mean of the folds beside the pool.
OF_LEARNERS = {
    "mean of folds: bias": "{mean bias.mean:+.3f}",
    "covers": "{naive.least:.0f}",
    "pool: bias": "{bias.mean:+.3f}",
    "largest": "{bias.largest:+.3f}",
    **dict([*COVERAGE.items()][:-1]),  # names of cells are too long beside so many numbers
    "warned": "{warned.mean:.0f}",
}


def is_far(row):
    """Whether a pool without a warning is biased, has a large rmse, or covers too little."""
    is_far = abs(row["bias"]) > 0.03 or row["rmse"] > 1.05 * math.sqrt(row["mean square"])
    return row["silent"] < LEAST or (row["warned"] <= 50 and is_far)


def section(rows):
    for row in rows:
        row["name"] += f", {row['way'] or 'scores'}"
    learners = sorted(rows, key=lambda row: row["split"] != "stratified")
    quiet = [row for row in learners if row["warned"] <= 50]
    few = [row for row in quiet if row["n"] / row["n_folds"] <= 10]
    shown = {"bias": "{bias:+.3f}", "rmse": "{rmse:.3f}", "covers": "{covers:.1f}"}
    far = filter(is_far, learners)
    excess = "The mean of folds, of at most 10 positives each, is too high by"
    promises = [
        promise("95% intervals of the pooled score, unless it warns", quiet, "silent"),
        promise(excess, few, "mean bias", "most", "{:+.3f}"),
    ]
    return Section(
        promises,
        table_by(group_of, learners, OF_LEARNERS, "folds, what is pooled"),
        [table_of("Cells that fail without a warning", far, **shown)],
        [table_by(line_of, learners, OF_LEARNERS, "Each kind of folds")],
    )


AS_SCALES = {
    "bias": "{bias:+.3f}",
    "covers": "{covers:.0f}",
    "unchanged": "{same:.0f}",
}


def section_of_scales(rows):
    """The pools of all cells, and those that what must not matter has changed."""
    for row in rows:
        row["name"] += f", {row['way']}"
    by_way = "{way}".format_map
    shown = {"bias": "{bias.mean:+.3f}", "largest": "{bias.largest:+.3f}"}
    shown |= {"covers: lowest": "{covers.least:.0f}", "median": "{covers.median:.0f}"}
    changed = [row for row in rows if row["same"] < 100]
    return Section(
        [promise("95% intervals of pools of patients, of scores or of ranks", rows)],
        table_by(by_way, rows, shown, "pooling"),
        [table_of("Cells that change with scale, order or names", changed, unchanged="{same:.0f}")],
        [table_of("Pools of patients", rows, **AS_SCALES)],
    )


if __name__ == "__main__":
    sections = {"cross-validation": section, "scales of folds": section_of_scales}
    main("cross_validation", __doc__, cells, sections)
