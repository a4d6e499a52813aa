"""
Same precision and recall, but one model ranks better (Gorman)
==============================================================

Ben Gorman's text on average precision compares two models, A and B, that call the same items
positive. Precision, recall and every F-score agree on them. Only A is confident where it is right,
and only the order of the scores shows that.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score, precision_score, recall_score

from sklearn_ap import AveragePrecisionDisplay

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
