"""How often is a cross-validated model called "not worse", though it is worse by the margin?

    python benchmarks/margins_of_folds.py

writes the table "margins/pools-of-folds" of docs/evidence. The second of two models is worse, and
the margin is exactly its loss: the mean of the models of the folds on many new rows. So each claim
is false. Of models that are equally good, the table says how often the second one is called "not
worse" by 0.05.
"""

import sys
import warnings
import zlib
from functools import partial

import numpy as np
from simulation import write
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import FoldPredictions, compare_average_precision

N_SAMPLES, N_TRUE, MARGIN = 200, (4_000, 10_000), 0.05
SHIFTS = np.array([1.0, 0.7, 0.4, 0.2, 0.1, 0.0, 0.0, 0.0])  # of positives, in each feature
LUCK = SHIFTS.size  # the column that says which rows a rare failure strikes


def fitted(model, n_features=LUCK):
    """Return a function that fits a model, and gives one that scores rows."""

    def fit(X, y):
        made = model().fit(X[:, :n_features], y)
        response = getattr(made, "decision_function", lambda X: made.predict_proba(X)[:, 1])
        return lambda X, _: response(X[:, :n_features])

    return fit


def failing(alarms=0.0, lost=0.0):
    """A linear model that ranks these shares of negatives first, and of positives last."""

    def fit(X, y):
        score = linear(X, y)
        return lambda X, y: (
            score(X, y) + 40 * ((y == 0) & (X[:, LUCK] < alarms)) - 40 * (y * X[:, LUCK] > 1 - lost)
        )

    return fit


linear = fitted(LogisticRegression)
weak, noisy = fitted(LogisticRegression, 1), fitted(partial(LogisticRegression, C=1e4))
bayes, penalized = fitted(GaussianNB), fitted(partial(LogisticRegression, C=0.003))
shallow, deep = (
    fitted(partial(DecisionTreeClassifier, max_depth=n, random_state=0)) for n in (4, 8)
)
forest = fitted(partial(RandomForestClassifier, 15, max_depth=6, random_state=0))
EQUAL = "equally good models"
# Both models, positives, their share, folds, and the strength of features
CELLS = {
    "models of other kinds, penalties and features": [
        (linear, weak, 100, 0.1, 5, 1.0),
        (linear, penalized, 50, 0.1, 5, 1.0),
        (linear, bayes, 100, 0.1, 10, 1.0),
        (linear, forest, 60, 0.2, 5, 1.0),
        (shallow, deep, 100, 0.1, 5, 1.0),
        (linear, weak, 50, 0.3, 10, 2.0),
    ],
    "a tree of depth 4 beside a linear model": [
        (linear, shallow, 100, 0.1, 5, 1.0),
    ],
    "rare failures, of which 1.3 to 4 are expected": [
        (linear, failing(alarms=0.00145), 100, 0.1, 5, 1.5),
        (linear, failing(alarms=0.003), 100, 0.1, 5, 2.5),
        (linear, failing(alarms=0.00445), 100, 0.1, 5, 2.5),
        (linear, failing(alarms=0.01), 60, 0.2, 5, 3.5),
        (linear, failing(lost=0.03), 100, 0.1, 5, 2.5),
    ],
    EQUAL: [
        (linear, noisy, 50, 0.1, 5, 1.0),
        (linear, noisy, 200, 0.1, 5, 1.0),
        (linear, noisy, 200, 0.1, 5, 2.0),
    ],
}


def draw(rng, strength, *size):
    y = np.repeat([1, 0], size)
    X = rng.normal(size=(y.size, LUCK + 1))
    X[:, :LUCK] += strength * SHIFTS * y[:, None]
    X[:, LUCK] = rng.random(y.size)
    return X, y


def limits(n_samples, cell):
    """Return the true difference in each sample, and the limit that a margin is compared with."""
    *models, n, prevalence, n_folds, strength = cell
    n_negatives = round(n / prevalence) - n
    rng = np.random.default_rng(zlib.crc32(str(cell[2:]).encode()))
    new, truth = draw(rng, strength, *N_TRUE), np.empty((n_samples, n_folds, 2))
    weight = np.where(new[1] == 1, n / N_TRUE[0], n_negatives / N_TRUE[1])
    low = np.empty(n_samples)
    for i in range(n_samples):
        X, y = draw(rng, strength, n, n_negatives)
        scores, fold = np.empty((2, y.size)), np.empty(y.size, int)
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=int(rng.integers(2**31)))
        for number, (train, test) in enumerate(splitter.split(X, y)):
            fold[test] = number
            for place, fit in enumerate(models):
                score = fit(X[train], y[train])
                scores[place, test] = score(X[test], y[test])
                options = {"sample_weight": weight}
                truth[i, number, place] = average_precision_score(new[1], score(*new), **options)
        pools = [FoldPredictions({"y_score": each, "folds": fold}) for each in scores]
        found = compare_average_precision(y, dict(zip("AB", pools, strict=True)), margin=MARGIN)
        low[i] = found.margin.low[1]
    return np.diff(truth.mean(axis=1))[:, 0], low


def main():
    warnings.simplefilter("ignore")  # of pools that rank worse than their folds
    n = int((sys.argv[1:] or [N_SAMPLES])[0])
    says = 'falsely called "not worse": most', "mean", 'called "not worse" by 0.05: mean'
    lines = [["Pools of folds", "cells", "samples", *says]]
    for row, cells in CELLS.items():
        found = [limits(n, cell) for cell in cells]
        false = [100 * np.mean(low > true) for true, low in found]
        shown = [100 * np.mean(low > -MARGIN) for _, low in found]
        of_false = ["", ""] if row == EQUAL else [f"{max(false):.1f}", f"{np.mean(false):.1f}"]
        of_shown = f"{np.mean(shown):.1f}" if row == EQUAL else ""
        lines.append([row, str(len(cells)), str(n), *of_false, of_shown])
        print(" | ".join(lines[-1]))
        for cell, (true, _), *shares in zip(cells, found, false, shown, strict=True):
            print(
                f"  {cell[2:]}: {true.mean():+.3f}",
                *(f"{share:.1f}" for share in shares),
                flush=True,
            )
    if n == N_SAMPLES:
        write("margins/pools-of-folds", lines)


if __name__ == "__main__":
    main()
