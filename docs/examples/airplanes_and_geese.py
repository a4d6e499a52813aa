"""
The average precision of ten images (McCann)
============================================

Sancho McCann (`It's a bird... it's a plane... it... depends on your classifier's threshold
<https://sanchom.wordpress.com/2011/09/01/precision-recall/>`_) explains precision, recall and
average precision with ten images: five show airplanes, five show geese. A system should retrieve
the airplanes.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_score,
    definitions,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
)

airplane = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
score = np.linspace(1, 0.1, 10)

# %%
# One cutoff
# ----------
#
# The system puts the images in order, the most airplane-like first, and retrieves the top four.
# Three of them are airplanes, so precision is 3/4. There are five airplanes, so recall is 3/5.

cutoff = 4
figure, axis = plt.subplots(figsize=(4.4, 2.8), layout="constrained")
for rank, is_airplane in enumerate(airplane, start=1):
    color = "#0072B2" if is_airplane else "#E69F00"
    axis.plot(rank, 0, "s", ms=20, color=color, mfc=color if rank <= cutoff else "none", mew=2)
    retrieved = "true" if bool(is_airplane) == (rank <= cutoff) else "false"
    verdict = f"{retrieved}\n{'positive' if rank <= cutoff else 'negative'}"
    axis.annotate(verdict, (rank, -0.4), ha="center", va="top", rotation=90)
    name = "airplane" if is_airplane else "goose"
    axis.annotate(name, (rank, 0.4), ha="center", va="bottom", rotation=90)
axis.axvline(cutoff + 0.5, color="0.5", linestyle="--")
axis.annotate("retrieved", (cutoff + 0.4, 1.5), ha="right")
axis.annotate("not retrieved", (cutoff + 0.6, 1.5))
axis.set(xlim=(0.4, 10.6), ylim=(-1.6, 1.7), xticks=range(1, 11), yticks=[], xlabel="rank")
for side in ("left", "right", "top"):
    axis.spines[side].set_visible(False)

tp = int(airplane[:cutoff].sum())
fp = cutoff - tp
fn = int(airplane[cutoff:].sum())
tn = len(airplane) - cutoff - fn
print(f"tp = {tp}, fp = {fp}, fn = {fn}, tn = {tn}")
print(f"precision = {tp / (tp + fp):.2f}, recall = {tp / (tp + fn):.2f}")

# %%
# All cutoffs
# -----------
#
# Each cutoff has a precision and a recall.

print("retrieved  precision  recall")
for k in range(1, 11):
    precision = precision_at_k_score(airplane, score, k=k)
    recall = recall_at_k_score(airplane, score, k=k)
    print(f"top {k:>2} {precision:>12.0%} {recall:>8.0%}")

# %%
# The area under these points is the average precision: each precision at which recall rises, times
# the rise. That is (1 + 1 + 3/4 + 4/6 + 5/10) / 5 = 0.783. McCann truncates the terms, and prints
# 0.782.

AveragePrecisionDisplay.from_predictions(airplane, score)

# %%
# Interpolated average precision
# ------------------------------
#
# Some authors replace each precision by the largest one at the same recall or a higher one. In this
# ranking the precision never rises again from one airplane to the next, so that changes nothing.
# The eleven recall levels of PASCAL VOC 2007 do.

print(f"step          {average_precision_score(airplane, score):.4f}")
print(f"interpolated  {interpolated_average_precision_score(airplane, score):.4f}")
print(f"eleven-point  {eleven_point_average_precision_score(airplane, score):.4f}")

# %%
# Move the airplane at rank 4 to rank 5. Now precision falls and rises again, and the interpolated
# curve lies above the steps.

worse = np.array([1, 1, 0, 0, 1, 1, 0, 0, 0, 1])
figure, axis = plt.subplots(layout="constrained")
for definition, style in {
    definitions.Interpolated(): {"lw": 6, "alpha": 0.35},
    definitions.Step(): {"lw": 1.5},
}.items():
    AveragePrecisionDisplay.from_predictions(
        worse, score, definition=definition, plot_chance_level=False, ax=axis, **style
    )
