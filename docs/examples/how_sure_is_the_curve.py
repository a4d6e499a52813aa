"""
How sure is a precision-recall curve?
=====================================

A curve from 100 positives looks exact, and is not. ``precision_recall_band`` gives limits that
contain the whole curve of the population in at least 95 of 100 samples. Limits for each threshold
by itself, which many tools draw, do not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_recall_curve
from sklearn.model_selection import train_test_split

from sklearn_ap import AveragePrecisionDisplay, precision_recall_band

X, y = make_classification(
    202_000, n_features=8, n_informative=4, weights=[0.9], class_sep=0.9, random_state=2
)
X_train, X_pool, y_train, y_pool = train_test_split(X, y, train_size=2_000, random_state=0)
model = LogisticRegression().fit(X_train, y_train)
score_pool = model.decision_function(X_pool)

# %%
# One sample of 1,000 rows, of which about 100 are positive. The curve of all 200,000 rows is nearly
# that of the population.

precision, recall, _ = precision_recall_curve(y_pool, score_pool)
figure, axis = plt.subplots(layout="constrained")
axis.plot(recall, precision, color="0.3", linestyle="--", label="200,000 rows")
AveragePrecisionDisplay.from_predictions(
    y_pool[:1_000], score_pool[:1_000], name="1,000 rows", ax=axis, band=True
)

# %%
# Now the same with 100 samples. For each, does the band contain the precision of the population at
# every recall? Beside it are Wilson's limits of the precision at each threshold.


def wilson(hits, selected, quantile=1.96):
    """Limits of a proportion."""
    share, square = hits / selected, quantile**2 / selected
    half = np.sqrt(share * (1 - share) * square + square**2 / 4)
    return (share + square / 2 - half) / (1 + square), (share + square / 2 + half) / (1 + square)


levels = np.linspace(0.1, 1, 10)
truth = np.interp(levels, recall[::-1], precision[::-1])
covered = {"band": 0, "each threshold": 0}
for rows in np.split(np.arange(100_000), 100):
    labels, scores = y_pool[rows], score_pool[rows]
    band = precision_recall_band(labels, scores, recall_levels=levels)
    covered["band"] += np.all((band.low <= truth) & (truth <= band.high))
    hits = np.cumsum(labels[np.argsort(-scores)])
    selected = np.searchsorted(hits, levels * hits[-1] * (1 - 1e-9)) + 1
    low, high = wilson(hits[selected - 1], selected)
    covered["each threshold"] += np.all((low <= truth) & (truth <= high))
for limits, samples in covered.items():
    print(f"{limits}: contains the curve in {samples} of 100 samples")

# %%
# The band is wide because it must contain ten precisions at once. To say how well a model ranks,
# use ``average_precision_interval``: one number has a narrower interval.
