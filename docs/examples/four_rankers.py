"""
Four rankers of rare positives
==============================

Zhu (2004), section 4.2, ranks 29,812 compounds of which 608 are active, described by six numbers.
A nearest-neighbour ranker has its K chosen by cross-validated average precision on one half, and
four rankers are compared by average precision on the other half, as in Tables 2 and 3 there. Those
data are not public; these have the same shape: actives sit in a few small clusters.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    average_precision_score,
    get_scorer,
)


def compounds(n_items=29_812, n_active=608, n_descriptors=6, seed=0):
    """Draw a cloud of inactive items, and actives half in small clusters, half in the cloud."""
    rng = np.random.default_rng(seed)
    inactive = rng.normal(size=(n_items - n_active, n_descriptors))
    centres = rng.normal(scale=1.2, size=(8, n_descriptors))
    active = centres[rng.integers(0, 8, n_active)]
    active += rng.normal(scale=0.3, size=active.shape)
    hidden = rng.random(n_active) < 0.5
    active[hidden] = rng.normal(size=(hidden.sum(), n_descriptors))
    return np.concatenate([active, inactive]), np.repeat([1, 0], [n_active, n_items - n_active])


def compare(X, y):
    """Average precision of four rankers on a held-out half, and the K that was chosen."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    nearest = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsClassifier(weights="distance")),
        {"kneighborsclassifier__n_neighbors": [1, 3, 5, 10, 20, 40, 80]},
        scoring=get_scorer("average_precision"),
        error_score="raise",
    )
    rankers = {
        "nearest neighbours": nearest,
        "support vectors (RBF)": make_pipeline(StandardScaler(), SVC()),
        "random forest": RandomForestClassifier(min_samples_leaf=5, n_jobs=2, random_state=0),
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    scorer = get_scorer("average_precision")
    scores = {name: scorer(model.fit(X, y), X_test, y_test) for name, model in rankers.items()}
    scores["random order, expected"] = average_precision_score(y_test, np.zeros(len(y_test)))
    _, (left, right) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    for name, model in rankers.items():
        AveragePrecisionDisplay.from_estimator(model, X_test, y_test, name=name, ax=left)
        HitCurveDisplay.from_estimator(model, X_test, y_test, name=name, ax=right)
    return scores, nearest.best_params_["kneighborsclassifier__n_neighbors"]


if __name__ == "__main__":
    scores, n_neighbors = compare(*compounds())
    print(f"K chosen by cross-validated average precision: {n_neighbors}")
    for name, value in sorted(scores.items(), key=lambda item: -item[1]):
        print(f"{name:<24} {value:.4f}")
