"""
Is the winner of a search better?
=================================

A grid search always has a winner. Its score in the search is too high, as it is the best of many
scores that all contain some luck. A test set that did not choose says whether the winner is really
better than the model with default settings.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from sklearn_ap import compare_average_precision, get_scorer

X, y = make_classification(
    6_000, n_informative=6, weights=[0.9], flip_y=0.05, class_sep=0.8, random_state=0
)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

# %%
# The search tries 16 settings. The default ones are among them.

default = KNeighborsClassifier()
search = GridSearchCV(
    default,
    {"n_neighbors": [5, 10, 20, 40], "weights": ["uniform", "distance"], "p": [1, 2]},
    scoring=get_scorer("average_precision"),
    cv=3,
    error_score="raise",
).fit(X, y)

print(search.best_params_)
print(f"best score of the search: {search.best_score_:.3f}")

# %%
# On the test set, compare the winner with the default. Both score the same rows, and the
# comparison uses that. The default is the reference, which was chosen before any score was seen.

scores = {
    "default": default.fit(X, y).predict_proba(X_test)[:, 1],
    "winner": search.best_estimator_.predict_proba(X_test)[:, 1],
}
found = compare_average_precision(y_test, scores)
print(found)

# %%
# The intervals of the two scores overlap. That says nothing about the difference, which has an
# interval of its own. If that interval leaves out 0, the models differ. If it holds 0, look at its
# ends: they say how large a gain or a loss is still possible.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained")
place = np.arange(len(found.names))
left.errorbar(
    found.estimates,
    place,
    xerr=np.abs(np.stack((found.lows, found.highs)) - found.estimates),
    fmt="o",
    capsize=4,
)
left.set(yticks=place, yticklabels=found.names, ylim=(1.5, -0.5), title="average precision")
right.errorbar(
    found.differences[1],
    0,
    xerr=[
        [found.differences[1] - found.difference_lows[1]],
        [found.difference_highs[1] - found.differences[1]],
    ],
    fmt="o",
    capsize=4,
)
right.axvline(0, color="0.5", linewidth=1)
right.set(yticks=[0], yticklabels=["winner - default"], ylim=(0.5, -0.5), title="difference")

# %%
# How much would a small test set have said? With 300 rows, about 40 of them positive, the interval
# of the difference is several times as wide.

few = slice(300)
print(compare_average_precision(y_test[few], {name: s[few] for name, s in scores.items()}))

# %%
# To ask whether *searching* is worth its time, rather than whether this winner is better, the
# training set must vary too: repeat search and default in several folds, and see the page on
# certainty for the test over folds.
