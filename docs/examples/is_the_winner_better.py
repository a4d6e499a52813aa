"""
Test whether the winner of a search is better
=============================================

A grid search always has a winner. Its lead in the search is too large, as it is the best of many
scores that all contain some luck. A test set that did not choose says whether the winner is really
better than the model with default settings.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from sklearn_ap import compare_average_precision, get_scorer

X, y = make_classification(
    6_000, n_features=13, n_informative=6, weights=[0.9], flip_y=0.05, class_sep=0.8, random_state=1
)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)

# %%
# The search tries 10 settings. The default ones are among them.

default = make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression(max_iter=500))
search = GridSearchCV(
    default,
    {
        "logisticregression__C": [0.0001, 0.001, 0.01, 0.1, 1.0],
        "logisticregression__class_weight": [None, "balanced"],
    },
    scoring=get_scorer("average_precision"),
    cv=3,
    error_score="raise",
).fit(X, y)

found = search.cv_results_
plain = {"logisticregression__C": 1.0, "logisticregression__class_weight": None}
lead = search.best_score_ - found["mean_test_score"][found["params"].index(plain)]
print(search.best_params_)
print(f"lead over the default in the search: {lead:+.4f}")

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
# The lead is gone. The interval of the difference contains 0, so the test set does not show that
# the winner is better. The upper end of that interval says what is still possible: a gain of less
# than 0.001. The two intervals of the scores do not help. They are fifteen times as wide, because
# they do not use that both models rank the same rows in nearly the same order.

_, axes = plt.subplots(2, 1, layout="constrained")
found.plot(axes)

# %%
# A small test set would have said much less. With 300 rows, the interval of the difference is
# several times as wide.

few = slice(300)
print(compare_average_precision(y_test[few], {name: s[few] for name, s in scores.items()}))
