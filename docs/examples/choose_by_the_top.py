"""
Choose a model by the top 50
============================

A team can look at 50 cases a day. What matters is how many of these are frauds, and how early they
come: average precision at 50. It may choose other hyperparameters than the average precision of the
whole ranking, or than accuracy.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from sklearn_ap import AveragePrecisionDisplay, definitions, get_scorer

X, y = make_classification(
    8_000, n_informative=5, weights=[0.95], flip_y=0.02, class_sep=0.7, random_state=0
)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# One search scores each candidate three ways; ``error_score="raise"`` keeps a mistake in a scorer
# from becoming nan and a warning.

names = ["accuracy", "average_precision", "average_precision_at_50"]
search = GridSearchCV(
    KNeighborsClassifier(weights="distance"),
    {"n_neighbors": [1, 2, 5, 10, 20, 50, 100, 200]},
    scoring={name: "accuracy" if name == "accuracy" else get_scorer(name) for name in names},
    refit=False,
    error_score="raise",
).fit(X, y)

neighbors = search.cv_results_["param_n_neighbors"].data.astype(int)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.5), layout="constrained")
chosen = {}
for name, axis in zip(names, axes, strict=True):
    mean = search.cv_results_[f"mean_test_{name}"]
    chosen[name] = int(neighbors[mean.argmax()])
    axis.semilogx(neighbors, mean, "o-")
    axis.axvline(chosen[name], color="0.7", zorder=0)
    axis.set(title=f"{name}: {chosen[name]}", xlabel="n_neighbors")

# %%
# On held-out data, each choice has the top 50 that it deserves.

figure, axis = plt.subplots(layout="constrained")
for name in names:
    model = KNeighborsClassifier(chosen[name], weights="distance").fit(X, y)
    AveragePrecisionDisplay.from_estimator(
        model,
        X_test,
        y_test,
        definition=definitions.AtK(k=50),
        name=f"by {name}",
        ax=axis,
    )
