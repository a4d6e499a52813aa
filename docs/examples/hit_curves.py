"""
Hit curves that cross (Zhu)
===========================

Mu Zhu ("Recall, precision and average precision", working paper 2004-09, Department of Statistics
and Actuarial Science, University of Waterloo, 2004) starts from the hit curve h(t): the fraction of
all items that is found and relevant when a fraction t of them is detected. With the fraction pi of
relevant items, recall is h(t) / pi and precision is h(t) / t.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import average_precision_score, hit_curve

# %%
# Of 10,000 items 5% are relevant. Algorithm A finds many of them early and slows down. Algorithm B
# starts slower and goes on for longer. Their hit curves cross at t*, as in Zhu's figure 2, so
# neither is better for every t. One number has to decide.

n, n_relevant = 10_000, 500
t = np.arange(1, n + 1) / n


def ranking(share, speed):
    """Labels in order: a share of the relevant items comes early, the rest evenly."""
    recall = share * (1 - np.exp(-t / speed)) / (1 - np.exp(-1 / speed)) + (1 - share) * t
    labels = np.zeros(n, dtype=int)
    labels[np.searchsorted(recall, (np.arange(n_relevant) + 0.5) / n_relevant)] = 1
    return labels


algorithms = {"A": ranking(0.275, 0.015), "B": ranking(0.566, 0.08)}
hits = {name: hit_curve(labels, -t)[1] for name, labels in algorithms.items()}
crossing = np.flatnonzero(hits["A"] > hits["B"])[-1]

figure, axis = plt.subplots(layout="constrained")
for name, labels in algorithms.items():
    detected, found, _ = hit_curve(labels, -t)
    axis.plot(detected, found, label=name)
axis.legend()
axis.set(xlabel="fraction detected, t", ylabel="fraction hit, h(t)")
axis.plot(crossing / n, hits["A"][crossing], "o", ms=9, mfc="none", color="#D55E00")
axis.set_xlim(-0.01, 0.4)
axis.annotate(
    f"t* = {crossing / n:.3f}",
    (crossing / n, hits["A"][crossing]),
    xytext=(14, -16),
    textcoords="offset points",
)

# %%
# B has the larger area under its hit curve. Average precision gives more weight to the start, where
# A is ahead, and prefers A. Zhu's table 2 has the same averages: 1.00 for a perfect algorithm, 0.26
# for A, 0.20 for B and 0.05 for random order.

algorithms = {"perfect": (t <= n_relevant / n).astype(int), **algorithms}
for name, labels in algorithms.items():
    detected, found, _ = hit_curve(labels, -t)
    area, average = np.trapezoid(found, detected), average_precision_score(labels, -t)
    print(f"{name:<8} area under the hit curve {area:.4f}, average precision {average:.2f}")
print(f"{'random':<34} average precision {average_precision_score(labels, np.zeros(n)):.2f}")
