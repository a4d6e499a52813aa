"""
Do not join the points by straight lines (Dingwall)
===================================================

Nick Dingwall (`Stepping away from linear interpolation
<https://github.com/roamanalytics/roamresearch/blob/master/BlogPosts/Average_precision/Average_precision_post.ipynb>`_)
shows why you should not join the operating points of a classifier by straight lines. Because of
this text, scikit-learn stopped doing so in 0.19. This is his argument, step by step.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve, roc_auc_score
from sklearn.model_selection import train_test_split

from sklearn_ap import AveragePrecisionDisplay, average_precision_score, definitions

# %%
# A threshold
# -----------
#
# A classifier gives ten fruits a score. Call a fruit an orange if its score is above 0.38. That
# finds 4 of the 5 oranges, and calls 2 of the 5 apples oranges.

orange = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 0])
score = np.array([0.95, 0.88, 0.74, 0.66, 0.52, 0.43, 0.31, 0.24, 0.15, 0.06])
figure, axis = plt.subplots(figsize=(4.4, 1.9), layout="constrained")
axis.plot(score[orange == 1], np.zeros(5), "o", ms=14, color="#E69F00", label="orange")
axis.plot(score[orange == 0], np.zeros(5), "o", ms=14, color="#009E73", label="apple")
axis.axvline(0.38, color="#0072B2", linestyle=":", label="threshold 0.38")
axis.set(xlabel="score", xlim=(0, 1), yticks=[], ylim=(-1, 1))
figure.legend(loc="outside upper center", ncols=3, frameon=False, columnspacing=1)
for side in ("left", "right", "top"):
    axis.spines[side].set_visible(False)

# %%
# Operating points
# ----------------
#
# There are eleven places for the threshold, and each gives an operating point: a recall and a
# precision. If nothing is called an orange, precision is 0/0, and 1 by convention.

precision, recall, _ = precision_recall_curve(orange, score)
for p, r in zip(precision[::-1], recall[::-1], strict=True):
    print(f"precision {p:.2f}, recall {r:.1f}")
print(f"mean precision: {precision.mean():.4f}")
print(f"from rounded values, as Dingwall prints it: {precision.round(2).mean():.4f}")


def scatter(axis, y_true, y_score, **options):
    """Draw the operating points, and nothing between them."""
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    axis.plot(recall, precision, "o", color="#0072B2", **options)
    axis.set(xlabel="recall", ylabel="precision", xlim=(-0.05, 1.05), ylim=(-0.02, 1.05))


figure, axis = plt.subplots(layout="constrained")
scatter(axis, orange, score)
axis.set_title("eleven operating points")

# sphinx_gallery_thumbnail_number = 3

# %%
# The mean of the precisions ignores recall. Two models score five positives and three negatives.
# Model 1 gives 0.8 to two positives and two negatives, and model 2 gives it to one positive and one
# negative. All others get 0.5. At 0.8 both have a precision of 1/2, but model 1 finds 2 of the 5
# and model 2 finds 1. Their mean precision is the same.

y_true = [1, 1, 1, 1, 1, 0, 0, 0]
for name, y_score in {"1": [8, 8, 5, 5, 5, 8, 8, 5], "2": [8, 5, 5, 5, 5, 8, 5, 5]}.items():
    precision, _, _ = precision_recall_curve(y_true, y_score)
    step = average_precision_score(y_true, y_score)
    print(f"model {name}: mean precision {precision.mean():.4f}, step AP {step:.4f}")

# %%
# Step average precision weights each precision by the rise in recall. Model 2 has the higher score:
# a precision of 1/2 at the top is worse than 5/8, which you get if you call everything positive,
# and model 2 finds fewer positives at 1/2.
#
# Constant scores
# ---------------
#
# A model that gives the same score to all has two operating points. Here 10 of 100 items are
# positive. A straight line between the points shows a precision of 0.82 at a recall of 0.2, which
# no threshold attains. Steps show what the next threshold attains.

y_true, constant = np.repeat([1, 0], [10, 90]), np.full(100, 0.5)
figure, axis = plt.subplots(layout="constrained")
for definition in (definitions.Linear(), definitions.Step()):
    AveragePrecisionDisplay.from_predictions(
        y_true, constant, definition=definition, ax=axis, plot_chance_level=False
    )
scatter(axis, y_true, constant, ms=9)
axis.set_title("two points, and two ways between them")

# %%
# Noise breaks the ties
# ---------------------
#
# Which of the two is right? Think of the scores as rounded, and add a little noise to break the
# ties. The operating points do not follow a straight line. The more items there are, the closer
# they come to the steps.

rng = np.random.default_rng(0)
figure, axes = plt.subplots(2, 1, figsize=(4.4, 6), sharex=True, layout="constrained")
for n, axis in zip((100, 100_000), axes, strict=True):
    scatter(axis, np.arange(n) < n / 10, rng.normal(size=n), ms=3)
    axis.set(title=f"{n:,} items", ylim=(0, 0.42))
axes[0].set_xlabel("")

# %%
# A better prediction
# -------------------
#
# A second model gives 0.8 to one positive and one negative. Its precision there is 1/2, and that of
# chance is 1/10. Straight lines give the constant model the higher score. Steps give it to the
# better model.

improved = constant.copy()
improved[[0, -1]] = 0.8
figure, axes = plt.subplots(2, 1, figsize=(4.4, 7.6), layout="constrained")
for axis, definition in zip(axes, (definitions.Linear(), definitions.Step()), strict=True):
    for name, y_score in {"constant": constant, "improved": improved}.items():
        AveragePrecisionDisplay.from_predictions(
            y_true, y_score, definition=definition, name=name, ax=axis, plot_chance_level=False
        )

# %%
# Rounding
# --------
#
# Take a real model on data with 5% positives, and round its scores to tenths. Rounding only loses
# information, but with straight lines the score rises.

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

figure, axes = plt.subplots(2, 1, figsize=(4.4, 7.6), layout="constrained")
for axis, definition in zip(axes, (definitions.Linear(), definitions.Step()), strict=True):
    for name, y_score in {"exact": exact, "rounded": exact.round(1)}.items():
        AveragePrecisionDisplay.from_predictions(
            y_test, y_score, definition=definition, name=name, ax=axis
        )
    axis.set_ylim(0, 0.5)
