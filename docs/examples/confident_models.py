"""
Same precision and recall, but one model ranks better (Gorman)
==============================================================

Ben Gorman's text on average precision compares two models, A and B, that call the same items
positive. Precision, recall and every F-score agree on them. Only A is confident where it is right,
and only the order of the scores shows that.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score, precision_recall_curve, precision_score, recall_score

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_at_k_score,
    average_precision_score,
    definitions,
    precision_at_k_score,
)

truth = [1, 1, 0, 0, 1, 1, 0, 0]
models = {
    "A": np.array([0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04]),
    "B": np.array([0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32]),
}

figure, axis = plt.subplots(layout="constrained")
for name, y_score in models.items():
    called = y_score >= 0.5
    scores = [score(truth, called) for score in (precision_score, recall_score, f1_score)]
    print(name, "precision {:.2f}, recall {:.2f}, F1 {:.2f}".format(*scores))
    AveragePrecisionDisplay.from_predictions(
        truth, y_score, name=name, ax=axis, plot_chance_level=False
    )

# %%
# Rectangles
# ----------
#
# One threshold gives one point. With 2 of 3 positives above it and no negative, recall is 0.67 and
# precision is 1.00, the point (0.67, 1.00). Average precision is a Riemann sum over all points: the
# area of rectangles as high as the precision and as wide as the rise in recall. All rectangles have
# the same width, so average precision is also the mean of the precisions at the positives.

found = np.array([1, 1, 0, 0, 1, 0])
precision, recall, _ = precision_recall_curve(found, np.arange(6, 0, -1))
precision, recall = precision[-2::-1], recall[-2::-1]
rise = np.diff(recall, prepend=0)

figure, axis = plt.subplots(layout="constrained")
axis.bar(recall - rise, precision, rise, align="edge", color="#56B4E9", alpha=0.4, ec="#0072B2")
axis.plot(recall, precision, "o", color="#0072B2", clip_on=False)
axis.annotate("(0.67, 1.00)", (2 / 3, 1), xytext=(4, -14), textcoords="offset points")
axis.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.05))
axis.set_title(f"(1 + 1 + 3/5) / 3 = {average_precision_score(found, np.arange(6, 0, -1)):.3f}")

# %%
# The same by hand, on data that Gorman draws in R by
# ``set.seed(4); trues <- rnorm(6); falses <- rnorm(10, -1)``:

trues = [0.217, -0.542, 0.891, 0.596, 1.636, 0.689]
falses = [-2.281, -1.213, 0.897, 0.777, -0.433, -0.984, -0.617, -1.045, -0.966, -0.831]
print(f"{average_precision_score(np.repeat([1, 0], [6, 10]), trues + falses):.4f}")
print(f"{(1 / 1 + 2 / 3 + 3 / 5 + 4 / 6 + 5 / 7 + 6 / 9) / 6:.4f}")

# %%
# The top k
# ---------
#
# Average precision at 3 is (average precision) at 3, not the average of the precisions at 1, 2 and
# 3. Only the ranks of positives count, and the sum is divided by the best that it could be.

hits = [1, 1, 0, 0, 1, 0, 1, 0]
rank_score = np.linspace(1, 0.3, 8)
at_3 = average_precision_at_k_score(hits, rank_score, k=3)
mean = np.mean([precision_at_k_score(hits, rank_score, k=k) for k in (1, 2, 3)])
print(f"average precision at 3: {at_3:.4f}, average of the precisions: {mean:.4f}")

# %%
# The area of the first three ranks is 0.5, because they have 2 of the 4 positives. At best they
# have 3, so each rectangle is stretched from a width of 1/4 to 1/3: the score is 0.5 times 4/3.
# Other tools divide by something else.

AveragePrecisionDisplay.from_predictions(
    hits, rank_score, definition=definitions.AtK(k=3), plot_chance_level=False
)
for normalizer in ("attainable", "positives", "hits", "k"):
    value = average_precision_at_k_score(hits, rank_score, k=3, normalizer=normalizer)
    print(f"divided by {normalizer:<10} {value:.3f}")

# sphinx_gallery_thumbnail_number = 2
