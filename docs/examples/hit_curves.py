"""
Hit curves
==========

Mu Zhu ("Recall, precision and average precision", 2004) starts from the hit curve h(t): the
fraction of all items that is found and relevant when a fraction t of them is detected. With the
prevalence pi, recall is h(t) / pi and precision h(t) / t.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    average_precision_score,
    hit_curve,
)

# %%
# Of 1,000 items 5 % are relevant. Algorithm A finds many of them early, B none of the very first
# but most of the next. Their hit curves cross, as in Zhu's figure 2, so neither is better for every
# t, and a single number has to decide.

n = 1_000
score = np.linspace(1, 0, n)
a, b = np.zeros(n), np.zeros(n)
a[np.concatenate([np.arange(0, 30, 2), np.arange(30, 1000, 28)])] = 1
b[np.arange(5, 405, 8)] = 1

figure, axis = plt.subplots(layout="constrained")
for name, relevant in {"A": a, "B": b}.items():
    HitCurveDisplay.from_predictions(relevant, score, name=name, ax=axis)

# %%
# B has the larger area under its hit curve. Average precision, which looks at the start, prefers A.

for name, relevant in {"A": a, "B": b}.items():
    detected, hits, _ = hit_curve(relevant, score)
    area, average = np.trapezoid(hits, detected), average_precision_score(relevant, score)
    print(f"{name}: area under the hit curve {area:.4f}, average precision {average:.3f}")

figure, axis = plt.subplots(layout="constrained")
for name, relevant in {"A": a, "B": b}.items():
    AveragePrecisionDisplay.from_predictions(relevant, score, name=name, ax=axis)
