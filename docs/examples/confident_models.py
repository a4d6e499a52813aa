"""
Confident where it is right
===========================

Two models A and B of Gorman's text call the same items positive at 0.5, so precision, recall and
every F-score agree on them. A is confident where it is right, B where it is wrong, and that shows
only in how they rank.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score, precision_score, recall_score

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_at_k_score,
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
    AveragePrecisionDisplay.from_predictions(truth, y_score, name=name, ax=axis)

# %%
# The top k
# ---------
#
# Average precision at 3 is (average precision) at 3, not the average of the precisions at 1, 2 and
# 3. Only ranks that hold a positive count, and the sum is divided by the best it could be.

hits = [1, 1, 0, 0, 1, 0, 1, 0]
rank_score = np.linspace(1, 0.3, 8)
at_3 = average_precision_at_k_score(hits, rank_score, k=3)
mean = np.mean([precision_at_k_score(hits, rank_score, k=k) for k in (1, 2, 3)])
print(f"average precision at 3: {at_3:.4f}, average of precisions: {mean:.4f}")

# %%
# The shaded area is what the first three ranks recall. Times 4 positives, over the 3 that fit, it
# is the score; divided by all positives or by the hits it is another.

AveragePrecisionDisplay.from_predictions(
    hits,
    rank_score,
    definition=[
        definitions.AtK(k=3),
        definitions.AtK(k=3, normalizer="positives"),
        definitions.AtK(k=3, normalizer="hits"),
    ],
)
