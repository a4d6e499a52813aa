"""
A threshold whose precision holds on new data
=============================================

A team can live with one false alarm in ten. Which threshold gives it a precision of 0.9 on new
data, and not only on the data at hand? ``operating_point`` with ``guarantee`` chooses it, and
scikit-learn's ``FixedThresholdClassifier`` applies it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_score, recall_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)

from sklearn_ap import operating_point

X, y = make_classification(
    90_000, n_features=8, n_informative=4, weights=[0.8], class_sep=1.3, random_state=4
)
# So many rows nearly give the truth.
X, X_new, y, y_new = train_test_split(X, y, train_size=44_000, random_state=0)
X_train, y_train, X_pool, y_pool = X[:4_000], y[:4_000], X[4_000:], y[4_000:]

# %%
# With rows to spare
# ------------------
# The threshold is chosen on 1,000 rows that the model has not seen. Here are 40 such samples. Many
# thresholds that are chosen by hand have a lower precision on new data than was asked for.

model = LogisticRegression().fit(X_train, y_train)
ways = {"by hand": {}, "with guarantee=0.9": {"guarantee": 0.9}}
true = {way: [] for way in ways}
for rows in np.split(np.arange(40_000), 40):
    score = model.predict_proba(X_pool[rows])[:, 1]
    for way, options in ways.items():
        point = operating_point(y_pool[rows], score, precision=0.9, **options)
        classifier = FixedThresholdClassifier(
            FrozenEstimator(model),
            threshold=point.threshold,
            response_method="predict_proba",
        ).fit(X_pool[rows], y_pool[rows])
        called = classifier.predict(X_new)
        true[way].append((precision_score(y_new, called), recall_score(y_new, called)))

figure, axis = plt.subplots(layout="constrained")
for (way, points), style in zip(true.items(), ("s", "o"), strict=True):
    precision, recall = np.transpose(points)
    held = np.mean(precision >= 0.9)
    axis.plot(recall, precision, style, alpha=0.7, label=f"{way}: at least 0.9 in {held:.0%}")
axis.axhline(0.9, color="0.4", linestyle="--", label="the precision asked for")
axis.set(xlabel="recall on new data", ylabel="precision on new data")
figure.legend(loc="outside lower center")

# %%
# Inside cross-validation
# -----------------------
# If you have no rows to spare, choose the threshold by predictions of an inner cross-validation,
# and fit the model to all rows. Each outer fold does this again, so that its rows test the whole
# procedure. The guarantee is then about the inner models, which saw fewer rows than the final one.

found = []
folds = StratifiedKFold(4, shuffle=True, random_state=0)
for fit, test in folds.split(X_train, y_train):
    model, X_fit, y_fit = LogisticRegression(), X_train[fit], y_train[fit]
    inner = cross_val_predict(model, X_fit, y_fit, method="predict_proba")[:, 1]
    point = operating_point(y_fit, inner, precision=0.9, guarantee=0.9)
    classifier = FixedThresholdClassifier(
        model, threshold=point.threshold, response_method="predict_proba"
    ).fit(X_fit, y_fit)
    called, truth = classifier.predict(X_train[test]), y_train[test]
    precision, recall = precision_score(truth, called), recall_score(truth, called)
    found.append((precision, recall))
    print(f"at {point.threshold}: precision {precision:.3f}, recall {recall:.3f}")

# %%
# The rows of a fold are few, so its precision may be below 0.9. The mean says more.

precision, recall = np.mean(found, axis=0)
print(f"mean: precision {precision:.3f}, recall {recall:.3f}")
