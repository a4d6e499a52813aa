"""Does a threshold that was chosen by out-of-fold scores hold for the model that is fitted again?

    python benchmarks/refitted_thresholds.py

writes the table "thresholds/after-a-refit" of docs/evidence: in how many of 100 samples the true
precision is below the one that is guaranteed, for the model of all rows, and for the models of the
folds together. Features are normal, so the truth of a linear model is known.
"""

import numpy as np
from scipy.stats import norm
from simulation import write
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from sklearn_ap import operating_point

SEED, N_SAMPLES, N_ROWS, PREVALENCE, LEVEL = 20261202, 500, 2_000, 0.15, 0.9
SHIFTS = np.array([1.4, 1.0, 0.7, 0.5, 0.3, 0.0, 0.0, 0.0])  # of positives, in each feature
PENALTIES = {"logistic regression, `C=1`": 1.0, "logistic regression, `C=0.003`": 0.003}
PRECISIONS = (0.5, 0.7)


def selected(model, threshold):
    """The shares of all rows that are positive and selected, and negative and selected."""
    (weights,), (intercept,) = model.coef_, model.intercept_
    distance = (threshold - intercept) / np.linalg.norm(weights)
    shift = SHIFTS @ weights / np.linalg.norm(weights)
    return np.array([PREVALENCE, 1 - PREVALENCE]) * norm.sf([distance - shift, distance])


def ask(rng, strength):
    """Flag the precisions that the model of all rows misses, and the models of the folds."""
    y = (rng.random(N_ROWS) < PREVALENCE) * 1
    X = rng.normal(size=(N_ROWS, SHIFTS.size)) + SHIFTS * y[:, None]
    folds = [*StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)]
    models = [LogisticRegression(C=strength).fit(X[rows], y[rows]) for rows, _ in folds]
    score = np.empty(N_ROWS)
    for model, (_, rows) in zip(models, folds, strict=True):
        score[rows] = model.decision_function(X[rows])
    again, missed = LogisticRegression(C=strength).fit(X, y), []
    for precision in PRECISIONS:
        threshold = operating_point(y, score, precision=precision, guarantee=LEVEL).threshold
        for used in ([again], models):  # without a threshold, nothing is wrong
            rights, wrongs = sum(selected(model, threshold) for model in used)
            missed.append(rights < precision * (rights + wrongs))
    return missed


def main():
    lines = [["Precision missed, of 100 samples"]]
    lines[0] += [
        f"{precision:.0%}: {used}"
        for precision in PRECISIONS
        for used in ("model of all rows", "models of the folds")
    ]
    for name, strength in PENALTIES.items():
        found = [ask(np.random.default_rng((SEED, i)), strength) for i in range(N_SAMPLES)]
        lines.append([name, *(f"{share:.1f}" for share in 100 * np.mean(found, axis=0))])
    print(*(" | ".join(line) for line in lines), sep="\n")
    write("thresholds/after-a-refit", lines)


if __name__ == "__main__":
    main()
