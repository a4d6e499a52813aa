"""How often is one of two equal ways of training called better, from five seeds, and by which test?

    python benchmarks/seeds.py

writes docs/evidence/seeds/summary.csv: percentages of samples in which the 95% interval of a
difference excludes 0. Ways are small random networks. Their seeds draw the hidden layer, so that
scores vary by seed, and their training rows, or folds, are drawn anew in each sample. "Unlike" ways
see features of their own that tell as much, so that neither is better. "Missed" is how often the
interval for the trained models lacks their true difference, on many new rows.
"""

import sys
import warnings

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import t as student
from scipy.stats import ttest_1samp, ttest_ind
from simulation import generators, write
from sklearn.model_selection import StratifiedKFold

import sklearn_ap
from sklearn_ap import FoldPredictions, compare_average_precision

SEED = 7
PREVALENCE, N_TRAINED, N_FOLDS = 0.15, 300, 5
N_TIMES = 20  # as many new positives as those that test show a truth that limits can miss
N_NEGATIVES = 2  # for each positive of the new rows, which are weighted to the prevalence
SHIFTS = 2 * np.linspace(1.5, 0.2, 8) / np.sqrt(8)  # of positives, in each feature of a group
RIDGE = 1.0
# Groups of features that each way sees: there are three, which tell the same on average.
SAME, UNLIKE, BETTER = ((0, 1), (0, 1)), ((0, 1), (1, 2)), ((0, 1), (0, 1, 2))
# Samples, new positives that show the truth, groups, hidden units, positives that test, whether in
# folds, and seeds
CELLS = {
    "equal, one test set, seeds vary much": (200, 2_000, SAME, 10, 60, False, 5),
    "unlike, one test set, seeds vary much": (400, 2_000, UNLIKE, 10, 60, False, 5),
    "unlike, one test set, seeds vary little": (200, 2_000, UNLIKE, 40, 60, False, 5),
    "unlike, the same, tested on 1,000 positives": (200, 2_000, UNLIKE, 40, 1_000, False, 5),
    "unlike, one test set of 200 positives": (400, 6_000, UNLIKE, 20, 200, False, 5),
    "equal, 5 folds, seeds vary much": (200, 2_000, SAME, 10, 60, True, 5),
    "unlike, 5 folds, seeds vary much": (200, 2_000, UNLIKE, 10, 60, True, 5),
    "unlike, 5 folds, seeds vary little": (200, 2_000, UNLIKE, 40, 60, True, 5),
    "unlike, 5 folds of 200 positives": (200, 6_000, UNLIKE, 20, 200, True, 5),
    "better by {:.2f}, one test set of 200 positives": (400, 6_000, BETTER, 20, 200, False, 5),
    "better by {:.2f}, the same, 20 seeds": (200, 2_000, BETTER, 20, 200, False, 20),
    "better by {:.2f}, 5 folds of 200 positives": (200, 2_000, BETTER, 20, 200, True, 5),
}
RECIPES = {
    "these models": "trained models, over rows",
    "both": "ways, over seeds and rows",
    "one": "one seed, over rows",
    "seeds": "t test of seeds",
    "folds": "t test of 25 folds",
    "corrected": "the same, corrected",
}


def draw(rng, n_positives, n_negatives):
    y = np.repeat([1, 0], [n_positives, n_negatives])
    return rng.normal(size=(y.size, 3 * SHIFTS.size)) + np.tile(SHIFTS, 3) * y[:, None], y


def draw_with_share(rng, n_positives):
    return draw(rng, n_positives, round(n_positives / PREVALENCE) - n_positives)


def trained(X, y, seed, groups, n_hidden):
    """A network whose hidden layer is random, and whose last one is a ridge regression."""
    seen = np.concatenate([group * SHIFTS.size + np.arange(SHIFTS.size) for group in groups])
    first = np.random.default_rng(seed).normal(size=(seen.size, n_hidden))
    hidden = np.tanh(X[:, seen] @ first)
    centre = hidden.mean(axis=0)
    products = (hidden - centre).T @ (hidden - centre) + RIDGE * np.eye(n_hidden)
    last = np.linalg.solve(products, (hidden - centre).T @ (y - y.mean()))
    return lambda X: np.tanh(X[:, seen] @ first) @ last


def scores_of(y, table, weight=1.0):
    """The step average precision of each column, without ties."""
    order = np.argsort(-table, axis=0)
    hits = np.cumsum((weight * y)[order], axis=0)
    rows = np.cumsum(np.broadcast_to(weight, y.shape)[order], axis=0)
    return np.sum((weight * y)[order] * hits / rows, axis=0) / hits[-1]


def splits(rng, n_positives, has_folds):
    """The rows that test, and pairs of training rows and of the places that they are tested at."""
    X, y = draw_with_share(rng, n_positives)
    if not has_folds:
        return X, y, [(draw_with_share(rng, round(N_TRAINED * PREVALENCE)), np.arange(y.size))]
    seed = int(rng.integers(2**31))
    pairs = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(X, y)
    return X, y, [((X[train], y[train]), test) for train, test in pairs]


def combined(difference, *intervals):
    """The limits whose distances are the roots of the sums of squares of those of intervals."""
    low, high = np.transpose(intervals)
    return difference - np.hypot(*(difference - low)), difference + np.hypot(*(high - difference))


def intervals(y, scores, fold, in_folds):
    """The interval of each recipe; scores have shape (2, n_rows, n_seeds)."""
    n_seeds = scores.shape[2]
    has_folds = len(in_folds[0]) > 1

    def over_rows(y, scores):
        ways = dict(zip("AB", scores, strict=True))
        if has_folds:
            ways = {
                name: FoldPredictions({"y_score": each, "folds": fold})
                for name, each in ways.items()
            }
        found = compare_average_precision(y, ways)
        return found.difference_low[1], found.difference_high[1]

    of_seeds = [scores_of(y, each) for each in scores]
    found = {
        "these models": over_rows(np.column_stack([y] * n_seeds), scores),
        "one": over_rows(y, scores[:, :, 0]),
        "seeds": tuple(ttest_ind(*of_seeds[::-1]).confidence_interval()),
    }
    difference = np.mean(of_seeds[1]) - np.mean(of_seeds[0])
    found["both"] = combined(difference, found["these models"], found["seeds"])
    if has_folds:
        each = np.ravel(in_folds[1] - in_folds[0])
        found["folds"] = tuple(ttest_1samp(each, 0).confidence_interval())
        share = 1 / each.size + 1 / (N_FOLDS - 1)  # Nadeau and Bengio (2003)
        half = student.ppf(0.975, each.size - 1) * np.sqrt(share * each.var(ddof=1))
        found["corrected"] = each.mean() - half, each.mean() + half
    return found


def sample(rng, n_new, ways, n_hidden, n_positives, has_folds, n_seeds):
    """The intervals, the true difference of the trained models, and the spread over seeds."""
    X, y, parts = splits(rng, n_positives, has_folds)
    features, labels = draw(rng, n_new, N_NEGATIVES * n_new)
    weight = np.where(labels == 1, PREVALENCE, (1 - PREVALENCE) / N_NEGATIVES)
    seeds = rng.integers(2**32, size=(2, n_seeds))
    scores, fold = np.empty((2, y.size, n_seeds)), np.empty(y.size, int)
    in_folds, truth = np.empty((2, 2, len(parts), n_seeds))
    for part, (rows, test) in enumerate(parts):
        fold[test] = part
        for way, groups in enumerate(ways):
            models = [trained(*rows, seed, groups, n_hidden) for seed in seeds[way]]
            scores[way, test] = np.column_stack([model(X[test]) for model in models])
            in_folds[way, part] = scores_of(y[test], scores[way, test])
            on_new = np.column_stack([model(features) for model in models])
            truth[way, part] = scores_of(labels, on_new, weight)
    spread = truth.mean(axis=1).std(axis=1, ddof=1).mean()
    return intervals(y, scores, fold, in_folds), truth[1].mean() - truth[0].mean(), spread


def ask(name, cell, n_samples):
    """Return the row of a cell: how often intervals exclude 0, and miss the true difference."""
    n_new, _, _, n_positives, *_ = cell
    warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
    drawn = [sample(rng, *cell) for rng in generators(n_samples, name, SEED)]
    found, truth, spread = zip(*drawn, strict=True)
    shown = []
    for recipe in RECIPES:
        limits = np.array([each.get(recipe, (np.nan, np.nan)) for each in found])
        shown.append(100 * np.mean((limits > 0).all(axis=1) | (limits < 0).all(axis=1)))
        if np.isnan(limits).any():
            shown[-1] = np.nan
    low, high = np.transpose([each["these models"] for each in found])
    is_shown = n_new >= N_TIMES * n_positives
    missed = 100 * np.mean((low > truth) | (high < truth)) if is_shown else np.nan
    figures = ["" if np.isnan(each) else f"{each:.1f}" for each in (missed, *shown)]
    return [name.format(np.mean(truth)), str(n_samples), f"{np.mean(spread):.3f}", *figures]


def main():
    n = [*map(int, sys.argv[1:2])]  # samples of each cell, to try the script
    head = ["two ways of training", "samples", "SD over seeds", "missed", *RECIPES.values()]
    found = Parallel(n_jobs=-1)(
        delayed(ask)(name, cell, *(n or [n_samples])) for name, (n_samples, *cell) in CELLS.items()
    )
    for line in (head, *found):
        print(" | ".join(line))
    if not n:
        write("seeds", [head, *found])


if __name__ == "__main__":
    main()
