"""
Report a score from cross-validation
====================================

The mean of the folds' scores is too high where folds hold few positives. Here the truth is known,
as the model is validated on 300 images of digits and then scored on 1,497 others. The positive
class is the digit 8, and the model sees four pixels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import FoldPredictions, average_precision_interval, average_precision_score

images, digits = load_digits(return_X_y=True)
pixels, is_eight = images[:, [20, 28, 36, 44]], digits == 8
X, y = pixels[:300], is_eight[:300]
X_new, y_new = pixels[300:], is_eight[300:]
model, folds = GaussianNB(), StratifiedKFold(10)

# %%
# This is what most people print: the mean of the folds, plus or minus something.

scores = cross_val_score(model, X, y, cv=folds, scoring="average_precision")
print(f"{scores.mean():.3f} ± {scores.std():.3f}")

# %%
# This is the pooled score, with an interval.

cv = cross_validate(model, X, y, cv=folds, return_estimator=True, return_indices=True)
found = average_precision_interval(y, FoldPredictions(cv, X))
print(found)

# %%
# This is the truth: the mean score of the same ten models on the images that none of them has seen.

truth = np.mean(
    [
        average_precision_score(y_new, fitted.predict_proba(X_new)[:, 1])
        for fitted in cv["estimator"]
    ]
)
print(f"{truth:.3f}")

# %%
# The interval contains the truth. The mean of the folds is too high by more than half of the truth.
# A fold has three positives, and the average precision of so small a sample is too high.

_, axis = plt.subplots(figsize=(4.4, 2), layout="constrained")
axis.plot(scores, np.full(scores.size, 2), "o", color="C1", alpha=0.5)
axis.plot(scores.mean(), 2, "|", color="C1", markersize=26, markeredgewidth=3)
axis.errorbar(
    found.estimate,
    1,
    xerr=[[found.estimate - found.low], [found.high - found.estimate]],
    fmt="o",
    color="C0",
    capsize=4,
)
axis.axvline(truth, color="0.45", linestyle="--")
axis.text(truth, 2.75, " the truth", color="0.45", va="center")
axis.set(yticks=[1, 2], yticklabels=["pooled", "folds"], ylim=(0.4, 3), xlim=(0, 1))
axis.set_xlabel("average precision")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
