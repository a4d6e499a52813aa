"""
Oranges and apples
==================

Nick Dingwall ("Stepping away from linear interpolation") showed why the operating points of a
classifier must not be joined by straight lines, as scikit-learn did before 0.19. This is his
argument, step by step.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_auc_score
from sklearn.model_selection import train_test_split

from sklearn_ap import AveragePrecisionDisplay, average_precision_score, definitions

# %%
# Operating points
# ----------------
#
# Ten fruits, five of them oranges, can be cut in eleven places. Where nothing is called an orange,
# precision is 0/0, and 1 by convention.

orange = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 0])
precision, recall, _ = precision_recall_curve(orange, np.linspace(1, 0.1, 10))
for p, r in zip(precision[::-1], recall[::-1], strict=True):
    print(f"precision {p:.2f}, recall {r:.1f}")
print(f"their mean: {precision.mean():.3f}")

# %%
# Why not their mean? It ignores recall. Two models, both with half of what they find right between
# 0.5 and 0.8, but the first finds two of five and the second one of five:

y_true = [1, 1, 1, 1, 1, 0, 0, 0]
for y_score in ([8, 8, 5, 5, 5, 8, 8, 5], [8, 5, 5, 5, 5, 8, 5, 5]):
    precision, _, _ = precision_recall_curve(y_true, y_score)
    print(f"mean precision {precision.mean():.4f}")

# %%
# Constant scores
# ---------------
#
# A model that gives the same score to all has two operating points. Among 100 items with 10
# positives, a straight line between them promises a precision of 0.82 at a recall of 0.2. No
# threshold attains it. What is shaded is over-counted.

y_true, constant = np.repeat([1, 0], [10, 90]), np.full(100, 0.5)
AveragePrecisionDisplay.from_predictions(
    y_true, constant, definition=[definitions.Linear(), definitions.Step()], name="constant"
)

# %%
# Noise breaks the ties
# ---------------------
#
# Think of the scores as rounded. Noise that breaks the ties shows what they could have been, and
# the more items there are, the closer the curve comes to the steps.

rng = np.random.default_rng(0)
figure, axis = plt.subplots(layout="constrained")
for n in (100, 1_000, 100_000):
    noise = rng.normal(size=n)
    AveragePrecisionDisplay.from_predictions(
        np.arange(n) < n / 10, noise, name=f"{n:,} items", ax=axis
    )

# %%
# A better prediction
# -------------------
#
# Another model puts one positive and one negative at 0.8. It has found something, with a precision
# of 1/2, where chance has 1/10. Straight lines punish it. Steps reward it.

improved = constant.copy()
improved[[0, -1]] = 0.8
figure, axes = plt.subplots(1, 2, figsize=(9, 5), layout="constrained")
for name, y_score in {"constant": constant, "improved": improved}.items():
    AveragePrecisionDisplay.from_predictions(
        y_true,
        y_score,
        definition=[definitions.Linear(), definitions.Step()],
        name=name,
        ax=axes,
    )

# %%
# Rounding
# --------
#
# A real model with 5 % positives, and the same model with its scores rounded to tenths, which only
# throws information away. Under straight lines that is an improvement.

X, y = make_classification(
    10_000,
    n_features=50,
    n_informative=2,
    n_redundant=0,
    weights=[0.95],
    flip_y=0.02,
    class_sep=0.15,
    random_state=5,
)
X, X_test, y, y_test = train_test_split(X, y, random_state=5)
exact = LogisticRegression(class_weight="balanced").fit(X, y).predict_proba(X_test)[:, 1]
print(f"area under the ROC curve: {roc_auc_score(y_test, exact):.3f}")

figure, axes = plt.subplots(1, 2, figsize=(9, 5), layout="constrained")
for name, y_score in {"exact": exact, "rounded": exact.round(1)}.items():
    AveragePrecisionDisplay.from_predictions(
        y_test,
        y_score,
        definition=[definitions.Linear(), definitions.Step()],
        name=name,
        ax=axes,
    )
print(f"step, exact: {average_precision_score(y_test, exact):.3f}")
print(f"step, rounded: {average_precision_score(y_test, exact.round(1)):.3f}")
