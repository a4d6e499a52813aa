"""
Is the winner of a search better?
=================================

A grid search always has a winner. Is it better than the default, or was it lucky? Keep a test set
that the search never saw, and compare the two models on it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_ap import (
    AveragePrecisionDisplay,
    ModelComparisonDisplay,
    compare_average_precision,
    get_scorer,
)

X, y = make_classification(
    4_000, n_informative=6, weights=[0.9], flip_y=0.03, class_sep=0.9, random_state=1
)
X, X_test, y, y_test = train_test_split(X, y, stratify=y, random_state=0)

search = GridSearchCV(
    RandomForestClassifier(50, random_state=0),
    {"min_samples_leaf": [1, 3, 10], "max_features": [2, "sqrt"]},
    scoring=get_scorer("average_precision"),
    cv=3,
    error_score="raise",
).fit(X, y)
models = {
    "default": RandomForestClassifier(50, random_state=0).fit(X, y),
    "winner": search,
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y),
}
print(f"winner: {search.best_params_}, {search.best_score_:.3f} in cross-validation")

# %%
# Read the right panel: it shows the difference from the default, with a 95 % interval. An interval
# that contains 0 says that the test set does not tell which of the two is better. Do not compare
# the two intervals on the left: both models are scored on the same cases, so most of the
# uncertainty is shared, and cancels in the difference.

ModelComparisonDisplay.from_estimators(models, X_test, y_test)

# %%
# The same as a table. The last column adjusts the p-values for the number of comparisons.

scores = {name: model.predict_proba(X_test)[:, 1] for name, model in models.items()}
print(compare_average_precision(y_test, scores))

# %%
# How much would a small test set have said? With a third of the rows, the intervals of the
# differences are much wider.

few = slice(330)
print(compare_average_precision(y_test[few], {name: s[few] for name, s in scores.items()}))

# %%
# The intervals also stand in the legend of the curves.

figure, axis = plt.subplots(layout="constrained")
for name, model in models.items():
    AveragePrecisionDisplay.from_estimator(
        model, X_test, y_test, name=name, confidence_level=0.95, ax=axis
    )

# %%
# This compares fitted models. To ask whether searching is worth its time, the training set must
# vary too: see the page on certainty for a test over folds.
