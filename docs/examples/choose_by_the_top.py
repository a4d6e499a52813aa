"""
Choose a model by the top 50
============================

A team can look at 50 cases a day. What matters is how many of these are frauds, and how early they
come. Average precision at 50 measures that. It may choose other hyperparameters than the average
precision of the whole ranking, or than accuracy.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from sklearn_ap import average_precision_at_k_score, get_scorer

X, y = make_classification(
    6_000,
    n_features=8,
    n_informative=5,
    weights=[0.95],
    flip_y=0.02,
    class_sep=0.8,
    random_state=3,
)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# One search scores each candidate three ways. ``error_score="raise"`` stops the search where a
# scorer fails; otherwise you would get nan and a warning.

names = ["accuracy", "average_precision", "average_precision_at_50"]
search = GridSearchCV(
    KNeighborsClassifier(weights="distance"),
    {"n_neighbors": [1, 2, 5, 10, 20, 50, 100]},
    scoring={name: "accuracy" if name == "accuracy" else get_scorer(name) for name in names},
    refit=False,
    error_score="raise",
).fit(X, y)

neighbors = search.cv_results_["param_n_neighbors"].data.astype(int)
figure, axes = plt.subplots(3, 1, sharex=True, figsize=(4.4, 6), layout="constrained")
chosen = {}
for name, axis in zip(names, axes, strict=True):
    mean = search.cv_results_[f"mean_test_{name}"]
    chosen[name] = int(neighbors[mean.argmax()])
    axis.semilogx(neighbors, mean, "o-", color="#0072B2")
    axis.plot(chosen[name], mean.max(), "o", ms=12, mfc="none", color="#D55E00", mew=2)
    axis.set_title(name.replace("_", " "), fontsize="medium")
    axis.set_xticks([1, 10, 100], ["1", "10", "100"])
axes[-1].set_xlabel("neighbours")

# sphinx_gallery_thumbnail_number = 2

# %%
# Held-out data show what each choice gives the team: how many of the first cases are no frauds. The
# choice by average precision at 50 is the best one here. With 91 frauds the difference can be luck:
# an interval says how sure it is.

figure, axis = plt.subplots(layout="constrained")
styles = (":", "--", "-")
for name, style in zip(names, styles, strict=True):
    model = KNeighborsClassifier(chosen[name], weights="distance").fit(X, y)
    score = model.predict_proba(X_test)[:, 1]
    at_50 = average_precision_at_k_score(y_test, score, k=50)
    false_alarms = np.cumsum(y_test[np.argsort(-score, kind="stable")][:50] == 0)
    label = f"by {name.replace('_', ' ')}: AP@50 = {at_50:.3f}"
    axis.step(range(51), [0, *false_alarms], style, where="post", label=label, lw=2)
axis.set(xlabel="cases looked at", ylabel="false alarms among them", xlim=(0, 51))
figure.legend(title="chosen", loc="outside lower center", fontsize="medium")
