"""
Do not join the points by straight lines (Dingwall)
===================================================

Nick Dingwall (`Stepping away from linear interpolation
<https://github.com/roamanalytics/roamresearch/blob/master/BlogPosts/Average_precision/Average_precision_post.ipynb>`_)
shows why you should not join the operating points of a classifier by straight lines. Because of
this text, scikit-learn stopped doing so in 0.19.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import precision_recall_curve

from sklearn_ap import AveragePrecisionDisplay, definitions


def scatter(axis, y_true, y_score, **options):
    """Draw the operating points, and nothing between them."""
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    axis.plot(recall, precision, "o", color="#0072B2", **options)
    axis.set(xlabel="recall", ylabel="precision", xlim=(-0.05, 1.05), ylim=(-0.02, 1.05))


# %%
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
