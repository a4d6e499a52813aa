"""How honest are the numbers of a search, and which of its candidates may one take?

    python benchmarks/searches.py

writes the tables "searches" of docs/evidence, and with a number of searches only prints them. The
truth of a candidate is the score of its model, fitted on all rows, on many new rows.
"""

import sys
import warnings

import numpy as np
from scipy.stats import sem
from simulation import write
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score as average_precision
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap as ap

N_SEARCHES, N_TRUE, MARGIN = 200, (2_500, 5_000), 0.05
SHIFTS = np.append([0.9, 0.7, 0.5, 0.4, 0.3], np.zeros(10))  # of positives, in each feature
# The model, the values of its parameters from the simplest on, positives and negatives
DEPTHS = {"max_depth": [1, 2, 3, 4, 5, 6, 8, 10], "min_samples_leaf": [40, 10, 2]}
PENALTIES = {"selectkbest__k": [1, 2, 4, 8, 15], "ridge__C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}
PIPELINE = Pipeline([("selectkbest", SelectKBest()), ("ridge", LogisticRegression())])
TREE = DecisionTreeClassifier(random_state=0)
SETTINGS = {"24 trees": (TREE, DEPTHS, 80, 920), "30 linear": (PIPELINE, PENALTIES, 50, 450)}


def draw(rng, *size):  # positives, and negatives
    y = np.repeat([1, 0], size)
    return rng.normal(size=(y.size, SHIFTS.size)) + SHIFTS * y[:, None], y


def ask(rng, model, grid, *size):
    """Return scores with limits and truths, losses and places of candidates, and what is right."""
    X, y = draw(rng, *size)
    new, y_new = draw(rng, *N_TRUE)
    weight = np.where(y_new == 1, size[0] / N_TRUE[0], size[1] / N_TRUE[1])
    cv = StratifiedKFold(5, shuffle=True, random_state=int(rng.integers(2**31)))
    search = GridSearchCV(model, grid, scoring="average_precision", cv=cv).fit(X, y)
    settings, chosen = search.cv_results_["params"], search.best_index_
    mean, std = (search.cv_results_[f"{name}_test_score"] for name in ("mean", "std"))
    fitted = (clone(model).set_params(**each).fit(X, y) for each in settings)
    true_scores = (each.predict_proba(new)[:, 1] for each in fitted)
    truth = np.array([average_precision(y_new, s, sample_weight=weight) for s in true_scores])
    models = ap.candidate_predictions(search, X, y)
    ordered = np.argsort(-mean, kind="stable")
    ordered = np.append(chosen, ordered[ordered != chosen])
    pool = ap.average_precision_interval(y, next(iter(models.values())))
    best = ap.compare_average_precision(y, models, reference="best")
    first, honest = best.scores.names[0], best.scores.estimate[0] - best.optimism
    tested = ap.compare_average_precision(y, models, reference=first, margin=MARGIN)
    winner, top, spread = ordered[[*models].index(first)], mean[chosen], std[chosen]
    pairs = zip(best.scores.names, best.verdict, strict=True)
    near = [ordered[[*models].index(name)] for name, verdict in pairs if verdict != "worse"]
    not_worse = [winner, *ordered[tested.verdict == "not worse"]]
    limits = best.scores.low[0], best.scores.high[0]
    scores = {
        "`best_score_` ± `std_test_score`": (top, top - spread, top + spread, truth[chosen]),
        "pool of the refitted candidate": (pool.estimate, pool.low, pool.high, truth[chosen]),
        '`reference="best"`': (honest, *limits, truth[winner]),
    }
    places = ([grid[name].index(each[name]) for name in grid] for each in settings)
    order = np.lexsort(np.transpose([*places])[::-1]).tolist()
    taken = {
        "highest mean": [chosen],
        "highest pool": [winner],
        "simplest within 2% of the highest mean": np.flatnonzero(mean >= 0.98 * top),
        "simplest within one standard deviation": np.flatnonzero(mean >= top - spread),
        "simplest that may be the best": near,
        "simplest not worse by 0.05": not_worse,
    }
    taken = {rule: min(those, key=order.index) for rule, those in taken.items()}
    losses = {rule: (truth[chosen] - truth[i], order.index(i)) for rule, i in taken.items()}
    facts = {
        "the best candidate is among those that may be": truth.argmax() in near,
        "the highest mean is the highest pool": winner == chosen,
        "a worse one is called not worse by 0.05": truth[not_worse].min() <= truth[winner] - MARGIN,
        "a simpler one is called not worse by 0.05": taken["simplest not worse by 0.05"] != winner,
    }
    return scores, losses, facts


def of_scores(found):
    estimate, low, high, truth = np.transpose(found)
    shares = 100 * np.mean(low > truth), 100 * np.mean((low <= truth) & (truth <= high))
    wrong = estimate - truth
    return [f"{wrong.mean():+.3f} ± {sem(wrong):.3f}", *(f"{share:.1f}" for share in shares)]


def of_losses(found):
    lost, places = np.transpose(found)
    return [f"{lost.mean():+.4f} ± {sem(lost):.4f}", f"{places.mean():.1f}"]


TABLES = {  # of each the head, and the columns of a setting
    "summary": ("what is reported", ("bias", "lower limit too high", "covers"), of_scores),
    "candidates": ("Which candidate is taken", ("score lost", "place"), of_losses),
    "facts": ("What happened", ("of 100",), lambda found: [f"{100 * np.mean(found):.1f}"]),
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of pools that rank worse than their folds
    n = int((sys.argv[1:] or [N_SEARCHES])[0])
    found = [[ask(np.random.default_rng(i), *each) for i in range(n)] for each in SETTINGS.values()]
    for number, (name, (head, columns, summed)) in enumerate(TABLES.items()):
        lines = [[head, *(f"{setting}: {column}" for setting in SETTINGS for column in columns)]]
        for row in found[0][0][number]:
            cells = [summed([each[number][row] for each in searches]) for searches in found]
            lines.append([row, *(text for cell in cells for text in cell)])
        print(*(" | ".join(line) for line in lines), sep="\n")
        if n == N_SEARCHES:
            write(f"searches/{name}", lines)
